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

// References of rows that are not a single person.
const (
	Mean     = "people:mean"     // mean of the people who scored an item
	Majority = "people:majority" // most frequent value of people; ties are left out
	Single   = "people:single"   // all pairs of the judge's value and one person's value
	All      = "people:all"      // judge and people together as raters
	Among    = "people:among"    // people without the judge: the ceiling
)

// Of names the judge and the criterion of a row.
type Of struct {
	Judge     string `csv:"judge"`
	Criterion string `csv:"criterion"`
}

// A Row is a row of validation.csv: a judge's criterion against one reference.
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
	Constant    stats.Figure  `csv:"floor_constant"` // agreement of always giving people's most frequent value
	Chance      stats.Figure  `csv:"floor_shuffled"` // agreement of the judge's values in random order
	Difference  stats.Figure  `csv:"mean_difference"`
	MAE         stats.Figure  `csv:"mae"`
	Unlabelled  int           `csv:"n_unlabelled"`
	Lambda      stats.Figure  `csv:"lambda"` // weight of the judge in the corrected rate
	EffectiveN  stats.Figure  `csv:"n_effective"`
	Clusters    int           `csv:"clusters"`
	Note        table.Reasons `csv:"note" figures:"MAE,Corrected"`
	// ω, the share of people against whom the judge wins (alternative-annotator test)
	Winning stats.Figure `csv:"winning_rate"`
	// change of judge minus people if an answer has twice as many words
	Length stats.Figure `csv:"length_bias,length_bias_low,length_bias_high"`
	Family string       `csv:"family"` // the judge's, found by its name or declared by a run
	// judge minus people on systems of the judge's family, minus the same on other systems
	FamilyBias stats.Figure `csv:"family_bias,family_bias_low,family_bias_high"`
	Failed     int          `csv:"n_failed"` // items of the reference for which the judge failed to give a value
	Level      string       `csv:"level"`    // level of alpha: interval, or nominal for labels
	Advantage  stats.Figure `csv:"advantage_probability"`
	Epsilon    stats.Figure `csv:"epsilon"`
	Design     string       `csv:"design"`   // how labels were chosen: all, random, inclusion, or what differs from unlabelled items
	ByDesign   string       `csv:"weighted"` // yes if figures are weighted by the design
	Decided
	Unit string `csv:"unit"` // raters.UnitItem or raters.UnitSheet
}

// A ConfusionRow is a row of confusion.csv: one cell of the cross table of all pairs of a judge's value and a person's value.
type ConfusionRow struct {
	Of
	People string `csv:"people"`
	Judged string `csv:"judged"`
	Count  int    `csv:"count"`
}

const level = 0.95

// Limits of what is computed and shown.
const (
	leastJudged    = 20     // fewest values for which a judge is said to give nearly always the same one
	leastSlice     = 5      // fewest items of a slice that is shown
	mostBins       = 12     // most values of a column that are slices of their own; more numbers become quarters
	mostCategories = 21     // most values for which kappas and confusion matrices are computed
	mostLines      = 24     // lines of a result on the terminal; half as many rows of the summary are shown
	mostRecorded   = 21     // width of a scale from which on its levels are not listed
	mostSystems    = 20     // most systems for which all pairs are compared
	worstShown     = 10     // disagreements that are listed
	mostNamed      = 5      // names of judges or columns in a list
	mostDrawn      = 20_000 // most items for which resamples draw units in the order of ids, as the record's report does
	mostResampled  = 1000   // most criteria for which rho has an interval, which needs resamples
	mostCompared   = 50     // most criteria of a judge for which a similar name of people is looked for
)

// ordered reports whether differences between judge and people have a meaning: both are on one scale, and the scale has an order.
func (p *Pairing) ordered() bool { return p.SameScale && !p.nominal() }

// nominal reports whether a side has labels without order. Such labels have neither ranks nor a mean.
func (p *Pairing) nominal() bool {
	return p.PeopleScale.Kind == scales.Nominal || p.JudgeScale.Kind == scales.Nominal
}

func (p *Pairing) row(reference string) *Row {
	return &p.Rows[slices.IndexFunc(p.Rows, func(r Row) bool { return r.Reference == reference })]
}

// compute fills in the rows of the pairing: the judge against each person, the recorded mean, the mean and the majority of people, and
// people among themselves. It then decides, and fills in the biases.
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
			continue // the recorded mean is the only "person", and follows
		}
		p.compare(add(q.Name), q, raters.Alpha|raters.Rho|raters.Differences|raters.Categories)
	}
	if p.sheets.Values != nil {
		p.compareSheets(add(p.sheets.Name))
	}
	switch mean := add(Mean); {
	case p.nominal():
		p.compare(mean, p.mean, raters.Counts)
	case p.many:
		p.compare(mean, p.mean, raters.Alpha|raters.Rho|raters.Differences)
	default:
		figures := raters.Alpha | raters.Rho | raters.RankIntervals | raters.Differences
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
	p.values, p.counts = p.cross()
}

// explain adds the reason why figures are missing, if they need one scale, or labels in every stratum.
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

// table returns the table of raters of the pairing, without raters: the units of the study on a criterion of people.
func (p *Pairing) table() raters.Table {
	t := raters.Table{Criterion: p.PeoplesName, Scale: raters.Scale{Level: p.level(), Rates: p.rated()}}
	if p.PeopleScale.Kind == scales.Binary { // AC1 counts both values, even if one does not occur
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

// compareByID compares the judge and a reference, with units in the order of their ids. Resamples depend on the order of units, and a run
// orders its answers by id. The reference has a value for each unit, and then for each unit in again.
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
	pairing.t.Raters = []raters.Rater{p.judge}
	pairing.t = pairing.t.Take(data.Each(order, func(places [2]int) int { return places[0] }))
	pairing.judge = pairing.t.Raters[0]
	values := reference.Values
	reference.Values = data.Each(order, func(places [2]int) raters.Value { return values[places[1]] })
	pairing.compare(row, reference, figures)
}

// options returns the options of raters for every row, with the same random draws as in a run.
func (p *Pairing) options(figures raters.Figures) raters.Options {
	return raters.Options{Figures: figures, Resampling: dataset.ResamplingOf(store.Provenance{Seed: int64(p.o.Seed)})}
}

// alphaOf returns a row's alpha with its bounds limited to [-1, 1].
func alphaOf(row raters.Row) stats.Figure {
	row.Alpha.Low = max(-1, row.Alpha.Low)
	row.Alpha.High = min(1, row.Alpha.High)
	return row.Alpha
}

// among copies alpha and its counts from a row of several raters.
func (r *Row) among(row raters.Row) {
	r.Alpha = alphaOf(row)
	if row.Alpha.Known {
		r.N = row.N
		r.Clusters = row.Clusters
	}
}

// level returns the level of measurement of alpha: nominal for labels without order, else interval.
func (p *Pairing) level() agreement.Level {
	if p.nominal() {
		return agreement.Nominal
	}
	return agreement.Interval
}

// compare fills in the figures of the judge and a reference. It leaves out what the scales do not allow: kappas and rates of measurements,
// ranks and differences of labels, and alpha, agreement and differences if the sides are not on one scale.
func (p *Pairing) compare(row *Row, reference raters.Rater, figures raters.Figures) {
	if p.nominal() {
		figures &^= raters.Rho | raters.RankIntervals
	}
	if !p.ordered() {
		figures &^= raters.Differences
	}
	if !p.SameScale {
		figures &= raters.Rho | raters.RankIntervals
	}
	if p.sampling.unjudged { // a figure would leave out all items with some value of the judge
		figures = raters.Counts
	}
	if p.PeopleScale.Kind == scales.Continuous {
		figures &^= raters.Categories
	}
	row.fill(p.t.Against(p.judge, reference, p.options(figures|raters.Counts)))
}

// compareSheets compares the judge with people's mean as a run recorded it. Each sheet is a unit, even if an item has several, as in
// agreement.csv. Figures are not weighted: they describe the items that people scored.
func (p *Pairing) compareSheets(row *Row) {
	if len(p.again) > 0 {
		row.Unit = raters.UnitSheet
	}
	pairing := *p
	pairing.t.Strata = nil
	pairing.sampling.unjudged = false
	figures := raters.Alpha | raters.Rho | raters.RankIntervals | raters.Compared | raters.Differences
	if p.beside { // half points of a mean are not categories
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

// rated reports whether the pairing has rates such as TPR: both sides have yes and no, or another scale of two values.
func (p *Pairing) rated() bool {
	return p.PeopleScale.Kind == scales.Binary && p.JudgeScale.Kind == scales.Binary
}

func estimated(e stats.Estimate) stats.Figure { return stats.WithInterval(e.Value, e.Low, e.High) }

// within returns an estimate with its bounds limited to a range.
func within(e stats.Estimate, low, high float64) stats.Figure {
	return stats.WithInterval(e.Value, max(low, e.Low), min(high, e.High))
}

// cross returns the cross table of all pairs of a person's value and the judge's value: the different values in ascending order, and the
// number of pairs by person's and judge's value. It returns nil if the sides are not on one scale, or if there are more than mostCategories
// values.
func (p *Pairing) cross() (values []float64, counts [][]float64) {
	if !p.SameScale {
		return nil, nil
	}
	pairs := func(yield func(person, judge float64) bool) {
		for _, r := range p.people {
			for i, v := range r.Values {
				if w := p.judge.Values[i]; v.Given() && w.Given() && !yield(v.Number(), w.Number()) {
					return
				}
			}
		}
	}
	for person, judge := range pairs {
		for _, v := range []float64{person, judge} {
			if place, known := slices.BinarySearch(values, v); !known {
				values = slices.Insert(values, place, v)
			}
		}
		if len(values) > mostCategories {
			return nil, nil
		}
	}
	counts = make([][]float64, len(values))
	for k := range counts {
		counts[k] = make([]float64, len(values))
	}
	for person, judge := range pairs {
		row, _ := slices.BinarySearch(values, person)
		column, _ := slices.BinarySearch(values, judge)
		counts[row][column]++
	}
	return values, counts
}

func (p *Pairing) confusion() (cells []ConfusionRow) {
	for k, counts := range p.counts {
		for l, count := range counts {
			if count > 0 {
				cells = append(cells, ConfusionRow{p.Of, p.PeopleScale.Label(p.values[k]), p.JudgeScale.Label(p.values[l]), int(count)})
			}
		}
	}
	return cells
}
