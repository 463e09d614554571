package estimate

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/llm"
	"compqa/results/store"
)

// Assumptions about models and judges without recorded calls.
const (
	assumedCriterion = 8           // tokens of a sheet, for each of its criteria
	assumedOpinion   = 200         // tokens of a reply about a pair
	assumedLabels    = 120         // tokens of labels of one kind
	assumedStart     = time.Second // until a reply begins
	// assumedReasoning is the number of tokens that a model which reasons spends before a
	// reply, if nothing is on record.
	assumedReasoning = 1000

	dayOfBatch = 24 * time.Hour
)

// An estimation is what a run would take.
type estimation struct {
	config   *config.Config
	plan     *plan.Plan
	criteria int // of the rubric
	judges   []parties.Judge
	store    *store.Store
	parties  []*expected
}

// expected is what one party is expected to take at one model: a model's answers, a
// judge's verdicts, or the preferences of a pairwise judge.
type expected struct {
	store.Party
	provider, model string
	batch           bool
	each            int // calls for a verdict, without repairs
	calls, have     int
	items           int // planned
	bytes           int // of the prompts
	reply           int // tokens of one reply, as assumed
	reasoning       int // tokens of reasoning before it, as assumed
	options         map[string]any
	told            *store.CostAccount // what is on record of it, nil for nothing
	owed            map[string]bool    // keys of calls in open batches
	underWay        int
}

// Of walks the tasks of a run without asking.
func Of(ctx context.Context, p *plan.Plan, db *store.Store, only string, retry bool) (*estimation, error) {
	e := &estimation{config: p.Config, plan: p, criteria: len(p.Rubric.Criteria), judges: p.Judges, store: db}
	cells, err := plan.NewSources(p, db, retry)
	if err != nil {
		return nil, err
	}
	cells.Assume = true
	var failed error
	seen := map[string]bool{}   // keys of the first calls of answers with a method
	shared := map[string]bool{} // of these, those that an answer under another scenario makes too
	d := &run.DryRun{Config: p.Config, Retry: retry,
		Find: func(key string) (store.Call, bool, error) {
			if db == nil {
				return store.Call{}, false, nil
			}
			return db.FindCall(key)
		},
		Item: func(t run.Task, due bool) {
			x, err := e.party(t.Party, t.Provider, "")
			if err != nil {
				failed = err
				return
			}
			x.items++
			if !due {
				x.have++
			}
		},
		Asked: func(t run.Task, a run.AskedCall, n int) error {
			x, err := e.party(t.Party, a.Call.Provider, a.Call.Model)
			if err != nil {
				return err
			}
			if t.Party.Kind == store.KindAnswer && t.Calls > 0 {
				if n == 1 {
					shared[a.Call.Key] = seen[a.Call.Key]
					seen[a.Call.Key] = true
				}
				if shared[a.Call.Key] {
					return nil
				}
			}
			if n == 1 && x.owed[a.Call.Key] {
				x.underWay++
				return nil
			}
			x.calls += n
			x.bytes += n * a.Request.Size()
			return nil
		}}
	for stage, err := range cells.Stages(only) {
		if err != nil {
			return nil, err
		}
		for _, s := range stage.Sources {
			if err := cmp.Or(d.Walk(ctx, s), failed); err != nil {
				return nil, fmt.Errorf("reading the record: %w", err)
			}
		}
	}
	return e, e.recall(db)
}

// party is where the calls of a party at a model are added up; "" is its own model.
func (e *estimation) party(who store.Party, provider, model string) (*expected, error) {
	x := &expected{Party: who, provider: provider, reply: plan.AssumedAnswer, owed: map[string]bool{}}
	switch who.Kind {
	case store.KindVerdict:
		x.each = e.each(who.Name)
		x.reply = assumedCriterion * e.criteria / x.each
	case store.KindPreference:
		x.reply = assumedOpinion
	case store.KindLabel:
		x.reply = assumedLabels
	}
	for _, entry := range e.config.LiveEntries() { // the first of an entry's roles is its own
		if entry.Kind == who.Kind && entry.Name == who.Name {
			x.model, x.batch, x.options = entry.Model, entry.Batch, entry.AllOptions()
			break
		}
	}
	if model != "" {
		x.model = model
	}
	for _, known := range e.parties {
		if known.Party == who && known.provider == provider && known.model == x.model {
			return known, nil
		}
	}
	if limit, ok := llm.ReplyLimit(x.options); ok {
		x.reply = min(x.reply, limit)
	}
	if llm.Reasons(x.model, x.options) {
		x.reasoning = assumedReasoning
	}
	e.parties = append(e.parties, x)
	if e.store == nil {
		return x, nil
	}
	open, err := e.store.OpenBatches(who)
	for _, b := range open {
		for _, key := range b.Keys {
			x.owed[key] = true
		}
	}
	return x, err
}

// each is the number of calls that a judge makes for a verdict, without repairs.
func (e *estimation) each(judge string) int {
	for i := range e.judges {
		if e.judges[i].Name == judge {
			return max(1, e.judges[i].Calls)
		}
	}
	return 1
}

// recall finds what is on record of each party's calls: its own, or those of the
// same model for the same work.
func (e *estimation) recall(db *store.Store) error {
	if db == nil {
		return nil
	}
	bills, err := db.CostAccounts()
	if err != nil {
		return fmt.Errorf("reading the record: %w", err)
	}
	for _, x := range e.parties {
		for i := range bills {
			b := &bills[i]
			same := b.Kind == x.Kind && b.Provider == x.provider && b.Model == x.model && b.Told > 0 &&
				(x.Kind != store.KindVerdict || e.each(b.Name) == x.each)
			if same && (x.told == nil || b.Name == x.Name) {
				x.told = b
			}
		}
		if b := x.told; b != nil && x.Kind == store.KindVerdict && b.Name == x.Name && x.have >= fewRecorded {
			x.calls = int(float64(x.calls)*max(1, float64(b.Calls)/float64(x.have*x.each)) + 0.5) // with its repairs
		}
	}
	return nil
}

// fewRecorded is how many items there have to be on record before their repairs
// say something of the rest's.
const fewRecorded = 20

// usage is the tokens of all calls, and those of one that is on record.
func (x *expected) usage() (prompt, completion float64) {
	if b := x.told; b != nil {
		n := float64(x.calls) / float64(b.Told)
		return n * float64(b.Prompt), n * float64(b.Completion)
	}
	return float64(x.bytes) / plan.BytesOfToken, float64(x.calls * (x.reply + x.reasoning))
}

// cost is what all calls come to; false where the price is not known.
func (x *expected) cost(c *config.Config) (float64, bool) {
	price, known := c.Price(x.provider, x.model)
	if !known {
		return 0, false
	}
	if x.batch {
		price = price.InBatch()
	}
	if b := x.told; b != nil { // with what of it was cached, and thought
		sum, _ := price.Cost(b.Usage())
		return sum / float64(b.Told) * float64(x.calls), true
	}
	p, r := x.usage()
	prompt, reply := int(p), int(r)
	sum, _ := price.Cost(llm.Usage{Prompt: &prompt, Completion: &reply})
	return sum, true
}

// time is how long the calls last at what is allowed at once and in a minute.
func (x *expected) time(c *config.Config) time.Duration {
	if x.batch || x.calls == 0 {
		return 0
	}
	latency, _ := x.latency(c)
	p := c.Providers[x.provider]
	longest := float64(x.calls) * latency.Seconds() / float64(min(x.calls, run.ConcurrencyOf(c)[x.provider]))
	if p.RPM > 0 {
		longest = max(longest, float64(x.calls)/float64(p.RPM)*60)
	}
	if p.TPM > 0 {
		prompt, completion := x.usage()
		longest = max(longest, (prompt+completion)/float64(p.TPM)*60)
	}
	return time.Duration(longest * float64(time.Second))
}

// latency is how long a call lasts: measured on the calls on record, or assumed from its reply and
// the type of its provider.
func (x *expected) latency(c *config.Config) (each time.Duration, measured bool) {
	if b := x.told; b != nil && b.Told > b.InBatch {
		return time.Duration(b.LatencyMS / float64(b.Told-b.InBatch) * float64(time.Millisecond)), true
	}
	_, replies := x.usage()
	seconds := replies / float64(max(1, x.calls)) / llm.TypeOf(c.Providers[x.provider].Type).ReplySpeed
	return assumedStart + time.Duration(seconds*float64(time.Second)), false
}
