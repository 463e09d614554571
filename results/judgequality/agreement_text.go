package judgequality

import (
	"fmt"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
)

// AgreementDocument returns the document on the agreement of judges with people, and on how it compares with baselines.
func (t *Tables) AgreementDocument() table.Document {
	intro := "The quality of a judge is its agreement with human scores, compared with two bounds: content-blind baselines (kind floor) " +
		"and the agreement between annotators (kind human), which is a ceiling. The baselines are:\n\n" +
		"- “constant” gives full marks to every answer;\n" +
		"- “criterion-mean” gives each criterion its mean over the human scores of all other object pairs. Its scores are not on the " +
		"rubric's scale, and within a criterion they differ only by the pair that is left out, so some of its figures are left empty;\n" +
		"- “shuffled:NAME” assigns the judge's own score sheets to other answers at random, with the run's seed.\n\n" +
		"A judge is better than a baseline at a level if alpha and, where the baseline has them, Spearman's and Pearson's correlation are all " +
		"significantly above the baseline's, by a paired bootstrap over questions (at least ten). A judge that is not better than the " +
		"baselines adds no information.\n\n" +
		"alpha (interval) is Krippendorff's at interval level: 1 is perfect agreement, 0 chance, below 0 worse than chance. Correlations do " +
		"not detect a constant bias; the mean difference (judge minus human, in points) does. " +
		"Brackets contain 95 % intervals: below 50 questions by leaving out one, from 50 on percentiles of 1,000 resamples of questions, " +
		"from 2,000 on by leaving out 1,000 groups of questions. " +
		"n is the number of score sheets that are valid on both sides, of " +
		"those planned. Undefined figures are left empty; a constant has no correlation. " +
		"The mean of several annotators is easier to agree with than one annotator, so a judge may exceed the ceiling."
	sections := append([]table.Section{t.TrustSection(), t.DecisionsSection("", "")}, t.assessmentSections()...)
	sections = append(sections, t.ShotSections()...)
	const byItem = "alpha (interval), Spearman's rho, and n."
	for _, section := range []struct{ level, title, item, about string }{
		{dataset.LevelSeparate, "All criteria", "",
			"The scores of all criteria and answers in one sequence. Criteria with higher maximums increase the agreement of any judge."},
		{dataset.LevelFinal, "Totals", "", "The total of each answer."},
		{dataset.LevelWithinCriterion, "Within criteria", "",
			"All criteria, minus each rater's mean of the criterion: the agreement beyond knowing the usual score of a criterion. The means " +
				"are equal by construction."},
		{dataset.LevelWithinSystem, "Within systems", "",
			"Totals, minus each rater's mean of the system: the agreement beyond knowing which system answered."},
		{dataset.LevelCriterion, "By criterion", "criterion", byItem},
		{dataset.LevelGroup, "By group", "group", byItem},
		{dataset.LevelScenario, "By scenario", "scenario", byItem},
		{dataset.LevelAspect, "With and without an aspect", "aspect", byItem},
	} {
		view := t.levelTable(section.level, dataset.NoItem)
		if section.item != "" {
			view = t.itemTable(section.level, section.item)
		}
		sections = append(sections, table.Section{Title: section.title, About: section.about, Table: view})
	}
	if len(t.Agreements) == 0 {
		sections = nil
	}
	return table.Document{ID: "agreement", Title: "Judges against people", Lead: intro, Sections: sections}
}

// levelTable returns a table of one level and item, with a row for each judge and reference.
func (t *Tables) levelTable(level, item string) *table.Table {
	return t.Marked(table.From(3, data.Where(t.Agreements, func(r AgreementRow) bool { return r.Level == level && r.Item == item }),
		"judge", "reference=against", "kind", "planned", "n", "agreement:3=equal", "alpha_interval:3=alpha (interval)",
		"spearman:3=Spearman", "pearson:3=Pearson", "kendall_tau_b:3=tau-b", "mean_difference", "mae=mean distance"), 0, 1)
}

// itemTable returns a table of one level, with a row for each item (such as a criterion) and a column for each judge and reference.
func (t *Tables) itemTable(level, item string) *table.Table {
	grid := table.NewGrid(item)
	for _, r := range t.Agreements {
		if r.Level != level {
			continue
		}
		column := r.Judge
		if len(t.References()) > 1 || r.Kind == dataset.KindHuman {
			column += " / " + r.Reference
		}
		cell := table.Cell{Text: fmt.Sprintf("%s, %s (%d)", r.AlphaInterval.Point().Text(2), r.Spearman.Point().Text(2), r.N),
			Value: r.AlphaInterval}
		if level == dataset.LevelCriterion && r.Kind == dataset.KindOfJudge {
			cell.To = table.ToCounted("judge", r.Judge, "criterion", r.Item, "sort", "difference")
		}
		grid.Set(cell, column, t.ItemName(level, r.Item))
	}
	return t.MarkedHeader(&grid.Table)
}
