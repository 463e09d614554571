package replies

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var (
	typographic = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`)
	invisible   = newPattern(`[\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2060}\x{feff}]`)
	// texCommand matches a TeX command that only emphasises its argument: \textbf{A}.
	texCommand = newPattern(`\\(?:boxed|text|textbf|mathrm|mathbf|fbox)\s*\{([^{}]*)\}`)
	struckOut  = newPattern(`~~[^~\n]*~~`)
	emphasis   = newPattern("\\*{2,3}|__|`|\\$|</?(?:b|i|strong|em|u)>")
	fence      = newPattern("(?m)^\\s*```\\w*[ \\t]*$")
)

// texDepth is how deep replies nest TeX commands: \boxed{\text{\textbf{B}}}.
const texDepth = 3

// normalized returns a text in compatible characters (NFKC), without the marks of Markdown, HTML and TeX that only emphasise, and without
// struck-out text.
func normalized(t string) string {
	t = invisible().ReplaceAllString(typographic.Replace(norm.NFKC.String(t)), "")
	for range texDepth {
		t = texCommand().ReplaceAllString(t, " $1 ")
	}
	t = fence().ReplaceAllString(struckOut().ReplaceAllString(t, ""), "")
	return withoutStars(emphasis().ReplaceAllString(t, ""))
}

// withoutStars removes single stars and underscores around words: *B*, _B_. A star before a space, which begins a list item, is kept.
func withoutStars(t string) string {
	var b strings.Builder
	runes := []rune(t)
	word := func(i int) bool {
		return i >= 0 && i < len(runes) && (runes[i] == '_' || unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	for i, c := range runes {
		if (c == '*' || c == '_') && word(i-1) != word(i+1) {
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}
