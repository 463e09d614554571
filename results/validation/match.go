package validation

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/data"
	"compqa/data/sources"
	"compqa/results/checks"
	"compqa/results/validation/scales"
	"compqa/stats"
)

// Pairings compares each criterion of a judge with the criteria of people that matchCriteria finds. If nothing matches and both sides have
// only one criterion, these two are compared, and the pairing is marked. unpaired lists judges' criteria that were not compared.
func (s *Study) Pairings() (pairings []*Pairing, unpaired []string, err error) {
	if err := s.checkNames(); err != nil {
		return nil, nil, err
	}
	names := peoplesCriteria(s.People)
	matches, err := s.matchCriteria(names)
	if err != nil {
		return nil, nil, err
	}
	stopped := s.unread()
	paired := map[*Series]bool{}
	add := func(m match) error {
		p, err := s.pairing(m.judge, m.people)
		if err == nil {
			p, err = s.checked(p)
		}
		if err != nil {
			return err
		}
		paired[m.judge] = true
		paired[p.series] = true
		s.Findings = append(s.Findings, p.found...)
		if checks.Stopped(p.found) {
			stopped = true
		} else {
			pairings = append(pairings, p)
		}
		return nil
	}
	for _, m := range matches {
		if err := add(m); err != nil {
			return nil, nil, err
		}
	}
	judges := data.Where(s.Judges, func(j *Series) bool { return !j.Extra })
	if len(pairings) == 0 && !stopped && len(names.names) == 1 && len(judges) == 1 {
		if err := add(match{judges[0], names.names[0]}); err != nil {
			return nil, nil, err
		}
		s.eliminated(pairings, judges[0], names.names[0])
	}
	for _, judge := range judges {
		if !paired[judge] && s.words["people"].Stopped[judge.ID] == "" {
			unpaired = append(unpaired, judge.ID)
		}
	}
	s.copies(pairings)
	switch {
	case len(pairings) > 0 || len(names.names) == 0:
		return pairings, unpaired, nil
	case stopped:
		return nil, nil, errors.New(strings.Join(data.Each(s.stops(), checks.Finding.Sentence), "\n"))
	}
	return nil, nil, s.unmatched(names, judges)
}

// A match is a criterion of a judge, and the name of the criterion of people with which it is compared.
type match struct {
	judge  *Series
	people string
}

// matchCriteria decides which criteria are compared. For each criterion of a judge, the first rule that applies counts:
//
//  1. --pair names people's criterion.
//  2. People have criteria of the same name (see matches). A criterion that --pair gives to another criterion of the judge does not count.
//  3. The judge's rubric.pass is compared with people's rubric, although people gave points, if no other criterion of the judge is compared
//     with it.
//
// For example, people scored "clear" and "overall". With --pair quality=overall, a judge's "quality" is compared with "overall", and its
// "clear" with "clear". Its own "overall" is compared with nothing.
func (s *Study) matchCriteria(names *criteria) (matches []match, err error) {
	type judgeAndName struct{ judge, people string }
	claimed := map[judgeAndName]bool{} // pairs that --pair names
	for _, judge := range s.Judges {
		if people, ok := s.o.pairOf(judge); ok {
			claimed[judgeAndName{judge.Rater.Name, people}] = true
		}
	}
	used := map[string]bool{} // names in --pair that were found
	for _, judge := range s.Judges {
		partners := data.Where(s.matches(judge, names), func(name string) bool { return !claimed[judgeAndName{judge.Rater.Name, name}] })
		for _, key := range pairKeys(judge) {
			people, given := s.o.Pairs[key]
			if !given {
				continue
			}
			if !names.has(people) {
				return nil, fmt.Errorf("--pair %s=%s: people have no criterion %q; they have %s", judge.ID, people, people, data.Some(names.names))
			}
			partners = []string{people}
			used[key] = true
		}
		for _, name := range partners {
			matches = append(matches, match{judge, name})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.o.Pairs)) {
		if !used[name] {
			return nil, fmt.Errorf("--pair %s: no judge has this criterion; they have %s", name, data.Some(criteriaOf(s.Judges)))
		}
	}
	matched := map[*Series]bool{}
	taken := map[judgeAndName]bool{}
	for _, m := range matches {
		matched[m.judge] = true
		taken[judgeAndName{m.judge.Rater.Name, m.people}] = true
	}
	for _, judge := range s.Judges {
		for _, name := range names.same(judge.ID) {
			key := judgeAndName{judge.Rater.Name, name}
			if !matched[judge] && !taken[key] && !judge.Extra && !claimed[key] {
				matches = append(matches, match{judge, name})
				matched[judge] = true
				taken[key] = true
			}
		}
	}
	return matches, nil
}

// pairKeys returns the names that --pair may use for a judge's criterion: JUDGE.CRITERION, judge.CRITERION and CRITERION.
func pairKeys(judge *Series) []string {
	return []string{judge.Rater.Name + "." + judge.ID, "judge." + judge.ID, judge.ID}
}

// unmatched returns an error that asks the user which criteria of judges and people correspond. It suggests flags.
func (s *Study) unmatched(names *criteria, main []*Series) *Needed {
	judge := "JUDGE"
	person := "PEOPLE" // only the user knows which criteria correspond
	var pairs []string
	for _, j := range data.Set(criteriaOf(s.Judges)) {
		for _, name := range names.names {
			pairs = append(pairs, j+"="+name)
		}
	}
	for _, j := range main[:min(len(main), mostCompared)] {
		if near := data.Nearest(j.ID, names.names); near != "" {
			judge = j.ID
			person = near
			break
		}
	}
	way := "--pair JUDGE=PEOPLE"
	if columns := s.columnsAlone(names); len(columns) > 1 {
		way += fmt.Sprintf("; if %s are people and no criteria, name the judge's criterion: --map judge.CRITERION=COLUMN", data.Some(columns))
	}
	return &Needed{Flags: []string{"--pair", judge + "=" + person}, Others: pairs, Way: way,
		Err: fmt.Errorf("no criterion of the judge (%s) has the name of one of people (%s); say which belong together",
			data.Some(criteriaOf(s.Judges)), data.Some(names.names))}
}

// columnsAlone returns people's criteria that are single columns which were only assumed to be criteria.
func (s *Study) columnsAlone(names *criteria) []string {
	return data.Where(names.names, func(name string) bool {
		return slices.ContainsFunc(s.Assumed, func(c sources.ColumnRead) bool { return c.Criterion == name && c.Column == name && c.Rater == "" })
	})
}

// pairOf returns the criterion of people that --pair names for a judge's criterion. ok is false if --pair does not name the judge's
// criterion.
func (o *Options) pairOf(judge *Series) (name string, ok bool) {
	for _, key := range pairKeys(judge) {
		name, ok = o.Pairs[key]
		if ok {
			return name, true
		}
	}
	return "", false
}

// A criteria has names of criteria, and an index by which equal names are found.
type criteria struct {
	names  []string
	places map[string][]int // indexes of names by folded name
}

func peoplesCriteria(people []*Series) *criteria {
	c := &criteria{names: criteriaOf(people), places: map[string][]int{}}
	for i, name := range c.names {
		c.places[sources.FoldedName(name)] = append(c.places[sources.FoldedName(name)], i)
	}
	return c
}

func (c *criteria) has(name string) bool {
	return slices.ContainsFunc(c.places[sources.FoldedName(name)], func(i int) bool { return c.names[i] == name })
}

// same returns the names of criteria that are the same as a judge's criterion (see sources.SameCriterion).
func (c *criteria) same(judge string) []string {
	var places []int
	for _, key := range sources.CriterionKeys(judge) {
		places = append(places, c.places[key]...)
	}
	slices.Sort(places)
	return data.Each(slices.Compact(places), func(i int) string { return c.names[i] })
}

// checkNames checks that --threshold and --scale name existing criteria. If there are no people, people's names are the judges' names.
func (s *Study) checkNames() error {
	people := s.People
	if len(people) == 0 {
		people = s.Judges
	}
	known := map[string]bool{"": true}
	for side, series := range map[string][]*Series{"judge.": s.Judges, "people.": people} {
		for _, one := range series {
			known[one.ID] = true
			known[side+one.ID] = true
		}
	}
	names := data.Each(slices.Sorted(maps.Keys(s.o.Thresholds)), func(name string) [2]string { return [2]string{"threshold", name} })
	names = append(names, data.Each(slices.Sorted(maps.Keys(s.o.Scales)), func(name string) [2]string { return [2]string{"scale", name} })...)
	for _, flag := range names {
		if !known[flag[1]] {
			return fmt.Errorf("--%s %s=…: there is no criterion %q; judges have %s; people have %s", flag[0], flag[1], flag[1],
				data.Some(criteriaOf(s.Judges)), data.Some(criteriaOf(people)))
		}
	}
	return nil
}

// A Needed is an error that the user can fix with a flag.
type Needed struct {
	Flags  []string // flags with their values
	Others []string // other values that the user may mean, if Flags lead to no figures
	Way    string   // what to type, in general; "": Flags
	Err    error
}

func (n *Needed) Error() string { return n.Err.Error() }

func criteriaOf(series []*Series) []string {
	_, names := stats.NumberLabels(data.Each(series, func(s *Series) string { return s.ID }))
	return names
}

// matches returns people's criteria with the name of a judge's criterion. Suffixes are removed first. rubric.score matches "rubric" only if
// people gave points, and rubric.pass and rubric.success only if people gave yes or no.
func (s *Study) matches(judge *Series, names *criteria) []string {
	base := judge.ID
	wanted := []bool{} // whether people's scale must be binary, for each suffix
	for _, part := range []string{".score", ".pass", ".success"} {
		if rest, found := strings.CutSuffix(base, part); found && rest != "" {
			base = rest
			wanted = append(wanted, part != ".score")
		}
	}
	base, _, _ = strings.Cut(base, "[") // without a tool's suffix, as deepeval's " [GEval]", or lm-eval's filter
	return data.Where(names.same(strings.TrimSpace(base)), func(name string) bool {
		if len(wanted) == 0 {
			return true
		}
		people, err := scales.Find(name, s.peopleValues(name, true), cmp.Or(s.o.Scales[name], s.o.Scales[""]))
		return err == nil && !slices.Contains(wanted, people.Kind != scales.Binary)
	})
}

// peopleValues returns the values of single people on a criterion. A recorded mean of people is left out if there are single people,
// because it may lie between the points of the scale. If distinct is set, each person's equal values are listed once.
func (s *Study) peopleValues(criterion string, distinct bool) []string {
	return valuesIn(distinct, false, data.Where(s.peopleOn(criterion), func(p *Series) bool { return !s.besideOthers(p) })...)
}

// peopleOn returns people's series on a criterion.
func (s *Study) peopleOn(criterion string) []*Series {
	if s.on == nil {
		s.on = map[string][]*Series{}
		for _, p := range s.People {
			s.on[p.ID] = append(s.on[p.ID], p)
		}
	}
	return s.on[criterion]
}

// besideOthers reports whether a series is people's mean as a run records it, and single people's values are there as well.
func (s *Study) besideOthers(series *Series) bool {
	return s.recordedMean(series) &&
		slices.ContainsFunc(s.peopleOn(series.ID), func(p *Series) bool { return p.Rater.Name != series.Rater.Name })
}

func (s *Study) recordedMean(series *Series) bool {
	return series.Rater.Name == s.meanBy && s.meanBy != ""
}
