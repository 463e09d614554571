package client

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"compqa/llm"
)

// TestScores: the number of a reward model is the text of the reply, in the documented form of each server (vLLM's "Pooling Models" and the
// API of text-embeddings-inference). A reply without exactly one number is an error.
func TestScores(t *testing.T) {
	const asked = `{"add_generation_prompt":false,"messages":[{"role":"user","content":"Go?"}],"model":"m","use_activation":false}`
	for _, c := range []struct{ kind, path, asked, reply, text, fault string }{
		{llm.TypeClassify, "/classify", asked, `{"id":"classify-1","object":"list","model":"m","data":[{"index":0,"label":"LABEL_0","probs":[-1.25],` +
			`"num_classes":1}],"usage":{"prompt_tokens":7,"total_tokens":7}}`, "-1.25", ""},
		{llm.TypeClassify, "/classify", asked, `{"object":"list","data":[{"index":0,"probs":[0.4,0.6],"num_classes":2}]}`, "", "gives 2 numbers"},
		{llm.TypeClassify, "/classify", asked, `{"object":"list","data":[]}`, "", "0 results"},
		{llm.TypePooling, "/pooling", asked, `{"id":"pool-1","object":"list","data":[{"index":0,"object":"pooling","data":[0.5]}],"usage":{"prompt_tokens":7}}`, "0.5", ""},
		{llm.TypePooling, "/pooling", asked, `{"object":"list","data":[{"index":0,"object":"pooling","data":[[0.5],[0.25]]}]}`, "", "numbers to tokens"},
		{llm.TypePredict, "/predict", `{"inputs":"Go?","raw_scores":true,"truncate":false}`, `[{"score":3.5,"label":"LABEL_0"}]`, "3.5", ""},
		{llm.TypePredict, "/predict", `{"inputs":"Go?","raw_scores":true,"truncate":false}`, `[{"score":3,"label":"a"},{"score":1,"label":"b"}]`, "", "gives 2 numbers"},
	} {
		t.Run(c.kind+" "+c.text+c.fault, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { io.WriteString(w, c.reply) })
				request := ask("Go?")
				request.Model = "m"
				request.Options = map[string]any{"temperature": 0}
				reply, err := s.client(t, llm.Provider{Type: c.kind, BaseURL: "http://server.test", Retries: -1}).Chat(t.Context(), request)
				if got := s.seen()[0]; got.url != c.path || !sameJSON(got.raw, c.asked) {
					t.Errorf("asked %s %s, not %s %s", got.url, got.raw, c.path, c.asked)
				}
				if c.fault == "" && (err != nil || reply.Text != c.text) || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
					t.Errorf("text %q, error %v", reply.Text, err)
				}
			})
		})
	}
}

// sameJSON reports whether two JSON texts have the same value.
func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	first, _ := json.Marshal(x)
	second, _ := json.Marshal(y)
	return string(first) == string(second)
}
