package client

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// withheldText replaces a text that was left out. The number is the text's length in bytes.
const withheldText = "[left out: %d bytes that may repeat a key]"

const (
	echo       = 9  // consecutive letters and digits of a secret that reveal it, whatever is between them
	mostCoded  = 6  // most layers of encoding that are decoded
	leastCoded = 12 // fewest characters that are read as base64
)

// addLetters adds all pieces of echo characters of a secret, with and without its punctuation, forwards and backwards. It leaves out pieces
// that may be words, such as "keyrequired" of "sk-no-key-required".
func (s *secrets) addLetters(v string) {
	for _, letters := range [][]byte{[]byte(v), []byte(lettersOf(v))} {
		for range 2 {
			for i := 0; i+echo <= len(letters); i++ {
				piece := letters[i : i+echo]
				if random(piece) {
					lower := strings.ToLower(string(piece))
					s.letters[lower] = true
					s.spells[twoBytes(lower, 0)] = true
				}
			}
			slices.Reverse(letters)
		}
	}
}

// random reports whether a piece does not look like a word or a number: it has both letters and digits, or several small letters and
// several capitals after the first character.
func random(piece []byte) bool {
	var digits, upper, lower int
	for i, c := range piece {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'A' && c <= 'Z' && i > 0:
			upper++
		case c >= 'a' && c <= 'z':
			lower++
		}
	}
	return digits > 0 && upper+lower > 0 || upper > 1 && lower > 1
}

// lettersOf returns only the letters and digits of a text. A replaced secret becomes a byte 0.
func lettersOf(text string) string {
	letters := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			letters = append(letters, c)
		case c == '[' && strings.HasPrefix(text[i:], redacted):
			letters = append(letters, 0)
			i += len(redacted) - 1
		}
	}
	return string(letters)
}

// echoes reports whether a secret can be read from a text that contains none of its known forms. It tries to decode the text, up to
// mostCoded times, and to remove everything between letters.
func (s *secrets) echoes(text string) bool {
	if len(s.pieces) == 0 && len(s.traces) == 0 {
		return false
	}
	forms := []string{text}
	left := 16*len(text) + 1<<16
	for depth := 0; depth < mostCoded && len(forms) > 0; depth++ {
		var next []string
		for _, form := range forms {
			if left -= len(form); left < 0 {
				return false
			}
			if depth > 0 && s.replace(form) != form || s.spelled(form) {
				return true
			}
			if plain := unescaped(form); plain != form {
				next = append(next, plain)
			}
			if strings.ContainsRune(form, '<') {
				if plain := tags.ReplaceAllString(form, ""); plain != form {
					next = append(next, plain)
				}
			}
			next = append(next, uncoded(form)...)
		}
		forms = next
	}
	return false
}

// spelled reports whether a text, or only its letters and digits, contains a piece of a secret.
func (s *secrets) spelled(text string) bool {
	if len(s.letters) == 0 {
		return false
	}
	for _, letters := range []string{strings.ToLower(text), strings.ToLower(lettersOf(text))} {
		for i := 0; i+echo <= len(letters); i++ {
			if s.spells[twoBytes(letters, i)] && s.letters[letters[i:i+echo]] {
				return true
			}
		}
	}
	return false
}

// tags matches HTML tags.
var tags = regexp.MustCompile(`<[^<>]*>`)

// unescaped removes one layer of each kind of escaping: HTML, JSON and programming languages, URLs, and mail. It reads byte by byte,
// because patterns would take a millisecond for a reply.
func unescaped(text string) string {
	if strings.ContainsRune(text, '&') {
		text = html.UnescapeString(text)
	}
	if !strings.ContainsAny(text, "\\%=") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		plain := byte(0)
		n := 0
		switch rest := text[i:]; rest[0] {
		case '\\':
			plain, n = backslashed(rest)
		case '%', '=':
			plain, n = number(rest[1:], "u", 4, 16)
			if n == 0 {
				plain, n = number(rest[1:], "", 2, 16)
			}
			if n > 0 {
				n++
			} else if strings.HasPrefix(rest, "=\n") || strings.HasPrefix(rest, "=\r\n") {
				plain = '\n'
				n = strings.IndexByte(rest, '\n') + 1
			}
		}
		if n == 0 {
			plain = text[i]
			n = 1
		}
		b.WriteByte(plain)
		i += n
	}
	return b.String()
}

// backslashed returns the character that a text with a backslash stands for, and the number of bytes that it takes. Several backslashes
// count as one.
func backslashed(text string) (plain byte, n int) {
	after := strings.TrimLeft(text, "\\")
	slashes := len(text) - len(after)
	if after == "" {
		return 0, 0
	}
	for _, code := range []struct {
		prefix       string
		digits, base int
	}{{"u{", 2, 16}, {"u", 4, 16}, {"x", 2, 16}, {"", 3, 8}} {
		plain, n = number(after, code.prefix, code.digits, code.base)
		if n > 0 {
			return plain, slashes + n
		}
	}
	if strings.ContainsRune("nrt", rune(after[0])) {
		return '\n', slashes + 1
	}
	return after[0], slashes + 1
}

// number returns the character whose code follows a prefix, and the number of bytes of both. n is 0 if no code follows.
func number(text, prefix string, digits, base int) (plain byte, n int) {
	code, found := strings.CutPrefix(text, prefix)
	if !found || len(code) < digits {
		return 0, 0
	}
	value, err := strconv.ParseUint(code[:digits], base, 32)
	if err != nil || value == 0 || value > 255 { // keys are ASCII
		return 0, 0
	}
	return byte(value), len(prefix) + digits
}

// uncoded returns the texts that are encoded within a text, in base64 at any alignment or in hexadecimal.
func uncoded(text string) (found []string) {
	add := func(plain []byte) {
		printed := 0
		for _, c := range plain {
			if c >= ' ' && c < 127 || c == '\n' {
				printed++
			}
		}
		if 10*printed >= 9*len(plain) && len(plain) >= minSecret {
			found = append(found, string(plain))
		}
	}
	text = lineEnds.Replace(text)
	for i := 0; i < len(text); {
		n := 0
		for i+n < len(text) && inBase64(text[i+n]) {
			n++
		}
		token := text[i : i+n]
		for from := 0; from < 4 && n >= leastCoded; from++ {
			part := standardBase64.Replace(token[from:])
			plain, err := base64.RawStdEncoding.DecodeString(part[:len(part)-len(part)%4])
			if err == nil {
				add(plain)
			}
		}
		if n >= 2*echo && strings.Trim(token, "0123456789abcdefABCDEF") == "" {
			plain, err := hex.DecodeString(token[:n-n%2])
			if err == nil {
				add(plain)
			}
		}
		i += n + 1
	}
	return found
}

var (
	lineEnds       = strings.NewReplacer("\r", "", "\n", "")
	standardBase64 = strings.NewReplacer("-", "+", "_", "/") // from the URL alphabet
)

func inBase64(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '+' || c == '/' || c == '-' || c == '_'
}
