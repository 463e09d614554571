package judges

import (
	"embed"
	"fmt"
	"path"
	"reflect"
	"strings"

	"compqa/data"
	"compqa/rubric"
)

//go:embed examples/*.txt
var exampleTexts embed.FS

// An example is an answer to a built-in question with the points that a strict
// annotator gives it, in the order of the built-in rubric's criteria. Without a
// file, the answer is the built-in reference. The points are argued one by one
// in this file's test.
type example struct {
	object1, object2 string
	file             string
	points           [15]float64
}

// A level has two examples. The second is shown where the first is about the
// very question that is being judged: a judge never sees an answer scored to
// the question in hand, let alone the answer in hand.
type exampleLevel struct{ usual, other example }

// The pool: references and weaker variants of them. Each level is about a different
// question, so that a judge learns the scale and not a subject. The low and the
// middle examples have an aspect, the high ones do not.
var (
	lowExamples = exampleLevel{ // 6 points each
		example{"cats", "dogs", "cats-dogs.txt", [15]float64{1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 1, 0, 0, 0}},
		example{"milk", "soda", "milk-soda.txt", [15]float64{1, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 0, 0, 0}},
	}
	middleExamples = exampleLevel{ // 13 points each
		example{"skiing", "snowboarding", "skiing-snowboarding.txt", [15]float64{1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 1, 2, 1, 1, 1}},
		example{"quicksort", "merge sort", "quicksort-merge-sort.txt", [15]float64{1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 2, 0, 1, 1}},
	}
	highExamples = exampleLevel{ // 19 points each
		example{"gas", "charcoal", "", [15]float64{1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1}},
		example{"electric stove", "gas stove", "", [15]float64{1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1}},
	}
)

// DefaultExamples, as ModelOptions.Examples, asks for two example scorings, as
// many as in the paper, or for none where the rubric isn't the built-in one.
const DefaultExamples = -1

// mostExamples is the maximum number of example scorings.
const mostExamples = 3

// chooseExamples are the levels to show for a number of examples. One is from
// the middle and two are from the ends, since a judge that sees good answers
// alone, as the paper's did, takes the maximum for the rule.
func chooseExamples(r rubric.Rubric, n int) ([]exampleLevel, error) {
	builtin := reflect.DeepEqual(r.Criteria, rubric.CQA().Criteria)
	switch {
	case n < 0 && builtin:
		n = 2
	case n < 0:
		n = 0
	case n > mostExamples:
		return nil, fmt.Errorf("examples is %d; there are %d", n, mostExamples)
	case n > 0 && !builtin:
		return nil, fmt.Errorf("examples is %d, but the examples are scored by the built-in rubric %q, and this run has the rubric %q: set "+
			"examples to 0", n, rubric.CQA().Name, r.Name)
	}
	return [][]exampleLevel{
		nil,
		{middleExamples},
		{lowExamples, highExamples},
		{lowExamples, middleExamples, highExamples},
	}[n], nil
}

// unlike is the level's example that is about another question than q.
func (l exampleLevel) unlike(q data.Question) example {
	if l.usual.pair() == q.Pair() {
		return l.other
	}
	return l.usual
}

func (e example) pair() string { return data.PairKey(e.object1, e.object2) }

// question is the built-in question that the example answers.
func (e example) question() data.Question {
	for _, q := range data.CQA50() {
		if q.Pair() == e.pair() {
			return q
		}
	}
	panic("no built-in question about " + e.pair())
}

func (e example) answer() string {
	if e.file == "" {
		return data.References()[e.pair()]
	}
	text, err := exampleTexts.ReadFile(path.Join("examples", e.file))
	if err != nil {
		panic(fmt.Sprintf("the embedded examples: %v", err))
	}
	return strings.TrimSpace(string(text))
}

// ExampleTexts are the answers in all examples that judges are shown.
func ExampleTexts() (texts []string) {
	for _, level := range []exampleLevel{lowExamples, middleExamples, highExamples} {
		texts = append(texts, level.usual.answer(), level.other.answer())
	}
	return texts
}

// scores are the points by criterion.
func (e example) scores() data.Scores {
	scores := data.Scores{}
	for i, id := range rubric.CQA().IDs() {
		scores[id] = e.points[i]
	}
	return scores
}
