package agreement

import (
	"errors"
	"maps"
	"math"
	"slices"
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

func TestAgreementOracle(t *testing.T) {
	statstest.RunOracle(t, map[string]statstest.Runner{
		"krippendorff_alpha":     runAlpha,
		"spearman":               runCorrelation(spearmanWithP),
		"pearson":                runCorrelation(pearsonWithP),
		"kendall_tau_b":          runKendall,
		"alpha_bootstrap_units":  runAlphaBootstrap,
		"alpha_bootstrap_kalpha": runKALPHA,
		"alpha_se_gwet":          runAlphaStandardError,
		"bca_interval":           runBCa,
		"cohen_kappa":            runKappa,
		"gwet_ac":                runGwet,
		"alt_test":               runAltTest,
	})
}

// ratingTable is the oracle's form of ratings: rows are raters, null is a missing rating.
type ratingTable [][]*float64

func (data ratingTable) ratings(t *testing.T) *Ratings {
	t.Helper()
	raters := make([]Rater, len(data))
	for i, row := range data {
		raters[i] = Rater{Values: make([]float64, len(row)), Missing: make([]bool, len(row))}
		for u, v := range row {
			if v == nil {
				raters[i].Missing[u] = true
				continue
			}
			raters[i].Values[u] = *v
		}
	}
	r, err := NewRatings(raters...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func level(t *testing.T, name string) Level {
	t.Helper()
	l, err := ParseLevel(name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// undefinedIsNaN returns v, or NaN if err is ErrUndefined, as the reference does. It fails on any other error.
func undefinedIsNaN(t *testing.T, v float64, err error) float64 {
	t.Helper()
	switch {
	case errors.Is(err, stats.ErrUndefined):
		return math.NaN()
	case err != nil:
		t.Fatal(err)
	}
	return v
}

func runAlpha(t *testing.T, c statstest.Case) {
	var args struct {
		Data        ratingTable `json:"data"`
		Level       string      `json:"level"`
		ValueDomain []float64   `json:"value_domain"`
	}
	c.Decode(t, &args)
	r := args.Data.ratings(t)
	if class, ok := c.WantError(); ok && class == "out_of_domain" {
		statstest.RequireError(t, r.CheckDomain(args.ValueDomain), stats.ErrOutOfDomain)
		return
	} else if args.ValueDomain != nil {
		statstest.RequireError(t, r.CheckDomain(args.ValueDomain), nil)
	}
	result, err := Alpha(r, level(t, args.Level))
	class, _ := c.WantError()
	switch {
	case class == "no_pairable_unit", class == "single_value_domain" && len(r.patterns.size) == 0:
		// The reference first counts values; we first look for pairable units.
		statstest.RequireError(t, err, stats.ErrNoPairableUnits)
	case class == "single_value_domain":
		statstest.RequireError(t, err, stats.ErrNoVariation)
	case class != "":
		t.Fatalf("unknown error class %q", class)
	default:
		c.Compare(t, map[string]any{"alpha": undefinedIsNaN(t, result.Alpha, err)})
		if c.WantUndefined() {
			statstest.RequireError(t, err, stats.ErrNoVariation)
		}
	}
}

type pairArgs struct {
	X       []*float64 `json:"x"`
	Y       []*float64 `json:"y"`
	Missing string     `json:"missing"`
	Method  string     `json:"method"`
}

// complete returns the pairs without a missing side.
func (a pairArgs) complete(t *testing.T) (x, y []float64) {
	t.Helper()
	if a.Missing != "" && a.Missing != "pairwise_omit" {
		t.Fatalf("unknown treatment of missing values %q", a.Missing)
	}
	for i := range a.X {
		if a.X[i] != nil && a.Y[i] != nil {
			x = append(x, *a.X[i])
			y = append(y, *a.Y[i])
		}
	}
	return x, y
}

func runCorrelation(f func(x, y []float64) (Correlation, error)) statstest.Runner {
	return func(t *testing.T, c statstest.Case) {
		var args pairArgs
		c.Decode(t, &args)
		x, y := args.complete(t)
		got, err := f(x, y)
		compareCorrelation(t, c, got, err)
	}
}

func runKendall(t *testing.T, c statstest.Case) {
	var args pairArgs
	c.Decode(t, &args)
	methods := map[string]KendallMethod{"": KendallAuto, "auto": KendallAuto, "exact": KendallExact, "asymptotic": KendallNormal}
	method, ok := methods[args.Method]
	if !ok {
		t.Fatalf("unknown method %q", args.Method)
	}
	x, y := args.complete(t)
	got, err := kendallWithP(x, y, method)
	compareCorrelation(t, c, got, err)
}

func compareCorrelation(t *testing.T, c statstest.Case, got Correlation, err error) {
	t.Helper()
	classes := map[string]error{"too_short": stats.ErrTooShort, "ties_with_exact": errTies}
	if class, ok := c.WantError(); ok {
		if classes[class] == nil {
			t.Fatalf("unknown error class %q", class)
		}
		statstest.RequireError(t, err, classes[class])
		return
	}
	p := got.P
	if got.NoP {
		p = math.NaN()
	}
	c.Compare(t, map[string]any{
		"stat": undefinedIsNaN(t, got.R, err),
		"p":    undefinedIsNaN(t, p, err),
	})
}

// runAlphaBootstrap uses the listed units instead of our random numbers.
func runAlphaBootstrap(t *testing.T, c statstest.Case) {
	var args struct {
		Data       ratingTable `json:"data"`
		Level      string      `json:"level"`
		Indices    [][]int     `json:"indices"`
		Confidence float64     `json:"confidence"`
	}
	c.Decode(t, &args)
	r := args.Data.ratings(t)
	sums, err := newAlphaSums(r, level(t, args.Level))
	if err != nil {
		t.Fatal(err)
	}
	var alphas, defined []float64
	for _, units := range args.Indices {
		weights := make([]float64, len(r.patterns.size))
		for _, u := range units {
			if p := r.unitPattern[u]; p != unpairable {
				weights[p]++
			}
		}
		alpha, err := sums.alpha(weights)
		alphas = append(alphas, undefinedIsNaN(t, alpha, err))
		if err == nil {
			defined = append(defined, alpha)
		}
	}
	d, err := stats.Resampling{Resamples: len(alphas), Level: args.Confidence}.Summarise(defined, r.units)
	if errors.Is(err, stats.ErrZeroWidth) { // the reference prints the interval
		d.Low = stats.Quantile(d.Replicates, (1-args.Confidence)/2)
		d.High = d.Low
		err = nil
	}
	c.Compare(t, map[string]any{
		"alphas":  alphas,
		"ci_low":  undefinedIsNaN(t, d.Low, err),
		"ci_high": undefinedIsNaN(t, d.High, err),
		"se":      undefinedIsNaN(t, d.SE, err),
	})
}

func runKALPHA(t *testing.T, c statstest.Case) {
	var args struct {
		Data  ratingTable `json:"data"`
		Level string      `json:"level"`
		Draws [][]int     `json:"draws"`
	}
	c.Decode(t, &args)
	k, err := newKalpha(args.Data.ratings(t), level(t, args.Level))
	if err != nil {
		t.Fatal(err)
	}
	var alphas []float64
	for _, draws := range args.Draws {
		alphas = append(alphas, k.replicate(draws))
	}
	c.Compare(t, map[string]any{"alphas": alphas})
}

func runAlphaStandardError(t *testing.T, c statstest.Case) {
	var args struct {
		Data  ratingTable `json:"data"`
		Level string      `json:"level"`
	}
	c.Decode(t, &args)
	est, err := AlphaStandardError(args.Data.ratings(t), level(t, args.Level), 0.95)
	if err != nil && !errors.Is(err, stats.ErrZeroWidth) {
		t.Fatal(err)
	}
	c.Compare(t, map[string]any{"alpha": est.Value, "se": est.SE})
}

func runBCa(t *testing.T, c statstest.Case) {
	var args struct {
		ThetaHat   float64   `json:"theta_hat"`
		ThetaB     []float64 `json:"theta_b"`
		Jackknife  []float64 `json:"jackknife"`
		Confidence float64   `json:"confidence"`
	}
	c.Decode(t, &args)
	b, err := BCaInterval(args.ThetaHat, args.ThetaB, args.Jackknife, args.Confidence)
	c.Compare(t, map[string]any{
		"low":     undefinedIsNaN(t, b.Low, err),
		"high":    undefinedIsNaN(t, b.High, err),
		"a_hat":   undefinedIsNaN(t, b.Acceleration, err),
		"alpha_1": undefinedIsNaN(t, b.LowTail, err),
		"alpha_2": undefinedIsNaN(t, b.HighTail, err),
	})
}

func runKappa(t *testing.T, c statstest.Case) {
	var args struct {
		A       []float64 `json:"a"`
		B       []float64 `json:"b"`
		Weights string    `json:"weights"`
		Labels  []float64 `json:"labels"`
	}
	c.Decode(t, &args)
	weights, ok := map[string]KappaWeights{"none": Unweighted, "linear": Linear, "quadratic": Quadratic}[args.Weights]
	if !ok {
		t.Fatalf("unknown weights %q", args.Weights)
	}
	k, err := weightedKappa(args.A, args.B, args.Labels, weights)
	c.Compare(t, map[string]any{"kappa": undefinedIsNaN(t, k.Kappa, err)})
	if c.WantUndefined() {
		statstest.RequireError(t, err, stats.ErrNoVariation)
	}
	if weights == Unweighted {
		kappa, err := CohenKappa(args.A, args.B)
		c.Compare(t, map[string]any{"kappa": undefinedIsNaN(t, kappa, err)})
	}
}

func runGwet(t *testing.T, c statstest.Case) {
	var args struct {
		Data    ratingTable `json:"data"`
		Weights string      `json:"weights"`
	}
	c.Decode(t, &args)
	weights, ok := map[string]GwetWeights{
		"unweighted": GwetIdentity, "linear": GwetLinear, "quadratic": GwetQuadratic, "ordinal": GwetOrdinal,
	}[args.Weights]
	if !ok {
		t.Fatalf("unknown weights %q", args.Weights)
	}
	r := args.Data.ratings(t)
	g, err := GwetAC(r, nil, weights)
	se := math.NaN()
	if err == nil {
		se = gwetSE(r, nil, weights, g)
	}
	c.Compare(t, map[string]any{
		"pa": undefinedIsNaN(t, g.Observed, err),
		"pe": undefinedIsNaN(t, g.Expected, err),
		"ac": undefinedIsNaN(t, g.AC, err),
		"se": undefinedIsNaN(t, se, err),
	})
}

func runAltTest(t *testing.T, c statstest.Case) {
	var args struct {
		Humans               map[string]map[string]float64
		LLM                  map[string]float64
		Scoring              string
		Epsilon              float64
		QFDR                 float64 `json:"q_fdr"`
		MinHumansPerInstance int     `json:"min_humans_per_instance"`
		MinInstancesPerHuman int     `json:"min_instances_per_human"`
	}
	c.Decode(t, &args)
	scoring, ok := map[string]AltScoring{"accuracy": Accuracy, "neg_rmse": NegRMSE}[args.Scoring]
	if !ok {
		t.Fatalf("scoring %q", args.Scoring)
	}
	names := slices.Sorted(maps.Keys(args.Humans))
	instances := maps.Clone(args.LLM)
	for _, labels := range args.Humans {
		maps.Copy(instances, labels)
	}
	order := slices.Sorted(maps.Keys(instances))
	humans := make([]Rater, len(names))
	for i, name := range names {
		humans[i] = oracleRater(args.Humans[name], order)
	}
	result, err := AltTest(oracleRater(args.LLM, order), humans, AltTestOptions{
		Epsilon: []float64{args.Epsilon}, Scoring: scoring, FDR: args.QFDR,
		MinAnnotators: 1, MinItems: args.MinInstancesPerHuman, MinHumans: args.MinHumansPerInstance,
	})
	if class, ok := c.WantError(); ok {
		var cannotSay *NotEnoughDataError
		if class != "no_annotator_has_enough_instances" || !errors.As(err, &cannotSay) || cannotSay.Testable != 0 {
			t.Fatalf("error %v, want class %q", err, class)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	verdict := result.Verdicts[0]
	p := map[string]float64{}
	wins := []string{}
	for i, a := range result.Annotators {
		name := names[a.Annotator]
		p[name] = verdict.P[i]
		if verdict.Undefined[i] {
			p[name] = math.NaN()
		}
		if verdict.Wins[i] {
			wins = append(wins, name)
		}
	}
	c.Compare(t, map[string]any{
		"winning_rate": verdict.WinningRate, "advantage_prob": result.Advantage, "p_values": p, "wins": wins,
	})
}

func oracleRater(labels map[string]float64, order []string) Rater {
	r := Rater{Values: make([]float64, len(order)), Missing: make([]bool, len(order))}
	for i, instance := range order {
		value, ok := labels[instance]
		r.Values[i] = value
		r.Missing[i] = !ok
	}
	return r
}
