package judgequality_test

import (
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/raters"
	"compqa/results/recordtest"
	"compqa/rubric"
	"compqa/stats"
	"compqa/stats/agreement"
)

// twoCriteria returns a rubric with two criteria, of at most one and two points.
func twoCriteria() rubric.Rubric {
	return rubric.Rubric{Name: "two", Measurement: "interval", Criteria: []rubric.Criterion{
		{ID: "x", Group: "g", Text: "It is good.", Levels: []rubric.Level{{Points: 0}, {Points: 1}}},
		{ID: "y", Group: "g", Text: "It is short.", Levels: []rubric.Level{{Points: 0}, {Points: 1}, {Points: 2}}},
	}}
}

// ofTwo returns a fixture of sheets on two criteria. sheets has, by judge, one sheet for each question.
func ofTwo(kinds map[string]string, sheets map[string][][2]float64) recordtest.Fixture {
	judges := slices.Sorted(func(yield func(string) bool) {
		for j := range sheets {
			if !yield(j) {
				return
			}
		}
	})
	var rows []recordtest.Scored
	for _, j := range judges {
		rows = append(rows, recordtest.By(j, "s", "1", make([]float64, len(sheets[j]))...))
	}
	f := recordtest.Of(kinds, rows...)
	f.Rubric = twoCriteria()
	at := 0
	for _, j := range judges {
		for _, s := range sheets[j] {
			f.Verdicts[at].Scores = data.Scores{"x": s[0], "y": s[1]}
			at++
		}
	}
	return f
}

// pairsAt returns the values of a contestant and of people at a level and item.
func pairsAt(t *testing.T, of *judgequality.Tables, name, level, item string) (judgequality.Contestant, raters.Pairs) {
	t.Helper()
	for rated := range judgequality.Compared(of.Leaderboard().Dataset) {
		for k, c := range rated.Contestants {
			for l := range rated.Levels() {
				if c.Name == name && l.Name == level && l.Item == item {
					table, judge, reference := l.Pair(k, nil)
					return c, table.Pairs(judge, reference)
				}
			}
		}
	}
	t.Fatalf("no contest of %s", name)
	return judgequality.Contestant{}, raters.Pairs{}
}

func totalsAt(t *testing.T, of *judgequality.Tables, name string) (judgequality.Contestant, raters.Pairs) {
	return pairsAt(t, of, name, dataset.LevelFinal, dataset.NoItem)
}

// TestCriterionMean by hand: people's sheets on three pairs are (1, 2), (0, 1), (1, 0), and a second sheet on the first pair is (0, 2). The
// means without the first pair are (1/2, 1/2), without the second (2/3, 4/3), without the third (1/3, 5/3).
func TestCriterionMean(t *testing.T) {
	f := ofTwo(map[string]string{"human": dataset.KindHuman}, map[string][][2]float64{
		"human": {{1, 2}, {0, 1}, {1, 0}}, "j": {{1, 2}, {1, 2}, {0, 0}}})
	f.Verdicts = append(f.Verdicts, data.Verdict{Answer: f.Answers[0].ID, Judge: "human", Repeat: 2, Scores: data.Scores{"x": 0, "y": 2}})
	of := computed(t, f)
	for item, want := range map[string][]float64{"x": {1. / 2, 1. / 2, 2. / 3, 1. / 3}, "y": {1. / 2, 1. / 2, 4. / 3, 5. / 3}} {
		_, p := pairsAt(t, of, "criterion-mean", dataset.LevelCriterion, item)
		if len(p.Judge) != len(want) {
			t.Fatalf("%d units, want %d", len(p.Judge), len(want))
		}
		for i, mean := range p.Judge {
			recordtest.Near(t, "a mean on other pairs", stats.Number(mean), want[i])
		}
	}
	_, sums := totalsAt(t, of, "criterion-mean")
	recordtest.Near(t, "their sum", stats.Number(sums.Judge[2]), 2)
	all := agreementAt(t, of, "criterion-mean", "human", dataset.LevelSeparate, dataset.NoItem)
	if all.Kind != "floor" || all.N != 4 || !all.Pearson.Known || all.Agreement.Known || all.AlphaNominal.Known {
		t.Errorf("over all criteria: %+v", all)
	}
	for _, level := range []string{dataset.LevelFinal, dataset.LevelWithinCriterion, dataset.LevelWithinSystem} {
		r := agreementAt(t, of, "criterion-mean", "human", level, dataset.NoItem)
		if r.Pearson.Known || r.Spearman.Known || r.KendallTauB.Known || r.AlphaOrdinal.Known || !r.AlphaInterval.Known {
			t.Errorf("%s: what differs by the pair left out alone is correlated: %+v", level, r)
		}
	}
}

// With a single object pair there are no other pairs to learn the means from.
func TestCriterionMeanOfOnePair(t *testing.T) {
	of := computed(t, ofTwo(map[string]string{"human": dataset.KindHuman}, map[string][][2]float64{"human": {{1, 2}}, "j": {{1, 1}}}))
	if _, p := totalsAt(t, of, "criterion-mean"); len(p.Units) != 0 {
		t.Errorf("%d units", len(p.Units))
	}
}

// The constant baseline is the recorded one, or else made from the rubric.
func TestConstantFloor(t *testing.T) {
	sheets := map[string][][2]float64{"human": {{1, 2}, {0, 1}}, "j": {{1, 1}, {0, 0}}}
	of := computed(t, ofTwo(map[string]string{"human": dataset.KindHuman}, sheets))
	if u, p := totalsAt(t, of, "constant"); of.JudgeNamed("constant") >= 0 || !slices.Equal(p.Judge, []float64{3, 3}) {
		t.Errorf("made of the rubric: %+v, %v", u, p.Judge)
	}
	sheets["constant"] = [][2]float64{{1, 2}}
	of = computed(t, ofTwo(map[string]string{"human": dataset.KindHuman, "constant": dataset.KindFloor}, sheets))
	if _, p := totalsAt(t, of, "constant"); len(p.Units) != 1 {
		t.Errorf("on record with one verdict, and used with %d", len(p.Units))
	}
	// a model with this name is a judge like any other, and the baseline gets another name
	of = computed(t, ofTwo(map[string]string{"human": dataset.KindHuman}, sheets))
	if u, _ := totalsAt(t, of, "constant"); u.Kind != dataset.KindOfJudge {
		t.Errorf("a model called constant is of kind %s", u.Kind)
	}
	if u, p := totalsAt(t, of, "floor:constant"); u.Kind != dataset.KindFloor || len(p.Units) != 2 {
		t.Errorf("%+v", u)
	}
}

// A shuffled judge has the same sheets on other answers. Two sheets of people on one answer are compared with the same sheet. Another seed
// shuffles differently.
func TestShuffled(t *testing.T) {
	totals := make([]float64, 20)
	for i := range totals {
		totals[i] = float64(i) / 4
	}
	f := recordtest.Of(map[string]string{"human": dataset.KindHuman}, recordtest.By("j", "s", "1", totals...), recordtest.By("human", "s", "1", totals...))
	again := f.Answers[3].ID
	f.Verdicts = append(f.Verdicts, data.Verdict{Answer: again, Judge: "human", Repeat: 2, Scores: data.Scores{"x": 5}})
	dealt := func(seed int64) []float64 {
		f.Seed = seed
		u, p := totalsAt(t, computed(t, f), "shuffled:j")
		if len(p.Units) != 21 || u.Owner != "j" {
			t.Fatalf("%d units of %q", len(p.Units), u.Owner)
		}
		if p.Judge[3] != p.Judge[4] {
			t.Error("one answer has two sheets of the shuffled judge")
		}
		return slices.Delete(p.Judge, 4, 5)
	}
	first := dealt(1)
	if slices.Equal(first, totals) || !slices.Equal(slices.Sorted(slices.Values(first)), totals) {
		t.Errorf("dealt: %v", first)
	}
	if !slices.Equal(first, dealt(1)) || slices.Equal(first, dealt(2)) {
		t.Error("the deal does not depend on the seed alone")
	}
}

// Margins are differences of agreement on the units that both have. The recorded baseline lacks two units.
func TestMarginsAreOfCommonUnits(t *testing.T) {
	people := []float64{0, 5, 1, 4, 2, 3, 0, 5}
	judge := []float64{1, 5, 0, 4, 2, 2, 1, 4}
	of := computed(t, recordtest.Of(map[string]string{"human": dataset.KindHuman, "constant": dataset.KindFloor},
		recordtest.By("j", "s", "1", judge...), recordtest.By("human", "s", "1", people...), recordtest.By("constant", "s", "1", 5, 5, 5, 5, 5, 5)))
	full := slices.Repeat([]float64{5}, 6)
	var sides [2]*stats.Replicates
	for i, scores := range [][]float64{judge[:6], full} {
		var err error
		if sides[i], err = agreement.Resample(scores, people[:6], []int{0, 1, 2, 3, 4, 5}, of.Resampling()); err != nil {
			t.Fatal(err)
		}
	}
	difference := sides[0].Minus(sides[1])
	want, err := difference.Distribution(agreement.OfAlpha)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range of.Floors {
		if r.Judge != "j" || r.Floor != "constant" || r.Level != dataset.LevelFinal {
			continue
		}
		if r.N != 6 || r.Spearman.Known || r.Pearson.Known {
			t.Errorf("%+v", r)
		}
		recordtest.Near(t, "the margin of alpha", r.Alpha, difference.Values[agreement.OfAlpha])
		recordtest.Near(t, "its lower bound", r.Alpha.Lower(), want.Low)
		recordtest.Near(t, "its upper bound", r.Alpha.Upper(), want.High)
		return
	}
	t.Error("no such row")
}

// Known from independent code for the authors' release, pooled over criteria: full marks correlate with people at 0.67, the usual score of
// each criterion at 0.71, and GPT-4o's verdicts at 0.66. GPT-4o beats neither baseline there, but both within criteria.
func TestSoakReleaseFloors(t *testing.T) {
	sharedtest.Soak(t)
	of := ofTheRelease(t)
	for judge, want := range map[string]string{"constant": "0.67", "criterion-mean": "0.71", "gpt-4o": "0.66"} {
		if r := agreementAt(t, of, judge, "human", dataset.LevelSeparate, dataset.NoItem); r.Pearson.Point().Text(2) != want {
			t.Errorf("%s: Pearson %s, want %s", judge, r.Pearson.Text(4), want)
		}
	}
	i := slices.IndexFunc(of.Assessments, func(w judgequality.JudgeAssessment) bool { return w.Judge == "gpt-4o" })
	if i < 0 {
		t.Fatal("no assessment of gpt-4o")
	}
	w := of.Assessments[i]
	if !strings.Contains(w.Verdict, "all criteria (constant, criterion-mean)") {
		t.Errorf("over all criteria it does not beat constant and criterion-mean: %s", w.Verdict)
	}
	if n := len(floorsAt(of, w.Judge, dataset.LevelWithinCriterion)); w.WithinCriterion != "yes" || n != 3 {
		t.Errorf("within criteria: %s, of %d floors", w.WithinCriterion, n)
	}
	if w.TieRate.Known || w.StandIn != "no" || w.Annotators != 2 || len(w.Ceilings) != 2 {
		t.Errorf("alternative-annotator test: %+v", w.AltTest)
	}
	for _, r := range w.AltTest.Ceilings {
		if !r.Alpha.BelowZero() {
			t.Errorf("with %s it agrees on totals by %s more than %s does", r.Reference, r.Alpha.Text(3), r.Floor)
		}
	}
}
