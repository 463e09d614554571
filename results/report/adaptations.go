package report

import (
	"fmt"
	"slices"

	"compqa/data"
	"compqa/llm"
	"compqa/results/store"
	"compqa/results/table"
)

// adaptationLines returns a Markdown list of how models were asked differently from the configuration: with higher token limits, or without
// a parameter that they reject.
func (t *Report) adaptationLines() []string {
	var lines []string
	list := slices.SortedFunc(slices.Values(t.Adaptations), func(a, b store.Adaptation) int {
		return slices.Compare([]string{a.Provider, a.Model, a.Parameter}, []string{b.Provider, b.Model, b.Parameter})
	})
	for _, adaptations := range table.Grouped(list, func(a store.Adaptation) [2]string { return [2]string{a.Provider, a.Model} }) {
		var without []string
		for _, a := range adaptations {
			if a.Parameter == llm.ReasoningAllowance {
				lines = append(lines, fmt.Sprintf("- %s at %s reasons: limits of replies are raised by %s tokens.", a.Model, a.Provider, a.Value))
			} else if a.Value == "" {
				without = append(without, a.Parameter)
			}
		}
		if without != nil {
			lines = append(lines, fmt.Sprintf("- %s at %s was asked without %s: the model does not accept %s.", adaptations[0].Model,
				adaptations[0].Provider,
				data.List(without), data.Form(len(without), "it", "them")))
		}
	}
	return lines
}
