package judgequality

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"compqa/results/dataset"
	"compqa/results/table"
)

// AgreementText is agreement.md.
func (t *Tables) AgreementText() string {
	var b strings.Builder
	b.WriteString("# Agreement with human scores\n\n")
	if len(t.Agreements) == 0 {
		b.WriteString("This run has no human scores, so judge quality cannot be assessed. Import some (judges `human`, `human:1`, `human:2`, …) and run `compqa report` again.\n")
		return b.String()
	}
	b.WriteString("The quality of a judge is its agreement with human scores, compared with two bounds: content-blind baselines (kind floor) and the agreement between annotators (kind human), which is a ceiling. The floors are:\n\n" +
		"- *constant* gives full marks to every answer;\n" +
		"- *criterion-mean* gives each criterion its mean over the human scores of all other object pairs. Its scores are not on the rubric's scale, and within a criterion they differ only by the pair that is left out, so some of its figures are left empty;\n" +
		"- *shuffled:NAME* assigns the judge's own score sheets to other answers at random, with the run's seed.\n\n" +
		"A judge beats a floor at a level if alpha and, where the floor has them, Spearman's and Pearson's correlation are all significantly above the floor's, by a paired bootstrap over questions (at least ten). A judge that does not beat the floors adds no information.\n\n" +
		"alpha is Krippendorff's, interval level: 1 is perfect agreement, 0 chance, below 0 worse than chance. Correlations do not detect a constant bias; the mean difference (judge minus human, in points) does. " +
		"Brackets contain 95 % of 1,000 bootstrap resamples of questions. n is the number of score sheets that are valid on both sides, of those planned. Undefined figures are left empty; a constant has no correlation. " +
		"The mean of several annotators is easier to agree with than one annotator, so a judge may exceed the ceiling.\n\n")
	b.WriteString("## Judge quality\n\n" + t.assessmentText())
	for _, section := range []struct{ level, title, about string }{
		{dataset.LevelSeparate, "All criteria", "The scores of all criteria and answers in one sequence. Criteria with higher maximums increase the agreement of any judge."},
		{dataset.LevelFinal, "Totals", "The total of each answer."},
		{dataset.LevelWithinCriterion, "Within criteria", "All criteria, minus each rater's mean of the criterion: the agreement beyond knowing the usual score of a criterion. The means are equal by construction."},
		{dataset.LevelWithinSystem, "Within systems", "Totals, minus each rater's mean of the system: the agreement beyond knowing which system answered."},
	} {
		b.WriteString("## " + section.title + "\n\n" + section.about + "\n\n" + t.levelTable(section.level).Markdown())
	}
	b.WriteString("## Krippendorff's thresholds\n\nThe share of resamples with alpha below 0.667 (below it, he draws no conclusions) and below 0.8 (above it, he considers data reliable).\n\n" + t.thresholdTable().Markdown())
	for _, section := range []struct{ level, title, item string }{
		{dataset.LevelCriterion, "By criterion", "criterion"},
		{dataset.LevelGroup, "By group", "group"},
		{dataset.LevelScenario, "By scenario", "scenario"},
		{dataset.LevelAspect, "With and without an aspect", "aspect"},
	} {
		b.WriteString("## " + section.title + "\n\nInterval alpha, Spearman's rho, and n. † marks judges that do not beat every floor.\n\n" + t.itemTable(section.level, section.item).Markdown())
	}
	return b.String()
}

// levelTable has one row per pairing at one level.
func (t *Tables) levelTable(level string) *table.Table {
	view := &table.Table{Words: 3, Header: []string{"judge", "against", "kind", "n", "equal", "alpha", "Spearman", "Pearson", "tau-b", "mean difference", "mean distance"}}
	for _, r := range t.Agreements {
		if r.Level == level {
			view.Add(r.Judge, r.Reference, r.Kind, ofPlanned(r.N, r.Planned), r.Agreement.Text(3),
				table.Interval(r.AlphaInterval, r.AlphaIntervalLow, r.AlphaIntervalHigh, 3),
				table.Interval(r.Spearman, r.SpearmanLow, r.SpearmanHigh, 3),
				table.Interval(r.Pearson, r.PearsonLow, r.PearsonHigh, 3),
				r.KendallTauB.Text(3), r.MeanDifference.Text(2), r.MAE.Text(2))
		}
	}
	return view
}

func ofPlanned(n, planned int) string {
	if n == planned {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d of %d", n, planned)
}

// itemTable has one row per item of a level and one column per pairing.
func (t *Tables) itemTable(level, item string) *table.Table {
	view := &table.Table{Words: 1, Header: []string{item}}
	var items, columns []string
	cells := map[[2]string]string{}
	marked := t.notBeaten(level)
	for _, r := range t.Agreements {
		if r.Level != level {
			continue
		}
		column := r.Judge
		if len(t.References()) > 1 || r.Kind == dataset.KindHuman {
			column += " / " + r.Reference
		}
		if !slices.Contains(items, r.Item) {
			items = append(items, r.Item)
		}
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
		cell := fmt.Sprintf("%s, %s (%d)", r.AlphaInterval.Text(2), r.Spearman.Text(2), r.N)
		if marked[[3]string{r.Judge, r.Reference, r.Item}] {
			cell += " †"
		}
		cells[[2]string{r.Item, column}] = cell
	}
	view.Header = append(view.Header, columns...)
	for _, name := range items {
		row := []string{t.ItemName(level, name)}
		for _, column := range columns {
			row = append(row, cells[[2]string{name, column}])
		}
		view.Add(row...)
	}
	return view
}

// notBeaten are the judges, references and items of a level with a floor that the
// judge does not beat.
func (t *Tables) notBeaten(level string) map[[3]string]bool {
	marked := map[[3]string]bool{}
	assessed := map[[2]string]bool{}
	for _, w := range t.Assessments {
		assessed[[2]string{w.Judge, w.reference}] = !w.few()
	}
	for _, r := range t.Floors {
		var l levelAssessment
		if r.Level == level && assessed[[2]string{r.Judge, r.Reference}] {
			l.add(r)
		}
		if l.NotBeaten != nil {
			marked[[3]string{r.Judge, r.Reference, r.Item}] = true
		}
	}
	return marked
}

// thresholdTable has one row per pairing, without floors.
func (t *Tables) thresholdTable() *table.Table {
	view := &table.Table{Words: 3, Header: []string{"judge", "against", "kind", "all criteria < 0.667", "all criteria < 0.8", "totals < 0.667", "totals < 0.8"}}
	for _, r := range t.Agreements {
		if r.Level == dataset.LevelSeparate && r.Kind != dataset.KindFloor {
			totals := t.AgreementAt(r.Judge, r.Reference, dataset.LevelFinal)
			view.Add(r.Judge, r.Reference, r.Kind, r.Tentative.Text(3), r.Reliable.Text(3), totals.Tentative.Text(3), totals.Reliable.Text(3))
		}
	}
	return view
}
