package judges

import (
	"cmp"
	_ "embed"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"go.yaml.in/yaml/v4"

	"compqa/data"
	"compqa/rubric"
)

//go:embed examples.yaml
var examplesText []byte

// An Example is an answer to a question, with its scores.
type Example struct {
	Question data.Question `json:"question"`
	Answer   string        `json:"answer"`
	Scores   data.Scores   `json:"scores"`
}

// A level is two examples with about equally many points, on different objects. The second is shown if the first is about the question that
// is being judged. So a judge never sees a scored answer to that question.
type level [2]Example

// exampleFor returns the level's example that is about other objects than q.
func (l level) exampleFor(q data.Question) Example {
	if l[0].Question.Pair() == q.Pair() {
		return l[1]
	}
	return l[0]
}

// builtinExamples returns the built-in examples: two of each level, from few points to many.
var builtinExamples = sync.OnceValue(func() []Example {
	var entries []struct {
		Object1, Object2, Answer string
		Points                   []float64
	}
	if err := yaml.Unmarshal(examplesText, &entries); err != nil {
		panic(fmt.Sprintf("the embedded examples: %v", err))
	}
	examples := make([]Example, len(entries))
	for i, entry := range entries {
		pair := data.PairKey(entry.Object1, entry.Object2)
		question, _ := data.First(data.CQA50(), func(q data.Question) bool { return q.Pair() == pair })
		examples[i] = Example{question, cmp.Or(entry.Answer, data.References()[pair]), data.Scores{}}
		for k, id := range rubric.CQA().IDs() {
			examples[i].Scores[id] = entry.Points[k]
		}
	}
	return examples
})

// ExampleTexts returns the answers in all built-in examples.
func ExampleTexts() []string {
	return data.Each(builtinExamples(), func(e Example) string { return e.Answer })
}

// DefaultExamples, as ModelOptions.Examples, means two examples, as in the paper, or none if the rubric is not the built-in one.
const DefaultExamples = -1

// mostExamples is the maximum number of examples in a prompt.
const mostExamples = 3

// chooseExamples returns the levels to show for n examples: one from the middle, or two or three from both ends (and the middle). A judge
// that sees only good answers, as in the paper, tends to give full marks. people is the result of PeoplesExamples, or nil for the built-in
// examples.
func chooseExamples(r rubric.Rubric, n int, people []Example) ([]level, error) {
	cqa := rubric.CQA()
	builtin := reflect.DeepEqual(r.Criteria, cqa.Criteria) || r.Name == rubric.Release && sameCriteria(r, cqa)
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
	examples := people
	if examples == nil {
		examples = builtinExamples()
	}
	low := level(examples[:2])
	middle := level(examples[2:4])
	high := level(examples[4:])
	return [][]level{nil, {middle}, {low, high}, {low, middle, high}}[n], nil
}

// sameCriteria reports whether two rubrics have the same criteria with the same points, even if the wording differs, as in the authors'
// release. Then scores by one rubric are also scores by the other.
func sameCriteria(a, b rubric.Rubric) bool {
	return slices.EqualFunc(a.Criteria, b.Criteria, func(x, y rubric.Criterion) bool {
		return x.ID == y.ID && x.Name == y.Name && x.Group == y.Group &&
			slices.EqualFunc(x.Levels, y.Levels, func(v, w rubric.Level) bool { return v.Points == w.Points })
	})
}

// FromPeople is the value of examples_from for a judge whose examples are people's score sheets.
const FromPeople = "people"

// longestExample is the maximum length of an example's answer, in words: every prompt has two of them.
const longestExample = 250

// PeoplesExamples chooses six of people's score sheets: two with few, two with usual and two with many points. They are nearest to deciles
// 1, 5 and 9 of the totals, each on other objects, two for each level. Sheets with points between two levels of a criterion, such as means
// of two people, and sheets on long answers are left out. It is an error if the sheets are on fewer than six pairs of objects.
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
		index := decile * (len(sheets) - 1) / 10
		for range 2 {
			nearest := -1
			for i, e := range sheets {
				if !used[e.Question.Pair()] && (nearest < 0 || max(i-index, index-i) < max(nearest-index, index-nearest)) {
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
