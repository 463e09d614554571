package preferences

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/table"
)

// LLMBarStatistics are the figures that LLMBar's authors compute for a judge in a style
// on a set. They count a missing preference as wrong, and two missing ones as equal. The
// kappas include an error of their code, which codes the second answer as 0 and compares
// it with labels 1 and 2, so that they do not measure agreement with the labels; the
// correct ones are given too.
type LLMBarStatistics struct {
	Pairs                         int
	CorrectAB, CorrectBA          int
	CorrectBoth, Equal            int
	KappaAB, KappaBA, KappaOrders *float64 // nil if all ratings are of one category
	TrueKappaAB, TrueKappaBA      *float64 // of choices and labels
}

// A LLMBarChoice is a judge's choice in each order, and the label.
type LLMBarChoice struct{ Label, AB, BA data.Choice }

// NewLLMBarStatistics computes the figures from the choices.
func NewLLMBarStatistics(choices []LLMBarChoice) LLMBarStatistics {
	s := LLMBarStatistics{Pairs: len(choices)}
	coded := func(c data.Choice) int {
		if c == data.ChoiceA {
			return 1
		}
		return 0
	}
	var ab, ba, labels []int
	for _, c := range choices {
		one := func(yes bool) int {
			if yes {
				return 1
			}
			return 0
		}
		s.CorrectAB += one(c.AB == c.Label)
		s.CorrectBA += one(c.BA == c.Label)
		s.CorrectBoth += one(c.AB == c.Label && c.BA == c.Label)
		s.Equal += one(c.AB == c.BA || !c.AB.Decided() && !c.BA.Decided())
		label := 2
		if c.Label == data.ChoiceA {
			label = 1
		}
		ab, ba, labels = append(ab, coded(c.AB)), append(ba, coded(c.BA)), append(labels, label)
	}
	s.KappaAB, s.KappaBA, s.KappaOrders = kappa(ab, labels), kappa(ba, labels), kappa(ab, ba)
	s.TrueKappaAB = trueKappa(choices, func(c LLMBarChoice) data.Choice { return c.AB })
	s.TrueKappaBA = trueKappa(choices, func(c LLMBarChoice) data.Choice { return c.BA })
	return s
}

// trueKappa is Cohen's kappa of choices and labels, without missing choices.
func trueKappa(choices []LLMBarChoice, of func(LLMBarChoice) data.Choice) *float64 {
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
// ones, added in numpy's order. It is nil if all ratings are of one category.
func kappa(x, y []int) *float64 {
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
		return nil
	}
	k := 1 - float64(disagreed)/sum
	return &k
}

// numpySum adds numbers as numpy does: eight partial sums, then these in pairs, then the
// rest.
func numpySum(of []float64) float64 {
	if len(of) < 8 {
		sum := 0.0
		for _, v := range of {
			sum += v
		}
		return sum
	}
	sum := ((of[0] + of[1]) + (of[2] + of[3])) + ((of[4] + of[5]) + (of[6] + of[7]))
	for _, v := range of[8:] {
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
	kappa := func(k *float64) string {
		if k == nil {
			return "NaN" // as Python writes it
		}
		return python(*k)
	}
	var average *float64
	if s.KappaAB != nil && s.KappaBA != nil {
		mean := (*s.KappaAB + *s.KappaBA) / 2
		average = &mean
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

// A LLMBarRow is a row of llmbar.csv: LLMBar's figures, recomputed.
type LLMBarRow struct {
	Judge        string       `csv:"judge"`
	Style        string       `csv:"style"`
	Dataset      string       `csv:"dataset"`
	Pairs        int          `csv:"pairs"`
	CorrectAB    int          `csv:"correct_ab"`
	CorrectBA    int          `csv:"correct_ba"`
	CorrectBoth  int          `csv:"correct_both"`
	Equal        int          `csv:"equal"`
	KappaAB      table.Figure `csv:"kappa_ab"` // of choices and labels, corrected
	KappaBA      table.Figure `csv:"kappa_ba"`
	KappaOrders  table.Figure `csv:"kappa_orders"`
	ReadOtherway int          `csv:"read_otherwise"` // completions that the authors parse differently
	Identical    string       `csv:"identical"`      // to the authors' statistics.json: yes, no; "" without such a file
}

// NewLLMBarRow creates a row; stored reports whether the authors' file exists.
func NewLLMBarRow(judge, style, dataset string, s LLMBarStatistics, readOtherwise int, stored, identical bool) LLMBarRow {
	r := LLMBarRow{Judge: judge, Style: style, Dataset: dataset, Pairs: s.Pairs, CorrectAB: s.CorrectAB, CorrectBA: s.CorrectBA,
		CorrectBoth: s.CorrectBoth, Equal: s.Equal, KappaAB: table.FigureOf(s.TrueKappaAB), KappaBA: table.FigureOf(s.TrueKappaBA), KappaOrders: table.FigureOf(s.KappaOrders),
		ReadOtherway: readOtherwise}
	if stored {
		r.Identical = map[bool]string{true: "yes", false: "no"}[identical]
	}
	return r
}

// WriteLLMBar writes the rows as CSV.
func WriteLLMBar(path string, rows []LLMBarRow) error {
	return table.WriteFile(path, func(w io.Writer) error { return table.WriteCSV(w, rows) })
}
