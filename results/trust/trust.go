// Package trust decides whether a judge can stand in for one person on a criterion, with three answers: yes, no, and not known yet.
// It is the only rule of this; results/validation, results/judgequality and the commands show its decisions in its words.
package trust

import (
	"cmp"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/raters"
	"compqa/stats"
)

// An Answer is yes, no, or "": not known yet.
type Answer string

const (
	Yes     Answer = "yes" // the judge can stand in for a person
	No      Answer = "no"  // it cannot
	Unknown Answer = ""    // the data do not say
)

// A Reason says why an answer is not known.
type Reason string

const (
	NotOneScale Reason = "not one scale"            // figures of judge and people cannot be compared
	NoItems     Reason = "no items"                 // that the judge and people rated
	Unchecked   Reason = "reading not checked"      // a mark of checks
	Chosen      Reason = "labels depend on verdict" // the judge's values on labelled and other items differ, and no design is given
	NotFirst    Reason = "first answers unchosen"   // sets of answers are in the order of the alphabet
	OnePerson   Reason = "one person"               // or no item that two people rated
	Alike       Reason = "all values alike"         //
	Undefined   Reason = "no figure"                // or none without one of the clusters
	Few         Reason = "few items"                // fewer than leastItems, or leastClusters
	Disagree    Reason = "people do not agree"      // their alpha is surely at most 0, or surely less than leastAgreed
	TooFew      Reason = "people rated too few"     // the interval of their alpha contains 0
	Guessing    Reason = "agreement may be chance"  // the interval of single contains 0
	Open        Reason = "interval contains margin" // that of the difference
	Several     Reason = "several decisions"        // sure alone, not with the other decisions
)

// Limits of the rule.
const (
	DefaultMargin = .1 // of alpha: what a judge may agree less with a person than people do with each other
	leastItems    = 20 // with fewer, or fewer that two people rated, figures are preliminary
	leastClusters = 10 //
	leastAgreed   = .2 // people whose alpha is surely less do not agree
	hardlyAgreed  = .4 // people's alpha below which the mean of several is better than one person
	mostMore      = 2000
	level         = .95
)

// A Study is what one judge and people gave to the items of a criterion. A Table that is Weighted has the weights of its design.
type Study struct {
	Judge, Criterion string
	Table            raters.Table
	JudgeRater       raters.Rater
	PeopleRaters     []raters.Rater
	Margin           float64  // 0: DefaultMargin
	Doubt            Reason   // why the answer is open whatever the figures are; "": nothing
	Questions        []string // on the reading, which are open where Doubt is Unchecked: whether …
	NoFigures        bool     // of agreement, as where nobody labelled what the judge gives one value
	Slices           []Slice
	Unrated          []string // systems that the judge rated and no person did
	Tuned            bool     // the judge was trained or tuned on these scores
}

// A Slice is a part of the items.
type Slice struct {
	Column, Value string // Column is "system", or one of the log
	In            func(unit int) bool
}

// Figures are what a decision is made from, over items that the judge and people rated. Signed ones are judge minus people.
type Figures struct {
	Single     stats.Figure // alpha of the judge with one person
	People     stats.Figure // alpha of people with each other
	Difference stats.Figure // Single - People
	Bias       stats.Figure // mean over items of the judge's value minus the mean of people's, on the criterion's scale; labels have none
	Unbiased   stats.Figure // Single of the judge's values less Bias
	Items      int          // that the judge and a person rated
	Silent     int          // that a person rated, and for which the judge was asked and gave no value
	Twice      int          // … and two people
	Clusters   int          // of Items
	Persons    int
}

// A Decision says whether a judge can stand in for one person on a criterion.
type Decision struct {
	Judge, Criterion string
	Answer           Answer
	Reason           Reason // of Unknown
	Margin           float64
	Figures
	More      int    // items that two people rate that would decide, if figures stay; 0: not known
	Of        int    // decisions that were adjusted together; 0 or 1: this one alone
	Slices    []Part // that are surely otherwise than needed, or surely good enough
	Unrated   []string
	Tuned     bool
	Questions []string // of Unchecked
	Repair    bool     // without its bias the judge would agree more by more than the margin, or the answer would be another
	Constant  bool     // the judge gives every item the same value

	Severities Severities

	p    float64          // of the side of the margin on which the difference is; NaN: not tested
	gaps []stats.Estimate // that have to be surely not 0
}

// A Part is the decision on a slice.
type Part struct {
	Column, Value string
	Answer        Answer
	Figures

	p float64
}

// Decide returns the rule, with m the margin:
//
//	single     = 1 - D(judge, person) / E
//	people     = Krippendorff's alpha of people
//	difference = single - people
//	yes: single surely above 0, and difference surely above -m
//	no:  difference surely below -m
//
// D is the disagreement of the judge with the people of an item, the mean over them; E what is expected from the pooled values of
// both. Each item counts once, with its weight, so that designs in which few of many people rate an item work. Intervals are
// Student's at 95 % by leaving out clusters. Everything else is not known, for a Reason.
func Decide(s Study) Decision {
	d := Decision{Judge: s.Judge, Criterion: s.Criterion, Margin: s.Margin, Unrated: s.Unrated, Tuned: s.Tuned, Questions: s.Questions,
		p: math.NaN()}
	if d.Margin == 0 {
		d.Margin = DefaultMargin
	}
	if s.Doubt == NotOneScale {
		d.Reason = NotOneScale
		return d
	}
	m := measured{Study: s}
	m.compute(nil)
	d.Figures = m.Figures
	if s.NoFigures {
		d.Single = stats.Figure{}
		d.Difference = stats.Figure{}
	}
	d.Answer, d.Reason, d.p = m.answer(d.Margin)
	if s.Doubt != "" {
		d.Answer = Unknown
		d.Reason = s.Doubt
		d.p = math.NaN()
	}
	if !math.IsNaN(d.p) {
		d.gaps = m.gaps(d.Margin)
	}
	if d.open() {
		d.More = d.more(1 - level)
	}
	d.Repair = !s.NoFigures && m.repairs(d.Answer, d.Margin)
	d.Constant = m.one
	d.Severities = s.severities()
	if s.Doubt == "" {
		d.slice(s)
	}
	return d
}

// answer returns that of the figures alone, with the p-value of the side on which the difference is; NaN where it is not tested.
func (m *measured) answer(margin float64) (Answer, Reason, float64) {
	switch {
	case m.Items == 0:
		return Unknown, NoItems, math.NaN()
	case m.Persons < 2 || m.Twice == 0:
		return Unknown, OnePerson, math.NaN()
	case m.alike:
		return Unknown, Alike, math.NaN()
	case !m.Difference.Interval() || !m.People.Interval() || !m.Single.Interval():
		return Unknown, Undefined, math.NaN()
	case m.Items < leastItems || m.Twice < leastItems || m.Clusters < leastClusters || m.twiceClusters < leastClusters:
		return Unknown, Few, math.NaN()
	}
	p := m.difference.beyond(-margin)
	switch {
	case m.Difference.High < -margin:
		return No, "", p
	case disagree(m.People):
		return Unknown, Disagree, math.NaN()
	case m.Difference.Low > -margin && m.Single.Above():
		return Yes, "", max(p, m.single.beyond(0))
	case !m.People.Above():
		return Unknown, TooFew, max(p, m.single.beyond(0))
	case m.Difference.Low > -margin:
		return Unknown, Guessing, max(p, m.single.beyond(0))
	}
	if m.Difference.Value > -margin {
		p = max(p, m.single.beyond(0))
	}
	return Unknown, Open, p
}

// disagree reports whether people surely do not agree: their alpha is at most 0, or below leastAgreed.
func disagree(people stats.Figure) bool {
	return people.Interval() && (people.High <= 0 || people.High < leastAgreed)
}

// beyond returns the two-sided p-value of a value.
func (e estimate) beyond(value float64) float64 {
	gap := math.Abs(e.Value - value)
	switch {
	case e.SE > 0:
		p, err := stats.StudentTSurvival(gap/e.SE, e.DF)
		if err != nil {
			return 1
		}
		return min(1, 2*p)
	case gap > 0:
		return 0
	}
	return 1
}

// open reports whether more items would decide.
func (d *Decision) open() bool {
	return d.Reason == Open || d.Reason == Guessing || d.Reason == TooFew || d.Reason == Several
}

// repairs reports whether the judge, without its bias, would surely agree beyond chance, and more by more than the margin or as much as
// needed where the answer is not yes.
func (m *measured) repairs(answer Answer, margin float64) bool {
	if !m.Bias.Above() && !m.Bias.Below() || !m.unbiased.Known || !m.Single.Known || m.unbiased.Value <= m.Single.Value || m.one ||
		!m.unbiased.Above() {
		return false
	}
	enough := m.gain.Bounded && m.gain.Low > -margin
	return m.unbiased.Value > m.Single.Value+margin || answer != Yes && enough
}

// gaps returns the distances that have to be surely not 0: of the difference from the margin, and of single from 0 where the difference is
// above the margin.
func (m *measured) gaps(margin float64) []stats.Estimate {
	difference := m.difference.Estimate
	single := m.single.Estimate
	difference.Value += margin
	if difference.Value <= 0 {
		return []stats.Estimate{difference}
	}
	return []stats.Estimate{difference, single}
}

// more returns the number of further items, each rated by two people, after which the answer would be known with two-sided p-values below
// alpha, if all figures stay; it is at most mostMore+1, and 0 where nothing is needed or the difference is on the margin.
func (d *Decision) more(alpha float64) int {
	times := 1.0
	for k, gap := range d.gaps {
		if k > 0 && gap.Value <= 0 { // single
			return mostMore + 1
		}
		if gap.SE == 0 {
			continue
		}
		gap.Level = 1 - alpha
		err := gap.SetBounds()
		if err != nil {
			return mostMore + 1
		}
		times = max(times, math.Pow((gap.High-gap.Value)/gap.Value, 2))
	}
	if n := float64(d.Twice) * (times - 1); n <= mostMore {
		return int(math.Ceil(n))
	}
	return mostMore + 1
}

// Together adjusts decisions that are made at once (Holm): one that is sure alone and not with the others is not known, and each needs
// more items than alone. In the order of their p-values, the k-th of n needs one below (1 - level) / (n - k + 1), and those before it do.
func Together(decisions []*Decision) error {
	tested := data.Where(decisions, func(d *Decision) bool { return !math.IsNaN(d.p) })
	adjusted, err := stats.Holm(data.Each(tested, func(d *Decision) float64 { return d.p }))
	if err != nil {
		return err
	}
	for i, d := range tested {
		d.Of = len(tested)
		if d.Answer != Unknown && adjusted[i] >= 1-level {
			d.Answer = Unknown
			d.Reason = Several
		}
	}
	slices.SortStableFunc(tested, func(a, b *Decision) int { return cmp.Compare(a.p, b.p) })
	needed := 0
	for i, d := range tested {
		needed = max(needed, d.more((1-level)/float64(len(tested)-i)))
		if d.open() {
			d.More = needed
		}
	}
	return nil
}

// slice decides on each slice with enough items; those that are surely below the margin, or surely good enough, adjusted for all
// slices of a column (Holm), are kept.
func (d *Decision) slice(s Study) {
	byColumn := map[string][]Part{}
	var columns []string
	for _, slice := range s.Slices {
		m := measured{Study: s}
		m.compute(slice.In)
		part := Part{Column: slice.Column, Value: slice.Value, Figures: m.Figures}
		part.Answer, _, part.p = m.answer(d.Margin)
		if math.IsNaN(part.p) {
			continue
		}
		if byColumn[slice.Column] == nil {
			columns = append(columns, slice.Column)
		}
		byColumn[slice.Column] = append(byColumn[slice.Column], part)
	}
	for _, column := range columns {
		parts := byColumn[column]
		adjusted, err := stats.Holm(data.Each(parts, func(p Part) float64 { return p.p }))
		for i, part := range parts {
			if err == nil && part.Answer != Unknown && adjusted[i] < 1-level {
				d.Slices = append(d.Slices, part)
			}
		}
	}
}

// Excluded returns the slices for which the judge surely cannot stand in.
func (d *Decision) Excluded() []Part {
	return data.Where(d.Slices, func(p Part) bool { return p.Answer == No })
}

// Enough reports whether the answer is yes, for all slices and all systems that the judge rated.
func (d *Decision) Enough() bool {
	return d.Answer == Yes && len(d.Excluded()) == 0 && len(d.Unrated) == 0
}
