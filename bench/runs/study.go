package runs

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/archive"
	"compqa/results/pairstudy"
	"compqa/results/preferences"
	"compqa/results/store"
	"compqa/results/table"
)

// The files of a study, and its first stage. The other stages are the tables of one judge each,
// under letters, so that raters do not know which is which.
const (
	studyForm  = "form.csv"
	studyKey   = "key.csv"
	beforeName = "before"
)

var (
	formColumns = []string{"item", "stage", "question", "first", "second", "table", "choice", "reason"}
	keyColumns  = []string{"item", "stage", "id", "order", "judge"}
)

// studyCommand is `compqa pairwise study`.
func studyCommand(streams run.Streams) *cobra.Command {
	var out string
	var answers []string
	var sample int
	var seed uint64
	cmd := &cobra.Command{
		Use:   "study [DIR] --out DIR [--answers FILE]",
		Short: "Let people choose before and after they see SC2's tables",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case out == "":
				return config.UsageError{Err: errors.New("compqa pairwise study needs --out, the folder of the form")}
			case sample < 0:
				return config.UsageError{Err: fmt.Errorf("--sample is %d; it must be a number of pairs", sample)}
			}
			s, err := store.Open(config.RunFolder(args, 0))
			if err != nil {
				return config.UsageError{Err: err}
			}
			defer s.Close()
			if answers == nil {
				return writeStudy(s, out, sample, seed, streams.Out)
			}
			return readStudy(s, out, answers, streams.Out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "the folder `DIR` of the form and its key, and then of the results")
	cmd.Flags().StringArrayVar(&answers, "answers", nil, "the completed form `FILE` of one person, named for the person; can be repeated")
	cmd.Flags().IntVar(&sample, "sample", 100, "ask about `N` pairs (0: all)")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "the `SEED` of the sample, the order and the sides")
	return cmd
}

// A studied pair has the table of each judge, for its answers in order ab.
type studied struct {
	archive.RecordedPreference
	tables map[string]pairwise.Table
}

// writeStudy writes the form and the key (Yan et al. 2024, section 6.5): each person chooses first
// without a table, and then again with the table of each judge.
func writeStudy(s *store.Store, out string, sample int, seed uint64, w io.Writer) error {
	if _, err := os.Stat(filepath.Join(out, studyKey)); err == nil {
		return config.UsageError{Err: fmt.Errorf("%s already contains a study: use --answers with its completed forms, or another --out", out)}
	}
	var judges []string
	at := map[string]*studied{}
	err := archive.EachPreference(s, func(p archive.RecordedPreference) error {
		var detail pairwise.Detail
		if _, round := preferences.BaseOf(p.Judge); round > 1 { // its first round's tables are shown
			return nil
		}
		if p.Order != data.OrderAB || p.Status != data.Valid || json.Unmarshal([]byte(p.Detail),
			&detail) != nil || len(detail.Table) == 0 || !p.Pair.Label.Decided() {
			return nil
		}
		if at[p.ID] == nil {
			at[p.ID] = &studied{p, map[string]pairwise.Table{}}
		}
		if at[p.ID].tables[p.Judge] = detail.Table; !slices.Contains(judges, p.Judge) {
			judges = append(judges, p.Judge)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var list []*studied
	for _, p := range at {
		if len(p.tables) == len(judges) {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return config.UsageError{Err: fmt.Errorf("%s has no pair with a known better answer and a table of each judge of method sc2; SC2's "+
			"study compares draws: 1 with draws: 8", s.Path)}
	}
	slices.SortFunc(list, func(a, b *studied) int { return strings.Compare(a.ID, b.ID) })
	random := rand.New(rand.NewPCG(seed, 1))
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	if sample > 0 && sample < len(list) {
		list = list[:sample]
	}
	var form, key [][]string
	after := [][]string{}
	for i, p := range list {
		item, order, first, second := fmt.Sprint(i+1), data.OrderAB, p.Pair.A, p.Pair.B
		if random.IntN(2) == 1 {
			order, first, second = data.OrderBA, second, first
		}
		form = append(form, []string{item, beforeName, p.Pair.Question, first, second, "", "", ""})
		key = append(key, []string{item, beforeName, p.ID, order, ""})
		for k, j := range random.Perm(len(judges)) {
			t, stage := p.tables[judges[j]], fmt.Sprintf("table %c", 'A'+k)
			if order == data.OrderBA {
				t = t.Exchanged()
			}
			after = append(after, []string{item, stage, p.Pair.Question, first, second, strings.Replace(t.Markdown(),
				"| Only A | Both | Only B |", "| Only the first | Both | Only the second |", 1), "", ""})
			key = append(key, []string{item, stage, p.ID, order, judges[j]})
		}
	}
	write := func(header []string, rows [][]string) func(io.Writer) error {
		return func(w io.Writer) error {
			c := csv.NewWriter(w)
			c.Write(header)
			for _, row := range rows {
				guarded := make([]string, len(row))
				for i, cell := range row {
					guarded[i] = data.GuardCell(cell)
				}
				c.Write(guarded)
			}
			c.Flush()
			return c.Error()
		}
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	if err := table.WriteFiles(out, map[string]func(io.Writer) error{studyForm: write(formColumns, append(form, after...)),
		studyKey: write(keyColumns, key)}); err != nil {
		return err
	}
	fmt.Fprintf(w,
		"%s: %d pairs, first without a table, then with the tables of %s. Each person completes a copy, from top to bottom: choice is "+
			"first, second or tie.\n%s: which row is which; raters do not get it.\nThen: compqa pairwise study %s --out %s --answers "+
			"anna.csv --answers ben.csv\n",
		filepath.Join(out, studyForm), len(list), data.List(judges), filepath.Join(out, studyKey), filepath.Dir(s.Path), out)
	return nil
}

// readStudy reads the completed forms and writes the results.
func readStudy(s *store.Store, out string, paths []string, w io.Writer) error {
	type place struct{ item, stage string }
	asked, items := map[place]pairstudy.Answer{}, map[string]int{}
	labels, err := studyLabels(s)
	if err != nil {
		return err
	}
	keyPath := filepath.Join(out, studyKey)
	err = eachCSV(keyPath, keyColumns, func(line int, row map[string]string) error {
		label, known := labels[row["id"]]
		if !known {
			return &data.LineError{Path: keyPath, Line: line, Err: fmt.Errorf("the record has no pair %q with a known better answer",
				row["id"])}
		}
		items[row["judge"]]++
		asked[place{row["item"], row["stage"]}] = pairstudy.Answer{Pair: row["id"], Cluster: label.Cluster, Judge: row["judge"],
			Order: row["order"], Gold: label.Label}
		return nil
	})
	if err != nil {
		return err
	}
	var given []pairstudy.Answer
	forms := map[string]string{}
	for _, path := range paths {
		rater, seen := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), map[place]int{}
		if other, twice := forms[rater]; twice {
			return config.UsageError{Err: fmt.Errorf("--answers: %s and %s are both of %s; each person needs one form, named for the person",
				other, path, rater)}
		}
		forms[rater] = path
		err := eachCSV(path, formColumns, func(line int, row map[string]string) error {
			wrong := func(format string, args ...any) error {
				return &data.LineError{Path: path, Line: line, Err: fmt.Errorf(format, args...)}
			}
			at := place{row["item"], row["stage"]}
			a, known := asked[at]
			if !known {
				return wrong("the form has no item %q with the stage %q", at.item, at.stage)
			}
			if before := seen[at]; before > 0 {
				return wrong("item %s, %s is also on line %d", at.item, at.stage, before)
			}
			seen[at] = line
			a.Rater = rater
			switch choice := strings.ToLower(strings.TrimSpace(row["choice"])); choice {
			case "":
				return nil // left out
			case "first", "second":
				a.Choice = map[string]data.Choice{"first": data.ChoiceA, "second": data.ChoiceB}[choice].In(a.Order)
			case "tie":
				a.Choice = data.ChoiceTie
			default:
				return wrong("choice is %q; it must be first, second or tie", row["choice"])
			}
			given = append(given, a)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return pairstudy.Write(given, items, out, w)
}

// studyLabels are the pairs with a known better answer, by id.
func studyLabels(s *store.Store) (map[string]data.Pair, error) {
	list, err := store.Query(s, `SELECT id, label, cluster FROM pairs WHERE active`, nil, func(p *data.Pair) []any {
		return []any{&p.ID,
			&p.Label, &p.Cluster}
	})
	labels := map[string]data.Pair{}
	for _, p := range list {
		if p.Label.Decided() {
			labels[p.ID] = p
		}
	}
	return labels, err
}

// eachCSV reads the rows of a CSV file with these columns, in any order; others are left out.
func eachCSV(path string, columns []string, each func(line int, row map[string]string) error) error {
	f, _, err := data.OpenInput(path)
	if err != nil {
		return config.UsageError{Err: err}
	}
	defer f.Close()
	r := csv.NewReader(bufio.NewReader(f))
	r.FieldsPerRecord = -1
	header, err := r.Read()
	if err != nil {
		return data.CSVError(path, err)
	}
	if len(header) == 1 && strings.Contains(header[0], ";") {
		return &data.LineError{Path: path, Line: 1, Err: errors.New("the columns are separated by semicolons; save the file with commas")}
	}
	at := map[string]int{}
	for i, name := range header {
		at[strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))] = i
	}
	for _, name := range columns {
		if _, has := at[name]; !has {
			return &data.LineError{Path: path, Line: 1, Err: fmt.Errorf("there is no column %q; the columns are %s", name,
				strings.Join(columns, ", "))}
		}
	}
	for {
		record, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return data.CSVError(path, err)
		}
		line, _ := r.FieldPos(0)
		row := map[string]string{}
		for _, name := range columns {
			if at[name] < len(record) {
				cell := record[at[name]]
				if rest, is := strings.CutPrefix(cell, "'"); is && data.GuardCell(rest) == cell {
					cell = rest
				}
				row[name] = cell
			}
		}
		if err := each(line, row); err != nil {
			return err
		}
	}
}
