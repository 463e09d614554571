package stats

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"testing"
)

func init() {
	oracleRunners["clustered_se"] = runClusteredSE
	oracleRunners["paired_difference"] = runPairedDifference
	oracleRunners["p_adjust"] = runPAdjust
	oracleRunners["proportion_ci"] = runProportion
	oracleRunners["ppi_mean"] = runPPIMean
	oracleRunners["bradley_terry"] = runBradleyTerry
	oracleRunners["bradley_terry_ties_davidson"] = runDavidson
	oracleRunners["alt_test"] = runAltTest
}

// clusterLabels numbers the oracle's cluster labels, which are numbers or names.
func clusterLabels(raw []json.RawMessage) []int {
	names := make([]string, len(raw))
	for i, r := range raw {
		names[i] = string(r)
	}
	return ClusterLabels(names)
}

func runClusteredSE(t *testing.T, c oracleCase) {
	var args struct {
		Values   []float64
		Clusters []json.RawMessage
	}
	c.decode(t, &args)
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
	c.compare(t, got)
}

func runPairedDifference(t *testing.T, c oracleCase) {
	var args struct {
		A, B     []float64
		Clusters []json.RawMessage
	}
	c.decode(t, &args)
	labels := clusterLabels(args.Clusters)
	diff, err := PairedDifference(args.A, args.B, labels, 0.95)
	if err != nil && !errors.Is(err, ErrUndefined) {
		t.Fatal(err)
	}
	differences := make([]float64, len(args.A))
	for i := range args.A {
		differences[i] = args.A[i] - args.B[i]
	}
	// The reference's clustered error is always CR1; ours may be CR2.
	se, err := StandardErrors(differences, labels)
	se.CR1 = undefinedIsNaN(t, se.CR1, err)
	r, err := Pearson(args.A, args.B)
	tStatistic, p := diff.PlainT, diff.PlainP
	if diff.Plain == 0 { // the reference has 0/0
		tStatistic, p = math.NaN(), math.NaN()
	}
	c.compare(t, map[string]any{
		"mean_diff": diff.Value, "se": diff.Plain, "t": tStatistic, "p": p,
		"df": len(args.A) - 1, "se_cr1": se.CR1, "corr": undefinedIsNaN(t, r.R, err),
	})
}

func runPAdjust(t *testing.T, c oracleCase) {
	var args struct {
		P      []float64
		Method string
		Alpha  float64
	}
	c.decode(t, &args)
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
	c.compare(t, map[string]any{"adjusted": adjusted, "reject": reject})
}

func runProportion(t *testing.T, c oracleCase) {
	var args struct {
		Successes, N int
		Alpha        float64
		Method       string
	}
	c.decode(t, &args)
	interval, ok := map[string]func(int, int, float64) (Proportion, error){
		"wilson": Wilson, "clopper_pearson": ClopperPearson, "agresti_coull": AgrestiCoull, "normal": NormalProportion,
	}[args.Method]
	if !ok {
		t.Fatalf("method %q", args.Method)
	}
	p, err := interval(args.Successes, args.N, 1-args.Alpha)
	if errors.Is(err, ErrZeroWidth) { // the reference prints it
		p.Low, p.High = p.Share, p.Share
	} else if err != nil {
		t.Fatal(err)
	}
	c.compare(t, map[string]any{"low": p.Low, "high": p.High})
}

func runPPIMean(t *testing.T, c oracleCase) {
	var args struct {
		Y             []float64
		Yhat          []float64
		YhatUnlabeled []float64 `json:"yhat_unlabeled"`
		Alpha         float64
		Lambda, Null  *float64
	}
	c.decode(t, &args)
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
	c.compare(t, got)
}

// oracleMatch is [item, item, "x", "y" or "tie"]. The references know no
// questions: every match is its own cluster.
type oracleMatch Match

func (m *oracleMatch) UnmarshalJSON(raw []byte) error {
	var outcome string
	fields := []any{&m.A, &m.B, &outcome}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	i := slices.Index([]string{"x", "y", "tie"}, outcome)
	if i < 0 || len(fields) != 3 {
		return errors.New("not a match: " + string(raw))
	}
	m.Outcome = []Outcome{FirstWins, SecondWins, Tie}[i]
	return nil
}

func separateClusters(oracle []oracleMatch) []Match {
	matches := make([]Match, len(oracle))
	for i, m := range oracle {
		matches[i] = Match(m)
		matches[i].Cluster = i
	}
	return matches
}

func runBradleyTerry(t *testing.T, c oracleCase) {
	var args struct {
		Items     int
		Matches   []oracleMatch
		TieWeight float64 `json:"tie_weight"`
	}
	c.decode(t, &args)
	if args.TieWeight != 0.5 {
		t.Fatalf("tie weight %v: ties are half wins", args.TieWeight)
	}
	s, err := BradleyTerry(args.Items, separateClusters(args.Matches))
	if class, ok := c.wantError(); ok {
		var unconnected *NotConnectedError
		if class != "not_strongly_connected" || !errors.As(err, &unconnected) || len(unconnected.Components) < 2 {
			t.Fatalf("error %v, want class %q", err, class)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	fromFirst, se := make([]float64, args.Items), make([]float64, args.Items)
	for i := range fromFirst {
		fromFirst[i] = s.Log[i] - s.Log[0]
		se[i] = s.ModelSE(i, 0)
	}
	c.compare(t, map[string]any{"strength": s.Strength(), "log_strength_minus_item0": fromFirst, "se_minus_item0": se})
}

func runDavidson(t *testing.T, c oracleCase) {
	var args struct {
		Items   int
		Matches []oracleMatch
	}
	c.decode(t, &args)
	s, err := Davidson(args.Items, separateClusters(args.Matches))
	if err != nil {
		t.Fatal(err)
	}
	c.compare(t, map[string]any{"strength": s.Strength(), "v": s.Tie})
}

func runAltTest(t *testing.T, c oracleCase) {
	var args struct {
		Humans               map[string]map[string]float64
		LLM                  map[string]float64
		Scoring              string
		Epsilon              float64
		QFDR                 float64 `json:"q_fdr"`
		MinHumansPerInstance int     `json:"min_humans_per_instance"`
		MinInstancesPerHuman int     `json:"min_instances_per_human"`
	}
	c.decode(t, &args)
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
	if class, ok := c.wantError(); ok {
		var cannotSay *CannotSayError
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
	c.compare(t, map[string]any{
		"winning_rate": verdict.WinningRate, "advantage_prob": result.Advantage, "p_values": p, "wins": wins,
	})
}

func oracleRater(labels map[string]float64, order []string) Rater {
	r := Rater{Values: make([]float64, len(order)), Missing: make([]bool, len(order))}
	for i, instance := range order {
		value, ok := labels[instance]
		r.Values[i], r.Missing[i] = value, !ok
	}
	return r
}
