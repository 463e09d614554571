// Package text measures an answer's text: its sections, sentences, list items, aspects,
// the objects that each statement is about, citations and the choice it makes.
//
// It reads form. It cannot see whether a statement is true.
package text
