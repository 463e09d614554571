package judgequality

import (
	"fmt"
	"slices"
	"strings"

	"compqa/results/dataset"
	"compqa/results/table"
)

// levelWords are the levels that take all units, for people.
var levelWords = map[string]string{
	dataset.LevelSeparate:        "over all criteria together",
	dataset.LevelFinal:           "on totals",
	dataset.LevelWithinCriterion: "within criteria",
	dataset.LevelWithinSystem:    "within systems",
}

// worthLines say in short what the judges are worth, a line each.
func (t *Tables) AssessmentLines() []string {
	switch {
	case len(t.Agreements) == 0:
		return []string{"There are no people's scores in this run: nothing is known of what its judges are worth."}
	case len(t.Assessments) == 0:
		return []string{"There is no judge in this run beside floors and people."}
	}
	var lines []string
	for _, w := range t.Assessments {
		lines = append(lines, w.brief(len(t.References()) > 1))
	}
	return lines
}

// brief is a worth in one sentence, without the figures of what is not shown.
func (w JudgeAssessment) brief(several bool) string {
	name := w.Judge
	if several {
		name += " against " + w.reference
	}
	known := slices.DeleteFunc(slices.Clone(w.Levels), func(l levelAssessment) bool { return !l.known() })
	if len(known) == 0 {
		return name + ": nothing can be said; " + w.lacks() + "."
	}
	if !slices.ContainsFunc(known, levelAssessment.BeatsAll) {
		return fmt.Sprintf("WARNING: %s is above all floors at no level; %s it does not beat %s. It has shown nothing.",
			name, levelWords[known[0].Level], floorNames(known[0].ShortNames()))
	}
	var parts, beaten []string
	for _, l := range known {
		where := levelWords[l.Level]
		switch {
		case l.short != nil:
			parts = append(parts, where+" it does not beat "+floorNames(l.ShortNames()))
		case l.Level == dataset.LevelWithinCriterion:
			beaten = append(beaten, where+" (by alpha "+MarginBrief(l.nearest().alpha)+" over the nearest)")
		default:
			beaten = append(beaten, where)
		}
	}
	parts = append(parts, "it beats every floor "+table.Listed(beaten, "and"))
	if len(w.Not) > 0 {
		parts = append(parts, fmt.Sprintf("on %d of %d criteria it does not", len(w.Not), len(w.Not)+len(w.Better)))
	}
	return name + ": " + strings.Join(parts, "; ") + "; in an annotator's place: " + w.AltTest.Answer(w) + "."
}

func (l levelAssessment) ShortNames() []string {
	var names []string
	for _, s := range l.short {
		names = append(names, s.floor)
	}
	return names
}

// floorNames lists floors; the judge's own sheets need not be named after it.
func floorNames(floors []string) string {
	names := slices.Clone(floors)
	for i, name := range names {
		if strings.HasPrefix(name, dataset.ShuffledPrefix) {
			names[i] = "its own sheets shuffled"
		}
	}
	return table.Listed(names, "or")
}

// lacks says what it takes to say anything.
func (w JudgeAssessment) lacks() string {
	text := fmt.Sprintf("it shares %s on %s with %s", table.Plural(w.n, "sheet", "sheets"), table.Plural(w.questions, "question", "questions"), w.reference)
	if w.few() {
		return fmt.Sprintf("%s, and it takes %d questions", text, leastQuestions)
	}
	return text + ", and agreement is not defined on them"
}

// long is the verdict on a judge, a paragraph each: the floors, the criteria,
// and whether it may stand in for an annotator.
func (w JudgeAssessment) long(t *Tables) []string {
	var known []levelAssessment
	for _, l := range w.Levels {
		if l.known() {
			known = append(known, l)
		}
	}
	if known == nil {
		return []string{"Nothing can be said: " + w.lacks() + "."}
	}
	var said []string
	for _, l := range known {
		said = append(said, l.sentence())
	}
	lines := []string{strings.Join(said, " ")}
	if line := w.criteriaSentence(t); line != "" {
		lines = append(lines, line)
	}
	return append(lines, w.StandInSentence())
}

// sentence is what is said of one level.
func (l levelAssessment) sentence() string {
	where := strings.ToUpper(levelWords[l.Level][:1]) + levelWords[l.Level][1:]
	if l.short == nil {
		return fmt.Sprintf("%s it beats every floor, by alpha %s.", where, l.marginsText())
	}
	var of []string
	for _, s := range l.short {
		var figures []string
		for _, m := range s.figures {
			figures = append(figures, m.figure+" "+marginText(m.Margin))
		}
		of = append(of, floorNames([]string{s.floor})+" ("+strings.Join(figures, ", ")+")")
	}
	text := fmt.Sprintf("%s it does not beat %s", where, table.Listed(of, "or"))
	if l.Beaten != nil {
		text += "; it beats the rest, by alpha " + l.marginsText()
	}
	return text + "."
}

// marginsText is how far above each floor that is beaten the judge stands.
func (l levelAssessment) marginsText() string {
	var over []string
	for _, b := range l.Beaten {
		over = append(over, MarginBrief(b.alpha)+" over "+floorNames([]string{b.floor}))
	}
	return table.Listed(over, "and")
}

func (w JudgeAssessment) criteriaSentence(t *Tables) string {
	total := len(w.Better) + len(w.Not)
	if total == 0 {
		return ""
	}
	text := fmt.Sprintf("It beats every floor on %d of %s", len(w.Better), table.Plural(total, "criterion", "criteria"))
	if len(w.Not) > 0 {
		var names []string
		for _, id := range w.Not {
			names = append(names, t.ItemName(dataset.LevelCriterion, id))
		}
		text += "; on these it does not: " + strings.Join(names, ", ")
	}
	return text + ". Each criterion is taken by itself, without allowance for their number."
}

// brief is a margin with its sign and interval.
func MarginBrief(m dataset.Margin) string {
	if !m.Value.Known() {
		return table.None
	}
	text := table.Interval(m.Value, m.Low, m.High, 3)
	if *m.Value.Number > 0 {
		text = "+" + text
	}
	return text
}

// text also says what the margin shows.
func marginText(m dataset.Margin) string {
	switch {
	case m.Above():
		return MarginBrief(m) + " above"
	case m.Below():
		return MarginBrief(m) + " below"
	}
	return MarginBrief(m)
}
