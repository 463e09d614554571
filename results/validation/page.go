package validation

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/plot"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/results/validation/scales"
	"compqa/stats"
)

// Document returns the result as a page: what the judge may be used for, how it errs on each criterion, and the worst cases with their
// texts. Folded sections have what was joined and all figures. command is the command that makes the page again.
func (r *Result) Document(title, command string) table.Document {
	lead := r.Concluded.answers()
	assumed := ""
	if r.judges > 1 {
		lead = r.Concluded.answer()
	}
	if len(lead) > 1 { // the last sentence says what decisions assume
		assumed = lead[len(lead)-1]
		lead = lead[:len(lead)-1]
	}
	lead = slices.Concat(r.Concluded.Jointly[:min(mostAnswers, len(r.Concluded.Jointly))].Texts(), r.Concluded.Unread.Texts(), lead)
	d := table.Document{Title: cmp.Or(r.Concluded.Decided.Headline(), "Validation of "+title), Lead: strings.Join(lead, " ")}
	d.Sections = []table.Section{r.criteria()}
	d.Sections[0].Table.Foot = assumed
	if joined := r.joined(); joined != nil {
		first, _, _ := strings.Cut(joined[0], "; ")
		_, what, _ := strings.Cut(first, ": ")
		d.Sections = append(d.Sections, table.Section{Title: "Joined", Fold: cmp.Or(what, first), About: list(joined)})
	}
	d.Sections = append(d.Sections, table.Section{Title: "How it is decided", Fold: "single, people, and the margin",
		About: trust.RuleText + " Lenient or strict: the mean of judge minus people is surely above, or below, 0. A margin is set with " +
			"--margin."},
		table.Section{Title: "What to know", Fold: "alerts and notes, the most important first",
			About: list(slices.Concat(r.Concluded.Known.Texts(), r.Concluded.Asked.Texts(), r.Notes, r.Done))})
	d.Sections = append(d.Sections, r.worstCases()...)
	d.Sections = append(append(d.Sections, r.systemsSection()), r.everyFigure()...)
	d.Sections = append(d.Sections, table.Section{Title: "How it was made", Fold: "the command and its seed", Listing: command,
		About: fmt.Sprintf(
			"Seed %d. Intervals have 95 %%, clustered by group or question. Every figure is in tables.", r.o.Seed)})
	return d
}

// few returns the first names of a long list, and how many more there are.
func few(names []string) []string {
	if rest := len(names) - mostNamed; rest > 1 {
		return append(names[:mostNamed:mostNamed], fmt.Sprintf("%d more", rest))
	}
	return names
}

// everyFigure returns a folded section for each table of the result.
func (r *Result) everyFigure() []table.Section {
	all := append([]table.Section{{Title: "Judges and people", Table: r.summary(),
		About: "agree, kappa: against the majority of people; in parentheses, what always " +
			"giving their most frequent value would reach. alpha: Krippendorff's against " +
			"their mean, at interval level (of labels, which have no mean, nominal: single). single: alpha over all pairs of the judge " +
			"and one person; " +
			"people: over those of two people. A " +
			"judge that agrees with a person as people do with each other has equal figures there."}}, r.Catalogue().Sections()...)
	for i := range all {
		all[i].Fold = data.Plural(len(all[i].Table.Rows), "row", "rows")
		all[i] = cut(all[i])
	}
	return all
}

// always returns in words the agreement of always giving people's most frequent value, or "" if it is unknown.
func always(constant stats.Figure) string {
	if !constant.Known {
		return ""
	}
	return ", constant: " + percent(constant.Value)
}

// mostStrips is the greatest number of criteria whose agreement is drawn. mostGrid is the greatest number of values whose cross table is
// drawn.
const mostStrips, mostGrid = 200, 5

// criteria returns a table with a row for each criterion: what the judge may be used for, its agreement and people's, and how it errs.
func (r *Result) criteria() table.Section {
	t := table.New(2, "criterion", "in place of one person", "judge", "people", "difference", "as most people",
		"people ↓ judge →", "the judge is")
	shown := []stats.Figure{}
	different := slices.Concat(table.Grouped(r.different(), func(p *Pairing) string { return p.Judge })...) // one heading for each judge
	for _, p := range different[:min(len(different), mostStrips)] {
		single := p.row(Single)
		among := p.row(Among)
		most := p.row(Majority)
		alpha := table.Figured(single.Alpha.Point(), 2)
		alpha.Value = single.Alpha
		alpha.Class = "key"
		alpha.Drawn = &table.Drawn{Band: among.Alpha}
		shown = append(shown, single.Alpha, among.Alpha)
		agree := table.Cell{Text: stats.Missing}
		if most.Agreement.Known {
			agree = table.Cell{Text: fmt.Sprintf("%s (%d)%s", percent(most.Agreement.Value), most.N, always(most.Constant)),
				Value: most.Agreement.Point()}
		}
		name := table.Cell{Text: p.Criterion, Class: "key"}
		if r.judges > 1 {
			name.Row = &table.Row{Group: p.Judge}
		}
		t.Add(name, p.decision.Cell(), alpha, among.Alpha.Point(), p.decision.Difference.Signed(2), agree, p.grid(), p.leniencyCell())
	}
	low := 0.0
	for _, b := range shown {
		for _, f := range []stats.Figure{b.Point(), b.Lower()} {
			if f.Known {
				low = min(low, f.Value)
			}
		}
	}
	t.Draw("judge", &table.Axis{Title: "alpha, " + r.levels(),
		Low: max(-1, low), High: 1, Dashed: stats.Number(0), Ticks: []float64{0, 1},
		Words: map[float64]string{0: "guessing", 1: "same"}})
	s := table.Section{ID: "criteria", Table: t, Keys: []table.Key{{Mark: "dot",
		Text: "the judge with one person, 95 % interval"},
		{Mark: "among", Text: "people with each other"}}}
	if rest := len(different) - mostStrips; rest > 0 {
		s.About = strings.TrimSpace(fmt.Sprintf("%s %d more criteria are in tables.", s.About, rest))
	}
	return s
}

// different returns the pairings, except those of a judge that has an earlier pairing with the same values under another criterion name.
func (r *Result) different() (list []*Pairing) {
	seen := map[[2]string][]*Pairing{}
	for _, p := range r.Pairings {
		key := [2]string{p.Judge, p.PeoplesName}
		if !slices.ContainsFunc(seen[key], p.sameValues) {
			seen[key] = append(seen[key], p)
			list = append(list, p)
		}
	}
	return list
}

// grid returns a picture of the cross table of the judge's and people's values, or an empty cell if there are many values.
func (p *Pairing) grid() table.Cell {
	if len(p.values) == 0 || len(p.values) > mostGrid {
		return table.Cell{}
	}
	return table.Cell{Drawn: &table.Drawn{Picture: template.HTML(plot.Grid(data.Each(p.values, p.PeopleScale.Word), p.counts))}}
}

// leniencyCell says whether the judge surely gives more or less than people, and by how much: the mean over items of the judge's value
// minus people's mean, by cluster.
func (p *Pairing) leniencyCell() table.Cell {
	bias := p.decision.Bias
	if !p.ordered() || !bias.Known {
		return table.Cell{Text: stats.Missing}
	}
	word := "even"
	if bias.AboveZero() {
		word = "lenient"
	} else if bias.BelowZero() {
		word = "strict"
	}
	return table.Cell{Text: word + " " + bias.Signed(2), Value: bias}
}

// casesInFull is the number of worst cases whose texts are shown.
const casesInFull = 3

// worstCases returns sections on the largest gaps between judge and people: some with their texts, each of another item, and then a list of
// all.
func (r *Result) worstCases() (sections []table.Section) {
	if len(r.Disagreements) == 0 {
		return nil
	}
	sections = append(sections, table.Section{Title: "Where judge and people differ most", Lead: "The items with the largest gaps."})
	seen := map[string]bool{}
	for _, d := range r.Disagreements {
		if seen[d.ID+"\x00"+d.System] || len(seen) == casesInFull {
			continue
		}
		seen[d.ID+"\x00"+d.System] = true
		s := table.Section{ID: fmt.Sprintf("case-%d", len(seen)), Title: cmp.Or(d.Question, d.ID), Quote: d.Text,
			Lead: fmt.Sprintf("%s. **%s**: people %s; **%s %s**", strings.Join(filled(d.ID, d.System), " · "), d.Criterion, d.People, d.Judge,
				d.Judged)}
		if d.Reason != "" {
			s.Notes = []table.Note{{Text: "The judge: " + d.Reason}}
		}
		sections = append(sections, s)
	}
	return append(sections, table.Section{Title: "All of the largest gaps", Fold: data.Plural(len(r.Disagreements), "value", "values"),
		Table: table.From(7, r.Disagreements, "id", "system", "criterion", "judge", "judged", "people", "reason")})
}

// systemsSection returns a section on the mean that people would give each system, and on which systems are clearly better.
func (r *Result) systemsSection() table.Section {
	t := table.New(2, "system", "difference", "mean")
	for _, p := range r.Pairings {
		width := p.PeopleScale.High - p.PeopleScale.Low
		if width <= 0 || p.PeopleScale.Kind == scales.Nominal {
			continue
		}
		for _, s := range r.Systems {
			if s.Of != p.Of || s.System == "" {
				continue
			}
			if !s.Predicted.Known {
				t.Add(table.Cell{Text: s.System, Row: &table.Row{Group: r.name(p)}}, s.Predicted.Reason(), table.Cell{Text: stats.Missing})
				continue
			}
			shown := func(f stats.Figure) stats.Figure {
				if !f.Known {
					return f
				}
				return stats.Number((f.Value - p.PeopleScale.Low) / width)
			}
			cell := table.Cell{Text: fmt.Sprintf("%s (%s)", s.Predicted.Point().Text(2), p.PeopleScale.Short()), Class: "key",
				Value: stats.Bound(shown(s.Predicted.Point()), shown(s.Predicted.Lower()), shown(s.Predicted.Upper()))}
			t.Add(table.Cell{Text: s.System, Row: &table.Row{Group: r.name(p)}}, r.clearly(s), cell)
		}
	}
	predicted := data.Where(t.Rows, func(row []table.Cell) bool { return row[2].Value.Known })
	if systems := table.Grouped(predicted, func(row []table.Cell) string { return row[0].Text }); len(systems) < 2 {
		return table.Section{}
	}
	if len(t.Rows) > mostStrips {
		t.Rows = t.Rows[:mostStrips]
	}
	t.Draw("mean", &table.Axis{Title: "share of the scale", High: 1, Ticks: []float64{0, .5, 1}})
	return table.Section{Title: "What people would say of the systems", Table: t,
		Lead: "The judge's values corrected by people's, 95 % interval."}
}

// clearly returns in words which systems a system is clearly better than. The difference must be positive, with an adjusted p-value below
// .05.
func (r *Result) clearly(s SystemRow) string {
	var worse []string
	for _, d := range r.Differences {
		if d.Of != s.Of || !d.Adjusted.Known || d.Adjusted.Value >= .05 || !d.Difference.Known {
			continue
		}
		// the difference is A minus B
		if d.SystemA == s.System && d.Difference.Value > 0 {
			worse = append(worse, d.SystemB)
		} else if d.SystemB == s.System && d.Difference.Value < 0 {
			worse = append(worse, d.SystemA)
		}
	}
	slices.Sort(worse)
	if worse == nil {
		return ""
	}
	return "clearly above " + data.List(worse)
}

// mostRows is the greatest number of rows of a table, and of sentences in a list, on the page.
const mostRows = 500

// cut returns a section whose table has at most mostRows rows.
func cut(s table.Section) table.Section {
	if s.Table != nil && len(s.Table.Rows) > mostRows {
		s.About = strings.TrimSpace(fmt.Sprintf("%s The first %d of %d rows; all are in tables.", s.About, mostRows, len(s.Table.Rows)))
		shown := *s.Table
		shown.Rows = shown.Rows[:mostRows]
		s.Table = &shown
	}
	return s
}

// list returns sentences as a bulleted list in Markdown.
func list(sentences []string) string {
	if len(sentences) == 0 {
		return ""
	}
	if more := len(sentences) - mostRows; more > 0 {
		sentences = append(sentences[:mostRows:mostRows], fmt.Sprintf("%d more lines: compqa validate --json prints all", more))
	}
	one := strings.NewReplacer("\n", " ", "\r", " ")
	for i, s := range sentences {
		sentences[i] = one.Replace(s)
	}
	return "- " + strings.Join(sentences, "\n- ")
}
