package stats

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// sortKey pairs a row with the bits of its value, changed so that they order
// as the value does.
type sortKey struct {
	bits uint64
	row  int32
}

func keyOf(v float64, row int) sortKey {
	b := math.Float64bits(v + 0) // -0 is 0
	if b>>63 == 1 {
		return sortKey{^b, int32(row)}
	}
	return sortKey{b | 1<<63, int32(row)}
}

func (k sortKey) value() float64 {
	if k.bits>>63 == 1 {
		return math.Float64frombits(k.bits &^ (1 << 63))
	}
	return math.Float64frombits(^k.bits)
}

const (
	digitBits = 11
	digits    = 3
)

// sortedKeys returns the rows of x in ascending order of value, ties in the
// order of the rows. It is a radix sort by the leading 33 of those bits in which
// the values differ at all, which decide nearly every comparison of real data;
// runs that they leave equal are sorted by comparison. Several times faster on
// a million numbers than comparison alone, and never much slower.
func sortedKeys(x []float64) []sortKey {
	keys := make([]sortKey, len(x))
	every, some := ^uint64(0), uint64(0)
	for i, v := range x {
		keys[i] = keyOf(v, i)
		every &= keys[i].bits
		some |= keys[i].bits
	}
	low := max(0, bits.Len64(every^some)-digits*digitBits)
	var counts [digits][1 << digitBits]int
	for _, k := range keys {
		for d := range counts {
			counts[d][k.digit(low, d)]++
		}
	}
	spare := make([]sortKey, len(x))
	for d := range counts {
		next := &counts[d]
		runningStarts(next[:])
		for _, k := range keys {
			b := k.digit(low, d)
			spare[next[b]] = k
			next[b]++
		}
		keys, spare = spare, keys
	}
	if low > 0 {
		sortRuns(keys, low)
	}
	return keys
}

// digit d of the bits from low upwards.
func (k sortKey) digit(low, d int) uint64 {
	return k.bits >> ((low + d*digitBits) & 63) & (1<<digitBits - 1)
}

// sortRuns sorts the runs of keys that are equal above the bit low.
func sortRuns(keys []sortKey, low int) {
	for start := 0; start < len(keys); {
		end := start + 1
		for end < len(keys) && (keys[start].bits^keys[end].bits)>>(low&63) == 0 {
			end++
		}
		if end > start+1 {
			slices.SortFunc(keys[start:end], func(a, b sortKey) int {
				return cmp.Or(cmp.Compare(a.bits, b.bits), cmp.Compare(a.row, b.row))
			})
		}
		start = end
	}
}

// runningStarts turns counts into the first position of each bucket.
func runningStarts(counts []int) {
	start := 0
	for i, c := range counts {
		counts[i] = start
		start += c
	}
}

// ascendingOrder returns the rows of x in ascending order of value, ties in the
// order of the rows.
func ascendingOrder(x []float64) []int32 {
	order := make([]int32, len(x))
	for i, k := range sortedKeys(x) {
		order[i] = k.row
	}
	return order
}
