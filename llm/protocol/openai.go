package protocol

import (
	"cmp"
	"encoding/json"
	"maps"

	api "github.com/sashabaranov/go-openai"

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

// A completion holds the used fields of a reply's body. The others (created,
// system_fingerprint and so on) may have any type.
type completion struct {
	Error   json.RawMessage    `json:"error"`
	Model   json.RawMessage    `json:"model"`
	Choices []completionChoice `json:"choices"`
	Usage   struct {
		Prompt        *int `json:"prompt_tokens"`
		Completion    *int `json:"completion_tokens"`
		PromptDetails struct {
			Cached  *int `json:"cached_tokens"`
			Written *int `json:"cache_write_tokens"`
		} `json:"prompt_tokens_details"`
		CompletionDetails struct {
			Reasoning *int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	} `json:"usage"`
}

// A completionChoice may have an error (OpenRouter), and its reasoning has one of three
// names.
type completionChoice struct {
	Error        json.RawMessage `json:"error"`
	FinishReason string          `json:"finish_reason"`
	Message      struct {
		Content          any             `json:"content"`
		Refusal          string          `json:"refusal"`
		ReasoningContent json.RawMessage `json:"reasoning_content"`
		Reasoning        json.RawMessage `json:"reasoning"`
		Thinking         json.RawMessage `json:"thinking"`
	} `json:"message"`
}

func parseCompletion(reply *llm.Reply) error {
	var c completion
	if err := decodeReply(reply.Raw, &c, &c.Error, unreadable); err != nil {
		return err
	}
	if len(c.Choices) == 0 {
		e := ReplyError(llm.Failed, "the reply has no choice")
		e.Retriable = true
		return e
	}
	choice := c.Choices[0]
	reply.Model, reply.Finish, reply.Usage = plain(c.Model), choice.FinishReason, c.usage()
	if present(choice.Error) {
		return errorWithin(choice.Error)
	}
	content, ok := messageText(choice.Message.Content)
	if !ok {
		return ReplyError(llm.Failed, "the reply is unreadable: its content must be a text or a list of parts")
	}
	text, thought := splitThought(content)
	reply.Text = cmp.Or(text, choice.Message.Refusal)
	reasoning := cmp.Or(plain(choice.Message.ReasoningContent), plain(choice.Message.Reasoning), plain(choice.Message.Thinking))
	reply.Reasoning = joinThoughts(reasoning, thought)
	return verdict(reply, choice.Message.Refusal)
}

// messageText is the content of a message. Of a list of parts (Mistral) it joins the
// text parts.
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

// usage reads the tokens. A prompt of 0 tokens means unknown: servers that do not count
// send it, and incomplete replies.
func (c completion) usage() llm.Usage {
	u := c.Usage
	if u.Prompt == nil || *u.Prompt <= 0 {
		return llm.Usage{}
	}
	return llm.Usage{Prompt: u.Prompt, Cached: u.PromptDetails.Cached, Written: u.PromptDetails.Written, Completion: u.Completion,
		Reasoning: u.CompletionDetails.Reasoning}
}
