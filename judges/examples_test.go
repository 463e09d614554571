package judges

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/llm/structured"
	"compqa/rubric"
)

// argued has the points of every example with reasons, criterion by criterion, as a strict annotator would give them: first the points,
// then the reason.
var argued = []struct {
	name    string
	example int     // index of the example
	low     float64 // total
	high    float64
	why     [15]string
}{
	{"cats or dogs, by loyalty", 0, 6, 8, [15]string{
		"1 one sentence introduces both pets",
		"0 it wanders from ancestry to walks, cleanliness, obedience and feeding",
		"0 the introduction names no aspect",
		"0 obedience stands in two places, and care lies between",
		"0 nothing has a name",
		"0 nothing that could be called an aspect is described",
		"1 'So a cat is the better choice.'",
		"0 no order: general and specific take turns",
		"0 loyalty is what three of seven statements are about (ancestry, coming when called, twice)",
		"1 walks and barking speak of dogs alone, cleanliness of cats alone",
		"2 nothing is wrong",
		"1 'everybody have' and 'there owner's'",
		"0 coming when called is said twice",
		"0 what is said about loyalty favours dogs, and the answer is a cat",
		"0 9 sentences",
	}},
	{"milk or soda, by taste", 1, 6, 8, [15]string{
		"1 one sentence introduces both drinks",
		"0 it wanders between taste, health, history and packaging",
		"0 the introduction names no aspect",
		"0 flavour stands in two places, with other things between",
		"0 nothing has a name",
		"0 no aspect is described",
		"1 'Best option: Milk'",
		"0 no order",
		"1 taste is what four of seven statements are about; bones, Romans and cans are beside it",
		"1 bones and creaminess speak of milk alone, Romans and cans of soda alone",
		"1 the Romans are made up; the rest is right",
		"1 'more sweet as milk'",
		"0 that soda has the stronger flavour is said twice",
		"0 what is said about taste favours soda, and the answer is milk",
		"0 9 sentences",
	}},
	{"skiing or snowboarding, by learning curve", 2, 12, 14, [15]string{
		"1 three short sentences introduce both sports",
		"1 every statement has its aspect",
		"0 the introduction names no aspect",
		"1 one item for each aspect",
		"1 every item has a name",
		"1 every name is followed by a description",
		"0 the choice comes at the end of a long justification",
		"0 clothing comes first, first days third, balance last",
		"1 clothing, Olympic history and the number of boards say nothing about learning; six of nine do",
		"1 falls speak of snowboarding alone",
		"1 snowboarding came to the Olympics in 1998, not in 2018; the rest is right",
		"2 the language is sound and the text easy to follow",
		"1 no statement says what another one says",
		"1 five of the six relevant statements favour skiing, and so does the end",
		"1 15 sentences",
	}},
	{"quicksort or merge sort, by efficiency", 3, 12, 14, [15]string{
		"1 two short sentences introduce both algorithms",
		"1 every statement has its aspect",
		"0 the introduction names no aspect",
		"1 one item for each matter, and the two about memory are neighbours",
		"0 no item has a name",
		"1 every item describes what it is about",
		"1 'Best option: Quicksort'",
		"1 speed and running time come first, stability and names last",
		"1 stability, history and names say nothing about efficiency; seven of ten do",
		"1 linked lists speak of merge sort alone",
		"1 Newton is made up; the rest is right",
		"2 the language is sound and the text easy to follow",
		"0 memory is compared twice with the same result",
		"1 speed, memory, locality and movement favour quicksort, worst case and linked lists merge sort",
		"1 13 sentences",
	}},
	{"gas or charcoal", 4, 18, 19, [15]string{
		"1 four sentences",
		"1 ten named aspects",
		"1 ease of use, heating time, heat control, flavour",
		"1 one item for each aspect",
		"1 every item has a name",
		"1 every name is followed by a description",
		"1 'Best option: Gas'",
		"1 ease of use and heating come first, searing steaks at 700 degrees last",
		"2 no aspect is asked about, and the items spread over use, taste, cost and environment",
		"2 every item compares both",
		"2 all is right; the footprint is that of Johnson (2009)",
		"2 the language is sound and the text easy to follow",
		"1 no statement says what another one says",
		"1 seven of ten items favour gas",
		"1 15 sentences",
	}},
	{"electric stove or gas stove", 5, 18, 19, [15]string{
		"1 four sentences",
		"1 ten named aspects",
		"1 air quality, safety, energy efficiency, climate impact, heat control",
		"1 one item for each aspect",
		"1 every item has a name",
		"1 every name is followed by a description",
		"1 'Best option: Electric stove'",
		"1 what matters in every kitchen comes first, regions with cheap gas and power cuts last",
		"2 no aspect is asked about, and the items spread over health, cost, use and environment",
		"2 every item compares both",
		"2 all is right; the shares of 75 to 80 and 32 percent are ENERGY STAR's",
		"2 the language is sound and the text easy to follow",
		"1 no statement says what another one says",
		"1 seven of ten items favour the electric stove",
		"1 15 sentences",
	}},
}

func TestExamplesAreArgued(t *testing.T) {
	pairs := map[string]bool{}
	for _, a := range argued {
		e := builtinExamples()[a.example]
		for i, why := range a.why {
			if points, _, _ := strings.Cut(why, " "); points != pointsText(e.Scores[rubric.CQA().Criteria[i].ID]) {
				t.Errorf("%s: criterion %d has %v points, but what is argued is %q", a.name, i+1, e.Scores[rubric.CQA().Criteria[i].ID], why)
			}
		}
		if fault := rubric.CQA().Check(e.Scores, false); fault != nil {
			t.Errorf("%s: %v", a.name, fault)
		}
		if total := rubric.CQA().Total(e.Scores); total < a.low || total > a.high {
			t.Errorf("%s: %v points; %v to %v are wanted", a.name, total, a.low, a.high)
		}
		if e.Answer == "" {
			t.Errorf("%s: no answer", a.name)
		}
		pairs[e.Question.Pair()] = true
	}
	if len(pairs) != 6 {
		t.Errorf("%d questions have examples; 6 are wanted, so that the other one of a level is about another question", len(pairs))
	}
}

// The reasons are about these answers. If an answer changes in the file or in the built-in references, its points must be checked again.
func TestExampleAnswersAreTheArguedOnes(t *testing.T) {
	var b strings.Builder
	for _, a := range argued {
		e := builtinExamples()[a.example]
		fmt.Fprintf(&b, "=== %s: %v\n%s\n", a.name, sheetForm(rubric.CQA(), e.Scores), e.Answer)
	}
	golden(t, "examples.txt", b.String())
}

func TestExampleIsNeverAboutTheQuestion(t *testing.T) {
	for _, q := range data.CQA50() {
		for _, swapped := range []data.Question{q, {Object1: strings.ToUpper(q.Object2), Object2: " " + q.Object1}} {
			m := messages(t, rubric.CQA(), 3, swapped, "An answer.")
			if strings.Contains(m[1].Text(), data.References()[q.Pair()]) {
				t.Errorf("%s / %s: the prompt shows its reference answer", swapped.Object1, swapped.Object2)
			}
			if n := strings.Count(m[1].Text(), "Objects: "+structured.OneLine(q.Object1)+" and "+structured.OneLine(q.Object2)+"\n"); n > 1 {
				t.Errorf("%s / %s: the prompt shows an example about it", swapped.Object1, swapped.Object2)
			}
		}
	}
}

func TestChooseExamples(t *testing.T) {
	examples := builtinExamples()
	low := level(examples[:2])
	middle := level(examples[2:4])
	high := level(examples[4:])
	own := rubric.CQA()
	own.Criteria = own.Criteria[:3]
	release := rubric.CQA()
	reworded := rubric.CQA() // the same criteria in other words
	release.Name, release.Criteria = rubric.Release, slices.Clone(release.Criteria)
	release.Criteria[0].Text, reworded.Criteria = "Other words.", slices.Clone(release.Criteria)
	reworded.Name = "mine"
	reworded.Criteria[0].Text = "Other words."
	for _, c := range []struct {
		rubric rubric.Rubric
		n      int
		want   []level
		fails  bool
	}{
		{rubric.CQA(), DefaultExamples, []level{low, high}, false},
		{rubric.CQA(), 0, nil, false},
		{rubric.CQA(), 1, []level{middle}, false},
		{rubric.CQA(), 2, []level{low, high}, false},
		{rubric.CQA(), 3, []level{low, middle, high}, false},
		{rubric.CQA(), 4, nil, true},
		{release, DefaultExamples, []level{low, high}, false},
		{release, 3, []level{low, middle, high}, false},
		{reworded, 1, nil, true},
		{own, DefaultExamples, nil, false},
		{own, 0, nil, false},
		{own, 1, nil, true},
	} {
		got, err := chooseExamples(c.rubric, c.n, nil)
		if (err != nil) != c.fails || !reflect.DeepEqual(got, c.want) {
			t.Errorf("chooseExamples(%d criteria, %d) = %v, %v; want %v, error %v", len(c.rubric.Criteria), c.n, got, err, c.want, c.fails)
		}
	}
}

// TestPeoplesExamples checks that six sheets with whole points are chosen, on six pairs of objects, from few points to many. A prompt never
// shows one on the objects that it is about, in either order.
func TestPeoplesExamples(t *testing.T) {
	r := rubric.CQA()
	sheet := func(object string, points, halves float64, text string) Example {
		e := Example{data.Question{Object1: object, Object2: "other", Text: "Which?"}, text, data.Scores{}}
		for _, c := range r.Criteria {
			low, high := c.Range()
			e.Scores[c.ID] = min(high, low+points)
		}
		e.Scores["1"] += halves
		return e
	}
	var sheets []Example
	for i := range 30 {
		sheets = append(sheets, sheet(fmt.Sprint("object ", i%10), float64(i/10), 0, fmt.Sprint("Answer ", i)))
	}
	halves := sheet("half", 0, -0.5, "Half.")
	long := sheet("long", 0, 0, strings.Repeat("word ", longestExample+1))
	chosen, err := PeoplesExamples(r, append(sheets, halves, long))
	if err != nil || len(chosen) != 6 {
		t.Fatalf("%d, %v", len(chosen), err)
	}
	objects := map[string]bool{}
	for i, e := range chosen {
		objects[e.Question.Object1] = true
		if i > 1 && r.Total(e.Scores) < r.Total(chosen[i-2].Scores) {
			t.Errorf("%d: %v points after %v", i, r.Total(e.Scores), r.Total(chosen[i-2].Scores))
		}
	}
	if len(objects) != 6 || objects["half"] || objects["long"] {
		t.Errorf("objects %v", objects)
	}
	if _, err := PeoplesExamples(r, sheets[:5]); err == nil {
		t.Error("five sheets are enough")
	}
	levels, err := chooseExamples(r, 3, chosen)
	if err != nil {
		t.Fatal(err)
	}
	p := newPrompts(r, levels)
	for _, e := range chosen {
		q := data.Question{Object1: "OTHER", Object2: strings.ToUpper(e.Question.Object1), Text: "Which?"}
		if messages := p.messages(q, "An answer."); strings.Contains(messages[1].Shared, e.Answer+"\n") {
			t.Errorf("a judge of %s is shown %q", q.Object2, e.Answer)
		}
	}
	if _, made, _ := NewModel(r, ModelOptions{Model: "m", Examples: 2}); made != "" {
		if _, peoples, err := NewModel(r, ModelOptions{Model: "m", Examples: 2, People: chosen}); err != nil || peoples == made {
			t.Errorf("the fingerprint does not tell people's examples from made-up ones: %v", err)
		}
	}
}
