package validation

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/data/sources"
	"compqa/results/checks"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/trust"
	"compqa/results/validation/scales"
	"compqa/stats"
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
	Assumed     string // what was assumed of the scale, with the flags that correct it; "": nothing
	Why         string // why measures that need one scale are missing
	Rows        []Row

	series *Series // of the judge
	t      raters.Table
	judge  raters.Rater
	people []raters.Rater
	sheets raters.Rater // people's mean as a run records it: values of the units, and then of those in again; without values: there is none
	again  []int        // units of further sheets
	beside bool         // sheets are next to those of single people, and not of one of them
	mean   raters.Rater // of people
	most   raters.Rater // of people: the value that more of them gave than any other
	ties   int          // units where no value has most votes
	tied   string       // what became of ties in pairs that one side alone gave
	way    string       // what would make one scale of two

	sampling sampling // how people's labels were chosen
	decision trust.Decision
	found    []checks.Finding
}

// Pairings pairs the criteria of judges and people: those that the user names, and those with the same name. A judge's only
// criterion pairs with people's only one. It also says what has no pair.
func (s *Study) Pairings() (pairings []*Pairing, unpaired []string, err error) {
	if err := s.checkNames(); err != nil {
		return nil, nil, err
	}
	names, stopped := peoplesCriteria(s.People), s.unread()
	used, paired, taken := map[string]bool{}, map[*Series]bool{}, map[[2]string]bool{} // taken: judges with a name of people
	pair := func(judge *Series, name string) {
		p, fault := s.pairing(judge, name)
		if fault == nil {
			p, fault = s.checked(p)
		}
		if fault != nil && err == nil {
			err = fault
		}
		paired[judge], taken[[2]string{judge.Rater.Name, name}], paired[p.series] = true, true, true
		s.Findings = append(s.Findings, p.found...)
		if checks.Stopped(p.found) {
			stopped = true
		} else {
			pairings = append(pairings, p)
		}
	}
	claimed := map[[2]string]bool{} // judges with a criterion of people that --pair gives to another of their columns
	for _, judge := range s.Judges {
		if people, ok := s.o.pairOf(judge); ok {
			claimed[[2]string{judge.Rater.Name, people}] = true
		}
	}
	for _, judge := range s.Judges {
		matches := data.Where(s.matches(judge, names), func(name string) bool { return !claimed[[2]string{judge.Rater.Name, name}] })
		for _, name := range []string{judge.Rater.Name + "." + judge.ID, "judge." + judge.ID, judge.ID} {
			people, named := s.o.Pairs[name]
			if named && !names.has(people) {
				return nil, nil, fmt.Errorf("--pair %s=%s: people have no criterion %q; they have %s", judge.ID, people, people,
					data.Some(names.names))
			} else if named {
				matches, used[name] = []string{people}, true
			}
		}
		for _, name := range matches {
			pair(judge, name)
		}
	}
	for name := range s.o.Pairs {
		if !used[name] {
			return nil, nil, fmt.Errorf("--pair %s: no judge has this criterion; they have %s", name, data.Some(criteriaOf(s.Judges)))
		}
	}
	for _, judge := range s.Judges { // pass of a scorer with several values, where nothing else is people's pass
		for _, name := range names.same(judge.ID) {
			if !paired[judge] && !taken[[2]string{judge.Rater.Name, name}] && !judge.Extra && !claimed[[2]string{judge.Rater.Name, name}] {
				pair(judge, name)
			}
		}
	}
	main := data.Where(s.Judges, func(j *Series) bool { return !j.Extra })
	if len(pairings) == 0 && !stopped && len(names.names) == 1 && len(main) == 1 {
		pair(main[0], names.names[0])
		s.eliminated(pairings, main[0], names.names[0])
	}
	for _, judge := range main {
		if !paired[judge] && s.words["people"].Stopped[judge.ID] == "" {
			unpaired = append(unpaired, judge.ID)
		}
	}
	s.copies(pairings)
	if len(pairings) > 0 || len(names.names) == 0 || err != nil {
		return pairings, unpaired, err
	}
	if stopped {
		return nil, nil, errors.New(strings.Join(data.Each(s.stops(), checks.Finding.Sentence), "\n"))
	}
	return nil, nil, s.unmatched(names, main)
}

// unmatched asks the user which criteria of judges and people belong together.
func (s *Study) unmatched(names *criteria, main []*Series) *Needed {
	judge, person := "JUDGE", "PEOPLE" // which of several belong together nobody knows but the user
	var pairs []string
	for _, j := range data.Set(criteriaOf(s.Judges)) {
		for _, name := range names.names {
			pairs = append(pairs, j+"="+name)
		}
	}
	for _, j := range main[:min(len(main), mostCompared)] {
		if near := data.Nearest(j.ID, names.names); near != "" {
			judge, person = j.ID, near
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

// columnsAlone returns people's criteria that are columns which were assumed to be criteria.
func (s *Study) columnsAlone(names *criteria) []string {
	return data.Where(names.names, func(name string) bool {
		return slices.ContainsFunc(s.Assumed, func(c sources.ColumnRead) bool { return c.Criterion == name && c.Column == name && c.Rater == "" })
	})
}

// pairOf returns the criterion of people that --pair gives to a judge's.
func (o *Options) pairOf(judge *Series) (name string, ok bool) {
	for _, key := range []string{judge.Rater.Name + "." + judge.ID, "judge." + judge.ID, judge.ID} {
		if name, ok = o.Pairs[key]; ok {
			return name, true
		}
	}
	return "", false
}

// criteria are names of criteria, and where those that are equal for a comparison stand.
type criteria struct {
	names  []string
	places map[string][]int // by folded name
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

// same returns the names of the criterion that a judge's name is of: see sources.SameCriterion.
func (c *criteria) same(judge string) []string {
	var places []int
	for _, key := range sources.CriterionKeys(judge) {
		places = append(places, c.places[key]...)
	}
	slices.Sort(places)
	return data.Each(slices.Compact(places), func(i int) string { return c.names[i] })
}

// checkNames checks that thresholds and scales are of criteria that there are. Without people, theirs are those of judges.
func (s *Study) checkNames() error {
	people := s.People
	if len(people) == 0 {
		people = s.Judges
	}
	known := map[string]bool{"": true}
	for side, series := range map[string][]*Series{"judge.": s.Judges, "people.": people} {
		for _, one := range series {
			known[one.ID], known[side+one.ID] = true, true
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

// Needed is an error that a flag would mend.
type Needed struct {
	Flags  []string // with their values
	Others []string // values of the flag that may be meant where Flags give no figures
	Way    string   // what to type, in general; "": the flags
	Err    error
}

func (n *Needed) Error() string { return n.Err.Error() }

func criteriaOf(series []*Series) []string {
	_, names := stats.NumberLabels(data.Each(series, func(s *Series) string { return s.ID }))
	return names
}

// matches returns people's criteria with the name of a judge's. rubric.score and rubric.pass are both of rubric: the one with
// people's kind of scale counts.
func (s *Study) matches(judge *Series, names *criteria) []string {
	base, wanted := judge.ID, []bool{} // whether people's scale must be binary
	for _, part := range []string{".score", ".pass", ".success"} {
		if rest, found := strings.CutSuffix(base, part); found && rest != "" {
			base, wanted = rest, append(wanted, part != ".score")
		}
	}
	base, _, _ = strings.Cut(base, "[") // the tool, as deepeval's " [GEval]", or lm-eval's filter
	return data.Where(names.same(strings.TrimSpace(base)), func(name string) bool {
		if len(wanted) == 0 {
			return true
		}
		people, err := scales.Find(name, s.peopleValues(name, true), cmp.Or(s.o.Scales[name], s.o.Scales[""]))
		return err == nil && !slices.Contains(wanted, people.Kind != scales.Binary)
	})
}

// peopleValues are the values of single people, distinct ones where repeats do not matter; those of their mean, which may be between the
// points of the scale, count where a record has nobody else.
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

// besideOthers reports whether a series is people's mean, as a run records it, next to the values of single people.
func (s *Study) besideOthers(series *Series) bool {
	return s.recordedMean(series) &&
		slices.ContainsFunc(s.peopleOn(series.ID), func(p *Series) bool { return p.Rater.Name != series.Rater.Name })
}

func (s *Study) recordedMean(series *Series) bool {
	return series.Rater.Name == s.meanBy && s.meanBy != ""
}

// pairing finds the scales of both sides and makes numbers of their values.
func (s *Study) pairing(judge *Series, criterion string) (p *Pairing, err error) {
	p = &Pairing{Study: s, Of: Of{judge.Rater.Name, judge.ID}, PeoplesName: criterion, series: judge}
	judged := valuesIn(true, true, judge)
	scaleOf := func(side, criterion string) string {
		return cmp.Or(s.o.Scales[side+criterion], s.o.Scales[criterion], s.o.Declared[criterion], s.o.Scales[""])
	} // as the user says, or the rubric of a run
	if p.JudgeScale, err = scales.Find(judge.ID, judged, scaleOf("judge.", judge.ID)); err != nil {
		return p, err
	}
	given, peoples := scaleOf("people.", criterion), s.peopleValues(criterion, true)
	if s.sameJudge {
		given = scaleOf("judge.", judge.ID)
		p.JudgeScale, err = scales.Find(criterion, slices.Concat(judged, peoples), given)
		if err != nil {
			return p, err
		}
	}
	p.PeopleScale = p.JudgeScale
	if !s.sameJudge && (given != "" || len(peoples) > 0) {
		p.PeopleScale, err = scales.Find(criterion, peoples, given)
		if err != nil {
			return p, err
		}
	}
	if err := p.oneScale(judged, peoples, given != "" || scaleOf("judge.", judge.ID) != ""); err != nil {
		return p, err
	}
	p.shareLabels()
	p.judge = s.numbers(judge, p.JudgeScale, raters.Judge)
	for _, series := range s.peopleOn(criterion) {
		scale, beside := p.PeopleScale, s.besideOthers(series)
		if beside {
			scale.Numbers = nil // its values are points, some of them between those of the scale
		} else {
			p.people = append(p.people, s.numbers(series, scale, raters.Person))
		}
		if !s.recordedMean(series) || !beside && (s.o.PeoplesMean || s.o.EpochsMean) {
			continue
		}
		p.beside = beside
		p.sheets, p.again = s.numbers(series, scale, raters.Person), nil
		for unit, words := range series.words() {
			for _, word := range words[1:] {
				if x, ok := scale.Number(series.text(word)); ok && !s.o.PeoplesMean && !s.o.EpochsMean {
					p.sheets.Values, p.again = append(p.sheets.Values, raters.Number(x)), append(p.again, unit)
				}
			}
		}
	}
	slices.SortStableFunc(p.people, func(a, b raters.Rater) int { return strings.Compare(a.Name, b.Name) })
	if _, named := s.o.Thresholds["judge."+p.Criterion]; s.o.MapLinear && !named { // a threshold is then on people's scale
		p.align()
	}
	p.pass()
	p.align()
	p.pool()
	if !s.sameJudge {
		p.findSampling()
	}
	return p, nil
}

// oneScale gives both sides the scale that is found from all values of both together, unless their own ones contradict each
// other or the user or a name gives one: a side may use a part of the scale, and have labels that the other has not.
func (p *Pairing) oneScale(judged, peoples []string, given bool) error {
	j, h, all := p.JudgeScale, p.PeopleScale, slices.Concat(judged, peoples)
	points := j.Points() && h.Points() && !j.Words() && !h.Words()
	words := j.Words() && h.Words() && j.Kind != h.Kind
	if numbers, err := scales.Find(p.PeoplesName, all, ""); err == nil && numbers.Kind == scales.Ordinal &&
		!numbers.Words() && numbers.Max <= 1 {
		words = words || j.Kind != h.Kind // 0 and 1 next to half points
	}
	if p.sameJudge || p.PeoplesName == sources.Preferred {
		return nil
	}
	if p.otherWords(judged, peoples) {
		return nil
	}
	if !words && !(points && scales.Same(j, h)) {
		return nil
	}
	if points {
		p.JudgeScale, p.PeopleScale = scales.Together(p.PeoplesName, j, h)
		if !given && !j.Given && !h.Given && (j.Low != h.Low || j.High != h.High) {
			p.Assumed = fmt.Sprintf("the scale %s was taken from the values of both sides (the judge's %s–%s, people's %s–%s): --scale "+
				"%s=LOW..HIGH "+
				"corrects it%s", p.PeopleScale.Short(), stats.Shortest(j.Min), stats.Shortest(j.Max), stats.Shortest(h.Min), stats.Shortest(h.Max),
				p.PeoplesName, alone(judged, peoples))
		}
		return nil
	}
	both, err := scales.Find(p.PeoplesName, all, "")
	if err != nil {
		return err
	}
	p.JudgeScale, p.PeopleScale = both, both
	if both.Kind == scales.Nominal && !given {
		p.Assumed = fmt.Sprintf("values of both sides were compared as labels without an order (%s): --scale %s=WORST,…,BEST names the order%s",
			data.Some(both.Labels), p.PeoplesName, alone(judged, peoples))
	}
	return nil
}

// otherWords finds the one scale of sides that say the same in other words: choices between two answers, an order of words next to its
// numbers, fractions next to percentages.
func (p *Pairing) otherWords(judged, peoples []string) bool {
	j, h := p.JudgeScale, p.PeopleScale
	if j.Kind == scales.Nominal && h.Kind == scales.Nominal && !slices.Equal(j.Labels, h.Labels) {
		choices, ok := scales.Choices(judged, peoples)
		if ok {
			p.JudgeScale, p.PeopleScale = choices, choices
			p.Mapped = "words for the first answer, the second and a tie are read as a, b and tie"
		}
		return ok
	}
	for _, side := range []struct{ words, numbers *scales.Scale }{{&p.JudgeScale, &p.PeopleScale}, {&p.PeopleScale, &p.JudgeScale}} {
		if scale, ends, ok := scales.Likert(*side.words, *side.numbers); ok {
			*side.words = scale
			side.numbers.Low, side.numbers.High, side.numbers.Given = scale.Low, scale.High, true
			p.Mapped = fmt.Sprintf("%s are read as 1 … %v", ends, scale.High)
			return true
		}
	}
	for _, side := range []struct {
		fractions *scales.Scale
		values    []string
		other     []string
		who       string
	}{{&p.JudgeScale, judged, peoples, "judge's"}, {&p.PeopleScale, peoples, judged, "people's"}} {
		if scales.Percent(side.other) && side.fractions.Points() && !side.fractions.Words() && side.fractions.Min >= 0 &&
			side.fractions.Max <= 1 {
			p.Mapped = side.who + " fractions are read as percentages"
			scale := side.fractions
			scale.Factor, scale.Low, scale.High, scale.Min, scale.Max = 100, 0, 100, 100*scale.Min, 100*scale.Max
			p.JudgeScale, p.PeopleScale = scales.Together(p.PeoplesName, p.JudgeScale, p.PeopleScale)
			return true
		}
	}
	return false
}

// alone names the flag for a value that one side alone has, if it has one such value, as a code for missing values is.
func alone(judged, peoples []string) string {
	known := func(values []string) map[string]bool {
		distinct := map[string]bool{}
		for _, v := range values {
			v = strings.ToLower(v)
			if v != "" {
				if x, ok := data.Number(v); ok {
					v = stats.Shortest(x)
				}
				distinct[v] = true
			}
		}
		return distinct
	}
	sides := map[string]map[string]bool{"judge.": known(judged), "people.": known(peoples)}
	for side, other := range map[string]string{"judge.": "people.", "people.": "judge."} {
		more := data.Where(slices.Sorted(maps.Keys(sides[side])), func(v string) bool { return !sides[other][v] })
		if len(more) != 1 || len(sides[side]) != len(sides[other])+1 {
			continue
		}
		if x, ok := data.Number(more[0]); !ok || x <= 0 { // 3 next to 0 to 2 is a point
			return fmt.Sprintf("; if %s stands for a missing value: --missing %s%s", more[0], side, more[0])
		}
	}
	return ""
}

// shareLabels gives both sides the same numbers for labels. A tie in a pair that people alone give is left out, since the judge
// has to choose; one that the judge alone gives is its choice, with which no person agrees.
func (p *Pairing) shareLabels() {
	j, h := p.JudgeScale, p.PeopleScale
	labels := slices.Compact(slices.Sorted(slices.Values(slices.Concat(j.Labels, h.Labels))))
	switch {
	case p.PeoplesName == sources.Preferred:
		_, judged := j.Numbers["tie"]
		_, given := h.Numbers["tie"]
		ties := func(series *Series) (n int) {
			for i := range p.Units {
				n += int(dataset.Indicator(series.Value(i) == "tie" && p.series.Value(i) != ""))
			}
			return n
		}
		labels = []string{"a", "b"}
		switch {
		case judged:
			labels = append(labels, "tie")
			if !given && len(p.peopleValues(p.PeoplesName, true)) > 0 {
				p.tied = fmt.Sprintf("people always choose, so that %s of the judge count as disagreement", data.Plural(ties(p.series), "tie", "ties"))
			}
		case given:
			n := 0
			for _, series := range p.People {
				n += ties(series)
			}
			p.tied = fmt.Sprintf("the judge always chooses; left out: %s of people", data.Plural(n, "tie", "ties"))
		}
	case j.Kind != scales.Nominal || h.Kind != scales.Nominal || slices.Equal(j.Labels, h.Labels):
		return
	}
	p.JudgeScale = scales.OfLabels(scales.Nominal, labels)
	p.PeopleScale = p.JudgeScale
}

// pass makes yes and no of points, if the user says from which number on they pass. One number for both sides needs scales of
// about the same width.
func (p *Pairing) pass() {
	first := func(names ...string) (float64, bool) {
		for _, name := range names {
			if x, given := p.o.Thresholds[name]; given {
				return x, true
			}
		}
		return 0, false
	}
	judge, people := "judge."+p.Criterion, "people."+p.PeoplesName
	if p.sameJudge {
		people = judge
	}
	p.way = "say what passes: --threshold N"
	if _, given := first(judge); given {
		p.way = fmt.Sprintf("say what passes: --threshold %s=N", people)
	} else if _, given := first(people); given {
		p.way = fmt.Sprintf("say what passes: --threshold %s=N", judge)
	}
	if j, h := p.JudgeScale, p.PeopleScale; j.Points() && h.Points() {
		_, each := first(judge, people)
		_, both := first(p.PeoplesName, p.Criterion, "")
		if !each {
			p.way = "--scale corrects a scale"
			words := (j.Labels == nil) != (h.Labels == nil)              // on one side, which have no steps of their own
			if words || j.Kind != h.Kind || j.Max > 20 != (h.Max > 20) { // else equal steps would become different ones
				p.way = "--map-scale linear maps one onto the other, --scale corrects a scale"
			}
		}
		if a, b := j.Max-j.Min, h.Max-h.Min; both && !each && !scales.Same(j, h) && max(a, b) >= 1.5*min(a, b) {
			p.way = fmt.Sprintf("say what passes on each: --threshold %s=N --threshold %s=N, or add --map-scale linear", judge, people)
			return
		}
	}
	cut := func(side string, scale *scales.Scale, persons []raters.Rater) string {
		threshold, given := first(side, p.PeoplesName, p.Criterion, "")
		if !given || !scale.Points() {
			return ""
		}
		*scale = scales.Scale{Kind: scales.Binary, High: 1, Max: 1}
		for _, r := range persons {
			for i, v := range r.Values {
				if v.Given() {
					r.Values[i] = raters.Number(dataset.Indicator(v.Number() >= threshold))
				}
			}
		}
		return fmt.Sprintf("at least %v is 1", threshold)
	}
	computed := p.computedMeans()
	judgePass, by := cut(judge, &p.JudgeScale, []raters.Rater{p.judge}), cut(people, &p.PeopleScale, append(slices.Clone(p.people), p.sheets))
	for _, i := range computed { // as where no mean is recorded
		mean, _ := p.meanOfSingles(i)
		p.sheets.Values[i] = raters.Number(mean)
	}
	if judgePass != by && judgePass != "" && by != "" {
		judgePass, by = "of the judge "+judgePass, "of people "+by
	}
	p.Mapped = strings.Join(slices.Compact(filled(p.Mapped, judgePass, by)), ", ")
}

// computedMeans returns the units whose recorded mean is that of the single people on record: it follows what becomes of their values.
func (p *Pairing) computedMeans() (units []int) {
	if !p.beside {
		return nil
	}
	for i := range p.Units {
		recorded := p.sheets.Values[i]
		mean, singles := p.meanOfSingles(i)
		if recorded.Given() && singles > 0 && math.Abs(recorded.Number()-mean) <= dataset.MeanTolerance {
			units = append(units, i)
		}
	}
	return units
}

// meanOfSingles returns the mean of the values of single people on a unit, and their number.
func (p *Pairing) meanOfSingles(unit int) (mean float64, n int) {
	sum := 0.0
	for _, r := range p.people {
		if v := r.Values[unit]; v.Given() {
			sum, n = sum+v.Number(), n+1
		}
	}
	return sum / float64(n), n
}

// align brings both sides onto one scale, if they are on one or the user says how.
func (p *Pairing) align() {
	j, h := p.JudgeScale, p.PeopleScale
	p.Why = ""
	p.SameScale = scales.Same(j, h)
	if p.SameScale {
		return
	}
	nominal := j.Kind == scales.Nominal || h.Kind == scales.Nominal
	binary := j.Kind == scales.Binary || h.Kind == scales.Binary
	ordinal := j.Kind == scales.Ordinal || h.Kind == scales.Ordinal
	switch {
	case p.o.MapLinear && !nominal && !(binary && ordinal):
		for i, v := range p.judge.Values {
			if v.Given() {
				p.judge.Values[i] = raters.Number(j.Onto(h, v.Number()))
			}
		}
		p.SameScale, p.JudgeScale, p.Mapped = true, h, fmt.Sprintf("judge's %s mapped onto %s", j, h)
		return
	case nominal:
		p.way = "name the order of labels: --scale"
	}
	p.Why = fmt.Sprintf("the judge has %s and people %s; %s", j, h, p.way)
}

// pool computes the mean of people, which is the recorded one where there is one, and what most of them say.
func (p *Pairing) pool() {
	p.t = p.table()
	p.mean, p.most = p.t.Mean(p.people), p.t.Majority(p.people)
	for i := range p.mean.Values {
		if p.beside && p.sheets.Values[i].Given() {
			p.mean.Values[i] = p.sheets.Values[i]
		}
	}
	p.ties = p.most.Tied()
	for i, v := range p.most.Values {
		if v.Missing() == raters.Tied && !p.judge.Values[i].Given() {
			p.ties--
		}
	}
}
