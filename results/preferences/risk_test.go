package preferences

import (
	"testing"

	"compqa/data"
	"compqa/results/dataset"
)

// A risk–coverage curve has a point for each distinct confidence. The area under it is the mean risk over all choices. The curve is missing
// without choices, or if all have the same confidence. A choice's share of the votes counts valid votes only.
func TestRiskCurve(t *testing.T) {
	b := &board{PairwiseRecord: &dataset.PairwiseRecord{}}
	of := []sureness{{0.6, 1, 1}, {1, 0, 2}, {1, 0, 3}, {0.6, 0, 4}, {0.8, 1, 5}}
	rows := b.curve(RiskRow{}, of)
	want := []struct {
		threshold, coverage, risk float64
	}{{1, 0.4, 0}, {0.8, 0.6, 1. / 3}, {0.6, 1, 0.4}}
	if len(rows) != len(want) {
		t.Fatalf("%+v", rows)
	}
	area := 2*0 + 1./3 + 2*0.4
	for i, w := range want {
		if r := rows[i]; r.Threshold.Value != w.threshold || r.Coverage.Value != w.coverage || r.Risk.Value != w.risk || r.AURC.Value != area/5 {
			t.Errorf("%+v", r)
		}
	}
	if b.curve(RiskRow{}, nil) != nil || b.curve(RiskRow{}, []sureness{{1, 0, 1}, {1, 1, 2}}) != nil {
		t.Error("a judge without different confidences has a curve")
	}
	for _, c := range []struct {
		votes   []string
		choice  data.Choice
		order   string
		share   float64
		several bool
	}{{[]string{"a", "a", "b", "unparsed"}, "a", data.OrderAB, 2. / 3, true}, {[]string{"a", "a", "b"}, "b", data.OrderBA, 2. / 3, true}, {[]string{"a"}, "a", data.OrderAB, 1, false}, {nil, "a", data.OrderAB, 0, false}} {
		if share, several := voted(c.votes, c.choice.In(c.order)); share != c.share || several != c.several {
			t.Errorf("%v: %v, %v", c, share, several)
		}
	}
}
