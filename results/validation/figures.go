package validation

import (
	"errors"
	"slices"

	"compqa/results/table"
	"compqa/results/validation/scales"
	"compqa/stats"
	"compqa/stats/agreement"
)

// The references of rows that are no single person.
const (
	Mean     = "people:mean"     // of those who scored an item
	Majority = "people:majority" // the value of most of them; ties are left out
	All      = "people:all"      // judge and people as raters
	Among    = "people:among"    // people alone: the ceiling
)

// A Row is a judge's criterion against one reference, a row of validation.csv.
type Row struct {
	Judge       string        `csv:"judge"`
	Criterion   string        `csv:"criterion"`
	Reference   string        `csv:"reference"`
	N           int           `csv:"n"`
	Agreement   table.Bounded `csv:"agreement"`
	Kappa       table.Bounded `csv:"kappa"`
	Weighted    table.Bounded `csv:"kappa_weighted"` // quadratic
	Alpha       table.Bounded `csv:"alpha"`
	Spearman    table.Bounded `csv:"spearman"`
	TPR         table.Bounded `csv:"tpr"`
	TNR         table.Bounded `csv:"tnr"`
	Precision   table.Bounded `csv:"precision"`
	F1          table.Bounded `csv:"f1"`
	RateJudge   table.Figure  `csv:"rate_judge"`
	RatePeople  table.Figure  `csv:"rate_people"`
	Corrected   table.Bounded `csv:"rate_corrected,corrected_low,corrected_high"`
	PeoplesName string        `csv:"people_criterion"`
	AC1         table.Bounded `csv:"ac1"`
	RoganGladen table.Bounded `csv:"rogan_gladen"`
	Constant    table.Figure  `csv:"floor_constant"` // agreement of the constant answer that people give most
	Chance      table.Figure  `csv:"floor_shuffled"` // agreement of the judge's values in random order
	Difference  table.Figure  `csv:"mean_difference"`
	MAE         table.Figure  `csv:"mae"`
	Unlabelled  int           `csv:"n_unlabelled"`
	Lambda      table.Figure  `csv:"lambda"` // weight of the judge in the corrected rate
	EffectiveN  table.Figure  `csv:"n_effective"`
	Clusters    int           `csv:"clusters"`
	Note        string        `csv:"note"`
	Winning     table.Figure  `csv:"winning_rate"` // share of people against whom the judge wins (alternative-annotator test)
	Replaces    string        `csv:"replaces"`     // yes: it may stand in for a person; no; "": cannot be tested
	Length      table.Bounded `csv:"length_bias"`  // change of judge minus people when an answer has twice as many words
	Family      string        `csv:"family"`       // of the judge, by its name or as the run declares it
	FamilyBias  table.Bounded `csv:"family_bias"`  // judge minus people on systems of its family, less that on the others
}

// A Cell is a cell of a confusion matrix, a row of confusion.csv: of all pairs of a judge's value
// and a person's.
type Cell struct {
	Judge     string `csv:"judge"`
	Criterion string `csv:"criterion"`
	People    string `csv:"people"`
	Judged    string `csv:"judged"`
	Count     int    `csv:"count"`
}

const level = 0.95

// mostCategories is the number of values up to which kappas and confusion matrices are computed.
const mostCategories = 21

// common are the units that both raters have, as values and clusters.
func (s *Study) common(a, b agreement.Rater) (x, y []float64, clusters []int) {
	for i, u := range s.Units {
		if !a.Missing[i] && !b.Missing[i] {
			x, y, clusters = append(x, a.Values[i]), append(y, b.Values[i]), append(clusters, u.Cluster)
		}
	}
	return x, y, clusters
}

// Rows compares a judge's criterion with each person and with people together.
func (s *Study) Rows(p *Pairing) (rows []Row) {
	add := func(reference string, people agreement.Rater, categories, ranks bool) {
		row := p.row(reference)
		s.compare(p, &row, people, categories, ranks)
		rows = append(rows, row)
	}
	for _, q := range p.people {
		add(q.name, q.Rater, true, true)
	}
	add(Mean, p.mean, false, true)
	add(Majority, p.most, true, false)
	for _, reference := range []string{All, Among} {
		row := p.row(reference)
		raters := make([]agreement.Rater, 0, len(p.people)+1)
		for _, q := range p.people {
			raters = append(raters, s.where(p, q.Rater))
		}
		if reference == All {
			raters = append(raters, s.where(p, p.judge))
		}
		if len(raters) > 1 && (reference == Among || p.SameScale) {
			s.alpha(p, &row, raters)
		}
		rows = append(rows, row)
	}
	s.correct(p, rows)
	if at := slices.IndexFunc(rows, func(r Row) bool { return r.Reference == Mean }); at >= 0 {
		rows[at].Winning, rows[at].Replaces = s.replaces(p)
		if e, ok := s.LengthBias(p); ok {
			rows[at].Length = estimated(e)
		}
		if family, e, ok := s.FamilyBias(p); ok {
			rows[at].Family, rows[at].FamilyBias = family, estimated(e)
		}
	}
	return rows
}

// where is a rater on the units that the judge valued and people scored.
func (s *Study) where(p *Pairing, r agreement.Rater) agreement.Rater {
	missing := slices.Clone(r.Missing)
	for i := range missing {
		missing[i] = missing[i] || p.judge.Missing[i] || p.mean.Missing[i]
	}
	return agreement.Rater{Values: r.Values, Missing: missing}
}

func (p *Pairing) row(reference string) Row {
	return Row{Judge: p.Judge.By, Criterion: p.Judge.Criterion, PeoplesName: p.Criterion, Reference: reference, Note: p.Why}
}

// level is the level of measurement for alpha.
func (p *Pairing) level() agreement.Level {
	if p.PeopleScale.Kind == scales.Nominal {
		return agreement.Nominal
	}
	return agreement.Interval
}

// compare computes the figures of two raters: kappas and rates where both have categories, alpha
// where they have one scale, Spearman's rho where values have an order.
func (s *Study) compare(p *Pairing, row *Row, people agreement.Rater, categories, ranks bool) {
	x, y, clusters := s.common(people, p.judge)
	row.N, row.Clusters = len(x), distinct(clusters)
	if row.N == 0 {
		return
	}
	if ranks && p.level() != agreement.Nominal {
		s.ranks(row, x, y, clusters)
		if p.SameScale {
			d, _ := agreement.MeanDifference(y, x)
			mae, _ := agreement.MAE(x, y)
			row.Difference, row.MAE = table.Number(d), table.Number(mae)
		}
	}
	if p.SameScale {
		s.alpha(p, row, []agreement.Rater{people, p.judge})
	}
	if !p.SameScale || !categories || p.PeopleScale.Kind == scales.Continuous {
		return
	}
	c, err := agreement.NewConfusion(x, y, p.categories(), clusters, level)
	if err != nil || len(c.Categories) > mostCategories {
		return
	}
	row.Agreement = bounded(c.Agreement())
	row.Kappa = bounded(c.Kappa(false))
	row.AC1 = bounded(c.AC1())
	if p.PeopleScale.Kind != scales.Nominal {
		row.Weighted = bounded(c.Kappa(true))
	}
	most, chance := 0.0, 0.0
	for k := range c.Categories {
		ofPeople, ofJudge := 0.0, 0.0
		for l := range c.Categories {
			ofPeople, ofJudge = ofPeople+c.Counts[k][l], ofJudge+c.Counts[l][k]
		}
		most, chance = max(most, ofPeople), chance+ofPeople*ofJudge
	}
	n := float64(c.N)
	row.Constant, row.Chance = table.Number(most/n), table.Number(chance/(n*n))
	if class, ok := p.positive(); ok {
		tpr, tnr, precision, f1 := c.Rates(class)
		row.TPR = bounded(tpr)
		row.TNR = bounded(tnr)
		row.Precision = bounded(precision)
		row.F1 = bounded(f1)
	}
}

// categories are the values of a scale of few, which AC1 counts whether they occur or not.
func (p *Pairing) categories() (values []float64) {
	if p.PeopleScale.Kind == scales.Binary {
		return []float64{0, 1}
	}
	return nil
}

// positive is the class of rates: yes, or the better of two values.
func (p *Pairing) positive() (class float64, ok bool) {
	if p.PeopleScale.Kind == scales.Binary && p.JudgeScale.Kind == scales.Binary {
		return 1, true
	}
	return 0, false
}

// ranks computes Spearman's rho with an interval by cluster.
func (s *Study) ranks(row *Row, x, y []float64, clusters []int) {
	rho, err := agreement.Spearman(x, y)
	if err != nil {
		return
	}
	row.Spearman.Value = table.Number(rho)
	if row.Reference != Mean {
		return
	}
	o := stats.Resampling{Seed: s.o.Seed, Name: "validation"}
	i, err := agreement.AgreementBootstrap(x, y, clusters, o)
	if err != nil || i.Spearman.Err != nil {
		return
	}
	// Student's t with the resamples' standard error: with 40 clusters their percentiles contain rho
	// in 92.6 % of samples, and this interval in 93.4 %.
	e := stats.Estimate{Value: rho, SE: i.Spearman.SE, DF: float64(i.Spearman.Clusters - 1), Level: level}
	if e.SetBounds() == nil {
		row.Spearman.Low, row.Spearman.High = table.Number(max(-1, e.Low)), table.Number(min(1, e.High))
	}
}

// alpha computes Krippendorff's alpha with the jackknife's interval by cluster.
func (s *Study) alpha(p *Pairing, row *Row, raters []agreement.Rater) {
	r, err := agreement.NewRatings(raters...)
	if err != nil {
		return
	}
	clusters := make([]int, len(s.Units))
	for i, u := range s.Units {
		clusters[i] = u.Cluster
	}
	a, err := agreement.AlphaJackknife(r, p.level(), clusters, level)
	switch {
	case errors.Is(err, stats.ErrUndefined) && a.N == 0:
		return
	case err == nil:
		row.Alpha.Low, row.Alpha.High = table.Number(max(-1, a.Low)), table.Number(min(1, a.High))
	}
	row.Alpha.Value = table.Number(a.Value)
	if row.N == 0 {
		row.N, row.Clusters = a.N, a.Clusters
	}
}

func bounded(b agreement.Bounds) (t table.Bounded) {
	if b.Known {
		t.Value = table.Number(b.Value)
	}
	if b.Bounded {
		t.Low, t.High = table.Number(b.Low), table.Number(b.High)
	}
	return t
}

// estimated is an estimate as a figure with bounds.
func estimated(e stats.Estimate) table.Bounded {
	return table.Bounded{Value: table.Number(e.Value), Low: table.Number(e.Low), High: table.Number(e.High)}
}

func distinct(values []int) int {
	return len(slices.Compact(slices.Sorted(slices.Values(values))))
}

// Confusion counts the pairs of a judge's value and a person's.
func (s *Study) Confusion(p *Pairing) (cells []Cell) {
	var x, y []float64
	for _, q := range p.people {
		a, b, _ := s.common(q.Rater, p.judge)
		x, y = append(x, a...), append(y, b...)
	}
	c, err := agreement.NewConfusion(x, y, nil, nil, level)
	if err != nil || len(c.Categories) > mostCategories || !p.SameScale {
		return nil
	}
	for k, row := range c.Counts {
		for l, n := range row {
			if n > 0 {
				cells = append(cells, Cell{p.Judge.By, p.Judge.Criterion, p.PeopleScale.Label(c.Categories[k]),
					p.JudgeScale.Label(c.Categories[l]), int(n)})
			}
		}
	}
	return cells
}
