package annotate

import (
	"io"
	"maps"
	"slices"

	"compqa/data"
	"compqa/results/pairstudy"
	"compqa/results/table"
	"compqa/web/annotate/project"
)

// Judge is the name of a person as a judge.
func Judge(name string) string { return data.Human + ":" + name }

// The files of an export.
const (
	VerdictsFile    = "verdicts.jsonl"
	PooledFile      = "human.jsonl"
	PreferencesFile = "preferences.jsonl"
	LabelsFile      = "labels.jsonl"
	GradesFile      = "grades.csv"
	StudyFile       = "human_study.csv"
	ValuesFile      = "values.csv"
	FiguresFile     = "figures.csv"
	AgreementFile   = "agreement.csv"
	TimesFile       = "times.csv"
	FlagsFile       = "flags.csv"
)

// Files are the names of an export's files, in the order of the manual.
var Files = []string{VerdictsFile, PooledFile, PreferencesFile, LabelsFile, GradesFile, StudyFile, ValuesFile, FiguresFile,
	AgreementFile, TimesFile, FlagsFile}

type timeRow struct {
	Judge      string       `csv:"judge"`
	Kind       string       `csv:"kind"`
	ID         string       `csv:"id"`
	Assignment string       `csv:"assignment"`
	Status     data.Status  `csv:"status"`
	Total      table.Figure `csv:"total"`
	Choice     data.Choice  `csv:"choice"`
	Order      string       `csv:"order"`
	View       string       `csv:"view"`
	ActiveMS   table.Figure `csv:"active_ms"`
	Revisions  int          `csv:"revisions"`
	At         string       `csv:"at"`
}

type flagRow struct {
	Judge string `csv:"judge"`
	ID    string `csv:"id"`
	Kind  string `csv:"kind"`
	Text  string `csv:"text"`
	At    string `csv:"at"`
}

// A valueRow is one value of one sheet.
type valueRow struct {
	Judge     string       `csv:"judge"`
	ID        string       `csv:"id"`
	Criterion string       `csv:"criterion"`
	Part      string       `csv:"part"` // the row, or the judge of the table or rationale
	Value     string       `csv:"value"`
	Number    table.Figure `csv:"number"`
}

// A figureRow is the mean of a criterion; judge human: of the items' means over people.
type figureRow struct {
	Judge     string       `csv:"judge"`
	Criterion string       `csv:"criterion"`
	Part      string       `csv:"part"` // the judge of the table or rationale
	Items     int          `csv:"items"`
	N         int          `csv:"n"`
	Mean      table.Figure `csv:"mean"`           // of the items' means
	OfValues  table.Figure `csv:"mean_of_values"` // of all values
}

type agreementRow struct {
	Criterion string       `csv:"criterion"`
	People    string       `csv:"people"`
	Level     string       `csv:"level"`
	N         int          `csv:"n"`
	Alpha     table.Figure `csv:"alpha"`
	Low       table.Figure `csv:"alpha_low"`
	High      table.Figure `csv:"alpha_high"`
}

type gradeRow struct {
	ID          string `csv:"id"`
	Judge       string `csv:"judge"`
	Method      string `csv:"method"`
	Order       string `csv:"order"`
	Grader      string `csv:"grader"`
	Correctness string `csv:"correctness"`
	Consistency string `csv:"consistency"`
}

// An Exported counts the lines of each file.
type Exported map[string]int

// An export collects the lines of all files.
type export struct {
	p        *project.Project
	lines    map[string][]any
	times    []timeRow
	values   []valueRow
	grades   []gradeRow
	answers  []pairstudy.Answer
	asked    map[string]int // pairs with a table of a judge; "": pairs of a study in stages
	clusters map[string]project.Item
}

// Export writes the work to files in dir, and SC2's figures to w. Sheets of practice, repeated and
// gold items are in the file of times alone, with their totals: they are checks, and no annotation.
func Export(p *project.Project, dir string, w io.Writer) (Exported, error) {
	work, err := p.Work()
	if err != nil {
		return nil, err
	}
	report, err := Compute(p)
	if err != nil {
		return nil, err
	}
	e := &export{p: p, lines: map[string][]any{}, asked: map[string]int{}, clusters: map[string]project.Item{}}
	for _, w := range work {
		if w.Last.Kind != "" {
			if err := e.add(w); err != nil {
				return nil, err
			}
		}
	}
	flags, err := e.flags(report.Remarks)
	if err != nil {
		return nil, err
	}
	e.lines[PooledFile] = e.pooled()
	files, counts := map[string]func(io.Writer) error{}, Exported{}
	for name, lines := range e.lines {
		put(files, counts, name, lines, table.Lines(lines))
	}
	figures, agreed := e.figures(), agreementRows(report)
	put(files, counts, TimesFile, e.times, table.CSV(e.times))
	put(files, counts, ValuesFile, e.values, table.CSV(e.values))
	put(files, counts, GradesFile, e.grades, table.CSV(e.grades))
	put(files, counts, FiguresFile, figures, table.CSV(figures))
	put(files, counts, AgreementFile, agreed, table.CSV(agreed))
	put(files, counts, FlagsFile, flags, table.CSV(flags))
	if err := table.WriteFiles(dir, files); err != nil {
		return nil, err
	}
	if counts[StudyFile] = len(e.answers); len(e.answers) > 0 {
		if err := e.pairsAsked(); err != nil {
			return nil, err
		}
		return counts, pairstudy.Write(e.answers, e.asked, dir, w)
	}
	return counts, nil
}

func put[T any](files map[string]func(io.Writer) error, counts Exported, name string, rows []T, write func(io.Writer) error) {
	if counts[name] = len(rows); len(rows) > 0 {
		files[name] = write
	}
}

// add adds an assignment with its last event.
func (e *export) add(w project.Work) error {
	it, err := e.p.Item(w.Item)
	if err != nil {
		return err
	}
	status := data.Pending
	switch {
	case w.Done():
		status = data.Valid
	case w.Last.Kind == project.Skip:
		status = data.Skipped
	}
	sheet, judge := w.Last.Sheet, Judge(w.Name)
	row := timeRow{Judge: judge, Kind: it.Kind, ID: it.Source, Assignment: w.Kind, Status: status, View: w.Last.View,
		Revisions: w.Last.Revision, At: w.Last.At}
	row.Choice = project.ChoiceOf(sheet.Values["choice"], w.Shown)
	if it.Content.B != "" {
		row.Order = w.Shown
	}
	if w.Active > 0 {
		row.ActiveMS = table.Number(float64(w.Active))
	}
	scores := sheet.Scores()
	if it.Kind == project.Answer && w.Done() {
		row.Total = table.Number(e.p.Rubric.Total(scores))
	}
	e.times = append(e.times, row)
	check := w.Kind == project.Repeat || w.Kind == project.Gold || w.Kind == project.Practice
	if check || status == data.Pending {
		return nil
	}
	switch it.Kind {
	case project.Answer:
		v := data.Verdict{Answer: it.Source, Judge: judge, Status: status, Total: row.Total.Number, Reason: sheet.Reason}
		if w.Done() {
			v.Scores = scores
		}
		e.lines[VerdictsFile] = append(e.lines[VerdictsFile], v)
	case project.Table:
		l := data.SummaryLabels{Answer: it.Source, Judge: judge, Status: status, Reason: sheet.Reason}
		if w.Done() {
			l.Labels = project.Labels(it.Content, sheet)
		}
		e.lines[LabelsFile] = append(e.lines[LabelsFile], l)
	default:
		p := data.Preference{ID: it.Source, Judge: judge, Order: w.Shown, Status: status, Reason: sheet.Reason}
		if w.Done() {
			p.Choice, p.Rationale, p.Reason = string(row.Choice), sheet.Reason, ""
		}
		e.lines[PreferencesFile] = append(e.lines[PreferencesFile], p)
	}
	if w.Done() {
		e.rated(w, it)
	}
	return nil
}

// rated adds the values of a sheet, and the choices and grades of the later stages.
func (e *export) rated(w project.Work, it project.Item) {
	sheet, judge := w.Last.Sheet, Judge(w.Name)
	for _, x := range e.p.Ratings(it, w.Shown, sheet) {
		e.values = append(e.values, valueRow{judge, it.Source, x.Criterion, x.Part, x.Text, table.Number(x.Value)})
	}
	e.clusters[it.Source] = it
	if w.Annotator == 0 {
		return
	}
	if it.Kind == project.Stages && it.Content.Label.Decided() {
		answer := pairstudy.Answer{Rater: w.Name, Pair: it.Source, Cluster: it.Cluster, Order: w.Shown, Gold: it.Content.Label,
			Choice: project.ChoiceOf(sheet.Values["choice"], w.Shown)}
		e.answers = append(e.answers, answer)
		for i, a := range it.Content.Attachments {
			answer.Judge, answer.Choice = a.Judge, project.ChoiceOf(sheet.Values["choice-"+project.Letter(i)], w.Shown)
			e.answers = append(e.answers, answer)
		}
	}
	if it.Kind == project.Rationales {
		for i, a := range it.Content.Attachments {
			letter := project.Letter(i)
			e.grades = append(e.grades, gradeRow{it.Source, a.Judge, a.Method, it.Shown, judge, sheet.Values["correctness-"+letter],
				sheet.Values["consistency-"+letter]})
		}
	}
}

// pairsAsked counts the pairs of a study in stages, and those with a table of each judge.
func (e *export) pairsAsked() error {
	items, err := e.p.Items()
	if err != nil {
		return err
	}
	for _, it := range items {
		if it.Role != project.Main && it.Role != project.Overlap {
			continue
		}
		it, err := e.p.Item(it.ID)
		if err != nil {
			return err
		}
		e.asked[""]++
		for _, a := range it.Content.Attachments {
			e.asked[a.Judge]++
		}
	}
	return nil
}

// pooled are the means of the people who scored an answer, as verdicts of the judge human.
func (e *export) pooled() (lines []any) {
	sums, n := map[string]data.Scores{}, map[string]float64{}
	var ids []string
	for _, line := range e.lines[VerdictsFile] {
		v := line.(data.Verdict)
		if v.Status != data.Valid || v.Judge == Judge(project.Adjudicated) {
			continue
		}
		if sums[v.Answer] == nil {
			sums[v.Answer], ids = data.Scores{}, append(ids, v.Answer)
		}
		n[v.Answer]++
		for id, x := range v.Scores {
			sums[v.Answer][id] += x
		}
	}
	for _, answer := range ids {
		for id := range sums[answer] {
			sums[answer][id] /= n[answer]
		}
		total := e.p.Rubric.Total(sums[answer])
		lines = append(lines, data.Verdict{Answer: answer, Judge: data.Human, Status: data.Valid, Scores: sums[answer], Total: &total})
	}
	return lines
}

// figures are the means of each person, and of people's means. Choices and labels have none.
func (e *export) figures() (rows []figureRow) {
	type key struct{ judge, criterion, part string }
	items := map[key]map[string][]float64{} // by item
	var keys []key
	levels := map[string]bool{}
	add := func(k key, id string, x float64) {
		if items[k] == nil {
			items[k], keys = map[string][]float64{}, append(keys, k)
		}
		items[k][id] = append(items[k][id], x)
	}
	for _, it := range e.clusters {
		for _, f := range e.p.Fields(it) {
			levels[f.Criterion] = f.Level == "nominal"
		}
		break
	}
	for _, v := range e.values {
		if nominal, of := levels[v.Criterion]; of && nominal {
			continue
		}
		part := v.Part
		if e.clusters[v.ID].Kind == project.Table {
			part = ""
		}
		add(key{v.Judge, v.Criterion, part}, v.ID, *v.Number.Number)
		if v.Judge != Judge(project.Adjudicated) {
			add(key{data.Human, v.Criterion, part}, v.ID, *v.Number.Number)
		}
	}
	of := func(k key) bool { return k.judge == data.Human }
	keys = append(table.Where(keys, func(k key) bool { return !of(k) }), table.Where(keys, of)...)
	for _, k := range keys {
		row, sum, all := figureRow{Judge: k.judge, Criterion: k.criterion, Part: k.part, Items: len(items[k])}, 0.0, 0.0
		for _, id := range slices.Sorted(maps.Keys(items[k])) {
			of := 0.0
			for _, x := range items[k][id] {
				of += x
			}
			row.N += len(items[k][id])
			sum, all = sum+of/float64(len(items[k][id])), all+of
		}
		row.Mean, row.OfValues = table.Number(sum/float64(row.Items)), table.Number(all/float64(row.N))
		rows = append(rows, row)
	}
	return rows
}

func (e *export) flags(remarks []project.Remark) (rows []flagRow, err error) {
	for _, r := range remarks {
		it, err := e.p.Item(r.Item)
		if err != nil {
			return nil, err
		}
		rows = append(rows, flagRow{Judge(r.Name), it.Source, r.Kind, r.Text, r.At})
	}
	return rows, nil
}

// agreementRows are alpha of all people with its interval, and of each pair of them.
func agreementRows(r *Report) (rows []agreementRow) {
	for _, c := range r.Agreement {
		rows = append(rows, agreementRow{c.Name, "all", c.Level, c.N, table.FigureOf(c.Alpha), table.FigureOf(c.Low), table.FigureOf(c.High)})
		for i, pair := range r.Pairs {
			if c.PairN[i] > 0 {
				rows = append(rows, agreementRow{Criterion: c.Name, People: pair, Level: c.Level, N: c.PairN[i], Alpha: table.FigureOf(c.Pairs[i])})
			}
		}
	}
	return rows
}
