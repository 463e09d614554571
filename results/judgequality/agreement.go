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

// agreementRows returns the agreement rows, sorted by reference, contestant, level and item, and the rows of judges and baselines, sorted
// by reference, judge, baseline, level and item. It computes the contestants of a level in parallel, because resampling takes most of the
// time of a report. Levels come one after the other, because their tables and resamples take much memory.
func agreementRows(x *dataset.Dataset) (agreements []AgreementRow, floors []FloorRow, err error) {
	for compared := range Compared(x) {
		overFloors := compared.overFloors()
		byContestant := make([][]AgreementRow, len(compared.Contestants))
		byFloor := make([][]FloorRow, len(overFloors))
		for level := range compared.Levels() {
			measured := make([]raters.Row, len(compared.Contestants))
			err := data.SideBySide(len(measured), func(i int) error {
				measured[i] = level.measure(x, i, nil)
				return measured[i].Fault()
			})
			if err != nil {
				return nil, nil, err
			}
			for i, c := range compared.Contestants {
				row := measured[i]
				view := AgreementRow{Judge: c.Name, Reference: compared.Name, Kind: c.Kind, Level: level.Name, Item: level.Item,
					Planned: level.Planned(), N: row.N, FittedOn: x.FittedOn(c.Name, compared.Name).TrainedOn, Unit: compared.Unit,
					clusters: row.Clusters}
				view.fill(row)
				byContestant[i] = append(byContestant[i], view)
			}
			rows := make([]FloorRow, len(overFloors))
			err = data.SideBySide(len(rows), func(i int) (err error) {
				rows[i], err = overFloors[i].row(x, level, measured)
				return err
			})
			if err != nil {
				return nil, nil, err
			}
			for i, row := range rows {
				byFloor[i] = append(byFloor[i], row)
			}
		}
		agreements = append(agreements, slices.Concat(byContestant...)...)
		floors = append(floors, slices.Concat(byFloor...)...)
	}
	return agreements, floors, nil
}

// measure returns the agreement of a contestant with the reference over the units for which in is true; nil stands for all.
func (l Level) measure(x *dataset.Dataset, contestant int, in func(unit int) bool) raters.Row {
	t, judge, reference := l.Pair(contestant, in)
	return t.Against(judge, reference, agreementOptions(x))
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
