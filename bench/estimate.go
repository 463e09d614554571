package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"compqa/data"
	"compqa/llm"
	"compqa/results/store"
)

func estimateCommand(streams Streams) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "estimate",
		Short: "Say what a run will take: calls, tokens, money and time, before anything is asked",
		Long: `Says for every model and judge how many calls ` + "`compqa run`" + ` would make, how many
tokens they take, what they cost and how long they last. What is on record in DIR
is taken off: it is not asked again. Answers of a release count once they are on
record (` + "`compqa import --release`" + `).

Prompts are written out as they would be sent. A model or judge that has calls on
record is reckoned by the mean of these; one that has none by four bytes to a token
and by the assumptions that are printed below the table. A price that is not known
is a question mark, never 0. Repairs are reckoned where they are on record, retries
are not: most faults cost nothing.

Exit codes: 0 done; 2 usage, configuration or input.`,
		Example: `  compqa estimate
  compqa estimate --limit 2                   # of a rehearsal
  compqa estimate --retry-failed --out results/runs/latest`,
		RunE: func(cmd *cobra.Command, _ []string) error { return estimate(cmd.Context(), f, streams) },
	}
	cmd.Flags().StringVar(&f.config, "config", defaultConfig, "the configuration `FILE`")
	cmd.Flags().StringVar(&f.out, "out", defaultOut, "the run's folder `DIR`, whose record is taken off")
	cmd.Flags().IntVar(&f.limit, "limit", 0, "ask only the first `N` questions (0: all)")
	cmd.Flags().BoolVar(&f.retryFailed, "retry-failed", false, "count what went wrong as to be asked again")
	return cmd
}

func estimate(ctx context.Context, f runFlags, streams Streams) error {
	if err := f.check(); err != nil {
		return err
	}
	c, err := LoadConfig(f.config)
	if err != nil {
		return err
	}
	db, err := store.Open(f.out)
	if errors.Is(err, fs.ErrNotExist) {
		db, err = nil, nil
	}
	if err != nil {
		return err
	}
	if db != nil {
		defer db.Close()
	}
	p, err := newPlan(c, f.limit, db)
	if err != nil {
		return err
	}
	e, err := p.estimate(ctx, db, f.retryFailed)
	if err != nil {
		return err
	}
	if err := e.print(streams.Out); err != nil {
		return err
	}
	return e.budget(db, streams.Out)
}

// What is assumed of models and judges that have no calls on record.
const (
	assumedAnswer    = 400 // tokens of an answer: some 300 words
	assumedCriterion = 8   // tokens of a sheet, for each of its criteria
	assumedLatency   = 5 * time.Second
	bytesOfToken     = 4 // of English text
	dayOfBatch       = 24 * time.Hour
)

// An estimation is what a run would take.
type estimation struct {
	plan    *plan
	parties []*expected
}

// expected is what one model or judge is expected to take.
type expected struct {
	store.Party
	provider, model string
	batch           bool
	calls, have     int
	items           int // answers or verdicts that are to be had
	bytes           int // of the prompts
	reply           int // tokens of one reply, as assumed
	options         map[string]any
	told            *store.CostAccount // what is on record of it, nil for nothing
	owed            map[string]bool    // keys of calls in batches under way
	underWay        int
}

func (p *plan) estimate(ctx context.Context, db *store.Store, retry bool) (*estimation, error) {
	e := &estimation{plan: p}
	a, err := newAhead(p, db, retry)
	if err != nil {
		return nil, err
	}
	for i := range p.answers {
		cell := &p.answers[i]
		if cell.system == nil || cell.system.Kind != kindModel {
			continue
		}
		x, err := e.party(store.Party{Kind: store.KindAnswer, Name: cell.System}, cell.system.lane, db)
		if err != nil {
			return nil, err
		}
		have, err := a.answers(ctx, cell, x.take)
		if err != nil {
			return nil, fmt.Errorf("reading the record: %w", err)
		}
		x.have += have
		x.items += cell.Planned
	}
	for i := range p.verdicts {
		v := &p.verdicts[i]
		if v.judge.Kind != kindModel {
			continue
		}
		x, err := e.party(store.Party{Kind: store.KindVerdict, Name: v.Judge}, v.judge.lane, db)
		if err != nil {
			return nil, err
		}
		have, waiting, err := a.verdicts(ctx, v, x.take)
		if err != nil {
			return nil, fmt.Errorf("reading the record: %w", err)
		}
		x.have += have
		x.items += v.Planned
		if waiting > 0 {
			x.calls += waiting
			x.bytes += waiting * a.sizeOfVerdict(ctx, v)
		}
	}
	return e, e.recall(db)
}

// party is where a model's or a judge's calls are added up.
func (e *estimation) party(who store.Party, provider string, db *store.Store) (*expected, error) {
	for _, x := range e.parties {
		if x.Party == who {
			return x, nil
		}
	}
	x := &expected{Party: who, provider: provider, reply: assumedAnswer, owed: map[string]bool{}}
	if db != nil {
		open, err := db.OpenBatches(who)
		if err != nil {
			return nil, fmt.Errorf("reading the record: %w", err)
		}
		for _, b := range open {
			for _, key := range b.Keys {
				x.owed[key] = true
			}
		}
	}
	if who.Kind == store.KindVerdict {
		x.reply = assumedCriterion * len(e.plan.rubric.Criteria)
	}
	c := e.plan.config
	for _, m := range c.Models {
		if who.Kind == store.KindAnswer && m.Name == who.Name {
			x.model, x.batch, x.options = m.Model, m.Batch, m.Options
		}
	}
	for _, j := range c.Judges {
		if who.Kind == store.KindVerdict && j.Name == who.Name {
			x.model, x.batch, x.options = j.Model, j.Batch, j.Options
		}
	}
	if limit, ok := llm.ReplyLimit(x.options); ok {
		x.reply = min(x.reply, limit)
	}
	e.parties = append(e.parties, x)
	return x, nil
}

func (x *expected) take(a asked) error {
	if x.owed[a.call.Key] {
		x.underWay++
		return nil
	}
	x.calls++
	x.bytes += sizeOfPrompt(a.request)
	return nil
}

func sizeOfPrompt(req llm.Request) int {
	n := len(req.Schema)
	for _, m := range req.Messages {
		n += m.Len()
	}
	return n
}

// sizeOfVerdict is the size of a judge's prompt on an answer that is still to
// come.
func (a *ahead) sizeOfVerdict(ctx context.Context, v *verdictCell) int {
	size := 0
	q := a.plan.questions[0]
	answer := data.Answer{Question: q.ID, Object1: q.Object1, Object2: q.Object2, Aspect: q.Aspect, Status: data.Valid,
		Text: strings.Repeat("Some words. ", assumedAnswer*bytesOfToken/12)}
	v.judge.score(ctx, q, answer, func(_ context.Context, req llm.Request) (llm.Reply, error) {
		size = sizeOfPrompt(req)
		return llm.Reply{}, context.Canceled
	})
	return size
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
			same := b.Kind == x.Kind && b.Provider == x.provider && b.Model == x.model && b.Told > 0
			if same && (x.told == nil || b.Name == x.Name) {
				x.told = b
			}
		}
		if b := x.told; b != nil && x.Kind == store.KindVerdict && b.Name == x.Name && x.have >= fewRecorded {
			x.calls = int(float64(x.calls)*max(1, float64(b.Calls)/float64(x.have)) + 0.5) // with its repairs
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
	return float64(x.bytes) / bytesOfToken, float64(x.calls * x.reply)
}

// cost is what all calls come to; false where the price is not known.
func (x *expected) cost(c *Config) (float64, bool) {
	price, known := c.price(x.provider, x.model)
	if !known {
		return 0, false
	}
	if x.batch {
		price = price.InBatch()
	}
	if b := x.told; b != nil { // with what of it was cached, and thought
		sum, _ := price.Cost(llm.Usage{Prompt: &b.Prompt, Cached: &b.Cached, Completion: &b.Completion, Reasoning: &b.Reasoning})
		return sum / float64(b.Told) * float64(x.calls), true
	}
	p, r := x.usage()
	prompt, reply := int(p), int(r)
	sum, _ := price.Cost(llm.Usage{Prompt: &prompt, Completion: &reply})
	return sum, true
}

// time is how long the calls last at what is allowed at once and in a minute.
func (x *expected) time(c *Config) time.Duration {
	if x.batch || x.calls == 0 {
		return 0
	}
	latency := assumedLatency
	if b := x.told; b != nil && b.Told > b.InBatch {
		latency = time.Duration(b.LatencyMS / float64(b.Told-b.InBatch) * float64(time.Millisecond))
	}
	p := c.Providers[x.provider]
	longest := float64(x.calls) * latency.Seconds() / float64(min(x.calls, c.lanes()[x.provider]))
	if p.RPM > 0 {
		longest = max(longest, float64(x.calls)/float64(p.RPM)*60)
	}
	if p.TPM > 0 {
		prompt, completion := x.usage()
		longest = max(longest, (prompt+completion)/float64(p.TPM)*60)
	}
	return time.Duration(longest * float64(time.Second))
}
