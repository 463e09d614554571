package summary

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges/text/lexical"
)

// Thresholds of the rules. Words are compared without plural endings, names of objects and function words.
const (
	quoted     = 0.6    // least share of a value's words that its quotes must have
	shortValue = 4      // a value of at most this many words can contradict any other
	common     = 1. / 3 // least share of a longer value's words that another value must have, for a contradiction
)

// labelByRules labels a table with labels of one kind. Rules cannot see whether a row is useful or relevant: of 92 rows of CoCoTrip they
// called 77 % useful, and a reader 9 %. So they do not label rows.
//
//   - partition: attributes whose names have the same words are one.
//   - consistent: it keeps a largest set of values that do not contradict each other (see contradict),
//     the first of several.
//   - support: quotes support a value if they have 60 % of its words. A value is of the wrong
//     entity if its quotes name the other object and not its own.
//     entity if its quotes name the other object and not its own.
func labelByRules(q data.Question, t data.ContrastTable, kind string) (l data.Labels) {
	names := lexical.ContentWords(q.Object1 + " " + q.Object2)
	words := func(text string) []string {
		return data.Set(slices.DeleteFunc(lexical.ContentWords(text), func(w string) bool { return slices.Contains(names, w) }))
	}
	if kind == data.LabelPartition {
		l.Partition = partition(t)
		return l
	}
	for _, row := range t.Rows {
		switch kind {
		case data.LabelConsistent:
			l.Consistent = append(l.Consistent, data.KeptValues{Object1: consistent(q, row.Object1, words), Object2: consistent(q, row.Object2,
				words)})
		case data.LabelSupport:
			var cells [2][]data.ValueSupport
			for k, values := range row.Cells() {
				name := q.Object1
				other := q.Object2
				if k == 1 {
					name, other = other, name
				}
				cells[k] = []data.ValueSupport{}
				for _, v := range values {
					quotes := quotesOf(v)
					cells[k] = append(cells[k], data.ValueSupport{Supported: covered(words(v.Value), words(quotes)) >= quoted,
						WrongEntity: mentions(quotes, other) && !mentions(quotes, name)})
				}
			}
			l.Support = append(l.Support, data.RowSupport{Object1: cells[0], Object2: cells[1]})
		}
	}
	return l
}

// partition groups the rows whose attributes have the same words. A group is a list of row numbers, from 1.
func partition(t data.ContrastTable) (groups [][]int) {
	index := map[string]int{}
	for i, row := range t.Rows {
		key := strings.Join(data.Set(lexical.ContentWords(row.Attribute)), " ")
		g, known := index[key]
		if !known || key == "" {
			g = len(groups)
			groups = append(groups, nil)
			index[key] = g
		}
		groups[g] = append(groups[g], i+1)
	}
	return groups
}

// mostCompared limits the values of a cell for which all combinations are tried. If there are more, a value is kept if it does not
// contradict a value kept before it.
const mostCompared = 16

// consistent returns the numbers, from 1, of a largest set of values without a contradiction.
func consistent(q data.Question, values []data.ContrastValue, words func(string) []string) []int {
	n := len(values)
	against := make([][]bool, n)
	for i := range values {
		against[i] = make([]bool, n)
		for j := range i {
			against[i][j] = contradict(q, values[i].Value, values[j].Value, words)
			against[j][i] = against[i][j]
		}
	}
	var best []int
	var extend func(i int, chosen []int)
	extend = func(i int, chosen []int) {
		if len(chosen)+n-i <= len(best) {
			return
		}
		if i == n {
			best = slices.Clone(chosen)
			return
		}
		fits := !slices.ContainsFunc(chosen, func(c int) bool { return against[i][c-1] })
		if fits {
			extend(i+1, append(chosen, i+1))
		}
		if !fits || n <= mostCompared {
			extend(i+1, chosen)
		}
	}
	extend(0, make([]int, 0, n))
	if best == nil {
		best = []int{}
	}
	return best
}

// contradict reports whether two values of one object cannot both hold: they are at opposite ends of a scale, or have different numbers of
// the same unit. The shorter value must have at most four words, or a third of its words must be in the longer one.
func contradict(q data.Question, a, b string, words func(string) []string) bool {
	shorter := words(a)
	longer := words(b)
	if len(shorter) > len(longer) {
		shorter, longer = longer, shorter
	}
	if len(shorter) > shortValue && covered(shorter, longer) < common {
		return false
	}
	names := lexical.NewNames(q.Object1, q.Object2)
	if lexical.Opposed(lexical.Read(names, a, 0), lexical.Read(names, b, 0)) {
		return true
	}
	x := quantities(a)
	y := quantities(b)
	for unit, number := range x {
		if other, has := y[unit]; has && other != number {
			return true
		}
	}
	return false
}

var quantity = regexp.MustCompile(`([$€£])?\b(\d+(?:[.,]\d+)*)\s*([%°]|\pL+)?`)

// quantities returns the numbers of a text by unit. A unit with several numbers is left out.
func quantities(text string) map[string]string {
	values := map[string]string{}
	for _, m := range quantity.FindAllStringSubmatch(text, -1) {
		unit := m[1]
		if unit == "" {
			unit = data.Stem(strings.ToLower(m[3]))
		}
		if _, twice := values[unit]; twice || unit == "" {
			values[unit] = ""
			continue
		}
		values[unit] = strings.ReplaceAll(m[2], ",", "")
	}
	maps.DeleteFunc(values, func(_, number string) bool { return number == "" })
	return values
}

func quotesOf(v data.ContrastValue) string {
	return strings.Join(data.Each(v.Evidence, func(e data.Evidence) string { return e.Quote }), "\n")
}

// covered returns the share of words that text contains, in [0, 1]. It is 1 if there are no words.
func covered(words, text []string) float64 {
	if len(words) == 0 {
		return 1
	}
	return float64(len(data.Where(words, func(w string) bool { return slices.Contains(text, w) }))) / float64(len(words))
}

// mentions reports whether a text contains the words of a name in sequence.
func mentions(text, name string) bool {
	join := func(s string) string { return " " + strings.Join(data.Stems(s), " ") + " " }
	return strings.Contains(join(text), join(name))
}
