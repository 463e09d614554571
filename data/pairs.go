package data

import (
	"fmt"
	"slices"
	"strings"
)

// A Choice says which of two answers is the better one: the one called a, the
// one called b, or neither.
type Choice string

// The choices, and the label of a pair whose better answer nobody has named.
const (
	ChoiceA   Choice = "a"
	ChoiceB   Choice = "b"
	ChoiceTie Choice = "tie"
	NoChoice  Choice = "none"
)

// The orders in which a pair is shown: a first, or b first.
const (
	OrderAB = "ab"
	OrderBA = "ba"
)

// Orders are both.
var Orders = []string{OrderAB, OrderBA}

// A Pair is two answers to one question. Label is what people prefer; Cluster
// names what the pair was sampled with, usually the question: pairs that share
// it are no independent evidence.
//
// The fields from Object1 on are known where the question is a comparative one
// and where it is known who answered.
type Pair struct {
	ID       string
	Question string
	A, B     string
	Label    Choice
	Cluster  string
	Domain   string

	Object1, Object2, Aspect string
	SystemA, SystemB         string
	Scenario                 string
	AnswerA, AnswerB         string // ids of answers on record
}

// Comparative is the question that both answers of the pair answer, and whether
// it compares two named objects.
func (p Pair) Comparative() (Question, bool) {
	q := Question{ID: PairKey(p.Object1, p.Object2), Object1: p.Object1, Object2: p.Object2, Aspect: p.Aspect, Text: p.Question}
	return q, p.Object1 != "" && p.Object2 != ""
}

// Swapped is the choice when a and b trade places.
func (c Choice) Swapped() Choice {
	switch c {
	case ChoiceA:
		return ChoiceB
	case ChoiceB:
		return ChoiceA
	}
	return c
}

// Decided reports whether a choice names one of the two answers.
func (c Choice) Decided() bool { return c == ChoiceA || c == ChoiceB }

var pairFields = []string{"id", "question", "a", "b", "label", "cluster", "domain",
	"object1", "object2", "aspect", "system_a", "system_b"}

// ReadPairs reads pairs from JSON Lines or CSV: id, question, a, b, and
// optionally label (a, b, tie or none, which it is where absent), cluster (else
// pairs with the same question are one), domain, and for comparative questions
// object1, object2, aspect, system_a, system_b. Two rows with one id, a pair
// without one of its texts and one system against itself are errors.
func ReadPairs(path string) ([]Pair, error) {
	var pairs []Pair
	lines := map[string]int{}
	err := readRows(path, pairFields, func(r row) error {
		p, err := readPair(r)
		if err != nil {
			return err
		}
		if first, ok := lines[p.ID]; ok {
			return r.errorf("the id %q is that of line %d", p.ID, first)
		}
		lines[p.ID] = r.line
		pairs = append(pairs, p)
		return nil
	})
	if err == nil && len(pairs) == 0 {
		err = fmt.Errorf("%s holds no pair", path)
	}
	return pairs, err
}

func readPair(r row) (Pair, error) {
	var p Pair
	var err error
	if p.ID, err = r.need("id"); err != nil {
		return p, err
	}
	if p.Cluster, err = r.key("cluster"); err != nil {
		return p, err
	}
	var label string
	if err := r.texts(map[string]*string{"question": &p.Question, "a": &p.A, "b": &p.B, "label": &label, "domain": &p.Domain,
		"object1": &p.Object1, "object2": &p.Object2, "aspect": &p.Aspect, "system_a": &p.SystemA, "system_b": &p.SystemB}); err != nil {
		return p, err
	}
	for _, f := range [][2]string{{"question", p.Question}, {"a", p.A}, {"b", p.B}} {
		if strings.TrimSpace(f[1]) == "" {
			return p, r.errorf("%s is missing", f[0])
		}
	}
	if p.Label, err = parseLabel(label); err != nil {
		return p, r.errorf("%w", err)
	}
	if (p.Object1 == "") != (p.Object2 == "") {
		return p, r.errorf("object1 and object2 go together")
	}
	if (p.SystemA == "") != (p.SystemB == "") || p.SystemA != "" && p.SystemA == p.SystemB {
		return p, r.errorf("system_a and system_b go together, and are two systems")
	}
	if p.Cluster == "" {
		p.Cluster = QuestionCluster(p.Question)
	}
	return p, nil
}

func parseLabel(s string) (Choice, error) {
	labels := []Choice{ChoiceA, ChoiceB, ChoiceTie, NoChoice}
	switch c := Choice(strings.ToLower(strings.TrimSpace(s))); {
	case c == "":
		return NoChoice, nil
	case slices.Contains(labels, c):
		return c, nil
	}
	return "", fmt.Errorf("label is %q; it is a, b, tie or none", Clip(s))
}

// questionCluster is the cluster of a pair that names none.
func QuestionCluster(question string) string { return foldName(question) }
