package statstest

import (
	"bytes"
	"compqa/data/sharedtest"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Case is one expected value with its arguments. Tolerance holds, per
// expected field, |got-want| <= abs + rel*|want|, element by element; a field
// without an entry is compared exactly. A null in Expect is an undefined value.
type Case struct {
	ID        string
	Kind      string
	Args      json.RawMessage
	Expect    map[string]any
	Tolerance map[string]oracleTolerance
	Source    string
	Note      string
}

type oracleTolerance struct{ Abs, Rel float64 }

// Runner computes one case with this package and compares.
type Runner func(t *testing.T, c Case)

// oracleKinds are the kinds of cases that some package of statistics computes. elo is
// omitted: Elo ratings depend on the order of the matches, Bradley-Terry strengths do
// not.
var oracleKinds = []string{"alpha_bootstrap_kalpha", "alpha_bootstrap_units", "alpha_se_gwet", "alt_test", "bca_interval",
	"bradley_terry", "bradley_terry_ties_davidson",
	"clustered_se", "cohen_kappa", "elo", "gwet_ac", "kendall_tau_b", "krippendorff_alpha", "p_adjust", "paired_difference", "pearson",
	"ppi_mean", "proportion_ci", "spearman"}

// RunOracle runs the cases of the kinds that there are runners for.
func RunOracle(t *testing.T, runners map[string]Runner) {
	t.Helper()
	for _, c := range LoadOracle(t) {
		run, known := runners[c.Kind]
		switch {
		case known:
			t.Run(c.Kind+"/"+c.ID, func(t *testing.T) { run(t, c) })
		case !slices.Contains(oracleKinds, c.Kind):
			t.Fatalf("no package computes cases of kind %q", c.Kind)
		}
	}
}

//go:embed oracle.json
var smallOracle []byte

// LoadOracle reads the file named by COMPQA_ORACLE, or stats_oracle.json of the
// shared material. A relative name counts from the module's root.
func LoadOracle(tb testing.TB) []Case {
	tb.Helper()
	name, named := os.LookupEnv("COMPQA_ORACLE")
	if named && name != "" {
		if !filepath.IsAbs(name) {
			name = filepath.Join(sharedtest.ModuleRoot(tb), name)
		}
	} else {
		name = filepath.Join(sharedtest.Folder(tb), "oracle", "stats_oracle.json")
	}
	raw, err := os.ReadFile(name)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true" || named && name != "":
		tb.Fatalf("oracle: %v", err)
	default:
		tb.Logf("no oracle file (%v): the small one of the repository is used; set COMPQA_ORACLE for another", err)
		raw = smallOracle
	}
	var file struct {
		Meta  json.RawMessage
		Cases []Case
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		tb.Fatalf("oracle %s: %v", name, err)
	}
	if len(file.Cases) == 0 {
		tb.Fatalf("oracle %s has no cases", name)
	}
	return file.Cases
}

// Decode reads the arguments into a struct. An argument that the struct does
// not have fails the case: it would otherwise be ignored in silence.
func (c Case) Decode(t *testing.T, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(c.Args))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: arguments: %v", c.ID, err)
	}
}

// WantError is the class of error the reference raises, if it does.
func (c Case) WantError() (class string, ok bool) {
	class, ok = c.Expect["error"].(string)
	return class, ok
}

// WantUndefined says that the reference returns NaN. The reason is a tag of
// the file, not of the reference, and is not compared.
func (c Case) WantUndefined() bool {
	_, ok := c.Expect["undefined"]
	return ok
}

// Compare checks every expected field; one that got lacks is a failure. Values
// of got are numbers, bools, strings, slices and maps of them; NaN means that
// the statistic is undefined and matches null alone.
func (c Case) Compare(t *testing.T, got map[string]any) {
	t.Helper()
	for field, want := range c.Expect {
		if field == "undefined" {
			continue
		}
		have, ok := got[field]
		if !ok {
			t.Errorf("%s: expected field %q was not computed", c.ID, field)
			continue
		}
		tolerance, near := c.Tolerance[field]
		if err := compareValue(plainJSON(t, have), want, tolerance, near); err != nil {
			t.Errorf("%s (%s): %s: %v", c.ID, c.Note, field, err)
		}
	}
}

// plainJSON turns a Go value into what encoding/json decodes into any, with
// nil for NaN, so that one comparison serves every kind.
func plainJSON(t *testing.T, v any) any {
	t.Helper()
	switch v := v.(type) {
	case nil, bool, string:
		return v
	case int:
		return float64(v)
	case float64:
		if math.IsNaN(v) {
			return nil
		}
		return v
	case []float64:
		return plainList(t, v)
	case []int:
		return plainList(t, v)
	case []bool:
		return plainList(t, v)
	case []string:
		return plainList(t, v)
	case map[string]float64:
		plain := make(map[string]any, len(v))
		for key, value := range v {
			plain[key] = plainJSON(t, value)
		}
		return plain
	}
	t.Fatalf("compare does not know %T", v)
	return nil
}

func plainList[T any](t *testing.T, list []T) []any {
	plain := make([]any, len(list))
	for i, v := range list {
		plain[i] = plainJSON(t, v)
	}
	return plain
}

func compareValue(got, want any, tolerance oracleTolerance, near bool) error {
	switch want := want.(type) {
	case float64:
		got, ok := got.(float64)
		if !ok {
			return fmt.Errorf("undefined, want %v", want)
		}
		bound := 0.0
		if near {
			bound = tolerance.Abs + tolerance.Rel*math.Abs(want)
		}
		if diff := math.Abs(got - want); got != want && !(diff <= bound) {
			return fmt.Errorf("got %v, want %v: off by %.3g, tolerance %.3g", got, want, diff, bound)
		}
		return nil
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			return fmt.Errorf("got %v, want %v", got, want)
		}
		for i := range want {
			if err := compareValue(got[i], want[i], tolerance, near); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
		return nil
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok || len(got) != len(want) {
			return fmt.Errorf("got %v, want %v", got, want)
		}
		for key := range want {
			if err := compareValue(got[key], want[key], tolerance, near); err != nil {
				return fmt.Errorf("[%s]: %w", key, err)
			}
		}
		return nil
	}
	if got != want {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return nil
}
