package llm

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestKey(t *testing.T) {
	seed := int64(3)
	base := func() Request {
		return Request{
			Model: "m", Messages: []Message{{Role: "system", Content: "A"}, {Role: "user", Content: "B"}},
			Options: map[string]any{"temperature": 1, "max_tokens": 5}, Extra: map[string]any{"top_k": 4},
			Schema: json.RawMessage(`{"a": 1, "b": 2}`), Seed: &seed,
		}
	}
	key := func(r Request, repeat int) string {
		t.Helper()
		k, err := keyOf(r, repeat)
		if err != nil || len(k) != 64 {
			t.Fatalf("key %q, error %v", k, err)
		}
		return k
	}
	same := map[string]func(*Request){
		"nothing":          func(*Request) {},
		"a float":          func(r *Request) { r.Options["temperature"] = 1.0 },
		"white space":      func(r *Request) { r.Schema = json.RawMessage("{\"a\":1,\n\"b\":2}") },
		"seed by options":  func(r *Request) { r.Seed = nil; r.Options["seed"] = 3 },
		"seed over option": func(r *Request) { r.Options["seed"] = 9 },
	}
	for name, change := range same {
		r := base()
		change(&r)
		if key(r, 1) != key(base(), 1) {
			t.Errorf("%s changes the key", name)
		}
	}
	differ := map[string]func(*Request){
		"model":           func(r *Request) { r.Model = "n" },
		"role":            func(r *Request) { r.Messages[0].Role = "user" },
		"text":            func(r *Request) { r.Messages[1].Content = "B " },
		"order":           func(r *Request) { r.Messages[0], r.Messages[1] = r.Messages[1], r.Messages[0] },
		"split":           func(r *Request) { r.Messages = []Message{{Role: "system", Content: "AB"}} },
		"option":          func(r *Request) { r.Options["temperature"] = 0 },
		"option is gone":  func(r *Request) { delete(r.Options, "temperature") },
		"extra":           func(r *Request) { r.Extra["top_k"] = 5 },
		"option as extra": func(r *Request) { r.Extra, r.Options = r.Options, r.Extra },
		"schema":          func(r *Request) { r.Schema = nil },
		"order of keys":   func(r *Request) { r.Schema = json.RawMessage(`{"b":2,"a":1}`) },
		"schema's name":   func(r *Request) { r.SchemaName = "x" },
		"seed":            func(r *Request) { r.Seed = nil },
	}
	seen := map[string]string{key(base(), 1): "base", key(base(), 2): "repeat"}
	for name, change := range differ {
		r := base()
		change(&r)
		k := key(r, 1)
		if other, ok := seen[k]; ok {
			t.Errorf("%s has the key of %s", name, other)
		}
		seen[k] = name
	}
	if key(Request{Model: "m", Options: map[string]any{}}, 0) != key(Request{Model: "m"}, 0) {
		t.Error("no options and empty options differ")
	}
	// The key is fixed, so that a record stays valid with later versions: sha256sum of {"model":"m","messages":[],"repeat":0}.
	if got := key(Request{Model: "m"}, 0); got != "8188b1ea24c860e7b5feaa5081d019334c158227a15f803068bd40da307a312e" {
		t.Errorf("key of the plainest request: %s", got)
	}
	// A request with all fields set.
	const full = `{"model":"m","messages":[{"role":"system","content":"A"},{"role":"user","content":"B"}],"options":{"max_tokens":5,"seed":3,"temperature":1},"extra":{"top_k":4},"schema":{"a":1,"b":2},"schema_name":"x","repeat":2}`
	whole := base()
	whole.SchemaName = "x"
	if text, got, err := whole.Canonical(2); strings.Join(text, "") != full || got != fmt.Sprintf("%x", sha256.Sum256([]byte(full))) || err != nil {
		t.Errorf("%s has the key %s (error %v)", text, got, err)
	}
	for name, r := range map[string]Request{
		"NaN":    {Options: map[string]any{"temperature": math.NaN()}},
		"schema": {Schema: json.RawMessage(`{`)},
	} {
		if k, err := keyOf(r, 0); err == nil {
			t.Errorf("%s has the key %s", name, k)
		}
	}
}

// TestSharedText: a call's key does not depend on where the shared part of a text ends.
func TestSharedText(t *testing.T) {
	const short = "a \"b\" <c>\n\u2028 \\ ü \xff\xc3 d"
	long := strings.Repeat("A task of many words. ", 400)
	for index := range len(short) + 1 {
		testSharedText(t, short, index)
		testSharedText(t, long+short, len(long)+index)
	}
	testSharedText(t, long, 4<<10)
}

func testSharedText(t *testing.T, text string, index int) {
	t.Helper()
	{
		whole := Request{Model: "m", Messages: []Message{{Role: "system", Content: text}, {Role: "user", Content: "B"}}}
		split := Request{Model: "m", Messages: []Message{{Role: "system", Shared: text[:index], Content: text[index:]}, {Role: "user", Shared: "B"}}}
		a, keyA, errA := whole.Canonical(1)
		b, keyB, errB := split.Canonical(1)
		if strings.Join(a, "") != strings.Join(b, "") || keyA != keyB || errA != nil || errB != nil {
			t.Errorf("shared up to %d: %s (%v), not %s (%v)", index, b, errB, a, errA)
		}
		encoded, _ := json.Marshal(text)
		if !strings.Contains(strings.Join(a, ""), `{"role":"system","content":`+string(encoded)+`}`) {
			t.Errorf("asked: %s", a)
		}
	}
}

// keyOf returns the key of a request.
func keyOf(r Request, repeat int) (string, error) {
	_, k, err := r.Canonical(repeat)
	return k, err
}

// TestEscaped: texts are quoted as fmt and encoding/json quote them. Keys and marks of older records depend on this.
func TestEscaped(t *testing.T) {
	for _, text := range []string{"", "plain", "a\nb \"ü\x00\u2028<>&\\ \xff", "\xc3", "é\u00a0\u200b\x7f", "日本\r\n"} {
		if got, want := string(appendEscaped(nil, text, &inJSON, jsonOf)), jsonOf(text); `"`+got+`"` != want {
			t.Errorf("JSON of %q: %s, not %s", text, got, want)
		}
		sum := sha256.Sum256(fmt.Appendf(nil, "%d%q", 0, []string{text, "b"}))
		if got, want := UnusedMark([]string{text, "b"}, 8), fmt.Sprintf("%x", sum[:8]); got != want {
			t.Errorf("mark of %q: %s, not %s", text, got, want)
		}
	}
}
