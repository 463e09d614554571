// Package pairwise says which of two answers is the better one: the pairwise
// judges SC2 (Yan et al. 2024) and Con-J (Ye et al. 2024), the baselines that
// they are compared with, and judges that need no model.
//
// A judge sees a pair in one order, and calls the answer shown first a and the
// other b; it is the caller who shows it in both orders. It does not fail: what
// goes wrong on the way to a choice is the opinion's status, with the reason. A
// choice is read from a reply or there is none; nothing is guessed.
//
// Prompts are templates in files, one folder a method, in our own words with
// each paper's steps, fields and limits. The five examples of the few-shot
// prompts and those of the comparator are ours too.
package pairwise
