package judgequality

import (
	"fmt"
	"strconv"
	"strings"

	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
)

// judgesText is judges.md.
func (t *Tables) JudgesText() string {
	var b strings.Builder
	b.WriteString("# The judges themselves\n\n" +
		"What the verdicts show of those who gave them. What they are worth is in [agreement.md](agreement.md). In brackets are 95 % intervals by question.\n\n")
	b.WriteString("## Leniency\n\nPoints that a judge gives above people, by system, on the n answers that both scored. Where a judge is not as lenient with one system as with another, its ranking is not people's. A judge that uses less of the scale than people is lenient with weak systems and strict with strong ones, whoever they are.\n\n")
	b.WriteString(t.leniencyTable().OrText("There are no people's scores in this run, or no judge that scored the same answers."))
	b.WriteString("## Own family\n\nBy how many points more a judge raises the systems of its declared family above the other systems than people do, and than the judges of other families do: the mean over the scenarios in which both sorts of systems answered. Above 0 is preference, if the judge differs from the others by nothing else that the family's answers share (see leniency).\n\n")
	b.WriteString(t.familyTable().OrText("No judge has declared a family that a system of this run is of; `family` in the configuration declares it."))
	b.WriteString("## The ranking, with and without the own family\n\nPoints above the judge's mean over these systems, which are those that every judge has a mean for; on the left the mean over all judges, floors and people aside, on the right over those that are not of the system's family.\n\n")
	b.WriteString(t.panelTable().OrText("There are no two systems that every judge has scored."))
	b.WriteString("## The ranking without one judge\n\nKendall's tau-b (1: the same order, 0: unrelated) of the ranking by all judges with the one by all others; of the judge's own ranking with that by all others; and with people's." + t.oneExchange() + "\n\n")
	b.WriteString(t.stabilityTable().OrText("There is no ranking to compare."))
	b.WriteString("## Points and length\n\nSpearman's rho of an answer's points and its number of words: over all verdicts; on the n answers that people scored; and on these given people's points, which is what remains when longer answers may be better answers. People's own figure stands beside the judges'.\n\n")
	b.WriteString(t.lengthTable().OrText("There is no judge with varying verdicts."))
	if len(t.Counted) > 0 {
		b.WriteString("## What can be counted\n\nHow often a judge contradicts the count that `rules` recorded: by more than half of the criterion's points. *More* is points that the count does not allow, *fewer* points withheld in spite of it. The counts have errors of their own; people's rows say how far to trust them.\n\n")
		b.WriteString(t.countableTable().Markdown())
	}
	b.WriteString("## A judge against itself\n\nWhere a judge scored an answer more than once: the share of pairs of verdicts that are equal in every criterion, the mean distance of their totals in points, and interval alpha. Of people it may be two persons' sheets.\n\n")
	b.WriteString(t.repeatsTable().OrText("No judge of this run scored an answer more than once; `repeats` in a judge's entry asks for it."))
	b.WriteString(t.agreementForMoneyText())
	return b.String()
}

// oneExchange says how coarse tau is over few systems.
func (t *Tables) oneExchange() string {
	n := len(t.Panel.systems)
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" With %d systems a single pair that changes places moves it by %.2f.", n, 4/float64(n*(n-1)))
}

func (t *Tables) leniencyTable() *table.Table {
	view := &table.Table{Words: 1, Header: []string{"system"}}
	at := map[[2]string]LeniencyRow{}
	for _, r := range t.Lenient {
		at[[2]string{r.Judge, r.System}] = r
	}
	var judges []string
	for _, j := range scorers(t.Tables.Dataset) {
		if name := t.Judges[j].Name; at[[2]string{name, dataset.AllSystems}].N > 0 {
			judges = append(judges, name)
		}
	}
	view.Header = append(view.Header, judges...)
	for _, system := range append(t.Standing(), store.Participant{Name: dataset.AllSystems}) {
		row, any := []string{system.Name}, false
		for _, judge := range judges {
			cell := ""
			if r := at[[2]string{judge, system.Name}]; r.N > 0 {
				cell, any = fmt.Sprintf("%s (%d)", table.Signed(r.Difference, r.Low, r.High, 2), r.N), true
			}
			row = append(row, cell)
		}
		if any {
			view.Add(row...)
		}
	}
	return view
}

func (t *Tables) familyTable() *table.Table {
	view := &table.Table{Words: 4, Header: []string{"judge", "family", "its systems", "judges of other families", "more than people", "more than these judges"}}
	for _, r := range t.JudgeFigures {
		if r.FamilySystems != "" {
			view.Add(r.Judge, r.Family, r.FamilySystems, strings.Join(r.Others, "; "),
				table.Signed(r.FamilyPeople, r.FamilyPeopleLow, r.FamilyPeopleHigh, 2), table.Signed(r.FamilyJudges, r.FamilyJudgesLow, r.FamilyJudgesHigh, 2))
		}
	}
	return view
}

func (t *Tables) panelTable() *table.Table {
	view := &table.Table{Words: 2, Header: []string{"system", "family", "all judges", "rank", "without its family", "rank", "judges left"}}
	if len(t.Panel.systems) < 2 {
		return view
	}
	for _, r := range t.Panel.Rows(t.Dataset) {
		left := strings.Join(r.Left, "; ")
		if left == "" {
			left = table.None
		}
		view.Add(r.System.Name, r.System.Family, table.Signed(table.Number(r.Points), table.Figure{}, table.Figure{}, 2), strconv.Itoa(r.Rank),
			table.Signed(r.Without, table.Figure{}, table.Figure{}, 2), r.WithoutRank.Text(0), left)
	}
	return view
}

func (t *Tables) stabilityTable() *table.Table {
	view := &table.Table{Words: 1, Header: []string{"judge", "all judges, and all others", "its own, and all others", "its own, and people's"}}
	for _, r := range t.JudgeFigures {
		if r.TauWithout.Known() || r.TauOthers.Known() || r.TauPeople.Known() {
			view.Add(r.Judge, r.TauWithout.Text(2), r.TauOthers.Text(2), r.TauPeople.Text(2))
		}
	}
	return view
}

func (t *Tables) lengthTable() *table.Table {
	view := &table.Table{Words: 1, Header: []string{"judge", "all verdicts", "n", "scored by people", "given people's points", "n"}}
	for _, r := range t.JudgeFigures {
		if !r.Length.Known() {
			continue
		}
		scored := ""
		if r.Kind != dataset.KindHuman {
			scored = strconv.Itoa(r.LengthScoredN)
		}
		view.Add(r.Judge, table.Signed(r.Length, r.LengthLow, r.LengthHigh, 2), strconv.Itoa(r.LengthN),
			table.Signed(r.LengthScored, r.LengthScoredLow, r.LengthScoredHigh, 2), table.Signed(r.LengthGiven, r.LengthGivenLow, r.LengthGivenHigh, 2), scored)
	}
	return view
}

func (t *Tables) countableTable() *table.Table {
	view := &table.Table{Words: 3, Header: []string{"judge", "kind", "criterion", "n", "contradicted", "more", "fewer"}}
	for _, r := range t.Counted {
		view.Add(r.Judge, r.Kind, t.ItemName(dataset.LevelCriterion, r.Criterion), strconv.Itoa(r.N), table.Interval(r.Share, r.Low, r.High, 2), strconv.Itoa(r.Higher), strconv.Itoa(r.Lower))
	}
	return view
}

func (t *Tables) repeatsTable() *table.Table {
	view := &table.Table{Words: 1, Header: []string{"judge", "answers", "equal sheets", "distance of totals", "alpha, all criteria", "alpha, totals"}}
	for _, r := range t.JudgeFigures {
		if r.RepeatedAnswers > 0 {
			view.Add(r.Judge, strconv.Itoa(r.RepeatedAnswers), r.SelfEqual.Text(2), r.SelfDistance.Text(2),
				table.Interval(r.SelfAlpha, r.SelfAlphaLow, r.SelfAlphaHigh, 3), table.Interval(r.SelfTotals, r.SelfTotalsLow, r.SelfTotalsHigh, 3))
		}
	}
	return view
}
