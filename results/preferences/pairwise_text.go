package preferences

import (
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
	b.WriteString(r.comparisonsText())
	b.WriteString(r.slicesText())
	b.WriteString(r.priceText())
	b.WriteString(r.injectionText())
	b.WriteString(r.tablesText())
	b.WriteString(r.rationalesText())
	return b.String()
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
	if len(r.beside) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("### Comparison with rubric scores\n\nCorrelation between the ranking of systems by preferences and by the mean points of a rubric judge. For pairs of systems in opposite order, the table counts how many the human scores support on each side, by the interval of the difference of mean points ([pairwise_boards.csv](pairwise_boards.csv), [pairwise_disagreements.csv](pairwise_disagreements.csv)).\n\n")
	t := &table.Table{Words: 2, Header: []string{"preferences of", "points of", "systems", "Spearman", "Kendall", "opposite", "people: as preferred", "as by points", "undecided"}}
	for _, row := range r.beside {
		t.Add(judgeName(row.Judge, row.Method), row.Rubric, strconv.Itoa(row.Systems), row.Spearman.Text(2), row.Kendall.Text(2),
			strconv.Itoa(row.Disagree), strconv.Itoa(row.WithPairs), strconv.Itoa(row.WithPoints), strconv.Itoa(row.Undecided))
	}
	b.WriteString(t.Markdown())
	if len(r.disagreements) > 0 {
		d := &table.Table{Words: 5, Header: []string{"preferences of", "points of", "preferred", "more points", "human scores support", "n", "human difference"}}
		for _, row := range r.disagreements {
			d.Add(judgeName(row.Judge, row.Method), row.Rubric, row.Preferred, row.Other, row.Side, strconv.Itoa(row.N), table.Interval(row.Difference, row.Low, row.High, 2))
		}
		b.WriteString(d.Markdown())
	}
	return b.String()
}

// rowsOf are a set's rows, three to a judge.
func (r *pairwiseReport) rowsOf(set int) [][]PairwiseRow {
	var of [][]PairwiseRow
	for _, row := range r.overall {
		if row.set != set {
			continue
		}
		if n := len(of); n == 0 || of[n-1][0].judge != row.judge {
			of = append(of, nil)
		}
		of[len(of)-1] = append(of[len(of)-1], row)
	}
	return of
}

func (r *pairwiseReport) judgesTable(set int) *table.Table {
	t := &table.Table{Words: 2, Header: []string{"judge", "method", "pairs (valid/planned)", "label known", "accuracy ab", "accuracy ba", "both", "consistent", "first shown", "ties"}}
	for _, of := range r.rowsOf(set) {
		by := map[string]PairwiseRow{}
		for _, row := range of {
			by[row.Order] = row
		}
		ab, ba, both := by[data.OrderAB], by[data.OrderBA], by[orderBoth]
		method := both.Method
		if r.Judges[both.judge].Hinted {
			method += " (told the answer)"
		}
		t.Add(both.Judge, method, fmt.Sprintf("%d/%d", both.Valid, both.Planned), strconv.Itoa(both.gold), ab.Accuracy.Text(3), ba.Accuracy.Text(3),
			table.Interval(both.Accuracy, both.AccuracyLow, both.AccuracyHigh, 3), both.Consistency.Text(3),
			table.Interval(both.FirstShare, both.firstLow, both.firstHigh, 2), both.TieRate.Text(3))
	}
	return t
}

// missingText lists missing preferences by status.
func (r *pairwiseReport) missingText(set int) string {
	t := &table.Table{Words: 3, Header: []string{"judge", "method", "order"}}
	var seen []data.Status
	for _, of := range r.rowsOf(set) {
		for _, row := range of {
			for status, n := range row.statuses {
				if status != data.Valid && n > 0 && row.Order != orderBoth && !slices.Contains(seen, status) {
					seen = append(seen, status)
				}
			}
		}
	}
	if seen == nil {
		return ""
	}
	slices.SortFunc(seen, func(a, b data.Status) int { return slices.Index(data.Statuses, a) - slices.Index(data.Statuses, b) })
	for _, s := range seen {
		t.Header = append(t.Header, string(s))
	}
	for _, of := range r.rowsOf(set) {
		for _, row := range of {
			if row.Order == orderBoth || row.Valid == row.Planned {
				continue
			}
			cells := []string{row.Judge, row.Method, row.Order}
			for _, s := range seen {
				cells = append(cells, strconv.Itoa(row.statuses[s]))
			}
			t.Add(cells...)
		}
	}
	return "Missing preferences:\n\n" + t.Markdown()
}

func (r *pairwiseReport) comparisonsText() string {
	var rows []PairwiseComparisonRow
	for _, c := range r.compared {
		if c.Dataset == r.mainSet() {
			rows = append(rows, c)
		}
	}
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "## Comparison of judges\n\nThe same pairs of %s, correct in both orders: the number of pairs that only one of the two judges has correct, and McNemar's exact test with Holm's adjustment over all pairs of judges (other sets: [pairwise_comparisons.csv](pairwise_comparisons.csv)).\n\n", table.EscapeMarkdown(r.mainSet()))
	t := &table.Table{Words: 2, Header: []string{"judge A", "judge B", "pairs", "only A correct", "only B correct", "difference", "adjusted p"}}
	for _, c := range rows {
		t.Add(judgeName(c.JudgeA, c.MethodA), judgeName(c.JudgeB, c.MethodB), strconv.Itoa(c.Pairs), strconv.Itoa(c.OnlyA), strconv.Itoa(c.OnlyB),
			table.Interval(c.Difference, c.CILow, c.CIHigh, 3), c.PAdjusted.Text(4))
	}
	b.WriteString(t.Markdown())
	return b.String()
}

func (r *pairwiseReport) slicesText() string {
	t := &table.Table{Words: 2, Header: []string{"judge", "method", "better is longer", "better is shorter", "at equal length", "length slope"}}
	for i := 0; i+2 < len(r.sliced); i++ {
		longer, not, controlled := r.sliced[i], r.sliced[i+1], r.sliced[i+2]
		if longer.Slice != "chosen" || longer.Item != "longer" || longer.Dataset != r.mainSet() {
			continue
		}
		show := func(s PairwiseSliceRow) string { return fmt.Sprintf("%s (%d)", s.Accuracy.Text(3), s.N) }
		t.Add(longer.Judge, longer.Method, show(longer), show(not), table.Interval(controlled.Accuracy, controlled.Low, controlled.High, 3), controlled.Slope.Text(2))
	}
	if len(t.Rows) == 0 {
		return ""
	}
	return fmt.Sprintf("## Length\n\nAccuracy on %s if the better answer is longer and if it is not (number of preferences), and the estimated accuracy for answers of equal length, from a logistic model of the relative difference in length. The slope is in log-odds; 0 means no length bias. By domain, and for other sets: [pairwise_slices.csv](pairwise_slices.csv).\n\n",
		table.EscapeMarkdown(r.mainSet())) + t.Markdown()
}

func (r *pairwiseReport) priceText() string {
	t := &table.Table{Words: 2, Header: []string{"judge", "method", "preferences", "accuracy", "calls", "tokens", "cost", "seconds"}}
	for _, p := range r.priced {
		if p.Dataset == r.mainSet() && p.CallsPer.Known() {
			t.Add(p.Judge, p.Method, strconv.Itoa(p.Preferences), p.Accuracy.Text(3), p.CallsPer.Text(1), p.TokensPer.Text(0), p.CostPer.Text(5), p.SecondsPer.Text(1))
		}
	}
	if len(t.Rows) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "## Costs\n\nCalls, tokens, cost (US dollars) and seconds per valid preference (one pair in one order) on %s ([pairwise_price.csv](pairwise_price.csv)).\n\n%s", table.EscapeMarkdown(r.mainSet()), t.Markdown())
	if budget := budgetTable(r.atBudget, r.mainSet()); len(budget.Rows) > 0 {
		fmt.Fprintf(&b, "Accuracy with at most this number of calls per preference. A judge that votes uses its first votes, other judges all their calls ([pairwise_budget.csv](pairwise_budget.csv)).\n\n%s![Accuracy against calls](%s)\n\n", budget.Markdown(), plotName)
	}
	return b.String()
}

func (r *pairwiseReport) injectionText() string {
	if len(r.injected) == 0 {
		return ""
	}
	t := &table.Table{Words: 4, Header: []string{"judge", "method", "set", "bias", "n", "original", "with the bias", "loss", "adjusted p"}}
	for _, row := range r.injected {
		bias := row.Bias
		if row.Adversarial {
			bias += " (adversarial)"
		}
		t.Add(row.Judge, row.Method, row.Dataset, bias, strconv.Itoa(row.N), row.Accuracy.Text(3), row.Biased.Text(3), table.Interval(row.Lost, row.LostLow, row.LostHigh, 3), row.PAdjusted.Text(4))
	}
	return "## Bias\n\nAccuracy on the original pairs and on the same pairs after a rewriting that changes the form of an answer but not its content (Con-J, section 4.4). verbosity: the answer repeats its main points at the end. format: the answer is rewritten in plain style, the other one in formal style. Adversarial: the rewriting works against the human choice ([pairwise_injection.csv](pairwise_injection.csv)).\n\n" + t.Markdown()
}

// mostTables is the number of tables shown for each judge.
const mostTables = 3

// tablesText shows the first comparison tables behind the preferences of each judge,
// and how consistent the tables are.
func (r *pairwiseReport) tablesText() string {
	var b strings.Builder
	for j := range r.Judges {
		overlap, all := []table.Figure{}, []table.Figure{}
		shown := 0
		var text strings.Builder
		for _, pair := range r.byJudge[j] {
			for _, p := range []*store.PreferenceRow{pair.ab, pair.ba} {
				if p == nil || len(p.Detail.Table) == 0 {
					continue
				}
				overlap, all = append(overlap, table.FigureOf(p.Detail.Overlap)), append(all, table.FigureOf(p.Detail.MeanOverlap))
				if shown < mostTables && p.Order == data.OrderAB {
					shown++
					text.WriteString(r.tableText(p))
				}
			}
		}
		if len(overlap) == 0 {
			continue
		}
		fmt.Fprintf(&b, "### %s\n\nOverlap of words between the shared and the exclusive cells of a row, as a share of all their words (0 is consistent): %s in the %d chosen tables, %s in all sampled tables.\n\n%s",
			r.heading(j), r.MeanKnown(overlap).Text(3), len(overlap), r.MeanKnown(all).Text(3), text.String())
	}
	if b.Len() == 0 {
		return ""
	}
	return "## Comparison tables\n\nAll chosen tables are in [preferences.csv](preferences.csv). A is the answer shown first.\n\n" + b.String()
}

func (r *pairwiseReport) tableText(p *store.PreferenceRow) string {
	t := &table.Table{Words: 4, Header: []string{"aspect", "only A", "both", "only B"}}
	show := func(s string) string {
		if s == "" {
			return table.None
		}
		return s
	}
	for _, row := range p.Detail.Table {
		t.Add(row["aspect"], show(row["only_a"]), show(row["both"]), show(row["only_b"]))
	}
	choice := string(p.Choice)
	if p.Status != data.Valid {
		choice = string(p.Status)
	}
	return fmt.Sprintf("%s, order %s: %s\n\n%s", table.EscapeMarkdown(r.Pairs[p.Pair].Id), p.Order, choice, t.Markdown())
}

func (r *pairwiseReport) rationalesText() string {
	if len(r.graded) == 0 {
		return ""
	}
	t := &table.Table{Words: 4, Header: []string{"judge", "method", "set", "grader", "graded", "disputed", "correctness", "consistency", "accuracy, unclear", "n human", "alpha, correctness", "alpha, consistency"}}
	for _, g := range r.graded {
		t.Add(g.Judge, g.Method, g.Dataset, g.Grader, fmt.Sprintf("%d/%d", g.Valid, g.Planned), strconv.Itoa(g.SetApart),
			table.Interval(g.Correctness, g.CorrectnessLow, g.CorrectnessHigh, 2), table.Interval(g.Consistency, g.ConsistencyLow, g.ConsistencyHigh, 2),
			fmt.Sprintf("%s (%d)", g.AccuracyUnclear.Text(3), g.NUnclear), strconv.Itoa(g.NPeople), g.AlphaCorrect.Text(3), g.AlphaConsistent.Text(3))
	}
	return "## Rationales\n\nGrades of the rationales by a model: correctness 1 to 5, consistency with the choice 1 to 3 (Con-J, Table 9). *disputed*: the grader and the human label differ on whether the choice is correct. *unclear*: the rationale does not support the choice. The alphas compare the grader with human grades ([rationales.csv](rationales.csv)).\n\n" + t.Markdown()
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
