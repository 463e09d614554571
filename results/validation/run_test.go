package validation

import (
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
)

// TestSidesOfRun: of a judge, the first sheet of an item counts. With Repeats, its further sheets are items of their own with the number of
// the repeat. Each score belongs to its item.
func TestSidesOfRun(t *testing.T) {
	j := &data.Judgements{From: "run", Raters: []data.Rater{{Name: "judge", Kind: data.KindJudge}}, Texts: []string{"x", "y"},
		Criteria: []data.Measured{{ID: "1", Name: "clear"}}}
	for i, id := range []string{"a", "b"} {
		j.Items = append(j.Items, data.Rated{ID: id, Asked: &data.Question{}})
		for repeat := range int32(3) {
			j.Sheets = append(j.Sheets, data.Given{Item: int32(i), Repeat: repeat + 1,
				Ending: &data.Ending{Status: data.Valid, Scores: []float64{float64(10*i) + float64(repeat)}}})
		}
	}
	if log := SideOfRun(j, Side{}); len(log.Items) != 2 || log.Values.Len() != 2 || log.Values.At(data.RowPlace{Row: 1}).Value != "10" {
		t.Errorf("first sheets: %+v", log.Items)
	}
	log := SideOfRun(j, Side{Repeats: true})
	if len(log.Items) != 6 || log.Values.Len() != 6 {
		t.Fatalf("%d items, %d scores", len(log.Items), log.Values.Len())
	}
	for i, value := range []string{"0", "1", "2", "10", "11", "12"} {
		score := log.Values.At(data.RowPlace{Row: i})
		item := log.Items[score.Item]
		if score.Value != value || item.ID != j.Items[i/3].ID || item.About().Repeat != []int{0, 2, 3}[i%3] {
			t.Errorf("%+v of %+v, want %s", score, item, value)
		}
	}
}

// TestPaidPerVerdict: the price of a verdict is what the judge's verdicts cost together, divided by their number. Judges that are programs
// are free. Judges with attempts of unknown price, or with imported verdicts, have no price.
func TestPaidPerVerdict(t *testing.T) {
	account := func(judge string, cost float64, unpriced int) store.CostAccount {
		return store.CostAccount{Party: store.Party{Kind: store.KindVerdict, Name: judge}, Cost: cost, Unpriced: unpriced}
	}
	x := &dataset.Dataset{Run: &dataset.Run{
		Judges: []store.Participant{{Name: "paid", Kind: "model"}, {Name: "rules", Kind: dataset.KindEmbedded}, {Name: "unknown", Kind: "model"},
			{Name: "imported", Kind: "imported"}},
		Costs:  []store.CostAccount{account("paid", .03, 0), account("paid", .01, 0), account("unknown", 1, 2)},
		Sheets: []data.Given{{}, {}, {}, {}, {Rater: 1}, {Rater: 2}, {Rater: 3}}}}
	for i := range x.Sheets {
		x.Sheets[i].Ending = &data.Ending{}
	}
	prices := PaidPerVerdict(x)
	if len(prices) != 2 || prices["paid"] != .01 || prices["rules"] != 0 {
		t.Errorf("%v", prices)
	}
}
