package validation

import (
	"cmp"
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

// A Pairing compares a judge's criterion with a criterion of people.
type Pairing struct {
	*Study
	Of
	PeoplesName string // the criterion of people
	JudgeScale  scales.Scale
	PeopleScale scales.Scale
	SameScale   bool   // both sides are on one scale, perhaps after a mapping or a threshold
	Mapped      string // how values were changed to compare them; "": they were not
	Assumed     string // what was assumed about the scale, and the flags that correct it; "": nothing
	Why         string // why figures that need one scale are missing
	Rows        []Row

	series *Series // the judge's
	t      raters.Table
	judge  raters.Rater
	people []raters.Rater
	sheets raters.Rater // people's mean as a run records it: of each unit, and then of each unit in again; no Values: there is none
	again  []int        // units of the further sheets in sheets.Values
	beside bool         // single people's values are there, too: sheets is not the values of the only person
	mean   raters.Rater // mean of people's values
	most   raters.Rater // most frequent value of people (majority)
	ties   int          // judged units on which no value is most frequent
	tied   string       // what happens to ties in pairs that only one side gave
	way    string       // advice on what would put both sides onto one scale

	values []float64   // different values of judge and people, for counts
	counts [][]float64 // cross table of judge and people (see cross)

	sampling sampling // how the items that people labelled were chosen
	decision trust.Decision
	found    []checks.Finding
}

// pairing compares a judge's series with a criterion of people, in this order. It finds the scale of each side, and gives both the same
// labels. It turns values into numbers, applies thresholds, and puts both sides onto one scale. Last, it computes people's mean and
// majority.
func (s *Study) pairing(judge *Series, criterion string) (*Pairing, error) {
	p := &Pairing{Study: s, Of: Of{judge.Rater.Name, judge.ID}, PeoplesName: criterion, series: judge}
	if err := p.findScales(); err != nil {
		return p, err
	}
	p.shareLabels()
	p.judge = s.numbers(judge, p.JudgeScale, raters.Judge)
	p.addPeople()
	if _, named := s.o.Thresholds["judge."+p.Criterion]; s.o.MapLinear && !named { // the threshold is then on people's scale
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

// findScales finds the scale of each side. It uses the scale that the user or the rubric of a run gives, and else finds one from the
// values.
func (p *Pairing) findScales() (err error) {
	given := func(side, criterion string) string {
		return cmp.Or(p.o.Scales[side+criterion], p.o.Scales[criterion], p.o.Declared[criterion], p.o.Scales[""])
	}
	judgesGiven := given("judge.", p.Criterion)
	peoplesGiven := given("people.", p.PeoplesName)
	judged := valuesIn(true, true, p.series)
	peoples := p.peopleValues(p.PeoplesName, true)
	p.JudgeScale, err = scales.Find(p.Criterion, judged, judgesGiven)
	if err != nil {
		return err
	}
	if p.sameJudge { // people's side is the same judge in another log
		p.JudgeScale, err = scales.Find(p.PeoplesName, slices.Concat(judged, peoples), judgesGiven)
		p.PeopleScale = p.JudgeScale
		return err
	}
	p.PeopleScale = p.JudgeScale
	if peoplesGiven != "" || len(peoples) > 0 {
		p.PeopleScale, err = scales.Find(p.PeoplesName, peoples, peoplesGiven)
		if err != nil {
			return err
		}
	}
	return p.oneScale(judged, peoples, peoplesGiven != "" || judgesGiven != "")
}

// addPeople turns people's values into numbers. A mean that a run recorded next to single people's values may lie between the points of the
// scale. It is therefore read as a plain number.
func (p *Pairing) addPeople() {
	for _, series := range p.peopleOn(p.PeoplesName) {
		scale, beside := p.PeopleScale, p.besideOthers(series)
		if beside {
			scale.Numbers = nil
		} else {
			p.people = append(p.people, p.numbers(series, scale, raters.Person))
		}
		if p.recordedMean(series) && (beside || !p.o.PeoplesMean && !p.o.EpochsMean) {
			p.addRecordedMean(series, scale, beside)
		}
	}
	slices.SortStableFunc(p.people, func(a, b raters.Rater) int { return strings.Compare(a.Name, b.Name) })
}

// addRecordedMean sets sheets to people's mean as a run records it. The first sheet of each unit comes first, and then the further sheets.
func (p *Pairing) addRecordedMean(series *Series, scale scales.Scale, beside bool) {
	p.beside = beside
	p.sheets = p.numbers(series, scale, raters.Person)
	p.again = nil
	if p.o.PeoplesMean || p.o.EpochsMean {
		return // the value is already the mean of all sheets
	}
	for unit, words := range series.words() {
		for _, word := range words[1:] {
			if x, ok := scale.Number(series.text(word)); ok {
				p.sheets.Values = append(p.sheets.Values, raters.Number(x))
				p.again = append(p.again, unit)
			}
		}
	}
}

// oneScale gives both sides the scale that fits all values of both. For example, if a judge gave 2 to 5 and people 1 to 4, both are on
// 1–5. It keeps the two scales if they contradict each other. given reports whether the user or a rubric gives a scale.
func (p *Pairing) oneScale(judged, peoples []string, given bool) error {
	if p.PeoplesName == sources.Preferred || p.otherWords(judged, peoples) {
		return nil
	}
	j, h, all := p.JudgeScale, p.PeopleScale, slices.Concat(judged, peoples)
	halfPoints := j.Kind != h.Kind && isHalfPoints(p.PeoplesName, all)
	points := j.Points() && h.Points() && !j.Words() && !h.Words()
	if points && (halfPoints || scales.Same(j, h)) {
		p.JudgeScale, p.PeopleScale = scales.Together(p.PeoplesName, j, h)
		if !given && !j.Given && !h.Given && (j.Low != h.Low || j.High != h.High) {
			p.Assumed = fmt.Sprintf("the scale %s was taken from the values of both sides (the judge's %s–%s, people's %s–%s): --scale "+
				"%s=LOW..HIGH corrects it%s", p.PeopleScale.Short(), stats.Shortest(j.Min), stats.Shortest(j.Max), stats.Shortest(h.Min),
				stats.Shortest(h.Max), p.PeoplesName, alone(judged, peoples))
		}
		return nil
	}
	differentWords := j.Words() && h.Words() && j.Kind != h.Kind
	if points || !differentWords && !halfPoints {
		return nil
	}
	both, err := scales.Find(p.PeoplesName, all, "")
	if err != nil {
		return err
	}
	p.JudgeScale = both
	p.PeopleScale = both
	if both.Kind == scales.Nominal && !given {
		p.Assumed = fmt.Sprintf("values of both sides were compared as labels without an order (%s): --scale %s=WORST,…,BEST names the order%s",
			data.Some(both.Labels), p.PeoplesName, alone(judged, peoples))
	}
	return nil
}

// isHalfPoints reports whether values are ordinal steps from 0 to 1: for instance, one side gave 0 and 1 and the other .5.
func isHalfPoints(criterion string, values []string) bool {
	scale, err := scales.Find(criterion, values, "")
	return err == nil && scale.Kind == scales.Ordinal && !scale.Words() && scale.Max <= 1
}

// otherWords finds one scale if the sides say the same in other words, and reports whether it did. There are three cases: choices between
// two answers (left and model_a), an order of words next to numbers (agree and 4), and fractions next to percentages (0.8 and 80 %).
func (p *Pairing) otherWords(judged, peoples []string) bool {
	j := p.JudgeScale
	h := p.PeopleScale
	if j.Kind == scales.Nominal && h.Kind == scales.Nominal && !slices.Equal(j.Labels, h.Labels) {
		choices, ok := scales.Choices(judged, peoples)
		if ok {
			p.JudgeScale = choices
			p.PeopleScale = choices
			p.Mapped = "words for the first answer, the second and a tie are read as a, b and tie"
		}
		return ok
	}
	for _, side := range []struct{ words, numbers *scales.Scale }{{&p.JudgeScale, &p.PeopleScale}, {&p.PeopleScale, &p.JudgeScale}} {
		if scale, ends, ok := scales.Likert(*side.words, *side.numbers); ok {
			*side.words = scale
			side.numbers.Low = scale.Low
			side.numbers.High = scale.High
			side.numbers.Given = true
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
			scale.Factor = 100
			scale.Low = 0
			scale.High = 100
			scale.Min = 100 * scale.Min
			scale.Max = 100 * scale.Max
			p.JudgeScale, p.PeopleScale = scales.Together(p.PeoplesName, p.JudgeScale, p.PeopleScale)
			return true
		}
	}
	return false
}

// alone returns advice on a value that only one side has, as a code for missing values would be. It names --missing. It returns "" unless
// one side has exactly one value more than the other.
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
		if x, ok := data.Number(more[0]); !ok || x <= 0 { // 3 next to 0 to 2 is probably a point
			return fmt.Sprintf("; if %s stands for a missing value: --missing %s%s", more[0], side, more[0])
		}
	}
	return ""
}

// shareLabels gives both sides the same numbers for labels. If only people give ties in pairs, their ties are left out, since the judge
// must choose. If only the judge gives ties, a tie counts as a choice with which no person agrees.
func (p *Pairing) shareLabels() {
	j := p.JudgeScale
	h := p.PeopleScale
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

// pass turns points into 1 (at least the threshold) and 0. For example, --threshold 4 turns 4 and 5 into 1 if both sides are on 1–5. If
// the judge is on 1–10 and people on 1–5, each side needs its own threshold: --threshold judge.clear=7 --threshold people.clear=4.
func (p *Pairing) pass() {
	judge, people := p.thresholdNames()
	p.way = p.scaleAdvice()
	if p.needsTwoThresholds() {
		return
	}
	computed := p.computedMeans()
	judgesPass := p.cut(judge, &p.JudgeScale, p.judge)
	peoplesPass := p.cut(people, &p.PeopleScale, append(slices.Clone(p.people), p.sheets)...)
	for _, unit := range computed {
		mean, _ := p.meanOfSingles(unit)
		p.sheets.Values[unit] = raters.Number(mean)
	}
	if judgesPass != peoplesPass && judgesPass != "" && peoplesPass != "" {
		judgesPass = "of the judge " + judgesPass
		peoplesPass = "of people " + peoplesPass
	}
	p.Mapped = strings.Join(slices.Compact(filled(p.Mapped, judgesPass, peoplesPass)), ", ")
}

// thresholdNames returns the name of each side's criterion in --threshold, as "judge.clear" and "people.clear".
func (p *Pairing) thresholdNames() (judge, people string) {
	judge = "judge." + p.Criterion
	if p.sameJudge {
		return judge, judge
	}
	return judge, "people." + p.PeoplesName
}

// threshold returns the threshold under the first of some names that has one. given is false if none has.
func (p *Pairing) threshold(names ...string) (threshold float64, given bool) {
	for _, name := range names {
		threshold, given = p.o.Thresholds[name]
		if given {
			return threshold, true
		}
	}
	return 0, false
}

// needsTwoThresholds reports whether there is only one threshold for two scales, of which one is at least half again as wide as the other.
func (p *Pairing) needsTwoThresholds() bool {
	judge, people := p.thresholdNames()
	_, each := p.threshold(judge, people)
	_, both := p.threshold(p.PeoplesName, p.Criterion, "")
	j := p.JudgeScale
	h := p.PeopleScale
	if each || !both || !j.Points() || !h.Points() || scales.Same(j, h) {
		return false
	}
	judgesWidth := j.Max - j.Min
	peoplesWidth := h.Max - h.Min
	return max(judgesWidth, peoplesWidth) >= 1.5*min(judgesWidth, peoplesWidth)
}

// scaleAdvice returns advice on flags that would put both sides onto one scale.
func (p *Pairing) scaleAdvice() string {
	judge, people := p.thresholdNames()
	_, ofJudge := p.threshold(judge)
	_, ofPeople := p.threshold(people)
	j := p.JudgeScale
	h := p.PeopleScale
	wordsOfOne := (j.Labels == nil) != (h.Labels == nil) // words have no steps of their own
	switch {
	case ofJudge:
		return fmt.Sprintf("say what passes: --threshold %s=N", people)
	case ofPeople:
		return fmt.Sprintf("say what passes: --threshold %s=N", judge)
	case !j.Points() || !h.Points():
		return "say what passes: --threshold N"
	case p.needsTwoThresholds():
		return fmt.Sprintf("say what passes on each: --threshold %s=N --threshold %s=N, or add --map-scale linear", judge, people)
	case wordsOfOne || j.Kind != h.Kind || j.Max > 20 != (h.Max > 20):
		return "--map-scale linear maps one onto the other, --scale corrects a scale"
	}
	return "--scale corrects a scale" // a mapping would make equal steps unequal
}

// cut turns values of a side into 1 if they reach its threshold and else into 0, and returns a note. It returns "" without a threshold
// or the values are no points.
func (p *Pairing) cut(side string, scale *scales.Scale, persons ...raters.Rater) string {
	threshold, given := p.threshold(side, p.PeoplesName, p.Criterion, "")
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

// computedMeans returns the units whose recorded mean equals the mean of the single people's values. When those values change, the mean
// must be computed again.
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

// meanOfSingles returns the mean and the number of single people's values on a unit.
func (p *Pairing) meanOfSingles(unit int) (mean float64, n int) {
	sum := 0.0
	for _, r := range p.people {
		if v := r.Values[unit]; v.Given() {
			sum = sum + v.Number()
			n++
		}
	}
	return sum / float64(n), n
}

// align puts both sides onto one scale if they are the same or --map-scale linear is given. Otherwise Why says that there are two scales.
func (p *Pairing) align() {
	j := p.JudgeScale
	h := p.PeopleScale
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

// pool computes the mean and the majority of people. If a mean was recorded next to single people's values, the recorded mean counts. ties
// counts only units that the judge rated.
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
