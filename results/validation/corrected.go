package validation

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"compqa/results/table"
	"compqa/results/validation/scales"
	"compqa/stats"
)

// A SystemRow is one system under a judge's criterion, in people's units: a row of systems.csv.
type SystemRow struct {
	Judge     string        `csv:"judge"`
	Criterion string        `csv:"criterion"`
	System    string        `csv:"system"`
	Rank      int           `csv:"rank"`
	Judged    int           `csv:"n_judged"`
	Labelled  int           `csv:"n_labelled"`
	JudgeMean table.Figure  `csv:"judge_mean"`
	Bias      table.Figure  `csv:"bias"`
	Predicted table.Bounded `csv:"predicted,low,high"`
	Basis     string        `csv:"basis"`
}

// A DifferenceRow compares two systems on the same questions, in people's units: a row of
// differences.csv.
type DifferenceRow struct {
	Judge      string        `csv:"judge"`
	Criterion  string        `csv:"criterion"`
	SystemA    string        `csv:"system_a"`
	SystemB    string        `csv:"system_b"`
	Questions  int           `csv:"n_questions"`
	Labelled   int           `csv:"n_labelled"`
	Difference table.Bounded `csv:"difference,ci_low,ci_high"`
	P          table.Figure  `csv:"p"`
	Adjusted   table.Figure  `csv:"p_adjusted"`
}

// sample are the judged units, those that people scored and the others, as PPIMean wants them, in
// people's units.
func (s *Study) sample(p *Pairing, in func(u *Unit) bool) (ppi stats.PPISample) {
	ppi.PublishedLambda = true
	for i := range s.Units {
		u := &s.Units[i]
		switch {
		case p.judge.Missing[i] || !in(u):
		case p.mean.Missing[i]:
			ppi.Unlabelled = append(ppi.Unlabelled, p.inPeoplesUnits(i))
			ppi.UnlabelledClusters = append(ppi.UnlabelledClusters, u.Cluster)
		default:
			ppi.Human = append(ppi.Human, p.mean.Values[i])
			ppi.Judge = append(ppi.Judge, p.inPeoplesUnits(i))
			ppi.Clusters = append(ppi.Clusters, u.Cluster)
		}
	}
	return ppi
}

// inPeoplesUnits is the judge's value of a unit on people's scale, also where the two differ: the
// weight of the judge in a corrected mean is at most 1.
func (p *Pairing) inPeoplesUnits(i int) float64 {
	j, h := p.JudgeScale, p.PeopleScale
	if v := p.judge.Values[i]; p.SameScale || j.High == j.Low {
		return v
	}
	return h.Low + (p.judge.Values[i]-j.Low)/(j.High-j.Low)*(h.High-h.Low)
}

// onScale is an estimate of a mean with bounds that the scale of yes and no allows.
func (p *Pairing) onScale(e stats.Estimate) table.Bounded {
	if p.PeopleScale.Kind == scales.Binary {
		e.Value, e.Low, e.High = min(1, max(0, e.Value)), max(0, e.Low), min(1, e.High)
	}
	return estimated(e)
}

func everyUnit(*Unit) bool { return true }

// correct fills in the rates of the judge and of people, and the rate that people would give to all
// judged units (stats.PPIMean), or for two classes Rogan and Gladen's estimate beside it.
func (s *Study) correct(p *Pairing, rows []Row) {
	at := slices.IndexFunc(rows, func(r Row) bool { return r.Reference == Mean })
	row := &rows[at]
	if p.PeopleScale.Kind == scales.Nominal {
		return
	}
	ppi := s.sample(p, everyUnit)
	if all := slices.Concat(ppi.Judge, ppi.Unlabelled); len(all) > 0 {
		row.RateJudge = table.Number(stats.Mean(all))
	}
	if len(ppi.Human) == 0 {
		return
	}
	row.RatePeople = table.Number(stats.Mean(ppi.Human))
	row.Unlabelled = len(ppi.Unlabelled)
	if e, err := stats.PPIMean(ppi, level); err == nil {
		row.Corrected = p.onScale(e.Estimate)
		row.Lambda, row.EffectiveN = table.Number(e.Lambda), table.Number(e.EffectiveN)
	}
	if _, binary := p.positive(); binary {
		s.roganGladen(p, row)
	}
}

// roganGladen corrects the judge's rate by the rates at which it is right (Rogan and Gladen 1978):
//
//	θ = (rate + TNR − 1) / (TPR + TNR − 1)
//
// with an interval by leaving out clusters. Unlike a prediction-powered rate it needs TPR and TNR to
// be the same on items that nobody labelled.
func (s *Study) roganGladen(p *Pairing, row *Row) {
	e, err := s.leaveOut(func(i int) []float64 {
		if p.judge.Missing[i] {
			return nil
		}
		sums := make([]float64, 6) // judged, passed, and the cells of the confusion: tn, fp, fn, tp
		sums[0], sums[1] = 1, p.judge.Values[i]
		if !p.most.Missing[i] && isWhole(p.judge.Values[i]) { // a mean over epochs is neither yes nor no
			sums[2+int(2*p.most.Values[i]+p.judge.Values[i])] = 1
		}
		return sums
	}, func(sum []float64) float64 {
		tpr, tnr := sum[5]/(sum[5]+sum[4]), sum[2]/(sum[2]+sum[3])
		return (sum[1]/sum[0] + tnr - 1) / (tpr + tnr - 1)
	})
	if !(e.Value >= 0 && e.Value <= 1) || err != nil || !stats.IsFinite(e.SE) {
		return // the judge is right no more often than by chance
	}
	e.Low, e.High = max(0, e.Low), min(1, e.High)
	row.RoganGladen = estimated(e)
}

// leaveOut is a statistic of sums over units, with an interval by leaving out clusters. A unit without
// sums does not count.
func (s *Study) leaveOut(sumsOf func(i int) []float64, statistic func(sums []float64) float64) (stats.Estimate, error) {
	var all []float64
	clusters := map[int][]float64{}
	for i, u := range s.Units {
		sums := sumsOf(i)
		if sums == nil {
			continue
		}
		if all == nil {
			all = make([]float64, len(sums))
		}
		if clusters[u.Cluster] == nil {
			clusters[u.Cluster] = make([]float64, len(sums))
		}
		floats.Add(all, sums)
		floats.Add(clusters[u.Cluster], sums)
	}
	if all == nil {
		return stats.Estimate{}, stats.ErrTooShort
	}
	var leftOut []float64
	for _, c := range slices.Sorted(maps.Keys(clusters)) {
		leftOut = append(leftOut, statistic(floats.SubTo(make([]float64, len(all)), all, clusters[c])))
	}
	return stats.Jackknife(statistic(all), leftOut, level)
}

// leastLabels is the number of a system's labelled items from which they alone correct its mean.
const leastLabels = 10

// Systems ranks systems in people's units: by people and the judge where enough of a system's items
// are labelled, else, from three systems with labels on, by the judge's mean less its usual bias
// (random effects over systems).
func (s *Study) Systems(p *Pairing) (rows []SystemRow) {
	var names []string
	for _, u := range s.Units {
		if u.System != "" && u.Judged && !slices.Contains(names, u.System) {
			names = append(names, u.System)
		}
	}
	if len(names) < 2 || p.PeopleScale.Kind == scales.Nominal {
		return nil
	}
	var biases, errors []float64
	samples := map[string]stats.PPISample{}
	for _, name := range names {
		ppi := s.sample(p, func(u *Unit) bool { return u.System == name })
		samples[name] = ppi
		row := SystemRow{Judge: p.Judge.By, Criterion: p.Judge.Criterion, System: name, Judged: len(ppi.Judge) + len(ppi.Unlabelled),
			Labelled: len(ppi.Human), Basis: "none"}
		if row.Judged > 0 {
			row.JudgeMean = table.Number(stats.Mean(slices.Concat(ppi.Judge, ppi.Unlabelled)))
		}
		if row.Labelled > 0 {
			bias := make([]float64, row.Labelled)
			for i := range bias {
				bias[i] = ppi.Judge[i] - ppi.Human[i]
			}
			row.Bias = table.Number(stats.Mean(bias))
			if e, err := stats.MeanInterval(bias, ppi.Clusters, level); err == nil {
				biases, errors = append(biases, e.Value), append(errors, e.SE)
			}
		}
		if e, err := stats.PPIMean(ppi, level); err == nil && row.Labelled >= leastLabels {
			row.Predicted, row.Basis = p.onScale(e.Estimate), "people+judge"
		}
		rows = append(rows, row)
	}
	if model, err := stats.RandomEffectsModel(biases, errors, level); err == nil && model.K >= 3 {
		for i := range rows {
			if r := &rows[i]; r.Basis == "none" && r.JudgeMean.Known() {
				ppi := samples[r.System]
				e, err := stats.MeanInterval(slices.Concat(ppi.Judge, ppi.Unlabelled), slices.Concat(ppi.Clusters, ppi.UnlabelledClusters), level)
				if err == nil {
					low, high := model.Predict(e.SE)
					r.Predicted = table.Bounded{Value: table.Number(e.Value - model.Mean), Low: table.Number(e.Value - high),
						High: table.Number(e.Value - low)}
					r.Basis = "transfer"
				}
			}
		}
	}
	value := func(r SystemRow) float64 {
		if !r.Predicted.Known() {
			return math.Inf(-1)
		}
		return *r.Predicted.Value.Number
	}
	slices.SortStableFunc(rows, func(a, b SystemRow) int { return -cmp.Compare(value(a), value(b)) })
	for i := range rows {
		if rows[i].Predicted.Known() {
			rows[i].Rank = i + 1
		}
	}
	return rows
}

// mostSystems is the number of systems up to which all pairs are compared.
const mostSystems = 20

// The places of the sums from which a corrected mean is computed.
const (
	sumLabelled = iota // units that people scored
	sumHuman           // people's values of these
	sumJudge           // the judge's values of these
	sumOthers          // the other units
	sumRest            // the judge's values of these
	sumCount
)

// correctedMean is the mean in people's units with a weight of the judge.
func correctedMean(sum []float64, weight float64) float64 {
	m := (sum[sumHuman] - weight*sum[sumJudge]) / sum[sumLabelled]
	if weight > 0 {
		m += weight * sum[sumRest] / sum[sumOthers]
	}
	return m
}

// Differences compares systems in people's units: the difference of their corrected means, with an
// interval by leaving out clusters, so that questions that both answered, labelled or not, count as
// pairs. P-values are adjusted for the number of pairs (Holm).
func (s *Study) Differences(p *Pairing) (rows []DifferenceRow) {
	systems := slices.DeleteFunc(s.Systems(p), func(r SystemRow) bool { return r.Labelled < 2 })
	if len(systems) > mostSystems {
		return nil
	}
	weights := make([]float64, len(systems))
	for k, system := range systems {
		if e, err := stats.PPIMean(s.sample(p, func(u *Unit) bool { return u.System == system.System }), level); err == nil {
			weights[k] = e.Lambda
		}
	}
	var ps []float64
	for i, a := range systems {
		for j := i + 1; j < len(systems); j++ {
			b := systems[j]
			row := DifferenceRow{Judge: a.Judge, Criterion: a.Criterion, SystemA: a.System, SystemB: b.System}
			all, labelled := map[int]bool{}, map[int]bool{} // clusters
			e, err := s.leaveOut(func(unit int) []float64 {
				u, at := &s.Units[unit], 0
				if p.judge.Missing[unit] || u.System != a.System && u.System != b.System {
					return nil
				}
				if u.System == b.System {
					at = sumCount
				}
				sums, v := make([]float64, 2*sumCount), p.inPeoplesUnits(unit)
				if all[u.Cluster] = true; p.mean.Missing[unit] {
					sums[at+sumOthers], sums[at+sumRest] = 1, v
					return sums
				}
				labelled[u.Cluster] = true
				sums[at+sumLabelled], sums[at+sumJudge], sums[at+sumHuman] = 1, v, p.mean.Values[unit]
				return sums
			}, func(sum []float64) float64 {
				return correctedMean(sum[:sumCount], weights[i]) - correctedMean(sum[sumCount:], weights[j])
			})
			row.Questions, row.Labelled = len(all), len(labelled)
			if e.DF = float64(len(labelled) - 1); err == nil && stats.IsFinite(e.SE) && e.DF >= 1 && e.SetBounds() == nil {
				row.Difference = estimated(e)
				if v, err := e.PValue(0); err == nil {
					row.P = table.Number(v)
					ps = append(ps, v)
				}
			}
			rows = append(rows, row)
		}
	}
	adjust(rows, ps, func(r *DifferenceRow) (p, adjusted *table.Figure) { return &r.P, &r.Adjusted })
	return rows
}

// adjust fills in Holm's adjusted p-values of the rows that have one, in their order.
func adjust[R any](rows []R, ps []float64, of func(*R) (p, adjusted *table.Figure)) {
	holm, err := stats.Holm(ps)
	if err != nil {
		return
	}
	k := 0
	for i := range rows {
		if p, adjusted := of(&rows[i]); p.Known() {
			*adjusted = table.Number(holm[k])
			k++
		}
	}
}
