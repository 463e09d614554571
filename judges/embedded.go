// Package judges scores answers: embedded judges, which need no model, and language models as judges.
//
// A judge does not fail. An error becomes the verdict's status, with the reason and the raw reply; it never becomes points.
// Package rubric decides for every judge whether a sheet is valid.
package judges

import (
	"strings"

	"compqa/data"
	"compqa/judges/faithful"
	"compqa/judges/rules"
	"compqa/judges/scoring"
	"compqa/judges/surface"
)

// Embedded lists the judges that need no model. To add one, write a file that defines its scoring.Embedded, and add a line here.
var Embedded = []scoring.Embedded{
	surface.Embedded,
	faithful.Grounded,
	rules.Embedded,
	constant,
}

// EmbeddedNamed finds an embedded judge by its name.
func EmbeddedNamed(name string) (judge scoring.Embedded, found bool) {
	return data.First(Embedded, func(e scoring.Embedded) bool { return e.Name == name })
}

// OwnNames returns the names of the program's own judges. Imported verdicts cannot use them.
func OwnNames() []string {
	return append(data.Each(Embedded, func(e scoring.Embedded) string { return e.Name }), data.OfflineClaims)
}

// EmbeddedNames lists the names of the embedded judges, for messages.
func EmbeddedNames() string {
	return strings.Join(data.Each(Embedded, func(e scoring.Embedded) string { return e.Name }), ", ")
}
