package strum

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"compqa/llm"
	"compqa/llm/structured"
)

// MostExamples is the largest number of examples in a prompt.
const MostExamples = 2

//go:embed examples.json
var examplesText []byte

// An example is a made-up task of a stage, and its reply.
type example struct {
	Prompt prompt          `json:"prompt"`
	Reply  json.RawMessage `json:"reply"`
}

// examples are those of the stages, by template. Critiques and revisions have none.
var examples = func() (of map[string][]example) {
	if err := json.Unmarshal(examplesText, &of); err != nil {
		panic(fmt.Sprintf("the embedded examples: %v", err))
	}
	return of
}()

// shots are the first n examples of a template as turns of a conversation, before the task.
func shots(name string, n int) (turns []llm.Message) {
	for _, e := range examples[name][:min(n, len(examples[name]))] {
		e.Prompt.Mark = structured.Mark(e.Prompt.texts()...)
		turns = append(turns, structured.User(structured.Render(templates, name+".tmpl", e.Prompt), e.Prompt.Mark),
			llm.Message{Role: "assistant", Content: string(e.Reply)})
	}
	return turns
}
