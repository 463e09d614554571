package results

import (
	"errors"
	"slices"

	"compqa/stats"
)

// A FloorRow says by how much a judge agrees better with people than a floor
// does: the differences of their figures on the sheets that both have a value
// for, with percentiles of 1,000 resamples of object pairs, the same for both.
// A figure that the floor has not, such as a constant's correlation, has no
// difference.
type FloorRow struct {
	Judge     string `csv:"judge"`
	Reference string `csv:"reference"`
	Floor     string `csv:"floor"`
	Level     string `csv:"level"`
	Item      string `csv:"item"`
	N         int    `csv:"n"`

	Alpha        Figure `csv:"alpha_interval_difference"`
	AlphaLow     Figure `csv:"alpha_interval_low"`
	AlphaHigh    Figure `csv:"alpha_interval_high"`
	Spearman     Figure `csv:"spearman_difference"`
	SpearmanLow  Figure `csv:"spearman_low"`
	SpearmanHigh Figure `csv:"spearman_high"`
	Pearson      Figure `csv:"pearson_difference"`
	PearsonLow   Figure `csv:"pearson_low"`
	PearsonHigh  Figure `csv:"pearson_high"`
}

// A margin is a figure less another one of the same units; none where either is
// undefined, or too seldom defined in resamples.
type margin struct{ value, low, high Figure }

// above says that the first is better beyond what the choice of questions
// explains; below, that the second is.
func (m margin) above() bool { return m.low.known() && *m.low.number > 0 }
func (m margin) below() bool { return m.high.known() && *m.high.number < 0 }

func (r FloorRow) alpha() margin { return margin{r.Alpha, r.AlphaLow, r.AlphaHigh} }

// A namedMargin is the margin of one statistic.
type namedMargin struct {
	figure string
	margin
}

// margins are those there are.
func (r FloorRow) margins() []namedMargin {
	var known []namedMargin
	for _, m := range []namedMargin{
		{"alpha", r.alpha()},
		{"Spearman", margin{r.Spearman, r.SpearmanLow, r.SpearmanHigh}},
		{"Pearson", margin{r.Pearson, r.PearsonLow, r.PearsonHigh}},
	} {
		if m.value.known() {
			known = append(known, m)
		}
	}
	return known
}

// overFloors compares every judge with every floor of its reference; a shuffled
// judge is a floor of its own sheets alone.
func (x *index) overFloors(contests []units) ([]FloorRow, error) {
	type pair struct{ judge, floor units }
	var pairs []pair
	for _, judge := range contests {
		if judge.kind != kindOfJudge {
			continue
		}
		for _, floor := range contests {
			if floor.kind == kindFloor && floor.reference == judge.reference && (floor.owner == "" || floor.owner == judge.name) {
				pairs = append(pairs, pair{judge, floor})
			}
		}
	}
	of := make([][]FloorRow, len(pairs))
	err := sideBySide(len(pairs), func(i int) (err error) {
		of[i], err = x.marginsOver(pairs[i].judge, pairs[i].floor)
		return err
	})
	return slices.Concat(of...), err
}

// marginsOver are those of every level.
func (x *index) marginsOver(judge, floor units) ([]FloorRow, error) {
	ours, theirs := common(judge, floor)
	other := theirs.levels()
	var rows []FloorRow
	for i, l := range ours.levels() {
		var c computer
		r := FloorRow{Judge: judge.name, Reference: x.Judges[judge.reference].Name, Floor: floor.name, Level: l.name, Item: l.item, N: l.n}
		d, err := stats.AgreementDifference(l.reference, l.judge, other[i].judge, l.questions, x.resampling())
		m := c.margin(d.Alpha, err)
		r.Alpha, r.AlphaLow, r.AlphaHigh = m.value, m.low, m.high
		if !other[i].flat {
			m = c.margin(d.Spearman, err)
			r.Spearman, r.SpearmanLow, r.SpearmanHigh = m.value, m.low, m.high
			m = c.margin(d.Pearson, err)
			r.Pearson, r.PearsonLow, r.PearsonHigh = m.value, m.low, m.high
		}
		if c.err != nil {
			return nil, c.err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// margin has no interval where the difference is the same in every resample, as
// of a judge that is the floor: that is neither above nor below.
func (c *computer) margin(r stats.Resampled, err error) margin {
	low, high := c.bounds(r, err)
	if low.known() || err == nil && errors.Is(r.Err, stats.ErrZeroWidth) {
		return margin{figure(r.Value), low, high}
	}
	return margin{}
}

// common keeps the units that both contests with one reference have.
func common(a, b units) (units, units) {
	only := func(of, other []unit) []unit {
		in := make(map[*Sheet]bool, len(other))
		for _, p := range other {
			in[p.reference] = true
		}
		var kept []unit
		for _, p := range of {
			if in[p.reference] {
				kept = append(kept, p)
			}
		}
		return kept
	}
	a.pairs, b.pairs = only(a.pairs, b.pairs), only(b.pairs, a.pairs)
	return a, b
}
