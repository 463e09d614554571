package judgequality

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
)

// LevelWords name the levels over all units.
var LevelWords = map[string]string{
	dataset.LevelSeparate:        "over all criteria",
	dataset.LevelFinal:           "on totals",
	dataset.LevelWithinCriterion: "within criteria",
	dataset.LevelWithinSystem:    "within systems",
}

// AssessmentLines summarise the quality of each judge in one sentence.
func (t *Tables) AssessmentLines() []string {
	switch {
	case len(t.Agreements) == 0:
		return []string{"Judge quality cannot be assessed without human scores."}
	case len(t.Assessments) == 0:
		return []string{"This run has no judges except floors and people."}
	}
	var lines []string
	for _, w := range t.Assessments {
		lines = append(lines, t.verdict(w))
	}
	return lines
}

// verdict is the summary of an assessment, with a mark.
func (t *Tables) verdict(w JudgeAssessment) string {
	return strings.Replace(w.Verdict, w.Judge, w.Judge+t.Mark(w.Judge, w.Reference), 1)
}

// fittedNotes explain the marks.
func (t *Tables) fittedNotes() (notes []string) {
	for j, why := range t.Degenerate {
		if why != "" {
			notes = append(notes, fmt.Sprintf("§ %s is degenerate: it %s. It is left out of the order, panels, ceilings and combinations.", t.Judges[j].Name, why))
		}
	}
	for _, w := range t.Assessments {
		d := t.FittedOn(w.Judge, w.Reference)
		if d.TrainedOn == "" {
			continue
		}
		note := fmt.Sprintf("† %s was trained or tuned on these human scores (%s). ", w.Judge, d.TrainedOn)
		if totals := t.AgreementAt(w.Judge, w.Reference, dataset.LevelFinal); d.HeldOut {
			note += fmt.Sprintf("Its figures are held out, because no answer is scored by a model that was trained on its question: alpha of totals %s, rho %s.",
				totals.AlphaInterval.Value.Text(2), totals.Spearman.Value.Text(2))
		} else {
			note += "Its agreement with them is too optimistic, and there are no held-out figures."
		}
		notes = append(notes, note)
	}
	return notes
}

// TrustText is the quality of the headline judge and of the others in one paragraph.
func (t *Tables) TrustText() string {
	return table.EscapeMarkdown(strings.Join(t.TrustLines(), " ")) + t.FittedText()
}

// TrustLines are the quality of the headline judge, then that of the others.
func (t *Tables) TrustLines() (lines []string) {
	for _, w := range t.Assessments {
		if w.Judge == t.Headline {
			lines = append(lines, t.verdict(w))
		}
	}
	if lines == nil {
		lines = t.AssessmentLines()[:1]
	}
	if n := len(t.Assessments); n > 1 {
		beat := table.Where(t.Assessments, JudgeAssessment.beatsAll)
		lines = append(lines, fmt.Sprintf("Of %d comparisons of a judge with human scores, %d are above every floor at every level.", n, len(beat)))
	}
	return append(append(lines, t.attackText(t.Headline)), t.effectiveLines()...)
}

// summary is the assessment in one sentence.
func (w JudgeAssessment) summary(several bool) string {
	name := w.Judge
	if several {
		name += " (reference " + w.Reference + ")"
	}
	var beaten, not []string
	for _, l := range w.Levels {
		switch {
		case l.NotBeaten != nil:
			not = append(not, LevelWords[l.Level]+" ("+strings.Join(l.NotBeaten, ", ")+")")
		case l.Beaten != nil:
			beaten = append(beaten, LevelWords[l.Level])
		}
	}
	switch {
	case beaten == nil && not == nil && w.few():
		return fmt.Sprintf("%s: not enough data: it shares %s on %s with %s; at least %d questions are needed.",
			name, data.Plural(w.N, "score sheet", "score sheets"), data.Plural(w.questions, "question", "questions"), w.Reference, minQuestions)
	case beaten == nil && not == nil:
		return name + ": agreement with " + w.Reference + " is undefined."
	case beaten == nil:
		return "WARNING: " + name + " does not beat every floor at any level: " + strings.Join(not, "; ") + "."
	}
	text := name + " beats every floor " + data.List(beaten)
	if not != nil {
		text += ", but not " + strings.Join(not, "; ")
	}
	if not := len(strings.Fields(w.Not)); not > 0 {
		text += fmt.Sprintf("; on %d of %d single criteria, it does not", not, not+len(strings.Fields(w.Better)))
	}
	return text + "; can replace an annotator: " + w.StandIn + "."
}

// AltTestResult is whether the judge can replace an annotator.
func (w JudgeAssessment) AltTestResult() string {
	switch {
	case w.WithinCriteria().NotBeaten != nil:
		return "no"
	case w.AltTest.Test == nil || w.few():
		return "not enough data"
	}
	if v := w.AltTest.Strictest(); v != nil {
		return "yes at epsilon " + table.Shortest(v.Epsilon)
	}
	return "no"
}

func (w JudgeAssessment) WithinCriteria() levelAssessment {
	return w.Levels[slices.Index(wholeLevels, dataset.LevelWithinCriterion)]
}

// assessmentSections are the sections of agreement.md about the quality of each judge.
func (t *Tables) assessmentSections() []table.Section {
	var ceilings []ceilingRow
	for _, w := range t.Assessments {
		if !slices.ContainsFunc(ceilings, func(r ceilingRow) bool { return r.Judge == w.Judge }) { // the same for every reference
			ceilings = append(ceilings, w.AltTest.Ceilings...)
		}
	}
	whole := table.Where(t.Floors, func(r FloorRow) bool { return slices.Contains(wholeLevels, r.Level) })
	return []table.Section{
		{Title: "Judge quality", About: "Whether a judge beats every floor at each level, and the single criteria on which it does not. Each is tested separately.",
			Table: t.Marked(table.View(2, t.Assessments, "judge", "reference=against", "n", "separate=all criteria", "final=totals", "within_criterion=within criteria", "within_system=within systems", "criteria_not_above"), 0, 1)},
		{Title: "The alternative-annotator test", About: "Can the judge replace an annotator? The test compares, on each answer, the distance of the judge's total and of the annotator's total from those of the other annotators (Calderon et al. 2025). " +
			"The winning rate is the share of annotators that the judge can replace; the test is passed at 0.5 and above. epsilon is the advantage that the annotator is given for the higher cost of human scores. *advantage* is the share of score sheets on which the judge is at least as close as the annotator, *ties* the share on which both are equally close.",
			Table: t.Marked(table.View(4, t.Assessments, "judge", "reference=against", "stand_in=result", "Rates=winning rates", "annotators", "advantage", "tie_rate=ties"), 0, 1)},
		{About: "Agreement on totals with one annotator: the alpha of the judge minus the alpha of another annotator, on the score sheets of all three.",
			Table: table.View(3, table.Where(ceilings, func(r ceilingRow) bool { return r.Totals.Known() }), "Judge=judge", "Annotator=with annotator", "Other=other annotator", "N=n", "Totals+3=alpha difference")},
		{Title: "Judges minus floors", About: "The judge's figures minus those of each floor, on the score sheets of both.",
			Table: t.Marked(table.View(4, whole, "judge", "reference=against", "floor", "level", "n", "alpha_interval_difference+3=alpha", "spearman_difference+3=Spearman", "pearson_difference+3=Pearson"), 0, 1)},
	}
}

// ratesText lists the winning rates, or what the test needs.
func (s altTest) ratesText() string {
	switch {
	case s.Test == nil && s.Lacks == nil:
		return "needs 3 annotators"
	case s.Test == nil:
		return fmt.Sprintf("needs %d annotators with %d shared score sheets each; the largest number is %d", s.Lacks.NeedAnnotators, s.Lacks.NeedItems, s.Lacks.MostItems)
	}
	var rates []string
	for _, v := range s.Test.Verdicts {
		rates = append(rates, fmt.Sprintf("%.2f at epsilon %s", v.WinningRate, table.Shortest(v.Epsilon)))
	}
	return strings.Join(rates, ", ")
}
