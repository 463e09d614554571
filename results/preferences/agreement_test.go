package preferences

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/stats/agreement"
)

// kappa of counts is that of package agreement.
func TestCrossTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var c crossTable
		var x, y []float64
		for range 5 + r.IntN(60) {
			a, b := r.IntN(3), r.IntN(3)
			if r.IntN(2) == 0 {
				b = a
			}
			c[a][b]++
			x, y = append(x, float64(a)), append(y, float64(b))
		}
		kappa, err := agreement.CohenKappa(x, y)
		if got, errHere := c.kappa(); (err == nil) != (errHere == nil) || math.Abs(got-kappa) > 1e-12 {
			t.Errorf("%v: kappa %v, want %v", c, got, kappa)
		}
	}
	if _, err := (&crossTable{1: {1: 5}}).kappa(); err == nil {
		t.Error("one class has a kappa")
	}
}

// Each two of many people are not in the Markdown table: workers of published comparisons are
// dozens.
func TestAgreementTableOfManyPeople(t *testing.T) {
	for _, c := range []struct{ persons, rows int }{{2, 3}, {mostPeople + 1, 1}} {
		record := &store.PairwiseRecord{Sets: []store.PairSet{{Name: "set"}}}
		r := &pairwiseReport{board: &board{PairwiseRecord: record}}
		row := func(judge, reference string) AgreementRow {
			return AgreementRow{JudgeOn: JudgeOn{Judge: judge, Dataset: "set"}, Domain: anyDomain, Reference: reference, Kind: dataset.KindHuman, Order: data.OrderAB}
		}
		for i := range c.persons {
			r.judges = append(r.judges, &judge{PairwiseJudge: store.PairwiseJudge{Participant: store.Participant{Name: fmt.Sprint("human:", i), Kind: dataset.KindHuman}}})
		}
		r.agreed = []AgreementRow{row("human:0", "human:1"), row("human:1", "human:0"), row(people, people)}
		if got := len(r.agreementShown()); got != c.rows {
			t.Errorf("%d people: %d rows, want %d", c.persons, got, c.rows)
		}
	}
}
