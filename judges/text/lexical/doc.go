// Package lexical reads the words and sentences of an answer, the names of the
// objects compared, citations, and what words say about a comparison.
//
// It normalises text first (Normalise); everything else expects normalised text.
package lexical
