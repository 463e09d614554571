package client

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

const (
	redacted  = "[key]"
	minSecret = 8  // shorter values ("EMPTY", "ollama") are words; they are removed only next to a word such as "key"
	window    = 12 // consecutive bytes of a secret that reveal it
)

// secrets removes keys from everything that a server sends, because servers repeat keys. It recognises a key that is:
//   - complete, cut, reversed, or with a character between each two;
//   - escaped as in JSON, HTML and URLs;
//   - in base64 at any alignment, or in hexadecimal;
//   - masked, as "sk-ab***yz" in error messages.
type secrets struct {
	pieces map[int]map[string]bool // pieces that reveal a secret, by their length
	begins [1 << 16]bool           // by the first two bytes of a piece, for a fast check
	ends   [1 << 16]bool           // by the last two bytes of a piece
	traces []trace

	letters  map[string]bool // pieces of echo characters of the secrets, in lower case; see addLetters
	spells   [1 << 16]bool   // by the first two bytes of the pieces in letters
	withheld atomic.Int64    // number of texts that were left out
	notice   func(string)    // called for the first text that is left out; may be nil
}

// A trace matches one form of a secret. near is a fast check whether a text may contain it.
type trace struct {
	pattern *regexp.Regexp
	near    func(text string) bool
}

// newSecrets returns the secrets with these values.
func newSecrets(values ...string) *secrets {
	s := &secrets{pieces: map[int]map[string]bool{}, letters: map[string]bool{}}
	for _, v := range values {
		if len(v) < minSecret {
			if v != "" {
				s.traces = append(s.traces, trace{shortForm(v), func(text string) bool {
					return strings.Contains(strings.ToLower(text), strings.ToLower(v))
				}})
			}
			continue
		}
		s.addLetters(v)
		for _, form := range secretForms(v) {
			n := min(window, len(v), len(form))
			if s.pieces[n] == nil {
				s.pieces[n] = map[string]bool{}
			}
			for i := 0; i+n <= len(form); i++ {
				s.pieces[n][form[i:i+n]] = true
				s.begins[twoBytes(form, i)], s.ends[twoBytes(form, i+n-2)] = true, true
			}
		}
		if len(v) >= 2*minSecret && utf8.ValidString(v[:4]) && utf8.ValidString(v[len(v)-4:]) {
			s.traces = append(s.traces, trace{maskedForm(v), func(text string) bool {
				return strings.Contains(text, v[:4]) || strings.Contains(text, v[len(v)-4:])
			}})
		}
	}
	return s
}

// secretForms returns the forms in which a server may write a secret.
func secretForms(v string) []string {
	quoted, _ := json.Marshal(v) // a string always marshals
	inner := string(quoted[1 : len(quoted)-1])
	query := url.QueryEscape(v)
	var percent, full, unicode strings.Builder
	for i := range len(v) {
		fmt.Fprintf(&full, "%%%02X", v[i])
		if c := v[i]; c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' {
			percent.WriteByte(c)
			unicode.WriteByte(c)
		} else {
			fmt.Fprintf(&percent, "%%%02X", c)
			fmt.Fprintf(&unicode, `\u%04x`, c)
		}
	}
	reversed := []byte(v)
	slices.Reverse(reversed)
	forms := []string{
		v, strings.ToLower(v), strings.ToUpper(v), string(reversed),
		hex.EncodeToString([]byte(v)), strings.ToUpper(hex.EncodeToString([]byte(v))),
		inner, strings.ReplaceAll(inner, "/", `\/`), unicode.String(), html.EscapeString(v),
		query, lowerHex(query), url.PathEscape(v), percent.String(), lowerHex(percent.String()), full.String(), lowerHex(full.String()),
	}
	for _, between := range []string{" ", "-", "_", ".", ",", "\n", `\n`} {
		forms = append(forms, strings.Join(strings.Split(v, ""), between))
	}
	// In base64, three bytes become four characters. After another text, the secret begins at the first, second or third of the three. The
	// characters that also depend on neighbouring bytes are left out.
	for before, shared := range []int{0, 2, 3} {
		text := append(make([]byte, before), v...)
		for _, code := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			encoded := code.EncodeToString(text)[shared:]
			if len(text)%3 != 0 {
				encoded = encoded[:len(encoded)-1]
			}
			forms = append(forms, encoded)
		}
	}
	return forms
}

// percentCode matches an escaped byte in a URL.
var percentCode = regexp.MustCompile(`%[0-9A-F]{2}`)

func lowerHex(s string) string { return percentCode.ReplaceAllStringFunc(s, strings.ToLower) }

// maskedForm matches a secret whose middle is masked by stars, bullets or dots: its first or last four characters next to the mask.
func maskedForm(v string) *regexp.Regexp {
	const mask = `(?:\*{2,}|•{2,}|…|\.{3,})`
	head := regexp.QuoteMeta(v[:4])
	tail := regexp.QuoteMeta(v[len(v)-4:])
	return regexp.MustCompile(head + `[^\s"'*•….]{0,24}` + mask + `[^\s"'<>,.]{0,16}|` + mask + tail)
}

// shortForm matches a short value where it is used as a key: "Bearer x", "key=x", "api-key": "x".
func shortForm(v string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:bearer|key|token|authorization)["']?\s*[=: ]\s*["']?` + regexp.QuoteMeta(v) + `(?:\b|$)`)
}

// scrub replaces each piece of a secret in a text, and bytes that are not UTF-8. If the text contains a secret in another form, for
// instance escaped twice, scrub leaves out the whole text and counts it. A nil receiver has no secrets.
func (s *secrets) scrub(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if s == nil {
		return text
	}
	text = s.replace(text)
	if s.echoes(text) {
		if s.withheld.Add(1) == 1 && s.notice != nil {
			s.notice("repeats its key in a form that cannot be replaced: such texts are left out of the record, and `[left out` stands for each")
		}
		return fmt.Sprintf(withheldText, len(text))
	}
	return text
}

// replace replaces each piece of a secret in one of its known forms.
func (s *secrets) replace(text string) string {
	for n, runs := range s.pieces {
		var b strings.Builder
		kept := 0 // text before it is in b
		for i := s.indexOfPiece(runs, text, 0, n); i >= 0; i = s.indexOfPiece(runs, text, kept, n) {
			end := i + n
			for j := i + 1; j <= end && j+n <= len(text); j++ {
				if runs[text[j:j+n]] {
					end = j + n
				}
			}
			b.WriteString(text[kept:i])
			b.WriteString(redacted)
			kept = end
		}
		if kept > 0 {
			b.WriteString(text[kept:])
			text = b.String()
		}
	}
	for _, t := range s.traces {
		if t.near(text) {
			text = t.pattern.ReplaceAllLiteralString(text, redacted)
		}
	}
	return text
}

// indexOfPiece returns the index of the next piece of n bytes in a text, or -1.
func (s *secrets) indexOfPiece(pieces map[string]bool, text string, from, n int) int {
	for i := from; i+n <= len(text); i++ {
		if s.begins[twoBytes(text, i)] && s.ends[twoBytes(text, i+n-2)] && pieces[text[i:i+n]] {
			return i
		}
	}
	return -1
}

// twoBytes returns the two bytes at an index as one number.
func twoBytes(text string, index int) int { return int(text[index])<<8 | int(text[index+1]) }
