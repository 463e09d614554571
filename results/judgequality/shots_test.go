package judgequality_test

import (
	"fmt"
	"strings"
	"testing"

	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/recordtest"
	"compqa/rubric"
)

// Three judges ask the same model with different examples. Of the other judges, one asks another model, one asks by group, one uses the
// authors' words, and one is not in the record. People give 0 to 5 points; a judge adds the points in its row, up to 5.
func TestShots(t *testing.T) {
	people := recordtest.Sawtooth(24, 5)
	rows := []recordtest.Scored{recordtest.By("human", "s", "1", people...)}
	var declared []string
	for _, judge := range []struct {
		name     string
		more     float64
		declared string
	}{
		{"none", 2, `"model": "m", "examples": 0`},
		{"made", 1, `"model": "m", "examples": 3`},
		{"peoples", 0, `"model": "m", "examples": 3, "examples_from": "people"`},
		{"other", 1, `"model": "n", "examples": 1`},
		{"group", 1, `"model": "m", "examples": 1, "ask": "group"`},
		{"theirs", 1, `"model": "m", "examples": 1, "template": "release"`},
	} {
		totals := make([]float64, len(people))
		for i, points := range people {
			totals[i] = min(5, points+judge.more)
		}
		rows = append(rows, recordtest.By(judge.name, "s", "1", totals...))
		declared = append(declared, fmt.Sprintf(`{"name": %q, "provider": "p", %s}`, judge.name, judge.declared))
	}
	declared = append(declared, `{"name": "gone", "provider": "p", "model": "m", "examples": 5}`, declared[0])
	f := recordtest.Of(map[string]string{"human": dataset.KindHuman}, rows...)
	f.Config = `{"judges": [` + strings.Join(declared, ", ") + `]}`
	of := computed(t, f)
	want := []struct {
		judge, kind string
		shots       int
		difference  float64 // for people's 0 to 5 points, four answers each
	}{{"none", "-", 0, (4*2 + 1) / 6.0}, {"made", "made-up", 3, 5 / 6.0}, {"peoples", "people", 3, 0}}
	if len(of.Shots) != len(want) {
		t.Fatalf("%d rows: %+v", len(of.Shots), of.Shots)
	}
	for i, w := range want {
		r := of.Shots[i]
		if r.Model != "m" || r.Judge != w.judge || r.Kind != w.kind || r.Shots != w.shots || r.Reference != "human" || r.N != 24 {
			t.Errorf("row %d is %+v, want %+v", i, r, w)
		}
		recordtest.Near(t, w.judge+": the mean difference", r.MeanDifference, w.difference)
		totals := agreementAt(t, of, w.judge, "human", dataset.LevelFinal, dataset.NoItem)
		recordtest.Near(t, w.judge+": alpha", r.AlphaInterval, totals.AlphaInterval.Value)
		recordtest.Near(t, w.judge+": rho", r.Spearman, totals.Spearman.Value)
	}
	recordtest.Near(t, "alpha of a judge that is people", of.Shots[2].AlphaInterval, 1)
	if sections := of.ShotSections(); len(sections) != 1 || len(sections[0].Table.Rows) != 3 {
		t.Errorf("%+v", sections)
	}
}

// Judges with the same examples are in no table. A judge that declares no number uses the examples of the built-in rubric; other rubrics
// have none.
func TestShotsByDefault(t *testing.T) {
	shots := func(r rubric.Rubric, second string) []judgequality.ShotRow {
		f := recordtest.Of(map[string]string{"human": dataset.KindHuman}, recordtest.By("a", "s", "1", 1, 2), recordtest.By("b", "s", "1", 1, 2),
			recordtest.By("human", "s", "1", 1, 2))
		f.Config = `{"judges": [{"name": "a", "provider": "p", "model": "m"}, {"name": "b", "provider": "p", "model": "m"` + second + `}]}`
		if f.Rubric = r; r.BuiltIn() {
			for i := range f.Verdicts {
				f.Verdicts[i].Scores = r.Full()
			}
		}
		return computed(t, f).Shots
	}
	for _, c := range []struct {
		rubric rubric.Rubric
		second string
		want   string
	}{
		{recordtest.OneCriterion(), ``, ""},
		{recordtest.OneCriterion(), `, "examples": 0`, ""},
		{recordtest.OneCriterion(), `, "examples": 2`, "a 0 -, b 2 made-up"},
		{rubric.CQA(), `, "examples": 2`, ""},
		{rubric.CQA(), `, "examples": 0`, "b 0 -, a 2 made-up"},
	} {
		var got []string
		for _, r := range shots(c.rubric, c.second) {
			got = append(got, fmt.Sprint(r.Judge, " ", r.Shots, " ", r.Kind))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s%s: %q, want %q", c.rubric.Name, c.second, text, c.want)
		}
	}
}
