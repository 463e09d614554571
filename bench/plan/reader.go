package plan

import (
	"sync"

	"compqa/bench/config"
	"compqa/data"
	"compqa/judges/faithful"
	"compqa/judges/text"
	"compqa/judges/text/lexical"
	"compqa/results/store"
)

// A Reader reads what the reports need of answers. Its zero value is ready.
type Reader struct {
	NoClaims  bool     // leave the claims out
	arguments sync.Map // *faithful.Arguments by question, so that they are read once
}

// SizeOf returns the measurements of an answer that the reports need: the length of the comparison without its list of
// sources, its citations and its choice, and the labels of its claims by the arguments of the question. The objects are
// those of the answer, because a recorded choice refers to their order.
func (r *Reader) SizeOf(q data.Question, a data.Answer) store.Size {
	question := q
	question.Object1, question.Object2 = a.Object1, a.Object2
	read := text.Analyse(question, a.Text)
	f := read.Counts()
	unknown := f.CitationsOutOfRange
	if a.Table != nil {
		unknown = 0 // it cites its own sources, which may not be the question's arguments
	}
	size := store.Size{Words: f.Words, Sentences: f.Sentences, Reading: store.Reading{
		Citations: f.Citations, Unknown: unknown, Generated: f.Generated, Favours: f.Choice.Favours(),
		Cited1: f.CitedFirst, Cited2: f.CitedSecond, Made1: f.GeneratedFirst, Made2: f.GeneratedSecond,
	}}
	if a.Status != data.Valid || len(q.Arguments) == 0 || r.NoClaims {
		return size
	}
	if reason := lexical.NotEnglish(q, a.Text); reason != "" {
		size.Labels = []store.Labels{{Judge: faithful.Name, Kind: faithful.Kind, Head: store.Head{Status: data.Skipped, Reason: reason}}}
		return size
	}
	if q.Object1 != a.Object1 {
		read = text.Analyse(q, a.Text) // the arguments refer to the question's order
	}
	arguments, known := r.arguments.Load(q.ID)
	if !known {
		arguments, _ = r.arguments.LoadOrStore(q.ID, faithful.ReadArguments(q))
	}
	claims := arguments.(*faithful.Arguments).Label(read)
	for i := range claims.Claims {
		claims.Claims[i].Text = "" // it is in the answer
	}
	size.Labels = []store.Labels{{Judge: faithful.Name, Kind: faithful.Kind, Head: store.Head{Status: data.Valid},
		Labels: string(config.Encoded(claims))}}
	return size
}
