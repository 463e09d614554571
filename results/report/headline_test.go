package report

import (
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
)

// order is the systems in the order of the board, "|" before those that are not compared.
func order(of *Report) string {
	compared, others := of.OverallTables()
	var names []string
	for _, row := range compared.Rows {
		names = append(names, row[1])
	}
	names = append(names, "|")
	for _, row := range others.Rows {
		names = append(names, row[1])
	}
	return strings.Join(names, " ")
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
	compared, _ := of.OverallTables()
	if got := strings.Join(compared.Header, " "); got != "rank system all few human" {
		t.Errorf("the columns are %s: annotators and floors do not stand on the board", got)
	}
	f := fixtureOf(kinds, rows...)
	f.config = `{"headline":"few"}`
	of = computed(t, f)
	if got := order(of); of.Headline != "few" || got != "zero weak | strong" {
		t.Errorf("%s, as configured, orders %s", of.Headline, got)
	}
	if text := of.LeaderboardText(); !strings.Contains(text, "## Not compared") || !strings.Contains(text, "headline in the configuration names it") {
		t.Errorf("how the order came about is not said:\n%s", text)
	}
}

// The judge that agrees best with people orders the board, unless it was tuned on their scores
// and its figures are not held out.
func TestHeadlineAgreesWithPeople(t *testing.T) {
	people := sawtooth(24, 5)
	near := append([]float64{}, people...)
	near[0], near[1] = 5-near[0], 5-near[1]
	f := fixtureOf(map[string]string{"human": dataset.KindHuman}, scored{"first", "s", "1", sawtooth(24, 7)}, scored{"tuned", "s", "1", people}, scored{"good", "s", "1", near}, scored{"human", "s", "1", people})
	for config, want := range map[string]string{
		`{}`: "tuned",
		`{"judges":[{"name":"tuned","trained_on":"our rows"}]}`:                    "good",
		`{"judges":[{"name":"tuned","trained_on":"our rows","held_out":true}]}`:    "tuned",
		`{"judges":[{"name":"tuned","trained_on":"human-rows-of-release"}]}`:       "tuned", // these rows are not of the release
		`{"headline":"first","judges":[{"name":"tuned","trained_on":"our rows"}]}`: "first",
	} {
		f.config = config
		if of := computed(t, f); of.Headline != want {
			t.Errorf("%s: %s orders the board, want %s", config, of.Headline, want)
		}
	}
}

func TestHeadlineOfPeopleAlone(t *testing.T) {
	people := computed(t, fixtureOf(map[string]string{data.Human: dataset.KindHuman}, scored{data.Human, "s", "1", []float64{1, 2}}))
	if people.Headline != data.Human {
		t.Errorf("without another judge, %q orders the board", people.Headline)
	}
	if none := computed(t, fixture{rubric: oneCriterion(), systems: []store.Participant{{Name: "s"}}}); none.Headline != "" || !strings.Contains(none.HeadlineText(), "No judge") {
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
		if err := of.print(&screen, "DIR"); err != nil {
			t.Fatal(err)
		}
		pages := map[string]string{"report.md": of.reportText("", ""), "agreement.md": of.AgreementText(), "judges.md": of.JudgesText(), "leaderboard.md": of.LeaderboardText(), "the screen": strings.Join(strings.Fields(screen.String()), " ")}
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
