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
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"compqa/data"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
)

var exportFormats = []string{"csv", "hf", "inspect", "parquet"}

// writeFormat writes a run into a folder in one of exportFormats. The folder must be empty or not exist. It returns the names of the files.
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
	systems, err := store.Select[string](s, `SELECT DISTINCT system FROM plan WHERE kind = 'answer' AND active ORDER BY system`)
	if err != nil {
		return nil, err
	}
	x := exporting{s, r, systems}
	files := map[string]func(io.Writer) error{}
	switch format {
	case "csv":
		files["answers.csv"] = x.answersCSV
		files["scores.csv"] = x.scoresCSV
	case "hf":
		files["answers.jsonl"] = func(w io.Writer) error {
			return x.eachAnswer(func(a answerRow) error { return table.WriteLine(w, a) })
		}
		files["scores.jsonl"] = func(w io.Writer) error {
			return x.eachScore(func(s scoreRow) error { return table.WriteLine(w, s) })
		}
		files["README.md"] = table.Text(card)
	case "parquet":
		files["answers.parquet"] = func(w io.Writer) error { return writeParquet(w, x.eachAnswer) }
		files["scores.parquet"] = func(w io.Writer) error { return writeParquet(w, x.eachScore) }
	case "inspect":
		n := 0
		for _, system := range systems {
			answers, err := x.answersOf(system)
			if err != nil {
				return nil, err
			}
			if len(answers) == 0 {
				continue
			}
			n++
			files[fmt.Sprintf("%02d_%s.json", n, notInNames.ReplaceAllString(system, "-"))] = func(w io.Writer) error {
				return x.inspectLog(w, system)
			}
		}
	default:
		return nil, fmt.Errorf("--format is %q; it must be one of %s", format, strings.Join(exportFormats, ", "))
	}
	write := func(dir string) error { return table.WriteFiles(dir, files) }
	return slices.Sorted(maps.Keys(files)), store.InFolder(dir, store.Output{Command: "export"}, write)
}

// An exporting reads a record system by system, so that only one system's answers are in memory at a time.
type exporting struct {
	*store.Store
	rubric  rubric.Rubric
	systems []string
}

func (x exporting) answersOf(system string) ([]answerRow, error) {
	return store.Select[answerRow](x.Store, `SELECT r.id, r.question, coalesce(q.question, ''), r.object1, r.object2, r.aspect,
		r.system, r.scenario, r.repeat, r.status, r.text FROM `+store.Planned(store.KindAnswer)+`
		LEFT JOIN questions q ON q.id = r.question WHERE r.system = ? ORDER BY r.scenario, r.id`, system)
}

func (x exporting) eachAnswer(do func(answerRow) error) error {
	for _, system := range x.systems {
		answers, err := x.answersOf(system)
		if err != nil {
			return err
		}
		for _, a := range answers {
			if err := do(a); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x exporting) answersCSV(w io.Writer) error {
	rows := table.NewCSVWriter(w)
	rows.Write(strings.Split("id question_id question object1 object2 aspect system scenario repeat status text", " ")) // see rows.Flush
	err := x.eachAnswer(func(a answerRow) error {
		return rows.Write([]string{a.ID, a.QuestionID, a.Question, a.Object1, a.Object2, a.Aspect, a.System, a.Scenario,
			strconv.Itoa(a.Repeat), a.Status, a.Text})
	})
	if err != nil {
		return err
	}
	return rows.Flush()
}

// parquetGroup is the largest number of rows in a group. The library keeps a group in memory.
const parquetGroup = 10_000

// writeParquet writes all rows as Parquet. The columns are the fields of the row's JSON. The same rows give the same bytes.
func writeParquet[Row any](w io.Writer, each func(func(Row) error) error) error {
	rows := parquet.NewGenericWriter[Row](w, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(parquetGroup))
	err := each(func(row Row) error {
		_, err := rows.Write([]Row{row})
		return err
	})
	if err != nil {
		return err
	}
	return rows.Close()
}

// An answerRow is a row of answers.csv, answers.jsonl and answers.parquet.
type answerRow struct {
	ID         string `json:"id" parquet:"id"`
	QuestionID string `json:"question_id" parquet:"question_id"`
	Question   string `json:"question" parquet:"question"`
	Object1    string `json:"object1" parquet:"object1"`
	Object2    string `json:"object2" parquet:"object2"`
	Aspect     string `json:"aspect" parquet:"aspect"`
	System     string `json:"system" parquet:"system"`
	Scenario   string `json:"scenario" parquet:"scenario"`
	Repeat     int    `json:"repeat" parquet:"repeat"`
	Status     string `json:"status" parquet:"status"`
	Text       string `json:"text" parquet:"text"`
}

// A scoreRow is a row of scores.csv, scores.jsonl and scores.parquet.
type scoreRow struct {
	Answer    string   `json:"answer_id" parquet:"answer_id"`
	System    string   `json:"system" parquet:"system"`
	Judge     string   `json:"judge" parquet:"judge"`
	Repeat    int      `json:"repeat" parquet:"repeat"`
	Status    string   `json:"status" parquet:"status"`
	Criterion string   `json:"criterion" parquet:"criterion"`
	Name      string   `json:"name" parquet:"name"`
	Points    *float64 `json:"points" parquet:"points,optional"`
}

// eachScore calls do with the rows of the verdicts, in this way. A valid verdict has one row for each criterion, with points. A partial
// verdict has the same rows, without points where they are missing. Any other verdict has one row with its status and no points.
func (x exporting) eachScore(do func(scoreRow) error) error {
	for _, system := range x.systems {
		err := x.EachVerdictOn(system, true, func(v data.Verdict) error {
			row := scoreRow{Answer: v.Answer, System: system, Judge: v.Judge, Repeat: v.Repeat, Status: string(v.Status)}
			for k, c := range x.rubric.Criteria {
				row.Criterion = c.ID
				row.Name = c.Name
				row.Points = nil
				p, scored := v.Scores[c.ID]
				switch {
				case scored && (v.Status == data.Valid || v.Status == data.Partial):
					row.Points = &p
				case k > 0 && v.Status != data.Partial:
					continue
				}
				if err := do(row); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (x exporting) scoresCSV(w io.Writer) error {
	rows := table.NewCSVWriter(w)
	rows.Write(strings.Split("answer_id system judge repeat status criterion name points", " ")) // see rows.Flush
	err := x.eachScore(func(s scoreRow) error {
		points := ""
		if s.Points != nil {
			points = strconv.FormatFloat(*s.Points, 'f', -1, 64)
		}
		return rows.Write([]string{s.Answer, s.System, s.Judge, strconv.Itoa(s.Repeat), s.Status, s.Criterion, s.Name, points})
	})
	if err != nil {
		return err
	}
	return rows.Flush()
}

// card is the dataset card, with which datasets.load_dataset(DIR, "answers") and (DIR, "scores") find the files.
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

// inspectLog writes the answers of a system as a log of inspect_ai (version 2, JSON). It writes the samples one at a time, because they may
// not fit into memory.
func (x exporting) inspectLog(w io.Writer, system string) error {
	const when = "1970-01-01T00:00:00+00:00" // a fixed time, so that the same record gives the same file
	answers, err := x.answersOf(system)
	if err != nil {
		return err
	}
	epochs := 1
	ids := map[string]bool{}
	for _, a := range answers {
		epochs = max(epochs, a.Repeat)
		ids[a.sampleID()] = true
	}
	log, err := inspectJSON(object{"version": 2, "status": "success", "samples": []object{},
		"eval": object{"run_id": "compqa", "task_id": "compqa", "eval_id": "compqa-" + system, "created": when, "task": "compqa",
			"model": system, "dataset": object{"name": "compqa", "samples": len(ids)}, "config": object{"epochs": epochs}},
		"plan":    object{"name": "plan", "steps": []object{}},
		"results": object{"total_samples": len(answers), "completed_samples": len(answers), "scores": []object{}},
		"stats":   object{"started_at": when, "completed_at": when, "model_usage": object{}}})
	if err != nil {
		return err
	}
	const samples = `"samples":[` // this cannot be within a string, because quotes are escaped there
	before, after, _ := strings.Cut(log, samples)
	if _, err := io.WriteString(w, before+samples); err != nil {
		return err
	}
	written := 0
	verdicts := []data.Verdict{}
	write := func() error { // writes the next sample
		text, err := inspectJSON(x.sample(answers[written], verdicts))
		written++
		if written < len(answers) {
			text += ","
		}
		verdicts = verdicts[:0]
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		return err
	}
	places := map[string]int{}
	for i, a := range answers {
		places[a.ID] = i
	}
	if err := x.EachVerdictOn(system, false, func(v data.Verdict) error { // verdicts come in the order of the answers
		index, planned := places[v.Answer]
		for planned && written < index {
			if err := write(); err != nil {
				return err
			}
		}
		if planned {
			verdicts = append(verdicts, v)
		}
		return nil
	}); err != nil {
		return err
	}
	for written < len(answers) {
		if err := write(); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, after+"\n")
	return err
}

type object = map[string]any

func inspectJSON(v object) (string, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func (a answerRow) sampleID() string { return a.Scenario + "/" + a.QuestionID }

// sample returns an answer with its verdicts as a sample of inspect_ai. Each judge is a scorer, whose value maps criteria to points. A
// verdict that is not valid has no score; the sample's metadata has its status.
func (x exporting) sample(a answerRow, verdicts []data.Verdict) object {
	scores := object{}
	invalid := object{}
	for _, v := range verdicts {
		if v.Status != data.Valid {
			invalid[v.Judge] = string(v.Status)
			continue
		}
		if _, first := scores[v.Judge]; first {
			continue // keep the first verdict of a judge
		}
		value := object{}
		for _, c := range x.rubric.Criteria {
			value[c.ID] = v.Scores[c.ID]
		}
		scores[v.Judge] = object{"value": value, "explanation": v.Reason, "metadata": object{"total": v.Total}}
	}
	reply := object{"role": "assistant", "content": a.Text, "source": "generate"}
	return object{"id": a.sampleID(), "epoch": max(1, a.Repeat), "input": a.Question, "target": "", "scores": scores,
		"messages": []object{{"role": "user", "content": a.Question}, reply},
		"output":   object{"model": a.System, "choices": []object{{"message": reply, "stop_reason": "stop"}}},
		"metadata": object{"answer": a.ID, "object1": a.Object1, "object2": a.Object2, "aspect": a.Aspect, "scenario": a.Scenario,
			"status": a.Status, "not_valid": invalid}}
}
