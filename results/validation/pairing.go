package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/data"
	"compqa/data/sources"
	"compqa/results/validation/scales"
	"compqa/stats/agreement"
)

// A Pairing is a judge's criterion with the criterion of people that it stands for.
type Pairing struct {
	Judge       *Series
	Criterion   string // of people
	JudgeScale  scales.Scale
	PeopleScale scales.Scale
	SameScale   bool   // also after a mapping or a threshold
	Mapped      string // how values were changed; "": not at all
	Why         string // why measures that need one scale are missing

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
	var names []string // criteria of people
	for _, p := range s.People {
		if !slices.Contains(names, p.Criterion) {
			names = append(names, p.Criterion)
		}
	}
	used := map[string]bool{}
	for _, judge := range s.Judges {
		of, given := s.named(judge, used)
		if given && !slices.Contains(names, of) {
			return nil, nil, fmt.Errorf("--pair %s=%s: people have no criterion %q; they have %s", judge.Criterion, of, of,
				strings.Join(names, ", "))
		}
		matches := []string{of}
		if !given {
			matches = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !s.matches(judge, name) })
		}
		if len(matches) == 0 && !judge.Extra {
			unpaired = append(unpaired, judge.Criterion)
		}
		for _, name := range matches {
			p := &Pairing{Judge: judge, Criterion: name}
			if err := s.prepare(p); err != nil {
				return nil, nil, err
			}
			pairings = append(pairings, p)
		}
	}
	for name := range maps.Keys(s.o.Pairs) {
		if !used[name] {
			return nil, nil, fmt.Errorf("--pair %s: no judge has this criterion; they have %s", name, strings.Join(s.JudgeCriteria(), ", "))
		}
	}
	for _, judge := range s.Judges { // pass of a scorer with several values, where nothing else is people's pass
		for _, name := range names {
			paired := slices.ContainsFunc(pairings, func(p *Pairing) bool {
				return p.Judge == judge || p.Criterion == name && p.Judge.By == judge.By
			})
			if _, given := s.named(judge, used); given || paired || judge.Extra || !sources.SameCriterion(judge.Criterion, name) {
				continue
			}
			p := &Pairing{Judge: judge, Criterion: name}
			if err := s.prepare(p); err != nil {
				return nil, nil, err
			}
			pairings = append(pairings, p)
			unpaired = slices.DeleteFunc(unpaired, func(c string) bool { return c == judge.Criterion })
		}
	}
	main := slices.DeleteFunc(slices.Clone(s.Judges), func(j *Series) bool { return j.Extra })
	if len(pairings) == 0 && len(names) == 1 && len(main) == 1 {
		p := &Pairing{Judge: main[0], Criterion: names[0]}
		return []*Pairing{p}, nil, s.prepare(p)
	}
	if len(pairings) == 0 && len(names) > 0 {
		judge, of := s.Judges[0].Criterion, names[0]
		for _, j := range main {
			if near := data.Nearest(j.Criterion, names); near != "" {
				judge, of = j.Criterion, near
				break
			}
		}
		return nil, nil, &Needed{Flags: []string{"--pair", judge + "=" + of},
			Err: fmt.Errorf("no criterion of the judge (%s) has the name of one of people (%s); say which belong together",
				strings.Join(s.JudgeCriteria(), ", "), strings.Join(names, ", "))}
	}
	return pairings, unpaired, nil
}

// Needed is an error that a flag would mend.
type Needed struct {
	Flags []string // with their values
	Err   error
}

func (n *Needed) Error() string { return n.Err.Error() }

// JudgeCriteria are the names of the judges' criteria.
func (s *Study) JudgeCriteria() (names []string) {
	for _, j := range s.Judges {
		if !slices.Contains(names, j.Criterion) {
			names = append(names, j.Criterion)
		}
	}
	return names
}

// named is the criterion of people that the user pairs with a judge's.
func (s *Study) named(judge *Series, used map[string]bool) (of string, given bool) {
	for _, name := range []string{judge.Criterion, "judge." + judge.Criterion, judge.By + "." + judge.Criterion} {
		if of, given = s.o.Pairs[name]; given {
			used[name] = true
			return of, true
		}
	}
	return "", false
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
	base = strings.TrimSpace(base)
	return sources.SameCriterion(base, name)
}

func (s *Study) peopleValues(criterion string) (values []string) {
	for _, p := range s.People {
		if p.Criterion == criterion {
			values = append(values, p.Values...)
		}
	}
	return values
}

// prepare finds the scales of both sides and makes numbers of their values.
func (s *Study) prepare(p *Pairing) (err error) {
	judged := slices.Clone(p.Judge.Values)
	for _, more := range p.Judge.More {
		judged = append(judged, more...)
	}
	if p.JudgeScale, err = scales.Find(p.Judge.Criterion, judged, s.scaleOf("judge.", p.Judge.Criterion)); err != nil {
		return err
	}
	given, values := s.scaleOf("people.", p.Criterion), s.peopleValues(p.Criterion)
	if p.PeopleScale = p.JudgeScale; given != "" || len(values) > 0 {
		if p.PeopleScale, err = scales.Find(p.Criterion, values, given); err != nil {
			return err
		}
	}
	switch {
	case p.Criterion == sources.Preferred:
		p.JudgeScale = p.preferences()
		p.PeopleScale = p.JudgeScale
	case p.JudgeScale.Kind == scales.Nominal && p.PeopleScale.Kind == scales.Nominal:
		labels := slices.Concat(p.JudgeScale.Labels, p.PeopleScale.Labels)
		slices.Sort(labels)
		p.JudgeScale = scales.OfLabels(scales.Nominal, slices.Compact(labels))
		p.PeopleScale = p.JudgeScale
	}
	p.judge = s.numbers(p.Judge, p.JudgeScale)
	for _, of := range s.People {
		if of.Criterion == p.Criterion {
			p.people = append(p.people, person{of.By, s.numbers(of, p.PeopleScale)})
		}
	}
	slices.SortStableFunc(p.people, func(a, b person) int { return strings.Compare(a.name, b.name) })
	s.align(p)
	p.pool(len(s.Units))
	return nil
}

// scaleOf is the scale that the user says, by the criterion's name or with its side in front.
func (s *Study) scaleOf(side, criterion string) string {
	if given, ok := s.o.Scales[side+criterion]; ok {
		return given
	}
	return s.o.Scales[criterion]
}

// preferences are choices: of ties too where both sides have them, else ties are missing.
func (p *Pairing) preferences() scales.Scale {
	labels := []string{"a", "b", "tie"}
	_, judge := p.JudgeScale.Numbers["tie"]
	if _, people := p.PeopleScale.Numbers["tie"]; judge != people {
		labels = labels[:2]
	}
	return scales.OfLabels(scales.Nominal, labels)
}

// numbers are the values of a series as numbers: the first of each unit, or the mean over epochs.
func (s *Study) numbers(of *Series, scale scales.Scale) agreement.Rater {
	r := agreement.Rater{Values: make([]float64, len(s.Units)), Missing: make([]bool, len(s.Units))}
	for i := range s.Units {
		n, sum := 0.0, 0.0
		if x, ok := scale.Number(of.Values[i]); ok {
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

// align brings both sides onto one scale, if they are on one or the user says how.
func (s *Study) align(p *Pairing) {
	threshold, given := s.o.Thresholds[p.Criterion]
	for _, name := range []string{p.Judge.Criterion, ""} {
		if !given {
			threshold, given = s.o.Thresholds[name]
		}
	}
	if given {
		changed := ""
		for side, scale := range map[string]*scales.Scale{"judge": &p.JudgeScale, "people": &p.PeopleScale} {
			if scale.Kind != scales.Ordinal && scale.Kind != scales.Continuous {
				continue
			}
			raters := []agreement.Rater{p.judge}
			if side == "people" {
				raters = nil
				for _, q := range p.people {
					raters = append(raters, q.Rater)
				}
			}
			for _, r := range raters {
				for i, v := range r.Values {
					r.Values[i] = 0
					if v >= threshold {
						r.Values[i] = 1
					}
				}
			}
			changed, *scale = fmt.Sprintf("at least %v is 1", threshold), scales.Scale{Kind: scales.Binary, High: 1, Max: 1}
		}
		p.Mapped = changed
	}
	if p.SameScale = scales.Same(p.JudgeScale, p.PeopleScale); p.SameScale {
		return
	}
	j, h := p.JudgeScale, p.PeopleScale
	binary := j.Kind == scales.Binary || h.Kind == scales.Binary
	if s.o.MapLinear && j.Kind != scales.Nominal && h.Kind != scales.Nominal &&
		!(binary && (j.Kind == scales.Ordinal || h.Kind == scales.Ordinal)) {
		for i, v := range p.judge.Values {
			p.judge.Values[i] = h.Low + (v-j.Low)/(j.High-j.Low)*(h.High-h.Low)
		}
		p.SameScale, p.Mapped = true, fmt.Sprintf("judge's %s mapped onto %s", j, h)
		p.JudgeScale = h
		return
	}
	switch {
	case j.Kind == scales.Nominal || h.Kind == scales.Nominal:
		p.Why = fmt.Sprintf("the judge has %s and people %s; name the order of labels: --scale", j, h)
	case binary:
		p.Why = fmt.Sprintf("the judge has %s and people %s; say what passes: --threshold N", j, h)
	default:
		p.Why = fmt.Sprintf("the judge has %s and people %s; --map-scale linear maps one onto the other, --scale corrects a scale", j, h)
	}
}

// pool computes the mean of people, and what most of them say.
func (p *Pairing) pool(units int) {
	p.mean = agreement.Rater{Values: make([]float64, units), Missing: make([]bool, units)}
	p.most = agreement.Rater{Values: make([]float64, units), Missing: make([]bool, units)}
	for i := range units {
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
