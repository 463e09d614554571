package train

import (
	"io"

	"compqa/data"
	"compqa/results/table"
)

// Formats of trainers. axolotl reads TRL's files; Together and Fireworks read OpenAI's.
const (
	FormatTRL    = "trl" // tested with TRL 1.9.0
	FormatOpenAI = "openai"
)

// Formats has the names of all formats.
var Formats = []string{FormatTRL, FormatOpenAI}

type (
	completionLine struct {
		Prompt     []data.ChatMessage `json:"prompt"`
		Completion []data.ChatMessage `json:"completion"`
	}
	messagesLine struct {
		Messages []data.ChatMessage `json:"messages"`
	}
	openAIPairLine struct {
		Input     messagesLine       `json:"input"`
		Preferred []data.ChatMessage `json:"preferred_output"`
		Other     []data.ChatMessage `json:"non_preferred_output"`
	}
)

// line returns an example as the value that a trainer reads from a line of JSON.
func (e Example) line(format string) any {
	chosen := e.side(e.Chosen)
	rejected := e.side(e.Rejected)
	switch {
	case format == FormatTRL && !e.Paired():
		return completionLine{e.Prompt, chosen}
	case !e.Paired():
		return messagesLine{append(append([]data.ChatMessage(nil), e.Prompt...), chosen...)}
	case format == FormatOpenAI:
		return openAIPairLine{messagesLine{e.Prompt}, chosen, rejected}
	}
	return data.Contrast{Prompt: append([]data.ChatMessage{}, e.Prompt...), Chosen: chosen, Rejected: rejected}
}

// side returns a completion as an assistant's message. In a pair without a prompt, it returns a whole request, as a user's message.
func (e Example) side(text string) []data.ChatMessage {
	if len(e.Prompt) == 0 && e.Paired() {
		return []data.ChatMessage{{Role: "user", Content: text}}
	}
	return []data.ChatMessage{{Role: "assistant", Content: text}}
}

// Write writes examples as JSON Lines in one of Formats.
func Write(w io.Writer, format string, examples []Example) error {
	return table.Lines(data.Each(examples, func(e Example) any { return e.line(format) }))(w)
}
