package protocol

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"compqa/llm"
)

// Ollama is the chat protocol of an Ollama server, with the types of ollama/api. It does
// not use that package's client (v0.17.4), which returns no error for a 503 or 429
// without a body, for a stream that is cut or never says done, and for a line of more
// than 8 MB.
type Ollama struct {
	Endpoint  *Endpoint
	keepAlive *api.Duration
	contexts  *contexts
}

// NewOllama makes the protocol of a provider; pulled may be nil.
func NewOllama(p llm.Provider, w *Endpoint, pulled func(llm.Progress)) (*Ollama, error) {
	o := &Ollama{Endpoint: w, contexts: &contexts{wire: w, pull: p.Pull, pulled: pulled, turn: make(chan struct{}, 1),
		known: map[string]*modelContext{}}}
	if p.KeepAlive != "" {
		d, err := time.ParseDuration(p.KeepAlive)
		if seconds, numeric := strconv.Atoi(p.KeepAlive); numeric == nil {
			d, err = time.Duration(seconds)*time.Second, nil
		}
		if err != nil {
			return nil, llm.Errorf(llm.Misconfigured, "keep_alive is %q; it must be a duration such as 30m, or a number of seconds", p.KeepAlive)
		}
		o.keepAlive = &api.Duration{Duration: d}
	}
	return o, nil
}

// Exchange implements client.Protocol.
func (o *Ollama) Exchange(ctx context.Context, req llm.Request) (llm.Reply, error) {
	size, err := o.contexts.size(ctx, req)
	if err != nil {
		return llm.Reply{}, err
	}
	body, err := o.body(req, size)
	if err != nil {
		return llm.Reply{}, err
	}
	inner, cancel := o.Endpoint.WithTimeout(ctx)
	defer cancel()
	resp, err := o.Endpoint.Open(inner, http.MethodPost, "/api/chat", ContentTypeJSON, string(body))
	if err != nil {
		e := o.Endpoint.TransportError(ctx, inner, err)
		if e.HTTPStatus == http.StatusBadRequest && exceedsContext.MatchString(e.Message) {
			e.Again = o.contexts.cut(req, size)
		}
		return llm.Reply{}, e
	}
	defer resp.Body.Close()
	s := stream{body: resp.Body, most: o.Endpoint.maxReply}
	err = s.read()
	reply := s.reply()
	if len(req.Schema) > 0 {
		reply.Format = formats[0]
	}
	if err != nil {
		return reply, o.Endpoint.TransportError(ctx, inner, err)
	}
	prompt := s.last.PromptEvalCount
	o.contexts.counted(req, prompt)
	err = s.verdict(&reply, size)
	if e, ok := errors.AsType[*llm.Error](err); ok {
		e.Again = size > 0 && prompt >= size && o.contexts.cut(req, size)
		e.Retriable = e.Retriable && req.Seed == nil // the same seed would give the same reply
	}
	return reply, err
}

// exceedsContext matches what servers that do not cut a prompt write about one that is too long.
var exceedsContext = regexp.MustCompile(`(?i)exceeds?.*(context|input) (length|size)|(input|prompt|context) (length|size).*exceed`)

// body is the JSON of a chat request. The keys of the schema keep their order. Truncate
// and Shift tell newer servers to reject a prompt that is too long instead of cutting
// it, and to stop instead of dropping its beginning. Older servers ignore these fields;
// stream.verdict detects that.
func (o *Ollama) body(req llm.Request, size int) ([]byte, error) {
	options := maps.Clone(req.Options)
	if options == nil {
		options = map[string]any{}
	}
	if n, ok := llm.ReplyLimit(options); ok {
		options["num_predict"] = n
	}
	for _, name := range []string{MaxTokens, MaxCompletionTokens, "think", "reasoning_effort"} {
		delete(options, name)
	}
	if req.Seed != nil {
		options["seed"] = *req.Seed
	}
	if size > 0 {
		options["num_ctx"] = size
	}
	no := false
	chat := api.ChatRequest{
		Model: req.Model, Format: req.Schema, KeepAlive: o.keepAlive, Options: options,
		Truncate: &no, Shift: &no,
	}
	for _, name := range []string{"reasoning_effort", "think"} {
		if v, ok := req.Options[name]; ok {
			if v == "none" {
				v = false
			}
			chat.Think = &api.ThinkValue{Value: v}
		}
	}
	for _, m := range req.Messages {
		chat.Messages = append(chat.Messages, api.Message{Role: m.Role, Content: m.Text()})
	}
	body, err := json.Marshal(chat)
	if err == nil {
		body, err = SetFields(body, req.Extra)
	}
	if err != nil {
		return nil, llm.Errorf(llm.Misconfigured, "writing the request: %s", err)
	}
	return body, nil
}

// stream reads the objects of a streamed reply.
type stream struct {
	body     io.Reader
	received []byte // the beginning of the body, up to the length that is kept
	size     int64  // bytes read
	decoded  int64  // bytes of decoded objects
	most     int64  // bytes of a reply; its stream is longer, because every word is an object
	fault    error  // of the connection; the JSON decoder may hide it

	last          api.ChatResponse
	object        json.RawMessage // last, as received
	text, thought strings.Builder
	logprobs      []json.RawMessage // of its tokens, if the request asks for them
}

// Read reads the body for the decoder.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.body.Read(p)
	s.size += int64(n)
	s.received = append(s.received, p[:min(n, MaxRaw+RawSlack-len(s.received))]...)
	if err == nil && (s.size-s.decoded > s.most+MaxRaw || int64(s.text.Len()+s.thought.Len()) > s.most || s.size > max(MaxBody, s.most)) {
		err = tooLong(s.most)
	}
	if err != nil && err != io.EOF {
		s.fault = err
	}
	return n, err
}

// read reads objects up to the one that says done. verdict handles a stream that ends
// earlier.
func (s *stream) read() error {
	for objects := json.NewDecoder(s); !s.last.Done; {
		var raw json.RawMessage
		if err := objects.Decode(&raw); err != nil {
			return s.broken(err)
		}
		var object struct {
			api.ChatResponse
			Error    json.RawMessage   `json:"error"`
			Logprobs []json.RawMessage `json:"logprobs"`
		}
		if err := json.Unmarshal(raw, &object); err != nil {
			return s.broken(err)
		}
		if present(object.Error) {
			return errorWithin(object.Error)
		}
		s.text.WriteString(object.Message.Content)
		s.thought.WriteString(object.Message.Thinking)
		s.logprobs = append(s.logprobs, object.Logprobs...)
		s.last, s.object, s.decoded = object.ChatResponse, raw, objects.InputOffset()
	}
	io.Copy(io.Discard, s) // to the end, so that the connection can be reused
	return nil
}

// broken is the error of a stream that the decoder cannot read further; nil at its end.
func (s *stream) broken(err error) error {
	var e *llm.Error
	switch {
	case s.fault != nil:
		return s.fault
	case len(bytes.TrimSpace(s.received)) == 0:
		e = ReplyError(llm.Failed, "empty reply")
		e.Retriable = true
	case err == io.EOF:
		return nil
	case err == io.ErrUnexpectedEOF:
		e = ReplyError(llm.Failed, "the reply is incomplete")
		e.Retriable = true
	case s.object == nil:
		e = ReplyError(llm.Misconfigured, "this is not a reply of an Ollama server (check base_url): %s", err)
	default:
		e = ReplyError(llm.Failed, "a part of the reply is unreadable: %s", err)
	}
	return e
}

// reply joins the objects. Raw is the last object with the complete message, or what was
// received if the reply is incomplete.
func (s *stream) reply() llm.Reply {
	text, thought := splitThought(s.text.String())
	r := llm.Reply{
		Text: text, Reasoning: joinThoughts(s.thought.String(), thought),
		Model: s.last.Model, Finish: s.last.DoneReason, Raw: string(s.received),
	}
	if n := s.last.PromptEvalCount; n > 0 {
		r.Usage.Prompt = &n
		r.Usage.Completion = &s.last.EvalCount
	}
	if s.last.Done {
		r.Finish = cmp.Or(s.last.DoneReason, "stop") // servers before 0.1.40 send no reason
		message := s.last.Message
		message.Content, message.Thinking = s.text.String(), s.thought.String()
		fields := map[string]any{"message": message}
		if s.logprobs != nil {
			fields["logprobs"] = s.logprobs
		}
		if joined, err := SetFields(s.object, fields); err == nil {
			r.Raw = string(joined)
		}
	}
	return r
}

// verdict is the error of a response without a transport error; nil: the reply is valid.
// If the model repeats itself, Ollama gives up and ends the reply without done: status
// 200, no reason, no counts. A prompt that fills the context of size tokens was cut. A
// reply that exceeds the context was written after the beginning of the prompt was
// dropped. Size 0 is unknown.
func (s *stream) verdict(r *llm.Reply, size int) error {
	prompt, all := s.last.PromptEvalCount, s.last.PromptEvalCount+s.last.EvalCount
	switch {
	case !s.last.Done:
		e := ReplyError(llm.Failed, "the reply ended without done: the server stopped early")
		e.Retriable = true
		return e
	case size > 0 && prompt >= size:
		return ReplyError(llm.Failed, "the prompt is longer than num_ctx %d and was cut: raise num_ctx in options of the entry, or use a "+
			"model with a longer context", size)
	case size > 0 && all > size && r.Finish == "stop":
		return ReplyError(llm.Truncated, "prompt and reply (%d tokens) exceed num_ctx %d: raise num_ctx in options of the entry", all, size)
	}
	return verdict(r)
}

// SetFields sets fields of a JSON object. Inside the other fields, keys keep their order.
func SetFields(body []byte, set map[string]any) ([]byte, error) {
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
