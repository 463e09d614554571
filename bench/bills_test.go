package bench

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"compqa/data/sharedtest"
)

// A billing says how a provider counts and charges a reply: the usage that it reports, a service tier, and the bill in millionths of a
// dollar. Prices are 100 for input, 10 for cached input, 125 for cache writes and 200 for output. prompt, text and reasoning are numbers of
// tokens.
type billing struct {
	provider string // the entry under providers; %s is the server's address
	prices   string
	path     string
	usage    func(n, prompt, text, reasoning int) (usage, tier string, bill float64)
}

const billedPrices = "{m: {input: 100, cached: 10, cache_write: 125, output: 200}}"

var billings = map[string]billing{
	"OpenAI": {`{type: openai, base_url: %s/v1`, billedPrices, "/v1/chat/completions",
		func(n, prompt, text, reasoning int) (string, string, float64) {
			usage := fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d},`+
				`"completion_tokens_details":{"reasoning_tokens":%d}}`, prompt, text+reasoning, prompt+text+reasoning, prompt/2, reasoning)
			bill := float64(prompt-prompt/2)*100 + float64(prompt/2)*10 + float64(text+reasoning)*200
			if n%3 == 0 {
				return usage, "flex", bill / 2
			}
			return usage, "default", bill
		}},
	"Azure": {`{type: openai, base_url: %s/openai/v1, api_key_header: api-key`, billedPrices, "/openai/v1/chat/completions",
		func(_, prompt, text, _ int) (string, string, float64) {
			return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, prompt, text, prompt+text), "",
				float64(prompt)*100 + float64(text)*200
		}},
	"xAI": {`{type: openai, base_url: %s/v1`, billedPrices, "/v1/chat/completions",
		func(_, prompt, text, reasoning int) (string, string, float64) {
			return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"completion_tokens_details":{"reasoning_tokens":%d}}`,
				prompt, text, prompt+text+reasoning, reasoning), "", float64(prompt)*100 + float64(text+reasoning)*200
		}},
	"Gemini": {`{type: openai, base_url: %s/v1`, billedPrices, "/v1/chat/completions",
		func(_, prompt, text, reasoning int) (string, string, float64) {
			return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, prompt, text, prompt+text+reasoning), "",
				float64(prompt)*100 + float64(text+reasoning)*200
		}},
	"OpenRouter": {`{type: openai, base_url: %s/v1`, "{}", "/v1/chat/completions",
		func(n, prompt, text, _ int) (string, string, float64) {
			bill := float64(100*prompt + 200*text + n)
			return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"cost":%.6f}`, prompt, text, bill/1e6), "", bill
		}},
	"Anthropic": {`{type: anthropic, base_url: %s/v1`, billedPrices, "/v1/messages",
		func(_, prompt, text, reasoning int) (string, string, float64) {
			usage := fmt.Sprintf(`{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"output_tokens":%d,`+
				`"service_tier":"standard"}`, prompt-prompt/2-prompt/4, prompt/2, prompt/4, text+reasoning)
			return usage, "", float64(prompt-prompt/2-prompt/4)*100 + float64(prompt/2)*10 + float64(prompt/4)*125 + float64(text+reasoning)*200
		}},
}

// A biller is a server that charges for replies. It refuses some requests temporarily, without charge. Some replies have no answer and are
// charged.
type biller struct {
	billing
	mu    sync.Mutex
	n     int
	bill  float64        // US dollars
	whole map[string]int // request to its number of complete replies
	empty map[string]int // request to its number of replies without an answer, at most one: after a second one the call would fail
}

func (b *biller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != b.path || b.path == "/openai/v1/chat/completions" && r.Header.Get("Api-Key") == "" {
		http.Error(w, `{"error":{"message":"not here"}}`, http.StatusNotFound)
		return
	}
	request, _ := io.ReadAll(r.Body)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n++
	if b.n%7 == 3 {
		http.Error(w, `{"error":{"message":"slow down"}}`, []int{429, 500}[b.n%2])
		return
	}
	text := "Fine."
	if isJudging(strings.ReplaceAll(string(request), `\"`, `"`)) {
		text = fullMarks()
	}
	if b.n%11 == 5 && b.empty[string(request)] == 0 {
		text = ""
		b.empty[string(request)]++
	} else {
		b.whole[string(request)]++
	}
	usage, tier, bill := b.usage(b.n, len(request)/4, 20+len(request)%40, 50+7*len(request)%200)
	b.bill += bill / 1e6
	content, _ := json.Marshal(text)
	if b.path == "/v1/messages" {
		fmt.Fprintf(w, `{"type":"message","model":"m","content":[{"type":"text","text":%s}],"stop_reason":"end_turn","usage":%s}`, content, usage)
		return
	}
	fmt.Fprintf(w, `{"model":"m","service_tier":%q,"choices":[{"index":0,"message":{"content":%s},"finish_reason":"stop"}],"usage":%s}`, tier,
		content, usage)
}

// costsSum returns the sum of the costs in costs.csv, and the sum of each row's cost recomputed from its tokens.
func costsSum(t *testing.T, dir string) (sum, again float64) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "tables", "costs.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		value := func(column string) float64 {
			x, _ := strconv.ParseFloat(row[slices.Index(rows[0], column)], 64)
			return x
		}
		sum += value("cost")
		cost := (value("prompt_tokens")-value("cached_tokens")-value("written_tokens"))*100 + value("cached_tokens")*10 +
			value("written_tokens")*125 + value("completion_tokens")*200
		if tier := row[slices.Index(rows[0], "service_tier")]; tier == "flex" || tier == "batch" {
			cost /= 2
		}
		again += cost / 1e6
	}
	return sum, again
}

// TestBills: the costs in costs.csv are the server's bill, for each provider's way of counting. A budget is not exceeded, and no call is
// paid for twice.
func TestBills(t *testing.T) {
	t.Parallel()
	for name, of := range billings {
		t.Run(name, func(t *testing.T) {
			b := &biller{billing: of}
			server := httptest.NewServer(b)
			defer server.Close()
			path := filepath.Join(t.TempDir(), "bills.yaml")
			text := fmt.Sprintf(`
scenarios: [1]
providers:
  scripted: `+of.provider+`, api_key_env: COMPQA_TEST_KEY, concurrency: 8, backoff: 1ms, retries: 6}
prices: %s
models: [{name: contestant, provider: scripted, model: m, options: {max_tokens: 60}}]
judges: [{name: judge, provider: scripted, model: m, repeats: 1, options: {max_tokens: 60}}]
`, server.URL, of.prices)
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			budgets := []float64{0}
			for i := 0; i < len(budgets); i++ {
				b.bill = 0
				b.whole = map[string]int{}
				b.empty = map[string]int{}
				b.n = 0
				dir := t.TempDir()
				args := []string{"run", "--config", path, "--limit", "10"}
				if budgets[i] > 0 {
					args = append(args, "--budget", fmt.Sprint(budgets[i]))
				}
				code, _, stderr := compqa(append(args, "--out", dir)...)
				if want := map[bool]int{true: exitIncomplete, false: exitDone}[budgets[i] > 0]; code != want {
					t.Fatalf("budget %v: exit %d, %s", budgets[i], code, stderr)
				}
				sum, again := costsSum(t, dir)
				if math.Abs(sum-b.bill) > b.bill/1000 || of.prices == billedPrices && math.Abs(again-b.bill) > b.bill/1000 {
					t.Errorf("budget %v: costs.csv says $%v, by its tokens $%v; the server bills $%v", budgets[i], sum, again, b.bill)
				}
				if budgets[i] > 0 && b.bill > budgets[i] {
					t.Errorf("a budget of $%v was passed: $%v", budgets[i], b.bill)
				}
				for request, n := range b.whole {
					if n > 1 {
						t.Errorf("paid %d times: %s", n, request)
					}
				}
				if i == 0 && of.prices == billedPrices {
					budgets = append(budgets, b.bill/2)
				}
			}
		})
	}
}

// TestSoakBatchKilled: a run that is killed at any point in the life of a batch pays for each request once, and costs.csv has the server's
// bill.
func TestSoakBatchKilled(t *testing.T) {
	sharedtest.Soak(t)
	points := []struct {
		what   string
		is     func(r *http.Request) bool
		nth    int
		served bool // whether the run is killed after the server has handled the request
	}{
		{"the file is sent", is("POST", "/files"), 1, false}, {"the file is there", is("POST", "/files"), 1, true},
		{"it is submitted", is("POST", "/batches"), 1, false}, {"it is made", is("POST", "/batches"), 1, true},
		{"first look", is("GET", "/batches/"), 1, true}, {"it is in progress", is("GET", "/batches/"), 3, true},
		{"it is over", is("GET", "/batches/"), 5, true}, {"its replies are asked for", is("GET", "/content"), 1, false},
		{"a part of its replies came", is("GET", "/content"), 1, true}, {"the second batch is made", is("POST", "/batches"), 2, true},
	}
	for _, point := range points {
		t.Run(point.what, func(t *testing.T) {
			t.Parallel()
			server := newBatchServer(t, wellReply)
			var seen, over atomic.Int32
			reached := make(chan struct{})
			server.batches.Fault = func(w http.ResponseWriter, r *http.Request) bool {
				if over.Load() > 0 || !point.is(r) || int(seen.Add(1)) != point.nth {
					return false
				}
				over.Store(1)
				if !point.served {
					io.Copy(io.Discard, r.Body) // otherwise the end of the connection is not noticed
				} else {
					reply := httptest.NewRecorder()
					server.batches.ServeHTTP(reply, r)
					w.Write(reply.Body.Bytes()[:reply.Body.Len()/2])
					w.(http.Flusher).Flush()
					time.Sleep(50 * time.Millisecond)
				}
				close(reached)
				<-r.Context().Done() // the program was killed
				return true
			}
			cfg := batchConfig(t, server.URL, "")
			dir := t.TempDir()
			cmd := program(t, "run", "--config", cfg, "--out", dir)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			select {
			case <-reached:
			case <-time.After(2 * time.Minute):
				t.Error("the point is never reached")
			}
			cmd.Process.Kill()
			cmd.Wait()
			code, _, stderr := compqa("run", "--config", cfg, "--out", dir)
			if code != exitDone || server.batches.Asked() != 200 || server.single.Load() != 0 || validVerdicts(t, dir) != 100 {
				t.Errorf("exit %d, %d requests in %d batches, %d single, %s", code, server.batches.Asked(), server.batches.Batches(),
					server.single.Load(), stderr)
			}
			if sum, _ := costsSum(t, dir); math.Abs(sum-100*callCost) > 1e-6 {
				t.Errorf("costs.csv says $%v, the server bills $%v", sum, 100*callCost)
			}
		})
	}
}

// is returns a function that recognises a request by its method and part of its path.
func is(method, part string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		return r.Method == method && (strings.HasSuffix(r.URL.Path, part) || strings.HasSuffix(part, "/") && strings.Contains(r.URL.Path, part))
	}
}
