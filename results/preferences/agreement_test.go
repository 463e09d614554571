package preferences

import (
	"fmt"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
)

// With many people, the Markdown table leaves out the agreement of each two of them, because published comparisons have dozens of workers.
func TestAgreementTableOfManyPeople(t *testing.T) {
	for _, c := range []struct{ persons, rows int }{{2, 3}, {mostPeople + 1, 1}} {
		record := &dataset.PairwiseRecord{Sets: []store.PairSet{{Name: "set"}}}
		r := &Report{board: &board{PairwiseRecord: record}}
		row := func(judge, reference string) AgreementRow {
			return AgreementRow{JudgeOn: JudgeOn{Judge: judge, Dataset: "set"}, Domain: anyDomain, Reference: reference, Kind: dataset.KindHuman, Order: data.OrderAB}
		}
		for i := range c.persons {
			r.judges = append(r.judges, &judge{Participant: store.Participant{Name: fmt.Sprint("human:", i), Kind: dataset.KindHuman}})
		}
		r.agreed = []AgreementRow{row("human:0", "human:1"), row("human:1", "human:0"), row(people, people)}
		if got := len(r.agreementShown()); got != c.rows {
			t.Errorf("%d people: %d rows, want %d", c.persons, got, c.rows)
		}
	}
}
