package report

import (
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"compqa/results/store"
	"compqa/results/table"
)

var pageTemplate = template.Must(template.Must(table.Templates.Clone()).Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{visible .Title}} · compqa</title>
<style>{{.Style}}</style></head>
<body><header><strong>compqa</strong><p class="source">{{visible .Source}}</p></header>
<main>{{template "panes" .Panes}}</main></body></html>
`))

// Widths of plots: on a page, and on a phone.
const wide, small = 720, 360

// Page is report.html: the whole report in one file without script.
func (t *Report) Page(more ...table.Document) (string, error) {
	cases, err := t.Cases(mostCases)
	if err != nil {
		return "", err
	}
	front := t.Front(more...)
	sections := front.Sections
	if at := slices.IndexFunc(sections, func(s table.Section) bool { return s.Title == agreementTitle }); at >= 0 {
		judges := t.JudgesPage("", "", "")
		if judges.Sections != nil { // the page of judges in place of the summary
			whole := append([]table.Section{{ID: "agreement", Title: judges.Title, Lead: judges.Lead}}, judges.Sections...)
			sections = slices.Replace(sections, at, at+1, whole...)
			at += len(whole) - 1
		}
		sections = slices.Insert(sections, at+1, table.NameJudges(cases, t.MarkOfImport)...)
	}
	sections = slices.Insert(sections, 1, t.OrderSections()...)
	made := table.NameJudges(append(t.DatasheetsDocument().Sections, t.provenanceDocument().Sections...), t.MarkOfImport)
	release := ""
	if slices.ContainsFunc(t.Made, func(p store.Provenance) bool { return p.ReleaseHash != "" }) {
		release = " --release FOLDER"
	}
	reproduce := table.Section{Title: "How to reproduce it",
		About: "- compqa export DIR --out run.tar.gz writes this run to a file that others can check.\n- compqa verify run.tar.gz " +
			"recomputes every table from the recorded replies.\n" +
			"- compqa run --config FILE --out DIR" + release + " makes all answers and verdicts again with the configuration above; the " +
			"seed and the hashes of all inputs are listed there."}
	return PageOf(front.Title, SourceOf(t.Dataset), table.Document{Title: front.Title, Lead: t.scoredWith(),
		Sections: append(append(sections, made...), reproduce)})
}

// pageOf is a page of sections in one file.
func pageOf(title, source string, sections []table.Section) (string, error) {
	page := struct {
		Title, Source string
		Style         template.CSS
		Panes         []table.Panes[*table.Shown]
	}{Title: title, Source: source, Style: template.CSS(table.Style)}
	if lines := table.Terms(sections); lines != nil {
		sections = append(slices.Clip(sections), table.Section{Title: table.TermsTitle, About: strings.Join(lines, "\n")})
	}
	keys := map[string]int{}
	var all []*table.Shown
	for i, s := range (table.Document{Sections: sections}).Shown() {
		s.ID = s.Key()
		if keys[s.ID] > 0 {
			s.ID += "-" + strconv.Itoa(keys[s.ID]+1)
		}
		keys[s.Key()]++
		shown := &table.Shown{Section: &s, Level: 2, Folded: s.Fold != "" || s.Listing != "" && s.Table == nil,
			Address: func(table.Target) string { return "" }}
		if i == 0 {
			shown.Level = 1
		}
		if s.Plot != nil {
			shown.Picture = template.HTML(`<div class="large">` + s.Plot.SVG(wide) + `</div><div class="small">` + s.Plot.SVG(small) + `</div>`)
		}
		all = append(all, shown)
	}
	page.Panes = table.InPanes(all, func(s *table.Shown) table.Pane { return s.Pane })
	var b strings.Builder
	err := pageTemplate.Execute(&b, page)
	return b.String(), err
}

// PageOf is a document in one HTML file; source says what it was computed from.
func PageOf(title, source string, d table.Document) (string, error) {
	return pageOf(title, source, append([]table.Section{{Title: d.Title, Lead: d.Lead}}, d.Sections...))
}

// WritePages writes the pages of a document without verdicts to a folder, and what the columns of
// the tables beside it mean to the folder tables.
func WritePages(dir, tables, source string, d table.Document) error {
	first := table.Section{Title: d.Title, Lead: d.Lead}
	if strings.Contains(d.Lead, "\n") {
		first.Lead, first.About = "", d.Lead
	}
	page, err := pageOf(d.Title, source, append([]table.Section{first}, d.Sections...))
	if err != nil {
		return err
	}
	if err := table.WriteFiles(tables, map[string]func(io.Writer) error{ColumnsText: table.Text(Columns)}); err != nil {
		return err
	}
	return table.WriteFiles(dir, map[string]func(io.Writer) error{ReportPage: table.Text(page), ReportText: table.Text(d.Markdown())})
}

// agreementTitle is the section that report.html replaces by the page of judges; the cases come after it.
const agreementTitle = "Agreement with people"

// mostCases is the number of cases in report.html.
const mostCases = 3
