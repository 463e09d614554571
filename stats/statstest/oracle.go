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
	"reflect"
	"slices"
	"testing"
)

// A Case is one expected result, with its arguments. An element of an expected field is correct if |got-want| <= Abs + Rel*|want| of the
// field's Tolerance; a field without a Tolerance must be equal. A null in Expect means an undefined value.
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

// A Runner computes one case with the package under test and compares the results.
type Runner func(t *testing.T, c Case)

// oracleKinds are the kinds of cases that some package of statistics computes. "elo" is skipped: Elo ratings depend on the order of the
// matches, Bradley-Terry strengths do not.
var oracleKinds = []string{"alpha_bootstrap_kalpha", "alpha_bootstrap_units", "alpha_se_gwet", "alt_test", "bca_interval",
	"bradley_terry", "bradley_terry_ties_davidson",
	"clustered_se", "cohen_kappa", "elo", "gwet_ac", "kendall_tau_b", "krippendorff_alpha", "p_adjust", "paired_difference", "pearson",
	"ppi_mean", "proportion_ci", "spearman"}

// RunOracle runs the cases of all kinds that runners has.
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

// LoadOracle reads the cases from the file that COMPQA_ORACLE names, relative to the module's root, or from stats_oracle.json of the shared
// material. Without either it uses the small file of the repository.
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

// Decode reads the arguments into a struct. An argument that the struct lacks fails the test, as it would otherwise be ignored.
func (c Case) Decode(t *testing.T, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(c.Args))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: arguments: %v", c.ID, err)
	}
}

// WantError returns the class of the error that the reference raises. ok is false if it raises none.
func (c Case) WantError() (class string, ok bool) {
	class, ok = c.Expect["error"].(string)
	return class, ok
}

// WantUndefined reports whether the reference returns NaN. The reason in the file is a tag and is not compared.
func (c Case) WantUndefined() bool {
	_, ok := c.Expect["undefined"]
	return ok
}

// Compare checks every expected field; a missing field in got is an error. Values of got are numbers, bools, strings, slices and maps of
// them. NaN means that the statistic is undefined, and only matches null.
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
		if err := compareValue(reflect.ValueOf(have), want, c.Tolerance[field]); err != nil {
			t.Errorf("%s (%s): %s: %v", c.ID, c.Note, field, err)
		}
	}
}

// compareValue returns an error if got differs from want by more than the tolerance. It compares slices and maps element by element.
func compareValue(got reflect.Value, want any, tolerance oracleTolerance) error {
	equal := got.IsValid() && got.Comparable() && got.Interface() == want
	switch want := want.(type) {
	case float64:
		if got.CanInt() {
			got = reflect.ValueOf(float64(got.Int()))
		}
		equal = got.CanFloat() && (got.Float() == want || math.Abs(got.Float()-want) <= tolerance.Abs+tolerance.Rel*math.Abs(want))
	case nil:
		equal = !got.IsValid() || got.CanFloat() && math.IsNaN(got.Float())
	case []any:
		equal = got.Kind() == reflect.Slice && got.Len() == len(want)
		for i := 0; equal && i < len(want); i++ {
			if err := compareValue(got.Index(i), want[i], tolerance); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
	case map[string]any:
		if equal = got.Kind() == reflect.Map && got.Len() == len(want); !equal {
			break
		}
		for key := range want {
			if err := compareValue(got.MapIndex(reflect.ValueOf(key)), want[key], tolerance); err != nil {
				return fmt.Errorf("[%s]: %w", key, err)
			}
		}
	}
	if !equal {
		return fmt.Errorf("got %v, want %v within %+v", got, want, tolerance)
	}
	return nil
}
