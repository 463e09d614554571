// Package faithful reads what an answer claims, and compares it with the arguments of
// its question: each claim is supported, contradicted, or not in the arguments.
//
// It is offline and reads words: which object a clause is about, at which end of a scale its words stand (fast, slow), and
// what is negated. It does not know facts, so it cannot decide whether a claim without an argument is true.
package faithful
