package results

import (
	"cmp"
	"slices"
	"strings"

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
	texts := make([]string, len(readAsOne["answers"]))
	query := `SELECT ` + asOne(readAsOne["answers"]...) + `, repeat, words, sentences, ` + free("reason") + ` FROM answers`
	err := r.walk(query, func(found *foundRow) error {
		found.texts(0, texts)
		text := func(i int) string { return r.intern(texts[i]) }
		a := AnswerRow{ID: strings.Clone(texts[0]), Question: text(1), Object1: text(2), Object2: text(3), Aspect: text(4), System: text(5), Scenario: text(6),
			Status: data.Status(text(7)), Reason: r.intern(found.freeText(4)), Repeat: found.whole(1), Size: Size{Words: found.whole(2), Sentences: found.whole(3)}}
		if !planned[Place{a.System, a.Scenario}] {
			return nil
		}
		a.Pair = r.pairKey(a.Object1, a.Object2)
		rows = append(rows, a)
		on.add(texts[8])
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
