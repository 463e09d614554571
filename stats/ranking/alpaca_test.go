package ranking

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"compqa/stats"
)

// TestLengthControlledRateOfAlpacaEval uses the preferences of AlpacaEval 2's judge on 805 instructions, and the differences of length in
// characters (system minus GPT-4 Turbo), for two systems. Win rates are those that the authors publish; length-controlled ones are within
// half a point, because theirs have a term for the difficulty of an instruction and a penalty. The data are from
// github.com/tatsu-lab/alpaca_eval: results/FuseChat-*/weighted_alpaca_eval_gpt4_turbo/annotations.json; published are win_rate and
// length_controlled_winrate of weighted_alpaca_eval_gpt4_turbo_leaderboard.csv (commit cd543a1).
func TestLengthControlledRateOfAlpacaEval(t *testing.T) {
	file, err := os.Open("testdata/alpaca_eval.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for system, published := range map[string]struct{ rate, controlled float64 }{"llama": {63.3316, 65.3862}, "qwen": {64.6407, 63.5830}} {
		var outcomes, longer []float64
		for _, line := range lines[1:] {
			if line[0] == system {
				win, _ := strconv.ParseFloat(line[1], 64)
				difference, _ := strconv.ParseFloat(line[2], 64)
				outcomes = append(outcomes, win)
				longer = append(longer, difference)
			}
		}
		got, err := LengthControlledRate(outcomes, longer, nil, .95)
		if err != nil || len(outcomes) != 805 {
			t.Fatal(len(outcomes), err)
		}
		if rate := 100 * stats.Mean(outcomes); math.Abs(rate-published.rate) > .01 {
			t.Errorf("%s: win rate %.3f, published %.3f", system, rate, published.rate)
		}
		if rate := 100 * got.Value; math.Abs(rate-published.controlled) > .5 || got.Slope <= 0 || !(got.Low < got.Value && got.Value < got.High) {
			t.Errorf("%s: %.2f [%.3f, %.3f], slope %.3f; published %.2f", system, rate, got.Low, got.High, got.Slope, published.controlled)
		}
		// If a and b are exchanged, the rate is that of b, and the slope stays: the judge prefers the longer answer of both.
		for i := range outcomes {
			outcomes[i], longer[i] = 1-outcomes[i], -longer[i]
		}
		other, err := LengthControlledRate(outcomes, longer, nil, .95)
		if err != nil || math.Abs(other.Value+got.Value-1) > 1e-9 || math.Abs(other.Slope-got.Slope) > 1e-9 || math.Abs(other.Low-(1-got.High)) > 1e-9 {
			t.Errorf("%s exchanged: %+v, %v", system, other, err)
		}
	}
}

// TestLengthControlledRateShift simulates systems that win equally often at equal length, with a preference for longer answers. Longer
// answers of a raise its win rate, but not its controlled rate.
func TestLengthControlledRateShift(t *testing.T) {
	var outcomes, longer []float64
	for i := -20; i <= 40; i++ { // a is longer on average
		for k := range 100 {
			p := 1 / (1 + math.Exp(-1.5*math.Tanh(float64(i)/18)))
			outcomes = append(outcomes, map[bool]float64{true: 1}[float64(k)+.5 < 100*p])
			longer = append(longer, float64(i))
		}
	}
	got, err := LengthControlledRate(outcomes, longer, nil, .95)
	if err != nil || math.Abs(got.Value-.5) > .01 || stats.Mean(outcomes) < .59 {
		t.Errorf("%+v, %v, plain rate %v; want .5 and above .59", got, err, stats.Mean(outcomes))
	}
	for name, c := range map[string]struct{ outcomes, longer []float64 }{
		"none": {}, "one": {[]float64{1}, []float64{2}}, "equally long": {[]float64{1, 0, 1}, []float64{2, 2, 2}},
		"all won": {[]float64{1, 1, 1}, []float64{1, 2, 3}}, "separated": {[]float64{0, 0, 1}, []float64{1, 2, 3}}, "NaN": {[]float64{math.NaN(), 1}, []float64{1, 2}},
	} {
		if got, err := LengthControlledRate(c.outcomes, c.longer, nil, .95); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
