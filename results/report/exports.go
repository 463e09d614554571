package report

import (
	"io"
	"math"
	"slices"
	"strconv"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// streamCSV writes n rows about answers, one at a time, because there may be millions. A row has the columns of the answer, then columns
// and points, then the answer's words, sentences and cost. The columns depend on the rubric, so they are not those of a struct.
func streamCSV(w io.Writer, n int, columns []string,
	row func(i int) (a *dataset.AnswerRow, columns []string, points []*float64, cost *float64)) error {
	t := table.NewCSVWriter(w)
	var record []string
	err := t.Write(slices.Concat([]string{"id", "question", "object1", "object2", "aspect", "system", "scenario", "repeat"}, columns,
		[]string{"words", "sentences", "cost"}))
	if err != nil {
		return err
	}
	for i := range n {
		a, columns, points, cost := row(i)
		record = append(record[:0], a.ID, a.Question, a.Object1, a.Object2, a.Aspect, a.System, a.Scenario, strconv.Itoa(a.Repeat))
		record = append(record, columns...)
		for _, value := range points {
			cell, err := stats.FigureOf(value).MarshalCSV()
			if err != nil {
				return err
			}
			record = append(record, cell)
		}
		price, err := stats.FigureOf(cost).MarshalCSV()
		if err != nil {
			return err
		}
		record = append(record, strconv.Itoa(a.Words), strconv.Itoa(a.Sentences), price)
		if err := t.Write(record); err != nil {
			return err
		}
	}
	return t.Flush()
}

// writeAnswers writes a row for each answer, with the object that it chooses, but without its text.
func writeAnswers(x *dataset.Dataset, w io.Writer) error {
	return streamCSV(w, len(x.Answers), []string{"status", "choice"}, func(i int) (*dataset.AnswerRow, []string, []*float64, *float64) {
		a := &x.Answers[i]
		return a, []string{string(a.Status), string(a.Choice())}, nil, a.Cost
	})
}

// writeVerdicts writes a row for each verdict. Points are empty unless the verdict is valid, or a person's partial sheet has them. repeat
// is the repeat of the answer, as in answers.csv; repeated verdicts on an answer are consecutive.
func writeVerdicts(x *dataset.Dataset, w io.Writer) error {
	columns := []string{"judge", "status", "total"}
	for _, id := range x.Rubric.IDs() {
		columns = append(columns, "c"+id)
	}
	points := make([]*float64, 1+len(x.Rubric.Criteria))
	return streamCSV(w, len(x.Sheets), columns, func(i int) (*dataset.AnswerRow, []string, []*float64, *float64) {
		s := &x.Sheets[i]
		clear(points)
		if s.Status == data.Valid {
			points[0] = &s.Total
		}
		for c := range s.Scores {
			if s.Status != data.Partial || !math.IsNaN(s.Scores[c]) { // NaN is a gap in a person's sheet
				points[1+c] = &s.Scores[c]
			}
		}
		var cost *float64
		if s.Paid {
			cost = &s.Cost
		}
		return &x.Answers[s.Item], []string{x.Judges[s.Rater].Name, string(s.Status)}, points, cost
	})
}
