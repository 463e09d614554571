// Package judges scores answers: embedded judges, which need no model, and language models as judges.
//
// A judge does not fail. An error becomes the verdict's status, with the reason and the raw reply; it never becomes points.
// Package rubric decides for every judge whether a sheet is valid.
package judges
