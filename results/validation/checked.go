package validation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"compqa/data"
	"compqa/data/sources"
	"compqa/results/checks"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/results/validation/scales"
)

// leastTaken is the least number of items on which a column in the judge's log must equal a person's values to be taken for that person's
// column (see checked).
const leastTaken = 20

// checked runs the checks on a pairing. A judge's column may be a copy of a person's values. If the log has exactly one other column on the
// same scale, that column is taken as the judge's: checked returns its pairing, marked with a question to the user.
func (s *Study) checked(p *Pairing) (*Pairing, error) {
	if s.sameJudge || len(p.people) == 0 {
		return p, nil
	}
	copied := slices.IndexFunc(p.people, func(r raters.Rater) bool {
		n, values, equal := checks.Equal(p.judge, r)
		return equal && n >= leastTaken && values > 1
	})
	_, named := s.o.pairOf(p.series)
	if copied >= 0 && !slices.Contains(s.o.Answered, "copy") && !named && !sources.JudgesName(p.series.ID) {
		others := s.others(p)
		if len(others) == 1 {
			other, err := s.pairing(others[0], p.PeoplesName)
			if err != nil {
				return p, err
			}
			other.found = append(s.find(other), checks.Finding{Check: "copy", Kind: checks.Mark, Judge: other.Judge, Criterion: other.Criterion,
				Text: fmt.Sprintf("it is compared with people's %s, because the log's own column %s equals %s on all items and so is people's",
					p.PeoplesName, p.Criterion, p.people[copied].Name),
				Flag: fmt.Sprintf("--pair %q says so", other.Criterion+"="+p.PeoplesName)})
			return other, nil
		}
	}
	p.found = s.find(p)
	one := s.words["judge"].Path == s.words["people"].Path && s.words["judge"].Path != ""
	for _, person := range p.people { // for a file whose format does not say which values are the judge's
		n, _, equal := checks.Equal(p.judge, person)
		if one && equal && n > 2 && person.Name == p.Judge && p.Criterion == p.PeoplesName {
			p.found = append(p.found, checks.Finding{Check: "itself", Kind: checks.Stop, Judge: p.Judge, Criterion: p.Criterion,
				Text: "its values are compared with themselves, since one file is given for both sides: name the other side's file"})
			break
		}
	}
	return p, nil
}

// copies marks all criteria of a judge that always equals one person, if on one criterion this is too often for chance (checks.Throughout).
func (s *Study) copies(pairings []*Pairing) {
	if s.sameJudge || slices.Contains(s.o.Answered, "copy") {
		return
	}
	for _, compared := range table.Grouped(pairings, func(p *Pairing) string { return p.Judge }) {
		for i, f := range checks.Throughout(data.Each(compared, (*Pairing).compared)) {
			if f.Text != "" {
				compared[i].found = append(compared[i].found, f)
				s.Findings = append(s.Findings, f)
			}
		}
	}
}

// compared returns the values that are compared, for the checks.
func (p *Pairing) compared() *checks.Joined {
	return &checks.Joined{Criterion: p.Criterion, Judge: p.judge, People: p.people}
}

// unread adds a finding for each criterion whose values were left out when files were read. It reports whether there is one.
func (s *Study) unread() (stopped bool) {
	for _, side := range slices.Sorted(maps.Keys(s.words)) {
		log := s.words[side]
		for _, criterion := range slices.Sorted(maps.Keys(log.Stopped)) {
			s.Findings = append(s.Findings, checks.Finding{Check: "repeats", Kind: checks.Stop, Criterion: criterion,
				Text: log.Path + ": " + log.Stopped[criterion]})
			stopped = true
		}
	}
	return stopped
}

// eliminated marks a pairing of criteria with different names, which are compared because each side has only one criterion.
func (s *Study) eliminated(pairings []*Pairing, judge *Series, peoples string) {
	if slices.Contains(s.o.Answered, "pair") {
		return
	}
	for _, p := range pairings {
		p.found = append(p.found, checks.Finding{Check: "pair", Kind: checks.Mark, Judge: judge.Rater.Name, Criterion: judge.ID,
			Text: fmt.Sprintf("it is compared with people's %s, because each side has one criterion", peoples),
			Flag: fmt.Sprintf("--pair %q says so", judge.ID+"="+peoples)})
		s.Findings = append(s.Findings, p.found[len(p.found)-1])
	}
}

// others returns the judge's other criteria whose labels all occur in people's values of a pairing, and that people do not have by name.
func (s *Study) others(p *Pairing) (others []*Series) {
	names := peoplesCriteria(s.People)
	ours := labelSet(s.peopleValues(p.PeoplesName, true))
	for _, series := range s.Judges {
		if series == p.series || series.Rater.Name != p.series.Rater.Name || series.Extra || len(names.same(series.ID)) > 0 ||
			s.words["people"].Stopped[series.ID] != "" {
			continue
		}
		theirs := labelSet(valuesIn(true, false, series))
		common := 0
		for label := range theirs {
			if ours[label] {
				common++
			}
		}
		if len(theirs) > 1 && common == len(theirs) {
			others = append(others, series)
		}
	}
	return others
}

// labelSet returns the set of values in canonical form (scales.Canonical).
func labelSet(values []string) map[string]bool {
	labels := map[string]bool{}
	for _, v := range values {
		labels[scales.Canonical(v)] = true
	}
	return labels
}

// find runs the checks on a pairing and returns their findings.
func (s *Study) find(p *Pairing) []checks.Finding {
	given := func(side, criterion string) bool {
		return cmp.Or(s.o.Scales[side+criterion], s.o.Scales[criterion], s.o.Declared[criterion], s.o.Scales[""]) != ""
	}
	judgesScale := given("judge.", p.Criterion)
	peoplesScale := given("people.", p.PeoplesName)
	side := func(name, criterion string, values []string, scale bool) checks.Side {
		log := s.words[name]
		return checks.Side{Name: name, Values: checks.Count(values...), Words: log.Words[criterion], Empty: log.Empty[criterion], Given: scale}
	}
	j := &checks.Joined{Criterion: p.Criterion, Judge: p.judge, People: p.people,
		Labels: p.PeopleScale.Kind == scales.Nominal && p.JudgeScale.Kind == scales.Nominal && p.PeoplesName != sources.Preferred,
		Label:  p.PeopleScale.Label,
		Sides: []checks.Side{
			side("judge", p.series.ID, valuesIn(false, true, p.series), judgesScale),
			side("people", p.PeoplesName, s.peopleValues(p.PeoplesName, false), peoplesScale)},
		OneScale:  s.o.MapLinear || len(s.o.Thresholds) > 0 || judgesScale || peoplesScale || p.JudgeScale.Factor+p.PeopleScale.Factor > 0,
		Record:    s.ofRun,
		Spellings: s.spellings,
		Assumed:   data.Each(s.Assumed, func(c sources.ColumnRead) string { return c.Rater }),
		Versions:  p.series.Versions}
	return checks.Run(j, s.o.Answered)
}

// stops returns the findings that stop a criterion, so that it has no figures.
func (s *Study) stops() []checks.Finding {
	return data.Where(s.Findings, func(f checks.Finding) bool { return f.Kind == checks.Stop })
}

// openQuestions returns the questions that must be answered before the pairing gets a verdict.
func (p *Pairing) openQuestions() []string {
	open := data.Where(p.found, func(f checks.Finding) bool { return f.Kind != checks.Say })
	return data.Set(data.Each(open, checks.Finding.Question))
}

// marked reports whether a finding leaves the pairing without a verdict.
func (p *Pairing) marked() bool { return checks.Marked(p.found) }

// Unanswered returns the findings that leave a criterion without figures or without a verdict. Gates neither pass nor fail on such a
// criterion.
func (r *Result) Unanswered() []checks.Finding {
	return data.Where(r.Findings, func(f checks.Finding) bool { return f.Kind != checks.Say })
}

// basis returns on what a verdict depends, as the start of a sentence: labels that are not people's own, or assumptions about columns. It
// returns "" if there is nothing to say.
func (r *Result) basis() string {
	if r.notPeoples != "" {
		return r.notPeoples + ": " + r.assumed()
	}
	return r.assumed()
}

func (r *Result) assumed() string {
	if len(r.Assumed) == 0 {
		return ""
	}
	first := r.Assumed[0]
	text := fmt.Sprintf("%s as %s", data.Clip(first.Column), first.What())
	if more := len(r.Assumed) - 1; more > 0 {
		return fmt.Sprintf("if %d columns are read rightly (%s, and %d more): ", more+1, text, more)
	}
	return "if column " + text + " is read rightly: "
}
