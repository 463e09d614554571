package text

import (
	"testing"

	"compqa/data"
)

// A person read each sentence and decided which side it favours.
func TestSides(t *testing.T) {
	q := data.Question{Object1: "tea", Object2: "coffee"}
	for _, c := range []struct {
		text  string
		cited [2]int
		made  [2]int
	}{
		{text: "Coffee is cheaper [1]. Coffee is healthier [2][3]. Tea is better [generated].\n\nBest option: tea", cited: [2]int{0, 2}, made: [2]int{1, 0}},
		{text: "- **Taste**: tea is better than coffee. [4]\n- **Price**: coffee is expensive [generated].\n", cited: [2]int{1, 0}, made: [2]int{1, 0}},
		{text: "Tea is better [1] [generated].", cited: [2]int{1, 0}},
		{text: "Tea is better. Coffee is worse."},
		{text: "Tea is a drink [1]. So is coffee [generated]."},
		{text: "Tea and coffee compared.\n\n**Used arguments**\n1. [1] Coffee is better.\n2. [generated] Tea is better."},
		{text: "**Best option**: coffee is better [1]"},
		{text: ""},
	} {
		f := Measure(q, c.text)
		if got := [2]int{f.CitedFirst, f.CitedSecond}; got != c.cited {
			t.Errorf("%q: sentences that cite speak %v, want %v", c.text, got, c.cited)
		}
		if got := [2]int{f.GeneratedFirst, f.GeneratedSecond}; got != c.made {
			t.Errorf("%q: sentences made up speak %v, want %v", c.text, got, c.made)
		}
	}
}

// The shares that the comment on sides states.
func TestSidesOfBuiltinArguments(t *testing.T) {
	right := 0
	wrong := 0
	silent := 0
	for _, q := range data.CQA50() {
		for _, argument := range q.Arguments {
			if argument.Favours == data.Neither {
				continue
			}
			f := Measure(q, argument.Text+" [1]")
			switch lead := f.CitedFirst - f.CitedSecond; {
			case lead == 0:
				silent++
			case lead > 0 == (argument.Favours == data.Object1):
				right++
			default:
				wrong++
			}
		}
	}
	t.Logf("of %d arguments %d are told, %d of them right", right+wrong+silent, right+wrong, right)
	if told, all := right+wrong, right+wrong+silent; 8*told < all || 10*right < 7*told {
		t.Errorf("of %d arguments %d are told, %d of them right", all, told, right)
	}
}
