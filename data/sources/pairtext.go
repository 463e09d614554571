package sources

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// A turn is one message of a conversation.
type turn struct{ role, text string }

// The keys of an answer or a message that may hold its text, and the keys that may name the system that wrote it.
var (
	textMembers   = []string{"content", "text", "answer", "response", "output", "completion", "generation", "reply", "value"}
	systemMembers = []string{"generator", "model", "llm_name", "model_name", "system", "llm", "policy", "author"}
)

// turnsOf splits a value into messages. ok is false for an object without a known text. system is the system that an object names. Cases:
//   - a list of messages: [{"role": "user", "content": "…"}] or [{"from": "human", "value": "…"}]
//   - an object with such a list in messages or conversation
//   - a text in the format of HH: "Human: …\n\nAssistant: …"
//   - any other text or answer: one turn without a role
func turnsOf(v gjson.Result) (turns []turn, system string, ok bool) {
	switch {
	case v.Type == gjson.String:
		if inner := gjson.Parse(v.Str); strings.HasPrefix(strings.TrimSpace(v.Str), "[{") && gjson.Valid(v.Str) && isMessage(inner.Get("0")) {
			return turnsOf(inner)
		}
		if turns := spokenTurns(v.Str); turns != nil {
			return turns, "", true
		}
		return []turn{{"", v.Str}}, "", true
	case v.IsArray():
		list := v.Array()
		if slices.ContainsFunc(list, isMessage) {
			for _, m := range list {
				turns = append(turns, messageTurn(m))
			}
			return turns, "", true
		}
		return []turn{{"", contentText(v)}}, "", true
	case isMessage(v):
		return []turn{messageTurn(v)}, "", true
	case v.IsObject():
		for _, name := range systemMembers {
			if system == "" && v.Get(name).Type == gjson.String {
				system = v.Get(name).Str
			}
		}
		for _, name := range []string{"messages", "conversation", "conversations"} {
			if list := v.Get(name); list.IsArray() {
				turns, _, ok = turnsOf(list)
				return turns, system, ok
			}
		}
		for _, name := range textMembers {
			if inner := v.Get(name); inner.Exists() && inner.Type != gjson.Null {
				return []turn{{"", contentText(inner)}}, system, true
			}
		}
		return nil, system, false
	}
	return []turn{{"", textOf(v)}}, "", true
}

// isMessage reports whether a value is a message of a conversation: an object with a role, or with from and value.
func isMessage(v gjson.Result) bool {
	return v.IsObject() && (v.Get("role").Exists() || v.Get("from").Type == gjson.String && v.Get("value").Exists())
}

// messageTurn turns a message into a turn. Its tool calls follow its text.
func messageTurn(m gjson.Result) turn {
	t := turn{role: m.Get("role").Str}
	if t.role == "" {
		t.role = m.Get("from").Str
	}
	content := m.Get("content")
	if !content.Exists() {
		content = m.Get("value")
	}
	parts := []string{contentText(content)}
	for _, call := range m.Get("tool_calls").Array() {
		parts = append(parts, toolCall(call.Get("function.name").Str, call.Get("function.arguments")))
	}
	if call := m.Get("function_call"); call.IsObject() {
		parts = append(parts, toolCall(call.Get("name").Str, call.Get("arguments")))
	}
	t.text = paragraphs(parts)
	return t
}

// toolCall returns a tool call as text, such as [tool call: search {"q": "tea"}].
func toolCall(name string, arguments gjson.Result) string {
	text := arguments.Str
	if arguments.Type != gjson.String {
		text = arguments.Raw
	}
	return fmt.Sprintf("[tool call: %s %s]", name, strings.Join(strings.Fields(text), " "))
}

// contentText returns the content of a message or an answer as text. Other parts are named in brackets, as [image].
func contentText(v gjson.Result) string {
	switch {
	case v.IsArray():
		var parts []string
		for _, part := range v.Array() {
			parts = append(parts, contentText(part))
		}
		return paragraphs(parts)
	case v.IsObject():
		return partText(v)
	}
	return textOf(v)
}

// partText returns one part of a message's content as text, by its type: a tool call, a tool result, a medium, or a text.
func partText(v gjson.Result) string {
	kind := strings.ToLower(v.Get("type").Str)
	switch {
	case kind == "tool_use" || kind == "tool_call" || kind == "function_call":
		arguments := v.Get("input")
		if !arguments.Exists() {
			arguments = v.Get("arguments")
		}
		return toolCall(v.Get("name").Str, arguments)
	case kind == "tool_result":
		return "[tool result: " + contentText(v.Get("content")) + "]"
	case mediaOf(kind) != "":
		return "[" + mediaOf(kind) + "]"
	}
	for _, name := range textMembers {
		if inner := v.Get(name); inner.Exists() && inner.Type != gjson.Null && (inner.Type != gjson.String || inner.Str != "") {
			return contentText(inner)
		}
	}
	for _, name := range []string{"image", "image_url", "images", "audio", "input_audio", "video", "video_url", "file"} {
		if inner := v.Get(name); inner.Exists() && inner.Type != gjson.Null && inner.Raw != "[]" {
			return "[" + mediaOf(name) + "]"
		}
	}
	if kind == "" || kind == "text" || kind == "output_text" || kind == "input_text" {
		return ""
	}
	return "[" + kind + "]"
}

// mediaOf returns the medium that a type of content or a column's name contains (image, audio, video or file), or "".
func mediaOf(kind string) string {
	for _, medium := range []string{"image", "audio", "video", "file"} {
		if strings.Contains(kind, medium) {
			return medium
		}
	}
	return ""
}

// paragraphs joins the texts that are not empty with a blank line between them.
func paragraphs(parts []string) string {
	parts = slices.DeleteFunc(parts, func(text string) bool { return strings.TrimSpace(text) == "" })
	return strings.Join(parts, "\n\n")
}

// spokenTurns splits a text in the format of HH ("Human: …", "Assistant: …") into turns. It returns nil for any other text.
func spokenTurns(text string) (turns []turn) {
	const human, assistant = "\n\nHuman:", "\n\nAssistant:"
	text = "\n\n" + strings.TrimLeft(text, "\n ")
	if !strings.HasPrefix(text, human) || strings.Count(text, human)+strings.Count(text, assistant) == 0 {
		return nil
	}
	for text != "" {
		role := "Human"
		rest := strings.TrimPrefix(text, human)
		if strings.HasPrefix(text, assistant) {
			role = "Assistant"
			rest = strings.TrimPrefix(text, assistant)
		}
		end := len(rest)
		for _, next := range []string{human, assistant} {
			if index := strings.Index(rest, next); index >= 0 && index < end {
				end = index
			}
		}
		turns = append(turns, turn{role, strings.TrimSpace(rest[:end])})
		text = rest[end:]
	}
	return turns
}

// byUser reports whether a turn is by a user or a system message, so that it is not an answer.
func (t turn) byUser() bool {
	return slices.Contains([]string{"user", "human", "prompter", "system", "developer"}, strings.ToLower(t.role))
}

func (t turn) bySystem() bool {
	role := strings.ToLower(t.role)
	return role == "system" || role == "developer"
}

// splitTurns splits two conversations into the turns they share and the answers. The answers begin at the first turn that differs. If that
// turn is a user's, or one conversation ends there, the answers begin with the previous answer instead. ok is false if there is no such
// answer.
func splitTurns(a, b []turn) (shared, restA, restB []turn, ok bool) {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	answers := func(n int) bool { return n < min(len(a), len(b)) && !a[n].byUser() && !b[n].byUser() }
	for n > 0 && !answers(n) {
		n--
	}
	if !answers(n) {
		return nil, nil, nil, false
	}
	return a[:n], a[n:], b[n:], true
}

// conversation joins turns to one text, with roles if there are several. System messages come first, labelled as such.
func conversation(turns []turn) string {
	var system, parts []string
	for len(turns) > 0 && turns[0].bySystem() {
		system = append(system, systemMessage(turns[0].text))
		turns = turns[1:]
	}
	if n := len(turns); n > 1 && strings.EqualFold(turns[n-1].role, "assistant") && strings.TrimSpace(turns[n-1].text) == "" {
		turns = turns[:n-1] // HH's prompts end with the beginning of the answer
	}
	for _, t := range turns {
		text := strings.TrimSpace(t.text)
		if len(turns) > 1 && t.role != "" {
			text = t.role + ": " + text
		}
		parts = append(parts, text)
	}
	return paragraphs(append(slices.DeleteFunc(system, func(text string) bool { return text == "" }), parts...))
}

// systemMessage returns a system message with a label, or "" for an empty one.
func systemMessage(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return "System message: " + strings.TrimSpace(text)
}

// within reports whether the text of each turn of a question is contained in one of the given turns.
func within(question, turns []turn) bool {
	return !slices.ContainsFunc(question, func(q turn) bool {
		return strings.TrimSpace(q.text) != "" && !slices.ContainsFunc(turns, func(t turn) bool {
			return strings.Contains(t.text, strings.TrimSpace(q.text))
		})
	})
}
