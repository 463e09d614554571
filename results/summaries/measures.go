package summaries

import (
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/stats"
)

// A measure computes a number for a contrastive table, from the table itself or from a judge's labels of one kind.
type measure struct {
	name, heading string
	kind          string  // kind of the labels; "" if the measure needs no labels
	low, high     float64 // range of the measure
	// measure returns the number, or one number for each row; nil if it is undefined. The labels must fit the table.
	measure func(t data.ContrastTable, l data.Labels) []float64
}

const (
	chs     = "chs"
	noJudge = "-" // the judge of measures that need no labels
	people  = "people"
)

// measures are in the order of summaries.csv. Gunel et al. 2023, section 4, define most of them.
//
// Helpful is the share of rows with the label YES. The authors leave open whether OK counts, and here it does not. The main figure is the
// mean over tables (macro), next to the share of all rows (micro). Redundancy is the share of attributes that repeat another one.
// Inconsistency is the number of values to remove so that no object has contradicting values of an attribute. P@5 is the precision of the
// first five rows. The authors do not say how to treat tables with fewer rows: here it divides by their number, and the strict form by
// five. Lift is P@5 minus the share of relevant rows, which is the expected precision of a random order. Rows is the number of rows (Table
// 3).
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

// ofRows returns a measure of a property of rows, as 1 and 0. It is nil without rows, or if the property is unknown for any row.
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

// mostPrecise is the number of rows that the precision covers.
const mostPrecise = 5

// precision returns the share of relevant rows among the first mostPrecise.
func precision(relevant []float64) []float64 { return mean(relevant[:min(mostPrecise, len(relevant))]) }

// distinctiveness measures how few words three texts have in common: about the first object, the second, and both. A, B and C are the
// multisets of their stemmed words. An intersection has the smallest count of each word, the union the largest.
//
//	1 − (|A∩B| + |A∩C| + |B∩C| − 2|A∩B∩C|) / |A∪B∪C|
//
// in [0, 1], or nil without words (Iso et al. 2022, CoCoSum, section 4). Three unrelated texts also have 1, so systems should not be ranked
// by it.
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
	for _, n := range counts { // sums of integers do not depend on the order
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

// textsOf returns the values of a table as three texts: about the first object, the second, and both. Values are about both if both cells
// of a row are filled and the row states that the objects are alike.
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

// An attributed counts how many values of tables can be attributed to their sources.
type attributed struct {
	found              ratio // values whose quotes are all in their sources, of the values with known sources
	supported, foreign ratio // by a judge's labels: values that are supported, and values about the other object
	minority           ratio // values that more sources contradict than support, of all values
}

type ratio struct{ part, total int }

func (r *ratio) add(is bool) {
	r.part = r.part + int(dataset.Indicator(is))
	r.total++
}

// add counts the values of a table. support has a judge's labels, or nil. sources has the texts of the sources by ID, or nil if they are
// unknown. Differences in white space do not count.
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
