package stats

import (
	"cmp"
	"math"
	"slices"
)

// Every statistic of order or of agreement works on codes: the values replaced
// by their place 0…V-1 among the distinct values in ascending order. Equality
// is exact, and -0 is 0.

// fewValues is the number of distinct values up to which a hash table is
// faster than sorting (scores, points, labels); beyond it the data are taken
// for continuous.
const fewValues = 4096

// codeValues returns the codes of x and the distinct values in ascending order.
// Infinities are ordered like numbers; NaN must have been refused before.
func codeValues(x []float64) (codes []int32, distinct []float64) {
	coded, distinct := codeRows([][]float64{x}, nil)
	return coded[0], distinct
}

// codeRows codes several rows of values over their common distinct values.
// Where missing is set the code is unrated.
func codeRows(rows [][]float64, missing [][]bool) (codes [][]int32, distinct []float64) {
	codes = make([][]int32, len(rows))
	for r, row := range rows {
		codes[r] = make([]int32, len(row))
	}
	table := newCodeTable(8)
	for r, row := range rows {
		var absent []bool
		if missing != nil {
			absent = missing[r]
		}
		if !codeFew(table, codes[r], row, absent) {
			return codes, codeMany(codes, rows, missing)
		}
	}
	place, distinct := table.ascending()
	for _, row := range codes {
		for i, c := range row {
			row[i] = place[c+1]
		}
	}
	return codes, distinct
}

// codeFew numbers the values as they come. It gives up when there are more than
// fewValues. The first probe of the table is written out: this loop is most of
// the time of alpha.
func codeFew(table *codeTable, codes []int32, row []float64, missing []bool) bool {
	codes = codes[:len(row)]
	slots, shift := table.slots, table.shift
	for i, v := range row {
		if missing != nil && missing[i] {
			codes[i] = unrated
			continue
		}
		key := math.Float64bits(v + 0)
		s := slots[key*rngGamma>>(shift&63)]
		code := s.next - 1
		if s.key != key || code < 0 {
			code = table.code(key)
			if code == fewValues {
				return false
			}
			slots, shift = table.slots, table.shift
		}
		codes[i] = code
	}
	return true
}

// codeMany sorts the values of all rows together.
func codeMany(codes [][]int32, rows [][]float64, missing [][]bool) (distinct []float64) {
	keys := sortedKeys(presentValues(rows, missing))
	flat := make([]int32, len(keys))
	distinct = make([]float64, 0, len(keys))
	for i, k := range keys {
		if i == 0 || k.bits != keys[i-1].bits {
			distinct = append(distinct, k.value())
		}
		flat[k.row] = int32(len(distinct) - 1)
	}
	for r, row := range codes {
		for i := range row {
			if isMissing(missing, r, i) {
				row[i] = unrated
				continue
			}
			row[i], flat = flat[0], flat[1:]
		}
	}
	return distinct
}

// presentValues are the values that are not missing, row after row.
func presentValues(rows [][]float64, missing [][]bool) []float64 {
	if len(rows) == 1 && missing == nil {
		return rows[0]
	}
	present := make([]float64, 0, len(rows)*len(rows[0]))
	for r, row := range rows {
		for i, v := range row {
			if !isMissing(missing, r, i) {
				present = append(present, v)
			}
		}
	}
	return present
}

func isMissing(missing [][]bool, row, i int) bool {
	return missing != nil && missing[row] != nil && missing[row][i]
}

// codeTable numbers 64-bit keys by first appearance: a hash table with linear
// probing, several times faster than a map for a handful of keys.
type codeTable struct {
	slots []codeSlot
	shift uint
	keys  []uint64
}

type codeSlot struct {
	key  uint64
	next int32 // 1 + code; 0 is an empty slot
}

func newCodeTable(logSize uint) *codeTable {
	return &codeTable{slots: make([]codeSlot, 1<<logSize), shift: 64 - logSize}
}

func (t *codeTable) code(key uint64) int32 {
	mask := len(t.slots) - 1
	i := int(key * rngGamma >> t.shift)
	for ; t.slots[i].next != 0; i = (i + 1) & mask {
		if t.slots[i].key == key {
			return t.slots[i].next - 1
		}
	}
	t.keys = append(t.keys, key)
	t.slots[i] = codeSlot{key, int32(len(t.keys))}
	if 2*len(t.keys) > len(t.slots) {
		t.grow()
	}
	return int32(len(t.keys) - 1)
}

func (t *codeTable) grow() {
	t.shift--
	t.slots = make([]codeSlot, 2*len(t.slots))
	mask := len(t.slots) - 1
	for code, key := range t.keys {
		i := int(key * rngGamma >> t.shift)
		for t.slots[i].next != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = codeSlot{key, int32(code + 1)}
	}
}

// ascending returns, for keys that are the bits of floats, the values in
// ascending order and the place of each code among them; place[0] is unrated,
// place[1+code] that of a code.
func (t *codeTable) ascending() (place []int32, values []float64) {
	values = make([]float64, len(t.keys))
	order := make([]int32, len(t.keys))
	for code, key := range t.keys {
		values[code] = math.Float64frombits(key)
		order[code] = int32(code)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(values[a], values[b]) })
	place = make([]int32, len(t.keys)+1)
	place[0] = unrated
	for i, code := range order {
		place[code+1] = int32(i)
	}
	slices.Sort(values)
	return place, values
}
