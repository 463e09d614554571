package annotate

import (
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/table"
	"compqa/web/annotate/project"
)

// A HEDSRow answers a question of the Human Evaluation Data Sheet, version 3.0 (Belz and Thomson 2025, GEM 4, pages 60–81; form with
// these numbers: nlp-heds.github.io; the questions are in our words). Answer is what the study's record knows. Add is what the authors
// have to add.
type HEDSRow struct {
	Number   string `json:"question" csv:"question"`
	Question string `json:"asks" csv:"asks"`
	Answer   string `json:"answer" csv:"answer"`
	Add      string `json:"authors_add" csv:"authors_add"`
}

// heds answers the data sheet's questions in the order of the form. It needs all other fields of the Datasheet.
func (d *Datasheet) heds(p *project.Project, r *Report) {
	add := func(number, question, answer, more string) {
		d.HEDS = append(d.HEDS, HEDSRow{number, question, answer, more})
	}
	add("1.1.1–1.2", "the paper, which of its experiments this is, and its resources", "", "all of it")
	add("1.3.1.1–1.3.2.3", "who fills in the sheet, and whom to contact", contact(p), "names and affiliations")
	add("2.1–2.5", "what the systems take, produce and are for, and their languages", "",
		"all of it")
	each := ""
	missing := "the number of each system"
	if len(d.Systems) > 0 {
		each = ": " + strings.Join(data.Each(d.Systems, func(s SystemRow) string { return fmt.Sprintf("%s %d", s.System, s.Items) }),
			", ")
		missing = ""
	}
	add("3.1.1", "number of outputs that are evaluated for each system", fmt.Sprintf("%s of all systems together, %d of them by %s%s",
		data.Plural(d.Items, "item", "items"), d.Several, data.Plural(d.People, "person", "people"), each), missing)
	missing = ""
	if p.Chosen == "" {
		missing = "how, and from which larger set"
	}
	add("3.1.2", "how they were selected", p.Chosen, missing)
	add("3.1.3.1–3.1.3.3", "power analysis: method, power, code", "",
		"all of it, or that there was none; alpha's intervals are under 4.3.11.2")
	d.hedsPeople(p, r, add)
	d.hedsDesign(p, add)
	d.hedsCriteria(p, add)
	add("5.1", "which ethics committee approved the experiment", "", "all of it")
	add("5.2–5.3", "personal data, and special categories of data, in outputs or answers",
		"ids of platforms are kept in annotation.db and are in no export; answers of people to questions are in replies.csv",
		"what the texts contain")
	add("5.4", "impact assessments", "", "all of it, or that there was none")
	for _, row := range d.HEDS {
		if row.Add != "" {
			d.Missing = append(d.Missing, row.Number+" "+row.Question+": "+row.Add)
		}
	}
}

func contact(p *project.Project) string {
	if p.Contact == "" {
		return ""
	}
	return "people were told to write to " + p.Contact
}

// hedsPeople answers the questions about the people who annotate: number, expertise, pay, recruitment, training and other characteristics.
func (d *Datasheet) hedsPeople(p *project.Project, r *Report, add func(number, question, answer, more string)) {
	counting := 0
	partly := 0
	sent := 0
	for _, a := range r.People {
		if a.Sheets > 0 {
			counting++
		}
		if a.Sheets > 0 && a.Excluded != "" {
			partly++ // excluded from some date on
		}
		if a.External != "" {
			sent++
		}
	}
	add("3.2.1", "number of evaluators whose judgments count",
		fmt.Sprint(counting, "; ", len(d.Excluded)-partly, " more were excluded or deleted"), "")
	add("3.2.2.1", "are they domain experts", "", "yes or no, and in what")
	paid := ""
	missing := "whether, and how (annotate report --wage names the pay of an hour)"
	if d.Pay.Known {
		missing = "the currency, and what was paid in fact"
		paid = d.Wage.Text(2) + " an hour of the time that the server measured, " + d.Pay.Text(2) + " in all"
	}
	add("3.2.2.2", "were they paid", paid, missing)
	add("3.2.2.3–3.2.2.4", "are some known to the authors, or authors themselves", "", "yes or no")
	add("3.2.3", "how they were recruited",
		fmt.Sprintf("%d came by the study's link from a platform, %d by links of their own", sent, len(r.People)-sent),
		"how they were found, and who may come")
	roles := map[string]int{}
	for _, it := range p.Items {
		roles[it.Role]++
	}
	add("3.2.4", "training and practice", fmt.Sprintf("%s; %s about the guidelines, of which two failed attempts end a person's part; "+
		"%s of practice with the expected sheet shown afterwards; %s", read(p.Guidelines),
		data.Plural(len(p.CheckQuestions()), "question", "questions"),
		data.Plural(roles[project.Practice], "item", "items"), data.Plural(roles[project.Example], "example", "examples")), "")
	about := ""
	missing = "age, languages, place: what is known of them"
	if len(d.Asked) > 0 {
		about = "see what people said about themselves"
		missing = "what you did not ask"
	}
	add("3.2.5", "other characteristics", about, missing)
}

func read(guidelines string) string {
	if guidelines == "" {
		return "no guidelines but the texts of the scale"
	}
	return fmt.Sprintf("guidelines of %d characters, shown before the first item and at any time", len([]rune(guidelines)))
}

// hedsDesign answers the questions about the design: preregistration, medium, quality assurance, what people see, and how free they are.
func (d *Datasheet) hedsDesign(p *project.Project, add func(number, question, answer, more string)) {
	add("3.3.1", "is the design preregistered", "", "yes, with a link, or no")
	add("3.3.2", "the medium of the answers", "web pages of compqa annotate, in each person's browser", "")
	kinds := []string{"automatic checks of each person (time, agreement, the same sheet again and again)"}
	for _, check := range d.Checks {
		kinds = append(kinds, fmt.Sprintf("%d %s", check.Items, check.What))
	}
	kinds = append(kinds, "a check of the guidelines")
	if p.Reason {
		kinds = append(kinds, "how reasons are written (pasted text, speed, the same text), as a fact that excludes nobody")
	}
	if len(d.Excluded) > 0 {
		kinds = append(kinds, "people excluded by the owner, with reasons")
	}
	add("3.3.3.1–3.3.3.2", "quality assurance", strings.Join(kinds, "; ")+". See Checks of quality, Work, Excluded", "checks beside these")
	add("3.3.4.1", "where the form can be seen", "", "a link to screenshots")
	shown := p.Form().Shown
	order := "each person has the items in another, random order"
	if p.Ordered {
		order = "items come in the order of the file"
	}
	if p.Form().Sides {
		shown += ", the sides random"
	}
	if p.Pairs.Dimensions {
		shown += "; first the choice on each criterion, then on both answers as a whole"
	}
	named := "no system"
	if !p.Mask {
		named = "no system beside the text (a name in a text is not masked)"
	}
	add("3.3.4.2", "what evaluators see", shown+", and the criteria with the meaning of each value; "+named+
		", no judge and no other person; "+order+"; the language of the pages is "+p.Say("language"), "")
	free := "when they like, with pauses, and without a limit of time"
	if p.Each > 0 {
		free += "; " + data.Plural(p.Each, "item", "items") + " each at most, beside checks"
	}
	add("3.3.5", "how free they are in when and how fast", free, "a deadline, if there was one")
	ask := "a remark on each item; items can be flagged or skipped with a reason"
	if p.Reason {
		ask = "a reason for each sheet, which is needed; items can be flagged or skipped"
	}
	if p.Contact != "" {
		ask += "; how to reach the owner"
	}
	if len(p.After) > 0 {
		ask += "; questions at the end"
	}
	add("3.3.6", "can they ask and comment", ask, "")
	add("3.3.7–3.3.8", "conditions in which they work, and how these differ", "", "where people worked; the pages work at any place")
}

// hedsCriteria answers the questions about the criteria: names, scales, processing of answers, agreement between and within people.
func (d *Datasheet) hedsCriteria(p *project.Project, add func(number, question, answer, more string)) {
	add("4.1.1–4.1.3", "correctness, goodness or feature; form or content; own right, input or outside", "", "for each criterion")
	add("4.2.1–4.2.3", "objective or subjective; absolute or relative; intrinsic or extrinsic",
		p.Form().Scale, "objective or subjective; intrinsic or extrinsic")
	add("4.3.1.1", "the names of the criteria", data.List(data.Each(d.Criteria, func(c CriterionRow) string { return c.Criterion })), "")
	add("4.3.1.2", "the standard names", "", "for each criterion, for instance of QCET")
	add("4.3.2–4.3.4, 4.3.7", "definition, size and values of the scale, the question word for word", "see Criteria", "")
	typed := len(data.Where(d.Criteria, func(c CriterionRow) bool { return c.Size == continuous }))
	instrument := "multiple choice: one of the options"
	if typed > 0 {
		instrument = fmt.Sprintf("a number that is typed (%d criteria)", typed)
	}
	if p.Form().Rows {
		instrument += "; lists and check boxes for equal attributes and contradicting values"
	}
	if p.Pairs.Strength {
		instrument += "; a second choice says how much better the chosen answer is"
	}
	add("4.3.5–4.3.6", "how the scale is presented", instrument, "")
	add("4.3.8", "the form of the answers", p.Form().Answers, "")
	add("4.3.9", "how answers are processed",
		d.processed(p),
		"what the paper does with them")
	add("4.3.10", "effect sizes and tests", "95 % intervals of alpha by question (leaving out one; from 50 on resamples)", "the paper's own")
	var scores []string
	for _, a := range d.Agreement {
		if a.Whose == counting {
			scores = append(scores, fmt.Sprintf("%s %s", a.Criterion, a.Alpha.Text(2)))
		}
	}
	agreed := "not assessed: no item has sheets of two people"
	if len(scores) > 0 {
		agreed = "Krippendorff's alpha at each criterion's level of measurement: " + strings.Join(scores, "; ")
	}
	add("4.3.11.1–4.3.11.2", "agreement between people", agreed, "")
	again := "not assessed"
	if row, is := data.First(d.Checks, func(c CheckRow) bool { return c.What == repeated }); is {
		again = fmt.Sprintf("items shown twice: %s of %d values are the same; nominal kappa pooled over criteria %s",
			row.Share.Text(2), row.Values, row.Kappa.Text(2))
	}
	add("4.3.12.1–4.3.12.2", "agreement of people with themselves", again, "")
}

// processed returns a sentence on how people's answers become figures.
func (d *Datasheet) processed(p *project.Project) string {
	if p.Pairs.BothBad {
		return "sides are mapped back; two bad answers are a value of their own in agreement, and a tie in preferences; agreement is of " +
			"single values"
	}
	return p.Form().Processed
}

// hedsSection returns the answers as a section of the report.
func (d *Datasheet) hedsSection() table.Section {
	answered := len(data.Where(d.HEDS, func(r HEDSRow) bool { return r.Answer != "" }))
	return table.Section{ID: "heds", Title: "What the authors have to add: HEDS 3.0, question by question",
		Verdict: fmt.Sprintf("The record answers %d of %d groups of questions, some in part; the last column is what the authors have to say.",
			answered, len(d.HEDS)),
		About: "Numbers are those of the form of Belz and Thomson (HEDS 3.0), questions are in our words.",
		Table: table.From(4, d.HEDS, "question", "asks", "answer=from the record", "authors_add=the authors add")}
}
