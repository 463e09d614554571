package results

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"compqa/data"
	"compqa/rubric"
)

// sharedRelease is the copy of the authors' release that lies beside the
// project: 277 of its 367 human rows, two of its judges.
func sharedRelease(t *testing.T) (*Reproduction, string) {
	t.Helper()
	shared := sharedFolder(t)
	release, err := data.ReadRelease(filepath.Join(shared, "data", "cqa-release"))
	if err != nil {
		t.Fatal(err)
	}
	rep, err := Reproduce(release, rubric.CQA())
	if err != nil {
		t.Fatal(err)
	}
	return rep, shared
}

// sharedFolder is COMPQA_SHARED, by default the folder "shared" beside the
// module's root.
func sharedFolder(t *testing.T) string {
	t.Helper()
	shared := os.Getenv("COMPQA_SHARED")
	if shared == "" {
		root, err := filepath.Abs(".")
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
				break
			}
			if root == filepath.Dir(root) {
				t.Fatal("no go.mod above the test")
			}
			root = filepath.Dir(root)
		}
		shared = filepath.Join(filepath.Dir(root), "shared")
	}
	if _, err := os.Stat(filepath.Join(shared, "data", "cqa-release")); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the authors' release is needed: %v; set COMPQA_SHARED", err)
		}
		t.Skipf("NOT TESTED against the authors' release: %v; set COMPQA_SHARED", err)
	}
	return shared
}

// The expected figures were computed from the same files by independent code
// (numpy, scipy).
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

// compareJSON wants the same keys, the same lengths, nulls where nulls are, and
// numbers within 1e-9.
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
