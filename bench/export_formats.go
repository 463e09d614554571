package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
)

var exportFormats = []string{"csv", "hf", "inspect"}

// writeFormat writes a run into a folder, which is made or has to be empty. It returns the names of the files.
func writeFormat(s *store.Store, dir, format string) ([]string, error) {
	r, err := s.Rubric()
	if err != nil {
		return nil, err
	}
	if there, err := os.ReadDir(dir); err == nil && len(there) > 0 {
		return nil, fmt.Errorf("%s is not empty; choose another folder", dir)
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	answers, err := store.Select[answerRow](s, `SELECT r.id, r.question, coalesce(q.question, ''), r.object1, r.object2, r.aspect,
		r.system, r.scenario, r.repeat, r.status, r.text FROM `+store.Planned(store.KindAnswer)+`
		LEFT JOIN questions q ON q.id = r.question ORDER BY r.system, r.scenario, r.id`)
	if err != nil {
		return nil, err
	}
	verdicts := map[string][]data.Verdict{} // by answer
	for _, a := range answers {
		if verdicts[a.ID], err = s.VerdictsOn(a.ID); err != nil {
			return nil, err
		}
	}
	files := map[string]func(io.Writer) error{}
	switch format {
	case "csv":
		files["answers.csv"], files["scores.csv"] = table.CSV(answers), table.CSV(scoreRows(answers, verdicts, r))
	case "hf":
		files["answers.jsonl"], files["scores.jsonl"] = table.Lines(answers), table.Lines(scoreRows(answers, verdicts, r))
		files["README.md"] = table.Text(card)
	case "inspect":
		for n, of := range table.Grouped(answers, func(a answerRow) string { return a.System }) {
			name := fmt.Sprintf("%02d_%s.json", n+1, notInNames.ReplaceAllString(of[0].System, "-"))
			files[name] = func(w io.Writer) error { return inspectLog(w, of, verdicts, r) }
		}
	default:
		return nil, fmt.Errorf("--format is %q; it must be one of %s", format, strings.Join(exportFormats, ", "))
	}
	return slices.Sorted(maps.Keys(files)), table.WriteFiles(dir, files)
}

// An answerRow is a row of answers.csv and answers.jsonl.
type answerRow struct {
	ID         string `csv:"id" json:"id"`
	QuestionID string `csv:"question_id" json:"question_id"`
	Question   string `csv:"question" json:"question"`
	Object1    string `csv:"object1" json:"object1"`
	Object2    string `csv:"object2" json:"object2"`
	Aspect     string `csv:"aspect" json:"aspect"`
	System     string `csv:"system" json:"system"`
	Scenario   string `csv:"scenario" json:"scenario"`
	Repeat     int    `csv:"repeat" json:"repeat"`
	Status     string `csv:"status" json:"status"`
	Text       string `csv:"text" json:"text"`
}

// A scoreRow is a row of scores.csv and scores.jsonl.
type scoreRow struct {
	Answer    string   `csv:"answer_id" json:"answer_id"`
	System    string   `csv:"system" json:"system"`
	Judge     string   `csv:"judge" json:"judge"`
	Repeat    int      `csv:"repeat" json:"repeat"`
	Status    string   `csv:"status" json:"status"`
	Criterion string   `csv:"criterion" json:"criterion"`
	Name      string   `csv:"name" json:"name"`
	Points    *float64 `csv:"points" json:"points"`
}

// scoreRows has one row for each verdict and criterion, with the points of a sheet with gaps that are there; any other verdict
// that is not valid has the one row of its status.
func scoreRows(answers []answerRow, verdicts map[string][]data.Verdict, of rubric.Rubric) (rows []scoreRow) {
	for _, a := range answers {
		for _, v := range verdicts[a.ID] {
			for k, c := range of.Criteria {
				row := scoreRow{v.Answer, a.System, v.Judge, v.Repeat, string(v.Status), c.ID, c.Name, nil}
				p, scored := v.Scores[c.ID]
				switch {
				case scored && (v.Status == data.Valid || v.Status == data.Partial):
					row.Points = &p
				case k > 0 && v.Status != data.Partial:
					continue
				}
				rows = append(rows, row)
			}
		}
	}
	return rows
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

// inspectLog writes the answers of a system as a log of inspect_ai (version 2, JSON). Each judge is a scorer whose value has
// the points of each criterion; a verdict that is not valid has no score, and its status is in the metadata of the sample.
func inspectLog(w io.Writer, answers []answerRow, verdicts map[string][]data.Verdict, r rubric.Rubric) error {
	const when = "1970-01-01T00:00:00+00:00" // the same file from the same record
	type object = map[string]any
	system, samples := answers[0].System, []object(nil)
	epochs := 1
	ids := map[string]bool{}
	for _, a := range answers {
		epochs = max(epochs, a.Repeat)
		id := a.Scenario + "/" + a.QuestionID
		ids[id] = true
		scores, invalid := object{}, object{}
		for _, v := range verdicts[a.ID] {
			if v.Status != data.Valid {
				invalid[v.Judge] = string(v.Status)
				continue
			}
			if _, first := scores[v.Judge]; first {
				continue // a second verdict of the same judge
			}
			value := object{}
			for _, c := range r.Criteria {
				value[c.ID] = v.Scores[c.ID]
			}
			scores[v.Judge] = object{"value": value, "explanation": v.Reason, "metadata": object{"total": v.Total}}
		}
		reply := object{"role": "assistant", "content": a.Text, "source": "generate"}
		samples = append(samples, object{"id": id, "epoch": max(1, a.Repeat), "input": a.Question, "target": "", "scores": scores,
			"messages": []object{{"role": "user", "content": a.Question}, reply},
			"output":   object{"model": system, "choices": []object{{"message": reply, "stop_reason": "stop"}}},
			"metadata": object{"answer": a.ID, "object1": a.Object1, "object2": a.Object2, "aspect": a.Aspect, "scenario": a.Scenario,
				"status": a.Status, "not_valid": invalid}})
	}
	log := object{"version": 2, "status": "success", "samples": samples,
		"eval": object{"run_id": "compqa", "task_id": "compqa", "eval_id": "compqa-" + system, "created": when, "task": "compqa", "model": system,
			"dataset": object{"name": "compqa", "samples": len(ids)}, "config": object{"epochs": epochs}},
		"plan":    object{"name": "plan", "steps": []object{}},
		"results": object{"total_samples": len(samples), "completed_samples": len(samples), "scores": []object{}},
		"stats":   object{"started_at": when, "completed_at": when, "model_usage": object{}}}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(log)
}
