package summary

import (
	_ "embed"
	"encoding/json"

	"compqa/data"
	"compqa/llm"
)

//go:embed examples.json
var examplesText []byte

// An example is a made-up table, with the right reply for each kind of labels.
type example struct {
	Question data.Question              `json:"question"`
	Table    data.ContrastTable         `json:"table"`
	Replies  map[string]json.RawMessage `json:"replies"`
}

var examples = data.Must(data.Decoded[[]example](examplesText))

// MostExamples is the largest number of examples in a prompt.
const MostExamples = 2

// shots returns the first n examples as turns of a conversation, to insert between the system message and the task.
func shots(kind string, n int) (turns []llm.Message) {
	for _, e := range examples[:min(n, len(examples))] {
		turns = append(turns, messagesFor(e.Question, e.Table, kind)[1], llm.Message{Role: "assistant", Content: string(e.Replies[kind])})
	}
	return turns
}
