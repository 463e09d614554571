package validation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/data"
	"compqa/data/sources"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/results/validation/scales"
	"compqa/stats"
	"compqa/stats/agreement"
)

// A Pairing is a judge's criterion with the criterion of people that it stands for.
type Pairing struct {
	*Study
	Of
	PeoplesName string // criterion of people
	JudgeScale  scales.Scale
	PeopleScale scales.Scale
	SameScale   bool   // also after a mapping or a threshold
	Mapped      string // how values were changed; "": not at all
	Why         string // why measures that need one scale are missing
	Rows        []Row

	series *Series // of the judge
	judge  agreement.Rater
	people []person
	mean   agreement.Rater // of people
	most   agreement.Rater // of people: the value that more of them gave than any other
	ties   int             // units where no value has most votes
}

// A person is one person's values on a criterion.
type person struct {
	name string
	agreement.Rater
}

// Pairings pairs the criteria of judges and people: those that the user names, and those with the same name. A judge's only
// criterion pairs with people's only one. It also says what has no pair.
func (s *Study) Pairings() (pairings []*Pairing, unpaired []string, err error) {
	names, used := criteriaOf(s.People), map[string]bool{}
	judged := strings.Join(criteriaOf(s.Judges), ", ")
	pair := func(judge *Series, name string) {
		p, fault := s.pairing(judge, name)
		if fault != nil && err == nil {
			err = fault
		}
		pairings = append(pairings, p)
	}
	for _, judge := range s.Judges {
		matches := table.Where(names, func(name string) bool { return s.matches(judge, name) })
		for _, name := range []string{judge.By + "." + judge.Criterion, "judge." + judge.Criterion, judge.Criterion} {
			of, named := s.o.Pairs[name]
			if named && !slices.Contains(names, of) {
				return nil, nil, fmt.Errorf("--pair %s=%s: people have no criterion %q; they have %s", judge.Criterion, of, of,
					strings.Join(names, ", "))
			} else if named {
				matches, used[name] = []string{of}, true
			}
		}
		for _, name := range matches {
			pair(judge, name)
		}
	}
	for name := range s.o.Pairs {
		if !used[name] {
			return nil, nil, fmt.Errorf("--pair %s: no judge has this criterion; they have %s", name, judged)
		}
	}
	for _, judge := range s.Judges { // pass of a scorer with several values, where nothing else is people's pass
		for _, name := range names {
			paired := slices.ContainsFunc(pairings, func(p *Pairing) bool {
				return p.series == judge || p.PeoplesName == name && p.Judge == judge.By
			})
			if !paired && !judge.Extra && sources.SameCriterion(judge.Criterion, name) {
				pair(judge, name)
			}
		}
	}
	main := table.Where(s.Judges, func(j *Series) bool { return !j.Extra })
	if len(pairings) == 0 && len(names) == 1 && len(main) == 1 {
		pair(main[0], names[0])
	}
	for _, judge := range main {
		if !slices.ContainsFunc(pairings, func(p *Pairing) bool { return p.series == judge }) {
			unpaired = append(unpaired, judge.Criterion)
		}
	}
	if len(pairings) > 0 || len(names) == 0 {
		return pairings, unpaired, err
	}
	judge, of := s.Judges[0].Criterion, names[0]
	for _, j := range main {
		if near := data.Nearest(j.Criterion, names); near != "" {
			judge, of = j.Criterion, near
			break
		}
	}
	return nil, nil, &Needed{Flags: []string{"--pair", judge + "=" + of},
		Err: fmt.Errorf("no criterion of the judge (%s) has the name of one of people (%s); say which belong together",
			judged, strings.Join(names, ", "))}
}

// Needed is an error that a flag would mend.
type Needed struct {
	Flags []string // with their values
	Err   error
}

func (n *Needed) Error() string { return n.Err.Error() }

func criteriaOf(series []*Series) []string {
	_, names := stats.NumberLabels(table.Each(series, func(s *Series) string { return s.Criterion }))
	return names
}

// matches reports whether a judge's criterion has the name of one of people. rubric.score and rubric.pass are both of
// rubric: the one with people's kind of scale counts.
func (s *Study) matches(judge *Series, name string) bool {
	base := judge.Criterion
	for _, part := range []string{".score", ".pass", ".success"} {
		of, found := strings.CutSuffix(base, part)
		if !found || of == "" {
			continue
		}
		people, err := scales.Find(name, s.peopleValues(name), s.o.Scales[name])
		if err != nil || (people.Kind == scales.Binary) == (part == ".score") {
			return false
		}
		base = of
	}
	base, _, _ = strings.Cut(base, "[") // the tool, as deepeval's " [GEval]", or lm-eval's filter
	return sources.SameCriterion(strings.TrimSpace(base), name)
}

func (s *Study) peopleValues(criterion string) (values []string) {
	for _, p := range s.People {
		if p.Criterion == criterion {
			values = append(values, p.Values...)
		}
	}
	return values
}

// pairing finds the scales of both sides and makes numbers of their values.
func (s *Study) pairing(judge *Series, criterion string) (p *Pairing, err error) {
	p = &Pairing{Study: s, Of: Of{judge.By, judge.Criterion}, PeoplesName: criterion, series: judge}
	judged := slices.Concat(judge.Values, slices.Concat(slices.Collect(maps.Values(judge.More))...))
	scaleOf := func(side, criterion string) string { return cmp.Or(s.o.Scales[side+criterion], s.o.Scales[criterion]) } // as the user says
	if p.JudgeScale, err = scales.Find(judge.Criterion, judged, scaleOf("judge.", judge.Criterion)); err != nil {
		return p, err
	}
	given, values := scaleOf("people.", criterion), s.peopleValues(criterion)
	if p.PeopleScale = p.JudgeScale; given != "" || len(values) > 0 {
		if p.PeopleScale, err = scales.Find(criterion, values, given); err != nil {
			return p, err
		}
	}
	if j, h := p.JudgeScale, p.PeopleScale; criterion == sources.Preferred {
		labels := []string{"a", "b", "tie"}
		_, judge := j.Numbers["tie"]
		if _, people := h.Numbers["tie"]; judge != people { // ties of one side alone are missing
			labels = labels[:2]
		}
		p.JudgeScale = scales.OfLabels(scales.Nominal, labels)
		p.PeopleScale = p.JudgeScale
	} else if j.Kind == scales.Nominal && h.Kind == scales.Nominal {
		p.JudgeScale = scales.OfLabels(scales.Nominal, slices.Compact(slices.Sorted(slices.Values(slices.Concat(j.Labels, h.Labels)))))
		p.PeopleScale = p.JudgeScale
	}
	p.judge = s.numbers(judge, p.JudgeScale)
	for _, of := range s.People {
		if of.Criterion == criterion {
			p.people = append(p.people, person{of.By, s.numbers(of, p.PeopleScale)})
		}
	}
	slices.SortStableFunc(p.people, func(a, b person) int { return strings.Compare(a.name, b.name) })
	for _, name := range []string{p.PeoplesName, p.Criterion, ""} { // points are yes or no, if the user says from which on they pass
		if threshold, given := s.o.Thresholds[name]; given {
			p.pass(threshold, &p.JudgeScale, p.judge)
			p.pass(threshold, &p.PeopleScale, p.raters()...)
			break
		}
	}
	p.align()
	p.pool()
	return p, nil
}

// numbers are the values of a series as numbers: the first of each unit, or the mean over epochs.
func (s *Study) numbers(of *Series, scale scales.Scale) agreement.Rater {
	r := s.rater()
	for i, first := range of.Values {
		n, values := 0.0, []string{first}
		if s.o.EpochsMean {
			values = append(values, of.More[i]...)
		}
		for _, value := range values {
			if x, ok := scale.Number(value); ok {
				n, r.Values[i], r.Missing[i] = n+1, r.Values[i]+x, false
			}
		}
		r.Values[i] /= max(1, n)
	}
	return r
}

// pass makes 1 of the points from a threshold on, and 0 of the others.
func (p *Pairing) pass(threshold float64, scale *scales.Scale, raters ...agreement.Rater) {
	if !scale.Points() {
		return
	}
	*scale, p.Mapped = scales.Scale{Kind: scales.Binary, High: 1, Max: 1}, fmt.Sprintf("at least %v is 1", threshold)
	for _, r := range raters {
		for i, v := range r.Values {
			if r.Values[i] = 0; v >= threshold {
				r.Values[i] = 1
			}
		}
	}
}

func (p *Pairing) raters() []agreement.Rater {
	return table.Each(p.people, func(q person) agreement.Rater { return q.Rater })
}

// align brings both sides onto one scale, if they are on one or the user says how.
func (p *Pairing) align() {
	j, h := p.JudgeScale, p.PeopleScale
	if p.SameScale = scales.Same(j, h); p.SameScale {
		return
	}
	nominal := j.Kind == scales.Nominal || h.Kind == scales.Nominal
	binary := j.Kind == scales.Binary || h.Kind == scales.Binary
	ordinal := j.Kind == scales.Ordinal || h.Kind == scales.Ordinal
	way := "--map-scale linear maps one onto the other, --scale corrects a scale"
	switch {
	case p.o.MapLinear && !nominal && !(binary && ordinal):
		for i, v := range p.judge.Values {
			p.judge.Values[i] = j.Onto(h, v)
		}
		p.SameScale, p.JudgeScale, p.Mapped = true, h, fmt.Sprintf("judge's %s mapped onto %s", j, h)
		return
	case nominal:
		way = "name the order of labels: --scale"
	case binary:
		way = "say what passes: --threshold N"
	}
	p.Why = fmt.Sprintf("the judge has %s and people %s; %s", j, h, way)
}

// pool computes the mean of people, and what most of them say.
func (p *Pairing) pool() {
	p.mean, p.most = p.rater(), p.rater()
	for i := range p.Units {
		voters := table.Where(p.people, func(q person) bool { return !q.Missing[i] })
		if len(voters) == 0 {
			continue
		}
		votes := table.Each(voters, func(q person) float64 { return q.Values[i] })
		p.mean.Values[i], p.mean.Missing[i] = stats.Mean(votes), false
		if most := dataset.MostFrequent(votes); len(most) == 1 {
			p.most.Values[i], p.most.Missing[i] = most[0], false
		} else if !p.judge.Missing[i] {
			p.ties++
		}
	}
}

func (s *Study) rater() agreement.Rater {
	return agreement.Rater{Values: make([]float64, len(s.Units)), Missing: slices.Repeat([]bool{true}, len(s.Units))}
}
