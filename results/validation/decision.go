package validation

import (
	"maps"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/checks"
	"compqa/results/raters"
	"compqa/results/trust"
	"compqa/results/validation/scales"
	"compqa/stats"
)

// A Decided has the decision whether a judge can stand in for one person, as columns of the row of people's mean.
type Decided struct {
	Decision string       `csv:"decision"` // yes, no, or "": not decided
	Single   stats.Figure `csv:"single,single_low,single_high"`
	People   stats.Figure `csv:"people,people_low,people_high"`
	Apart    stats.Figure `csv:"difference,difference_low,difference_high"` // single minus people
	Margin   stats.Figure `csv:"margin"`
	Reason   string       `csv:"reason"`   // why nothing is decided
	OfSlice  string       `csv:"of_slice"` // slices with another answer than the whole, as "COLUMN=VALUE: no; …"
}

// chosenLevel is a p-value. If the judge's values differ between labelled and unlabelled items with a lower p-value, labels are not random,
// and nothing is decided.
const chosenLevel = .01

// decide decides whether the judge of the pairing can stand in for one person.
func (p *Pairing) decide() {
	study := trust.Study{Judge: p.Judge, Criterion: p.Criterion, Table: p.t, JudgeRater: p.judge, PeopleRaters: p.people, Margin: p.o.Margin,
		Doubt: p.doubt(), NoFigures: p.sampling.unjudged, Slices: p.slices(), Unrated: p.unrated(), Tuned: p.series.Tuned,
		Questions: p.openQuestions()}
	p.decision = trust.Decide(study)
	p.decision.Consensus = p.consensus()
}

// fillDecision copies the figures of the decision to the rows of single people and of people among themselves.
func (p *Pairing) fillDecision() {
	if !p.SameScale {
		return
	}
	d := &p.decision
	for reference, f := range map[string]stats.Figure{Single: d.Single, Among: d.People} {
		row := p.row(reference)
		row.Alpha, row.N, row.Clusters = f, d.Items, d.Clusters
		if reference == Among {
			row.N = d.ItemsOfTwoPeople
		}
	}
}

// doubt returns the reason why nothing can be decided, whatever the figures are, or "".
func (p *Pairing) doubt() trust.Reason {
	if !p.SameScale {
		return trust.NotOneScale
	}
	if p.marked() {
		return trust.Unchecked
	}
	for _, d := range p.sampling.Differences {
		if d.Name == "verdict" && d.P < chosenLevel {
			return trust.LabelsByVerdict
		}
	}
	if name := p.o.declaredSet(p.PeoplesName); name != "" && p.alphabetical(p.setRaters(p.People, name), name) {
		return trust.NotFirst
	}
	return ""
}

// slices returns the slices for which there are decisions: each system, if there are several, and each value of the columns in --by.
func (p *Pairing) slices() (all []trust.Slice) {
	add := func(column string, part func(i int) string) {
		var labelled []int
		for i, v := range p.judge.Values {
			if v.Given() && p.mean.Values[i].Given() && part(i) != "" {
				labelled = append(labelled, i)
			}
		}
		_, values := stats.NumberLabels(data.Each(labelled, part))
		if len(values) < 2 || len(values) > mostSystems {
			return
		}
		for _, value := range slices.Sorted(slices.Values(values)) {
			all = append(all, trust.Slice{Column: column, Value: value, In: func(i int) bool { return part(i) == value }})
		}
	}
	add("system", func(i int) string { return p.Units[i].System })
	for c, column := range p.o.Columns {
		if column != "system" {
			bins := p.binned(c)
			add(column, func(i int) string { return bins[i] })
		}
	}
	return all
}

// unrated returns the systems that the judge scored and no person scored.
func (p *Pairing) unrated() (systems []string) {
	rated := map[string]bool{}
	latest := "" // a system that people rated; units of a system are often neighbours
	for i, v := range p.judge.Values {
		system := p.Units[i].System
		if !v.Given() || system == "" || system == latest {
			continue
		}
		rated[system] = rated[system] || p.mean.Values[i].Given()
		if rated[system] {
			latest = system
		}
	}
	for system, is := range rated {
		if !is {
			systems = append(systems, system)
		}
	}
	slices.Sort(systems)
	return systems
}

// Decisions returns the decisions of all pairings, except those whose judge has another pairing with the same values (see different).
func (r *Result) Decisions() []*trust.Decision {
	return data.Each(r.different(), func(p *Pairing) *trust.Decision { return &p.decision })
}

// decided adjusts the decisions for each other (trust.Together), and copies each into the row of people's mean.
func (r *Result) decided() error {
	different := r.different()
	if err := trust.Together(r.Decisions()); err != nil {
		return err
	}
	for _, p := range r.Pairings {
		d := p.decision
		for _, q := range different {
			if p.sameValues(q) {
				d = q.decision
			}
		}
		d.Judge = p.Judge
		d.Criterion = p.Criterion
		p.decision = d
		var slices []string
		for _, part := range d.Slices {
			if part.Answer != d.Answer {
				slices = append(slices, part.Column+"="+part.Value+": "+string(part.Answer))
			}
		}
		p.row(Mean).Decided = Decided{string(d.Answer), d.Single, d.People, d.Difference, stats.Number(d.Margin), string(d.Reason),
			strings.Join(slices, "; ")}
	}
	return nil
}

// sameValues reports whether two pairings of the same judge with the same criterion of people have equal values.
func (p *Pairing) sameValues(other *Pairing) bool {
	return p == other ||
		p.Judge == other.Judge && p.PeoplesName == other.PeoplesName && maps.Equal(p.series.valued(), other.series.valued())
}

// Decision returns the decision whether the judge can stand in for one person on the criterion.
func (p *Pairing) Decision() *trust.Decision { return &p.decision }

// DecisionsOf returns decisions on tables such as a run has them, one for each criterion, all with the same units. The first rater of each
// table is the judge; the others are people. It finds how labels were chosen as for any other log. record reports whether a run recorded
// the values, so that they were read correctly.
func DecisionsOf(tables []raters.Table, criteria []string, tuned, record bool) ([]trust.Decision, error) {
	if len(tables) == 0 {
		return nil, nil
	}
	compared := make([]*checks.Joined, len(tables))
	for i, t := range tables {
		compared[i] = &checks.Joined{Criterion: criteria[i], Judge: t.Raters[0], People: t.Raters[1:]}
	}
	throughout := checks.Throughout(compared)
	units := tables[0].Units
	s := &Study{Units: make([]Unit, len(units)), Clusters: make([]int, len(units)), asked: make([]int, len(units)), on: map[string][]*Series{}}
	for i, u := range units {
		s.Units[i] = Unit{ID: u.ID, System: u.System, Words: u.Words}
		s.Clusters[i] = u.Cluster
	}
	var judged []int
	for i, v := range tables[0].Raters[0].Values {
		if v.Given() {
			judged = append(judged, i)
		}
	}
	s.described = described{judged, s.describe(judged)}
	decisions := make([]trust.Decision, len(tables))
	return decisions, data.SideBySide(len(tables), func(i int) error {
		p := s.pairingOf(tables[i], criteria[i], tuned, record)
		if throughout[i].Text != "" {
			p.found = append(p.found, throughout[i])
		}
		p.decide()
		decisions[i] = p.decision
		return nil
	})
}

// pairingOf returns the pairing of a table, with the findings of the checks and how its labels were chosen.
func (s *Study) pairingOf(t raters.Table, criterion string, tuned, record bool) *Pairing {
	judge := t.Raters[0]
	people := t.Raters[1:]
	scale := scales.Scale{Kind: scales.Ordinal, Low: t.Scale.Low, High: t.Scale.High}
	p := &Pairing{Study: s, Of: Of{judge.Name, criterion}, PeoplesName: criterion, JudgeScale: scale, PeopleScale: scale, SameScale: true,
		t: t, judge: judge, people: people, mean: t.Mean(people),
		series: &Series{Series: data.Series{Rater: &data.Rater{Name: judge.Name, Tuned: tuned}, Measured: &data.Measured{ID: criterion}}}}
	if len(people) > 2 { // else consensus does not need it
		p.most = t.Majority(people)
	}
	p.found = checks.Run(&checks.Joined{Criterion: criterion, Judge: judge, People: people, Label: scale.Label, OneScale: true,
		Record: record}, nil)
	p.findSampling()
	return p
}
