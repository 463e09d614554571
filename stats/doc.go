// Package stats quantifies uncertainty: means by cluster, paired differences,
// prediction-powered means, proportions, and the interval of each. Its sub-packages
// compute agreement and rankings. All functions are pure functions of slices.
//
// If the data do not determine a number, the result is a typed error that wraps ErrUndefined, never NaN, 0 or 1.
// Missing values are left out or marked, never a value. Intervals are resampled or computed by the sampled cluster,
// usually the question. An interval without width is an error. Values are compared exactly.
//
// The same input gives the same output on any machine and with any number of workers: sums are plain loops in a fixed
// order, and random numbers come from RNG, with one stream for each resample. Arguments are never changed. Comments of
// functions contain the formula and its source; the tests contain reference values.
package stats
