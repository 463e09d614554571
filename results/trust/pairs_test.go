package trust

import (
	"testing"
	"unicode/utf8"

	"compqa/results/table"
	"compqa/stats"
)

// The words of conclusions from preferences. A headline has at most 90 characters and three names.
func TestWordsOfPairs(t *testing.T) {
	share := func(value, low, high float64) stats.Figure {
		return stats.Bound(stats.Number(value), stats.Number(low), stats.Number(high))
	}
	judge := Chooser{Judge: "gpt-3.5-turbo", RightShare: share(.784, .747, .821), Pairs: 882, People: true, AmongPeople: share(.93, .912, .946)}
	with := func(change func(*Chooser)) table.Finding {
		c := judge
		change(&c)
		return c.Finding()
	}
	longer := Baseline{Name: "longer", Description: "always takes the longer answer", RightShare: share(.65, .6, .7)}
	names := []string{"a", "b", "c", "d", "e"}
	for _, test := range []struct {
		got         table.Finding
		claim, want string
	}{
		{judge.Finding(), ClaimChooses, "gpt-3.5-turbo chooses as people do on 78 % of pairs; people among themselves on 91 to 95 %."},
		{with(func(c *Chooser) {
			c.People = false
			c.AmongPeople = stats.Figure{}
		}), ClaimChooses, "gpt-3.5-turbo chooses the better answer of 78 % of pairs."},
		{with(func(c *Chooser) { c.RightShare = share(.52, .45, .6) }), ClaimNotClear,
			"gpt-3.5-turbo chooses as people do on 52 % of pairs, not surely more than half."},
		{with(func(c *Chooser) { c.RightShare = share(.3, .2, .4) }), ClaimChooses, "gpt-3.5-turbo chooses as people do on 30 % of pairs, surely less than half."},
		{with(func(c *Chooser) {
			c.RightShare = stats.Number(.75)
			c.Pairs = 4
		}), ClaimTooFew,
			"gpt-3.5-turbo chooses as people do on 75 % of 4 pairs, too few to say whether that is more than half."},
		{Baseline{longer.Name, longer.Description, longer.RightShare, names[:1], nil}.Finding(), ClaimBaseline,
			"a is better than longer (65 %), which always takes the longer answer."},
		{Baseline{longer.Name, longer.Description, longer.RightShare, nil, names}.Finding(), ClaimNotClear,
			"a, b and 3 others are not shown to be better than longer (65 %), which always takes the longer answer."},
		{Baseline{longer.Name, "", longer.RightShare, names[:2], names[2:3]}.Finding(), ClaimBaseline,
			"a and b are better than longer (65 %); c is not shown to be."},
	} {
		if test.got.Text != test.want || test.got.Claim != test.claim {
			t.Errorf("%s: %q, want %s: %q", test.got.Claim, test.got.Text, test.claim, test.want)
		}
	}
	if n := utf8.RuneCountInString(judge.Finding().Title()); n > 90 {
		t.Errorf("the headline has %d characters", n)
	}
}
