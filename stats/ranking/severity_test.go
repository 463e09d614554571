package ranking

import (
	"encoding/csv"
	"errors"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"compqa/data/sharedtest"
	"compqa/stats"
	"compqa/stats/statstest"
)

// TestSeveritiesOfRaschpy uses the coherence of SummEval: 1,600 summaries by three experts. Severities and steps come from raschpy
// 1.4.0, RSM(values with the raters as items, max_score=4).calibrate(constant=0), the model that it recommends for raters of one criterion.
// With the pseudo-counts of its calibrate() the severities are -0.76574, 0.15223 and 0.61350. Standard errors and fits come from an
// independent program, which maximises the likelihood with scipy and computes the residuals by enumerating all patterns with a total.
func TestSeveritiesOfRaschpy(t *testing.T) {
	t.Parallel()
	p, err := Severities(summEval(t), []bool{true, true, true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for r, want := range [][]float64{
		{-0.7664409571137001, -0.7657377069160393, .03450697, .80981961, .04115766, .83196371, .03871132},
		{0.15238952244329204, 0.1522328965387191, .03274541, 1.11929989, .03357696, 1.12315656, .03409265},
		{0.614051434670408, 0.6135048103773202, .03343889, .99800363, .03357222, .94707669, .03378455},
	} {
		got := p.Raters[r]
		statstest.Near(t, "severity", got.Severity.Value, want[0], 5e-5)
		statstest.Near(t, "severity with pseudo-counts", got.Severity.Value, want[1], 1e-3)
		statstest.Near(t, "standard error", got.Severity.SE, want[2], 1e-5)
		statstest.Near(t, "outfit", got.Outfit.Value, want[3], 1e-4)
		statstest.Near(t, "its error", got.Outfit.SE, want[4], 1e-4)
		statstest.Near(t, "infit", got.Infit.Value, want[5], 1e-4)
		statstest.Near(t, "its error", got.Infit.SE, want[6], 1e-4)
	}
	for k, step := range []float64{-2.3875315344008063, -0.9251641781040618, 1.3742968421666961, 1.9383988703381716} {
		statstest.Near(t, "step", p.Steps[k], step, 2e-4)
	}
}

// summEval returns the coherence scores of three experts, by rater and summary.
func summEval(t *testing.T) [][]float64 {
	t.Helper()
	file, err := os.Open(sharedtest.Path(t, "cases5", "tables", "metajudge-summeval-coherence.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]int{}
	values := make([][]float64, 3)
	for _, row := range rows[1:] {
		place, known := places[row[0]]
		if !known {
			place = len(places)
			places[row[0]] = place
			for r := range values {
				values[r] = append(values[r], math.NaN())
			}
		}
		x, err := strconv.ParseFloat(row[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		values[int(row[1][len(row[1])-1]-'0')][place] = x
	}
	return values
}

// planted draws values of raters from the model with these severities and steps, in five categories. noise is the probability that a value
// of the last rater is replaced by a random one. share is the probability that a rater rates an item.
func planted(rng *stats.RNG, items int, severities []float64, steps []float64, noise, share float64) [][]float64 {
	values := make([][]float64, len(severities))
	for range items {
		quality := 1.5 * statstest.Gauss(rng)
		for r, c := range severities {
			weights := make([]float64, len(steps)+1)
			sum := 0.0
			total := 0.0
			for k := range weights {
				if k > 0 {
					sum += quality - c - steps[k-1]
				}
				weights[k] = math.Exp(sum)
				total += weights[k]
			}
			u := rng.Float64() * total
			value := 0
			for u -= weights[0]; u > 0 && value < len(steps); u -= weights[value] {
				value++
			}
			if rng.Float64() < noise && r == len(severities)-1 {
				value = rng.Intn(len(steps) + 1)
			}
			x := float64(value)
			if rng.Float64() >= share {
				x = math.NaN()
			}
			values[r] = append(values[r], x)
		}
	}
	return values
}

// fivePoints are the steps for raters with five categories.
var fivePoints = []float64{-1.8, -.6, .6, 1.8}

// TestSoakCoverageOfSeverities simulates severities. The judge is the last rater. Within the model, the intervals of its severity and of
// its distance from the mildest person have 95 % coverage, its fits are near 1, and it is rarely called random.
func TestSoakCoverageOfSeverities(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		items      int
		severities []float64
		steps      []float64
		share      float64
	}{
		{"3 people, 60 items", 60, []float64{-.4, 0, .4, -1.3}, fivePoints, 1},
		{"3 people, 300 items", 300, []float64{-.4, 0, .4, -1.3}, fivePoints, 1},
		{"8 people of whom 3 of 10 rate an item", 300, []float64{-.7, -.5, -.3, 0, 0, .3, .5, .7, -1}, fivePoints, .3},
		{"yes and no, 4 people", 200, []float64{-.6, -.2, .2, .6, .9}, []float64{0}, 1},
		{"2 people", 200, []float64{-.3, .3, -1}, fivePoints, 1},
	} {
		runs := statstest.NewTally(t)
		judge := len(c.severities) - 1
		for run := range 4000 {
			p, err := Severities(planted(stats.NewRNG(1, c.name, uint64(run)), c.items, c.severities, c.steps, 0, c.share),
				peopleThenJudge(judge), nil)
			if err != nil {
				t.Fatal(err)
			}
			apart, err := p.Difference(judge, 0)
			if err != nil {
				t.Fatal(err)
			}
			runs.Runs++
			rater := p.Raters[judge]
			first := p.Raters[0]
			runs.Add("judge", rater.Severity.Low, rater.Severity.High, c.severities[judge])
			runs.Add("mildest person", first.Severity.Low, first.Severity.High, c.severities[0])
			runs.Add("judge minus mildest person", apart.Low, apart.High, c.severities[judge]-c.severities[0])
			runs.Add("outfit", rater.Outfit.Value-1.96*rater.Outfit.SE, rater.Outfit.Value+1.96*rater.Outfit.SE, 1)
			runs.Add("infit", rater.Infit.Value-1.96*rater.Infit.SE, rater.Infit.Value+1.96*rater.Infit.SE, 1)
			runs.Hit("called random", rater.Outfit.Value >= 1.3 && rater.Outfit.Value-1.96*rater.Outfit.SE > 1)
		}
		for _, figure := range []string{"judge", "mildest person", "judge minus mildest person"} {
			runs.Honest(t, c.name, figure)
		}
		runs.Between(t, c.name, "outfit", .94, 1) // its error ignores that severities are estimated from the same values
		runs.Between(t, c.name, "infit", .94, 1)
		runs.Between(t, c.name, "called random", 0, .03)
	}
}

func peopleThenJudge(people int) []bool { return append(slices.Repeat([]bool{true}, people), false) }

// TestRandomRater checks that a rater's outfit grows with the share of random values, and that the outfits of the others fall below 1.
func TestRandomRater(t *testing.T) {
	t.Parallel()
	last := 0.0
	for _, noise := range []float64{0, .25, .5, 1} {
		values := planted(stats.NewRNG(2, "noise"), 600, []float64{-.4, 0, .4, -.8}, fivePoints, noise, 1)
		p, err := Severities(values, peopleThenJudge(3), nil)
		if err != nil {
			t.Fatal(err)
		}
		outfit := p.Raters[3].Outfit.Value
		if outfit < last+.1 || noise == 1 && (outfit < 1.8 || p.Raters[0].Outfit.Value > .8) {
			t.Errorf("noise %v: outfit %.2f after %.2f, of a person %.2f", noise, outfit, last, p.Raters[0].Outfit.Value)
		}
		last = outfit
	}
}

// TestSeverityShift checks that a rater who gives one point more is milder by about the distance of steps. Clusters of copies widen the
// intervals.
func TestSeverityShift(t *testing.T) {
	t.Parallel()
	for _, shift := range []float64{-1, 1} {
		values := planted(stats.NewRNG(3, "shift"), 300, []float64{0, 0, 0}, fivePoints, 0, 1)
		for i, x := range values[2] {
			values[2][i] = min(4, max(0, x+shift))
		}
		p, err := Severities(values, peopleThenJudge(2), nil)
		if err != nil {
			t.Fatal(err)
		}
		if x := p.Raters[2].Severity; x.Value*shift > -1 || p.Raters[0].Severity.Value+p.Raters[1].Severity.Value > 1e-9 {
			t.Errorf("shift %v: severity %+v, people %+v", shift, x, p.Raters[:2])
		}
		copies := make([][]float64, 3)
		clusters := []int{}
		for i := range values[0] {
			for r := range values {
				copies[r] = append(copies[r], values[r][i], values[r][i], values[r][i])
			}
			clusters = append(clusters, i, i, i)
		}
		q, err := Severities(copies, peopleThenJudge(2), clusters)
		if err != nil {
			t.Fatal(err)
		}
		statstest.Near(t, "severity of copies", q.Raters[2].Severity.Value, p.Raters[2].Severity.Value, .001)
		statstest.Near(t, "standard error of copies", q.Raters[2].Severity.SE, p.Raters[2].Severity.SE, .001)
	}
}

// TestSeverityRefused checks the reasons for what cannot be estimated. A rater who always gives an end of the scale has a Side instead of a
// number.
func TestSeverityRefused(t *testing.T) {
	t.Parallel()
	good := planted(stats.NewRNG(4, "refused"), 40, []float64{-.4, 0, .4}, fivePoints, 0, 1)
	constant := func(x float64, n int) []float64 { return slices.Repeat([]float64{x}, n) }
	part := func(row []float64, from, to int) []float64 {
		row = slices.Clone(row)
		for i := range row {
			if i < from || i >= to {
				row[i] = math.NaN()
			}
		}
		return row
	}
	measurements := slices.Clone(good[0])
	for i := range measurements {
		measurements[i] = float64(i)
	}
	for _, c := range []struct {
		name   string
		values [][]float64
		want   error
	}{
		{"nobody", nil, stats.ErrUndefined},
		{"one rater", good[:1], stats.ErrUndefined},
		{"no items", [][]float64{{}, {}}, stats.ErrTooShort},
		{"one item", [][]float64{{1}, {2}}, stats.ErrTooShort},
		{"two items", [][]float64{{1, 2}, {2, 1}}, stats.ErrTooShort},
		{"one category", [][]float64{constant(3, 40), constant(3, 40)}, stats.ErrNoVariation},
		{"two constants", [][]float64{constant(1, 40), constant(2, 40)}, stats.ErrUndefined},
		{"measurements", [][]float64{measurements, good[0]}, stats.ErrUndefined},
		{"infinite", [][]float64{constant(math.Inf(1), 40), good[0]}, stats.ErrInvalidValue},
	} {
		if _, err := Severities(c.values, slices.Repeat([]bool{true}, len(c.values)), nil); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	_, err := Severities(good, slices.Repeat([]bool{true}, 3), make([]int, 40))
	statstest.RequireError(t, err, stats.ErrOneCluster)
	far := planted(stats.NewRNG(5, "parts"), 80, []float64{0, 0, 0, 0}, fivePoints, 0, 1)
	_, err = Severities([][]float64{part(far[0], 0, 40), part(far[1], 40, 80), part(far[2], 0, 40), part(far[3], 40, 80)},
		slices.Repeat([]bool{true}, 4), nil)
	var apart *UnconnectedError
	if !errors.As(err, &apart) || !slices.EqualFunc(apart.Groups, [][]int{{0, 2}, {1, 3}}, slices.Equal) {
		t.Errorf("two parts: %v", err)
	}
	for side, x := range map[int]float64{-1: 4, 1: 0} {
		p, err := Severities([][]float64{good[0], constant(x, 40), good[1], good[2]}, slices.Repeat([]bool{true}, 4), nil)
		if err != nil || p.Raters[1].Side != side || p.Raters[1].Items != 40 || p.Raters[0].Side != 0 {
			t.Errorf("always %v: %+v, %v", x, p.Raters, err)
		}
		without, err := Severities(good, slices.Repeat([]bool{true}, 3), nil)
		if err != nil || math.Abs(p.Raters[3].Severity.Value-without.Raters[2].Severity.Value) > 1e-9 {
			t.Errorf("others next to a constant: %+v, alone %+v, %v", p.Raters, without.Raters, err)
		}
	}
	same, err := Severities([][]float64{good[0], good[0], good[0]}, slices.Repeat([]bool{true}, 3), nil)
	if err != nil || math.Abs(same.Raters[0].Severity.Value) > 1e-6 {
		t.Errorf("equal raters: %+v, %v", same, err)
	}
}
