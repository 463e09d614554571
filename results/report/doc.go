// Package report composes the report of a run from the tables of the other packages.
package report
