package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"

	api "github.com/sashabaranov/go-openai"
)

// openAI speaks the chat completions of OpenAI, by the types and the client of
// go-openai. That library (v1.43.0) leaves out a temperature of 0 and fields it
// doesn't know, refuses parameters by the model's name, and takes a 200 with an
// error in it for success; so it is given the messages and the response format
// alone, and patcher does the rest where the body passes.
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
	set map[string]any // fields of the body
	raw []byte         // the reply's body
}

type passageKey struct{}

// patcher sets the fields of a request body and reads the reply, which goes on
// to the library when it is a JSON object with a choice in it, and comes back as
// an *Error otherwise.
type patcher struct{ next http.RoundTripper }

func (t patcher) RoundTrip(r *http.Request) (*http.Response, error) {
	p := r.Context().Value(passageKey{}).(*passage)
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return nil, err
	}
	if body, err = setFields(body, p.set); err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
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
	if e := bodyError(p.raw); e != nil {
		e.HTTPStatus = resp.StatusCode
		return nil, e
	}
	// created, usage and the like may have types that the library doesn't expect.
	known, err := keepFields(p.raw, "model", "choices")
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(known))
	return resp, nil
}

// keepFields drops all other fields of a JSON object.
func keepFields(body []byte, names ...string) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, err
	}
	maps.DeleteFunc(fields, func(name string, _ json.RawMessage) bool { return !slices.Contains(names, name) })
	return json.Marshal(fields)
}

// setFields sets fields of a JSON object; the order of keys within the others
// stays as it is.
func setFields(body []byte, set map[string]any) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, err
	}
	for name, value := range set {
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		fields[name] = raw
	}
	return json.Marshal(fields)
}

func (o *openAI) exchange(ctx context.Context, req Request) (Reply, error) {
	way := o.ways.of(req)
	p := &passage{set: way.fields(req)}
	inner, cancel := o.wire.timed(context.WithValue(ctx, passageKey{}, p))
	defer cancel()
	// The library never learns the model's name, by which it would refuse
	// parameters.
	library := api.ChatCompletionRequest{ResponseFormat: way.responseFormat(req)}
	for _, m := range req.Messages {
		library.Messages = append(library.Messages, api.ChatCompletionMessage{Role: m.Role, Content: m.Content})
	}
	resp, err := o.lib.CreateChatCompletion(inner, library)
	reply := Reply{Raw: p.raw, Format: way.formatName(req)}
	if err == nil {
		return reply, openAIReply(&reply, resp)
	}
	if _, sent := errors.AsType[*url.Error](err); !sent {
		return reply, successFault(Failed, "the reply can't be read: %s", err)
	}
	e := o.wire.failure(ctx, inner, err)
	e.again = o.ways.learn(req, way, e)
	return reply, e
}

// extras are the fields of a reply that go-openai doesn't know, or of which it
// doesn't tell a missing one from 0.
type extras struct {
	Error   json.RawMessage `json:"error"`
	Choices []struct {
		Error   json.RawMessage `json:"error"`
		Message struct {
			ReasoningContent json.RawMessage `json:"reasoning_content"`
			Reasoning        json.RawMessage `json:"reasoning"`
			Thinking         json.RawMessage `json:"thinking"`
		} `json:"message"`
	} `json:"choices"`
	Usage struct {
		Prompt        *int `json:"prompt_tokens"`
		Completion    *int `json:"completion_tokens"`
		PromptDetails struct {
			Cached *int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		CompletionDetails struct {
			Reasoning *int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	} `json:"usage"`
}

// openAIReply fills a reply, and returns the *Error that it amounts to.
func openAIReply(reply *Reply, resp api.ChatCompletionResponse) error {
	var more extras
	if err := json.Unmarshal(reply.Raw, &more); err != nil {
		return successFault(Failed, "the reply can't be read: %s", err)
	}
	if present(more.Error) {
		return errorWithin(more.Error)
	}
	if len(resp.Choices) == 0 || len(more.Choices) == 0 {
		e := successFault(Failed, "the reply holds no choice")
		e.Retriable = true
		return e
	}
	choice, own := resp.Choices[0], more.Choices[0]
	reply.Model, reply.Finish, reply.Usage = resp.Model, string(choice.FinishReason), more.usage()
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

// usage reads the tokens. A prompt of no tokens doesn't exist: servers that
// don't count, and replies that break off, say 0.
func (x extras) usage() Usage {
	u := x.Usage
	if u.Prompt == nil || *u.Prompt <= 0 {
		return Usage{}
	}
	return Usage{Prompt: u.Prompt, Cached: u.PromptDetails.Cached, Completion: u.Completion, Reasoning: u.CompletionDetails.Reasoning}
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
