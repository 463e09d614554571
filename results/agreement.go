package results

import "compqa/stats"

// The levels of an agreement table, in order.
const (
	LevelSeparate        = "separate"         // all criteria of all units, one after the other
	LevelFinal           = "final"            // totals
	LevelCriterion       = "criterion"        // one criterion's scores
	LevelGroup           = "group"            // a group's totals
	LevelScenario        = "scenario"         // totals of one scenario's answers
	LevelAspect          = "aspect"           // totals of answers with, or without, an aspect
	LevelWithinCriterion = "within_criterion" // separate, each side's mean of each criterion taken off
	LevelWithinSystem    = "within_system"    // totals, each side's mean of each system taken off
)

// An AgreementRow compares a judge's verdicts with a reference's sheets. Each
// sheet of the reference is a unit: of people's mean, several sheets on one
// answer too, each paired with the judge's first verdict on it; two annotators'
// sheets are paired by answer and repeat. Planned counts the reference's sheets
// and those of its imported rows that found no answer; N is the units that are
// valid on both sides. Undefined figures are empty, and so are those that
// taking means off leaves without sense: exact equality and the difference of
// means.
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
}

const (
	noItem      = "-"
	kindOfJudge = "judge"
)

// A pairing is a judge and the people it is compared with.
type pairing struct {
	judge, reference int
	kind             string
}

// pairings are each judge with each reference, then people pairwise.
func (x *index) pairings() []pairing {
	var all []pairing
	for _, reference := range x.references() {
		for j, p := range x.Judges {
			switch p.Kind {
			case kindHuman:
			case kindFloor:
				all = append(all, pairing{j, reference, kindFloor})
			default:
				all = append(all, pairing{j, reference, kindOfJudge})
			}
		}
	}
	who := x.annotators()
	for i, a := range who {
		for _, b := range who[i+1:] {
			all = append(all, pairing{a, b, kindHuman})
		}
	}
	return all
}

// agreement is the rows in order of pairings, levels and items.
func (x *index) agreement() ([]AgreementRow, error) {
	var rows []AgreementRow
	for _, c := range x.pairings() {
		u := x.pair(c)
		for _, level := range u.levels() {
			r := AgreementRow{Judge: x.Judges[c.judge].Name, Reference: x.Judges[c.reference].Name, Kind: c.kind,
				Level: level.name, Item: level.item, Planned: level.planned, N: level.n}
			if err := r.fill(level, x.resampling()); err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// resampling draws by the run's seed: the same seed over the same object pairs
// gives all judges the same resamples.
func (x *index) resampling() stats.Resampling {
	return stats.Resampling{Seed: uint64(x.Made[0].Seed), Name: "agreement", Level: confidence}
}

func (r *AgreementRow) fill(l level, o stats.Resampling) error {
	var c computer
	f := c.level(l.reference, l.judge)
	r.AlphaOrdinal, r.AlphaInterval = Figure{f.AlphaOrdinal}, Figure{f.AlphaInterval}
	r.Spearman, r.Pearson, r.KendallTauB = Figure{f.Spearman}, Figure{f.Pearson}, Figure{f.KendallTauB}
	r.MAE = Figure{c.value(stats.MAE(l.reference, l.judge))}
	if !l.centred {
		r.Agreement = Figure{c.value(stats.ExactAgreement(l.reference, l.judge))}
		r.AlphaNominal, r.MeanDifference = Figure{f.AlphaNominal}, Figure{f.MeanDifference}
	}
	b, err := stats.AgreementBootstrap(l.judge, l.reference, l.questions, o)
	c.value(0, err)
	r.AlphaIntervalLow, r.AlphaIntervalHigh = c.bounds(b.Alpha, err)
	r.SpearmanLow, r.SpearmanHigh = c.bounds(b.Spearman, err)
	r.PearsonLow, r.PearsonHigh = c.bounds(b.Pearson, err)
	return c.err
}

// bounds are a resampled statistic's limits; err is that of the resampling.
func (c *computer) bounds(r stats.Resampled, err error) (low, high Figure) {
	if err == nil {
		err = r.Err
	}
	return Figure{c.value(r.Low, err)}, Figure{c.value(r.High, err)}
}
