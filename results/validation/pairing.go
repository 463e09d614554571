package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/data"
	"compqa/data/sources"
	"compqa/results/table"
	"compqa/results/validation/scales"
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

// Pairings pairs the criteria of judges and people: those that the user names, and those with the
// same name. A judge's only criterion pairs with people's only one. It also says what has no pair.
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
	given := map[*Series]bool{}
	for _, judge := range s.Judges {
		matches := table.Where(names, func(name string) bool { return s.matches(judge, name) })
		for _, name := range []string{judge.By + "." + judge.Criterion, "judge." + judge.Criterion, judge.Criterion} {
			of, named := s.o.Pairs[name]
			if !named {
				continue
			}
			if matches, given[judge], used[name] = []string{of}, true, true; !slices.Contains(names, of) {
				return nil, nil, fmt.Errorf("--pair %s=%s: people have no criterion %q; they have %s", judge.Criterion, of, of,
					strings.Join(names, ", "))
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
			if !given[judge] && !paired && !judge.Extra && sources.SameCriterion(judge.Criterion, name) {
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

// criteriaOf are the names of the criteria of several series.
func criteriaOf(series []*Series) (names []string) {
	for _, s := range series {
		if !slices.Contains(names, s.Criterion) {
			names = append(names, s.Criterion)
		}
	}
	return names
}

// matches reports whether a judge's criterion has the name of one of people. rubric.score and
// rubric.pass are both of rubric: the one with people's kind of scale counts.
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
	judged := slices.Clone(judge.Values)
	for _, more := range judge.More {
		judged = append(judged, more...)
	}
	if p.JudgeScale, err = scales.Find(judge.Criterion, judged, s.scaleOf("judge.", judge.Criterion)); err != nil {
		return p, err
	}
	given, values := s.scaleOf("people.", criterion), s.peopleValues(criterion)
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
	p.cut()
	p.align()
	p.pool()
	return p, nil
}

// scaleOf is the scale that the user says, by the criterion's name or with its side in front.
func (s *Study) scaleOf(side, criterion string) string {
	if given, ok := s.o.Scales[side+criterion]; ok {
		return given
	}
	return s.o.Scales[criterion]
}

// numbers are the values of a series as numbers: the first of each unit, or the mean over epochs.
func (s *Study) numbers(of *Series, scale scales.Scale) agreement.Rater {
	r := agreement.Rater{Values: make([]float64, len(s.Units)), Missing: make([]bool, len(s.Units))}
	for i, first := range of.Values {
		n, sum := 0.0, 0.0
		if x, ok := scale.Number(first); ok {
			n, sum = 1, x
		}
		if s.o.EpochsMean {
			for _, more := range of.More[i] {
				if x, ok := scale.Number(more); ok {
					n, sum = n+1, sum+x
				}
			}
		}
		if r.Missing[i] = n == 0; n > 0 {
			r.Values[i] = sum / n
		}
	}
	return r
}

// cut makes yes and no of the values of points, if the user says from which on they pass.
func (p *Pairing) cut() {
	for _, name := range []string{p.PeoplesName, p.Criterion, ""} {
		threshold, given := p.o.Thresholds[name]
		if !given {
			continue
		}
		points := func(s scales.Scale) bool { return s.Kind == scales.Ordinal || s.Kind == scales.Continuous }
		passes := func(scale scales.Scale, r agreement.Rater) {
			for i, v := range r.Values {
				if points(scale) && v >= threshold {
					r.Values[i] = 1
				} else if points(scale) {
					r.Values[i] = 0
				}
			}
		}
		passes(p.JudgeScale, p.judge)
		for _, q := range p.people {
			passes(p.PeopleScale, q.Rater)
		}
		for _, scale := range []*scales.Scale{&p.JudgeScale, &p.PeopleScale} {
			if points(*scale) {
				*scale, p.Mapped = scales.Scale{Kind: scales.Binary, High: 1, Max: 1}, fmt.Sprintf("at least %v is 1", threshold)
			}
		}
		return
	}
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
	n := len(p.Units)
	p.mean = agreement.Rater{Values: make([]float64, n), Missing: make([]bool, n)}
	p.most = agreement.Rater{Values: make([]float64, n), Missing: make([]bool, n)}
	for i := range n {
		votes := map[float64]int{}
		n, sum := 0.0, 0.0
		for _, q := range p.people {
			if !q.Missing[i] {
				n, sum = n+1, sum+q.Values[i]
				votes[q.Values[i]]++
			}
		}
		if p.mean.Missing[i], p.most.Missing[i] = n == 0, true; n == 0 {
			continue
		}
		p.mean.Values[i] = sum / n
		best, several := 0, false
		for _, v := range slices.Sorted(maps.Keys(votes)) {
			if votes[v] > best {
				best, several, p.most.Values[i] = votes[v], false, v
			} else if votes[v] == best {
				several = true
			}
		}
		if p.most.Missing[i] = several; several && !p.judge.Missing[i] {
			p.ties++
		}
	}
}
