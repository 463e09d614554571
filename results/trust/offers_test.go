package trust

import (
	"strings"
	"testing"

	"compqa/stats"
)

// TestMorePairs: by hand. 40 pairs have a difference of .1 ± .196, so that its standard error is .1. ((1.96 + .8416) · .1 / .1)² = 7.849
// times 40 pairs are 314, which is 274 more. A difference that is already shown needs no more.
func TestMorePairs(t *testing.T) {
	if n := MorePairs(stats.WithInterval(.1, .1-.195996, .1+.195996), 40); n != 274 {
		t.Error(n)
	}
	if n := MorePairs(stats.WithInterval(.3, .1, .5), 40); n != 0 {
		t.Error(n)
	}
}

// TestOffers: the finding names the judge for each price, dominated judges, and how many more pairs are needed.
func TestOffers(t *testing.T) {
	offers := Offers{Set: "mine", Dollars: true, Pairs: 40, Least: 30, Dominated: []string{"cot"}, Best: []Offer{
		{"direct", stats.Number(.6), stats.Number(.5)}, {"con-j", stats.Number(.7), stats.Number(2)}, {"sc2", stats.Number(.8), stats.Number(40)}},
		Gain: stats.WithInterval(.1, .1-.195996, .1+.195996)}
	want := "Of the judges of mine take, in US dollars for 1,000 pairs in both orders: for up to $2.00 direct (accuracy 0.60); for up to " +
		"$40.00 con-j (accuracy 0.70); from $40.00 on sc2 (accuracy 0.80). Never cot: another one costs no more and is at least as accurate. " +
		"About 280 more pairs would tell sc2 from con-j, if it stays so."
	if text := offers.Finding().Text; text != want {
		t.Errorf("%q", text)
	}
	offers.Pairs = 8
	if text := offers.Finding().Text; !strings.HasPrefix(text, "Too few to tell which judge of pairs to buy: 8 pairs") {
		t.Errorf("%q", text)
	}
}

// TestTrainingFinding: the difference is trained minus base. Eight pairs are too few.
func TestTrainingFinding(t *testing.T) {
	for want, training := range map[string]Training{
		"On s, new is clearly more accurate than old": {"old", "new", "s", stats.WithInterval(.2, .1, .3), 60, 30},
		"On s, new is clearly less accurate than old": {"old", "new", "s", stats.WithInterval(-.2, -.3, -.1), 60, 30},
		"On s, no clear difference of new and old":    {"old", "new", "s", stats.WithInterval(.1, -.1, .3), 60, 30},
		"Too few to tell on s whether new":            {"old", "new", "s", stats.WithInterval(.2, .1, .3), 8, 30},
	} {
		if text := training.Finding().Text; !strings.HasPrefix(text, want) {
			t.Errorf("%q, want %q", text, want)
		}
	}
}
