// Package formats writes a run for other programs: tables for pandas, a data set for Hugging Face's
// datasets, logs for inspect_ai. A missing score stays missing in each of them.
package formats

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
)

// Names are the formats.
var Names = []string{"csv", "hf", "inspect"}

// An item is an answer with its question and the verdicts on it.
type item struct {
	answer   data.Answer
	question string
	verdicts []data.Verdict
}

// Write writes a run into a folder, which is made or has to be empty. It returns the names of the files.
func Write(s *store.Store, dir, format string) ([]string, error) {
	files := map[string]func(io.Writer) error{}
	r, err := s.Rubric()
	if err != nil {
		return nil, err
	}
	if there, err := os.ReadDir(dir); err == nil && len(there) > 0 {
		return nil, fmt.Errorf("%s is not empty; choose another folder", dir)
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	bySystem := map[string][]item{}
	err = eachItem(s, func(i item) { bySystem[i.answer.System] = append(bySystem[i.answer.System], i) })
	if err != nil {
		return nil, err
	}
	var systems []string
	for system := range bySystem {
		systems = append(systems, system)
	}
	slices.Sort(systems)
	var all []item
	for n, system := range systems {
		if all = append(all, bySystem[system]...); format == "inspect" {
			files[fmt.Sprintf("%02d_%s.json", n+1, fileName(system))] = func(w io.Writer) error { return inspectLog(w, system, bySystem[system], r) }
		}
	}
	switch format {
	case "csv":
		files["answers.csv"], files["scores.csv"] = cells(answerRows(all)), cells(scoreRows(all, r))
	case "hf":
		files["answers.jsonl"], files["scores.jsonl"] = objects(answerRows(all)), objects(scoreRows(all, r))
		files["README.md"] = table.Text(card)
	case "inspect":
	default:
		return nil, fmt.Errorf("--format is %q; it must be one of %s", format, strings.Join(Names, ", "))
	}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, table.WriteFiles(dir, files)
}

// eachItem passes on every answer of the plan, by system, scenario and id.
func eachItem(s *store.Store, each func(item)) error {
	questions := map[string]string{}
	texts, err := store.Query(s, `SELECT id, question FROM questions`, nil, func(q *[2]string) []any { return []any{&q[0], &q[1]} })
	if err != nil {
		return err
	}
	for _, q := range texts {
		questions[q[0]] = q[1]
	}
	plan, err := s.Plan()
	if err != nil {
		return err
	}
	for _, c := range plan {
		if c.Kind != store.KindAnswer {
			continue
		}
		err := s.EachAnswer(c.System, c.Scenario, func(a data.Answer) error {
			verdicts, err := s.VerdictsOn(a.ID)
			each(item{a, questions[a.Question], verdicts})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// A record is a row: names and values, which are texts, numbers or nil.
type record struct {
	names  []string
	values []any
}

func (r *record) add(name string, value any) {
	r.names, r.values = append(r.names, name), append(r.values, value)
}

func answerRows(items []item) (rows []record) {
	for _, i := range items {
		a, r := i.answer, record{}
		r.add("id", a.ID)
		r.add("question_id", a.Question)
		r.add("question", i.question)
		r.add("object1", a.Object1)
		r.add("object2", a.Object2)
		r.add("aspect", a.Aspect)
		r.add("system", a.System)
		r.add("scenario", a.Scenario)
		r.add("repeat", a.Repeat)
		r.add("status", string(a.Status))
		r.add("text", a.Text)
		rows = append(rows, r)
	}
	return rows
}

// scoreRows has one row for each verdict and criterion; a verdict without scores has the one row of its
// status.
func scoreRows(items []item, of rubric.Rubric) (rows []record) {
	for _, i := range items {
		for _, v := range i.verdicts {
			for k, c := range of.Criteria {
				var points any
				if p, ok := v.Scores[c.ID]; ok && v.Status == data.Valid {
					points = p
				} else if k > 0 {
					continue
				}
				r := record{}
				r.add("answer_id", v.Answer)
				r.add("system", i.answer.System)
				r.add("judge", v.Judge)
				r.add("repeat", v.Repeat)
				r.add("status", string(v.Status))
				r.add("criterion", c.ID)
				r.add("name", c.Name)
				r.add("points", points)
				rows = append(rows, r)
			}
		}
	}
	return rows
}

func cells(rows []record) func(io.Writer) error {
	return func(w io.Writer) error {
		out := csv.NewWriter(w)
		for i, r := range rows {
			if i == 0 {
				out.Write(r.names)
			}
			line := make([]string, len(r.values))
			for k, v := range r.values {
				switch v := v.(type) {
				case string:
					line[k] = data.GuardCell(v)
				case float64:
					line[k] = table.Shortest(v)
				case int:
					line[k] = strconv.Itoa(v)
				}
			}
			out.Write(line)
		}
		out.Flush()
		return out.Error()
	}
}

func objects(rows []record) func(io.Writer) error {
	return func(w io.Writer) error {
		for _, r := range rows {
			if err := writeObject(w, r); err != nil {
				return err
			}
		}
		return nil
	}
}

// writeObject writes a row as a line of JSON, with the names in their order.
func writeObject(w io.Writer, r record) error {
	text := []byte{'{'}
	for k, v := range r.values {
		value, err := json.Marshal(v)
		if err != nil {
			return err
		}
		text = fmt.Appendf(text, "%q:%s,", r.names[k], value)
	}
	text[len(text)-1] = '}'
	_, err := w.Write(append(text, '\n'))
	return err
}

// card is what datasets.load_dataset(DIR, "answers") and (DIR, "scores") need.
const card = `---
configs:
  - config_name: answers
    data_files: answers.jsonl
    default: true
  - config_name: scores
    data_files: scores.jsonl
---
Answers of a run of compqa, and the points of judges and people for each criterion. A verdict that is
not valid has its status and no points.
`

var notInNames = regexp.MustCompile(`[^A-Za-z0-9.+-]+`)

func fileName(system string) string { return notInNames.ReplaceAllString(system, "-") }
