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

// leastTaken is the number of items from which on a judge's column that equals a person's is taken for people's, where the log has
// one other column on the scale.
const leastTaken = 20

// checked runs the checks of joined values on a pairing. Where the judge's column is a copy of a person's and the log has exactly one
// other column on this scale, that one is the judge's: the pairing is then of it, marked.
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
	for _, person := range p.people { // a file whose format does not say which values are the judge's
		n, _, equal := checks.Equal(p.judge, person)
		if one && equal && n > 2 && person.Name == p.Judge && p.Criterion == p.PeoplesName {
			p.found = append(p.found, checks.Finding{Check: "itself", Kind: checks.Stop, Judge: p.Judge, Criterion: p.Criterion,
				Text: "its values are compared with themselves, since one file is given for both sides: name the other side's file"})
			break
		}
	}
	return p, nil
}

// copies marks the criteria of a judge that equals one person throughout, where one criterion has enough values to see that.
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

// compared returns the values that are compared.
func (p *Pairing) compared() *checks.Joined {
	return &checks.Joined{Criterion: p.Criterion, Judge: p.judge, People: p.people}
}

// unread adds a finding for each criterion whose values were left out as they were read, and reports whether there is one.
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

// eliminated marks a pair of criteria with different names, which are compared because each side has one.
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

// others returns the judge's further criteria on the scale of a pairing that people do not have.
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

// labelSet returns the labels that occur, in their compared form.
func labelSet(values []string) map[string]bool {
	labels := map[string]bool{}
	for _, v := range values {
		labels[scales.Canonical(v)] = true
	}
	return labels
}

// find runs the checks.
func (s *Study) find(p *Pairing) []checks.Finding {
	given := func(side, criterion string) bool {
		return cmp.Or(s.o.Scales[side+criterion], s.o.Scales[criterion], s.o.Declared[criterion], s.o.Scales[""]) != ""
	}
	judgesScale := given("judge.", p.Criterion)
	peoplesScale := given("people.", p.PeoplesName)
	side := func(name, criterion string, values []string, scale bool) checks.Side {
		log := s.words[name]
		return checks.Side{Name: name, Values: values, Words: log.Words[criterion], Empty: log.Empty[criterion], Given: scale}
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

// stops returns the findings that leave a criterion without figures.
func (s *Study) stops() []checks.Finding {
	return data.Where(s.Findings, func(f checks.Finding) bool { return f.Kind == checks.Stop })
}

// openQuestions returns those that leave the pairing without a verdict.
func (p *Pairing) openQuestions() []string {
	open := data.Where(p.found, func(f checks.Finding) bool { return f.Kind != checks.Say })
	return data.Set(data.Each(open, checks.Finding.Question))
}

// marked reports whether a finding leaves the pairing without a verdict.
func (p *Pairing) marked() bool { return checks.Marked(p.found) }

// Unanswered returns the findings that leave a criterion without figures or without a verdict: no gate passes or fails on them.
func (r *Result) Unanswered() []checks.Finding {
	return data.Where(r.Findings, func(f checks.Finding) bool { return f.Kind != checks.Say })
}

// basis returns what a verdict rests on where some labels are not people's own, or a part of the reading is assumed, as the beginning of a
// sentence; "": neither is.
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
