// Package judgequality says what a judge's verdicts are good for: how far its agreement
// with people is above that of content-blind baselines (floors), how lenient and how
// stable it is, what it costs, and what it overlooks.
package judgequality
