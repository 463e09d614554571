// Package archive exports a run as one file, and verifies such a file: it recomputes
// every table from the replies, the plan and the configuration in it.
package archive
