package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// agreementText is agreement.md.
func (t *tables) agreementText() string {
	var b strings.Builder
	b.WriteString("# Agreement with people\n\n")
	if len(t.agreements) == 0 {
		b.WriteString("There are no people's scores in this run, so that nothing is known of what its judges are worth. Import some (judges `human`, `human:1`, `human:2`, …) and report again.\n")
		return b.String()
	}
	b.WriteString("A judge is worth what its verdicts have in common with people's, beyond what a judge has that does not read the answers. " +
		"So the constant judge, which gives full marks to everything, stands in every table (kind floor): what a judge has not more of than that one, it has not shown. " +
		"People against people (kind human) is what can be reached at most.\n\n" +
		"alpha is Krippendorff's: 1 is perfect, 0 chance, below 0 worse than chance; of its levels of measurement, interval. The correlations do not see that a judge is too generous by the same amount everywhere; the mean difference, judge less people in points, does. " +
		"In brackets 95 % of 1,000 resamples of whole questions. n is the sheets that are valid on both sides, of those planned. Where a figure is undefined (a constant has no correlation) there is none.\n\n")
	b.WriteString("## Beside the floor\n\n")
	b.WriteString(t.floorText())
	for _, section := range []struct{ level, title, about string }{
		{LevelSeparate, "All criteria", "Every criterion's score of every answer, one after the other. Criteria with more points make for agreement that no judge has a part in."},
		{LevelFinal, "Totals", "Each answer's total."},
		{LevelWithinCriterion, "Within criteria", "All criteria, less each side's own mean of each criterion: what is left when knowing a criterion's usual score is not enough. Means are equal by construction."},
		{LevelWithinSystem, "Within systems", "Totals, less each side's own mean of each system: what is left when knowing who answered is not enough."},
	} {
		b.WriteString("## " + section.title + "\n\n" + section.about + "\n\n" + t.levelTable(section.level).markdown())
	}
	for _, section := range []struct{ level, title, item string }{
		{LevelCriterion, "By criterion", "criterion"},
		{LevelGroup, "By group", "group"},
		{LevelScenario, "By scenario", "scenario"},
		{LevelAspect, "With and without an aspect", "aspect"},
	} {
		b.WriteString("## " + section.title + "\n\nInterval alpha, Spearman's rho, and n.\n\n" + t.itemTable(section.level, section.item).markdown())
	}
	return b.String()
}

// levelTable holds one level's rows, a row a pairing.
func (t *tables) levelTable(level string) *textTable {
	table := &textTable{words: 3, header: []string{"judge", "against", "kind", "n", "equal", "alpha", "Spearman", "Pearson", "tau-b", "mean difference", "mean distance"}}
	for _, r := range t.agreements {
		if r.Level == level {
			table.add(r.Judge, r.Reference, r.Kind, ofPlanned(r.N, r.Planned), r.Agreement.text(3),
				interval(r.AlphaInterval, r.AlphaIntervalLow, r.AlphaIntervalHigh, 3),
				interval(r.Spearman, r.SpearmanLow, r.SpearmanHigh, 3),
				interval(r.Pearson, r.PearsonLow, r.PearsonHigh, 3),
				r.KendallTauB.text(3), r.MeanDifference.text(2), r.MAE.text(2))
		}
	}
	return table
}

func ofPlanned(n, planned int) string {
	if n == planned {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d of %d", n, planned)
}

// itemTable holds the rows of a level that has items, a column a pairing.
func (t *tables) itemTable(level, item string) *textTable {
	table := &textTable{words: 1, header: []string{item}}
	var items, columns []string
	cells := map[[2]string]string{}
	for _, r := range t.agreements {
		if r.Level != level {
			continue
		}
		column := r.Judge
		if len(t.references()) > 1 || r.Kind == kindHuman {
			column += " / " + r.Reference
		}
		if !slices.Contains(items, r.Item) {
			items = append(items, r.Item)
		}
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
		cells[[2]string{r.Item, column}] = fmt.Sprintf("%s, %s (%d)", r.AlphaInterval.text(2), r.Spearman.text(2), r.N)
	}
	table.header = append(table.header, columns...)
	for _, name := range items {
		row := []string{t.itemName(level, name)}
		for _, column := range columns {
			row = append(row, cells[[2]string{name, column}])
		}
		table.add(row...)
	}
	return table
}

// itemName says which criterion a number is.
func (t *tables) itemName(level, item string) string {
	if level != LevelCriterion {
		return item
	}
	for _, c := range t.Rubric.Criteria {
		if c.ID == item && c.Name != "" {
			return c.ID + " " + c.Name
		}
	}
	return item
}

// floorText compares every judge with every floor, in figures and in words.
func (t *tables) floorText() string {
	if len(t.overFloors) == 0 {
		return t.worth()[0] + "\n\n"
	}
	table := &textTable{words: 4, header: []string{"judge", "against", "floor", "level", "n", "alpha", "Spearman", "Pearson"}}
	for _, r := range t.overFloors {
		table.add(r.judge, r.reference, r.floor, levelWords[r.level], strconv.Itoa(r.n), r.alpha.text(), r.spearman.text(), r.pearson.text())
	}
	text := "A judge's agreement less the floor's on the same sheets, over the same resamples of questions. *Above* and *below* are beyond what the choice of questions explains; everything else is not told apart.\n\n" + table.markdown()
	for _, line := range t.worth() {
		text += "- " + escapeMarkdown(line) + "\n"
	}
	return text + "\n"
}

func (t *tables) noFloor() string {
	for _, p := range t.Judges {
		if p.Kind == kindFloor {
			return "there is no judge beside the floor and people."
		}
	}
	return "the constant judge is not in this run."
}

// text is a margin with its interval and what it says.
func (m margin) text() string {
	if !m.value.known() {
		return none
	}
	text := interval(m.value, m.low, m.high, 3)
	if *m.value.number > 0 {
		text = "+" + text
	}
	switch {
	case m.above():
		return text + " above"
	case m.below():
		return text + " below"
	}
	return text
}

// levelWords are the levels that take all units, for people.
var levelWords = map[string]string{
	LevelSeparate:        "all criteria",
	LevelFinal:           "totals",
	LevelWithinCriterion: "within criteria",
	LevelWithinSystem:    "within systems",
}

// A floorVerdict says on what a judge beats a floor, and on what not: "alpha
// (totals, within systems)".
type floorVerdict struct {
	floorRow // the first of the judge and the floor
	above    []string
	not      []string
}

// floorVerdicts are one a judge, people and floor.
func (t *tables) floorVerdicts() []floorVerdict {
	var verdicts []floorVerdict
	for i := 0; i < len(t.overFloors); {
		v := floorVerdict{floorRow: t.overFloors[i]}
		from := i
		for i < len(t.overFloors) && t.overFloors[i].of() == v.of() {
			i++
		}
		for _, figure := range []struct {
			name string
			of   func(floorRow) margin
		}{
			{"alpha", func(r floorRow) margin { return r.alpha }},
			{"Spearman", func(r floorRow) margin { return r.spearman }},
			{"Pearson", func(r floorRow) margin { return r.pearson }},
		} {
			var above, not []string
			for _, r := range t.overFloors[from:i] {
				switch m := figure.of(r); {
				case m.above():
					above = append(above, levelWords[r.level])
				case m.value.known():
					not = append(not, levelWords[r.level])
				}
			}
			if above != nil {
				v.above = append(v.above, figure.name+" ("+strings.Join(above, ", ")+")")
			}
			if not != nil {
				v.not = append(v.not, figure.name+" ("+strings.Join(not, ", ")+")")
			}
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

func (r floorRow) of() [3]string { return [3]string{r.judge, r.reference, r.floor} }

// words is the verdict as a sentence.
func (v floorVerdict) words() string {
	switch {
	case v.n == 0:
		return fmt.Sprintf("%s has no valid verdict on an answer that %s scored: nothing is known of it.", v.judge, v.reference)
	case v.above == nil && v.not == nil:
		return fmt.Sprintf("%s cannot be compared with %s on %s.", v.judge, v.floor, plural(v.n, "sheet", "sheets"))
	case v.above == nil:
		return fmt.Sprintf("WARNING: %s does not beat %s on any figure: it has shown nothing.", v.judge, v.floor)
	case v.not == nil:
		return fmt.Sprintf("%s beats %s on %s.", v.judge, v.floor, strings.Join(v.above, ", "))
	}
	return fmt.Sprintf("%s beats %s on %s; it does not on %s, which therefore say nothing for it.", v.judge, v.floor,
		strings.Join(v.above, ", "), strings.Join(v.not, ", "))
}

// worth is what can be said of the judges' worth, in sentences.
func (t *tables) worth() []string {
	switch {
	case len(t.agreements) == 0:
		return []string{"There are no people's scores in this run: nothing is known of what its judges are worth."}
	case len(t.overFloors) == 0:
		return []string{"Whether the judges have shown anything cannot be said: " + t.noFloor()}
	}
	var lines []string
	for _, v := range t.floorVerdicts() {
		lines = append(lines, v.words())
	}
	return lines
}
