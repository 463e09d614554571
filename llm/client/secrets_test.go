package client

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"compqa/llm"
	"compqa/llm/protocol"
)

const oddKey = `k/ey+with"odd<chars>&=%\and-length`

func TestScrub(t *testing.T) {
	s := newSecrets(testKey, oddKey, "", "EMPTY")
	quoted, _ := json.Marshal(oddKey)
	tests := []struct{ name, text, want string }{
		{"whole", "key " + testKey + ".", "key [key]."},
		{"twice", testKey + testKey + " " + testKey, "[key] [key]"},
		{"cut", "key " + testKey[:20] + "…", "key [key]…"},
		{"end alone", "…" + testKey[14:], "…[key]"},
		{"lower case", strings.ToLower(testKey), redacted},
		{"masked", "Incorrect API key provided: sk-plant**************6354. You can find", "Incorrect API key provided: [key]. You can find"},
		{"masked with dots", "key sk-pl...6354 is wrong", "key [key] is wrong"},
		{"masked, end alone", "key ****6354 is wrong", "key [key] is wrong"},
		{"base64", "Basic " + base64.StdEncoding.EncodeToString([]byte(testKey)), "Basic [key]"},
		{"base64 after one byte", base64.StdEncoding.EncodeToString([]byte("x" + testKey + "yz")), "eH[key]Hl6"},
		{"base64 after two bytes", base64.StdEncoding.EncodeToString([]byte(": " + testKey)), "OiB[key]Q="},
		{"hexadecimal", hex.EncodeToString([]byte(testKey)), redacted},
		{"reversed", backwards(testKey), redacted},
		{"spaced", strings.Join(strings.Split(testKey, ""), " "), redacted},
		{"one character a line", strings.Join(strings.Split(testKey, ""), "\n"), redacted},
		{"percent in full", percentOf(testKey), redacted},
		{"percent", strings.ReplaceAll(testKey, "-", "%2d"), redacted},
		{"unicode escapes", strings.ReplaceAll(testKey, "-", `\u002d`), redacted},
		{"odd", "<" + oddKey + ">", "<[key]>"},
		{"odd in JSON", string(quoted), `"[key]"`},
		{"odd in a query", "?k=" + url.QueryEscape(oddKey) + "&x", "?k=[key]&x"},
		{"odd in a path", "/" + url.PathEscape(oddKey) + "/", "/[key]/"},
		{"no secret", "EMPTY sk-p **** 6354 plain text", "EMPTY sk-p **** 6354 plain text"},
		{"nothing", "", ""},
		{"short piece", testKey[:8], testKey[:8]},
	}
	for _, test := range tests {
		if got := s.scrub(test.text); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	if got := newSecrets("ten chars!").scrub("it is ten chars! long, ten chars or so"); got != "it is [key] long, ten chars or so" {
		t.Errorf("short secret: %q", got)
	}
	if got := newSecrets().scrub("sk-planted"); got != "sk-planted" {
		t.Errorf("no secrets: %q", got)
	}
}

func backwards(text string) string {
	b := []byte(text)
	slices.Reverse(b)
	return string(b)
}

// percentOf escapes every byte for a URL.
func percentOf(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// leaks searches everything that a call leaves for the planted key, or half of it.
func leaks(reply llm.Reply, err error) string {
	if e, ok := errors.AsType[*llm.Error](err); ok && e.Body != "" {
		return "the body of the error"
	}
	everything := fmt.Sprintf("%+v %#v", reply, err)
	for _, a := range reply.Attempts {
		everything += fmt.Sprintf("%s %s", a.Raw, a.Reason)
	}
	everything += reply.Raw
	if err != nil {
		everything += err.Error()
	}
	for _, piece := range []string{testKey, testKey[:len(testKey)/2], testKey[len(testKey)/2:], url.QueryEscape(testKey[10:])} {
		if i := strings.Index(strings.ToLower(everything), strings.ToLower(piece)); i >= 0 {
			return everything[max(0, i-40):min(len(everything), i+60)]
		}
	}
	return ""
}

// TestKeyIsNowhere: the key is in no part of a reply or an error, in whatever form the server repeats it.
func TestKeyIsNowhere(t *testing.T) {
	echo := map[string]func(v voice) script{
		"401": func(voice) script {
			return refuses(401, `{"error":{"message":"Incorrect API key provided: `+testKey+`"}}`)
		},
		"HTML": func(voice) script {
			return refuses(500, "<title>Bad key Bearer "+testKey+"</title>"+testKey[:25])
		},
		"plain text cut at the limit": func(voice) script {
			return refuses(400, strings.Repeat("x", protocol.MaxMessage-15)+testKey)
		},
		"body cut at the limit": func(v voice) script {
			return says(v.answer(strings.Repeat("x", protocol.MaxRaw-250)+testKey+strings.Repeat("x", 1000), "stop"))
		},
		"redirect": func(voice) script {
			return refuses(302, "", "Location: https://login.test/?key="+url.QueryEscape(testKey))
		},
		"answer":  func(v voice) script { return says(v.answer("The key is "+testKey, "stop")) },
		"thought": func(v voice) script { return says(v.answer("<think>"+testKey+"</think>Go", "stop")) },
		"finish":  func(v voice) script { return says(v.answer("Go", testKey)) },
		"cut": func(v voice) script {
			return says(strings.TrimSuffix(v.answer("The key is "+testKey, "stop"), "}\n")[:120])
		},
		"dropped": func(v voice) script {
			return func(_ int, w http.ResponseWriter, _ *http.Request) {
				conn, _, _ := w.(http.Hijacker).Hijack()
				io.WriteString(conn, "HTTP/1.1 "+testKey+"\r\n\r\n")
				conn.Close()
			}
		},
	}
	for _, v := range voices {
		for name, script := range echo {
			t.Run(v.kind+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					_, reply, err := chatOnce(t, llm.Provider{Type: v.kind, Retries: 1}, script(v), ask("Go?"))
					if found := leaks(reply, err); found != "" {
						t.Errorf("the key is in …%s…", found)
					}
				})
			})
		}
	}
	if err := (&llm.Error{Message: testKey}); leaks(llm.Reply{}, err) == "" {
		t.Error("the search itself finds nothing")
	}
}

// TestNoPieceAtTheCut: secrets are removed before a body is cut, so that the cut leaves no piece that is too short to be recognised.
func TestNoPieceAtTheCut(t *testing.T) {
	c := &client{secrets: newSecrets(testKey)}
	got := c.cleanBody(strings.Repeat("x", protocol.MaxRaw-window+1) + testKey)
	if len(got) != protocol.MaxRaw-window+1+len(redacted) || strings.Contains(got, testKey[:3]) {
		t.Errorf("%d bytes, ending in %s", len(got), got[len(got)-20:])
	}
	if got := c.cleanBody(strings.Repeat("é", protocol.MaxRaw)); len(got) != protocol.MaxRaw || c.cleanBody("") != "" {
		t.Errorf("%d bytes are kept", len(got))
	}
}

// TestNewRefuses: a key in the configuration is refused; the configuration may only name its environment variable.
func TestNewRefuses(t *testing.T) {
	tests := []struct {
		name string
		p    llm.Provider
		want string
	}{
		{"no key", llm.Provider{Type: llm.TypeOpenAI, APIKeyEnv: "NO_KEY"}, "set NO_KEY"},
		{"type", llm.Provider{Type: "oracle"}, `"oracle"`},
		{"no type", llm.Provider{}, `type is ""`},
		{"address", llm.Provider{Type: llm.TypeOllama, BaseURL: "localhost:11434"}, "base_url"},
		{"no host", llm.Provider{Type: llm.TypeOllama, BaseURL: "http:///v1"}, "base_url"},
		{"password in the address", llm.Provider{Type: llm.TypeOpenAI, BaseURL: "https://me:" + testKey + "@server.test"}, "password"},
		{"broken address", llm.Provider{Type: llm.TypeOpenAI, BaseURL: "https://me:" + testKey + "@[server.test"}, "base_url"},
		{"key in the address", llm.Provider{Type: llm.TypeOpenAI, BaseURL: "https://server.test/v1?key=" + testKey}, "base_url contains a key"},
		{"key in a header", llm.Provider{Type: llm.TypeOpenAI, Headers: map[string]string{"Authorization": "Bearer " + testKey}}, "value of header Authorization may be a secret"},
		{"key in another header", llm.Provider{Type: llm.TypeOpenAI, Headers: map[string]string{"X-Api-Key": testKey}}, "value of header X-Api-Key may be a secret"},
		{"cookie", llm.Provider{Type: llm.TypeOpenAI, Headers: map[string]string{"Cookie": "a=" + testKey + "; b=${TEST_KEY}"}}, "value of header Cookie may be a secret"},
		{"password", llm.Provider{Type: llm.TypeOpenAI, Headers: map[string]string{"X-Password": "Bearer"}}, "value of header X-Password may be a secret"},
		{"variable of a header", llm.Provider{Type: llm.TypeOpenAI, Headers: map[string]string{"X-Gate": "${NO_GATE}"}}, "NO_GATE of header X-Gate is not set"},
		{"field of the limit", llm.Provider{Type: llm.TypeOpenAI, MaxTokensField: "tokens"}, "max_tokens_field"},
		{"size of replies", llm.Provider{Type: llm.TypeOpenAI, MaxReply: "-1MiB"}, "max_reply is \"-1MiB\"; it must be a size"},
	}
	for _, test := range tests {
		_, err := New(test.p, testEnv, Hooks{})
		if kindOf(err) != llm.Misconfigured || !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		if found := leaks(llm.Reply{}, err); found != "" {
			t.Errorf("%s: the key is in %s", test.name, found)
		}
	}
	if _, err := New(llm.Provider{Type: llm.TypeOpenAI, APIKeyEnv: "K"}, func(string) string { return "a\nb" }, Hooks{}); kindOf(err) != llm.Misconfigured {
		t.Errorf("key of two lines: %v", err)
	}
}

// TestSecretOfOtherCharacters: a secret with unusual characters is found.
func TestSecretOfOtherCharacters(t *testing.T) {
	const secret = "abcé-0123456789-xyz"
	if got := newSecrets(secret).scrub("it is " + secret + ", or abc***xyz"); strings.Contains(got, secret[5:]) {
		t.Errorf("scrubbed: %q", got)
	}
}

// TestScrubAnywhere: a piece of a secret is found at any position.
func TestScrubAnywhere(t *testing.T) {
	for _, key := range []string{testKey, "eight+ch"} {
		s := newSecrets(key)
		n := min(window, len(key))
		for before := range 3 * n {
			for from := range len(key) - n + 1 {
				for after := range 3 {
					text := strings.Repeat("~", before) + key[from:from+n] + strings.Repeat("!", after)
					if got, want := s.scrub(text), strings.Repeat("~", before)+redacted+strings.Repeat("!", after); got != want {
						t.Fatalf("%q became %q, not %q", text, got, want)
					}
				}
			}
		}
	}
}

func FuzzScrub(f *testing.F) {
	f.Add("key "+testKey, 3, 9)
	f.Add("****6354", 0, 40)
	s := newSecrets(testKey)
	f.Fuzz(func(t *testing.T, text string, from, to int) {
		from = max(0, min(from, len(testKey)-window))
		to = max(from+window, min(to, len(testKey)))
		piece := testKey[from:to]
		if got := s.scrub(text + piece + text); strings.Contains(got, piece) {
			t.Errorf("%q is left in %q", piece, got)
		}
	})
}
