package validation

import (
	"cmp"
	"fmt"
	"slices"

	"compqa/data"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/results/validation/scales"
	"compqa/stats"
)

// A SystemRow is a row of systems.csv: one system under a judge's criterion, with the mean that people would give it.
type SystemRow struct {
	Of
	System    string        `csv:"system"`
	Rank      int           `csv:"rank"`
	Judged    int           `csv:"n_judged"`
	Labelled  int           `csv:"n_labelled"`
	JudgeMean stats.Figure  `csv:"judge_mean"`
	Bias      stats.Figure  `csv:"bias"`
	Predicted stats.Figure  `csv:"predicted,low,high"`
	Basis     string        `csv:"basis"`
	Note      table.Reasons `csv:"note" figures:"Predicted"`
}

// A DifferenceRow is a row of differences.csv: it compares two systems on the same questions, on people's scale.
type DifferenceRow struct {
	Of
	SystemA    string       `csv:"system_a"`
	SystemB    string       `csv:"system_b"`
	Questions  int          `csv:"n_questions"`
	Labelled   int          `csv:"n_labelled"`
	Difference stats.Figure `csv:"difference,ci_low,ci_high"`
	table.PValue
}

// items returns the units that the judge rated, with people's mean if there is one. It must be called only if both sides are on one scale.
func (p *Pairing) items() (judged trust.Items) {
	judged.Weighted = p.sampling.weighted()
	judged.List = make([]trust.Item, 0, len(p.t.Units))
	scenarios, names := stats.NumberLabels(data.Each(p.Units, func(u Unit) string { return u.Scenario }))
	for i, u := range p.t.Units {
		if p.judge.Values[i].Given() {
			place := trust.Place{Pair: u.Cluster, Question: p.asked[i], Scenario: scenarios[i]}
			if names[place.Scenario] == "" {
				place.Scenario = trust.NoScenario
			}
			item := trust.Item{Place: place, System: u.System, Judge: p.judge.Values[i].Number(), People: p.mean.Values[i].Number(),
				HasPeople: p.mean.Values[i].Given()}
			if judged.Weighted {
				item.Stratum = p.t.Strata[i]
			}
			if p.t.Inclusion != nil {
				item.Inclusion = p.t.Inclusion[i]
			}
			judged.List = append(judged.List, item)
		}
	}
	return judged
}

// onScale limits a mean and its bounds to the ends of the scale. Measurements on a continuous scale whose ends nobody gave are not limited.
func (p *Pairing) onScale(mean stats.Figure) stats.Figure {
	s := p.PeopleScale
	if s.Kind == scales.Continuous && !s.Given || !(s.Low < s.High) {
		return mean
	}
	return table.OnScale(mean, s.Low, s.High)
}

// unpredicted returns the reason why a system has no predicted mean. labelled is the number of systems whose bias is known.
func (p *Pairing) unpredicted(row *SystemRow, labelled int) stats.Reason {
	labels := "nobody labelled it"
	switch {
	case row.Judged == 0:
		return "the judge has no value"
	case row.Labelled >= trust.LeastLabels && p.sampling.weighted():
		return "nobody labelled a part of its items"
	case row.Labelled >= trust.LeastLabels:
		return "its labels do not vary, or are of one cluster"
	case row.Labelled > 0:
		labels = fmt.Sprintf("%s, fewer than %d", data.Plural(row.Labelled, "label", "labels"), trust.LeastLabels)
	}
	if labelled < trust.LeastSystems {
		return stats.Reason(fmt.Sprintf("%s, and fewer than %d systems have labels that show the judge's usual bias", labels,
			trust.LeastSystems))
	}
	return stats.Reason(labels + ", and the judge's bias on it cannot be estimated")
}

// correct fills in the mean value (rate) of the judge and of people, and the rate that people would give to all judged units
// (trust.Items.Correct). For two classes it also fills in Rogan and Gladen's estimate. If a stratum has no label, it returns no rate of
// people.
func (p *Pairing) correct(row *Row) {
	if p.nominal() || !p.SameScale { // values are mapped only if the user asks
		return
	}
	items := p.items()
	sample := items.Random()
	if len(items.List) > 0 {
		row.RateJudge = stats.Number(stats.Mean(data.Each(items.List, func(item trust.Item) float64 { return item.Judge })))
	}
	if len(sample.Human) == 0 {
		return
	}
	row.Unlabelled = len(sample.Unlabelled)
	constant := slices.Min(sample.Human) == slices.Max(sample.Human) // then labels do not say how often people give other values
	if constant && row.N >= trust.LeastLabels {
		row.Corrected = stats.MissingFigure(stats.Reason("people gave one value to all items, so that no rate can be corrected"))
	}
	if p.sampling.uncovered != "" {
		return
	}
	c, err := items.Correct()
	if row.RatePeople = c.LabelMean.Point(); constant || err != nil {
		return
	}
	row.Corrected = p.onScale(c.Mean)
	row.Lambda = c.Lambda
	row.EffectiveN = c.EffectiveN
	if p.rated() && !items.Weighted && c.Mean.Known {
		p.roganGladen(row)
	}
}

// roganGladen corrects the judge's rate for the rates at which it is right (Rogan and Gladen 1978):
//
//	θ = (rate + TNR − 1) / (TPR + TNR − 1)
//
// The interval leaves out clusters. Unlike a prediction-powered rate, the estimate assumes that TPR and TNR are the same on unlabelled
// items.
func (p *Pairing) roganGladen(row *Row) {
	e, err := stats.AddUp(p.Clusters, 6, func(i int) []float64 {
		if !p.judge.Values[i].Given() {
			return nil
		}
		sums := make([]float64, 6) // judged, passed, and the cells of the confusion matrix: tn, fp, fn, tp
		sums[0], sums[1] = 1, p.judge.Values[i].Number()
		if p.most.Values[i].Given() && isWhole(p.judge.Values[i].Number()) { // a mean over epochs is neither yes nor no
			sums[2+int(2*p.most.Values[i].Number()+p.judge.Values[i].Number())] = 1
		}
		return sums
	}).LeaveOut(func(sum []float64) []float64 {
		tpr := sum[5] / (sum[5] + sum[4])
		tnr := sum[2] / (sum[2] + sum[3])
		return []float64{(sum[1]/sum[0] + tnr - 1) / (tpr + tnr - 1)}
	}).Jackknife(0, level)
	if e.Value >= 0 && e.Value <= 1 && err == nil && stats.IsFinite(e.SE) { // otherwise the judge is right no more often than by chance
		row.RoganGladen = within(e, 0, 1)
	}
}

// systems ranks systems by the mean that people would give. If a system has enough labels, its mean comes from people and the judge.
// Otherwise it is the judge's mean minus the judge's usual bias, if three or more systems have labels (trust.Transfer).
func (p *Pairing) systems() (rows []SystemRow) {
	if p.nominal() || !p.SameScale {
		return nil
	}
	var named []string // systems of the judged units
	for i := range p.Units {
		if u := &p.Units[i]; u.Judged && u.System != "" {
			named = append(named, u.System)
		}
	}
	_, systems := stats.NumberLabels(named)
	if len(systems) < 2 {
		return nil
	}
	items := p.items().Where(func(item trust.Item) bool { return item.System != "" })
	var transfer trust.Transfer // without labels on three systems the transfer has no model
	transfer.Known, _ = items.Biases(systems)
	transfer.Effects, _ = transfer.Known.Model()
	transfer.Unseen = transfer.Effects
	for s, system := range systems {
		part := items.OfSystem(system)
		row := SystemRow{Of: p.Of, System: system, Judged: len(part.List), Labelled: part.Labels()}
		mean := p.judgeMean(part)
		row.JudgeMean = mean.Point()
		if i := transfer.Known.Index(s); i >= 0 {
			row.Bias = stats.Number(transfer.Known[i].Mean)
		}
		c, _ := part.Correct()
		if !mean.Bounded && !c.Mean.Known {
			mean = stats.Figure{} // a judge that gives only one value does not show how the system differs
		}
		row.Predicted, row.Basis = transfer.Correct(c, mean, s)
		rows = append(rows, row)
	}
	for i := range rows {
		r := &rows[i]
		switch r.Predicted = p.onScale(r.Predicted); {
		case r.Predicted.Known:
		case r.Basis != trust.BasisNone: // the prediction is outside of the scale
			r.Basis = trust.BasisNone
		default:
			r.Predicted = stats.MissingFigure(p.unpredicted(r, len(transfer.Known)))
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

// judgeMean returns the judge's mean of items. It has no interval if all values are equal.
func (p *Pairing) judgeMean(items trust.Items) (mean stats.Figure) {
	values := data.Each(items.List, func(item trust.Item) float64 { return item.Judge })
	if len(values) == 0 {
		return mean
	}
	e, err := stats.MeanInterval(values, data.Each(items.List, func(item trust.Item) int { return item.Pair }), level)
	if err != nil {
		return stats.Number(e.Value)
	}
	return estimated(e)
}

// differences compares each pair of systems on people's scale (trust.Items.Difference). P-values are adjusted for the number of pairs
// (Holm).
func (p *Pairing) differences(systems []SystemRow) (rows []DifferenceRow) {
	systems = data.Where(systems, func(r SystemRow) bool { return r.Labelled >= trust.LeastLabels })
	if len(systems) < 2 || len(systems) > mostSystems {
		return nil
	}
	items := p.items()
	places := map[string][]int{} // indexes of each system's items
	for i, item := range items.List {
		places[item.System] = append(places[item.System], i)
	}
	for i, a := range systems {
		for _, b := range systems[i+1:] {
			both := items
			both.List = data.Each(slices.Sorted(slices.Values(slices.Concat(places[a.System], places[b.System]))),
				func(i int) trust.Item { return items.List[i] })
			d, labelled := both.Difference(a.System, b.System)
			rows = append(rows, DifferenceRow{Of: p.Of, SystemA: a.System, SystemB: b.System, Questions: d.Value.N, Labelled: labelled,
				Difference: d.Value, PValue: table.PValue{P: d.P}})
		}
	}
	operand := func(r DifferenceRow) Of { return r.Of }
	_ = table.Adjust(rows, operand, func(r *DifferenceRow) *table.PValue { return &r.PValue }) // p-values are in [0, 1]
	return rows
}

// defaultEpsilon is the advantage that the alternative-annotator test gives people by default, because they are paid. It is the value for
// skilled annotators.
const defaultEpsilon = 0.15

// altTest fills in the alternative-annotator test as published (Calderon, Reichart and Dror 2025). Winning is the share of people against
// whom the judge wins. Advantage is how often the judge is at least as close to the other people as a person is. The test needs three
// people with 30 items in common. No decision depends on it.
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
