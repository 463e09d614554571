// Package parties builds who takes part in a run from the entries of a configuration: systems that
// answer, judges that score, judges that label summaries, and pairwise judges. A party is a value with
// an identity, which is the hash of all that its results depend on, and a function that makes one
// result. It knows no record and no plan.
package parties
