package judgequality

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/stats"
)

// An AgreementRow compares a judge's verdicts with a reference's sheets. Each sheet of the reference is a unit. Human means
// can have several sheets for one answer; each is paired with the judge's first verdict on the answer. Sheets of two
// annotators are paired by answer and repeat. Planned counts the reference's sheets and its imported rows without an answer;
// N counts the units that are valid on both sides. Undefined figures are empty. At levels that subtract means, exact
// equality and the difference of means have no meaning and are empty. For the floor criterion-mean, whose scores are means,
// exact equality and nominal alpha are empty, and so are figures that depend on order if its scores differ only by the
// object pair that was left out.
//
// Intervals come from raters.ByClusters, by object pair.
type AgreementRow struct {
	Judge     string `csv:"judge"`
	Reference string `csv:"reference"`
	Kind      string `csv:"kind"` // judge, human, floor
	Level     string `csv:"level"`
	Item      string `csv:"item"` // the criterion, group, scenario, yes or no; else "-"
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
	FittedOn       string       `csv:"fitted_on"` // what the judge was trained or tuned on, of the reference's rows; empty: nothing known
	Unit           string       `csv:"unit"`      // raters.UnitItem or raters.UnitSheet

	clusters            int          // object pairs of the N units
	Tentative, Reliable stats.Figure `csv:"-"` // probabilities that alpha is below Krippendorff's thresholds
}

// AgreementTable is the agreement of judges with people.
var AgreementTable = table.Def[AgreementRow]{File: "agreement.csv"}

// agreementOptions returns those of every row: the bounds come from the same resamples of object pairs for all raters.
func agreementOptions(x *dataset.Dataset) raters.Options {
	return raters.Options{Resampling: x.Resampling(),
		Figures: raters.Alpha | raters.Levels | raters.Shares | raters.Ranks | raters.RankIntervals | raters.Differences | raters.Compared}
}

// A contest is a contestant with its rows at every level.
type contest struct {
	Contestant
	rated *Rated
	place int // among the contestants
	rows  []raters.Row
}

// measured returns the rows in order of references, contestants, levels and items, and the contests that they come from. Contests
// are computed side by side: resampling is nearly all of what a report takes.
func measured(x *dataset.Dataset) ([]AgreementRow, []contest, error) {
	var contests []contest
	for _, rated := range Compared(x) {
		for k, c := range rated.Contestants {
			contests = append(contests, contest{Contestant: c, rated: rated, place: k})
		}
	}
	views := make([][]AgreementRow, len(contests))
	err := data.SideBySide(len(contests), func(i int) error {
		c := &contests[i]
		for _, level := range c.rated.Levels {
			t, judge, reference := level.Pair(c.place, nil)
			row := t.Against(judge, reference, agreementOptions(x))
			view := AgreementRow{Judge: c.Name, Reference: c.rated.Name, Kind: c.Kind, Level: level.Name, Item: level.Item,
				Planned: level.Planned(), N: row.N, FittedOn: x.FittedOn(c.Name, c.rated.Name).TrainedOn, Unit: c.rated.Unit,
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

// peopleAgree returns Krippendorff's alpha (interval level) of all people with each other on each criterion, and on totals under
// dataset.NoItem, in [-1, 1]; no figure where fewer than two people scored an answer.
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
