package judgequality

import (
	"fmt"
	"slices"

	"compqa/results/dataset"
)

// chooseHeadline chooses the judge that orders the systems:
//
//  1. the configuration's headline;
//  2. the judge with the highest mean of two alphas with the first reference, over all criteria
//     and of totals, on at least minQuestions object pairs;
//  3. the first judge that scored every system in every scenario, or else the most systems;
//  4. people, or else a floor, where there is no other judge.
//
// Floors and people are no candidates in 2 and 3.
func (t *Tables) chooseHeadline() {
	ranked := func(judge string) (n int) {
		for _, r := range t.Board {
			if r.Judge == judge && r.Scenario == dataset.AllScenarios && r.Rank.Known() {
				n++
			}
		}
		return n
	}
	set := func(judge, reason string) { t.Headline, t.HeadlineReason = judge, reason }
	if name := t.Declared.Headline; name != "" && ranked(name) > 0 {
		set(name, "headline in the configuration names it")
		return
	}
	best, most := 0.0, 0
	for _, w := range t.Assessments {
		fitted := t.FittedOn(w.Judge, w.Reference)
		if w.Reference != t.Judges[t.References()[0]].Name || w.few() || ranked(w.Judge) == 0 || fitted.TrainedOn != "" && !fitted.HeldOut {
			continue
		}
		separate, totals := t.AgreementAt(w.Judge, w.Reference, dataset.LevelSeparate).AlphaInterval, w.Alpha
		if !separate.Known() || !totals.Known() {
			continue
		}
		if support := (*separate.Value.Number + *totals.Value.Number) / 2; t.Headline == "" || support > best {
			best = support
			set(w.Judge, fmt.Sprintf("it agrees best with human scores (against %s, mean of alpha over all criteria and alpha of totals: %.2f)", w.Reference, best))
		}
	}
	if t.Headline != "" {
		return
	}
	for _, j := range scorers(t.Tables.Dataset) {
		if n := ranked(t.Judges[j].Name); n > most {
			most = n
			set(t.Judges[j].Name, fmt.Sprintf("there are too few human scores to compare the judges, and it is the first judge that scored %d of %d systems in every scenario", n, len(t.Systems)))
		}
	}
	for j := len(t.Judges) - 1; j >= 0 && most == 0; j-- { // people come last
		if name := t.Judges[j].Name; ranked(name) > 0 && (!t.People(j) || slices.Contains(t.References(), j)) {
			most = 1
			set(name, "no other judge has scored a system")
		}
	}
}
