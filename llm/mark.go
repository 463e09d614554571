package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// UnusedMark returns a number of the given length in bytes that none of the texts contains.
// It is derived from the texts. The same texts have the same mark, and so the same call key.
// An author of a text cannot include the mark, because any change of the text changes it.
func UnusedMark(texts []string, bytes int) string {
	return firstUnused(texts, func(try int) string {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d%q", try, texts))
		return hex.EncodeToString(sum[:bytes])
	})
}

// firstUnused is the first candidate that is in none of the texts.
func firstUnused(texts []string, candidate func(try int) string) string {
	for try := 0; ; try++ {
		mark := candidate(try)
		if !slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, mark) }) {
			return mark
		}
	}
}
