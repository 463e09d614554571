package judgequality_test

import (
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/recordtest"
	"compqa/results/store"
	"compqa/stats"
	"compqa/stats/agreement"
)

func judgeRow(t *testing.T, of *judgequality.Tables, judge string) judgequality.JudgeRow {
	t.Helper()
	i := slices.IndexFunc(of.JudgeFigures, func(r judgequality.JudgeRow) bool { return r.Judge == judge })
	if i < 0 {
		t.Fatalf("no figures of %s", judge)
	}
	return of.JudgeFigures[i]
}

// By hand: j gives system a 1 and 0 points more than people do, and system b 2 and 4.
func TestLeniency(t *testing.T) {
	of := computed(t, recordtest.Of(map[string]string{"human": dataset.KindHuman, "constant": dataset.KindFloor},
		recordtest.By("j", "a", "1", 2, 3, 5), recordtest.By("j", "b", "1", 4, 5), recordtest.By("constant", "a", "1", 5, 5),
		recordtest.By("human", "a", "1", 1, 3), recordtest.By("human", "b", "1", 2, 1)))
	want := []judgequality.LeniencyRow{{Judge: "j", System: "a", N: 2, Difference: stats.Number(0.5)}, {Judge: "j", System: "b", N: 2, Difference: stats.Number(3)}, {Judge: "j", System: dataset.AllSystems, N: 4, Difference: stats.Number(1.75)}}
	if len(of.Lenient) != len(want) {
		t.Fatalf("%d rows: %+v", len(of.Lenient), of.Lenient)
	}
	for i, r := range of.Lenient {
		if r.Judge != want[i].Judge || r.System != want[i].System || r.N != want[i].N {
			t.Errorf("row %d is %+v", i, r)
		}
		recordtest.Near(t, "the leniency with "+r.System, r.Difference, want[i].Difference.Value)
	}
	all, err := stats.MeanInterval([]float64{1, 0, 2, 4}, []int{0, 1, 0, 1}, dataset.Confidence)
	if err != nil {
		t.Fatal(err)
	}
	recordtest.Near(t, "its lower bound", of.Lenient[2].Difference.Lower(), all.Low)
}

// By hand, for judge j of family f. In scenario 1, it gives its kin 2 and 3 points more than people do, and other systems 1 and 1. In
// scenario 2, it gives its kin 1 and 1 more, and others 2 and 1. It prefers its kin by 3/2 and by -1/2, so by 1/2 on average. Scenario "-"
// has answers of other systems only.
func TestPreference(t *testing.T) {
	f := recordtest.Of(map[string]string{"human": dataset.KindHuman}, recordtest.Times(10,
		recordtest.By("j", "kin", "1", 4, 4), recordtest.By("j", "other", "1", 2, 3),
		recordtest.By("j", "kin", "2", 2, 3), recordtest.By("j", "other", "2", 4, 4), recordtest.By("j", "other", "-", 5, 5),
		recordtest.By("human", "kin", "1", 2, 1), recordtest.By("human", "other", "1", 1, 2),
		recordtest.By("human", "kin", "2", 1, 2), recordtest.By("human", "other", "2", 2, 3), recordtest.By("human", "other", "-", 1, 1),
		recordtest.By("k", "kin", "1", 2, 4), recordtest.By("k", "other", "1", 2, 4),
		recordtest.By("sister", "kin", "1", 0, 0), recordtest.By("sister", "other", "1", 5, 5))...)
	for i := range f.Systems {
		if f.Systems[i].Name == "kin" {
			f.Systems[i].Family = "f"
		}
	}
	for i := range f.Judges {
		if f.Judges[i].Name == "j" || f.Judges[i].Name == "sister" {
			f.Judges[i].Family = "f"
		}
	}
	r := judgeRow(t, computed(t, f), "j")
	recordtest.Near(t, "the preference", r.FamilyPeople, 0.5)
	if !r.FamilyPeople.Bounded || !slices.Equal(r.FamilySystems, []string{"kin"}) {
		t.Errorf("%+v", r)
	}
	if r := judgeRow(t, computed(t, f), "k"); r.FamilySystems != nil || r.FamilyPeople.Known {
		t.Errorf("a judge without a family: %+v", r)
	}
}

// By hand: words have the ranks 1 2 3 4 5, points 2 1 4 3 5.
func TestLengthEffect(t *testing.T) {
	f := recordtest.Of(map[string]string{"human": dataset.KindHuman},
		recordtest.By("j", "s", "1", 2, 1, 4, 3, 5), recordtest.By("human", "s", "1", 1, 3, 2, 5, 4))
	f.Sizes = map[string]store.Size{}
	for i, a := range f.Answers {
		f.Sizes[a.ID] = store.Size{Words: 10 * (i + 1), Sentences: 1}
	}
	of := computed(t, f)
	r := judgeRow(t, of, "j")
	recordtest.Near(t, "rho", r.Length, 0.8)
	if r.LengthN != 5 {
		t.Errorf("n is %d", r.LengthN)
	}
	if h := judgeRow(t, of, "human"); h.Kind != "human" || !h.Length.Known || h.LeniencyN != 0 {
		t.Errorf("people: %+v", h)
	}
	same := computed(t, recordtest.Of(map[string]string{"human": dataset.KindHuman}, recordtest.By("j", "s", "1", 1, 2, 3), recordtest.By("human", "s", "1", 1, 2, 3)))
	if r := judgeRow(t, same, "j"); r.Length.Known {
		t.Errorf("answers of one length: %+v", r)
	}
}

// Two answers are scored twice, with (2, 2) and (4, 5), and one answer once.
func TestRepetition(t *testing.T) {
	f := recordtest.Of(nil, recordtest.By("j", "s", "1", 2, 4, 1))
	for i, total := range []float64{2, 5} {
		f.Verdicts = append(f.Verdicts, data.Verdict{Answer: f.Answers[i].ID, Judge: "j", Repeat: 2, Scores: data.Scores{"x": total}})
	}
	r := judgeRow(t, computed(t, f), "j")
	if r.RepeatedAnswers != 2 {
		t.Fatalf("%d answers were scored more than once", r.RepeatedAnswers)
	}
	recordtest.Near(t, "the share of equal sheets", r.SelfEqual, 0.5)
	recordtest.Near(t, "the distance", r.SelfDistance, 0.5)
	ratings, err := agreement.PairedRatings([]float64{2, 4}, []float64{2, 5})
	if err != nil {
		t.Fatal(err)
	}
	alpha, err := agreement.Alpha(ratings, agreement.Interval)
	if err != nil {
		t.Fatal(err)
	}
	recordtest.Near(t, "alpha of totals", r.SelfTotals, alpha.Alpha)
}

// By hand: the errors of a and b are both 1, 0, 0, -1 (the same judge twice), those of c 0, 1, -1, 0. The correlations are 1, 0, 0 with
// mean 1/3, so three judges count as 3/(1 + 2/3).
func TestEffectiveJudges(t *testing.T) {
	of := computed(t, recordtest.Of(map[string]string{"human": dataset.KindHuman}, recordtest.Times(8,
		recordtest.By("a", "s", "1", 2, 2, 3, 3), recordtest.By("b", "s", "1", 2, 2, 3, 3), recordtest.By("c", "s", "1", 1, 3, 2, 4),
		recordtest.By("human", "s", "1", 1, 2, 3, 4), recordtest.By("idle", "s", "1", recordtest.Unread))...))
	if n := len(of.Panels); n != 1 {
		t.Fatalf("%d panels, want that of a, b, c", n)
	}
	r := of.Panels[0]
	recordtest.Near(t, "the correlation of errors", r.Correlation, 1.0/3)
	recordtest.Near(t, "the number of judges", r.Effective, 9.0/5)
	if r.N != 32 || strings.Join(r.Judges, " ") != "a b c" || r.Corrected.Known || r.AlphaBest.Text(9) != of.AgreementAt(r.Best, "human", dataset.LevelFinal).AlphaInterval.Point().Text(9) {
		t.Errorf("%+v", r)
	}
	if of.Halos[0].Correlation.Known {
		t.Errorf("answers with one criterion have a halo: %+v", of.Halos[0])
	}
	if one := computed(t, recordtest.Of(nil, recordtest.By("a", "s", "1", 1, 2))); one.Panels != nil || one.Halos != nil {
		t.Error("panels without people")
	}
}

// With fewer than 30 shared answers of 10 questions, no statement is made about several judges, and the reason is given. Five answers to a
// question do not count as five questions.
func TestTooFewForSeveralJudges(t *testing.T) {
	for _, c := range []struct {
		systems, questions int
		lacks              string
	}{
		{1, 29, "not enough data: 29 shared answers of 29 questions; at least 30 of 10 are needed"},
		{5, 9, "not enough data: 45 shared answers of 9 questions; at least 30 of 10 are needed"},
		{2, 15, ""},
	} {
		of := computed(t, recordtest.SixRaters(c.systems, c.questions))
		enough := c.lacks == ""
		panel := of.Panels[0]
		halo := of.Halos[0].Halo
		if panel.Effective.Reason() != c.lacks || panel.Correlation.Known != enough || !enough && halo.Reason() != c.lacks {
			t.Errorf("%d of %d: %+v, halo %+v", c.systems, c.questions, panel, of.Halos[0])
		}
		if len(of.HumanPoints.Members) > 0 && !enough {
			t.Errorf("%d of %d: a statement about several judges", c.systems, c.questions)
		}
		if ceilings := of.Assessments[0].AltTest.Ceilings; ceilings[0].Alpha.Known != enough {
			t.Errorf("%d of %d: %+v", c.systems, c.questions, ceilings[0])
		}
	}
}

// A judge without any readable sheet is degenerate, but not one whose calls failed.
func TestDegenerateWithoutSheets(t *testing.T) {
	f := recordtest.Of(map[string]string{"human": dataset.KindHuman}, recordtest.Times(10, recordtest.By("echo", "s", "1", recordtest.Unread, recordtest.Unread, recordtest.Unread),
		recordtest.By("down", "s", "1", recordtest.Unread, recordtest.Unread, recordtest.Unread), recordtest.By("human", "s", "1", 1, 2, 3))...)
	for i := range f.Verdicts {
		if f.Verdicts[i].Judge == "down" {
			f.Verdicts[i].Status = data.Failed
		}
	}
	of := computed(t, f)
	echo := of.JudgeNamed("echo")
	down := of.JudgeNamed("down")
	if of.Degenerate[echo] != "gives no score sheet in 30 replies" || of.Degenerate[down] != "" {
		t.Errorf("%q, %q", of.Degenerate[echo], of.Degenerate[down])
	}
}

// The noise of people is estimated from all of them. It does not depend on which person comes first.
func TestNoiseOfAllPeople(t *testing.T) {
	points := [][]float64{{1, 2, 3, 4}, {1, 2, 3, 5}, {2, 2, 4, 4}}
	corrected := func(order ...int) stats.Figure {
		rows := []recordtest.Scored{recordtest.By("a", "s", "1", 5, 1, 4, 1), recordtest.By("b", "s", "1", 4, 1, 5, 1),
			recordtest.By("c", "s", "1", 5, 2, 4, 0)}
		kinds := map[string]string{}
		for i, k := range order {
			name := "human:" + string(rune('1'+i))
			kinds[name] = dataset.KindHuman
			rows = append(rows, recordtest.By(name, "s", "1", points[k]...))
		}
		return computed(t, recordtest.Of(kinds, recordtest.Times(8, rows...)...)).Panels[0].Corrected
	}
	want := corrected(0, 1, 2)
	if !want.Known {
		t.Fatal("no figure")
	}
	for _, order := range [][]int{{1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		recordtest.Near(t, "the number of judges with other names of people", corrected(order...), want.Value)
	}
}

// The figures for the shared copy of the release, computed by separate code (Python, from verdicts.csv).
func TestSoakReleasePanelAndHalo(t *testing.T) {
	sharedtest.Soak(t)
	of := ofTheRelease(t)
	r := of.Panels[0]
	recordtest.Near(t, "the correlation of errors", r.Correlation, 0.47981180747591784)
	recordtest.Near(t, "the number of judges", r.Effective, 1.3515232071376397)
	recordtest.Near(t, "the number without people's noise", r.Corrected, 1.4219745902325873)
	recordtest.Near(t, "alpha of the mean", r.AlphaPanel, 0.5275870240691172)
	recordtest.Near(t, "rho of the mean", r.RhoPanel, 0.45673157665314995)
	recordtest.Near(t, "the best rho", r.RhoBest, 0.4191780140293613)
	for i, want := range []struct {
		n                       int
		mean, people, effective float64
	}{{262, 0.41880205110774965, 0.20067260945866983, 4.012744935118301}, {270, 0.29126075938904994, 0.19965914464011758, 5.9068232290213105}} {
		h := of.Halos[i]
		recordtest.Near(t, h.Judge+": the correlation of criteria", h.Correlation, want.mean)
		recordtest.Near(t, "people's", h.People, want.people)
		recordtest.Near(t, "the halo", h.Halo, want.mean-want.people)
		recordtest.Near(t, "the number of criteria", h.Effective, want.effective)
		if h.N != want.n {
			t.Errorf("%d answers, want %d", h.N, want.n)
		}
	}
}
