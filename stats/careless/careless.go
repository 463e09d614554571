// Package careless finds people who rate without looking.
//
// For each person, the package computes the logarithm of a likelihood ratio: how many times more probable her work is for somebody who
// clicks without looking than for an honest person. It is a sum over attention items, items with known sheets (gold), and agreement with
// other people and with herself. Other people count with the probability that they are honest, so that many clickers do not hide each
// other. These probabilities are found by expectation and maximisation (EM).
//
// The priors come from 161 people of eleven public data sets: honest people miss 4 to 11 % of clear gold, and agree with
// the others by .59 of the median or more.
package careless

import (
	"math"
	"slices"

	"compqa/stats"
)

// A Study holds what all people did. All rows have the same columns.
type Study struct {
	People   []Person
	Items    int     // rows name the items 0 to Items-1
	Criteria [][]int // columns of each criterion; one with three or more nominal categories has an indicator column for each
}

// A Person holds what one person did, in any order. A Place is the position in her work, in [0, 1).
type Person struct {
	Rows          []Row
	Repeats       []Repeat
	Gold          []Gold
	Attention     []Check
	Sheets, Alike int  // number of her sheets, and how often the most frequent one, as shown to her, is among them
	Excluded      bool // does not count in the means and medians for other people
}

// A Row holds a person's values of one item.
type Row struct {
	Item   int
	Place  float64
	Values []float64
}

// A Repeat holds the values of an item that a person got a second time, and the values that she gave before.
type Repeat struct {
	Place          float64
	Values, Before []float64
}

// A Gold holds, for each criterion of a known sheet, whether the person missed the value, and the probability that somebody who does not
// look misses it.
type Gold struct {
	Place  float64
	Missed []bool
	Chance []float64 // in [0, 1]
}

// SheetMissed reports whether the person missed the sheet: at least a third of its criteria.
func (g Gold) SheetMissed() bool { return g.sheetMissed(-1) }

// sheetMissed is SheetMissed without one criterion, or with all if dropped is -1.
func (g Gold) sheetMissed(dropped int) bool {
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

// leastOf returns the number of missed criteria from which a known sheet counts as missed.
func leastOf(criteria int) int { return (criteria + 2) / 3 }

// A Check is an attention item, with the probability that somebody who does not look misses it.
type Check struct {
	Place  float64
	Missed bool
	Chance float64 // in [0, 1]
}

const (
	// Limit is the likelihood ratio from which a person is flagged. For parts of the work it is partLimit, because several parts are
	// tested.
	Limit     = 20.0
	partLimit = 60.0

	prior       = 0.15 // assumed share of people who do not look
	rounds      = 8    // of EM, at most
	leastOthers = 4    // agreement is evaluated only with at least this many other people
	leastRows   = 5    // and with at least this many rows
	fewCriteria = 3    // with at least this many criteria, the work is also evaluated without each criterion

	upsideDown = -3 // if Z is below it, the person may have reversed the scale

	alikeSheets = 10    // sheets from which giving the same sheet again and again is flagged
	alikeShare  = 0.8   // least share of the person's sheets that are the same
	alikeUsual  = 0.9   // quantile of the other people's share that is taken as usual
	alikeChance = 0.005 // largest probability of so many same sheets at the usual share
)

// beta holds the parameters of a beta distribution: how often honest people miss a check.
type beta struct{ a, b float64 }

var (
	attentionMisses = beta{.5, 9.5}
	goldMisses      = beta{1, 11}
)

// honest is the distribution of honest people's agreement: factors of the median of the others, with their shares.
var honest = []struct{ factor, share float64 }{{.35, .04}, {.5, .1}, {.7, .26}, {1, .4}, {1.3, .2}}

// The reasons of a flag.
const (
	None       = ""
	Random     = "random"      // the whole work looks random
	SecondHalf = "second half" // the second half of the work looks random
	Criterion  = "criterion"   // the work looks random without one criterion
	SameSheet  = "same sheet"
	Reversed   = "reversed" // agrees with the others on a reversed scale; not a clicker
)

// A Finding is the evidence from one person's work. Logarithms are natural, and positive if the work suggests somebody who does not look.
type Finding struct {
	Why                        string  // None, or the reason of a flag
	Log                        float64 // of the part of the work that Why names; the sum of the evidence
	Attention, Gold, Agreement float64 // evidence of the whole work, by kind
	Known                      bool    // Z could be computed
	Z                          float64 // agreement, standardised by its distribution for sheets shuffled over the items
	Usual                      float64 // Z that a typical honest person would have here
	Rows                       int     // number of rows behind Z
}

// Ratio returns how many times more probable the work is for somebody who does not look.
func (f Finding) Ratio() float64 { return math.Exp(f.Log) }

// Find computes the findings of all people by EM: it alternates between the evidence on each person, and the probabilities that people are
// honest.
func (s Study) Find() []Finding {
	weights := make([]float64, len(s.People))
	same := make([]bool, len(s.People))
	for i, p := range s.People {
		same[i] = s.alike(i)
		if !p.Excluded {
			weights[i] = 1
		}
	}
	l := evaluation{study: s, weights: weights, columns: s.columns(-1), dropped: -1}
	var found []Finding
	for range rounds {
		l.means = s.means(l.weights)
		l.compared = l.compare()
		found = l.findings()
		next := make([]float64, len(s.People))
		moved := 0.0
		for i, f := range found {
			if !same[i] && !s.People[i].Excluded {
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
	s.evaluateParts(l, found)
	return found
}

// evaluateParts evaluates the second half of the work, and the work without each criterion, for people who are not flagged for the whole
// work.
func (s Study) evaluateParts(l evaluation, found []Finding) {
	mark := func(why string, part evaluation) {
		for i, f := range part.findings() {
			if found[i].Why == None && f.Log >= math.Log(partLimit) {
				found[i].Why = why
				found[i].Log = f.Log
			}
		}
	}
	half := l
	half.start = .5
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

// columns returns the columns of all criteria but one, or of all if but is -1.
func (s Study) columns(but int) (list []int) {
	for c, columns := range s.Criteria {
		if c != but {
			list = append(list, columns...)
		}
	}
	return list
}

// alike reports whether a person gives suspiciously often the same sheet. That is so if she has at least alikeSheets sheets, at least
// alikeShare of them are the same, and so many have a probability below alikeChance at the usual share (0.9 quantile) of the other people.
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

// misses returns the log evidence of x missed checks out of n. chance is the mean probability that somebody who does not look misses one. b
// is the distribution for honest people:
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

// attention returns the log evidence of x missed attention items out of n, at least 0: passing does not acquit anybody, because attention
// items are short and clickers read them.
func attention(x, n int, chance float64) float64 {
	return max(0, misses(x, n, chance, attentionMisses))
}

// sheetChance returns the probability that a known sheet is missed, if its criteria are missed independently with these probabilities.
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

// agreementEvidence returns the log evidence of an agreement z over n rows. m is the median of other people's agreement divided by
// √(n-1).
func agreementEvidence(z, m float64, n int) float64 {
	sum := 0.0
	for _, h := range honest {
		sum += h.share * math.Exp(logNormal(z, h.factor*m*math.Sqrt(float64(n-1)))-logNormal(z, 0))
	}
	return -math.Log(sum)
}
