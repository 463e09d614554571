package preferences

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"compqa/data"
	"compqa/results/table"
	"compqa/stats/agreement"
)

// A LLMBarRow has the figures that LLMBar's authors compute for a judge in a style on a set, from the
// raw completions. They count a missing preference as wrong, and two missing ones as equal. Their
// kappas include an error of their code, which codes the second answer as 0 and compares it with
// labels 1 and 2; those of the row measure agreement with the labels. A kappa is missing if all
// ratings are of one category.
type LLMBarRow struct {
	Judge         string       `csv:"judge"`
	Style         string       `csv:"style"`
	Dataset       string       `csv:"dataset"`
	Pairs         int          `csv:"pairs"`
	CorrectAB     int          `csv:"correct_ab"`
	CorrectBA     int          `csv:"correct_ba"`
	CorrectBoth   int          `csv:"correct_both"`
	Equal         int          `csv:"equal"`
	KappaAB       table.Figure `csv:"kappa_ab"` // of choices and labels
	KappaBA       table.Figure `csv:"kappa_ba"`
	KappaOrders   table.Figure `csv:"kappa_orders"`
	ReadOtherwise int          `csv:"read_otherwise"` // completions that the authors parse differently
	Identical     string       `csv:"identical"`      // to the authors' statistics.json: yes, no; "" without such a file
	theirs        [2]table.Figure
}

// A LLMBarChoice is a judge's choice in each order, and the label.
type LLMBarChoice struct{ Label, AB, BA data.Choice }

// Count sets the figures from the choices.
func (r *LLMBarRow) Count(choices []LLMBarChoice) {
	code := map[data.Choice]float64{data.ChoiceA: 1, data.ChoiceB: 2}
	theirs := map[data.Choice]float64{data.ChoiceA: 1}
	var labels, ab, ba []float64 // as the authors code them
	var known, chosen [2][]float64
	count := func(n *int, yes bool) {
		if yes {
			*n++
		}
	}
	for _, c := range choices {
		count(&r.CorrectAB, c.AB == c.Label)
		count(&r.CorrectBA, c.BA == c.Label)
		count(&r.CorrectBoth, c.AB == c.Label && c.BA == c.Label)
		count(&r.Equal, c.AB == c.BA || !c.AB.Decided() && !c.BA.Decided())
		labels, ab, ba = append(labels, code[c.Label]), append(ab, theirs[c.AB]), append(ba, theirs[c.BA])
		for i, choice := range []data.Choice{c.AB, c.BA} {
			if choice.Decided() {
				known[i], chosen[i] = append(known[i], code[c.Label]), append(chosen[i], code[choice])
			}
		}
	}
	r.Pairs = len(choices)
	r.KappaAB, r.KappaBA, r.KappaOrders = kappa(chosen[0], known[0]), kappa(chosen[1], known[1]), kappa(ab, ba)
	r.theirs = [2]table.Figure{kappa(ab, labels), kappa(ba, labels)}
}

func kappa(x, y []float64) table.Figure {
	if v, err := agreement.CohenKappa(x, y); err == nil {
		return table.Number(v)
	}
	return table.Figure{}
}

// Equals reports whether the figures are those of the authors' statistics.json.
func (r *LLMBarRow) Equals(statistics []byte) bool {
	var s struct {
		AB     string   `json:"correct_False"`
		BA     string   `json:"correct_True"`
		Both   string   `json:"correct_both"`
		Equal  string   `json:"equal"`
		KAB    *float64 `json:"kappa_False"`
		KBA    *float64 `json:"kappa_True"`
		Orders *float64 `json:"kappa_agreement"`
	}
	if json.Unmarshal([]byte(strings.ReplaceAll(string(statistics), "NaN", "null")), &s) != nil {
		return false
	}
	for text, n := range map[*string]int{&s.AB: r.CorrectAB, &s.BA: r.CorrectBA, &s.Both: r.CorrectBoth, &s.Equal: r.Equal} {
		if !strings.HasPrefix(*text, fmt.Sprintf("%d / %d = ", n, r.Pairs)) {
			return false
		}
	}
	for i, k := range []*float64{s.KAB, s.KBA, s.Orders} {
		own := []table.Figure{r.theirs[0], r.theirs[1], r.KappaOrders}[i]
		if own.Known() != (k != nil) || k != nil && math.Abs(*own.Number-*k) > 1e-9 {
			return false
		}
	}
	return true
}
