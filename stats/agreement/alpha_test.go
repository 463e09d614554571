package agreement

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"compqa/data/sharedtest"
	"compqa/stats"
	"compqa/stats/statstest"
)

const none = math.MinInt // a missing rating in the tables of these tests

// table builds ratings from one row for each rater.
func table(t testing.TB, rows ...[]float64) *Ratings {
	t.Helper()
	raters := make([]Rater, len(rows))
	for i, row := range rows {
		raters[i] = Rater{Values: append([]float64(nil), row...), Missing: make([]bool, len(row))}
		for u, v := range row {
			if v == none {
				raters[i].Missing[u] = true
				raters[i].Values[u] = 0
			}
		}
	}
	r, err := NewRatings(raters...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustAlpha(t *testing.T, r *Ratings, level Level) float64 {
	t.Helper()
	a, err := Alpha(r, level)
	if err != nil {
		t.Fatalf("%v alpha: %v", level, err)
	}
	return a.Alpha
}

var levels = []Level{Nominal, Ordinal, Interval, Ratio}

// krippendorff2011 is the example of Krippendorff (2011), section C: four observers, twelve units, values from 1 to 5.
var krippendorff2011 = [][]float64{
	{1, 2, 3, 3, 2, 1, 4, 1, 2, none, none, none},
	{1, 2, 3, 3, 2, 2, 4, 1, 2, 5, none, 3},
	{none, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, none},
	{1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, none},
}

// Unit 12 has one rating and is dropped. The other eleven have n = 40 ratings, with n_c = 9, 13, 10, 5, 3 for c = 1 … 5.
//
// Three units disagree: 2 (2,2,3,2), 6 (1,2,3,4) and 8 (1,1,2,1). Their ordered unequal pairs over m-1 = 3 are 6/3 + 12/3 + 6/3 = 8.
//
//	nominal: n D_o = 8;  n(n-1) D_e = 40² - (81+169+100+25+9) = 1216
//	         alpha = 1 - 39·8/1216 = 0.743421…
//	interval: n D_o = (6·1 + 2(3·1+2·4+1·9) + 6·1)/3 = 52/3
//	          Σn c = 100, Σn c² = 9+52+90+80+75 = 306
//	          n(n-1) D_e = 2(40·306 - 100²) = 4480
//	          alpha = 1 - 39·(52/3)/4480 = 0.849107…
func TestAlphaKrippendorff2011(t *testing.T) {
	r := table(t, krippendorff2011...)
	statstest.Near(t, "nominal, by hand", mustAlpha(t, r, Nominal), 1-39*8.0/1216, 1e-15)
	statstest.Near(t, "interval, by hand", mustAlpha(t, r, Interval), 1-39*(52.0/3)/4480, 1e-15)
	// Published with three digits; further digits are from exact rational arithmetic.
	for level, want := range map[Level]float64{
		Nominal: 0.743421052631579, Ordinal: 0.8153875037548814, Interval: 0.8491071428571428, Ratio: 0.7974027747116121,
	} {
		statstest.Near(t, string(level), mustAlpha(t, r, level), want, 1e-14)
	}
	a, err := Alpha(r, Nominal)
	if err != nil || a.Units != 11 || a.Ratings != 40 {
		t.Errorf("got %+v, %v; want 11 units and 40 ratings", a, err)
	}
	statstest.Near(t, "raw agreement 1 - D_o", a.Agreement, 1-8.0/40, 1e-15)
}

// hayesKrippendorff2007 is table 1 of Hayes and Krippendorff (2007), 40 units by 5 observers, from the oracle file.
func hayesKrippendorff2007(t *testing.T) *Ratings {
	t.Helper()
	for _, c := range statstest.LoadOracle(t) {
		if c.Kind == "krippendorff_alpha" && strings.Contains(c.Note, "Hayes & Krippendorff 2007 Table 1") {
			var args struct {
				Data  ratingTable `json:"data"`
				Level string      `json:"level"`
			}
			c.Decode(t, &args)
			return args.Data.ratings(t)
		}
	}
	sharedtest.Missing(t, "no table of Hayes and Krippendorff in the file of right values")
	return nil
}

// The paper reports an ordinal alpha of .7598.
func TestAlphaHayesKrippendorff2007(t *testing.T) {
	statstest.Near(t, "ordinal alpha", mustAlpha(t, hayesKrippendorff2007(t), Ordinal), 0.7598, 5e-5)
}

// Ordinal alphas of JUDGE-BENCH, with up to 88 ratings of a unit, as recomputed by independent code (SOURCES.md beside the data).
func TestAlphaJudgeBench(t *testing.T) {
	want := map[string]map[string]float64{
		"newsroom/newsroom.json": {
			"Informativeness": 0.2848732349364207, "Relevance": 0.11512128779864284,
			"Fluency": -0.015808123685552733, "Coherence": 0.06497202567878013,
		},
		"recipe_crowd_sourcing_data/meta_evaluation_recipes.json": {
			"grammar": 0.41512699786609375, "fluency": 0.43239839448968664, "verbosity": 0.3991422935197101,
			"structure": 0.3985577014111057, "success": 0.3627155704454662, "overall": 0.4351007794425691,
		},
	}
	for file, alphas := range want {
		raw, err := os.ReadFile(sharedtest.Path(t, "data", "judge-bench", file))
		if err != nil {
			t.Fatal(err)
		}
		var data struct {
			Instances []struct {
				Annotations map[string]struct {
					Scores []*float64 `json:"individual_human_scores"`
				}
			}
		}
		if err := json.Unmarshal(raw, &data); err != nil {
			t.Fatal(err)
		}
		for metric, alpha := range alphas {
			rows := make(ratingTable, 88)
			for k := range rows {
				rows[k] = make([]*float64, len(data.Instances))
				for u, instance := range data.Instances {
					if scores := instance.Annotations[metric].Scores; k < len(scores) {
						rows[k][u] = scores[k]
					}
				}
			}
			statstest.Near(t, metric, mustAlpha(t, rows.ratings(t), Ordinal), alpha, 1e-12)
		}
	}
}

func TestAlphaUndefined(t *testing.T) {
	for name, c := range map[string]struct {
		rows      [][]float64
		want      error
		agreement float64
	}{
		"no raters":            {nil, stats.ErrNoPairableUnits, 0},
		"no units":             {[][]float64{{}, {}}, stats.ErrNoPairableUnits, 0},
		"one rater":            {[][]float64{{1, 2, 3}}, stats.ErrNoPairableUnits, 0},
		"nothing twice":        {[][]float64{{1, none}, {none, 2}}, stats.ErrNoPairableUnits, 0},
		"all missing":          {[][]float64{{none, none}, {none, none}}, stats.ErrNoPairableUnits, 0},
		"one value":            {[][]float64{{4, 4}, {4, 4}}, stats.ErrNoVariation, 1},
		"one unit, one value":  {[][]float64{{0}, {0}}, stats.ErrNoVariation, 1},
		"variation only alone": {[][]float64{{4, 4, 5}, {4, 4, none}}, stats.ErrNoVariation, 1},
		"minus zero and zero":  {[][]float64{{0, 0}, {math.Copysign(0, -1), 0}}, stats.ErrNoVariation, 1},
	} {
		for _, level := range levels {
			result, err := Alpha(table(t, c.rows...), level)
			if result.Units == 0 != (c.want == stats.ErrNoPairableUnits) {
				t.Errorf("%s, %v: %d units with %v", name, level, result.Units, err)
			}
			if !errors.Is(err, c.want) || !errors.Is(err, stats.ErrUndefined) || result.Agreement != c.agreement {
				t.Errorf("%s, %v: error %v, want %v with raw agreement %v", name, level, err, c.want, c.agreement)
			}
		}
	}
}

func TestAlphaEdges(t *testing.T) {
	// Two raters, one unit, different values: D_o = D_e, so alpha is 0 at every level.
	for _, level := range levels {
		statstest.Near(t, "one unit, "+string(level), mustAlpha(t, table(t, []float64{1}, []float64{2}), level), 0, 1e-15)
	}
	// Swapped labels: n D_o = 4, n(n-1) D_e = 16-8, alpha = 1 - 3·4/8.
	statstest.Near(t, "swap", mustAlpha(t, table(t, []float64{1, 2}, []float64{2, 1}), Nominal), -0.5, 0)
	// Perfect agreement is exactly 1, also if values have no exact binary form.
	for _, level := range levels {
		row := []float64{0.1, 0.7, 1.0 / 3, 0.1, 9.99}
		statstest.Near(t, "perfect, "+string(level), mustAlpha(t, table(t, row, row, row), level), 1, 0)
	}
	// 95 % raw agreement on a label that is nearly always given is below chance.
	x := make([]float64, 40)
	y := make([]float64, 40)
	x[0] = 1
	y[1] = 1
	a, err := Alpha(table(t, x, y), Nominal)
	if err != nil || a.Alpha >= 0 {
		t.Errorf("prevalence: got %+v, %v; want alpha below 0", a, err)
	}
	statstest.Near(t, "prevalence, raw agreement", a.Agreement, 0.95, 1e-15)
}

// Values near the limits of float64 neither overflow nor underflow.
func TestAlphaExtremeValues(t *testing.T) {
	x := []float64{1, 2, 3, 5, 5}
	y := []float64{1, 2, 4, 4, 5}
	plain := table(t, x, y)
	for _, factor := range []float64{3e307, 1e-300} {
		scaled := table(t, times(x, factor), times(y, factor))
		for _, level := range levels {
			statstest.Near(t, string(level), mustAlpha(t, scaled, level), mustAlpha(t, plain, level), 1e-12)
		}
	}
	limits := []float64{-math.MaxFloat64, math.MaxFloat64}
	statstest.Near(t, "limits", mustAlpha(t, table(t, limits, limits), Interval), 1, 0)
	// A common offset does not cost digits.
	statstest.Near(t, "offset", mustAlpha(t, table(t, plus(x, 1e9), plus(y, 1e9)), Interval), mustAlpha(t, plain, Interval), 1e-14)
}

func TestAlphaRefuses(t *testing.T) {
	if _, err := Alpha(table(t, []float64{1, -1}, []float64{1, 1}), Ratio); !errors.Is(err, stats.ErrInvalidValue) {
		t.Errorf("negative value at ratio level: error %v", err)
	}
	if _, err := Alpha(table(t, []float64{1, 2}, []float64{1, 1}), Level("7")); !errors.Is(err, stats.ErrInvalidValue) {
		t.Errorf("level 7: error %v", err)
	}
	if _, err := ParseLevel("Ordinal"); err == nil {
		t.Error("ParseLevel took a name it does not list")
	}
	for _, level := range levels {
		if back, err := ParseLevel(string(level)); err != nil || back != level {
			t.Errorf("ParseLevel(%q) = %v, %v", level, back, err)
		}
	}
}

func times(x []float64, factor float64) []float64 {
	return mapped(x, func(v float64) float64 { return v * factor })
}

func plus(x []float64, offset float64) []float64 {
	return mapped(x, func(v float64) float64 { return v + offset })
}

// mapped applies f to all ratings that are not missing.
func mapped(x []float64, f func(float64) float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v
		if v != none {
			y[i] = f(v)
		}
	}
	return y
}
