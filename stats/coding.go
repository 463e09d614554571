package stats

import (
	"cmp"
	"slices"
)

// Every statistic of order or of agreement works on codes. The code of a value
// is its place 0…V-1 among the distinct values in ascending order. Equality is
// exact, and -0 is 0.

// codeValues returns the codes of x and the distinct values in ascending order.
// Infinities are ordered like numbers. The caller must have refused NaN.
func codeValues(x []float64) (codes []int32, distinct []float64) {
	coded, distinct := codeRows([][]float64{x}, nil)
	return coded[0], distinct
}

// fewValues is the number of distinct values up to which a map is faster than
// sorting: scores, points, labels.
const fewValues = 4096

// codeRows codes several rows of values over their common distinct values.
// Where missing is set the code is unrated. NaN sorts before every number, so
// that the caller finds it at the start of distinct.
func codeRows(rows [][]float64, missing [][]bool) (codes [][]int32, distinct []float64) {
	codes = make([][]int32, len(rows))
	known := map[float64]int32{} // value → order of first appearance
	for r, row := range rows {
		codes[r] = make([]int32, len(row))
		for i, v := range row {
			if isMissing(missing, r, i) {
				codes[r][i] = unrated
				continue
			}
			code, ok := known[v]
			if !ok {
				if len(distinct) == fewValues {
					return codeSorted(rows, missing)
				}
				code = int32(len(distinct))
				known[v] = code
				distinct = append(distinct, v+0) // -0 becomes 0
			}
			codes[r][i] = code
		}
	}
	place := make([]int32, len(distinct))
	for i, code := range ascendingOrder(distinct) {
		place[code] = int32(i)
	}
	slices.Sort(distinct)
	for _, row := range codes {
		for i, c := range row {
			if c != unrated {
				row[i] = place[c]
			}
		}
	}
	return codes, distinct
}

// codeSorted is codeRows by sorting, for many distinct values.
func codeSorted(rows [][]float64, missing [][]bool) (codes [][]int32, distinct []float64) {
	type place struct {
		value    float64
		row, col int32
	}
	var places []place
	codes = make([][]int32, len(rows))
	for r, row := range rows {
		codes[r] = make([]int32, len(row))
		places = slices.Grow(places, len(row))
		for i, v := range row {
			if isMissing(missing, r, i) {
				codes[r][i] = unrated
				continue
			}
			places = append(places, place{v + 0, int32(r), int32(i)})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.value, b.value) })
	for i, p := range places {
		if i == 0 || p.value != places[i-1].value {
			distinct = append(distinct, p.value)
		}
		codes[p.row][p.col] = int32(len(distinct) - 1)
	}
	return codes, distinct
}

func isMissing(missing [][]bool, row, i int) bool {
	return missing != nil && missing[row] != nil && missing[row][i]
}

// ascendingOrder returns the rows of x in ascending order of value. Ties keep
// the order of the rows.
func ascendingOrder(x []float64) []int32 {
	order := make([]int32, len(x))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(x[a], x[b]) })
	return order
}
