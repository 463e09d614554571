package report

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/leaderboard"
	"compqa/results/store"
	"compqa/results/table"
)

var pageTemplate = template.Must(template.Must(table.Templates.Clone()).Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{visible .Title}} · compqa</title>
<style>{{.Style}}</style></head>
<body><header><strong>compqa</strong><p class="source">{{visible .Source}}</p></header>
<main>{{template "panes" .Panes}}{{with .Chapters}}<h2 class="else">Everything else</h2>{{range .}}<details class="chapter"><summary><b>{{visible .Title}}</b> {{visible .Says}}</summary>{{template "panes" .Panes}}</details>
{{end}}{{end}}</main></body></html>
`))

// Widths of plots in pixels: on a page, and on a phone.
const wide, small = 720, 360

// Page returns report.html: the whole report in one file, without scripts. The answers to readers' questions are open, and everything else
// is in collapsed chapters.
func (t *Report) Page(more ...table.Document) (string, error) {
	cases, err := t.Cases(mostCases)
	if err != nil {
		return "", err
	}
	ranking := t.ranking()
	method := table.Section{ID: "method", About: ranking.About, Notes: ranking.Notes}
	ranking.Title = ""
	ranking.About = ""
	ranking.Notes = nil
	first := table.Section{Title: t.headline(), Lead: cmp.Or(strings.Join(t.aroundLeader().Texts(), " "), t.scoredWith())}
	judges := t.JudgesPage("", "", "")
	var totals table.Section
	if judges.Sections != nil {
		totals = judges.Sections[0]
		judges.Sections = judges.Sections[1:]
		totals.Pane = table.Whole
		if t.Validation() {
			first.Lead = judges.Lead
		}
	}
	sections := append([]table.Section{first, ranking, {ID: "answers", Answers: t.ShortAnswers()}, totals}, t.NameColumns(cases)...)
	if len(ranking.Table.Rows) > 0 {
		about := &table.Chapter{Title: "Method", Says: t.scoredWith()}
		sections = append(sections, about.In(method)...)
	}
	sections = append(sections, t.chapters(judges, more)...)
	return pageOf(first.Title, SourceOf(t.Dataset), explained(sections))
}

// chapters returns the collapsed parts of the page, each with a summary line. more are further documents. They are not collapsed if the
// record has no systems.
func (t *Report) chapters(judges table.Document, more []table.Document) (sections []table.Section) {
	add := func(title, says string, list ...table.Section) {
		list = (table.Document{Sections: list}).Shown()
		sections = append(sections, (&table.Chapter{Title: title, Says: says}).In(list...)...)
	}
	ranked := len(data.Where(t.Leaderboard.Places, func(p leaderboard.Place) bool { return p.Points.Known }))
	named := func(list ...table.Section) []table.Section { return t.NameColumns(list) }
	add("Points by scenario and judge", fmt.Sprintf("%s, %s", data.Plural(len(t.Scenarios()), "scenario", "scenarios"),
		data.Plural(ranked, "system", "systems")), named(append(t.OrderSections(), t.EffectSections()...)...)...)
	trusted := t.Quality.TrustSection()
	trusted.About += strings.Join(append([]string{""}, t.Quality.TrustLines("")...), "\n\n")
	agreement := t.AgreementSummary()
	agreement.Plot = t.AgreementPlot(dataset.LevelFinal, "")
	add("Can the judges stand in for people?", t.Quality.Trust()[0].Text, named(append(append([]table.Section{trusted}, judges.Sections...),
		append([]table.Section{agreement}, t.Quality.ShotSections()...)...)...)...)
	for _, d := range more { // these name their own judges
		if t.Systems == nil {
			sections = append(sections, d.Sections...)
		} else {
			inFolds := func(s table.Section) bool { return s.Chapter != nil }
			add(d.Title, d.Lead, slices.DeleteFunc(slices.Clone(d.Sections), inFolds)...)
			sections = append(sections, data.Where(d.Sections, inFolds)...)
		}
	}
	add("Contrasts", "", named(t.tables.Section())...)
	add("Failures and cost", t.FailuresLine()+". "+t.costLine(), named(append([]table.Section{{Title: "Failures", Verdict: t.ran(),
		Table: t.statusTable()}}, t.Quality.CostsDocument().Sections...)...)...)
	add("Changed answers", "what judges do with answers that were made worse on purpose", named(t.Quality.DatasheetsDocument().Sections...)...)
	add("How it was made", "systems, judges, settings and hashes of all inputs", named(t.provenanceDocument().Sections...)...)
	release := ""
	if slices.ContainsFunc(t.Made, func(p store.Provenance) bool { return p.ReleaseHash != "" }) {
		release = " --release FOLDER"
	}
	add("Reproduce", fmt.Sprintf("one command, seed %d", t.Made[0].Seed), table.Section{ID: "reproduce",
		About: "- compqa export DIR --out run.tar.gz writes this run to a file that others can check.\n- compqa verify run.tar.gz " +
			"recomputes every table from the recorded replies.\n" +
			"- compqa run --config FILE --out DIR" + release + " makes all answers and verdicts again with the configuration above; the " +
			"seed and the hashes of all inputs are listed there.\n- tables/ has every table as CSV; columns.md there explains each column."})
	return sections
}

// pageOf returns the HTML of a page with sections, in one file.
func pageOf(title, source string, sections []table.Section) (string, error) {
	type chapter struct {
		*table.Chapter
		Panes []table.Panes[*table.Shown]
	}
	page := struct {
		Title, Source string
		Style         template.CSS
		Panes         []table.Panes[*table.Shown]
		Chapters      []chapter
	}{Title: title, Source: source, Style: template.CSS(table.Style)}
	all := shownOf(sections)
	for _, group := range table.Grouped(all, func(s *table.Shown) *table.Chapter { return s.Chapter }) {
		panes := table.InPanes(group, func(s *table.Shown) table.Pane { return s.Pane })
		if group[0].Chapter == nil {
			page.Panes = panes
		} else {
			page.Chapters = append(page.Chapters, chapter{group[0].Chapter, panes})
		}
	}
	var b strings.Builder
	err := pageTemplate.Execute(&b, page)
	return b.String(), err
}

// explained appends a section that explains the terms that the sections use.
func explained(sections []table.Section) []table.Section {
	if lines := table.Terms(sections); lines != nil {
		words := table.Section{Title: table.TermsTitle, About: strings.Join(lines, "\n"), Fold: data.Plural(len(lines), "word", "words")}
		sections = append(slices.Clip(sections), words)
		if before := sections[len(sections)-2]; before.Chapter != nil {
			last := &sections[len(sections)-1]
			last.Title = ""
			last.Fold = ""
			last.ID = "words"
			last.Chapter = &table.Chapter{Title: words.Title, Says: words.Fold}
		}
	}
	return sections
}

// shownOf returns the sections that are not empty, as the page template needs them, with unique IDs.
func shownOf(sections []table.Section) (all []*table.Shown) {
	keys := map[string]int{}
	explained := map[string]bool{}
	for i, s := range (table.Document{Sections: sections}).Shown() {
		s.ID = s.Key()
		if keys[s.ID] > 0 {
			s.ID += "-" + strconv.Itoa(keys[s.ID]+1)
		}
		keys[s.Key()]++
		shown := &table.Shown{Section: &s, Level: 2, Folded: s.Fold != "" || s.Listing != "" && s.Table == nil,
			Address: outside, Marks: s.MarksOf(explained)}
		if i == 0 {
			shown.Level = 1
		} else if s.Chapter != nil || s.Beside != nil {
			shown.Level = 3
		}
		if s.Plot != nil {
			shown.Picture = template.HTML(`<div class="large">` + s.Plot.SVG(wide) + `</div><div class="small">` + s.Plot.SVG(small) + `</div>`)
		}
		all = append(all, shown)
	}
	return all
}

// outside returns the address of a link to another site. Links to other pages are "", because the report is a single file.
func outside(to table.Target) string {
	if strings.HasPrefix(to.Page, "http://") || strings.HasPrefix(to.Page, "https://") {
		return to.Page
	}
	return ""
}

// PageOf returns a document as one HTML file. source says what the document was computed from.
func PageOf(title, source string, d table.Document) (string, error) {
	sections := append([]table.Section{{Title: d.Title, Lead: d.Lead}}, d.Sections...)
	if !d.Foreign {
		sections = explained(sections)
	}
	return pageOf(title, source, sections)
}

// WritePages writes the pages of a document without verdicts to the folder dir. It writes the description of the columns to the folder
// tables.
func WritePages(dir, tables, source string, d table.Document) error {
	first := table.Section{Title: d.Title, Lead: d.Lead}
	if strings.Contains(d.Lead, "\n") {
		first.Lead = ""
		first.About = d.Lead
	}
	page, err := pageOf(d.Title, source, explained(append([]table.Section{first}, d.Sections...)))
	if err != nil {
		return err
	}
	if err := table.WriteFiles(tables, map[string]func(io.Writer) error{ColumnsText: table.Text(Columns())}); err != nil {
		return err
	}
	return table.WriteFiles(dir, map[string]func(io.Writer) error{ReportPage: table.Text(page), ReportText: table.Text(d.Markdown())})
}

// mostCases is the number of cases in report.html.
const mostCases = 3
