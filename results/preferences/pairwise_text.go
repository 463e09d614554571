package preferences

import (
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
)

// document is everything about the preferences.
func (r *pairwiseReport) document() table.Document {
	main := r.mainSet()
	onMain := func(on JudgeOn) bool { return on.Dataset == r.mainSet() }
	page := []table.Section{{Title: "Sets of pairs", Table: r.setsTable()}}
	add := func(title, about string, t *table.Table) {
		page = append(page, table.Section{Title: title, About: about, Table: t})
	}
	if len(r.boards) > 0 {
		add("Systems by preference", "Bradley–Terry strengths with ties (Davidson 1970): a system of strength p is preferred over one of "+
			"strength q with odds p : q. Intervals are at 95 %, clustered by question; “possible ranks” hold for all systems "+
			"simultaneously (Holm). The share of points counts a win as 1 and a tie as ½.", nil)
	}
	for _, board := range r.boards {
		add("Systems by "+r.heading(board.judge), r.caption(board), r.boardTable(board))
		if r.pages && len(board.rows) > 1 {
			add("Each system against each other, by "+r.heading(board.judge), "Share of the points of the row against the column: a win "+
				"counts 1, a tie ½. In brackets: the matches, which are pairs that are valid in both orders.", r.matrix(board))
		}
	}
	add("Comparison with rubric scores", "Correlation between the ranking of systems by preferences and by the mean points of a rubric "+
		"judge, and the number of pairs of systems in opposite order.",
		table.View(3, r.beside, "judge=preferences of", "method", "rubric_judge=points of", "systems", "spearman=Spearman",
			"kendall_tau_b=Kendall", "pairs_disagreed=opposite"))
	add("Judges", "Accuracy is over valid preferences on pairs with a known better answer; a tie counts as wrong. “both”: correct in "+
		"both orders, over pairs that are valid in both. “first shown”: share of choices of the answer shown first; over both orders, "+
		"½ means no position bias. Brackets contain 95 % intervals, clustered by question.", nil)
	for _, set := range r.setRanges() {
		add("Judges on "+r.setName(set), r.degenerateNote()+r.fittedNote(set), r.judgesTable(set))
		add("Missing preferences on "+r.setName(set), "", r.missingTable(set))
	}
	add("Agreement", "Each judge against the labels (gold) and people against each other on "+main+
		". “right” is the share of all planned pairs with the choice of the reference (a tie is also a choice), in both orders if order "+
		"is both. “same” is the share with the same choice in both orders. kappa is Cohen's, and Fleiss' for all people together; alpha "+
		"is Krippendorff's, nominal. “ceiling”: each person against the majority of the others. If there are more than 5 people, single "+
		"pairs of people are only in the file.", r.agreementTable())
	add("Rounds", "Accuracy of a judge over rounds that differ only in their samples (repeats:): mean, sample deviation between rounds, "+
		"and the share of pairs with the same choice in all rounds.",
		table.View(2, table.Where(r.roundRows, func(row RoundsRow) bool { return row.Dataset == r.mainSet() }), "judge", "method", "order",
			"rounds", "mean:3", "sd:3", "min:3", "max:3", "n=pairs", "same:3=same choice"))
	add("Abstaining", "Risk and coverage on "+main+
		": the share of wrong choices if a judge abstained below a confidence. The confidence is the share of its votes for the choice, or "+
		"½ if the two orders differ and 1 if they agree, or the probability of the token that names the choice. “abstained”: the judge "+
		"itself may say that a pair is hard to judge. A tie counts as wrong; “area” is the mean risk over coverages.",
		table.View(3, table.Where(r.risky, func(row RiskRow) bool { return row.Dataset == r.mainSet() }), "judge", "method", "confidence",
			"threshold:2", "n=left", "coverage:3", "risk:3", "aurc:3=area"))
	add("Comparator of tables", "How SC2's comparator chooses between two tables on "+main+
		": the share of choices of the table shown first (½: no bias), the share of pairs of tables with the same choice in both orders, "+
		"and the share of triples that are intransitive. The last two require selection: exact, which compares in both orders.",
		table.View(2, table.Where(r.comparing, func(row ComparatorRow) bool { return row.Dataset == r.mainSet() }), "judge", "method",
			"preferences", "duels=comparisons", "first_share:3=first", "pairs", "same_share:3=same", "triples", "intransitive_share:3=intransitive"))
	add("Comparison of judges", r.comparisonNote()+"The same pairs of "+main+
		", correct in both orders: the number of pairs that only one of the two judges has correct, and McNemar's exact test with Holm's "+
		"adjustment over all pairs of judges.",
		table.View(4, table.Where(r.compared, func(c PairwiseComparisonRow) bool { return c.Dataset == r.mainSet() }),
			"judge_a", "method_a", "judge_b", "method_b", "n_pairs=pairs",
			"only_a_right=only A correct", "only_b_right=only B correct", "difference:3", "p_adjusted:4=adjusted p"))
	add("Length", "Accuracy on "+main+" if the better answer is longer and if it is not (number of preferences), and the estimated "+
		"accuracy for answers of equal length, from a logistic model of the relative difference in length. The slope is in log-odds; 0 "+
		"means no length bias. By domain, and for other sets: pairwise_slices.csv.", r.lengthTable())
	add("Costs", "Calls, tokens, cost (US dollars) and seconds per valid preference (one pair in one order) on "+main+".",
		table.View(2, table.Where(r.priced, func(p PriceRow) bool { return onMain(p.JudgeOn) && p.CallsPer.Known() }), "judge", "method",
			"preferences", "accuracy:3",
			"calls_per_preference:1=calls", "tokens_per_preference:0=tokens", "cost_per_preference:5=cost", "seconds_per_preference:1=seconds"))
	page = append(page, table.Section{Title: "Accuracy against calls", Plot: callsPlot(r.atBudget, r.mainSet()),
		Table: budgetTable(r.atBudget, r.mainSet()),
		About: "Accuracy with at most this number of calls per preference. A judge that votes uses its first votes; other judges use all " +
			"their calls."})
	add("Bias", "Accuracy on the original pairs, and on the same pairs after a change to the form of an answer but not to its content "+
		"(Con-J, section 4.4). verbosity: the answer repeats its main points at the end. format: the answer is rewritten in plain style, "+
		"the other one in formal style. Adversarial: the rewriting works against the human choice.",
		table.View(5, r.injected, "judge", "method", "dataset=set", "bias", "adversarial", "n",
			"accuracy:3=original", "accuracy_biased:3=with the bias", "lost:3=loss", "p_adjusted:4=adjusted p"))
	add("Comparison tables", "Share of the words of a row that are in both its shared and its exclusive cells; 0 is consistent. All chosen "+
		"tables are in preferences.csv; A is the answer shown first.", r.overlapTable())
	add("Rationales", "Grades of the rationales by a model: correctness 1 to 5, consistency with the choice 1 to 3 (Con-J, Table 9). "+
		"“disputed”: the grader and the human label differ on whether the choice is correct. “unclear”: the rationale does not "+
		"support the choice. The alphas compare the grader with human grades.",
		table.View(4, r.graded, "judge", "method", "dataset=set", "grader", "planned", "valid", "set_apart=disputed", "correctness",
			"consistency", "n_unclear=unclear",
			"accuracy_unclear:3=accuracy, unclear", "n_people=n human", "alpha_correctness:3=alpha, correctness",
			"alpha_consistency:3=alpha, consistency"))
	page = append(page, table.Section{ID: "published-pairs", Title: "Figures of the papers",
		About: "Pairs, models and prompts differ, so these figures do not rank the judges of this run.", Listing: publishedText})
	return table.Document{ID: "pairs", Title: "Pairs",
		Lead: fmt.Sprintf("%s in %s; %s choose the better answer of each pair, shown in both orders.",
			data.Plural(len(r.Pairs), "pair", "pairs"), data.Plural(len(r.Sets), "set", "sets"), data.Plural(len(r.Judges), "judge", "judges")),
		Sections: page}
}

// comparisonNote says which judges are not compared, and why.
func (r *pairwiseReport) comparisonNote() (note string) {
	for _, c := range r.compared {
		if c.lacks != "" && c.Dataset == r.mainSet() {
			note = "N" + strings.TrimPrefix(c.lacks, "n") + ". "
		}
	}
	return note
}

// degenerateNote explains the mark of judges whose preferences say nothing.
func (r *pairwiseReport) degenerateNote() (note string) {
	for j, why := range r.degenerate {
		if why != "" {
			note += fmt.Sprintf("§ %s is degenerate: it %s. It orders no systems and is not compared with other judges. ", r.heading(j), why)
		}
	}
	return note
}

// publishedText is the figures of the papers on these methods.
//
//go:embed published.md
var publishedText string

// mostPeople is the number of people whose agreement in twos is shown.
const mostPeople = 5

// agreementTable has the rows of the main set that are against gold, or among people.
func (r *pairwiseReport) agreementTable() *table.Table {
	persons := 0
	for _, j := range r.Judges {
		persons += int(dataset.Indicator(j.Kind == dataset.KindHuman))
	}
	rows := table.Where(r.agreed, func(a AgreementRow) bool {
		among := a.Kind == dataset.KindHuman && a.Order == data.OrderAB && (persons <= mostPeople || a.Reference == people)
		return a.Dataset == r.mainSet() && a.Domain == anyDomain &&
			(a.Reference == gold && a.Kind != dataset.KindFloor || among || a.Kind == kindCeiling)
	})
	return table.View(5, rows, "judge", "method", "reference", "kind", "order", "n", "accuracy_3way:3=3-way accuracy", "right:3", "same:3",
		"kappa:3", "alpha:3")
}

// printAgreement prints the accuracies on the main set by a rule for ties, beside those with ties
// as a class.
func (r *pairwiseReport) printAgreement(w io.Writer, ties string) error {
	column := map[string]string{TiesWrong: "accuracy", TiesHalf: "accuracy_half", TiesSkip: "accuracy_skip"}[ties]
	rows := table.Where(r.agreed, func(a AgreementRow) bool {
		return a.Dataset == r.mainSet() && a.Domain == anyDomain && a.Reference == gold
	})
	fmt.Fprintf(w, "Agreement with the labels of %s, ties: %s\n\n", r.mainSet(),
		map[string]string{TiesWrong: "wrong", TiesHalf: "half right", TiesSkip: "left out"}[ties])
	err := table.View(2, rows, "judge", "method", "order", "n", column+":3=2-way accuracy", "accuracy_3way:3=3-way accuracy", "kappa:3",
		"alpha:3").Terminal(w)
	fmt.Fprintln(w)
	return err
}

// fittedNote explains the mark of judges that were trained on a set, "" if there are none.
func (r *pairwiseReport) fittedNote(set int) string {
	var names []string
	for _, row := range r.overall {
		if row.set == set && row.Order == orderBoth && row.fittedOn != "" {
			names = append(names, r.heading(row.judge)+" ("+row.fittedOn+")")
		}
	}
	if names == nil {
		return ""
	}
	return "† trained on these labels, so its accuracy says little about other pairs: " + strings.Join(names, ", ") + "."
}

func (r *pairwiseReport) heading(judge int) string {
	return Heading(r.Judges[judge].Name, r.Judges[judge].Method)
}

// Heading is a judge with its method, if this differs from its name.
func Heading(judge, method string) string {
	if judge == method {
		return judge
	}
	return judge + " (" + method + ")"
}

func (r *pairwiseReport) setsTable() *table.Table {
	t := table.New(2, "set", "pairs from", "pairs", "a better", "b better", "tie", "unknown", "margin of a tie")
	for i, set := range r.Sets {
		counts, n := map[data.Choice]int{}, 0
		for _, p := range r.Pairs {
			if p.Set == i {
				counts[p.Label]++
				n++
			}
		}
		t.Add(table.Cell{Text: set.Name, To: toPairs("set", set.Name)}, set.Source, strconv.Itoa(n), strconv.Itoa(counts[data.ChoiceA]),
			strconv.Itoa(counts[data.ChoiceB]),
			strconv.Itoa(counts[data.ChoiceTie]), strconv.Itoa(counts[data.NoChoice]), table.FigureOf(set.Margin).Text(1))
	}
	return t
}

func (r *pairwiseReport) boardTable(board systemBoard) *table.Table {
	return table.View(1, board.rows, "system", "rank", "Ranks=possible ranks", "strength", "Share=share of points", "wins", "losses", "ties")
}

func (r *pairwiseReport) judgesTable(set int) *table.Table {
	t := table.New(2, "judge", "method", "pairs (valid/planned)", "label known", "accuracy ab", "accuracy ba", "both", "consistent",
		"first shown", "ties")
	accuracy := map[string]table.Figure{} // of the current judge, by order
	for _, row := range r.overall {
		if row.set != set {
			continue
		}
		accuracy[row.Order] = row.Accuracy.Value
		both := row
		if row.Order != orderBoth {
			if !r.oneOrder(row.judge, row.set) {
				continue
			}
			both.Accuracy, both.Consistency = table.Bounded{}, table.Figure{}
		}
		method := row.Method
		if r.Judges[row.judge].Hinted {
			method += " (told the answer)"
		}
		name := table.Cell{Text: row.Judge, To: toPairs("chosen_by", r.heading(row.judge))}
		if row.set >= 0 {
			name.To.Query = append(name.To.Query, "set", row.Dataset)
		}
		if row.fittedOn != "" {
			name.Mark = "†"
		}
		if r.degenerate[row.judge] != "" {
			name.Mark = "§"
		}
		t.Add(name, method, fmt.Sprintf("%d/%d", row.Valid, row.Planned), strconv.Itoa(row.gold), table.Figured(accuracy[data.OrderAB], 3),
			table.Figured(accuracy[data.OrderBA], 3),
			table.Figured(both.Accuracy, 3), table.Figured(both.Consistency, 3), row.first, table.Figured(row.TieRate, 3))
		if same := &t.Rows[len(t.Rows)-1][7]; row.Consistency.Known() && *row.Consistency.Number < 1 {
			same.To = toPairs(append(name.To.Query, "show", "flips")...)
		}
		clear(accuracy)
	}
	return t
}

// missingTable has the missing preferences by status.
func (r *pairwiseReport) missingTable(set int) *table.Table {
	grid := table.NewGrid("judge", "method", "order")
	for _, row := range r.overall {
		for _, status := range data.Statuses {
			if n := row.statuses[status]; n > 0 && status != data.Valid && row.set == set && row.Order != orderBoth {
				grid.Set(strconv.Itoa(n), string(status), row.Judge, row.Method, row.Order)
			}
		}
	}
	return &grid.Table
}

// lengthTable has a line for each judge on the main set.
func (r *pairwiseReport) lengthTable() *table.Table {
	t := table.New(2, "judge", "method", "better is longer", "better is shorter", "at equal length", "length slope")
	by := map[string]string{} // of the current judge, by item
	for _, s := range r.sliced {
		by[s.Item] = fmt.Sprintf("%s (%d)", s.Accuracy.Value.Text(3), s.N)
		if s.Dataset == r.mainSet() && s.Slice == "length" {
			t.Add(s.Judge, s.Method, by["longer"], by["not longer"], table.Figured(s.Accuracy, 3), s.Slope)
		}
	}
	return t
}

// overlapTable is how consistent the comparison tables behind the preferences of each judge are.
func (r *pairwiseReport) overlapTable() *table.Table {
	overlaps := table.New(2, "judge", "method", "tables", "overlap, chosen tables", "overlap, all sampled tables")
	for j, judge := range r.Judges {
		var overlap, all []table.Figure
		for _, p := range r.Prefs {
			if p.Judge == j && len(p.Detail.Table) > 0 {
				overlap, all = append(overlap, table.FigureOf(p.Detail.Overlap)), append(all, table.FigureOf(p.Detail.MeanOverlap))
			}
		}
		if len(overlap) > 0 {
			overlaps.Add(judge.Name, judge.Method, len(overlap), r.MeanKnown(overlap), r.MeanKnown(all))
		}
	}
	return overlaps
}

// print shows the systems by preference and the judges.
func (r *pairwiseReport) print(w io.Writer) error {
	for _, board := range r.boards {
		fmt.Fprintf(w, "Systems by the preferences of %s\n\n", Heading(r.Judges[board.judge].Name, r.Judges[board.judge].Method))
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
		fmt.Fprintf(w, "Judges on %s: accuracy in each order and in both, same choice in both orders, choices of the answer shown first\n\n",
			r.setName(set))
		if err := r.judgesTable(set).Shortened().Terminal(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return nil
}
