package data

import "strings"

// A Question asks which of two objects is better, if Aspect is set in that
// respect. ID is its pair key unless the set it came from names another.
type Question struct {
	ID        string     `json:"id,omitempty"`
	Object1   string     `json:"object1"`
	Object2   string     `json:"object2"`
	Aspect    string     `json:"aspect"`
	Text      string     `json:"question"`
	Arguments []Argument `json:"arguments"`
}

// Favours says which object an argument speaks for.
type Favours string

// An argument speaks for the first object, for the second, or for neither.
const (
	Object1 Favours = "object1"
	Object2 Favours = "object2"
	Neither Favours = "none"
)

// An Argument is one self-contained statement that bears on a question.
type Argument struct {
	Text    string  `json:"text"`
	Favours Favours `json:"favours,omitempty"`
	Aspect  string  `json:"aspect,omitempty"`
}

// NoScenario is the scenario of an answer that none of our prompts asked for.
const NoScenario = "-"

// An Answer is what a system said to a question under a scenario. Status is
// Valid, or says why there is no text to judge; Reasoning is kept apart from
// Text and is never judged. Repeat counts from 1.
type Answer struct {
	ID        string
	Question  string // Question.ID
	Object1   string
	Object2   string
	Aspect    string // of the answer's own row: sources differ on the same pair
	System    string
	Scenario  string
	Repeat    int
	Status    Status
	Text      string
	Reasoning string
	Reason    string
}

// Scores maps a criterion's id to points.
type Scores map[string]float64

// A Verdict is one judge's sheet of scores for one answer. Scores and Total
// are set when Status is Valid; an invalid verdict keeps in Raw, and where it
// could be read in Scores, what the judge wrote. Repeat counts from 1.
type Verdict struct {
	Answer string // Answer.ID
	Judge  string
	Repeat int
	Status Status
	Scores Scores
	Total  *float64
	Reason string
	Raw    string
}

// Human is the judge name of people's mean scores; single annotators are
// "human:1", "human:2" and so on.
const Human = "human"

// IsHuman reports whether a judge's name says that its verdicts are people's.
func IsHuman(judge string) bool {
	return strings.HasPrefix(judge, Human)
}

// A Preference is one judge's choice between two answers, shown in one order.
type Preference struct {
	ID        string `json:"id"`
	Judge     string `json:"judge"`
	Method    string `json:"method"`
	Order     string `json:"order"` // "ab" or "ba"
	Status    Status `json:"status"`
	Choice    string `json:"choice"` // "a", "b" or "tie"
	Rationale string `json:"rationale"`
}

// PairKey is the identity of a question: its two objects, trimmed, case-folded
// and in alphabetical order.
func PairKey(object1, object2 string) string {
	a, b := foldName(object1), foldName(object2)
	if b < a {
		a, b = b, a
	}
	return a + " | " + b
}

// SameName reports whether two names of objects are the same but for case and
// spacing.
func SameName(a, b string) bool { return foldName(a) == foldName(b) }

func foldName(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(s), " "))
}

// Pair is the question's pair key.
func (q Question) Pair() string { return PairKey(q.Object1, q.Object2) }

// Pair is the pair key of the answer's question.
func (a Answer) Pair() string { return PairKey(a.Object1, a.Object2) }
