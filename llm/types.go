package llm

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Types of provider.
const (
	TypeOpenAI    = "openai"    // any server with POST {base_url}/chat/completions
	TypeAnthropic = "anthropic" // any server with POST {base_url}/messages
	TypeOllama    = "ollama"    // an Ollama server, through its /api
	TypeCommand   = "command"   // a program: JSON lines on its standard input and output
	TypeClassify  = "classify"  // a reward model behind vLLM's POST {base_url}/classify
	TypePooling   = "pooling"   // a reward model behind vLLM's POST {base_url}/pooling
	TypePredict   = "predict"   // a reward model behind text-embeddings-inference's POST {base_url}/predict
)

// A ProviderType has the program's knowledge about a type of provider. Package protocol has its protocol.
type ProviderType struct {
	BaseURL           string   // the default address; "": a provider of this type needs base_url
	Concurrency       int      // the default concurrency
	KeyHeader         string   // header of the unchanged key; "": Authorization, as Bearer
	Efforts           []string // values of effort; some models accept fewer
	Verbosity         bool     // effort may have a verbosity
	Batches           bool     // the server has a batch interface
	RepetitionPenalty string   // name of the option
	ReplyLimit        string   // name of the option; "": it depends on the server and the model
	Formats           []string // ways to request a reply that follows a schema, best first; "": the prompt describes the form
	ReplySpeed        float64  // tokens per second that estimates assume until calls are measured

	// Local is true for servers on the user's machines. Their models are free and have any name; they obey seeds and ignore unknown
	// options.
	Local bool
}

// types has the types of provider by name. A new type needs one entry here, and its protocol in the table of package protocol.
var types = map[string]ProviderType{
	TypeOpenAI: {
		BaseURL: "https://api.openai.com/v1", Concurrency: 8, Verbosity: true, Batches: true, RepetitionPenalty: "repetition_penalty",
		ReplySpeed: 80,
		Efforts:    []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"},
		Formats:    []string{"json_schema", "json_object", ""},
	},
	TypeAnthropic: {
		BaseURL: "https://api.anthropic.com/v1", Concurrency: 8, KeyHeader: "x-api-key", Batches: true, RepetitionPenalty: "repetition_penalty",
		ReplySpeed: 60, ReplyLimit: "max_tokens",
		Efforts: []string{"low", "medium", "high", "xhigh", "max"},
		Formats: []string{"json_schema", ""},
	},
	TypeCommand: { // the address is never used
		BaseURL: "http://command.invalid", Concurrency: 1, Verbosity: true, RepetitionPenalty: "repetition_penalty", ReplySpeed: 60,
		Efforts: []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"},
		Formats: []string{"json_schema", "json_object", ""},
	},
	TypeOllama: {
		BaseURL: "http://127.0.0.1:11434", Concurrency: 4, Local: true, RepetitionPenalty: "repeat_penalty", ReplySpeed: 15,
		ReplyLimit: "num_predict",
		Efforts:    []string{"none", "low", "medium", "high", "max"},
		Formats:    []string{"json_schema"},
	},
	TypeClassify: scoring(), TypePooling: scoring(), TypePredict: scoring(),
}

// scoring returns a type of server that gives numbers instead of texts. It needs base_url, because vLLM's types share a port.
func scoring() ProviderType {
	return ProviderType{Concurrency: 8, Local: true, Formats: []string{""}, ReplySpeed: 80}
}

// TypeOf returns the type of provider with a name, or the zero value if there is none.
func TypeOf(name string) ProviderType { return types[name] }

// CheckType returns an error for a name that is not a type of provider.
func CheckType(name string) error {
	if _, known := types[name]; known {
		return nil
	}
	all := TypeNames(func(ProviderType) bool { return true })
	return fmt.Errorf("type is %q; it must be one of: %s", name, strings.Join(all, ", "))
}

// TypeNames returns the names of the types for which keep is true.
func TypeNames(keep func(ProviderType) bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(types)), func(name string) bool { return !keep(types[name]) })
}
