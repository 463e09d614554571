// Package sources reads other formats: the CompQA authors' release with its tables of
// human scores, LLMBar, and JUDGE-BENCH. Each format has a file.
//
// Readers do not check scores: package rubric decides whether they are valid. Text that
// cannot be parsed is an error with file and line. A human row whose answer is not found
// is listed, never dropped.
package sources
