// Package humanpoints estimates the points that people would give to systems that they have not scored, or of which they
// scored a few answers. A judge's own interval says what the judge would give to more questions. Here its bias on each
// system that people scored is a draw from a distribution over systems, so the interval also says how far the judge can be
// from people.
package humanpoints
