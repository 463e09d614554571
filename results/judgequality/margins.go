package judgequality

import (
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/stats"
)

// A FloorRow is the agreement of a judge with human scores, minus that of a baseline (floor), on the sheets that both have values for. The
// intervals are percentiles of 1,000 resamples of object pairs, which are the same for both. A difference is missing if one figure is
// undefined, such as the correlation of a constant.
type FloorRow struct {
	Judge     string `csv:"judge"`
	Reference string `csv:"reference"`
	Floor     string `csv:"floor"`
	Level     string `csv:"level"`
	Item      string `csv:"item"`
	N         int    `csv:"n"`

	Alpha    stats.Figure `csv:"alpha_interval_difference,alpha_interval_low,alpha_interval_high"`
	Spearman stats.Figure `csv:"spearman_difference,spearman_low,spearman_high"`
	Pearson  stats.Figure `csv:"pearson_difference,pearson_low,pearson_high"`
}

// FloorsTable has the figures of judges minus those of their baselines.
var FloorsTable = table.Def[FloorRow]{File: "floors.csv"}

// An overFloor is a judge and a baseline of the same reference, by their indices among the contestants.
type overFloor struct {
	*ReferenceComparison
	judge, floor int
}

// overFloors returns every judge with every baseline. A shuffled baseline is compared only with the judge whose verdicts it uses.
func (r *ReferenceComparison) overFloors() (pairs []overFloor) {
	for i, judge := range r.Contestants {
		for k, floor := range r.Contestants {
			if judge.Kind == dataset.KindOfJudge && floor.Kind == dataset.KindFloor && (floor.Owner == "" || floor.Owner == judge.Name) {
				pairs = append(pairs, overFloor{r, i, k})
			}
		}
	}
	return pairs
}

// row compares the judge with the baseline at a level. measured has the agreement of each contestant over all units.
func (f overFloor) row(x *dataset.Dataset, level Level, measured []raters.Row) (FloorRow, error) {
	r := FloorRow{Judge: f.Contestants[f.judge].Name, Reference: f.Name, Floor: f.Contestants[f.floor].Name, Level: level.Name,
		Item: level.Item}
	both := level.Common(f.judge, f.floor)
	units := 0
	for unit := range level.Units {
		if both(unit) {
			units++
		}
	}
	over := func(contestant int) (raters.Row, error) {
		if row := measured[contestant]; units == row.Pairs {
			return row, nil
		}
		row := level.measure(x, contestant, both)
		return row, row.Fault()
	}
	judge, err := over(f.judge)
	if err != nil {
		return r, err
	}
	floor, err := over(f.floor)
	if err != nil {
		return r, err
	}
	r.N = judge.N
	r.Alpha, r.Spearman, r.Pearson, err = judge.Over(floor)
	if floor.Spearman.Why == raters.ErrMeans {
		r.Spearman = floor.Spearman
		r.Pearson = floor.Pearson
	}
	return r, err
}
