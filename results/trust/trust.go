// Package trust decides whether a judge can stand in for one person on a criterion. The answer is yes, no, or not known yet. No other
// package has a rule for this: results/validation, results/judgequality and the commands show the decisions of this package in its words.
package trust

import (
	"cmp"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/raters"
	"compqa/stats"
)

// An Answer says whether a judge can stand in for a person: yes, no, or "" (not known yet).
type Answer string

const (
	Yes     Answer = "yes" // the judge can stand in for a person
	No      Answer = "no"  // the judge cannot stand in for a person
	Unknown Answer = ""    // the data do not say
)

// A Reason says why an Answer is not known.
type Reason string

const (
	NotOneScale      Reason = "not one scale"            // judge and people have different scales, so that their figures cannot be compared
	NoItems          Reason = "no items"                 // the judge and people rated no common item
	Unchecked        Reason = "reading not checked"      // a check asks the user a question about how files were read
	LabelsByVerdict  Reason = "labels depend on verdict" // the judge's values differ between labelled and other items
	NotFirst         Reason = "first answers unchosen"   // sets of answers are in alphabetical order, so that the first is not a choice
	OnePerson        Reason = "one person"               // one person rated, or no item has two people
	Alike            Reason = "all values alike"         // all values are the same
	Undefined        Reason = "no figure"                // a figure is undefined, also without one of the clusters
	Few              Reason = "few items"                // fewer than leastItems items, or leastClusters clusters
	Disagree         Reason = "people do not agree"      // people's alpha is surely at most 0, or surely below leastAgreed
	TooFew           Reason = "people rated too few"     // the interval of their alpha contains 0
	Guessing         Reason = "agreement may be chance"  // the interval of Single contains 0
	ContainsMargin   Reason = "interval contains margin" // the interval of the difference contains the margin
	SeveralDecisions Reason = "several decisions"        // sure alone, but not together with the other decisions
)

// Limits of the rule.
const (
	DefaultMargin = .1 // default for how much less than people among themselves the judge may agree with a person (difference of alphas)
	leastItems    = 20 // if fewer items are rated, or fewer by two people, figures are preliminary
	leastClusters = 10 // if there are fewer clusters, figures are preliminary
	leastAgreed   = .2 // people whose alpha is surely below it do not agree
	hardlyAgreed  = .4 // if people's alpha is below it, the mean of several people is better than one person
	mostMore      = 2000
	level         = .95
)

// A Study has the values that one judge and people gave to the items of a criterion. If its Table is Weighted, figures use the table's
// weights.
type Study struct {
	Judge, Criterion string
	Table            raters.Table
	JudgeRater       raters.Rater
	PeopleRaters     []raters.Rater
	Margin           float64  // 0: DefaultMargin
	Doubt            Reason   // why the answer is not known, whatever the figures are; "": no such reason
	Questions        []string // open questions to the user if Doubt is Unchecked, each beginning with "whether"
	NoFigures        bool     // agreement has no figures, for instance because nobody labelled items with some value of the judge
	Slices           []Slice
	Unrated          []string // systems that the judge rated and no person rated
	Tuned            bool     // the judge was trained or tuned on these scores
}

// A Slice is a subset of the items: those whose column has a value.
type Slice struct {
	Column, Value string // Column is "system" or a column of the log
	In            func(unit int) bool
}

// Figures has the figures on which a decision is based, over items that the judge and people rated. Signed figures are judge minus people.
type Figures struct {
	Single           stats.Figure // alpha of the judge with one person
	People           stats.Figure // alpha of people among themselves
	Difference       stats.Figure // Single - People
	Bias             stats.Figure // mean over items of the judge's value minus people's mean, on the criterion's scale; missing for labels
	Unbiased         stats.Figure // Single if Bias is subtracted from the judge's values
	Items            int          // items that the judge and a person rated
	Silent           int          // items that a person rated and the judge, though asked, did not
	ItemsOfTwoPeople int          // items that the judge and two people rated
	Clusters         int          // clusters of Items
	Persons          int
}

// A Decision says whether a judge can stand in for one person on a criterion.
type Decision struct {
	Judge, Criterion string
	Answer           Answer
	Reason           Reason // why Answer is Unknown
	Margin           float64
	Figures
	FurtherItems     int             // further items, rated by two people, that would decide if figures stay the same; 0: not known
	AdjustedTogether int             // number of decisions that were adjusted together; 0 or 1: only this one
	Slices           []SliceDecision // slices with a sure answer
	Unrated          []string
	Tuned            bool
	Questions        []string // see Study
	Repair           bool     // without its bias the judge would agree by more than the margin more, or the answer would be another
	Constant         bool     // the judge gives every item the same value

	Severities Severities
	Consensus  *Consensus // nil: no item has values of the judge and of three people

	p    float64          // p-value of the tests that the answer needs; NaN: not tested
	gaps []stats.Estimate // distances that must surely differ from 0 for an answer
}

// A SliceDecision is the decision on a slice.
type SliceDecision struct {
	Column, Value string
	Answer        Answer
	Figures

	p float64
}

// Decide decides by this rule, where m is the margin:
//
//	single     = 1 - D(judge, person) / E
//	people     = Krippendorff's alpha of people
//	difference = single - people
//	yes: single surely above 0, and difference surely above -m
//	no:  difference surely below -m
//
// D is the mean disagreement of the judge with the people of an item, averaged over items. E is the disagreement expected from the pooled
// values of both. Each item counts once, with its weight, so that the rule works if few of many people rate an item. Intervals are
// Student's at 95 %, by leaving out clusters. In all other cases the answer is not known, for a Reason.
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
	m := measurement{Study: s}
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
	if d.undecided() {
		d.FurtherItems = d.furtherItems(1 - level)
	}
	d.Repair = !s.NoFigures && m.repairs(d.Answer, d.Margin)
	d.Constant = m.constantJudge
	d.Severities = s.severities()
	if s.Doubt == "" {
		d.slice(s)
	}
	return d
}

// answer returns the answer that follows from the figures alone, and its p-value. The p-value is NaN if nothing was tested.
func (m *measurement) answer(margin float64) (Answer, Reason, float64) {
	switch {
	case m.Items == 0:
		return Unknown, NoItems, math.NaN()
	case m.Persons < 2 || m.ItemsOfTwoPeople == 0:
		return Unknown, OnePerson, math.NaN()
	case m.alike:
		return Unknown, Alike, math.NaN()
	case !m.Difference.Interval() || !m.People.Interval() || !m.Single.Interval():
		return Unknown, Undefined, math.NaN()
	case m.Items < leastItems || m.ItemsOfTwoPeople < leastItems || m.Clusters < leastClusters || m.twiceClusters < leastClusters:
		return Unknown, Few, math.NaN()
	}
	p := m.difference.pValue(-margin)
	switch {
	case m.Difference.High < -margin:
		return No, "", p
	case disagree(m.People):
		return Unknown, Disagree, math.NaN()
	case m.Difference.Low > -margin && m.Single.AboveZero():
		return Yes, "", max(p, m.single.pValue(0))
	case !m.People.AboveZero():
		return Unknown, TooFew, max(p, m.single.pValue(0))
	case m.Difference.Low > -margin:
		return Unknown, Guessing, max(p, m.single.pValue(0))
	}
	if m.Difference.Value > -margin {
		p = max(p, m.single.pValue(0))
	}
	return Unknown, ContainsMargin, p
}

// disagree reports whether people surely do not agree: the upper bound of their alpha is at most 0, or below leastAgreed.
func disagree(people stats.Figure) bool {
	return people.Interval() && (people.High <= 0 || people.High < leastAgreed)
}

// pValue returns the two-sided p-value of the hypothesis that the estimated figure equals value.
func (e estimate) pValue(value float64) float64 {
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

// undecided reports whether the answer is unknown for a reason that more items can remove.
func (d *Decision) undecided() bool {
	return d.Reason == ContainsMargin || d.Reason == Guessing || d.Reason == TooFew || d.Reason == SeveralDecisions
}

// repairs reports whether subtracting its bias would make the judge good enough. It must then surely agree beyond chance. It must also
// agree more by more than the margin, or, if the answer is not yes, agree as much as the rule needs.
func (m *measurement) repairs(answer Answer, margin float64) bool {
	if !m.Bias.AboveZero() && !m.Bias.BelowZero() || !m.unbiased.Known || !m.Single.Known || m.unbiased.Value <= m.Single.Value ||
		m.constantJudge ||
		!m.unbiased.AboveZero() {
		return false
	}
	enough := m.gain.Bounded && m.gain.Low > -margin
	return m.unbiased.Value > m.Single.Value+margin || answer != Yes && enough
}

// gaps returns the distances that must surely differ from 0 for an answer: of the difference from the margin and, if the difference is
// above the margin, of single from 0.
func (m *measurement) gaps(margin float64) []stats.Estimate {
	difference := m.difference.Estimate
	single := m.single.Estimate
	difference.Value += margin
	if difference.Value <= 0 {
		return []stats.Estimate{difference}
	}
	return []stats.Estimate{difference, single}
}

// furtherItems returns how many further items, each rated by two people, would give an answer with two-sided p-values below alpha, if all
// figures stay the same. It is at most mostMore+1. It is 0 if no more are needed, or if the difference equals the margin.
func (d *Decision) furtherItems(alpha float64) int {
	times := 1.0
	for k, gap := range d.gaps {
		if k > 0 && gap.Value <= 0 { // single is at most 0
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
	if n := float64(d.ItemsOfTwoPeople) * (times - 1); n <= mostMore {
		return int(math.Ceil(n))
	}
	return mostMore + 1
}

// Together adjusts decisions for each other (Holm). A decision that is sure alone but not together becomes unknown, and decisions need more
// items. In ascending order of p-values, the k-th of n needs a p-value below (1 - level) / (n - k + 1), and so do all before it.
func Together(decisions []*Decision) error {
	tested := data.Where(decisions, func(d *Decision) bool { return !math.IsNaN(d.p) })
	adjusted, err := stats.Holm(data.Each(tested, func(d *Decision) float64 { return d.p }))
	if err != nil {
		return err
	}
	for i, d := range tested {
		d.AdjustedTogether = len(tested)
		if d.Answer != Unknown && adjusted[i] >= 1-level {
			d.Answer = Unknown
			d.Reason = SeveralDecisions
		}
	}
	slices.SortStableFunc(tested, func(a, b *Decision) int { return cmp.Compare(a.p, b.p) })
	needed := 0
	for i, d := range tested {
		needed = max(needed, d.furtherItems((1-level)/float64(len(tested)-i)))
		if d.undecided() {
			d.FurtherItems = needed
		}
	}
	return nil
}

// slice decides on each slice with enough items. It keeps slices with a sure answer, adjusted for all slices of a column (Holm).
func (d *Decision) slice(s Study) {
	byColumn := map[string][]SliceDecision{}
	var columns []string
	for _, slice := range s.Slices {
		m := measurement{Study: s}
		m.compute(slice.In)
		part := SliceDecision{Column: slice.Column, Value: slice.Value, Figures: m.Figures}
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
		adjusted, err := stats.Holm(data.Each(parts, func(p SliceDecision) float64 { return p.p }))
		for i, part := range parts {
			if err == nil && part.Answer != Unknown && adjusted[i] < 1-level {
				d.Slices = append(d.Slices, part)
			}
		}
	}
}

// Excluded returns the slices for which the judge surely cannot stand in.
func (d *Decision) Excluded() []SliceDecision {
	return data.Where(d.Slices, func(p SliceDecision) bool { return p.Answer == No })
}

// AppliesEverywhere reports whether the answer is yes, no slice is excluded, and people rated all systems that the judge rated.
func (d *Decision) AppliesEverywhere() bool {
	return d.Answer == Yes && len(d.Excluded()) == 0 && len(d.Unrated) == 0
}
