package agreement

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// patternSet holds the distinct multisets of ratings of the pairable units (those with two or more ratings). Agreement
// depends only on them and their counts. A million units on a five-point scale have about a hundred patterns, and a
// resample is another vector of counts.
//
// The entries of a pattern are the values that a unit of it got, codes ascending.
type patternSet struct {
	entries []entry   // of all patterns, side by side
	ends    []int32   // of those of each pattern
	size    []int32   // ratings in a unit of this pattern, m_u
	units   []float64 // units of this pattern
}

// pattern returns the entries of a pattern.
func (s *patternSet) pattern(p int) []entry {
	from := int32(0)
	if p > 0 {
		from = s.ends[p-1]
	}
	return s.entries[from:s.ends[p]]
}

// entry says that a value, of which code is the number, occurs count times.
type entry struct{ code, count int32 }

// unpairable is the pattern of a unit with fewer than two ratings.
const unpairable = -1

// groupUnits finds the pattern of every unit. With many values, units rarely have the
// same ratings, and each unit is its own pattern.
func groupUnits(codes [][]int32, units, values int) (s patternSet, unitPattern []int) {
	many := values*bits.Len(uint(len(codes))) > 64
	unitPattern = make([]int, units)
	patternOf := map[string]int{}
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

// add appends a pattern and returns its number, or unpairable.
func (s *patternSet) add(entries []entry) int {
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
	return len(s.size) - 1
}

// appendUnitEntries appends the counts of the codes of one unit to entries, which is empty.
func appendUnitEntries(entries []entry, codes [][]int32, unit int) []entry {
	for _, rater := range codes {
		if c := rater[unit]; c != unrated {
			index, found := slices.BinarySearchFunc(entries, c, func(e entry, c int32) int { return int(e.code - c) })
			if !found {
				entries = slices.Insert(entries, index, entry{code: c})
			}
			entries[index].count++
		}
	}
	return entries
}
