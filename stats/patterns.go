package stats

import (
	"math/bits"
	"slices"
)

// patternSet holds the distinct ways in which the pairable units (those with
// two ratings or more) were rated, whoever gave which rating. Agreement depends
// on nothing else, so a million units on a five-point scale are a hundred
// patterns with counts, and a resample is another vector of counts.
//
// The entries of pattern p are entries[first[p]:first[p+1]], codes ascending.
type patternSet struct {
	first   []int32
	entries []patternEntry
	size    []int32 // ratings in a unit of this pattern, m_u
	units   []int32 // units of this pattern
}

// patternEntry says that a unit got a value count times.
type patternEntry struct{ code, count int32 }

func (s *patternSet) of(p int) []patternEntry { return s.entries[s.first[p]:s.first[p+1]] }

// unpairable is the pattern of a unit with fewer than two ratings.
const unpairable = -1

// groupUnits finds the pattern of every unit. When the counts of all values fit
// into 64 bits they are the key of the pattern; otherwise the values are so
// many that units seldom coincide, and each pairable unit is its own pattern.
func groupUnits(codes [][]int32, units, values int) (s patternSet, unitPattern []int32) {
	s.first = []int32{0}
	unitPattern = make([]int32, units)
	width := bits.Len(uint(len(codes)))
	if values*width > 64 {
		for u := range unitPattern {
			unitPattern[u] = s.add(unitEntries(codes, u))
			s.see(unitPattern[u])
		}
		return s, unitPattern
	}
	known := map[uint64]int32{}
	for u, key := range packCounts(codes, units, values, width) {
		pattern, ok := known[key]
		if !ok {
			pattern = s.add(unpackCounts(key, width))
			known[key] = pattern
		}
		unitPattern[u] = pattern
		s.see(pattern)
	}
	return s, unitPattern
}

// add appends a pattern and returns its number, or unpairable.
func (s *patternSet) add(entries []patternEntry) int32 {
	size := int32(0)
	for _, e := range entries {
		size += e.count
	}
	if size < 2 {
		return unpairable
	}
	s.entries = append(s.entries, entries...)
	s.first = append(s.first, int32(len(s.entries)))
	s.size = append(s.size, size)
	s.units = append(s.units, 0)
	return int32(len(s.size) - 1)
}

// see counts a unit of pattern p.
func (s *patternSet) see(p int32) {
	if p != unpairable {
		s.units[p]++
	}
}

// unitEntries counts the codes of one unit.
func unitEntries(codes [][]int32, unit int) []patternEntry {
	entries := make([]patternEntry, 0, len(codes))
	for _, rater := range codes {
		if c := rater[unit]; c != unrated {
			at, found := slices.BinarySearchFunc(entries, c, func(e patternEntry, c int32) int { return int(e.code - c) })
			if !found {
				entries = slices.Insert(entries, at, patternEntry{code: c})
			}
			entries[at].count++
		}
	}
	return entries
}

// packCounts counts, for every unit, each value in a field of width bits. It
// goes through the units in blocks that stay in the cache from rater to rater.
func packCounts(codes [][]int32, units, values, width int) []uint64 {
	const block = 1024
	one := make([]uint64, values+1) // one[0] is of unrated
	for v := range values {
		one[v+1] = 1 << (v * width)
	}
	keys := make([]uint64, units)
	for low := 0; low < units; low += block {
		keys := keys[low:min(low+block, units)]
		for _, rater := range codes {
			for u, c := range rater[low : low+len(keys)] {
				keys[u] += one[c+1]
			}
		}
	}
	return keys
}

func unpackCounts(key uint64, width int) []patternEntry {
	var entries []patternEntry
	for code := int32(0); key != 0; code++ {
		if count := key & (1<<width - 1); count > 0 {
			entries = append(entries, patternEntry{code, int32(count)})
		}
		key >>= width
	}
	return entries
}
