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
	Words, Sentences         int
	store.Reading
	Pair    string         `db:"-"` // the pair key is the cluster of every interval
	Claims  []AnswerClaims `db:"-"`
	Summary *Summary       `db:"-"` // nil: the record has no table, and none is planned
	Asked   *data.Question `db:"-"` // of its own record
	Cost    *float64       `db:"-"` // in the price list's currency; nil where nothing was paid for
}

// Choice returns what the answer chooses of its two objects, as it names them; "": it is not valid, or states no choice.
func (a *AnswerRow) Choice() data.Choice { return a.Favours.Choice() }

// Swapped reports whether the answer names the objects of its question in the other order.
func (a *AnswerRow) Swapped() bool {
	return a.Asked != nil && !data.SameName(a.Asked.Object1, a.Object1)
}

// Favoured returns the object, as the answer names them, that most of its question's arguments favour.
func (a *AnswerRow) Favoured() data.Choice {
	switch {
	case a.Asked == nil:
		return ""
	case a.Swapped():
		return a.Asked.Favoured(nil).Swapped()
	}
	return a.Asked.Favoured(nil)
}

// Asks returns the question of an answer in short: its objects in the order of the answer, and the aspect.
func (a *AnswerRow) Asks() string { return data.InShort(a.Object1, a.Object2, a.Aspect, a.text()) }

// Subject returns the pair of objects of an answer, or the text of its question without objects.
func (a *AnswerRow) Subject() string { return data.InShort(a.Object1, a.Object2, "", a.text()) }

// text returns the text of the question of an answer, or its id.
func (a *AnswerRow) text() string {
	if a.Asked == nil {
		return a.Question
	}
	return a.Asked.Text
}

// answers reads the planned answers, sorted by id, with their contrastive tables.
func (r *reader) answers() error {
	questions := make(map[string]*data.Question, len(r.Run.Questions))
	for i, q := range r.Run.Questions {
		questions[q.ID] = &r.Run.Questions[i]
	}
	n, err := r.OnRecord(store.KindAnswer) // the plan may say any number
	if err != nil {
		return err
	}
	r.Run.Answers, r.answerAt = make([]AnswerRow, 0, n), make(map[string]int, n)
	sources, err := r.sources()
	if err != nil {
		return err
	}
	type row struct {
		AnswerRow
		Calls string
		Table *data.ContrastTable `db:"summary"`
	}
	return store.EachOf(r.Store, store.KindAnswer, func(a row) error {
		if !r.planned[store.CellKey{Kind: store.KindAnswer, System: a.System, Scenario: a.Scenario}] {
			return nil
		}
		for _, text := range []*string{&a.Question, &a.Object1, &a.Object2, &a.Aspect, &a.System, &a.Scenario, &a.Reason} {
			*text = r.intern(*text)
		}
		a.Favours = data.Favours(r.intern(string(a.Favours)))
		a.Asked = questions[a.Question]
		a.Pair = r.intern(data.ClusterOf(a.Object1, a.Object2, a.Question))
		if a.Table != nil {
			a.Table.Dropped = nil
			a.Summary = &Summary{Table: a.Table, Sources: sources(&a.AnswerRow)}
		}
		r.answerCalls.Add(len(r.Run.Answers), a.Calls)
		r.answerAt[a.ID] = len(r.Run.Answers)
		r.Run.Answers = append(r.Run.Answers, a.AnswerRow)
		return nil
	})
}
