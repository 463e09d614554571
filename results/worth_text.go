package results

import (
	"fmt"
	"slices"
	"strings"
)

// levelWords are the levels that take all units, for people.
var levelWords = map[string]string{
	LevelSeparate:        "over all criteria together",
	LevelFinal:           "on totals",
	LevelWithinCriterion: "within criteria",
	LevelWithinSystem:    "within systems",
}

// worthLines say in short what the judges are worth, a line each.
func (t *judgeTables) worthLines() []string {
	switch {
	case len(t.agreements) == 0:
		return []string{"There are no people's scores in this run: nothing is known of what its judges are worth."}
	case len(t.worth) == 0:
		return []string{"There is no judge in this run beside floors and people."}
	}
	var lines []string
	for _, w := range t.worth {
		lines = append(lines, w.brief(len(t.references()) > 1))
	}
	return lines
}

// brief is a worth in one sentence, without the figures of what is not shown.
func (w worth) brief(several bool) string {
	name := w.judge
	if several {
		name += " against " + w.reference
	}
	known := slices.DeleteFunc(slices.Clone(w.levels), func(l levelWorth) bool { return !l.known() })
	if len(known) == 0 {
		return name + ": nothing can be said; " + w.lacks() + "."
	}
	if !slices.ContainsFunc(known, levelWorth.beatsAll) {
		return fmt.Sprintf("WARNING: %s is above all floors at no level; %s it does not beat %s. It has shown nothing.",
			name, levelWords[known[0].level], floorNames(known[0].shortNames()))
	}
	var parts, beaten []string
	for _, l := range known {
		where := levelWords[l.level]
		switch {
		case l.short != nil:
			parts = append(parts, where+" it does not beat "+floorNames(l.shortNames()))
		case l.level == LevelWithinCriterion:
			beaten = append(beaten, where+" (by alpha "+l.nearest().alpha.brief()+" over the nearest)")
		default:
			beaten = append(beaten, where)
		}
	}
	parts = append(parts, "it beats every floor "+listed(beaten, "and"))
	if len(w.not) > 0 {
		parts = append(parts, fmt.Sprintf("on %d of %d criteria it does not", len(w.not), len(w.not)+len(w.better)))
	}
	return name + ": " + strings.Join(parts, "; ") + "; in an annotator's place: " + w.standIn.answer(w) + "."
}

func (l levelWorth) shortNames() []string {
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
		if strings.HasPrefix(name, shuffledPrefix) {
			names[i] = "its own sheets shuffled"
		}
	}
	return listed(names, "or")
}

// lacks says what it takes to say anything.
func (w worth) lacks() string {
	text := fmt.Sprintf("it shares %s on %s with %s", plural(w.n, "sheet", "sheets"), plural(w.questions, "question", "questions"), w.reference)
	if w.few() {
		return fmt.Sprintf("%s, and it takes %d questions", text, leastQuestions)
	}
	return text + ", and agreement is not defined on them"
}

// listed is "a", "a and b", "a, b and c".
func listed(names []string, last string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}

// long is the verdict on a judge, a paragraph each: the floors, the criteria,
// and whether it may stand in for an annotator.
func (w worth) long(t *judgeTables) []string {
	var known []levelWorth
	for _, l := range w.levels {
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
	return append(lines, w.standInSentence())
}

// sentence is what is said of one level.
func (l levelWorth) sentence() string {
	where := strings.ToUpper(levelWords[l.level][:1]) + levelWords[l.level][1:]
	if l.short == nil {
		return fmt.Sprintf("%s it beats every floor, by alpha %s.", where, l.marginsText())
	}
	var of []string
	for _, s := range l.short {
		var figures []string
		for _, m := range s.figures {
			figures = append(figures, m.figure+" "+m.text())
		}
		of = append(of, floorNames([]string{s.floor})+" ("+strings.Join(figures, ", ")+")")
	}
	text := fmt.Sprintf("%s it does not beat %s", where, listed(of, "or"))
	if l.beaten != nil {
		text += "; it beats the rest, by alpha " + l.marginsText()
	}
	return text + "."
}

// marginsText is how far above each floor that is beaten the judge stands.
func (l levelWorth) marginsText() string {
	var over []string
	for _, b := range l.beaten {
		over = append(over, b.alpha.brief()+" over "+floorNames([]string{b.floor}))
	}
	return listed(over, "and")
}

func (w worth) criteriaSentence(t *judgeTables) string {
	total := len(w.better) + len(w.not)
	if total == 0 {
		return ""
	}
	text := fmt.Sprintf("It beats every floor on %d of %s", len(w.better), plural(total, "criterion", "criteria"))
	if len(w.not) > 0 {
		var names []string
		for _, id := range w.not {
			names = append(names, t.itemName(LevelCriterion, id))
		}
		text += "; on these it does not: " + strings.Join(names, ", ")
	}
	return text + ". Each criterion is taken by itself, without allowance for their number."
}

// brief is a margin with its sign and interval.
func (m margin) brief() string {
	if !m.value.known() {
		return none
	}
	text := interval(m.value, m.low, m.high, 3)
	if *m.value.number > 0 {
		text = "+" + text
	}
	return text
}

// text also says what the margin shows.
func (m margin) text() string {
	switch {
	case m.above():
		return m.brief() + " above"
	case m.below():
		return m.brief() + " below"
	}
	return m.brief()
}
