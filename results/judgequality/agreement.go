package judgequality

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/stats"
)

// An AgreementRow compares a judge's verdicts with the score sheets of a reference (people's mean, or one annotator). A unit is a sheet of
// the reference. It is paired with the judge's first verdict on the same answer; sheets of two annotators are paired by answer and repeat.
// Planned counts the reference's sheets and its imported rows whose answer was not found. N counts the units that are valid on both sides.
// Undefined figures are empty. At levels that subtract means ("within"), exact equality and the difference of means have no meaning and are
// empty. The scores of the baseline criterion-mean are means, so its exact equality and nominal alpha are empty. Its figures that depend on
// order are empty, too, if its scores differ only because another object pair was left out.
//
// Intervals come from raters.ByClusters, where a cluster is an object pair.
type AgreementRow struct {
	Judge     string `csv:"judge"`
	Reference string `csv:"reference"`
	Kind      string `csv:"kind"` // judge, human, floor
	Level     string `csv:"level"`
	Item      string `csv:"item"` // the criterion, group or scenario; yes or no for an aspect; else "-"
	Planned   int    `csv:"planned"`
	N         int    `csv:"n"`

	Agreement      stats.Figure `csv:"agreement"` // share of equal values
	AlphaNominal   stats.Figure `csv:"alpha_nominal"`
	AlphaOrdinal   stats.Figure `csv:"alpha_ordinal"`
	AlphaInterval  stats.Figure `csv:"alpha_interval,alpha_interval_low,alpha_interval_high"`
	Spearman       stats.Figure `csv:"spearman,spearman_low,spearman_high"`
	Pearson        stats.Figure `csv:"pearson,pearson_low,pearson_high"`
	KendallTauB    stats.Figure `csv:"kendall_tau_b"`
	MeanDifference stats.Figure `csv:"mean_difference"` // judge - reference, points
	MAE            stats.Figure `csv:"mae"`
	FittedOn       string       `csv:"fitted_on"` // what the judge was trained or tuned on, of the reference's rows; "" if nothing is known
	Unit           string       `csv:"unit"`      // raters.UnitItem or raters.UnitSheet

	clusters            int          // number of object pairs among the N units
	Tentative, Reliable stats.Figure `csv:"-"` // probabilities that alpha is below Krippendorff's two thresholds
}

// AgreementTable has the agreement of judges with people.
var AgreementTable = table.Def[AgreementRow]{File: "agreement.csv"}

// agreementOptions returns the options for all agreement rows. All raters use the same resamples of object pairs.
func agreementOptions(x *dataset.Dataset) raters.Options {
	return raters.Options{Resampling: x.Resampling(),
		Figures: raters.Alpha | raters.Levels | raters.Shares | raters.Ranks | raters.RankIntervals | raters.Differences | raters.Compared}
}

// A contest is a contestant with its agreement rows, one for each level.
type contest struct {
	Contestant
	comparison      *ReferenceComparison
	contestantIndex int // index among the contestants of rated
	rows            []raters.Row
}

// agreementRows returns the agreement rows, sorted by reference, contestant, level and item, and the contests that they come from. It
// computes contests in parallel, because resampling takes most of the time of a report.
func agreementRows(x *dataset.Dataset) ([]AgreementRow, []contest, error) {
	var contests []contest
	for _, rated := range Compared(x) {
		for k, c := range rated.Contestants {
			contests = append(contests, contest{Contestant: c, comparison: rated, contestantIndex: k})
		}
	}
	views := make([][]AgreementRow, len(contests))
	err := data.SideBySide(len(contests), func(i int) error {
		c := &contests[i]
		for _, level := range c.comparison.Levels {
			t, judge, reference := level.Pair(c.contestantIndex, nil)
			row := t.Against(judge, reference, agreementOptions(x))
			view := AgreementRow{Judge: c.Name, Reference: c.comparison.Name, Kind: c.Kind, Level: level.Name, Item: level.Item,
				Planned: level.Planned(), N: row.N, FittedOn: x.FittedOn(c.Name, c.comparison.Name).TrainedOn, Unit: c.comparison.Unit,
				clusters: row.Clusters}
			view.fill(row)
			c.rows = append(c.rows, row)
			views[i] = append(views[i], view)
			if fault := row.Fault(); fault != nil {
				return fault
			}
		}
		return nil
	})
	return slices.Concat(views...), contests, err
}

func (r *AgreementRow) fill(row raters.Row) {
	r.Agreement, r.AlphaNominal, r.AlphaOrdinal = row.Agreement.Point(), row.AlphaNominal.Point(), row.AlphaOrdinal.Point()
	r.AlphaInterval = row.Alpha
	r.Spearman = row.Spearman
	r.Pearson = row.Pearson
	r.KendallTauB, r.MeanDifference, r.MAE = row.KendallTauB.Point(), row.Difference.Point(), row.MAE.Point()
	r.Tentative, r.Reliable = row.BelowTentative.Point(), row.BelowReliable.Point()
}

// peopleAgree returns Krippendorff's alpha (interval level, in [-1, 1]) of all people with each other, by criterion. The alpha of totals
// has the key dataset.NoItem. The map is nil with fewer than two people.
func peopleAgree(x *dataset.Dataset) map[string]stats.Figure {
	if len(x.Annotators()) < 2 {
		return nil
	}
	alpha := func(t raters.Table) stats.Figure {
		return t.Among(t.Raters, raters.Options{Figures: raters.Alpha, Resampling: x.Resampling()}).Alpha
	}
	criteria := raters.ByItem(x.Judgements, x.Annotators()...)
	agree := map[string]stats.Figure{dataset.NoItem: alpha(raters.Sums(dataset.LevelFinal, criteria))}
	for _, t := range criteria {
		agree[t.Criterion] = alpha(t)
	}
	return agree
}
