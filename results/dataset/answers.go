package dataset

import (
	"database/sql"

	"compqa/data"
	"compqa/results/store"
)

// An AnswerRow is an answer without its texts.
type AnswerRow struct {
	ID, Question, Pair       string // the pair key is the cluster of every interval
	Object1, Object2, Aspect string
	System, Scenario         string
	Repeat                   int
	Status                   data.Status
	Reason                   string
	store.Size
	Claims  []AnswerClaims
	Summary *Summary       // nil: there is no table, and none is planned
	Asked   *data.Question // of its own record
	Cost    *float64       // in the price list's currency; nil where nothing was paid for
}

// answers reads the planned answers, sorted by id.
func (r *Reader) answers() error {
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
	query := `SELECT id, question, object1, object2, aspect, system, scenario, repeat, status, reason, words, sentences, calls,
		citations IS NOT NULL, coalesce(citations, 0), coalesce(unknown, 0), coalesce(generated, 0), coalesce(choice, ''), coalesce(cited1, 0),
			coalesce(cited2, 0), coalesce(made1, 0), coalesce(made2, 0)
		FROM answers ORDER BY id`
	return r.Each(query, nil, func(rows *sql.Rows) error {
		var a AnswerRow
		var calls string
		var m store.Reading
		var measured bool
		err := rows.Scan(&a.ID, &a.Question, &a.Object1, &a.Object2, &a.Aspect, &a.System, &a.Scenario, &a.Repeat, &a.Status, &a.Reason,
			&a.Words, &a.Sentences, &calls,
			&measured, &m.Citations, &m.Unknown, &m.Generated, &m.Choice, &m.Cited[0], &m.Cited[1], &m.Made[0], &m.Made[1])
		if err != nil || !planned[store.Place{System: a.System, Scenario: a.Scenario}] {
			return err
		}
		for _, text := range []*string{&a.Question, &a.Object1, &a.Object2, &a.Aspect, &a.System, &a.Scenario, &a.Reason} {
			*text = r.intern(*text)
		}
		if m.Choice = data.Favours(r.intern(string(m.Choice))); measured {
			a.Reading = &m
		}
		a.Asked = questions[a.Question]
		a.Pair = r.pairKey(a.Object1, a.Object2)
		r.answerCalls.Add(calls)
		r.answerAt[a.ID] = len(r.Run.Answers)
		r.Run.Answers = append(r.Run.Answers, a)
		return err
	})
}
