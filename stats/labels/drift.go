package labels

import (
	"errors"
	"math"

	"compqa/stats"
)

// A Rating is a judge's score of an item at one look, and people's score if the item is labelled. Looks are numbered from 1. Items of one
// cluster, such as an item that is rated at several looks, are not independent.
type Rating struct {
	Look, Cluster int
	Judge, People float64
	Labelled      bool
}

// Values of Drift.Moved: who changed since the baseline, which is the first look.
const (
	Nobody  = "nobody"
	Systems = "systems" // the judge's mean changed, judge minus people did not
	Judge   = "judge"   // both changed
	People  = "people"  // judge minus people changed, the judge's mean did not
)

// A Change is the mean of all later looks minus the mean of the baseline. E is the largest evidence against no change at any look. Since is
// the first look at which E was large enough, or 0. Found is the size of a change since the first look that the last look detects in 80 %
// of cases.
type Change struct {
	stats.Estimate
	E     float64
	Since int
	Found float64
}

// A Drift says what has changed since the baseline. It is valid at any number of looks.
type Drift struct {
	Anchors  Change // change of judge minus people, on labelled items
	AllItems Change // change of the judge's mean, on all items
	Moved    string // Nobody, Systems, Judge or People
}

const leastDrift = 10 // clusters of the baseline, and of later looks, that a test needs

// FindDrift tests, at each look after the first, whether judge minus people and the judge's mean equal those of the first look. Each is
// tested by MixtureE at half of 1-level, for differences of about four standard errors of the baseline. So if nothing changes, the
// probability of an alarm is at most 1-level, however many looks there are. width is the width of the scale, in the units of the estimates.
//
// Standard errors are clustered. They count one more value at the other end of the scale on each side (Agresti and Caffo 2000), because a
// baseline of equal values says little. Moved is the hypothesis with the smallest squared distance from the differences d_a ± s_a
// (Anchors) and d_j ± s_j (All), treated as independent: judge (d_a - d_j)²/(s_a² + s_j²), systems d_a²/s_a², people d_j²/s_j².
func FindDrift(ratings []Rating, width, level float64) (d Drift) {
	d.Moved = Nobody
	looks := 0
	for _, r := range ratings {
		looks = max(looks, r.Look)
	}
	limit := 2 / (1 - level)
	for look := 2; look <= looks; look++ {
		d.Anchors.see(ratings, look, width, level, limit, func(r Rating) (float64, bool) { return r.Judge - r.People, r.Labelled })
		d.AllItems.see(ratings, look, width, level, limit, func(r Rating) (float64, bool) { return r.Judge, true })
	}
	if d.Anchors.Since == 0 && d.AllItems.Since == 0 {
		return d
	}
	a := d.Anchors
	j := d.AllItems
	if !(a.SE > 0) || !(j.SE > 0) {
		return d
	}
	judge := (a.Value - j.Value) * (a.Value - j.Value) / (a.SE*a.SE + j.SE*j.SE)
	systems := a.Value * a.Value / (a.SE * a.SE)
	people := j.Value * j.Value / (j.SE * j.SE)
	switch math.Min(judge, math.Min(systems, people)) {
	case judge:
		d.Moved = Judge
	case systems:
		d.Moved = Systems
	default:
		d.Moved = People
	}
	return d
}

// see evaluates one look: it sets the estimate to that of the look, and E to the largest evidence so far.
func (c *Change) see(ratings []Rating, look int, width, level, limit float64, value func(Rating) (value float64, counts bool)) {
	var sides [2][]float64
	var clusters [2][]int
	for _, r := range ratings {
		if v, counts := value(r); counts && r.Look <= look {
			side := count(r.Look > 1)
			sides[side] = append(sides[side], v)
			clusters[side] = append(clusters[side], r.Cluster)
		}
	}
	if len(sides[0]) < leastDrift || len(sides[1]) < leastDrift {
		return
	}
	base, err := stats.StandardErrors(sides[0], clusters[0])
	later, wrong := stats.StandardErrors(sides[1], clusters[1])
	if err != nil && !errors.Is(err, stats.ErrZeroWidth) || wrong != nil && !errors.Is(wrong, stats.ErrZeroWidth) ||
		base.Clusters < leastDrift || later.Clusters < leastDrift {
		return
	}
	total, linear := stats.Linearised(sides[:], []float64{-1, 1})
	both, err := stats.StandardErrors(linear, append(clusters[0], clusters[1]...))
	if err != nil && !errors.Is(err, stats.ErrZeroWidth) {
		return
	}
	more := func(g int) float64 { return width / float64(g+1) }
	baseSE := math.Hypot(base.CR1, more(base.Clusters))
	e := stats.Estimate{Value: total, SE: math.Hypot(both.CR1, math.Hypot(more(base.Clusters), more(later.Clusters))),
		DF: float64(both.Clusters - 1), Level: level, N: both.N, Clusters: both.Clusters}
	if e.SetBounds() != nil {
		return
	}
	c.Estimate, c.Found = e, leastChange(e.SE, priorErrors*baseSE, limit)+powerQuantile*e.SE
	evidence := MixtureE(e.Value, e.SE, priorErrors*baseSE)
	c.E = math.Max(c.E, evidence)
	if c.Since == 0 && evidence >= limit {
		c.Since = look
	}
}

const (
	priorErrors   = 4      // a change of interest, in standard errors of the baseline
	powerQuantile = 0.8416 // quantile 0.8 of the standard normal distribution
)
