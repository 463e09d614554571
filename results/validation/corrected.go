package validation

import (
	"cmp"
	"maps"
	"math"
	"slices"

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
	type sums struct{ yes, n, tp, fn, tn, fp float64 }
	clusters := map[int]*sums{}
	var all sums
	for i, u := range s.Units {
		if p.judge.Missing[i] {
			continue
		}
		c := clusters[u.Cluster]
		if c == nil {
			c = &sums{}
			clusters[u.Cluster] = c
		}
		for _, to := range []*sums{c, &all} {
			to.n, to.yes = to.n+1, to.yes+p.judge.Values[i]
			if p.most.Missing[i] {
				continue
			}
			for k, cell := range []*float64{&to.tn, &to.fp, &to.fn, &to.tp} {
				if float64(k) == 2*p.most.Values[i]+p.judge.Values[i] {
					*cell++
				}
			}
		}
	}
	theta := func(without sums) float64 {
		tp, fn, tn, fp := all.tp-without.tp, all.fn-without.fn, all.tn-without.tn, all.fp-without.fp
		tpr, tnr := tp/(tp+fn), tn/(tn+fp)
		return ((all.yes-without.yes)/(all.n-without.n) + tnr - 1) / (tpr + tnr - 1)
	}
	value := theta(sums{})
	var leftOut []float64
	for _, c := range clusters {
		leftOut = append(leftOut, theta(*c))
	}
	slices.Sort(leftOut)
	e, err := stats.Jackknife(value, leftOut, level)
	if value < 0 || value > 1 || !stats.IsFinite(value) || err != nil || !stats.IsFinite(e.SE) {
		return // the judge is right no more often than by chance
	}
	e.Low, e.High = max(0, e.Low), min(1, e.High)
	row.RoganGladen = estimated(e)
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

// A ppiSums holds what a corrected mean is computed from: of labelled items the number and the sums of
// people's and the judge's values, of the others the number and the judge's sum.
type ppiSums struct{ labelled, human, judge, others, rest float64 }

// mean is the corrected mean with a weight of the judge, without a part of the items.
func (a ppiSums) mean(weight float64, without ppiSums) float64 {
	n, others := a.labelled-without.labelled, a.others-without.others
	m := (a.human - without.human - weight*(a.judge-without.judge)) / n
	if weight > 0 {
		m += weight * (a.rest - without.rest) / others
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
	weights, sums, clusters := make([]float64, len(systems)), make([]ppiSums, len(systems)), make([]map[int]*ppiSums, len(systems))
	for k, system := range systems {
		e, err := stats.PPIMean(s.sample(p, func(u *Unit) bool { return u.System == system.System }), level)
		if err == nil {
			weights[k] = e.Lambda
		}
		clusters[k] = map[int]*ppiSums{}
		for i, u := range s.Units {
			if u.System != system.System || p.judge.Missing[i] {
				continue
			}
			if clusters[k][u.Cluster] == nil {
				clusters[k][u.Cluster] = &ppiSums{}
			}
			for _, to := range []*ppiSums{&sums[k], clusters[k][u.Cluster]} {
				if v := p.inPeoplesUnits(i); p.mean.Missing[i] {
					to.others, to.rest = to.others+1, to.rest+v
				} else {
					to.labelled, to.judge, to.human = to.labelled+1, to.judge+v, to.human+p.mean.Values[i]
				}
			}
		}
	}
	var ps []float64
	for i, a := range systems {
		for j := i + 1; j < len(systems); j++ {
			b := systems[j]
			row := DifferenceRow{Judge: a.Judge, Criterion: a.Criterion, SystemA: a.System, SystemB: b.System}
			value := sums[i].mean(weights[i], ppiSums{}) - sums[j].mean(weights[j], ppiSums{})
			both := maps.Clone(clusters[i])
			maps.Copy(both, clusters[j])
			var leftOut []float64
			labelled := map[int]bool{}
			for _, c := range slices.Sorted(maps.Keys(both)) {
				of := func(k int) (without ppiSums) {
					if sum := clusters[k][c]; sum != nil {
						if without = *sum; sum.labelled > 0 {
							labelled[c] = true
						}
					}
					return without
				}
				leftOut = append(leftOut, sums[i].mean(weights[i], of(i))-sums[j].mean(weights[j], of(j)))
			}
			row.Questions, row.Labelled = len(both), len(labelled)
			e, err := stats.Jackknife(value, leftOut, level)
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
