package report

import (
	"io"
	"strconv"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
)

// writeAnswers writes one row per answer, without its text. It streams, because there
// may be many.
func writeAnswers(x *dataset.Dataset, w io.Writer) error {
	t := table.NewCSVWriter(w)
	if err := t.Write([]string{"question", "object1", "object2", "aspect", "system", "scenario", "repeat", "status", "words", "sentences", "cost"}); err != nil {
		return err
	}
	record := make([]string, 0, t.Columns)
	for i := range x.Answers {
		a := &x.Answers[i]
		cost, err := table.FigureOf(a.Cost).MarshalCSV()
		if err != nil {
			return err
		}
		record = append(record[:0], a.Question, a.Object1, a.Object2, a.Aspect, a.System, a.Scenario, strconv.Itoa(a.Repeat), string(a.Status), strconv.Itoa(a.Words), strconv.Itoa(a.Sentences), cost)
		if err := t.Write(record); err != nil {
			return err
		}
	}
	t.Flush()
	return t.Error()
}

// writeVerdicts writes one row per verdict. It streams, because there may be millions,
// and uses no struct, because the columns depend on the rubric. repeat is the answer's
// repeat, as in answers.csv; repeated verdicts on one answer follow each other.
func writeVerdicts(x *dataset.Dataset, w io.Writer) error {
	header := []string{"question", "object1", "object2", "aspect", "system", "scenario", "repeat", "judge", "status", "total"}
	for _, id := range x.Rubric.IDs() {
		header = append(header, "c"+id)
	}
	header = append(header, "words", "sentences", "cost")
	t := table.NewCSVWriter(w)
	if err := t.Write(header); err != nil {
		return err
	}
	record := make([]string, 0, len(header))
	for _, s := range x.Sheets {
		a := &x.Answers[s.Answer]
		record = append(record[:0], a.Question, a.Object1, a.Object2, a.Aspect, a.System, a.Scenario, strconv.Itoa(a.Repeat), x.Judges[s.Judge].Name, string(s.Status))
		cells, err := ScoreCells(s, len(x.Rubric.Criteria), record)
		if err != nil {
			return err
		}
		cost, err := table.FigureOf(s.Cost).MarshalCSV()
		if err != nil {
			return err
		}
		if err := t.Write(append(cells, strconv.Itoa(a.Words), strconv.Itoa(a.Sentences), cost)); err != nil {
			return err
		}
	}
	t.Flush()
	return t.Error()
}

// ScoreCells appends a sheet's total and scores, empty unless it is valid.
func ScoreCells(s dataset.Sheet, criteria int, record []string) ([]string, error) {
	if s.Status != data.Valid {
		for range 1 + criteria {
			record = append(record, "")
		}
		return record, nil
	}
	for i := -1; i < criteria; i++ {
		points := &s.Total
		if i >= 0 {
			points = &s.Scores[i]
		}
		cell, err := table.FigureOf(points).MarshalCSV()
		if err != nil {
			return nil, err
		}
		record = append(record, cell)
	}
	return record, nil
}
