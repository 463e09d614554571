package pairwise

import (
	"context"
	"slices"
	"strings"

	"compqa/data"
	"compqa/stats"
)

// The names of the methods.
const (
	MethodDirect        = "direct"
	MethodDirectAspects = "direct+aspects"
	MethodCoT           = "cot"
	MethodCoT1Shot      = "cot-1shot"
	MethodCoTSelfCon    = "cot-selfcon"
	MethodSC2           = "sc2"
	MethodSC2SelfCon    = "sc2-selfcon"
	MethodConJ          = "con-j"
	MethodConJBare      = "con-j-no-rationale"
	MethodConJSelfCon   = "con-j-selfcon"
	MethodConJCorrect   = "con-j-correct-hint"
	MethodConJIncorrect = "con-j-incorrect-hint"
	MethodListwise      = "listwise"

	MethodScalar     = "scalar"
	MethodScalarPair = "scalar-pairwise"

	MethodMeta = "meta-judge"

	MethodSurface = "surface-pair"
	MethodFirst   = data.FloorFirst
	MethodLonger  = data.FloorLonger
	MethodRandom  = data.FloorRandom
)

// A Method is one way to judge a pair. To add a method, write its Decide function in a file of its own and add one entry to
// Methods. Configuration, help, estimates and tables read that entry.
type Method struct {
	Name   string
	About  string // one line for the help, and for tables if the method needs no model
	Decide func(j *judge, ctx context.Context, s OrderedPair, ask Ask) Opinion

	// Roles lists the models that the method can ask, in the order of its calls. It is empty for a method that needs no model. RoleAspects
	// and RoleComparator are dropped if the options do not need them.
	Roles []Role
	// Calls returns the number of calls for one opinion, without the calls for aspects.
	Calls func(Options) int

	Samples bool // accepts Options.Samples
	Shots   bool // accepts Options.Shots
	Scores  bool // the model replies with a number
	Lists   bool // the method is shown all candidates of the pair's item
	Hinted  bool // the prompt states which answer is better, so its choices do not measure accuracy
	Grades  bool // the method grades rationales and chooses nothing
	Floor   bool // a baseline that every judge should beat
}

// Methods lists all methods, in the order of tables and help.
var Methods = []Method{
	{Name: MethodDirect, Decide: (*judge).direct, Roles: preferenceOnly, Calls: oneCall,
		About: "asks for the choice (1 call)"},
	{Name: MethodDirectAspects, Decide: (*judge).direct, Roles: withAspects, Calls: oneCall,
		About: "direct, and shows aspects (1, plus aspects)"},
	{Name: MethodCoT, Decide: (*judge).direct, Roles: preferenceOnly, Calls: oneCall, Shots: true,
		About: "asks for step-by-step reasoning; shots: 0 to 5 examples (1)"},
	{Name: MethodCoT1Shot, Decide: (*judge).direct, Roles: withAspects, Calls: oneCall,
		About: "cot with one example and aspects (1, plus aspects)"},
	{Name: MethodCoTSelfCon, Decide: (*judge).selfConsistent, Roles: preferenceOnly, Calls: votes, Samples: true, Shots: true,
		About: "cot several times (draws: 8); the majority decides; shots: 0 to 5"},
	{Name: MethodSC2, Decide: (*judge).sc2, Roles: []Role{RoleAspects, RoleComparisons, RoleComparator, RolePreference}, Calls: sc2Calls,
		Samples: true, Shots: true,
		About: "collects aspects; makes tables of what is only in the first\nanswer, in both, or only in the second (draws: 8); a " +
			"comparator\nselects the most consistent table (selection: tournament, 7\ncalls; exact, 56; random, 0); asks for the choice with " +
			"this\ntable (1)"},
	{Name: MethodSC2SelfCon, Decide: (*judge).sc2, Roles: []Role{RoleAspects, RoleComparisons, RoleComparator, RolePreference},
		Calls: func(o Options) int { return sc2Calls(o) - 1 + votes(o) }, Samples: true, Shots: true,
		About: "sc2, but repeats the last step as often as there are tables;\nthe majority decides"},
	{Name: MethodConJ, Decide: (*judge).conJ, Roles: preferenceOnly, Calls: oneCall,
		About: "asks for a rationale, then the choice, as JSON (1)"},
	{Name: MethodConJBare, Decide: (*judge).conJ, Roles: preferenceOnly, Calls: oneCall,
		About: "asks for the choice without a rationale, as JSON (1)"},
	{Name: MethodConJSelfCon, Decide: (*judge).conJMajority, Roles: preferenceOnly, Calls: votes, Samples: true,
		About: "con-j several times (draws: 8); the majority decides (maj@k)"},
	{Name: MethodConJCorrect, Decide: (*judge).hinted, Roles: preferenceOnly, Calls: oneCall, Hinted: true,
		About: "is told the better answer and argues for it (1 or 2)"},
	{Name: MethodConJIncorrect, Decide: (*judge).hinted, Roles: preferenceOnly, Calls: oneCall, Hinted: true,
		About: "is told the worse answer and argues for it (1 or 2)"},
	{Name: MethodListwise, Decide: (*judge).listwise, Roles: preferenceOnly, Calls: oneCall, Lists: true,
		About: "asks once for a ranking of all candidates of an item (best\nof n), which decides all of its pairs (1 for each item)"},

	{Name: MethodScalar, Decide: (*judge).scalar, Roles: preferenceOnly, Calls: twoCalls, Scores: true,
		About: "a reward model that replies with a number to question and\nanswer; the higher score is preferred (2)"},
	{Name: MethodScalarPair, Decide: (*judge).scalarPair, Roles: preferenceOnly, Calls: oneCall, Scores: true,
		About: "a reward model that replies with a number to question and\nboth answers; positive prefers the first (1)"},

	{Name: MethodSurface, Decide: (*judge).surfacePair,
		About: "if two objects are compared, the points that the judge surface expects; otherwise a small model of human preferences " +
			"(compqa pairwise calibrate)"},
	{Name: MethodFirst, Decide: (*judge).floor, Floor: true,
		About: "always the answer shown first"},
	{Name: MethodLonger, Decide: (*judge).floor, Floor: true,
		About: "always the answer with more words"},
	{Name: MethodRandom, Decide: (*judge).floor, Floor: true,
		About: "a random choice, determined by the seed"},
}

// MetaJudge is the method of a judge that grades the rationales of others. It is not one of Methods, because it chooses nothing.
var MetaJudge = Method{Name: MethodMeta, Roles: preferenceOnly, Calls: oneCall, Grades: true,
	About: "grades the rationales of Con-J's methods, or of the judges\nthat its key grades names (1)"}

// EntryMethods returns the methods that an entry of pairwise in compqa.yaml can name.
func EntryMethods() []Method { return append(slices.Clone(Methods), MetaJudge) }

var (
	preferenceOnly = []Role{RolePreference}
	withAspects    = []Role{RoleAspects, RolePreference}
)

func oneCall(Options) int  { return 1 }
func twoCalls(Options) int { return 2 }
func votes(o Options) int  { return o.Samples }

// Live reports whether the method asks models.
func (m Method) Live() bool { return len(m.Roles) > 0 }

// Abstains reports whether the method accepts Options.Abstain: the judge may say that a pair is hard to judge instead of choosing (Ye et
// al. 2024, A.4, propose it). The opinion then has the status data.Abstained and no choice, which is not a tie.
func (m Method) Abstains() bool {
	return m.Ties() && !slices.Contains([]string{MethodCoTSelfCon, MethodSC2SelfCon, MethodConJSelfCon}, m.Name)
}

// Ties reports whether the method accepts Options.Ties: the judge may call a pair a tie.
func (m Method) Ties() bool { return m.Chooses() && !m.Hinted && !m.Lists }

// Chooses reports whether the method asks a model for a choice, rather than for a number or a grade.
func (m Method) Chooses() bool { return m.Live() && !m.Scores && !m.Grades }

// AcceptsReads reports whether the method accepts Options.Reads: its judge names the choice in words, not as JSON.
func (m Method) AcceptsReads() bool {
	return m.Ties() && !slices.Contains([]string{MethodConJ, MethodConJBare, MethodConJSelfCon}, m.Name)
}

// UsesAspects reports whether the method can be given aspects to compare on.
func (m Method) UsesAspects() bool { return slices.Contains(m.Roles, RoleAspects) }

// MethodNamed finds a method by its name.
func MethodNamed(name string) (Method, bool) {
	return data.First(Methods, func(m Method) bool { return m.Name == name })
}

// LiveMethods returns the names of the methods that ask models.
func LiveMethods() []string { return names(Method.Live) }

// OfflineMethods returns the names of the methods that need no model.
func OfflineMethods() []string { return names(func(m Method) bool { return !m.Live() }) }

func names(keep func(Method) bool) []string { return namesOf(data.Where(Methods, keep)) }

func namesOf(methods []Method) []string {
	return data.Each(methods, func(m Method) string { return m.Name })
}

// A judge is a method with its options, after defaults are filled in.
type judge struct {
	method Method
	o      Options
	read   reader
}

// online reports whether the judge asks a model for the aspects of each pair.
func (j *judge) online() bool {
	return j.method.UsesAspects() && j.o.Aspects == nil && !j.o.NoAspects
}

// roles returns the roles of the method whose model the judge asks with these options.
func (j *judge) roles() []Role {
	return slices.DeleteFunc(slices.Clone(j.method.Roles), func(r Role) bool {
		return r == RoleAspects && !j.online() || r == RoleComparator && (j.o.Selection == SelectRandom || j.o.Samples <= 1)
	})
}

// calls returns the number of calls for one opinion.
func (j *judge) calls() int {
	if !j.method.Live() {
		return 0
	}
	n := j.method.Calls(j.o)
	if j.online() {
		n += j.o.AspectSamples
	}
	return n
}

// rng returns the random number generator for one purpose on one shown pair.
func (j *judge) rng(purpose string, s OrderedPair) *stats.RNG {
	return newRNG(j.o.Seed, j.o.Method, purpose, s.ID, s.Order)
}

func newRNG(seed int64, parts ...string) *stats.RNG {
	return stats.NewRNG(uint64(seed), strings.Join(append([]string{"pairwise"}, parts...), "\x00"))
}
