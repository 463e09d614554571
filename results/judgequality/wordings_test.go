package judgequality_test

import (
	"testing"

	"compqa/results/dataset"
	"compqa/results/recordtest"
	"compqa/stats"
)

// By hand, on three answers that both scored: ours gives 5, 3 and 4 points, theirs 4, 3 and 2, people 5, 1 and 3. The deviations from the
// means are 1, -1, 0; 1, 0, -1; and 2, -2, 0. The fourth answer has no verdict in the authors' words. Judges with another model, or another
// provider, are not compared.
func TestWordings(t *testing.T) {
	f := recordtest.Of(map[string]string{"human": dataset.KindHuman}, recordtest.By("ours", "s", "1", 5, 3, 4, 1),
		recordtest.By("theirs", "s", "1", 4, 3, 2, recordtest.Unread), recordtest.By("model", "s", "1", 5, 3, 4, 1),
		recordtest.By("provider", "s", "1", 5, 3, 4, 1), recordtest.By("human", "s", "1", 5, 1, 3, 5))
	const authors = `{"name": "theirs", "provider": "p", "model": "m", "template": "release"}`
	f.Config = `{"judges": [{"name": "ours", "provider": "p", "model": "m"}, ` + authors + `, ` + authors + `,
		{"name": "model", "provider": "p", "model": "n"}, {"name": "provider", "provider": "q", "model": "m"},
		{"name": "gone", "provider": "p", "model": "m"}]}`
	of := computed(t, f)
	if len(of.Wordings) != 1 {
		t.Fatalf("%d rows: %+v", len(of.Wordings), of.Wordings)
	}
	r := of.Wordings[0]
	if r.Judge != "ours" || r.Authors != "theirs" || r.N != 3 || r.Human != 3 {
		t.Errorf("%+v", r)
	}
	recordtest.Near(t, "our mean", r.Mean, 4)
	recordtest.Near(t, "the authors' mean", r.AuthorsMean, 3)
	recordtest.Near(t, "the difference", r.Difference, 1)
	recordtest.Near(t, "r of both", r.Pearson, 0.5)
	recordtest.Near(t, "ours and people", r.People, 1)
	recordtest.Near(t, "theirs and people", r.AuthorsHuman, 0.5)
	interval, err := stats.MeanInterval([]float64{1, 0, 2}, []int{0, 1, 2}, dataset.Confidence)
	if err != nil {
		t.Fatal(err)
	}
	recordtest.Near(t, "the lower bound", r.Difference.Lower(), interval.Low)
	recordtest.Near(t, "the upper bound", r.Difference.Upper(), interval.High)
}

// Without people, correlations with them are missing. Without a judge in the authors' words the row is missing.
func TestWordingsWithoutPeople(t *testing.T) {
	f := recordtest.Of(nil, recordtest.By("ours", "s", "1", 5, 3), recordtest.By("theirs", "s", "1", 4, 3))
	f.Config = `{"judges": [{"name": "ours", "provider": "p", "model": "m"}, {"name": "theirs", "provider": "p", "model": "m", "template": "release"}]}`
	if rows := computed(t, f).Wordings; len(rows) != 1 || rows[0].N != 2 || rows[0].Human != 0 || rows[0].People.Known || rows[0].AuthorsHuman.Known {
		t.Errorf("%+v", rows)
	}
	f.Config = `{"judges": [{"name": "ours", "provider": "p", "model": "m"}, {"name": "theirs", "provider": "p", "model": "m"}]}`
	if rows := computed(t, f).Wordings; rows != nil {
		t.Errorf("%+v", rows)
	}
}
