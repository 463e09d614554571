package trust

import (
	"testing"

	"compqa/stats"
)

// TestAlone: the system ahead follows the sign of first minus second. People may say the same, the opposite or nothing clear. A judge that
// only repeats the order is left out.
func TestAlone(t *testing.T) {
	t.Parallel()
	difference := func(by string, value, half float64, n int) Difference {
		f := stats.WithInterval(value, value-half, value+half)
		f.N = n
		return Difference{By: by, A: "a", B: "b", Value: f}
	}
	ahead := difference("j", 2, 1, 50)
	behind := difference("j", -2, 1, 50)
	open := difference("j", .5, 1, 50)
	with := func(d Difference) *Difference {
		d.By = People
		d.Value.N = 9
		return &d
	}
	for _, test := range []struct {
		above  int
		judge  Difference
		people *Difference
		want   string
	}{
		{0, ahead, nil, "For this pair alone, j puts a ahead by 2.00 points (50 questions)."},
		{0, behind, nil, "For this pair alone, j puts b ahead by 2.00 points (50 questions)."},
		{1, ahead, nil, ""},
		{1, behind, nil, "For this pair alone, j puts b ahead by 2.00 points (50 questions)."},
		{0, open, nil, ""},
		{0, open, with(open), ""},
		{1, ahead, with(ahead), "For this pair alone, j puts a ahead by 2.00 points (50 questions) and people put a ahead by 2.00 points (9 questions)."},
		{0, ahead, with(behind), "For this pair alone, j puts a ahead by 2.00 points (50 questions), but people put b ahead by 2.00 points (9 questions)."},
		{0, behind, with(behind), "For this pair alone, j puts b ahead by 2.00 points (50 questions) and people put b ahead by 2.00 points (9 questions)."},
		{0, ahead, with(open), "For this pair alone, j puts a ahead by 2.00 points (50 questions), but people show no clear difference (9 questions)."},
		{0, ahead, &Difference{By: People, A: "a", B: "b"}, "For this pair alone, j puts a ahead by 2.00 points (50 questions), but people scored too few questions of both."},
	} {
		got := ""
		for _, f := range PairFindings(Pair{A: "a", B: "b", Above: test.above}, test.judge, test.people) {
			got += f.Text
		}
		if got != test.want {
			t.Errorf("%q and not %q", got, test.want)
		}
	}
}
