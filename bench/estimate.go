package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"compqa/data"
	"compqa/llm"
	"compqa/results"
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
	store, err := results.Open(f.out)
	if errors.Is(err, fs.ErrNotExist) {
		store, err = nil, nil
	}
	if err != nil {
		return err
	}
	if store != nil {
		defer store.Close()
	}
	p, err := newPlan(c, f.limit, store)
	if err != nil {
		return err
	}
	e, err := p.estimate(ctx, store, f.retryFailed)
	if err != nil {
		return err
	}
	if err := e.print(streams.Out); err != nil {
		return err
	}
	return e.budget(store, streams.Out)
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
	results.Payer
	provider, model string
	batch           bool
	calls, have     int
	items           int // answers or verdicts that are to be had
	bytes           int // of the prompts
	reply           int // tokens of one reply, as assumed
	options         map[string]any
	told            *results.Bill // what is on record of it, nil for nothing
}

func (p *plan) estimate(ctx context.Context, store *results.Store, retry bool) (*estimation, error) {
	e := &estimation{plan: p}
	a, err := newAhead(p, store, retry)
	if err != nil {
		return nil, err
	}
	for i := range p.answers {
		cell := &p.answers[i]
		if cell.system == nil || cell.system.Kind != kindModel {
			continue
		}
		x := e.party(results.Payer{Kind: results.KindAnswer, Name: cell.System}, cell.system.lane)
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
		x := e.party(results.Payer{Kind: results.KindVerdict, Name: v.Judge}, v.judge.lane)
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
	return e, e.recall(store)
}

// party is where a model's or a judge's calls are added up.
func (e *estimation) party(who results.Payer, provider string) *expected {
	for _, x := range e.parties {
		if x.Payer == who {
			return x
		}
	}
	x := &expected{Payer: who, provider: provider, reply: assumedAnswer}
	if who.Kind == results.KindVerdict {
		x.reply = assumedCriterion * len(e.plan.rubric.Criteria)
	}
	c := e.plan.config
	for _, m := range c.Models {
		if who.Kind == results.KindAnswer && m.Name == who.Name {
			x.model, x.batch, x.options = m.Model, m.Batch, m.Options
		}
	}
	for _, j := range c.Judges {
		if who.Kind == results.KindVerdict && j.Name == who.Name {
			x.model, x.batch, x.options = j.Model, j.Batch, j.Options
		}
	}
	if limit, ok := llm.ReplyLimit(x.options); ok {
		x.reply = min(x.reply, limit)
	}
	e.parties = append(e.parties, x)
	return x
}

func (x *expected) take(a asked) error {
	x.calls++
	x.bytes += sizeOfPrompt(a.request)
	return nil
}

func sizeOfPrompt(req llm.Request) int {
	n := len(req.Schema)
	for _, m := range req.Messages {
		n += len(m.Content)
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
func (e *estimation) recall(store *results.Store) error {
	if store == nil {
		return nil
	}
	bills, err := store.Bills()
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
		if b := x.told; b != nil && x.Kind == results.KindVerdict && b.Name == x.Name && x.have >= fewRecorded {
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

// print shows the estimation as a table, and below it what it rests on.
func (e *estimation) print(out io.Writer) error {
	c := e.plan.config
	if len(e.parties) == 0 {
		_, err := fmt.Fprintf(out, "%s asks no model behind a provider: a run makes no calls and costs nothing\n", c.path)
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\ton record\tcalls to make\tprompt tokens\treply tokens\tUS dollars\ttime\t")
	var calls, have int
	var prompts, replies, sum float64
	var unknown []string
	lanes := map[string]time.Duration{}
	batches := false
	for _, x := range e.parties {
		prompt, reply := x.usage()
		cost, known := x.cost(c)
		money := fmt.Sprintf("%.2f", cost)
		if !known {
			money = "?"
			unknown = append(unknown, x.Name)
		}
		last := rough(x.time(c))
		if x.batch && x.calls > 0 {
			last, batches = "batch", true
		}
		fmt.Fprintf(w, "%s\t%d of %d\t%d\t%.0f\t%.0f\t%s\t%s\t\n", x.title(), x.have, x.items, x.calls, prompt, reply, money, last)
		calls, have, prompts, replies, sum = calls+x.calls, have+x.have, prompts+prompt, replies+reply, sum+cost
		lanes[x.provider] += x.time(c)
	}
	longest := time.Duration(0)
	for _, d := range lanes {
		longest = max(longest, d)
	}
	total, last := fmt.Sprintf("%.2f", sum), rough(longest)
	if unknown != nil {
		total += " + ?"
	}
	if batches {
		last += " + batches"
	}
	fmt.Fprintf(w, "all\t%d\t%d\t%.0f\t%.0f\t%s\t%s\t\n", have, calls, prompts, replies, total, last)
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	for _, line := range e.basis(unknown) {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

func (x *expected) title() string {
	if x.Kind == results.KindVerdict {
		return x.Name + " (judge)"
	}
	return x.Name
}

// basis says what the figures rest on.
func (e *estimation) basis(unknown []string) []string {
	var lines, recorded, assumed []string
	latency, batched := false, false
	for _, x := range e.parties {
		switch {
		case x.calls == 0:
		case x.told != nil:
			of := ""
			if x.told.Name != x.Name {
				of = " of " + x.told.Name
			}
			recorded = append(recorded, fmt.Sprintf("%s by %s on record%s", x.title(), counted(x.told.Told, "call", "calls"), of))
		default:
			assumed = append(assumed, fmt.Sprintf("%s %d", x.title(), x.reply))
		}
		batched = batched || x.batch && x.calls > 0
		latency = latency || x.calls > 0 && !x.batch && (x.told == nil || x.told.Told == x.told.InBatch)
	}
	if recorded != nil {
		lines = append(lines, "Means of what is on record: "+strings.Join(recorded, ", ")+".")
	}
	if assumed != nil {
		lines = append(lines, fmt.Sprintf("Assumed where nothing is on record: %d bytes of prompt to a token; tokens of a reply: %s (what a model thinks before it replies comes on top).", bytesOfToken, strings.Join(assumed, ", ")))
	}
	if latency {
		lines = append(lines, fmt.Sprintf("Assumed: %s a call where none is on record.", assumedLatency))
	}
	if batched {
		lines = append(lines, fmt.Sprintf("Batches take up to %s, at a share of the price (a half, where the price does not say).", rough(dayOfBatch)))
	}
	if unknown != nil {
		lines = append(lines, fmt.Sprintf("No price is known of %s: give the entry one, price: {input: 2.5, output: 10}, in US dollars a million tokens.", strings.Join(unknown, ", ")))
	}
	return append(lines, fmt.Sprintf("Prices: of the configuration, else built in (%s); Ollama is free.", llm.PricesOf))
}

// budget says how far the budgets go.
func (e *estimation) budget(store *results.Store, out io.Writer) error {
	c := e.plan.config
	if err := e.plan.checkBudget(); err != nil {
		_, err = fmt.Fprintln(out, err)
		return err
	}
	spent := e.plan.newTill()
	if store != nil {
		if err := e.plan.charge(spent, store); err != nil {
			return err
		}
	}
	needed := map[string]float64{}
	all := 0.0
	for _, x := range e.parties {
		cost, _ := x.cost(c)
		needed[x.provider] += cost
		all += cost
	}
	say := func(name string, limit, spent, needed float64) {
		if limit > 0 {
			verdict := "covers it"
			if spent+needed > limit {
				verdict = "does not cover it: the run will stop before it is passed"
			}
			fmt.Fprintf(out, "%s of %s, %s of it spent, %s.\n", name, llm.Dollars(limit), llm.Dollars(spent), verdict)
		}
	}
	say("The budget", c.Run.Budget, spent.all.Spent(), all)
	for _, name := range slices.Sorted(maps.Keys(spent.own)) {
		own := spent.own[name]
		say("The budget of provider "+name, own.Limit(), own.Spent(), needed[name])
	}
	return nil
}

// rough is a duration as people say it.
func rough(d time.Duration) string {
	switch {
	case d == 0:
		return "-"
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(1, int(d.Seconds()+0.5)))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
	}
	return fmt.Sprintf("%.0f h", d.Hours())
}
