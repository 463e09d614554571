package results

import "compqa/stats"

// A floorRow says by how much a judge agrees better with people than a judge
// that has not read the answer does: the difference of two agreements on the
// same units, over the same resamples of object pairs.
type floorRow struct {
	judge, reference, floor  string
	level                    string
	n                        int
	alpha, spearman, pearson margin
}

// A margin is a judge's figure less a floor's; none where either is undefined.
type margin struct{ value, low, high Figure }

// above says that the judge is better than the floor beyond what the choice of
// questions explains; below, that it is worse.
func (m margin) above() bool { return m.low.known() && *m.low.number > 0 }
func (m margin) below() bool { return m.high.known() && *m.high.number < 0 }

// floors compares every judge with every floor.
func (x *index) floors() ([]floorRow, error) {
	var rows []floorRow
	all := x.pairings()
	for _, judge := range all {
		if judge.kind != kindOfJudge {
			continue
		}
		for _, floor := range all {
			if floor.kind != kindFloor || floor.reference != judge.reference {
				continue
			}
			of, err := x.margins(judge, floor)
			if err != nil {
				return nil, err
			}
			rows = append(rows, of...)
		}
	}
	return rows, nil
}

// margins are those of the levels that take all units.
func (x *index) margins(judge, floor pairing) ([]floorRow, error) {
	a, b := common(x.pair(judge), x.pair(floor))
	theirs := b.whole(0)
	var rows []floorRow
	for i, l := range a.whole(0) {
		var c computer
		d, err := stats.AgreementDifference(l.reference, l.judge, theirs[i].judge, l.questions, x.resampling())
		rows = append(rows, floorRow{x.Judges[judge.judge].Name, x.Judges[judge.reference].Name, x.Judges[floor.judge].Name, l.name, l.n,
			c.margin(d.Alpha, err), c.margin(d.Spearman, err), c.margin(d.Pearson, err)})
		if c.err != nil {
			return nil, c.err
		}
	}
	return rows, nil
}

func (c *computer) margin(r stats.Resampled, err error) margin {
	low, high := c.bounds(r, err)
	if !low.known() {
		return margin{}
	}
	return margin{figure(r.Value), low, high}
}

// common keeps the units that both pairings with one reference have.
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
