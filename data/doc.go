// Package data holds what is asked and what was said: questions, answers,
// verdicts and preferences, the embedded question set, and the importers.
//
// Importers hand over what they read, unchecked: whether a sheet of scores is
// valid is for package rubric to say. What an importer cannot read at all is an
// error with file and line; what it can read but not place (a human row whose
// answer is nowhere to be found) is listed, never dropped.
//
// Two questions are the same when their object pair is, unordered and
// case-folded; PairKey is that identity, and every split, cluster and join in
// the project goes by it.
package data
