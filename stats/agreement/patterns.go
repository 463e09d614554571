package agreement

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// A patternSet holds the distinct patterns of ratings of the units with two or more ratings. A pattern is a multiset of values. Agreement
// depends only on the patterns and how often each occurs. A million units on a five-point scale have about a hundred patterns, and a
// resample is another vector of counts.
//
// The entries of a pattern are its values, with codes in ascending order.
type patternSet struct {
	entries []entry   // of all patterns, one after the other
	ends    []int32   // index after the last entry of each pattern
	size    []int32   // m_u, the number of ratings of a unit with this pattern
	units   []float64 // number of units with this pattern
}

// pattern returns the entries of a pattern.
func (s *patternSet) pattern(p int) []entry {
	from := int32(0)
	if p > 0 {
		from = s.ends[p-1]
	}
	return s.entries[from:s.ends[p]]
}

// An entry is a value's code, and how often the value occurs in a pattern.
type entry struct{ code, count int32 }

// unpairable is the pattern of a unit with fewer than two ratings.
const unpairable = -1

// groupUnits returns the patterns and the pattern of every unit. If there are many values, units rarely have equal ratings, and each unit
// gets a pattern of its own.
func groupUnits(codes [][]int32, units, values int) (s patternSet, unitPattern []int32) {
	many := values*bits.Len(uint(len(codes))) > 64
	unitPattern = make([]int32, units)
	if many { // growing slices would take twice the memory
		ratings := 0
		for _, rater := range codes {
			for _, code := range rater {
				if code != Unrated {
					ratings++
				}
			}
		}
		s = patternSet{make([]entry, 0, ratings), make([]int32, 0, units), make([]int32, 0, units), make([]float64, 0, units)}
	}
	patternOf := map[string]int32{}
	var key []byte
	var entries []entry
	for u := range unitPattern {
		entries = appendUnitEntries(entries[:0], codes, u)
		key = key[:0]
		for _, e := range entries {
			key = binary.LittleEndian.AppendUint32(key, uint32(e.code))
			key = binary.LittleEndian.AppendUint32(key, uint32(e.count))
		}
		pattern, known := patternOf[string(key)]
		if !known || many {
			pattern = s.add(entries)
			if !many {
				patternOf[string(key)] = pattern
			}
		}
		unitPattern[u] = pattern
		if pattern != unpairable {
			s.units[pattern]++
		}
	}
	return s, unitPattern
}

// add appends a pattern and returns its number, or unpairable if it has fewer than two ratings.
func (s *patternSet) add(entries []entry) int32 {
	size := int32(0)
	for _, e := range entries {
		size += e.count
	}
	if size < 2 {
		return unpairable
	}
	s.entries = append(s.entries, entries...)
	s.ends = append(s.ends, int32(len(s.entries)))
	s.size = append(s.size, size)
	s.units = append(s.units, 0)
	return int32(len(s.size) - 1)
}

// appendUnitEntries returns the entries of one unit. It reuses the memory of entries, which must be empty.
func appendUnitEntries(entries []entry, codes [][]int32, unit int) []entry {
	for _, rater := range codes {
		if c := rater[unit]; c != Unrated {
			index, found := slices.BinarySearchFunc(entries, c, func(e entry, c int32) int { return int(e.code - c) })
			if !found {
				entries = slices.Insert(entries, index, entry{code: c})
			}
			entries[index].count++
		}
	}
	return entries
}
