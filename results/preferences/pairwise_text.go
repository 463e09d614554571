package preferences

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/store"
	"compqa/results/table"
)

// markdown is pairwise.md.
func (r *pairwiseReport) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Preferences\n\n%s in %s; %s choose the better answer of each pair, shown in both orders.\n\n",
		data.Plural(len(r.Pairs), "pair", "pairs"), data.Plural(len(r.Sets), "set", "sets"), data.Plural(len(r.Judges), "judge", "judges"))
	b.WriteString("The sets of pairs:\n\n" + r.setsTable().Markdown())
	if len(r.boards) > 0 {
		b.WriteString("## Systems by preference\n\n" +
			"Bradley–Terry strengths with ties (Davidson 1970): a system of strength p is preferred over one of strength q with odds p : q. Intervals are at 95 %, clustered by question; *possible ranks* hold for all systems simultaneously (Holm). The share of points counts a win as 1 and a tie as ½ ([bradley_terry.csv](bradley_terry.csv)).\n\n")
		for _, board := range r.boards {
			fmt.Fprintf(&b, "### %s\n\n%s\n\n%s", r.heading(board.judge), r.caption(board), r.boardTable(board).Markdown())
		}
		b.WriteString(r.besideText())
	}
	b.WriteString("## Judges\n\n" +
		"Accuracy is over valid preferences on pairs with a known better answer; a tie counts as wrong. *both*: correct in both orders, over pairs that are valid in both. *first shown*: share of choices of the answer shown first; over both orders, ½ means no position bias. Brackets contain 95 % intervals, clustered by question ([pairwise.csv](pairwise.csv)).\n\n")
	for _, set := range r.setRanges() {
		fmt.Fprintf(&b, "### %s\n\n%s", table.EscapeMarkdown(r.setName(set)), r.judgesTable(set).Markdown())
		b.WriteString(r.missingText(set))
	}
	return b.String() + r.comparisonsText() + r.slicesText() + r.priceText() + r.injectionText() + r.tablesText() + r.rationalesText()
}

func (r *pairwiseReport) heading(judge int) string {
	return table.EscapeMarkdown(judgeName(r.Judges[judge].Name, r.Judges[judge].Method))
}

// judgeName is a judge with its method, if this differs from its name.
func judgeName(judge, method string) string {
	if judge == method {
		return judge
	}
	return judge + " (" + method + ")"
}

func (r *pairwiseReport) setsTable() *table.Table {
	t := &table.Table{Words: 2, Header: []string{"set", "pairs from", "pairs", "a better", "b better", "tie", "unknown", "margin of a tie"}}
	for i, set := range r.Sets {
		counts, n := map[data.Choice]int{}, 0
		for _, p := range r.Pairs {
			if p.Set == i {
				counts[p.Label]++
				n++
			}
		}
		t.Add(set.Name, set.Source, strconv.Itoa(n), strconv.Itoa(counts[data.ChoiceA]), strconv.Itoa(counts[data.ChoiceB]),
			strconv.Itoa(counts[data.ChoiceTie]), strconv.Itoa(counts[data.NoChoice]), table.FigureOf(set.Margin).Text(1))
	}
	return t
}

func (r *pairwiseReport) boardTable(board systemBoard) *table.Table {
	t := &table.Table{Words: 1, Header: []string{"system", "rank", "possible ranks", "strength", "share of points", "wins", "losses", "ties"}}
	for _, s := range board.rows {
		ranks := table.None
		if s.RankLow.Known() {
			ranks = s.RankLow.Text(0) + " to " + s.RankHigh.Text(0)
		}
		t.Add(s.System, strconv.Itoa(s.Rank), ranks, table.Interval(s.Strength, s.Low, s.High, 2), table.Interval(s.share, s.shareLow, s.shareHigh, 2),
			strconv.Itoa(s.Wins), strconv.Itoa(s.Losses), strconv.Itoa(s.Ties))
	}
	return t
}

func (r *pairwiseReport) besideText() string {
	t := &table.Table{Words: 2, Header: []string{"preferences of", "points of", "systems", "Spearman", "Kendall", "opposite", "people: as preferred", "as by points", "undecided"}}
	for _, row := range r.beside {
		t.Add(judgeName(row.Judge, row.Method), row.Rubric, strconv.Itoa(row.Systems), row.Spearman.Text(2), row.Kendall.Text(2),
			strconv.Itoa(row.Disagree), strconv.Itoa(row.WithPairs), strconv.Itoa(row.WithPoints), strconv.Itoa(row.Undecided))
	}
	return section("### Comparison with rubric scores\n\nCorrelation between the ranking of systems by preferences and by the mean points of a rubric judge. For pairs of systems in opposite order, the table counts how many the human scores support on each side, by the interval of the difference of mean points ([pairwise_boards.csv](pairwise_boards.csv); each pair is in [pairwise_disagreements.csv](pairwise_disagreements.csv)).", t)
}

func (r *pairwiseReport) judgesTable(set int) *table.Table {
	t := &table.Table{Words: 2, Header: []string{"judge", "method", "pairs (valid/planned)", "label known", "accuracy ab", "accuracy ba", "both", "consistent", "first shown", "ties"}}
	accuracy := map[string]table.Figure{} // of the current judge, by order
	for _, row := range r.overall {
		if row.set != set {
			continue
		}
		if accuracy[row.Order] = row.Accuracy; row.Order != orderBoth {
			continue
		}
		method := row.Method
		if r.Judges[row.judge].Hinted {
			method += " (told the answer)"
		}
		t.Add(row.Judge, method, fmt.Sprintf("%d/%d", row.Valid, row.Planned), strconv.Itoa(row.gold), accuracy[data.OrderAB].Text(3), accuracy[data.OrderBA].Text(3),
			table.Interval(row.Accuracy, row.AccuracyLow, row.AccuracyHigh, 3), row.Consistency.Text(3),
			table.Interval(row.FirstShare, row.firstLow, row.firstHigh, 2), row.TieRate.Text(3))
		clear(accuracy)
	}
	return t
}

// missingText lists missing preferences by status.
func (r *pairwiseReport) missingText(set int) string {
	var rows []PairwiseRow
	missing := map[data.Status]int{}
	for _, row := range r.overall {
		if row.set == set && row.Order != orderBoth && row.Valid < row.Planned {
			rows = append(rows, row)
			for status, n := range row.statuses {
				missing[status] += n
			}
		}
	}
	t := &table.Table{Words: 3, Header: []string{"judge", "method", "order"}}
	missing[data.Valid] = 0
	statuses := slices.DeleteFunc(slices.Clone(data.Statuses), func(s data.Status) bool { return missing[s] == 0 })
	for _, s := range statuses {
		t.Header = append(t.Header, string(s))
	}
	for _, row := range rows {
		cells := []string{row.Judge, row.Method, row.Order}
		for _, s := range statuses {
			cells = append(cells, strconv.Itoa(row.statuses[s]))
		}
		t.Add(cells...)
	}
	return section("Missing preferences:", t)
}

// section is a text followed by a table, "" if the table has no rows.
func section(text string, t *table.Table) string {
	if len(t.Rows) == 0 {
		return ""
	}
	return text + "\n\n" + t.Markdown()
}

func (r *pairwiseReport) comparisonsText() string {
	t := &table.Table{Words: 2, Header: []string{"judge A", "judge B", "pairs", "only A correct", "only B correct", "difference", "adjusted p"}}
	for _, c := range r.compared {
		if c.Dataset == r.mainSet() {
			t.Add(judgeName(c.JudgeA, c.MethodA), judgeName(c.JudgeB, c.MethodB), strconv.Itoa(c.Pairs), strconv.Itoa(c.OnlyA), strconv.Itoa(c.OnlyB),
				table.Interval(c.Difference, c.CILow, c.CIHigh, 3), c.PAdjusted.Text(4))
		}
	}
	return section(fmt.Sprintf("## Comparison of judges\n\nThe same pairs of %s, correct in both orders: the number of pairs that only one of the two judges has correct, and McNemar's exact test with Holm's adjustment over all pairs of judges (other sets: [pairwise_comparisons.csv](pairwise_comparisons.csv)).", table.EscapeMarkdown(r.mainSet())), t)
}

func (r *pairwiseReport) slicesText() string {
	t := &table.Table{Words: 2, Header: []string{"judge", "method", "better is longer", "better is shorter", "at equal length", "length slope"}}
	by := map[string]string{} // of the current judge, by item
	for _, s := range r.sliced {
		by[s.Item] = fmt.Sprintf("%s (%d)", s.Accuracy.Text(3), s.N)
		if s.Dataset == r.mainSet() && s.Slice == "length" {
			t.Add(s.Judge, s.Method, by["longer"], by["not longer"], table.Interval(s.Accuracy, s.Low, s.High, 3), s.Slope.Text(2))
		}
	}
	return section(fmt.Sprintf("## Length\n\nAccuracy on %s if the better answer is longer and if it is not (number of preferences), and the estimated accuracy for answers of equal length, from a logistic model of the relative difference in length. The slope is in log-odds; 0 means no length bias. By domain, and for other sets: [pairwise_slices.csv](pairwise_slices.csv).", table.EscapeMarkdown(r.mainSet())), t)
}

func (r *pairwiseReport) priceText() string {
	t := &table.Table{Words: 2, Header: []string{"judge", "method", "preferences", "accuracy", "calls", "tokens", "cost", "seconds"}}
	for _, p := range r.priced {
		if p.Dataset == r.mainSet() && p.CallsPer.Known() {
			t.Add(p.Judge, p.Method, strconv.Itoa(p.Preferences), p.Accuracy.Text(3), p.CallsPer.Text(1), p.TokensPer.Text(0), p.CostPer.Text(5), p.SecondsPer.Text(1))
		}
	}
	text := section(fmt.Sprintf("## Costs\n\nCalls, tokens, cost (US dollars) and seconds per valid preference (one pair in one order) on %s ([pairwise_price.csv](pairwise_price.csv)).", table.EscapeMarkdown(r.mainSet())), t)
	if budget := budgetTable(r.atBudget, r.mainSet()); text != "" && len(budget.Rows) > 0 {
		text += section("Accuracy with at most this number of calls per preference. A judge that votes uses its first votes, other judges all their calls ([pairwise_budget.csv](pairwise_budget.csv)).", budget) +
			"![Accuracy against calls](" + plotName + ")\n\n"
	}
	return text
}

func (r *pairwiseReport) injectionText() string {
	t := &table.Table{Words: 4, Header: []string{"judge", "method", "set", "bias", "n", "original", "with the bias", "loss", "adjusted p"}}
	for _, row := range r.injected {
		bias := row.Bias
		if row.Adversarial {
			bias += " (adversarial)"
		}
		t.Add(row.Judge, row.Method, row.Dataset, bias, strconv.Itoa(row.N), row.Accuracy.Text(3), row.Biased.Text(3), table.Interval(row.Lost, row.LostLow, row.LostHigh, 3), row.PAdjusted.Text(4))
	}
	return section("## Bias\n\nAccuracy on the original pairs and on the same pairs after a rewriting that changes the form of an answer but not its content (Con-J, section 4.4). verbosity: the answer repeats its main points at the end. format: the answer is rewritten in plain style, the other one in formal style. Adversarial: the rewriting works against the human choice ([pairwise_injection.csv](pairwise_injection.csv)).", t)
}

// mostTables is the number of tables shown for each judge.
const mostTables = 3

// tablesText shows the first comparison tables behind the preferences of each judge,
// and how consistent the tables are.
func (r *pairwiseReport) tablesText() string {
	text := ""
	for j := range r.Judges {
		var overlap, all []table.Figure
		var shown []string
		for i := range r.Prefs {
			p := &r.Prefs[i]
			if p.Judge != j || len(p.Detail.Table) == 0 {
				continue
			}
			overlap, all = append(overlap, table.FigureOf(p.Detail.Overlap)), append(all, table.FigureOf(p.Detail.MeanOverlap))
			if len(shown) < mostTables && p.Order == data.OrderAB {
				shown = append(shown, r.tableText(p))
			}
		}
		if len(overlap) > 0 {
			text += fmt.Sprintf("### %s\n\nOverlap of words between the shared and the exclusive cells of a row, as a share of all their words (0 is consistent): %s in the %d chosen tables, %s in all sampled tables.\n\n%s",
				r.heading(j), r.MeanKnown(overlap).Text(3), len(overlap), r.MeanKnown(all).Text(3), strings.Join(shown, ""))
		}
	}
	if text == "" {
		return ""
	}
	return "## Comparison tables\n\nAll chosen tables are in [preferences.csv](preferences.csv). A is the answer shown first.\n\n" + text
}

func (r *pairwiseReport) tableText(p *store.PreferenceRow) string {
	t := &table.Table{Words: 4, Header: []string{"aspect", "only A", "both", "only B"}}
	for _, row := range p.Detail.Table {
		t.Add(row["aspect"], cmp.Or(row["only_a"], table.None), cmp.Or(row["both"], table.None), cmp.Or(row["only_b"], table.None))
	}
	choice := string(p.Choice)
	if p.Status != data.Valid {
		choice = string(p.Status)
	}
	return section(fmt.Sprintf("%s, order %s: %s", table.EscapeMarkdown(r.Pairs[p.Pair].Id), p.Order, choice), t)
}

func (r *pairwiseReport) rationalesText() string {
	t := &table.Table{Words: 4, Header: []string{"judge", "method", "set", "grader", "graded", "disputed", "correctness", "consistency", "accuracy, unclear", "n human", "alpha, correctness", "alpha, consistency"}}
	for _, g := range r.graded {
		t.Add(g.Judge, g.Method, g.Dataset, g.Grader, fmt.Sprintf("%d/%d", g.Valid, g.Planned), strconv.Itoa(g.SetApart),
			table.Interval(g.Correctness, g.CorrectnessLow, g.CorrectnessHigh, 2), table.Interval(g.Consistency, g.ConsistencyLow, g.ConsistencyHigh, 2),
			fmt.Sprintf("%s (%d)", g.AccuracyUnclear.Text(3), g.NUnclear), strconv.Itoa(g.NPeople), g.AlphaCorrect.Text(3), g.AlphaConsistent.Text(3))
	}
	return section("## Rationales\n\nGrades of the rationales by a model: correctness 1 to 5, consistency with the choice 1 to 3 (Con-J, Table 9). *disputed*: the grader and the human label differ on whether the choice is correct. *unclear*: the rationale does not support the choice. The alphas compare the grader with human grades ([rationales.csv](rationales.csv)).", t)
}

// print shows the systems by preference and the judges.
func (r *pairwiseReport) print(w io.Writer, dir string) error {
	for _, board := range r.boards {
		fmt.Fprintf(w, "Systems by the preferences of %s\n\n", judgeName(r.Judges[board.judge].Name, r.Judges[board.judge].Method))
		if err := r.boardTable(board).Shortened().Terminal(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
		table.PrintWrapped(w, r.caption(board))
		fmt.Fprintln(w)
	}
	for _, set := range r.setRanges() {
		if r.mainSet() != r.setName(set) && (set < 0 || r.Sets[set].Base == "") {
			continue
		}
		fmt.Fprintf(w, "Judges on %s: accuracy in each order and in both, same choice in both orders, choices of the answer shown first\n\n", r.setName(set))
		if err := r.judgesTable(set).Shortened().Terminal(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	_, err := fmt.Fprintf(w, "Full report: %s\n", filepath.Join(dir, "pairwise.md"))
	return err
}
