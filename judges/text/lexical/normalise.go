package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normalise converts any text to the form that all other functions expect: valid UTF-8 in NFC (composed and decomposed letters are equal);
// lines that end with \n; no invisible characters; ASCII instead of full-width characters; straight quotes; one kind of space, of bullet
// (•) and of dash (-). NFKC was rejected, because it can make a text eleven times as long.
//
// Normalise also repairs punctuation that was decoded with the wrong code page (an apostrophe as ‚Äô or â€™), as in the human
// table of the CompQA release.
func Normalise(s string) string {
	if plainLength(s) == len(s) {
		return s
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, string(utf8.RuneError))
	}
	if strings.Contains(s, "‚Ä") || strings.Contains(s, "â€") {
		s = misdecoded.Replace(s)
	}
	s = norm.NFC.String(s)

	var b strings.Builder
	b.Grow(len(s))
	for {
		n := plainLength(s)
		b.WriteString(s[:n])
		if n == len(s) {
			return b.String()
		}
		r, size := utf8.DecodeRuneInString(s[n:])
		s = s[n+size:]
		switch {
		case r == '\r':
			if !strings.HasPrefix(s, "\n") {
				b.WriteByte('\n')
			}
		case r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			b.WriteByte('\n')
		case r == '\t':
			b.WriteString("    ")
		case r == '…':
			b.WriteString("...")
		case r == '—' || r == '―':
			writeDash(&b, s)
		default:
			r = fold(r)
			if r > 0 {
				b.WriteRune(r)
			}
		}
	}
}

// plainLength returns the length of the start of a text that Normalise does not change:
// visible ASCII characters, spaces and line ends.
func plainLength(s string) int {
	for i := range len(s) {
		if c := s[i]; c-' ' >= 0x7f-' ' && c != '\n' { // for c below ' ', the subtraction wraps around
			return i
		}
	}
	return len(s)
}

// writeDash writes a long dash as a hyphen with a space on both sides, whether the writer put spaces there or not.
func writeDash(b *strings.Builder, rest string) {
	if t := b.String(); t != "" && !strings.HasSuffix(t, " ") && !strings.HasSuffix(t, "\n") {
		b.WriteByte(' ')
	}
	b.WriteByte('-')
	if !strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, "\n") {
		b.WriteByte(' ')
	}
}

// fold maps typographic variants to one character, and invisible characters to 0.
func fold(r rune) rune {
	switch r {
	case '‘', '’', '‛', '′':
		return '\''
	case '“', '”', '„', '«', '»', '″':
		return '"'
	case '‐', '‑', '‒', '–', '−':
		return '-'
	case '‣', '◦', '▪', '●', '○', '∙', '⁃', '■', '►':
		return '•'
	case '｡':
		return '。'
	case '\u20e3': // a keycap: 1️⃣ numbers an item
		return '.'
	case '\ufe0e', '\ufe0f': // how an emoji is drawn
		return 0
	}
	switch {
	case r >= '！' && r <= '～': // U+FF01 to U+FF5E, the full-width ASCII
		return r - '！' + '!'
	case unicode.Is(unicode.Zs, r):
		return ' '
	case unicode.Is(unicode.Cf, r) || unicode.IsControl(r):
		return 0
	}
	return r
}

// misdecoded undoes UTF-8 punctuation read as Mac Roman or as Windows-1252.
var misdecoded = strings.NewReplacer(
	"‚Äò", "‘", "‚Äô", "’", "‚Äú", "“", "‚Äù", "”", "‚Äì", "–", "‚Äî", "—", "‚Ä¢", "•", "‚Ä¶",
	"…",
	"â€˜", "‘", "â€™", "’", "â€œ", "“", "â€\u009d", "”", "â€“", "–", "â€”", "—", "â€¢", "•",
	"â€¦", "…",
)

// StripMarkup removes inline Markdown from one line: emphasis, code ticks, backslash escapes, images, the addresses of links, and HTML
// tags.
func StripMarkup(s string) string {
	i := 0
	for i < len(s) && !marksUp[s[i]] {
		i++
	}
	if strings.Contains(s, "](") { // other brackets, such as citations, are text
		i = min(i, max(0, strings.IndexByte(s, '[')))
	}
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:i])
	for i < len(s) {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && s[i+1] > ' ' && s[i+1] < 0x7f && !IsLetterOrDigit(s[i+1]):
			b.WriteByte(s[i+1])
			i += 2
		case c == '*' && !spaced(s, i), c == '`', c == '_' && atWordEdge(s, i):
			i++
		case c == '[':
			i = writeLink(&b, s, i)
		case c == '<':
			i = skipTag(&b, s, i)
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

// marksUp are the characters that inline markup begins with, except links.
var marksUp = ByteSet("*_`\\<")

// ByteSet returns a table of ASCII characters. It is several times as fast as
// strings.IndexAny where each byte of a text is tested.
func ByteSet(characters string) (set [256]bool) {
	for i := range len(characters) {
		set[characters[i]] = true
	}
	return set
}

// spaced reports whether the byte at i stands alone between spaces, as a multiplication sign does.
func spaced(s string, i int) bool {
	return i > 0 && s[i-1] == ' ' && i+1 < len(s) && s[i+1] == ' '
}

// atWordEdge reports whether the underscore at i marks emphasis: it is not between two letters or digits, as in snake_case.
func atWordEdge(s string, i int) bool {
	before := i > 0 && IsLetterOrDigit(s[i-1])
	after := i+1 < len(s) && IsLetterOrDigit(s[i+1])
	return !(before && after)
}

// writeLink handles a "[" at i and returns the position after what it has read. Of a link [words](address) it writes the words. Otherwise
// it writes the bracket itself, because [3] is a citation.
func writeLink(b *strings.Builder, s string, i int) int {
	const longest = 300 // bytes of a link's words; the limit keeps the time linear for a row of [
	window := s[i:min(len(s), i+longest)]
	end := strings.Index(window, "](")
	if end < 0 || strings.IndexByte(window[1:end], '[') >= 0 {
		b.WriteByte('[')
		return i + 1
	}
	address := s[i+end+2 : min(len(s), i+end+2+2000)]
	stop := strings.IndexByte(address, ')')
	if stop < 0 || strings.IndexByte(address[:stop], ' ') >= 0 && !strings.Contains(address[:stop], "\"") {
		b.WriteByte('[')
		return i + 1
	}
	words := s[i+1 : i+end]
	if IsCitation(words) {
		words = "[" + words + "]"
	}
	b.WriteString(emphasis.Replace(words))
	return i + end + 2 + stop + 1
}

// emphasis removes emphasis and code ticks from a link's words.
var emphasis = strings.NewReplacer("**", "", "*", "", "`", "")

// skipTag writes a space in place of an HTML tag at i and returns the position after it. Without a tag, it writes the "<".
func skipTag(b *strings.Builder, s string, i int) int {
	const longest = 200
	window := s[i:min(len(s), i+longest)]
	if len(window) < 3 || !(window[1] == '/' || window[1] == '!' || IsLetterOrDigit(window[1])) {
		b.WriteByte('<')
		return i + 1
	}
	end := strings.IndexByte(window, '>')
	if end < 0 || strings.IndexByte(window[1:end], '<') >= 0 {
		b.WriteByte('<')
		return i + 1
	}
	b.WriteByte(' ')
	return i + end + 1
}

// IsLetterOrDigit reports whether a byte is an ASCII letter or digit, or part of a character beyond ASCII.
func IsLetterOrDigit(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// IsDigit reports whether a byte is an ASCII digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsUpper reports whether a byte is an ASCII capital.
func IsUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// IsLower reports whether a byte is a small ASCII letter.
func IsLower(c byte) bool { return c >= 'a' && c <= 'z' }
