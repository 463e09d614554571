package results

import (
	"slices"
	"strings"
)

// worthText is a section for every judge: what can be said of it, and on which
// figures that rests, with the ceiling and the floors beside it.
func (t *judgeTables) worthText() string {
	if len(t.worth) == 0 {
		return "There is no judge in this run beside floors and people.\n\n"
	}
	var b strings.Builder
	for _, w := range t.worth {
		title := w.judge
		if len(t.references()) > 1 {
			title += " against " + w.reference
		}
		b.WriteString("### " + escapeMarkdown(title) + "\n\n")
		for _, line := range w.long(t) {
			b.WriteString(escapeMarkdown(line) + "\n\n")
		}
		b.WriteString(t.besideTable(w).markdown())
		if table := t.marginTable(w); table.rows != nil {
			b.WriteString("Its figures less each floor's, on the sheets that both have:\n\n" + table.markdown())
		}
	}
	return b.String()
}

// shown are the figures of a judge's section.
var shown = []struct {
	title, level string
	of           func(AgreementRow) (f, low, high Figure)
	margin       string
}{
	{"all criteria: alpha", LevelSeparate, AgreementRow.alpha, "alpha"},
	{"all criteria: Pearson", LevelSeparate, AgreementRow.pearson, "Pearson"},
	{"totals: alpha", LevelFinal, AgreementRow.alpha, "alpha"},
	{"totals: Spearman", LevelFinal, AgreementRow.spearman, "Spearman"},
	{"within criteria: alpha", LevelWithinCriterion, AgreementRow.alpha, "alpha"},
	{"within systems: alpha", LevelWithinSystem, AgreementRow.alpha, "alpha"},
}

func (r AgreementRow) alpha() (f, low, high Figure) {
	return r.AlphaInterval, r.AlphaIntervalLow, r.AlphaIntervalHigh
}

func (r AgreementRow) spearman() (f, low, high Figure) {
	return r.Spearman, r.SpearmanLow, r.SpearmanHigh
}

func (r AgreementRow) pearson() (f, low, high Figure) { return r.Pearson, r.PearsonLow, r.PearsonHigh }

// besideTable holds the judge, people against people, and the floors.
func (t *judgeTables) besideTable(w worth) *textTable {
	table := &textTable{words: 2, header: []string{"who", "as"}}
	for _, s := range shown {
		table.header = append(table.header, s.title)
	}
	at := map[[3]string]AgreementRow{}
	var whom [][3]string // judge, reference, as
	for _, r := range t.agreements {
		at[[3]string{r.Judge, r.Reference, r.Level}] = r
		if r.Level != LevelSeparate {
			continue
		}
		switch {
		case r.Judge == w.judge && r.Reference == w.reference:
			whom = slices.Insert(whom, 0, [3]string{r.Judge, r.Reference, kindOfJudge})
		case r.Kind == kindHuman:
			whom = append(whom, [3]string{r.Judge, r.Reference, "ceiling"})
		case r.Kind == kindFloor && r.Reference == w.reference && t.under(w, r.Judge):
			whom = append(whom, [3]string{r.Judge, r.Reference, kindFloor})
		}
	}
	for _, who := range whom {
		name := who[0]
		if who[2] == "ceiling" {
			name += " / " + who[1]
		}
		row := []string{name, who[2]}
		for _, s := range shown {
			f, low, high := s.of(at[[3]string{who[0], who[1], s.level}])
			row = append(row, interval(f, low, high, 3))
		}
		table.add(row...)
	}
	return table
}

// under says that a floor was set against the judge.
func (t *judgeTables) under(w worth, floor string) bool {
	return slices.ContainsFunc(t.floors, func(r FloorRow) bool {
		return r.Judge == w.judge && r.Reference == w.reference && r.Floor == floor
	})
}

func (t *judgeTables) marginTable(w worth) *textTable {
	table := &textTable{words: 1, header: []string{"less"}}
	for _, s := range shown {
		table.header = append(table.header, s.title)
	}
	at := map[[2]string]FloorRow{}
	var floors []string
	for _, r := range t.floors {
		if r.Judge == w.judge && r.Reference == w.reference && r.Item == noItem {
			at[[2]string{r.Floor, r.Level}] = r
			if !slices.Contains(floors, r.Floor) {
				floors = append(floors, r.Floor)
			}
		}
	}
	for _, floor := range floors {
		row := []string{floor}
		for _, s := range shown {
			text := none
			for _, m := range at[[2]string{floor, s.level}].margins() {
				if m.figure == s.margin {
					text = m.text()
				}
			}
			row = append(row, text)
		}
		table.add(row...)
	}
	return table
}
