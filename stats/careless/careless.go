// Package careless finds people who rate without looking.
//
// The figure of a person is the logarithm of how many times more probable her work is for somebody who clicks without looking than
// for an honest person: a sum over attention items, items with known sheets (gold), and agreement with others and with herself. How
// much the others count depends on how probably they are honest, so that many clickers do not hide each other: the figures are
// computed by expectation and maximization (EM).
//
// The priors come from 161 people of eleven public data sets: honest people miss 4 to 11 % of clear gold, and agree with
// the others by .59 of the median or more.
package careless

import (
	"math"
	"slices"

	"compqa/stats"
)

// A Study has what people did. Rows of all people have the same columns.
type Study struct {
	People   []Person
	Items    int     // rows are of the items 0 to Items-1
	Criteria [][]int // the columns of each criterion; a nominal criterion of three kinds or more has an indicator column for each
}

// A Person has what one person did, in any order. A place is that in her work, in [0, 1).
type Person struct {
	Rows          []Row
	Repeats       []Repeat
	Gold          []Gold
	Attention     []Check
	Sheets, Alike int  // sheets of the study, and how many of them are the same, as they were shown
	Out           bool // counts for nobody else
}

// A Row has the values of an item.
type Row struct {
	Item   int
	Place  float64
	Values []float64
}

// A Repeat has the values of an item that the person got again, and those that she gave before.
type Repeat struct {
	Place          float64
	Values, Before []float64
}

// A Gold says by criterion which values of a known sheet the person missed, and how probably somebody who does not look misses them.
type Gold struct {
	Place  float64
	Missed []bool
	Chance []float64 // in [0, 1]
}

// Lost reports whether a sheet is missed: a third of its criteria or more.
func (g Gold) Lost() bool { return g.lost(-1) }

// lost is Lost without a criterion; -1: with all.
func (g Gold) lost(dropped int) bool {
	missed := 0
	criteria := 0
	for c, is := range g.Missed {
		if c == dropped {
			continue
		}
		criteria++
		if is {
			missed++
		}
	}
	return criteria > 0 && missed >= leastOf(criteria)
}

// leastOf returns the number of missed criteria from which on a known sheet is missed.
func leastOf(criteria int) int { return (criteria + 2) / 3 }

// A Check is an attention item, with the chance that somebody who does not look misses it.
type Check struct {
	Place  float64
	Missed bool
	Chance float64 // in [0, 1]
}

const (
	// Limit is the ratio from which on a person is flagged; of a part of the work it is partLimit, because there are several parts.
	Limit     = 20.0
	partLimit = 60.0

	prior       = 0.15 // share of people who do not look, before anything is known
	rounds      = 8    // of EM at most
	leastOthers = 4    // agreement says nothing with fewer people, or fewer rows
	leastRows   = 5
	fewCriteria = 3 // from which on the work without one criterion is looked at

	upsideDown = -3 // Z below which a person may have reversed the scale

	alikeSheets = 10  // from which on the same sheet again and again is a flag
	alikeShare  = 0.8 // of the sheets
	alikeUsual  = 0.9 // nine of ten others do it less often
	alikeChance = 0.005
)

// beta is the distribution of honest people's misses.
type beta struct{ a, b float64 }

var (
	attentionMisses = beta{.5, 9.5}
	goldMisses      = beta{1, 11}
)

// honest are the agreements of honest people by the median of the others, with their shares.
var honest = []struct{ factor, share float64 }{{.35, .04}, {.5, .1}, {.7, .26}, {1, .4}, {1.3, .2}}

// The reasons of a flag.
const (
	None       = ""
	Random     = "random"      // the whole work
	SecondHalf = "second half" // of the work
	Criterion  = "criterion"   // all criteria but one
	SameSheet  = "same sheet"
	Reversed   = "reversed" // agrees with the others upside down: no clicker
)

// A Finding is what a person's work says. Logarithms are natural; above 0 for somebody who does not look.
type Finding struct {
	Why                        string  // None, or the reason of a flag
	Log                        float64 // of the part of the work that Why names
	Attention, Gold, Agreement float64 // its parts, of the whole work
	Known                      bool    // Z says something
	Z                          float64 // agreement, against the same sheets shuffled over the items
	Usual                      float64 // Z that an honest person has here in the middle
	Rows                       int     // of Z
}

// Ratio returns how many times more probable the work is for somebody who does not look.
func (f Finding) Ratio() float64 { return math.Exp(f.Log) }

// Find computes the figures of all people.
func (s Study) Find() []Finding {
	weights := make([]float64, len(s.People))
	same := make([]bool, len(s.People))
	for i, p := range s.People {
		same[i] = s.alike(i)
		if !p.Out {
			weights[i] = 1
		}
	}
	l := look{study: s, weights: weights, columns: s.columns(-1), dropped: -1}
	var found []Finding
	for range rounds {
		l.means = s.means(l.weights)
		l.compared = l.compare()
		found = l.all()
		next := make([]float64, len(s.People))
		moved := 0.0
		for i, f := range found {
			if !same[i] && !s.People[i].Out {
				next[i] = 1 / (1 + math.Exp(max(-30, min(30, f.Log)))*prior/(1-prior))
			}
			moved = max(moved, math.Abs(next[i]-l.weights[i]))
		}
		l.weights = next
		if moved < .01 {
			break
		}
	}
	for i := range found {
		switch f := &found[i]; {
		case same[i]:
			f.Why = SameSheet
		case f.Known && f.Z < upsideDown && f.Attention+f.Gold < math.Log(Limit):
			f.Why = Reversed
		case f.Log >= math.Log(Limit):
			f.Why = Random
		}
	}
	s.parts(l, found)
	return found
}

// parts looks at the second half of the work, and at all criteria but one, of people whose whole work is not a flag.
func (s Study) parts(l look, found []Finding) {
	mark := func(why string, part look) {
		for i, f := range part.all() {
			if found[i].Why == None && f.Log >= math.Log(partLimit) {
				found[i].Why = why
				found[i].Log = f.Log
			}
		}
	}
	half := l
	half.from = .5
	half.compared = half.compare()
	mark(SecondHalf, half)
	if len(s.Criteria) < fewCriteria {
		return
	}
	for c := range s.Criteria {
		part := l
		part.columns = s.columns(c)
		part.dropped = c
		mark(Criterion, part)
	}
}

// columns returns those of all criteria but one; -1: of all.
func (s Study) columns(but int) (list []int) {
	for c, columns := range s.Criteria {
		if c != but {
			list = append(list, columns...)
		}
	}
	return list
}

// alike reports whether a person gives the same sheet in most of ten sheets or more, and so often with a probability of less than
// alikeChance if it were given as often as nine of ten others give theirs.
func (s Study) alike(person int) bool {
	p := s.People[person]
	if p.Sheets < alikeSheets || float64(p.Alike) < alikeShare*float64(p.Sheets) {
		return false
	}
	usual := .5
	var others []float64
	for i, o := range s.People {
		if i != person && o.Sheets >= alikeSheets {
			others = append(others, float64(o.Alike)/float64(o.Sheets))
		}
	}
	if len(others) > 0 {
		slices.Sort(others)
		usual = stats.Quantile(others, alikeUsual)
	}
	usual = min(.999, max(.5, usual))
	tail := 0.0
	for k := p.Alike; k <= p.Sheets; k++ {
		tail += math.Exp(logChoose(p.Sheets, k) + float64(k)*math.Log(usual) + float64(p.Sheets-k)*math.Log(1-usual))
	}
	return tail < alikeChance
}

func logGamma(x float64) float64 {
	value, _ := math.Lgamma(x)
	return value
}

func logChoose(n, k int) float64 {
	return logGamma(float64(n+1)) - logGamma(float64(k+1)) - logGamma(float64(n-k+1))
}

// misses returns the log evidence of x missed checks of n: chance is the mean probability that somebody who does not look misses one.
//
//	x·log q + (n−x)·log(1−q) − log B(x+a, n−x+b)/B(a, b)
func misses(x, n int, chance float64, b beta) float64 {
	if n == 0 {
		return 0
	}
	q := min(max(chance, .02), .98)
	hit := float64(n - x)
	missed := float64(x)
	honest := logGamma(missed+b.a) + logGamma(hit+b.b) - logGamma(float64(n)+b.a+b.b) + logGamma(b.a+b.b) - logGamma(b.a) - logGamma(b.b)
	return missed*math.Log(q) + hit*math.Log(1-q) - honest
}

// attention is the evidence of x missed attention items of n. Passing acquits nobody: attention items are short, and clickers read them.
func attention(x, n int, chance float64) float64 {
	return max(0, misses(x, n, chance, attentionMisses))
}

// sheetChance returns the probability that a known sheet is missed, where each criterion is missed with a probability.
func sheetChance(chances []float64) float64 {
	number := []float64{1} // probabilities of 0, 1, … misses
	for _, q := range chances {
		next := make([]float64, len(number)+1)
		for k, x := range number {
			next[k] += x * (1 - q)
			next[k+1] += x * q
		}
		number = next
	}
	sum := 0.0
	for _, x := range number[min(leastOf(len(chances)), len(chances)):] {
		sum += x
	}
	return sum
}

func logNormal(x, mean float64) float64 { return -(x - mean) * (x - mean) / 2 }

// agreementEvidence returns the log evidence of z over n rows where honest people have the median m for each square root of a row.
func agreementEvidence(z, m float64, n int) float64 {
	sum := 0.0
	for _, h := range honest {
		sum += h.share * math.Exp(logNormal(z, h.factor*m*math.Sqrt(float64(n-1)))-logNormal(z, 0))
	}
	return -math.Log(sum)
}
