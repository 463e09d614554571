package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

func judgeRow(t *testing.T, of *Report, judge string) judgequality.JudgeRow {
	t.Helper()
	i := slices.IndexFunc(of.JudgeFigures, func(r judgequality.JudgeRow) bool { return r.Judge == judge })
	if i < 0 {
		t.Fatalf("no figures of %s", judge)
	}
	return of.JudgeFigures[i]
}

// By hand: j gives a 1 and 0 points more than people, b 2 and 4.
func TestLeniency(t *testing.T) {
	of := computed(t, fixtureOf(map[string]string{"human": dataset.KindHuman, "constant": dataset.KindFloor},
		scored{"j", "a", "1", []float64{2, 3, 5}}, scored{"j", "b", "1", []float64{4, 5}}, scored{"constant", "a", "1", []float64{5, 5}},
		scored{"human", "a", "1", []float64{1, 3}}, scored{"human", "b", "1", []float64{2, 1}}))
	want := []judgequality.LeniencyRow{{Judge: "j", System: "a", N: 2, Difference: table.Bounded{Value: table.Number(0.5)}}, {Judge: "j", System: "b", N: 2, Difference: table.Bounded{Value: table.Number(3)}}, {Judge: "j", System: dataset.AllSystems, N: 4, Difference: table.Bounded{Value: table.Number(1.75)}}}
	if len(of.Lenient) != len(want) {
		t.Fatalf("%d rows: %+v", len(of.Lenient), of.Lenient)
	}
	for i, r := range of.Lenient {
		if r.Judge != want[i].Judge || r.System != want[i].System || r.N != want[i].N {
			t.Errorf("row %d is %+v", i, r)
		}
		near(t, "the leniency with "+r.System, r.Difference, *want[i].Difference.Value.Number)
	}
	all, err := stats.MeanInterval([]float64{1, 0, 2, 4}, []int{0, 1, 0, 1}, dataset.Confidence)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "its lower bound", of.Lenient[2].Difference.Low, all.Low)
}

// By hand, j of family f: under scenario 1 it gives its kin 2 and 3 points more
// than people do and the others 1 and 1, under scenario 2 its kin 1 and 1, the
// others 2 and 1. So it prefers its kin by 3/2 and by -1/2, and by 1/2 on
// average. Scenario - has answers of one sort only.
func TestPreference(t *testing.T) {
	f := fixtureOf(map[string]string{"human": dataset.KindHuman}, times(10,
		scored{"j", "kin", "1", []float64{4, 4}}, scored{"j", "other", "1", []float64{2, 3}},
		scored{"j", "kin", "2", []float64{2, 3}}, scored{"j", "other", "2", []float64{4, 4}}, scored{"j", "other", "-", []float64{5, 5}},
		scored{"human", "kin", "1", []float64{2, 1}}, scored{"human", "other", "1", []float64{1, 2}},
		scored{"human", "kin", "2", []float64{1, 2}}, scored{"human", "other", "2", []float64{2, 3}}, scored{"human", "other", "-", []float64{1, 1}},
		scored{"k", "kin", "1", []float64{2, 4}}, scored{"k", "other", "1", []float64{2, 4}},
		scored{"sister", "kin", "1", []float64{0, 0}}, scored{"sister", "other", "1", []float64{5, 5}})...)
	for i := range f.systems {
		if f.systems[i].Name == "kin" {
			f.systems[i].Family = "f"
		}
	}
	for i := range f.judges {
		if f.judges[i].Name == "j" || f.judges[i].Name == "sister" {
			f.judges[i].Family = "f"
		}
	}
	r := judgeRow(t, computed(t, f), "j")
	near(t, "the preference", r.FamilyPeople, 0.5)
	if !r.FamilyPeople.Low.Known() || !slices.Equal(r.FamilySystems, []string{"kin"}) {
		t.Errorf("%+v", r)
	}
	if r := judgeRow(t, computed(t, f), "k"); r.FamilySystems != nil || r.FamilyPeople.Known() {
		t.Errorf("a judge without a family: %+v", r)
	}
}

// Ranks, by hand: words 1 2 3 4 5, points 2 1 4 3 5.
func TestLengthEffect(t *testing.T) {
	f := fixtureOf(map[string]string{"human": dataset.KindHuman},
		scored{"j", "s", "1", []float64{2, 1, 4, 3, 5}}, scored{"human", "s", "1", []float64{1, 3, 2, 5, 4}})
	f.sizes = map[string]store.Size{}
	for i, a := range f.answers {
		f.sizes[a.ID] = store.Size{Words: 10 * (i + 1), Sentences: 1}
	}
	of := computed(t, f)
	r := judgeRow(t, of, "j")
	near(t, "rho", r.Length, 0.8)
	if r.LengthN != 5 {
		t.Errorf("n is %d", r.LengthN)
	}
	if h := judgeRow(t, of, "human"); h.Kind != "human" || !h.Length.Known() || h.LeniencyN != 0 {
		t.Errorf("people: %+v", h)
	}
	same := computed(t, fixtureOf(map[string]string{"human": dataset.KindHuman}, scored{"j", "s", "1", []float64{1, 2, 3}}, scored{"human", "s", "1", []float64{1, 2, 3}}))
	if r := judgeRow(t, same, "j"); r.Length.Known() {
		t.Errorf("answers of one length: %+v", r)
	}
}

// Two answers scored twice and one once: (2, 2) and (4, 5).
func TestRepetition(t *testing.T) {
	f := fixtureOf(nil, scored{"j", "s", "1", []float64{2, 4, 1}})
	for i, total := range []float64{2, 5} {
		f.verdicts = append(f.verdicts, data.Verdict{Answer: f.answers[i].ID, Judge: "j", Repeat: 2, Scores: data.Scores{"x": total}})
	}
	r := judgeRow(t, computed(t, f), "j")
	if r.RepeatedAnswers != 2 {
		t.Fatalf("%d answers were scored more than once", r.RepeatedAnswers)
	}
	near(t, "the share of equal sheets", r.SelfEqual, 0.5)
	near(t, "the distance", r.SelfDistance, 0.5)
	ratings, err := agreement.PairedRatings([]float64{2, 4}, []float64{2, 5})
	if err != nil {
		t.Fatal(err)
	}
	alpha, err := agreement.Alpha(ratings, agreement.Interval)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "alpha of totals", r.SelfTotals, alpha.Alpha)
}

// By hand: errors of a and b are 1, 0, 0, -1 and 1, 0, 0, -1 (twice the same judge), of c
// 0, 1, -1, 0. Correlations are 1, 0, 0: mean 1/3, and three judges count as 3/(1 + 2/3).
func TestEffectiveJudges(t *testing.T) {
	of := computed(t, fixtureOf(map[string]string{"human": dataset.KindHuman}, times(8,
		scored{"a", "s", "1", []float64{2, 2, 3, 3}}, scored{"b", "s", "1", []float64{2, 2, 3, 3}}, scored{"c", "s", "1", []float64{1, 3, 2, 4}},
		scored{"human", "s", "1", []float64{1, 2, 3, 4}}, scored{"idle", "s", "1", []float64{unread}})...))
	if n := len(of.Effective); n != 1 {
		t.Fatalf("%d panels, want that of a, b, c", n)
	}
	r := of.Effective[0]
	near(t, "the correlation of errors", r.Correlation, 1.0/3)
	near(t, "the number of judges", r.Effective, 9.0/5)
	if r.N != 32 || strings.Join(r.Judges, " ") != "a b c" || r.Corrected.Known() || r.AlphaBest.Text(9) != of.AgreementAt(r.Best, "human", dataset.LevelFinal).AlphaInterval.Value.Text(9) {
		t.Errorf("%+v", r)
	}
	if of.Halos[0].Correlation.Known() {
		t.Errorf("answers with one criterion have a halo: %+v", of.Halos[0])
	}
	if one := computed(t, fixtureOf(nil, scored{"a", "s", "1", []float64{1, 2}})); one.Effective != nil || one.Halos != nil {
		t.Error("panels without people")
	}
}

// Below 30 answers of 10 questions nothing is said about several judges, and the report says what is
// missing. Ten repeated answers are no ten questions.
func TestTooFewForSeveralJudges(t *testing.T) {
	for _, c := range []struct {
		systems, questions int
		lacks              string
	}{
		{1, 29, "not enough data: 29 shared answers of 29 questions; at least 30 of 10 are needed"},
		{5, 9, "not enough data: 45 shared answers of 9 questions; at least 30 of 10 are needed"},
		{2, 15, ""},
	} {
		var rows []scored
		for s := range c.systems {
			for j, judge := range []string{"a", "b", "c", "human", "human:1", "human:2"} {
				totals := make([]float64, c.questions)
				for i := range totals {
					totals[i] = float64((i*(j+2) + s + j*i*i) % 5)
				}
				rows = append(rows, scored{judge, fmt.Sprint("s", s), "1", totals})
			}
		}
		f := fixtureOf(map[string]string{"human": dataset.KindHuman, "human:1": dataset.KindHuman, "human:2": dataset.KindHuman}, rows...)
		f.rubric.Criteria[0].Levels[1].Points = 5
		of := computed(t, f)
		pages := of.Front().Markdown() + of.JudgesDocument().Markdown() + of.AgreementDocument().Markdown()
		enough := c.lacks == ""
		if of.Effective[0].Lacks != c.lacks || of.Effective[0].Correlation.Known() != enough || of.Halos[0].Lacks != c.lacks {
			t.Errorf("%d of %d: %+v, halo %+v", c.systems, c.questions, of.Effective[0], of.Halos[0])
		}
		if strings.Contains(pages, "ndependent judges a, b and c are is not known: "+c.lacks) == enough || strings.Contains(pages, "Not enough data") == enough ||
			strings.Contains(pages, "make similar errors") != enough {
			t.Errorf("%d of %d: the report says\n%s", c.systems, c.questions, pages)
		}
		if len(of.HumanPoints.Members) > 0 && !enough {
			t.Errorf("%d of %d: a statement about several judges", c.systems, c.questions)
		}
		if ceilings := of.Assessments[0].AltTest.Ceilings; ceilings[0].Alpha.Known() != enough {
			t.Errorf("%d of %d: %+v", c.systems, c.questions, ceilings[0])
		}
	}
}

// A judge without a single readable sheet is degenerate, and no judge whose calls failed.
func TestDegenerateWithoutSheets(t *testing.T) {
	f := fixtureOf(map[string]string{"human": dataset.KindHuman}, times(10, scored{"echo", "s", "1", []float64{unread, unread, unread}},
		scored{"down", "s", "1", []float64{unread, unread, unread}}, scored{"human", "s", "1", []float64{1, 2, 3}})...)
	for i := range f.verdicts {
		if f.verdicts[i].Judge == "down" {
			f.verdicts[i].Status = data.Failed
		}
	}
	of := computed(t, f)
	echo, down := of.JudgeNamed("echo"), of.JudgeNamed("down")
	if of.Degenerate[echo] != "gives no score sheet in 30 replies" || of.Degenerate[down] != "" {
		t.Errorf("%q, %q", of.Degenerate[echo], of.Degenerate[down])
	}
}

// The figures of separate code (Python, from verdicts.csv) for the copy of the release.
func TestReleasePanelAndHalo(t *testing.T) {
	sharedtest.Soak(t)
	of := ofTheRelease(t)
	r := of.Effective[0]
	near(t, "the correlation of errors", r.Correlation, 0.47981180747591784)
	near(t, "the number of judges", r.Effective, 1.3515232071376397)
	near(t, "the number without people's noise", r.Corrected, 1.4219745902325873)
	near(t, "alpha of the mean", r.AlphaPanel, 0.5275870240691172)
	near(t, "rho of the mean", r.RhoPanel, 0.45673157665314995)
	near(t, "the best rho", r.RhoBest, 0.4191780140293613)
	for i, want := range []struct {
		n                       int
		mean, people, effective float64
	}{{262, 0.41880205110774965, 0.20067260945866983, 4.012744935118301}, {270, 0.29126075938904994, 0.19965914464011758, 5.9068232290213105}} {
		h := of.Halos[i]
		near(t, h.Judge+": the correlation of criteria", h.Correlation, want.mean)
		near(t, "people's", h.People, want.people)
		near(t, "the halo", h.Halo, want.mean-want.people)
		near(t, "the number of criteria", h.Effective, want.effective)
		if h.N != want.n {
			t.Errorf("%d answers, want %d", h.N, want.n)
		}
	}
	if text := of.Front().Markdown(); !strings.Contains(text, "together they count as 1.4 independent judges. Their mean agrees with people at rho 0.46, the best single one of them at 0.42") {
		t.Errorf("report.md:\n%s", text)
	}
}
