package careless

import (
	"fmt"
	"math"
	"testing"

	"compqa/stats"
)

// simulated returns a study with 14 people and k criteria, with sheets from 1 to 5. Two people choose at random from the first sheet on,
// one from the middle on, and one gives the same sheet to everything.
func simulated(seed uint64, k int) Study {
	const people, items, each = 14, 24, 16
	rng := stats.NewRNG(seed, "careless")
	s := Study{Items: items, People: make([]Person, people)}
	for c := range k {
		s.Criteria = append(s.Criteria, []int{c})
	}
	truth := make([][]float64, items)
	for i := range truth {
		for range k {
			truth[i] = append(truth[i], 1+4*rng.Float64())
		}
	}
	for p := range s.People {
		sheet := func(item int, place float64) []float64 {
			row := make([]float64, k)
			for c := range row {
				row[c] = math.Round(min(5, max(1, truth[item][c]+2*rng.Float64()-1)))
				if p < 2 || p == 2 && place >= .5 {
					row[c] = float64(1 + rng.Intn(5))
				}
				if p == 3 {
					row[c] = 4
				}
			}
			return row
		}
		who := &s.People[p]
		counts := map[string]int{}
		first := map[int][]float64{}
		for i := range each {
			item := (p*5 + i) % items
			place := (float64(i) + .5) / each
			row := sheet(item, place)
			first[i] = row
			counts[fmt.Sprint(row)]++
			who.Alike = max(who.Alike, counts[fmt.Sprint(row)])
			who.Rows = append(who.Rows, Row{item, place, row})
		}
		who.Sheets = each
		for i := range 3 {
			who.Repeats = append(who.Repeats, Repeat{.5 + float64(i)/6, sheet((p*5+i)%items, .5+float64(i)/6), first[i]})
			g := Gold{Place: (float64(i) + .5) / 3}
			for range k {
				careless := p < 2 || p == 2 && g.Place >= .5
				g.Missed = append(g.Missed, rng.Float64() < map[bool]float64{true: .55, false: .05}[careless])
				g.Chance = append(g.Chance, .4+.3*rng.Float64())
			}
			who.Gold = append(who.Gold, g)
		}
		for i := range 2 {
			c := Check{Place: (float64(i) + .5) / 2, Chance: 1 - math.Pow(5, -float64(k))}
			c.Missed = (p == 0 || p == 2 && i == 1) && rng.Float64() < c.Chance
			who.Attention = append(who.Attention, c)
		}
	}
	return s
}

// Flags and their logarithms come from an independent program (numpy) with the same definition, on the same studies.
func TestFindReference(t *testing.T) {
	type flag struct {
		why string
		log float64
	}
	for _, c := range []struct {
		seed     uint64
		criteria int
		want     map[int]flag
	}{
		{0, 1, map[int]flag{0: {Random, 12.044262764}, 1: {Random, 6.565022013}, 3: {SameSheet, 0}}},
		{5, 2, map[int]flag{0: {Random, 13.842245795}, 1: {Random, 10.908208183}, 3: {SameSheet, 0}}},
		{4, 3, map[int]flag{0: {Random, 15.564888373}, 1: {Random, 10.423013607}, 2: {Random, 5.200821748}, 3: {SameSheet, 0}}},
		{2, 5, map[int]flag{0: {Random, 15.426977726}, 1: {Random, 9.42557898}, 2: {SecondHalf, 10.872400458}, 3: {SameSheet, 0}}},
	} {
		for i, f := range simulated(c.seed, c.criteria).Find() {
			want := c.want[i]
			if f.Why != want.why || want.log != 0 && math.Abs(f.Log-want.log) > 1e-8 {
				t.Errorf("seed %d, %d criteria, person %d: %q %.9f, want %q %.9f", c.seed, c.criteria, i, f.Why, f.Log, want.why, want.log)
			}
		}
	}
}

// The shares found agree with 20,000 random draws of the same independent program, within two standard errors and the grid.
func TestFoundReference(t *testing.T) {
	for _, c := range []struct {
		plan Plan
		want float64
	}{
		{Plan{30, 20, 5, 3, 3, 2, .52, 1 - 1.0/3125, ExpectedSheet}, .9946},
		{Plan{30, 20, 1, 3, 0, 2, .5, .5, ExpectedValue}, .69905},
		{Plan{30, 10, 1, 0, 0, 2, .66, 2.0 / 3, ExpectedPair}, .56575},
		{Plan{4, 10, 5, 3, 3, 0, .5, 0, ExpectedSheet}, .53605},
		{Plan{30, 40, 1, 6, 3, 3, .66, .98, ExpectedPair}, .9941},
	} {
		if got := c.plan.DetectedShare(); math.Abs(got-c.want) > .008 {
			t.Errorf("%+v finds %.4f, want %.4f", c.plan, got, c.want)
		}
	}
	plan := Plan{People: 30, Shared: 10, Criteria: 1, Repeats: 3, Attention: 2, AttentionChance: .5, Agreement: ExpectedValue}
	better, ok := plan.Cheapest(.95, 0, 3)
	if ok {
		t.Errorf("a plan without gold finds %.2f with %+v", better.DetectedShare(), better)
	}
	plan.AttentionChance = .98
	if better, ok = plan.Cheapest(.95, 0, 3); !ok || better.DetectedShare() < .95 || better.Attention+better.Repeats > 7 {
		t.Errorf("%+v finds %.2f", better, better.DetectedShare())
	}
}

// Constant values, nobody else, and no data at all are not evidence. A person who agrees on a reversed scale is not a clicker, but is
// shown.
func TestFindEdges(t *testing.T) {
	if found := (Study{}).Find(); len(found) != 0 {
		t.Error(found)
	}
	lonely := Study{Items: 6, Criteria: [][]int{{0}}, People: []Person{{}, {}}}
	for i := range 6 {
		lonely.People[0].Rows = append(lonely.People[0].Rows, Row{i, float64(i) / 6, []float64{3}})
	}
	for _, f := range lonely.Find() {
		if f.Why != None || f.Log != 0 || math.IsNaN(f.Z) {
			t.Errorf("%+v", f)
		}
	}
	s := simulated(3, 5)
	for i, row := range s.People[9].Rows {
		for c, x := range row.Values {
			s.People[9].Rows[i].Values[c] = 6 - x
		}
	}
	s.People[9].Repeats = nil
	s.People[9].Gold = nil
	for p, f := range s.Find() {
		if (f.Why == Reversed) != (p == 9 && f.Z < -3) || p == 9 && f.Why == None {
			t.Errorf("person %d: %+v", p, f)
		}
	}
}
