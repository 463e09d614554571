// Package data holds what is asked and answered: questions, answers, verdicts, pairs,
// preferences and units of annotation, each with its reader, and the embedded question
// set. Package data/sources reads the formats of others.
//
// Two questions are the same when their object pairs are, unordered and case-folded;
// PairKey is that identity, and every split, cluster and join in the project uses it.
package data
