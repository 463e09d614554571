package pairwise

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"compqa/data"
)

// An Option is a key of an entry of pairwise in compqa.yaml. EntryOptions lists them; the configuration is checked against this list when
// an entry is read, and help, schema and manual are made from it. A new option needs a line there, and a field that the method reads.
type Option struct {
	Name    string
	About   string            // for help and manual; "" if another text describes the key
	For     func(Method) bool // reports whether a method takes the option
	Most    int               // the largest number; 0 if the value is not a number
	Words   []string          // the possible values; nil if any is possible
	Default any               // nil if the option has no default
}

// Limits of numbers.
const (
	mostDraws = 1_000 // calls that differ only in the number of their sample
	mostPairs = 10_000_000
)

// DefaultSamples is the number of tables of SC2, of votes of a method with self-consistency, and of lists for online aspects, as in SC2's
// paper.
const DefaultSamples = 8

// The ways to select one of several comparison tables.
const (
	SelectTournament = "tournament" // |C|-1 comparator calls
	SelectExact      = "exact"      // every table against every other, in both orders: |C|(|C|-1) calls
	SelectRandom     = "random"     // no calls
)

// The values of the option aspects that are not the name of a file.
const (
	AspectsOnline = "online" // the judge asks for them, pair by pair
	AspectsNone   = "none"
)

// EntryOptions lists all options, in the order of help.
var EntryOptions = []Option{
	{Name: "path", For: func(m Method) bool { return m.Name == MethodSurface }},
	{Name: "model", For: Method.Live}, {Name: "price", For: Method.Live}, {Name: "effort", For: Method.Live},
	{Name: "options", For: Method.Live}, {Name: "extra", For: Method.Live}, {Name: "batch", For: Method.Live},
	{Name: "draws", For: func(m Method) bool { return m.Samples }, Most: mostDraws, Default: DefaultSamples,
		About: "number of tables or votes"},
	{Name: "selection", For: func(m Method) bool { return slices.Contains(m.Roles, RoleComparator) },
		Words: []string{SelectTournament, SelectExact, SelectRandom}, Default: SelectTournament,
		About: "how one of several tables is selected"},
	{Name: "aspects", For: Method.UsesAspects,
		About: "online (default: the judge asks for them, pair by pair), none (cot-1shot), or a file, which is created from 50 pairs " +
			"(101 calls) if it does not exist"},
	{Name: "aspect_draws", For: Method.UsesAspects, Most: mostDraws, Default: DefaultSamples,
		About: "lists of online aspects, of which the most frequent are taken"},
	{Name: "shots", For: func(m Method) bool { return m.Shots }, Most: MostShots, Default: 0,
		About: "examples in the prompt"},
	{Name: "roles", For: judges,
		About: "other models for aspects, comparisons, comparator and preference: {comparisons: {model: gpt-6-luna}}"},
	{Name: "sets", For: func(m Method) bool { return !m.Grades },
		About: "the names of the sets of pairs that are judged (all)"},
	{Name: "criterion", For: Method.Chooses, About: "what the better answer is, in place of that of the set"},
	{Name: "template", For: Method.Chooses, About: "a file of template blocks, in place of that of the set"},
	{Name: "examples", For: Method.Chooses, About: "a JSON file of examples, in place of that of the set"},
	{Name: "texts", For: Method.Chooses, About: "what prompts call the texts, in place of those of the set"},
	{Name: "sample", For: judges, Most: mostPairs,
		About: "judge only this number of pairs, drawn with the seed (0: all)"},
	{Name: "repeats", For: judges, Most: mostDraws,
		About: "number of rounds (1), which differ only in their samples. The tables have the mean of the rounds; pairwise_rounds.csv has " +
			"the spread between them. Of a file of preferences: first"},
	{Name: "samples", For: samplesJudgments, Most: mostDraws, Default: 0,
		About: "judgments sampled on each prompt for training (`compqa pairwise sample`)"},
	{Name: "no_hints", For: samplesJudgments, About: "true: no judgments with hints are sampled beside them"},
	{Name: "grader", For: samplesJudgments, About: "the entry of method meta-judge that grades sampled judgments"},
	{Name: "grades", For: func(m Method) bool { return m.Grades },
		About: "the judges whose rationales are graded (those of Con-J's methods)"},
	{Name: "abstain", For: Method.Abstains,
		About: "true: the judge may say that a pair is hard to judge (status abstained); pairwise_risk.csv has its risk and coverage"},
	{Name: "ties", For: Method.Ties,
		About: "true: the judge may call a pair a tie, and is told so"},
	{Name: "reads", For: Method.AcceptsReads,
		About: "how a judge with a form of its own names its choice: a pattern, whose first group is the name, and the names of a, b and " +
			"tie (A or 1, B or 2, tie or C). All matches must agree: {pattern: '^Verdict: (\\w+)', a: left, b: right, tie: [equal, none]}"},
	{Name: "rationale_from", For: func(m Method) bool { return slices.ContainsFunc(Methods, m.Advised) },
		About: "an entry of method con-j, cot or cot-selfcon whose rationales the judge is shown, but not its choice. The calls of that " +
			"entry are made once. Both entries must judge the same pairs, without batch: true"},
	{Name: "imported", For: judges,
		About: "true: also judge imported answers, which costs money"},
}

// judges reports whether the method asks a model about pairs.
func judges(m Method) bool { return m.Live() && !m.Grades }

// samplesJudgments reports whether judgments of the method can be sampled for training.
func samplesJudgments(m Method) bool { return m.Name == MethodConJ }

// Check returns an error for the first option in given that the method does not take, or whose value is invalid. given maps option names to
// values; nil and zero values count as not set.
func (m Method) Check(given map[string]any) error {
	for _, o := range EntryOptions {
		value := given[o.Name]
		if value == nil || reflect.ValueOf(value).IsZero() {
			continue
		}
		if !o.For(m) {
			return fmt.Errorf("%s is for %s", o.Name, o.Methods())
		}
		switch v := value.(type) {
		case int:
			if v < 0 || v > o.Most {
				return fmt.Errorf("%s is %d; it must be 0 to %d", o.Name, v, o.Most)
			}
		case string:
			if o.Words != nil && !slices.Contains(o.Words, v) {
				return fmt.Errorf("%s is %q; it must be one of %s", o.Name, v, strings.Join(o.Words, ", "))
			}
		}
	}
	return nil
}

// Methods describes the methods that take the option: "methods that ask a model, except listwise".
func (o Option) Methods() string {
	taking := namesOf(data.Where(EntryMethods(), o.For))
	live := LiveMethods()
	if len(taking) == len(Methods) {
		return "all methods except " + MethodMeta
	}
	others := data.Where(live, func(name string) bool { return !slices.Contains(taking, name) })
	switch {
	case len(others) == 0:
		return "methods that ask a model"
	case len(others) < len(taking):
		return "methods that ask a model, except " + data.List(others)
	}
	return data.List(taking)
}

// Text describes the option in a sentence without a full stop: its meaning, values, default and methods.
func (o Option) Text() string {
	text := o.About
	if o.Words != nil {
		text += ": " + strings.Join(o.Words, ", ")
	}
	if o.Most > 0 && o.Most < mostDraws {
		text += fmt.Sprintf(", 0 to %d", o.Most)
	}
	if o.Default != nil {
		text += fmt.Sprintf(" (%v)", o.Default)
	}
	return text + "; for " + o.Methods()
}
