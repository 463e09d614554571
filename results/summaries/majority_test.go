package summaries

import (
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
)

// TestUsefulByMajority has three people who label four rows YYN, YYY, NNY and YNO (from the specification of the measures, strum.md,
// section 2.5). Two rows have a majority for helpful. A row on which two other judges disagree is left out. A judge without a label on a
// row has no vote.
func TestUsefulByMajority(t *testing.T) {
	x := made(configOfThree, map[string][]string{"full": {"YNNN", ""}, "none": {"", ""}, "some": {"", ""}})
	add := func(judge, rows string) {
		x.LabelPlan = append(x.LabelPlan, store.PlanCell{Kind: data.LabelRows, Judge: judge, System: "full", Scenario: "1", Planned: 2})
		labels := dataset.SummaryLabels{Judge: judge, Kind: data.LabelRows, Status: data.Valid, Labels: data.Labels{Rows: labelled(rows)}}
		for i, is := range rows {
			if is == '-' {
				labels.Rows[i] = data.RowLabel{Label: data.RowUnlabelled}
			}
		}
		x.Answers[0].Summary.Labels = append(x.Answers[0].Summary.Labels, labels)
	}
	for judge, rows := range map[string]string{"human:a": "YYNY", "human:b": "YYNN", "human:c": "NYYO", "human:d": "----", "k": "NNNN"} {
		add(judge, rows)
	}
	tables, err := New(x)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][3]float64{people: {.5, 4, 1}, models: {0, 4, 1}} {
		share := tables.exactly("full", name, useful)
		rows := tables.exactly("full", name, assessed)
		if share.Planned != 2 || share.Valid != int(want[2]) || share.Value.Point().Pointer() == nil {
			t.Fatalf("%s: %+v", name, share)
		}
		near(t, name, share.Value.Value, want[0])
		near(t, name, rows.Value.Value, want[1])
	}
	if none := tables.exactly("none", people, useful); none.Measure != "" {
		t.Errorf("%+v", none)
	}
	if text := tables.Document().Markdown(); !strings.Contains(text, "## Useful rows by majority") {
		t.Errorf("%s", text)
	}
}
