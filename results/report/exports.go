package report

import (
	"io"
	"slices"
	"strconv"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
)

// streamCSV writes a row for each of n answers or verdicts, with columns of its own between those of its answer, without
// collecting them, because there may be millions. The columns are not those of a struct, because they depend on the rubric.
func streamCSV(w io.Writer, n int, columns []string,
	row func(i int, own []string) (a *dataset.AnswerRow, cells []string, cost *float64, err error)) error {
	t := table.NewCSVWriter(w)
	if err := t.Write(slices.Concat([]string{"id", "question", "object1", "object2", "aspect", "system", "scenario", "repeat"}, columns,
		[]string{"words", "sentences", "cost"})); err != nil {
		return err
	}
	var record, own []string
	for i := range n {
		a, cells, cost, err := row(i, own[:0])
		if err != nil {
			return err
		}
		price, err := table.FigureOf(cost).MarshalCSV()
		if err != nil {
			return err
		}
		own = cells
		record = append(record[:0], a.ID, a.Question, a.Object1, a.Object2, a.Aspect, a.System, a.Scenario, strconv.Itoa(a.Repeat))
		record = append(append(record, own...), strconv.Itoa(a.Words), strconv.Itoa(a.Sentences), price)
		if err := t.Write(record); err != nil {
			return err
		}
	}
	t.Flush()
	return t.Error()
}

// writeAnswers writes one row per answer, without its text.
func writeAnswers(x *dataset.Dataset, w io.Writer) error {
	return streamCSV(w, len(x.Answers), []string{"status"}, func(i int, own []string) (*dataset.AnswerRow, []string, *float64, error) {
		a := &x.Answers[i]
		return a, append(own, string(a.Status)), a.Cost, nil
	})
}

// writeVerdicts writes one row per verdict. repeat is the answer's repeat, as in
// answers.csv; repeated verdicts on one answer follow each other.
func writeVerdicts(x *dataset.Dataset, w io.Writer) error {
	columns := []string{"judge", "status", "total"}
	for _, id := range x.Rubric.IDs() {
		columns = append(columns, "c"+id)
	}
	return streamCSV(w, len(x.Sheets), columns, func(i int, own []string) (*dataset.AnswerRow, []string, *float64, error) {
		s := x.Sheets[i]
		own, err := ScoreCells(s, len(x.Rubric.Criteria), append(own, x.Judges[s.Judge].Name, string(s.Status)))
		return &x.Answers[s.Answer], own, s.Cost, err
	})
}

// ScoreCells appends a sheet's total and scores, empty unless it is valid.
func ScoreCells(s dataset.Sheet, criteria int, record []string) ([]string, error) {
	for i := -1; i < criteria; i++ {
		var points *float64
		switch {
		case s.Status != data.Valid:
		case i < 0:
			points = &s.Total
		default:
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
