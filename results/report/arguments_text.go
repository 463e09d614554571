package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
)

// argumentsText is arguments.md.
func (t *Report) argumentsText() string {
	var b strings.Builder
	b.WriteString("# Arguments\n\n")
	if !slices.ContainsFunc(t.Answers, func(a dataset.AnswerRow) bool { return a.Reading != nil }) {
		b.WriteString("This run has no measured answers.\n")
		return b.String()
	}
	b.WriteString("Do answers follow the arguments in their prompts? Nikishina et al. (appendix C) report a model that chose Google although the arguments favoured Yahoo, and invented arguments for its choice. They ask whether models prefer popular objects.\n\n" +
		"These figures are measured in the texts, without a model. Brackets contain 95 % intervals, clustered by question.\n\n")
	b.WriteString("## Citations\n\nNumbers in square brackets, without the list of sources. Whether the cited argument exists is unknown for imported answers. *generated* counts [generated] tags; their share is of all citations and tags.\n\n")
	b.WriteString(t.citationTable().OrText("No answer cites an argument, and no scenario asks for citations."))
	for _, of := range []struct{ basis, title, about string }{
		{basisGiven, "Choice and given arguments", "The arguments favour the object that most of the question's arguments support, as declared in the question set, for systems that were shown them. Baselines always have the arguments and are not in the last row. Answers with balanced arguments are excluded. *against*: the answer chooses the other object; the share is of the answers that choose an object."},
		{basisCited, "Choice and cited arguments", "The object that the answer's own sentences with a citation support, if at least twice as many, and two more, support it than the other. A word list (better, slower, …) decides which object a sentence supports, so some sentences are misread: compare systems, but check single answers in the record."},
	} {
		b.WriteString("## " + of.title + "\n\n" + of.about + "\n\n" + t.choiceTable(of.basis).OrText("This run has no such answers."))
	}
	b.WriteString("## Popular objects\n\nThe share of answers that contradict their arguments, by whether these favour the popular object. The popular object of a pair is the one that is chosen more often in scenarios without arguments, by at least three answers in total and without baselines. It is the opinion of the systems. A system that prefers popular objects contradicts its arguments when they favour the other object.\n\n")
	b.WriteString(t.popularityTable().OrText("There are too few answers without arguments to determine popular objects."))
	if view := t.contradictionTable(); view.Rows != nil {
		b.WriteString(fmt.Sprintf("## Most contradicted arguments\n\nThe object pairs with the most answers that contradict the arguments they cite, at most %d. *generated* counts those whose generated arguments clearly support the choice.\n\n", mostPairs))
		b.WriteString(view.Markdown())
	}
	return b.String()
}

func (t *Report) citationTable() *table.Table {
	view := &table.Table{Words: 2, Header: []string{"system", "scenario", "answers", "citing", "citations", "existing arguments", "missing arguments", "generated", "share generated"}}
	for _, r := range t.cited {
		view.Add(r.System, r.Scenario, strconv.Itoa(r.Answers), strconv.Itoa(r.Citing), strconv.Itoa(r.Citations),
			r.Existing.Text(0), r.Missing.Text(0), strconv.Itoa(r.Generated), table.Interval(r.Share, r.Low, r.High, 2))
	}
	return view
}

func (t *Report) choiceTable(basis string) *table.Table {
	view := &table.Table{Words: 2, Header: []string{"system", "scenario", "answers", "follows", "against", "undecided", "share against"}}
	for _, r := range t.argued {
		if r.Basis == basis && r.Favoured == favouredAny && (r.Scenario != dataset.AllScenarios || r.System == dataset.AllSystems) {
			view.Add(r.System, r.Scenario, strconv.Itoa(r.N), strconv.Itoa(r.Follows), strconv.Itoa(r.Against), strconv.Itoa(r.Undecided), table.Interval(r.Share, r.Low, r.High, 2))
		}
	}
	return view
}

func (t *Report) popularityTable() *table.Table {
	view := &table.Table{Words: 2, Header: []string{"system", "arguments", "against, popular favoured", "n", "against, other favoured", "n"}}
	at := map[[3]string]ArgumentRow{}
	for _, r := range t.argued {
		if r.Scenario == dataset.AllScenarios {
			at[[3]string{r.System, r.Basis, r.Favoured}] = r
		}
	}
	for _, basis := range []string{basisGiven, basisCited} {
		for _, system := range append(slices.Clone(t.Systems), store.Participant{Name: dataset.AllSystems}) {
			popular, other := at[[3]string{system.Name, basis, favouredPopular}], at[[3]string{system.Name, basis, favouredOther}]
			if popular.N+other.N == 0 {
				continue
			}
			view.Add(system.Name, basis, table.Interval(popular.Share, popular.Low, popular.High, 2), strconv.Itoa(popular.Follows+popular.Against),
				table.Interval(other.Share, other.Low, other.High, 2), strconv.Itoa(other.Follows+other.Against))
		}
	}
	return view
}

// mostPairs is the number of pairs listed.
const mostPairs = 15

func (t *Report) contradictionTable() *table.Table {
	view := &table.Table{Words: 4, Header: []string{"cited arguments favour", "over", "popular", "systems that choose the other", "answers", "against", "generated"}}
	for _, p := range t.against[:min(mostPairs, len(t.against))] {
		objects := t.arguing.objects[p.pair]
		popular := table.None
		if side := t.arguing.popular[p.pair]; side >= 0 {
			popular = fmt.Sprintf("%s (%d of %d)", objects[side], t.arguing.chosen[p.pair][side], t.arguing.chosen[p.pair][0]+t.arguing.chosen[p.pair][1])
		}
		view.Add(objects[p.favoured], objects[1-p.favoured], popular, strings.Join(p.systems, "; "), strconv.Itoa(p.n), strconv.Itoa(p.against), strconv.Itoa(p.withMadeUp))
	}
	return view
}
