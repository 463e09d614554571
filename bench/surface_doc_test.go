package bench

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/bench/config"
	"compqa/data"
	"compqa/judges/scoring"
	"compqa/judges/surface"
	"compqa/results/judgequality"
	"compqa/results/paper"
	"compqa/results/store"
)

var updateDoc = flag.Bool("update-surface-doc", false, "write the tables of judges/surface/surface.md anew")

// documented compares a table of judges/surface/surface.md with what it is to be, or writes it.
func documented(t *testing.T, name, want string) {
	t.Helper()
	file := filepath.Join(moduleRoot(t), "judges", "surface", "surface.md")
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
	if !*updateDoc {
		t.Errorf("judges/surface/surface.md, %s: run the test with -update-surface-doc; it is to be\n%s", name, want)
		return
	}
	if err := os.WriteFile(file, []byte(before+start+want+"<!-- end -->"+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The documentation's table of attacks on the built-in references is what the
// embedded judges do.
func TestDocumentedAttacks(t *testing.T) {
	var answers []data.Answer
	references := data.References()
	for _, q := range data.CQA50() {
		answers = append(answers, data.Answer{ID: q.ID, Object1: q.Object1, Object2: q.Object2, Aspect: q.Aspect, Status: data.Valid, Text: references[q.Pair()]})
	}
	var list []store.AttackedAnswer
	for _, name := range []string{surface.Name, "rules"} {
		p, err := newJudging(&config.Config{Dataset: data.CQA50Name, Rubric: "cqa", Run: config.Run{Seed: 1, Concurrency: 1}, Judges: []config.Judge{{Name: name, Provider: config.ProviderEmbedded, Repeats: 1}}}, name)
		if err != nil {
			t.Fatal(err)
		}
		totals := map[string]float64{}
		for _, a := range attacked(p, answers) {
			v := scoring.Settle(p.Rubric, p.Judges[0].Score(t.Context(), p.Question(a), a, nil))
			totals[a.ID] = *v.Total
		}
		list = append(list, comparedAttacks(name, answers, totals)...)
	}
	rows, err := judgequality.AttackRows(list, 19)
	if err != nil {
		t.Fatal(err)
	}
	documented(t, "attacks on the references", judgequality.AttacksMarkdown(rows))
}

// So are its tables that come from the release.
func TestDocumentedFigures(t *testing.T) {
	if testing.Short() {
		t.Skip("resamples seven judges")
	}
	c := releaseCalibrating(t)
	fitted := surface.Builtin()
	attacks, err := c.attacks(fitted)
	if err != nil {
		t.Fatal(err)
	}
	documented(t, "attacks on the release", judgequality.AttacksMarkdown(attacks))
	rows, err := c.rows(fitted)
	if err != nil {
		t.Fatal(err)
	}
	documented(t, "figures", paper.SheetAgreementsMarkdown(rows))
}
