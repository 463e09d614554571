package compare_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"compqa/results/compare"
	"compqa/results/dataset"
	"compqa/results/recordtest"
	"compqa/results/store"
	"compqa/results/table"
)

// added returns the comparison of the systems a and b by j.
func added(t *testing.T, a, b compare.Side) (c compare.Comparison) {
	t.Helper()
	a.System = "a"
	b.System = "b"
	if err := c.Add("j", a, b); err != nil {
		t.Fatal(err)
	}
	return c
}

// Only scenario 1 has answers of both systems. There, a − b is −1, 0, −2, −1 and −1, with mean −1 and standard error √.1.
func TestAdd(t *testing.T) {
	x := recordtest.Of(nil, recordtest.By("j", "a", "1", 1, 2, 3, 2, 2), recordtest.By("j", "a", "2", 2, 4),
		recordtest.By("j", "b", "1", 2, 2, 5, 3, 3)).Dataset(t)
	c := added(t, compare.Side{Dataset: x}, compare.Side{Dataset: x})
	if len(c.Rows) != 2 || c.Rows[0].Criterion != "-" || c.Rows[1].Criterion != "x" {
		t.Fatalf("want the total and the criterion: %+v", c.Rows)
	}
	half := 2.7764451051977987 * math.Sqrt(.1) // Student's 97.5 % quantile with four degrees of freedom
	for _, r := range c.Rows {                 // the only criterion is the total
		recordtest.Near(t, "the mean of a", r.A, 2)
		recordtest.Near(t, "the mean of b", r.B, 3)
		recordtest.Near(t, "the difference", r.Difference, -1)
		recordtest.Near(t, "its lower bound", r.Difference.Lower(), -1-half)
		recordtest.Near(t, "its upper bound", r.Difference.Upper(), -1+half)
		if r.Questions != 5 || r.Judge != "j" || r.SystemA != "a" || r.SystemB != "b" {
			t.Errorf("%+v", r)
		}
	}
	if len(c.Moved) != 4 {
		t.Fatalf("four questions moved: %+v", c.Moved)
	}
	recordtest.Near(t, "the first move", c.Moved[0].Difference, -1)
	recordtest.Near(t, "the second move", c.Moved[1].Difference, -2)
	if n := len(c.Worse(0)); n != 0 {
		t.Errorf("%d rows are worse, and b is better", n)
	}
	back := compare.Comparison{}
	if err := back.Add("j", compare.Side{Dataset: x, System: "b"}, compare.Side{Dataset: x, System: "a"}); err != nil {
		t.Fatal(err)
	}
	if len(back.Worse(0.9)) != 1 || len(back.Worse(1)) != 0 {
		t.Error("a is worse than b by one point, told once")
	}
}

// Four questions are too few for a difference, so the second side may be worse.
func TestAddTooFew(t *testing.T) {
	x := recordtest.Of(nil, recordtest.By("j", "a", "1", 1, 2, 3, 4), recordtest.By("j", "b", "1", 2, 3, 4, 5)).Dataset(t)
	c := added(t, compare.Side{Dataset: x}, compare.Side{Dataset: x})
	if r := c.Rows[0]; r.Difference.Known || r.Questions != 4 || len(c.Worse(3)) != 1 {
		t.Errorf("%+v", r)
	}
	if text := c.Findings().Headline(); !strings.Contains(text, "too few questions") {
		t.Errorf("%s", text)
	}
}

// The first side has three valid verdicts. On the same questions, the second side has all, two, two of six, or none.
func TestFewer(t *testing.T) {
	first := recordtest.Of(nil, recordtest.By("j", "a", "1", 1, 2, 3)).Dataset(t)
	none := recordtest.Unread
	for _, of := range []struct {
		b        recordtest.Fixture
		accepted float64
		fewer    bool
	}{
		{recordtest.Of(nil, recordtest.By("j", "b", "1", 3, 2, 1)), 0, false},
		{recordtest.Of(nil, recordtest.By("j", "b", "1", none, 2, 1)), 0, true},
		{recordtest.Of(nil, recordtest.By("j", "b", "1", none, 2, 1)), 0.34, false},
		{recordtest.Of(nil, recordtest.By("j", "b", "1", 2, 1)), 0, false},                                                   // fewer are planned, and all are valid
		{recordtest.Of(nil, recordtest.By("j", "b", "1", 3, none, none), recordtest.By("j", "b", "2", 3, 3, none)), 0, true}, // more, but half of them
		{recordtest.Of(nil, recordtest.By("j", "b", "2", 3, 2, 1)), 0.9, true},                                               // no common scenario
		{recordtest.Of(nil, recordtest.By("j", "b", "1", none, none, none)), 0.9, true},
		{recordtest.Of(nil, recordtest.By("j", "c", "1", 1, 2, 3)), 0.9, true}, // no such system
	} {
		c := added(t, compare.Side{Dataset: first}, compare.Side{Dataset: of.b.Dataset(t)})
		if got := len(c.Fewer(of.accepted)) > 0; got != of.fewer {
			t.Errorf("accepted %v: fewer is %v, want %v; %+v", of.accepted, got, of.fewer, c.Rows[0])
		}
	}
	unscored := recordtest.Of(nil, recordtest.By("j", "a", "1", none)).Dataset(t)
	if c := added(t, compare.Side{Dataset: unscored}, compare.Side{Dataset: unscored}); len(c.Fewer(0)) != 0 {
		t.Errorf("the first side has none either: %+v", c.Rows)
	}
}

// If a scenario is chosen, only its answers count. AllScenarios is all. Without a common question there are no points.
func TestAddOfAScenario(t *testing.T) {
	x := recordtest.Of(nil, recordtest.By("j", "a", "1", 1, 2, 1, 2, 1), recordtest.By("j", "a", "2", 5, 5),
		recordtest.By("j", "b", "1", 2, 4, 2, 4, 3), recordtest.By("j", "b", "3", 0, 0),
		recordtest.By("k", "a", "1", 1, 1)).Dataset(t)
	for scenario, want := range map[string]int{"1": 5, "2": 0, "": 5, dataset.AllScenarios: 5} {
		c := added(t, compare.Side{Dataset: x, Scenario: scenario}, compare.Side{Dataset: x, Scenario: scenario})
		if want == 0 {
			if len(c.Rows) != 1 || c.Rows[0].Questions != 0 || c.Rows[0].Difference.Known || c.Moved != nil {
				t.Errorf("scenario %q: %+v", scenario, c.Rows)
			}
			continue
		}
		if len(c.Rows) != 2 || c.Rows[0].Questions != want {
			t.Errorf("scenario %q: %+v", scenario, c.Rows)
			continue
		}
		recordtest.Near(t, "the difference", c.Rows[0].Difference, -1.6)
	}
	var c compare.Comparison
	if err := c.Add("k", compare.Side{Dataset: x, System: "a"}, compare.Side{Dataset: x, System: "b"}); err != nil || len(c.Rows) != 1 || c.Rows[0].Questions != 0 {
		t.Errorf("a judge that scored one system: %v, %+v", err, c.Rows)
	}
}

// If a group is given, only its criteria count, and the total is their sum.
func TestAddOfAGroup(t *testing.T) {
	x := recordtest.Small().Dataset(t)
	var whole, form compare.Comparison
	a := compare.Side{Dataset: x, System: "alpha"}
	b := compare.Side{Dataset: x, System: "be|ta *x*"}
	if err := whole.Add("rules", a, b); err != nil {
		t.Fatal(err)
	}
	a.Group = "form"
	b.Group = "form"
	if err := form.Add("rules", a, b); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range form.Rows {
		names = append(names, r.Criterion)
	}
	if got := strings.Join(names, " "); got != "- a b" || len(whole.Rows) != 4 {
		t.Fatalf("criteria %s, and %d rows of all groups", got, len(whole.Rows))
	}
	recordtest.Near(t, "the points of the group", form.Rows[0].A, form.Rows[1].A.Value+form.Rows[2].A.Value)
	recordtest.Near(t, "the points of all groups", whole.Rows[0].A, form.Rows[0].A.Value+whole.Rows[3].A.Value)
}

// Judges leaves out baselines and people.
func TestJudges(t *testing.T) {
	kinds := map[string]string{"human": dataset.KindHuman, "constant": dataset.KindFloor}
	a := recordtest.Of(kinds, recordtest.By("j", "a", "1", 1), recordtest.By("human", "a", "1", 1), recordtest.By("constant", "a", "1", 5), recordtest.By("k", "a", "1", 2), recordtest.By("one", "a", "1", 2)).Dataset(t)
	if got := strings.Join(compare.Judges(a), " "); got != "j k one" {
		t.Errorf("judges %s", got)
	}
}

// Print shows criteria and questions only for a single pair of systems, and only the five questions that changed most.
func TestPrint(t *testing.T) {
	x := recordtest.Of(nil, recordtest.By("j", "a", "1", 0, 0, 0, 0, 0, 0, 0), recordtest.By("j", "b", "1", 1, 2, 3, 4, 5, 0, 2.5), recordtest.By("j", "c", "1", 1, 1, 1, 1, 1, 1, 1)).Dataset(t)
	c := added(t, compare.Side{Dataset: x}, compare.Side{Dataset: x})
	printed := func() string {
		var b strings.Builder
		if err := c.Print(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	_, moved, found := strings.Cut(printed(), "Questions that changed most")
	at := -1
	for _, question := range []string{"o04", "o03", "o02", "o06", "o01"} {
		next := strings.Index(moved, question)
		if next <= at {
			t.Errorf("%s is not in its place:\n%s", question, moved)
		}
		at = next
	}
	if !found || !strings.HasSuffix(moved, "\n and 1 more: --json\n") || strings.Contains(moved, "o00") || strings.Contains(moved, "o05") {
		t.Errorf("more questions than five:\n%s", moved)
	}
	if err := c.Add("j", compare.Side{Dataset: x, System: "b"}, compare.Side{Dataset: x, System: "c"}); err != nil {
		t.Fatal(err)
	}
	if text := printed(); strings.Contains(text, "By criterion") || strings.Contains(text, "Questions that changed most") {
		t.Errorf("two pairs of systems:\n%s", text)
	}
}

// texts returns the rows of a table as texts.
func texts(of *table.Table) (rows []string) {
	for _, row := range of.Rows {
		var cells []string
		for _, c := range row {
			cells = append(cells, c.Text)
		}
		rows = append(rows, strings.Join(cells, ", "))
	}
	return rows
}

func TestRecordsAndSettings(t *testing.T) {
	made := []store.Provenance{
		{Program: "v1", Revision: "r", Dataset: "ours", Seed: 1, Config: `{"dataset":"ours","judges":[{"name":"j","model":"m"}],"list":[1,2]}`},
		{Program: "v1", Revision: "r", Dataset: "yours", Seed: 1, Config: `{"dataset":"ours","judges":[{"name":"j","model":"n"}],"list":[1,3],"more":true}`},
	}
	names := []string{"first", "second"}
	if got := strings.Join(texts(compare.Records(names, made).Table), "; "); got != "program, v1 r, v1 r; questions, ours, ≠ yours; seed, 1, 1" {
		t.Errorf("records: %s", got)
	}
	changed := compare.Settings(names, made)
	if got := strings.Join(texts(changed.Table), "; "); got != "judges.j.model, m, ≠ n; list.2, 2, ≠ 3; more, , ≠ true" || changed.Verdict != "" {
		t.Errorf("changes: %s", got)
	}
	if same := compare.Settings(names, []store.Provenance{made[0], made[0]}); len(same.Table.Rows) != 0 || same.Verdict != "The configurations are the same." {
		t.Errorf("the same configuration: %+v", same)
	}
	if got := strings.Join(texts(compare.Settings(names[:1], made[:1]).Table), "; "); got != "dataset, ours; judges.j.model, m; judges.j.name, j; list.1, 1; list.2, 2" {
		t.Errorf("one record: %s", got)
	}
}

// Only s has other answers on Tuesday. Its points by j are 1.4 and 4.4.
func TestChanges(t *testing.T) {
	monday := recordtest.Of(nil, recordtest.By("j", "s", "1", 1, 2, 1, 2, 1), recordtest.By("j", "u", "1", 1, 2, 1, 2, 1))
	tuesday := recordtest.Of(nil, recordtest.By("j", "s", "1", 4, 5, 4, 5, 4), recordtest.By("j", "u", "1", 1, 2, 1, 2, 1))
	for i := range tuesday.Answers {
		if tuesday.Answers[i].System == "s" {
			tuesday.Answers[i].Text += ", said otherwise"
		}
	}
	root := t.TempDir()
	first := monday.Write(t, filepath.Join(root, "monday"))
	x := recordtest.Load(t, first, tuesday.Write(t, filepath.Join(root, "tuesday")))
	changes, err := compare.Changes(x, "j")
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(changes.Table); len(got) != 1 || !strings.HasPrefix(got[0], "s, s (monday): 1.40, s (tuesday): 4.40, 5, −3.00") {
		t.Errorf("%q", got)
	}
	none, err := compare.Changes(recordtest.Load(t, first), "j")
	if err != nil || none.Verdict != "Systems that are in several records have the same answers there." {
		t.Errorf("one record: %v, %q", err, none.Verdict)
	}
}
