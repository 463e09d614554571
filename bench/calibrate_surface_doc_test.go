package bench

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/bench/attack"
	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/judges"
	"compqa/judges/scoring"
	"compqa/judges/surface"
	"compqa/results/judgequality"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
)

var updateSurfaceDoc = flag.Bool("update-surface-doc", false, "write the tables of judges/surface/surface.md anew")

// checkSurfaceDoc compares a table in judges/surface/surface.md with its expected content, or writes the table.
func checkSurfaceDoc(t *testing.T, name, want string) {
	t.Helper()
	file := filepath.Join(sharedtest.ModuleRoot(t), "judges", "surface", "surface.md")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	start := "<!-- " + name + " -->\n"
	before, rest, ok := strings.Cut(string(content), start)
	got, after, closed := strings.Cut(rest, "<!-- end -->")
	if !ok || !closed {
		t.Fatalf("surface.md has no block %q", name)
	}
	want = strings.TrimRight(want, "\n") + "\n"
	if got == want {
		return
	}
	if !*updateSurfaceDoc {
		t.Errorf("judges/surface/surface.md, %s: run the test with -update-surface-doc; it is to be\n%s", name, want)
		return
	}
	if err := os.WriteFile(file, []byte(before+start+want+"<!-- end -->"+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestSoakLeftOutSystems: the documented biases of the judge surface on the systems of the release. Each is measured with a fit without the
// system.
func TestSoakLeftOutSystems(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	c, err := calibrateOptions{Release: sharedtest.Path(t, "data", "cqa-release"), Seed: surface.Builtin().Made.Seed}.prepare()
	if err != nil {
		t.Fatal(err)
	}
	list, err := c.leftOut()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := table.CSV(list)(&b); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(sharedtest.ModuleRoot(t), "judges", "surface", "surface_systems.csv")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if *updateSurfaceDoc {
		err = os.WriteFile(file, []byte(b.String()), 0o644)
	} else if string(content) != b.String() {
		t.Errorf("surface_systems.csv: run the test with -update-surface-doc; it is to be\n%s", b.String())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestDocumentedAttacks: the documented table of attacks on the built-in references shows what the embedded judges do.
func TestDocumentedAttacks(t *testing.T) {
	t.Parallel()
	var answers []data.Answer
	references := data.References()
	for _, q := range data.CQA50() {
		answers = append(answers, data.Answer{ID: q.ID, Object1: q.Object1, Object2: q.Object2, Aspect: q.Aspect, Status: data.Valid, Text: references[q.Pair()]})
	}
	var list []store.AttackedAnswer
	for _, name := range []string{surface.Name, "rules"} {
		judge, _ := judges.EmbeddedNamed(name)
		score, err := judge.New(rubric.CQA())
		if err != nil {
			t.Fatal(err)
		}
		totals := map[string]float64{}
		for _, a := range attack.ApplyAll(answers, 1, data.QuestionOf) {
			v := scoring.Settle(rubric.CQA(), score(t.Context(), data.QuestionOf(a), a, nil))
			totals[a.ID] = *v.Total
		}
		list = append(list, attack.Compare(name, answers, totals)...)
	}
	rows, err := judgequality.AttackRows(list, 19)
	if err != nil {
		t.Fatal(err)
	}
	checkSurfaceDoc(t, "attacks on the references", judgequality.AttackTable(rows).Markdown())
}

// TestSoakDocumentedFigures: the documented tables from the release are what the program computes.
func TestSoakDocumentedFigures(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	c := releaseFitting(t)
	fitted := surface.Builtin()
	attacks, err := c.attacks(fitted)
	if err != nil {
		t.Fatal(err)
	}
	checkSurfaceDoc(t, "attacks on the release", judgequality.AttackTable(attacks).Markdown())
	rows, err := c.rows(fitted)
	if err != nil {
		t.Fatal(err)
	}
	checkSurfaceDoc(t, "figures", sheetTable(rows).Markdown())
}
