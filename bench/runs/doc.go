// Package runs has the commands that perform a plan or report what it would take: run, estimate, and
// pairwise with its sub-commands.
package runs
