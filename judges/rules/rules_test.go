package rules

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/judges/judgestest"
	"compqa/judges/text"
	"compqa/rubric"
)

func TestMeasurementsHoldTogether(t *testing.T) {
	for _, content := range []string{judgestest.FullAnswer, "", "Tea.", strings.Repeat("Tea is cheap. ", 30), "\xff\xff", strings.Repeat("- **Tea**: x\n", 9)} {
		scores, findings := Score(text.Measure(judgestest.TeaCoffee, content))
		if fault := rubric.CQA().Check(scores, false); fault != nil {
			t.Error(fault)
		}
		for i, x := range findings {
			if x.Criterion != rubric.CQA().IDs()[i] || x.Points != scores[x.Criterion] || x.Facts == "" {
				t.Errorf("finding %d: %+v", i, x)
			}
		}
	}
}

// A full answer gets every point that rules can give for its form.
func TestRulesOnFullAnswer(t *testing.T) {
	scores, findings := Score(text.Measure(judgestest.TeaCoffee, judgestest.FullAnswer))
	want := rubric.CQA().Full()
	if !maps.Equal(scores, want) {
		for _, x := range findings {
			if x.Points != want[x.Criterion] {
				t.Errorf("criterion %s: %v points: %s", x.Criterion, x.Points, x.Facts)
			}
		}
	}
}

// Each change to the full answer costs points of the criterion that it is made for and of the criteria named with it, and of no other.
func TestRulesByCriterion(t *testing.T) {
	const choice = "**The Best Option**\n\nTea\n"
	replace := func(old, with string) string {
		if !strings.Contains(judgestest.FullAnswer, old) {
			t.Fatalf("%q is not in the answer", old)
		}
		return strings.Replace(judgestest.FullAnswer, old, with, 1)
	}
	start := strings.Index(judgestest.FullAnswer, "Tea and coffee")
	end := strings.Index(judgestest.FullAnswer, "\n\n**Main")
	introduction := judgestest.FullAnswer[start:end]
	noNames := strings.NewReplacer("**Price**: ", "", "**Taste**: ", "", "- **Effect**:\n  - **Tea**: ", "- ", "  - **Coffee**: ", "- ",
		"**Preparation**: ", "", "**Health**: ", "", "**Waste**: ", "").Replace(judgestest.FullAnswer)
	for _, c := range []struct {
		name, text string
		aspect     string
		lost       map[string]float64 // points that are left, for the criteria that lose some
	}{
		{"introduction too short", replace(introduction, "Tea and coffee compared by price and taste."), "", map[string]float64{"1": 0}},
		{"introduction too long", replace(introduction, introduction+strings.Repeat(" It is asked again and again, in many places, by many people.", 6)), "", map[string]float64{"1": 0, "15": 0}},
		{"no aspect introduced", replace("They differ in price, taste, and effect.", "They differ."), "", map[string]float64{"3": 0}},
		{"no names", noNames, "", map[string]float64{"2": 0, "3": 0, "4": 0, "5": 0, "6": 0, "8": 0, "10": 1}},
		{"choice between the lines", replace(choice, "Overall, tea is better than coffee.\n"), "", map[string]float64{"7": 0}},
		{"choice with long reasons", replace(choice, choice+"\n"+strings.Repeat("It is cheap and mild and old and good. ", 7)), "", map[string]float64{"7": 0, "15": 0}},
		{"no choice", replace(choice, ""), "", map[string]float64{"7": 0, "14": 0}},
		{"choice against the statements", replace(choice, "**The Best Option**\n\nCoffee\n"), "", map[string]float64{"14": 0}},
		{"the arguments' order", replace("end.", "end [2].") + "", "", nil},
		{"aspect never mentioned", judgestest.FullAnswer, "growth in the mountains", map[string]float64{"9": 0, "14": 0}},
		{"aspect mentioned once", judgestest.FullAnswer, "capsules", map[string]float64{"9": 1}},
		{"one object alone", replace("- **Taste**: Coffee is bitter and strong, and tea is mild.", "- **Taste**: Coffee is bitter and strong."), "", map[string]float64{"10": 1}},
		{"careless", replace("People argue about this", "people argue about the the"), "", map[string]float64{"12": 1}},
		{"swearing", replace("People argue about this", "People argue about this shit"), "", map[string]float64{"12": 0}},
		{"repetition", replace("- **Waste**: ", "- **Waste**: Doctors see no risk in either of them at three cups a day, tea or coffee. "), "", nil},
		{"too short", replace(" Paper filters for coffee rot like tea bags.", "") + "", "", nil},
		{"too long", replace("- **Waste**: ", "- **Waste**: A. B. "+strings.Repeat("Tea and coffee differ. ", 6)), "", map[string]float64{"15": 0}},
	} {
		q := judgestest.TeaCoffee
		q.Aspect = c.aspect
		scores, findings := Score(text.Measure(q, c.text))
		want := rubric.CQA().Full()
		maps.Copy(want, c.lost)
		for i, id := range rubric.CQA().IDs() {
			if scores[id] != want[id] {
				t.Errorf("%s: criterion %s has %v points, want %v: %s", c.name, id, scores[id], want[id], findings[i].Facts)
			}
		}
	}
}

func TestRulesOnCitations(t *testing.T) {
	q := data.Question{Object1: "tea", Object2: "coffee", Arguments: make([]data.Argument, 4)}
	content := "- **Price**: Tea is cheaper than coffee [%].\n- **Taste**: Tea is milder than coffee [2].\n- **Age**: Tea is older than coffee [3].\n- **Range**: Tea is richer than coffee [4].\n"
	for _, c := range []struct {
		first        string
		order, facts float64
	}{
		{"1", 0, 2}, // 1, 2, 3, 4: as they were given
		{"4", 1, 2},
		{"9", 1, 1}, // that argument does not exist
	} {
		scores, _ := Score(text.Measure(q, strings.Replace(content, "%", c.first, 1)))
		if scores["8"] != c.order || scores["11"] != c.facts {
			t.Errorf("first citation [%s]: criteria 8 and 11 have %v and %v points, want %v and %v", c.first, scores["8"], scores["11"], c.order, c.facts)
		}
	}
}

// Equal sentences count as repetition, whatever their words are.
func TestRulesOnEqualSentences(t *testing.T) {
	cats := data.Question{Object1: "cats", Object2: "dogs"}
	scores, findings := Score(text.Measure(cats, strings.Repeat("Cats are better than dogs. ", 15)))
	if scores["13"] != 0 || !strings.HasPrefix(findings[12].Facts, "13 statements similar") {
		t.Errorf("criterion 13 has %v points: %s", scores["13"], findings[12].Facts)
	}
}

// An answer without words gets no points, even for criteria that it cannot violate.
func TestRulesOnNothing(t *testing.T) {
	scores, _ := Score(text.Measure(judgestest.TeaCoffee, ""))
	if got := rubric.CQA().Total(scores); got != 0 {
		t.Errorf("an empty answer has %v points, want 0: %v", got, scores)
	}
}

func TestConstant(t *testing.T) {
	scores := rubric.CQA().Full()
	if fault := rubric.CQA().Check(scores, false); fault != nil {
		t.Error(fault)
	}
	if got := rubric.CQA().Total(scores); got != 19 { // Nikishina et al., Figure 3
		t.Errorf("full marks are %v points, want 19", got)
	}
	other := rubric.Rubric{Criteria: []rubric.Criterion{{ID: "a", Levels: []rubric.Level{{Points: 1}, {Points: 5}}}}}
	if got := other.Full(); len(got) != 1 || got["a"] != 5 {
		t.Errorf("another rubric: %v, want a: 5", got)
	}
}

func TestChoiceNames(t *testing.T) {
	got := data.Each([]data.Choice{"", data.ChoiceA, data.ChoiceB, data.ChoiceTie}, func(c data.Choice) string {
		return choiceText(&text.Features{Choice: c})
	})
	if want := []string{"no choice", "first object", "second object", "neither object"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func BenchmarkMeasure(b *testing.B) {
	q := data.Question{Object1: "tea", Object2: "coffee", Aspect: "price"}
	content := judgestest.FullAnswer + "\n" + strings.Repeat("Tea and coffee are sold in every shop of this town, and in most of them tea is cheaper. ", 17) // 2.5 kB
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		text.Measure(q, content)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "answers/s")
}

func BenchmarkRules(b *testing.B) {
	f := text.Measure(judgestest.TeaCoffee, judgestest.FullAnswer)
	for b.Loop() {
		Score(f)
	}
}
