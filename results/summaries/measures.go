package summaries

import "compqa/data"

// mostPrecise is the number of rows that the precision of a ranking looks at.
const mostPrecise = 5

// Helpful counts the rows of a summary that help (YES), those that are neither helpful nor
// faulty (OK), and all. The share of helpful rows of a summary is
//
//	useful / all
//
// in [0, 1]; the headline is the mean over summaries (macro), and beside it stands the share
// of all rows (micro). Gunel et al. 2023, section 4.2, leave open whether OK counts: here it
// does not.
func Helpful(rows []data.RowLabel) (useful, ok, all int) {
	for _, r := range rows {
		switch {
		case r.Helps():
			useful++
		case r.Label == data.RowOK:
			ok++
		}
	}
	return useful, ok, len(rows)
}

// Redundancy is the share of attributes that repeat another one,
//
//	1 − clusters / attributes
//
// in [0, 1); 0 for one attribute. The partition is not empty and has each attribute once (see
// data.Labels.Check). Gunel et al., section 4.3.
func Redundancy(partition [][]int) float64 {
	attributes := 0
	for _, group := range partition {
		attributes += len(group)
	}
	return float64(attributes-len(partition)) / float64(attributes)
}

// Inconsistency is the number of values that have to go, so that no object has two values of
// an attribute that contradict each other:
//
//	Σ |values| − |largest consistent subset|
//
// over attributes and objects; a count. Gunel et al., section 4.3.
func Inconsistency(t data.ContrastTable, kept []data.KeptValues) int {
	sum := 0
	for i, row := range t.Rows {
		for k, values := range row.Cells() {
			sum += len(values) - len(kept[i].Cells()[k])
		}
	}
	return sum
}

// A Ranking is how precise the order of a summary's rows is.
type Ranking struct {
	At5    float64 // relevant among the first min(5, R) rows, divided by min(5, R)
	Strict float64 // divided by 5
	Lift   float64 // At5 less the share of relevant rows, which a random order has on average
}

// RankingOf is the precision of a ranking of R rows at 5, in [0, 1] (Lift: [-1, 1]); false
// without rows. Gunel et al., section 4.3, print precision at 5 without saying what fewer rows
// give.
func RankingOf(relevant []bool) (Ranking, bool) {
	if len(relevant) == 0 {
		return Ranking{}, false
	}
	count := func(rows []bool) (n float64) {
		for _, is := range rows {
			if is {
				n++
			}
		}
		return n
	}
	first := relevant[:min(mostPrecise, len(relevant))]
	at5 := count(first) / float64(len(first))
	return Ranking{at5, count(first) / mostPrecise, at5 - count(relevant)/float64(len(relevant))}, true
}

// Relevant are the relevance labels of rows; false if a row has none.
func Relevant(rows []data.RowLabel) ([]bool, bool) {
	relevant := make([]bool, len(rows))
	for i, r := range rows {
		if r.Relevant == nil {
			return nil, false
		}
		relevant[i] = *r.Relevant
	}
	return relevant, true
}

// Distinctiveness measures how few words the texts about two objects, and the text about both,
// have in common. For multisets of stemmed words A, B and C (an intersection has the smallest
// count of each word, the union the largest):
//
//	1 − (|A∩B| + |A∩C| + |B∩C| − 2|A∩B∩C|) / |A∪B∪C|
//
// in [0, 1]; false without words. Three unrelated texts have 1, so do not rank systems by it.
// Iso et al. 2022 (CoCoSum), section 4.
func Distinctiveness(a, b, common string) (float64, bool) {
	var sets [3]map[string]int
	all := map[string]bool{}
	for i, text := range [3]string{a, b, common} {
		sets[i] = map[string]int{}
		for _, w := range data.Words(text) {
			w = data.Stem(w)
			sets[i][w]++
			all[w] = true
		}
	}
	shared, union := 0, 0
	for w := range all { // sums of integers: their order does not matter
		a, b, c := sets[0][w], sets[1][w], sets[2][w]
		shared += min(a, b) + min(a, c) + min(b, c) - 2*min(a, b, c)
		union += max(a, b, c)
	}
	if union == 0 {
		return 0, false
	}
	return 1 - float64(shared)/float64(union), true
}

// textsOf are the values of a table by what they are about: the first object, the second, and
// both, in rows in which the objects are alike.
func textsOf(t data.ContrastTable) (a, b, common string) {
	texts := [3]string{}
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
	return texts[0], texts[1], texts[2]
}

// Attributed counts the values of a table.
type Attributed struct {
	Values   int
	Found    int // whose quotes are all in their sources
	Searched int // whose sources are known
	Minority int // that more sources contradict than support

	Labelled, Supported, WrongEntity int // of those with a label
}

// Attribution counts the values of a table. found says whether a quote is in its source;
// known is false for a source that is not there. support has the labels of a judge, or is nil.
func Attribution(t data.ContrastTable, support []data.RowSupport, found func(data.Evidence) (is, known bool)) Attributed {
	var n Attributed
	for i, row := range t.Rows {
		for k, values := range row.Cells() {
			n.Values += len(values)
			for j, v := range values {
				all, known := len(v.Evidence) > 0, true
				for _, e := range v.Evidence {
					is, here := found(e)
					all, known = all && is, known && here
				}
				n.Searched += indicator(known)
				n.Found += indicator(known && all)
				n.Minority += indicator(len(v.Supporters) < len(v.Conflicts))
				if support != nil {
					label := support[i].Cells()[k][j]
					n.Labelled++
					n.Supported += indicator(label.Supported)
					n.WrongEntity += indicator(label.WrongEntity)
				}
			}
		}
	}
	return n
}

func indicator(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Throughput is summaries a second; false without time.
func Throughput(valid int, seconds float64) (float64, bool) {
	if seconds <= 0 {
		return 0, false
	}
	return float64(valid) / seconds, true
}

// Pairs is the share of pairs of people who say the same of a unit, in [0, 1]; false for fewer
// than two people.
func Pairs[L comparable](labels []L) (float64, bool) {
	same, all := 0, 0
	for i := range labels {
		for _, other := range labels[i+1:] {
			all++
			same += indicator(labels[i] == other)
		}
	}
	if all == 0 {
		return 0, false
	}
	return float64(same) / float64(all), true
}
