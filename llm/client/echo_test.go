package client

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
)

// entities writes every character as an HTML entity.
func entities(text, form string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, form, c)
	}
	return b.String()
}

// TestNoFormOfAKeyIsKept: a key in any form, also escaped several times in several ways, is removed from a text. The text that is kept
// cannot be decoded to the key.
func TestNoFormOfAKeyIsKept(t *testing.T) {
	const key = "sk+Ab3/kZ9=qW7xT5vR2mN8pL4cJ6hG1fD0"
	s := newSecrets(key)
	inJSON := func(text string) string { b, _ := json.Marshal(text); return string(b) }
	layers := map[string]func(string) string{
		"entities of signs": func(v string) string {
			return strings.NewReplacer("/", "&#x2F;", "=", "&#x3D;", "+", "&#43;").Replace(v)
		},
		"entities":             func(v string) string { return entities(v, "&#%d;") },
		"hexadecimal entities": func(v string) string { return entities(v, "&#x%x;") },
		"HTML":                 html.EscapeString,
		"JSON":                 inJSON,
		"unicode":              func(v string) string { return entities(v, `\u%04x`) },
		"unicode, doubled":     func(v string) string { return entities(v, `\\u%04X`) },
		"bytes":                func(v string) string { return entities(v, `\x%02x`) },
		"URL":                  url.QueryEscape,
		"URL in full":          func(v string) string { return entities(v, "%%%02x") },
		"mail":                 func(v string) string { return v[:len(v)/2] + "=\n" + v[len(v)/2:] },
		"base64":               func(v string) string { return base64.StdEncoding.EncodeToString([]byte("user:" + v)) },
		"base64 of URLs":       func(v string) string { return base64.RawURLEncoding.EncodeToString([]byte(v)) },
		"hexadecimal":          func(v string) string { return hex.EncodeToString([]byte(v)) },
		"lines":                func(v string) string { return v[:12] + "\n" + v[12:] },
		"tags":                 func(v string) string { return v[:7] + "<wbr>" + v[7:16] + "<b>" + v[16:] + "</b>" },
		"nothing":              func(v string) string { return v },
	}
	for first, one := range layers {
		for second, two := range layers {
			text := `{"error":{"message":"bad ` + two(one(key)) + ` given"}}`
			kept := s.scrub(text)
			if s.echoes(kept) || strings.Contains(kept, key[:9]) || !strings.Contains(kept, redacted) && !strings.HasPrefix(kept, "[left out: ") {
				t.Errorf("%s, then %s: %s", first, second, kept)
			}
		}
	}
	if s.withheld.Load() == 0 {
		t.Error("nothing is counted")
	}
	if kept := s.scrub("begins with " + key[10:20] + ", it says"); strings.Contains(kept, key[10:19]) {
		t.Errorf("ten characters: %s", kept)
	}
}

// TestTextsWithoutAKeyAreKept: a text without a key does not change, even with words of a key that is none, code, or base64 of other text.
func TestTextsWithoutAKeyAreKept(t *testing.T) {
	s := newSecrets("sk-no-key-required", "lm-studio", "sk-proj-Zk3yF0rT3sts9081726354")
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 3000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	for _, text := range []string{"No key required: an API key is not required here.", "The LM Studio server needs no key.",
		`{"a": "caf\u00e9 &amp; 100 % \\n", "b": "` + base64.StdEncoding.EncodeToString(noise) + `"}`,
		base64.StdEncoding.EncodeToString([]byte(strings.Repeat("plain words, ", 300))), hex.EncodeToString(noise)} {
		if kept := s.scrub(text); kept != text {
			t.Errorf("%.80s became %.80s", text, kept)
		}
	}
}
