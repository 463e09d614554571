package table

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable makes foreign text safe for terminals and files. It writes control characters, bidi controls and line separators as in JSON
// (\u001b), so that JSON keeps its meaning. Bytes that are not UTF-8 become U+FFFD. Tabs and line feeds stay, and CR LF becomes LF.
func Printable(text string) string {
	plain := 0 // number of leading bytes of printable ASCII, of which most cells consist
	for plain < len(text) && text[plain] >= ' ' && text[plain] < 0x7f {
		plain++
	}
	if plain == len(text) || !strings.ContainsFunc(text, hidden) && utf8.ValidString(text) {
		return text
	}
	return escaped(strings.ReplaceAll(text, "\r\n", "\n"), hidden, `\u%04x`)
}

// escaped returns a text in which the characters for which is is true are written in the given format.
func escaped(text string, is func(rune) bool, form string) string {
	var b strings.Builder
	for _, r := range text {
		if is(r) {
			fmt.Fprintf(&b, form, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden reports whether a terminal may act on a character instead of showing it.
func hidden(r rune) bool {
	if r < 0x7f {
		return r < ' ' && r != '\n' && r != '\t'
	}
	return r < 0xa0 || r > 0xff && (unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp))
}
