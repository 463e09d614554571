package dataset

import (
	"compqa/data"
	"compqa/results/store"
)

// An AnswerRow is an answer without its texts.
type AnswerRow struct {
	ID, Question             string
	Object1, Object2, Aspect string
	System, Scenario         string
	Repeat                   int
	Status                   data.Status
	Reason                   string
	store.Size
	Pair    string         `db:"-"` // the pair key is the cluster of every interval
	Claims  []AnswerClaims `db:"-"`
	Summary *Summary       `db:"-"` // nil: there is no table, and none is planned
	Asked   *data.Question `db:"-"` // of its own record
	Cost    *float64       `db:"-"` // in the price list's currency; nil where nothing was paid for
}

// answers reads the planned answers, sorted by id.
func (r *reader) answers() error {
	planned, all := map[store.Place]bool{}, 0
	for _, c := range r.Run.Plan {
		if c.Kind == store.KindAnswer && c.Judge == "" {
			planned[store.Place{System: c.System, Scenario: c.Scenario}] = true
			all += c.Planned
		}
	}
	questions := make(map[string]*data.Question, len(r.Run.Questions))
	for i, q := range r.Run.Questions {
		questions[q.ID] = &r.Run.Questions[i]
	}
	r.Run.Answers, r.answerAt = make([]AnswerRow, 0, all), make(map[string]int, all)
	type row struct {
		AnswerRow
		Calls string
	}
	return store.Each(r.Store, `FROM answers ORDER BY id`, nil, func(a row) error {
		if !planned[store.Place{System: a.System, Scenario: a.Scenario}] {
			return nil
		}
		for _, text := range []*string{&a.Question, &a.Object1, &a.Object2, &a.Aspect, &a.System, &a.Scenario, &a.Reason} {
			*text = r.intern(*text)
		}
		a.Choice = data.Favours(r.intern(string(a.Choice)))
		a.Asked = questions[a.Question]
		a.Pair = r.intern(data.PairKey(a.Object1, a.Object2))
		r.answerCalls.Add(a.Calls)
		r.answerAt[a.ID] = len(r.Run.Answers)
		r.Run.Answers = append(r.Run.Answers, a.AnswerRow)
		return nil
	})
}
