package protocol

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"compqa/llm"
)

const (
	anthropicVersion = "2023-06-01" // version of the interface; the only one since 2023

	// anthropicReply is the limit of a reply if the request sets none: the server requires a limit, and thinking counts too. All models
	// since the 4.5 generation accept it.
	anthropicReply = 16_384
)

// newAnthropic returns the Messages protocol of Anthropic. It does not use Anthropic's client (anthropic-sdk-go v1.84.0), which adds 9 MB
// to the program, has its own retries and time limits, and hides the body and the headers that the record and the limiter need.
//
// The address may end in /v1 or, as in Anthropic's own clients, at the host. A page of the list holds at most 1,000 models, which is more
// than exist.
func newAnthropic(e *Endpoint, _ llm.Provider, _ func(string)) (Protocol, error) {
	if e.Header.Get("Anthropic-Version") == "" {
		e.Header.Set("Anthropic-Version", anthropicVersion)
	}
	if u, err := url.Parse(e.Base); err == nil && u.Path == "" {
		e.Base += "/v1"
	}
	return &Chat{Endpoint: e, path: "/messages", body: anthropicBody, parse: parseMessage, batches: anthropicBatches{e},
		models: func(ctx context.Context) (names []string, err error) {
			text, err := e.Fetch(ctx, http.MethodGet, "/models?limit=1000", nil)
			var list struct{ Data []struct{ ID string } }
			if err == nil {
				err = json.Unmarshal(text, &list)
			}
			for _, m := range list.Data {
				names = append(names, m.ID)
			}
			return names, err
		}}, nil
}

// anthropicBody returns the JSON of a request. It leaves out the seed, because the server has none and rejects unknown fields.
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
	fields["model"] = req.Model
	return bodyOf(fields, req.Extra)
}

// A contentBlock is one part of a message.
type contentBlock struct {
	Type  string            `json:"type"`
	Text  string            `json:"text"`
	Cache map[string]string `json:"cache_control,omitempty"`
}

// A turn is one message of the prompt.
type turn struct {
	Role    string          `json:"role"`
	Content []*contentBlock `json:"content"`
}

// contentOf returns the messages as blocks, system messages separately from the others. It marks the end of the beginning that many prompts
// share, up to which the server caches the prompt. A shared text after text of this prompt alone is not part of that beginning.
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
			common = common && i == 0
			if common {
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

// A message holds the used fields of a reply's body.
type message struct {
	Error   json.RawMessage `json:"error"`
	Model   string          `json:"model"`
	Content []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Thinking string `json:"thinking"`
	} `json:"content"`
	StopReason  string `json:"stop_reason"`
	StopDetails struct {
		Category    string `json:"category"`
		Explanation string `json:"explanation"`
	} `json:"stop_details"`
	Usage struct {
		Input   *int   `json:"input_tokens"` // without tokens of the cache
		Read    *int   `json:"cache_read_input_tokens"`
		Written *int   `json:"cache_creation_input_tokens"`
		Output  *int   `json:"output_tokens"`
		Tier    string `json:"service_tier"`
		Details struct {
			Thinking *int `json:"thinking_tokens"`
		} `json:"output_tokens_details"`
	} `json:"usage"`
}

// parseMessage reads a reply. It selects blocks by their type, because thinking comes before the text, and the server may add types.
func parseMessage(reply *llm.Reply) error {
	var m message
	if err := decodeReply(reply.Raw, &m, &m.Error, unreadable); err != nil {
		return err
	}
	var thoughts []string
	for _, block := range m.Content {
		switch block.Type {
		case "text":
			reply.Text += block.Text
		case "thinking":
			thoughts = append(thoughts, block.Thinking)
		}
	}
	reply.Reasoning = joinThoughts(thoughts...)
	reply.Model, reply.Finish, reply.Usage, reply.Tier = m.Model, m.StopReason, m.usage(), m.Usage.Tier
	refusal := ""
	if m.StopReason == "refusal" {
		refusal = FirstText(m.StopDetails.Explanation, m.StopDetails.Category)
	}
	return verdict(reply, refusal)
}

// usage returns the tokens of a reply. The prompt's tokens are the sum of its three parts; a sum of 0 means that they are unknown.
func (m message) usage() llm.Usage {
	u := m.Usage
	if u.Input == nil {
		return llm.Usage{}
	}
	prompt := *u.Input
	for _, n := range []*int{u.Read, u.Written} {
		if n != nil {
			prompt += *n
		}
	}
	if prompt == 0 {
		return llm.Usage{}
	}
	return llm.Usage{Prompt: &prompt, Cached: u.Read, Written: u.Written, Completion: u.Output, Reasoning: u.Details.Thinking}
}
