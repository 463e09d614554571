package llm

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
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
		k, err := Key(r, repeat)
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
	// Fixed, so that a record stays valid with later versions: the SHA-256 of
	// {"model":"m","messages":null,"repeat":0} by sha256sum.
	if got := key(Request{Model: "m"}, 0); got != "7f52d6a245c69eb0a6b0b61179ff9369cfe23384a035ba69885571973a9d7380" {
		t.Errorf("key of the plainest request: %s", got)
	}
	// … and of a request with all that there is.
	const full = `{"model":"m","messages":[{"role":"system","content":"A"},{"role":"user","content":"B"}],"options":{"max_tokens":5,"seed":3,"temperature":1},"extra":{"top_k":4},"schema":{"a":1,"b":2},"schema_name":"x","repeat":2}`
	whole := base()
	whole.SchemaName = "x"
	if text, got, err := whole.Canonical(2); text.String() != full || got != fmt.Sprintf("%x", sha256.Sum256([]byte(full))) || err != nil {
		t.Errorf("%s has the key %s (error %v)", text, got, err)
	}
	for name, r := range map[string]Request{
		"NaN":    {Options: map[string]any{"temperature": math.NaN()}},
		"schema": {Schema: json.RawMessage(`{`)},
	} {
		if k, err := Key(r, 0); err == nil {
			t.Errorf("%s has the key %s", name, k)
		}
	}
}

// A text that is shared makes no difference to what is asked, wherever it ends.
func TestSharedText(t *testing.T) {
	const short = "a \"b\" <c>\n\u2028 \\ ü \xff\xc3 d"
	long := strings.Repeat("A task of many words. ", 400)
	for at := range len(short) + 1 {
		testSharedText(t, short, at)
		testSharedText(t, long+short, len(long)+at)
	}
	testSharedText(t, long, 4<<10)
}

func testSharedText(t *testing.T, text string, at int) {
	t.Helper()
	for range 2 { // the second time with what was kept
		whole := Request{Model: "m", Messages: []Message{{Role: "system", Content: text}, {Role: "user", Content: "B"}}}
		split := Request{Model: "m", Messages: []Message{{Role: "system", Shared: text[:at], Content: text[at:]}, {Role: "user", Shared: "B"}}}
		a, keyA, errA := whole.Canonical(1)
		b, keyB, errB := split.Canonical(1)
		if a.String() != b.String() || keyA != keyB || errA != nil || errB != nil {
			t.Errorf("shared up to %d: %s (%v), not %s (%v)", at, b, errB, a, errA)
		}
		encoded, _ := json.Marshal(text)
		if !strings.Contains(a.String(), `{"role":"system","content":`+string(encoded)+`}`) {
			t.Errorf("asked: %s", a)
		}
	}
}

// Requests made of one pattern are those that would be made by themselves, whatever
// seeds, servers and messages they are for, and many at once.
func TestPattern(t *testing.T) {
	plain := Request{Model: "m", Options: map[string]any{"temperature": 0.5, "max_tokens": 9}, Extra: map[string]any{"top_k": 4},
		Schema: json.RawMessage(`{"a": 1}`), SchemaName: "s"}
	ways := []dialect{{limit: maxTokens}, {limit: maxCompletionTokens}, {limit: maxTokens, format: 1}, {limit: maxTokens, format: 2, noSeed: true}}
	pattern, seeds := plain.Pattern(), int64(2*mostForms) // more forms than are kept
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for seed := range seeds {
				want, got := plain, pattern
				for _, r := range []*Request{&want, &got} {
					r.Messages = []Message{{Role: "user", Content: fmt.Sprint("question ", seed%5)}}
					if seed != 1 {
						r.Seed = &seed
					}
				}
				text, key, err := got.Canonical(2)
				wantText, wantKey, wantErr := want.Canonical(2)
				if text.String() != wantText.String() || key != wantKey || err != nil || wantErr != nil {
					t.Errorf("seed %d: %s (%v), not %s (%v)", seed, text, err, wantText, wantErr)
				}
				way := ways[seed%int64(len(ways))]
				body, err := way.body(got)
				wantBody, wantErr := way.body(want)
				if body.String() != wantBody.String() || err != nil || wantErr != nil || !json.Valid([]byte(body.String())) {
					t.Errorf("seed %d: %s (%v), not %s (%v)", seed, body, err, wantBody, wantErr)
				}
			}
		})
	}
	all.Wait()
	if n := len(pattern.pattern.texts); n != mostForms {
		t.Errorf("%d forms are kept, not %d", n, mostForms)
	}
	faulty := Request{Model: "m", Messages: []Message{{Content: "x"}}, Options: map[string]any{"temperature": math.NaN()}}.Pattern()
	for range 2 {
		if _, key, err := faulty.Canonical(1); err == nil {
			t.Errorf("NaN has the key %s", key)
		}
	}
}

// A long text with nothing behind it is hashed as it is: nothing is kept of it.
func TestWholeTextIsNoStart(t *testing.T) {
	long := strings.Repeat("An argument of many words. ", 400)
	for i, test := range []struct {
		messages []Message
		kept     int
	}{
		{[]Message{{Role: "user", Shared: long}}, 0},
		{[]Message{{Role: "system", Content: "You compare."}, {Role: "user", Shared: long}}, 0},
		{[]Message{{Role: "user", Shared: long, Content: "A or B?"}}, 1},
		{[]Message{{Role: "system", Shared: long}, {Role: "user", Content: "A or B?"}}, 1},
	} {
		before := len(begun.states)
		r := Request{Model: fmt.Sprint("whole ", i), Messages: test.messages}
		if _, _, err := r.Canonical(1); err != nil {
			t.Fatal(err)
		}
		if kept := len(begun.states) - before; kept != test.kept {
			t.Errorf("messages %d: %d hashes are kept, not %d", i, kept, test.kept)
		}
	}
}

func TestKeyLeavesTheRequest(t *testing.T) {
	seed := int64(3)
	r := Request{Model: "m", Options: map[string]any{"top_p": 1}, Seed: &seed}
	Key(r, 0)
	if len(r.Options) != 1 {
		t.Errorf("options became %v", r.Options)
	}
}

func TestSeed(t *testing.T) {
	seen := map[int64]bool{}
	for run := range int64(40) {
		for repeat := range 40 {
			s := Seed(run-3, repeat)
			if s < 1 || s > math.MaxInt32 {
				t.Fatalf("seed %d", s)
			}
			if seen[s] {
				t.Errorf("seed %d twice", s)
			}
			seen[s] = true
		}
	}
	if a, b := Seed(1, 0), Seed(1, 0); a != b {
		t.Error("a seed differs between two calls")
	}
}
