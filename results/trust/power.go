package trust

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/raters"
	"compqa/stats"
	"compqa/stats/agreement"
)

// A Plan describes a study before it is made.
type Plan struct {
	Persons   int     // number of people who rate each item
	Low, High float64 // ends of the scale, which has whole steps
	Alpha     float64 // alpha of people among themselves
	Margin    float64 // 0: DefaultMargin
	Seed      uint64
	Pilot     bool // scale and alpha come from a pilot study, and Persons too if it is 0
}

// Limits of plans.
const (
	mostPersons  = 20
	mostPlanned  = 2000
	planStudies  = 300
	planPower    = .8
	spreadOfPlan = 1.1 / 4 // standard deviation of the true value, in widths of the scale
)

// ParsePlan reads a plan such as "people 3, scale 1..5, people .7, margin .1": 3 people rate each item, and their alpha is .7. A whole
// number from 2 on is the number of people; a number below 1 is alpha. A plan can also be "pilot", with a number of people and a margin.
func ParsePlan(text string) (p Plan, err error) {
	p = Plan{Low: math.NaN(), Alpha: math.NaN()}
	for part := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(part), " ")
		value = strings.TrimSpace(value)
		x, isNumber := data.Number(value)
		low, high, isRange := strings.Cut(value, "..")
		a, first := data.Number(low)
		b, second := data.Number(high)
		switch {
		case key == "pilot" && value == "":
			p.Pilot = true
		case key == "people" && isNumber && x >= 2 && x <= mostPersons && x == math.Trunc(x):
			p.Persons = int(x)
		case key == "people" && isNumber && x > 0 && x < 1:
			p.Alpha = x
		case key == "margin" && isNumber && x > 0 && x < 1:
			p.Margin = x
		case key == "scale" && value == "yes/no", key == "yes/no" && value == "":
			p.Low = 0
			p.High = 1
		case key == "scale" && isRange && first && second && b > a && b-a <= 100 && b-a == math.Trunc(b-a):
			p.Low = a
			p.High = b
		default:
			return p, fmt.Errorf("--plan: %q is not understood; write, for instance, \"people 3, scale 1..5, people .7\": how many people rate an "+
				"item (2 to %d), the scale (or yes/no), and the alpha of people with each other, above 0 and below 1",
				strings.TrimSpace(part), mostPersons)
		}
	}
	p.Margin = cmp.Or(p.Margin, DefaultMargin)
	if p.Pilot {
		if !math.IsNaN(p.Alpha) || !math.IsNaN(p.Low) {
			return p, fmt.Errorf("--plan %q: the pilot says the scale and how far people agree; leave them out", text)
		}
		return p, nil
	}
	p.Persons = cmp.Or(p.Persons, 2)
	if math.IsNaN(p.Low) {
		p.Low = 1
		p.High = 5
	}
	if math.IsNaN(p.Alpha) {
		return p, fmt.Errorf("--plan needs the alpha of people with each other, for instance \"people 3, scale 1..5, people .7\": " +
			"take it from a pilot: compqa validate LOG --people FILE --plan pilot")
	}
	return p, nil
}

// A Need is the number of items that a plan needs, if a number of people rate each item.
type Need struct {
	Persons int `csv:"people"`
	Items   int `csv:"items"` // 0: more than mostPlanned
}

// Needs returns the number of items with which a judge as good as a person gets the answer yes in 80 % of studies. It returns this for the
// plan's number of people and for 2, 3 and 5. It simulates studies with normal true values and normal noise of raters, and calls Decide.
func (p Plan) Needs() (needs []Need) {
	noise := p.noise()
	all := []int{p.Persons, 2, 3, 5}
	slices.Sort(all)
	for _, persons := range slices.Compact(all) {
		p.Persons = persons
		needs = append(needs, Need{persons, p.items(noise)})
	}
	return needs
}

// items returns the least number of items, to about 5 %, that gives enough power, or 0 if it is more than mostPlanned.
func (p Plan) items(noise float64) int {
	low := leastItems
	high := leastItems
	for p.power(high, noise) < planPower {
		if high == mostPlanned {
			return 0
		}
		low = high
		high = min(2*high, mostPlanned)
	}
	for high-low > max(1, low/20) {
		if middle := (low + high) / 2; p.power(middle, noise) < planPower {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// power returns the share of simulated studies with the answer yes.
func (p Plan) power(items int, noise float64) float64 {
	rng := rand.New(rand.NewPCG(p.Seed, uint64(p.Persons)))
	yes := 0
	for range planStudies {
		t, people := p.study(items, noise, rng)
		d := Decide(Study{Table: t, JudgeRater: people[0], PeopleRaters: people[1:], Margin: p.Margin})
		if d.Answer == Yes {
			yes++
		}
	}
	return float64(yes) / planStudies
}

// study simulates a study of a judge and people who all rate with the same noise. The first of all is the judge.
func (p Plan) study(items int, noise float64, rng *rand.Rand) (t raters.Table, all []raters.Rater) {
	t = raters.Table{Scale: raters.Scale{Level: agreement.Interval}, Units: make([]raters.Unit, items)}
	all = make([]raters.Rater, 1+p.Persons)
	width := p.High - p.Low
	for i := range t.Units {
		t.Units[i].Cluster = i
		truth := (p.Low+p.High)/2 + spreadOfPlan*width*rng.NormFloat64()
		for k := range all {
			value := math.Floor(truth+noise*width*rng.NormFloat64()-p.Low+.5) + p.Low
			all[k].Values = append(all[k].Values, raters.Number(min(p.High, max(p.Low, value))))
		}
	}
	return t, all
}

// noise returns the standard deviation of a rater's noise, in widths of the scale, with which people agree as planned. It is found by
// bisection.
func (p Plan) noise() float64 {
	low := 0.0
	high := 8.0
	p.Persons = 2
	for range 30 {
		middle := (low + high) / 2
		t, people := p.study(4000, middle, rand.New(rand.NewPCG(p.Seed, 0)))
		alpha := t.Among(people, raters.Options{Figures: raters.Alpha, Intervals: raters.NoIntervals}).Alpha.Value
		if alpha > p.Alpha {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// Sentences returns sentences on how many items the plan needs.
func (p Plan) Sentences() []string {
	scale := stats.Shortest(p.Low) + "–" + stats.Shortest(p.High)
	if p.Low == 0 && p.High == 1 {
		scale = "yes/no"
	}
	lines := []string{fmt.Sprintf("A judge as good as a person is answered yes in 80 %% of studies, where people agree at %s "+
		"on a scale of %s and the margin is %s, with about", stats.Number(p.Alpha).Text(2), scale, stats.Shortest(p.Margin))}
	for _, need := range p.Needs() {
		line := fmt.Sprintf("- %d items that %d people each rate (%d ratings)", rounded(need.Items), need.Persons,
			rounded(need.Items)*need.Persons)
		if need.Items == 0 {
			line = fmt.Sprintf("- more than %d items that %d people each rate", mostPlanned, need.Persons)
		}
		lines = append(lines, line)
	}
	return append(lines, "Answers to one question are alike: count them as less than one item each. "+
		"A judge that is better than a person needs fewer.")
}
