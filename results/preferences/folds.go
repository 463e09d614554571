package preferences

import (
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
)

// Each function below returns the summary line of a collapsed chapter of the page.

// mostInFold is the number of judges (or rankings) that a summary line names.
const mostInFold = 3

// some joins the first parts of a line and says how many more there are, as "a, b, c, 2 more judges".
func some(parts []string, rest string) string {
	if more := len(parts) - mostInFold; more > 0 {
		parts = append(parts[:mostInFold:mostInFold], fmt.Sprintf("%d more %s", more, rest))
	}
	return strings.Join(parts, ", ")
}

// formsText says how often each judge makes the same choice in both orders, and how many judges have only one order.
func (r *Report) formsText() string {
	var parts []string
	one := 0
	for _, c := range r.choosers() {
		switch {
		case c.group.who.Kind == dataset.KindFloor || c.group.who.Hinted:
		case c.Order != orderBoth || !c.Consistency.Known:
			one++
		default:
			parts = append(parts, fmt.Sprintf("%s has the same choice in both orders of %s", r.name(c.group), table.Percents(c.Consistency.Point())))
		}
	}
	text := some(parts, "judges")
	if one > 0 {
		text = strings.TrimPrefix(text+"; ", "; ") + data.Plural(one, "judge has", "judges have") + " one order only"
	}
	return text
}

// rankingsText says which system each ranking puts first.
func (r *Report) rankingsText() string {
	var parts []string
	for _, s := range r.boards {
		if len(s.rows) > 1 {
			who := s.name(s.group)
			if s.Judge == byLabels && s.peopleChose() {
				who = "people"
			}
			parts = append(parts, fmt.Sprintf("%s: %s first", who, s.rows[0].System))
		}
	}
	return some(parts, "rankings")
}

// missingText says how many choices each judge lacks on the main set.
func (r *Report) missingText() string {
	var parts []string
	for _, rows := range table.Grouped(onMain(r.board, r.overall), func(row PairwiseRow) JudgeOn { return row.JudgeOn }) {
		missing := 0
		for _, row := range rows {
			if row.Order == orderBoth || row.Order == orderOne {
				continue
			}
			for status, n := range row.statuses {
				if status != data.Valid {
					missing += n
				}
			}
		}
		if missing > 0 {
			parts = append(parts, fmt.Sprintf("%d of %s", missing, r.name(rows[0].group)))
		}
	}
	return some(parts, "judges")
}

// costsText says what to buy, or that no model was asked.
func (r *Report) costsText() string {
	if o, ok := r.offers(); ok {
		return o.Finding().Title()
	}
	for _, c := range r.choosers() {
		if c.CallsPerPair.Known && c.CallsPerPair.Value > 0 {
			return fmt.Sprintf("%s: %s calls a pair", r.name(c.group), c.CallsPerPair.Text(1))
		}
	}
	return "no model was asked"
}
