package results

import (
	"cmp"
	"database/sql"
	"slices"

	"compqa/data"
)

// An AnswerRow is an answer without its texts.
type AnswerRow struct {
	ID, Question, Pair       string // the pair key is the cluster of every interval
	Object1, Object2, Aspect string
	System, Scenario         string
	Repeat                   int
	Status                   data.Status
	Reason                   string
	Size
	Cost *float64 // in the price list's currency; nil where nothing was paid for
}

// answers reads the answers as they lie in the record, which is faster than in
// order, and sorts them.
func (r *reader) answers() error {
	planned, all := map[Place]bool{}, 0
	for _, c := range r.run.Plan {
		if c.Kind == KindAnswer && c.Judge == "" {
			planned[Place{c.System, c.Scenario}] = true
			all += c.Planned
		}
	}
	rows, on := make([]AnswerRow, 0, all), rowCalls{}
	var a AnswerRow
	var calls sql.RawBytes
	into := []any{&a.ID, &a.Question, &a.Object1, &a.Object2, &a.Aspect, &a.System, &a.Scenario, &a.Repeat, &a.Status, &a.Reason, &a.Words, &a.Sentences, &calls}
	err := r.each(`SELECT id, question, object1, object2, aspect, system, scenario, repeat, status, reason, words, sentences, calls FROM answers`, nil, func(found *sql.Rows) error {
		if err := found.Scan(into...); err != nil {
			return err
		}
		if !planned[Place{a.System, a.Scenario}] {
			return nil
		}
		a.Pair = r.pairKey(a.Object1, a.Object2)
		for _, s := range []*string{&a.Question, &a.Object1, &a.Object2, &a.Aspect, &a.System, &a.Scenario, &a.Reason} {
			*s = r.intern(*s)
		}
		a.Status = data.Status(r.intern(string(a.Status)))
		rows = append(rows, a)
		on.add(calls)
		return nil
	})
	if err != nil {
		return err
	}
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, k int) int { return cmp.Compare(rows[i].ID, rows[k].ID) })
	r.run.Answers, r.answerAt = make([]AnswerRow, len(rows)), make(map[string]int, len(rows))
	for to, from := range order {
		r.run.Answers[to] = rows[from]
		r.answerAt[rows[from].ID] = to
	}
	r.answerCalls = on.ordered(order)
	return nil
}
