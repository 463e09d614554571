package protocol

import (
	"cmp"
	"encoding/json"
	"maps"

	"github.com/tidwall/gjson"

	"compqa/llm"
)

// newOpenAI is the chat completions protocol of OpenAI. It does not use the client of
// go-openai (v1.43.0), which omits a temperature of 0 and unknown fields, rejects
// parameters by the model's name, and treats a 200 with an error as a success.
func newOpenAI(e *Endpoint, _ llm.Provider, _ func(string)) (Protocol, error) {
	return &Chat{e, "/chat/completions", "/models", "/batches", true, openAIBody, parseCompletion}, nil
}

// openAIBody is the JSON of a request.
func openAIBody(req llm.Request) ([]byte, error) {
	fields := map[string]any{"messages": req.ChatMessages(), "stream": false}
	if req.Format != "" {
		format := struct {
			Type   string         `json:"type"`
			Schema map[string]any `json:"json_schema,omitempty"`
		}{Type: req.Format}
		if req.Format == "json_schema" {
			format.Schema = map[string]any{"name": cmp.Or(req.SchemaName, "reply"), "schema": req.Schema, "strict": true}
		}
		fields["response_format"] = format
	}
	maps.Copy(fields, req.Options)
	if req.Seed != nil {
		fields["seed"] = *req.Seed
	}
	return marshalled(fields, req)
}

// marshalled is the JSON of a request's fields and its extra ones.
func marshalled(fields map[string]any, req llm.Request) ([]byte, error) {
	fields["model"] = req.Model
	maps.Copy(fields, req.Extra)
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, llm.Errorf(llm.Misconfigured, "writing the request: %s", err)
	}
	return body, nil
}

func parseCompletion(reply *llm.Reply) error {
	body, err := decodeReply(reply.Raw)
	if err != nil {
		return err
	}
	choice := body.Get("choices.0")
	if !choice.Exists() {
		e := ReplyError(llm.Failed, "the reply has no choice")
		e.Retriable = true
		return e
	}
	reply.Model, reply.Finish = body.Get("model").String(), choice.Get("finish_reason").Str
	reply.Usage = usageOf(body.Get("usage"), "prompt_tokens", "prompt_tokens_details.cached_tokens",
		"prompt_tokens_details.cache_write_tokens", "completion_tokens", "completion_tokens_details.reasoning_tokens")
	if fault := choice.Get("error"); present(fault) { // OpenRouter
		return errorWithin(fault)
	}
	message := choice.Get("message")
	content := message.Get("content")
	text := content.Str
	if content.IsArray() { // Mistral's parts
		for _, part := range content.Get(`#(type=="text")#.text`).Array() {
			text += part.Str
		}
	} else if present(content) && content.Type != gjson.String {
		return ReplyError(llm.Failed, "the reply is unreadable: its content must be a text or a list of parts")
	}
	text, thought := splitThought(text)
	reply.Text, reply.Refusal = text, message.Get("refusal").Str
	reasoning := cmp.Or(message.Get("reasoning_content").String(), message.Get("reasoning").String(), message.Get("thinking").String())
	reply.Reasoning = joinThoughts(reasoning, thought)
	return verdict(reply)
}
