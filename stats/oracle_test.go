package stats

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"compqa/stats/statstest"
)

func TestInferenceOracle(t *testing.T) {
	statstest.RunOracle(t, map[string]statstest.Runner{
		"clustered_se":      runClusteredSE,
		"paired_difference": runPairedDifference,
		"p_adjust":          runPAdjust,
		"proportion_ci":     runProportion,
		"ppi_mean":          runPPIMean,
	})
}

// clusterLabels numbers the oracle's cluster labels, which are numbers or names.
func clusterLabels(raw []json.RawMessage) []int {
	names := make([]string, len(raw))
	for i, r := range raw {
		names[i] = string(r)
	}
	return ClusterLabels(names)
}

func runClusteredSE(t *testing.T, c statstest.Case) {
	var args struct {
		Values   []float64
		Clusters []json.RawMessage
	}
	c.Decode(t, &args)
	se, err := StandardErrors(args.Values, clusterLabels(args.Clusters))
	got := map[string]any{
		"mean": se.Mean, "se_clt": se.CLT, "se_miller": se.Miller,
		"se_cr0": se.CR0, "se_cr1": se.CR1, "se_cr2": se.CR2, "df_cr2": se.DFCR2,
	}
	if errors.Is(err, ErrOneCluster) { // the reference divides by G-1 = 0
		for _, field := range []string{"se_miller", "se_cr0", "se_cr1", "se_cr2", "df_cr2"} {
			got[field] = math.NaN()
		}
	} else if err != nil {
		t.Fatal(err)
	}
	c.Compare(t, got)
}

func runPairedDifference(t *testing.T, c statstest.Case) {
	var args struct {
		A, B     []float64
		Clusters []json.RawMessage
	}
	c.Decode(t, &args)
	labels := clusterLabels(args.Clusters)
	diff, err := PairedDifference(args.A, args.B, labels, 0.95)
	if err != nil && !errors.Is(err, ErrUndefined) {
		t.Fatal(err)
	}
	differences := make([]float64, len(args.A))
	for i := range args.A {
		differences[i] = args.A[i] - args.B[i]
	}
	// The reference always uses CR1; ours may use CR2.
	se, err := StandardErrors(differences, labels)
	se.CR1 = nanIfUndefined(t, se.CR1, err)
	plain, err := PairedDifference(args.A, args.B, nil, 0.95)
	tStatistic := plain.Value / plain.SE
	p := plain.P
	if err != nil { // the reference has 0/0
		tStatistic = math.NaN()
		p = math.NaN()
	}
	c.Compare(t, map[string]any{
		"mean_diff": diff.Value, "se": plain.SE, "t": tStatistic, "p": p,
		"df": len(args.A) - 1, "se_cr1": se.CR1, "corr": correlation(args.A, args.B),
	})
}

func runPAdjust(t *testing.T, c statstest.Case) {
	var args struct {
		P      []float64
		Method string
		Alpha  float64
	}
	c.Decode(t, &args)
	adjust, ok := map[string]func([]float64) ([]float64, error){
		"bonferroni": Bonferroni, "holm": Holm, "fdr_bh": BenjaminiHochberg, "fdr_by": BenjaminiYekutieli,
	}[args.Method]
	if !ok {
		t.Fatalf("method %q", args.Method)
	}
	adjusted, err := adjust(args.P)
	if err != nil {
		t.Fatal(err)
	}
	reject := make([]bool, len(adjusted))
	for i, p := range adjusted {
		reject[i] = p <= args.Alpha
	}
	c.Compare(t, map[string]any{"adjusted": adjusted, "reject": reject})
}

func runProportion(t *testing.T, c statstest.Case) {
	var args struct {
		Successes, N int
		Alpha        float64
		Method       string
	}
	c.Decode(t, &args)
	interval, ok := map[string]func(int, int, float64) (Proportion, error){
		"wilson": Wilson, "clopper_pearson": ClopperPearson, "agresti_coull": AgrestiCoull, "normal": NormalProportion,
	}[args.Method]
	if !ok {
		t.Fatalf("method %q", args.Method)
	}
	p, err := interval(args.Successes, args.N, 1-args.Alpha)
	if errors.Is(err, ErrZeroWidth) { // the reference prints the interval
		p.Low = p.Share
		p.High = p.Share
	} else if err != nil {
		t.Fatal(err)
	}
	c.Compare(t, map[string]any{"low": p.Low, "high": p.High})
}

func runPPIMean(t *testing.T, c statstest.Case) {
	var args struct {
		Y             []float64
		Yhat          []float64
		YhatUnlabeled []float64 `json:"yhat_unlabeled"`
		Alpha         float64
		Lambda, Null  *float64
	}
	c.Decode(t, &args)
	sample := PPISample{Human: args.Y, Judge: args.Yhat, Unlabelled: args.YhatUnlabeled}
	p, err := PublishedPPIMean(sample, 1-args.Alpha, args.Lambda)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]any{"estimate": p.Value, "lambda": p.Lambda, "ci_low": p.Low, "ci_high": p.High}
	if args.Null != nil {
		if got["p_value"], err = p.PValue(*args.Null); err != nil {
			t.Fatal(err)
		}
	}
	c.Compare(t, got)
}

func nanIfUndefined(t *testing.T, v float64, err error) float64 {
	t.Helper()
	switch {
	case errors.Is(err, ErrUndefined):
		return math.NaN()
	case err != nil:
		t.Fatal(err)
	}
	return v
}

// correlation returns Pearson's correlation by its definition, or NaN for a constant.
func correlation(x, y []float64) float64 {
	n := float64(len(x))
	mx := 0.0
	my := 0.0
	for i := range x {
		mx += x[i] / n
		my += y[i] / n
	}
	var xx, yy, xy float64
	for i := range x {
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
		xy += (x[i] - mx) * (y[i] - my)
	}
	return xy / math.Sqrt(xx*yy)
}
