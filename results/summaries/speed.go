package summaries

import (
	"encoding/json"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
)

// A SpeedRow is how fast a system makes summaries. Seconds are those in which one of its calls
// was under way, at the given concurrency: pauses and calls in batches do not count.
type SpeedRow struct {
	System      string
	Valid       int
	Concurrency int // calls at once, at most
	Calls       int
	Tokens      int // prompt and reply
	Seconds     table.Figure
	Throughput  table.Figure // summaries a second
}

// speeds has a row for each system whose tables a model makes.
func (t *Tables) speeds() {
	var config struct {
		Run struct{ Concurrency int }
	}
	if json.Unmarshal([]byte(t.x.Made[0].Config), &config) != nil {
		config.Run.Concurrency = 0
	}
	for _, s := range t.systems {
		r := SpeedRow{System: t.x.Systems[s].Name, Concurrency: config.Run.Concurrency}
		t.each(r.System, func(_ int, s *dataset.Summary) { r.Valid += indicator(s.Table != nil && len(s.Table.Rows) > 0) })
		for _, paid := range t.x.Costs {
			if paid.Kind == store.KindAnswer && paid.Name == r.System {
				r.Calls, r.Tokens = r.Calls+paid.Calls, r.Tokens+paid.Prompt+paid.Completion
			}
		}
		if seconds := t.x.Busy[r.System]; seconds > 0 {
			r.Seconds = table.Number(seconds)
		}
		if speed, ok := Throughput(r.Valid, t.x.Busy[r.System]); ok {
			r.Throughput = table.Number(speed)
		}
		if r.Calls > 0 {
			t.Speeds = append(t.Speeds, r)
		}
	}
}

// An AblationRow is a system beside others that differ from it in their critiques only.
// Differences are from the one with the most critiques, for the same questions.
type AblationRow struct {
	System, Critiques string
	CHS, CHSDifference,
	Redundancy, RedundancyDifference,
	Inconsistency, InconsistencyDifference,
	PAt5, PAt5Difference table.Bounded
}

// ablate compares the systems that differ only in critiques, by the headline judge, if there is one.
func (t *Tables) ablate() {
	if t.headline() == "" {
		return
	}
	for _, group := range ablated(t.x) {
		for _, m := range group {
			r := AblationRow{System: m.name, Critiques: m.critiques}
			for _, of := range []struct {
				measure           string
				value, difference *table.Bounded
			}{{CHS, &r.CHS, &r.CHSDifference}, {Redundant, &r.Redundancy, &r.RedundancyDifference},
				{Inconsistent, &r.Inconsistency, &r.InconsistencyDifference}, {PAt5, &r.PAt5, &r.PAt5Difference}} {
				*of.value = t.measure(m.name, t.headline(), of.measure, 0).Value
				if m.name != group[0].name {
					*of.difference = t.difference(m.name, group[0].name, of.measure)
				}
			}
			t.Ablations = append(t.Ablations, r)
		}
	}
}

// difference is the mean difference of a measure between summaries of two systems for the same
// question, scenario and repeat.
func (t *Tables) difference(system, other, measure string) table.Bounded {
	type place struct {
		pair, scenario string
		repeat         int
	}
	of := func(i int) place {
		a := t.x.Answers[i]
		return place{a.Pair, a.Scenario, a.Repeat}
	}
	values := map[place]float64{}
	t.each(other, func(i int, s *dataset.Summary) {
		if v, ok := measured(s, t.headline(), measure); ok {
			values[of(i)] = v
		}
	})
	var sample dataset.Sample
	t.each(system, func(i int, s *dataset.Summary) {
		v, ok := measured(s, t.headline(), measure)
		if before, both := values[of(i)]; ok && both {
			sample.Add(v-before, t.x.Question[i])
		}
	})
	return t.calc.Mean(sample).Bounded
}

type ablation struct {
	name, critiques string
	n               int // number of critiques; all are the most
}

// ablated are the groups of a configuration's systems that differ in their critiques only, those
// with the most critiques first.
func ablated(x *dataset.Dataset) (groups [][]ablation) {
	var config struct{ Models []map[string]any }
	if json.Unmarshal([]byte(x.Made[0].Config), &config) != nil {
		return nil
	}
	at := map[string]int{}
	for _, m := range config.Models {
		name, _ := m["name"].(string)
		if m["method"] == nil {
			continue
		}
		a := ablation{name, "all", 1 << 20}
		if list, given := m["critiques"].([]any); given {
			names := make([]string, len(list))
			for i := range list {
				names[i], _ = list[i].(string)
			}
			if a.critiques, a.n = strings.Join(names, ", "), len(names); a.n == 0 {
				a.critiques = "none"
			}
		}
		delete(m, "name")
		delete(m, "critiques")
		same, err := json.Marshal(m)
		if err != nil {
			continue
		}
		g, known := at[string(same)]
		if !known {
			g, groups = len(groups), append(groups, nil)
			at[string(same)] = g
		}
		groups[g] = append(groups[g], a)
	}
	groups = slices.DeleteFunc(groups, func(g []ablation) bool { return len(g) < 2 })
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b ablation) int { return b.n - a.n })
	}
	return groups
}

// Failures are the labels that are not valid, by judge, system, scenario, status and reason.
func Failures(x *dataset.Dataset, each func(judge, system, scenario string, status data.Status, reason string, n int)) {
	present := map[store.CellKey]int{}
	for i, a := range x.Answers {
		if x.CellOf[i] < 0 {
			continue
		}
		a.EachLabel(func(kind, judge string, status data.Status, reason string) {
			present[store.CellKey{Kind: kind, Judge: judge, System: a.System, Scenario: a.Scenario}]++
			if status != data.Valid {
				each(judge, a.System, a.Scenario, status, kind+": "+reason, 1)
			}
		})
	}
	for _, c := range x.LabelPlan {
		status, n := data.Pending, c.Planned-present[c.Key()]
		if c.Note != "" {
			status = data.Skipped
		}
		if n > 0 {
			each(c.Judge, c.System, c.Scenario, status, strings.TrimSuffix(c.Kind+": "+c.Note, ": "), n)
		}
	}
}
