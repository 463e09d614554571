// Package estimate predicts the calls, tokens, costs and time of a run. It walks the tasks
// that the run would do, with an asker that counts requests instead of making them.
package estimate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
	"compqa/llm"
	"compqa/results/store"
	"compqa/results/table"
)

// Assumptions about the calls of models and judges that have no recorded calls.
const (
	assumedCriterion = 8           // tokens of a score sheet for each criterion
	assumedOpinion   = 200         // tokens of a judge's reply about a pair
	assumedLabels    = 120         // tokens of a reply with labels of one kind
	assumedStart     = time.Second // time until a reply begins
	// assumedReasoning is the number of tokens that a reasoning model spends before its reply.
	assumedReasoning = 1000

	dayOfBatch = 24 * time.Hour
)

// An estimation predicts the calls, tokens, costs and time of a run.
type estimation struct {
	config *config.Config
	plan   *plan.Plan
	store  *store.Store // nil without a record
	Rows   []*Row
}

// A Row is the estimate for one party at one model. A party is a model that answers, a judge that gives verdicts or labels, or a pairwise
// judge that gives preferences.
type Row struct {
	Kind         string   `json:"kind"` // answer, verdict, preference or label
	Name         string   `json:"name"`
	Provider     string   `json:"provider"`
	Model        string   `json:"model"`
	Planned      int      `json:"planned"`
	Recorded     int      `json:"recorded"`
	Calls        int      `json:"calls"` // the number of calls still to make
	PromptTokens float64  `json:"prompt_tokens"`
	ReplyTokens  float64  `json:"reply_tokens"`
	Cost         *float64 `json:"cost"` // US dollars; nil if the price is unknown
	Seconds      float64  `json:"seconds"`
	CallSeconds  float64  `json:"call_seconds"` // seconds of one call
	Time         string   `json:"time"`         // basis of call_seconds: measured or assumed
	Batch        bool     `json:"batch"`
	Basis        string   `json:"basis"` // record or assumption

	each             int // calls for one verdict, not counting repairs of unreadable replies
	bytes            int // total size of the prompts
	reply, reasoning int // assumed tokens of one reply, and of the reasoning before it
	told             *store.CostAccount
	owed             map[string]bool // keys of the calls in open batches
	underWay         int
}

// Of estimates a run by walking its tasks without calling any model. only limits the estimate to one part of the run; "" means all. With
// retry, calls that --retry-failed would repeat are counted, too. An equal call that two items need is counted once, and calls in open
// batches are not counted.
func Of(ctx context.Context, p *plan.Plan, db *store.Store, only string, retry bool) (*estimation, error) {
	e := &estimation{config: p.Config, plan: p, store: db, Rows: []*Row{}}
	cells, err := plan.NewPlanner(p, db, retry)
	if err != nil {
		return nil, err
	}
	cells.Assume = true
	seen := map[string]bool{}   // keys of the calls counted so far
	shared := map[string]bool{} // keys of the calls that another item needs too: an equal prompt, or an answer under another scenario
	d := &run.DryRun{Config: p.Config, Retry: retry, Find: db.FindCall,
		Item: func(t run.Task, due bool) error {
			row, err := e.row(t.Party, t.Provider, "")
			row.Planned++
			if !due {
				row.Recorded++
			}
			return err
		},
		Asked: func(t run.Task, a run.AskedCall, n int) error {
			row, err := e.row(t.Party, a.Call.Provider, a.Call.Model)
			if err != nil {
				return err
			}
			key := a.Call.Key
			if !a.Follows {
				shared[key] = seen[key]
				seen[key] = true
			}
			// One reply serves both items, and so do the calls that follow from it. Pairs differ: a rewriter continues in another way for
			// each bias.
			if shared[key] && (!a.Follows || t.Party.Kind != store.KindPreference) {
				return nil
			}
			if !a.Follows && row.owed[key] {
				row.underWay++
				return nil
			}
			row.Calls += n
			row.bytes += n * a.Request.Size()
			return nil
		}}
	for stage, err := range cells.Stages(only) {
		if err != nil {
			return nil, err
		}
		for _, s := range stage.Sources {
			if err := d.Walk(ctx, s); err != nil {
				return nil, fmt.Errorf("reading the record: %w", err)
			}
		}
	}
	return e, e.expect()
}

// row returns the row that adds up the calls of a party at a model, and creates it if it is missing. An empty model means the party's own
// model.
func (e *estimation) row(who store.Party, provider, model string) (*Row, error) {
	row := &Row{Kind: who.Kind, Name: who.Name, Provider: provider, reply: plan.AssumedAnswer, owed: map[string]bool{}}
	switch who.Kind {
	case store.KindVerdict:
		row.each = e.each(who.Name)
		row.reply = assumedCriterion * len(e.plan.Rubric.Criteria) / row.each
	case store.KindPreference:
		row.reply = assumedOpinion
	case store.KindLabel:
		row.reply = assumedLabels
	}
	entry := table.First(e.config.LiveEntries(), func(entry config.LiveEntry) bool { // the entry itself comes before its other roles
		return entry.Kind == who.Kind && entry.Name == who.Name
	})
	row.Model, row.Batch = cmp.Or(model, entry.Model), entry.Batch.On()
	if known, is := data.First(e.Rows, func(r *Row) bool {
		return r.Kind == who.Kind && r.Name == who.Name && r.Provider == provider && r.Model == row.Model
	}); is {
		return known, nil
	}
	options := entry.AllOptions()
	if limit, ok := llm.ReplyLimit(options); ok {
		row.reply = min(row.reply, limit)
	}
	if llm.Reasons(row.Model, options) {
		row.reasoning = assumedReasoning
	}
	e.Rows = append(e.Rows, row)
	open, err := e.store.OpenBatches(who)
	for _, b := range open {
		for _, key := range b.Keys {
			row.owed[key] = true
		}
	}
	return row, err
}

// each returns the number of calls that a judge makes for one verdict, not counting repairs.
func (e *estimation) each(judge string) int {
	return max(1, table.First(e.plan.Judges, func(j parties.Judge) bool { return j.Name == judge }).Calls)
}

// expect finds the recorded calls that each row is estimated from: its own, or those of the same model for the same kind of work. It then
// estimates the calls to make. Verdicts on record also tell how many calls were saved by equal answers or added by repairs.
func (e *estimation) expect() error {
	bills, _, err := e.store.CostAccounts()
	if err != nil {
		return fmt.Errorf("reading the record: %w", err)
	}
	bills = merged(bills)
	made, err := e.store.CallsOfVerdicts()
	if err != nil {
		return fmt.Errorf("reading the record: %w", err)
	}
	for _, row := range e.Rows {
		for i, b := range bills {
			same := b.Kind == row.Kind && b.Provider == row.Provider && b.Model == row.Model && b.Told > 0 &&
				(row.Kind != store.KindVerdict || e.each(b.Name) == row.each)
			if same && (row.told == nil || b.Name == row.Name) {
				row.told = &bills[i]
			}
		}
		if calls := made[row.Name]; row.Kind == store.KindVerdict && calls.Items >= fewRecorded {
			// Scale by the recorded calls per verdict, which include repairs and calls saved because answers are equal.
			row.Calls = int(float64(row.Calls)*float64(calls.Calls)/float64(calls.Items*row.each) + 0.5)
		}
		row.expect(e.config)
	}
	return nil
}

// merged adds up the accounts that have the same party, provider and model, over all service tiers.
func merged(bills []store.CostAccount) (list []store.CostAccount) {
	for _, accounts := range table.Grouped(bills, func(b store.CostAccount) [2]any {
		return [2]any{b.Party, [2]string{b.Provider,
			b.Model}}
	}) {
		sum := accounts[0]
		for _, b := range accounts[1:] {
			sum.Add(b)
		}
		list = append(list, sum)
	}
	return list
}

// fewRecorded is the smallest number of recorded items whose repairs are used to predict the repairs of the others.
const fewRecorded = 20

// expect computes the row's tokens, cost and time. It scales recorded calls to the number of calls to make, or else uses the assumptions.
// The time is the sum over rounds of concurrent calls, or longer if the provider limits requests or tokens per minute. Batches have no
// time.
func (r *Row) expect(c *config.Config) {
	var usage llm.Usage // tokens of the number of calls below
	var calls int
	if b := r.told; b != nil {
		n := float64(r.Calls) / float64(b.Told)
		r.PromptTokens = n * float64(b.Prompt)
		r.ReplyTokens = n * float64(b.Completion)
		r.Basis = "record"
		usage = b.Usage()
		calls = b.Told // the recorded usage includes cached and reasoning tokens
	} else {
		r.PromptTokens = float64(r.bytes) / plan.BytesOfToken
		r.ReplyTokens = float64(r.Calls * (r.reply + r.reasoning))
		r.Basis = "assumption"
		prompt := int(r.PromptTokens)
		reply := int(r.ReplyTokens)
		usage = llm.Usage{Prompt: &prompt, Completion: &reply}
		calls = max(1, r.Calls)
	}
	if price, known := c.Price(r.Provider, r.Model); known {
		if r.Batch {
			price = price.InBatch()
		}
		cost, _ := price.For(*usage.Prompt / calls).Cost(usage)
		cost *= float64(r.Calls) / float64(calls)
		r.Cost = &cost
	}
	if b := r.told; b != nil && b.Told > b.InBatch {
		r.Time = "measured"
		r.CallSeconds = b.LatencyMS / float64(b.Told-b.InBatch) / 1000
	} else {
		speed := llm.TypeOf(c.Providers[r.Provider].Type).ReplySpeed
		r.Time, r.CallSeconds = "assumed", assumedStart.Seconds()+r.ReplyTokens/float64(max(1, r.Calls))/speed
	}
	if r.Batch || r.Calls == 0 {
		return
	}
	p := c.Providers[r.Provider]
	r.Seconds = math.Ceil(float64(r.Calls)/float64(run.ConcurrencyOf(c)[r.Provider])) * r.CallSeconds
	if p.RPM > 0 {
		r.Seconds = max(r.Seconds, float64(r.Calls)/float64(p.RPM)*60)
	}
	if p.TPM > 0 {
		r.Seconds = max(r.Seconds, (r.PromptTokens+r.ReplyTokens)/float64(p.TPM)*60)
	}
}

// bytesOfResult is the disk space of one result without its calls: its rows in the record and in tables.
const bytesOfResult = 2000

// Disk estimates how many bytes a run of the plan, including its pairs, adds to the record in the folder dir. It returns 0 if nothing is
// added or the estimate fails.
func Disk(ctx context.Context, p *plan.Plan, dir string) uint64 {
	if pairs, err := plan.NewPairs(p, nil, 0, nil); err == nil { // if there is an error, the run reports it
		p.Pairs = pairs
	}
	e, err := Of(ctx, p, nil, "", false)
	if err != nil {
		return 0
	}
	bytes := 0.0
	for _, c := range p.Jobs() {
		bytes += bytesOfResult * float64(c.Planned)
	}
	for _, row := range e.Rows {
		bytes += plan.BytesOfToken * (row.PromptTokens + row.ReplyTokens)
	}
	if info, err := os.Stat(filepath.Join(dir, store.RecordName)); err == nil {
		bytes -= float64(info.Size())
	}
	return uint64(max(0, bytes))
}
