package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"

	api "github.com/sashabaranov/go-openai"
)

// openAI speaks the chat completions of OpenAI, by the types and the client of
// go-openai. That library (v1.43.0) leaves out a temperature of 0 and fields it
// doesn't know, refuses parameters by the model's name, and takes a 200 with an
// error in it for success; so the body is written here, and patcher puts it in
// the place of the library's where that passes.
type openAI struct {
	wire *wire
	lib  *api.Client
	ways *dialects
}

func newOpenAI(p Provider, w *wire) (*openAI, error) {
	ways, err := newDialects(p.MaxTokensField, w.base)
	if err != nil {
		return nil, err
	}
	patched := *w.http
	patched.Transport = patcher{w.http.Transport}
	config := api.DefaultConfig("") // the key is a header of the wire
	config.BaseURL = w.base
	config.HTTPClient = &patched
	return &openAI{wire: w, lib: api.NewClientWithConfig(config), ways: ways}, nil
}

// passage is one chat request on its way through patcher.
type passage struct {
	body  []byte // that is sent
	raw   []byte // the reply's body
	reply openAIBody
}

// openAIBody is a reply's fields that are looked at.
type openAIBody struct {
	Error   json.RawMessage `json:"error"`
	Model   json.RawMessage `json:"model"`
	Choices json.RawMessage `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
}

type passageKey struct{}

// patcher sends a passage's body, and reads the reply, which goes on to the
// library when it is a JSON object with a choice in it, and comes back as an
// *Error otherwise.
type patcher struct{ next http.RoundTripper }

func (t patcher) RoundTrip(r *http.Request) (*http.Response, error) {
	p := r.Context().Value(passageKey{}).(*passage)
	r.Body.Close()
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(p.body)), int64(len(p.body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(p.body)), nil }
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	p.raw, err = readBody(resp.Body)
	switch {
	case resp.StatusCode/100 != 2:
		return nil, statusError(resp, p.raw)
	case err != nil:
		return nil, err
	}
	if err := json.Unmarshal(p.raw, &p.reply); err != nil || bytes.TrimSpace(p.raw)[0] != '{' {
		e := bodyError(p.raw)
		e.HTTPStatus = resp.StatusCode
		return nil, e
	}
	// created, usage and the like may have types that the library doesn't expect.
	known := fmt.Appendf(nil, `{"model":%s,"choices":%s}`, orNull(p.reply.Model), orNull(p.reply.Choices))
	resp.Body = io.NopCloser(bytes.NewReader(known))
	return resp, nil
}

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

func (o *openAI) exchange(ctx context.Context, req Request) (Reply, error) {
	way := o.ways.of(req)
	body, err := way.body(req)
	if err != nil {
		return Reply{}, fault(Misconfigured, "%s", err)
	}
	p := &passage{body: body}
	inner, cancel := o.wire.timed(context.WithValue(ctx, passageKey{}, p))
	defer cancel()
	// The library never learns the model's name, by which it would refuse
	// parameters, nor the prompt, which it would only copy.
	resp, err := o.lib.CreateChatCompletion(inner, api.ChatCompletionRequest{})
	reply := Reply{Raw: p.raw, Format: way.formatName(req)}
	if err == nil {
		return reply, openAIReply(&reply, resp, p.reply)
	}
	if _, sent := errors.AsType[*url.Error](err); !sent {
		return reply, successFault(Failed, "the reply can't be read: %s", err)
	}
	e := o.wire.failure(ctx, inner, err)
	e.again = o.ways.learn(req, way, e)
	return reply, e
}

// choiceExtras are the fields of a choice that go-openai doesn't know.
type choiceExtras struct {
	Error   json.RawMessage `json:"error"`
	Message struct {
		ReasoningContent json.RawMessage `json:"reasoning_content"`
		Reasoning        json.RawMessage `json:"reasoning"`
		Thinking         json.RawMessage `json:"thinking"`
	} `json:"message"`
}

// openAIReply fills a reply, and returns the *Error that it amounts to.
func openAIReply(reply *Reply, resp api.ChatCompletionResponse, body openAIBody) error {
	var more []choiceExtras
	err := json.Unmarshal(orNull(body.Choices), &more)
	usage, usageErr := openAIUsage(body.Usage)
	if err := cmp.Or(err, usageErr); err != nil {
		return successFault(Failed, "the reply can't be read: %s", err)
	}
	if present(body.Error) {
		return errorWithin(body.Error)
	}
	if len(resp.Choices) == 0 || len(more) == 0 {
		e := successFault(Failed, "the reply holds no choice")
		e.Retriable = true
		return e
	}
	choice, own := resp.Choices[0], more[0]
	reply.Model, reply.Finish, reply.Usage = resp.Model, string(choice.FinishReason), usage
	if present(own.Error) {
		return errorWithin(own.Error)
	}
	text, thought := splitThought(messageText(choice.Message))
	reply.Text, reply.Refusal = text, choice.Message.Refusal
	reasoning := cmp.Or(plain(own.Message.ReasoningContent), plain(own.Message.Reasoning), plain(own.Message.Thinking))
	reply.Reasoning = joinThoughts(reasoning, thought)
	return reply.verdict()
}

// messageText is the content of a message; of a list of parts (Mistral) the
// text parts.
func messageText(m api.ChatCompletionMessage) string {
	text := m.Content
	for _, part := range m.MultiContent {
		if part.Type == api.ChatMessagePartTypeText {
			text += part.Text
		}
	}
	return text
}

// openAIUsage reads the tokens, in which go-openai doesn't tell a missing one
// from 0. A prompt of no tokens doesn't exist: servers that don't count, and
// replies that break off, say 0.
func openAIUsage(raw json.RawMessage) (Usage, error) {
	var u struct {
		Prompt        *int `json:"prompt_tokens"`
		Completion    *int `json:"completion_tokens"`
		PromptDetails struct {
			Cached *int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		CompletionDetails struct {
			Reasoning *int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	}
	if err := json.Unmarshal(orNull(raw), &u); err != nil || u.Prompt == nil || *u.Prompt <= 0 {
		return Usage{}, err
	}
	return Usage{Prompt: u.Prompt, Cached: u.PromptDetails.Cached, Completion: u.Completion, Reasoning: u.CompletionDetails.Reasoning}, nil
}

func (o *openAI) models(ctx context.Context) ([]string, error) {
	body, err := o.wire.fetch(ctx, http.MethodGet, "/models", nil)
	if err != nil {
		return nil, err
	}
	var list api.ModelsList
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, successFault(Failed, "the list of models can't be read: %s", err)
	}
	var names []string
	for _, m := range list.Models {
		names = append(names, m.ID)
	}
	slices.Sort(names)
	return names, nil
}
