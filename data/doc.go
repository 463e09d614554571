// Package data defines questions, answers, verdicts, pairs, preferences and annotations,
// with a reader for each, and contains the built-in question set. Package data/sources
// reads other formats.
//
// Two questions are the same if they have the same two objects, in any order and case.
// PairKey is that identity; every split, cluster and join in the project uses it.
package data
