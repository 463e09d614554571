// Package pairs runs pairwise judges: it finds pairs of answers, injects biases, extracts
// aspects, has judges decide, grades their rationales, and samples judgments to train on.
// All of them are sources of tasks for package run.
package pairs
