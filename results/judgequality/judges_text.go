package judgequality

import (
	"fmt"
	"strconv"
	"strings"

	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
)

// JudgesText is judges.md.
func (t *Tables) JudgesText() string {
	var b strings.Builder
	b.WriteString("# The judges\n\nProperties of the judges that their verdicts show. Their agreement with human scores is in [agreement.md](agreement.md). Brackets contain 95 % intervals, clustered by question.\n\n")
	oneSwap := ""
	if n := len(t.Panel.systems); n > 1 {
		oneSwap = fmt.Sprintf(" With %d systems, one swapped pair changes it by %.2f.", n, 4/float64(n*(n-1)))
	}
	for _, section := range []struct {
		title, about string
		table        *table.Table
		empty        string
	}{
		{"Leniency", "Judge minus human, in points, by system, on the n answers that both scored. If a judge is more lenient with some systems than with others, its ranking differs from the human ranking. A judge that uses a smaller part of the scale is lenient with weak systems and strict with strong ones.",
			t.leniencyTable(), "There are no human scores in this run, or no judge scored the same answers."},
		{"Own family", "How many points more a judge gives to systems of its declared family, relative to other systems, than people do, and than judges of other families do. It is the mean over the scenarios in which both groups of systems answered. A value above 0 is a preference, unless the judge differs from the others in a property that the family's answers share (see leniency).",
			t.familyTable(), "No judge of this run has declared a family with systems in this run; set `family` in the configuration."},
		{"Ranking with and without the own family", "Points above the judge's mean over the systems for which every judge has a mean: the mean over all judges (without floors and people), and the mean over the judges that are not of the system's family.",
			t.panelTable(), "Fewer than two systems have scores of every judge."},
		{"Ranking without one judge", "Kendall's tau-b (1: same order, 0: unrelated) between the rankings of all judges and of all others; of the judge and of all others; and of the judge and of people." + oneSwap,
			t.stabilityTable(), "There are no rankings to compare."},
		{"Points and length", "Spearman's rho of an answer's points and its number of words: over all verdicts; on the n answers with human scores; and on these, given the human scores, because longer answers may be better. The human scores' own correlation is shown for comparison.",
			t.lengthTable(), "No judge has verdicts that vary."},
		{"Countable criteria", "How often a judge contradicts the count of the judge `rules` by more than half of the criterion's points. *more*: the judge gives more points than the count allows; *fewer*: it gives fewer. The counts also contain errors; the rows of people show how reliable they are.",
			t.countableTable(), "There are no counts."},
		{"Self-agreement", "For answers that a judge scored more than once: the share of pairs of verdicts with equal scores in every criterion, the mean absolute difference of totals in points, and interval alpha. For human scores, these may be the score sheets of different people.",
			t.repeatsTable(), "No judge of this run scored an answer more than once; set `repeats` in a judge's entry."},
	} {
		b.WriteString("## " + section.title + "\n\n" + section.about + "\n\n" + section.table.OrText(section.empty))
	}
	b.WriteString(t.agreementPerDollarText())
	return b.String()
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
	for _, system := range append(t.RankedSystems(), store.Participant{Name: dataset.AllSystems}) {
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
	view := &table.Table{Words: 4, Header: []string{"judge", "family", "systems of the family", "judges of other families", "more than human scores", "more than these judges"}}
	for _, r := range t.JudgeFigures {
		if r.FamilySystems != "" {
			view.Add(r.Judge, r.Family, r.FamilySystems, strings.Join(r.Others, "; "),
				table.Signed(r.FamilyPeople, r.FamilyPeopleLow, r.FamilyPeopleHigh, 2), table.Signed(r.FamilyJudges, r.FamilyJudgesLow, r.FamilyJudgesHigh, 2))
		}
	}
	return view
}

func (t *Tables) panelTable() *table.Table {
	view := &table.Table{Words: 2, Header: []string{"system", "family", "all judges", "rank", "without its family", "rank", "judges"}}
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
	view := &table.Table{Words: 1, Header: []string{"judge", "all and all others", "judge and all others", "judge and people"}}
	for _, r := range t.JudgeFigures {
		if r.TauWithout.Known() || r.TauOthers.Known() || r.TauPeople.Known() {
			view.Add(r.Judge, r.TauWithout.Text(2), r.TauOthers.Text(2), r.TauPeople.Text(2))
		}
	}
	return view
}

func (t *Tables) lengthTable() *table.Table {
	view := &table.Table{Words: 1, Header: []string{"judge", "all verdicts", "n", "with human scores", "given human scores", "n"}}
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
	view := &table.Table{Words: 1, Header: []string{"judge", "answers", "equal", "difference of totals", "alpha, all criteria", "alpha, totals"}}
	for _, r := range t.JudgeFigures {
		if r.RepeatedAnswers > 0 {
			view.Add(r.Judge, strconv.Itoa(r.RepeatedAnswers), r.SelfEqual.Text(2), r.SelfDistance.Text(2),
				table.Interval(r.SelfAlpha, r.SelfAlphaLow, r.SelfAlphaHigh, 3), table.Interval(r.SelfTotals, r.SelfTotalsLow, r.SelfTotalsHigh, 3))
		}
	}
	return view
}
