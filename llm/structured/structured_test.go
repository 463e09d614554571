package structured

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"compqa/llm"
)

func TestSchema(t *testing.T) {
	type item struct {
		Name   string  `json:"name"`
		Kept   *bool   `json:"kept,omitempty"`
		Groups [][]int `json:"groups"`
	}
	for want, example := range map[string]any{
		`{"type":"object","properties":{"name":{"type":"string"},"kept":{"type":"boolean"},"groups":{"type":"array","items":{"type":"array","items":{"type":"integer"}}}},"required":["name","kept","groups"],"additionalProperties":false}`: item{},
		`{"type":"object","properties":{"1":{"type":"integer","enum":[0,1]},"2":{"type":"number","enum":[0,0.5]},"a \"b\"":{"type":"string","enum":["x"]}},"required":["1","2","a \"b\""],"additionalProperties":false}`: Fields{
			{"1", EnumOf([]float64{0, 1})}, {"2", EnumOf([]float64{0, 0.5})}, {`a "b"`, Enum{"x"}}},
		`{"type":"array","items":{"type":"object","properties":{"10":{"type":"boolean"}},"required":["10"],"additionalProperties":false}}`: []any{Fields{{"10", false}}},
	} {
		if got := string(Schema(example)); got != want || !json.Valid([]byte(got)) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// TestDecode: JSON is decoded as encoding/json does it. Text that resembles JSON is decoded, too.
func TestDecode(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": "x\n\"y\" \u00e9", "b": [1, -2.5e3, true, null, {}], "c": ""}`: `{"a": "x\n\"y\" é", "b": [1, -2500, true, null, {}], "c": ""}`,
		`{'a': 'it\'s', b: yes, “c”: „d“, "e": True, /* no */ "f": None,}`:    `{"a": "it's", "b": "yes", "c": "d", "e": true, "f": null}`,
		"{\"a\": \"two\nlines\"}": `{"a": "two\nlines"}`,
		`{"a": 1, "a": 1}`:        `{"a": 1}`,
	} {
		v, err := Object("so: "+text+" that is all", anyObject, Material{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := v.JSON(); err != nil || got != want {
			t.Errorf("%s becomes %s, %v; want %s", text, got, err, want)
		}
	}
	v, _ := Object(`{"a": 1, "a": 2}`, anyObject, Material{})
	if text, err := v.JSON(); err == nil {
		t.Errorf("two values of a key become %s", text)
	}
}

func TestOnly(t *testing.T) {
	m := MaterialOf("An answer.\n{\"a\":\n1, \"b\": 'x'}", `it ends: {\"z\": 2}`)
	for reply, want := range map[string]error{
		`{"a": 1, "b": "y"}`:                    nil,
		`{"a": 1, "b": "y"} {b: y, a: 1}`:       nil,
		`{"a": 1, "b": "y"} {'a': 1, "b": "y"}`: nil,
		`{"a": 1, "b": "y"} {"a": 2, "b": "y"}`: ErrSeveral,
		`{"a": 1, "b": "y"} {"A": 1, 'b': "X"}`: nil, // the second is quoted
		`{"a": 1, "b": "x"}`:                    ErrQuoted,
		`{"z": 2}`:                              ErrQuoted,
		`none`:                                  ErrNone,
		`{}`:                                    ErrNone,
		strings.Repeat("{//", 5000):             ErrTangled,
	} {
		if _, err := Object(reply, anyObject, m); err != want {
			t.Errorf("%.60s: %v, want %v", reply, err, want)
		}
	}
	if m.Quotes("answer") || !m.Quotes("AN  answer") {
		t.Error("a single word is a quotation, or two are none")
	}
}

// TestNesting: the depth of nested objects is limited. Otherwise a hostile reply could exhaust the stack.
func TestNesting(t *testing.T) {
	nested := strings.Repeat(`{"a": `, deepest+1) + `{}` + strings.Repeat("}", deepest+1)
	if _, err := (&scanner{text: nested, claims: NoClaims}).object(0); err != errBroken {
		t.Errorf("%d levels: %v", deepest+1, err)
	}
}

func TestEntries(t *testing.T) {
	type entry struct {
		X int `json:"x"`
	}
	for reply, want := range map[string]string{
		`{"1": {"x": 1}, "2": {"x": 2}}`:                                "",
		`{"rows": {"one": {"x": 1}, "2": {"x": 2}}}`:                    "",
		`{"1": {"x": 7}} no: {"1": {"x": 1}, "2": {"x": 2}}`:            "",
		`{"2": {"x": 2}}`:                                               Incomplete,
		`{"1": {"x": 1}, "2": {"x": "two"}}`:                            Unparsed,
		`{"1": 1, "2": {"x": 2}}`:                                       Unparsed,
		`{"1": {"x": 1}, "2": {"x": 2}, "3": {"x": 3}}`:                 OutOfRange,
		`{"1": {"x": 1}, "2": {"x": 2}} {"1": {"x": 1}, "2": {"x": 3}}`: Unparsed,
		`nothing`: Unparsed,
	} {
		list, f := Entries[entry](reply, 2, []string{"one", "two"}, "row", "x", Material{})
		if f.Status != want || (f.Reason == "") != (want == "") || want == "" && (list[0].X != 1 || list[1].X != 2) {
			t.Errorf("%s: %v, %+v", reply, list, f)
		}
	}
}

// TestDo: an invalid reply is repaired once. A failed call is not repaired.
func TestDo(t *testing.T) {
	for _, c := range []struct {
		replies          []string
		value, raw, want string
	}{
		{[]string{"good"}, "good", "good", "valid"},
		{[]string{"bad", "good"}, "good", "good", "valid"},
		{[]string{"bad", "bad"}, "bad", "bad", "unparsed"},
		{[]string{"bad", ""}, "bad", "bad", "failed"},
		{[]string{""}, "", "", "failed"},
		{[]string{"bad", "cut"}, "", "cut", "truncated"},
	} {
		calls := 0
		q := Query[string, string]{Repairs: 1, Request: llm.Request{Messages: []llm.Message{{Role: "user", Content: "?"}}},
			Read: func(reply string) (string, string, string) {
				if reply == "good" {
					return reply, "valid", ""
				}
				return reply, "unparsed", "it is bad"
			}, RepairMessage: func(reason string) string { return "again: " + reason }}
		r := q.Do(context.Background(), func(_ context.Context, req llm.Request) (llm.Reply, error) {
			if len(req.Messages) != 1+2*calls {
				t.Errorf("call %d has %d messages", calls+1, len(req.Messages))
			}
			text := c.replies[calls]
			calls++
			switch text {
			case "":
				return llm.Reply{}, errors.New("down")
			case "cut":
				return llm.Reply{Text: text}, &llm.Error{Kind: llm.Truncated}
			}
			return llm.Reply{Text: text}, nil
		})
		if r.Value != c.value || r.Raw != c.raw || r.Status != c.want || calls != len(c.replies) || (r.Reason == "") != (c.want == "valid") {
			t.Errorf("%q: %+v after %d calls", c.replies, r, calls)
		}
	}
}

func TestRepeats(t *testing.T) {
	const mark = "0123"
	of := InstructionsOf("Compare the two answers step by step and name up to five aspects, the most telling first.\nReply with {\"only_a\": \"…\"}\nAspects:\n- <aspect>", mark)
	for text, want := range map[string]bool{
		"…": true, "<aspect>": true, "number 0123": true, "the most telling": true, "Most Telling First": true,
		"Compare the two answers step by step and name aspects": true, "compare both by what they cost and how they look": false,
		"aspects": false, "price": false, "the price is low": false, "!": false,
		"Compare the two answers step by step: A is cheaper, quieter, and far better to look at": false,
	} {
		if got := of.Repeats(text); got != want {
			t.Errorf("%q repeats the prompt: %v", text, got)
		}
	}
}

func FuzzObject(f *testing.F) {
	for _, text := range []string{`{"a": 1}`, `{'a': "b\"c"}`, `{a: [1, {b: None}], /* x */}`, "{\"\\", "{{{", `{"a": "\ud800"}`} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, reply, judged string) {
		v, err := Object(reply, anyObject, MaterialOf(judged))
		if err != nil {
			return
		}
		if text, err := v.JSON(); err == nil && !json.Valid([]byte(text)) {
			t.Errorf("%q becomes %s", reply, text)
		}
		if _, err := Object(reply, anyObject, MaterialOf(reply)); err == nil {
			t.Errorf("%q is not quoted from itself", reply)
		}
	})
}

// anyObject accepts every object that is not empty.
func anyObject(v Value) bool { return len(v.Members) > 0 }
