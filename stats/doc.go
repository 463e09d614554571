// Package stats says how sure we are: agreement beyond chance, correlation,
// means by cluster, prediction-powered means, strengths from comparisons, and
// the interval of each. Pure functions of slices; it knows nothing of verdicts.
//
// A number that the data cannot carry is a typed error, never NaN, 0 or 1:
// whatever wraps ErrUndefined means "cannot be said". Missing is absent from
// the input or marked beside it, never a value. An interval is resampled or
// computed by the cluster that was sampled, usually the question; one without
// width is refused. Values are compared exactly.
//
// The same input gives the same output on any machine and number of workers:
// sums are plain loops in a fixed order, random numbers are the package's own
// (RNG) with a stream per resample. Arguments are never changed. Formulas stand
// at the functions with their source, reference values in the tests.
package stats
