package preferences

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/store"
	"compqa/results/table"
)

// mostDisputed is the number of disputed pairs that are shown with their texts.
const mostDisputed = 3

// A dispute is a pair on which people agree and the judge chooses the other answer.
type dispute struct {
	judged
	chosen, agreed data.Choice
	people         int // number of people, who all agree; 0 if the label is used
}

// agreedChoices returns, for each pair of the main set, the choice on which all people agree, and how many people chose. At least two
// people must have chosen on a pair. If fewer than two people took part, it returns the labels, with 0 people.
func (r *Report) agreedChoices() (choices []data.Choice, people []int) {
	choices = make([]data.Choice, len(r.Pairs))
	people = make([]int, len(r.Pairs))
	if len(r.persons()) < 2 {
		for i, p := range r.Pairs {
			if r.onMainSet(p) {
				choices[i] = p.Label
			}
		}
		return choices, people
	}
	t, items := r.peoplesChoices(r.references())
	for unit, item := range items {
		i, given := r.byCluster[item], t.Given(unit)
		if r.onMainSet(r.Pairs[i]) && len(given) > 1 && slices.Min(given) == slices.Max(given) {
			choices[i] = choiceWith(given[0])
			people[i] = len(given)
		}
	}
	return choices, people
}

// disputedSections describes the pairs on which people agree and the best judge chooses the other answer. The first section has the counts.
// Each further section shows the texts of one pair; pairs with more people and shorter texts come first.
func (r *Report) disputedSections(s *store.Store, choosers []chooser) ([]table.Section, error) {
	judge, found := data.First(choosers, func(c chooser) bool {
		return c.kind == withModel && c.group.who.degenerate == "" && c.Accuracy.Known
	})
	if !found {
		return nil, nil
	}
	choices, people := r.agreedChoices()
	agreed := len(data.Where(choices, data.Choice.Decided))
	opposite := 0
	ties := 0
	known := 0
	var disputes []dispute
	for _, j := range judge.group.pairs {
		if j.round > 1 || !choices[j.pair].Decided() {
			continue
		}
		chosen, valid := j.settled(judge.Order == orderBoth)
		if !valid {
			continue
		}
		known++
		if !chosen.Decided() {
			ties++
		} else if chosen != choices[j.pair] {
			opposite++
			if min(j.WordsA, j.WordsB) > 0 {
				disputes = append(disputes, dispute{j, chosen, choices[j.pair], people[j.pair]})
			}
		}
	}
	if len(disputes) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(disputes, func(a, b dispute) int {
		return cmp.Or(b.people-a.people, a.WordsA+a.WordsB-b.WordsA-b.WordsB)
	})
	name := r.name(judge.group)
	all := "people agree"
	who := "people agree"
	title := fmt.Sprintf("Where %s chooses otherwise than people who agree", name)
	switch n := len(r.persons()); {
	case n < 2:
		title = fmt.Sprintf("Where %s and the labels differ", name)
		all = "a better answer is known"
		who = "the label"
	case n > 1 && !slices.ContainsFunc(disputes, func(d dispute) bool { return d.people < n }):
		title = fmt.Sprintf("Where %s and all %d people differ", name, n)
		all = fmt.Sprintf("all %d people agree", n)
	}
	text := fmt.Sprintf("%d of the %s on which %s", opposite, data.Plural(agreed, "pair", "pairs"), all)
	if ties > 0 {
		text += fmt.Sprintf("; %s a tie for it", data.Plural(ties, "more is", "more are"))
	}
	if known < agreed {
		text += fmt.Sprintf("; of %d it has no choice", agreed-known)
	}
	shown := []table.Section{{ID: "disputed", Title: title, Lead: text + ". The shortest texts are shown, each to another question."}}
	for _, same := range table.Grouped(disputes, func(d dispute) int { return d.Cluster }) {
		if len(shown) > mostDisputed {
			break
		}
		d := same[0]
		pair, _, found, err := s.Pair(d.Id)
		if err != nil {
			return nil, err
		}
		if found {
			if d.people > 0 {
				who = fmt.Sprintf("%d of %d people", d.people, d.people)
			}
			shown = append(shown, d.section(fmt.Sprintf("disputed-%d", len(shown)), pair, name, who))
		}
	}
	return shown, nil
}

// section shows the two answers of a dispute next to each other. The judge's choice comes first.
func (d dispute) section(id string, pair data.Pair, judge, people string) table.Section {
	texts := map[data.Choice]table.Side{data.ChoiceA: {Quote: pair.A, Line: table.Line{Text: d.SystemA}},
		data.ChoiceB: {Quote: pair.B, Line: table.Line{Text: d.SystemB}}}
	chosen := texts[d.chosen]
	agreed := texts[d.agreed]
	chosen.Who = "● " + judge
	chosen.Class = "judges"
	agreed.Who = "◆ " + people
	agreed.Class = "persons"
	question, rest, _ := strings.Cut(strings.TrimSpace(pair.Question), "\n")
	return table.Section{ID: id, Title: table.ShortTo(cmp.Or(question, d.Id), 200), Sides: []table.Side{chosen, agreed},
		Lead: table.ShortTo(strings.ReplaceAll(strings.Join(strings.Fields(rest), " "), "**", ""), 200),
		More: []table.Cell{{Text: "All choices on this pair", To: &table.Target{Page: "pairs", Name: d.Id}}}}
}
