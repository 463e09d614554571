package fleet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"compqa/llm"
	"compqa/llm/limits"
)

// A jobArgs is the job of a call in the queue.
type jobArgs struct {
	Run    string `json:"run" river:"unique"`
	Key    string `json:"key" river:"unique"`
	Sealed []byte `json:"sealed"` // an encrypted wireRequest
}

func (jobArgs) Kind() string { return kind }

// kind is the kind of the queue's jobs.
const kind = "compqa_call"

// A wireRequest has what a worker needs to make a call.
type wireRequest struct {
	Request llm.Request
	Price   *llm.Price       // nil: unknown
	Known   []llm.Adaptation // what is known about the model
}

// ofModel returns the adaptations of a model.
func ofModel(list []llm.Adaptation, model string) []llm.Adaptation {
	return slices.DeleteFunc(slices.Clone(list), func(a llm.Adaptation) bool { return a.Model != model })
}

// decodeRequest decodes a request, and keeps numbers as they were written.
func decodeRequest(text []byte) (w wireRequest, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return w, d.Decode(&w)
}

// A wireReply is the result of a call: a reply or an error, and what the worker learnt.
type wireReply struct {
	Reply   llm.Reply
	Error   *llm.Error `json:",omitempty"`
	Learned []llm.Adaptation
}

// encodeReply encodes the result of a call, without what only the worker may see.
func encodeReply(reply llm.Reply, err error, learned []llm.Adaptation) ([]byte, error) {
	w := wireReply{Reply: reply, Learned: learned}
	if err != nil {
		w.Error = llm.AsError(err)
		w.Error.Cause = nil
		w.Error.Body = ""
	}
	return json.Marshal(w)
}

// check returns an error if a reply has token counts or costs that its request cannot have. It then clears the attempts.
func (w *wireReply) check(req llm.Request) error {
	for i := range w.Reply.Attempts {
		a := &w.Reply.Attempts[i]
		if cost := llm.ValueOr(a.Cost, 0); !limits.Plausible(a.Usage, req) || !(cost >= 0 && cost <= mostCost) {
			w.Reply.Attempts = nil
			return llm.Errorf(llm.Failed, "the worker's reply has an impossible usage or cost and is refused")
		}
	}
	return nil
}

// mostCost is higher than the cost of any call, in US dollars.
const mostCost = 1e4

// queueOf returns the name of the queue for a provider's calls. Each version of the program has its own.
func queueOf(provider, version string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", version, provider))
	return "compqa_" + hex.EncodeToString(sum[:8])
}

// keyOf is the context key of a call's key.
type keyOf struct{}

// WithKey returns a context that carries the key of the call to make.
func WithKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyOf{}, key)
}
