package judges

import (
	"slices"
	"strings"

	"compqa/judges/faithful"
	"compqa/judges/rules"
	"compqa/judges/scoring"
	"compqa/judges/surface"
)

// Embedded are the judges that need no model. A new one is a file that defines
// its scoring.Embedded, and a line here.
var Embedded = []scoring.Embedded{
	surface.Embedded,
	faithful.Grounded,
	rules.Embedded,
	constant,
}

// EmbeddedNamed finds an embedded judge.
func EmbeddedNamed(name string) (judge scoring.Embedded, found bool) {
	i := slices.IndexFunc(Embedded, func(e scoring.Embedded) bool { return e.Name == name })
	if i < 0 {
		return scoring.Embedded{}, false
	}
	return Embedded[i], true
}

// EmbeddedNames lists the embedded judges for messages.
func EmbeddedNames() string {
	names := make([]string, len(Embedded))
	for i, e := range Embedded {
		names[i] = e.Name
	}
	return strings.Join(names, ", ")
}
