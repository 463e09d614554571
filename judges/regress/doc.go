// Package regress fits two small regression models to tables of a few hundred
// rows: sums of step functions, one of each input (FitCurves), and ridge
// regression (FitLinear). Both are exact about what they are: a prediction is a
// sum of one term for each input, so that it can be taken apart again, and the
// same rows, options and seed give the same model to the last bit on every
// machine (products are rounded before they are added, so that no compiler fuses
// them).
package regress
