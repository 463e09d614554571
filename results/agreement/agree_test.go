package agreement

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"compqa/data"
	"compqa/stats"
)

// annotations returns a table of one criterion from rows of "unit rater value [cluster]". The value "-" is missing.
func annotations(rows ...string) *data.Judgements {
	j := &data.Judgements{From: "table", Criteria: []data.Measured{{ID: data.NoCriterion}}, Columns: make([]data.Column, 1)}
	units := map[string]int32{}
	raters := map[string]int32{}
	clusters := map[string]int32{}
	for i, row := range rows {
		f := append(strings.Fields(row), "")
		unit, known := units[f[0]]
		if !known {
			unit = int32(len(units))
			units[f[0]] = unit
			if _, known := clusters[f[3]]; !known {
				clusters[f[3]] = int32(len(clusters))
			}
			if f[3] != "" {
				j.Clusters = append(j.Clusters, clusters[f[3]])
			}
		}
		rater, known := raters[f[1]]
		if !known {
			rater = int32(len(raters))
			raters[f[1]] = rater
			j.Raters = append(j.Raters, data.Rater{Name: f[1]})
		}
		j.Columns[0].Add(unit, rater, strings.ReplaceAll(f[2], "-", ""), i+2)
	}
	return j
}

// byRater returns rows for annotations from the values of each rater on the units u0, u1, u2 …. The value "-" is missing.
func byRater(values ...string) []string {
	var rows []string
	for rater, row := range values {
		for unit, v := range strings.Fields(row) {
			rows = append(rows, fmt.Sprintf("u%d r%d %s", unit, rater, v))
		}
	}
	return rows
}

func agreeOne(t *testing.T, a *data.Judgements, o AgreeOptions) UnitsRow {
	t.Helper()
	rows, err := Agree(a, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 {
		t.Fatalf("%d rows, want 1", len(rows))
	}
	return rows[0]
}

func wantFigure(t *testing.T, what string, got stats.Figure, want, tolerance float64) {
	t.Helper()
	if !got.Known || !(math.Abs(got.Value-want) <= tolerance) {
		t.Errorf("%s is %s, want %v", what, got.Text(17), want)
	}
}

// wantMissing checks that all the figures are missing, and that the row's note gives the reason.
func wantMissing(t *testing.T, r UnitsRow, note string, figures ...stats.Figure) {
	t.Helper()
	for i, f := range figures {
		if f.Known {
			t.Errorf("figure %d is %v, want none", i, f.Value)
		}
	}
	if r.Note != note {
		t.Errorf("the note is %q, want %q", r.Note, note)
	}
}

// krippendorff2011 is the example of Krippendorff (2011), section C: four observers and twelve units, one of which is rated only once.
var krippendorff2011 = byRater(
	"1 2 3 3 2 1 4 1 2 - - -",
	"1 2 3 3 2 2 4 1 2 5 - 3",
	"- 3 3 3 2 3 4 2 2 5 1 -",
	"1 2 3 3 2 4 4 1 2 5 1 -",
)

// The nominal and interval alphas, 0.743 and 0.849, are in Krippendorff (2011). All four alphas were also computed by independent code.
func TestAgreeKrippendorff2011(t *testing.T) {
	for level, want := range map[string]float64{"nominal": 0.743421052631579, "ordinal": 0.8153875037548814, "interval": 0.8491071428571428, "ratio": 0.7974027747116121} {
		r := agreeOne(t, annotations(krippendorff2011...), AgreeOptions{Level: level, Seed: 1})
		wantFigure(t, level+" alpha", r.Alpha.Point(), want, 1e-12)
		if r.Level != level || r.Units != 12 || r.Pairable != 11 || r.Ratings != 41 || r.Missing != 7 || r.Values != 5 {
			t.Errorf("%s: %+v", level, r)
		}
		wantFigure(t, "raters", r.Raters, 4, 0)
		wantFigure(t, "largest share", r.LargestShare, 13.0/41, 1e-15) // 2 stands 13 times
		if r.Clusters.Known {
			t.Error("there are no clusters")
		}
		if !(r.Alpha.Low < want && want < r.Alpha.High) || !(r.JackknifeLow.Value < want && want < r.JackknifeHigh.Value) {
			t.Errorf("%s: intervals %s, %s do not hold alpha", level, r.Alpha.Text(3), stats.Bound(r.Alpha.Point(), r.JackknifeLow, r.JackknifeHigh).Text(3))
		}
		if nominal := level == "nominal"; r.GwetAC1.Known != nominal || r.GwetAC2.Known == nominal {
			t.Errorf("%s: AC1 %s, AC2 %s", level, r.GwetAC1.Text(3), r.GwetAC2.Text(3))
		}
		if !strings.Contains(r.Note, "caution: there are 11 units") {
			t.Errorf("no caution with 11 units: %q", r.Note)
		}
	}
	r := agreeOne(t, annotations(krippendorff2011...), AgreeOptions{Seed: 1})
	if r.Level != "interval" {
		t.Errorf("the level is %s where nothing says which", r.Level)
	}
	if below667, below800 := r.Below0667.Value, r.Below0800.Value; !(0 < below667 && below667 < below800 && below800 < 1) {
		t.Errorf("alpha .815 of 11 units is below .667 and .8 in shares %v and %v of the resamples", below667, below800)
	}
	declared := agreeOne(t, annotations(krippendorff2011...), AgreeOptions{Seed: 1, Scale: []string{"5", "4", "3", "2", "1"}})
	if !reflect.DeepEqual(declared, r) {
		t.Errorf("the full scale, declared from above, changes %+v to %+v", r, declared)
	}
}

// Two raters and two labels: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no. By hand, raw agreement is 0.7. Kappa's chance agreement is 0.5·0.6
// + 0.5·0.4 = 0.5. Alpha's expected disagreement is 2·55·45/(100·99) = 0.5. AC1's chance agreement is 2·0.55·0.45.
func TestAgreeTwoRatersTwoLabels(t *testing.T) {
	a := strings.Repeat("yes ", 25) + strings.Repeat("no ", 25)
	b := strings.Repeat("yes ", 20) + strings.Repeat("no ", 5) + strings.Repeat("yes ", 10) + strings.Repeat("no ", 15)
	r := agreeOne(t, annotations(byRater(a, b)...), AgreeOptions{Level: "nominal", Seed: 1})
	wantFigure(t, "agreement", r.Agreement, 0.7, 1e-15)
	wantFigure(t, "kappa", r.Kappa, 0.4, 1e-15)
	wantFigure(t, "pairs", r.RaterPairs, 1, 0)
	wantFigure(t, "alpha", r.Alpha.Point(), 0.4, 1e-15)
	wantFigure(t, "AC1", r.GwetAC1, (0.7-0.495)/0.505, 1e-15)
	wantFigure(t, "largest share", r.LargestShare, 0.55, 1e-15)
	wantFigure(t, "degenerate", r.Degenerate, 0, 0)
	wantMissing(t, r, "", r.Spearman, r.GwetAC2)
	// With a third label that nobody gave, AC1's chance agreement is halved.
	r = agreeOne(t, annotations(byRater(a, b)...), AgreeOptions{Level: "nominal", Scale: []string{"yes", "no", "unsure"}, Seed: 1})
	wantFigure(t, "AC1 over three labels", r.GwetAC1, (0.7-0.2475)/0.7525, 1e-15)
	wantFigure(t, "alpha over three labels", r.Alpha.Point(), 0.4, 1e-15)
}

// Two raters have the same order, and a third the reverse: the mean rho is (1 - 1 - 1)/3. A fourth rater who shares only 9 units is left
// out, and so is one who always gives the same value.
func TestAgreeSpearmanOverPairs(t *testing.T) {
	order := "1 2 3 4 5 6 7 8 9 10"
	reverse := "10 9 8 7 6 5 4 3 2 1"
	r := agreeOne(t, annotations(byRater(order, order, reverse, "1 2 3 4 5 6 7 8 9 -")...), AgreeOptions{Level: "interval", Seed: 1})
	wantFigure(t, "rho", r.Spearman, -1.0/3, 1e-15)
	wantFigure(t, "pairs", r.RaterPairs, 3, 0)
	r = agreeOne(t, annotations(byRater(order, order, reverse, "4 4 4 4 4 4 4 4 4 4")...), AgreeOptions{Level: "interval", Seed: 1})
	wantFigure(t, "rho", r.Spearman, -1.0/3, 1e-15)
	if !strings.Contains(r.Note, "spearman: without 3 of 6 pairs of raters") {
		t.Errorf("the note is %q", r.Note)
	}
	r = agreeOne(t, annotations(byRater("1 2 3", "1 2 4")...), AgreeOptions{Seed: 1})
	if r.Spearman.Known || !strings.Contains(r.Note, "spearman: no two raters have 10 units in common") {
		t.Errorf("rho of three units is %s: %q", r.Spearman.Text(3), r.Note)
	}
}

// TestAgreeUndefined: figures that are undefined are missing, and the note says why.
func TestAgreeUndefined(t *testing.T) {
	all := func(r UnitsRow) []stats.Figure {
		return []stats.Figure{r.Alpha.Point(), r.Alpha.Lower(), r.Alpha.Upper(), r.Below0667, r.Below0800, r.Degenerate, r.JackknifeLow, r.JackknifeHigh, r.GwetAC2, r.Spearman, r.RaterPairs}
	}
	constant := agreeOne(t, annotations(byRater("3 3 3", "3 3 3")...), AgreeOptions{})
	wantMissing(t, constant, "agreement beyond chance: the ratings do not vary", all(constant)...)
	wantFigure(t, "agreement of constants", constant.Agreement, 1, 0)

	single := agreeOne(t, annotations(byRater("1 2 3")...), AgreeOptions{})
	wantMissing(t, single, "agreement beyond chance: no unit has two ratings", append(all(single), single.Agreement)...)

	empty := agreeOne(t, annotations("u r -"), AgreeOptions{})
	wantMissing(t, empty, "agreement beyond chance: no unit has two ratings", append(all(empty), empty.Agreement, empty.LargestShare)...)
	if empty.Units != 0 || empty.Ratings != 0 || empty.Missing != 1 {
		t.Errorf("an empty table: %+v", empty)
	}

	one := agreeOne(t, annotations(byRater("1", "2")...), AgreeOptions{})
	wantMissing(t, one, "interval: there is only one unit; jackknife, leaving one out: there is only one unit; "+
		"Gwet's coefficient: there are too few units; spearman: no two raters have 10 units in common", one.Alpha.Lower(), one.JackknifeLow, one.GwetAC2, one.Spearman)
	wantFigure(t, "alpha of one unit", one.Alpha.Point(), 0, 0) // D_o = D_e

	// One unit of 30 has another value, on which both agree.
	alone := strings.Repeat("1 ", 29) + "2"
	equal := agreeOne(t, annotations(byRater(alone, alone)...), AgreeOptions{})
	wantFigure(t, "alpha of equal ratings", equal.Alpha.Point(), 1, 1e-12)
	if !strings.HasPrefix(equal.Note, "interval: without one of the units the ratings do not vary") {
		t.Errorf("the interval of equal ratings is missing: %s", equal.Note)
	}
	var screen strings.Builder
	gap := agreeOne(t, annotations(byRater("1 2 3", "1 2")...), AgreeOptions{})
	if err := PrintUnits(&screen, []UnitsRow{gap}); err != nil || !strings.Contains(screen.String(), "two ratings; 1 other has one") {
		t.Errorf("%v, and a unit with one rating is not mentioned:\n%s", err, screen.String())
	}

	// One deviating pair in 60 units: some resamples do not draw it.
	rare := agreeOne(t, annotations(byRater(strings.Repeat("1 ", 60), strings.Repeat("1 ", 59)+"2")...), AgreeOptions{Seed: 1})
	if rare.Alpha.Bounded || !strings.Contains(rare.Note, "interval: in more than 1 % of the resamples the ratings do not vary") {
		t.Errorf("%+v", rare)
	}
	if !rare.Degenerate.Known || rare.Degenerate.Value < 300 || rare.Degenerate.Value > 430 { // (59/60)^60 = 0.365
		t.Errorf("%s of 1,000 resamples are degenerate, want about 365", rare.Degenerate.Text(0))
	}

	perfect := agreeOne(t, annotations(byRater(strings.Repeat("1 2 ", 10), strings.Repeat("1 2 ", 10))...), AgreeOptions{Seed: 1})
	wantFigure(t, "perfect alpha", perfect.Alpha.Point(), 1, 0)
	if perfect.Alpha.Bounded || !strings.Contains(perfect.Note, "interval: alpha is the same in all resamples") {
		t.Errorf("perfect agreement: %+v", perfect)
	}
}

// Without a given level, numbers and words with an order are at interval level, and labels without order at nominal level.
func TestAgreeLevelOfValues(t *testing.T) {
	for values, want := range map[[2]string]string{{"1 2 5 5", "1 2 4 5"}: "interval", {"no partly yes yes", "no partly yes partly"}: "interval",
		{"yes no yes no", "yes no no no"}: "interval", {"red blue red green", "red blue blue green"}: "nominal"} {
		r := agreeOne(t, annotations(byRater(values[0], values[1])...), AgreeOptions{Seed: 1})
		if r.Level != want || !r.Alpha.Known {
			t.Errorf("%v: %s, alpha %s", values, r.Level, r.Alpha.Text(3))
		}
	}
	// grades in words, letters and numbers give the same alpha
	var alphas []float64
	for _, values := range [][2]string{{"no partly yes yes no", "no partly yes partly no"}, {"I P C C I", "I P C P I"}, {"0 0.5 1 1 0", "0 0.5 1 0.5 0"}} {
		alphas = append(alphas, agreeOne(t, annotations(byRater(values[0], values[1])...), AgreeOptions{Seed: 1}).Alpha.Value)
	}
	for _, alpha := range alphas {
		if math.Abs(alpha-alphas[0]) > 1e-12 {
			t.Errorf("alphas %v", alphas)
		}
	}
	declared := agreeOne(t, annotations(byRater("bad good fine", "bad fine fine")...), AgreeOptions{Seed: 1, Scale: []string{"bad", "fine", "good"}})
	plain := agreeOne(t, annotations(byRater("0 2 1", "0 1 1")...), AgreeOptions{Seed: 1, Scale: []string{"0", "1", "2"}})
	wantFigure(t, "alpha of a declared order", declared.Alpha.Point(), plain.Alpha.Value, 1e-12)
}

// Four copies of each unit in one cluster are no more evidence than one copy, so that intervals keep their width. Copies without clusters
// would make intervals half as wide.
func TestAgreeClusters(t *testing.T) {
	var once, four, clustered []string
	for u := range 40 {
		for rater := range 2 {
			value := (u*7 + rater*(u%3)) % 5
			once = append(once, fmt.Sprintf("u%d r%d %d", u, rater, value))
			for copy := range 4 {
				row := fmt.Sprintf("u%d.%d r%d %d", u, copy, rater, value)
				four = append(four, row)
				clustered = append(clustered, fmt.Sprintf("%s c%d", row, u))
			}
		}
	}
	widths := func(rows []string) [2]float64 {
		r := agreeOne(t, annotations(rows...), AgreeOptions{Seed: 1})
		return [2]float64{r.Alpha.High - r.Alpha.Low, r.JackknifeHigh.Value - r.JackknifeLow.Value}
	}
	alone := widths(once)
	copies := widths(four)
	together := widths(clustered)
	for i, method := range []string{"bootstrap", "jackknife"} {
		if !(copies[i] < 0.6*alone[i]) {
			t.Errorf("%s: copies as units of their own: %.3f, once: %.3f", method, copies[i], alone[i])
		}
		if math.Abs(together[i]-alone[i]) > 0.05*alone[i] {
			t.Errorf("%s: copies in clusters: %.3f, once: %.3f", method, together[i], alone[i])
		}
	}
	r := agreeOne(t, annotations(clustered...), AgreeOptions{Seed: 1})
	wantFigure(t, "clusters", r.Clusters, 40, 0)

	two := agreeOne(t, annotations("a r 1 x", "a s 2 x", "b r 2 x", "b s 2 x", "c r 1 y"), AgreeOptions{})
	wantFigure(t, "pairable clusters", two.Clusters, 1, 0)
	if two.Alpha.Bounded || !strings.Contains(two.Note, "interval: there is only one cluster") {
		t.Errorf("one cluster: %+v", two)
	}
}

// TestAgreeRefusesValues: a value or a scale that does not fit the level is an error, with file and line if it is in the file.
func TestAgreeRefusesValues(t *testing.T) {
	for _, c := range []struct {
		o    AgreeOptions
		says string
	}{
		{AgreeOptions{}, "table:3: the value is yes; at interval level a number is needed (labels are nominal)"},
		{AgreeOptions{Level: "ratio"}, "table:2: the value is -1; at ratio level it cannot be negative"},
		{AgreeOptions{Level: "nominal", Scale: []string{"yes", "no"}}, "table:2: the value is -1; it must be one of yes, no"},
		{AgreeOptions{Scale: []string{"1", "yes"}}, `the scale has "yes"; at interval level it must contain numbers, or words alone`},
		{AgreeOptions{Level: "ordnial"}, `level "ordnial"`},
	} {
		view := annotations("u r 1", "u s yes")
		view.Columns[0].Words[0] = "-1"
		_, err := Agree(view, c.o)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want …%s…", c.o, err, c.says)
		}
		var line *data.LineError
		if errors.As(err, &line) != strings.HasPrefix(c.says, "table:") {
			t.Errorf("%v: not told with file and line", err)
		}
	}
}

// The order of rows, the names of raters, and an increasing function of ordinal values change no figure except the intervals. Those draw
// units by their number.
func TestAgreeInvariance(t *testing.T) {
	figures := func(rows []string) UnitsRow {
		r := agreeOne(t, annotations(rows...), AgreeOptions{Seed: 1, Level: "ordinal"})
		r.Alpha = r.Alpha.Point()
		r.Below0667 = stats.Figure{}
		r.Below0800 = stats.Figure{}
		r.Degenerate = stats.Figure{}
		r.Note = ""
		return r
	}
	want := figures(krippendorff2011)
	var reversed, renamed []string
	for _, row := range krippendorff2011 {
		reversed = append([]string{row}, reversed...)
		f := strings.Fields(row)
		renamed = append(renamed, f[0]+" somebody-"+f[1]+" "+map[string]string{"-": "-", "1": "0.5", "2": "7", "3": "8", "4": "90", "5": "91"}[f[2]])
	}
	for name, rows := range map[string][]string{"reversed": reversed, "renamed": renamed} {
		got := figures(rows)
		wantFigure(t, name+" alpha", got.Alpha.Point(), want.Alpha.Value, 1e-12)
		wantFigure(t, name+" jackknife", got.JackknifeLow, want.JackknifeLow.Value, 1e-12)
		wantFigure(t, name+" AC2", got.GwetAC2, want.GwetAC2.Value, 1e-12)
	}
	if again := agreeOne(t, annotations(krippendorff2011...), AgreeOptions{Seed: 1}); !reflect.DeepEqual(again, agreeOne(t, annotations(krippendorff2011...), AgreeOptions{Seed: 1})) {
		t.Error("the same seed gives other figures")
	}
}

// A crowd: each of 4,000 units has three ratings by some of 3,000 raters, on a continuous scale. A table of raters × units would have 12
// million cells.
func TestAgreeCrowd(t *testing.T) {
	rng := stats.NewRNG(1, "crowd")
	view := &data.Judgements{Criteria: []data.Measured{{ID: "x"}}, Raters: make([]data.Rater, 3000), Columns: make([]data.Column, 1)}
	for u := range 4000 {
		quality := rng.Float64()
		for k := range 3 {
			view.Columns[0].Add(int32(u), int32((u+k*1000)%3000), fmt.Sprintf("%.6f", quality+rng.Float64()/2), 0)
		}
	}
	r := agreeOne(t, view, AgreeOptions{Level: "interval", Seed: 1})
	// Var(quality) = 1/12 and Var(noise) = 1/48, so that alpha estimates (1/12)/(1/12 + 1/48).
	wantFigure(t, "alpha", r.Alpha.Point(), 0.8, 0.02)
	wantMissing(t, r, "Gwet's coefficient: for at most 100 different values; spearman: for at most 200 raters", r.GwetAC2, r.Spearman)
	if r.Pairable != 4000 || r.Raters.Value != 3000 {
		t.Errorf("%+v", r)
	}
}

// TestPrintUnits: the terminal shows figures and notes, and no NaN.
func TestPrintUnits(t *testing.T) {
	view := annotations(krippendorff2011...)
	view.Criteria = []data.Measured{{ID: "clear", Level: "ordinal"}, {ID: "kind", Level: "nominal"}}
	view.Columns = append(view.Columns, data.Column{})
	view.Columns[1].Add(0, 0, "yes", 2)
	rows, err := Agree(view, AgreeOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := PrintUnits(&b, rows); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"clear", "ordinal", "0.815 [", "AC1", "kappa", "AC2", "rho", "kind: agreement beyond chance: no unit has two ratings\n", "leaving out units"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "P<") {
		t.Errorf("NaN, or shares of resamples below a limit, in\n%s", text)
	}
}
