package bench

import (
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/results/validation"
)

// figuresOf returns the figures of all criteria on one line.
func figuresOf(r *validation.Result) string {
	var all []string
	for _, p := range r.Pairings {
		text := fmt.Sprint(p.Judge != "", " ", len(p.Rows))
		for _, row := range p.Rows {
			text += fmt.Sprint(" ", row.N)
		}
		for _, name := range []string{"alpha", "kappa", "kappa_weighted", "agreement", "spearman", "tpr", "tnr", "precision", "f1", "ac1", "single", "people"} {
			text += " " + p.Figure(name).Text(3)
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// germanNames are German column names that names.yaml knows. The names of criteria stay, because both sides use them.
var germanNames = map[string]string{"id": "Fall", "annotator": "Bewerterin", "rater": "Gutachter", "question": "Frage", "answer": "Antwort"}

// tableVariants write the same rows in other ways.
var tableVariants = map[string]struct {
	extension string
	write     func(rows [][]string) string
}{
	"columns in reverse order": {".csv", func(rows [][]string) string {
		return varied(rows, ",", func(row []string) []string { row = slices.Clone(row); slices.Reverse(row); return row })
	}},
	"semicolons, decimal commas": {".csv", func(rows [][]string) string { return varied(changedCells(rows, decimalComma), ";", nil) }},
	"tabs":                       {".tsv", func(rows [][]string) string { return varied(rows, "\t", nil) }},
	"bars":                       {".csv", func(rows [][]string) string { return varied(rows, "|", nil) }},
	"numbers as 4.0":             {".csv", func(rows [][]string) string { return varied(changedCells(rows, withPoint), ",", nil) }},
	"heads in capitals": {".csv", func(rows [][]string) string {
		return varied(withHeads(rows, func(name string) string { return strings.ToUpper(strings.ReplaceAll(name, "_", " ")) }), ",", nil)
	}},
	"heads in German": {".csv", func(rows [][]string) string {
		return varied(withHeads(rows, func(name string) string {
			if to := germanNames[name]; to != "" {
				return to
			}
			return name
		}), ";", nil)
	}},
	"ids renamed": {".csv", func(rows [][]string) string {
		return varied(changedCells(rows, func(head, cell string) string {
			if slices.Contains([]string{"id", "sample_id", "question_id", "Input.id", "item"}, head) {
				return "Ticket/" + cell
			}
			return cell
		}), ",", nil)
	}},
	"CRLF and a mark": {".csv", func(rows [][]string) string {
		return "\ufeff" + strings.ReplaceAll(varied(rows, ",", nil), "\n", "\r\n")
	}},
	"UTF-16": {".txt", func(rows [][]string) string {
		out := []byte("\xff\xfe")
		for _, unit := range utf16.Encode([]rune(varied(rows, "\t", nil))) {
			out = binary.LittleEndian.AppendUint16(out, unit)
		}
		return string(out)
	}},
	"a title above": {".csv", func(rows [][]string) string {
		return "Scores of spring" + strings.Repeat(",", len(rows[0])-1) + "\n" + varied(rows, ",", nil)
	}},
	"rows in reverse order": {".csv", func(rows [][]string) string {
		rows = slices.Clone(rows)
		slices.Reverse(rows[1:])
		return varied(rows, ",", nil)
	}},
	"JSON Lines": {".jsonl", func(rows [][]string) string {
		var out strings.Builder
		for _, row := range rows[1:] {
			object := map[string]string{}
			for i, cell := range row {
				object[rows[0][i]] = cell
			}
			line, _ := json.Marshal(object)
			out.WriteString(string(line) + "\n")
		}
		return out.String()
	}},
}

func varied(rows [][]string, comma string, order func([]string) []string) string {
	var out strings.Builder
	w := csv.NewWriter(&out)
	w.Comma = rune(comma[0])
	for _, row := range rows {
		if order != nil {
			row = order(row)
		}
		w.Write(row)
	}
	w.Flush()
	return out.String()
}

// changedCells returns the rows with changed cells below the header.
func changedCells(rows [][]string, cell func(head, cell string) string) [][]string {
	out := [][]string{rows[0]}
	for _, row := range rows[1:] {
		row = slices.Clone(row)
		for i := range row {
			row[i] = cell(rows[0][i], row[i])
		}
		out = append(out, row)
	}
	return out
}

func withHeads(rows [][]string, name func(string) string) [][]string {
	return append([][]string{data.Each(rows[0], name)}, rows[1:]...)
}

func decimalComma(head, cell string) string {
	if _, number := data.Number(cell); number && !strings.Contains(head, "id") {
		return strings.ReplaceAll(cell, ".", ",")
	}
	return cell
}

func withPoint(head, cell string) string {
	if _, number := data.Number(cell); number && !strings.Contains(cell, ".") && !strings.Contains(head, "id") && head != "turn" {
		return cell + ".0"
	}
	return cell
}

// TestCasesVaried: each case of tables and labels gives the same figures if its tables are written in other ways. An eighth of all variants
// is tried, with COMPQA_SOAK=1 all.
func TestCasesVaried(t *testing.T) {
	t.Parallel()
	folder := sharedtest.Path(t, "cases")
	cases := map[string]struct {
		log, people string
		flags       []string
		not         []string // names of variants that change the content of the files
	}{
		"08":           {log: "tables/08-suggested-command/judge.csv", people: "tables/08-suggested-command/zero_ids.csv", not: []string{"ids renamed"}},
		"11":           {log: "tables/11-missing-codes-of-surveys/idx_j.csv", people: "tables/11-missing-codes-of-surveys/code99.csv", flags: []string{"--missing", "99"}},
		"11 skip":      {log: "tables/11-missing-codes-of-surveys/idx_j.csv", people: "tables/11-missing-codes-of-surveys/skip.csv"},
		"13":           {log: "tables/13-narrower-judge-range/s03_j.csv", people: "tables/13-narrower-judge-range/s03_p.csv"},
		"14":           {log: "tables/14-one-more-label/unsure_j.csv", people: "tables/14-one-more-label/unsure.csv"},
		"15":           {log: "tables/15-large-number-column/big_j.csv", people: "tables/15-large-number-column/big_p.csv"},
		"16":           {log: "tables/16-mturk/m_judge.csv", people: "tables/16-mturk/mturk.csv"},
		"19 letters":   {log: "tables/19-kappa-of-letters/c3_j.csv", people: "tables/19-kappa-of-letters/c3_p.csv"},
		"19 halves":    {log: "tables/19-kappa-of-letters/h3_j.csv", people: "tables/19-kappa-of-letters/h3_p.csv"},
		"19 words":     {log: "tables/19-kappa-of-letters/l3_j.csv", people: "tables/19-kappa-of-letters/l3_p.csv"},
		"labels n":     {log: "labels/n-log.csv", people: "labels/n-people.csv"},
		"labels q":     {log: "labels/q-log.csv", people: "labels/q-people.csv"},
		"02":           {log: "tables/02-file-with-itself/both.csv", people: ""},
		"05":           {log: "tables/05-mtbench-minus-one/mt_single.jsonl", people: "tables/05-mtbench-minus-one/mt_people.csv", flags: []string{"--missing", "-1"}, not: []string{"ids renamed"}},
		"17":           {log: "tables/17-events-of-a-sample/oai_legacy.jsonl", people: "tables/17-events-of-a-sample/oai_legacy_p.csv", not: []string{"ids renamed"}},
		"10":           {log: "tables/10-deepeval-nan/de.json", people: "tables/10-deepeval-nan/de_people.csv", not: []string{"ids renamed"}},
		"03 promptfoo": {log: "tables/03-promptfoo-graderError/results.json", people: "tables/03-promptfoo-graderError/pf_people.csv"},
	}
	for i, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		figures := func(log, people string) string {
			r, err := parsedFlags(t, append([]string{"--people", people}, c.flags...)...).compute([]string{log})
			if err != nil {
				return err.Error()
			}
			return figuresOf(r)
		}
		log := filepath.Join(folder, filepath.FromSlash(c.log))
		people := filepath.Join(folder, filepath.FromSlash(c.people))
		if c.people == "" {
			people = log
		}
		want := figures(log, people)
		if !strings.HasPrefix(want, "true") {
			t.Errorf("%s: %s", name, want)
		}
		for k, variant := range slices.Sorted(maps.Keys(tableVariants)) {
			v := tableVariants[variant]
			if slices.Contains(c.not, variant) || (i+k)%8 != 0 && os.Getenv("COMPQA_SOAK") == "" {
				continue
			}
			dir := t.TempDir()
			write := func(side, path string) string {
				if filepath.Ext(path) != ".csv" {
					return path
				}
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(text), "\ufeff"))).ReadAll()
				if err != nil {
					t.Fatal(err)
				}
				to := filepath.Join(dir, side+v.extension)
				if err := os.WriteFile(to, []byte(v.write(rows)), 0o600); err != nil {
					t.Fatal(err)
				}
				return to
			}
			newLog := write("judge", log)
			newPeople := ""
			if newPeople = write("people", people); log == people {
				newPeople = newLog
			}
			if got := figures(newLog, newPeople); got != want {
				t.Errorf("%s, %s:\n%s\nwant\n%s", name, variant, got, want)
			}
		}
	}
}
