// Package paper holds the figures that the CompQA paper prints, and recomputes them
// from the authors' release.
package paper
