package judgequality_test

import (
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/recordtest"
	"compqa/results/trust"
	"compqa/stats"
)

func assessmentOf(t *testing.T, of *judgequality.Tables, judge string) judgequality.JudgeAssessment {
	t.Helper()
	i := slices.IndexFunc(of.Assessments, func(w judgequality.JudgeAssessment) bool { return w.Judge == judge })
	if i < 0 {
		t.Fatalf("no assessment of %s", judge)
	}
	return of.Assessments[i]
}

func floorsAt(of *judgequality.Tables, judge, level string) []judgequality.FloorRow {
	return data.Where(of.Floors, func(r judgequality.FloorRow) bool { return r.Judge == judge && r.Level == level })
}

// A judge with people's scores beats every baseline. A judge with random scores beats none and has a warning. A judge without verdicts is
// not assessed.
func TestAssessment(t *testing.T) {
	people := recordtest.Sawtooth(24, 5)
	noise := make([]float64, 24)
	for i := range noise {
		noise[i] = float64(4 + i*i%7%2)
	}
	of := computed(t, recordtest.Of(map[string]string{"human": dataset.KindHuman, "constant": dataset.KindFloor},
		recordtest.By("good", "s", "1", people...), recordtest.By("useless", "s", "1", noise...), recordtest.By("silent", "s", "1"),
		recordtest.By("human", "s", "1", people...)))
	good := assessmentOf(t, of, "good")
	if good.Separate != "yes" || good.Final != "yes" || good.WithinCriterion != "yes" || good.WithinSystem != "yes" {
		t.Errorf("people: %+v", good)
	}
	for _, level := range []string{dataset.LevelSeparate, dataset.LevelFinal, dataset.LevelWithinCriterion, dataset.LevelWithinSystem} {
		if n := len(floorsAt(of, "good", level)); n != 3 {
			t.Errorf("%s: %d floors, want constant, criterion-mean and shuffled:good", level, n)
		}
	}
	if good.Better != "x" || good.Not != "" {
		t.Errorf("criteria %v, and not %v", good.Better, good.Not)
	}
	lines := strings.Join(verdictsOf(of), "\n")
	for _, want := range []string{
		"good is better than guessing at these levels: all criteria, totals, within criteria and within systems.",
		"WARNING: useless is not better than guessing at any level: all criteria (criterion-mean, shuffled:useless); ",
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("%q is not in\n%s", want, lines)
		}
	}
	if line, want := trustLine(of), "Not known yet whether good can stand in for a person on x; not known yet whether useless can stand in for a person "+
		"on x. Better than guessing at every level: good; not better than guessing on all criteria, totals, within criteria and within systems: "+
		"useless."; line != want {
		t.Errorf("%s\n%s", line, want)
	}
	if columns := of.TrustSection().Table.Header; !slices.Contains(columns, "within systems") {
		t.Errorf("a level of the sentence has no column: %v", columns)
	}
	text := of.AgreementDocument().Markdown()
	for _, want := range []string{"needs 3 annotators", "criteria not above"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in agreement.md", want)
		}
	}
	if row := of.Assessments[0]; row.Judge != "good" || row.Separate != "yes" || row.WithinCriterion != "yes" || row.Better != "x" || row.StandIn != "not known" || of.Decisions[0].Reason != trust.Unchecked {
		t.Errorf("%+v", row)
	}
}

// A model that gives full marks to every answer equals the constant baseline and does not beat it at any level, although its margin has no
// width. Few questions allow no statement.
func TestAssessmentOfAConstantModel(t *testing.T) {
	full := slices.Repeat([]float64{5}, 24)
	of := computed(t, recordtest.Of(map[string]string{"human": dataset.KindHuman}, recordtest.By("lazy", "s", "1", full...), recordtest.By("human", "s", "1", recordtest.Sawtooth(24, 5)...)))
	if lazy := assessmentOf(t, of, "lazy"); lazy.Separate != "no" || lazy.Final != "no" || lazy.WithinCriterion != "no" ||
		lazy.WithinSystem != "no" || strings.Count(lazy.Verdict, "(constant, ") != 4 {
		t.Errorf("%+v", lazy)
	}
	few := computed(t, recordtest.Of(map[string]string{"human": dataset.KindHuman}, recordtest.By("j", "s", "1", recordtest.Sawtooth(9, 5)...), recordtest.By("human", "s", "1", recordtest.Sawtooth(9, 5)...)))
	if lines := verdictsOf(few); len(lines) != 1 || lines[0] != "j: not enough data: it shares 9 score sheets on 9 questions with human; at least 10 questions are needed." {
		t.Errorf("%q", lines)
	}
	if row := few.Assessments[0]; row.Separate != "" || row.StandIn != "not known" || row.Better != "" {
		t.Errorf("%+v", row)
	}
}

func TestAssessmentWithoutPeopleOrJudges(t *testing.T) {
	alone := computed(t, recordtest.Of(nil, recordtest.By("j", "s", "1", 1, 2)))
	if s := alone.TrustSection(); s.About != "" || s.Table != nil {
		t.Errorf("columns of a table that is not there are explained: %q", s.About)
	}
	if line := trustLine(alone); !strings.Contains(line, "without human scores") {
		t.Errorf("%q", line)
	}
	of := computed(t, recordtest.Of(map[string]string{"human": dataset.KindHuman}, recordtest.By("human", "s", "1", 1, 2)))
	if line := trustLine(of); !strings.Contains(line, "no judges except") {
		t.Errorf("%q", line)
	}
	if rows := of.Assessments; len(rows) != 0 {
		t.Errorf("%+v", rows)
	}
}

// Three people differ by at most a point, on 40 questions. A judge that agrees with them as well as they do with each other passes the
// test, and a reversed judge does not. The test needs three people; the decision does not.
func TestAltTest(t *testing.T) {
	truth := recordtest.Sawtooth(40, 7)
	like := func(shift int) []float64 {
		totals := slices.Clone(truth)
		for i := range totals {
			if i%4 == shift {
				totals[i] = min(5, totals[i]+1)
			}
		}
		return totals
	}
	reverse := slices.Clone(truth)
	for i := range reverse {
		reverse[i] = 5 - reverse[i]
	}
	kinds := map[string]string{"human:1": dataset.KindHuman, "human:2": dataset.KindHuman, "human:3": dataset.KindHuman}
	rows := []recordtest.Scored{recordtest.By("good", "s", "1", like(3)...), recordtest.By("bad", "s", "1", reverse...), recordtest.By("human:1", "s", "1", like(0)...), recordtest.By("human:2", "s", "1", like(1)...), recordtest.By("human:3", "s", "1", like(2)...)}
	of := computed(t, recordtest.Of(kinds, rows...))
	good := assessmentOf(t, of, "good")
	bad := assessmentOf(t, of, "bad")
	if !good.TieRate.Known || good.StandIn != "yes" {
		t.Errorf("a judge like the annotators: %+v", good.AltTest)
	}
	if bad.StandIn != "no" || !bad.TieRate.Known || !strings.HasPrefix(bad.Rates, "0.00 at epsilon 0.1, 0.00 at epsilon") {
		t.Errorf("a judge that reverses them: %+v", bad.AltTest)
	}
	for judge, want := range map[string]int{"good": 0, "bad": 6} {
		ceilings := assessmentOf(t, of, judge).AltTest.Ceilings
		below := 0
		for _, r := range ceilings {
			below += int(dataset.Indicator(r.Alpha.BelowZero()))
		}
		if len(ceilings) != 6 || below != want {
			t.Errorf("%s agrees worse than an annotator in %d of %d ordered pairs, want %d of 6", judge, below, len(ceilings), want)
		}
	}
	if text := of.AgreementDocument().Markdown(); !strings.Contains(text, "1.00 at epsilon 0.2") {
		t.Error("agreement.md does not have the winning rates")
	}
	of = computed(t, recordtest.Of(kinds, rows[0], rows[2], rows[3]))
	good = assessmentOf(t, of, "good")
	if good.TieRate.Known || !strings.HasPrefix(good.Rates, "needs 3 annotators") || good.StandIn != "yes" {
		t.Errorf("with two annotators: %+v", good.AltTest)
	}
	if text := of.AgreementDocument().Markdown(); !strings.Contains(text, "needs 3 annotators with 30 shared score sheets each; the largest number is 40") {
		t.Errorf("with two annotators: %q", text)
	}
	if text := computed(t, recordtest.Of(kinds, rows[0], rows[2])).AgreementDocument().Markdown(); !strings.Contains(text, "needs 3 annotators |") {
		t.Errorf("with one annotator: %q", text)
	}
}

// If people agree with each other no better than chance, no judge can stand in for one of them, whatever its winning rate is.
func TestNothingToStandInFor(t *testing.T) {
	kinds := map[string]string{}
	rows := []recordtest.Scored{}
	middle := recordtest.Sawtooth(48, 1)
	for i := range middle {
		middle[i] = float64(2 + i%2)
	}
	rows = append(rows, recordtest.By("middle", "s", "1", middle...))
	for k, person := range []string{"human:1", "human:2", "human:3"} {
		totals := make([]float64, 48)
		for i := range totals {
			totals[i] = float64(5 * (i >> k % 2))
		}
		kinds[person] = dataset.KindHuman
		rows = append(rows, recordtest.By(person, "s", "1", totals...))
	}
	of := computed(t, recordtest.Of(kinds, rows...))
	if w := assessmentOf(t, of, "middle"); w.StandIn != "not known" || of.Decisions[0].Reason != trust.Disagree || !w.Advantage.Known {
		t.Errorf("%+v", w.AltTest)
	}
	if text := of.Decisions[0].Finding().Text; !strings.HasPrefix(text, "People do not agree on x (alpha ") {
		t.Error(text)
	}
}

// A judge that contradicts itself is named, with and without people's scores.
func TestJudgesThatDoNotAgreeWithThemselves(t *testing.T) {
	for _, people := range []bool{false, true} {
		rows := []recordtest.Scored{recordtest.By("noise", "s", "1", recordtest.Sawtooth(48, 1)...), recordtest.By("steady", "s", "1", recordtest.Sawtooth(48, 1)...)}
		if people {
			rows = append(rows, recordtest.By("human", "s", "1", recordtest.Sawtooth(48, 5)...))
		}
		f := recordtest.Of(map[string]string{"human": dataset.KindHuman}, rows...)
		for i, v := range f.Verdicts[:96] {
			again := v
			if again.Repeat = 2; v.Judge == "noise" {
				again.Scores = data.Scores{"x": float64(i / 6 % 6)}
			}
			f.Verdicts = append(f.Verdicts, again)
		}
		line := trustLine(computed(t, f))
		if !strings.Contains(line, "WARNING: noise does not agree with itself: alpha (interval) of totals ") || strings.Contains(line, "steady does not") ||
			!strings.HasSuffix(line, "on 48 answers that it scored again; its verdicts are noise.") {
			t.Errorf("with people %v: %s", people, line)
		}
	}
}

// A judge that contradicts itself orders no systems, even if the configuration names it. Another judge does, or nobody.
func TestJudgesThatContradictThemselvesOrderNothing(t *testing.T) {
	record := func(headline string, judges ...string) *judgequality.Tables {
		var rows []recordtest.Scored
		for _, judge := range judges {
			rows = append(rows, recordtest.By(judge, "s", "1", recordtest.Sawtooth(48, 1)...), recordtest.By(judge, "t", "1", recordtest.Sawtooth(48, 2)...))
		}
		f := recordtest.Of(nil, rows...)
		for i, v := range f.Verdicts {
			again := v
			if again.Repeat = 2; v.Judge == "noise" {
				again.Scores = data.Scores{"x": float64(i / 6 % 6)}
			}
			f.Verdicts = append(f.Verdicts, again)
		}
		f.Config = `{"headline":"` + headline + `"}`
		return computed(t, f)
	}
	for _, of := range []*judgequality.Tables{record("", "noise"), record("noise", "noise"), record("noise", "noise", "steady")} {
		if line := of.Leaderboard().HeadlineText(); !strings.HasPrefix(line, "No order: noise contradicts itself") || !strings.HasPrefix(order(of), "|") {
			t.Errorf("%s orders %s", line, order(of))
		}
		for _, row := range of.Leaderboard().Board {
			if row.Judge == "noise" && row.Rank.Known {
				t.Errorf("a rank by a judge that contradicts itself: %+v", row)
			}
		}
	}
	of := record("", "noise", "steady")
	if of.Leaderboard().Headline != "steady" || !strings.HasSuffix(order(of), "|") {
		t.Errorf("%s orders %s", of.Leaderboard().HeadlineText(), order(of))
	}
}

// The sentence on halo names only the judges whose interval is above 0.
func TestHaloNamesSignificantJudges(t *testing.T) {
	of := computed(t, recordtest.Of(nil, recordtest.By("j", "s", "1", 1, 2)))
	of.Halos = []judgequality.HaloRow{
		{Judge: "sure", N: 40, Correlation: stats.Number(0.4), People: stats.Number(0.2), Halo: stats.WithInterval(0.2, 0.1, 0.3)},
		{Judge: "unsure", N: 40, Correlation: stats.Number(0.24), People: stats.Number(0.2), Halo: stats.WithInterval(0.04, -0.01, 0.08)}}
	lines := strings.Join(of.TrustLines("j"), "\n")
	if !strings.Contains(lines, "of people, 0.20: sure 0.40.") {
		t.Error(lines)
	}
}

// A judge's first verdict on an answer counts. If it is not valid, the answer has no total.
func TestFirstTotals(t *testing.T) {
	f := recordtest.Of(nil, recordtest.By("j", "s", "1", 1, recordtest.Unread, 3))
	for i := range 2 {
		v := f.Verdicts[i]
		v.Repeat = 2
		v.Status = ""
		v.Reason = ""
		v.Scores = map[string]float64{"x": 5}
		f.Verdicts = append(f.Verdicts, v)
	}
	of := computed(t, f)
	got := judgequality.FirstTotals(of.Dataset, 0)
	if len(got) != 2 || got[0] != 1 || got[2] != 3 {
		t.Errorf("first totals %v", got)
	}
}

// verdictsOf returns the sentences about judges.
func verdictsOf(of *judgequality.Tables) (lines []string) {
	for _, w := range of.Assessments {
		lines = append(lines, w.Verdict)
	}
	return lines
}

// trustLine returns the first sentences of a report about judges.
func trustLine(of *judgequality.Tables) string { return strings.Join(of.Trust().Texts(), " ") }

// TestConsensusInARun checks that a run with three people has the sentence that compqa validate prints of the same values (TestConsensus in
// results/validation). By hand, people agree on 20 answers, of which the judge differs on 2, and split on 20, of which it differs on 10.
// With two people there is no sentence.
func TestConsensusInARun(t *testing.T) {
	const n = 40
	ann := make([]float64, n)
	ben := make([]float64, n)
	judge := make([]float64, n)
	for i := range n {
		ann[i] = 1
		ben[i] = float64((i + 1) % 2) // people split on every second answer
		judge[i] = 1
		if i%2 == 0 && i < 4 || i%2 == 1 && i < 20 {
			judge[i] = 0
		}
	}
	rows := []recordtest.Scored{recordtest.By("j", "s", "1", judge...), recordtest.By("human:ann", "s", "1", ann...),
		recordtest.By("human:ben", "s", "1", ben...)}
	human := map[string]string{"human:ann": dataset.KindHuman, "human:ben": dataset.KindHuman, "human:cy": dataset.KindHuman}
	if s := computed(t, recordtest.Of(human, rows...)).ConsensusSection("", ""); s.Notes != nil {
		t.Errorf("two people: %+v", s.Notes)
	}
	three := computed(t, recordtest.Of(human, append(rows, recordtest.By("human:cy", "s", "1", ann...))...))
	const want = "j on x: three people or more agree on 20 items, of which the judge differs on 2; they split on 20 with a majority, from which it " +
		"differs on 10: 10 % and 50 %; it errs more where people split (split minus unanimous: +0.40 "
	for _, judge := range []string{"", "j"} {
		notes := three.ConsensusSection(judge, "").Notes
		if len(notes) != 1 || !strings.HasPrefix(notes[0].Text, want) {
			t.Errorf("%q: %+v", judge, notes)
		}
	}
	if s := three.ConsensusSection("nobody", ""); s.Notes != nil {
		t.Errorf("nobody: %+v", s.Notes)
	}
}
