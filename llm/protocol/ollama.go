package protocol

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/ollama/ollama/api"

	"compqa/llm"
)

// An ollama is the chat protocol of an Ollama server, with the types of ollama/api. It does not use that package's client (v0.17.4). That
// client returns no error for a 503 or 429 without a body, for a reply that is cut or never says done, or for a line of more than 8 MB.
type ollama struct {
	*Chat
	contexts  *contexts
	keepAlive *api.Duration // nil: the server's default
}

// newOllama returns the protocol of an Ollama server, and checks keep_alive.
func newOllama(e *Endpoint, p llm.Provider, notice func(string)) (Protocol, error) {
	models := func(ctx context.Context) (names []string, err error) {
		var list api.ListResponse
		text, err := e.Fetch(ctx, http.MethodGet, "/api/tags", nil)
		if err == nil {
			err = json.Unmarshal(text, &list)
		}
		for _, m := range list.Models {
			names = append(names, m.Name)
		}
		return names, err
	}
	o := &ollama{Chat: &Chat{Endpoint: e, models: models},
		contexts: &contexts{wire: e, pull: p.Pull, notice: notice, byModel: map[string]*modelContext{}}}
	if p.KeepAlive == "" {
		return o, nil
	}
	text := p.KeepAlive
	if _, err := strconv.Atoi(text); err == nil {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return o, llm.Errorf(llm.Misconfigured, "keep_alive is %q; it must be a duration such as 30m, or a number of seconds", p.KeepAlive)
	}
	o.keepAlive = &api.Duration{Duration: d}
	return o, nil
}

// Exchange chooses the context size, sends the request, and reads the reply. If the prompt did not fit into an estimated context, the error
// is marked Again.
func (o *ollama) Exchange(ctx context.Context, req llm.Request) (reply llm.Reply, err error) {
	size, err := o.contexts.size(ctx, req)
	if err != nil {
		return reply, err
	}
	body, err := o.body(req, size)
	if err != nil {
		return reply, err
	}
	var chat api.ChatResponse
	if reply.Raw, err = o.receive(ctx, http.MethodPost, "/api/chat", body, o.maxReply); err == nil {
		chat, err = parseChat(&reply)
	}
	if err == nil {
		o.contexts.learnTokens(req, chat.PromptEvalCount)
		err = chatVerdict(chat, &reply, size)
		if e, ok := errors.AsType[*llm.Error](err); ok {
			e.Retriable = e.Retriable && req.Seed == nil // the same seed would give the same reply
		}
	}
	if e, ok := errors.AsType[*llm.Error](err); ok {
		tooLong := e.HTTPStatus == http.StatusBadRequest && exceedsContext.MatchString(e.Message)
		e.OtherForm = (tooLong || size > 0 && chat.PromptEvalCount >= size) && o.contexts.wasCut(req, size)
	}
	return reply, err
}

// Version returns the version of the server, or "" if it is unknown.
func (o *ollama) Version(ctx context.Context) string {
	body, err := o.Fetch(ctx, http.MethodGet, "/api/version", nil)
	var v struct{ Version string }
	if err != nil || json.Unmarshal(body, &v) != nil {
		return ""
	}
	return v.Version
}

// exceedsContext matches the messages of servers that refuse a prompt which is too long.
var exceedsContext = regexp.MustCompile(`(?i)exceeds?.*(context|input) (length|size)|(input|prompt|context) (length|size).*exceed`)

// body returns the JSON of a chat request. The schema's keys keep their order. Truncate and Shift tell newer servers to reject a prompt
// that is too long instead of cutting it, and to stop instead of dropping the beginning of the prompt. Older servers ignore both fields,
// and chatVerdict detects what they do.
func (o *ollama) body(req llm.Request, size int) ([]byte, error) {
	options := maps.Clone(req.Options)
	if options == nil {
		options = map[string]any{}
	}
	if req.Seed != nil {
		options["seed"] = *req.Seed
	}
	if size > 0 {
		options["num_ctx"] = size
	}
	no := false
	chat := api.ChatRequest{Model: req.Model, Format: req.Schema, KeepAlive: o.keepAlive, Options: options, Stream: &no, Truncate: &no,
		Shift: &no}
	for _, name := range []string{"reasoning_effort", "think"} {
		if v, ok := options[name]; ok {
			if v == "none" {
				v = false
			}
			chat.Think = &api.ThinkValue{Value: v}
			delete(options, name)
		}
	}
	for _, m := range req.Messages {
		chat.Messages = append(chat.Messages, api.Message{Role: m.Role, Content: m.Text()})
	}
	body, err := json.Marshal(chat)
	if err == nil {
		body, err = setFields(body, req.Extra)
	}
	if err != nil {
		return nil, llm.Errorf(llm.Misconfigured, "writing the request: %s", err)
	}
	return body, nil
}

// parseChat fills a reply from its Raw.
func parseChat(reply *llm.Reply) (api.ChatResponse, error) {
	var chat struct {
		api.ChatResponse
		Error json.RawMessage `json:"error"`
	}
	err := decodeReply(reply.Raw, &chat, &chat.Error, func(err error) *llm.Error {
		return ReplyError(llm.Misconfigured, "this is not a reply of an Ollama server (check base_url): %s", err)
	})
	if err != nil {
		return chat.ChatResponse, err
	}
	text, thought := llm.SplitThought(chat.Message.Content)
	reply.Text, reply.Reasoning, reply.Model = text, joinThoughts(chat.Message.Thinking, thought), chat.Model
	if chat.Done {
		reply.Finish = cmp.Or(chat.DoneReason, "stop") // servers before 0.1.40 send no reason
	}
	if chat.PromptEvalCount > 0 {
		reply.Usage.Prompt = &chat.PromptEvalCount
		reply.Usage.Completion = &chat.EvalCount
	}
	return chat.ChatResponse, nil
}

// chatVerdict returns the error of a reply, or nil if it is valid. It detects three cases, with status 200, that are not answers:
//   - the reply ended without done, because the model repeated itself and Ollama gave up;
//   - the prompt fills the context of size tokens, so it was cut;
//   - prompt and reply exceed the context, so the beginning of the prompt was dropped.
//
// Size 0 means that the size is unknown.
func chatVerdict(chat api.ChatResponse, reply *llm.Reply, size int) error {
	prompt := chat.PromptEvalCount
	all := chat.PromptEvalCount + chat.EvalCount
	switch {
	case !chat.Done:
		e := ReplyError(llm.Failed, "the reply ended without done: the server stopped early")
		e.Retriable = true
		return e
	case size > 0 && prompt >= size:
		return ReplyError(llm.Failed, "the prompt is longer than num_ctx %d and was cut: raise num_ctx in options of the entry, or use a "+
			"model with a longer context", size)
	case size > 0 && all > size && reply.Finish == "stop":
		return ReplyError(llm.Truncated, "prompt and reply (%d tokens) exceed num_ctx %d: raise num_ctx in options of the entry", all, size)
	}
	return verdict(reply, "")
}

// setFields sets fields of a JSON object. Inside all other fields, keys keep their order.
func setFields(body []byte, set map[string]any) ([]byte, error) {
	if len(set) == 0 {
		return body, nil
	}
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
