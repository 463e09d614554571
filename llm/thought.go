package llm

import "strings"

// thinkTags are the tags of reasoning inside the answer, if the server does not parse it.
var thinkTags = []string{"think", "thinking", "thought", "reasoning"}

// SplitThought separates the reasoning from a text: blocks such as <think>…</think> at its beginning. A block without
// an end leaves no answer. A closing tag without an opening one ends a block that the chat template opened; several
// servers return the R1 family in this form. Later tags are part of the answer.
func SplitThought(text string) (answer, thought string) {
	var thoughts []string
	rest := text
	for {
		tag, body := openingTag(rest)
		if tag == "" {
			break
		}
		var inner string
		inner, rest, _ = cutFold(body, "</"+tag+">") // all of it if the tag is not closed
		thoughts = append(thoughts, strings.TrimSpace(inner))
	}
	if len(thoughts) == 0 {
		before, after, ok := cutFold(text, "</think>")
		if !ok || strings.Contains(strings.ToLower(before), "<think>") {
			return text, ""
		}
		return strings.TrimLeft(after, " \t\r\n"), strings.TrimSpace(before)
	}
	return strings.TrimLeft(rest, " \t\r\n"), strings.Join(thoughts, "\n\n")
}

// openingTag returns the name of the tag at the beginning of text, and the text after it;
// the name is empty if there is no tag.
func openingTag(text string) (name, rest string) {
	text = strings.TrimLeft(text, " \t\r\n")
	for _, name := range thinkTags {
		tag := "<" + name + ">"
		if len(text) >= len(tag) && strings.EqualFold(text[:len(tag)], tag) {
			return name, text[len(tag):]
		}
	}
	return "", ""
}

// cutFold is strings.Cut without regard to the case of an ASCII separator.
func cutFold(s, sep string) (before, after string, found bool) {
	for from := 0; ; from++ {
		next := strings.IndexByte(s[from:], sep[0])
		if next < 0 || from+next+len(sep) > len(s) {
			return s, "", false
		}
		if from += next; strings.EqualFold(s[from:from+len(sep)], sep) {
			return s[:from], s[from+len(sep):], true
		}
	}
}
