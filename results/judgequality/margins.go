package judgequality

import (
	"slices"

	"compqa/data"
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

// overFloors compares every judge with every baseline of its reference. A shuffled baseline is compared only with the judge whose verdicts
// it uses.
func overFloors(x *dataset.Dataset, contests []contest) ([]FloorRow, error) {
	var pairs [][2]contest
	for _, judge := range contests {
		for _, floor := range contests {
			if judge.Kind == dataset.KindOfJudge && floor.Kind == dataset.KindFloor && floor.comparison == judge.comparison &&
				(floor.Owner == "" || floor.Owner == judge.Name) {
				pairs = append(pairs, [2]contest{judge, floor})
			}
		}
	}
	floors := make([][]FloorRow, len(pairs))
	err := data.SideBySide(len(pairs), func(i int) error {
		judge := pairs[i][0]
		floor := pairs[i][1]
		for k, level := range judge.comparison.Levels {
			r := FloorRow{Judge: judge.Name, Reference: judge.comparison.Name, Floor: floor.Name, Level: level.Name, Item: level.Item}
			both := level.Common(judge.contestantIndex, floor.contestantIndex)
			row := judge.rowOver(x, k, both)
			other := floor.rowOver(x, k, both)
			r.N = row.N
			alpha, spearman, pearson, err := row.Over(other)
			if err != nil {
				return err
			}
			for _, measured := range []raters.Row{row, other} {
				if err := measured.Fault(); err != nil {
					return err
				}
			}
			if other.Spearman.Why == raters.ErrMeans {
				spearman = other.Spearman
				pearson = other.Pearson
			}
			r.Spearman = spearman
			r.Pearson = pearson
			r.Alpha = alpha
			floors[i] = append(floors[i], r)
		}
		return nil
	})
	return slices.Concat(floors...), err
}

// rowOver returns the agreement row of a level over the units for which in is true. If these are all units of the contestant, it returns
// the row that is already computed.
func (c contest) rowOver(x *dataset.Dataset, level int, in func(unit int) bool) raters.Row {
	units := 0
	for unit := range c.comparison.Levels[level].Units {
		if in(unit) {
			units++
		}
	}
	if units == c.rows[level].Pairs {
		return c.rows[level]
	}
	t, judge, reference := c.comparison.Levels[level].Pair(c.contestantIndex, in)
	return t.Against(judge, reference, agreementOptions(x))
}
