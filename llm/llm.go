// Package llm says what is asked of a model and what comes back. Package client asks;
// packages limits and protocol serve it.
//
// A call ends in a Reply whose Text is the complete answer of the model, or in an
// *Error whose Kind says what happened instead. In both cases Reply.Attempts holds
// every request that was made, with what came back.
package llm

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// Kinds of provider.
const (
	TypeOpenAI = "openai" // any server with POST {base_url}/chat/completions
	TypeOllama = "ollama" // an Ollama server, by its own /api
)

// Provider is the configuration of one server. Zero values are replaced by the
// defaults named here.
type Provider struct {
	// Name is the provider's key in compqa.yaml; it is used in messages alone.
	Name string `yaml:"-"`
	// Type is TypeOpenAI or TypeOllama.
	Type string `yaml:"type"`
	// BaseURL is what "/chat/completions" or "/api/chat" is appended to; a query
	// (Azure's api-version) stays behind it. Default: api.openai.com/v1, or port
	// 11434 of this machine.
	BaseURL string `yaml:"base_url"`
	// APIKeyEnv names the environment variable that holds the key; empty means
	// that the server needs none.
	APIKeyEnv string `yaml:"api_key_env"`
	// APIKeyHeader names the header that carries the key as it is (Azure:
	// "api-key"). Default: "Authorization: Bearer KEY".
	APIKeyHeader string `yaml:"api_key_header"`
	// Organisation is sent as OpenAI-Organization.
	Organisation string `yaml:"organisation"`
	// Headers are added to each request; ${NAME} is replaced by the environment
	// variable NAME, whose value is then as secret as the key.
	Headers map[string]string `yaml:"headers"`

	RPM         int `yaml:"rpm"`         // requests per minute; 0: no limit
	TPM         int `yaml:"tpm"`         // tokens per minute, prompt and reply; 0: no limit
	Concurrency int `yaml:"concurrency"` // requests under way at once; 0: 8, Ollama 4

	Timeout time.Duration `yaml:"timeout"`  // of one request with its whole reply; 0: 5 min
	Retries int           `yaml:"retries"`  // further tries after the first; 0: 4, negative: none
	Backoff time.Duration `yaml:"backoff"`  // pause before the first retry, doubled each time; 0: 1 s
	MaxWait time.Duration `yaml:"max_wait"` // sum of the pauses of one call; 0: 5 min
	// GiveUp is for how long calls wait for a server that is down, before what is
	// left of them ends as Unavailable; 0: 10 min, negative: for ever.
	GiveUp time.Duration `yaml:"give_up"`

	// Budget is what may be spent at this provider, in US dollars; 0: any sum. It
	// is kept by the Purse that a program makes of it.
	Budget float64 `yaml:"budget"`
	// BatchPoll is how often a batch is looked after; 0: 30 s.
	BatchPoll time.Duration `yaml:"batch_poll"`

	// MaxTokensField names the field that an OpenAI-compatible server takes the
	// reply's limit from: max_tokens, max_completion_tokens, or auto (default):
	// judged by server and model, and changed once when the server asks for it.
	MaxTokensField string `yaml:"max_tokens_field"`
	// KeepAlive is how long Ollama keeps a model in memory after a call: a Go
	// duration or seconds, negative for ever. Default: the server's.
	KeepAlive string `yaml:"keep_alive"`
	// Pull fetches a model that the Ollama server doesn't have.
	Pull bool `yaml:"pull"`
}

// Message is one turn of the prompt. Role is system, user or assistant.
//
// Its text is Shared and then Content. Shared, which may be empty, is what many
// prompts begin with (a task, criteria, examples): providers cache a common beginning,
// and a record stores it once.
type Message struct {
	Role    string
	Content string
	Shared  string
}

// Text is what the message says.
func (m Message) Text() string { return m.Shared + m.Content }

// Len is the length of the text in bytes.
func (m Message) Len() int { return len(m.Shared) + len(m.Content) }

// Request asks for one answer. Several choices are asked for one by one, each
// with a Seed of its own, because servers ignore or limit n.
type Request struct {
	Model    string    // as the server names it
	Messages []Message // at least one, none empty
	// Options are the model's parameters under OpenAI's names (temperature,
	// top_p, max_tokens, reasoning_effort …) or Ollama's (num_ctx, num_predict,
	// top_k …); each goes out as it is, zero included. For Ollama max_tokens
	// becomes num_predict, and reasoning_effort becomes think.
	Options map[string]any
	// Extra is merged into the request body as it is, and wins over Options.
	Extra map[string]any
	// Schema is the JSON Schema that the reply must match; nil: free text. Its
	// keys keep their order, which is the order a constrained model writes them.
	Schema     json.RawMessage
	SchemaName string // name of the schema, for servers that want one; default "reply"
	Seed       *int64 // wins over Options["seed"]; see Seed for a derived one
}

// Usage counts tokens. nil is unknown, never zero.
type Usage struct {
	Prompt     *int // tokens of the prompt, cached ones included
	Cached     *int // of these, read from the provider's cache
	Completion *int // tokens of the reply, reasoning included
	Reasoning  *int // of these, reasoning
}

// Attempt is one request that was sent, and what became of it.
type Attempt struct {
	Started    time.Time     // when it was sent
	Wait       time.Duration // before that: place in the queue, rate limit, pause before a retry
	Latency    time.Duration // from sending to the end of the reply
	HTTPStatus int           // 0: no response
	Outcome    Kind          // Valid, or the Kind of the error
	Reason     string        // the error's message
	Usage      Usage
	// Cost is in US dollars; nil: the model's price isn't known. Estimated says
	// that the server told no usage: then it is by four bytes to a token of what
	// was sent and received, or, where nothing was received and something may yet
	// be charged (a time-out, a connection that broke), what was set aside.
	Cost      *float64
	Estimated bool
	Batch     string // the batch it came in, "" for a request of its own
	Raw       string // the body as received, see Reply.Raw
}

// Reply is a model's answer to one Request.
type Reply struct {
	Text      string // the answer alone: no reasoning, no refusal
	Reasoning string // what the model thought, in whatever way the server marks it
	Refusal   string // why the model declined
	Finish    string // the server's finish_reason or done_reason
	Format    string // how Schema was asked for: json_schema, json_object or "" (not at all)
	Model     string // the model's name in the reply
	Usage     Usage
	// Raw is the body as received, at most 256 KiB of it, without secrets. The
	// lines of an Ollama stream are joined into the one object that the server
	// sends when it doesn't stream.
	Raw      string
	Attempts []Attempt // every request made for this call, in order
}

// Progress tells how far the download of a model is.
type Progress struct {
	Model, Status string
	Done, Total   int64 // bytes of the layer at hand; 0 where the server names none
}

func (p Provider) WithDefaults() Provider {
	base, concurrency := "https://api.openai.com/v1", 8
	if p.Type == TypeOllama {
		base, concurrency = "http://127.0.0.1:11434", 4
	}
	if p.BaseURL == "" {
		p.BaseURL = base
	}
	if p.Concurrency <= 0 {
		p.Concurrency = concurrency
	}
	if p.Timeout <= 0 {
		p.Timeout = 5 * time.Minute
	}
	switch {
	case p.Retries == 0:
		p.Retries = 4
	case p.Retries < 0:
		p.Retries = 0
	}
	if p.Backoff <= 0 {
		p.Backoff = time.Second
	}
	if p.MaxWait <= 0 {
		p.MaxWait = 5 * time.Minute
	}
	if p.GiveUp == 0 {
		p.GiveUp = 10 * time.Minute
	}
	return p
}

// keySet says whether the key that the provider needs is there.
func (p Provider) HasKey(getenv func(string) string) bool {
	return p.APIKeyEnv == "" || strings.TrimSpace(getenv(p.APIKeyEnv)) != ""
}

// variableName tells the name of an environment variable from a key that was
// put in its place: names are of letters, digits and _ (POSIX), and no long name
// has digits in it but no _.
func IsVariableName(text string) bool {
	if !variable.MatchString(text) {
		return false
	}
	return len(text) < 20 || strings.Contains(text, "_") || !strings.ContainsAny(text, "0123456789")
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (p Provider) Label() string {
	if p.Name == "" {
		return p.Type + " provider" // base_url may be what is wrong, a password in it
	}
	return p.Name
}
