package preferences

import (
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/stats"
	"compqa/stats/agreement"
)

// LLMBarStatistics are the figures that the authors of LLMBar compute for a judge and a prompting style on a set. The authors count a
// missing preference as wrong, and two missing preferences as equal. Their code has an error: it codes the second answer as 0 but the
// labels as 1 and 2. KappaAB and KappaBA repeat this error and so do not measure agreement with the labels. TrueKappaAB and TrueKappaBA are
// correct. A kappa is missing if all ratings are of one category.
type LLMBarStatistics struct {
	Pairs       int          `csv:"pairs"`
	CorrectAB   int          `csv:"correct_ab"`
	CorrectBA   int          `csv:"correct_ba"`
	CorrectBoth int          `csv:"correct_both"`
	Equal       int          `csv:"equal"`
	TrueKappaAB stats.Figure `csv:"kappa_ab"` // choices against labels
	TrueKappaBA stats.Figure `csv:"kappa_ba"`
	KappaOrders stats.Figure `csv:"kappa_orders"`
	KappaAB     stats.Figure `csv:"-"`
	KappaBA     stats.Figure `csv:"-"`
}

// A LLMBarRow is a row of llmbar.csv: LLMBar's figures, recomputed.
type LLMBarRow struct {
	Judge   string `csv:"judge"`
	Style   string `csv:"style"`
	Dataset string `csv:"dataset"`
	LLMBarStatistics
	ReadOtherwise int    `csv:"read_otherwise"` // number of completions that the authors parse differently
	Identical     string `csv:"identical"`      // equal to the authors' statistics.json: yes or no; "" without this file
}

// A LLMBarChoice is a judge's choice in each order, and the label.
type LLMBarChoice struct{ Label, AB, BA data.Choice }

// NewLLMBarStatistics computes the accuracies and kappas of choices in both orders (Zeng et al. 2024).
func NewLLMBarStatistics(choices []*LLMBarChoice) LLMBarStatistics {
	s := LLMBarStatistics{Pairs: len(choices)}
	theirs := map[data.Choice]int{data.ChoiceA: 1}
	var ab, ba, orders, trueAB, trueBA codedPairs
	for _, c := range choices {
		s.CorrectAB += int(dataset.Indicator(c.AB == c.Label))
		s.CorrectBA += int(dataset.Indicator(c.BA == c.Label))
		s.CorrectBoth += int(dataset.Indicator(c.AB == c.Label && c.BA == c.Label))
		s.Equal += int(dataset.Indicator(c.AB == c.BA || !c.AB.Decided() && !c.BA.Decided()))
		ab.add(theirs[c.AB], codes[c.Label])
		ba.add(theirs[c.BA], codes[c.Label])
		orders.add(theirs[c.AB], theirs[c.BA])
		if c.AB.Decided() {
			trueAB.add(codes[c.AB], codes[c.Label])
		}
		if c.BA.Decided() {
			trueBA.add(codes[c.BA], codes[c.Label])
		}
	}
	// computed as the authors do, not by package raters, because the last digits in their file depend on the order of summation
	for pairs, into := range map[*codedPairs]*stats.Figure{&ab: &s.KappaAB, &ba: &s.KappaBA, &orders: &s.KappaOrders, &trueAB: &s.TrueKappaAB,
		&trueBA: &s.TrueKappaBA} {
		if kappa, err := agreement.CohenKappa(pairs.x, pairs.y); err == nil {
			*into = stats.Number(kappa)
		}
	}
	return s
}

// codes maps choices to numbers. A missing choice has no code.
var codes = map[data.Choice]int{data.ChoiceTie: 0, data.ChoiceA: 1, data.ChoiceB: 2}

// choiceWith returns the choice with a code, or "" if there is none.
func choiceWith(code float64) data.Choice {
	for c, of := range codes {
		if float64(of) == code {
			return c
		}
	}
	return ""
}

// codedPairs are the codes that two raters give to pairs.
type codedPairs struct{ x, y []float64 }

func (r *codedPairs) add(x, y int) {
	r.x = append(r.x, float64(x))
	r.y = append(r.y, float64(y))
}

// JSON returns the statistics as the authors' statistics.json, byte for byte.
func (s LLMBarStatistics) JSON() []byte {
	n := float64(s.Pairs)
	share := func(total int) string {
		return fmt.Sprintf(`"%d / %d = %s%%"`, total, s.Pairs, python(float64(total)/n*100))
	}
	kappa := func(values ...*float64) string {
		if mean := new(dataset.Calculator).MeanDefined(values); mean != nil {
			return python(*mean)
		}
		return "NaN" // as Python writes it
	}
	lines := []string{
		`"correct_False": ` + share(s.CorrectAB),
		`"correct_True": ` + share(s.CorrectBA),
		`"correct_average": "` + python(float64(s.CorrectAB+s.CorrectBA)/2/n*100) + `%"`,
		`"correct_both": ` + share(s.CorrectBoth),
		`"equal": ` + share(s.Equal),
		`"kappa_False": ` + kappa(s.KappaAB.Pointer()),
		`"kappa_True": ` + kappa(s.KappaBA.Pointer()),
		`"kappa_average": ` + kappa(s.KappaAB.Pointer(), s.KappaBA.Pointer()),
		`"kappa_agreement": ` + kappa(s.KappaOrders.Pointer()),
	}
	return []byte("{\n  " + strings.Join(lines, ",\n  ") + "\n}")
}

// python formats a number below 1e16 as Python's repr does.
func python(v float64) string {
	s := fmt.Sprint(v)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}
