package report

import (
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/leaderboard"
	"compqa/results/store"
	"compqa/results/table"
)

// order is the systems in the order of the board, "|" before those that are not compared.
func order(of *Report) string {
	var compared, others []string
	for _, row := range of.OverallTable().Rows {
		if row[0].Text == table.None {
			others = append(others, row[1].Text)
		} else {
			compared = append(compared, row[1].Text)
		}
	}
	return strings.Join(slices.Concat(compared, []string{"|"}, others), " ")
}

// Two of three judges know only systems that the third ranks last. A mean of ranks would put
// weak above strong; the headline judge, who scored all, does not. People do not count.
func TestHeadlineOrdersTheBoard(t *testing.T) {
	rows := []scored{
		{"few", "weak", "1", []float64{5, 5, 4}}, {"few", "zero", "1", []float64{5, 5, 5}},
		{"all", "strong", "1", []float64{4, 5, 4}}, {"all", "weak", "1", []float64{2, 1, 2}}, {"all", "zero", "1", []float64{0, 0, 1}},
		{"human", "weak", "1", []float64{5, 5, 5}}, {"human:1", "weak", "1", []float64{5, 5, 5}}, {"human:2", "weak", "1", []float64{5, 5, 5}},
		{"full", "strong", "1", []float64{5, 5, 5}}, {"full", "weak", "1", []float64{5, 5, 5}}, {"full", "zero", "1", []float64{5, 5, 5}},
	}
	kinds := map[string]string{"human": dataset.KindHuman, "human:1": dataset.KindHuman, "human:2": dataset.KindHuman, "full": dataset.KindFloor}
	of := computed(t, fixtureOf(kinds, rows...))
	if got := order(of); of.Headline != "all" || got != "strong weak zero |" {
		t.Errorf("%s orders %s", of.Headline, got)
	}
	if got := strings.Join(of.OverallTable().Header, " "); got != "rank system all few human" {
		t.Errorf("the columns are %s: annotators and floors do not stand on the board", got)
	}
	f := fixtureOf(kinds, rows...)
	f.config = `{"headline":"few"}`
	of = computed(t, f)
	if got := order(of); of.Headline != "few" || got != "zero weak | strong" {
		t.Errorf("%s, as configured, orders %s", of.Headline, got)
	}
	if text := of.Details().Markdown(); !strings.Contains(text, "headline in the configuration names it") {
		t.Errorf("how the order came about is not said:\n%s", text)
	}
}

// firstLine is the first sentence of the board.
func firstLine(of *Report) string { return of.HeadlineText() }

func TestOrderByPeople(t *testing.T) {
	kinds := map[string]string{"human": dataset.KindHuman, "human:1": dataset.KindHuman}
	ten := func(base float64) []float64 {
		return []float64{base, base + 1, base, base + 1, base, base + 1, base, base + 1, base, base + 1}
	}
	rows := []scored{{"j", "a", "1", ten(4)}, {"j", "b", "1", ten(1)}, {"human", "a", "1", ten(1)}, {"human", "b", "1", ten(4)}}
	of := computed(t, fixtureOf(kinds, rows...))
	if got := order(of); got != "b a |" || of.By != leaderboard.ByPeople || !strings.HasPrefix(firstLine(of), "People's scores order the systems") {
		t.Errorf("%s: %s", got, firstLine(of))
	}
	rows[3].totals = ten(4)[:9]
	of = computed(t, fixtureOf(kinds, rows...))
	if got := order(of); got != "a b |" || !strings.HasPrefix(firstLine(of), "Nobody has scored enough systems to know what people would say: this is the opinion of j.") {
		t.Errorf("nine answers are enough: %s: %s", got, firstLine(of))
	}
	of = computed(t, fixtureOf(nil, rows[:2]...))
	if got := order(of); got != "a b |" || firstLine(of) != "No person has scored these answers: this is the opinion of j." {
		t.Errorf("%s: %s", got, firstLine(of))
	}
}

// People did not score new, so points that people would give order all systems.
func TestOrderByHumanPoints(t *testing.T) {
	of := computed(t, fixtureOf(map[string]string{"human": dataset.KindHuman}, scoredByPeople(4)...))
	if of.By != leaderboard.ByHumanPoints || !strings.HasPrefix(firstLine(of), "Human points order the systems: the points that people would give, predicted from the verdicts of j and people's scores of 4 systems (bias 1.00, tau 0.00 points). Assumption:") {
		t.Errorf("%s: %s", of.By, firstLine(of))
	}
	if s := placeOf(of, "new"); s.Basis != "transfer" || s.Rank.Text(0) != "1" || s.Points.Value.Text(2) != "2.50" {
		t.Errorf("%+v", s)
	}
}

// Baselines have no rank beside other systems, and are in no range of ranks.
func TestOrderOfBaselines(t *testing.T) {
	f := fixtureOf(nil, scored{"j", "base", "1", sawtooth(24, 5)}, scored{"j", "low", "1", make([]float64, 24)}, scored{"j", "other", "1", sawtooth(24, 7)})
	f.systems[0].Kind = dataset.KindBaseline
	of := computed(t, f)
	if s := placeOf(of, "base"); s.Rank.Known() || !s.Baseline || !s.Points.Value.Known() {
		t.Errorf("%+v", s)
	}
	if s := placeOf(of, "low"); s.Rank.Text(0) != "2" || s.RankHigh.Text(0) != "2" || !strings.HasSuffix(firstLine(of), "Baselines have no rank.") {
		t.Errorf("%+v: %s", s, firstLine(of))
	}
	ranking := of.Ranking(Selection{Judge: "j"})
	if row := ranking.Table.Rows[1]; !strings.HasSuffix(ranking.About, "Baselines have no rank.") || row[1].Text != "base" || !strings.HasSuffix(row[3].Text, ", baseline") {
		t.Errorf("by a chosen judge: %v: %s", ranking.Table.Rows, ranking.About)
	}
	for i := range f.systems {
		f.systems[i].Kind = dataset.KindBaseline
	}
	of = computed(t, f)
	if s := placeOf(of, "low"); s.Rank.Text(0) != "3" || !strings.HasPrefix(firstLine(of), "Only baselines have answered, and they are ranked among themselves. To rank a model, add it under models in compqa.yaml.") {
		t.Errorf("%+v: %s", s, firstLine(of))
	}
	var screen strings.Builder
	if err := of.Print(&screen, "DIR"); err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(strings.Fields(screen.String()), " "); !strings.Contains(text, "add it under models in compqa.yaml. No person has scored these answers: this is the opinion of j") {
		t.Errorf("the screen does not say how a model is added, and whose opinion this is:\n%s", text)
	}
}

// A judge that gives every answer the same points, or almost always the same sheet, is degenerate
// without any person, and no statement counts it.
func TestDegenerateJudges(t *testing.T) {
	constant, mostly := slices.Repeat([]float64{3}, 40), slices.Repeat([]float64{3}, 40)
	mostly[0], mostly[1] = 1, 5
	kinds := map[string]string{"human": dataset.KindHuman}
	of := computed(t, fixtureOf(kinds, scored{"constant15", "s", "1", constant}, scored{"mostly", "s", "1", mostly}, scored{"human", "s", "1", constant[:2]}))
	if of.By != "" || !strings.HasPrefix(firstLine(of), "The systems have no ranks, because no judge may order them: constant15 gives 3 points to every answer; mostly gives the same score sheet to 95 % of all answers.") {
		t.Errorf("%s: %s", of.By, firstLine(of))
	}
	if s := placeOf(of, "s"); s.Rank.Known() {
		t.Errorf("%+v", s)
	}
	good := []scored{{"good", "s", "1", sawtooth(40, 5)}, {"better", "s", "1", sawtooth(40, 7)}, {"human", "s", "1", sawtooth(40, 5)}}
	of = computed(t, fixtureOf(kinds, append(good, scored{"constant15", "s", "1", constant})...))
	if r := of.Effective; len(r) != 1 || strings.Join(r[0].Judges, " ") != "good better" {
		t.Errorf("the panel: %+v", r)
	}
	for name, text := range map[string]string{"report.md": of.Front().Markdown(), "agreement.md": of.AgreementDocument().Markdown(), "leaderboard.md": of.Details().Markdown()} {
		if !strings.Contains(text, "§ constant15 is degenerate: it gives 3 points to every answer.") {
			t.Errorf("%s does not name the degenerate judge", name)
		}
	}
	if of := computed(t, fixtureOf(nil, scored{"j", "s", "1", constant[:19]})); of.Degenerate[0] != "" {
		t.Errorf("19 verdicts: %s", of.Degenerate[0])
	}
}

func TestOrderByNobody(t *testing.T) {
	people := computed(t, fixtureOf(map[string]string{data.Human: dataset.KindHuman}, scored{data.Human, "s", "1", []float64{1, 2}}))
	if s := placeOf(people, "s"); s.Rank.Known() || !s.Points.Value.Known() || !strings.Contains(firstLine(people), "fewer than 10 answers") {
		t.Errorf("two answers of people: %+v: %s", s, firstLine(people))
	}
	if none := computed(t, fixture{rubric: oneCriterion(), systems: []store.Participant{{Name: "s"}}}); none.Headline != "" || !strings.Contains(firstLine(none), "No judge") {
		t.Errorf("without a verdict, %q orders the board", none.Headline)
	}
}

// Marks stand where a judge was trained on the reference's rows, and only there: the rows of
// the release are those that were imported from it.
func TestMarksOfFittedJudges(t *testing.T) {
	f := fixtureOf(map[string]string{"human": dataset.KindHuman}, scored{"fit", "s", "1", sawtooth(24, 5)}, scored{"tuned", "s", "1", sawtooth(24, 7)}, scored{"fresh", "s", "1", sawtooth(24, 5)}, scored{"human", "s", "1", sawtooth(24, 5)})
	f.config = `{"judges":[{"name":"fit","trained_on":"human-rows-of-release","held_out":true},{"name":"tuned","trained_on":"human-rows-of-release"},{"name":"fresh"}]}`
	for origin, marked := range map[string]bool{store.FromConfig: false, "release": true} {
		dir := f.record(t, t.TempDir())
		s, err := store.Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Db.Exec(`UPDATE plan SET origin = ? WHERE judge = 'human'`, origin); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		of := must(Compute(must(dataset.Load(dir))))
		for _, r := range of.Agreements {
			want := ""
			if marked && (r.Judge == "fit" || r.Judge == "tuned") {
				want = data.ReleaseRows
			}
			if r.FittedOn != want {
				t.Errorf("%s, %s is fitted on %q, want %q", origin, r.Judge, r.FittedOn, want)
			}
		}
		var screen strings.Builder
		if err := of.Print(&screen, "DIR"); err != nil {
			t.Fatal(err)
		}
		pages := map[string]string{"report.md": of.Front().Markdown(), "agreement.md": of.AgreementDocument().Markdown(), "leaderboard.md": of.Details().Markdown(), "bias.md": of.JudgesDocument().Markdown()}
		for name, text := range pages {
			for _, want := range []string{"† fit was trained or tuned on these human scores (human-rows-of-release). Its figures are held out", "† tuned was trained", "fit†"} {
				if strings.Contains(text, want) != marked && (name != "report.md" || want != "fit†") {
					t.Errorf("%s, %s: %q is there: %v", origin, name, want, !marked)
				}
			}
			if strings.Contains(text, "fresh†") {
				t.Errorf("%s: a judge that was not trained has a mark", name)
			}
		}
	}
}

func placeOf(of *Report, system string) leaderboard.Place {
	return table.First(of.Places, func(p leaderboard.Place) bool { return p.System == system })
}
