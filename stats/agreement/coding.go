package agreement

import "slices"

// Statistics of order and of agreement work on codes. The code of a value is its place
// 0…V-1 among the distinct values in ascending order. Equality is exact, and -0 is 0.

// codeRows codes several rows of values over their common distinct values, ascending.
// Where missing is set the code is unrated.
func codeRows(rows [][]float64, missing [][]bool) (codes [][]int32, distinct []float64) {
	for r, row := range rows {
		for i, v := range row {
			if !isMissing(missing, r, i) {
				distinct = append(distinct, v+0) // -0 is 0
			}
		}
	}
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	codes = make([][]int32, len(rows))
	for r, row := range rows {
		codes[r] = make([]int32, len(row))
		for i, v := range row {
			if isMissing(missing, r, i) {
				codes[r][i] = unrated
				continue
			}
			place, _ := slices.BinarySearch(distinct, v)
			codes[r][i] = int32(place)
		}
	}
	return codes, slices.Clip(distinct)
}

func isMissing(missing [][]bool, row, i int) bool {
	return missing != nil && missing[row] != nil && missing[row][i]
}

// numbering numbers keys by first appearance, from 0.
type numbering[K comparable] map[K]int32

func (n numbering[K]) number(key K) (number int32, fresh bool) {
	number, known := n[key]
	if !known {
		number = int32(len(n))
		n[key] = number
	}
	return number, !known
}
