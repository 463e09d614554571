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
	Judges         []Judge                 `yaml:"-" json:"-"` // the judges of all kinds, from the three sections
	sections       `yaml:",inline"`
	Headline       string      `yaml:"headline" json:"headline,omitempty"` // the judge that orders the leaderboard
	Escalate       *Escalation `yaml:"escalate" json:"escalate,omitempty"` // judges that are asked in sequence; nil: none
	Pairs          []PairSet   `yaml:"pairs" json:"pairs,omitempty"`
	Prices         Prices      `yaml:"prices" json:"prices,omitzero"`
	Run            Run         `yaml:"run" json:"run"`

	File string `yaml:"-" json:"-"` // the file that was read; relative paths start from its folder
	// Joined names the top-level keys that occur twice in the file. LoadYAML joins their contents.
	Joined []string `yaml:"-" json:"-"`

	// Recorded says that the configuration comes from a run's record, which includes the content of the files that it names. Such a
	// configuration may be another person's, so no file is read and no program is run for it.
	Recorded bool `yaml:"-" json:"-"`
	// Read has the versions of the reply parsers of a recorded run; the zero value means the current versions.
	Read replies.Versions `yaml:"-" json:"-"`

	AllowUnknownPrices bool `yaml:"-" json:"-"` // calls of unknown price are allowed, and budgets do not count them
	Trusted            bool `yaml:"-" json:"-"` // values of environment variables may be sent without asking the user
	Confirmed          bool `yaml:"-" json:"-"` // the user has seen which values are sent
}

// A ScenarioRef names a built-in scenario by its id, or a template file with the id that its scenario gets.
type ScenarioRef struct {
	ID       string `yaml:"id" json:"id"`
	Template string `yaml:"template" json:"template,omitempty"`
}

// A scenario is a ScenarioRef that YAML may also write as a bare id.
type scenario struct {
	ScenarioRef `yaml:",inline"`
}

// UnmarshalYAML reads a bare id or {id, template}.
func (s *scenario) UnmarshalYAML(node *yaml.Node) error { return wordOr(node, &s.ID, &s.ScenarioRef) }

// wordOr reads a scalar into word, or the known fields of a mapping into fields.
func wordOr(node *yaml.Node, word *string, fields any) error {
	if node.Kind == yaml.ScalarNode {
		*word = node.Value
		return nil
	}
	return node.Load(fields, yaml.WithKnownFields())
}

// An Entry has the keys that all models and judges have.
type Entry struct {
	Name      string `yaml:"name" json:"name"`
	Asked     `yaml:",inline"`
	Path      string    `yaml:"path" json:"path,omitempty"` // a file of results (provider file) or of a calibration
	Family    string    `yaml:"family" json:"family,omitempty"`
	Batch     BatchMode `yaml:"batch" json:"batch,omitempty" jsonschema:"oneof_type=boolean;string"`
	TrainedOn string    `yaml:"trained_on" json:"trained_on,omitempty"` // a benchmark, data.ReleaseRows, a set of pairs, or other data
}

// A BatchMode says whether an entry uses the provider's batch API: "", "true", "false" or "fallback".
type BatchMode string

// On reports whether the entry's calls are made in batches.
func (m BatchMode) On() bool { return m == "true" || m.Fallback() }

// Fallback reports whether calls without a reply from a batch are made one by one, at the full price.
func (m BatchMode) Fallback() bool { return m == "fallback" }

// check returns an error for a mode other than true, false and fallback.
func (m BatchMode) check() error {
	if m == "" || m == "false" || m.On() {
		return nil
	}
	return fmt.Errorf("batch is %q; it must be true, false or fallback", string(m))
}

func (e *Entry) label() string { return e.Name }

// BuiltIn returns the name of the offline system or embedded judge that an entry uses. This is Model if it is set, so that the entry can
// have another name; otherwise it is Name.
func (e *Entry) BuiltIn() string { return cmp.Or(e.Model, e.Name) }

// A Model is a system whose answers are compared: a model of a provider, an offline system (provider baseline), or existing answers
// (provider file).
type Model struct {
	Entry   `yaml:",inline"`
	Reading `yaml:",inline"`
	Choices int    `yaml:"choices" json:"choices,omitempty"`
	Sources string `yaml:"sources" json:"sources,omitempty"` // a file of sources; "": the question's arguments are the sources

	Method    string          `yaml:"method" json:"method,omitempty"`      // one of strum.Methods; "": the model answers the scenario's prompt
	Roles     map[string]Role `yaml:"roles" json:"roles,omitempty"`        // by step; the entry supplies what a role leaves out
	Examples  int             `yaml:"examples" json:"examples,omitempty"`  // number of made-up examples in the prompts of each step
	Rounds    *int            `yaml:"rounds" json:"rounds,omitempty"`      // most rounds of critiques; nil: strum.DefaultRounds
	Critiques []string        `yaml:"critiques" json:"critiques,omitzero"` // the critiques that are made, by name; nil: all
}

// A Role says which model performs one step of a method, such as extract or contrast.
type Role struct {
	Asked    `yaml:",inline"`
	Examples *int `yaml:"examples" json:"examples,omitempty"` // nil: as many as the entry has
}

// Run has the settings of the section run.
type Run struct {
	Seed        int64   `yaml:"seed" json:"seed"`
	Concurrency int     `yaml:"concurrency" json:"concurrency"`
	Repair      int     `yaml:"repair" json:"repair"`
	Budget      float64 `yaml:"budget" json:"budget"`
}

// The built-in providers, which have no entry under providers.
const (
	ProviderBaseline   = "baseline"   // systems that answer without a model
	ProviderEmbedded   = "embedded"   // judges without a model
	ProviderFile       = "file"       // existing answers or verdicts
	ProviderCalibrated = "calibrated" // judges whose scores correct another judge's
)

// Load reads and checks a configuration. Relative paths in it start from the folder of the file.
func Load(path string) (*Config, error) {
	return loaded(path, false)
}

// LoadWithoutJudges loads a configuration for a command that needs no judges. A file without judges of answers is valid, and gets the
// embedded judge "constant".
func LoadWithoutJudges(path string) (*Config, error) { return loaded(path, true) }

// loaded reads a configuration, checks it and reads its prices. With withoutJudges, it adds the embedded judge "constant" if no judge
// scores answers.
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

// DefaultRun has the settings of a run for the keys that a configuration leaves out.
var DefaultRun = Run{Seed: 1, Concurrency: 8, Repair: 1}

// LoadOr loads the configuration at path. If path is "", it returns a configuration with one embedded judge.
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

// EmbeddedJudge returns the entry of an embedded judge, which needs no model.
func EmbeddedJudge(name string) Judge {
	return Judge{Asks: store.KindVerdict, Entry: Entry{Name: name, Asked: Asked{Provider: ProviderEmbedded}},
		Extent: Extent{Repeats: Repeats{Times: 1}}}
}

// LoadProviders reads the providers for a worker. The file is a compqa.yaml, or has only the section providers. only lists the names to
// keep, separated by commas; "" keeps all. An unknown name is an error.
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

// Check fills in defaults and checks the configuration without making a call. It returns the first error, or all errors of providers,
// models and judges together. Each error carries the section and entry that it is about.
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

// A rule is a condition that makes a configuration invalid, and the error for it.
type rule struct {
	broken bool
	err    error
}

// failIf returns the rule that reports a formatted error if broken is true.
func failIf(broken bool, format string, args ...any) rule {
	return rule{broken, fmt.Errorf(format, args...)}
}

// check returns the error of the first broken rule.
func check(rules ...rule) error {
	first, _ := data.First(rules, func(r rule) bool { return r.broken })
	return first.err
}

// checkParties checks the entries of all providers, models, judges and sets of pairs. It returns all their errors, joined.
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

// WithoutJudges reports whether nothing scores or compares answers: no such judge, and no set of pairs. It is false for a recorded
// configuration, whose verdicts may all be imported.
func (c *Config) WithoutJudges() bool {
	asked := func(j Judge) bool { return j.Asks != store.KindLabel }
	return !slices.ContainsFunc(c.Judges, asked) && len(c.Pairs) == 0 && !c.Recorded
}

// A bound is a number of the configuration with its largest allowed value.
type bound struct {
	name        string
	value, most float64
}

const (
	MostAtOnce  = 10_000     // concurrent calls
	mostRepeats = 1_000      // calls that differ only in their seed
	mostSampled = 10_000_000 // answers, pairs, arguments or tokens
)

// checkBounds returns an error for the first number that is negative, NaN or larger than its bound.
func checkBounds(bounds ...bound) error {
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

// withinSection checks numbers as within does. Its error names the section and the key.
func withinSection(section string, bounds ...bound) error {
	for _, b := range bounds {
		if err := checkBounds(b); err != nil {
			return At(section, b.name, fmt.Errorf("%s.%w", section, err))
		}
	}
	return nil
}

// checkEntries checks that the names in a section differ, and checks each entry. It returns faults with the new errors appended.
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

// checkProvider checks the entry of a provider: its name, its type, the keys that its type does not have, and the ranges of its numbers. At
// last it builds a client without connecting, to find an invalid address or an API key in the file.
func (c *Config) checkProvider(name string) error {
	p := c.Providers[name]
	p.Dir = filepath.Dir(c.File) // where paths of a command start
	c.Providers[name] = p
	if slices.Contains([]string{ProviderBaseline, ProviderEmbedded, ProviderFile, ProviderCalibrated}, name) {
		return fmt.Errorf("the provider %q is built in; choose another name", name)
	}
	forever := math.Inf(1)
	if err := llm.CheckType(p.Type); err != nil {
		return err
	}
	err := check(
		failIf(p.Fingerprint != "" && p.Fingerprint != "url", "fingerprint is %q; it must be url, or be left out", p.Fingerprint),
		failIf(p.BaseURL != "" && len(p.BaseURLs) > 0, "it has both base_url and base_urls; remove one of them"),
		failIf(len(p.Run) > 0 && p.Type != llm.TypeCommand, "run is for type command"),
		failIf(p.Organisation != "" && p.Type != llm.TypeOpenAI, "organisation is for type openai"),
		failIf(p.MaxTokensField != "" && llm.TypeOf(p.Type).ReplyLimit != "", "max_tokens_field is for type openai"),
		failIf((p.Pull || p.KeepAlive != "") && p.Type != llm.TypeOllama, "pull and keep_alive are for type ollama"),
		failIf(p.Type == llm.TypeCommand && (p.BaseURL != "" || len(p.BaseURLs) > 0), "a program has no base_url"))
	if err == nil {
		err = checkBounds(bound{"rpm", float64(p.RPM), forever}, bound{"tpm", float64(p.TPM), forever},
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
	// The values of environment variables do not matter here: an invalid address, or a key in the file, is an error with any values.
	p.Name = name
	anything := func(string) string { return "some-value" }
	if _, err := client.New(p, anything, client.Hooks{}); err != nil {
		return fmt.Errorf("provider %w", err)
	}
	return nil
}

// checkModel checks an entry of models, by its kind: a method with roles, an offline system, a file of answers, or a model that answers
// prompts.
func (c *Config) checkModel(m *Model) error {
	if err := checkBounds(bound{"choices", float64(m.Choices), mostRepeats}); err != nil {
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
			failIf(!ok, "there is no offline system %q%s", m.BuiltIn(), data.Suggest(m.BuiltIn(), "offline systems", known)),
			failIf(m.Sources != "" && !offline.Tables, "sources is for strum and strum+choice"))
	case ProviderFile:
		return check(failIf(m.Path == "", "provider file needs path, the file with the answers"))
	}
	if m.Sources != "" {
		return fmt.Errorf("sources needs method: %s", strings.Join(strum.Methods, " or "))
	}
	return c.checkLive(m.Asked)
}

// Path resolves a path of the configuration relative to the file's folder. It leaves "-" and absolute paths as they are.
func (c *Config) Path(path string) string {
	if path == "-" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(c.File), path)
}

// JSON returns the configuration as the record stores it, with defaults filled in. It contains no secret, because a configuration cannot
// contain one.
func (c *Config) JSON() (string, error) {
	recorded := *c
	recorded.sections = sectionsOf(c.Judges)
	text, err := json.Marshal(recorded)
	return string(text), err
}

// ParseRecorded reads a configuration that JSON wrote, without checking it.
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

// LoadRubric returns the rubric that the configuration names: the built-in one, the one of the authors' release, or a YAML file.
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

// LoadRelease returns the rubric and the judge's prompt from the authors' release. key is the configuration key that needs the release;
// error messages name it.
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

// readRubric reads a rubric from a YAML file. It fills in what a short rubric leaves out: the rubric's name, and the ids, groups, names and
// texts of criteria. A changed rubric under the built-in name gets a hash suffix.
func readRubric(path string) (rubric.Rubric, error) {
	r := rubric.Rubric{Measurement: "interval"}
	if err := LoadYAML(path, &r); err != nil {
		return r, err
	}
	if r.Name == "" {
		r.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	for i := range r.Criteria { // fill in what a short rubric leaves out
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
	if strings.EqualFold(r.Name, rubric.CQA().Name) && !r.BuiltIn() { // the plain name stands for the built-in text
		r.Name += "-" + r.Hash()[:8]
	}
	return r, nil
}

// LoadQuestions returns the configured questions with their selected arguments. They come from the built-in set, a file of questions, or a
// file of existing answers.
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

// questionsOfAnswers returns the questions of a dataset that is a file of existing answers, or nil if the dataset is another kind of file.
// The models entry that reads the same file supplies the column mapping.
func (c *Config) questionsOfAnswers() ([]data.Question, error) {
	if c.Dataset == data.CQA50Name {
		return nil, nil
	}
	m, _ := data.First(c.Models, func(m Model) bool { return m.Provider == ProviderFile && m.Path == c.Dataset })
	return sources.QuestionsOfAnswers(c.Path(c.Dataset), m.ReadingOptions(Repeats{}))
}

// HasAnswers reports whether the dataset is a file of existing answers. It is also true if the file is faulty; LoadQuestions returns the
// fault.
func (c *Config) HasAnswers() bool {
	questions, err := c.questionsOfAnswers()
	return err != nil || questions != nil
}

// ErrNoJudges says that a configuration has no judges, and shows an example of an entry.
var ErrNoJudges = errors.New("no judges: at least one entry under judges is needed, for instance {name: rules, provider: embedded}")

// LoadScenarios returns the configured scenarios, with their templates tested. A changed template under a built-in id gets a hash suffix.
func (c *Config) LoadScenarios() ([]scenarios.Scenario, error) {
	var list []scenarios.Scenario
	for _, ref := range c.Scenarios {
		s, err := scenarios.Builtin(ref.ID)
		if ref.Template != "" {
			builtin := s
			s, err = scenarios.Load(ref.ID, c.Path(ref.Template))
			if err == nil && builtin.Hash != "" && s.Hash != builtin.Hash { // the plain id stands for the built-in text
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

// Named prefixes an error with the kind and the name of an entry. It returns nil for nil.
func Named(what, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %q: %w", what, name, err)
}

// Whats has the word for an entry of each section, for messages.
var Whats = map[string]string{"models": "model", "judges": "judge", "summary_judges": "summary judge", "pairs": "set of pairs",
	"pairwise": "pairwise judge"}

// Wrong returns the error of a section's entry, prefixed with the entry's name and with the file and line.
func (c *Config) Wrong(section, name string, err error) error {
	return c.Locate(At(section, name, Named(Whats[section], name, err)))
}

// unique returns an error if a name is empty or was seen before, and adds it to seen.
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
