// Package labels has the statistics of labelling a part of what a judge scored: whether the labelled part is a random sample,
// figures that are weighted where it is not, which items to label next, intervals that may be looked at as often as one likes,
// and what has changed between looks.
//
// A unit is something that a judge scored; people label some of the units. Units of one cluster, such as answers to one
// question, are not independent. All functions are pure; randomness has a seed.
package labels
