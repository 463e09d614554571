package summaries

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/table"
)

// of is the row of a measure; nil: there is none.
func (t *Tables) of(system, judge, measure string) *MeasureRow {
	i := slices.IndexFunc(t.Measures, func(r MeasureRow) bool { return r.System == system && r.Judge == judge && r.Measure == measure })
	if i < 0 {
		return nil
	}
	return &t.Measures[i]
}

// Text is summaries.md; "" without contrastive tables.
func (t *Tables) Text() string {
	if len(t.Measures) == 0 {
		return ""
	}
	judged := "No judge of summaries is configured (`summary_judges`), so only measures without a judge are shown."
	if len(t.judges) > 0 {
		names := make([]string, len(t.judges))
		for i, j := range t.judges {
			names[i] = j.name
			if j.trainedOn != "" {
				names[i] += " (trained on " + j.trainedOn + ")"
			}
		}
		judged = "Judges: " + table.EscapeMarkdown(data.List(names)) + ". The judge `rules` compares words, not meaning: before you trust a difference, check it with a model or people."
	}
	sections := []table.Section{
		{Title: "Measures", Table: t.measuresTable(), About: "*helpful*: share of rows with YES, mean over summaries (CHS); *of all rows*: over rows; *OK*: share of rows that are neither helpful nor faulty. *redundancy*: 1 − distinct attributes / attributes. *inconsistency*: number of values to remove so that no object contradicts itself. " +
			"*P@5*: relevant rows among the first five, *strict*: divided by five even if there are fewer, *lift*: P@5 minus the share of relevant rows. *distinctiveness*: 1 means no word in common; unrelated texts also have 1, so do not rank systems by it."},
		{Title: "Attribution", Table: table.View(2, t.Attributed, "system", "judge", "planned=summaries planned", "valid=with labels", "values", "quotes_found=quotes found", "supported", "wrong_entity=wrong object", "minority"),
			About: "Shares of values. *quotes found*: all quotes are in their sources, compared by the program. *supported* and *wrong object*: by the judge. *minority*: more sources contradict the value than support it."},
		{Title: "Critiques", Table: t.ablationTable(), About: "Systems that differ in `critiques` only, judged by " + table.EscapeMarkdown(t.headline()) + ". Differences are from the system with the most critiques, over the same questions."},
		{Title: "Throughput", Table: table.View(1, t.Speeds, "System=system", "Valid=summaries with rows", "Concurrency=concurrency", "Calls=calls", "Tokens=tokens", "Seconds:1=seconds", "Throughput:3=summaries a second"),
			About: "Seconds in which a call of the system was in flight; a provider has at most *concurrency* calls of all systems in flight. Calls in batches have no time."},
		{Title: "Agreement", Table: table.View(4, t.Agreements, "judge", "reference", "kind", "level", "n", "ties", "agreement", "alpha_nominal=alpha"),
			About: "Levels: *label* and *useful* (YES or not) of a row, *relevant*, *merged* (two attributes are one), *kept* (a value is in the largest consistent set), *supported*, *wrong_entity*. People's label is that of the majority; ties are left out. Kind *human* is the agreement among people, the ceiling; *floor* is a content-blind judge: always the most frequent label, or its own labels of other units."},
	}
	return table.Page("Contrastive tables", "Measures of Gunel et al. (STRUM-LLM). The unit is a summary; brackets contain 95 % intervals, clustered by question. "+judged+"\n\nAll rows: [summaries.csv](summaries.csv), [attribution.csv](attribution.csv), [summary_agreement.csv](summary_agreement.csv).",
		append(sections, publishedTables()...)...)
}

func (t *Tables) measuresTable() *table.Table {
	view := &table.Table{Words: 2, Header: []string{"system", "judge", "summaries", "helpful", "of all rows", "OK", "redundancy", "inconsistency", "P@5", "strict", "lift", "distinctiveness"}}
	for _, s := range t.systems {
		system := t.x.Systems[s].Name
		distinct := t.of(system, noJudge, Distinctive)
		judged := false
		for _, j := range t.judges {
			cells := []string{system, j.name, ""}
			known := false
			for _, m := range []string{CHS, CHSMicro, OK, Redundant, Inconsistent, PAt5, PAt5Strict, LiftAt5} {
				r := t.of(system, j.name, m)
				if r == nil {
					cells = append(cells, table.None)
					continue
				}
				if known = true; cells[2] == "" {
					cells[2] = fmt.Sprintf("%d of %d", r.Valid, r.Planned)
				}
				cells = append(cells, r.Value.Text(2))
			}
			if known {
				judged = true
				view.Add(append(cells, distinct.Value.Text(2))...)
			}
		}
		if !judged {
			none := slices.Repeat([]string{table.None}, 8)
			view.Add(slices.Concat([]string{system, noJudge, fmt.Sprintf("%d of %d", distinct.Valid, distinct.Planned)}, none, []string{distinct.Value.Text(2)})...)
		}
	}
	return view
}

func (t *Tables) ablationTable() *table.Table {
	view := &table.Table{Words: 2, Header: []string{"system", "critiques", "helpful", "difference", "redundancy", "difference", "inconsistency", "difference", "P@5", "difference"}}
	for _, r := range t.Ablations {
		view.Add(r.System, r.Critiques, r.CHS.Text(2), r.CHSDifference.Signed(2), r.Redundancy.Text(2), r.RedundancyDifference.Signed(2),
			r.Inconsistency.Text(2), r.InconsistencyDifference.Signed(2), r.PAt5.Text(2), r.PAt5Difference.Signed(2))
	}
	return view
}

// mostLines is the number of systems in report.md.
const mostLines = 3

// Lines are the lines about contrastive tables in report.md, one for each system; "" without
// any.
func (t *Tables) Lines() string {
	var b strings.Builder
	shown := 0
	for _, s := range t.systems {
		system := t.x.Systems[s].Name
		helpful := t.of(system, t.headline(), CHS)
		if helpful == nil {
			continue
		}
		if shown++; shown > mostLines {
			continue
		}
		fmt.Fprintf(&b, "- %s: helpful rows %s", table.EscapeMarkdown(system), helpful.Value.Text(2))
		for _, m := range []struct{ name, measure string }{{"redundancy", Redundant}, {"inconsistent values", Inconsistent}, {"P@5", PAt5}} {
			if r := t.of(system, t.headline(), m.measure); r != nil {
				fmt.Fprintf(&b, ", %s %s", m.name, r.Value.Value.Text(2))
			}
		}
		fmt.Fprintf(&b, " (%d of %d summaries)\n", helpful.Valid, helpful.Planned)
	}
	if shown == 0 {
		return ""
	}
	if shown > mostLines {
		fmt.Fprintf(&b, "- %s more\n", data.Plural(shown-mostLines, "system", "systems"))
	}
	return b.String() + "\nBy the judge " + table.EscapeMarkdown(t.headline()) + "; see [summaries.md](summaries.md)."
}
