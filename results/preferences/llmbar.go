package preferences

import (
	"fmt"
	"strconv"
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
func NewLLMBarStatistics(choices []LLMBarChoice) LLMBarStatistics {
	s := LLMBarStatistics{Pairs: len(choices)}
	count := func(n *int, yes bool) {
		if yes {
			*n++
		}
	}
	theirs := map[data.Choice]int{data.ChoiceA: 1}
	codes := map[data.Choice]int{data.ChoiceA: 1, data.ChoiceB: 2}
	var ab, ba, labels []int
	for _, c := range choices {
		count(&s.CorrectAB, c.AB == c.Label)
		count(&s.CorrectBA, c.BA == c.Label)
		count(&s.CorrectBoth, c.AB == c.Label && c.BA == c.Label)
		count(&s.Equal, c.AB == c.BA || !c.AB.Decided() && !c.BA.Decided())
		ab, ba, labels = append(ab, theirs[c.AB]), append(ba, theirs[c.BA]), append(labels, codes[c.Label])
	}
	s.KappaAB, s.KappaBA, s.KappaOrders = kappa(ab, labels), kappa(ba, labels), kappa(ab, ba)
	s.TrueKappaAB = trueKappa(choices, func(c LLMBarChoice) data.Choice { return c.AB })
	s.TrueKappaBA = trueKappa(choices, func(c LLMBarChoice) data.Choice { return c.BA })
	return s
}

// trueKappa is Cohen's kappa of choices and labels, without missing choices.
func trueKappa(choices []LLMBarChoice, of func(LLMBarChoice) data.Choice) table.Figure {
	code := map[data.Choice]int{data.ChoiceA: 1, data.ChoiceB: 2}
	var x, y []int
	for _, c := range choices {
		if of(c).Decided() {
			x, y = append(x, code[of(c)]), append(y, code[c.Label])
		}
	}
	return kappa(x, y)
}

// kappa is Cohen's kappa with the order of operations of scikit-learn 1.3, so that all
// digits are equal: 1 minus the sum of disagreements divided by the sum of expected
// ones, added in numpy's order. It is missing if all ratings are of one category.
func kappa(x, y []int) table.Figure {
	const most = 3 // categories 0, 1, 2
	var view [most][most]int
	var used [most]bool
	for i := range x {
		view[x[i]][y[i]]++
		used[x[i]], used[y[i]] = true, true
	}
	var categories []int
	for c := range used {
		if used[c] {
			categories = append(categories, c)
		}
	}
	var disagreed int
	var expected []float64
	for _, i := range categories {
		for _, k := range categories {
			if i == k {
				expected = append(expected, 0)
				continue
			}
			disagreed += view[i][k]
			rows, columns := 0, 0
			for _, c := range categories {
				columns += view[c][i]
				rows += view[k][c]
			}
			expected = append(expected, float64(columns*rows)/float64(len(x)))
		}
	}
	sum := numpySum(expected)
	if sum == 0 {
		return table.Figure{}
	}
	return table.Number(1 - float64(disagreed)/sum)
}

// numpySum adds numbers as numpy does: eight partial sums, then these in pairs, then the
// rest.
func numpySum(of []float64) float64 {
	sum := 0.0
	if len(of) >= 8 {
		sum = ((of[0] + of[1]) + (of[2] + of[3])) + ((of[4] + of[5]) + (of[6] + of[7]))
		of = of[8:]
	}
	for _, v := range of {
		sum += v
	}
	return sum
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

// python is a number as Python's repr has it.
func python(v float64) string {
	format := byte('f')
	if v != 0 && (v < 1e-4 && v > -1e-4 || v >= 1e16 || v <= -1e16) {
		format = 'e'
	}
	s := strconv.FormatFloat(v, format, -1, 64)
	if format == 'f' && !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
