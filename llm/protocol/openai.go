package protocol

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	api "github.com/sashabaranov/go-openai"
	"github.com/tidwall/gjson"

	"compqa/llm"
)

// newOpenAI returns the chat completions protocol of OpenAI. It uses the batches and the list of models of go-openai (v1.43.0), but reads
// replies itself. CreateChatCompletion of go-openai rejects parameters by the model's name, and treats a 200 with an error as a success.
func newOpenAI(e *Endpoint, _ llm.Provider, _ func(string)) (Protocol, error) {
	// The client's errors are *llm.Error, because the Endpoint is its HTTP client. The Endpoint has the key and the limits.
	config := api.DefaultConfig("")
	config.BaseURL = e.Base
	config.HTTPClient = objects{e}
	server := api.NewClientWithConfig(config)
	config.HTTPClient = e
	var bulk batches = openAIBatches{server, api.NewClientWithConfig(config)}
	if root, google := strings.CutSuffix(e.Base, geminiPath); google {
		bulk = geminiBatches{e, root}
	}
	return &Chat{Endpoint: e, path: "/chat/completions", body: openAIBody, parse: parseCompletion,
		models: func(ctx context.Context) (names []string, err error) {
			list, err := server.ListModels(ctx)
			for _, m := range list.Models {
				names = append(names, m.ID)
			}
			return names, err
		},
		batches: bulk}, nil
}

// openAIBody returns the JSON of a request. It does not use go-openai's ChatCompletionRequest, which leaves out a temperature of 0 and
// fields that it does not know.
func openAIBody(req llm.Request) ([]byte, error) {
	fields := map[string]any{"model": req.Model, "messages": chatMessages(req.Messages), "stream": false}
	if req.Format != "" {
		format := api.ChatCompletionResponseFormat{Type: api.ChatCompletionResponseFormatType(req.Format)}
		if req.Format == "json_schema" {
			format.JSONSchema = &api.ChatCompletionResponseFormatJSONSchema{Name: cmp.Or(req.SchemaName, "reply"),
				Schema: req.Schema, Strict: true}
		}
		fields["response_format"] = format
	}
	maps.Copy(fields, req.Options)
	if req.Seed != nil {
		fields["seed"] = *req.Seed
	}
	return bodyOf(fields, req.Extra)
}

// chatMessages are the messages of a prompt, each an object with role and, unless it is empty, content.
type chatMessages []llm.Message

// appendJSON appends the JSON of the messages. A prompt has about ten thousand bytes, and json.Marshal would need a copy of each text.
func (list chatMessages) appendJSON(to []byte) []byte {
	size := 1 << 10 // with the other fields of a request
	for _, m := range list {
		size += m.Len() + m.Len()/8
	}
	to = append(slices.Grow(to, size), '[')
	for i, m := range list {
		if i > 0 {
			to = append(to, ',')
		}
		to = llm.Message{Content: m.Role}.AppendJSON(append(to, `{"role":"`...))
		if m.Len() > 0 {
			to = m.AppendJSON(append(to, `","content":"`...))
		}
		to = append(to, `"}`...)
	}
	return append(to, ']')
}

// bodyOf returns the JSON of a request's fields, as json.Marshal writes a map. extra overrides fields.
func bodyOf(fields, extra map[string]any) ([]byte, error) {
	maps.Copy(fields, extra)
	body := []byte{'{'}
	for i, name := range slices.Sorted(maps.Keys(fields)) {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(llm.Message{Content: name}.AppendJSON(append(body, '"')), `":`...)
		if messages, is := fields[name].(chatMessages); is {
			body = messages.appendJSON(body)
			continue
		}
		value, err := json.Marshal(fields[name])
		if err != nil {
			return nil, llm.Errorf(llm.Misconfigured, "writing the request: %s", err)
		}
		body = append(body, value...)
	}
	return append(body, '}'), nil
}

// A completion has the fields of a reply's body that are used. Unused fields (created, system_fingerprint and so on) may have any type.
type completion struct {
	Error   json.RawMessage    `json:"error"`
	Model   json.RawMessage    `json:"model"`
	Tier    json.RawMessage    `json:"service_tier"`
	Choices []completionChoice `json:"choices"`
	Usage   json.RawMessage    `json:"usage"`
}

// A completionChoice is one choice of a reply. It may contain an error (OpenRouter). Its reasoning has one of three names, depending on the
// server.
type completionChoice struct {
	Index        json.RawMessage `json:"index"`
	Error        json.RawMessage `json:"error"`
	FinishReason json.RawMessage `json:"finish_reason"` // an object at some gateways
	Message      struct {
		Content          any             `json:"content"`
		Refusal          json.RawMessage `json:"refusal"`
		ReasoningContent json.RawMessage `json:"reasoning_content"`
		Reasoning        json.RawMessage `json:"reasoning"`
		Thinking         json.RawMessage `json:"thinking"`
	} `json:"message"`
}

// parseCompletion reads a reply: its error, its usage, its first choice, and the reasoning in that choice.
func parseCompletion(reply *llm.Reply) error {
	var c completion
	if err := decodeReply(reply.Raw, &c, &c.Error, unreadable); err != nil {
		if gjson.Valid(reply.Raw) { // what the server counted is paid for, even if the reply cannot be read
			reply.Usage, reply.Billed = completionUsage(gjson.Get(reply.Raw, "usage"))
		}
		return err
	}
	if len(c.Choices) == 0 {
		e := ReplyError(llm.Failed, "the reply has no choice")
		e.Retriable = true
		return e
	}
	first := slices.IndexFunc(c.Choices, func(choice completionChoice) bool { return rawText(choice.Index) == "0" })
	choice := c.Choices[max(0, first)] // some servers name no index
	reply.Model, reply.Tier, reply.Finish = rawText(c.Model), rawText(c.Tier), rawText(choice.FinishReason)
	reply.Usage, reply.Billed = completionUsage(gjson.ParseBytes(c.Usage))
	if isPresent(choice.Error) {
		return errorWithin(choice.Error)
	}
	content, ok := messageText(choice.Message.Content)
	if !ok {
		return ReplyError(llm.Failed, "the reply is unreadable: its content must be a text or a list of parts")
	}
	text, thought := llm.SplitThought(content)
	refusal := rawText(choice.Message.Refusal)
	reply.Text = cmp.Or(text, refusal)
	reasoning := cmp.Or(rawText(choice.Message.ReasoningContent), rawText(choice.Message.Reasoning), rawText(choice.Message.Thinking))
	reply.Reasoning = joinThoughts(reasoning, thought)
	return verdict(reply, refusal)
}

// messageText returns the content of a message. The content is a text, or a list of parts (Mistral) whose text parts it joins. ok is false
// for other content.
func messageText(content any) (text string, ok bool) {
	switch content := content.(type) {
	case nil:
		return "", true
	case string:
		return content, true
	case []any:
		for _, item := range content {
			part, _ := item.(map[string]any)
			if part["type"] == string(api.ChatMessagePartTypeText) {
				more, _ := part["text"].(string)
				text += more
			}
		}
		return text, true
	}
	return "", false
}

// completionUsage reads the numbers of tokens, and in billed the cost that the server reports (OpenRouter). Counts may be texts. A value
// that is not a count is unknown. A prompt of 0 tokens is unknown, too: servers that do not count send it, and so do incomplete replies.
//
// xAI and gateways to Gemini count reasoning not in completion_tokens but in total_tokens. So if total - prompt exceeds completion_tokens,
// it is the length of the reply. The reply has at least the tokens of its reasoning.
func completionUsage(u gjson.Result) (usage llm.Usage, billed *float64) {
	count := func(names ...string) *int {
		for _, name := range names {
			if value := u.Get(name); value.Exists() {
				if x, err := strconv.ParseFloat(textOf(value), 64); err == nil && x == math.Trunc(x) && math.Abs(x) <= 1e9 {
					return new(int(x))
				}
			}
		}
		return nil
	}
	if cost := u.Get("cost"); cost.Type == gjson.Number && cost.Num >= 0 {
		billed = &cost.Num
	}
	prompt := count("prompt_tokens")
	completion := count("completion_tokens")
	if prompt == nil || *prompt <= 0 {
		return llm.Usage{}, billed
	}
	reasoning := count("completion_tokens_details.reasoning_tokens")
	total := count("total_tokens")
	switch {
	case completion == nil:
	case total != nil && *total-*prompt > *completion:
		apart := *total - *prompt - *completion
		reasoning = new(max(apart, *cmp.Or(reasoning, new(0))))
		completion = new(*total - *prompt)
	case reasoning != nil && *reasoning > *completion:
		completion = new(*completion + *reasoning)
	}
	return llm.Usage{Prompt: prompt, Completion: completion, Reasoning: reasoning,
		Cached: count("prompt_tokens_details.cached_tokens", "cache_read_input_tokens"),
		Written: count("prompt_tokens_details.cache_write_tokens", "prompt_tokens_details.cache_creation_tokens", "cache_creation_tokens",
			"cache_creation_input_tokens")}, billed
}
