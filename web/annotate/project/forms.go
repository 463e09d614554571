package project

import (
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/store"
)

// The kinds of items.
const (
	Answer     = "answer"     // a text with a rubric: answers of a run, or items of any file
	Table      = "table"      // a table that contrasts two objects: people label rows, and mark equal attributes and contradictions
	Pair       = "pair"       // two answers, between which people choose
	Stages     = "stages"     // a pair; first a choice, then another one with each table
	Rationales = "rationales" // a pair; first a choice, then scales for the judges' rationales
)

// The files to which an export writes the results of sheets.
const (
	VerdictsFile    = "verdicts.jsonl"
	PreferencesFile = "preferences.jsonl"
	LabelsFile      = "labels.jsonl"
)

// A Form defines a kind of item: what a person sees and is asked, the rules for a sheet, and the results that follow from it. All other
// code for studies (assignments, checks, agreement, reports, exports) is the same for all kinds and reads the Form.
type Form struct {
	Kind    string
	About   string   // description in the help of annotate init
	Title   string   // key of the title above an item, as all keys in Words
	Task    string   // key of the sentence that states the task
	Sides   bool     // an item is two answers in random order
	Fixed   bool     // all items have the same fields
	Rows    bool     // there is a field for each row of a table
	OneSide string   // the kind that an item has without its later stages
	Keys    []string // keys of study.yaml that this kind allows and some other kinds do not
	Choice  bool     // a known sheet has only the choice between the sides

	// Answers in the data sheet (Belz and Thomson, HEDS 3.0, questions 3.3.4.2, 4.2.2, 4.3.8 and 4.3.9).
	Shown, Scale, Answers, Processed string

	Fields   func(p *Project, it Item) []Field
	Attached string                                               // texts of judges that are attached: Tables, RationaleTexts or ""
	Every    bool                                                 // an item needs a known better answer and an attachment of every judge
	OpensAt  func(attachment int) (stage int)                     // the first stage that shows an attachment; nil: no attachments
	Letter   string                                               // key of an attachment's title
	Chosen   bool                                                 // the judge's choice is shown, and the sides are in the judge's order
	Check    func(p *Project, it Item, s Sheet, stages int) error // checks rules across the fields of a complete sheet; nil: none
	Derived  func(p *Project, it Item, s Sheet) []Rating          // values computed from the whole sheet; nil: none
	Total    func(p *Project, s Sheet) float64                    // nil: sheets have no total

	Results []string // the kinds of results (store.Kinds) that sheets become in a run
	File    string   // the file of an export that has a line (Line) for each sheet
	Line    func(g Result) any

	Choices func(g Result) []StageChoice // a complete sheet's rows in human_study.csv; nil: none
	Grades  func(g Result) []Grade       // a complete sheet's rows in grades.csv; nil: none
}

// Values of Form.Attached.
const (
	Tables         = "tables"     // the judge's table that contrasts both answers, with the sides as people see them
	RationaleTexts = "rationales" // the judge's rationale for one order of the sides
)

// A StageChoice is a person's choice on a pair whose better answer (Gold) is known, before any table is shown or with the table of a
// judge.
type StageChoice struct {
	Judge        string // whose table is shown; "": before any table
	Gold, Choice data.Choice
}

// A Grade is what a person says about a judge's rationale.
type Grade struct {
	ID          string `csv:"id"`
	Judge       string `csv:"judge"`
	Method      string `csv:"method"`
	Order       string `csv:"order"`
	Grader      string `csv:"grader"`
	Correctness string `csv:"correctness"`
	Consistency string `csv:"consistency"`
}

// A Result is a submitted or skipped sheet, as an export writes it.
type Result struct {
	Item   Item
	Judge  string
	Status data.Status
	Sheet  Sheet    // with the sides in the shown order
	Order  string   // of the sides: ab or ba
	Total  *float64 // nil if the sheet is not complete
}

// valid reports whether the sheet was submitted complete.
func (g Result) valid() bool { return g.Status == data.Valid }

// forms has the forms of all kinds, Kinds their names, and Files the names of their export files. init sets them, because functions of
// forms read them, which Go does not allow in an initializer.
var (
	forms []Form
	Kinds []string
	Files []string
)

func init() {
	forms = allForms()
	Kinds = data.Each(forms, func(f Form) string { return f.Kind })
	for _, f := range forms {
		if !slices.Contains(Files, f.File) {
			Files = append(Files, f.File)
		}
	}
}

// KindsWith returns the kinds whose studies may have a key of study.yaml, or nil if all may.
func KindsWith(key string) []string {
	with := data.Where(forms, func(f Form) bool { return slices.Contains(f.Keys, key) })
	if len(with) == 0 {
		return nil
	}
	return data.Each(with, func(f Form) string { return f.Kind })
}

// allForms returns the forms of all kinds, in the order of the manual.
func allForms() []Form {
	pair := Form{Kind: Pair, About: "two answers, one choice: of --pairs, or of the run", Title: "pair.title", Task: "pair.task",
		Sides: true, Fixed: true, OneSide: Pair, Choice: true, Keys: []string{"rubric", "strength", "no-tie", "both-bad"},
		Shown: "the question and two answers", Scale: "relative: two answers side by side", Answers: "relative quality estimation",
		Processed: "sides are mapped back; preferences give strengths of systems (pairwise report); agreement is of single values",
		Fields:    (*Project).pairFields, Derived: (*Project).strength,
		Results: []string{store.KindPreference, store.KindGrade}, File: PreferencesFile, Line: preferenceLine}
	stages := pair
	stages.Kind = Stages
	stages.Fixed = false
	stages.Keys = nil
	stages.Processed = processed
	stages.Derived = nil
	stages.About = "a pair; first a choice, then another one with each judge's table (SC2)"
	stages.Shown += ", later the judges' tables"
	stages.Answers += ", before and after each table"
	stages.Fields = (*Project).stagesFields
	stages.Check = (*Project).checkReasons
	stages.Attached = Tables
	stages.Every = true
	stages.Letter = "stages.letter"
	stages.OpensAt = func(attachment int) int { return 2 + attachment }
	rationales := stages
	stages.Choices = stageChoices
	rationales.Kind = Rationales
	rationales.Title = "rationales.title"
	rationales.Shown = pair.Shown + ", later the judges' rationales"
	rationales.About = "a pair; first a choice, then scales for the rationale of each judge (Con-J)"
	rationales.Answers = pair.Answers + ", then direct estimation of rationales"
	rationales.Fields = (*Project).rationalesFields
	rationales.Check = nil
	rationales.Attached = RationaleTexts
	rationales.Every = false
	rationales.Letter = "rationales.letter"
	rationales.Chosen = true
	rationales.Choices = nil
	rationales.Grades = rationaleGrades
	rationales.OpensAt = func(int) int { return 2 }
	return []Form{
		{Kind: Answer, About: "an answer, or an item of --items, with the rubric", Title: "answer.title", Task: "answer.task", Fixed: true,
			OneSide: Answer, Keys: []string{"rubric", "third"}, Shown: "the question, one answer",
			Scale: "absolute: one answer at a time", Answers: "direct quality estimation", Processed: processed,
			Fields: (*Project).rubricFields, Check: (*Project).checkScores, Derived: (*Project).totalOf,
			Total:   func(p *Project, s Sheet) float64 { return p.Rubric.Total(s.Scores()) },
			Results: []string{store.KindVerdict}, File: VerdictsFile, Line: verdictLine},
		{Kind: Table, About: "a contrastive table: a label for each row, of six, rows with the same attribute, values that contradict each " +
			"other (STRUM-LLM)", Title: "table.title", Task: "table.task", Rows: true, OneSide: Table, Keys: []string{"relevance"},
			Shown: "a table that compares two things", Scale: "absolute: one table at a time", Answers: "labelling", Processed: processed,
			Fields: (*Project).tableFields, Check: (*Project).checkTable, Derived: (*Project).tableFigures,
			Results: []string{store.KindLabel}, File: LabelsFile, Line: labelsLine},
		pair, stages, rationales,
	}
}

// processed is the default of Form.Processed: how people's answers become figures.
const processed = "means over people of an item, then over items (figures.csv of annotate export); agreement is of single values"

// FormOf returns the form of a kind of items, or the zero Form for an unknown kind.
func FormOf(kind string) Form {
	form, _ := data.First(forms, func(f Form) bool { return f.Kind == kind })
	return form
}

// Form returns the form of the study's items.
func (p *Project) Form() Form { return FormOf(p.Kind) }

// Fields returns the fields that a person fills in for an item, in the order of the sheet.
func (p *Project) Fields(it Item) []Field {
	form := FormOf(it.Kind)
	if !form.Fixed {
		return p.withOthers(form.Fields(p, it))
	}
	p.fieldsOnce.Do(func() { p.fields = p.withOthers(form.Fields(p, it)) })
	return p.fields
}

// verdictLine returns the verdict that a score sheet becomes in a run.
func verdictLine(g Result) any {
	v := data.Verdict{Answer: g.Item.Source, Judge: g.Judge, Status: g.Status, Total: g.Total, Reason: g.Sheet.Reason,
		Provenance: data.OriginPerson}
	if g.valid() {
		v.Scores = g.Sheet.Scores()
	}
	return v
}

// labelsLine returns the labels that a sheet about a contrastive table becomes in a run.
func labelsLine(g Result) any {
	l := data.SummaryLabels{Answer: g.Item.Source, Judge: g.Judge, Status: g.Status, Reason: g.Sheet.Reason, Provenance: data.OriginPerson}
	if g.valid() {
		l.Labels = Labels(g.Item.Content, g.Sheet)
	}
	return l
}

// preferenceLine returns the preference that a sheet about a pair becomes in a run. The person's reason is the rationale.
func preferenceLine(g Result) any {
	p := data.Preference{ID: g.Item.Source, Judge: g.Judge, Order: g.Order, Status: g.Status, Reason: g.Sheet.Reason,
		Provenance: data.OriginPerson}
	if g.valid() {
		p.Choice = string(ChoiceOf(g.Sheet.Values[choiceID], g.Order))
		p.Strength = g.Sheet.Values[strengthID]
		p.Rationale = g.Sheet.Reason
		p.Reason = ""
	}
	return p
}

// stageChoices returns the choice before any table and the choice with each table. It returns none if the better answer is unknown.
func stageChoices(g Result) []StageChoice {
	gold := g.Item.Content.Label
	if !gold.Decided() {
		return nil
	}
	choices := []StageChoice{{Gold: gold, Choice: ChoiceOf(g.Sheet.Values[choiceID], g.Order)}}
	for i, a := range g.Item.Content.Attachments {
		choices = append(choices, StageChoice{a.Judge, gold, ChoiceOf(g.Sheet.Values["choice-"+Letter(i)], g.Order)})
	}
	return choices
}

// rationaleGrades returns a person's grade of each judge's rationale. The item is shown in the order of sides that the judge saw.
func rationaleGrades(g Result) (grades []Grade) {
	for i, a := range g.Item.Content.Attachments {
		letter := Letter(i)
		grades = append(grades, Grade{g.Item.Source, a.Judge, a.Method, g.Item.Shown, g.Judge, g.Sheet.Values["correctness-"+letter],
			g.Sheet.Values["consistency-"+letter]})
	}
	return grades
}

// checkScores returns an error for scores that the rubric does not allow.
func (p *Project) checkScores(_ Item, s Sheet, _ int) error {
	if fault := p.Rubric.Check(s.Scores(), false); fault != nil {
		return &Refusal{Reason: fault.Error()}
	}
	return nil
}

// checkTable returns an error if marks of a table's rows or values contradict the yes/no answer above them.
func (p *Project) checkTable(it Item, s Sheet, _ int) error {
	marked := map[string]bool{}
	for id := range s.Values {
		name, _, is := strings.Cut(id, "-")
		marked[name] = marked[name] || is
	}
	for _, name := range []string{"same", "against"} {
		given := s.Values[name] == "marked"
		if given == marked[name] {
			continue
		}
		message := "marks_no"
		if given {
			message = "marks_yes"
		}
		return p.invalid(message, "name", p.scale(name, name, "", 1).Name)
	}
	if l := Labels(it.Content, s); l.Consistent != nil {
		if status, reason := l.Check(data.LabelConsistent, data.ContrastTable{Rows: it.Content.Rows}); status != data.Valid {
			return &Refusal{Reason: reason}
		}
	}
	return nil
}

// checkReasons returns an error if a person changed the choice with a table and gave no reason.
func (p *Project) checkReasons(it Item, s Sheet, stages int) error {
	for i := range it.Content.Attachments {
		letter := Letter(i)
		again := s.Values["choice-"+letter]
		if i+2 <= stages && again != s.Values[choiceID] && strings.TrimSpace(s.Values["why-"+letter]) == "" {
			return p.invalid("why_needed", "letter", letter)
		}
	}
	return nil
}

// totalOf returns the total of a complete score sheet as a rating.
func (p *Project) totalOf(_ Item, s Sheet) []Rating {
	scores := s.Scores()
	if p.Rubric.Check(scores, false) != nil {
		return nil
	}
	return []Rating{numberRating(Total, "", p.Rubric.Measurement, p.Rubric.Total(scores))}
}

// strength returns the choice of a pair with its strength, from −2 (a is clearly better) to 2 (b is clearly better). It returns none if
// both answers are bad.
func (p *Project) strength(_ Item, s Sheet) []Rating {
	sides := []string{First, Tie, Second}
	strengths := []string{"", Slightly, Clearly}
	if !p.Pairs.Strength || s.Values[choiceID] == Bad {
		return nil
	}
	side := max(0, slices.Index(sides, s.Values[choiceID])) - 1
	if !slices.Contains(sides, s.Values[choiceID]) {
		side = 0
	}
	strength := max(0, slices.Index(strengths, s.Values[strengthID]))
	return []Rating{numberRating(Strength, "", "ordinal", float64(side*strength))}
}

// numberRating returns a rating with a numeric value, which has a mean at any level of measurement.
func numberRating(criterion, part, level string, x float64) Rating {
	return Rating{Criterion: criterion, Part: part, Level: level, Text: Points(x), Value: x, Number: true}
}
