// Package plan plans a run: which systems answer which questions, and which judges score
// which answers. The unit is a cell, that is, a system in a scenario. The plan is complete
// before the first call. The sources of this package turn cells into tasks of package run.
// A judge starts with a cell as soon as its answers are recorded.
package plan
