package protocol

import (
	"maps"
	"net/url"
	"strings"

	"compqa/llm"
)

const (
	anthropicVersion = "2023-06-01" // of the interface, the only one since

	// anthropicReply is the limit of a reply if the request sets none: the server requires
	// one, and thinking counts too. All models of the 4.5 generation and later accept it.
	anthropicReply = 16_384
)

// newAnthropic is the Messages protocol of Anthropic. It does not use Anthropic's client
// (anthropic-sdk-go v1.84.0), which adds 9 MB to the program, has retries and time limits
// of its own, and hides the body and the headers that the record and the limiter need.
//
// The address may end in /v1 or, as in Anthropic's own clients, at the host. A page of the list
// holds at most 1,000 models, which is more than there are.
func newAnthropic(e *Endpoint, _ llm.Provider, _ func(string)) (Protocol, error) {
	if e.Header.Get("Anthropic-Version") == "" {
		e.Header.Set("Anthropic-Version", anthropicVersion)
	}
	if u, err := url.Parse(e.Base); err == nil && u.Path == "" {
		e.Base += "/v1"
	}
	return &Chat{e, "/messages", "/models?limit=1000", "/messages/batches", false, anthropicBody, parseMessage}, nil
}

// anthropicBody is the JSON of a request. The server rejects unknown fields, so that a seed is left out: it has none.
func anthropicBody(req llm.Request) ([]byte, error) {
	fields := map[string]any{"max_tokens": anthropicReply}
	maps.Copy(fields, req.Options)
	output := map[string]any{}
	for _, name := range []string{"reasoning_effort", "effort"} {
		if v, ok := fields[name]; ok {
			output["effort"] = v
		}
	}
	if v, ok := fields["stop"]; ok {
		fields["stop_sequences"] = v
	}
	for _, name := range []string{"seed", "reasoning_effort", "effort", "stop"} {
		delete(fields, name)
	}
	if req.Format != "" {
		output["format"] = map[string]any{"type": req.Format, "schema": req.Schema}
	}
	if len(output) > 0 {
		fields["output_config"] = output
	}
	system, messages := contentOf(req.Messages)
	if len(system) > 0 {
		fields["system"] = system
	}
	fields["messages"] = messages
	return marshalled(fields, req)
}

// A contentBlock is a part of a message.
type contentBlock struct {
	Type  string            `json:"type"`
	Text  string            `json:"text"`
	Cache map[string]string `json:"cache_control,omitempty"`
}

// A turn is a message of the prompt.
type turn struct {
	Role    string          `json:"role"`
	Content []*contentBlock `json:"content"`
}

// contentOf writes the messages as blocks, those of the role system apart. The end of
// what many prompts have in common is marked: the server caches the prompt up to there.
// A part that follows text of this prompt alone is not common, whatever it says.
func contentOf(list []llm.Message) (system []*contentBlock, turns []turn) {
	var last *contentBlock
	common := true
	for _, m := range list {
		var blocks []*contentBlock
		for i, text := range []string{m.Shared, m.Content} {
			if strings.TrimSpace(text) == "" { // the server rejects blank blocks
				continue
			}
			block := &contentBlock{Type: "text", Text: text}
			blocks = append(blocks, block)
			if common = common && i == 0; common {
				last = block
			}
		}
		if m.Role == "system" {
			system = append(system, blocks...)
			continue
		}
		turns = append(turns, turn{m.Role, blocks})
	}
	if last != nil {
		last.Cache = map[string]string{"type": "ephemeral"}
	}
	return system, turns
}

// parseMessage reads a reply. Blocks are chosen by their type: thinking comes
// before the text, and new types may come. The tokens of the prompt are without those of the cache.
func parseMessage(reply *llm.Reply) error {
	m, err := decodeReply(reply.Raw)
	if err != nil {
		return err
	}
	var thoughts []string
	for _, block := range m.Get("content").Array() {
		switch block.Get("type").Str {
		case "text":
			reply.Text += block.Get("text").Str
		case "thinking":
			thoughts = append(thoughts, block.Get("thinking").Str)
		}
	}
	reply.Reasoning = joinThoughts(thoughts...)
	reply.Model, reply.Finish = m.Get("model").Str, m.Get("stop_reason").Str
	reply.Usage = usageOf(m.Get("usage"), "input_tokens+", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens",
		"output_tokens_details.thinking_tokens")
	if m.Get("stop_reason").Str == "refusal" {
		reply.Refusal = FirstText(m.Get("stop_details.explanation").Str, m.Get("stop_details.category").Str)
	}
	return verdict(reply)
}
