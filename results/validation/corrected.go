package validation

import (
	"math"
	"slices"

	"compqa/results/table"
	"compqa/stats"
)

// A SystemRow is one system under a judge's criterion, in people's units: a row of systems.csv.
type SystemRow struct {
	Judge     string       `csv:"judge"`
	Criterion string       `csv:"criterion"`
	System    string       `csv:"system"`
	Rank      int          `csv:"rank"`
	Judged    int          `csv:"n_judged"`
	Labelled  int          `csv:"n_labelled"`
	JudgeMean table.Figure `csv:"judge_mean"`
	Bias      table.Figure `csv:"bias"`
	Value     table.Figure `csv:"predicted"`
	Low       table.Figure `csv:"low"`
	High      table.Figure `csv:"high"`
	Basis     string       `csv:"basis"`
}

// A DifferenceRow compares two systems on the same questions, in people's units: a row of
// differences.csv.
type DifferenceRow struct {
	Judge     string       `csv:"judge"`
	Criterion string       `csv:"criterion"`
	SystemA   string       `csv:"system_a"`
	SystemB   string       `csv:"system_b"`
	Questions int          `csv:"n_questions"`
	Labelled  int          `csv:"n_labelled"`
	Value     table.Figure `csv:"difference"`
	Low       table.Figure `csv:"ci_low"`
	High      table.Figure `csv:"ci_high"`
	P         table.Figure `csv:"p"`
	Adjusted  table.Figure `csv:"p_adjusted"`
}

// sample are the judged units, those that people scored and the others, as PPIMean wants them, in
// people's units.
func (s *Study) sample(p *Pairing, in func(u *Unit) bool) (ppi stats.PPISample) {
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

func everyUnit(*Unit) bool { return true }

// correct fills in the rates of the judge and of people, and the rate that people would give to all
// judged units (stats.PPIMean), or for two classes Rogan and Gladen's estimate beside it.
func (s *Study) correct(p *Pairing, rows []Row) {
	at := slices.IndexFunc(rows, func(r Row) bool { return r.Reference == Mean })
	row := &rows[at]
	if p.PeopleScale.Kind == Nominal {
		return
	}
	ppi := s.sample(p, everyUnit)
	if all := slices.Concat(ppi.Judge, ppi.Unlabelled); len(all) > 0 {
		row.RateJudge = table.Number(stats.Mean(all))
	}
	if len(ppi.Human) == 0 {
		return
	}
	row.RateHuman = table.Number(stats.Mean(ppi.Human))
	row.Unlabelled = len(ppi.Unlabelled)
	if e, err := stats.PPIMean(ppi, level); err == nil {
		row.Corrected, row.CorrLow, row.CorrHigh = table.Number(e.Value), table.Number(e.Low), table.Number(e.High)
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
	row.RoganGladen, row.RGLow, row.RGHigh = table.Number(value), table.Number(max(0, e.Low)), table.Number(min(1, e.High))
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
	if len(names) < 2 || p.PeopleScale.Kind == Nominal {
		return nil
	}
	var biases, errors []float64
	samples := map[string]stats.PPISample{}
	for _, name := range names {
		ppi := s.sample(p, func(u *Unit) bool { return u.System == name })
		samples[name] = ppi
		row := SystemRow{Judge: p.Judge.By, Criterion: p.Judge.Criterion, System: name, Judged: len(ppi.Judge) + len(ppi.Unlabelled), Labelled: len(ppi.Human), Basis: "none"}
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
			row.Value, row.Low, row.High, row.Basis = table.Number(e.Value), table.Number(e.Low), table.Number(e.High), "people+judge"
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
					r.Value, r.Low, r.High = table.Number(e.Value-model.Mean), table.Number(e.Value-high), table.Number(e.Value-low)
					r.Basis = "transfer"
				}
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b SystemRow) int {
		x, y := math.Inf(-1), math.Inf(-1)
		if a.Value.Known() {
			x = *a.Value.Number
		}
		if b.Value.Known() {
			y = *b.Value.Number
		}
		return -compare(x, y)
	})
	for i := range rows {
		if rows[i].Value.Known() {
			rows[i].Rank = i + 1
		}
	}
	return rows
}

func compare(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// mostSystems is the number of systems up to which all pairs are compared.
const mostSystems = 20

// Differences compares systems on the same questions: of each question the difference of their
// values, people's where both are labelled and the judge's everywhere (stats.PPIMean), with Holm's
// adjustment over the pairs.
func (s *Study) Differences(p *Pairing) (rows []DifferenceRow) {
	systems := s.Systems(p)
	if len(systems) > mostSystems {
		return nil
	}
	type sums struct{ judge, labelled, human [2]float64 }
	var ps []float64
	for i, a := range systems {
		for _, b := range systems[i+1:] {
			questions := map[int]*sums{}
			counts := map[int]*[2][2]float64{} // judged and labelled, of both systems
			for k, u := range s.Units {
				side := slices.Index([]string{a.System, b.System}, u.System)
				if side < 0 || p.judge.Missing[k] {
					continue
				}
				if questions[u.Cluster] == nil {
					questions[u.Cluster], counts[u.Cluster] = &sums{}, &[2][2]float64{}
				}
				q, n, v := questions[u.Cluster], counts[u.Cluster], p.inPeoplesUnits(k)
				q.judge[side], n[0][side] = q.judge[side]+v, n[0][side]+1
				if !p.mean.Missing[k] {
					q.labelled[side], q.human[side], n[1][side] = q.labelled[side]+v, q.human[side]+p.mean.Values[k], n[1][side]+1
				}
			}
			var ppi stats.PPISample
			for _, cluster := range sortedInts(questions) {
				q, n := questions[cluster], counts[cluster]
				switch {
				case n[1][0] > 0 && n[1][1] > 0:
					ppi.Human = append(ppi.Human, q.human[0]/n[1][0]-q.human[1]/n[1][1])
					ppi.Judge = append(ppi.Judge, q.labelled[0]/n[1][0]-q.labelled[1]/n[1][1])
				case n[0][0] > 0 && n[0][1] > 0:
					ppi.Unlabelled = append(ppi.Unlabelled, q.judge[0]/n[0][0]-q.judge[1]/n[0][1])
				}
			}
			row := DifferenceRow{Judge: a.Judge, Criterion: a.Criterion, SystemA: a.System, SystemB: b.System,
				Questions: len(ppi.Human) + len(ppi.Unlabelled), Labelled: len(ppi.Human)}
			if e, err := stats.PPIMean(ppi, level); err == nil {
				row.Value, row.Low, row.High = table.Number(e.Value), table.Number(e.Low), table.Number(e.High)
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

func sortedInts[V any](m map[int]V) []int {
	var keys []int
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
