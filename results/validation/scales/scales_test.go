package scales

import "testing"

// TestFind finds each kind of scale from values, from the criterion's name, and from a scale that the user gives.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		criterion, given string
		values           []string
		want             string
		number           float64 // number of the first value
	}{
		{"c", "", []string{"pass", "FAIL"}, "yes/no", 1},
		{"c", "", []string{"1", "0", "0"}, "yes/no", 1},
		{"c", "", []string{"👍", "👎"}, "yes/no", 1},
		{"c", "", []string{"rejected", "Accepted"}, "yes/no", 0},
		{"c", "", []string{"да", "нет"}, "yes/no", 1},
		{"c", "", []string{"True", "false"}, "yes/no", 1},
		{"c", "", []string{"nein", "ja", "1"}, "yes/no", 0},
		{"c", "", []string{"C", "I", "N"}, "yes/no", 1},
		{"c", "", []string{"P", "C", "I"}, "letters", 0.5},
		{"c", "", []string{"Y", "N"}, "yes/no", 1},
		{"c", "", []string{"3", "1", "2"}, "ordinal 1–3", 3},
		{"c", "", []string{"3.5", "1", "5"}, "ordinal 1–5", 3.5},
		{"c", "", []string{"7", "0"}, "ordinal 0–7", 7},
		{"helpful (1-5)", "", []string{"4", "2"}, "ordinal 1–5", 4},
		{"quality_0_10", "", []string{"7", "3"}, "ordinal 0–10", 7},
		{"c", "", []string{"0,65", "1.0"}, "continuous 0–1", 0.65},
		{"c", "", []string{"72.5", "13"}, "continuous 1–100", 72.5},
		{"c", "", []string{"1 some", "0 none", "2: all"}, "ordinal 0–2", 1},
		{"c", "", []string{"Agree", "neutral", "strongly disagree"}, "ordinal strongly disagree < disagree < neutral < agree < strongly agree", 3},
		{"c", "", []string{"red", "blue"}, "labels blue, red", 1},
		{"c", "1..10", []string{"4", "2"}, "ordinal 1–10", 4},
		{"c", "bad,so-so,good", []string{"so-so"}, "ordinal bad < so-so < good", 1},
		{"c", "broken,works", []string{"works", "broken"}, "yes/no", 1},
	} {
		s, err := Find(c.criterion, c.values, c.given)
		if err != nil || s.String() != c.want {
			t.Errorf("%q %q: %s, %v; want %s", c.values, c.given, s, err, c.want)
		}
		if x, ok := s.Number(c.values[0]); !ok || x != c.number {
			t.Errorf("%q: %s is %v, %v; want %v", c.values, c.values[0], x, ok, c.number)
		}
	}
	if s, _ := Find("c", []string{"C", "I", "N"}, ""); true {
		if x, ok := s.Number("N"); ok {
			t.Errorf("N of no grade is %v", x)
		}
	}
	for given, values := range map[string][]string{"1..5": {"7"}, "5..1": {"3"}, "a,b": {"c"}, "1..3": {"red"}} {
		if s, err := Find("c", values, given); err == nil {
			t.Errorf("%s for %q: %+v", given, values, s)
		}
	}
}

// TestSameScale: two scales are the same, or not, in either order.
func TestSameScale(t *testing.T) {
	of := func(name string, values ...string) Scale {
		s, err := Find(name, values, "")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	five := of("c", "1", "2", "3", "4", "5")
	three := of("c", "1", "2", "3")
	two := of("c", "0", "1", "2")
	for _, c := range []struct {
		a, b Scale
		want bool
	}{
		{five, five, true}, {five, of("c", "4", "5"), true}, {five, of("c", "3.7", "1.2", "4.9"), true}, {two, of("c", "1", "2"), true},
		{five, three, true}, {three, two, true}, {five, of("c", "1", "2", "3", "4"), true}, {of("c", "0", "1", "2", "3"), two, true},
		{of("c", "1", "5", "10"), five, false}, {of("c", "3", "55", "100"), five, false}, {five, of("c", "0.2", "0.9"), false}, {two, of("c", "0.1", "0.9"), false},
		{of("q_0_10", "3", "7"), of("c", "0.1", "0.9"), false}, {of("c (0-1)", "0.2", "1"), of("c", "0.17", "0.9"), true},
		{of("c", "yes", "no"), of("c", "1", "0"), true}, {of("c", "yes", "no"), two, false}, {of("c", "C", "P", "I"), of("c", "yes", "no"), true},
		{of("c", "incorrect", "partially correct", "correct"), of("c", "0", "0.5", "1"), false}, {of("c", "low", "high", "medium"), two, true},
		{of("c", "never", "always"), two, false}, {of("c", "low", "medium"), of("c", "medium", "high"), true},
		{of("c", "red", "blue"), five, false}, {of("c (1-5)", "2", "3"), of("c (1-7)", "2", "3"), false},
	} {
		if Same(c.a, c.b) != c.want || Same(c.b, c.a) != c.want {
			t.Errorf("%s (%v–%v) and %s (%v–%v): want %v", c.a, c.a.Min, c.a.Max, c.b, c.b.Min, c.b.Max, c.want)
		}
	}
}
