package data

import (
	_ "embed"
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// A Contrast is two judgments on one prompt, a chosen and a rejected one, in the format of preference training (DPO): lists of chat
// messages.
type Contrast struct {
	Prompt   []ChatMessage `json:"prompt"`
	Chosen   []ChatMessage `json:"chosen"`
	Rejected []ChatMessage `json:"rejected"`
}

// A ChatMessage is one turn of a conversation.
type ChatMessage struct {
	Role    string `json:"role"` // system, user or assistant
	Content string `json:"content"`
}

// ContrastSchema is the JSON Schema of one line of a file of contrasts.
//
//go:embed contrasts.schema.json
var ContrastSchema string

var contrastFields = []string{"prompt", "chosen", "rejected"}

// WriteContrasts writes contrasts as JSON Lines.
func WriteContrasts(w io.Writer, contrasts []Contrast) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, c := range contrasts {
		if err := enc.Encode(c); err != nil {
			return err
		}
	}
	return nil
}

// ReadContrasts reads and checks a file of contrasts. Each line has exactly the fields prompt, chosen and rejected. The prompt ends with a
// user message. chosen and rejected are one assistant message each, neither empty nor equal. Errors name file and line.
func ReadContrasts(path string) ([]Contrast, error) {
	return readRecords(path, contrastFields, "", func(r *row) (c Contrast, _ []string) {
		c = Contrast{r.messages("prompt"), r.messages("chosen"), r.messages("rejected")}
		if r.err != nil {
			return c, nil
		}
		if last := c.Prompt[len(c.Prompt)-1].Role; last != "user" {
			r.fail("prompt ends with a message of the %s; it must be of the user", last)
		}
		for i, messages := range [][]ChatMessage{c.Chosen, c.Rejected} {
			if len(messages) != 1 || messages[0].Role != "assistant" {
				r.fail("%s must be one message of the assistant", contrastFields[i+1])
			}
		}
		if c.Chosen[0].Content == c.Rejected[0].Content {
			r.fail("chosen and rejected are equal")
		}
		return c, nil
	})
}

// messages returns the list of chat messages in a field.
func (r *row) messages(name string) (list []ChatMessage) {
	if !r.decode(name, &list, "a list of {role, content} is needed") {
		r.fail("%s is missing", name)
	}
	if len(list) == 0 {
		r.fail("%s is empty", name)
	}
	for i, m := range list {
		if !slices.Contains([]string{"system", "user", "assistant"}, m.Role) {
			r.fail("%s: the role of message %d is %q; it must be system, user or assistant", name, i+1, m.Role)
		}
		if strings.TrimSpace(m.Content) == "" {
			r.fail("%s: message %d is empty", name, i+1)
		}
	}
	return list
}
