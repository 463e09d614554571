package judges

import (
	"cmp"
	"embed"
	"fmt"
	"path"
	"reflect"
	"slices"
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

// An Example is an answer to a question with its points.
type Example struct {
	Question data.Question `json:"question"`
	Answer   string        `json:"answer"`
	Scores   data.Scores   `json:"scores"`
}

// A shownLevel is a level as prompts show it.
type shownLevel struct{ usual, other Example }

// shown is a built-in level.
func (l exampleLevel) shown() shownLevel {
	of := func(e example) Example { return Example{e.question(), e.answer(), e.scores()} }
	return shownLevel{of(l.usual), of(l.other)}
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
// alone, as the paper's did, takes the maximum for the rule. people are the levels that
// PeoplesExamples makes; nil: made-up examples.
func chooseExamples(r rubric.Rubric, n int, people []Example) ([]shownLevel, error) {
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
	low, middle, high := lowExamples.shown(), middleExamples.shown(), highExamples.shown()
	if people != nil {
		low, middle, high = shownLevel{people[0], people[1]}, shownLevel{people[2], people[3]}, shownLevel{people[4], people[5]}
	}
	return [][]shownLevel{nil, {middle}, {low, high}, {low, middle, high}}[n], nil
}

// FromPeople, as examples_from of a judge, takes its examples from people's score sheets.
const FromPeople = "people"

// longestExample is the number of words of the longest answer that is an example: the prompt of every
// call has two of them.
const longestExample = 250

// PeoplesExamples chooses six of people's score sheets: two with few, two with usual and two with many
// points (nearest to the deciles 1, 5 and 9 of the totals), each on other objects. A judge is never
// shown a sheet on the objects that it judges: the second of a level stands in for the first. Sheets
// with points between levels, such as means of two people, and long answers are left out.
func PeoplesExamples(r rubric.Rubric, sheets []Example) ([]Example, error) {
	sheets = slices.DeleteFunc(slices.Clone(sheets), func(e Example) bool {
		words := len(data.Words(e.Answer))
		return words == 0 || words > longestExample || slices.ContainsFunc(r.Criteria, func(c rubric.Criterion) bool {
			points, scored := e.Scores[c.ID]
			return !scored || !slices.ContainsFunc(c.Levels, func(l rubric.Level) bool { return l.Points == points })
		})
	})
	slices.SortFunc(sheets, func(a, b Example) int {
		return cmp.Or(cmp.Compare(r.Total(a.Scores), r.Total(b.Scores)), cmp.Compare(a.Question.Pair(), b.Question.Pair()),
			cmp.Compare(a.Answer, b.Answer))
	})
	var chosen []Example
	used := map[string]bool{}
	for _, decile := range []int{1, 5, 9} {
		at := decile * (len(sheets) - 1) / 10
		for range 2 {
			nearest := -1
			for i, e := range sheets {
				if !used[e.Question.Pair()] && (nearest < 0 || max(i-at, at-i) < max(nearest-at, at-nearest)) {
					nearest = i
				}
			}
			if nearest < 0 {
				return nil, fmt.Errorf("people's score sheets with whole points on answers of at most %d words are on %s; "+
					"examples need six", longestExample, data.Plural(len(used), "pair of objects", "pairs of objects"))
			}
			used[sheets[nearest].Question.Pair()] = true
			chosen = append(chosen, sheets[nearest])
		}
	}
	return chosen, nil
}

// unlike is the level's example that is about other objects than q.
func (l shownLevel) unlike(q data.Question) Example {
	if l.usual.Question.Pair() == q.Pair() {
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
