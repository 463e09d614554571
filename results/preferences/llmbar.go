package preferences

import (
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/table"
)

// LLMBarStatistics are the figures that LLMBar's authors compute for a judge in a style
// on a set. They count a missing preference as wrong, and two missing ones as equal. The
// kappas include an error of their code, which codes the second answer as 0 and compares
// it with labels 1 and 2, so that they do not measure agreement with the labels; the
// correct ones are given too. A kappa is missing if all ratings are of one category.
type LLMBarStatistics struct {
	Pairs       int          `csv:"pairs"`
	CorrectAB   int          `csv:"correct_ab"`
	CorrectBA   int          `csv:"correct_ba"`
	CorrectBoth int          `csv:"correct_both"`
	Equal       int          `csv:"equal"`
	TrueKappaAB table.Figure `csv:"kappa_ab"` // of choices and labels
	TrueKappaBA table.Figure `csv:"kappa_ba"`
	KappaOrders table.Figure `csv:"kappa_orders"`
	KappaAB     table.Figure `csv:"-"`
	KappaBA     table.Figure `csv:"-"`
}

// A LLMBarRow is a row of llmbar.csv: LLMBar's figures, recomputed.
type LLMBarRow struct {
	Judge   string `csv:"judge"`
	Style   string `csv:"style"`
	Dataset string `csv:"dataset"`
	LLMBarStatistics
	ReadOtherwise int    `csv:"read_otherwise"` // completions that the authors parse differently
	Identical     string `csv:"identical"`      // to the authors' statistics.json: yes, no; "" without such a file
}

// A LLMBarChoice is a judge's choice in each order, and the label.
type LLMBarChoice struct{ Label, AB, BA data.Choice }

// NewLLMBarStatistics computes the figures from the choices.
func NewLLMBarStatistics(choices []*LLMBarChoice) LLMBarStatistics {
	s := LLMBarStatistics{Pairs: len(choices)}
	count := func(n *int, yes bool) {
		if yes {
			*n++
		}
	}
	theirs, codes := map[data.Choice]int{data.ChoiceA: 1}, map[data.Choice]int{data.ChoiceA: 1, data.ChoiceB: 2}
	var ab, ba, orders, trueAB, trueBA crossTable
	for _, c := range choices {
		count(&s.CorrectAB, c.AB == c.Label)
		count(&s.CorrectBA, c.BA == c.Label)
		count(&s.CorrectBoth, c.AB == c.Label && c.BA == c.Label)
		count(&s.Equal, c.AB == c.BA || !c.AB.Decided() && !c.BA.Decided())
		ab[theirs[c.AB]][codes[c.Label]]++
		ba[theirs[c.BA]][codes[c.Label]]++
		orders[theirs[c.AB]][theirs[c.BA]]++
		if c.AB.Decided() {
			trueAB[codes[c.AB]][codes[c.Label]]++
		}
		if c.BA.Decided() {
			trueBA[codes[c.BA]][codes[c.Label]]++
		}
	}
	s.KappaAB, s.KappaBA, s.KappaOrders = ab.kappa(), ba.kappa(), orders.kappa()
	s.TrueKappaAB, s.TrueKappaBA = trueAB.kappa(), trueBA.kappa()
	return s
}

// A crossTable counts ratings in the categories 0, 1 and 2 of two raters.
type crossTable [3][3]float64

// kappa is Cohen's kappa with the order of operations of scikit-learn 1.3, so that all
// digits are equal: 1 minus the sum of disagreements divided by the sum of expected
// ones, added in numpy's order: eight partial sums in pairs, then the rest. It is missing if all ratings
// are of one category.
func (t *crossTable) kappa() table.Figure {
	var rows, columns [3]float64
	n, disagreed := 0.0, 0.0
	for i := range t {
		for k, count := range t[i] {
			n, rows[i], columns[k] = n+count, rows[i]+count, columns[k]+count
			if i != k {
				disagreed += count
			}
		}
	}
	expected := func(i, k int) float64 { return columns[i] * rows[k] / n }
	sum := (expected(0, 1) + (expected(0, 2) + expected(1, 0))) + (expected(1, 2) + (expected(2, 0) + expected(2, 1)))
	if !(sum > 0) { // NaN without ratings
		return table.Figure{}
	}
	return table.Number(1 - disagreed/sum)
}

// JSON is the authors' statistics.json, byte for byte.
func (s LLMBarStatistics) JSON() []byte {
	n := float64(s.Pairs)
	share := func(of int) string {
		return fmt.Sprintf(`"%d / %d = %s%%"`, of, s.Pairs, python(float64(of)/n*100))
	}
	kappa := func(k table.Figure) string {
		if !k.Known() {
			return "NaN" // as Python writes it
		}
		return python(*k.Number)
	}
	var average table.Figure
	if s.KappaAB.Known() && s.KappaBA.Known() {
		average = table.Number((*s.KappaAB.Number + *s.KappaBA.Number) / 2)
	}
	lines := []string{
		`"correct_False": ` + share(s.CorrectAB),
		`"correct_True": ` + share(s.CorrectBA),
		`"correct_average": "` + python(float64(s.CorrectAB+s.CorrectBA)/2/n*100) + `%"`,
		`"correct_both": ` + share(s.CorrectBoth),
		`"equal": ` + share(s.Equal),
		`"kappa_False": ` + kappa(s.KappaAB),
		`"kappa_True": ` + kappa(s.KappaBA),
		`"kappa_average": ` + kappa(average),
		`"kappa_agreement": ` + kappa(s.KappaOrders),
	}
	return []byte("{\n  " + strings.Join(lines, ",\n  ") + "\n}")
}

// python is a number below 1e16 as Python's repr has it.
func python(v float64) string {
	s := fmt.Sprint(v)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}
