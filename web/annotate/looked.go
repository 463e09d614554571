package annotate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/stats/careless"
	"compqa/web/annotate/project"
)

// A Looked says whether a person's work suggests that the person does not read the texts.
type Looked struct {
	careless.Finding
	Missed, Attention int // numbers of missed and of all attention items
	MissedGold, Gold  int // numbers of missed and of all gold items
	Sheets, Alike     int // numbers of study sheets, and of those with the most frequent values
}

// Flag returns a sentence that suggests to the owner to look at the person's work, or "".
func (l Looked) Flag() string {
	switch l.Why {
	case careless.Random:
		return "answers at random? The work" + l.evidence()
	case careless.SecondHalf:
		return "answers at random in the second half? The second half" + l.evidence()
	case careless.Criterion:
		return "answers most criteria at random? The work without one criterion" + l.evidence()
	case careless.SameSheet:
		return fmt.Sprintf("the same sheet in %d of %d", l.Alike, l.Sheets)
	case careless.Reversed:
		return fmt.Sprintf("agrees with the others upside down (z %.1f): the scale may be reversed", l.Z)
	}
	return ""
}

// evidence says how much more probable the work is for somebody who clicks without looking, and on which figures that rests.
func (l Looked) evidence() string {
	ratio := "more than a million"
	if x := l.Ratio(); x < 1e6 {
		ratio = strconv.FormatFloat(x, 'f', 0, 64)
	}
	return fmt.Sprintf(" is %s times more probable for somebody who clicks without looking (%s)", ratio, l.Figures())
}

// Figures returns in words the results of the person's attention and gold items, and the agreement with others.
func (l Looked) Figures() string {
	var list []string
	if l.Attention > 0 {
		list = append(list, fmt.Sprintf("missed %d of %d attention items", l.Missed, l.Attention))
	}
	if l.Gold > 0 {
		list = append(list, fmt.Sprintf("missed %d of %d known items", l.MissedGold, l.Gold))
	}
	if l.Known && l.Usual > 0 {
		list = append(list, fmt.Sprintf("agreement with others and with own earlier sheets %.1f, usual %.1f", l.Z, l.Usual))
	}
	return strings.Join(list, "; ")
}

// A scorer turns sheets into rows of numbers for the package careless.
type scorer struct {
	p           *project.Project
	fields      map[string][]ratedField // by kind of item, for kinds whose items all have the same fields
	criteria    []string
	columns     map[string][]int          // by criterion
	width       int                       // number of columns
	valueCounts map[string]map[string]int // number of times that each value was given, by criterion and value
}

// A ratedField is a field with the ends of its scale. choice: its options are the sides of a pair; nominal: its options have no order.
type ratedField struct {
	project.Field
	low, high       float64
	choice, nominal bool
}

// newRatedField returns a field with the ends of its scale: those of a number, or the lowest and highest option.
func newRatedField(f project.Field) ratedField {
	r := ratedField{Field: f, low: f.Low, high: f.High}
	_, index := f.Option(project.First)
	r.choice = index >= 0
	r.nominal = f.Level == "nominal" && len(f.Options) > 2 && !r.choice
	if f.Type != project.Number {
		r.low = math.Inf(1)
		r.high = math.Inf(-1)
		for _, o := range f.Options {
			x := r.position(o.Value)
			r.low = min(r.low, x)
			r.high = max(r.high, x)
		}
	}
	return r
}

// position returns a value as a number, or else the index of its option.
func (f ratedField) position(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		_, index := f.Option(text)
		x = float64(index)
	}
	return x
}

// scaled returns a value on a scale from 0 to 1. For a choice, the first answer is 1, a tie .5 and the second answer 0.
func (f ratedField) scaled(text string) float64 {
	if f.choice {
		return map[string]float64{project.First: 1, project.Tie: .5, project.Bad: .5}[text]
	}
	return (f.position(text) - f.low) / (f.high - f.low)
}

// isFar reports whether a value is at least half the scale away from the expected one; without an order, whether it differs.
func (f ratedField) isFar(value, expected string) bool {
	if f.choice || f.nominal {
		return value != expected
	}
	return math.Abs(f.scaled(value)-f.scaled(expected)) >= .5
}

// ratedFields returns the fields to use: those of the first stage that need an answer. Later stages depend on further texts.
func (s *scorer) ratedFields(it project.Item) []ratedField {
	fields, known := s.fields[it.Kind]
	if !known {
		for _, f := range s.p.Fields(it) {
			if f.Needed() && f.Criterion != "" && f.Stage == 1 {
				fields = append(fields, newRatedField(f))
			}
		}
		if project.FormOf(it.Kind).Fixed {
			s.fields[it.Kind] = fields
		}
	}
	return fields
}

// newScorer returns a scorer for a study. Each criterion has one column, or one for each option if the options have no order.
func newScorer(p *project.Project) *scorer {
	s := &scorer{p: p, fields: map[string][]ratedField{}, columns: map[string][]int{}, valueCounts: map[string]map[string]int{}}
	for _, it := range p.Items {
		if it.Role != project.Main && it.Role != project.Overlap {
			continue
		}
		for _, f := range s.ratedFields(it) {
			if s.columns[f.Criterion] != nil {
				continue
			}
			s.criteria = append(s.criteria, f.Criterion)
			width := 1
			if f.nominal {
				width = len(f.Options)
			}
			for range width {
				s.columns[f.Criterion] = append(s.columns[f.Criterion], s.width)
				s.width++
			}
		}
	}
	return s
}

// rows returns a sheet as rows of numbers, by the part of the item (such as a row of a table; "" for the whole). The sheet must be in
// order ab.
func (s *scorer) rows(it project.Item, sheet project.Sheet) map[string][]float64 {
	rows := map[string][]float64{}
	for _, f := range s.ratedFields(it) {
		text := sheet.Values[f.ID]
		columns := s.columns[f.Criterion]
		if rows[f.Part] == nil {
			rows[f.Part] = make([]float64, s.width)
		}
		if f.nominal {
			_, index := f.Option(text)
			rows[f.Part][columns[max(0, index)]] = 1
			continue
		}
		rows[f.Part][columns[0]] = f.scaled(text)
	}
	return rows
}

// chance returns the probability that somebody who does not look gives a value far from the expected one. It is the mean of two
// assumptions: all options are equally frequent, or as frequent as in the study.
func (s *scorer) chance(f ratedField, expected string) float64 {
	share := func(values map[string]int) float64 {
		n := 0
		all := 0
		for value, times := range values {
			all += times
			if f.isFar(value, expected) {
				n += times
			}
		}
		return float64(n) / float64(all)
	}
	uniform := math.Abs(f.scaled(expected) - .5)
	if f.Type != project.Number {
		once := map[string]int{}
		for _, o := range f.Options {
			once[o.Value] = 1
		}
		uniform = share(once)
	}
	if len(s.valueCounts[f.Criterion]) == 0 {
		return uniform
	}
	return (uniform + share(s.valueCounts[f.Criterion])) / 2
}

// A unit is an item, or a part of it.
type unit struct {
	item int64
	part string
}

// lookedAt computes for each person whether the work suggests that the person does not look. It counts how often each value is given,
// turns each person's sheets into rows and checks, and calls careless.Study.Find.
func lookedAt(p *project.Project, people []Person, work []project.Work) []Looked {
	s := newScorer(p)
	study := careless.Study{People: make([]careless.Person, len(people))}
	for _, criterion := range s.criteria {
		study.Criteria = append(study.Criteria, s.columns[criterion])
	}
	units := map[unit]int{}
	looked := make([]Looked, len(people))
	sheets := map[int64][]*project.Work{} // by person, in the order of the work
	for i := range work {
		w := &work[i]
		if w.Annotator == 0 || !w.Done() || w.Kind == project.Practice {
			continue
		}
		sheets[w.Annotator] = append(sheets[w.Annotator], w)
		if w.Independent() {
			values := w.Last.Sheet.In(w.Shown).Values
			for _, f := range s.ratedFields(w.About) {
				if s.valueCounts[f.Criterion] == nil {
					s.valueCounts[f.Criterion] = map[string]int{}
				}
				s.valueCounts[f.Criterion][values[f.ID]]++
			}
		}
	}
	for i, a := range people {
		study.People[i] = s.person(sheets[a.ID], units, &looked[i])
	}
	study.Items = len(units)
	for i, f := range study.Find() {
		looked[i].Finding = f
	}
	return looked
}

// person returns one person's work for the package careless, from the sheets in order: study items become rows, repeated items repeats,
// gold and attention items checks. It also fills in the counts of looked.
func (s *scorer) person(sheets []*project.Work, units map[unit]int, looked *Looked) (person careless.Person) {
	first := map[int64]project.Sheet{}
	alike := map[string]int{}
	for i, w := range sheets {
		place := (float64(i) + .5) / float64(len(sheets))
		sheet := w.Last.Sheet.In(w.Shown)
		person.Excluded = person.Excluded || w.Out
		switch w.Kind {
		case project.Main, project.Overlap:
			first[w.Item] = sheet
			looked.Sheets++
			shown := s.asShown(w)
			alike[shown]++
			looked.Alike = max(looked.Alike, alike[shown])
			rows := s.rows(w.About, sheet)
			for _, part := range slices.Sorted(maps.Keys(rows)) {
				number, known := units[unit{w.Item, part}]
				if !known {
					number = len(units)
					units[unit{w.Item, part}] = number
				}
				person.Rows = append(person.Rows, careless.Row{Item: number, Place: place, Values: rows[part]})
			}
		case project.Repeat:
			before, known := first[w.Item]
			if !known {
				continue
			}
			earlier := s.rows(w.About, before)
			again := s.rows(w.About, sheet)
			for _, part := range slices.Sorted(maps.Keys(again)) {
				person.Repeats = append(person.Repeats, careless.Repeat{Place: place, Values: again[part], Before: earlier[part]})
			}
		case project.Gold:
			gold := s.gold(w.About, sheet, place)
			person.Gold = append(person.Gold, gold)
			looked.Gold, looked.MissedGold = looked.Gold+1, looked.MissedGold+int(dataset.Indicator(gold.SheetMissed()))
		case project.Attention:
			missed := w.About.Missed(sheet)
			person.Attention = append(person.Attention, careless.Check{Place: place, Missed: missed, Chance: s.p.AttentionChance(w.About)})
			looked.Attention, looked.Missed = looked.Attention+1, looked.Missed+int(dataset.Indicator(missed))
		}
	}
	person.Sheets = looked.Sheets
	person.Alike = looked.Alike
	return person
}

// asShown returns the values of a sheet as one text, with the sides as the person saw them.
func (s *scorer) asShown(w *project.Work) string {
	return strings.Join(data.Each(s.ratedFields(w.About), func(f ratedField) string { return w.Last.Sheet.Values[f.ID] }), "/")
}

// gold compares a sheet of a gold item with the known values.
func (s *scorer) gold(it project.Item, sheet project.Sheet, place float64) careless.Gold {
	g := careless.Gold{Place: place}
	for _, f := range s.ratedFields(it) {
		if expected, known := it.Expected.Values[f.ID]; known {
			g.Missed = append(g.Missed, f.isFar(sheet.Values[f.ID], expected))
			g.Chance = append(g.Chance, s.chance(f, expected))
		}
	}
	return g
}

// A KnownItems describes the gold items of a study. Alike is true if there are several and all have the same known sheet.
type KnownItems struct {
	Items int
	Alike bool
}

// PlannedChecks returns the work and checks planned for each person of a study without any work yet, and its gold items.
func PlannedChecks(p *project.Project) (plan careless.Plan, gold KnownItems) {
	s := newScorer(p)
	shared := 0
	study := 0
	chances := 0.0
	n := 0
	sheets := map[string]bool{}
	for _, it := range p.Items {
		switch it.Role {
		case project.Overlap:
			shared += p.People
			study += p.People
		case project.Main:
			study++
		case project.Gold:
			gold.Items++
			sheets[fmt.Sprint(it.Expected.Values)] = true
			for _, f := range s.ratedFields(it) {
				if expected, known := it.Expected.Values[f.ID]; known {
					chances = chances + s.chance(f, expected)
					n++
				}
			}
		case project.Attention:
			plan.AttentionChance += p.AttentionChance(it) / float64(p.Attention)
		}
	}
	gold.Alike = gold.Items > 1 && len(sheets) == 1
	items := study / max(1, p.People) // items per person
	plan.People = p.People
	if p.Each > 0 {
		items = min(items, p.Each)
		plan.People = (study + p.Each - 1) / p.Each
	}
	plan.Criteria = max(1, len(s.criteria))
	plan.Attention = p.Attention
	plan.Gold = min(p.Gold, gold.Items)
	plan.Repeats = min(p.Repeats, max(0, items-1))
	plan.GoldChance = .5
	if n > 0 {
		plan.GoldChance = chances / float64(n)
	}
	if p.People > 1 {
		plan.Shared = items * shared / max(1, study)
	}
	switch form := p.Form(); {
	case form.Sides:
		plan.Agreement = careless.ExpectedPair
	case form.Total != nil && len(s.criteria) > 1:
		plan.Agreement = careless.ExpectedSheet
	default:
		plan.Agreement = careless.ExpectedValue
	}
	return plan, gold
}
