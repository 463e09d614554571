// Package data defines questions, answers, verdicts, pairs, preferences and annotations, with readers of questions, pairs and annotations,
// and contains the built-in question set. Package data/sources reads answers, verdicts and preferences, in every format.
//
// Two questions are the same if they have the same two objects, in any order and case, and the same aspect. All questions
// of a pair of objects are one cluster, by PairKey: every split and interval in the project uses it.
package data

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A Question asks which of two objects is better, in general or in one aspect. A question without objects consists of its text alone. The
// default ID is the pair key, with the aspect if a set has several questions about the pair.
type Question struct {
	ID        string     `json:"id,omitempty"`
	Object1   string     `json:"object1"`
	Object2   string     `json:"object2"`
	Aspect    string     `json:"aspect"`
	Text      string     `json:"question" db:"question"`
	Arguments []Argument `json:"arguments"`
}

// Favours says which object an argument supports.
type Favours string

// An argument supports the first object, the second, or neither.
const (
	Object1 Favours = "object1"
	Object2 Favours = "object2"
	Neither Favours = "none"
)

// Side returns 1 for the first object, -1 for the second, and 0 for neither.
func (f Favours) Side() int {
	switch f {
	case Object1:
		return 1
	case Object2:
		return -1
	}
	return 0
}

// An Argument is one self-contained statement about the objects of a question. Relevance is people's rating of it, on the scale of its
// source; nil if unknown.
type Argument struct {
	Text      string   `json:"text"`
	Favours   Favours  `json:"favours,omitempty"`
	Aspect    string   `json:"aspect,omitempty"`
	Relevance *float64 `json:"relevance,omitempty"`
}

// NoScenario is the scenario of an answer that no scenario of this project produced.
const NoScenario = "-"

// An Answer is a system's answer to a question in a scenario. Status is Valid, or says why Text is missing. Reasoning is separate from Text
// and is never judged. Repeat counts from 1.
type Answer struct {
	ID        string         `json:"id"`
	Question  string         `json:"question"` // Question.ID
	Object1   string         `json:"object1"`
	Object2   string         `json:"object2"`
	Aspect    string         `json:"aspect"` // as in the answer's source; sources may differ for the same pair
	System    string         `json:"system"`
	Scenario  string         `json:"scenario"`
	Repeat    int            `json:"repeat"`
	Status    Status         `json:"status"`
	Text      string         `json:"text"`
	Reasoning string         `json:"reasoning,omitempty"`
	Reason    string         `json:"reason,omitempty"`
	Table     *ContrastTable `json:"table,omitempty" db:"summary"` // the table from which Text is rendered; nil if there is none
}

// AnswerID returns the default id of an answer.
func AnswerID(system, scenario, question string, repeat int) string {
	return system + "/" + scenario + "/" + question + "/" + strconv.Itoa(repeat)
}

// Scores maps a criterion's id to points. Its JSON lists the criteria in numeric order: 1, 2, … 15, not 1, 10, 11.
type Scores map[string]float64

// MarshalJSON writes numeric ids first, by value, then other ids in alphabetical order.
func (s Scores) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("null"), nil
	}
	text := append(make([]byte, 0, 16*len(s)+2), '{')
	for i, id := range s.ids() {
		if i > 0 {
			text = append(text, ',')
		}
		points := s[id]
		if math.IsNaN(points) || math.IsInf(points, 0) {
			return nil, fmt.Errorf("the points on %q are %v; JSON has no such number", id, points)
		}
		text = appendPoints(append(appendText(text, id), ':'), points)
	}
	return append(text, '}'), nil
}

// ids returns the criteria: numeric ids first, by value, then other ids in alphabetical order.
func (s Scores) ids() []string {
	ids := make([]string, 0, len(s))
	for n := 1; n <= len(s); n++ {
		if _, there := s[strconv.Itoa(n)]; there {
			ids = append(ids, strconv.Itoa(n))
		}
	}
	if len(ids) == len(s) { // the usual case: 1, 2, 3 …
		return ids
	}
	return slices.SortedFunc(maps.Keys(s), func(a, b string) int {
		first, errA := strconv.Atoi(a)
		second, errB := strconv.Atoi(b)
		switch {
		case errA == nil && errB != nil:
			return -1
		case errA != nil && errB == nil:
			return 1
		case errA != nil:
			return strings.Compare(a, b)
		}
		return cmp.Or(cmp.Compare(first, second), strings.Compare(a, b))
	})
}

// UnmarshalJSON reads an object from criteria to points. The result is that of encoding/json, but it is faster if all values are plain
// numbers.
func (s *Scores) UnmarshalJSON(text []byte) error {
	read, plain := plainScores(string(text))
	switch {
	case !plain:
		return json.Unmarshal(text, (*map[string]float64)(s))
	case *s == nil:
		*s = read
	default:
		maps.Copy(*s, read)
	}
	return nil
}

// A Verdict has one judge's scores for one answer. Scores and Total are set if Status is Valid. An invalid verdict keeps the judge's text
// in Raw, and the readable scores in Scores. Repeat counts from 1.
type Verdict struct {
	Answer     string   `json:"id"` // Answer.ID
	Judge      string   `json:"judge"`
	Status     Status   `json:"status"`
	Scores     Scores   `json:"scores,omitempty"`
	Total      *float64 `json:"total,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	Raw        string   `json:"raw,omitempty"`
	Repeat     int      `json:"repeat,omitempty"`
	Provenance string   `json:"origin,omitempty" db:"-"` // of a person's value; not recorded, since a record has only people's own values
}

// What the score of a changed answer should do.
const (
	Falls  = "fall"     // the changed answer is worse
	NoRise = "not rise" // the changed answer is not better
	Stays  = "stay"     // the changed answer says the same
)

// PartMark begins each part of a Verdict's Raw if the judge was asked about parts of the rubric one by one. After it come the ids of the
// part's criteria, a line break, and the reply.
const PartMark = "\fcriteria "

// The origins of a value under a person's name. Only OriginPerson counts as the person's own value.
const (
	OriginPerson   = "person"
	OriginAccepted = "accepted" // a model's suggestion that a person accepted
	OriginModel    = "model"
)

// CheckOrigin returns an error if the judge is a person and the value does not come from that person. An empty origin is accepted.
func CheckOrigin(judge, origin string) error {
	if !IsHuman(judge) || origin == "" || origin == OriginPerson {
		return nil
	}
	return fmt.Errorf("the origin of a value of %s is %s; what people did not give themselves is not recorded as theirs: leave it out, or "+
		"give it the name of the model", judge, origin)
}

// Human is the judge name for the mean of human scores. Single annotators are "human:1", "human:2" and so on.
const Human = "human"

// ReleaseRows names the human scores in the CompQA authors' release as training data of a judge.
const ReleaseRows = "human-rows-of-release"

// IsHuman reports whether a judge's name says that its verdicts are human scores.
func IsHuman(judge string) bool {
	return strings.HasPrefix(judge, Human)
}

// A Preference is one judge's choice between two answers, shown in one order.
type Preference struct {
	ID         string `json:"id"`
	Judge      string `json:"judge"`
	Method     string `json:"method"`
	Order      string `json:"order"` // "ab" or "ba"
	Status     Status `json:"status"`
	Choice     string `json:"choice"`                    // "a", "b" or "tie"
	Strength   string `json:"strength,omitempty" db:"-"` // how much better the chosen answer is: slightly or clearly; recorded in Detail
	Rationale  string `json:"rationale"`
	Reason     string `json:"reason,omitempty"` // why the choice is missing
	Provenance string `json:"origin,omitempty" db:"-"`
}

// PairKey returns a key for two objects. The names are trimmed, without invisible characters, case-folded, in Unicode's composed form (NFC)
// and in alphabetical order, so that their order does not matter.
func PairKey(object1, object2 string) string {
	a := foldName(object1)
	b := foldName(object2)
	if b < a {
		a, b = b, a
	}
	return a + " | " + b
}

// SameName reports whether two names of objects are equal apart from case, spacing and Unicode form.
func SameName(a, b string) bool { return foldName(a) == foldName(b) }

// foldName returns a name of an object for comparison: see PairKey.
func foldName(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(withoutInvisible(norm.NFC.String(s))), " "))
}

// HasObjects reports whether a question is about two objects.
func (q Question) HasObjects() bool { return q.Object1 != "" }

// Pair returns the cluster of the question: its pair key, or its id if it has no objects.
func (q Question) Pair() string { return ClusterOf(q.Object1, q.Object2, q.ID) }

// Pair returns the cluster of the answer's question.
func (a Answer) Pair() string { return ClusterOf(a.Object1, a.Object2, a.Question) }

// ClusterOf returns the cluster of a question, by its objects or, without them, its id.
func ClusterOf(object1, object2, id string) string {
	if object1 == "" {
		return id
	}
	return PairKey(object1, object2)
}

// InShort describes a question in a few words: its objects and the aspect, or its text if it has no objects.
func InShort(object1, object2, aspect, text string) string {
	switch {
	case object1 == "":
		return Clip(text)
	case aspect != "":
		return object1 + " or " + object2 + " (" + aspect + ")"
	}
	return object1 + " or " + object2
}

// A SystemBias is the mean difference between a judge and people on the answers of one system, in points. The judge was fitted without the
// answers of this system.
type SystemBias struct {
	System string  `csv:"system" json:"system"`
	N      int     `csv:"n" json:"n"` // number of answers
	Bias   float64 `csv:"bias" json:"bias"`
	SE     float64 `csv:"se" json:"se"` // standard error, clustered by question
}
