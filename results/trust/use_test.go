package trust

import (
	"strings"
	"testing"

	"compqa/stats"
)

// TestUse: the finding names a judge that can stand in, or the judge that comes nearest, with its price.
func TestUse(t *testing.T) {
	d := &Decision{Judge: "j", Criterion: "totals", Answer: Yes}
	d.Single, d.People, d.Difference, d.Margin, d.Items = stats.Number(.7), stats.Number(.7), stats.WithInterval(0, -.05, .05), .1, 200
	for want, u := range map[string]RecommendedJudge{
		"To use for scores: j, which can stand in for one person on totals (difference 0.00 [-0.05, 0.05], margin 0.1, 200 items); $1.50 for 1,000 verdicts.": {Decision: d,
			Price: stats.Number(1.5)},
		"To use for scores: j, which can stand in for one person on totals (difference 0.00 [-0.05, 0.05], margin 0.1, 200 items); it makes no calls; it rewards length padding.": {
			Decision: d, NoCalls: true, Barred: "rewards length padding"},
	} {
		if text := strings.ReplaceAll(u.Finding().Text, "−", "-"); text != want {
			t.Errorf("%q, want %q", text, want)
		}
	}
	d.Answer = Unknown
	if text := (RecommendedJudge{Decision: d}).Finding().Text; !strings.HasPrefix(text, "To use for scores: no judge is shown to stand in for a person on totals; j comes nearest") {
		t.Error(text)
	}
}
