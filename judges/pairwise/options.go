package pairwise

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"compqa/data"
	"compqa/judges/replies"
	"compqa/judges/surface"
	"compqa/llm"
	"compqa/llm/structured"
)

// Options configure a method. The zero value of a field is valid, except for Method and, if the method asks models, Models. Method.Check
// says which options a method takes, and their limits.
type Options struct {
	Method        string
	Models        map[Role]Model // a role without a model uses that of RolePreference
	Samples       int            // number of tables or votes; 0 means DefaultSamples
	AspectSamples int            // 0 means DefaultSamples
	Selection     string         // "" means SelectTournament
	Aspects       []string       // nil: the judge asks for the aspects of each pair
	NoAspects     bool           // cot-1shot: show no aspects
	Shots         int            // number of examples, 0 to MostShots; cot-1shot has 1
	Seed          int64          // of random choices
	Calibration   *Calibration   // of surface-pair; nil means the built-in calibration
	Abstain       bool           // the judge may say that a pair is hard to judge
	Ties          bool           // the judge may call a pair a tie
	Reads         *ChoiceNames   // how the judge names its choice; nil: in a form that replies.Choice reads
	Repair        int            // how often a reply without a choice is shown to the judge again, for methods in which one call decides
	Advisor       *Options       // the judge whose rationale is shown, or nil
	Task          Task
	Read          replies.Versions `json:"-"` // versions of the rules by which recorded replies were read; zero means the current ones
}

// A Model is a model name and the options of its requests, as in llm.Request. A
// nil value in Options or Extra removes a default.
type Model struct {
	Name           string
	Options, Extra map[string]any
}

// Default request options: for repeated samples, and for one decision.
var (
	sampling = map[string]any{"temperature": 1}
	deciding = map[string]any{"temperature": 0}
)

// request returns a request with the model's options over the defaults. Preferred names the defaults that the user did not set.
func (m Model) request(messages []llm.Message, defaults map[string]any) llm.Request {
	options := maps.Clone(defaults)
	maps.Copy(options, m.Options)
	extra := maps.Clone(m.Extra)
	unset := func(_ string, value any) bool { return value == nil }
	maps.DeleteFunc(options, unset)
	maps.DeleteFunc(extra, unset)
	var preferred []string
	for name := range defaults {
		if _, demanded := m.Options[name]; !demanded {
			preferred = append(preferred, name)
		}
	}
	slices.Sort(preferred)
	return llm.Request{Model: m.Name, Messages: messages, Options: options, Extra: extra, Preferred: preferred}
}

// Evaluating returns a request to decide, as Con-J's judge makes it.
func (m Model) Evaluating(messages []llm.Message) llm.Request { return m.request(messages, evaluating) }

// request returns a request to the model of role r.
func (j *judge) request(r Role, messages []llm.Message, defaults map[string]any) llm.Request {
	return j.o.Models[r].request(messages, defaults)
}

// A Built is a judge that is ready to use.
type Built struct {
	Judge
	Fingerprint string // identifies everything that opinions depend on, apart from the servers
	Roles       []Role // the roles whose models it asks, in order; empty for an offline method
	Calls       int    // for one opinion, if no call fails
}

// New builds a judge from options that Method.Check accepts. The error says which option is missing or wrong.
func New(o Options) (Built, error) {
	m, ok := MethodNamed(o.Method)
	if !ok {
		return Built{}, fmt.Errorf("there is no method %q%s", o.Method, data.Suggest(o.Method, "methods", namesOf(Methods)))
	}
	if err := o.complete(m); err != nil {
		return Built{}, err
	}
	read, err := o.Reads.reader()
	if err != nil {
		return Built{}, fmt.Errorf("reads: %w", err)
	}
	j := &judge{m, o, read}
	fingerprint, err := j.fingerprint()
	if err != nil {
		return Built{}, err
	}
	task, err := o.Task.parse(o.Reads != nil)
	if err != nil {
		return Built{}, err
	}
	decide := func(ctx context.Context, s OrderedPair, ask Ask) Opinion {
		s.task = task
		return m.Decide(j, ctx, s, ask)
	}
	built := Built{Judge: decide, Fingerprint: fingerprint, Roles: j.roles(), Calls: j.calls()}
	if o.Advisor == nil {
		return built, nil
	}
	advisor, err := New(*o.Advisor)
	if err != nil {
		return Built{}, fmt.Errorf("rationale_from: %w", err)
	}
	built.Judge = advised(advisor.Judge, decide, o.Advisor.Method)
	for _, r := range advisor.Roles {
		built.Roles = append(built.Roles, AdviceRole(r))
	}
	built.Calls += advisor.Calls
	return built, nil
}

// complete fills in defaults. It returns an error for wrong combinations of options that Method.Check does not see.
func (o *Options) complete(m Method) error {
	if m.Live() && o.Models[RolePreference].Name == "" {
		return fmt.Errorf("method %s needs a model", m.Name)
	}
	models := maps.Clone(o.Models)
	for _, r := range m.Roles {
		if models[r].Name == "" {
			models[r] = models[RolePreference]
		}
	}
	o.Models = models
	switch {
	case o.AspectSamples > 0 && (o.Aspects != nil || o.NoAspects):
		return fmt.Errorf("aspect_draws is for aspects: %s, where the judge asks for them pair by pair", AspectsOnline)
	case o.Aspects != nil && len(o.Aspects) == 0:
		return fmt.Errorf("the list of aspects is empty")
	case o.NoAspects && m.Name != MethodCoT1Shot:
		return fmt.Errorf("aspects: %s is for %s", AspectsNone, MethodCoT1Shot)
	}
	if o.Advisor != nil {
		if err := o.checkAdvice(m); err != nil {
			return err
		}
	}
	if o.Samples == 0 && m.Samples {
		o.Samples = DefaultSamples
	}
	o.AspectSamples = cmp.Or(o.AspectSamples, DefaultSamples)
	o.Selection = cmp.Or(o.Selection, SelectTournament)
	if m.Name == MethodCoT1Shot {
		o.Shots = 1
	}
	return nil
}

// fingerprint returns a hash of everything that the judge's opinions depend on, apart from the servers.
func (j *judge) fingerprint() (string, error) {
	if !j.method.Live() {
		return j.offlineFingerprint(), nil
	}
	texts := map[string]string{}
	for _, path := range templatePaths() {
		texts[path] = mustRead(path)
	}
	models := map[Role]Model{}
	for _, r := range j.roles() {
		models[r] = j.o.Models[r]
	}
	o := j.o
	o.Models = nil
	return structured.Fingerprint(o, models, texts, mustRead("examples/pairs.json"), mustRead("examples/comparator.json"),
		o.Read.OrCurrent().Choice)
}

// offlineFingerprint returns the name and version of an offline method, with what else its choices depend on.
func (j *judge) offlineFingerprint() string {
	fingerprint := fmt.Sprintf("%s %d", j.o.Method, offlineVersion)
	switch j.o.Method {
	case MethodRandom:
		fingerprint += fmt.Sprintf(" seed %d", j.o.Seed)
	case MethodSurface:
		fingerprint += fmt.Sprintf(" surface %d", surface.Version())
		text, _ := json.Marshal(cmp.Or(j.o.Calibration, BuiltinCalibration())) // numbers and words
		fingerprint += fmt.Sprintf(" calibration %x", sha256.Sum256(text))
	}
	return fingerprint
}
