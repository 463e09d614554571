package judgequality

import (
	"iter"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/stats"
)

// A Level is a table of raters at one level of detail, for one item of it. Examples are totals, or the scores on one criterion. Its units
// are the sheets of the reference, and the imported rows of the reference whose answer was not found.
type Level struct {
	Name, Item   string
	raters.Table                // with the raters that rater returns, if criteria is nil
	strata       []int          // stratum of each unit, whose mean is subtracted; nil if nothing is subtracted
	criteria     []raters.Table // the criteria that the level pools; raters are then built on demand. nil if none are pooled
}

// rater returns the reference for k = 0, and contestant k-1 for larger k.
func (l Level) rater(k int) raters.Rater {
	if l.criteria != nil {
		return raters.PooledRater(l.criteria, k)
	}
	return l.Raters[k]
}

// A Contestant is a judge, person or baseline that is compared with a reference.
type Contestant struct {
	Name, Kind string
	Owner      string // the judge whose verdicts a shuffled baseline uses; else ""
}

// A ReferenceComparison is a reference with the contestants that are compared with it.
type ReferenceComparison struct {
	Name        string
	Unit        string // raters.UnitItem or raters.UnitSheet
	Contestants []Contestant
	Criteria    []raters.Table // one for each criterion; the raters are the reference, then the contestants

	x     *dataset.Dataset
	items []int32 // items of the judgements that the units are about
}

// Pair returns the table of a contestant and the reference, and the two raters. If in is not nil, only the units count for which it is
// true. At levels that subtract means, the values are centred.
func (l Level) Pair(contestant int, in func(unit int) bool) (t raters.Table, judge, reference raters.Rater) {
	reference = l.rater(0)
	judge = l.rater(1 + contestant)
	if in != nil {
		judge = judge.Only(in)
	}
	if l.strata != nil {
		return l.Centring(judge, reference, l.strata)
	}
	return l.Table, judge, reference
}

// Common returns a function that reports whether a unit has values of both contestants and of the reference.
func (l Level) Common(one, other int) func(unit int) bool {
	first := l.rater(1 + one)
	second := l.rater(1 + other)
	reference := l.rater(0)
	return func(unit int) bool {
		return first.Values[unit].Given() && second.Values[unit].Given() && reference.Values[unit].Given()
	}
}

// finalBySheet returns the totals of judges on the sheets of a reference.
func finalBySheet(x *dataset.Dataset, reference int, judges ...int) Level {
	criteria, _ := raters.BySheet(x.Judgements, reference, judges...)
	return Level{Name: dataset.LevelFinal, Item: dataset.NoItem, Table: raters.Sums(dataset.LevelFinal, criteria)}
}

// Compared iterates over each reference with all judges and baselines, then each pair of annotators. Comparisons take much memory, so that
// each is made when it is needed.
//
// There are three baselines (floors). "constant" gives every criterion its maximum; it is made here if the run has no verdicts of a
// baseline. Package raters makes "criterion-mean" and "shuffled".
func Compared(x *dataset.Dataset) iter.Seq[*ReferenceComparison] {
	var judges []int
	for j, p := range x.Judges {
		if p.Kind != dataset.KindHuman {
			judges = append(judges, j)
		}
	}
	return func(yield func(*ReferenceComparison) bool) {
		for _, reference := range x.References() {
			if !yield(compareWithReference(x, reference, judges, true)) {
				return
			}
		}
		who := x.Annotators()
		for i, a := range who {
			for _, b := range who[i+1:] {
				if !yield(compareWithReference(x, b, []int{a}, false)) {
					return
				}
			}
		}
	}
}

// compareWithReference compares judges with a reference. floors says whether baselines are added.
func compareWithReference(x *dataset.Dataset, reference int, judges []int, floors bool) *ReferenceComparison {
	r := &ReferenceComparison{Name: x.Judges[reference].Name, Unit: raters.UnitOf(x.Judgements, reference), x: x}
	for _, k := range judges {
		r.Contestants = append(r.Contestants, Contestant{Name: x.Judges[k].Name, Kind: x.Judgements.Raters[k].Kind})
	}
	r.Criteria, r.items = raters.BySheet(x.Judgements, reference, judges...)
	if floors {
		r.addFloors()
	}
	return r
}

// addFloors adds the baselines that are not in the run. If a judge has the name of a baseline, the baseline's name gets a prefix.
func (r *ReferenceComparison) addFloors() {
	judges := r.Contestants
	add := func(name, owner string, floor func(t raters.Table, name string) raters.Rater) {
		for r.x.JudgeNamed(name) >= 0 {
			name = dataset.KindFloor + ":" + name
		}
		r.Contestants = append(r.Contestants, Contestant{Name: name, Kind: dataset.KindFloor, Owner: owner})
		for i, t := range r.Criteria {
			made := floor(t, name)
			made.Name = name
			r.Criteria[i].Raters = append(t.Raters, made)
		}
	}
	if !slices.ContainsFunc(judges, func(c Contestant) bool { return c.Kind == dataset.KindFloor }) {
		add(raters.ConstantName, "", func(t raters.Table, _ string) raters.Rater { return t.Constant(t.Scale.High) })
	}
	add(raters.CriterionMeanName, "", func(t raters.Table, _ string) raters.Rater { return t.CriterionMean(t.Raters[0]) })
	for k, c := range judges {
		if c.Kind == dataset.KindOfJudge {
			add(raters.ShuffledPrefix+c.Name, c.Name, func(t raters.Table, name string) raters.Rater {
				return t.Shuffled(t.Raters[1+k], t.Raters[0], stats.NewRNG(r.x.Resampling().Seed, name))
			})
		}
	}
}

// Levels iterates over all levels, in the order of the tables. Each is made when it is needed, as a comparison is.
func (r *ReferenceComparison) Levels() iter.Seq[Level] {
	return func(yield func(Level) bool) {
		wanted := true
		add := func(name, item string, t raters.Table, strata []int) {
			wanted = wanted && yield(Level{Name: name, Item: item, Table: t, strata: strata})
		}
		pool := func(name string) Level {
			return Level{Name: name, Item: dataset.NoItem, Table: raters.PooledUnits(dataset.LevelSeparate, r.Criteria), criteria: r.Criteria}
		}
		wanted = yield(pool(dataset.LevelSeparate))
		final := raters.Sums(dataset.LevelFinal, r.Criteria)
		add(dataset.LevelFinal, dataset.NoItem, final, nil)
		for _, t := range r.Criteria {
			add(dataset.LevelCriterion, t.Criterion, t, nil)
		}
		for _, group := range r.x.Groups {
			var tables []raters.Table
			for c := range r.Criteria {
				if r.x.Rubric.Criteria[c].Group == group {
					tables = append(tables, r.Criteria[c])
				}
			}
			add(dataset.LevelGroup, group, raters.Sums(group, tables), nil)
		}
		item := func(unit int) *data.Rated { return &r.x.Judgements.Items[r.items[unit]] }
		some := func(level, item string, in func(unit int) bool) {
			if t := final.Where(in); len(t.Units) > 0 {
				add(level, item, t, nil)
			}
		}
		for _, scenario := range r.x.Scenarios() {
			some(dataset.LevelScenario, scenario, func(unit int) bool { return item(unit).Scenario == scenario })
		}
		some(dataset.LevelAspect, "yes", func(unit int) bool { return item(unit).Aspect != "" })
		some(dataset.LevelAspect, "no", func(unit int) bool { return item(unit).Aspect == "" })
		if wanted {
			within := pool(dataset.LevelWithinCriterion)
			within.strata = within.Criteria
			wanted = yield(within)
		}
		add(dataset.LevelWithinSystem, dataset.NoItem, final, stats.ClusterLabels(data.Each(final.Units,
			func(u raters.Unit) string { return u.System })))
	}
}

// Planned returns the number of units. At levels that pool criteria, a unit is a score, and Planned counts the sheets instead.
func (l Level) Planned() int {
	if n := len(l.Sheets); n > 0 {
		return 1 + l.Sheets[n-1]
	}
	return len(l.Units)
}
