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
	minSecret = 8  // shorter values ("EMPTY", "ollama") are words, and removed only where they are used as a key
	window    = 12 // bytes of a secret in a row that reveal it
)

// secrets removes keys from everything that a server sends, because servers repeat them:
// complete, cut, reversed, with a character between each two, escaped as in JSON, HTML and URLs, in
// base64 at any alignment, in hexadecimal, and in the masked form "sk-ab***yz" of error messages.
type secrets struct {
	runs   map[int]map[string]bool // by length: the pieces that reveal a secret
	begins [1 << 16]bool           // by the first two bytes of a piece: most of a text begins none
	ends   [1 << 16]bool           // by its last two
	traces []trace

	letters  map[string]bool // pieces of echo characters of the secrets, and of their letters and digits alone, in lower case
	spells   [1 << 16]bool   // by the first two bytes of these
	withheld atomic.Int64    // texts that were left out
	notice   func(string)    // is told of the first one; nil: nobody
}

// A trace matches a form of a secret; near is a fast check whether a text may contain it.
type trace struct {
	pattern *regexp.Regexp
	near    func(text string) bool
}

func newSecrets(values ...string) *secrets {
	s := &secrets{runs: map[int]map[string]bool{}, letters: map[string]bool{}}
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
			if s.runs[n] == nil {
				s.runs[n] = map[string]bool{}
			}
			for i := 0; i+n <= len(form); i++ {
				s.runs[n][form[i:i+n]] = true
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

// secretForms lists the forms in which a server may write a secret.
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
	// In base64, three bytes are four characters. After another text the secret begins at the first,
	// second or third of them; characters that also depend on its neighbours are left out.
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

var percentCode = regexp.MustCompile(`%[0-9A-F]{2}`)

func lowerHex(s string) string { return percentCode.ReplaceAllStringFunc(s, strings.ToLower) }

// maskedForm matches a secret whose middle is masked by stars, bullets or dots: its
// first or last four characters next to the mask.
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

// scrub replaces each piece of a secret in text, and bytes that are not UTF-8. A text in which a secret stands in another form, escaped
// more than once for instance, is left out and counted. A nil receiver has no secrets.
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

// replace replaces each piece of a secret that stands in one of the forms.
func (s *secrets) replace(text string) string {
	for n, runs := range s.runs {
		var b strings.Builder
		kept := 0 // text before it is in b
		for i := s.next(runs, text, 0, n); i >= 0; i = s.next(runs, text, kept, n) {
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

// next returns the start of the next of the pieces of n bytes; -1: none.
func (s *secrets) next(pieces map[string]bool, text string, from, n int) int {
	for i := from; i+n <= len(text); i++ {
		if s.begins[twoBytes(text, i)] && s.ends[twoBytes(text, i+n-2)] && pieces[text[i:i+n]] {
			return i
		}
	}
	return -1
}

func twoBytes(text string, index int) int { return int(text[index])<<8 | int(text[index+1]) }
