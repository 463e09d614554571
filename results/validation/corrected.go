package validation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/results/validation/scales"
	"compqa/stats"
)

// A SystemRow is one system under a judge's criterion, in people's units: a row of systems.csv.
type SystemRow struct {
	Of
	System    string       `csv:"system"`
	Rank      int          `csv:"rank"`
	Judged    int          `csv:"n_judged"`
	Labelled  int          `csv:"n_labelled"`
	JudgeMean stats.Figure `csv:"judge_mean"`
	Bias      stats.Figure `csv:"bias"`
	Predicted stats.Figure `csv:"predicted,low,high"`
	Basis     string       `csv:"basis"`
	Note      string       `csv:"note"` // why there is no prediction

	mean   stats.Estimate // of the judge
	weight float64        // of the judge in the corrected mean
}

// A DifferenceRow compares two systems on the same questions, in people's units: a row of differences.csv.
type DifferenceRow struct {
	Of
	SystemA    string       `csv:"system_a"`
	SystemB    string       `csv:"system_b"`
	Questions  int          `csv:"n_questions"`
	Labelled   int          `csv:"n_labelled"`
	Difference stats.Figure `csv:"difference,ci_low,ci_high"`
	table.PValue
}

// sample are the judged units of a system ("": of all), those that people scored and the others, as PPIMean wants them. Both are
// on one scale.
func (p *Pairing) sample(system string) (ppi stats.PPISample) {
	ppi.PublishedLambda = true
	for i, cluster := range p.Clusters {
		switch {
		case !p.judge.Values[i].Given() || system != "" && p.Units[i].System != system:
		case !p.mean.Values[i].Given():
			ppi.Unlabelled = append(ppi.Unlabelled, p.judge.Values[i].Number())
			ppi.UnlabelledClusters = append(ppi.UnlabelledClusters, cluster)
		default:
			ppi.Human = append(ppi.Human, p.mean.Values[i].Number())
			ppi.Judge = append(ppi.Judge, p.judge.Values[i].Number())
			ppi.Clusters = append(ppi.Clusters, cluster)
		}
	}
	return ppi
}

// onScale is a mean with bounds on the scale; measurements whose ends nobody gave have none.
func (p *Pairing) onScale(value, low, high float64) stats.Figure {
	s := p.PeopleScale
	if s.Kind == scales.Continuous && !s.Given || !(s.Low < s.High) {
		return stats.Between(value, low, high)
	}
	return table.OnScale(value, low, high, s.Low, s.High)
}

// predict fills in people's mean of a system.
func (p *Pairing) predict(row *SystemRow, value, low, high float64, basis string) {
	row.Predicted, row.Basis = p.onScale(value, low, high), basis
	if !row.Predicted.Known {
		row.Basis, row.Note = "none", table.OffScale
	}
}

// unpredicted is why a system has no prediction, where so many systems have labels.
func (p *Pairing) unpredicted(row *SystemRow, labelled int) string {
	labels := "nobody labelled it"
	switch {
	case row.Judged == 0:
		return "the judge has no value"
	case row.Labelled >= leastLabels && p.sampling.weighted():
		return "nobody labelled a part of its items"
	case row.Labelled >= leastLabels:
		return "its labels do not vary, or are of one cluster"
	case row.Labelled > 0:
		labels = fmt.Sprintf("%s, fewer than %d", data.Plural(row.Labelled, "label", "labels"), leastLabels)
	}
	if labelled < leastTransfer {
		return labels + fmt.Sprintf(", and fewer than %d systems have labels that show the judge's usual bias", leastTransfer)
	}
	return labels + ", and the judge's bias on it cannot be estimated"
}

// correct fills in the rates of the judge and of people, and the rate that people would give to all judged units
// (stats.PPIMean), or for two classes Rogan and Gladen's estimate next to it.
func (p *Pairing) correct(row *Row) {
	if p.nominal() || !p.SameScale { // no value is mapped unasked
		return
	}
	ppi := p.sample("")
	if all := slices.Concat(ppi.Judge, ppi.Unlabelled); len(all) > 0 {
		row.RateJudge = stats.Number(stats.Mean(all))
	}
	if len(ppi.Human) == 0 {
		return
	}
	row.RatePeople = stats.Number(stats.Mean(ppi.Human))
	row.Unlabelled = len(ppi.Unlabelled)
	if slices.Min(ppi.Human) == slices.Max(ppi.Human) { // which says nothing of how often people give other values
		if p.sampling.uncovered != "" {
			row.RatePeople = stats.Figure{}
		}
		if row.N >= leastLabels {
			row.Note = strings.Join(filled(row.Note, "people gave one value to all items, so that no rate can be corrected"), "; ")
		}
		return
	}
	if p.sampling.weighted() {
		p.correctByDesign(row)
		return
	}
	if len(ppi.Human) < leastLabels {
		return
	}
	if e, err := stats.PPIMean(ppi, level); err == nil {
		row.Corrected = p.onScale(e.Value, e.Low, e.High)
		row.Lambda, row.EffectiveN = stats.Number(e.Lambda), stats.Number(e.EffectiveN)
	}
	if p.rated() {
		p.roganGladen(row)
	}
}

// correctByDesign fills in the rates where labels are no random sample: neither people's mean of all items nor Rogan and Gladen's
// estimate are given where a stratum has no label.
func (p *Pairing) correctByDesign(row *Row) {
	row.RatePeople = stats.Figure{}
	if p.sampling.uncovered != "" {
		return
	}
	row.RatePeople = p.weightedMean()
	if row.N < leastLabels {
		return
	}
	if e, lambda, err := p.weightedRate(""); err == nil {
		row.Corrected, row.Lambda = p.onScale(e.Value, e.Low, e.High), stats.Number(lambda)
	}
}

// roganGladen corrects the judge's rate by the rates at which it is right (Rogan and Gladen 1978):
//
//	θ = (rate + TNR − 1) / (TPR + TNR − 1)
//
// with an interval by leaving out clusters. Unlike a prediction-powered rate it needs TPR and TNR to be the same on items
// that nobody labelled.
func (p *Pairing) roganGladen(row *Row) {
	e, err := stats.AddUp(p.Clusters, 6, func(i int) []float64 {
		if !p.judge.Values[i].Given() {
			return nil
		}
		sums := make([]float64, 6) // judged, passed, and the cells of the confusion: tn, fp, fn, tp
		sums[0], sums[1] = 1, p.judge.Values[i].Number()
		if p.most.Values[i].Given() && isWhole(p.judge.Values[i].Number()) { // a mean over epochs is neither yes nor no
			sums[2+int(2*p.most.Values[i].Number()+p.judge.Values[i].Number())] = 1
		}
		return sums
	}).LeaveOut(func(sum []float64) []float64 {
		tpr, tnr := sum[5]/(sum[5]+sum[4]), sum[2]/(sum[2]+sum[3])
		return []float64{(sum[1]/sum[0] + tnr - 1) / (tpr + tnr - 1)}
	}).Jackknife(0, level)
	if e.Value >= 0 && e.Value <= 1 && err == nil && stats.IsFinite(e.SE) { // else the judge is right no more often than by chance
		row.RoganGladen = within(e, 0, 1)
	}
}

// systems ranks systems in people's units: by people and the judge where enough of a system's items are labelled, else, from
// three systems with labels on, by the judge's mean less its usual bias (random effects over systems).
func (p *Pairing) systems() (rows []SystemRow) {
	if p.nominal() || !p.SameScale {
		return nil
	}
	var biases, errors []float64
	judged := data.Where(p.Units, func(u Unit) bool { return u.Judged && u.System != "" })
	_, systems := stats.NumberLabels(data.Each(judged, func(u Unit) string { return u.System }))
	for _, system := range systems {
		ppi := p.sample(system)
		values, clusters := slices.Concat(ppi.Judge, ppi.Unlabelled), slices.Concat(ppi.Clusters, ppi.UnlabelledClusters)
		row := SystemRow{Of: p.Of, System: system, Judged: len(values), Labelled: len(ppi.Human), Basis: "none"}
		row.mean, _ = stats.MeanInterval(values, clusters, level)
		if row.Judged > 0 {
			row.JudgeMean = stats.Number(row.mean.Value)
		}
		if row.Labelled > 0 {
			e, err := stats.PairedDifference(ppi.Judge, ppi.Human, ppi.Clusters, level)
			row.Bias = stats.Number(e.Value)
			if err == nil {
				biases, errors = append(biases, e.Value), append(errors, e.SE)
			}
		}
		if p.sampling.weighted() {
			if e, _, err := p.weightedRate(system); err == nil && row.Labelled >= leastLabels && p.covers(system) {
				p.predict(&row, e.Value, e.Low, e.High, "people+judge")
			}
		} else if e, err := stats.PPIMean(ppi, level); err == nil {
			row.weight = e.Lambda
			if row.Labelled >= leastLabels {
				p.predict(&row, e.Value, e.Low, e.High, "people+judge")
			}
		}
		rows = append(rows, row)
	}
	if len(rows) < 2 {
		return nil
	}
	if model, err := stats.RandomEffectsModel(biases, errors, level); err == nil && model.K >= leastTransfer {
		for i := range rows {
			if r := &rows[i]; r.Basis == "none" && r.Note == "" && r.mean.SE > 0 {
				low, high := model.Predict(r.mean.SE)
				p.predict(r, r.mean.Value-model.Mean, r.mean.Value-high, r.mean.Value-low, "transfer")
			}
		}
	}
	for i := range rows {
		if !rows[i].Predicted.Known && rows[i].Note == "" {
			rows[i].Note = p.unpredicted(&rows[i], len(biases))
		}
	}
	slices.SortStableFunc(rows, func(a, b SystemRow) int { return stats.CompareFigures(a.Predicted.Point(), b.Predicted.Point(), -1) })
	for i := range rows {
		if rows[i].Predicted.Known {
			rows[i].Rank = i + 1
		}
	}
	return rows
}

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

// differences compares systems in people's units on the questions that both answered, labelled or not (trust.Shared), of which there are
// stats.FewClusters or more: the difference of their corrected means (weighted where labels are no random sample), with an interval by
// leaving out questions. Degrees of freedom are those of the system with fewer labelled questions. P-values are adjusted for the number of
// pairs (Holm).
func (p *Pairing) differences(systems []SystemRow) (rows []DifferenceRow) {
	systems = data.Where(systems, func(r SystemRow) bool { return r.Labelled >= leastLabels })
	if len(systems) > mostSystems {
		return nil
	}
	for i, a := range systems {
		for _, b := range systems[i+1:] {
			shared := p.sharedQuestions(a.System, b.System)
			if p.sampling.weighted() {
				rows = append(rows, p.weightedDifference(a.System, b.System, shared))
				continue
			}
			labelled := map[int]bool{} // clusters
			each := map[string]map[int]bool{a.System: {}, b.System: {}}
			e, err := stats.AddUp(p.Clusters, 2*sumCount, func(unit int) []float64 {
				u := &p.Units[unit]
				if !p.judge.Values[unit].Given() || !shared[p.Clusters[unit]] || u.System != a.System && u.System != b.System {
					return nil
				}
				both := make([]float64, 2*sumCount)
				sums, v := both[:sumCount], p.judge.Values[unit].Number()
				if u.System == b.System {
					sums = both[sumCount:]
				}
				if !p.mean.Values[unit].Given() {
					sums[sumOthers], sums[sumRest] = 1, v
				} else {
					labelled[p.Clusters[unit]], each[u.System][p.Clusters[unit]] = true, true
					sums[sumLabelled], sums[sumJudge], sums[sumHuman] = 1, v, p.mean.Values[unit].Number()
				}
				return both
			}).LeaveOut(func(sum []float64) []float64 {
				return []float64{correctedMean(sum[:sumCount], a.weight) - correctedMean(sum[sumCount:], b.weight)}
			}).Jackknife(0, level)
			row := DifferenceRow{Of: p.Of, SystemA: a.System, SystemB: b.System, Questions: len(shared), Labelled: len(labelled)}
			e.DF = float64(min(len(each[a.System]), len(each[b.System])) - 1)
			if row.Questions >= stats.FewClusters && err == nil && stats.IsFinite(e.SE) && e.DF >= 1 && e.SetBounds() == nil {
				row.Difference, row.P = estimated(e), probability(e)
			}
			rows = append(rows, row)
		}
	}
	operand := func(r DifferenceRow) Of { return r.Of }
	_ = table.Adjust(rows, operand, func(r *DifferenceRow) *table.PValue { return &r.PValue }) // p-values are in [0, 1]
	return rows
}

// sharedQuestions are the clusters in which the judge has a value for both systems.
func (p *Pairing) sharedQuestions(first, second string) map[int]bool {
	var a, b trust.Side
	for i, u := range p.Units {
		switch {
		case !p.judge.Values[i].Given():
		case u.System == first:
			a.Add(trust.Place{Question: p.Clusters[i]})
		case u.System == second:
			b.Add(trust.Place{Question: p.Clusters[i]})
		}
	}
	both, _ := trust.Shared(a, b)
	return data.Among(data.Each(both.Points, func(point trust.Point) int { return point.Question }))
}

// defaultEpsilon is the advantage that people are given in the alternative-annotator test, since they are paid: that of skilled
// annotators.
const defaultEpsilon = 0.15

// altTest fills in against which share of people the judge wins, and how often it is at least as close to the others as a person (the
// alternative-annotator test, Calderon, Reichart and Dror 2025), as published. It needs three people with 30 items in common, and
// decides nothing.
func (p *Pairing) altTest(row *Row) {
	if !p.SameScale {
		return
	}
	epsilon := cmp.Or(p.o.Epsilon, defaultEpsilon)
	r, err := p.t.AltTest(p.judge, p.people, p.PeopleScale.Points(), epsilon)
	if err != nil {
		return
	}
	row.Winning, row.Advantage, row.Epsilon = stats.Number(r.Verdicts[0].WinningRate), stats.Number(r.Advantage), stats.Number(epsilon)
}
