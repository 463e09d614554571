package paper

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/data/sources/release"
	"compqa/rubric"
)

// sharedRelease reads the copy of the authors' release in the shared folder. It has 277 of the 367 human rows, and two of the judges.
func sharedRelease(t *testing.T) (*Reproduction, string) {
	t.Helper()
	shared := sharedtest.Path(t)
	if ofTheRelease == nil {
		release, err := release.Read(filepath.Join(shared, "data", "cqa-release"))
		if err != nil {
			t.Fatal(err)
		}
		if ofTheRelease, err = Reproduce(release, rubric.CQA()); err != nil {
			t.Fatal(err)
		}
	}
	return ofTheRelease, shared
}

var ofTheRelease *Reproduction // computed once for all tests

// Independent code (numpy, scipy) computed the expected figures from the same files.
func TestReproduceExpectedFigures(t *testing.T) {
	rep, shared := sharedRelease(t)
	content, err := os.ReadFile(filepath.Join(shared, "oracle", "reproduce_expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := json.Marshal(rep.Figures)
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	for text, into := range map[*any][]byte{&want: content, &got: ours} {
		if err := json.Unmarshal(into, text); err != nil {
			t.Fatal(err)
		}
	}
	compared := 0
	compareJSON(t, "", got, want, &compared)
	if compared < 500 {
		t.Errorf("only %d figures were compared", compared)
	}
}

// By the published rule, Tables 3 and 5 reproduce to the last printed digit for both judges here, with one exception. People's columns need
// the missing rows.
func TestReproducePrintedDigits(t *testing.T) {
	rep, _ := sharedRelease(t)
	compared := 0
	var off []string
	for _, c := range rep.Cells {
		if (c.Table != 3 && c.Table != 5) || c.Rule != RulePublished || c.judge == data.Human || !c.compared() {
			continue
		}
		compared++
		if !c.reproduced() {
			off = append(off, fmt.Sprintf("%d %s %s: %.2f", c.Table, c.Row, c.Column, c.Recomputed.Value))
		}
	}
	if want := 2 * (9 + 27) * 2; compared != want { // judges × rows × mean and deviation
		t.Errorf("%d figures were compared, want %d", compared, want)
	}
	if want := []string{"5 gpt3-5_scenario_2 gpt-3.5 sd: 4.05"}; !slices.Equal(off, want) {
		t.Errorf("off by more than a unit of the last digit: %q, want %q", off, want)
	}
}

// The summary of the shared release has, for each table and judge, the number of figures compared and the number that match by each rule.
// It also says which figures cannot be computed because human rows are missing.
func TestReproduceSummary(t *testing.T) {
	rep, _ := sharedRelease(t)
	var got []string
	sections := rep.sections()
	for _, row := range sections[0].Table.Rows {
		var texts []string
		for _, cell := range row {
			texts = append(texts, cell.Text)
		}
		got = append(got, strings.Join(texts, ", "))
	}
	want := []string{
		"Table 2, gpt-4o, 4, 1, 1, 277 of 367", "Table 2, gpt-3.5, 4, 0, 0, 277 of 367",
		"Table 3, gpt-4o, 18, 18, 17, ", "Table 3, gpt-3.5, 18, 18, 9, ", "Table 3, human, 18, 4, 3, 277 of 367",
		"Table 4, human, 4, 0, 0, 277 of 367",
		"Table 5, gpt-4o, 54, 54, 52, ", "Table 5, gpt-3.5, 54, 53, 36, ", "Table 5, human, 54, 1, 1, 277 of 367",
	}
	missing := "This release has 277 of the paper's 367 human rows; 90 are missing, and no list says which. So these figures of the paper, which " +
		"are over all human rows, cannot be recomputed from it: 24 of Table 2, 18 of Table 3, 4 of Table 4 and 54 of Table 5."
	var terminal strings.Builder
	if err := rep.Print(&terminal); err != nil || !strings.Contains(rep.Markdown(), missing) ||
		!strings.Contains(strings.Join(strings.Fields(terminal.String()), " "), missing) {
		t.Errorf("%v; %q, want %q", err, sections[0].Verdict, missing)
	}
	if !slices.Equal(got, want) {
		t.Errorf("summary: %q, want %q", got, want)
	}
}

// compareJSON requires the same keys, lengths and nulls, and numbers within 1e-9.
func compareJSON(t *testing.T, path string, got, want any, compared *int) {
	t.Helper()
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s: got %v, want an object", path, got)
			return
		}
		for k := range g {
			if _, ok := w[k]; !ok {
				t.Errorf("%s.%s should not be there", path, k)
			}
		}
		for k := range w {
			if _, ok := g[k]; !ok {
				t.Errorf("%s.%s is missing", path, k)
				continue
			}
			compareJSON(t, path+"."+k, g[k], w[k], compared)
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			t.Errorf("%s: got %v, want %d elements", path, got, len(w))
			return
		}
		for i := range w {
			compareJSON(t, fmt.Sprintf("%s[%d]", path, i), g[i], w[i], compared)
		}
	case float64:
		*compared++
		if g, ok := got.(float64); !ok || !(math.Abs(g-w) <= 1e-9) {
			t.Errorf("%s: got %v, want %v", path, got, w)
		}
	default:
		*compared++
		if got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}
