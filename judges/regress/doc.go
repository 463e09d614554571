// Package regress fits two small regression models to tables of a few hundred rows: sums of step functions, one of each
// input (FitCurves), and ridge regression (FitLinear). In both, a prediction is a sum with one term for each input, so the
// effect of each input can be shown. The same rows, options and seed give the same model, bit by bit, on every machine:
// products are rounded before they are added, so that no compiler fuses the operations.
package regress
