package report

import (
	"fmt"
	"slices"

	"compqa/data"
	"compqa/llm"
	"compqa/results/store"
)

// adaptationLines are a list of how models were asked otherwise than was wanted.
func (t *Report) adaptationLines() []string {
	var lines []string
	list := slices.SortedFunc(slices.Values(t.Adaptations), func(a, b store.Adaptation) int {
		return slices.Compare([]string{a.Provider, a.Model, a.Parameter}, []string{b.Provider, b.Model, b.Parameter})
	})
	var without []string // of the current model
	for i, a := range list {
		if a.Parameter == llm.ReasoningAllowance {
			lines = append(lines, fmt.Sprintf("- %s at %s reasons: limits of replies are raised by %s tokens.", a.Model, a.Provider, a.Value))
		} else if a.Value == "" {
			without = append(without, a.Parameter)
		}
		last := i+1 == len(list) || list[i+1].Provider != a.Provider || list[i+1].Model != a.Model
		if last && without != nil {
			lines = append(lines, fmt.Sprintf("- %s at %s was asked without %s: the model does not accept %s.", a.Model, a.Provider,
				data.List(without), map[bool]string{true: "it", false: "them"}[len(without) == 1]))
			without = nil
		}
	}
	return lines
}
