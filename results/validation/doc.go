// Package validation says how far judges can stand in for people: it joins the values of any evaluation log to those of
// people, and computes agreement, rates and corrected means.
//
// A missing value is missing: a judge's failure is counted by its reason and never becomes a value. What cannot be known
// from the files, for instance which scale a criterion has, is found, said, and can be corrected by an option. All intervals
// are at 95 % and by cluster.
package validation
