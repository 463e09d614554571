package judgequality

import (
	"errors"
	"slices"

	"compqa/data"
	"compqa/results/agreement"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
	statistics "compqa/stats/agreement"
)

// A FloorRow is the difference between the agreement of a judge and of a floor with human scores, on the sheets that both
// have values for, with percentiles of 1,000 resamples of object pairs, the same for both. Differences of undefined figures,
// such as a constant's correlation, are missing.
type FloorRow struct {
	Judge     string `csv:"judge"`
	Reference string `csv:"reference"`
	Floor     string `csv:"floor"`
	Level     string `csv:"level"`
	Item      string `csv:"item"`
	N         int    `csv:"n"`

	Alpha    table.Bounded `csv:"alpha_interval_difference,alpha_interval_low,alpha_interval_high"`
	Spearman table.Bounded `csv:"spearman_difference,spearman_low,spearman_high"`
	Pearson  table.Bounded `csv:"pearson_difference,pearson_low,pearson_high"`

	Lacks string `csv:"-"` // why there is no figure
}

// overFloors compares every judge with every floor of its reference; a shuffled floor only with its own judge.
func overFloors(contests []agreement.Contest) ([]FloorRow, error) {
	var pairs [][2]agreement.Contest
	for _, judge := range contests {
		for _, floor := range contests {
			if judge.Kind == dataset.KindOfJudge && floor.Kind == dataset.KindFloor && floor.Reference == judge.Reference &&
				(floor.Owner == "" || floor.Owner == judge.Name) {
				pairs = append(pairs, [2]agreement.Contest{judge, floor})
			}
		}
	}
	of := make([][]FloorRow, len(pairs))
	err := data.SideBySide(len(pairs), func(i int) error {
		judge, floor := pairs[i][0], pairs[i][1]
		ours, theirs := common(judge.RaterPair, floor.RaterPair)
		own, other := resampled(judge, ours), resampled(floor, theirs)
		var c dataset.Calculator
		for k, l := range own {
			r := FloorRow{Judge: judge.Name, Reference: judge.Judges[judge.Reference].Name, Floor: floor.Name, Level: l.Name, Item: l.Item,
				N: l.N}
			d, err := l.Over(other[k])
			r.Alpha = margin(&c, d.Alpha, err)
			if !other[k].Flat {
				r.Spearman, r.Pearson = margin(&c, d.Spearman, err), margin(&c, d.Pearson, err)
			}
			of[i] = append(of[i], r)
		}
		return c.Err
	})
	return slices.Concat(of...), err
}

// resampled are the levels of those units of a contest that are kept.
func resampled(of agreement.Contest, kept dataset.RaterPair) []agreement.Level {
	if len(kept.Pairs) == len(of.Pairs) {
		return of.Resampled
	}
	return agreement.NewContest(kept).Resampled
}

// margin has no interval if the difference is equal in all resamples, for example if the judge equals the floor; it is then
// neither above nor below.
func margin(c *dataset.Calculator, r statistics.Resampled, err error) table.Bounded {
	low, high := c.Bounds(r, err)
	if low.Known() || err == nil && errors.Is(r.Err, stats.ErrZeroWidth) {
		return table.Bounded{Value: table.Number(r.Value), Low: low, High: high}
	}
	return table.Bounded{}
}

// common keeps the units that are in both rater pairs of one reference.
func common(a, b dataset.RaterPair) (dataset.RaterPair, dataset.RaterPair) {
	only := func(of, other []dataset.PairedScore) []dataset.PairedScore {
		in := make(map[*dataset.Sheet]bool, len(other))
		for _, p := range other {
			in[p.Reference] = true
		}
		return table.Where(of, func(p dataset.PairedScore) bool { return in[p.Reference] })
	}
	a.Pairs, b.Pairs = only(a.Pairs, b.Pairs), only(b.Pairs, a.Pairs)
	return a, b
}
