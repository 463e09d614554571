package judgequality

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"compqa/results/agreement"
	"compqa/results/dataset"
	"compqa/results/table"
)

// agreementText is agreement.md.
func (t *Tables) AgreementText() string {
	var b strings.Builder
	b.WriteString("# Agreement with people\n\n")
	if len(t.Agreements) == 0 {
		b.WriteString("There are no people's scores in this run, so that nothing is known of what its judges are worth. Import some (judges `human`, `human:1`, `human:2`, …) and report again.\n")
		return b.String()
	}
	b.WriteString("A judge is worth what its verdicts have in common with people's, beyond what a judge has that cannot know what an answer is worth, and people against people (kind human) is what can be reached at most. The judges that cannot know, of kind floor, are:\n\n" +
		"- *constant* gives full marks to everything;\n" +
		"- *criterion-mean* gives every criterion its mean over people's sheets on all other object pairs, and has read no answer; its scores are no points of the scale and differ within a criterion only by the pair left out, so that some of its figures are left empty;\n" +
		"- *shuffled:NAME* gives every answer that judge's own sheet on another one, drawn by the run's seed.\n\n" +
		"A judge beats a floor at a level when alpha and, where the floor has one, Spearman's and Pearson's correlation are all above the floor's by a paired bootstrap: the same resamples of whole questions for both, of which there must be ten.\n\n" +
		"alpha is Krippendorff's: 1 is perfect, 0 chance, below 0 worse than chance; of its levels of measurement, interval. The correlations do not see that a judge is too generous by the same amount everywhere; the mean difference, judge less people in points, does. " +
		"In brackets 95 % of 1,000 resamples of whole questions. n is the sheets that are valid on both sides, of those planned. Where a figure is undefined (a constant has no correlation) there is none. " +
		"People's mean is easier to agree with than one person, so that a judge may come out above the ceiling.\n\n")
	b.WriteString("## What each judge is worth\n\n" + t.assessmentText())
	for _, section := range []struct{ level, title, about string }{
		{dataset.LevelSeparate, "All criteria", "Every criterion's score of every answer, one after the other. Criteria with more points make for agreement that no judge has a part in."},
		{dataset.LevelFinal, "Totals", "Each answer's total."},
		{dataset.LevelWithinCriterion, "Within criteria", "All criteria, less each side's own mean of each criterion: what is left when knowing a criterion's usual score is not enough. Means are equal by construction."},
		{dataset.LevelWithinSystem, "Within systems", "Totals, less each side's own mean of each system: what is left when knowing who answered is not enough."},
	} {
		b.WriteString("## " + section.title + "\n\n" + section.about + "\n\n" + t.levelTable(section.level).Markdown())
	}
	b.WriteString("## Krippendorff's thresholds\n\nThe share of resamples in which alpha is below 0.667, under which he draws no conclusion, and below 0.8, from which on he relies on data.\n\n" + t.thresholdTable().Markdown())
	for _, section := range []struct{ level, title, item string }{
		{dataset.LevelCriterion, "By criterion", "criterion"},
		{dataset.LevelGroup, "By group", "group"},
		{dataset.LevelScenario, "By scenario", "scenario"},
		{dataset.LevelAspect, "With and without an aspect", "aspect"},
	} {
		b.WriteString("## " + section.title + "\n\nInterval alpha, Spearman's rho, and n; † where a judge does not beat every floor.\n\n" + t.itemTable(section.level, section.item).Markdown())
	}
	return b.String()
}

// levelTable holds one level's rows, a row a pairing.
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

// itemTable holds the rows of a level that has items, a column a pairing.
func (t *Tables) itemTable(level, item string) *table.Table {
	view := &table.Table{Words: 1, Header: []string{item}}
	var items, columns []string
	cells := map[[2]string]string{}
	short := t.shortOf(level)
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
		if short[[3]string{r.Judge, r.Reference, r.Item}] {
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

// shortOf says of which judge, reference and item of a level some floor is not
// beaten.
func (t *Tables) shortOf(level string) map[[3]string]bool {
	short := map[[3]string]bool{}
	said := map[[2]string]bool{}
	for _, w := range t.Assessments {
		said[[2]string{w.Judge, w.reference}] = !w.few()
	}
	for _, r := range t.Floors {
		var l levelAssessment
		if r.Level == level && said[[2]string{r.Judge, r.Reference}] {
			l.take(r)
		}
		if l.short != nil {
			short[[3]string{r.Judge, r.Reference, r.Item}] = true
		}
	}
	return short
}

// thresholdTable holds a row a pairing, floors aside.
func (t *Tables) thresholdTable() *table.Table {
	view := &table.Table{Words: 3, Header: []string{"judge", "against", "kind"}}
	for _, level := range wholeLevels[:2] {
		view.Header = append(view.Header, levelTitles[level]+" < 0.667", levelTitles[level]+" < 0.8")
	}
	at := map[[3]string]agreement.AgreementRow{}
	for _, r := range t.Agreements {
		at[[3]string{r.Judge, r.Reference, r.Level}] = r
	}
	for _, r := range t.Agreements {
		if r.Level != dataset.LevelSeparate || r.Kind == dataset.KindFloor {
			continue
		}
		row := []string{r.Judge, r.Reference, r.Kind}
		for _, level := range wholeLevels[:2] {
			of := at[[3]string{r.Judge, r.Reference, level}]
			row = append(row, of.Tentative.Text(3), of.Reliable.Text(3))
		}
		view.Add(row...)
	}
	return view
}

var levelTitles = map[string]string{dataset.LevelSeparate: "all criteria", dataset.LevelFinal: "totals"}
