package results

import (
	"fmt"
	"strconv"
	"strings"
)

// judgesText is judges.md.
func (t *judgeTables) judgesText() string {
	var b strings.Builder
	b.WriteString("# The judges themselves\n\n" +
		"What the verdicts show of those who gave them. What they are worth is in [agreement.md](agreement.md). In brackets are 95 % intervals by question.\n\n")
	b.WriteString("## Leniency\n\nPoints that a judge gives above people, by system, on the n answers that both scored. Where a judge is not as lenient with one system as with another, its ranking is not people's. A judge that uses less of the scale than people is lenient with weak systems and strict with strong ones, whoever they are.\n\n")
	b.WriteString(t.leniencyTable().orNothing("There are no people's scores in this run, or no judge that scored the same answers."))
	b.WriteString("## Own family\n\nBy how many points more a judge raises the systems of its declared family above the other systems than people do, and than the judges of other families do: the mean over the scenarios in which both sorts of systems answered. Above 0 is preference, if the judge differs from the others by nothing else that the family's answers share (see leniency).\n\n")
	b.WriteString(t.familyTable().orNothing("No judge has declared a family that a system of this run is of; `family` in the configuration declares it."))
	b.WriteString("## The ranking, with and without the own family\n\nPoints above the judge's mean over these systems, which are those that every judge has a mean for; on the left the mean over all judges, floors and people aside, on the right over those that are not of the system's family.\n\n")
	b.WriteString(t.panelTable().orNothing("There are no two systems that every judge has scored."))
	b.WriteString("## The ranking without one judge\n\nKendall's tau-b (1: the same order, 0: unrelated) of the ranking by all judges with the one by all others; of the judge's own ranking with that by all others; and with people's." + t.oneExchange() + "\n\n")
	b.WriteString(t.stabilityTable().orNothing("There is no ranking to compare."))
	b.WriteString("## Points and length\n\nSpearman's rho of an answer's points and its number of words: over all verdicts; on the n answers that people scored; and on these given people's points, which is what remains when longer answers may be better answers. People's own figure stands beside the judges'.\n\n")
	b.WriteString(t.lengthTable().orNothing("There is no judge with varying verdicts."))
	if len(t.counted) > 0 {
		b.WriteString("## What can be counted\n\nHow often a judge contradicts the count that `rules` recorded: by more than half of the criterion's points. *More* is points that the count does not allow, *fewer* points withheld in spite of it. The counts have errors of their own; people's rows say how far to trust them.\n\n")
		b.WriteString(t.countableTable().markdown())
	}
	b.WriteString("## A judge against itself\n\nWhere a judge scored an answer more than once: the share of pairs of verdicts that are equal in every criterion, the mean distance of their totals in points, and interval alpha. Of people it may be two persons' sheets.\n\n")
	b.WriteString(t.repeatsTable().orNothing("No judge of this run scored an answer more than once; `repeats` in a judge's entry asks for it."))
	b.WriteString(t.agreementForMoneyText())
	return b.String()
}

// oneExchange says how coarse tau is over few systems.
func (t *judgeTables) oneExchange() string {
	n := len(t.panel.systems)
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" With %d systems a single pair that changes places moves it by %.2f.", n, 4/float64(n*(n-1)))
}

// orNothing is the table, or what to say of one without rows.
func (t *textTable) orNothing(otherwise string) string {
	if t.rows == nil {
		return otherwise + "\n\n"
	}
	return t.markdown()
}

// signed is a figure with its sign and interval: "+1.90 [1.52, 2.31]".
func signed(f, low, high Figure, decimals int) string {
	if !f.known() {
		return none
	}
	text := interval(f, low, high, decimals)
	if *f.number > 0 && !strings.HasPrefix(text, "0."+strings.Repeat("0", decimals)+" ") {
		text = "+" + text
	}
	return text
}

func (t *judgeTables) leniencyTable() *textTable {
	table := &textTable{words: 1, header: []string{"system"}}
	at := map[[2]string]LeniencyRow{}
	for _, r := range t.lenient {
		at[[2]string{r.Judge, r.System}] = r
	}
	var judges []string
	for _, j := range t.scorers() {
		if name := t.Judges[j].Name; at[[2]string{name, AllSystems}].N > 0 {
			judges = append(judges, name)
		}
	}
	table.header = append(table.header, judges...)
	for _, system := range append(t.standing(), Party{Name: AllSystems}) {
		row, any := []string{system.Name}, false
		for _, judge := range judges {
			cell := ""
			if r := at[[2]string{judge, system.Name}]; r.N > 0 {
				cell, any = fmt.Sprintf("%s (%d)", signed(r.Difference, r.Low, r.High, 2), r.N), true
			}
			row = append(row, cell)
		}
		if any {
			table.add(row...)
		}
	}
	return table
}

func (t *judgeTables) familyTable() *textTable {
	table := &textTable{words: 4, header: []string{"judge", "family", "its systems", "judges of other families", "more than people", "more than these judges"}}
	for _, r := range t.judgeFigures {
		if r.FamilySystems != "" {
			table.add(r.Judge, r.Family, r.FamilySystems, strings.Join(r.others, "; "),
				signed(r.FamilyPeople, r.FamilyPeopleLow, r.FamilyPeopleHigh, 2), signed(r.FamilyJudges, r.FamilyJudgesLow, r.FamilyJudgesHigh, 2))
		}
	}
	return table
}

func (t *judgeTables) panelTable() *textTable {
	table := &textTable{words: 2, header: []string{"system", "family", "all judges", "rank", "without its family", "rank", "judges left"}}
	if len(t.panel.systems) < 2 {
		return table
	}
	for _, r := range t.panel.rows(t.index) {
		left := strings.Join(r.left, "; ")
		if left == "" {
			left = none
		}
		table.add(r.system.Name, r.system.Family, signed(figure(r.points), Figure{}, Figure{}, 2), strconv.Itoa(r.rank),
			signed(r.without, Figure{}, Figure{}, 2), r.withoutRank.text(0), left)
	}
	return table
}

func (t *judgeTables) stabilityTable() *textTable {
	table := &textTable{words: 1, header: []string{"judge", "all judges, and all others", "its own, and all others", "its own, and people's"}}
	for _, r := range t.judgeFigures {
		if r.TauWithout.known() || r.TauOthers.known() || r.TauPeople.known() {
			table.add(r.Judge, r.TauWithout.text(2), r.TauOthers.text(2), r.TauPeople.text(2))
		}
	}
	return table
}

func (t *judgeTables) lengthTable() *textTable {
	table := &textTable{words: 1, header: []string{"judge", "all verdicts", "n", "scored by people", "given people's points", "n"}}
	for _, r := range t.judgeFigures {
		if !r.Length.known() {
			continue
		}
		scored := ""
		if r.Kind != kindHuman {
			scored = strconv.Itoa(r.LengthScoredN)
		}
		table.add(r.Judge, signed(r.Length, r.LengthLow, r.LengthHigh, 2), strconv.Itoa(r.LengthN),
			signed(r.LengthScored, r.LengthScoredLow, r.LengthScoredHigh, 2), signed(r.LengthGiven, r.LengthGivenLow, r.LengthGivenHigh, 2), scored)
	}
	return table
}

func (t *judgeTables) countableTable() *textTable {
	table := &textTable{words: 3, header: []string{"judge", "kind", "criterion", "n", "contradicted", "more", "fewer"}}
	for _, r := range t.counted {
		table.add(r.Judge, r.Kind, t.itemName(LevelCriterion, r.Criterion), strconv.Itoa(r.N), interval(r.Share, r.Low, r.High, 2), strconv.Itoa(r.Higher), strconv.Itoa(r.Lower))
	}
	return table
}

func (t *judgeTables) repeatsTable() *textTable {
	table := &textTable{words: 1, header: []string{"judge", "answers", "equal sheets", "distance of totals", "alpha, all criteria", "alpha, totals"}}
	for _, r := range t.judgeFigures {
		if r.RepeatedAnswers > 0 {
			table.add(r.Judge, strconv.Itoa(r.RepeatedAnswers), r.SelfEqual.text(2), r.SelfDistance.text(2),
				interval(r.SelfAlpha, r.SelfAlphaLow, r.SelfAlphaHigh, 3), interval(r.SelfTotals, r.SelfTotalsLow, r.SelfTotalsHigh, 3))
		}
	}
	return table
}
