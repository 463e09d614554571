// Package llm defines requests to models and their replies. Package client makes calls,
// with the help of packages limits and protocol.
//
// A call ends with a Reply whose Text is the complete answer of the model, or with an *Error whose Kind says what
// happened. In both cases Reply.Attempts holds every request that was sent, with its response.
package llm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Provider is the configuration of one server. Zero values are replaced by the defaults named here.
type Provider struct {
	// Name is the provider's key in compqa.yaml; it appears only in messages.
	Name string `yaml:"-"`
	// Type is one of the Type constants, such as TypeOpenAI.
	Type string `yaml:"type"`
	// Run is the program of TypeCommand with its arguments, and Dir the folder that it runs in.
	Run []string `yaml:"run"`
	Dir string   `yaml:"-" json:"-"`
	// BaseURL is the address to which "/chat/completions", "/messages" or "/api/chat" is appended; a query (Azure's
	// api-version) stays at the end. Default: api.openai.com/v1, api.anthropic.com/v1, or port 11434 of this machine.
	BaseURL string `yaml:"base_url"`
	// BaseURLs are the addresses of several servers that give the same answers. A host name with several addresses
	// counts as one server per address. RPM, TPM and Concurrency are limits of each server.
	BaseURLs []string `yaml:"base_urls"`
	// Fingerprint is "url" if replies depend on the address: the address is then part of a
	// call's key. Default: "", a model is the same at every address.
	Fingerprint string `yaml:"fingerprint"`
	// APIKeyEnv names the environment variable that holds the key; empty if the server needs no key.
	APIKeyEnv string `yaml:"api_key_env"`
	// APIKeyHeader names the header for the unchanged key (Azure: "api-key"). Default:
	// "Authorization: Bearer KEY", or "x-api-key" for TypeAnthropic.
	APIKeyHeader string `yaml:"api_key_header"`
	// Organisation is sent in the header OpenAI-Organization.
	Organisation string `yaml:"organisation"`
	// Headers are added to each request; ${NAME} is replaced by the environment
	// variable NAME, whose value is treated as a secret. See protocol.ExpandHeaders.
	Headers map[string]string `yaml:"headers"`

	RPM         int `yaml:"rpm"`         // requests per minute; 0: no limit
	TPM         int `yaml:"tpm"`         // tokens per minute, prompt and reply; 0: no limit
	Concurrency int `yaml:"concurrency"` // requests in flight at once; 0: 8, Ollama 4

	Timeout time.Duration `yaml:"timeout"`  // longest time of one request with its complete reply; 0: 5 min
	Retries int           `yaml:"retries"`  // most attempts after the first one; 0: 4, negative: none
	Backoff time.Duration `yaml:"backoff"`  // pause before the first retry, doubled each time; 0: 1 s
	MaxWait time.Duration `yaml:"max_wait"` // longest sum of the pauses of one call; 0: 5 min
	// GiveUp is the time that calls wait for a server that is down. The remaining calls
	// then end as Unavailable; 0: 10 min, negative: no limit.
	GiveUp time.Duration `yaml:"give_up"`

	// MaxReply is the size at which a reply is cut off, such as 512KiB, 1MiB or 2MB; default 1MiB.
	MaxReply string `yaml:"max_reply"`

	// Budget is the most that may be spent at this provider, in US dollars; 0: no limit.
	// The program makes a limits.Budget from it.
	Budget float64 `yaml:"budget"`
	// BatchPoll is the time between two checks of a batch; 0: 30 s.
	BatchPoll time.Duration `yaml:"batch_poll"`

	// MaxTokensField is the name of a reply's limit on an OpenAI-compatible server: max_tokens or
	// max_completion_tokens. Default, or auto: it depends on server and model, and changes once if
	// the server asks for it.
	MaxTokensField string `yaml:"max_tokens_field" jsonschema:"enum=auto,enum=max_tokens,enum=max_completion_tokens"`
	// ReasoningAllowance is the number of tokens that is added to the limits of methods
	// for models that reason; 0: 4,096.
	ReasoningAllowance int `yaml:"reasoning_allowance"`

	// Pull downloads a model that the Ollama server does not have.
	Pull bool `yaml:"pull"`
	// KeepAlive is the time that Ollama keeps a model in memory after a call, such as 30m, or a
	// number of seconds; negative: always. Default: the server's.
	KeepAlive string `yaml:"keep_alive" jsonschema:"oneof_type=string;integer"`
}

// Message is one turn of the prompt. Role is system, user or assistant.
//
// Its text is Shared followed by Content. Shared, which may be empty, is a beginning that many prompts have in common
// (a task, criteria, examples): providers cache it, and a record stores it once.
type Message struct {
	Role    string
	Content string
	Shared  string
}

// Text returns the complete text.
func (m Message) Text() string { return m.Shared + m.Content }

// Len returns the length of the text in bytes.
func (m Message) Len() int { return len(m.Shared) + len(m.Content) }

// Request asks for one answer. Several choices are several requests with different
// seeds, because servers ignore or limit n.
type Request struct {
	Model    string    // the server's name of the model
	Messages []Message // at least one, none empty
	// Options are the model's parameters under OpenAI's names (temperature, top_p, max_tokens, reasoning_effort …) or
	// Ollama's (num_ctx, num_predict, top_k …); each is sent unchanged, including zero. For Ollama, max_tokens becomes
	// num_predict, and reasoning_effort becomes think.
	Options map[string]any
	// Extra is merged into the request body and overrides Options.
	Extra map[string]any
	// Preferred are the names of Options that the program has chosen itself. A model that
	// does not accept one is asked without it. Any other option is the user's demand: if
	// the model does not accept it, the call fails with Error.Parameter.
	Preferred []string
	// Schema is the JSON Schema that the reply must match; nil means free text. Its keys keep their order, because a constrained model
	// writes them in that order.
	Schema     json.RawMessage
	SchemaName string // name of the schema, for servers that require one; default "reply"
	Format     string // how the schema is requested, see ProviderType.Formats; set by package client
	Seed       *int64 // overrides Options["seed"]; see func Seed
}

// Usage counts tokens. A nil count is unknown, never zero.
type Usage struct {
	Prompt     *int `db:"prompt_tokens"`     // tokens of the prompt, including cached ones
	Cached     *int `db:"cached_tokens"`     // prompt tokens that were read from the provider's cache
	Written    *int `db:"written_tokens"`    // prompt tokens that were written to the provider's cache
	Completion *int `db:"completion_tokens"` // tokens of the reply, including reasoning even if the server counts it separately
	Reasoning  *int `db:"reasoning_tokens"`  // reply tokens that are reasoning
}

// Attempt is one request that was sent, with its result.
type Attempt struct {
	Started    time.Time     // when it was sent
	Wait       time.Duration `db:"-"`      // time before sending: in the queue, for a rate limit, or before a retry
	Latency    time.Duration `db:"-"`      // from sending to the end of the reply
	HTTPStatus int           `db:",null"`  // 0: no response
	Outcome    Kind          `db:"status"` // Valid, or the Kind of the error
	Reason     string        // the error's message
	Usage      Usage
	// Cost is in US dollars, or nil if the model's price is unknown. Estimated means that the server reported no usage. The
	// cost is then computed from the bytes sent and received, four to a token. If nothing was received but the provider
	// may charge (time-out, broken connection), it is the sum that was reserved.
	Cost      *float64
	Estimated bool
	Batch     string // the batch of the request; "": none
	Tier      string `db:"service_tier"` // see Reply.Tier
	Model     string `db:"answered_by"`  // the model's name in the reply
	Raw       string `db:"-"`            // the body as received, see Reply.Raw
}

// Reply is a model's reply to one Request.
type Reply struct {
	Text      string // the answer without reasoning; for a refusal, what the model says instead
	Reasoning string // the model's reasoning, however the server marks it
	Finish    string // the server's finish_reason or done_reason
	Format    string // how the schema was requested: json_schema, json_object or "" (not at all)
	Model     string // the model's name in the reply
	Tier      string // the service tier that processed the request (flex, priority …); "": not reported
	Usage     Usage
	Billed    *float64 // US dollars that the reply cost, according to the server; nil: not reported
	// Raw is the body as received, at most 256 KiB, without secrets. The lines of an Ollama stream are joined into the
	// object that the server would send without streaming.
	Raw      string
	Attempts []Attempt // every request of this call, in order
}

// WantsLogprobs reports whether the request asks for log-probabilities of tokens.
func (r Request) WantsLogprobs() bool {
	return r.Options["logprobs"] == true || r.Extra["logprobs"] == true
}

// HasLogprobs reports whether the server returned log-probabilities of tokens.
func (r Reply) HasLogprobs() bool { return strings.Contains(r.Raw, `"logprob"`) }

// WithDefaults replaces zero values by the defaults.
func (p Provider) WithDefaults() Provider {
	kind := TypeOf(p.Type)
	p.APIKeyHeader = cmp.Or(p.APIKeyHeader, kind.KeyHeader)
	if p.BaseURL == "" && len(p.BaseURLs) > 0 {
		p.BaseURL = p.BaseURLs[0]
	}
	p.BaseURL = cmp.Or(p.BaseURL, kind.BaseURL)
	if p.MaxTokensField == "auto" {
		p.MaxTokensField = ""
	}
	p.Concurrency = cmp.Or(max(0, p.Concurrency), kind.Concurrency, 8)
	p.Timeout = cmp.Or(max(0, p.Timeout), 5*time.Minute)
	p.Retries = max(0, cmp.Or(p.Retries, 4))
	p.Backoff = cmp.Or(max(0, p.Backoff), time.Second)
	p.MaxWait = cmp.Or(max(0, p.MaxWait), 5*time.Minute)
	p.ReasoningAllowance = cmp.Or(max(0, p.ReasoningAllowance), DefaultReasoningAllowance)
	p.GiveUp = cmp.Or(p.GiveUp, 10*time.Minute)
	return p
}

// Server returns the part of the provider's address that is in the keys of calls. It is "" by default, the address with fingerprint: url,
// and the command line for TypeCommand.
func (p Provider) Server() string {
	if p.Type == TypeCommand {
		return strings.Join(p.Run, " ") // the program is what makes the answer
	}
	if p.Fingerprint == "url" {
		return strings.TrimSpace(p.BaseURL + " " + strings.Join(p.BaseURLs, " "))
	}
	return ""
}

// Host returns the host name in the provider's address, or "" if the address is invalid.
func (p Provider) Host() string {
	u, err := url.Parse(p.WithDefaults().BaseURL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// HasKey reports whether the API key is set, or none is needed.
func (p Provider) HasKey(getenv func(string) string) bool {
	return p.APIKeyEnv == "" || strings.TrimSpace(getenv(p.APIKeyEnv)) != ""
}

// Servers returns the provider's servers: one provider for each of BaseURLs, or itself.
func (p Provider) Servers() (list []Provider) {
	for _, base := range p.BaseURLs {
		one := p
		one.BaseURL = base
		one.BaseURLs = nil
		list = append(list, one)
	}
	if list == nil {
		list = []Provider{p}
	}
	return list
}

// Exposes returns a warning if keys are sent to another machine without encryption, and "" otherwise.
func (p Provider) Exposes() string {
	secret := p.APIKeyEnv != "" || strings.Contains(fmt.Sprint(p.Headers), "$")
	for _, one := range p.Servers() {
		u, err := url.Parse(one.BaseURL)
		if err == nil && secret && u.Scheme == "http" && !strings.EqualFold(u.Hostname(), "localhost") &&
			!net.ParseIP(u.Hostname()).IsLoopback() {
			return fmt.Sprintf("warning: the key is sent to %s without encryption: use https in base_url", u.Host)
		}
	}
	return ""
}

// IsVariableName reports whether a text is the name of an environment variable rather than a key that was entered by mistake. A name has
// letters, digits and _ (POSIX). A name of 20 or more characters with digits must also have a _.
func IsVariableName(text string) bool {
	if !variable.MatchString(text) {
		return false
	}
	return len(text) < 20 || strings.Contains(text, "_") || !strings.ContainsAny(text, "0123456789")
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Label names the provider in messages.
func (p Provider) Label() string {
	if p.Name == "" {
		return p.Type + " provider" // not base_url, which may contain a password
	}
	return p.Name
}
