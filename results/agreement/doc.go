// Package agreement compares the verdicts of judges with those of people, and raters
// of any annotation table with each other.
package agreement
