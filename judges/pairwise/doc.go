// Package pairwise chooses the better of two answers. It has the judges SC2 (Yan et al. 2024) and Con-J (Ye et al. 2024),
// their baselines, and judges that need no model. The table Methods lists all of them.
//
// A judge sees a pair in one order: a is the answer shown first, b the other. The caller shows each pair in both orders. A
// judge returns no error: the opinion has a status and a reason. A choice is read from the reply or is missing; it is never
// guessed.
//
// Prompts are template files, one folder per method, written for this project with
// each paper's steps, fields and limits. So are the examples in the prompts.
package pairwise
