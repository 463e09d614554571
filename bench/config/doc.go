// Package config reads compqa.yaml: the questions, scenarios, models and judges of a
// benchmark, where they are asked, and what they cost. Load checks everything that can
// be checked without a call; an error names the file and the line, and says what would
// be right.
package config
