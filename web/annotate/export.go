package annotate

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"compqa/data"
	"compqa/results/table"
	"compqa/stats"
	"compqa/web/annotate/project"
)

// Judge returns the name under which a person is a judge in a run: "human:NAME".
func Judge(name string) string { return data.Human + ":" + name }

// Files of an export besides project.Files; `compqa annotate export --help` describes each.
const (
	PooledFile = "human.jsonl"
	GradesFile = "grades.csv"
	TimesFile  = "times.csv"
)

// The tables of an export.
var (
	gradesTable = table.Def[project.Grade]{File: GradesFile}
	studyTable  = table.Def[studyRow]{File: "human_study.csv", Views: []table.View[studyRow]{{Words: 1, Shown: []string{"table", "raters", "n",
		"planned", "score", "right", "ties", "wrong", "better", "worse", "gain+2", "alpha=alpha (nominal)"}}}}
	valuesTable    = table.Def[valueRow]{File: "values.csv"}
	figuresTable   = table.Def[figureRow]{File: "figures.csv"}
	agreementTable = table.Def[Agreement]{File: "agreement.csv"}
	timesTable     = table.Def[timeRow]{File: TimesFile}
	flagsTable     = table.Def[project.Remark]{File: "flags.csv"}
	repliesTable   = table.Def[replyRow]{File: "replies.csv"}
)

// Tables lists the tables of an export in the order of the manual.
var Tables = []table.Definition{gradesTable, studyTable, valuesTable, figuresTable, agreementTable, timesTable, flagsTable, repliesTable}

// Files lists the names of an export's files in the order of the manual.
var Files = slices.Concat(project.Files, []string{PooledFile}, data.Each(Tables, table.Definition.Name))

// An Exported has the number of lines of each file of an export.
type Exported map[string]int

// A timeRow has the status, times and remarks of an assignment: a row of times.csv.
type timeRow struct {
	Judge      string       `csv:"judge"`
	Kind       string       `csv:"kind"`
	ID         string       `csv:"id"`
	Assignment string       `csv:"assignment"`
	Status     data.Status  `csv:"status"`
	Total      stats.Figure `csv:"total"`
	Choice     data.Choice  `csv:"choice"`
	Order      string       `csv:"order"`
	View       string       `csv:"view"`
	ActiveMS   stats.Figure `csv:"active_ms"`
	Revisions  int          `csv:"revisions"`
	At         string       `csv:"at"`
	Version    int          `csv:"version"`   // of the texts that the person had seen
	ServerMS   stats.Figure `csv:"server_ms"` // measured by the server
	Reason     int          `csv:"reason_characters"`
	Pasted     int          `csv:"pasted_characters"` // according to the browser
	WritingMS  int64        `csv:"writing_ms"`        // between key presses, according to the browser
}

// A replyRow is a person's answer to one of the owner's questions, or to one of the check.
type replyRow struct {
	Judge    string `csv:"judge"`
	Moment   string `csv:"moment"`
	Question string `csv:"question"`
	Text     string `csv:"text"`
	Value    string `csv:"value"`
	Correct  string `csv:"correct"` // yes or no for the check, otherwise ""
	Version  int    `csv:"version"`
	At       string `csv:"at"`
}

// A valueRow is a value that a person gave to an item: a row of values.csv.
type valueRow struct {
	Judge string `csv:"judge"`
	ID    string `csv:"id"`
	project.Rating
}

// A figureRow has the means of a criterion for a judge. The rows of the judge human are over all people.
type figureRow struct {
	Judge     string       `csv:"judge"`
	Criterion string       `csv:"criterion"`
	Part      string       `csv:"part"` // the judge of an attached table or rationale
	Items     int          `csv:"items"`
	N         int          `csv:"n"`
	Mean      stats.Figure `csv:"mean"`           // mean of the items' means
	OfValues  stats.Figure `csv:"mean_of_values"` // mean of all values
}

// An export collects the rows and lines of all files of an export.
type export struct {
	p       *project.Project
	names   bool // write people's names, not their aliases
	lines   map[string][]any
	times   []timeRow
	values  []valueRow
	grades  []project.Grade
	answers []studyAnswer
}

// Export writes the work of a report to files in dir, and prints the scores of choices in stages (SC2, Yan et al. 2024) to w.
//
// Sheets that do not count are in no file. Practice, repeated, gold and attention items are checks, so they are only in the file of times,
// with their totals. If names is false, people appear by their aliases.
func Export(p *project.Project, report *Report, dir string, w io.Writer, names bool) (Exported, error) {
	e := &export{p: p, names: names, lines: map[string][]any{}}
	e.values = make([]valueRow, 0, len(report.work)*(len(p.Rubric.Criteria)+1))
	pairs := report.pairs()
	called := map[string]string{}
	for _, a := range report.People {
		called[a.Name] = a.Published(names)
	}
	for i := range report.work {
		if w := &report.work[i]; w.Last.Kind != "" && !w.Out {
			e.add(w)
		}
	}
	remarks := data.Where(report.Remarks, func(r project.Remark) bool { return !r.Out && !slices.Contains(report.selection.Without, r.Name) })
	for i := range remarks {
		remarks[i].Judge = Judge(cmp.Or(called[remarks[i].Name], remarks[i].Name)) // the owner is not among the people
	}
	replies, err := e.replies(report.People, report.selection)
	if err != nil {
		return nil, err
	}
	e.lines[PooledFile] = e.pooled()
	var agreed []Agreement
	for _, c := range report.Agreement {
		agreed = append(agreed, c)
		for _, pair := range pairs[c.Criterion] {
			first, second, _ := strings.Cut(pair.People, ", ")
			pair.People = called[first] + ", " + called[second]
			agreed = append(agreed, pair)
		}
	}
	study, err := e.studied()
	if err != nil {
		return nil, err
	}
	c := &table.Catalogue{}
	table.Put(c, gradesTable, e.grades)
	table.Put(c, studyTable, study)
	table.Put(c, valuesTable, e.values)
	table.Put(c, figuresTable, e.figures())
	table.Put(c, agreementTable, agreed)
	table.Put(c, timesTable, e.times)
	table.Put(c, flagsTable, remarks)
	table.Put(c, repliesTable, replies)
	files := c.Files()
	counts := Exported(c.Counts())
	for name, lines := range e.lines {
		counts[name] = len(lines)
		if len(lines) > 0 {
			files[name] = table.Lines(lines)
		}
	}
	if err := table.WriteFiles(dir, files); err != nil {
		return nil, err
	}
	counts[studyTable.File] = len(e.answers)
	return counts, printStudy(study, w)
}

// replies returns people's answers to questions, without those of people whose sheets do not count at all.
func (e *export) replies(people []Person, whose Selection) (rows []replyRow, err error) {
	replies, err := e.p.Replies()
	if err != nil {
		return nil, err
	}
	judges := map[int64]string{}
	for _, a := range people {
		if out := a.Excluded != "" && a.ExcludedFrom == "" && !whose.Everyone || slices.Contains(whose.Without, a.Name); !out {
			judges[a.ID] = Judge(a.Published(e.names))
		}
	}
	for _, r := range replies {
		if judge := judges[r.Annotator]; judge != "" {
			row := replyRow{Judge: judge, Moment: r.Moment, Question: r.Question, Text: questionOf(e.p, r).Text, Value: r.Value,
				Version: r.Version, At: r.At}
			if r.Moment == project.CheckMoment {
				row.Correct = "no"
				if r.Correct {
					row.Correct = "yes"
				}
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// add adds an assignment: a row of times, and for a finished study item a line of the form's file and the values.
func (e *export) add(w *project.Work) {
	it := w.About
	status := data.Pending
	switch {
	case w.Done():
		status = data.Valid
	case w.Last.Kind == project.Skip:
		status = data.Skipped
	}
	sheet, judge := w.Last.Sheet, Judge(w.Published(e.names))
	row := timeRow{Judge: judge, Kind: it.Kind, ID: it.Source, Assignment: w.Kind, Status: status, View: w.Last.View,
		Revisions: w.Last.Revision, At: w.Last.At, Version: w.Last.Version, Reason: utf8.RuneCountInString(sheet.Reason),
		Pasted: w.Wrote.Pasted, WritingMS: w.Wrote.WritingMS}
	row.Choice = project.ChoiceOf(sheet.Values["choice"], w.Shown)
	if it.Content.B != "" {
		row.Order = w.Shown
	}
	if w.Active > 0 {
		row.ActiveMS = stats.Number(float64(w.Active))
	}
	if w.Server > 0 {
		row.ServerMS = stats.Number(float64(w.Server))
	}
	form := project.FormOf(it.Kind)
	if form.Total != nil && w.Done() {
		row.Total = stats.Number(form.Total(e.p, sheet))
	}
	e.times = append(e.times, row)
	study := w.Kind == project.Main || w.Kind == project.Overlap || w.Kind == project.Adjudicate
	if !study || status == data.Pending {
		return
	}
	result := project.Result{Item: it, Judge: judge, Status: status, Sheet: sheet, Order: w.Shown, Total: row.Total.Pointer()}
	e.lines[form.File] = append(e.lines[form.File], form.Line(result))
	if w.Done() {
		e.addRatings(w, form, result)
	}
}

// addRatings adds the values of a sheet. For people, not the owner, it also adds choices in stages and grades of rationales.
func (e *export) addRatings(w *project.Work, form project.Form, result project.Result) {
	for _, x := range e.p.Ratings(result.Item, result.Order, result.Sheet) {
		e.values = append(e.values, valueRow{result.Judge, result.Item.Source, x})
	}
	if w.Annotator == 0 {
		return
	}
	if form.Choices != nil {
		for _, choice := range form.Choices(result) {
			e.answers = append(e.answers, studyAnswer{Rater: w.Published(e.names), Pair: result.Item.Source, Cluster: result.Item.Cluster,
				StageChoice: choice})
		}
	}
	if form.Grades != nil {
		e.grades = append(e.grades, form.Grades(result)...)
	}
}

// pairsAsked returns the number of study pairs by stage: the judge whose table is shown, or "" for the stage before any table.
func (e *export) pairsAsked() map[string]int {
	asked := map[string]int{}
	for _, it := range e.p.Items {
		if it.Role == project.Main || it.Role == project.Overlap {
			asked[""]++
			for _, a := range it.Content.Attachments {
				asked[a.Judge]++
			}
		}
	}
	return asked
}

// pooled returns, for each answer, the mean scores of all people as a verdict of the judge human. The owner's decisions do not count.
func (e *export) pooled() (lines []any) {
	verdicts := data.Each(e.lines[project.VerdictsFile], func(line any) data.Verdict { return line.(data.Verdict) })
	verdicts = slices.DeleteFunc(verdicts, func(v data.Verdict) bool {
		return v.Status != data.Valid || v.Judge == Judge(project.Adjudicated)
	})
	for _, sheets := range table.Grouped(verdicts, func(v data.Verdict) string { return v.Answer }) {
		mean := data.Scores{}
		for id := range sheets[0].Scores { // all sheets have the same criteria, because they are complete
			mean[id] = stats.Mean(data.Each(sheets, func(v data.Verdict) float64 { return v.Scores[id] }))
		}
		lines = append(lines, data.Verdict{Answer: sheets[0].Answer, Judge: data.Human, Status: data.Valid, Scores: mean,
			Total: new(e.p.Rubric.Total(mean)), Provenance: data.OriginPerson})
	}
	return lines
}

// figures returns the rows of means, first for each person and then over all people.
func (e *export) figures() (rows []figureRow) {
	var values, people []*valueRow
	for i := range e.values {
		v := &e.values[i]
		if v.Level == "nominal" && !v.Number {
			continue // nominal values have no mean
		}
		values = append(values, v)
		if v.Judge != Judge(project.Adjudicated) {
			people = append(people, v)
		}
	}
	part := func(v *valueRow) string { return v.Part }
	if e.p.Form().Rows {
		part = func(*valueRow) string { return "" }
	}
	value := func(v *valueRow) float64 { return v.Value }
	add := func(values []*valueRow, judge func(*valueRow) string) {
		for _, group := range table.Grouped(values, func(v *valueRow) [3]string { return [3]string{judge(v), v.Criterion, part(v)} }) {
			slices.SortStableFunc(group, func(a, b *valueRow) int { return cmp.Compare(a.ID, b.ID) })
			items := table.Grouped(group, func(v *valueRow) string { return v.ID })
			mean := stats.Mean(data.Each(items, func(item []*valueRow) float64 { return stats.Mean(data.Each(item, value)) }))
			rows = append(rows, figureRow{judge(group[0]), group[0].Criterion, part(group[0]), len(items), len(group), stats.Number(mean),
				stats.Number(stats.Mean(data.Each(group, value)))})
		}
	}
	add(values, func(v *valueRow) string { return v.Judge })
	add(people, func(*valueRow) string { return data.Human })
	return rows
}
