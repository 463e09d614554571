// Package rules scores an answer by counting: one rule to each criterion of the built-in rubric. Nothing in it is fitted.
package rules
