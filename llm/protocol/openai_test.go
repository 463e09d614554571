package protocol

import (
	"encoding/json"
	"strings"
	"testing"

	"compqa/llm"
)

// TestBodyAsMarshalled: the body of a request is what json.Marshal writes for its fields, whatever the texts and wherever their shared
// parts end.
func TestBodyAsMarshalled(t *testing.T) {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content,omitempty"`
	}
	const text = "a \"b\" <c>\n\u2028 \\ ü \xff\xc3 \x00 d"
	for index := range len(text) + 1 {
		other := message{"us\"er", strings.Repeat("x", index)}
		got, err := openAIBody(llm.Request{Model: "m", Seed: new(int64(7)), Options: map[string]any{"temperature": 0, "<o>": "é"},
			Extra:    map[string]any{"seed": "x"},
			Messages: []llm.Message{{Role: "system", Shared: text[:index], Content: text[index:]}, {Role: other.Role, Content: other.Content}}})
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(map[string]any{"model": "m", "seed": "x", "temperature": 0, "<o>": "é", "stream": false,
			"messages": []message{{"system", text}, other}})
		if string(got) != string(want) || err != nil {
			t.Errorf("shared up to %d: %s, not %s (%v)", index, got, want, err)
		}
	}
	if _, err := openAIBody(llm.Request{Options: map[string]any{"temperature": func() {}}}); err == nil {
		t.Error("an option that is not JSON is written")
	}
}
