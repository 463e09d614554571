package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"go.yaml.in/yaml/v4"

	"compqa/data"
	"compqa/data/sources"
	"compqa/judges/pairwise"
	"compqa/results/store"
)

// Choosing has the options of judges that choose the better answer of a pair: a method, and the models that it asks. The help of `compqa
// pairwise` describes the methods.
type Choosing struct {
	Method        string           `yaml:"method" json:"method"`
	Roles         map[string]Asked `yaml:"roles" json:"roles,omitempty"` // by step; the entry supplies what a role leaves out
	Draws         int              `yaml:"draws" json:"draws,omitempty"`
	Selection     string           `yaml:"selection" json:"selection,omitempty"`
	Aspects       string           `yaml:"aspects" json:"aspects,omitempty"`
	AspectNames   []string         `yaml:"-" json:"aspect_names,omitempty"` // the content of the file that aspects names
	AspectDraws   int              `yaml:"aspect_draws" json:"aspect_draws,omitempty"`
	Shots         int              `yaml:"shots" json:"shots,omitempty"`
	Grades        []string         `yaml:"grades" json:"grades,omitempty"`
	Sets          []string         `yaml:"sets" json:"sets,omitempty"` // names of sets of pairs; nil: all
	Task          `yaml:",inline"`
	Samples       int                   `yaml:"samples" json:"samples,omitempty"`               // con-j: judgments per prompt; 0: none
	NoHints       bool                  `yaml:"no_hints" json:"no_hints,omitempty"`             // no judgments with hints are sampled
	Grader        string                `yaml:"grader" json:"grader,omitempty"`                 // the entry that grades sampled judgments
	Abstain       bool                  `yaml:"abstain" json:"abstain,omitempty"`               // it may call a pair hard to judge
	Ties          bool                  `yaml:"ties" json:"ties,omitempty"`                     // it may call a pair a tie
	Reads         *Reads                `yaml:"reads" json:"reads,omitempty"`                   // how it names a choice; nil: as usual
	RationaleFrom string                `yaml:"rationale_from" json:"rationale_from,omitempty"` // the entry whose rationales the judge sees
	Calibration   *pairwise.Calibration `yaml:"-" json:"calibration,omitempty"`                 // the content of path, for surface-pair
}

// Reads says how the replies of a judge name its choice.
type Reads struct {
	Pattern string `yaml:"pattern" json:"pattern"` // a regular expression; its first group is the name of the choice
	A       words  `yaml:"a" json:"a,omitempty" jsonschema:"oneof_type=string;array"`
	B       words  `yaml:"b" json:"b,omitempty" jsonschema:"oneof_type=string;array"`
	Tie     words  `yaml:"tie" json:"tie,omitempty" jsonschema:"oneof_type=string;array"`
}

// words is a list of words. In YAML, one word may be written without a list.
type words []string

// UnmarshalYAML reads one word or a list.
func (w *words) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*w = words{node.Value}
		return nil
	}
	return node.Load((*[]string)(w))
}

// checkPairwise checks an entry of pairwise in this order: its sets, its method, then what the method needs. These are options, a task, a
// calibration, a grader, and models for its roles. At last it checks the task on each set.
func (c *Config) checkPairwise(ref *Judge) error {
	ref.Name = ref.label()
	sets := data.Each(c.PairSets(), func(s PairSet) string { return s.Name })
	for _, name := range ref.Sets {
		if !slices.Contains(sets, name) {
			return fmt.Errorf("sets: there is no set of pairs %q%s", name, data.Suggest(name, "sets", sets))
		}
	}
	if ref.Provider == ProviderFile {
		return ref.checkFile()
	}
	methods := pairwise.EntryMethods()
	method, found := data.First(methods, func(m pairwise.Method) bool { return m.Name == ref.Method })
	if !found {
		names := data.Each(methods, func(m pairwise.Method) string { return m.Name })
		return fmt.Errorf("there is no method %q%s", ref.Method, data.Suggest(ref.Method, "methods", names))
	}
	given := keysOf(chooser{ref.Entry, ref.Reading, ref.Choosing, ref.Extent})
	given["repeats"] = ref.Repeats.Times
	if c.Recorded && (method.Grades || !method.Live()) {
		given = nil // an earlier version accepted options without effect
	}
	if err := method.Check(given); err != nil {
		return err
	}
	if err := ref.Reading.check(ref.Repeats, false, true); err != nil {
		return err
	}
	if err := c.readTask(&ref.Task); err != nil {
		return err
	}
	if !method.Live() {
		if ref.Provider != "" && ref.Provider != ProviderEmbedded {
			return fmt.Errorf("method %s needs no provider", ref.Method)
		}
		return c.readCalibration(ref)
	}
	if _, err := c.GraderOf(*ref); err != nil {
		return err
	}
	if err := c.checkOwnRoles(ref, method); err != nil {
		return err
	}
	if method.Grades { // it decides on no pairs
		return nil
	}
	return c.checkTasks(ref)
}

// checkOwnRoles checks the names and the models of the roles that an entry sets. A role is a step of the entry's method.
func (c *Config) checkOwnRoles(ref *Judge, method pairwise.Method) error {
	known := method.Roles
	if c.Recorded {
		known = pairwiseRoles // an earlier version accepted roles without effect
	}
	for _, name := range slices.Sorted(maps.Keys(ref.Roles)) {
		if !slices.Contains(known, pairwise.Role(name)) {
			roles := data.Each(known, func(r pairwise.Role) string { return string(r) })
			return fmt.Errorf("there is no role %q%s", name, data.Suggest(name, "roles of "+ref.Method, roles))
		}
	}
	for _, role := range ref.OwnRoles() {
		if _, seeded := role.Options["seed"]; seeded {
			return errors.New("options: seed cannot be set: each call has its own seed, derived from run.seed")
		}
	}
	return c.checkRoles(ref.Asked, ref.Batch.On(), ref.OwnRoles())
}

// checkTasks checks that the entry's method accepts the task of each set. It skips sets whose own task is wrong, because checkPairSet
// reports these once.
func (c *Config) checkTasks(ref *Judge) error {
	for _, set := range c.PairSets() {
		if set.Task.under(Task{}).Check() != nil {
			continue
		}
		o, err := c.PairwiseOptions(*ref, set.Task)
		if err != nil {
			return err
		}
		if _, err := pairwise.New(o); err != nil {
			return err
		}
	}
	return nil
}

// readCalibration reads the file of a surface-pair calibration. A recorded configuration already contains the calibration.
func (c *Config) readCalibration(ref *Judge) error {
	if ref.Path == "" || ref.Calibration != nil || c.Recorded {
		return nil
	}
	text, path, err := data.ReadText(c.Path(ref.Path))
	if err != nil {
		return err
	}
	ref.Calibration, err = pairwise.ParseCalibration(text)
	if err != nil {
		return fmt.Errorf("%s is not a calibration of %s: %w", path, ref.Method, err)
	}
	return nil
}

// pairwiseNamed returns the pairwise judge with a name, or nil.
func (c *Config) pairwiseNamed(name string) *Judge {
	judge, _ := data.First(c.JudgesOf(store.KindPreference), func(j *Judge) bool { return name != "" && j.Name == name })
	return judge
}

// GraderOf returns the entry that grades the sampled judgments of ref, or nil if ref names no grader. The grader must have the method
// meta-judge.
func (c *Config) GraderOf(ref Judge) (*Judge, error) {
	by := c.pairwiseNamed(ref.Grader)
	return by, check(
		failIf(ref.Grader != "" && by == nil, "grader is %q; pairwise has no such entry", ref.Grader),
		failIf(by != nil && by.Method != pairwise.MethodMeta, "grader is %q, which has another method; it must be an entry of method %s",
			ref.Grader, pairwise.MethodMeta))
}

// checkFile checks an entry whose preferences are in a file. The file names its judges and their methods, so other options are errors.
func (ref *Judge) checkFile() error {
	if ref.Path == "" {
		return fmt.Errorf("provider %s needs path, the file of the preferences", ProviderFile)
	}
	taken := []string{"name", "provider", "path", "map", "missing"}
	if ref.Repeats.Times == 0 {
		taken = append(taken, "repeats")
	}
	if ref.Method == pairwise.MethodMeta { // people's grades of rationales
		taken = append(taken, "method")
	}
	for _, key := range slices.Sorted(maps.Keys(keysOf(chooser{ref.Entry, ref.Reading, ref.Choosing, ref.Extent}))) {
		if !slices.Contains(taken, key) {
			return fmt.Errorf("provider %s takes only name, path, map, missing and repeats: first, and method: %s for grades of rationales, not "+
				"this %s; the file names the judges and their methods", ProviderFile, pairwise.MethodMeta, key)
		}
	}
	if rule := ref.Repeats.Rule; rule != "" && rule != sources.RepeatsFirst {
		return fmt.Errorf("repeats is %q; of choices it can be %s", rule, sources.RepeatsFirst)
	}
	return nil
}

// someAspects is a placeholder for aspects whose file is not read or not written yet.
var someAspects = []string{"aspect"}

// pairwiseRoles lists the steps of methods for which an entry can name a model of its own.
var pairwiseRoles = []pairwise.Role{pairwise.RoleAspects, pairwise.RoleComparisons, pairwise.RoleComparator, pairwise.RolePreference}

// OwnRoles returns the model that the entry asks by default, and the models of its roles.
func (ref Judge) OwnRoles() []Asked {
	roles := []Asked{ref.RoleOf("")}
	for _, name := range slices.Sorted(maps.Keys(ref.Roles)) {
		roles = append(roles, ref.RoleOf(pairwise.Role(name)))
	}
	return roles
}

// RoleOf returns the model that performs a role. The role "" has the entry's default model.
func (ref Judge) RoleOf(r pairwise.Role) Asked {
	return ref.Asked.forRole(ref.Roles[string(r)])
}

// PairwiseModels returns, for each role of a judge's method, the model and the name of its provider. A judge that sees another entry's
// rationales has the role that gives them, too.
func (c *Config) PairwiseModels(ref Judge) (map[pairwise.Role]pairwise.Model, map[pairwise.Role]string) {
	models := map[pairwise.Role]pairwise.Model{}
	providers := map[pairwise.Role]string{}
	for _, r := range pairwiseRoles {
		role := ref.RoleOf(r)
		models[r] = pairwise.Model{Name: role.Model, Options: role.AllOptions(), Extra: role.Extra}
		providers[r] = role.Provider
	}
	if by := c.pairwiseNamed(ref.RationaleFrom); by != nil {
		providers[pairwise.AdviceRole(pairwise.RolePreference)] = by.RoleOf(pairwise.RolePreference).Provider
	}
	return models, providers
}

func isTrue(b *bool) bool { return b != nil && *b }

// PairwiseOptions returns the options of the entry's method on a set with the task set.
func (c *Config) PairwiseOptions(ref Judge, set Task) (pairwise.Options, error) {
	models, _ := c.PairwiseModels(ref)
	method, _ := pairwise.MethodNamed(ref.Method)
	o := pairwise.Options{Method: ref.Method, Models: models, Samples: ref.Draws, AspectSamples: ref.AspectDraws, Selection: ref.Selection,
		Shots: ref.Shots, Seed: c.Run.Seed, Abstain: ref.Abstain, Ties: ref.Ties, Repair: c.Run.Repair, Read: c.Read}
	if r := ref.Reads; r != nil {
		o.Reads = &pairwise.ChoiceNames{Pattern: r.Pattern, A: r.A, B: r.B, Tie: r.Tie}
	}
	if !method.Scores { // a reward model takes no words
		o.Task = ref.Task.under(set)
	}
	if ref.RationaleFrom != "" {
		advisor, err := c.advisorOf(ref, set)
		if err != nil {
			return o, err
		}
		o.Advisor = &advisor
	}
	switch ref.Aspects {
	case "", pairwise.AspectsOnline:
	case pairwise.AspectsNone:
		o.NoAspects = true
	default:
		o.Aspects = ref.AspectNames
		if o.Aspects == nil {
			o.Aspects = someAspects
		}
	}
	return o, nil
}

// advisorOf returns the options of the entry by that gives the rationales which ref sees. The entry by must judge all pairs that ref
// judges. Neither entry may use batches, have its results in a file, or see rationales in turn.
func (c *Config) advisorOf(ref Judge, set Task) (pairwise.Options, error) {
	by := c.pairwiseNamed(ref.RationaleFrom)
	if by == nil {
		names := data.Each(c.JudgesOf(store.KindPreference), func(j *Judge) string { return j.Name })
		return pairwise.Options{}, fmt.Errorf("rationale_from: there is no pairwise judge %q%s", ref.RationaleFrom,
			data.Suggest(ref.RationaleFrom, "pairwise judges", names))
	}
	err := check(
		failIf(by.Name == ref.Name, "rationale_from names the judge itself"),
		failIf(by.RationaleFrom != "", "rationale_from: %s itself has rationale_from", by.Name),
		failIf(by.Provider == ProviderFile, "rationale_from: the preferences of %s are in a file; name a judge that calls a model", by.Name),
		failIf(ref.Batch.On(), "rationale_from is not for batch: true"),
		failIf(by.Batch.On(), "rationale_from: %s has batch: true, and its calls would be made twice", by.Name),
		failIf(by.Sample != 0 && by.Sample != ref.Sample || isTrue(ref.Imported) && !isTrue(by.Imported),
			"rationale_from: %s judges fewer pairs, by sample or imported; give both entries the same", by.Name))
	if err != nil {
		return pairwise.Options{}, err
	}
	advisor, err := c.PairwiseOptions(*by, set)
	if err != nil {
		return advisor, fmt.Errorf("rationale_from: %w", err)
	}
	return advisor, nil
}

// AspectsPath returns the path of the file of the entry's aspects, or "" if it has no such file or the configuration is recorded.
func (c *Config) AspectsPath(ref Judge) string {
	if !ref.OfflineAspects() || c.Recorded {
		return ""
	}
	return c.Path(ref.Aspects)
}

// OfflineAspects reports whether the entry's aspects come from a file.
func (ref *Judge) OfflineAspects() bool {
	return ref.Aspects != "" && ref.Aspects != pairwise.AspectsOnline && ref.Aspects != pairwise.AspectsNone
}

// An aspectsFile is a file of aspects that SC2 extracted before the pairs are judged.
type aspectsFile struct {
	Aspects []string `yaml:"aspects"`
	From    string   `yaml:"from"` // what they were extracted from, in words
}

// ReadAspects reads a file of aspects. found is false if the file does not exist.
func ReadAspects(path string) (names []string, found bool, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	var file aspectsFile
	if err := LoadYAML(path, &file); err != nil {
		return nil, false, err
	}
	if len(file.Aspects) == 0 {
		return nil, false, Usagef("%s: aspects is empty", path)
	}
	return file.Aspects, true, nil
}

// WriteAspects writes aspects to a file. from says what they were extracted from.
func WriteAspects(path string, names []string, from string) error {
	text, err := yaml.Marshal(aspectsFile{names, from})
	if err == nil {
		err = store.WriteOutput(path, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "# Aspects that pairs of answers are compared on. They may be edited.\n%s", text)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("writing the aspects: %w", err)
	}
	return nil
}
