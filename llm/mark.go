package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// UnusedMark returns a random-looking hexadecimal text of the given length in bytes that none of the texts contains. It is derived from the
// texts: equal texts have the same mark, and so the same call key. The author of a text cannot include the mark, because any change of the
// text changes the mark.
func UnusedMark(texts []string, bytes int) string {
	return firstUnused(texts, func(try int) string {
		asked := append(strconv.AppendInt(nil, int64(try), 10), '[') // as fmt's %d%q
		for i, text := range texts {
			if i > 0 {
				asked = append(asked, ' ')
			}
			asked = append(appendEscaped(append(asked, '"'), text, &inGo, strconv.Quote), '"')
		}
		sum := sha256.Sum256(append(asked, ']'))
		return hex.EncodeToString(sum[:bytes])
	})
}

// firstUnused returns the first candidate that none of the texts contains.
func firstUnused(texts []string, candidate func(try int) string) string {
	for try := 0; ; try++ {
		mark := candidate(try)
		if !slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, mark) }) {
			return mark
		}
	}
}
