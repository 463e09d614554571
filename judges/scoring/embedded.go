package scoring

import (
	"fmt"

	"compqa/data"
	"compqa/rubric"
)

// Kinds of embedded judges.
const (
	KindEmbedded = "embedded"
	KindFloor    = "floor" // it does not read the answer
)

// An Embedded judge is part of the program and needs no model.
type Embedded struct {
	Name, Kind string
	About      string // one line for reports
	// TrainedOn names the human scores that the judge was trained or tuned on. HeldOut: no
	// answer is scored by a model that was trained on its question.
	TrainedOn string
	HeldOut   bool
	// LeftOut is the judge's bias on each system of TrainedOn, fitted without the system. Nil if not known.
	LeftOut func() []data.SystemBias
	// Arguments: the judge compares an answer with the arguments of its question.
	Arguments bool
	// English: its word lists are English, and it skips answers in other languages.
	English bool
	// Version is raised when the judge scores an answer differently: verdicts of an older version are then made again.
	Version int
	New     func(rubric.Rubric) (Judge, error)
	// Explain gives the reason for each score, in the rubric's order. Nil if the scores need no explanation.
	Explain func(data.Question, data.Answer) []Finding
}

// Identity enters the fingerprint of the judge's verdicts.
func (e Embedded) Identity() string { return fmt.Sprintf("embedded %s %d", e.Name, e.Version) }

// A Finding explains the score of one criterion: the points given and the facts measured, in words.
type Finding struct {
	Criterion string
	Points    float64
	Facts     string
}
