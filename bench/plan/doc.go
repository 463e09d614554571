// Package plan lays out a run: which systems answer which questions, and which judges
// score which answers. Everything is planned in cells, a system under a scenario, before
// anything is asked. Its sources turn the cells into tasks of package run. A judge takes
// up a cell as soon as its answers are recorded.
package plan
