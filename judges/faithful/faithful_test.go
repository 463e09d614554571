package faithful_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/judges"
	"compqa/judges/faithful"
	"compqa/judges/scoring"
	"compqa/rubric"
)

var drinks = data.Question{Object1: "tea", Object2: "coffee", Arguments: []data.Argument{
	{Text: "Tea is cheaper than coffee in most shops.", Favours: data.Object1},
	{Text: "Coffee wakes people faster than tea, because it holds twice the caffeine.", Favours: data.Object2},
	{Text: "Tea has no bitter oils, whereas coffee stains cups.", Favours: data.Object1},
}}

func TestRead(t *testing.T) {
	const list = "Tea and coffee are hot drinks of many countries.\n\n- **Point**: "
	for _, of := range []struct {
		claim    string
		label    data.ClaimLabel
		argument int
	}{
		{"Tea is cheaper than coffee in most shops.", data.Supported, 1},
		{"Coffee is more expensive than tea in most shops.", data.Supported, 1},
		{"Coffee costs more, so it is dearer than tea in shops.", data.Supported, 1},
		{"Coffee is cheaper than tea in most shops.", data.Contradicted, 1},
		{"Tea is dearer than coffee in most shops.", data.Contradicted, 1},
		{"Tea is less cheap than coffee in most shops.", data.Contradicted, 1},
		{"Tea is not cheaper than coffee in most shops.", data.Contradicted, 1},
		{"It is not true that tea is cheaper than coffee in most shops.", data.Contradicted, 1},
		{"Not only in shops is tea cheaper than coffee.", data.Supported, 1},
		{"Coffee wakes people faster than tea.", data.Supported, 2},
		{"Tea wakes people more slowly than coffee.", data.Supported, 2},
		{"Tea holds twice the caffeine and wakes people faster than coffee.", data.Contradicted, 2},
		{"Coffee has bitter oils, whereas tea does not.", data.Supported, 3},
		{"Tea and coffee are both cheaper in most shops.", data.Unsupported, 0},
		{"Tea grows on high hills in Asia.", data.Unsupported, 0},
		{"Tea is worth its price [2].", data.Unsupported, 0},
	} {
		got := faithful.Read(drinks, list+of.claim+"\n\n**Best option**: tea").Claims
		if len(got) != 2 {
			t.Errorf("%q: %d claims; want the introduction's and the item's", of.claim, len(got))
			continue
		}
		if c := got[1]; c.Label != of.label || c.Argument != of.argument {
			t.Errorf("%q is %s by argument %d; want %s by %d", of.claim, c.Label, c.Argument, of.label, of.argument)
		}
	}
}

// A sentence that names no object makes no claim. An argument that the sentence cites decides its label.
func TestClaims(t *testing.T) {
	q := data.Question{Object1: "tea", Object2: "coffee", Arguments: []data.Argument{
		{Text: "1. Tea is cheaper than coffee."}, {Text: "2. Coffee is cheaper than tea in Brazil."},
	}}
	got := faithful.Read(q, "- Price matters.\n- Coffee is cheaper [2].\n- Coffee is cheaper than tea [1].").Claims
	if len(got) != 2 || got[0].Argument != 2 || got[0].Label != data.Supported || got[1].Argument != 1 || got[1].Label != data.Contradicted {
		t.Errorf("claims %+v; want one supported by argument 2 and one contradicted by argument 1", got)
	}
}

// A copied argument is supported, even if it is the only argument or another one says the opposite.
func TestCopiedArgument(t *testing.T) {
	cheaper := data.Argument{Text: "1. Tea is cheaper than coffee."}
	dearer := data.Argument{Text: "2. Coffee is cheaper than tea."}
	for _, of := range []struct {
		arguments []data.Argument
		claim     string
		label     data.ClaimLabel
	}{
		{[]data.Argument{cheaper}, "Tea is cheaper than coffee.", data.Supported},
		{[]data.Argument{cheaper}, "Coffee is cheaper than tea.", data.Contradicted},
		{[]data.Argument{cheaper, dearer}, "Coffee is cheaper than tea.", data.Supported},
		{[]data.Argument{cheaper, dearer}, "Coffee is cheaper than tea [1].", data.Contradicted},
	} {
		q := data.Question{Object1: "tea", Object2: "coffee", Arguments: of.arguments}
		if got := faithful.Read(q, "- "+of.claim+"\n- Price matters.").Claims; len(got) != 1 || got[0].Label != of.label {
			t.Errorf("%q with %d arguments: %+v, want %s", of.claim, len(of.arguments), got, of.label)
		}
	}
}

func TestChoice(t *testing.T) {
	yes := true
	no := false
	tied := drinks
	tied.Arguments = tied.Arguments[:2]
	for _, of := range []struct {
		q    data.Question
		text string
		want *bool
	}{
		{drinks, "**Best option**: tea", &yes},
		{drinks, "**Best option**: coffee", &no},
		{drinks, "**Best option**: it depends", nil},
		{tied, "**Best option**: tea", nil},
		{data.Question{Object1: "tea", Object2: "coffee"}, "**Best option**: tea", nil},
	} {
		got := faithful.Read(of.q, of.text).ChoiceAgrees
		if (got == nil) != (of.want == nil) || got != nil && *got != *of.want {
			t.Errorf("%q with %d arguments agrees: %v", of.text, len(of.q.Arguments), got)
		}
	}
}

// The judge surface+grounded only removes points for contradictions, and its sheet is complete.
func TestGrounded(t *testing.T) {
	score := func(name string, q data.Question, text string) data.Verdict {
		e, _ := judges.EmbeddedNamed(name)
		j, err := e.New(rubric.CQA())
		if err != nil {
			t.Fatal(err)
		}
		v := scoring.Settle(rubric.CQA(), j(context.Background(), q, data.Answer{Object1: q.Object1, Object2: q.Object2, Text: text}, nil))
		if v.Status != data.Valid {
			t.Fatalf("%s: %s %s", name, v.Status, v.Reason)
		}
		return v
	}
	for _, text := range []string{"", "- Coffee is cheaper than tea in most shops.\n\n**Best option**: tea", "- Tea is cheaper than coffee in most shops.\n\n**Best option**: tea"} {
		form := score("surface", drinks, text)
		grounded := score("surface+grounded", drinks, text)
		wrong := strings.HasPrefix(text, "- Coffee")
		for id, points := range form.Scores {
			want := points
			if wrong && (id == "11" || id == "14") {
				want = 0
			}
			if grounded.Scores[id] != want {
				t.Errorf("%q: criterion %s has %v points, want %v", text, id, grounded.Scores[id], want)
			}
		}
	}
	e, _ := judges.EmbeddedNamed("surface+grounded")
	findings := e.Explain(drinks, data.Answer{Object1: "tea", Object2: "coffee", Text: "- Coffee is cheaper than tea in most shops."})
	if f := findings[10]; f.Points != 0 || !strings.HasPrefix(f.Facts, "claims: 0 supported, 1 contradicted, 0 not in the arguments;") {
		t.Errorf("criterion 11: %+v", f)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"", "It is not true that not", "- tea, no: (coffee", "less tea not than of coffee [1] ["} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, argument, answer string) {
		q := data.Question{Object1: "tea", Object2: "coffee", Arguments: []data.Argument{{Text: argument}}}
		for _, c := range faithful.Read(q, answer).Claims {
			if c.Argument < 0 || c.Argument > 1 || (c.Argument == 0) != (c.Label == data.Unsupported) {
				t.Errorf("%+v", c)
			}
		}
	})
}

// An answer that is ten times as long needs at most about ten times the memory. Allocations are compared, because times vary.
func TestLinear(t *testing.T) {
	allocated := func(n int) (bytes, objects float64) {
		text := strings.Repeat("Tea is cheaper than coffee and not as strong, which no shop denies. ", n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		faithful.Read(drinks, text)
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc), float64(after.Mallocs - before.Mallocs)
	}
	allocated(10) // what is made only once
	bytes, objects := allocated(300)
	if moreBytes, moreObjects := allocated(3000); moreBytes > 15*bytes || moreObjects > 15*objects {
		t.Errorf("%.0f bytes and %.0f objects for 300 sentences, %.0f and %.0f for 3,000", bytes, objects, moreBytes, moreObjects)
	}
}

type answered struct {
	question data.Question
	text     string
}

// builtIn returns the reference answers with the arguments of their questions, for questions with an odd or an even index.
func builtIn(odd bool) (list []answered) {
	for i, q := range data.CQA50() {
		if i%2 == 1 == odd {
			list = append(list, answered{q, data.References()[q.Pair()]})
		}
	}
	return list
}

// cam returns answers of models and people that were given arguments.
func cam(t *testing.T, file string, odd bool) (list []answered) {
	t.Helper()
	dir := sharedtest.Path(t, "data", "cam-arg-relevance")
	type entry struct {
		Object1, Object2 string
		Arguments        []string
		Comparison       []string
		GPT              []string `json:"gpt_answers"`
	}
	load := func(name string) (all []entry) {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(content, &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	questions := map[string]data.Question{}
	odds := map[string]bool{}
	for i, e := range load("silver_50x3.json") {
		q := data.Question{Object1: e.Object1, Object2: e.Object2}
		for _, a := range e.Arguments {
			q.Arguments = append(q.Arguments, data.Argument{Text: a})
		}
		questions[q.Pair()], odds[q.Pair()] = q, i%2 == 1
	}
	for _, e := range load(file) {
		pair := data.PairKey(e.Object1, e.Object2)
		q, known := questions[pair]
		if !known || odds[pair] != odd {
			continue
		}
		for _, text := range append(e.GPT, e.Comparison...) {
			list = append(list, answered{q, text})
		}
	}
	return list
}

// flagged returns the share of answers that are flagged after an attack, or without one if attack is "".
func flagged(list []answered, attack string) float64 {
	n := 0
	for _, a := range list {
		text := a.text
		for _, by := range judges.Attacks {
			if by.Name == attack {
				text = by.Apply(a.question, text, "", 1)
			}
		}
		if faithful.Read(a.question, text).Flagged() {
			n++
		}
	}
	return float64(n) / float64(len(list))
}

// TestNoticed checks the figures of the manual. The list of scales, the rules and the threshold were chosen on the questions with an odd
// index. Answers to the other questions were never looked at, but their totals were, after each of four versions: of silver_50x3 held out,
// 10.7, 5.3, 4.0 and 2.7 % were flagged unchanged, and 86.7, 92.0, 92.0 and 92.0 % with objects swapped. A fifth version (2.7 and 89.3 %)
// was dropped. The sixth compares a claim with an argument that has all of its words, however few, and supports copies; its held-out
// figures equal those of the fourth.
func TestNoticed(t *testing.T) {
	for _, set := range []struct {
		name                        string
		answers                     []answered
		untouched, swapped, negated float64 // untouched: at most; swapped and negated: at least
	}{
		{"references, tuned on", builtIn(true), 0, 1, .80},
		{"references, held out", builtIn(false), .04, 1, .72},
		{"silver_50x3, tuned on", cam(t, "silver_50x3.json", true), .027, .973, .74},
		{"silver_50x3, held out", cam(t, "silver_50x3.json", false), .027, .92, .82},
		{"gold_40_plus_10x4, pairs tuned on", cam(t, "gold_40_plus_10x4.json", true), .10, .95, .725},
		{"gold_40_plus_10x4, held out", cam(t, "gold_40_plus_10x4.json", false), .10, .875, .775},
	} {
		untouched := flagged(set.answers, "")
		swapped := flagged(set.answers, "objects swapped")
		negated := flagged(set.answers, "facts negated")
		t.Logf("%-34s %3d answers: flagged untouched %4.1f %%, swapped %5.1f %%, negated %5.1f %%", set.name, len(set.answers), 100*untouched, 100*swapped, 100*negated)
		if untouched > set.untouched || swapped < set.swapped || negated < set.negated {
			t.Errorf("%s: the manual says at most %v, at least %v, at least %v", set.name, set.untouched, set.swapped, set.negated)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	list := builtIn(true)
	for i := 0; b.Loop(); i++ {
		a := list[i%len(list)]
		faithful.Read(a.question, a.text)
	}
}
