package report

import (
	"io"
	"slices"
	"strconv"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
)

// answerColumns are the first columns of answers.csv and verdicts.csv, and answerCells
// their cells.
var answerColumns = []string{"id", "question", "object1", "object2", "aspect", "system", "scenario", "repeat"}

func answerCells(record []string, a *dataset.AnswerRow) []string {
	return append(record, a.ID, a.Question, a.Object1, a.Object2, a.Aspect, a.System, a.Scenario, strconv.Itoa(a.Repeat))
}

// measureCells are the cells of the last columns: words, sentences, cost.
func measureCells(record []string, a *dataset.AnswerRow, cost *float64) ([]string, error) {
	cell, err := table.FigureOf(cost).MarshalCSV()
	return append(record, strconv.Itoa(a.Words), strconv.Itoa(a.Sentences), cell), err
}

// streamCSV writes n rows without collecting them, because there may be millions. The
// columns are not those of a struct, because they depend on the rubric.
func streamCSV(w io.Writer, n int, cells func(i int, record []string) ([]string, error), columns ...string) error {
	t := table.NewCSVWriter(w)
	if err := t.Write(slices.Concat(answerColumns, columns, []string{"words", "sentences", "cost"})); err != nil {
		return err
	}
	record := make([]string, 0, t.Columns)
	for i := range n {
		row, err := cells(i, record)
		if err == nil {
			err = t.Write(row)
		}
		if err != nil {
			return err
		}
	}
	t.Flush()
	return t.Error()
}

// writeAnswers writes one row per answer, without its text.
func writeAnswers(x *dataset.Dataset, w io.Writer) error {
	return streamCSV(w, len(x.Answers), func(i int, record []string) ([]string, error) {
		a := &x.Answers[i]
		return measureCells(append(answerCells(record, a), string(a.Status)), a, a.Cost)
	}, "status")
}

// writeVerdicts writes one row per verdict. repeat is the answer's repeat, as in
// answers.csv; repeated verdicts on one answer follow each other.
func writeVerdicts(x *dataset.Dataset, w io.Writer) error {
	columns := []string{"judge", "status", "total"}
	for _, id := range x.Rubric.IDs() {
		columns = append(columns, "c"+id)
	}
	return streamCSV(w, len(x.Sheets), func(i int, record []string) ([]string, error) {
		s := x.Sheets[i]
		a := &x.Answers[s.Answer]
		record, err := ScoreCells(s, len(x.Rubric.Criteria), append(answerCells(record, a), x.Judges[s.Judge].Name, string(s.Status)))
		if err != nil {
			return nil, err
		}
		return measureCells(record, a, s.Cost)
	}, columns...)
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
