package trust_test

import (
	"errors"
	"math"
	"strconv"
	"testing"

	"compqa/results/trust"
	"compqa/stats"
	"compqa/stats/statstest"
)

// scored returns items of two systems, which each answered n questions under two scenarios. The judge adds 1 to people's points for A.
// People labelled the first answers of each system. shift is added to A's points.
func scored(n, labelled int, shift float64) (items trust.Items) {
	for q := range n {
		for s, system := range []string{"A", "B"} {
			for scenario := range 2 {
				people := float64((q*7+s*3+scenario*q)%5) + map[string]float64{"A": shift}[system]
				items.List = append(items.List, trust.Item{Place: trust.Place{Pair: q, Scenario: scenario}, System: system,
					Judge: people + float64(1-s) + float64(q%3)/2, People: people, HasPeople: q < labelled})
			}
		}
	}
	return items
}

// If people labelled everything, the corrected difference equals that of their points.
func TestCorrectedDifferenceIsPaired(t *testing.T) {
	items := scored(12, 12, 0)
	items.List = append(items.List, trust.Item{Place: trust.Place{Pair: 3, Scenario: 5}, System: "A", Judge: 90, People: 90, HasPeople: true}) // B has none
	var sides [2]trust.Side
	for _, item := range items.List {
		sides[map[string]int{"B": 1}[item.System]].Add(item.Place, item.People)
	}
	want, err := trust.ComparePaired(sides[0], sides[1])
	if err != nil {
		t.Fatal(err)
	}
	d, labelled := items.Difference("A", "B")
	if d.Value.N != 12 || labelled != 12 || want[0].Value.N != 12 {
		t.Errorf("%d questions, %d with labels, %d paired", d.Value.N, labelled, want[0].Value.N)
	}
	for i, pair := range [][2]float64{{d.Value.Value, want[0].Value.Value}, {d.Value.Low, want[0].Value.Low}, {d.Value.High, want[0].Value.High},
		{d.P.Value, want[0].P.Value}} {
		statstest.Near(t, []string{"difference", "low", "high", "p"}[i], pair[0], pair[1], 1e-9)
	}
}

// The difference is the first system minus the second: a point more for A raises it by a point. It needs five questions.
func TestCorrectedDifference(t *testing.T) {
	before, _ := scored(20, 10, 0).Difference("A", "B")
	after, labelled := scored(20, 10, 1).Difference("A", "B")
	statstest.Near(t, "a point more for A", after.Value.Value-before.Value.Value, 1, 1e-9)
	exchanged, _ := scored(20, 10, 1).Difference("B", "A")
	statstest.Near(t, "B minus A", exchanged.Value.Value, -after.Value.Value, 1e-9)
	if labelled != 10 || after.Value.N != 20 || !after.Value.Bounded || !after.P.Known {
		t.Errorf("%+v, %d", after, labelled)
	}
	for n, known := range map[int]bool{4: false, 5: true} {
		if d, _ := scored(n, n, 0).Difference("A", "B"); d.Value.Known != known || d.Value.N != n {
			t.Errorf("%d questions: %+v", n, d.Value)
		}
	}
}

// With ten labels or more, people's points correct the mean. With fewer, there is only the mean of people's own points.
func TestCorrectNeedsTenLabels(t *testing.T) {
	for labels, known := range map[int]bool{0: false, 9: false, 10: true} {
		sample := stats.PPISample{Unlabelled: []float64{1, 2, 3, 4}, UnlabelledClusters: []int{20, 21, 22, 23}}
		for i := range labels {
			sample.Human = append(sample.Human, float64(i%4))
			sample.Judge = append(sample.Judge, float64(i%4)+float64(i%2))
			sample.Clusters = append(sample.Clusters, i)
		}
		c, err := trust.Correct(sample)
		if err != nil || c.Mean.Known != known || c.Lambda.Known != known || c.LabelMean.Known != (labels > 0) {
			t.Errorf("%d labels: %+v, %v", labels, c, err)
		}
	}
	if _, err := trust.Correct(stats.PPISample{Human: []float64{math.NaN()}, Judge: []float64{1}}); !errors.Is(err, stats.ErrInvalidValue) {
		t.Errorf("a label that is no number: %v", err)
	}
}

// A bias is judge minus people, and is subtracted from the judge's mean.
func TestTransferTakesTheBiasAway(t *testing.T) {
	var items trust.Items
	for s, judgeMinusPeople := range [][]float64{{1, 2, 3}, {2, 3, 4}, {1, 1, 4}} {
		for question, by := range judgeMinusPeople {
			items.List = append(items.List, trust.Item{Place: trust.Place{Pair: question}, System: strconv.Itoa(s), Judge: 5 + by, People: 5, HasPeople: true})
		}
	}
	b, err := items.Biases([]string{"0", "1", "2", "3"})
	if err != nil || len(b) != 3 || b[0].Mean != 2 {
		t.Fatalf("%+v, %v", b, err)
	}
	model, err := b.Model()
	if err != nil {
		t.Fatal(err)
	}
	transfer := trust.Transfer{Known: b, Effects: model, Unseen: model}
	for system, basis := range map[int]string{0: trust.BasisBoth, 3: trust.BasisTransfer} {
		f, got := transfer.Correct(trust.Correction{}, stats.WithInterval(10, 9, 11), system)
		if got != basis || !(f.Value < 9 && f.Low < f.Value && f.Value < f.High) {
			t.Errorf("system %d: %s on %s", system, f.Text(2), got)
		}
	}
}
