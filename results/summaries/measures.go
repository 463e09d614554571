package summaries

import (
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/stats"
)

// A measure is a number of a summary, from its table or from a judge's labels of one kind.
type measure struct {
	name, heading string
	kind          string  // of the labels; "": it needs none
	low, high     float64 // its range
	// of is the number, or a number for each row; nil: there is none. The labels fit the table.
	measure func(t data.ContrastTable, l data.Labels) []float64
}

const (
	chs     = "chs"
	noJudge = "-" // of a measure that needs no judge
	people  = "people"
)

// measures are in the order of summaries.csv. Gunel et al. 2023, section 4, define them.
//
// Helpful is the share of rows with YES: they leave open whether OK counts, and here it does not. The headline is its mean
// over summaries (macro), and next to it stands the share of all rows (micro). Redundancy is the share of attributes that
// repeat another one. Inconsistency is the number of values that have to go, so that no object has two values of an
// attribute that contradict each other. They print the precision of the first five rows without saying what fewer rows give:
// it is divided by their number, and strictly by five. Lift is the precision less the share of relevant rows, which a random
// order has on average. Rows is the number of rows (Table 3).
var measures = []measure{
	{chs, "helpful", data.LabelRows, 0, 1, ofRows(helps, mean)},
	{"chs_micro", "of all rows", data.LabelRows, 0, 1, ofRows(helps, func(rows []float64) []float64 { return rows })},
	{"ok", "OK", data.LabelRows, 0, 1, ofRows(func(r data.RowLabel) (is, known bool) {
		return r.Label == data.RowOK, slices.Contains(data.RowLabelNames, r.Label)
	}, mean)},
	{"redundancy", "redundancy", data.LabelPartition, 0, 1, func(t data.ContrastTable, l data.Labels) []float64 {
		return []float64{float64(len(t.Rows)-len(l.Partition)) / float64(len(t.Rows))}
	}},
	{"inconsistency", "inconsistency", data.LabelConsistent, 0, math.Inf(1), func(t data.ContrastTable, l data.Labels) []float64 {
		sum := 0
		for i, row := range t.Rows {
			for k, values := range row.Cells() {
				sum += len(values) - len(l.Consistent[i].Cells()[k])
			}
		}
		return []float64{float64(sum)}
	}},
	{"p_at_5", "P@5", data.LabelRows, 0, 1, ofRows(relevant, precision)},
	{"p_at_5_strict", "strict", data.LabelRows, 0, 1, ofRows(relevant, func(rows []float64) []float64 {
		return precision(append(slices.Clone(rows), make([]float64, mostPrecise)...))
	})},
	{"lift_at_5", "lift", data.LabelRows, -1, 1, ofRows(relevant, func(rows []float64) []float64 {
		return []float64{precision(rows)[0] - stats.Mean(rows)}
	})},
	{"rows", "rows", "", 0, math.Inf(1), func(t data.ContrastTable, _ data.Labels) []float64 { return []float64{float64(len(t.Rows))} }},
	{"distinctiveness", "distinctiveness", "", 0, 1, func(t data.ContrastTable, _ data.Labels) []float64 {
		return distinctiveness(textsOf(t))
	}},
}

func helps(r data.RowLabel) (is, known bool) { return r.Helps(), r.Label != data.RowUnlabelled }

func relevant(r data.RowLabel) (is, known bool) {
	return r.Relevant != nil && *r.Relevant, r.Relevant != nil
}

// ofRows measures a property of rows, as 1 and 0. Without rows, or if it is not known of a row, the number is missing.
func ofRows(is func(data.RowLabel) (is, known bool), measure func(rows []float64) []float64) func(data.ContrastTable,
	data.Labels) []float64 {
	return func(t data.ContrastTable, l data.Labels) []float64 {
		if rows := rowsAs(is)(t, l); len(rows) > 0 && !slices.Contains(rows, -1) {
			return measure(rows)
		}
		return nil
	}
}

func mean(values []float64) []float64 { return []float64{stats.Mean(values)} }

// mostPrecise is the number of rows that the precision of a ranking looks at.
const mostPrecise = 5

// precision returns the share of the first rows that are relevant.
func precision(relevant []float64) []float64 { return mean(relevant[:min(mostPrecise, len(relevant))]) }

// distinctiveness measures how few words the texts about two objects, and the text about both, have in common. For multisets
// of stemmed words A, B and C (an intersection has the smallest count of each word, the union the largest):
//
//	1 − (|A∩B| + |A∩C| + |B∩C| − 2|A∩B∩C|) / |A∪B∪C|
//
// in [0, 1]; nil without words. Three unrelated texts have 1, so do not rank systems by it. Iso et al. 2022 (CoCoSum),
// section 4.
func distinctiveness(texts [3]string) []float64 {
	counts := map[string]*[3]int{}
	for i, text := range texts {
		for _, w := range data.Stems(text) {
			if counts[w] == nil {
				counts[w] = &[3]int{}
			}
			counts[w][i]++
		}
	}
	shared := 0
	union := 0
	for _, n := range counts { // sums of integers: their order does not matter
		a := n[0]
		b := n[1]
		c := n[2]
		shared += min(a, b) + min(a, c) + min(b, c) - 2*min(a, b, c)
		union += max(a, b, c)
	}
	if union == 0 {
		return nil
	}
	return []float64{1 - float64(shared)/float64(union)}
}

// textsOf returns the values of a table by what they are about: the first object, the second, and both, in rows in which the
// objects are alike.
func textsOf(t data.ContrastTable) (texts [3]string) {
	for _, row := range t.Rows {
		for k, values := range row.Cells() {
			if row.Kind == data.RowImportant && len(row.Object1) > 0 && len(row.Object2) > 0 {
				k = 2
			}
			for _, v := range values {
				texts[k] += v.Value + "\n"
			}
		}
	}
	return texts
}

// attributed counts the values of tables.
type attributed struct {
	found              ratio // values whose quotes are all in their sources, of those whose sources are known
	supported, foreign ratio // by a judge, of values with a label; foreign ones are about the other object
	minority           ratio // values that more sources contradict than support, of all
}

type ratio struct{ part, total int }

func (r *ratio) add(is bool) {
	r.part = r.part + int(dataset.Indicator(is))
	r.total++
}

// add counts the values of a table. support has the labels of a judge, or is nil. sources has the texts of sources; nil:
// none is known. White space in quotes is folded.
func (n *attributed) add(t data.ContrastTable, support []data.RowSupport, sources map[string]string) {
	for i, row := range t.Rows {
		for k, values := range row.Cells() {
			for j, v := range values {
				if sources != nil {
					n.found.add(len(v.Evidence) > 0 && !slices.ContainsFunc(v.Evidence, func(e data.Evidence) bool {
						text, here := sources[e.Source]
						return !here || !strings.Contains(folded(text), folded(e.Quote))
					}))
				}
				if support != nil {
					label := support[i].Cells()[k][j]
					n.supported.add(label.Supported)
					n.foreign.add(label.WrongEntity)
				}
				n.minority.add(len(v.Supporters) < len(v.Conflicts))
			}
		}
	}
}

func folded(s string) string { return strings.Join(strings.Fields(s), " ") }
