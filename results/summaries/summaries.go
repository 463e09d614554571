// Package summaries measures contrastive tables (Gunel et al., STRUM-LLM): whether rows help, redundancy, inconsistency,
// ranking, attribution, throughput and distinctiveness, and how far judges agree on them.
//
// The unit is a summary, and intervals are clustered by question. A summary without rows, or without valid labels, is
// planned and has no value. The figures of the paper are shown for comparison, and are never ranked with others.
package summaries

import (
	"cmp"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// A MeasureRow is a measure of a system's contrastive tables over all scenarios, by a judge.
type MeasureRow struct {
	System    string       `csv:"system"`
	Measure   string       `csv:"measure"`
	Judge     string       `csv:"judge"`
	Planned   int          `csv:"planned"` // number of planned tables
	Valid     int          `csv:"valid"`   // number of tables with a value
	Value     stats.Figure `csv:"value,ci_low,ci_high"`
	Questions int          `csv:"n_questions"`
}

// MeasuresTable has the measures of contrastive tables.
var MeasuresTable = table.Def[MeasureRow]{File: "summaries.csv"}

// An AttributionRow has the shares of a system's values that their sources support.
type AttributionRow struct {
	System      string       `csv:"system"`
	Planned     int          `csv:"planned"` // number of planned tables
	Valid       int          `csv:"valid"`   // number of tables with valid labels by the judge
	Values      int          `csv:"values"`  // number of values in all tables
	QuotesFound stats.Figure `csv:"quotes_found"`
	Supported   stats.Figure `csv:"supported"`
	WrongEntity stats.Figure `csv:"wrong_entity"`
	Minority    stats.Figure `csv:"minority"`
	Judge       string       `csv:"judge"`
}

// AttributionTable says whether values are in their sources.
var AttributionTable = table.Def[AttributionRow]{File: "attribution.csv", Views: []table.View[AttributionRow]{{Title: "Attribution",
	About: "Shares of values. “quotes found”: all quotes are in their sources, compared by the program. “supported” and “wrong " +
		"object”: by the judge. “minority”: more sources contradict the value than support it.",
	Words: 2, Shown: []string{"system", "judge", "planned=summaries planned", "valid=with labels", "values",
		"quotes_found=quotes found", "supported", "wrong_entity=wrong object", "minority"}}}}

// Tables has the tables about contrastive summaries: measures by system and judge, attribution, agreement, and speed.
type Tables struct {
	x          *dataset.Dataset
	calc       dataset.Calculator
	judges     []judge
	systems    []store.Participant // systems that make tables
	Measures   []MeasureRow
	Attributed []AttributionRow
	Agreements []AgreementRow
	Speeds     []SpeedRow
}

type judge struct {
	name, kind, trainedOn string
	place                 int // index in the configuration
}

// New computes the tables. They are all empty if the run has no contrastive tables.
func New(x *dataset.Dataset) (*Tables, error) {
	t := &Tables{x: x, judges: judgesOf(x), systems: data.Where(x.Systems, func(s store.Participant) bool {
		return slices.ContainsFunc(x.Answers, func(a dataset.AnswerRow) bool { return a.System == s.Name && a.Summary != nil })
	})}
	for _, s := range t.systems {
		name := s.Name
		planned := t.tablesPlanned(s)
		for _, j := range append(slices.Clone(t.judges), judge{name: noJudge}) {
			for _, m := range measures {
				if n := t.planned(name, j.name, m.kind); m.kind != "" && n > 0 {
					t.Measures = append(t.Measures, t.measure(name, j.name, m, n))
				} else if m.kind == "" && j.name == noJudge {
					t.Measures = append(t.Measures, t.measure(name, j.name, m, planned))
				}
			}
		}
		t.byMajority(name)
		t.attribute(name, planned)
	}
	t.agree()
	t.speeds()
	return t, t.calc.Err
}

// judgesOf returns the judges with planned labels, by kind and then in the order of the configuration. People come last.
func judgesOf(x *dataset.Dataset) (list []judge) {
	entries := x.Declared.SummaryJudges
	for _, c := range x.LabelPlan {
		if slices.ContainsFunc(list, func(j judge) bool { return j.name == c.Judge }) {
			continue
		}
		j := judge{name: c.Judge, kind: dataset.KindImported, place: len(entries)}
		isIt := func(d dataset.DeclarationOfAJudge) bool { return d.Name == c.Judge && d.Provider != "file" }
		if index := slices.IndexFunc(entries, isIt); index >= 0 {
			j.place = index
			j.trainedOn = entries[index].TrainedOn
			j.kind = cmp.Or(map[string]string{dataset.KindEmbedded: dataset.KindEmbedded}[entries[index].Provider], dataset.ModelKind)
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

// headline returns the judge whose figures report.md shows, or "". It is the first judge. Judges without a model count only if this report
// has their agreement with people's labels.
func (t *Tables) headline() string {
	return table.First(t.judges, func(j judge) bool { return j.kind != dataset.KindEmbedded || t.withPeople(j.name).N > 0 }).name
}

// withPeople returns the agreement of a judge with people on which rows help, or the zero row.
func (t *Tables) withPeople(judge string) AgreementRow {
	return table.First(t.Agreements, func(r AgreementRow) bool {
		return r.Judge == judge && r.Kind == dataset.KindOfJudge && r.Level == levelUseful && (r.Reference == people || data.IsHuman(r.Reference))
	})
}

// planned returns the number of a system's tables that a judge is planned to label with a kind of labels.
func (t *Tables) planned(system, judge, kind string) (n int) {
	for _, c := range t.x.LabelPlan {
		if c.System == system && c.Judge == judge && c.Kind == kind {
			n += c.Planned
		}
	}
	return n
}

// tablesPlanned returns the number of tables that a system should make: all its answers, or for a system from a file, the answers that have
// a table.
func (t *Tables) tablesPlanned(system store.Participant) (n int) {
	with := map[string]bool{}
	t.each(system.Name, func(i int, s *dataset.Summary) {
		with[t.x.Answers[i].Scenario] = true
		n += int(dataset.Indicator(s.Table != nil))
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
		if a := &t.x.Answers[i]; a.System == system && a.Summary != nil && t.x.ConditionOf[i] >= 0 {
			do(i, a.Summary)
		}
	}
}

// labels returns a judge's valid labels of one kind. It returns false without a table or such labels. Kind "" needs no labels.
func labels(s *dataset.Summary, judge, kind string) (data.Labels, bool) {
	labels := table.First(s.Labels, func(l dataset.SummaryLabels) bool {
		return l.Judge == judge && l.Kind == kind && l.Status == data.Valid
	})
	return labels.Labels, s.Table != nil && labels.Kind == kind
}

// values calls do with the values of a measure for each table of a system, by a judge.
func (t *Tables) values(system, judge string, m measure, do func(answer int, values []float64)) {
	t.each(system, func(i int, s *dataset.Summary) {
		if l, ok := labels(s, judge, m.kind); ok {
			do(i, m.measure(*s.Table, l))
		}
	})
}

// measure returns the mean of a measure over the tables of a system, with an interval clustered by question.
func (t *Tables) measure(system, judge string, m measure, planned int) MeasureRow {
	row := MeasureRow{System: system, Measure: m.name, Judge: judge}
	var sample dataset.Sample
	t.values(system, judge, m, func(i int, values []float64) {
		row.Valid += int(dataset.Indicator(values != nil))
		for _, v := range values {
			sample.Add(v, t.x.Question[i])
		}
	})
	row.Planned = max(planned, row.Valid)
	return t.summed(row, sample, m.low, m.high)
}

// summed completes a row with the mean of its sample. The interval is cut to the range of the measure.
func (t *Tables) summed(row MeasureRow, sample dataset.Sample, low, high float64) MeasureRow {
	row.Questions = len(slices.Compact(slices.Sorted(slices.Values(sample.Questions))))
	row.Value = t.calc.Mean(sample)
	clamp(&row.Value, low, high)
	return row
}

func clamp(b *stats.Figure, low, high float64) {
	if b.Bounded {
		b.Low = max(low, b.Low)
		b.High = min(high, b.High)
	}
}

// attribute adds a row for each judge with labels of support. Without such a judge, it adds one row that needs no labels.
func (t *Tables) attribute(system string, tables int) {
	before := len(t.Attributed)
	for _, j := range append(slices.Clone(t.judges), judge{name: noJudge}) {
		planned := t.planned(system, j.name, data.LabelSupport)
		if planned == 0 && (j.name != noJudge || len(t.Attributed) > before) {
			continue
		}
		r := AttributionRow{System: system, Judge: j.name, Planned: planned}
		if j.name == noJudge {
			r.Planned = tables
		}
		var n attributed
		t.each(system, func(_ int, s *dataset.Summary) {
			if s.Table != nil {
				l, ok := labels(s, j.name, data.LabelSupport)
				r.Valid += int(dataset.Indicator(ok))
				n.add(*s.Table, l.Support, s.Sources)
			}
		})
		r.Planned = max(r.Planned, r.Valid)
		r.Values = n.minority.total
		r.QuotesFound, r.Supported, r.WrongEntity, r.Minority = n.found.figure(), n.supported.figure(), n.foreign.figure(), n.minority.figure()
		t.Attributed = append(t.Attributed, r)
	}
}

func (r ratio) figure() stats.Figure { return stats.Ratio(r.part, r.total) }

// A SpeedRow says how fast a system makes tables. Seconds count only while at least one of its calls is running, at the given concurrency.
// Pauses and calls in batches do not count.
type SpeedRow struct {
	System      string
	Valid       int
	Concurrency int // largest number of parallel calls
	Calls       int
	Tokens      int // of prompts and replies
	Seconds     stats.Figure
	Throughput  stats.Figure // summaries a second
}

// speeds adds a row for each system whose tables a model makes.
func (t *Tables) speeds() {
	for _, s := range t.systems {
		r := SpeedRow{System: s.Name, Concurrency: t.x.Declared.Run.Concurrency}
		t.each(r.System, func(_ int, s *dataset.Summary) {
			r.Valid += int(dataset.Indicator(s.Table != nil && len(s.Table.Rows) > 0))
		})
		for _, paid := range t.x.Costs {
			if paid.Kind == store.KindAnswer && paid.Name == r.System {
				r.Calls += paid.Calls
				r.Tokens += paid.Prompt + paid.Completion
			}
		}
		if seconds := t.x.Busy[r.System]; seconds > 0 {
			r.Seconds, r.Throughput = stats.Number(seconds), stats.Number(float64(r.Valid)/seconds)
		}
		if r.Calls > 0 {
			t.Speeds = append(t.Speeds, r)
		}
	}
}

// Outcomes calls each with the numbers of labels by judge, system, scenario, status and reason. Valid labels have no reason. Planned labels
// that are missing are pending, or skipped if the plan has a note.
func Outcomes(x *dataset.Dataset, each func(judge, system, scenario string, status data.Status, reason string, n int)) {
	present := map[store.CellKey]int{}
	for i, a := range x.Answers {
		if x.ConditionOf[i] < 0 {
			continue
		}
		a.EachLabel(func(kind, judge string, status data.Status, reason string) {
			present[store.CellKey{Kind: kind, Judge: judge, System: a.System, Scenario: a.Scenario}]++
			if reason = kind + ": " + reason; status == data.Valid {
				reason = ""
			}
			each(judge, a.System, a.Scenario, status, reason, 1)
		})
	}
	for _, c := range x.LabelPlan {
		status := data.Pending
		n := c.Planned - present[c.Key()]
		if c.Note != "" {
			status = data.Skipped
		}
		if n > 0 {
			each(c.Judge, c.System, c.Scenario, status, strings.TrimSuffix(c.Kind+": "+c.Note, ": "), n)
		}
	}
}
