package summaries

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
)

// The measures, in the order of summaries.csv.
const (
	CHS          = "chs"
	CHSMicro     = "chs_micro"
	OK           = "ok"
	Redundant    = "redundancy"
	Inconsistent = "inconsistency"
	PAt5         = "p_at_5"
	PAt5Strict   = "p_at_5_strict"
	LiftAt5      = "lift_at_5"
	Distinctive  = "distinctiveness"
	noJudge      = "-" // of a measure that needs no judge
	people       = "people"
)

// measures are the measures with the kind of labels that they need; "" for none.
var measures = []struct{ name, kind string }{
	{CHS, data.LabelRows}, {CHSMicro, data.LabelRows}, {OK, data.LabelRows}, {Redundant, data.LabelPartition},
	{Inconsistent, data.LabelConsistent},
	{PAt5, data.LabelRows}, {PAt5Strict, data.LabelRows}, {LiftAt5, data.LabelRows}, {Distinctive, ""},
}

// A MeasureRow is a measure of the summaries of a system, over all its scenarios, by a judge.
type MeasureRow struct {
	System    string        `csv:"system"`
	Measure   string        `csv:"measure"`
	Judge     string        `csv:"judge"`
	Planned   int           `csv:"planned"` // summaries
	Valid     int           `csv:"valid"`   // of these, with a value
	Value     table.Bounded `csv:"value,ci_low,ci_high"`
	Questions int           `csv:"n_questions"`
}

// An AttributionRow is the shares of a system's values.
type AttributionRow struct {
	System      string       `csv:"system"`
	Planned     int          `csv:"planned"` // summaries
	Valid       int          `csv:"valid"`   // of these, with valid labels of the judge
	Values      int          `csv:"values"`  // of all summaries
	QuotesFound table.Figure `csv:"quotes_found"`
	Supported   table.Figure `csv:"supported"`
	WrongEntity table.Figure `csv:"wrong_entity"`
	Minority    table.Figure `csv:"minority"`
	Judge       string       `csv:"judge"`
}

// Tables are the tables about contrastive tables.
type Tables struct {
	x          *dataset.Dataset
	calc       dataset.Calculator
	judges     []judge
	systems    []int // of those that make tables
	Measures   []MeasureRow
	Attributed []AttributionRow
	Agreements []AgreementRow
	Speeds     []SpeedRow
	Ablations  []AblationRow
}

// A judge labels summaries.
type judge struct {
	name, kind, trainedOn string
	place                 int // in the configuration
}

// New computes the tables. Without contrastive tables, all are empty.
func New(x *dataset.Dataset) (*Tables, error) {
	t := &Tables{x: x}
	t.judges = judgesOf(x)
	for s := range x.Systems {
		if slices.ContainsFunc(x.Answers, func(a dataset.AnswerRow) bool { return a.System == x.Systems[s].Name && a.Summary != nil }) {
			t.systems = append(t.systems, s)
		}
	}
	for _, s := range t.systems {
		name := x.Systems[s].Name
		for _, j := range t.judges {
			for _, m := range measures {
				if planned := t.planned(name, j.name, m.kind); m.kind != "" && planned > 0 {
					t.Measures = append(t.Measures, t.measure(name, j.name, m.name, planned))
				}
			}
		}
		t.Measures = append(t.Measures, t.measure(name, noJudge, Distinctive, t.tablesPlanned(x.Systems[s])))
		t.attribute(x.Systems[s])
	}
	t.agree()
	t.speeds()
	t.ablate()
	return t, t.calc.Err
}

// judgesOf are the judges in the order of the configuration; people come last.
func judgesOf(x *dataset.Dataset) (list []judge) {
	type declared struct {
		Name, Provider string
		TrainedOn      string `json:"trained_on"`
	}
	var entries []declared
	for _, made := range x.Made {
		var config struct {
			Judges []declared `json:"summary_judges"`
		}
		if json.Unmarshal([]byte(made.Config), &config) == nil {
			entries = append(entries, config.Judges...)
		}
	}
	for _, c := range x.LabelPlan {
		if slices.ContainsFunc(list, func(j judge) bool { return j.name == c.Judge }) {
			continue
		}
		j := judge{name: c.Judge, kind: dataset.KindImported, place: len(entries)}
		if at := slices.IndexFunc(entries, func(d declared) bool { return d.Name == c.Judge && d.Provider != "file" }); at >= 0 {
			j.place, j.trainedOn, j.kind = at, entries[at].TrainedOn, dataset.ModelKind
			if entries[at].Provider == dataset.KindEmbedded {
				j.kind = dataset.KindEmbedded
			}
		}
		if data.IsHuman(j.name) {
			j.kind = dataset.KindHuman
		}
		list = append(list, j)
	}
	slices.SortStableFunc(list, func(a, b judge) int {
		return cmp.Or(cmp.Compare(store.KindRank[a.kind], store.KindRank[b.kind]), cmp.Compare(a.place, b.place), strings.Compare(a.name, b.name))
	})
	return list
}

// headline is the judge whose figures stand in report.md: the first one, but the rules only if
// this report shows their agreement with people's labels; "" for none.
func (t *Tables) headline() string {
	i := slices.IndexFunc(t.judges, func(j judge) bool { return j.kind != dataset.KindEmbedded || t.withPeople(j.name) != nil })
	if i < 0 {
		return ""
	}
	return t.judges[i].name
}

// withPeople is the agreement of a judge with people's labels on which rows help; nil for none.
func (t *Tables) withPeople(judge string) *AgreementRow {
	i := slices.IndexFunc(t.Agreements, func(r AgreementRow) bool {
		return r.Judge == judge && r.Kind == kindJudge && r.Level == levelUseful && (r.Reference == people || data.IsHuman(r.Reference))
	})
	if i < 0 {
		return nil
	}
	return &t.Agreements[i]
}

// planned is the number of summaries of a system that a judge is to label.
func (t *Tables) planned(system, judge, kind string) (n int) {
	for _, c := range t.x.LabelPlan {
		if c.System == system && c.Judge == judge && c.Kind == kind {
			n += c.Planned
		}
	}
	return n
}

// tablesPlanned is the number of summaries that a system is to make: all its answers, or those
// of a file that have a table.
func (t *Tables) tablesPlanned(system store.Participant) (n int) {
	with := map[string]bool{}
	t.each(system.Name, func(i int, s *dataset.Summary) {
		with[t.x.Answers[i].Scenario] = true
		n += indicator(s.Table != nil)
	})
	if system.Kind == "file" {
		return n
	}
	n = 0
	for _, c := range t.x.Plan {
		if c.Kind == store.KindAnswer && c.System == system.Name && with[c.Scenario] {
			n += c.Planned
		}
	}
	return n
}

// each calls do for each answer of a system that has a table or labels.
func (t *Tables) each(system string, do func(answer int, s *dataset.Summary)) {
	for i := range t.x.Answers {
		if a := &t.x.Answers[i]; a.System == system && a.Summary != nil && t.x.CellOf[i] >= 0 {
			do(i, a.Summary)
		}
	}
}

// labels are a judge's valid labels of one kind; false if there are none.
func labels(s *dataset.Summary, judge, kind string) (data.Labels, bool) {
	for _, l := range s.Labels {
		if l.Judge == judge && l.Kind == kind && l.Status == data.Valid && s.Table != nil {
			return l.Labels, true
		}
	}
	return data.Labels{}, false
}

// measured is a measure of one summary; false if it has none. CHSMicro has the value of each row,
// see measure.
func measured(s *dataset.Summary, judge, measure string) (float64, bool) {
	if measure == Distinctive {
		if s.Table == nil || len(s.Table.Rows) == 0 {
			return 0, false
		}
		return Distinctiveness(textsOf(*s.Table))
	}
	kind := measures[slices.IndexFunc(measures, func(m struct{ name, kind string }) bool { return m.name == measure })].kind
	l, ok := labels(s, judge, kind)
	if !ok {
		return 0, false
	}
	switch measure {
	case CHS, CHSMicro, OK:
		if slices.ContainsFunc(l.Rows, func(r data.RowLabel) bool {
			return r.Label == data.RowUnlabelled || measure == OK && !slices.Contains(data.RowLabelNames, r.Label)
		}) {
			return 0, false
		}
		useful, fair, all := Helpful(l.Rows)
		if measure == OK {
			useful = fair
		}
		return float64(useful) / float64(all), true
	case Redundant:
		return Redundancy(l.Partition), true
	case Inconsistent:
		return float64(Inconsistency(*s.Table, l.Consistent)), true
	}
	relevant, given := Relevant(l.Rows)
	r, ok := RankingOf(relevant)
	switch measure {
	case PAt5Strict:
		return r.Strict, ok && given
	case LiftAt5:
		return r.Lift, ok && given
	}
	return r.At5, ok && given
}

// measure is the mean of a measure over the summaries of a system, with an interval clustered
// by question. CHSMicro is the mean over rows.
func (t *Tables) measure(system, judge, measure string, planned int) MeasureRow {
	row := MeasureRow{System: system, Measure: measure, Judge: judge}
	var sample dataset.Sample
	questions := map[int]bool{}
	t.each(system, func(i int, s *dataset.Summary) {
		v, ok := measured(s, judge, measure)
		if !ok {
			return
		}
		row.Valid++
		questions[t.x.Question[i]] = true
		if measure != CHSMicro {
			sample.Add(v, t.x.Question[i])
			return
		}
		l, _ := labels(s, judge, data.LabelRows)
		for _, r := range l.Rows {
			sample.Add(dataset.Indicator(r.Helps()), t.x.Question[i])
		}
	})
	row.Planned, row.Questions = max(planned, row.Valid), len(questions)
	row.Value = t.calc.Mean(sample).Bounded
	switch measure { // within their range
	case LiftAt5:
		clamp(&row.Value, -1, 1)
	case Inconsistent:
		clamp(&row.Value, 0, math.Inf(1))
	default:
		clamp(&row.Value, 0, 1)
	}
	return row
}

// clamp limits the bounds of an interval to the range of a measure.
func clamp(b *table.Bounded, low, high float64) {
	if b.Low.Known() {
		b.Low, b.High = table.Number(max(low, *b.Low.Number)), table.Number(min(high, *b.High.Number))
	}
}

// attribute adds the rows of a system: one for each judge that labels support.
func (t *Tables) attribute(p store.Participant) {
	system := p.Name
	share := func(part, of int) table.Figure {
		if of == 0 {
			return table.Figure{}
		}
		return table.Number(float64(part) / float64(of))
	}
	add := func(judge string, planned int) {
		r := AttributionRow{System: system, Judge: judge, Planned: planned}
		var sum Attributed
		t.each(system, func(_ int, s *dataset.Summary) {
			if s.Table == nil {
				return
			}
			l, ok := labels(s, judge, data.LabelSupport)
			r.Valid += indicator(ok)
			n := Attribution(*s.Table, l.Support, finder(s.Sources))
			sum.Values, sum.Found, sum.Searched, sum.Minority = sum.Values+n.Values, sum.Found+n.Found, sum.Searched+n.Searched,
				sum.Minority+n.Minority
			sum.Labelled, sum.Supported, sum.WrongEntity = sum.Labelled+n.Labelled, sum.Supported+n.Supported, sum.WrongEntity+n.WrongEntity
		})
		r.Planned, r.Values = max(planned, r.Valid), sum.Values
		r.QuotesFound, r.Minority = share(sum.Found, sum.Searched), share(sum.Minority, sum.Values)
		r.Supported, r.WrongEntity = share(sum.Supported, sum.Labelled), share(sum.WrongEntity, sum.Labelled)
		t.Attributed = append(t.Attributed, r)
	}
	before := len(t.Attributed)
	for _, j := range t.judges {
		if planned := t.planned(system, j.name, data.LabelSupport); planned > 0 {
			add(j.name, planned)
		}
	}
	if len(t.Attributed) == before {
		add(noJudge, t.tablesPlanned(p))
	}
}

// finder finds quotes in their sources, white space folded. Without any source, nothing is
// known; a source that is not among them does not have the quote.
func finder(sources map[string]string) func(data.Evidence) (is, known bool) {
	fold := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	return func(e data.Evidence) (bool, bool) {
		text, here := sources[e.Source]
		return here && strings.Contains(fold(text), fold(e.Quote)), sources != nil
	}
}
