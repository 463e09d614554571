// Package protocol sends requests to servers: one file for each protocol (openai,
// anthropic, ollama), one for their batches, and the HTTP code that they share.
//
// A reply is valid only if the server reports that it is finished. Otherwise the result
// is an *llm.Error that says what happened.
package protocol

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"compqa/llm"
)

// A Protocol sends requests to one server.
type Protocol interface {
	// Exchange sends one request for one answer. The error is an *llm.Error; the reply
	// holds what was received in both cases.
	Exchange(ctx context.Context, req llm.Request) (llm.Reply, error)
	// Models lists the server's models.
	Models(ctx context.Context) ([]string, error)
}

// Protocols are the protocols by the type of provider, see llm.ProviderType. notice, which may be
// nil, receives the progress of downloads.
var Protocols = map[string]func(e *Endpoint, p llm.Provider, notice func(string)) (Protocol, error){
	llm.TypeOpenAI: newOpenAI, llm.TypeCommand: newOpenAI, llm.TypeAnthropic: newAnthropic, llm.TypeOllama: newOllama,
}

// A Chat is a protocol whose requests and replies are one JSON object each.
type Chat struct {
	*Endpoint
	path, list, batches string // below the address: of requests, of the list of models, of batches
	files               bool   // batches have files, as OpenAI's
	body                func(llm.Request) ([]byte, error)
	parse               func(*llm.Reply) error // fills a reply from its Raw; the error is an *llm.Error
}

func (c *Chat) Exchange(ctx context.Context, req llm.Request) (reply llm.Reply, err error) {
	body, err := c.body(req)
	if err == nil {
		reply.Raw, err = c.receive(ctx, http.MethodPost, c.path, ContentTypeJSON, body, c.maxReply)
	}
	if err == nil {
		err = c.parse(&reply)
	}
	return reply, err
}

// Models implements Protocol. It lists data with an id, Ollama's models with a name, or both (llama.cpp).
func (c *Chat) Models(ctx context.Context) ([]string, error) {
	body, err := c.Fetch(ctx, http.MethodGet, c.list, ContentTypeJSON, nil)
	if err != nil {
		return nil, err
	}
	var names []string
	for path, name := range map[string]string{"data": "id", "models": "name"} {
		list := gjson.GetBytes(body, path)
		if present(list) && !list.IsArray() {
			return nil, ReplyError(llm.Failed, "the list of models is unreadable: %s", clipped(list.Raw))
		}
		for _, item := range list.Array() {
			names = append(names, item.Get(name).Str)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// decodeReply is the object that the body of a reply is. The error is that of another body, or one of the server
// within the object.
func decodeReply(raw string) (gjson.Result, error) {
	if e := bodyError(raw); e != nil {
		return gjson.Result{}, e
	}
	body := gjson.Parse(raw)
	if fault := body.Get("error"); present(fault) {
		return body, errorWithin(fault)
	}
	return body, nil
}

// usageOf reads the tokens from the fields with these names. A + after the name of the prompt's adds those of the
// cache. A prompt of 0 tokens means unknown: servers that do not count send it, and incomplete replies.
func usageOf(u gjson.Result, prompt, cached, written, completion, reasoning string) llm.Usage {
	count := func(name string) *int {
		v := u.Get(name)
		if v.Type != gjson.Number {
			return nil
		}
		n := int(v.Int())
		return &n
	}
	prompt, add := strings.CutSuffix(prompt, "+")
	usage := llm.Usage{Prompt: count(prompt), Cached: count(cached), Written: count(written), Completion: count(completion),
		Reasoning: count(reasoning)}
	for _, n := range []*int{usage.Cached, usage.Written} {
		if add && usage.Prompt != nil && n != nil {
			*usage.Prompt += *n
		}
	}
	if usage.Prompt == nil || *usage.Prompt <= 0 {
		return llm.Usage{}
	}
	return usage
}
