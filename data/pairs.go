package data

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The orders in which a pair is shown: answer a first, or answer b first.
const (
	OrderAB = "ab"
	OrderBA = "ba"
)

// Orders lists both orders.
var Orders = []string{OrderAB, OrderBA}

// A Pair is two answers to one question. Label is people's preference. Cluster is the unit of sampling, usually the question: pairs of one
// cluster are not independent. If pairs were made from several candidates for a question, each with the best one, Item groups them: the
// item counts as right if all of its pairs are.
//
// The fields from Object1 on are empty if the question does not compare two objects, or the systems are unknown.
type Pair struct {
	ID       string
	Question string
	A, B     string
	Label    Choice
	Cluster  string
	Domain   string
	Item     string // "" if the pair is an item of its own

	Object1, Object2, Aspect string
	SystemA, SystemB         string
	Scenario                 string
	AnswerA, AnswerB         string // IDs of recorded answers
}

// Comparative returns the pair's question, and whether it compares two named objects.
func (p Pair) Comparative() (Question, bool) {
	q := Question{ID: PairKey(p.Object1, p.Object2), Object1: p.Object1, Object2: p.Object2, Aspect: p.Aspect, Text: p.Question}
	return q, p.Object1 != "" && p.Object2 != ""
}

// PairFields are the fields of this project's own files of pairs.
var PairFields = []string{"id", "question", "a", "b", "label", "cluster", "domain", "item",
	"object1", "object2", "aspect", "system_a", "system_b"}

// ReadPairs reads pairs from JSON Lines or CSV. Required are id, question, a and b, of which a and b may be empty. Optional are label (a,
// b, tie or none, the default), cluster (default: the question), domain, item, and for comparative questions object1, object2, aspect,
// system_a and system_b. A duplicate id, a missing field, and a system compared with itself are errors.
func ReadPairs(path string) ([]Pair, error) {
	return readRecords(path, PairFields, "pairs", func(r *row) (Pair, []string) {
		p := Pair{ID: r.need("id"), Cluster: r.key("cluster"), Question: r.needText("question"), A: r.content("a"), B: r.content("b"),
			Domain: r.text("domain"), Item: r.text("item"),
			Object1: r.text("object1"), Object2: r.text("object2"), Aspect: r.text("aspect"), SystemA: r.key("system_a"), SystemB: r.key("system_b")}
		p.Label = Choice(cmp.Or(strings.ToLower(strings.TrimSpace(r.text("label"))), string(NoChoice)))
		if !slices.Contains([]Choice{ChoiceA, ChoiceB, ChoiceTie, NoChoice}, p.Label) {
			r.fail("label is %q; it must be a, b, tie or none", Clip(r.text("label")))
		}
		if (p.Object1 == "") != (p.Object2 == "") {
			r.fail("object1 and object2 must both be set, or neither")
		}
		if (p.SystemA == "") != (p.SystemB == "") || p.SystemA != "" && p.SystemA == p.SystemB {
			r.fail("system_a and system_b must be two different systems, or both empty")
		}
		if p.Cluster == "" {
			p.Cluster = QuestionCluster(p.Question)
		}
		return p, []string{fmt.Sprintf("id %q", p.ID)}
	})
}

// QuestionCluster returns the default cluster of a pair: its question, folded for comparison.
func QuestionCluster(question string) string { return foldName(question) }

// A PreferenceSet is a published set of pairs and the preferences that people and judges gave on them.
type PreferenceSet struct {
	Name   string
	Source string // description of its source, with notes of what was left out
	Pairs  []Pair
	Given  []Preference
	Same   map[string]bool // ids of pairs of identical answers, which were left out
}
