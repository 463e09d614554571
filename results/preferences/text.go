package preferences

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// add adds a table and its views to a chapter of the report, followed by further sections.
func add[Row any](r *Report, c *table.Chapter, d table.Def[Row], rows []Row, sections ...table.Section) {
	table.Put(r.tables, d, rows)
	r.put(c, append(d.Sections(rows), sections...)...)
}

// put adds sections to a chapter. Tables with more than narrowest columns are shown as lists on phones.
func (r *Report) put(c *table.Chapter, sections ...table.Section) {
	for _, s := range c.In(sections...) {
		if s.Table != nil && len(s.Table.Header) > narrowest && s.Table.Look == "" {
			s.Table.Look = "list"
		}
		r.sections = append(r.sections, s)
	}
}

// narrowest is the number of columns that a phone shows next to each other.
const narrowest = 3

// chapters are the chapters of the page after its first tables, in the order of the page.
type chapters struct{ forms, rankings, missing, costs, figures *table.Chapter }

func (c chapters) all() []*table.Chapter {
	return []*table.Chapter{c.forms, c.rankings, c.missing, c.costs, c.figures}
}

// show adds a table to a chapter with one view of it, which has only the rows on the main set. words is the number of text columns; shown
// are the columns (see table.View).
func show[Row interface{ dataset() string }](r *Report, c *table.Chapter, file string, rows []Row, title, about string, words int,
	shown ...string) {
	add(r, c, table.Def[Row]{File: file, Views: []table.View[Row]{{Title: title, About: about, In: inSet[Row](r.mainSet()), Words: words,
		Shown: shown}}}, rows)
}

func section(title, about string, t *table.Table) table.Section {
	return table.Section{Title: title, About: about, Table: t}
}

func onMain[Row interface{ dataset() string }](b *board, rows []Row) []Row {
	return data.Where(rows, inSet[Row](b.mainSet()))
}

func inSet[Row interface{ dataset() string }](set string) func(Row) bool {
	return func(row Row) bool { return row.dataset() == set }
}

// DocumentID is the ID of the document about the preferences.
const DocumentID = "pairs"

// document returns the document about the preferences, with the headline as its title. For a nil report it is empty.
func (r *Report) document() table.Document {
	if r == nil {
		return table.Document{}
	}
	found := r.Findings()
	choosers := r.choosers()
	sections := []table.Section{r.choosersSection(choosers), r.systemsSection(choosers)}
	if r.unchecked() {
		sections = append(sections, nextSection())
	}
	sections = slices.Concat(sections, r.disputed, r.sections)
	return table.Document{ID: DocumentID, Source: r.source(), Title: found.Headline(),
		Lead: strings.ReplaceAll(strings.Join(found[1:min(len(found), mostFindings)].Texts(), " "), "**", ""), Sections: r.named(sections...)}
}

// nextSection says how to add people's choices to a record that has none.
func nextSection() table.Section {
	return table.Section{ID: "next", Title: "What to do next", About: fmt.Sprintf("Nobody knows how often these judges choose as people do: "+
		"no person chose, and the pairs have no labels. %d pairs of %d questions, chosen by two people, are enough for a first answer:\n\n"+
		"- compqa annotate init DIR --people 2 --study FILE makes a study of these pairs, where FILE has the line kind: pair; compqa annotate "+
		"serve DIR opens it: people choose blindly, each in an order of their own.\n- compqa pairwise import --pairs PAIRS --in FILE --gold "+
		"majority --out DIR adds choices that people made elsewhere (columns id, judge, choice; a person's judge begins with human:), and makes "+
		"their majority the better answer.\n- compqa pairwise report DIR then makes this page anew.", dataset.MinShared,
		dataset.MinQuestions)}
}

// source says what the page is computed from: sets, pairs, systems and people.
func (r *Report) source() string {
	names := data.Each(r.Sets, func(s store.PairSet) string { return s.Name })
	systems := map[string]bool{}
	for _, p := range r.Pairs {
		for _, system := range []string{p.SystemA, p.SystemB} {
			if system != "" {
				systems[system] = true
			}
		}
	}
	if len(names) > mostSetsNamed {
		names = []string{data.Plural(len(names), "set", "sets")}
	}
	parts := []string{strings.Join(names, ", "), data.Plural(len(r.Pairs), "pair", "pairs")}
	if len(systems) > 0 {
		parts = append(parts, data.Plural(len(systems), "system", "systems"))
	}
	if n := len(r.persons()); n > 0 {
		parts = append(parts, data.Plural(n, "person", "people"))
	}
	return strings.Join(parts, " · ")
}

// mostSetsNamed is the number of sets up to which source names them.
const mostSetsNamed = 3

// mostFindings is the number of findings that are shown at first.
const mostFindings = 3

// unreadText names the judges with many replies from which no choice can be read. It leaves people out.
func (b *board) unreadText() string {
	var all []dataset.Replies
	index := map[*judge]int{}
	for _, j := range b.judges {
		if j.Kind != dataset.KindHuman && j.Method != panel {
			index[j] = len(all)
			all = append(all, dataset.Replies{Judge: Heading(j.Name, j.Method), Statuses: map[data.Status]int{}})
		}
	}
	for i := range b.Prefs {
		if k, counted := index[b.byRound[b.Prefs[i].Judge]]; counted {
			all[k].Statuses[b.Prefs[i].Status]++
		}
	}
	return dataset.UnreadText(all)
}

func (b *board) printUnread(w io.Writer) {
	if text := b.unreadText(); text != "" {
		table.PrintWrapped(w, text)
		fmt.Fprintln(w)
	}
}

// named adds marks, such as that of imported judges, to the names of judges in tables.
func (b *board) named(sections ...table.Section) []table.Section {
	return table.NameJudges(sections, MarkOfImport(data.Each(b.judges, func(j *judge) store.Participant { return j.Participant })))
}

// MarkOfImport returns a function that maps a judge's name or heading to the mark of imported judges. For other judges the mark is "".
func MarkOfImport(judges []store.Participant) func(name string) string {
	marks := map[string]string{}
	for _, j := range judges {
		if j.Kind == dataset.KindImported && j.Method != panel {
			marks[j.Name], marks[Heading(j.Name, j.Method)] = dataset.ImportMark, dataset.ImportMark
		}
	}
	return func(name string) string { return marks[name] }
}

// compute adds all tables and sections of the report, in order. run has the tables of rubric verdicts, or is nil.
func (r *Report) compute(run *report.Report) {
	r.chapters = chapters{forms: &table.Chapter{Title: "Does order, length or form change the choice?"},
		rankings: &table.Chapter{Title: "Ranking by each judge"}, missing: &table.Chapter{Title: "Missing choices"},
		costs: &table.Chapter{Title: "What choices cost"}, figures: &table.Chapter{Title: "Every figure about pairs"}}
	r.put(r.chapters.figures, section("Sets of pairs", "", r.setsTable()))
	r.addSystems()
	var fragile []dataset.Fragility
	for _, s := range r.boards {
		fragile = append(fragile, s.fragility()...)
	}
	view := table.From(3, fragile, "what=result", "target=would be first", "n_removed=without", "of=of preferences")
	for i, f := range fragile {
		view.Rows[i][2].To = toPairs("chosen_by", f.Judge, "system", f.First, "against", f.Target)
	}
	if run != nil {
		fragile = slices.Concat(run.Leaderboard.Fragile, fragile)
	}
	add(r, r.chapters.rankings, dataset.FragilityTable, fragile,
		section("How few preferences decide the first place", "Removed in the order of their "+
			"influence, and the strengths fitted again: an upper bound, as fewer may do.", view))
	boards := r.comparedBoards(run)
	add(r, r.chapters.rankings, table.Def[BoardsRow]{File: "pairwise_boards.csv"}, boards,
		section("Comparison of rankings", "Correlation between the ranking of "+
			"systems by preferences and another one: by the labels of pairs (as Arena-Hard compares judges with votes of people), or by the mean "+
			"points of a rubric judge; and the number of pairs of systems in opposite order.",
			table.From(3, boards, "judge=preferences of", "method", "rubric_judge=labels, or points of", "systems", "spearman=Spearman",
				"kendall_tau_b=Kendall", "pairs_disagreed=opposite").Mark(2, func(row []table.Cell) string {
				if run == nil {
					return ""
				}
				return run.MarkOfImport(row[2].Text)
			})))
	add(r, r.chapters.forms, overallTable, r.overall,
		section("Judges", "Accuracy is over valid preferences on pairs with a known better answer; a tie "+
			"counts as wrong. “both”: correct in both orders, over pairs that are valid in both. “first shown”: share of choices of the "+
			"answer shown first, where a file says which was; over both orders, ½ means no position bias. “best of n”: share of "+
			"questions with several candidates of which the better answer beats all others. Brackets contain 95 % intervals, clustered by "+
			"question. Where labels are the majority of people, the accuracy of a person counts their own vote; “ceiling” under "+
			"Agreement does not.", nil))
	for _, set := range r.setRanges() {
		rows := r.on(set)
		r.put(r.chapters.forms, section("Judges on "+r.setName(set), r.judgeNotes()+fittedNote(rows), judgesTable(rows)))
		r.put(r.chapters.missing, section("Missing preferences on "+r.setName(set), r.lostNote(set), missingTable(rows)))
		if table := winRateTable(rows); len(table.Rows) > 0 {
			r.put(r.chapters.forms, section("Win rate at equal length on "+r.setName(set),
				"How often answer a wins over answer b, a tie as "+
					"½, and how often it would if both were equally long: the length-controlled rate of AlpacaEval 2 (Dubois et al. 2024) without its "+
					"term for the difficulty of an instruction, by words: where answers of a are much shorter or longer than those of b, it departs from "+
					"AlpacaEval's figure. Of the same style: if both were equally long and had as many headers, items of lists and bold texts per "+
					"word, by Arena-Hard's style control. They are there where one side is one system, or none is named.", table))
		}
	}
	r.addBenchmarks()
	r.addChoices()
	r.addOffers()
	r.addForms()
	r.order()
}

// order sorts the sections by chapter and sets the summary line of each chapter.
func (r *Report) order() {
	slices.SortStableFunc(r.sections, func(a, b table.Section) int {
		return slices.Index(r.chapters.all(), a.Chapter) - slices.Index(r.chapters.all(), b.Chapter)
	})
	r.chapters.forms.Says, r.chapters.rankings.Says, r.chapters.missing.Says = r.formsText(), r.rankingsText(), r.missingText()
	r.chapters.costs.Says = r.costsText()
	tables := data.Where(r.sections, func(s table.Section) bool { return s.Chapter == r.chapters.figures && !s.Empty() && s.Table != nil })
	r.chapters.figures.Says = data.Plural(len(tables), "table", "tables") + ", and all as CSV"
}

// publishedText has the figures of the papers on these methods, as Markdown.
//
//go:embed published.md
var publishedText string

// published parses publishedText into sections, one for each table. A paper is a heading ("### name"). It has one table or several, each
// after its text.
func published() (list []table.Section) {
	paper := ""
	n := 0
	about := ""
	for block := range strings.SplitSeq(strings.TrimSpace(publishedText), "\n\n") {
		if name, is := strings.CutPrefix(block, "### "); is {
			paper = name
			n = 0
			continue
		}
		if !strings.HasPrefix(block, "|") {
			about = strings.TrimSpace(about + "\n\n" + block)
			continue
		}
		var rows [][]string
		for line := range strings.SplitSeq(block, "\n") {
			rows = append(rows, data.Each(strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|"), strings.TrimSpace))
		}
		n++
		words := data.Where(rows[1], func(rule string) bool { return !strings.HasSuffix(rule, ":") })
		s := table.Section{Title: fmt.Sprintf("%s, %d", paper, n), About: about, Table: table.New(max(1, len(words)), rows[0]...)}
		for _, row := range rows[2:] {
			s.Table.Add(data.Each(row, func(cell string) any { return cell })...)
		}
		list = append(list, s)
		about = ""
	}
	return list
}

// printPublished prints the figures of the papers. They are of other pairs, models and prompts than the record.
func printPublished(w io.Writer) error {
	table.PrintWrapped(w, "Figures of the papers. Pairs, models and prompts differ, so these figures do not rank the judges of this run.")
	for _, s := range published() {
		fmt.Fprintf(w, "\n%s\n\n", s.Title)
		table.PrintWrapped(w, s.About)
		fmt.Fprintln(w)
		if err := s.Table.Terminal(w); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	return nil
}

// addSystems adds the rankings of systems by preference.
func (r *Report) addSystems() {
	var rows []StrengthRow
	var sections []table.Section
	if len(r.boards) > 0 {
		sections = []table.Section{section("Systems by preference", "Bradley–Terry strengths with ties (Davidson 1970): a system of strength "+
			"p is preferred over one of strength q with odds p : q. Intervals are at 95 %, clustered by question; “possible ranks” hold "+
			"for all systems simultaneously (Holm). The share of points counts a win as 1 and a tie as ½.", nil)}
	}
	for _, s := range r.boards {
		rows = append(rows, s.rows...)
		sections = append(sections, section("Systems by "+s.title(), s.caption(), s.table()))
		if r.pages && len(s.rows) > 1 && s.Judge != byLabels { // the pairs of a board by labels have no page
			sections = append(sections, section("Each system against each other, by "+s.title(), "Share of the points of the row against the "+
				"column: a win counts 1, a tie ½. In brackets: the matches, which are pairs that are valid in both orders.", s.matrix()))
		}
	}
	add(r, r.chapters.rankings, table.Def[StrengthRow]{File: "bradley_terry.csv"}, rows, sections...)
}

// addBenchmarks adds the judges' scores by the rules of each benchmark.
func (r *Report) addBenchmarks() {
	add(r, r.chapters.figures, benchmarksTable, r.benchmarks,
		section("Scores of the benchmarks", "By the rules of their own scripts. RewardBench: "+
			"four sections and their mean, expected for a random order, a tie is ½. RewardBench 2: a question is right if the chosen answer beats "+
			"all others, ½ if one is even with it; its subset Ties is scored by margins, of judges that give scores, and else left out. "+
			"RM-Bench: the rejected answer has less style than the chosen one "+
			"(easy), the same, or more (hard); means of the domains. JudgeBench: a pair is right if more of both orders choose the better answer "+
			"than the other one.", benchmarksView(r.benchmarks)))
}

// benchmarksView returns a table with a row for each judge and set, and a column for each section.
func benchmarksView(rows []BenchmarkRow) *table.Table {
	grid := table.NewGrid("judge", "method", "set", "benchmark")
	for _, row := range rows {
		grid.Set(row.Score.Text(3), row.Section, row.Judge, row.Method, row.Dataset, row.Benchmark)
	}
	return &grid.Table
}

// addChoices adds the tables on how judges agree with labels, with people, with themselves and with each other.
func (r *Report) addChoices() {
	main := r.mainSet()
	comparisons := r.compared
	note := ""
	for _, c := range onMain(r.board, comparisons) {
		if errors.Is(c.Difference.Why, stats.ErrTooShort) {
			note = "N" + strings.TrimPrefix(c.Difference.Reason(), "n") + ". "
		}
	}
	add(r, r.chapters.figures, agreementTable, r.agreed,
		section("Agreement", "Each judge against the labels (gold) and people against each other "+
			"on "+main+". “right” is the share of all planned pairs with the choice of the reference (a tie is also a choice), in both orders "+
			"if order is both. “same” is the share with the same choice in both orders. kappa (unweighted) is Cohen's, and Fleiss' for all "+
			"people together; alpha is Krippendorff's, nominal. “ceiling”: each person against the majority of the others. If there are "+
			"more than 5 people, "+
			"single pairs of people are only in the file.",
			table.From(5, r.agreementShown(), "judge", "method", "reference", "kind", "order", "n", "accuracy_3way:3=3-way accuracy", "right:3",
				"same:3", "kappa:3=kappa (unweighted)", "alpha:3=alpha (nominal)")))
	show(r, r.chapters.figures, "pairwise_rounds.csv", each(r.groups, group.rounds), "Rounds",
		"Accuracy of a judge over rounds that differ only in "+
			"their samples (repeats:): mean, sample deviation between rounds, and the share of pairs with the same choice in all rounds.",
		2, "judge", "method", "order", "rounds", "mean:3", "sd:3", "min:3", "max:3", "n=pairs", "same:3=same choice")
	show(r, r.chapters.figures, "pairwise_risk.csv", each(fair(r.groups), group.risks), "Abstaining",
		"Risk and coverage on "+main+": the share of wrong "+
			"choices if a judge abstained below a confidence. The confidence is the share of its votes for the choice, or ½ if the two orders "+
			"differ and 1 if they agree, or the probability of the token that names the choice. “abstained”: the judge itself may say that a "+
			"pair is hard to judge. A tie counts as wrong; “area” is the mean risk over coverages.",
		3, "judge", "method", "confidence", "threshold:2", "n=left", "coverage:3", "risk:3", "aurc:3=area")
	show(r, r.chapters.figures, "pairwise_calibration.csv", each(fair(r.groups), group.calibration), "Calibration",
		"Of judges whose server returns "+
			"log-probabilities, on "+main+": the probability that a is better is the mean of both orders. Accuracy is of these votes; a "+
			"calibrated judge is as accurate as it is confident. The Brier score is the mean squared error of the probability; ¼ for a judge "+
			"that always says ½.",
		2, "judge", "method", "n_pairs=pairs", "accuracy:3", "confidence:3=mean confidence", "brier:3=Brier score")
	show(r, r.chapters.figures, "pairwise_comparator.csv", each(fair(r.groups), group.comparator), "Comparator of tables",
		"How SC2's comparator chooses "+
			"between two tables on "+main+": the share of choices of the table shown first (½: no bias), the share of pairs of tables with the "+
			"same choice in both orders, and the share of triples that are intransitive. The last two require selection: exact, which compares "+
			"in both orders.",
		2, "judge", "method", "preferences", "duels=comparisons", "first_share:3=first", "pairs", "same_share:3=same", "triples",
		"intransitive_share:3=intransitive")
	show(r, r.chapters.figures, "pairwise_comparisons.csv", comparisons, titleComparison, note+"The same pairs of "+main+", correct in both "+
		"orders: the number of pairs that only one of the two judges has correct, the difference with its interval by cluster, and a "+
		"p-value of McNemar's exact test, or of the clustered difference where a cluster has several pairs. Holm's adjustment is over "+
		"all pairs of judges, and by itself over the comparisons with baselines.",
		4, "judge_a", "method_a", "judge_b", "method_b", "n_pairs=pairs", "only_a_right=only A correct", "only_b_right=only B correct",
		"difference:3", "p_adjusted:4=adjusted p")
}

// addForms adds the tables on what else choices depend on (length, bias, tables), what they cost, and the rationales.
func (r *Report) addForms() {
	main := r.mainSet()
	judges := fair(r.groups)
	parts := each(judges, group.slices)
	prices := each(judges, group.prices)
	budgets := each(judges, group.budget)
	injections := r.injections()
	rationales := each(r.groups, group.rationales)
	add(r, r.chapters.forms, table.Def[PairwiseSliceRow]{File: "pairwise_slices.csv"}, parts,
		section("Length", "Accuracy on "+main+" if the better answer is longer and if it is not (number of "+
			"preferences), and the estimated accuracy for answers of equal length, from a logistic model of the relative difference in length. "+
			"The slope is in log-odds; 0 means no length bias. By domain, and for other sets: pairwise_slices.csv.",
			lengthTable(onMain(r.board, parts))))
	add(r, r.chapters.costs, table.Def[PriceRow]{File: "pairwise_price.csv"}, prices,
		section(titleCosts, "Calls, tokens, cost (US dollars) and seconds per valid preference (one pair in "+
			"one order) on "+main+".",
			table.From(2, data.Where(onMain(r.board, prices), func(p PriceRow) bool { return p.CallsPer.Known }), "judge", "method",
				"preferences", "accuracy:3", "calls_per_preference:1=calls", "tokens_per_preference:0=tokens", "cost_per_preference:5=cost",
				"seconds_per_preference:1=seconds")))
	add(r, r.chapters.costs, table.Def[BudgetRow]{File: "pairwise_budget.csv"}, budgets, table.Section{Title: "Accuracy against calls",
		Plot: callsPlot(onMain(r.board, budgets), main),
		About: "Accuracy with at most this number of calls per preference. A judge that votes uses its first votes; other judges use all " +
			"their calls.", Table: budgetTable(onMain(r.board, budgets))})
	add(r, r.chapters.forms, table.Def[InjectionRow]{File: "pairwise_injection.csv", Views: []table.View[InjectionRow]{{Title: "Bias",
		About: "Accuracy on the original pairs, and on the same pairs after a change to " +
			"the form of an answer but not to its content (Con-J, section 4.4). verbosity: the answer repeats its main points at the end. " +
			"format: the answer is rewritten in plain style, the other one in formal style. Adversarial: the rewriting works against the " +
			"human choice. Unchanged pairs have nothing that the rewriting replaces; they count, too.",
		Words: 5, Shown: []string{"judge", "method", "dataset=set", "bias", "adversarial", "n=pairs", "n_unchanged=unchanged",
			"accuracy:3=original", "accuracy_biased:3=with the bias", "lost:3=loss", "p_adjusted:4=adjusted p"}}}}, injections,
		section("Comparison tables", "Share of the words of a row that are in both its shared and its exclusive cells; 0 is consistent. All "+
			"chosen tables are in preferences.csv; A is the answer shown first.", r.overlapTable()))
	add(r, r.chapters.figures, table.Def[RationaleRow]{File: "rationales.csv", Views: []table.View[RationaleRow]{{Title: "Rationales",
		About: "Grades of the rationales by a model: correctness 1 to 5, consistency with " +
			"the choice 1 to 3 (Con-J, Table 9). “disputed”: the grader and the human label differ on whether the choice is correct. " +
			"“unclear”: the rationale does not support the choice. The alphas compare the grader with human grades.",
		Words: 4, Shown: []string{"judge", "method", "dataset=set", "grader", "planned", "valid", "set_apart=disputed", "correctness",
			"consistency", "n_unclear=unclear", "accuracy_unclear:3=accuracy, unclear", "n_people=n human",
			"alpha_correctness:3=alpha (interval), correctness", "alpha_consistency:3=alpha (interval), consistency"}}}}, rationales)
}

// judgeNotes explains the marks of imported and degenerate judges, and who votes in the panel.
func (b *board) judgeNotes() (note string) {
	imported := data.Where(b.judges, func(j *judge) bool { return j.Kind == dataset.KindImported && j.Method != panel })
	if len(imported) > 0 {
		note = dataset.ImportMark + " imported: nothing shows who made these preferences. "
	}
	if index := slices.IndexFunc(b.judges, func(j *judge) bool { return j.Method == panel }); index >= 0 {
		note += panel + " is " + b.judges[index].About + ". "
	}
	for _, j := range b.judges {
		if j.degenerate != "" {
			note += fmt.Sprintf("§ %s is degenerate: it %s. It orders no systems and is not compared with other judges. ",
				Heading(j.Name, j.Method), j.degenerate)
		}
	}
	return note
}

// mostPeople is the largest number of people for which the agreement of each two of them is shown.
const mostPeople = 5

// agreementShown returns the rows of the main set that the page shows: against the labels, among people, and the ceiling.
func (r *Report) agreementShown() []AgreementRow {
	persons := data.Count(r.judges, func(j *judge) bool { return j.Kind == dataset.KindHuman })
	return data.Where(onMain(r.board, r.agreed), func(a AgreementRow) bool {
		among := a.Kind == dataset.KindHuman && a.Order == data.OrderAB && (persons <= mostPeople || a.Reference == people)
		return a.Domain == anyDomain && (a.Reference == gold && a.Kind != dataset.KindFloor || among || a.Kind == kindCeiling)
	})
}

// Ties maps each rule for a judge's ties, where the reference is a or b, to its description and to the column of accuracies by this rule.
var Ties = map[string][2]string{"wrong": {"wrong", "accuracy"}, "half": {"half right", "accuracy_half"},
	"skip": {"left out", "accuracy_skip"}}

// printAgreement prints the accuracies on the main set by a rule for ties, next to the accuracy with ties as a class.
func (r *Report) printAgreement(w io.Writer, ties string) error {
	rows := data.Where(onMain(r.board, r.agreed), func(a AgreementRow) bool { return a.Domain == anyDomain && a.Reference == gold })
	fmt.Fprintf(w, "Agreement with the labels of %s, ties: %s\n\n", r.mainSet(), Ties[ties][0])
	view := table.From(2, rows, "judge", "method", "order", "n", Ties[ties][1]+":3=2-way accuracy", "accuracy_3way:3=3-way accuracy",
		"kappa:3=kappa (unweighted)", "alpha:3=alpha (nominal)")
	r.named(table.Section{Table: view})
	err := view.Terminal(w)
	fmt.Fprintln(w)
	return err
}

// fittedNote explains the mark of judges that were trained on a set. It returns "" if there are no such judges.
func fittedNote(rows []PairwiseRow) string {
	fitted := data.Where(rows, func(row PairwiseRow) bool { return row.Order == orderBoth && row.group.fittedOn() != "" })
	if fitted == nil {
		return ""
	}
	names := data.Each(fitted, func(row PairwiseRow) string { return row.group.heading() + " (" + row.group.fittedOn() + ")" })
	return "† trained on these labels, so its accuracy says little about other pairs: " + strings.Join(names, ", ") + "."
}

func (g group) heading() string { return Heading(g.Judge, g.Method) }

// Heading returns the name of a judge, followed by its method in brackets if the method differs from the name.
func Heading(judge, method string) string {
	if judge == method {
		return judge
	}
	return judge + " (" + method + ")"
}

func (r *Report) setsTable() *table.Table {
	t := table.New(2, "set", "pairs from", "pairs", "a better", "b better", "tie", "unknown", "margin of a tie")
	for i, set := range r.Sets {
		n := 0
		counts := map[data.Choice]int{}
		for _, p := range r.Pairs {
			if p.Set == i {
				n++
				counts[p.Label]++
			}
		}
		t.Add(table.Cell{Text: set.Name, To: toPairs("set", set.Name)}, set.Source, strconv.Itoa(n), strconv.Itoa(counts[data.ChoiceA]),
			strconv.Itoa(counts[data.ChoiceB]), strconv.Itoa(counts[data.ChoiceTie]), strconv.Itoa(counts[data.NoChoice]),
			stats.FigureOf(set.Margin).Text(1))
	}
	return t
}

// on returns the rows of a set range.
func (r *Report) on(set int) []PairwiseRow {
	return data.Where(r.overall, func(row PairwiseRow) bool { return row.group.set == set })
}

// judgesTable returns a row for each judge: valid and planned pairs, accuracy in each order and in both, consistency and ties.
func judgesTable(rows []PairwiseRow) *table.Table {
	heads := []string{"judge", "method", "pairs (valid/planned)", "label known", "accuracy ab", "accuracy ba", "both", "consistent",
		"first shown", "ties"}
	if slices.ContainsFunc(rows, func(r PairwiseRow) bool { return r.Order == orderOne }) {
		heads[6] = "both, or one at random"
	}
	byItem := slices.ContainsFunc(rows, func(r PairwiseRow) bool { return r.Items > 0 })
	if byItem {
		heads = append(heads, "best of n")
	}
	t := table.New(2, heads...)
	for _, compared := range table.Grouped(rows, func(r PairwiseRow) JudgeOn { return r.JudgeOn }) {
		row := overall(compared)
		one := row.Order != orderBoth
		both := row.Accuracy
		if one {
			row.Consistency = stats.Figure{}
		}
		if one && row.Order != orderOne {
			both = stats.Figure{}
		}
		accuracy := func(order string) table.Cell {
			a := table.First(compared, func(r PairwiseRow) bool { return r.Order == order }).Accuracy
			if one && !row.group.given() {
				return table.Figured(a, 3)
			}
			return table.Figured(a.Point(), 3)
		}
		g := row.group
		method := row.Method
		if g.who.Hinted {
			method += " (told the answer)"
		}
		name := table.Cell{Text: row.Judge, To: toPairs("chosen_by", g.heading())}
		if g.set >= 0 {
			name.To.Query = append(name.To.Query, "set", row.Dataset)
		}
		if g.fittedOn() != "" {
			name.Mark = "†"
		}
		if g.who.degenerate != "" {
			name.Mark = "§"
		}
		cells := []any{name, method, fmt.Sprintf("%d/%d", row.Valid, row.Planned), strconv.Itoa(row.gold), accuracy(data.OrderAB),
			accuracy(data.OrderBA), table.Figured(both, 3), table.Figured(row.Consistency, 3), row.first, table.Figured(row.TieRate, 3)}
		if byItem {
			cells = append(cells, table.Figured(row.ItemAccuracy, 3))
		}
		t.Add(cells...)
		if same := &t.Rows[len(t.Rows)-1][7]; row.Consistency.Known && row.Consistency.Value < 1 {
			same.To = toPairs(append(name.To.Query, "show", "flips")...)
		}
	}
	return t
}

// lostNote says how many pairs of a set range cannot be asked about, because an answer is not valid. It returns "" if all can.
func (b *board) lostNote(set int) string {
	runSet := slices.IndexFunc(b.Sets, func(s store.PairSet) bool { return s.Name == store.RunSet })
	if len(b.Lost) == 0 || runSet < 0 || !b.within(runSet, set) {
		return ""
	}
	all := len(b.Lost) + data.Count(b.Pairs, func(p dataset.PairRow) bool { return p.Set == runSet })
	by := data.Each(table.Grouped(b.Lost, func(l dataset.LostPair) dataset.LostPair { return l }), func(lost []dataset.LostPair) string {
		return fmt.Sprintf("%s: %d %s", lost[0].System, len(lost), lost[0].Status)
	})
	return fmt.Sprintf("%d of %s of the run are skipped, because an answer is not valid (%s). Systems are compared on the others.",
		len(b.Lost), data.Plural(all, "pair", "pairs"), strings.Join(by, ", "))
}

// winRateTable returns the win rates of judges that have a rate at equal length or in the same style.
func winRateTable(rows []PairwiseRow) *table.Table {
	t := table.New(2, "judge", "method", "a wins", "a wins, at equal length", "a wins, of the same style")
	for _, compared := range table.Grouped(rows, func(r PairwiseRow) JudgeOn { return r.JudgeOn }) {
		row := overall(compared)
		if row.WinRateLC.Known || row.WinRateStyle.Known {
			t.Add(row.Judge, row.Method, table.Figured(row.winRate, 3), table.Figured(row.WinRateLC, 3), table.Figured(row.WinRateStyle, 3))
		}
	}
	return t
}

func missingTable(rows []PairwiseRow) *table.Table {
	grid := table.NewGrid("judge", "method", "order")
	for _, row := range rows {
		for _, status := range data.Statuses {
			if n := row.statuses[status]; n > 0 && status != data.Valid && row.Order != orderBoth {
				grid.Set(strconv.Itoa(n), string(status), row.Judge, row.Method, row.Order)
			}
		}
	}
	return &grid.Table
}

func lengthTable(rows []PairwiseSliceRow) *table.Table {
	t := table.New(2, "judge", "method", "better is longer", "better is shorter", "at equal length", "length slope")
	by := map[string]string{} // of the current judge, by item
	for _, s := range rows {
		by[s.Item] = fmt.Sprintf("%s (%d)", s.Accuracy.Point().Text(3), s.N)
		if s.Slice == "length" {
			t.Add(s.Judge, s.Method, by["longer"], by["not longer"], table.Figured(s.Accuracy, 3), s.Slope)
		}
	}
	return t
}

// overlapTable returns how consistent the comparison tables behind each judge's preferences are: how many words of a row are in both its
// shared and its exclusive cells.
func (b *board) overlapTable() *table.Table {
	overlaps := table.New(2, "judge", "method", "tables", "overlap, chosen tables", "overlap, all sampled tables")
	for _, judge := range b.judges {
		rows := data.Where(b.Prefs, func(p dataset.PreferenceRow) bool { return b.byRound[p.Judge] == judge && len(p.Detail.Table) > 0 })
		if len(rows) > 0 {
			overlaps.Add(judge.Name, judge.Method, len(rows),
				b.MeanKnown(data.Each(rows, func(p dataset.PreferenceRow) stats.Figure { return stats.FigureOf(p.Detail.Overlap) })),
				b.MeanKnown(data.Each(rows, func(p dataset.PreferenceRow) stats.Figure { return stats.FigureOf(p.Detail.MeanOverlap) })))
		}
	}
	return overlaps
}

// print prints the report to the terminal: the first findings, the rankings of systems, the judges of each set of pairs, what to buy, the
// benchmarks, and the comparison and costs of judges.
func (r *Report) print(w io.Writer) error {
	found := r.Findings()
	for _, text := range found[:min(len(found), mostFindings)].Texts() {
		table.PrintWrapped(w, text)
	}
	fmt.Fprintln(w)
	r.printUnread(w)
	for _, s := range r.boards {
		fmt.Fprintf(w, "Systems by the preferences of %s\n\n", s.title())
		if err := s.table().Shortened().Terminal(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
		table.PrintWrapped(w, s.caption())
		fmt.Fprintln(w)
	}
	for _, set := range r.setRanges() {
		if r.mainSet() != r.setName(set) && (set < 0 || r.Sets[set].Base == "") {
			continue
		}
		table.PrintWrapped(w, fmt.Sprintf("Judges on %s: accuracy in each order and in both, same choice in both orders, choices of the "+
			"answer shown first (of a person, with their own vote where labels are the majority of people)", r.setName(set)))
		fmt.Fprintln(w)
		judges := judgesTable(r.on(set))
		r.named(table.Section{Table: judges})
		if err := judges.Shortened().Terminal(w); err != nil {
			return err
		}
		r.printLost(w, set)
		fmt.Fprintln(w)
	}
	if o, ok := r.offers(); ok {
		table.PrintWrapped(w, o.Finding().Text)
		fmt.Fprintln(w)
	}
	if r.benchmarks != nil {
		fmt.Fprint(w, "Scores as the benchmarks give them\n\n")
		if err := benchmarksView(r.benchmarks).Terminal(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	for _, s := range r.named(r.sections...) {
		if s.Table == nil || len(s.Table.Rows) == 0 || s.Title != titleComparison && s.Title != titleCosts {
			continue
		}
		fmt.Fprintf(w, "%s on %s\n\n", s.Title, r.mainSet())
		if err := s.Table.Shortened().Terminal(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return nil
}

// Titles of sections that are also printed on the terminal.
const (
	titleComparison = "Comparison of judges"
	titleCosts      = "Costs"
)

func (r *Report) printLost(w io.Writer, set int) {
	if note := r.lostNote(set); note != "" {
		fmt.Fprintln(w)
		table.PrintWrapped(w, note)
	}
}

// PrintBrief prints a short table of what the models and embedded judges chose, as the end of a run's output. It leaves out baselines and
// imported judges.
func (r *Report) PrintBrief(w io.Writer, dir string) error {
	const most = 6
	if len(r.overall) == 0 { // the run has no pairs, although an earlier one had some
		return nil
	}
	rows := data.Where(onMain(r.board, r.overall), func(row PairwiseRow) bool {
		return row.group.who.Kind != dataset.KindFloor && row.group.who.Kind != dataset.KindImported
	})
	if len(rows) == 0 {
		_, err := fmt.Fprintf(w, "Pairs: compqa report %s prints what their judges say\n", dir)
		return err
	}
	leads := map[string]string{} // the first system of each board, by judge
	for _, s := range r.boards {
		leads[s.heading()] = strings.TrimPrefix(leads[s.heading()]+", "+s.rows[0].System, ", ")
	}
	t := table.New(1, "judge", "pairs (valid/planned)", "accuracy", "first shown", "prefers")
	for _, compared := range table.Grouped(rows, func(r PairwiseRow) JudgeOn { return r.JudgeOn }) {
		row := overall(compared)
		name := row.group.heading()
		t.Add(name, fmt.Sprintf("%d/%d", row.Valid, row.Planned), table.Figured(row.Accuracy, 3), row.first, cmp.Or(leads[name], stats.Missing))
	}
	more := ""
	if len(t.Rows) > most {
		t.Rows, more = t.Rows[:most], fmt.Sprintf("%d more, and ", len(t.Rows)-most)
	}
	fmt.Fprintf(w, "\nJudges of pairs on %s: accuracy, choices of the answer shown first, system preferred most\n\n", r.mainSet())
	if err := t.Shortened().Terminal(w); err != nil {
		return err
	}
	r.printLost(w, rows[0].group.set)
	buy := ""
	if o, ok := r.offers(); ok {
		buy = o.Finding().Text
	}
	for _, text := range []string{buy, r.unreadText()} {
		if text != "" {
			fmt.Fprintln(w)
			table.PrintWrapped(w, text)
		}
	}
	_, err := fmt.Fprintf(w, "\ncompqa report %s prints %sthe systems by preference\n", dir, more)
	return err
}
