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
	b.WriteString("# Answers and their arguments\n\n")
	if !slices.ContainsFunc(t.Answers, func(a dataset.AnswerRow) bool { return a.Reading != nil }) {
		b.WriteString("Nothing was measured in this run's answers: there are none, or the record is of a compqa that did not.\n")
		return b.String()
	}
	b.WriteString("Whether answers keep to the arguments they were given: Nikishina et al. (appendix C) saw a model choose Google over Yahoo from arguments that favour Yahoo, with arguments made up for it, and asked whether models favour what is popular.\n\n" +
		"What is known of this is measured in the texts, without a model. In brackets are 95 % intervals by question.\n\n")
	b.WriteString("## Citations\n\nNumbers in square brackets, outside the list of sources; whether an argument with that number exists is known only where the arguments shown are on record, not of imported answers. *Made up* is [generated] tags, and their share among citations and tags.\n\n")
	b.WriteString(t.citationTable().OrText("No answer cites an argument, and none was to."))
	for _, of := range []struct{ basis, title, about string }{
		{basisGiven, "The choice and the arguments given", "What most of the question's arguments favour, as the question set declares it, for systems that were shown them; baselines do not read prompts, have them always, and are not in the last row. Answers whose arguments are balanced are left out. *Against* is a choice of the other object; its share is among the answers that choose one."},
		{basisCited, "The choice and the arguments cited", "What an answer's own sentences with a citation speak for, where at least twice as many, and two more, speak for one object as for the other. What a sentence speaks for is read from a list of words (better, slower, …), so that a few of these are misread; systems can be compared, single answers should be looked up."},
	} {
		b.WriteString("## " + of.title + "\n\n" + of.about + "\n\n" + t.choiceTable(of.basis).OrText("There is no such answer in this run."))
	}
	b.WriteString("## Popular objects\n\nThe share of answers that choose against their arguments, by whether these favour the popular object. Popular, of two, is what the answers to scenarios that show no arguments choose more often, of at least three that choose one; baselines do not count. This is the systems' own opinion, not the world's. A system that follows popularity goes against its arguments where they favour the other object.\n\n")
	b.WriteString(t.popularityTable().OrText("No object can be called popular: too few answers without arguments choose one."))
	if view := t.contradictionTable(); view.Rows != nil {
		b.WriteString(fmt.Sprintf("## Most often gone against\n\nThe object pairs with the most answers that choose against the arguments they cite, at most %d. *Made up for it* counts those among them whose made-up arguments clearly speak for the choice.\n\n", mostPairs))
		b.WriteString(view.Markdown())
	}
	return b.String()
}

func (t *Report) citationTable() *table.Table {
	view := &table.Table{Words: 2, Header: []string{"system", "scenario", "answers", "citing", "citations", "of existing arguments", "of none", "made up", "share made up"}}
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
	view := &table.Table{Words: 2, Header: []string{"system", "arguments", "they favour the popular object", "n", "they favour the other", "n"}}
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

// mostPairs is how many pairs are listed.
const mostPairs = 15

func (t *Report) contradictionTable() *table.Table {
	view := &table.Table{Words: 4, Header: []string{"cited arguments speak for", "over", "popular", "systems that choose the other", "answers", "against", "made up for it"}}
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
