// Package judgequality computes the quality of judges: how much better a judge agrees with people than content-blind
// baselines (floors) do, how lenient and how stable it is, what it costs, and which damage to answers it does not detect.
package judgequality
