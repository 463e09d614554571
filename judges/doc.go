// Package judges says who scores an answer: judges that need no model (rules,
// constant), and models as judges.
//
// A judge does not fail. What goes wrong on the way to a sheet of scores is the
// verdict's status, with the reason and the raw reply; it never becomes points.
// Whether a sheet is one is decided by package rubric, for every judge alike.
package judges
