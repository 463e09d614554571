package pairwise

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/data"
	"compqa/llm"
	"compqa/stats"
)

// The methods that ask models.
const (
	MethodDirect        = "direct"
	MethodDirectAspects = "direct+aspects"
	MethodCoT           = "cot"
	MethodCoT1Shot      = "cot-1shot"
	MethodCoTSelfCon    = "cot-selfcon"
	MethodSC2           = "sc2"
	MethodConJ          = "con-j"
	MethodConJBare      = "con-j-no-rationale"
	MethodConJCorrect   = "con-j-correct-hint"
	MethodConJIncorrect = "con-j-incorrect-hint"
)

// Methods are those that ask models, in order of tables.
var Methods = []string{MethodDirect, MethodDirectAspects, MethodCoT, MethodCoT1Shot, MethodCoTSelfCon, MethodSC2,
	MethodConJ, MethodConJBare, MethodConJCorrect, MethodConJIncorrect}

// Hinted reports whether a method is told which answer is better, so that its
// choices say nothing about how well it judges.
func Hinted(method string) bool { return method == MethodConJCorrect || method == MethodConJIncorrect }

// UsesAspects reports whether a method can be given aspects.
func UsesAspects(method string) bool {
	return method == MethodDirectAspects || method == MethodCoT1Shot || method == MethodSC2
}

// The ways of choosing one of several tables.
const (
	SelectTournament = "tournament" // |C|-1 duels
	SelectExact      = "exact"      // every table against every other, both ways: |C|(|C|-1) duels
	SelectRandom     = "random"     // none
)

// Selections are all of them.
var Selections = []string{SelectTournament, SelectExact, SelectRandom}

// DefaultSamples is |C| of SC2, the votes of CoT with self-consistency, and the
// samples that online aspects are taken from, as in SC2's paper.
const DefaultSamples = 8

// Options say how a method is to work. The zero value of all but Method and
// Models is usual.
type Options struct {
	Method        string
	Models        map[Role]Model // RolePreference has one; it stands in for others that don't
	Samples       int            // tables or votes; 0: DefaultSamples
	AspectSamples int            // 0: DefaultSamples
	Selection     string         // "": SelectTournament
	Aspects       []string       // known beforehand; nil: they are asked for, pair by pair
	NoAspects     bool           // cot-1shot: show none
	Shots         int            // examples, 0 to MostShots; cot-1shot has 1
	Seed          int64          // of what is left to chance
}

// A Model is a model as its server names it, and how it is asked. Options and
// Extra are as in llm.Request; one that is nil takes a default away.
type Model struct {
	Name           string
	Options, Extra map[string]any
}

// What is not set for a model is set so, by what it is asked for.
var (
	sampling = map[string]any{"temperature": 1}
	deciding = map[string]any{"temperature": 0}
)

func (m Model) request(messages []llm.Message, defaults map[string]any) llm.Request {
	options := maps.Clone(defaults)
	maps.Copy(options, m.Options)
	extra := maps.Clone(m.Extra)
	absent := func(_ string, value any) bool { return value == nil }
	maps.DeleteFunc(options, absent)
	maps.DeleteFunc(extra, absent)
	return llm.Request{Model: m.Name, Messages: messages, Options: options, Extra: extra}
}

// A Built is a judge that asks models, and what is known of it beforehand.
type Built struct {
	Judge
	Fingerprint string // hash of all that its opinions depend on beside the servers
	Roles       []Role // that it asks, in order
	Calls       int    // it makes for one opinion, where no call fails
}

// judge is a method with its options, defaults filled in.
type judge struct{ o Options }

// New builds a judge. The error says what the options of the method cannot be.
func New(o Options) (Built, error) {
	if !slices.Contains(Methods, o.Method) {
		if near := data.Nearest(o.Method, Methods); near != "" {
			return Built{}, fmt.Errorf("there is no method %q; did you mean %q?", o.Method, near)
		}
		return Built{}, fmt.Errorf("there is no method %q; they are %s", o.Method, strings.Join(Methods, ", "))
	}
	if err := o.complete(); err != nil {
		return Built{}, err
	}
	j := &judge{o}
	fingerprint, err := j.fingerprint()
	if err != nil {
		return Built{}, err
	}
	method := map[string]Judge{
		MethodDirect:        j.direct,
		MethodDirectAspects: j.direct,
		MethodCoT:           j.direct,
		MethodCoT1Shot:      j.direct,
		MethodCoTSelfCon:    j.selfConsistent,
		MethodSC2:           j.sc2,
		MethodConJ:          j.conJ,
		MethodConJBare:      j.conJ,
		MethodConJCorrect:   j.hinted,
		MethodConJIncorrect: j.hinted,
	}[o.Method]
	return Built{Judge: method, Fingerprint: fingerprint, Roles: j.roles(), Calls: j.calls()}, nil
}

// complete checks the options and fills in defaults.
func (o *Options) complete() error {
	if o.Models[RolePreference].Name == "" {
		return fmt.Errorf("method %s needs a model", o.Method)
	}
	models := maps.Clone(o.Models)
	for _, r := range []Role{RoleAspects, RoleComparisons, RoleComparator} {
		if models[r].Name == "" {
			models[r] = models[RolePreference]
		}
	}
	o.Models = models
	sampled := o.Method == MethodSC2 || o.Method == MethodCoTSelfCon
	shown := sampled || o.Method == MethodCoT
	switch {
	case o.Samples < 0 || o.AspectSamples < 0:
		return fmt.Errorf("samples cannot be negative")
	case o.Samples > 0 && !sampled:
		return fmt.Errorf("samples is for %s and %s", MethodSC2, MethodCoTSelfCon)
	case o.AspectSamples > 0 && (!UsesAspects(o.Method) || o.Aspects != nil || o.NoAspects):
		return fmt.Errorf("aspect_samples is for methods that ask for aspects pair by pair")
	case o.Shots < 0 || o.Shots > MostShots:
		return fmt.Errorf("shots is %d; there are %d examples", o.Shots, MostShots)
	case o.Shots > 0 && !shown:
		return fmt.Errorf("shots is for %s, %s and %s", MethodSC2, MethodCoT, MethodCoTSelfCon)
	case o.Selection != "" && o.Method != MethodSC2:
		return fmt.Errorf("selection is for %s", MethodSC2)
	case o.Selection != "" && !slices.Contains(Selections, o.Selection):
		return fmt.Errorf("selection is %q; it is %s", o.Selection, strings.Join(Selections, ", "))
	case o.Aspects != nil && !UsesAspects(o.Method):
		return fmt.Errorf("aspects are for %s, %s and %s", MethodSC2, MethodDirectAspects, MethodCoT1Shot)
	case o.Aspects != nil && len(o.Aspects) == 0:
		return fmt.Errorf("there are no aspects")
	case o.NoAspects && o.Method != MethodCoT1Shot:
		return fmt.Errorf("only %s can do without aspects", MethodCoT1Shot)
	}
	if o.Samples == 0 && sampled {
		o.Samples = DefaultSamples
	}
	if o.AspectSamples == 0 {
		o.AspectSamples = DefaultSamples
	}
	if o.Selection == "" {
		o.Selection = SelectTournament
	}
	if o.Method == MethodCoT1Shot {
		o.Shots = 1
	}
	return nil
}

// online reports whether aspects are asked for, pair by pair.
func (j *judge) online() bool {
	return UsesAspects(j.o.Method) && j.o.Aspects == nil && !j.o.NoAspects
}

func (j *judge) roles() []Role {
	var roles []Role
	if j.online() {
		roles = append(roles, RoleAspects)
	}
	if j.o.Method == MethodSC2 {
		roles = append(roles, RoleComparisons)
		if j.o.Selection != SelectRandom && j.o.Samples > 1 {
			roles = append(roles, RoleComparator)
		}
	}
	return append(roles, RolePreference)
}

func (j *judge) calls() int {
	n := 1
	if j.online() {
		n += j.o.AspectSamples
	}
	switch j.o.Method {
	case MethodCoTSelfCon:
		n = j.o.Samples
	case MethodSC2:
		n += j.o.Samples
		switch j.o.Selection {
		case SelectTournament:
			n += j.o.Samples - 1
		case SelectExact:
			n += j.o.Samples * (j.o.Samples - 1)
		}
	}
	return n
}

func (j *judge) request(r Role, messages []llm.Message, defaults map[string]any) llm.Request {
	return j.o.Models[r].request(messages, defaults)
}

// rng is the stream of random numbers for one purpose on one shown pair.
func (j *judge) rng(purpose string, s Shown) *stats.RNG {
	return stats.NewRNG(uint64(j.o.Seed), strings.Join([]string{"pairwise", j.o.Method, purpose, s.ID, s.Order}, "\x00"))
}

func (j *judge) fingerprint() (string, error) {
	shownTexts := map[string]string{}
	for name := range templates {
		shownTexts[name] = mustRead("templates/" + name)
	}
	shownTexts["shared"] = mustRead("templates/shared/pair.tmpl")
	models := map[Role]Model{}
	for _, r := range j.roles() {
		models[r] = j.o.Models[r]
	}
	o := j.o
	o.Models = nil
	text, err := json.Marshal([]any{o, models, shownTexts, mustRead("examples/pairs.json"), mustRead("examples/comparator.json"), parserVersion})
	if err != nil {
		return "", fmt.Errorf("hashing the judge's options: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// failure is the opinion of a judge whose prompt cannot be written.
func failure(err error) *Opinion {
	o := without(data.Failed, "%v", err)
	return &o
}

// losses counts the samples that cannot be used. An opinion rests on those that
// can, if they are at least half of what was planned.
type losses struct {
	planned int
	what    string
	lost    int
	status  data.Status // of the first
	reason  string
}

// call takes in a sample without a complete reply. The opinion is that of a run
// that was stopped.
func (l *losses) call(role Role, err error) *Opinion {
	o := unanswered(role, err)
	if o.Status == data.Pending {
		return &o
	}
	l.count(o.Status, o.Reason)
	return nil
}

// unread takes in a sample whose reply cannot be read.
func (l *losses) unread(reason string) { l.count(data.Unparsed, reason) }

func (l *losses) count(status data.Status, reason string) {
	if l.lost == 0 {
		l.status, l.reason = status, reason
	}
	l.lost++
}

// tooMany is the opinion where more than half are lost.
func (l *losses) tooMany() *Opinion {
	if 2*l.lost <= l.planned {
		return nil
	}
	o := without(l.status, "%d of %d %s are lost; the first: %s", l.lost, l.planned, l.what, l.reason)
	return &o
}

// aspects are those known beforehand, or those of the pair.
func (j *judge) aspects(ctx context.Context, s Shown, ask Ask) ([]string, *Opinion) {
	if j.online() {
		return j.onlineAspects(ctx, s, ask)
	}
	return j.o.Aspects, nil
}
