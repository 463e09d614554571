package validation

import (
	"math"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/data/sources"
	"compqa/results/validation/scales"
	"compqa/stats"
)

// caseOf returns the result, and the only pairing, of two shared files with constructed cases.
func caseOf(t *testing.T, o Options, folder, log, people string) (*Result, *Pairing) {
	t.Helper()
	judged, err := sources.Read(sharedtest.Path(t, "cases", folder, log), sources.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scores, err := sources.Read(sharedtest.Path(t, "cases", folder, people), sources.Options{People: true, Names: []string{judged.Values.At(data.RowPlace{}).ID}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := studyOf(judged, scores, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Compute(judged, nil)
	if err != nil || len(r.Pairings) != 1 {
		t.Fatalf("%d pairings, %v", len(r.Pairings), err)
	}
	return r, r.Pairings[0]
}

// If a judge used only 0 to 2 of 0 to 3, it is on people's scale: the figures are the same as with the scale given. For these files, alpha
// is that of krippendorff 0.9.0, and quadratic kappa that of scikit-learn 1.9.1. The result does not advise a mapping.
func TestCaseNarrowerRange(t *testing.T) {
	r, p := caseOf(t, Options{}, "tables/13-narrower-judge-range", "s03_j.csv", "s03_p.csv")
	_, given := caseOf(t, Options{Scales: map[string]string{"score": "0..3"}}, "tables/13-narrower-judge-range", "s03_j.csv", "s03_p.csv")
	got := p.row(Mean)
	want := given.row(Mean)
	if !got.Alpha.Known || got.Alpha.Text(9) != want.Alpha.Text(9) || got.Difference.Text(9) != want.Difference.Text(9) {
		t.Errorf("alpha %s, want %s; %s", got.Alpha.Text(4), want.Alpha.Text(4), p.Why)
	}
	near(t, "alpha", got.Alpha.Point(), 0.677397492375466)
	near(t, "judge minus people", got.Difference, -0.2)
	near(t, "quadratic kappa", p.row(Majority).Weighted.Point(), 0.6786072982926012)
	if text := said(r); strings.Contains(text, "map-scale") {
		t.Error(text)
	}
}

// Judge and people are on 1 to 5, and nobody gave 5. Alpha is .551 (cases/README.md); the mean of judge minus people is .575 (by hand).
func TestCaseNobodyGaveTheHighest(t *testing.T) {
	_, p := caseOf(t, Options{}, "labels", "q-log.csv", "q-people.csv")
	row := p.row(Mean)
	if row.Alpha.Point().Text(3) != "0.551" || row.Difference.Text(3) != "0.575" {
		t.Errorf("alpha %s, difference %s: %s", row.Alpha.Point().Text(4), row.Difference.Text(4), p.Why)
	}
}

// near checks that a figure equals that of another program.
func near(t *testing.T, what string, got stats.Figure, want float64) {
	t.Helper()
	if !got.Known || math.Abs(got.Value-want) > 1e-12 {
		t.Errorf("%s is %s, want %v", what, got.Text(16), want)
	}
}

// People have one label more than the judge: "unsure" next to yes and no. Both sides then have labels. Alpha is that of krippendorff 0.9.0
// at nominal level, and kappa that of scikit-learn 1.9.1.
func TestCaseOneMoreLabel(t *testing.T) {
	_, p := caseOf(t, Options{}, "tables/14-one-more-label", "unsure_j.csv", "unsure.csv")
	row := p.row(Majority)
	if !p.SameScale || p.PeopleScale.Kind != scales.Nominal || row.Level != "nominal" {
		t.Errorf("%s: %+v; %s", p.PeopleScale, row, p.Why)
	}
	near(t, "alpha", row.Alpha.Point(), 0.8017917133258678)
	near(t, "kappa", row.Kappa.Point(), 0.8)
	near(t, "agreement", row.Agreement.Point(), 0.9)
}

// The same 40 grades as letters, words and numbers have the same quadratic kappa, .767 (scikit-learn, cases/README.md).
func TestCaseKappaOfGrades(t *testing.T) {
	for _, name := range []string{"c3", "h3", "l3"} {
		_, p := caseOf(t, Options{}, "tables/19-kappa-of-letters", name+"_j.csv", name+"_p.csv")
		if kappa := p.row(Majority).Weighted; !kappa.Known || math.Abs(kappa.Value-0.767) > 0.0005 {
			t.Errorf("%s: quadratic kappa %s of %s", name, kappa.Text(4), p.PeopleScale)
		}
	}
}

// Without a common scale the figure is missing: nothing is mapped unless the user asks. The error names the flag that maps.
func TestNothingIsMappedUnasked(t *testing.T) {
	log := "log.csv\nid,system,score\n"
	people := "people.csv\nid,score\n"
	for i := range 30 {
		log += strings.Join([]string{string(rune('a'+i%26)) + string(rune('a'+i/26)), []string{"x", "y"}[i%2], []string{"13", "55", "100", "72.5"}[i%4]}, ",") + "\n"
		people += string(rune('a'+i%26)) + string(rune('a'+i/26)) + "," + []string{"1", "3", "5", "4"}[i%4] + "\n"
	}
	_, err := computed(t, log, people, Options{})
	if err == nil || !strings.Contains(err.Error(), "--map-scale linear") {
		t.Error(err)
	}
}
