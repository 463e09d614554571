package preferences

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
)

const hostile = `<script>alert(1)</script> **"x" [y](javascript:z)`

// disputedFixture has 40 pairs of two systems. Answer a is better in the first 20, b in the others. The judge "model" chooses the better
// answer on 30 pairs and the other one on 8; one pair is a tie, and one reply has no choice. Two people choose as the labels do, except one
// of them on the first pair. Answer a is always longer.
func disputedFixture() *pairwiseFixture {
	f := &pairwiseFixture{}
	var model, longer, first, second []string
	for i := range 40 {
		label := data.ChoiceA
		other := data.ChoiceB
		if i >= 20 {
			label, other = other, label
		}
		f.pair(fmt.Sprint("p", i), fmt.Sprint("c", i), label, "alpha", "beta "+hostile)
		f.set.Pairs[i].Question = fmt.Sprintf("Question %d? %s\nSecond line", i, hostile)
		f.set.Pairs[i].A = strings.Repeat("long text "+hostile+" ", 20)
		f.set.Pairs[i].B = "text of b"
		right := string(label) + "/" + string(label)
		wrong := string(other) + "/" + string(other)
		switch {
		case i >= 1 && i <= 8:
			model = append(model, wrong)
		case i == 30:
			model = append(model, "t/t")
		case i == 31:
			model = append(model, "-/"+string(label))
		default:
			model = append(model, right)
		}
		longer = append(longer, "a/a")
		first = append(first, string(label)+"/.")
		second = append(second, string(label)+"/.")
	}
	second[0] = "b/."
	f.judge("model", model...)
	f.judge("longer", longer...)
	f.judge("human:1", first...)
	f.judge("human:2", second...)
	f.judges[1].Kind = dataset.KindFloor
	f.judges[1].Method = data.FloorLonger
	f.judges[2].Kind = dataset.KindHuman
	f.judges[3].Kind = dataset.KindHuman
	f.cells = slices.DeleteFunc(f.cells, func(c store.PlanCell) bool { return data.IsHuman(c.Judge) && c.Order == data.OrderBA })
	for i := range f.said {
		if f.said[i].Judge == "longer" {
			f.said[i].Method = data.FloorLonger
		}
	}
	for i := range f.cells {
		if f.cells[i].Judge == "longer" {
			f.cells[i].Method = data.FloorLonger
		}
	}
	return f
}

// The page of pairs begins with the answer to its question. Judges, systems and disputed pairs follow; all else is in collapsed chapters
// whose lines give their results. Counts are by hand. Hostile texts have no effect.
func TestPageOfPairs(t *testing.T) {
	_, dir := disputedFixture().board(t)
	r, err := Write(dir, dir)
	if err != nil {
		t.Fatal(err)
	}
	d := r.document()
	if want := "model chooses as people do on 77 % of pairs; people among themselves on 98 %"; d.Title != want {
		t.Errorf("the title is %q, want %q", d.Title, want)
	}
	for _, want := range []string{"model is not shown to be better than longer (50 %), which always takes the longer answer.", "By people's choices, no system is clearly first"} {
		if !strings.Contains(d.Lead, want) {
			t.Errorf("%q lacks %q", d.Lead, want)
		}
	}
	var open []string
	var folds []*table.Chapter
	for _, s := range d.Shown() {
		switch {
		case s.Chapter == nil && folds != nil:
			t.Errorf("%s is open below the folds", s.Key())
		case s.Chapter == nil:
			open = append(open, s.ID)
		case !slices.Contains(folds, s.Chapter):
			folds = append(folds, s.Chapter)
		}
	}
	if want := []string{"choosers", "systems", "disputed", "disputed-1", "disputed-2", "disputed-3"}; !slices.Equal(open, want) {
		t.Errorf("open are %q, want %q", open, want)
	}
	lines := data.Each(folds, func(c *table.Chapter) string { return c.Title + ": " + c.Says })
	if want := []string{"Does order, length or form change the choice?: model has the same choice in both orders of 100 %",
		"Ranking by each judge: people: alpha first, model: beta " + hostile + " first", "Missing choices: 1 of model",
		"What choices cost: no model was asked", "Every figure about pairs: 3 tables, and all as CSV"}; !slices.Equal(lines, want) {
		t.Errorf("the folds are %q", lines)
	}
	if got, want := d.Sections[2].Lead, "8 of the 39 pairs on which all 2 people agree; 1 more is a tie for it; of 1 it has no choice."; !strings.HasPrefix(got, want) {
		t.Errorf("%q does not begin with %q", got, want)
	}
	sides := d.Sections[3].Sides
	if sides[0].Who != "● model" || sides[1].Who != "◆ 2 of 2 people" || sides[1].Text != "alpha" || !strings.HasPrefix(sides[1].Quote, "long text") {
		t.Errorf("%+v", sides)
	}
	page, err := os.ReadFile(filepath.Join(dir, report.ReportPage))
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	if strings.Contains(text, "<script") || strings.Contains(text, `"javascript:`) || strings.Count(text, "<b>Whole answer</b> 200 words") != 3 {
		t.Errorf("a text acts on the page, or whole answers are missing:\n%s", text)
	}
	if want := "set · 40 pairs · 2 systems · 2 people"; !strings.Contains(text, want) {
		t.Errorf("the page lacks %q", want)
	}
	if md, err := os.ReadFile(filepath.Join(dir, report.ReportText)); err != nil || strings.Contains(string(md), "<script") {
		t.Errorf("%v: report.md has a tag", err)
	}
}

// The page of a record without people and labels says what is preferred, that nothing shows how well the judges choose, and what to do
// next.
func TestPageOfPairsWithoutPeople(t *testing.T) {
	f := &pairwiseFixture{}
	var choices []string
	for i := range 40 {
		f.pair(fmt.Sprint("p", i), fmt.Sprint("c", i), data.NoChoice, "alpha", "beta")
		choices = append(choices, []string{"a/a", "a/a", "b/b"}[i%3])
	}
	f.judge("model", choices...)
	r := f.loadedReport(t)
	found := r.Findings()
	d := r.document()
	if len(found) < 2 || found[0].Subject != "alpha" || found[1].Next == "" || !strings.Contains(d.Lead, found[1].Text) {
		t.Errorf("%+v", found)
	}
	shown := d.Shown()
	if shown[0].ID != "systems" || shown[0].Title != "Which system does model prefer?" || shown[1].ID != "next" ||
		!strings.Contains(shown[1].About, "compqa annotate init DIR --people 2 --study FILE") || !strings.Contains(shown[1].About, "compqa pairwise import --pairs PAIRS --in FILE --gold majority --out DIR") {
		t.Errorf("%+v", shown[:2])
	}
	if disputedFixture().loadedReport(t).unchecked() {
		t.Error("a record with people says that nobody chose")
	}
}

func (f *pairwiseFixture) loadedReport(t *testing.T) *Report {
	t.Helper()
	_, dir := f.board(t)
	r, err := loaded(dir, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A system with few questions is grey and has no rank. A judge that was tuned on the labels is below the others, hollow, and not the
// headline.
func TestThinSystemsAndTunedJudges(t *testing.T) {
	f := disputedFixture()
	for i := range 3 {
		f.pair(fmt.Sprint("q", i), fmt.Sprint("d", i), data.ChoiceA, "alpha", "rare")
	}
	f.judges[0].TrainedOn = "set"
	r := f.loadedReport(t)
	choosers := r.choosers()
	systems := r.systemsSection(choosers).Table
	last := systems.Rows[len(systems.Rows)-1]
	if last[1].Text != "rare" || last[1].Row.Class != "thin" || last[0].Text != "–" || !strings.Contains(last[3].Text, "too few questions to rank") {
		t.Errorf("%+v", last)
	}
	view := r.choosersSection(choosers).Table
	tuned := view.Rows[len(view.Rows)-1]
	if tuned[0].Text != "model" || tuned[0].Row.Group != chooserKinds[tunedOrTold] || !tuned[1].Drawn.Hollow {
		t.Errorf("%+v", tuned)
	}
	if subject := r.Findings()[0].Subject; subject == "model" {
		t.Error("the headline is on a tuned judge")
	}
}
