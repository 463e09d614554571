package labels

import (
	"errors"
	"math"

	"compqa/stats"
)

// A Rating is what a judge gave to an item at a look, from 1, and what people gave to it where it is labelled. Items of one cluster,
// such as an item that is rated at several looks, are not independent.
type Rating struct {
	Look, Cluster int
	Judge, People float64
	Labelled      bool
}

// Who moved since the baseline, which is the first look.
const (
	Nobody  = "nobody"
	Systems = "systems" // the judge's mean moved, judge minus people did not
	Judge   = "judge"   // both did
	People  = "people"  // judge minus people moved, the judge's mean did not
)

// A Change is a mean of all later looks minus that of the baseline. E is the most evidence that a look had against no change; Since
// is the first look at which it was enough, 0 where it was at none. Found is the change, of all looks after the first, that the last look
// finds in 80 % of cases.
type Change struct {
	stats.Estimate
	E     float64
	Since int
	Found float64
}

// A Drift says what has changed since the baseline, at any number of looks.
type Drift struct {
	Anchors Change // of judge minus people, on labelled items
	All     Change // of the judge's values, on all items
	Moved   string // Nobody, or who
}

const leastDrift = 10 // clusters of the baseline, and of later looks, from which a change is tested

// FindDrift tests at each look after the first whether judge minus people and the judge's mean equal those of the first look. Each is a
// test by MixtureE at half of 1-level, for differences of about four standard errors of the baseline; so that, if nothing changes, an
// alarm is given in at most 1-level of cases, however many looks there are. width is that of the scale, in whose units the estimates
// are. Standard errors are clustered, and count one more value at the other end of the scale on each side (Agresti and Caffo 2000),
// since a baseline of equal values knows little. Who moved is the hypothesis that the two differences d_a ± s_a (anchors) and d_j ± s_j
// (all) are closest to, as if they were independent: judge (d_a - d_j)²/(s_a² + s_j²), systems d_a²/s_a², people d_j²/s_j².
func FindDrift(ratings []Rating, width, level float64) (d Drift) {
	d.Moved = Nobody
	looks := 0
	for _, r := range ratings {
		looks = max(looks, r.Look)
	}
	limit := 2 / (1 - level)
	for look := 2; look <= looks; look++ {
		d.Anchors.see(ratings, look, width, level, limit, func(r Rating) (float64, bool) { return r.Judge - r.People, r.Labelled })
		d.All.see(ratings, look, width, level, limit, func(r Rating) (float64, bool) { return r.Judge, true })
	}
	if d.Anchors.Since == 0 && d.All.Since == 0 {
		return d
	}
	a := d.Anchors
	j := d.All
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

// see is one look: the estimate of that look, and the evidence of all.
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
	priorErrors   = 4      // standard errors of the baseline that a change of interest has
	powerQuantile = 0.8416 // of the standard normal distribution, at .8
)
