package pairwise

import (
	"context"
	"errors"
	"strings"
	"testing"

	"compqa/data"
)

func offline(t *testing.T, method string, seed int64) func(OrderedPair) Opinion {
	t.Helper()
	j, err := New(Options{Method: method, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return func(s OrderedPair) Opinion { return j.Judge(t.Context(), s, nil) }
}

func TestFloors(t *testing.T) {
	long := "one two three"
	short := "one two"
	for _, c := range []struct {
		method, first, second string
		want                  data.Choice
	}{
		{MethodFirst, short, long, data.ChoiceA}, {MethodLonger, long, short, data.ChoiceA}, {MethodLonger, short, long, data.ChoiceB}, {MethodLonger, short, "x y", data.ChoiceTie},
	} {
		if o := offline(t, c.method, 1)(OrderedPair{First: c.first, Second: c.second}); o.Status != data.Valid || o.Choice != c.want {
			t.Errorf("%s on %q and %q: %+v, want %s", c.method, c.first, c.second, o, c.want)
		}
	}
	heads := 0
	for i := range 400 {
		s := OrderedPair{ID: strings.Repeat("x", i), Order: data.OrderAB}
		o := offline(t, MethodRandom, 7)(s)
		if o.Choice != offline(t, MethodRandom, 7)(s).Choice {
			t.Error("the same seed tosses two ways")
		}
		if o.Choice == data.ChoiceA {
			heads++
		}
	}
	if heads < 150 || heads > 250 { // 5 standard deviations
		t.Errorf("%d heads of 400", heads)
	}
	if _, err := New(Options{Method: "coin", Seed: 1}); err == nil {
		t.Error("an unknown judge is built")
	}
}

// An answer that refuses, breaks off or repeats itself loses. Its position does not matter, and equal answers tie.
func TestSurfaceVotes(t *testing.T) {
	const question = "How is bread baked at home?"
	good := "Bread is baked at home by kneading flour, water, salt and yeast, letting the dough rise, and baking it for half an hour."
	for name, bad := range map[string]string{
		"refuses":  "I'm sorry, but as an AI language model I cannot bake.",
		"off":      "Cats sleep.",
		"breaks":   "Bread is baked with",
		"repeats":  "Bread is baked. Bread is baked. Bread is baked. Bread is baked.",
		"one word": "No",
	} {
		if o := offline(t, MethodSurface, 1)(OrderedPair{Question: question, First: good, Second: bad}); o.Choice != data.ChoiceA || o.Detail.Facts == "" {
			t.Errorf("%s: %+v", name, o)
		}
		if o := offline(t, MethodSurface, 1)(OrderedPair{Question: question, First: bad, Second: good}); o.Choice != data.ChoiceB {
			t.Errorf("%s, the other way round: %+v", name, o)
		}
	}
	for _, same := range []string{good, "", "x", "…"} {
		if o := offline(t, MethodSurface, 1)(OrderedPair{Question: question, First: same, Second: same}); o.Choice != data.ChoiceTie {
			t.Errorf("%q against itself: %+v", same, o)
		}
	}
}

// If two objects are compared, the expected points decide.
func TestSurfaceByPoints(t *testing.T) {
	q := data.CQA50()[0]
	reference := data.References()[q.Pair()]
	p := data.Pair{Question: q.Text, A: "Both are fine.", B: reference, Object1: q.Object1, Object2: q.Object2}
	if o := offline(t, MethodSurface, 1)(OrderPair(p, data.OrderAB)); o.Choice != data.ChoiceB || !strings.Contains(o.Detail.Facts, "points") {
		t.Errorf("%+v", o)
	}
}

func TestOfflineRewriter(t *testing.T) {
	const text = "It's good, but you don't need a lot of it. But get help."
	formal, err := OfflineRewriter(t.Context(), RewriteFormal, text)
	if err != nil || formal != "It is favourable, however you do not require a considerable amount of it. However obtain assist." {
		t.Errorf("%q, %v", formal, err)
	}
	verbal, err := OfflineRewriter(t.Context(), RewriteVerbal, formal)
	if err != nil || verbal != text {
		t.Errorf("back again: %q, %v", verbal, err)
	}
	verbose, err := OfflineRewriter(t.Context(), RewriteVerbose, "Bread needs flour. It also needs water and time.")
	want := "Bread needs flour. It also needs water and time.\n\nIn summary, the key points are:\n1. Bread needs flour\n2. It also needs water and time"
	if err != nil || verbose != want {
		t.Errorf("%q, want %q", verbose, want)
	}
	want = "In summary, the key points are:\n1. 90 km of range\n2. -5 degrees at night\n3. A new battery\n4. **Price:** 5 dollars"
	if points := keyPoints("90 km of range.\n-5 degrees at night.\n- A new battery\n2) **Price:** 5 dollars"); points != want {
		t.Errorf("%q, want %q", points, want)
	}
	if short, _ := OfflineRewriter(t.Context(), RewriteVerbose, "Yes"); short != "Yes\n\nIn summary, the key points are:\n1. Yes" {
		t.Errorf("%q", short)
	}
	if _, err := OfflineRewriter(t.Context(), "louder", text); err == nil {
		t.Error("an unknown way is gone")
	}
}

// A bias changes the answer that it names, and BiasFormat also changes the other answer in the opposite way. The given pair is not changed.
func TestInject(t *testing.T) {
	mark := func(_ context.Context, way, text string) (string, error) { return way + "(" + text + ")", nil }
	for _, c := range []struct {
		bias  string
		label data.Choice
		a, b  string
	}{
		{"verbosity", data.ChoiceA, "one", "verbose(two)"}, {"verbosity", data.ChoiceB, "verbose(one)", "two"},
		{"verbosity-preferred", data.ChoiceA, "verbose(one)", "two"}, {"verbosity-preferred", data.ChoiceB, "one", "verbose(two)"},
		{"format", data.ChoiceA, "formal(one)", "verbal(two)"}, {"format", data.ChoiceB, "verbal(one)", "formal(two)"},
		{"format-preferred", data.ChoiceA, "verbal(one)", "formal(two)"}, {"format-other", data.ChoiceB, "verbal(one)", "formal(two)"},
	} {
		b, ok := BiasNamed(c.bias)
		p := data.Pair{ID: "p", A: "one", B: "two", Label: c.label}
		got, err := b.Inject(t.Context(), p, mark)
		if !ok || err != nil || got.A != c.a || got.B != c.b || p.A != "one" || p.B != "two" {
			t.Errorf("%s, %s better: %+v, %v", c.bias, c.label, got, err)
		}
	}
	b, _ := BiasNamed("format")
	for _, label := range []data.Choice{data.ChoiceTie, data.NoChoice} {
		if _, err := b.Inject(t.Context(), data.Pair{Label: label}, mark); err == nil {
			t.Errorf("a pair with label %s has a preferred answer", label)
		}
	}
	broken := errors.New("broken")
	if _, err := b.Inject(t.Context(), data.Pair{ID: "p", Label: data.ChoiceA}, func(context.Context, string, string) (string, error) { return "", broken }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if _, ok := BiasNamed("length"); ok {
		t.Error("an unknown bias is found")
	}
}
