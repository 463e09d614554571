package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges/text/lexical"
	"compqa/llm"
)

// Arguments selects the arguments of questions that a run uses: in prompts, and as the input of offline systems and judges. The run records
// the selected questions. The fingerprint of each answer includes their hash.
type Arguments struct {
	Max          int     `yaml:"max" json:"max,omitempty"`                     // the most relevant N arguments of each question; 0: all
	MinRelevance float64 `yaml:"min_relevance" json:"min_relevance,omitempty"` // 0: no limit, so unknown relevance is accepted too
	Reverse      bool    `yaml:"reverse" json:"reverse,omitempty"`
}

// Select returns copies of the questions with the selected arguments. It applies three steps in order.
//   - MinRelevance removes arguments whose relevance is lower or unknown.
//   - Max keeps the most relevant arguments. Unknown relevance ranks last; of equally relevant arguments, the earlier ones stay.
//   - Reverse exchanges the names of the two objects in each argument.
//
// The remaining arguments keep their order. Select returns an error if MinRelevance is set and no argument has a relevance.
func (a Arguments) Select(questions []data.Question) ([]data.Question, error) {
	if a == (Arguments{}) {
		return questions, nil
	}
	some := false
	known := false
	selected := slices.Clone(questions)
	for i := range selected {
		q := &selected[i]
		some = some || len(q.Arguments) > 0
		known = known || slices.ContainsFunc(q.Arguments, func(argument data.Argument) bool { return argument.Relevance != nil })
		q.Arguments = a.selected(q.Arguments)
		if a.Reverse {
			q.Arguments = reversed(*q)
		}
	}
	if a.MinRelevance > 0 && some && !known {
		return nil, At("arguments", "min_relevance",
			fmt.Errorf("arguments.min_relevance is %v, but no argument of the questions has a relevance", a.MinRelevance))
	}
	return selected, nil
}

// selected applies MinRelevance, then Max, to the arguments of one question, and keeps their order.
func (a Arguments) selected(all []data.Argument) []data.Argument {
	var kept []int
	for i, argument := range all {
		if a.MinRelevance == 0 || llm.ValueOr(argument.Relevance, -1) >= a.MinRelevance {
			kept = append(kept, i)
		}
	}
	if a.Max > 0 && len(kept) > a.Max {
		slices.SortStableFunc(kept, func(i, k int) int {
			return cmp.Compare(llm.ValueOr(all[k].Relevance, -1), llm.ValueOr(all[i].Relevance, -1))
		})
		kept = kept[:a.Max]
		slices.Sort(kept)
	}
	return data.Each(kept, func(i int) data.Argument { return all[i] })
}

// reversed returns a question's arguments with the names of its two objects exchanged. The favoured object is exchanged too. An argument
// that names neither object does not change.
func reversed(q data.Question) (list []data.Argument) {
	texts := data.Each(q.Arguments, func(argument data.Argument) string { return argument.Text })
	context, pairs := strings.Join(texts, "\n"), namePairs(q.Object1, q.Object2)
	for i, argument := range q.Arguments {
		argument.Text = lexical.SwapNames(texts[i], context, pairs)
		switch {
		case argument.Text == texts[i]:
		case argument.Favours == data.Object1:
			argument.Favours = data.Object2
		case argument.Favours == data.Object2:
			argument.Favours = data.Object1
		}
		list = append(list, argument)
	}
	return list
}

// namePairs returns the pairs of names that SwapNames exchanges, for two objects. The pairs are the full names, their plurals, their
// singulars, and the names without common first or last words: "Google" and "Yahoo" for Google search and Yahoo search.
func namePairs(one, other string) [][2]string {
	pairs := [][2]string{{one, other}, {plural(one), plural(other)}}
	for _, suffix := range []string{"'s", "’s", "s"} {
		a, ok := strings.CutSuffix(one, suffix)
		if b, both := strings.CutSuffix(other, suffix); ok && both && !strings.HasSuffix(a, "s") && !strings.HasSuffix(b, "s") {
			pairs = append(pairs, [2]string{a, b})
			break
		}
	}
	a := strings.Fields(one)
	b := strings.Fields(other)
	for len(a) > 1 && len(b) > 1 && strings.EqualFold(a[0], b[0]) {
		a = a[1:]
		b = b[1:]
	}
	for len(a) > 1 && len(b) > 1 && strings.EqualFold(a[len(a)-1], b[len(b)-1]) {
		a = a[:len(a)-1]
		b = b[:len(b)-1]
	}
	return append(pairs, [2]string{strings.Join(a, " "), strings.Join(b, " ")})
}

// plural returns the regular plural of an English noun: "box" becomes "boxes", "city" becomes "cities".
func plural(name string) string {
	for _, end := range []string{"s", "x", "z", "ch", "sh"} {
		if strings.HasSuffix(name, end) {
			return name + "es"
		}
	}
	if stem, ok := strings.CutSuffix(name, "y"); ok && stem != "" && !strings.ContainsRune("aeiou", rune(stem[len(stem)-1])) {
		return stem + "ies"
	}
	return name + "s"
}
