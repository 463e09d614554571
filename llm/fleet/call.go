package fleet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"compqa/llm"
)

// A jobArgs is a call on the queue. Request is a text, because River indexes the values in JSON.
type jobArgs struct {
	Run     string `json:"run" river:"unique"`
	Key     string `json:"key" river:"unique"`
	Request string `json:"request"` // a wireRequest
}

func (jobArgs) Kind() string { return kind }

const kind = "compqa_call"

// A wireRequest is what a worker needs to make a call.
type wireRequest struct {
	Request llm.Request
	Price   *llm.Price       // nil: unknown
	Known   []llm.Adaptation // of the model
}

func encodeRequest(w wireRequest) (string, error) {
	text, err := json.Marshal(w)
	return string(text), err
}

// decodeRequest keeps numbers as they were written.
func decodeRequest(text string) (w wireRequest, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return w, d.Decode(&w)
}

// A wireReply is what came of a call.
type wireReply struct {
	Reply   llm.Reply
	Error   *llm.Error `json:",omitempty"`
	Learned []llm.Adaptation
}

func encodeReply(reply llm.Reply, err error, learned []llm.Adaptation) ([]byte, error) {
	w := wireReply{Reply: reply, Learned: learned}
	if err != nil {
		e, ok := errors.AsType[*llm.Error](err)
		if !ok {
			e = llm.Errorf(llm.Failed, "%s", err)
		}
		known := *e
		known.Cause, known.Body = nil, ""
		w.Error = &known
	}
	return json.Marshal(w)
}

func decodeReply(text []byte) (w wireReply, err error) {
	return w, json.NewDecoder(bytes.NewReader(text)).Decode(&w)
}

// queueOf is the queue of the calls of a provider. Programs of another version have another one.
func queueOf(config []byte, version string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s", version, config))
	return "compqa_" + hex.EncodeToString(sum[:8])
}

// keyOf is the context key of a call's key.
type keyOf struct{}

// WithKey names the call that a Chat with this context makes.
func WithKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyOf{}, key)
}
