package annotate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/rubric"
	"compqa/stats"
	"compqa/stats/careless"
	"compqa/web/annotate/project"
)

// A crowd describes a simulated study. Each person has a bias, noise and an own view of each item; some choose at random.
type crowd struct {
	kind     string // project.Answer or project.Pair
	criteria int
	levels   int     // number of levels of a criterion: 2 or 5
	noise    float64 // standard deviation of a person's values; that of the items' true values is about 1
	people   int
	each     int
	careless float64 // share of people who choose at random
	seed     uint64
}

func (c crowd) rubric() rubric.Rubric {
	r := rubric.Rubric{Step: 1, Measurement: "interval"}
	for i := range c.criteria {
		criterion := rubric.Criterion{ID: fmt.Sprint("c", i)}
		for x := range c.levels {
			criterion.Levels = append(criterion.Levels, rubric.Level{Points: float64(x + 1)})
		}
		r.Criteria = append(r.Criteria, criterion)
	}
	return r
}

type crowdPerson struct {
	rng                    *stats.RNG
	careless               bool
	bias, noise, threshold float64
	slips                  float64 // share of gold sheets with a mistake
	views                  map[int64][]float64
}

// normal returns a random number with a standard normal distribution.
func normal(rng *stats.RNG) float64 {
	return math.Sqrt(-2*math.Log(1-rng.Float64())) * math.Cos(2*math.Pi*rng.Float64())
}

// value returns the value that a person with a bias gives to something of true quality x.
func (c crowd) value(x, bias, threshold float64) string {
	switch {
	case c.kind == project.Pair && x > threshold:
		return project.First
	case c.kind == project.Pair && x < -threshold:
		return project.Second
	case c.kind == project.Pair:
		return project.Tie
	case c.levels == 2:
		return map[bool]string{true: "2", false: "1"}[x+bias > -.2]
	}
	return strconv.Itoa(int(min(5, max(1, math.Round(3.5+1.05*x+bias)))))
}

// sheet returns a person's sheet for an item. truth has the true quality of the item on each criterion.
func (c crowd) sheet(p *project.Project, a *crowdPerson, it project.Item, truth []float64) project.Sheet {
	s := project.Sheet{Values: map[string]string{}}
	view := a.views[it.ID]
	for i, f := range p.Fields(it) {
		if len(view) == i {
			view = append(view, truth[i]+a.noise*math.Sqrt(.5)*normal(a.rng))
		}
		s.Values[f.ID] = c.value(view[i]+a.noise*math.Sqrt(.5)*normal(a.rng), a.bias, a.threshold)
		if a.careless {
			s.Values[f.ID] = f.Options[a.rng.Intn(len(f.Options))].Value
		}
	}
	a.views[it.ID] = view
	return s
}

// play simulates the study: all people do their items, with three gold, three repeated and two attention items among them.
func (c crowd) play() (p *project.Project, people []Person, work []project.Work, careless []bool) {
	rng := stats.NewRNG(c.seed, "crowd")
	p = &project.Project{Settings: project.Settings{Kind: c.kind, Rubric: c.rubric(), People: 3, Checks: project.Checks{Gold: 3, Repeats: 3, Attention: 2}}}
	width := max(1, c.criteria)
	truth := map[int64][]float64{}
	add := func(it project.Item, values []float64) {
		it.ID, it.Kind, it.Source = int64(len(p.Items)+1), c.kind, fmt.Sprint(len(p.Items))
		it.Content.A = "text"
		it.Content.B = map[string]string{project.Pair: "text"}[c.kind]
		truth[it.ID] = values
		p.Items = append(p.Items, it)
	}
	for range max(c.each, c.people*c.each/3) {
		common := normal(rng)
		values := make([]float64, width)
		for i := range values {
			if values[i] = common; width > 1 {
				values[i] = .75*common + .66*normal(rng)
			}
		}
		add(project.Item{Role: project.Overlap}, values)
	}
	study := len(p.Items)
	for i := range 3 {
		values := slices.Repeat([]float64{[]float64{-1.5, 1.3, -1.2}[i]}, width)
		sheet := project.Sheet{Values: map[string]string{}}
		add(project.Item{Role: project.Gold, Expected: &sheet}, values)
		for k, f := range p.Fields(p.Items[study+i]) {
			sheet.Values[f.ID] = c.value(values[k], 0, .3)
		}
	}
	for _, it := range p.AttentionItems(p.Items[:study]) {
		it.ID = int64(len(p.Items) + 1)
		p.Items = append(p.Items, it)
	}
	for n := range c.people {
		a := &crowdPerson{rng: rng, careless: float64(n) < c.careless*float64(c.people), bias: .3 * normal(rng),
			noise: c.noise * math.Exp(.25*normal(rng)), threshold: min(.8, max(.05, .3+.15*normal(rng))), views: map[int64][]float64{},
			slips: .14 * rng.Float64()}
		careless = append(careless, a.careless)
		people = append(people, Person{Annotator: project.Annotator{ID: int64(n + 1), Name: fmt.Sprint("p", n)}})
		work = append(work, c.sheets(p, a, int64(n+1), study, truth)...)
	}
	return p, people, work, careless
}

// sheets returns the sheets of one person.
func (c crowd) sheets(p *project.Project, a *crowdPerson, id int64, study int, truth map[int64][]float64) (work []project.Work) {
	put := func(it project.Item, kind string, s project.Sheet) {
		work = append(work, project.Work{Assignment: project.Assignment{Annotator: id, Item: it.ID, Kind: kind, Shown: data.Orders[a.rng.Intn(2)],
			State: project.Submit, About: it}, Last: project.Event{Kind: project.Submit}})
		last := &work[len(work)-1]
		if c.kind == project.Answer {
			last.Shown = data.OrderAB
		}
		last.Last.Sheet = s.In(last.Shown)
	}
	for i := range c.each {
		it := p.Items[((int(id)-1)*c.each+i)%study]
		put(it, project.Overlap, c.sheet(p, a, it, truth[it.ID]))
		for k := range 3 {
			if i == (2*k+1)*c.each/6 {
				gold := p.Items[study+k]
				s := c.sheet(p, a, gold, truth[gold.ID])
				if !a.careless { // gold items are clear, so people make rare mistakes instead of noisy values
					s = *gold.Expected
					if a.rng.Float64() < a.slips {
						s = c.sheet(p, &crowdPerson{rng: a.rng, careless: true, views: map[int64][]float64{}}, gold, truth[gold.ID])
					}
				}
				put(gold, project.Gold, s)
			}
			if i == c.each/2+k*c.each/6 {
				again := p.Items[((int(id)-1)*c.each+k)%study]
				put(again, project.Repeat, c.sheet(p, a, again, truth[again.ID]))
			}
		}
		for k := range 2 {
			if i == (2*k+1)*c.each/4 {
				it := p.Items[study+3+k]
				s := c.sheet(p, a, it, make([]float64, max(1, c.criteria)))
				if !a.careless && a.rng.Float64() > .03 {
					s = project.Sheet{Values: s.Values, Reason: it.Expected.Reason}
					for f, value := range it.Expected.Values {
						s.Values[f] = value
					}
				}
				put(it, project.Attention, s)
			}
		}
	}
	return work
}

// flagged simulates some studies. It returns the numbers of flagged people who choose at random (found) and of flagged honest people
// (careful), and the numbers of all of them (bad, good).
func (c crowd) flagged(studies int) (found, careful, bad, good int) {
	for range studies {
		c.seed++
		p, people, work, careless := c.play()
		for i, l := range lookedAt(p, people, work) {
			flag := int(map[bool]int{true: 1}[l.Flag() != ""])
			if careless[i] {
				found += flag
				bad++
			} else {
				careful += flag
				good++
			}
		}
	}
	return found, careful, bad, good
}

// TestCarelessPeopleGetAFlag simulates a study of score sheets, of yes/no values and of pairs. People who choose at random get a flag with
// reasons in words, and others get none.
func TestCarelessPeopleGetAFlag(t *testing.T) {
	for _, c := range []crowd{{kind: project.Answer, criteria: 5, levels: 5, noise: .9}, {kind: project.Answer, criteria: 1, levels: 2, noise: .7},
		{kind: project.Pair, noise: .7}} {
		c.people = 12
		c.each = 12
		c.careless = .17
		c.seed = 5
		p, people, work, careless := c.play()
		for i, l := range lookedAt(p, people, work) {
			if flag := l.Flag(); (flag != "") != careless[i] || careless[i] && (!strings.Contains(flag, "times more probable for somebody who clicks without looking (missed 2 of 2 attention items; missed ") ||
				!strings.Contains(flag, " known items; agreement with others and with own earlier sheets ")) {
				t.Errorf("%s, %d criteria, person %d (careless %v): %q %+v", c.kind, c.criteria, i, careless[i], flag, l)
			}
		}
	}
}

// TestSoakCareless: from 10 items on, at least 95 % of the people who choose at random get a flag, and at most .6 % of honest people do;
// on hard items at most 2 %.
func TestSoakCareless(t *testing.T) {
	sharedtest.Soak(t)
	for _, c := range []struct {
		crowd
		name string
		most float64 // maximum share of honest people with a flag
	}{
		{crowd{kind: project.Answer, criteria: 5, levels: 5, noise: .9}, "sheet", .006},
		{crowd{kind: project.Answer, criteria: 5, levels: 5, noise: 2.2}, "hard sheet", .02},
		{crowd{kind: project.Answer, criteria: 1, levels: 2, noise: .7}, "yes or no", .006},
		{crowd{kind: project.Answer, criteria: 1, levels: 2, noise: 2}, "hard yes or no", .02},
		{crowd{kind: project.Pair, noise: .7}, "pair", .006},
		{crowd{kind: project.Pair, noise: 2}, "hard pair", .02},
	} {
		for _, each := range []int{10, 20, 40} {
			c.people = 30
			c.each = each
			c.careless = .15
			found, flagged, bad, good := c.flagged(25)
			c.careless = 0
			c.seed = 1000
			_, alone, _, all := c.flagged(25)
			t.Logf("%-15s %2d items: found %.1f %% of %d; honest %.2f %% of %d, without careless people %.2f %% of %d", c.name, each,
				100*float64(found)/float64(bad), bad, 100*float64(flagged)/float64(good), good, 100*float64(alone)/float64(all), all)
			if float64(found) < .95*float64(bad) || float64(flagged+alone) > c.most*float64(good+all) {
				t.Errorf("%s, %d items: %d of %d found, %d of %d honest people flagged", c.name, each, found, bad, flagged+alone, good+all)
			}
		}
	}
}

// TestPlannedChecks: PlannedChecks agrees with the items that people of the study really get.
func TestPlannedChecks(t *testing.T) {
	c := crowd{kind: project.Answer, criteria: 5, levels: 5, noise: .9, people: 12, each: 10, seed: 1}
	p, _, _, _ := c.play()
	p.Each = 10
	plan, gold := PlannedChecks(p)
	want := careless.Plan{People: 12, Shared: 10, Criteria: 5, Gold: 3, Repeats: 3, Attention: 2, Agreement: careless.ExpectedSheet,
		AttentionChance: 1 - math.Pow(5, -5), GoldChance: plan.GoldChance}
	if math.Abs(plan.AttentionChance-want.AttentionChance) < 1e-12 {
		plan.AttentionChance = want.AttentionChance
	}
	if plan != want || gold != (KnownItems{Items: 3}) || plan.GoldChance < .3 || plan.GoldChance > .7 {
		t.Errorf("%+v, %+v", plan, gold)
	}
}
