package results

import (
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"compqa/stats"
)

// An AgreementRow compares a judge's verdicts with a reference's sheets. Each
// sheet of the reference is a unit: of people's mean, several sheets on one
// answer too, each paired with the judge's first verdict on it; two annotators'
// sheets are paired by answer and repeat. Planned counts the reference's sheets
// and those of its imported rows that found no answer; N is the units that are
// valid on both sides. Undefined figures are empty, and so are those that
// taking means off leaves without sense: exact equality and the difference of
// means. Of the floor criterion-mean, whose scores are means, exact equality and
// nominal alpha are empty too, and so is what goes by order wherever its scores
// differ only by the object pair that was left out.
//
// Intervals are percentiles of 1,000 resamples of object pairs.
type AgreementRow struct {
	Judge     string `csv:"judge"`
	Reference string `csv:"reference"`
	Kind      string `csv:"kind"` // judge, human, floor
	Level     string `csv:"level"`
	Item      string `csv:"item"` // the criterion, group, scenario, yes or no; else "-"
	Planned   int    `csv:"planned"`
	N         int    `csv:"n"`

	Agreement         Figure `csv:"agreement"` // share of equal values
	AlphaNominal      Figure `csv:"alpha_nominal"`
	AlphaOrdinal      Figure `csv:"alpha_ordinal"`
	AlphaInterval     Figure `csv:"alpha_interval"`
	AlphaIntervalLow  Figure `csv:"alpha_interval_low"`
	AlphaIntervalHigh Figure `csv:"alpha_interval_high"`
	Spearman          Figure `csv:"spearman"`
	SpearmanLow       Figure `csv:"spearman_low"`
	SpearmanHigh      Figure `csv:"spearman_high"`
	Pearson           Figure `csv:"pearson"`
	PearsonLow        Figure `csv:"pearson_low"`
	PearsonHigh       Figure `csv:"pearson_high"`
	KendallTauB       Figure `csv:"kendall_tau_b"`
	MeanDifference    Figure `csv:"mean_difference"` // judge - reference, points
	MAE               Figure `csv:"mae"`

	tentative, reliable Figure // shares of the resamples with alpha below Krippendorff's thresholds
}

// A pairing is a judge, or a floor, and the people it is compared with.
type pairing struct {
	name             string
	judge, reference int // indices into Run.Judges; a floor may be unrecorded
	kind             string
}

// contests are each judge with each reference and the floors under it, then
// people pairwise.
func (x *index) contests() []units {
	var all []units
	for _, reference := range x.references() {
		first := len(all)
		for j, p := range x.Judges {
			switch p.Kind {
			case kindHuman:
			case kindFloor:
				all = append(all, x.pair(pairing{p.Name, j, reference, kindFloor}))
			default:
				all = append(all, x.pair(pairing{p.Name, j, reference, kindOfJudge}))
			}
		}
		all = append(all, x.floorsUnder(reference, all[first:])...)
	}
	who := x.annotators()
	for i, a := range who {
		for _, b := range who[i+1:] {
			all = append(all, x.pair(pairing{x.Judges[a].Name, a, b, kindHuman}))
		}
	}
	return all
}

// agreement is the rows in order of contests, levels and items. Contests are
// computed side by side: resampling is nearly all of what a report takes.
func (x *index) agreement(contests []units) ([]AgreementRow, error) {
	of := make([][]AgreementRow, len(contests))
	err := sideBySide(len(contests), func(i int) error {
		u := contests[i]
		for _, level := range u.levels() {
			r := AgreementRow{Judge: u.name, Reference: x.Judges[u.reference].Name, Kind: u.kind,
				Level: level.name, Item: level.item, Planned: level.planned, N: level.n}
			if err := r.fill(level, x.resampling()); err != nil {
				return err
			}
			of[i] = append(of[i], r)
		}
		return nil
	})
	return slices.Concat(of...), err
}

// sideBySide does n things, as many at once as there are processors. Each must
// write to a place of its own.
func sideBySide(n int, do func(i int) error) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error { return do(i) })
	}
	return group.Wait()
}

// resampling draws by the run's seed: the same seed over the same object pairs
// gives all judges the same resamples.
func (x *index) resampling() stats.Resampling {
	return stats.Resampling{Seed: x.seed(), Name: "agreement", Level: confidence}
}

// seed is the run's, or that of the first of several.
func (x *index) seed() uint64 { return uint64(x.Made[0].Seed) }

func (r *AgreementRow) fill(l level, o stats.Resampling) error {
	var c computer
	f := c.level(l.reference, l.judge)
	r.AlphaInterval = Figure{f.AlphaInterval}
	r.MAE = Figure{c.value(stats.MAE(l.reference, l.judge))}
	if !l.flat {
		r.AlphaOrdinal = Figure{f.AlphaOrdinal}
		r.Spearman, r.Pearson, r.KendallTauB = Figure{f.Spearman}, Figure{f.Pearson}, Figure{f.KendallTauB}
	}
	if !l.centred {
		r.MeanDifference = Figure{f.MeanDifference}
	}
	if !l.centred && !l.unscaled {
		r.Agreement, r.AlphaNominal = Figure{c.value(stats.ExactAgreement(l.reference, l.judge))}, Figure{f.AlphaNominal}
	}
	b, err := stats.AgreementBootstrap(l.judge, l.reference, l.questions, o)
	c.value(0, err)
	r.AlphaIntervalLow, r.AlphaIntervalHigh = c.bounds(b.Alpha, err)
	if r.AlphaIntervalLow.known() {
		r.tentative, r.reliable = figure(b.Alpha.Below(stats.AlphaTentative)), figure(b.Alpha.Below(stats.AlphaReliable))
	}
	if !l.flat {
		r.SpearmanLow, r.SpearmanHigh = c.bounds(b.Spearman, err)
		r.PearsonLow, r.PearsonHigh = c.bounds(b.Pearson, err)
	}
	return c.err
}

// bounds are a resampled statistic's limits; err is that of the resampling.
func (c *computer) bounds(r stats.Resampled, err error) (low, high Figure) {
	if err == nil {
		err = r.Err
	}
	return Figure{c.value(r.Low, err)}, Figure{c.value(r.High, err)}
}
