package train

import (
	"io"

	"compqa/data"
	"compqa/results/table"
)

// The formats of trainers. axolotl reads TRL's files as they are; Together and Fireworks read OpenAI's.
const (
	FormatTRL    = "trl" // read in TRL 1.9.0
	FormatOpenAI = "openai"
)

// Formats has the names of the formats of training data.
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

// line returns an example as a trainer reads it.
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

// side returns a completion, or in an example without a prompt a whole request.
func (e Example) side(text string) []data.ChatMessage {
	if len(e.Prompt) == 0 && e.Paired() {
		return []data.ChatMessage{{Role: "user", Content: text}}
	}
	return []data.ChatMessage{{Role: "assistant", Content: text}}
}

// Write writes examples as JSON Lines in a format of Formats.
func Write(w io.Writer, format string, examples []Example) error {
	return table.Lines(data.Each(examples, func(e Example) any { return e.line(format) }))(w)
}
