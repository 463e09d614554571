package report

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// An ArgumentRow counts how often answers choose the object that most arguments of the question favour. It covers systems that were shown
// the arguments.
type ArgumentRow struct {
	System    string       `csv:"system"`   // AllSystems covers all systems except baselines
	Scenario  string       `csv:"scenario"` // AllScenarios covers all scenarios
	N         int          `csv:"n"`
	Follows   int          `csv:"follows"`
	Against   int          `csv:"against"`
	Undecided int          `csv:"undecided"`                                          // the answer chooses no object, or neither of them
	Share     stats.Figure `csv:"against_share,against_share_low,against_share_high"` // of choosing answers, clustered by question
}

var argumentsTable = table.Def[ArgumentRow]{File: "arguments.csv", Views: []table.View[ArgumentRow]{{Title: "Choice and given arguments",
	About: "The arguments favour the object that most of the question's arguments support, as declared in the question set, for " +
		"systems that were shown them. Baselines always have the arguments and are not in the last row. Answers with balanced " +
		"arguments are excluded. “against”: the answer chooses the other object; the share is of the answers that choose an " +
		"object.",
	Words: 2, Shown: []string{"system", "scenario", "n=answers", "follows", "against", "undecided", "against_share=share against"}}}}

// A CitationRow counts the citations in a system's answers in a scenario. For imported answers, it is unknown whether a cited argument
// exists, because their prompts are not recorded.
type CitationRow struct {
	System    string       `csv:"system"`
	Scenario  string       `csv:"scenario"`
	Answers   int          `csv:"answers"`   // valid answers
	Citing    int          `csv:"citing"`    // answers with a citation or a [generated] tag
	Citations int          `csv:"citations"` // numbers of arguments that are cited
	Existing  stats.Figure `csv:"existing"`  // citations of arguments that the question has
	Missing   stats.Figure `csv:"missing"`   // citations of arguments that the question does not have
	Generated int          `csv:"generated"` // [generated] tags, which mark made-up arguments
}

var citationsTable = table.Def[CitationRow]{File: "citations.csv", Views: []table.View[CitationRow]{{Title: "Citations",
	About: "Numbers in square brackets, without the list of sources. Whether the cited argument exists is unknown for imported " +
		"answers. “generated” counts [generated] tags.",
	Words: 2, Shown: []string{"system", "scenario", "answers", "citing", "citations", "existing:0=existing arguments",
		"missing:0=missing arguments", "generated"}}}}

// measured reports whether an answer is valid and planned.
func (t *Report) measured(answer int) bool {
	row := &t.Answers[answer]
	return row.Status == data.Valid && t.ConditionOf[answer] >= 0
}

// choices returns a row for every system and scenario, for every system, and for all systems except baselines.
func (t *Report) choices() ([]ArgumentRow, error) {
	var c dataset.Calculator
	var rows []ArgumentRow
	shows := t.ShowsArguments()
	kind := func(cell int) string { return t.Systems[t.Conditions[cell].System].Kind }
	add := func(system, scenario string, in func(cell int) bool) {
		r := ArgumentRow{System: system, Scenario: scenario}
		var against dataset.Sample
		for i := range t.Answers {
			row := &t.Answers[i]
			cell := t.ConditionOf[i] // checked first because it is fastest: each scope goes through all answers
			if cell < 0 || !in(cell) || row.Status != data.Valid || !shows[row.Scenario] || kind(cell) == dataset.KindImported {
				continue
			}
			favoured := row.Favoured()
			if !favoured.Decided() {
				continue
			}
			r.N++
			switch choice := row.Choice(); {
			case !choice.Decided():
				r.Undecided++
			case choice == favoured:
				r.Follows++
				against.Add(0, t.Question[i])
			default:
				r.Against++
				against.Add(1, t.Question[i])
			}
		}
		if r.N > 0 {
			r.Share = c.Share(against, stats.ErrZeroWidth)
			rows = append(rows, r)
		}
	}
	for s, system := range t.Systems {
		for _, scope := range t.Scopes(s, func(int) bool { return true }) {
			add(system.Name, scope.Scenario, func(cell int) bool { return slices.Contains(scope.Cells, cell) })
		}
	}
	add(dataset.AllSystems, dataset.AllScenarios, func(cell int) bool { return kind(cell) != dataset.KindBaseline })
	return rows, c.Err
}

// citations returns a row for each condition whose answers cite, or whose prompt shows arguments.
func (t *Report) citations() (rows []CitationRow) {
	shows := t.ShowsArguments()
	cited := make([]CitationRow, len(t.Conditions))
	unknown := make([]int, len(t.Conditions))
	for i := range t.Answers {
		if !t.measured(i) {
			continue
		}
		cell := t.ConditionOf[i]
		reading := &t.Answers[i].Reading
		r := &cited[cell]
		r.Answers++
		r.Citations += reading.Citations
		r.Generated += reading.Generated
		unknown[cell] += reading.Unknown
		r.Citing += int(dataset.Indicator(reading.Citations+reading.Generated > 0))
	}
	for i, cell := range t.Conditions {
		r := cited[i]
		system := t.Systems[cell.System]
		if r.Citing == 0 && !(shows[cell.Scenario] && r.Answers > 0) {
			continue
		}
		r.System = system.Name
		r.Scenario = cell.Scenario
		if shows[cell.Scenario] && system.Kind != dataset.KindImported {
			r.Existing, r.Missing = stats.Count(r.Citations-unknown[i]), stats.Count(unknown[i])
		}
		rows = append(rows, r)
	}
	return rows
}
