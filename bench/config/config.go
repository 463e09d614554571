// Package config reads compqa.yaml: the questions, scenarios, models and judges of a benchmark, where they are asked, and
// what they cost. Load checks everything that can be checked without a call; an error names the file and the line, and says
// what would be right.
package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"compqa/data"
	"compqa/data/sources"
	"compqa/judges/replies"
	"compqa/judges/scoring"
	"compqa/llm"
	"compqa/llm/client"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/rubric"
	"compqa/scenarios"
	"compqa/scenarios/strum"
)

// A Config is compqa.yaml.
type Config struct {
	Release        string                  `yaml:"-" json:"-"` // the checkout of the authors' release, from --release
	Dataset        string                  `yaml:"dataset" json:"dataset"`
	Arguments      Arguments               `yaml:"arguments" json:"arguments,omitzero"`
	AspectInPrompt bool                    `yaml:"aspect_in_prompt" json:"aspect_in_prompt"`
	Scenarios      []scenario              `yaml:"scenarios" json:"scenarios"`
	Rubric         string                  `yaml:"rubric" json:"rubric"`
	Providers      map[string]llm.Provider `yaml:"providers" json:"providers,omitempty"`
	Models         []Model                 `yaml:"models" json:"models"`
	Judges         []Judge                 `yaml:"-" json:"-"` // of all kinds: the entries of sections
	sections       `yaml:",inline"`
	Headline       string      `yaml:"headline" json:"headline,omitempty"` // the judge that orders the board
	Escalate       *Escalation `yaml:"escalate" json:"escalate,omitempty"` // judges that decide together; nil: each alone
	Pairs          []PairSet   `yaml:"pairs" json:"pairs,omitempty"`
	Prices         Prices      `yaml:"prices" json:"prices,omitzero"`
	Run            Run         `yaml:"run" json:"run"`

	File string `yaml:"-" json:"-"` // the file it is read from: relative paths start from its folder
	// Joined are the sections that the file has twice, which are read as one.
	Joined []string `yaml:"-" json:"-"`

	// Recorded: it is that of a record, which has the content of the files that it names. No file is read for it, since it may be a
	// stranger's, and no program is looked for.
	Recorded bool `yaml:"-" json:"-"`
	// Read are the versions of the rules by which a recorded run read replies; zero: the current ones.
	Read replies.Versions `yaml:"-" json:"-"`

	AllowUnknownPrices bool `yaml:"-" json:"-"` // budgets do not cover calls of unknown price
	Trusted            bool `yaml:"-" json:"-"` // values of environment variables may be sent without a question
	Confirmed          bool `yaml:"-" json:"-"` // the user has seen what is sent
}

// A ScenarioRef is a built-in scenario's id, or a template with an id for it.
type ScenarioRef struct {
	ID       string `yaml:"id" json:"id"`
	Template string `yaml:"template" json:"template,omitempty"`
}

// A scenario is a ScenarioRef that may also be written as a bare id.
type scenario struct {
	ScenarioRef `yaml:",inline"`
}

// UnmarshalYAML takes a bare id as well as {id, template}.
func (s *scenario) UnmarshalYAML(node *yaml.Node) error { return wordOr(node, &s.ID, &s.ScenarioRef) }

// wordOr reads a single word, or the fields of a mapping.
func wordOr(node *yaml.Node, word *string, fields any) error {
	if node.Kind == yaml.ScalarNode {
		*word = node.Value
		return nil
	}
	return node.Load(fields, yaml.WithKnownFields())
}

// An Entry is what the entries of all models and judges have.
type Entry struct {
	Name      string `yaml:"name" json:"name"`
	Asked     `yaml:",inline"`
	Path      string    `yaml:"path" json:"path,omitempty"` // of results that exist, with provider file, or of a calibration
	Family    string    `yaml:"family" json:"family,omitempty"`
	Batch     BatchMode `yaml:"batch" json:"batch,omitempty" jsonschema:"oneof_type=boolean;string"`
	TrainedOn string    `yaml:"trained_on" json:"trained_on,omitempty"` // a benchmark, data.ReleaseRows, a set of pairs, or other data
}

// A BatchMode is whether the calls of an entry are made in batches: "", true, or fallback.
type BatchMode string

// On reports whether calls are made in batches.
func (m BatchMode) On() bool { return m == "true" || m.Fallback() }

// Fallback reports whether calls that no batch has answered are made one by one, at the full price.
func (m BatchMode) Fallback() bool { return m == "fallback" }

// check returns an error for a mode other than true, false and fallback.
func (m BatchMode) check() error {
	if m == "" || m == "false" || m.On() {
		return nil
	}
	return fmt.Errorf("batch is %q; it must be true, false or fallback", string(m))
}

func (e *Entry) label() string { return e.Name }

// BuiltIn returns the name of the offline system or judge of an entry: its model, which allows another name for the entry, or
// otherwise its name.
func (e *Entry) BuiltIn() string { return cmp.Or(e.Model, e.Name) }

// A Model is a contestant: a model behind a provider, an offline system
// (provider baseline) or answers that exist (provider file).
type Model struct {
	Entry   `yaml:",inline"`
	Reading `yaml:",inline"`
	Choices int    `yaml:"choices" json:"choices,omitempty"`
	Sources string `yaml:"sources" json:"sources,omitempty"` // a file of sources; "": the question's arguments

	Method    string          `yaml:"method" json:"method,omitempty"`      // one of strum.Methods; "": the model answers the scenario's prompt
	Roles     map[string]Role `yaml:"roles" json:"roles,omitempty"`        // what is left out is taken from the entry
	Examples  int             `yaml:"examples" json:"examples,omitempty"`  // made-up examples in the prompts of the method's stages
	Rounds    *int            `yaml:"rounds" json:"rounds,omitempty"`      // of critiques; nil: strum.DefaultRounds
	Critiques []string        `yaml:"critiques" json:"critiques,omitzero"` // names; nil: all
}

// A Role is the model of a role of a method.
type Role struct {
	Asked    `yaml:",inline"`
	Examples *int `yaml:"examples" json:"examples,omitempty"` // nil: those of the entry
}

// Run has the settings of a run.
type Run struct {
	Seed        int64   `yaml:"seed" json:"seed"`
	Concurrency int     `yaml:"concurrency" json:"concurrency"`
	Repair      int     `yaml:"repair" json:"repair"`
	Budget      float64 `yaml:"budget" json:"budget"`
}

// The providers that need no entry of their own.
const (
	ProviderBaseline   = "baseline"   // offline systems
	ProviderEmbedded   = "embedded"   // judges without a model
	ProviderFile       = "file"       // answers or verdicts that exist
	ProviderCalibrated = "calibrated" // judges that correct the scores of others
)

// Load reads and checks a configuration. A relative path in it is taken from the folder that the file is in.
func Load(path string) (*Config, error) {
	return loaded(path, false)
}

// LoadWithoutJudges loads a configuration for a command that needs no judges.
func LoadWithoutJudges(path string) (*Config, error) { return loaded(path, true) }

func loaded(path string, withoutJudges bool) (*Config, error) {
	c := &Config{Run: DefaultRun, File: path}
	if err := LoadYAML(path, c); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, Usagef("%w; `compqa init` writes a configuration", err)
		}
		return nil, err
	}
	if withoutJudges && c.JudgesOf(store.KindVerdict) == nil {
		c.Judges = append(c.Judges, EmbeddedJudge("constant"))
	}
	if err := c.Check(); err != nil {
		return nil, c.Locate(err)
	}
	if err := c.readPrices(); err != nil {
		return nil, c.Locate(err)
	}
	return c, nil
}

// DefaultRun has the settings of a configuration that says nothing else.
var DefaultRun = Run{Seed: 1, Concurrency: 8, Repair: 1}

// LoadOr loads a configuration; without a path it returns one with a single embedded judge.
func LoadOr(path, judge string) (*Config, error) {
	if path != "" {
		return Load(path)
	}
	c := &Config{Judges: []Judge{EmbeddedJudge(judge)}, Run: DefaultRun}
	if err := c.Check(); err != nil {
		return nil, UsageError{Err: err}
	}
	return c, nil
}

// EmbeddedJudge returns the entry of an embedded judge.
func EmbeddedJudge(name string) Judge {
	return Judge{Asks: store.KindVerdict, Entry: Entry{Name: name, Asked: Asked{Provider: ProviderEmbedded}},
		Extent: Extent{Repeats: Repeats{Times: 1}}}
}

// LoadProviders reads the providers of a worker from a file that has nothing else, or from a
// compqa.yaml. only are names separated by commas, "" for all.
func LoadProviders(path, only string) (map[string]llm.Provider, error) {
	c := &Config{File: path}
	if err := LoadYAML(path, c); err != nil {
		return nil, err
	}
	if len(c.Providers) == 0 {
		return nil, Usagef("%s has no providers", path)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		if err := c.checkProvider(name); err != nil {
			return nil, c.Locate(At("providers", name, err))
		}
	}
	if only == "" {
		return c.Providers, nil
	}
	some := map[string]llm.Provider{}
	for name := range strings.SplitSeq(only, ",") {
		name = strings.TrimSpace(name)
		p, known := c.Providers[name]
		if !known {
			return nil, Usagef("%s has no provider %q%s", path, name, data.Suggest(name, "providers", slices.Sorted(maps.Keys(c.Providers))))
		}
		some[name] = p
	}
	return some, nil
}

// Check fills in defaults and returns the first error of the configuration, with the section and the entry that it is about.
func (c *Config) Check() error {
	c.Dataset, c.Rubric = cmp.Or(c.Dataset, data.CQA50Name), cmp.Or(c.Rubric, rubric.CQA().Name)
	if c.Scenarios != nil && len(c.Scenarios) == 0 {
		return At("scenarios", "", fmt.Errorf("scenarios is empty; leave it out for the paper's four"))
	}
	if len(c.Scenarios) == 0 {
		for _, id := range scenarios.BuiltinIDs {
			c.Scenarios = append(c.Scenarios, scenario{ScenarioRef{ID: id}})
		}
	}
	if c.Run.Concurrency < 1 {
		return At("run", "concurrency", fmt.Errorf("run.concurrency is %d; it must be at least 1", c.Run.Concurrency))
	}
	err := withinSection("run", bound{"concurrency", float64(c.Run.Concurrency), MostAtOnce},
		bound{"repair", float64(c.Run.Repair), mostRepeats}, bound{"budget", c.Run.Budget, math.Inf(1)})
	if err != nil {
		return err
	}
	err = withinSection("arguments", bound{"max", float64(c.Arguments.Max), mostSampled},
		bound{"min_relevance", c.Arguments.MinRelevance, math.MaxFloat64})
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, s := range c.Scenarios {
		if err := unique(seen, "scenario", s.ID); err != nil {
			return At("scenarios", s.ID, err)
		}
		if s.ID == data.NoScenario || s.ID == dataset.AllScenarios {
			return At("scenarios", s.ID, fmt.Errorf("the scenario id %q has a special meaning in tables; choose another", s.ID))
		}
	}
	if err := c.checkParties(); err != nil {
		return err
	}
	if err := c.checkEscalation(); err != nil {
		return err
	}
	return c.checkMoney()
}

// A rule is what an entry may not say, and the error if it does.
type rule struct {
	broken bool
	err    error
}

func when(broken bool, format string, args ...any) rule {
	return rule{broken, fmt.Errorf(format, args...)}
}

// check returns the error of the first broken rule.
func check(rules ...rule) error {
	first, _ := data.First(rules, func(r rule) bool { return r.broken })
	return first.err
}

// checkParties checks all entries of providers, models, judges and pairwise judges, and returns all their faults.
func (c *Config) checkParties() error {
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		if err := c.checkProvider(name); err != nil {
			faults = append(faults, At("providers", name, err))
		}
	}
	faults = checkEntries(faults, "models", pointersTo(c.Models), c.checkModel)
	faults = checkEntries(faults, "judges", c.JudgesOf(store.KindVerdict), c.checkJudge)
	faults = checkEntries(faults, "summary_judges", c.JudgesOf(store.KindLabel), c.checkJudge)
	faults = checkEntries(faults, "pairs", pointersTo(c.Pairs), c.checkPairSet)
	faults = checkEntries(faults, "pairwise", c.JudgesOf(store.KindPreference), c.checkJudge)
	if len(faults) == 0 && c.WithoutJudges() && !c.HasAnswers() {
		return ErrNoJudges
	}
	return errors.Join(faults...)
}

// WithoutJudges reports whether there is nothing that scores or compares answers. Of a validation, all is imported.
func (c *Config) WithoutJudges() bool {
	asked := func(j Judge) bool { return j.Asks != store.KindLabel }
	return !slices.ContainsFunc(c.Judges, asked) && len(c.Pairs) == 0 && !c.Recorded
}

// A bound is a number of the configuration, and the largest that makes sense.
type bound struct {
	name        string
	value, most float64
}

const (
	MostAtOnce  = 10_000 // concurrent calls
	mostRepeats = 1_000  // calls that differ only in their seed
	mostSampled = 10_000_000
)

// within returns an error for a number that is negative or too large.
func within(bounds ...bound) error {
	for _, b := range bounds {
		switch {
		case !(b.value >= 0):
			return fmt.Errorf("%s is %v; it cannot be negative", b.name, b.value)
		case b.value > b.most:
			return fmt.Errorf("%s is %.0f; at most %.0f is possible", b.name, b.value, b.most)
		}
	}
	return nil
}

// withinSection returns within for the numbers of a section.
func withinSection(section string, bounds ...bound) error {
	for _, b := range bounds {
		if err := within(b); err != nil {
			return At(section, b.name, fmt.Errorf("%s.%w", section, err))
		}
	}
	return nil
}

// checkEntries checks the entries of a section, whose names must differ, and adds their faults.
func checkEntries[E interface{ label() string }](faults []error, section string, entries []E, check func(E) error) []error {
	seen := map[string]bool{}
	for _, entry := range entries {
		name := entry.label()
		err := unique(seen, Whats[section], name)
		if err == nil {
			err = Named(Whats[section], name, check(entry))
		}
		if err != nil {
			faults = append(faults, At(section, name, err))
		}
	}
	return faults
}

func (c *Config) checkProvider(name string) error {
	p := c.Providers[name]
	p.Dir = filepath.Dir(c.File) // of the paths of a program
	c.Providers[name] = p
	if slices.Contains([]string{ProviderBaseline, ProviderEmbedded, ProviderFile, ProviderCalibrated}, name) {
		return fmt.Errorf("the provider %q is built in; choose another name", name)
	}
	forever := math.Inf(1)
	if err := llm.CheckType(p.Type); err != nil {
		return err
	}
	err := check(
		when(p.Fingerprint != "" && p.Fingerprint != "url", "fingerprint is %q; it must be url, or be left out", p.Fingerprint),
		when(p.BaseURL != "" && len(p.BaseURLs) > 0, "it has both base_url and base_urls; remove one of them"),
		when(len(p.Run) > 0 && p.Type != llm.TypeCommand, "run is for type command"),
		when(p.Organisation != "" && p.Type != llm.TypeOpenAI, "organisation is for type openai"),
		when(p.MaxTokensField != "" && llm.TypeOf(p.Type).ReplyLimit != "", "max_tokens_field is for type openai"),
		when((p.Pull || p.KeepAlive != "") && p.Type != llm.TypeOllama, "pull and keep_alive are for type ollama"),
		when(p.Type == llm.TypeCommand && (p.BaseURL != "" || len(p.BaseURLs) > 0), "a program has no base_url"))
	if err == nil {
		err = within(bound{"rpm", float64(p.RPM), forever}, bound{"tpm", float64(p.TPM), forever},
			bound{"concurrency", float64(p.Concurrency), MostAtOnce},
			bound{"timeout", p.Timeout.Seconds(), forever}, bound{"backoff", p.Backoff.Seconds(), forever},
			bound{"max_wait", p.MaxWait.Seconds(), forever},
			bound{"batch_poll", p.BatchPoll.Seconds(), forever}, bound{"budget", p.Budget, forever},
			bound{"reasoning_allowance", float64(p.ReasoningAllowance), mostSampled})
	}
	for i, base := range p.BaseURLs {
		if err == nil && slices.Contains(p.BaseURLs[:i], base) {
			err = fmt.Errorf("base_urls contains %s twice", base)
		}
	}
	if err != nil {
		return fmt.Errorf("provider %q: %w", name, err)
	}
	// An invalid address, or a key in the file, is an error with any values of environment variables.
	p.Name = name
	anything := func(string) string { return "some-value" }
	if _, err := client.New(p, anything, client.Hooks{}); err != nil {
		return fmt.Errorf("provider %w", err)
	}
	return nil
}

func (c *Config) checkModel(m *Model) error {
	if err := within(bound{"choices", float64(m.Choices), mostRepeats}); err != nil {
		return err
	}
	m.Choices = max(1, m.Choices)
	if err := m.Reading.check(Repeats{}, m.Provider == ProviderFile, false); err != nil {
		return err
	}
	_, live := c.Providers[m.Provider]
	if m.Method != "" || m.Roles != nil || m.Examples != 0 || m.Rounds != nil || m.Critiques != nil {
		if !live {
			return errors.New("method, roles, rounds and critiques are for models of a provider; without a model, write " +
				"{name: strum, provider: baseline}")
		}
		return c.checkStrum(m)
	}
	switch m.Provider {
	case ProviderBaseline:
		offline, ok := scenarios.OfflineNamed(m.BuiltIn())
		known := data.Each(scenarios.Offlines, func(o scenarios.Offline) string { return o.Name })
		return check(
			when(!ok, "there is no offline system %q%s", m.BuiltIn(), data.Suggest(m.BuiltIn(), "offline systems", known)),
			when(m.Sources != "" && !offline.Tables, "sources is for strum and strum+choice"))
	case ProviderFile:
		return check(when(m.Path == "", "provider file needs path, the file with the answers"))
	}
	if m.Sources != "" {
		return fmt.Errorf("sources needs method: %s", strings.Join(strum.Methods, " or "))
	}
	return c.checkLive(m.Asked)
}

// Path resolves a path of the configuration from the configuration's folder.
func (c *Config) Path(path string) string {
	if path == "-" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(c.File), path)
}

// JSON returns the configuration as it is recorded: defaults filled in, no secret in it, since a configuration cannot hold one.
func (c *Config) JSON() (string, error) {
	recorded := *c
	recorded.sections = sectionsOf(c.Judges)
	text, err := json.Marshal(recorded)
	return string(text), err
}

// ParseRecorded reads a configuration that JSON wrote. It is not checked.
func ParseRecorded(text string) (*Config, error) {
	c := &Config{Recorded: true}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // options are hashed as they were written
	err := d.Decode(c)
	if err == nil && !json.Valid([]byte(text)) {
		err = errors.New("more follows it")
	}
	c.join()
	return c, err
}

// LoadRubric returns the configuration's rubric: the built-in one, or one in YAML.
func (c *Config) LoadRubric() (rubric.Rubric, error) {
	if builtin := rubric.CQA(); c.Rubric == builtin.Name {
		return builtin, nil
	}
	if c.Rubric == rubric.Release {
		r, _, err := c.LoadRelease("rubric")
		return r, err
	}
	return readRubric(c.Path(c.Rubric))
}

// LoadRelease returns the rubric and the judge's prompt of the authors' release. key is what asks for them.
func (c *Config) LoadRelease(key string) (r rubric.Rubric, prompt string, err error) {
	if c.Release == "" {
		return r, "", Usagef("%s: %s: %s is read from a checkout of the authors' release; name it with --release", c.File, key, rubric.Release)
	}
	path := filepath.Join(c.Release, "README.md")
	text, _, err := data.ReadText(path)
	if err == nil {
		r, prompt, err = rubric.ReadRelease(path, string(text))
	}
	if err != nil {
		return r, "", UsageError{Err: err}
	}
	return r, prompt, nil
}

func readRubric(path string) (rubric.Rubric, error) {
	r := rubric.Rubric{Measurement: "interval"}
	if err := LoadYAML(path, &r); err != nil {
		return r, err
	}
	if r.Name == "" {
		r.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	for i := range r.Criteria { // what a short rubric leaves out
		c := &r.Criteria[i]
		c.ID = cmp.Or(c.ID, strconv.Itoa(i+1))
		c.Group = cmp.Or(c.Group, "all")
		c.Name = cmp.Or(c.Name, data.Clip(c.Text), c.ID)
		c.Text = cmp.Or(c.Text, c.Name)
	}
	if err := r.FillSteps(); err != nil {
		return r, Usagef("%s: %w", path, err)
	}
	if err := r.Validate(); err != nil {
		return r, Usagef("%s: %w", path, err)
	}
	if strings.EqualFold(r.Name, rubric.CQA().Name) && !r.BuiltIn() { // the name means the built-in text
		r.Name += "-" + r.Hash()[:8]
	}
	return r, nil
}

// LoadQuestions returns the configuration's question set, the built-in one or a file, with the selected arguments.
func (c *Config) LoadQuestions() ([]data.Question, error) {
	questions := data.CQA50()
	if c.Dataset != data.CQA50Name {
		var err error
		questions, err = c.questionsOfAnswers()
		if err == nil && questions == nil {
			questions, err = data.ReadQuestions(c.Path(c.Dataset))
		}
		if err != nil {
			return nil, UsageError{Err: err}
		}
	}
	questions, err := c.Arguments.Select(questions)
	if err != nil {
		return nil, c.Locate(err)
	}
	return questions, nil
}

// questionsOfAnswers are the questions of a dataset that is a file of existing answers; nil: it is none. Its columns are mapped as in the
// entry that takes its answers.
func (c *Config) questionsOfAnswers() ([]data.Question, error) {
	if c.Dataset == data.CQA50Name {
		return nil, nil
	}
	m, _ := data.First(c.Models, func(m Model) bool { return m.Provider == ProviderFile && m.Path == c.Dataset })
	return sources.QuestionsOfAnswers(c.Path(c.Dataset), m.ReadingOptions(Repeats{}))
}

// HasAnswers reports whether the dataset is a file of existing answers, which may be faulty (LoadQuestions says how).
func (c *Config) HasAnswers() bool {
	questions, err := c.questionsOfAnswers()
	return err != nil || questions != nil
}

// ErrNoJudges says what a configuration without judges needs.
var ErrNoJudges = errors.New("no judges: at least one entry under judges is needed, for instance {name: rules, provider: embedded}")

// LoadScenarios returns the configuration's scenarios, tried out.
func (c *Config) LoadScenarios() ([]scenarios.Scenario, error) {
	var list []scenarios.Scenario
	for _, ref := range c.Scenarios {
		s, err := scenarios.Builtin(ref.ID)
		if ref.Template != "" {
			builtin := s
			s, err = scenarios.Load(ref.ID, c.Path(ref.Template))
			if err == nil && builtin.Hash != "" && s.Hash != builtin.Hash { // the id means the built-in text
				s.ID += "-" + s.Hash[:8]
			}
		}
		if err != nil {
			return nil, c.Locate(At("scenarios", ref.ID, err))
		}
		list = append(list, s)
	}
	return list, nil
}

// Named adds the kind and the name of an entry to an error; nil stays nil.
func Named(what, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %q: %w", what, name, err)
}

// Whats are the words for the entries of sections.
var Whats = map[string]string{"models": "model", "judges": "judge", "summary_judges": "summary judge", "pairs": "set of pairs",
	"pairwise": "pairwise judge"}

// Wrong returns the error of an entry of a section, with its file and line.
func (c *Config) Wrong(section, name string, err error) error {
	return c.Locate(At(section, name, Named(Whats[section], name, err)))
}

func unique(seen map[string]bool, what, name string) error {
	if name == "" {
		return fmt.Errorf("a %s has no name", what)
	}
	if seen[name] {
		return fmt.Errorf("duplicate %s name %q", what, name)
	}
	seen[name] = true
	return nil
}

const (
	DefaultConfig = "compqa.yaml"         // the configuration without --config
	DefaultOut    = "results/runs/latest" // the run's folder without --out
)

// Kinds of systems and judges.
const (
	KindBaseline = "baseline"
	KindFile     = "file"
	KindModel    = "model"
	KindImported = "imported"
	KindEmbedded = scoring.KindEmbedded
	KindFloor    = scoring.KindFloor
	KindHuman    = "human"
)
