package text

import (
	"strings"
	"testing"

	"compqa/judges/judgestest"
	"compqa/judges/text/lexical"
)

func TestFavour(t *testing.T) {
	for text, want := range map[string]int{
		"Tea is cheaper than coffee.":                                  1,
		"Coffee is cheaper than tea.":                                  -1,
		"Tea is slower than coffee.":                                   -1,
		"Tea is not better than coffee.":                               -1,
		"Tea outperforms coffee.":                                      1,
		"Tea is cheap, while coffee is expensive.":                     2,
		"Tea is cheap, but coffee is reliable.":                        0,
		"Unlike coffee, tea is cheap.":                                 1,
		"Both tea and coffee are excellent.":                           0,
		"Tea and coffee are excellent.":                                0,
		"Coffee has an edge over tea in price.":                        -1,
		"Tea is a drink.":                                              0,
		"It is excellent.":                                             0,
		"Tea never fails.":                                             1,
		"Tea suffers from a limited choice, whereas coffee is robust.": -2,
		"": 0,
	} {
		a := Analyse(judgestest.TeaCoffee, text)
		got := 0
		for _, s := range a.sentences {
			got += a.favour(s)
		}
		if got != want {
			t.Errorf("%q favours %+d, want %+d", text, got, want)
		}
	}
}

// The label of a list item says what the item is about.
func TestFavourByLabel(t *testing.T) {
	a := Analyse(judgestest.TeaCoffee, "Price:\n- Tea: cheap and simple.\n- Coffee: expensive.\n")
	if got := a.favour(a.sentences[0]) + a.favour(a.sentences[1]); got != 2 {
		t.Errorf("the items favour %+d, want +2", got)
	}
}

func TestRepetition(t *testing.T) {
	for _, c := range []struct {
		name, text string
		near       int
		alike      bool // two of the statements are the same
	}{
		{"none", "- Tea is cheap in every shop.\n- Tea has a mild taste.\n", 0, false},
		{"word for word", "- Tea is cheap in every shop today.\n- Coffee is strong.\n- Tea is cheap in every shop today.\n", 1, true},
		{"nearly", "- Tea is cheap in most shops of this town.\n- In this town tea is cheap in most of the shops around.\n", 1, false},
		{"the same of each object", "- Tea is sold in every shop of this town.\n- Coffee is sold in every shop of this town.\n", 0, false},
		{"short, word for word", strings.Repeat("- Tea is better than coffee.\n", 15), 14, true},
		{"too short to compare", "- Tea is cheap.\n- Tea is very cheap.\n", 0, false},
		{"a value at several labels", "- **Best case**: quite fast\n- **Worst case**: quite fast\n", 0, false},
		{"one statement", "- Tea is cheap in every shop today.\n", 0, false},
		{"none at all", "", 0, false},
	} {
		near, highest := Analyse(judgestest.TeaCoffee, c.text).repetition()
		if near != c.near || (highest == 1) != c.alike || highest < 0 || highest > 1 {
			t.Errorf("%s: %d near, highest %v, want %d near", c.name, near, highest, c.near)
		}
	}
}

func TestCitations(t *testing.T) {
	for text, want := range map[string]struct {
		numbers   []int
		generated int
	}{
		"a [3].":                  {[]int{3}, 0},
		"a [1, 3] b [1][2]":       {[]int{1, 3, 1, 2}, 0},
		"a [2-4]":                 {[]int{2, 3, 4}, 0},
		"a [8, generated] b":      {[]int{8}, 1},
		"[generated] [Generated]": {nil, 2},
		"[Argument 4]":            {[]int{4}, 0},
		"[see below] [] [":        {nil, 0},
		"x[9-1000000]":            {[]int{9, 1000000}, 0},
	} {
		var c lexical.Citations
		c.Add(text)
		if len(c.Numbers) != len(want.numbers) || c.Generated != want.generated {
			t.Errorf("%q: %v and %d generated, want %v and %d", text, c.Numbers, c.Generated, want.numbers, want.generated)
			continue
		}
		for i, n := range want.numbers {
			if c.Numbers[i] != n {
				t.Errorf("%q: %v, want %v", text, c.Numbers, want.numbers)
			}
		}
	}
}
