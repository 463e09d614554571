package judgequality

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
)

// LevelWords has the names of wholeLevels in all texts.
var LevelWords = map[string]string{
	dataset.LevelSeparate:        "all criteria",
	dataset.LevelFinal:           "totals",
	dataset.LevelWithinCriterion: "within criteria",
	dataset.LevelWithinSystem:    "within systems",
}

const (
	yes      = "yes"
	answerNo = "no"
	unknown  = trust.NotEnough
)

// Trust returns what the judges may be used for. The headline says for which criteria each judge can stand in for one person. Next come the
// levels at which judges are better than guessing, the judges that contradict themselves, and the judge to use.
func (t *Tables) Trust() table.Findings {
	return slices.Concat(t.headlines(t.Decisions), table.Findings{t.guessing()}, t.unstable(), t.recommendJudge())
}

// headlines returns the headline of the decisions on criteria, followed by that of the decisions on totals. compqa validate gives the same
// headline on criteria.
func (t *Tables) headlines(decisions []*trust.Decision) (all table.Findings) {
	onTotals := func(d *trust.Decision) bool { return d.Criterion == Totals }
	for _, these := range [][]*trust.Decision{data.Where(decisions, func(d *trust.Decision) bool { return !onTotals(d) }),
		data.Where(decisions, onTotals)} {
		found := trust.Findings(these, t.Concluded.Basis)
		all = append(all, found[:min(1, len(found))]...)
	}
	return all
}

// JudgeFindings returns the findings of Trust, then every decision, then all that the validation of the record found.
func (t *Tables) JudgeFindings() table.Findings {
	decisions := trust.Findings(t.Decisions, t.Concluded.Basis)
	return slices.Concat(t.Trust(), decisions[min(1, len(decisions)):], t.Concluded.Known, t.Concluded.Asked)
}

// Of returns the findings on one judge: the headline of its decisions, and at which levels it is better than guessing.
func (t *Tables) Of(judge string) table.Findings {
	all := t.headlines(data.Where(t.Decisions, func(d *trust.Decision) bool { return d.Judge == judge }))
	for _, w := range t.Assessments {
		if w.Judge == judge {
			all = append(all, w.summary(len(t.References()) > 1))
		}
	}
	return all
}

// guessing says at which levels judges are better than guessing, as the columns of TrustSection do. Judges with the same levels are named
// together. Judges that were tuned on the human scores come last.
func (t *Tables) guessing() table.Finding {
	switch {
	case len(t.Agreements) == 0:
		return trust.NoPeople()
	case len(t.Assessments) == 0:
		return trust.NoJudges()
	}
	var untuned, tuned []trust.Levels
	for _, w := range t.Assessments {
		name := t.NameOfJudge(w.Judge)
		into := &untuned
		if d := t.FittedOn(w.Judge, w.Reference); d.TrainedOn != "" && !d.HeldOut {
			into = &tuned
			name += " (tuned on these scores)"
		} else if d.TrainedOn != "" {
			into = &tuned
		}
		can := w.levels(yes)
		canNo := w.levels(answerNo)
		index := slices.IndexFunc(*into, func(g trust.Levels) bool { return slices.Equal(g.Above, can) && slices.Equal(g.NotAbove, canNo) })
		if index < 0 {
			index = len(*into)
			*into = append(*into, trust.Levels{Above: can, NotAbove: canNo})
		}
		if g := &(*into)[index]; !slices.Contains(g.Judges, name) {
			g.Judges = append(g.Judges, name)
		}
	}
	return trust.Guesses(append(untuned, tuned...))
}

// levels returns the levels with an answer ("yes" or "no"), in words.
func (w JudgeAssessment) levels(answer string) (words []string) {
	for i, level := range []string{w.Separate, w.Final, w.WithinCriterion, w.WithinSystem} {
		if level == answer {
			words = append(words, LevelWords[wholeLevels[i]])
		}
	}
	return words
}

// unstable returns a finding for each judge whose repeated verdicts on an answer agree no better than chance.
func (t *Tables) unstable() (all table.Findings) {
	for _, r := range t.JudgeFigures {
		if r.unstable() {
			all = append(all, trust.Contradicts(r.Judge, r.SelfTotals, r.RepeatedAnswers))
		}
	}
	return all
}

// unstable reports whether a judge's repeated verdicts do not agree significantly better than chance, on enough answers to tell.
func (r JudgeRow) unstable() bool {
	alpha := r.SelfTotals
	return r.Kind == dataset.KindOfJudge && alpha.Bounded && !alpha.Few && !alpha.AboveZero()
}

// TrustSection returns the table of whether judges are better than guessing and can stand in for people.
func (t *Tables) TrustSection() table.Section {
	s := table.Section{ID: "trust", Title: "Can the judges stand in for people?", Verdict: strings.Join(t.Trust().Texts(), " "),
		Notes: t.boards.FittedNotes}
	if len(t.Assessments) == 0 {
		return s
	}
	s.About = "Better than guessing: the judge agrees with people significantly more than baselines that do not read the answers, by " +
		"alpha (interval) and, where a baseline has them, rho and r. “all criteria” is every score, “totals” the points of an answer, " +
		"“within criteria” the scores of a criterion beyond its usual score, “within systems” the points beyond the system's usual " +
		"points. “in place of one person”, on totals: " + trust.RuleText +
		" “may mislead by”: 95 % of systems that nobody checked are within this many points of what people would give, " +
		"after the judge's mean leniency is removed, as predicted from the systems that people scored."
	several := len(t.References()) > 1
	s.Table = table.New(1, "judge", "all criteria", "totals", "within criteria", "within systems", "in place of one person", "may mislead by",
		"swapped objects")
	for _, w := range t.Assessments {
		name := table.Cell{Text: w.Judge, Mark: t.Mark(w.Judge, w.Reference), To: table.ToJudge(w.Judge)}
		if several {
			name.Mark += " (against " + w.Reference + ")"
		}
		mislead := table.Cell{Text: unknown}
		if points := t.HumanPoints.Of(w.Judge).Misleads; points.Known {
			mislead = table.Cell{Text: "± " + points.Text(1), Value: points}
		}
		swapped := table.Cell{Text: "not tested"}
		switch table.First(t.Attacked, func(r AttackRow) bool { return r.Judge == w.Judge && r.Attack == swappedObjects }).Outcome {
		case "":
		case unknown:
			swapped = unknownCell
		case noticed:
			swapped.Text = "noticed"
		default:
			swapped = table.Cell{Text: "not noticed", Class: "bad"}
		}
		s.Table.Add(name, answerCells[w.Separate], answerCells[w.Final], answerCells[w.WithinCriterion], answerCells[w.WithinSystem],
			w.decision.Cell(), mislead, swapped)
	}
	return s
}

// swappedObjects is an attack that any reader notices, and noticed is the outcome if the judge does.
const swappedObjects, noticed = "objects swapped", "noticed"

var answerCells = map[string]table.Cell{yes: {Text: yes}, answerNo: {Text: answerNo, Class: "bad"}, unknown: unknownCell, "": unknownCell}

var unknownCell = table.Cell{Text: unknown, Class: "quiet"}

// fittedNotes explains the marks behind names of judges: degenerate judges, judges that were trained or tuned on human scores, and imported
// judges.
func (t *Tables) fittedNotes() (notes []table.Note) {
	for j, why := range t.Degenerate {
		if why != "" {
			name := t.Judges[j].Name
			notes = append(notes, table.Note{Subject: name,
				Text: fmt.Sprintf("§ %s is degenerate: it %s. It is left out of the order, panels, ceilings and combinations.", name, why)})
		}
	}
	for _, w := range t.Assessments {
		d := t.FittedOn(w.Judge, w.Reference)
		if d.TrainedOn == "" {
			continue
		}
		text := fmt.Sprintf("† %s was trained or tuned on these human scores (%s). ", w.Judge, d.TrainedOn)
		if totals := t.AgreementAt(w.Judge, w.Reference, dataset.LevelFinal); d.HeldOut {
			text += fmt.Sprintf("Its figures are held out, because no answer is scored by a model that was trained on its question: alpha "+
				"(interval) of totals %s, rho %s.",
				totals.AlphaInterval.Point().Text(2), totals.Spearman.Point().Text(2))
		} else {
			text += "Its agreement with them is too optimistic, and there are no held-out figures."
		}
		notes = append(notes, table.Note{Subject: w.Judge, Text: text})
	}
	for _, j := range t.Judges {
		if j.Kind == dataset.KindImported {
			notes = append(notes, table.Note{Subject: j.Name, Text: fmt.Sprintf("%s The verdicts of %s are imported: nothing shows who made them.",
				t.MarkOfImport(j.Name), j.Name)})
		}
	}
	return notes
}

// TrustLines returns what is known of a judge, and of the panel. If judge is "", it is the judge that orders the systems.
func (t *Tables) TrustLines(judge string) (lines []string) {
	judge = cmp.Or(judge, t.boards.Headline)
	for _, w := range t.Assessments {
		if w.Judge == judge {
			lines = append(lines, w.Verdict)
		}
	}
	return slices.DeleteFunc(append(append(lines, t.attackText(judge)), t.panelLines()...),
		func(line string) bool { return line == "" })
}

// summary returns the assessment as a finding. several says whether there are several references, so that the text names this one.
func (w JudgeAssessment) summary(several bool) table.Finding {
	return trust.Baselines{Judge: w.Judge, Reference: w.Reference, Several: several, Above: w.above, NotAbove: w.notAbove,
		Few:    w.hasFewQuestions(),
		Sheets: w.N, Questions: w.questions, Needed: minQuestions, Better: len(strings.Fields(w.Better)),
		Not: len(strings.Fields(w.Not))}.Finding()
}

// assessmentSections returns the sections of agreement.md that assess each judge.
func (t *Tables) assessmentSections() []table.Section {
	var ceilings []FloorRow
	for _, w := range t.Assessments {
		if !slices.ContainsFunc(ceilings, func(r FloorRow) bool { return r.Judge == w.Judge }) { // ceilings do not depend on the reference
			ceilings = append(ceilings, w.Ceilings...)
		}
	}
	whole := data.Where(t.Floors, func(r FloorRow) bool { return slices.Contains(wholeLevels, r.Level) })
	return []table.Section{
		{Title: "Better than guessing", About: "Whether a judge beats every baseline (floor) at each level, and the single criteria on " +
			"which it does not. Each is tested separately.",
			Table: t.Marked(table.From(2, t.Assessments, "judge", "reference=against", "n", "separate=all criteria", "final=totals",
				"within_criterion=within criteria", "within_system=within systems", "criteria_not_above"), 0, 1)},
		{Title: "The alternative-annotator test",
			About: "The test compares, on each answer, the distance of the judge's total and of the " +
				"annotator's total from those of the other annotators (Calderon et al. 2025). " +
				"The winning rate is the share of annotators that the judge wins against; the test is passed at 0.5 and above. It decides nothing " +
				"here. epsilon is the advantage that the annotator is given for the higher cost of human scores. “advantage” is the share " +
				"of score sheets on which " +
				"the judge is at least as close as the annotator, “ties” the share on which both are equally close.",
			Table: t.Marked(table.From(4, t.Assessments, "judge", "reference=against", "Rates=winning rates", "annotators",
				"advantage", "tie_rate=ties"), 0, 1)},
		severalJudges(table.Section{Title: "With one annotator",
			About: "Agreement on totals with one annotator: the alpha (interval) of the judge minus that of another " +
				"annotator, on the score sheets of all three.",
			Table: table.From(3, data.Where(ceilings, func(r FloorRow) bool { return r.Alpha.Known }), "judge",
				"reference=with annotator", "floor=other annotator", "n", "alpha_interval_difference+3=alpha (interval), difference")},
			ceilings, func(r FloorRow) stats.Figure { return r.Alpha }),
		{Title: "Judges minus baselines", About: "The judge's figures minus those of each baseline, on the score sheets of both.",
			Table: t.Marked(table.From(4, whole, "judge", "reference=against", "floor", "level", "n", "alpha_interval_difference+3=alpha (interval)",
				"spearman_difference+3=Spearman", "pearson_difference+3=Pearson"), 0, 1)},
	}
}
