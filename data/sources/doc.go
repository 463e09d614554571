// Package sources reads the data of others: the CompQA authors' release with its
// tables of human scores, LLMBar, and JUDGE-BENCH. Each format is a file.
//
// A reader returns what it reads, unchecked: package rubric decides whether a sheet
// of scores is valid. Text that cannot be parsed is an error with file and line. A row
// that is parsed but cannot be placed (a human row whose answer is not found) is
// listed, never dropped.
package sources
