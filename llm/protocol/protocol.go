// Package protocol sends requests to servers: one file for each protocol (openai,
// anthropic, ollama, scores), one for their batches, and the HTTP code that they share.
//
// A reply is valid only if the server reports that it is finished. Otherwise the result
// is an *llm.Error that says what happened.
package protocol

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"compqa/llm"
)

// A Protocol sends requests to one server.
type Protocol interface {
	// Exchange sends one request for one answer. The error is an *llm.Error. With or without it, the reply holds what was received.
	Exchange(ctx context.Context, req llm.Request) (llm.Reply, error)
	// Models lists the server's models.
	Models(ctx context.Context) ([]string, error)
}

// Protocols has the constructor of each protocol by the type of provider; see llm.ProviderType. notice may be nil. It receives the progress
// of downloads.
var Protocols = map[string]func(e *Endpoint, p llm.Provider, notice func(string)) (Protocol, error){
	llm.TypeOpenAI: newOpenAI, llm.TypeCommand: newOpenAI, llm.TypeAnthropic: newAnthropic, llm.TypeOllama: newOllama,
	llm.TypeClassify: newScores, llm.TypePooling: newScores, llm.TypePredict: newScores,
}

// A Chat is a protocol whose request and reply are one JSON object each.
type Chat struct {
	*Endpoint
	path    string // path of requests, below the address
	body    func(llm.Request) ([]byte, error)
	parse   func(*llm.Reply) error                  // fills a reply from its Raw; the error is an *llm.Error
	models  func(context.Context) ([]string, error) // names of models, in any order
	batches batches                                 // nil: the server has no batches
}

func (c *Chat) Exchange(ctx context.Context, req llm.Request) (reply llm.Reply, err error) {
	body, err := c.body(req)
	if err == nil {
		reply.Raw, err = c.receive(ctx, http.MethodPost, c.path, body, c.maxReply)
	}
	if err == nil {
		err = c.parse(&reply)
	}
	return reply, err
}

// Models implements Protocol.
func (c *Chat) Models(ctx context.Context) ([]string, error) {
	names, err := withTimeout(ctx, c.Endpoint, c.models)
	slices.Sort(names)
	return slices.Compact(names), err
}

// decodeReply decodes the body of a reply into a value. If the object contains an error of the server, it returns that error; fault is the
// place of the error in the value. other makes the error for an object of another form.
func decodeReply(raw string, into any, fault *json.RawMessage, other func(error) *llm.Error) error {
	if err := json.Unmarshal([]byte(raw), into); err != nil || strings.TrimSpace(raw)[0] != '{' {
		if e := bodyError(raw); e != nil {
			return e
		}
		return other(err)
	}
	if isPresent(*fault) {
		return errorWithin(*fault)
	}
	return nil
}

func unreadable(err error) *llm.Error {
	return ReplyError(llm.Failed, "the reply is unreadable: %s", err)
}

// joinThoughts joins parts of the reasoning with blank lines, and leaves out blank parts.
func joinThoughts(parts ...string) string {
	var kept []string
	for _, p := range parts {
		p = strings.TrimSpace(p)
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n\n")
}
