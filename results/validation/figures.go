package validation

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/floats"

	"compqa/results/table"
	"compqa/results/validation/scales"
	"compqa/stats"
	"compqa/stats/agreement"
)

// The references of rows that are no single person.
const (
	Mean     = "people:mean"     // of those who scored an item
	Majority = "people:majority" // the value of most of them; ties are left out
	Single   = "people:single"   // each person for themselves: all pairs of the judge's value and a person's
	All      = "people:all"      // judge and people as raters
	Among    = "people:among"    // people alone: the ceiling
)

// Of says what a row of a table is about.
type Of struct {
	Judge     string `csv:"judge"`
	Criterion string `csv:"criterion"`
}

// A Row is a judge's criterion against one reference, a row of validation.csv.
type Row struct {
	Of
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
	Failed      int           `csv:"n_failed"`     // items of the reference where the judge gave no value
}

// A Cell is a cell of a confusion matrix, a row of confusion.csv: of all pairs of a judge's value and a person's.
type Cell struct {
	Of
	People string `csv:"people"`
	Judged string `csv:"judged"`
	Count  int    `csv:"count"`
}

const level = 0.95

// Limits of what is computed and shown.
const (
	leastJudged    = 20 // values from which a judge is called degenerate
	leastLabels    = 10 // labelled items of a system from which they alone correct its mean
	leastSlice     = 5  // items from which a slice is shown
	mostBins       = 12 // values up to which each is a slice; more numbers are put into quarters
	mostCategories = 21 // values up to which kappas and confusion matrices are computed
	mostLines      = 24 // lines of a result on the terminal
	mostRecorded   = 21 // levels up to which a criterion's levels are listed
	mostSystems    = 20 // systems up to which all pairs are compared
	worstShown     = 10 // disagreements
)

// A common holds the units that a judge and a rater of people both have, with their values.
type common struct {
	units, clusters []int
	people, judge   []float64
}

func (p *Pairing) common(of agreement.Rater) (c common) {
	for i, cluster := range p.Clusters {
		if !of.Missing[i] && !p.judge.Missing[i] {
			c.units, c.clusters = append(c.units, i), append(c.clusters, cluster)
			c.people, c.judge = append(c.people, of.Values[i]), append(c.judge, p.judge.Values[i])
		}
	}
	return c
}

// gaps are judge minus people.
func (c common) gaps() []float64 {
	return floats.SubTo(make([]float64, len(c.judge)), c.judge, c.people)
}

// ordered reports whether differences of judge and people mean something: they are on one scale, which has an order.
func (p *Pairing) ordered() bool { return p.SameScale && !p.nominal() }

// nominal reports whether one side has labels without an order, which have neither ranks nor a mean.
func (p *Pairing) nominal() bool {
	return p.PeopleScale.Kind == scales.Nominal || p.JudgeScale.Kind == scales.Nominal
}

func (p *Pairing) row(reference string) *Row {
	return &p.Rows[slices.IndexFunc(p.Rows, func(r Row) bool { return r.Reference == reference })]
}

// compute compares a judge's criterion with each person and with people together.
func (p *Pairing) compute() {
	add := func(reference string) *Row {
		p.Rows = append(p.Rows, Row{Of: p.Of, PeoplesName: p.PeoplesName, Reference: reference, Note: p.Why})
		return &p.Rows[len(p.Rows)-1]
	}
	both := func(i int) bool { return !p.judge.Missing[i] && !p.mean.Missing[i] }
	raters := table.Each(p.people, func(q person) agreement.Rater { return only(q.Rater, both) })
	for _, q := range p.people {
		p.compare(add(q.name), q.Rater, true, true)
	}
	if mean := add(Mean); p.nominal() {
		p.count(mean, p.mean)
	} else {
		p.compare(mean, p.mean, false, true)
	}
	p.compare(add(Majority), p.most, true, false)
	if row := add(All); len(raters) > 0 && p.SameScale {
		p.alpha(row, append(slices.Clone(raters), only(p.judge, both)))
	}
	if row := add(Among); len(raters) > 1 {
		p.alpha(row, raters)
	}
	if row := add(Single); p.SameScale {
		p.single(row)
	}
	mean := p.row(Mean)
	p.correct(mean)
	mean.Winning, mean.Replaces = p.replaces()
	mean.Length = p.lengthBias()
	mean.Family, mean.FamilyBias = p.familyBias()
}

// single computes alpha over all pairs of the judge's value and a person's. It compares with that of people among themselves,
// however many people there are: the mean of people has less noise than any of them, and people who agree with each other
// make the alpha of all raters large.
func (p *Pairing) single(row *Row) {
	var of [2]agreement.Rater
	var clusters []int
	for _, q := range p.people {
		x := p.common(q.Rater)
		of[0].Values, of[1].Values = append(of[0].Values, x.people...), append(of[1].Values, x.judge...)
		clusters = append(clusters, x.clusters...)
	}
	for i := range of {
		of[i].Missing = make([]bool, len(clusters))
	}
	p.alphaBy(row, of[:], clusters)
}

// only is a rater on some units.
func only(r agreement.Rater, in func(i int) bool) agreement.Rater {
	missing := slices.Clone(r.Missing)
	for i := range missing {
		missing[i] = missing[i] || !in(i)
	}
	return agreement.Rater{Values: r.Values, Missing: missing}
}

// level is the level of measurement for alpha.
func (p *Pairing) level() agreement.Level {
	if p.nominal() {
		return agreement.Nominal
	}
	return agreement.Interval
}

// count counts the items that a reference and the judge have, and those where the judge failed.
func (p *Pairing) count(row *Row, of agreement.Rater) common {
	x := p.common(of)
	row.N, row.Clusters = len(x.units), len(slices.Compact(slices.Sorted(slices.Values(x.clusters))))
	for i := range p.Units {
		if !of.Missing[i] && p.failed(i) {
			row.Failed++
		}
	}
	return x
}

// failed reports whether the judge was asked about a unit and gave no value.
func (p *Pairing) failed(i int) bool {
	_, asked := p.series.More[i]
	return asked && p.judge.Missing[i]
}

// compare computes the figures of two raters: kappas and rates where both have categories, alpha where they have one scale,
// Spearman's rho where values have an order.
func (p *Pairing) compare(row *Row, people agreement.Rater, categories, ranks bool) {
	x := p.count(row, people)
	if row.N == 0 {
		return
	}
	if ranks && !p.nominal() {
		p.ranks(row, x)
		if p.SameScale {
			d, _ := agreement.MeanDifference(x.people, x.judge) // judge minus people
			mae, _ := agreement.MAE(x.people, x.judge)
			row.Difference, row.MAE = table.Number(d), table.Number(mae)
		}
	}
	if !p.SameScale {
		return
	}
	p.alpha(row, []agreement.Rater{people, p.judge})
	if !categories || p.PeopleScale.Kind == scales.Continuous {
		return
	}
	var all []float64 // AC1 counts the values of a scale of two whether they occur or not
	if p.PeopleScale.Kind == scales.Binary {
		all = []float64{0, 1}
	}
	c, err := agreement.NewConfusion(x.people, x.judge, all, x.clusters, level)
	if err != nil || len(c.Categories) > mostCategories {
		return
	}
	row.Agreement, row.Kappa, row.AC1 = bounded(c.Agreement()), bounded(c.Kappa(false)), bounded(c.AC1())
	if p.ordered() {
		row.Weighted = bounded(c.Kappa(true))
	}
	ofPeople, ofJudge, n, _ := c.Margins()
	row.Constant, row.Chance = table.Number(slices.Max(ofPeople)/n), table.Number(stats.Dot(ofPeople, ofJudge)/(n*n))
	if p.rated() {
		tpr, tnr, precision, f1 := c.Rates(1)
		row.TPR, row.TNR, row.Precision, row.F1 = bounded(tpr), bounded(tnr), bounded(precision), bounded(f1)
	}
}

// rated reports whether there are rates: of yes, or the better of two values.
func (p *Pairing) rated() bool {
	return p.PeopleScale.Kind == scales.Binary && p.JudgeScale.Kind == scales.Binary
}

// ranks computes Spearman's rho, of people's mean with an interval by cluster.
func (p *Pairing) ranks(row *Row, x common) {
	rho, err := agreement.Spearman(x.people, x.judge)
	if err != nil {
		return
	}
	if row.Spearman.Value = table.Number(rho); row.Reference != Mean {
		return
	}
	i, err := agreement.AgreementBootstrap(x.people, x.judge, x.clusters, stats.Resampling{Seed: p.o.Seed, Name: "validation"})
	if err != nil || i.Spearman.Err != nil {
		return
	}
	// Student's t with the resamples' standard error: with 40 clusters their percentiles contain rho in 92.6 % of samples,
	// and this interval in 93.4 %.
	e := stats.Estimate{Value: rho, SE: i.Spearman.SE, DF: float64(i.Spearman.Clusters - 1), Level: level}
	if e.SetBounds() == nil {
		row.Spearman = within(e, -1, 1)
	}
}

// alpha computes Krippendorff's alpha with the jackknife's interval by cluster.
func (p *Pairing) alpha(row *Row, raters []agreement.Rater) { p.alphaBy(row, raters, p.Clusters) }

func (p *Pairing) alphaBy(row *Row, raters []agreement.Rater, clusters []int) {
	r, err := agreement.NewRatings(raters...)
	if err != nil {
		return
	}
	a, err := agreement.AlphaJackknife(r, p.level(), clusters, level)
	switch {
	case errors.Is(err, stats.ErrUndefined) && a.N == 0:
		return
	case err == nil:
		row.Alpha = within(a, -1, 1)
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

func estimated(e stats.Estimate) table.Bounded { return table.Between(e.Value, e.Low, e.High) }

// within is an estimate with bounds in a range.
func within(e stats.Estimate, low, high float64) table.Bounded {
	return table.Between(e.Value, max(low, e.Low), min(high, e.High))
}

func (p *Pairing) confusion() (cells []Cell) {
	var people, judge []float64
	for _, q := range p.people {
		x := p.common(q.Rater)
		people, judge = append(people, x.people...), append(judge, x.judge...)
	}
	c, err := agreement.NewConfusion(people, judge, nil, make([]int, len(people)), level)
	if err != nil || len(c.Categories) > mostCategories || !p.SameScale {
		return nil
	}
	for k, counts := range c.Counts {
		for l, count := range counts {
			if count > 0 {
				cells = append(cells, Cell{p.Of, p.PeopleScale.Label(c.Categories[k]), p.JudgeScale.Label(c.Categories[l]), int(count)})
			}
		}
	}
	return cells
}
