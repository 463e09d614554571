// Package bench is the command line of compqa: one cobra command per file. The manual is
// manual.md, which `compqa docs` prints.
package bench
