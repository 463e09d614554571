package validation

import (
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/store"
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
	Agreement   stats.Figure  `csv:"agreement,agreement_low,agreement_high"`
	Kappa       stats.Figure  `csv:"kappa,kappa_low,kappa_high"`
	Weighted    stats.Figure  `csv:"kappa_weighted,kappa_weighted_low,kappa_weighted_high"` // quadratic
	Alpha       stats.Figure  `csv:"alpha,alpha_low,alpha_high"`
	Spearman    stats.Figure  `csv:"spearman,spearman_low,spearman_high"`
	TPR         stats.Figure  `csv:"tpr,tpr_low,tpr_high"`
	TNR         stats.Figure  `csv:"tnr,tnr_low,tnr_high"`
	Precision   stats.Figure  `csv:"precision,precision_low,precision_high"`
	F1          stats.Figure  `csv:"f1,f1_low,f1_high"`
	RateJudge   stats.Figure  `csv:"rate_judge"`
	RatePeople  stats.Figure  `csv:"rate_people"`
	Corrected   stats.Figure  `csv:"rate_corrected,corrected_low,corrected_high"`
	PeoplesName string        `csv:"people_criterion"`
	AC1         stats.Figure  `csv:"ac1,ac1_low,ac1_high"`
	RoganGladen stats.Figure  `csv:"rogan_gladen,rogan_gladen_low,rogan_gladen_high"`
	Constant    stats.Figure  `csv:"floor_constant"` // agreement of the constant answer that people give most
	Chance      stats.Figure  `csv:"floor_shuffled"` // agreement of the judge's values in random order
	Difference  stats.Figure  `csv:"mean_difference"`
	MAE         stats.Figure  `csv:"mae"`
	Unlabelled  int           `csv:"n_unlabelled"`
	Lambda      stats.Figure  `csv:"lambda"` // weight of the judge in the corrected rate
	EffectiveN  stats.Figure  `csv:"n_effective"`
	Clusters    int           `csv:"clusters"`
	Note        table.Reasons `csv:"note" figures:"MAE,Corrected"`
	// ω: share of people against whom the judge wins (alternative-annotator test)
	Winning stats.Figure `csv:"winning_rate"`
	// change of judge minus people when an answer has twice as many words
	Length stats.Figure `csv:"length_bias,length_bias_low,length_bias_high"`
	Family string       `csv:"family"` // of the judge, by its name or as the run declares it
	// judge minus people on systems of its family, less that on the others
	FamilyBias stats.Figure `csv:"family_bias,family_bias_low,family_bias_high"`
	Failed     int          `csv:"n_failed"` // items of the reference where the judge gave no value
	Level      string       `csv:"level"`    // of alpha: interval, or nominal for labels
	Advantage  stats.Figure `csv:"advantage_probability"`
	Epsilon    stats.Figure `csv:"epsilon"`
	Design     string       `csv:"design"`   // how labels were chosen: all, random, inclusion, or what differs from unlabelled items
	ByDesign   string       `csv:"weighted"` // yes where figures are weighted by the design
	Decided
	Unit string `csv:"unit"` // raters.UnitItem or raters.UnitSheet
}

// A ConfusionRow counts one cell of a confusion matrix, a row of confusion.csv: of all pairs of a judge's value and a person's.
type ConfusionRow struct {
	Of
	People string `csv:"people"`
	Judged string `csv:"judged"`
	Count  int    `csv:"count"`
}

const level = 0.95

// Limits of what is computed and shown.
const (
	leastJudged    = 20     // values from which a judge is called degenerate
	leastSlice     = 5      // items from which a slice is shown
	mostBins       = 12     // values up to which each is a slice; more numbers are put into quarters
	mostCategories = 21     // values up to which kappas and confusion matrices are computed
	mostLines      = 24     // lines of a result on the terminal
	mostRecorded   = 21     // levels up to which a criterion's levels are listed
	mostSystems    = 20     // systems up to which all pairs are compared
	worstShown     = 10     // disagreements
	mostNamed      = 5      // criteria of a judge in the last sentence
	mostDrawn      = 20_000 // items up to which resamples equal those of the record's report, and not only in number
	mostResampled  = 1000   // criteria up to which rho has an interval, which needs resamples
	mostCompared   = 50     // criteria of a judge whose names are compared with all of people's for similar ones
)

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
		p.Rows = append(p.Rows, Row{Of: p.Of, PeoplesName: p.PeoplesName, Reference: reference, Level: string(p.level()),
			Design: p.sampling.name, ByDesign: "no", Unit: raters.UnitItem})
		return &p.Rows[len(p.Rows)-1]
	}
	both := func(i int) bool { return p.judge.Values[i].Given() && p.mean.Values[i].Given() }
	people := data.Each(p.people, func(q raters.Rater) raters.Rater { return q.Only(both) })
	for _, q := range p.people {
		if p.sheets.Values != nil && !p.beside {
			continue // it is the only one, whose sheets follow
		}
		p.compare(add(q.Name), q, raters.Alpha|raters.Ranks|raters.Differences|raters.Categories)
	}
	if p.sheets.Values != nil {
		p.compareSheets(add(p.sheets.Name))
	}
	switch mean := add(Mean); {
	case p.nominal():
		p.compare(mean, p.mean, raters.Counts)
	case p.many:
		p.compare(mean, p.mean, raters.Alpha|raters.Ranks|raters.Differences)
	default:
		figures := raters.Alpha | raters.Ranks | raters.RankIntervals | raters.Differences
		if len(p.Units) > mostDrawn {
			p.compare(mean, p.mean, figures)
			break
		}
		p.compareByID(mean, p.mean, figures|raters.Compared)
	}
	p.compare(add(Majority), p.most, raters.Alpha|raters.Categories)
	if row := add(All); len(people) > 0 && p.SameScale && !p.sampling.unjudged {
		row.among(p.t.Among(append(slices.Clone(people), p.judge.Only(both)), p.options(raters.Alpha)))
	}
	if row := add(Among); len(people) > 1 {
		row.among(p.t.Among(people, p.options(raters.Alpha)))
	}
	add(Single)
	mean := p.row(Mean)
	p.correct(mean)
	for i := range p.Rows {
		if p.sampling.weighted() && p.Rows[i].Reference != p.sheets.Name {
			p.Rows[i].ByDesign = "yes"
		}
		p.Rows[i].explain(p)
	}
	p.altTest(mean)
	p.decide()
	p.fillDecision()
	mean.Length = p.lengthBias()
	mean.Family, mean.FamilyBias = p.familyBias()
}

// explain says why figures of a row are missing that need one scale, or labels of every part.
func (r *Row) explain(p *Pairing) {
	if p.Why != "" {
		for _, f := range []*stats.Figure{&r.Agreement, &r.Kappa, &r.Weighted, &r.Alpha, &r.TPR, &r.TNR, &r.Precision, &r.F1, &r.AC1,
			&r.Constant, &r.Chance, &r.Difference, &r.MAE, &r.RateJudge, &r.RatePeople} {
			f.Why = stats.Reason(p.Why)
		}
	}
	switch {
	case p.sampling.uncovered != "":
		r.Corrected.Why = stats.Reason(strings.Join(filled(r.Corrected.Reason(), "nobody labelled "+p.sampling.uncovered), "; "))
	case p.Why != "":
		r.Corrected.Why = stats.Reason(p.Why)
	}
}

// table returns the pairing as a table of raters: the units of the study on a criterion of people.
func (p *Pairing) table() raters.Table {
	t := raters.Table{Criterion: p.PeoplesName, Scale: raters.Scale{Level: p.level(), Rates: p.rated()}}
	if p.PeopleScale.Kind == scales.Binary { // AC1 counts the values of a scale of two whether they occur or not
		t.Scale.Values = []float64{0, 1}
	}
	if p.units == nil {
		for i, u := range p.Units {
			p.units = append(p.units, raters.Unit{ID: u.ID, Cluster: p.Clusters[i], System: u.System, Words: u.Words})
		}
	}
	t.Units = p.units
	return t
}

// compareByID compares the judge and a reference that has values of the units, and then of those in again. Resamples depend on the order of
// units: it is that of ids, in which a run has its answers.
func (p *Pairing) compareByID(row *Row, reference raters.Rater, figures raters.Figures, again ...int) {
	var order [][2]int // places of units and of values of the reference
	for i := range reference.Values {
		unit := i
		if i >= len(p.t.Units) {
			unit = again[i-len(p.t.Units)]
		}
		order = append(order, [2]int{unit, i})
	}
	slices.SortStableFunc(order, func(a, b [2]int) int { return strings.Compare(p.t.Units[a[0]].ID, p.t.Units[b[0]].ID) })
	pairing := *p
	values := reference.Values
	pairing.t.Units = nil
	pairing.judge.Values = nil
	reference.Values = nil
	for _, places := range order {
		pairing.t.Units = append(pairing.t.Units, p.t.Units[places[0]])
		pairing.judge.Values = append(pairing.judge.Values, p.judge.Values[places[0]])
		reference.Values = append(reference.Values, values[places[1]])
	}
	pairing.compare(row, reference, figures)
}

// options returns those of every row: a run has the same draws.
func (p *Pairing) options(figures raters.Figures) raters.Options {
	return raters.Options{Figures: figures, Resampling: dataset.ResamplingOf(store.Provenance{Seed: int64(p.o.Seed)})}
}

// alphaOf returns a row's alpha with bounds in [-1, 1].
func alphaOf(row raters.Row) stats.Figure {
	row.Alpha.Low = max(-1, row.Alpha.Low)
	row.Alpha.High = min(1, row.Alpha.High)
	return row.Alpha
}

// among takes over alpha of several raters.
func (r *Row) among(row raters.Row) {
	r.Alpha = alphaOf(row)
	if row.Alpha.Known {
		r.N = row.N
		r.Clusters = row.Clusters
	}
}

// level returns the level of measurement for alpha.
func (p *Pairing) level() agreement.Level {
	if p.nominal() {
		return agreement.Nominal
	}
	return agreement.Interval
}

// compare fills in the figures of the judge and a reference: kappas and rates where both have categories, alpha and differences
// where they have one scale, Spearman's rho where values have an order.
func (p *Pairing) compare(row *Row, reference raters.Rater, figures raters.Figures) {
	if p.nominal() {
		figures &^= raters.Ranks | raters.RankIntervals
	}
	if !p.ordered() {
		figures &^= raters.Differences
	}
	if !p.SameScale {
		figures &= raters.Ranks | raters.RankIntervals
	}
	if p.sampling.unjudged { // a figure of all items would leave out what the judge said of some
		figures = raters.Counts
	}
	if p.PeopleScale.Kind == scales.Continuous {
		figures &^= raters.Categories
	}
	row.fill(p.t.Against(p.judge, reference, p.options(figures|raters.Counts)))
}

// compareSheets compares the judge with the sheets of people's mean that a run records: each is a unit, also where an item has several, as
// in agreement.csv. Figures are of what people scored, with equal weights.
func (p *Pairing) compareSheets(row *Row) {
	if len(p.again) > 0 {
		row.Unit = raters.UnitSheet
	}
	pairing := *p
	pairing.t.Weighted = false
	pairing.sampling.unjudged = false
	figures := raters.Alpha | raters.Ranks | raters.RankIntervals | raters.Compared | raters.Differences
	if p.beside { // half points are not categories
		figures |= raters.Shares
	} else {
		figures |= raters.Categories
	}
	pairing.compareByID(row, p.sheets, figures, p.again...)
}

func (row *Row) fill(measured raters.Row) {
	row.N = measured.N
	row.Clusters = measured.Clusters
	row.Failed = measured.Lost[raters.Failed]
	row.Agreement = measured.Agreement
	row.Kappa = measured.Kappa
	row.AC1 = measured.AC
	row.Weighted, row.Alpha, row.Spearman = measured.Quadratic, alphaOf(measured), measured.Spearman
	row.TPR = measured.TPR
	row.TNR = measured.TNR
	row.Precision = measured.Precision
	row.F1 = measured.F1
	row.Difference, row.MAE = measured.Difference.Point(), measured.MAE.Point()
	row.Constant, row.Chance = measured.Constant.Point(), measured.Chance.Point()
}

// rated reports whether there are rates: of yes, or the better of two values.
func (p *Pairing) rated() bool {
	return p.PeopleScale.Kind == scales.Binary && p.JudgeScale.Kind == scales.Binary
}

func estimated(e stats.Estimate) stats.Figure { return stats.Between(e.Value, e.Low, e.High) }

// within returns an estimate with bounds in a range.
func within(e stats.Estimate, low, high float64) stats.Figure {
	return stats.Between(e.Value, max(low, e.Low), min(high, e.High))
}

func (p *Pairing) confusion() (cells []ConfusionRow) {
	t, judge, person := p.t.Each(p.judge, p.people)
	x := t.Pairs(judge, person)
	c, err := agreement.NewConfusion(x.Reference, x.Judge, nil, make([]int, len(x.Units)), level)
	if err != nil || len(c.Categories) > mostCategories || !p.SameScale {
		return nil
	}
	for k, counts := range c.Counts() {
		for l, count := range counts {
			if count > 0 {
				cells = append(cells, ConfusionRow{p.Of, p.PeopleScale.Label(c.Categories[k]), p.JudgeScale.Label(c.Categories[l]), int(count)})
			}
		}
	}
	return cells
}
