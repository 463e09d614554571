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
	Table      = "table"      // a contrastive table: a label for each row, equal attributes, contradicting values
	Pair       = "pair"       // two answers, one choice
	Stages     = "stages"     // a pair; first a choice, then another one with each table
	Rationales = "rationales" // a pair; first a choice, then scales for the judges' rationales
)

// The files in which an export has the results of sheets.
const (
	VerdictsFile    = "verdicts.jsonl"
	PreferencesFile = "preferences.jsonl"
	LabelsFile      = "labels.jsonl"
)

// A Form defines a kind of item: what a person sees and is asked, which rules a sheet follows, and what it gives. Everything else about
// studies (assignments, checks, agreement, reports, exports) reads it, and is the same for all kinds.
type Form struct {
	Kind    string
	About   string   // what the help of annotate init says of the kind
	Title   string   // key of the words above the item
	Task    string   // key of the sentence that says what people do
	Sides   bool     // two answers, whose order is random
	Fixed   bool     // all items have the same fields
	Rows    bool     // fields have the names of a table's rows
	OneSide string   // the kind of a copy of an item without its later stages
	Keys    []string // the keys of study.yaml that studies of this kind may have, where studies of some others may not
	Choice  bool     // a known sheet has the choice between the sides, and says nothing about the other fields

	// What the data sheet says (Belz and Thomson, HEDS 3.0, questions 3.3.4.2, 4.2.2, 4.3.8 and 4.3.9).
	Shown, Scale, Answers, Processed string

	Fields   func(p *Project, it Item) []Field
	Attached string                                               // what judges of pairs wrote that items have as attachments; "": nothing
	Every    bool                                                 // items are pairs with a known better answer and an attachment of each judge
	OpensAt  func(attachment int) (stage int)                     // from which on an attachment is shown; nil: there are none
	Letter   string                                               // key of the title of an attachment
	Chosen   bool                                                 // what the judge of an attachment chose is shown, and the order is that of the judge
	Check    func(p *Project, it Item, s Sheet, stages int) error // the rules between the fields of a complete sheet; nil: none
	Derived  func(p *Project, it Item, s Sheet) []Rating          // values of the sheet as a whole; nil: none
	Total    func(p *Project, s Sheet) float64                    // nil: sheets have none

	Results []string // the kinds of results of a run that sheets are
	File    string   // where an export has a line for each sheet
	Line    func(g Result) any

	Choices func(g Result) []StageChoice // of a complete sheet, for human_study.csv; nil: none
	Grades  func(g Result) []Grade       // of a complete sheet, for grades.csv; nil: none
}

// What judges of pairs wrote that is shown to people.
const (
	Tables         = "tables"     // the contrastive table of the judge's first round, with the sides as they are shown
	RationaleTexts = "rationales" // the rationale of an order of the sides
)

// A StageChoice is the choice of a pair of which the better answer is known, before any table is shown or with the table of a judge.
type StageChoice struct {
	Judge        string // whose table is shown; "": none yet
	Gold, Choice data.Choice
}

// A Grade is what a person says of a judge's rationale.
type Grade struct {
	ID          string `csv:"id"`
	Judge       string `csv:"judge"`
	Method      string `csv:"method"`
	Order       string `csv:"order"`
	Grader      string `csv:"grader"`
	Correctness string `csv:"correctness"`
	Consistency string `csv:"consistency"`
}

// A Result is a sheet that is not pending, as an export writes it.
type Result struct {
	Item   Item
	Judge  string
	Status data.Status
	Sheet  Sheet    // in the order in which the sides were shown
	Order  string   // of the sides
	Total  *float64 // nil without a complete sheet
}

// valid reports whether the sheet is complete: it was neither skipped nor left open.
func (g Result) valid() bool { return g.Status == data.Valid }

// forms has the forms of all kinds, Kinds their names, and Files those of what exports have of them. They are set when the program begins,
// because functions of forms read them.
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

// KindsWith returns the kinds whose studies may have a key of study.yaml; nil: all.
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

// processed says how the answers of people become figures, where a form does not say more.
const processed = "means over people of an item, then over items (figures.csv of annotate export); agreement is of single values"

// FormOf returns the form of a kind of items; the zero Form if there is none.
func FormOf(kind string) Form {
	form, _ := data.First(forms, func(f Form) bool { return f.Kind == kind })
	return form
}

// Form returns the form of the study's items.
func (p *Project) Form() Form { return FormOf(p.Kind) }

// Fields returns what is to be said about an item, in the order of the sheet.
func (p *Project) Fields(it Item) []Field {
	form := FormOf(it.Kind)
	if !form.Fixed {
		return p.withOthers(form.Fields(p, it))
	}
	p.fieldsOnce.Do(func() { p.fields = p.withOthers(form.Fields(p, it)) })
	return p.fields
}

// verdictLine returns the verdict that a score sheet is.
func verdictLine(g Result) any {
	v := data.Verdict{Answer: g.Item.Source, Judge: g.Judge, Status: g.Status, Total: g.Total, Reason: g.Sheet.Reason,
		Provenance: data.OriginPerson}
	if g.valid() {
		v.Scores = g.Sheet.Scores()
	}
	return v
}

// labelsLine returns the labels of a contrastive table that a sheet gives.
func labelsLine(g Result) any {
	l := data.SummaryLabels{Answer: g.Item.Source, Judge: g.Judge, Status: g.Status, Reason: g.Sheet.Reason, Provenance: data.OriginPerson}
	if g.valid() {
		l.Labels = Labels(g.Item.Content, g.Sheet)
	}
	return l
}

// preferenceLine returns the preference that the choice of a sheet is, with its reason as the rationale.
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

// stageChoices returns the choice of a pair before any table is shown, and the one with each table; none where nobody knows the better
// answer.
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

// rationaleGrades returns what a sheet says of each judge's rationale, which was written for the order in which the item is shown.
func rationaleGrades(g Result) (grades []Grade) {
	for i, a := range g.Item.Content.Attachments {
		letter := Letter(i)
		grades = append(grades, Grade{g.Item.Source, a.Judge, a.Method, g.Item.Shown, g.Judge, g.Sheet.Values["correctness-"+letter],
			g.Sheet.Values["consistency-"+letter]})
	}
	return grades
}

// checkScores refuses scores that the rubric does not have.
func (p *Project) checkScores(_ Item, s Sheet, _ int) error {
	if fault := p.Rubric.Check(s.Scores(), false); fault != nil {
		return &Refusal{Reason: fault.Error()}
	}
	return nil
}

// checkTable refuses marks that contradict the answer above them.
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

// checkReasons refuses a choice that a table changed without a reason.
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

// totalOf returns the total of a complete score sheet.
func (p *Project) totalOf(_ Item, s Sheet) []Rating {
	scores := s.Scores()
	if p.Rubric.Check(scores, false) != nil {
		return nil
	}
	return []Rating{numberRating(Total, "", p.Rubric.Measurement, p.Rubric.Total(scores))}
}

// strength returns the choice of a pair with its strength, from −2 (a is clearly better) to 2 (b is); none of two bad answers, of which
// nobody says which is better.
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

// numberRating returns a rating that is a number whatever its level of measurement, so that it has a mean.
func numberRating(criterion, part, level string, x float64) Rating {
	return Rating{Criterion: criterion, Part: part, Level: level, Text: Points(x), Value: x, Number: true}
}
