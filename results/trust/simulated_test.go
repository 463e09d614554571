package trust

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"compqa/data/sharedtest"
	"compqa/results/raters"
	"compqa/stats/agreement"
)

// A truth describes how judge and people rate in simulated studies. Points are the true value plus normal noise, rounded to 1 … 5. The
// true value has a mean of 3 and a standard deviation of 1.1; in clusters, .8 between and .75 within them.
type truth struct {
	items, people      int
	noise, first       float64 // standard deviations of people and of the judge
	bias               float64
	coin               bool
	shown, cluster     int     // people who rate an item, 0: all; items in a cluster, 0: 1
	prevalence, pass   float64 // share of yes; if pass > 0, the judge passes that share of items at random
	accuracy, judgeIs  float64
	weighted, oneSlice bool
}

// study simulates a study. Without prevalence, values are points; else they are yes and no with this share of yes.
func (s truth) study(rng *rand.Rand) Study {
	t := raters.Table{Scale: raters.Scale{Level: agreement.Interval}, Units: make([]raters.Unit, s.items)}
	judge := raters.Rater{Values: make([]raters.Value, s.items)}
	people := make([]raters.Rater, s.people)
	for k := range people {
		people[k].Values = make([]raters.Value, s.items)
	}
	between := 0.0
	for i := range t.Units {
		if s.cluster == 0 || i%s.cluster == 0 {
			between = rng.NormFloat64()
		}
		t.Units[i].Cluster = i / max(1, s.cluster)
		var own raters.Value
		var rate func(noise, bias float64) raters.Value
		if s.prevalence > 0 {
			is := rng.Float64() < s.prevalence
			yes := func(accuracy float64) raters.Value {
				return raters.Number(map[bool]float64{true: 1}[is == (rng.Float64() < accuracy)])
			}
			if own = yes(s.judgeIs); s.pass > 0 {
				own = raters.Number(map[bool]float64{true: 1}[rng.Float64() < s.pass])
			}
			rate = func(float64, float64) raters.Value { return yes(s.accuracy) }
		} else {
			value := 3 + 1.1*between
			if s.cluster > 0 {
				value = 3 + .8*between + .75*rng.NormFloat64()
			}
			rate = func(noise, bias float64) raters.Value {
				return raters.Number(min(5, max(1, math.RoundToEven(value+bias+noise*rng.NormFloat64()))))
			}
			bias := s.bias
			if s.oneSlice && i%4 != 0 {
				bias = 0
			}
			if own = rate(s.first, bias); s.coin {
				own = raters.Number(float64(1 + rng.IntN(5)))
			}
		}
		judge.Values[i] = own
		shown := rng.Perm(s.people)
		for place, k := range shown {
			people[k].Values[i] = rate(s.noise, 0)
			if s.shown > 0 && place >= s.shown {
				people[k].Values[i] = raters.Missing(raters.NotAsked)
			}
		}
	}
	study := Study{Judge: "judge", Criterion: "quality", Table: t, JudgeRater: judge, PeopleRaters: people}
	if s.oneSlice {
		for k, name := range []string{"A", "B"} {
			study.Slices = append(study.Slices, Slice{"system", name, func(i int) bool { return (i%4 != 0) == (k == 0) }})
		}
	}
	if s.weighted { // half of the items to which the judge gives 4 or more are labelled, and all others
		study.Table.Strata = make([]int, len(judge.Values))
		for i, v := range judge.Values {
			high := v.Number() >= 4
			study.Table.Strata[i] = map[bool]int{true: 1}[high]
			for k := range people {
				if high && i%2 == 0 {
					people[k].Values[i] = raters.Missing(raters.NotAsked)
				}
			}
		}
	}
	return study
}

// TestSoakOperatingCharacteristics: it counts how often Decide gives each answer in simulated studies whose truth is known. The shares are
// within .05 of those of an independent program with 400 studies each. Those of 5 people, weights and slices have bounds of their own.
func TestSoakOperatingCharacteristics(t *testing.T) {
	sharedtest.Soak(t)
	five := func(items, people int, first float64) truth {
		return truth{items: items, people: people, noise: .6, first: first}
	}
	with := func(s truth, change func(*truth)) truth { change(&s); return s }
	clusters := func(s *truth) { s.cluster = 4 }
	coin := func(s *truth) { s.coin = true }
	sparse := func(s *truth) { s.shown = 2 }
	const any = -1
	for _, c := range []struct {
		name    string
		truth   truth
		yes, no float64 // any: not checked
	}{
		{"equal", five(30, 2, .6), .26, 0}, {"equal", five(60, 2, .6), .42, 0}, {"equal", five(120, 2, .6), .71, 0}, {"equal", five(200, 2, .6), .91, 0},
		{"equal", five(30, 3, .6), .38, 0}, {"equal", five(60, 3, .6), .66, 0}, {"equal", five(120, 3, .6), .87, 0}, {"equal", five(200, 3, .6), .98, 0},
		{"better", five(60, 3, .3), 1, 0}, {"better", five(200, 3, .3), 1, 0},
		{"worse", five(60, 3, 1), .04, .02}, {"worse", five(200, 3, 1), .01, .05},
		{"one point too high", with(five(60, 3, .6), func(s *truth) { s.bias = 1 }), 0, .52},
		{"one point too high", with(five(200, 3, .6), func(s *truth) { s.bias = 1 }), 0, .98},
		{"coin", with(five(200, 3, 0), coin), 0, 1},
		{"coin, 2 of 20 people", with(with(five(200, 20, 0), coin), sparse), 0, 1},
		{"equal, 2 of 20 people", with(five(200, 20, .6), sparse), .87, 0},
		{"equal, clusters", with(five(200, 3, .6), clusters), .97, 0},
		{"half pass", truth{items: 100, people: 3, prevalence: .5, accuracy: .9, judgeIs: .9}, .38, 0},
		{"half pass", truth{items: 300, people: 3, prevalence: .5, accuracy: .9, judgeIs: .9}, .78, 0},
		{"nine in ten pass", truth{items: 100, people: 3, prevalence: .9, accuracy: .95, judgeIs: .95}, .32, 0},
		{"nine in ten pass", truth{items: 300, people: 3, prevalence: .9, accuracy: .95, judgeIs: .95}, .59, 0},
		{"coin where nine in ten pass", truth{items: 100, people: 3, prevalence: .9, accuracy: .95, pass: .93}, 0, .93},
		{"coin where nine in ten pass", truth{items: 300, people: 3, prevalence: .9, accuracy: .95, pass: .93}, 0, 1},
		{"people who hardly agree", truth{items: 300, people: 3, noise: 1.6, first: 1.6}, .65, 0},
		{"coin beside them", with(truth{items: 300, people: 3, noise: 1.6}, coin), 0, .91},
		{"equal, 5 people", five(60, 5, .6), any, 0}, {"coin, 5 people", with(five(60, 5, 0), coin), 0, any},
		{"equal, weighted", with(five(200, 3, .6), func(s *truth) { s.weighted = true }), any, 0},
		{"coin, weighted", with(with(five(200, 3, 0), coin), func(s *truth) { s.weighted = true }), 0, any},
		{"one slice too high", with(five(400, 3, .6), func(s *truth) {
			s.bias = 1.5
			s.oneSlice = true
		}), any, any},
	} {
		const studies = 1000
		count := map[Answer]int{}
		excluded := 0
		wrong := 0
		rng := rand.New(rand.NewPCG(7, 0))
		for range studies {
			d := Decide(c.truth.study(rng))
			count[d.Answer]++
			for _, part := range d.Excluded() {
				if part.Value == "B" {
					excluded++
				} else {
					wrong++
				}
			}
		}
		yes := float64(count[Yes]) / studies
		no := float64(count[No]) / studies
		name := fmt.Sprintf("%s, %d items, %d people", c.name, c.truth.items, c.truth.people)
		t.Logf("%-50s yes %.2f no %.2f not known %.2f", name, yes, no, 1-yes-no)
		if c.yes != any && math.Abs(yes-c.yes) > .05 {
			t.Errorf("%s: yes in %.2f of studies, want %.2f", name, yes, c.yes)
		}
		if c.no != any && math.Abs(no-c.no) > .05 {
			t.Errorf("%s: no in %.2f of studies, want %.2f", name, no, c.no)
		}
		if c.truth.oneSlice && (float64(excluded) < .9*studies || float64(wrong) > .05*studies) {
			t.Errorf("%s: B is left out in %d studies and A in %d", name, excluded, wrong)
		}
	}
}

// TestSoakPlan: plans agree with TestSoakOperatingCharacteristics. For three people who agree at .72, 60 items are too few and 120 are
// enough. Fewer people, or people who agree less, need more items.
func TestSoakPlan(t *testing.T) {
	sharedtest.Soak(t)
	needs := func(text string) map[int]int {
		p, err := ParsePlan(text)
		if err != nil {
			t.Fatal(err)
		}
		p.Seed = 1
		items := map[int]int{}
		for _, need := range p.Needs() {
			items[need.Persons] = need.Items
		}
		return items
	}
	good := needs("people 3, scale 1..5, people .72")
	less := needs("people 3, scale yes/no, people .5")
	if good[3] <= 60 || good[3] > 120 || good[2] <= good[3] || good[5] >= good[3] || less[3] <= good[3] {
		t.Errorf("items by people: %v; where they agree less: %v", good, less)
	}
}
