package annotate

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/results/store"
	"compqa/stats"
	"compqa/web/annotate/project"
)

// A setup holds the flags of `annotate init`.
type setup struct {
	run, pairs, gold string
	rows, mask       bool
	sample, overlap  int
	goldShare        float64
	repeats          float64
	seed             uint64
}

func initCommand(streams run.Streams) *cobra.Command {
	var f setup
	cmd := runFlag(sub("init", "Choose what people annotate", 0, func(*cobra.Command, []string) error { return f.create(streams) }), &f.run)
	set := cmd.Flags()
	set.StringVar(&f.pairs, "pairs", "", "compare the pairs of `FILE`, instead of scoring answers")
	set.BoolVar(&f.rows, "rows", false, "mark the rows of the run's contrastive tables, instead of scoring answers")
	set.IntVar(&f.sample, "sample", 0, "annotate a seeded sample of `N` items (default: all)")
	set.IntVar(&f.overlap, "overlap", 100, "two people annotate `N` items")
	set.StringVar(&f.gold, "gold", "", "a `FILE` of verdicts on answers with known scores, which check the annotators")
	set.Float64Var(&f.goldShare, "gold-share", 0.05, "the `SHARE` of items with known scores")
	set.Float64Var(&f.repeats, "repeats", 0.05, "the `SHARE` of items that each person gets twice")
	set.BoolVar(&f.mask, "mask", false, "replace names of systems in answers by [model]")
	set.Uint64Var(&f.seed, "seed", 1, "the `SEED` of the sample, the order and the sides")
	return cmd
}

func (f setup) create(streams run.Streams) error {
	switch {
	case f.sample < 0 || f.overlap < 0 || f.goldShare < 0 || f.goldShare > 0.5 || f.repeats < 0 || f.repeats > 0.5:
		return config.UsageError{Err: fmt.Errorf("--sample and --overlap must not be negative, and the shares must be 0 to 0.5")}
	case f.pairs != "" && (f.rows || f.gold != "") || f.rows && f.gold != "":
		return config.UsageError{Err: fmt.Errorf("use one of --pairs, --rows and --gold")}
	}
	db, err := store.Open(f.run)
	if err != nil {
		return err
	}
	defer db.Close()
	r, err := db.Rubric()
	if err != nil {
		return err
	}
	var names []string // of systems
	items, err := f.items(db, &names)
	if err != nil {
		return err
	}
	slices.SortFunc(items, func(a, b project.Item) int {
		return strings.Compare(a.Source+"\x00"+strconv.Itoa(a.Row), b.Source+"\x00"+strconv.Itoa(b.Row))
	})
	rng := stats.NewRNG(f.seed, "annotate")
	rng.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	gold, main := []project.Item{}, []project.Item{}
	known, err := f.known(r.IDs())
	if err != nil {
		return err
	}
	for _, it := range items {
		if scores, ok := known[it.Source]; ok {
			if fault := r.Check(scores, false); fault != nil {
				return config.UsageError{Err: fmt.Errorf("%s: verdict on %s: %s", f.gold, it.Source, fault.Reason)}
			}
			it.Role, it.Expected = project.Gold, scores
			gold = append(gold, it)
			continue
		}
		main = append(main, it)
	}
	if f.sample > 0 {
		main = main[:min(f.sample, len(main))]
	}
	for i := range main {
		if main[i].Role = project.Main; i < f.overlap {
			main[i].Role = project.Overlap
		}
	}
	if len(main) == 0 {
		return config.UsageError{Err: fmt.Errorf("%s: there is nothing to annotate", f.run)}
	}
	all := append(main, gold...)
	named := maskNames(all, names, f.mask)
	set := project.Settings{Seed: f.seed, Rubric: r, Overlap: f.overlap, Gold: f.goldShare, Repeats: f.repeats, Mask: f.mask}
	if err := project.Create(f.run, set, all); err != nil {
		return config.UsageError{Err: err}
	}
	fmt.Fprintf(streams.Out, "%s/%s: %d items, %d of them for two people; %d with known scores\n", f.run, project.FileName, len(main), min(f.overlap, len(main)), len(gold))
	if named > 0 && !f.mask {
		fmt.Fprintf(streams.Out, "%d items contain the name of a system, so people can see who wrote them; --mask replaces names\n", named)
	}
	fmt.Fprintf(streams.Out, "Next: compqa annotate invite NAME --run %s\n", f.run)
	return nil
}

// items reads what is to be annotated from the run, or from the file of pairs.
func (f setup) items(db *store.Store, names *[]string) (items []project.Item, err error) {
	if f.pairs != "" {
		pairs, err := data.ReadPairs(f.pairs)
		if err != nil {
			return nil, config.UsageError{Err: err}
		}
		for _, p := range pairs {
			for _, system := range []string{p.SystemA, p.SystemB} {
				if system != "" && !slices.Contains(*names, system) {
					*names = append(*names, system)
				}
			}
			items = append(items, project.Item{Kind: project.Pair, Source: p.ID, Cluster: p.Cluster, Content: project.Content{Question: p.Question, A: p.A, B: p.B}})
		}
		return items, nil
	}
	texts := map[string]string{}
	questions, err := store.Query(db, `SELECT id, question FROM questions`, nil, func(q *[2]string) []any { return []any{&q[0], &q[1]} })
	if err != nil {
		return nil, err
	}
	for _, q := range questions {
		texts[q[0]] = q[1]
	}
	cells, err := db.AnswerCells()
	if err != nil {
		return nil, err
	}
	for _, c := range cells {
		if !slices.Contains(*names, c.System) {
			*names = append(*names, c.System)
		}
		err := db.EachAnswer(c.System, c.Scenario, func(a data.Answer) error {
			if a.Status != data.Valid {
				return nil
			}
			question := texts[a.Question]
			if question == "" {
				question = "Which is better, " + a.Object1 + " or " + a.Object2 + "?"
			}
			content := project.Content{Question: question, A: a.Text, Object1: a.Object1, Object2: a.Object2}
			if !f.rows {
				items = append(items, project.Item{Kind: project.Score, Source: a.ID, Cluster: a.Pair(), Content: content})
				return nil
			}
			t, err := db.Table(a.ID)
			if err != nil || t == nil {
				return err
			}
			content.A = ""
			for i := range t.Rows {
				row := t.Rows[i]
				row.Members = nil
				of := content
				of.Row, of.Rows = &row, len(t.Rows)
				items = append(items, project.Item{Kind: project.Row, Source: a.ID, Row: i + 1, Cluster: a.Pair(), Content: of})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return items, nil
}

func (f setup) known(criteria []string) (map[string]data.Scores, error) {
	known := map[string]data.Scores{}
	if f.gold == "" {
		return known, nil
	}
	verdicts, err := data.ReadVerdicts(f.gold, criteria)
	if err != nil {
		return nil, config.UsageError{Err: err}
	}
	for _, v := range verdicts {
		if v.Status == data.Valid {
			known[v.Answer] = v.Scores
		}
	}
	return known, nil
}

// maskNames counts the items whose texts contain the name of a system, and replaces the
// names if asked to.
func maskNames(items []project.Item, systems []string, mask bool) (named int) {
	words := []string{"chatgpt", "gpt-?[345][a-z0-9.-]*", "claude", "gemini", "llama[ -]?[0-9.]*", "mistral", "mixtral"}
	for _, s := range systems {
		if len(s) > 3 && strings.ContainsAny(s, "0123456789") { // others are words: template, reference
			words = append(words, regexp.QuoteMeta(s))
		}
	}
	pattern := regexp.MustCompile(`(?i)\b(` + strings.Join(words, "|") + `)\b`)
	for i := range items {
		found := false
		for _, text := range []*string{&items[i].Content.A, &items[i].Content.B} {
			if pattern.MatchString(*text) {
				found = true
				if mask {
					*text = pattern.ReplaceAllString(*text, "[model]")
				}
			}
		}
		if found {
			named++
		}
	}
	return named
}
