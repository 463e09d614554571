package judgequality_test

import (
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/leaderboard"
	"compqa/results/recordtest"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// order returns the systems in the order of the board. "|" separates them from systems without a rank.
func order(of *judgequality.Tables) string {
	var compared, others []string
	for _, row := range of.Leaderboard().OverallTable().Rows {
		if row[0].Text == stats.Missing {
			others = append(others, row[1].Text)
		} else {
			compared = append(compared, row[1].Text)
		}
	}
	return strings.Join(slices.Concat(compared, []string{"|"}, others), " ")
}

// One of the judges knows only systems that another judge ranks last. A mean of ranks would put "weak" above "strong". The headline judge,
// who scored all systems, does not. People do not count here.
func TestHeadlineOrdersTheBoard(t *testing.T) {
	rows := recordtest.Times(4, []recordtest.Scored{
		recordtest.By("few", "weak", "1", 5, 5, 4), recordtest.By("few", "zero", "1", 5, 5, 5),
		recordtest.By("all", "strong", "1", 4, 5, 4), recordtest.By("all", "weak", "1", 2, 1, 2), recordtest.By("all", "zero", "1", 0, 0, 1),
		recordtest.By("human", "weak", "1", 5, 5, 5), recordtest.By("human:1", "weak", "1", 5, 5, 5), recordtest.By("human:2", "weak", "1", 5, 5, 5),
		recordtest.By("full", "strong", "1", 5, 5, 5), recordtest.By("full", "weak", "1", 5, 5, 5), recordtest.By("full", "zero", "1", 5, 5, 5),
	}...)
	kinds := map[string]string{"human": dataset.KindHuman, "human:1": dataset.KindHuman, "human:2": dataset.KindHuman, "full": dataset.KindFloor}
	of := computed(t, recordtest.Of(kinds, rows...))
	if got := order(of); of.Leaderboard().Headline != "all" || got != "strong weak zero |" {
		t.Errorf("%s orders %s", of.Leaderboard().Headline, got)
	}
	if got := strings.Join(of.Leaderboard().OverallTable().Header, " "); got != "rank system all few human" {
		t.Errorf("the columns are %s: annotators and floors do not stand on the board", got)
	}
	f := recordtest.Of(kinds, rows...)
	f.Config = `{"headline":"few"}`
	of = computed(t, f)
	if got := order(of); of.Leaderboard().Headline != "few" || got != "zero weak | strong" {
		t.Errorf("%s, as configured, orders %s", of.Leaderboard().Headline, got)
	}
	if text := of.Leaderboard().Details().Markdown(); !strings.Contains(text, "headline in the configuration names it") {
		t.Errorf("how the order came about is not said:\n%s", text)
	}
}

// firstLine returns the first sentences of the board.
func firstLine(of *judgequality.Tables) string { return of.Leaderboard().HeadlineText() }

// People order the systems if they scored at least ten answers of each; with nine, the judge does.
func TestOrderByPeople(t *testing.T) {
	kinds := map[string]string{"human": dataset.KindHuman, "human:1": dataset.KindHuman}
	ten := func(base float64) []float64 {
		return []float64{base, base + 1, base, base + 1, base, base + 1, base, base + 1, base, base + 1}
	}
	rows := []recordtest.Scored{recordtest.By("j", "a", "1", ten(4)...), recordtest.By("j", "b", "1", ten(1)...), recordtest.By("human", "a", "1", ten(1)...), recordtest.By("human", "b", "1", ten(4)...)}
	of := computed(t, recordtest.Of(kinds, rows...))
	if got := order(of); got != "b a |" || of.Leaderboard().By != leaderboard.ByPeople || !strings.HasPrefix(firstLine(of), "People's scores order the systems") {
		t.Errorf("%s: %s", got, firstLine(of))
	}
	rows[3].Totals = ten(4)[:9]
	of = computed(t, recordtest.Of(kinds, rows...))
	if got := order(of); got != "a b |" || !strings.HasPrefix(firstLine(of), "Nobody has scored enough systems to know what people would say: this is the opinion of j.") {
		t.Errorf("nine answers are enough: %s: %s", got, firstLine(of))
	}
	of = computed(t, recordtest.Of(nil, rows[:2]...))
	if got := order(of); got != "a b |" || firstLine(of) != "No person has scored these answers: this is the opinion of j." {
		t.Errorf("%s: %s", got, firstLine(of))
	}
}

// If people scored few answers of one system, their scores still order the other systems, and this system has no rank. With two such
// systems, people do not order them.
func TestOrderWithAThinSystem(t *testing.T) {
	kinds := map[string]string{"human": dataset.KindHuman}
	var rows []recordtest.Scored
	for s, name := range []string{"a", "b", "c", "thin"} {
		judge := make([]float64, 24)
		people := make([]float64, 24)
		for i := range people {
			people[i] = float64(s) + float64(i*(s+1)%5)/4
			judge[i] = 4 - people[i]/2
		}
		if name == "thin" {
			people = []float64{5, 0, 5}
		}
		rows = append(rows, recordtest.By("j", name, "1", judge...), recordtest.By("human", name, "1", people...))
	}
	of := computed(t, recordtest.Of(kinds, rows...))
	if got := order(of); got != "c b a | thin" || !strings.HasPrefix(firstLine(of), "People's scores order the systems: each ranked system has at "+
		"least 10 answers that people scored but thin, which has 3.") {
		t.Errorf("%s: %s", got, firstLine(of))
	}
	for system, want := range map[string]string{"a": "3-3", "b": "2-2", "c": "1-1", "thin": "–-–"} {
		if p := placeOf(of, system); p.RankLow.Text(0)+"-"+p.RankHigh.Text(0) != want {
			t.Errorf("%s has ranks %s-%s, want %s", system, p.RankLow.Text(0), p.RankHigh.Text(0), want)
		}
	}
	rows[5].Totals = rows[5].Totals[:3]
	if of = computed(t, recordtest.Of(kinds, rows...)); of.Leaderboard().By == leaderboard.ByPeople {
		t.Errorf("two thin systems: %s", firstLine(of))
	}
}

// People did not score the system "new", so predicted human points order all systems.
func TestOrderByHumanPoints(t *testing.T) {
	of := computed(t, recordtest.Of(map[string]string{"human": dataset.KindHuman}, recordtest.ByPeople(4)...))
	if of.Leaderboard().By != leaderboard.ByHumanPoints || !strings.HasPrefix(firstLine(of), "Human points order the systems: the points that people would give, predicted from the verdicts of j and people's scores of 4 systems (bias 1.00, tau 0.00 points). Assumption:") {
		t.Errorf("%s: %s", of.Leaderboard().By, firstLine(of))
	}
	if s := placeOf(of, "new"); s.Basis != "transfer" || s.Rank.Text(0) != "1" || s.Points.Point().Text(2) != "2.50" {
		t.Errorf("%+v", s)
	}
}

// Baselines have no rank next to other systems, and do not count in rank ranges.
func TestOrderOfBaselines(t *testing.T) {
	f := recordtest.Of(nil, recordtest.By("j", "base", "1", recordtest.Sawtooth(24, 5)...), recordtest.By("j", "low", "1", make([]float64, 24)...), recordtest.By("j", "other", "1", recordtest.Sawtooth(24, 7)...))
	f.Systems[0].Kind = dataset.KindBaseline
	of := computed(t, f)
	if s := placeOf(of, "base"); s.Rank.Known || !s.Baseline || !s.Points.Known {
		t.Errorf("%+v", s)
	}
	if s := placeOf(of, "low"); s.Rank.Text(0) != "2" || s.RankHigh.Text(0) != "2" || !strings.HasSuffix(firstLine(of), "Baselines have no rank.") {
		t.Errorf("%+v: %s", s, firstLine(of))
	}
	for i := range f.Systems {
		f.Systems[i].Kind = dataset.KindBaseline
	}
	of = computed(t, f)
	if s := placeOf(of, "low"); s.Rank.Text(0) != "3" || !strings.HasPrefix(firstLine(of), "Only baselines have answered, and they are ranked among themselves. To rank a model, add it under models in compqa.yaml.") {
		t.Errorf("%+v: %s", s, firstLine(of))
	}
}

// A judge that gives every answer the same points, or almost always the same sheet, is degenerate. No person is needed to see this, and no
// statement includes the judge.
func TestDegenerateJudges(t *testing.T) {
	constant := slices.Repeat([]float64{3}, 40)
	mostly := slices.Repeat([]float64{3}, 40)
	mostly[0] = 1
	mostly[1] = 5
	kinds := map[string]string{"human": dataset.KindHuman}
	of := computed(t, recordtest.Of(kinds, recordtest.By("constant15", "s", "1", constant...), recordtest.By("mostly", "s", "1", mostly...), recordtest.By("human", "s", "1", constant[:2]...)))
	if of.Leaderboard().By != "" || !strings.HasPrefix(firstLine(of), "The systems have no ranks, because no judge may order them: constant15 gives 3 points to every answer; mostly gives the same score sheet to 95 % of all answers.") {
		t.Errorf("%s: %s", of.Leaderboard().By, firstLine(of))
	}
	if s := placeOf(of, "s"); s.Rank.Known {
		t.Errorf("%+v", s)
	}
	good := []recordtest.Scored{recordtest.By("good", "s", "1", recordtest.Sawtooth(40, 5)...), recordtest.By("better", "s", "1", recordtest.Sawtooth(40, 7)...), recordtest.By("human", "s", "1", recordtest.Sawtooth(40, 5)...)}
	of = computed(t, recordtest.Of(kinds, append(good, recordtest.By("constant15", "s", "1", constant...))...))
	if r := of.Panels; len(r) != 1 || strings.Join(r[0].Judges, " ") != "good better" {
		t.Errorf("the panel: %+v", r)
	}
	for name, text := range map[string]string{"agreement.md": of.AgreementDocument().Markdown(), "leaderboard.md": of.Leaderboard().Details().Markdown()} {
		if !strings.Contains(text, "§ constant15 is degenerate: it gives 3 points to every answer.") {
			t.Errorf("%s does not name the degenerate judge", name)
		}
	}
	if of := computed(t, recordtest.Of(nil, recordtest.By("j", "s", "1", constant[:19]...))); of.Degenerate[0] != "" {
		t.Errorf("19 verdicts: %s", of.Degenerate[0])
	}
}

// Answers that do not exist, because their questions have no arguments, do not count against a judge. Unreadable replies do, and the judge
// is named.
func TestOrderCountsWhatWasAsked(t *testing.T) {
	totals := recordtest.Sawtooth(24, 5)
	f := recordtest.Of(nil, recordtest.By("j", "s", "1", totals...), recordtest.By("j", "s", "2", totals...), recordtest.By("j", "r", "1", totals...))
	for i := range f.Answers {
		if a := &f.Answers[i]; a.Scenario == "2" && i%2 == 0 {
			a.Status = data.Skipped
			a.Text = ""
			a.Reason = "no arguments"
			for k := range f.Verdicts {
				if v := &f.Verdicts[k]; v.Answer == a.ID {
					v.Status = data.Skipped
					v.Scores = nil
					v.Reason = "the answer is skipped"
				}
			}
		}
	}
	of := computed(t, f)
	if r := of.Leaderboard().Overall("j", "s"); of.Leaderboard().By != leaderboard.ByJudge || r.Planned != 48 || r.Asked != 36 || r.Valid != 36 {
		t.Errorf("by %q: %d planned, %d asked, %d valid: %s", of.Leaderboard().By, r.Planned, r.Asked, r.Valid, firstLine(of))
	}
	unread := slices.Clone(totals)
	for i := range 6 {
		unread[i] = recordtest.Unread
	}
	of = computed(t, recordtest.Of(nil, recordtest.By("first", "s", "1", unread...), recordtest.By("first", "r", "1", totals...),
		recordtest.By("second", "s", "1", totals...), recordtest.By("second", "r", "1", totals...)))
	if of.Leaderboard().Headline != "second" || !strings.Contains(firstLine(of), "first has fewer than 90 % valid verdicts on s") {
		t.Errorf("%s: %s", of.Leaderboard().Headline, firstLine(of))
	}
}

// TestOrderOfPart checks that a judge that is asked only about what other judges leave may not order systems. The reason is not that its
// verdicts are invalid.
func TestOrderOfPart(t *testing.T) {
	totals := recordtest.Sawtooth(24, 5)
	f := recordtest.Of(nil, recordtest.By("j", "s", "1", totals...), recordtest.By("j", "r", "1", totals...))
	for k := range f.Verdicts {
		if v := &f.Verdicts[k]; k%2 == 0 {
			v.Status = data.Skipped
			v.Scores = nil
			v.Reason = data.NotAsked + "cheap decides"
		}
	}
	of := computed(t, f)
	if !strings.Contains(firstLine(of), "j is asked only where other judges are not sure") {
		t.Errorf("%s", firstLine(of))
	}
}

// A judge with more than 2 % unreadable verdicts is named with their number and share, whoever orders the systems. People are not named.
func TestHeadlineNamesUnreadVerdicts(t *testing.T) {
	kinds := map[string]string{data.Human: dataset.KindHuman}
	totals := recordtest.Sawtooth(60, 5)
	unread := func(n int) []float64 {
		some := slices.Clone(totals)
		for i := range n {
			some[i] = recordtest.Unread
		}
		return some
	}
	const named = "Verdicts that could not be read: 3 of 120 by first (2.5 %)."
	for name, f := range map[string]recordtest.Fixture{
		"it orders": recordtest.Of(nil, recordtest.By("first", "s", "1", unread(3)...), recordtest.By("first", "r", "1", totals...)),
		"another one orders": recordtest.Of(nil, recordtest.By("second", "s", "1", unread(2)...), recordtest.By("second", "r", "1", totals...),
			recordtest.By("first", "s", "1", unread(3)...), recordtest.By("first", "r", "1", totals...)),
		"people order": recordtest.Of(kinds, recordtest.By(data.Human, "s", "1", unread(5)...), recordtest.By(data.Human, "r", "1", totals...),
			recordtest.By("first", "s", "1", unread(3)...), recordtest.By("first", "r", "1", totals...)),
	} {
		if text := firstLine(computed(t, f)); !strings.Contains(text, named) || strings.Count(text, "could not be read") != 1 ||
			strings.Contains(text, "by second") || strings.Contains(text, "by "+data.Human) {
			t.Errorf("%s: %s", name, text)
		}
	}
	few := recordtest.Of(nil, recordtest.By("first", "s", "1", unread(2)...), recordtest.By("first", "r", "1", totals...))
	if text := firstLine(computed(t, few)); strings.Contains(text, "could not be read") {
		t.Errorf("2 of 120: %s", text)
	}
}

func TestOrderByNobody(t *testing.T) {
	people := computed(t, recordtest.Of(map[string]string{data.Human: dataset.KindHuman}, recordtest.By(data.Human, "s", "1", 1, 2)))
	if s := placeOf(people, "s"); s.Rank.Known || !s.Points.Known || !strings.Contains(firstLine(people), "fewer than 10 answers") {
		t.Errorf("two answers of people: %+v: %s", s, firstLine(people))
	}
	if none := computed(t, recordtest.Fixture{Rubric: recordtest.OneCriterion(), Systems: []store.Participant{{Name: "s"}}}); none.Leaderboard().Headline != "" || !strings.Contains(firstLine(none), "No judge") {
		t.Errorf("without a verdict, %q orders the board", none.Leaderboard().Headline)
	}
}

// TestTooFewVerdicts checks a judge that scored few answers. Its systems have no rank but a note "too few" with their number of verdicts,
// in all tables. A baseline among baselines keeps its rank.
func TestTooFewVerdicts(t *testing.T) {
	totals := recordtest.Sawtooth(30, 5)
	none := computed(t, recordtest.Of(nil, recordtest.By("j", "a", "1", totals[:4]...), recordtest.By("j", "b", "1", totals[:3]...)))
	if text := firstLine(none); text != "No order: j scored too little of each system: a rank needs 10 verdicts on 5 questions." || none.Leaderboard().By != "" {
		t.Error(text)
	}
	of := computed(t, recordtest.Of(nil, recordtest.By("j", "a", "1", totals...), recordtest.By("j", "b", "1", totals[:9]...),
		recordtest.By("j", "c", "1", recordtest.Sawtooth(30, 7)...)))
	b := placeOf(of, "b")
	if b.Rank.Known || b.RankText() != "–" || b.Note() != "too few: 9 of 10 verdicts on 9 questions" || !placeOf(of, "a").Rank.Known {
		t.Errorf("%+v", b)
	}
	if text := of.Leaderboard().Details().Markdown(); strings.Count(text, " (9)¶") < 3 || strings.Count(text, "¶ too few verdicts for a rank: fewer than 10, or on fewer than 5 questions.") != 3 {
		t.Errorf("the number of verdicts and the mark are not in the tables over all scenarios, by scenario and by group:\n%s", text)
	}
	f := recordtest.Of(nil, recordtest.By("j", "a", "1", 1, 2, 3), recordtest.By("j", "b", "1", 3, 4, 5))
	for i := range f.Systems {
		f.Systems[i].Kind = dataset.KindBaseline
	}
	if p := placeOf(computed(t, f), "b"); p.Rank.Text(0) != "1" {
		t.Errorf("a baseline: %+v", p)
	}
}

func placeOf(of *judgequality.Tables, system string) leaderboard.Place {
	return table.First(of.Leaderboard().Places, func(p leaderboard.Place) bool { return p.System == system })
}
