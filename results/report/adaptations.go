package report

import (
	"fmt"
	"slices"

	"compqa/data"
	"compqa/llm"
	"compqa/results/store"
)

// adaptationLines say how models were asked otherwise than was wanted.
func (t *Report) adaptationLines() []string {
	var lines []string
	list := slices.SortedFunc(slices.Values(t.Adaptations), func(a, b store.Adaptation) int {
		return slices.Compare([]string{a.Provider, a.Model, a.Parameter}, []string{b.Provider, b.Model, b.Parameter})
	})
	for i := 0; i < len(list); {
		a, n := list[i], 0
		var without []string
		for ; i+n < len(list) && list[i+n].Provider == a.Provider && list[i+n].Model == a.Model; n++ {
			switch b := list[i+n]; {
			case b.Parameter == llm.ReasoningAllowance:
				lines = append(lines, fmt.Sprintf("%s at %s reasons: limits of replies are raised by %s tokens.", a.Model, a.Provider, b.Value))
			case b.Value == "":
				without = append(without, b.Parameter)
			}
		}
		if without != nil {
			lines = append(lines, fmt.Sprintf("%s at %s was asked without %s: the model does not accept %s.", a.Model, a.Provider,
				data.List(without), map[bool]string{true: "it", false: "them"}[len(without) == 1]))
		}
		i += n
	}
	return lines
}
