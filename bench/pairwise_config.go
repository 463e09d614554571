package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/llm"
	"compqa/results/store"
)

// A PairwiseRef is a judge of pairs: a method, and the models it asks. What the
// methods do is described in the help of `compqa pairwise`.
type PairwiseRef struct {
	Name        string             `yaml:"name" json:"name"`
	Method      string             `yaml:"method" json:"method"`
	Provider    string             `yaml:"provider" json:"provider,omitempty"`
	Model       string             `yaml:"model" json:"model,omitempty"`
	Family      string             `yaml:"family" json:"family,omitempty"`
	Roles       map[string]RoleRef `yaml:"roles" json:"roles,omitempty"`
	Draws       int                `yaml:"draws" json:"draws,omitempty"`
	Selection   string             `yaml:"selection" json:"selection,omitempty"`
	Aspects     string             `yaml:"aspects" json:"aspects,omitempty"`
	AspectDraws int                `yaml:"aspect_draws" json:"aspect_draws,omitempty"`
	Shots       int                `yaml:"shots" json:"shots,omitempty"`
	Grades      []string           `yaml:"grades" json:"grades,omitempty"`
	Sample      int                `yaml:"sample" json:"sample,omitempty"`
	Imported    *bool              `yaml:"imported" json:"imported,omitempty"`
	Batch       bool               `yaml:"batch" json:"batch,omitempty"`
	Price       *llm.Price         `yaml:"price" json:"price,omitempty"`
	Options     map[string]any     `yaml:"options" json:"options,omitempty"`
	Extra       map[string]any     `yaml:"extra" json:"extra,omitempty"`
}

// A RoleRef is the model for one role of a method, where it is not the entry's
// own. What is left out is taken from the entry.
type RoleRef struct {
	Provider string         `yaml:"provider" json:"provider,omitempty"`
	Model    string         `yaml:"model" json:"model,omitempty"`
	Price    *llm.Price     `yaml:"price" json:"price,omitempty"`
	Options  map[string]any `yaml:"options" json:"options,omitempty"`
	Extra    map[string]any `yaml:"extra" json:"extra,omitempty"`
}

// The values of aspects that are no path.
const (
	aspectsOnline = "online" // asked for, pair by pair
	aspectsNone   = "none"
)

// methodMeta is the method of an entry that grades rationales.
const methodMeta = "meta-judge"

// checkPairwise checks the entries under pairwise and fills in names.
func (c *Config) checkPairwise() error {
	seen := map[string]bool{}
	for i := range c.Pairwise {
		ref := &c.Pairwise[i]
		if ref.Name == "" {
			ref.Name = ref.Method
		}
		err := unique(seen, "pairwise judge", ref.Name)
		if err == nil {
			err = named("pairwise judge", ref.Name, c.checkPairwiseRef(ref))
		}
		if err != nil {
			return at("pairwise", ref.Name, err)
		}
	}
	return nil
}

func (c *Config) checkPairwiseRef(ref *PairwiseRef) error {
	if slices.Contains(pairwise.OfflineMethods(), ref.Method) {
		if ref.Provider != "" && ref.Provider != providerEmbedded {
			return fmt.Errorf("method %s needs no provider", ref.Method)
		}
		return nil
	}
	if !slices.Contains(append([]string{methodMeta}, pairwise.LiveMethods()...), ref.Method) {
		known := slices.Concat(pairwise.LiveMethods(), pairwise.OfflineMethods(), []string{methodMeta})
		if near := data.Nearest(ref.Method, known); near != "" {
			return fmt.Errorf("there is no method %q; did you mean %q?", ref.Method, near)
		}
		return fmt.Errorf("there is no method %q; they are %s", ref.Method, strings.Join(known, ", "))
	}
	if ref.Sample < 0 {
		return fmt.Errorf("sample is %d; it takes a number of pairs", ref.Sample)
	}
	roles := []string{string(pairwise.RoleAspects), string(pairwise.RoleComparisons), string(pairwise.RoleComparator), string(pairwise.RolePreference)}
	for name := range ref.Roles {
		if !slices.Contains(roles, name) {
			return fmt.Errorf("there is no role %q; they are %s", name, strings.Join(roles, ", "))
		}
	}
	models, _ := c.pairwiseModels(*ref)
	for _, role := range ref.ownRoles() {
		if ref.Batch && (role.Provider != ref.Provider || role.Model != ref.Model) {
			return fmt.Errorf("batch needs one model for all roles")
		}
		if err := c.checkLive(role.Provider, role.Model, role.Options, role.Extra); err != nil {
			return err
		}
		if _, set := role.Options["seed"]; set {
			return fmt.Errorf("options: seed cannot be set: each call has one of its own, derived from run.seed")
		}
	}
	if ref.Method == methodMeta {
		return ref.checkMeta()
	}
	if len(ref.Grades) > 0 {
		return fmt.Errorf("grades is for %s", methodMeta)
	}
	o, err := ref.options(c.Run.Seed, models, someAspects)
	if err != nil {
		return err
	}
	_, err = pairwise.New(o)
	return err
}

// someAspects stand for those of a file that is read or made later.
var someAspects = []string{"aspect"}

func (ref *PairwiseRef) checkMeta() error {
	if ref.Draws != 0 || ref.AspectDraws != 0 || ref.Shots != 0 || ref.Selection != "" || ref.Aspects != "" || ref.Roles != nil {
		return fmt.Errorf("%s takes name, provider, model, family, grades, options and extra", methodMeta)
	}
	return nil
}

// ownRoles are the entry's own model and those of its roles.
func (ref PairwiseRef) ownRoles() []RoleRef {
	roles := []RoleRef{ref.role("")}
	for _, name := range slices.Sorted(maps.Keys(ref.Roles)) {
		roles = append(roles, ref.role(pairwise.Role(name)))
	}
	return roles
}

// role is the model for a role; "" is the entry's own.
func (ref PairwiseRef) role(r pairwise.Role) RoleRef {
	role := ref.Roles[string(r)]
	if role.Provider == "" {
		role.Provider = ref.Provider
	}
	if role.Model == "" {
		role.Model = ref.Model
	}
	if role.Price == nil && role.Model == ref.Model && role.Provider == ref.Provider {
		role.Price = ref.Price
	}
	if role.Options == nil {
		role.Options = ref.Options
	}
	if role.Extra == nil {
		role.Extra = ref.Extra
	}
	return role
}

// pairwiseModels are the models of an entry by role, and where they are asked.
func (c *Config) pairwiseModels(ref PairwiseRef) (map[pairwise.Role]pairwise.Model, map[pairwise.Role]string) {
	models, providers := map[pairwise.Role]pairwise.Model{}, map[pairwise.Role]string{}
	for _, r := range []pairwise.Role{pairwise.RoleAspects, pairwise.RoleComparisons, pairwise.RoleComparator, pairwise.RolePreference} {
		role := ref.role(r)
		models[r] = pairwise.Model{Name: role.Model, Options: role.Options, Extra: role.Extra}
		providers[r] = role.Provider
	}
	return models, providers
}

// options are those of the entry's method; aspects are what its file holds.
func (ref PairwiseRef) options(seed int64, models map[pairwise.Role]pairwise.Model, aspects []string) (pairwise.Options, error) {
	o := pairwise.Options{Method: ref.Method, Models: models, Samples: ref.Draws, AspectSamples: ref.AspectDraws, Selection: ref.Selection,
		Shots: ref.Shots, Seed: seed}
	method, _ := pairwise.MethodNamed(ref.Method)
	if ref.Aspects != "" && !method.UsesAspects() {
		return o, fmt.Errorf("method %s uses no aspects", ref.Method)
	}
	switch ref.Aspects {
	case "", aspectsOnline:
	case aspectsNone:
		o.NoAspects = true
	default:
		o.Aspects = aspects
	}
	return o, nil
}

// aspectsPath is the file that holds the entry's aspects, "" where they come
// from none.
func (c *Config) aspectsPath(ref PairwiseRef) string {
	if ref.Aspects == "" || ref.Aspects == aspectsOnline || ref.Aspects == aspectsNone {
		return ""
	}
	return c.file(ref.Aspects)
}

// An aspectsFile is SC2's offline aspects, as they are kept in a file.
type aspectsFile struct {
	Aspects []string `yaml:"aspects"`
	From    string   `yaml:"from"` // where they are from, in words
}

// readAspects reads a file of aspects; found is false where there is none yet.
func readAspects(path string) (names []string, found bool, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	var file aspectsFile
	if err := loadYAML(path, &file); err != nil {
		return nil, false, err
	}
	if len(file.Aspects) == 0 {
		return nil, false, usageError{err: fmt.Errorf("%s: aspects is empty", path)}
	}
	return file.Aspects, true, nil
}

// A pairJudge is a judge of pairs, ready to be asked.
type pairJudge struct {
	store.PairwiseJudge
	ref       *PairwiseRef // nil: a judge that no entry asks for
	decide    pairwise.Judge
	identity  string // all that its preferences depend on beside the pair
	providers map[pairwise.Role]string
	calls     int // for one preference
	sample    int
	imported  bool // judges imported answers too
}

// provider is the one whose queue its tasks wait in.
func (j pairJudge) provider() string { return j.providers[pairwise.RolePreference] }

// live reports whether it asks models.
func (j pairJudge) live() bool { return j.Kind == kindModel }

// offlinePairJudges are surface-pair and the floors, with the names that entries
// give them.
func (c *Config) offlinePairJudges() ([]pairJudge, error) {
	var list []pairJudge
	for _, method := range pairwise.Methods {
		if method.Live() {
			continue
		}
		name := method.Name
		for _, ref := range c.Pairwise {
			if ref.Method == method.Name {
				name = ref.Name
			}
		}
		built, err := pairwise.New(pairwise.Options{Method: method.Name, Seed: c.Run.Seed})
		if err != nil {
			return nil, err
		}
		kind := kindEmbedded
		if method.Floor {
			kind = kindFloor
		}
		list = append(list, pairJudge{PairwiseJudge: store.PairwiseJudge{Participant: store.Participant{Name: name, Kind: kind, About: method.About}, Method: method.Name},
			decide: built.Judge, identity: built.Fingerprint, imported: true})
	}
	return list, nil
}

// livePairJudge builds the judge of an entry. aspects are what its file holds.
func (c *Config) livePairJudge(ref *PairwiseRef, aspects []string) (pairJudge, error) {
	models, providers := c.pairwiseModels(*ref)
	o, err := ref.options(c.Run.Seed, models, aspects)
	if err != nil {
		return pairJudge{}, c.wrong(at("pairwise", ref.Name, named("pairwise judge", ref.Name, err)))
	}
	built, err := pairwise.New(o)
	if err != nil {
		return pairJudge{}, c.wrong(at("pairwise", ref.Name, named("pairwise judge", ref.Name, err)))
	}
	method, _ := pairwise.MethodNamed(ref.Method)
	var servers []string
	for _, r := range built.Roles {
		servers = append(servers, c.Providers[providers[r]].BaseURL)
	}
	about := ref.Model + " at " + ref.Provider
	if ref.Model == "" {
		about = models[pairwise.RolePreference].Name + " at " + providers[pairwise.RolePreference]
	}
	return pairJudge{
		PairwiseJudge: store.PairwiseJudge{Participant: store.Participant{Name: ref.Name, Kind: kindModel, Family: ref.Family, About: about},
			Method: ref.Method, Hinted: method.Hinted},
		ref: ref, decide: built.Judge, identity: hashOf(built.Fingerprint, servers, c.Run.Seed), providers: providers, calls: built.Calls,
		sample: ref.Sample, imported: ref.Imported != nil && *ref.Imported,
	}, nil
}
