package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/llm"
	"compqa/results/store"
)

// A pairing makes the tasks about pairs, stage by stage.
type pairing struct {
	*Planner
	Pairs       // with the sets that are known so far
	rewrites    []*rewrite
	Judges      []parties.PairJudge
	preferred   []*pairCell
	sampled     []*sampling
	graded      []*Job
	begun       int64
	samplesOnly bool // only judgments are sampled, no preferences are asked for
}

// ErrNoPairs says that no two valid answers are to the same question.
var ErrNoPairs = errors.New("there are no two valid answers to the same question; run answers first, or add a set under pairs")

// ownStage makes the pairs of the run's own answers, if the configuration has the set RunSet. Then it reads the given preferences on them.
// The stage asks nothing.
func (r *pairing) ownStage() (stage Stage, err error) {
	entry, named := r.entry[config.RunSet]
	if !named {
		return stage, nil
	}
	r.sync()
	margin := entry.Tie()
	listed, err := r.ownPairs(margin)
	if err != nil {
		return stage, err
	}
	if r.Replays { // leave out pairs that are not on record, because people's scores that came later would change them
		listed = slices.DeleteFunc(listed, func(pair data.Pair) bool { return r.recorded[pair.ID].ID == "" })
		for i := range listed {
			if r.recorded[listed[i].ID].Label == data.NoChoice {
				listed[i].Label = data.NoChoice
			}
		}
	}
	if len(listed) == 0 && len(r.Sets) == 0 {
		return stage, config.UsageError{Err: ErrNoPairs}
	}
	set := r.set(config.RunSet, "answers of the run", listed)
	set.Margin = &margin
	set.First = r.limit
	r.Sets = append([]store.PairSet{set}, r.Sets...)
	if r.Replays {
		return stage, nil
	}
	if err := r.takeGiven(); err != nil {
		return stage, err
	}
	return stage, r.checkTrainable()
}

// retire removes the pairs of earlier runs from the tables if this run has no pairs.
func (r *pairing) retire() error {
	has, err := r.Store.HasPairs()
	if err != nil {
		return err
	}
	if !has || r.engine == nil {
		r.Planner.Paired = nil
		return nil
	}
	if err := r.begin(); err != nil {
		return err
	}
	_, err = r.finish()
	return err
}

// retirePairs does as retire if the configuration has neither pairs nor pairwise, and that of the run that judged pairs had one of them.
// Pairs that came another way stay in the tables: they were imported, or --pairs or --only pairs asked for them.
func (s *Planner) retirePairs() error {
	if s.engine == nil {
		return nil
	}
	text, err := s.Store.PairedConfig()
	if err != nil || text == "" {
		return err
	}
	before, err := config.ParseRecorded(text)
	if err != nil {
		return fmt.Errorf("reading the configuration of the run that judged pairs: %w", err)
	}
	if before.Pairs == nil && before.JudgesOf(store.KindPreference) == nil {
		return nil
	}
	shown, err := s.plannedPreferences()
	if err != nil {
		return err
	}
	s.Paired = &pairing{Planner: s, Pairs: Pairs{plan: s.Plan, AllSets: true}}
	if err := s.Paired.retire(); err != nil {
		return err
	}
	left, err := s.plannedPreferences()
	s.Paired.say("%s stay on record but are no longer in the reports, because the configuration has neither pairs nor pairwise",
		data.Plural(shown-left, "preference", "preferences"))
	return err
}

// plannedPreferences returns the number of preferences that the record plans.
func (s *Planner) plannedPreferences() (n int, err error) {
	cells, err := s.Store.Plan(store.OfPairs)
	for _, c := range cells {
		n += c.Planned
	}
	return n, err
}

// A rewrite is a set of pairs that is rewritten with one bias.
type rewrite struct {
	set    store.PairSet
	pairs  []store.SetPair // the original pairs, with a known better answer
	listed []data.Pair
	faults []error
	lost   int // number of pairs that could not be rewritten
}

// rewriting makes the stage that rewrites each pair with a known better answer, once for each bias of its set. A model rewrites the
// answers, or word lists do.
func (r *pairing) rewriting() (stage Stage, err error) {
	if err := r.checkInjection(); err != nil {
		return stage, err
	}
	var cells []*Job
	for _, set := range r.Sets {
		entry := r.entry[set.Name]
		m, err := r.plan.Config.RewriterOf(entry)
		if err != nil {
			return stage, err
		}
		by := "by word lists, without a model"
		if m != nil && entry.Inject != nil {
			if by = "by " + m.Name; r.plan.faults[m.Provider] != "" {
				return stage, fmt.Errorf("rewriter %s: provider %s cannot be used: %s", m.Name, m.Provider, r.plan.faults[m.Provider])
			}
		}
		for _, bias := range entry.Biases() {
			out := &rewrite{set: store.PairSet{Name: set.Name + "+" + bias.String(), Source: set.Name + ", rewritten " + by,
				Base: set.Name, Bias: bias.String(),
				Adversarial: bias.Adversarial(), Margin: set.Margin}}
			out.pairs = data.Where(set.Pairs, func(p store.SetPair) bool { return p.Label.Decided() })
			out.listed = make([]data.Pair, len(out.pairs))
			out.faults = make([]error, len(out.pairs))
			r.rewrites = append(r.rewrites, out)
			cells = append(cells, out.cell(bias, m))
		}
	}
	return r.stage("", cells), nil
}

// cell returns the job that rewrites the pairs with a bias. The model m rewrites them, or word lists if m is nil.
func (w *rewrite) cell(bias pairwise.Bias, m *config.Model) *Job {
	c := &Job{Party: &parties.Party{}}
	rewriter := func(run.Asker) pairwise.Rewriter { return pairwise.OfflineRewriter }
	calls := 0
	if m != nil {
		c.Name, c.Provider, calls = m.Name, m.Provider, bias.Rewrites()
		model := pairwise.Model{Name: m.Model, Options: m.AllOptions(), Extra: m.Extra}
		rewriter = func(ask run.Asker) pairwise.Rewriter {
			return pairwise.ModelRewriter(model, ask.Roles(map[pairwise.Role]string{pairwise.RolePreference: m.Provider}))
		}
	}
	c.results = func(yield func(Result, error) bool) {
		for i, p := range w.pairs {
			if !yield(Result{Calls: calls, Make: func(ctx context.Context, ask run.Asker) (run.Item, error) {
				w.listed[i], w.faults[i] = bias.Inject(ctx, p.Pair, rewriter(ask))
				return run.Item{Status: data.Pending}, nil // nothing needs to be recorded besides the call
			}}, nil) {
				return
			}
		}
	}
	return c
}

// addRewritten adds a set for each bias, with the rewritten pairs. It leaves out pairs that could not be rewritten: it prints the reasons,
// and adds their number to the source of the original set. In an estimate, pairs that were not rewritten count as they are.
func (r *pairing) addRewritten() {
	for _, w := range r.rewrites {
		for i, p := range w.pairs {
			if w.faults[i] != nil && !r.Assume {
				r.say("left out of %s with the bias %s: %v", w.set.Base, w.set.Bias, w.faults[i])
				w.lost++
				continue
			}
			pair := w.listed[i]
			if r.Assume && pair.ID == "" {
				pair = p.Pair
			}
			pair.ID = p.ID + "+" + w.set.Bias
			w.set.Pairs = append(w.set.Pairs, store.SetPair{Pair: pair, WordsA: pairwise.Length(pair.A),
				WordsB: pairwise.Length(pair.B), Base: p.ID})
		}
		if w.lost > 0 {
			base := slices.IndexFunc(r.Sets, func(set store.PairSet) bool { return set.Name == w.set.Base })
			r.Sets[base].Source += fmt.Sprintf("; %d of %d pairs could not be rewritten with the bias %s", w.lost, len(w.pairs), w.set.Bias)
		}
		if len(w.set.Pairs) > 0 {
			r.entry[w.set.Name] = r.entry[w.set.Base]
			r.Sets = append(r.Sets, w.set)
		}
	}
}

// say prints a line about the tasks. In an estimate it prints nothing.
func (r *pairing) say(format string, args ...any) {
	if r.notes != nil {
		fmt.Fprintf(r.notes, format+"\n", args...)
	}
}

// extracting makes the stage that extracts aspects for each entry whose file of aspects does not exist, and writes the file.
func (r *pairing) extracting() (stage Stage, err error) {
	r.addRewritten()
	var cells []*Job
	for _, ref := range r.refs {
		models, providers := r.plan.Config.PairwiseModels(*ref)
		provider, path := providers[pairwise.RoleAspects], r.plan.Config.AspectsPath(*ref)
		if path == "" || ref.AspectNames != nil || r.plan.faults[provider] != "" {
			continue
		}
		corpus, from, err := r.corpus(ref)
		if err != nil {
			return stage, err
		}
		aspects := Result{Calls: pairwise.ExtractCalls(len(corpus)),
			Make: func(ctx context.Context, ask run.Asker) (run.Item, error) {
				names, err := pairwise.ExtractAspects(ctx, models[pairwise.RoleAspects], corpus, run.ConcurrencyOf(r.plan.Config)[provider],
					func(ctx context.Context, role pairwise.Role, sample int, req llm.Request) (llm.Reply, error) {
						if r.engine != nil && r.engine.Stopped(ctx) { // one task makes many calls, so it must notice a stop
							return llm.Reply{}, context.Canceled
						}
						return ask(ctx, providers[role], sample, req)
					})
				if r.engine != nil && r.engine.Stopped(ctx) {
					return run.Item{}, cli.ErrStopped
				}
				if err != nil && r.engine != nil {
					err = fmt.Errorf("pairwise judge %q: %w; write %s yourself, or set aspects to online", ref.Name, err, path)
				}
				ref.AspectNames = names
				if err == nil && r.engine != nil {
					err = config.WriteAspects(path, names, fmt.Sprintf("%s, by %s", from, models[pairwise.RoleAspects].Name))
				}
				return run.Item{Status: data.Pending}, err // the aspects are in the file, not in the record
			}}
		r.say("%s: extracting aspects from %d pairs (%d calls)", ref.Name, len(corpus), aspects.Calls)
		c := &Job{Party: &parties.Party{Participant: store.Participant{Name: ref.Name}, Provider: provider}}
		c.results = func(yield func(Result, error) bool) { yield(aspects, nil) }
		cells = append(cells, c)
	}
	return r.stage("", cells), nil
}

// corpusPairs is the number of pairs that aspects are extracted from, as in SC2's paper.
const corpusPairs = 50

// corpus draws pairs by the seed from the sets that an entry judges. from says in words which pairs these are.
func (r *pairing) corpus(ref *config.Judge) (listed []pairwise.OrderedPair, from string, err error) {
	pairs := map[string]data.Pair{}
	setOf := map[string]string{}
	var names []string
	for _, set := range r.Sets {
		if set.Base != "" || !ref.On(r.entry[set.Name].Name) {
			continue
		}
		names = append(names, set.Name)
		for _, p := range set.Pairs {
			pairs[p.ID] = p.Pair
			setOf[p.ID] = set.Name
		}
	}
	ids := slices.Collect(maps.Keys(pairs))
	for _, id := range slices.Sorted(maps.Keys(config.Smallest(ids, min(corpusPairs, len(ids)), r.plan.Config.Run.Seed))) {
		o, err := r.plan.Config.PairwiseOptions(*ref, r.entry[setOf[id]].Task)
		if err != nil {
			return nil, "", err
		}
		shown, err := pairwise.OrderPair(pairs[id], data.OrderAB).ForTask(o.Task)
		if err != nil {
			return nil, "", err
		}
		listed = append(listed, shown)
	}
	return listed, fmt.Sprintf("%d pairs of %s", len(listed), strings.Join(names, ", ")), nil
}

// assumedRationale is the text of an unknown rationale in estimates.
var assumedRationale = strings.Repeat("a word of a rationale ", 40)

// preferring makes the stage in which judges decide on pairs: judges that ask a model, then judges that need none. In a run it first
// records the plan of the preferences. The choices of the floor judges (first, longer, random) follow from the pairs, so only a
// verification has tasks for them.
func (r *pairing) preferring() (stage Stage, err error) {
	advised := ""
	if r.Assume {
		advised = assumedRationale
	}
	for _, ref := range r.refs {
		if r.samplesOnly || ref.Method == pairwise.MethodMeta || ref.Provider == config.ProviderFile ||
			slices.Contains(pairwise.OfflineMethods(), ref.Method) {
			continue
		}
		rounds, err := parties.LivePairJudges(r.plan.Config, ref, advised)
		if err != nil {
			return stage, err
		}
		r.Judges = append(r.Judges, rounds...)
	}
	if !r.samplesOnly {
		offline, err := parties.OfflinePairJudges(r.plan.Config)
		if err != nil {
			return stage, err
		}
		r.Judges = append(r.Judges, offline...)
	}
	var cells []*Job
	for i := range r.Judges {
		j := &r.Judges[i]
		for _, c := range r.layOut(j) {
			for _, provider := range c.providers() {
				c.Note = cmp.Or(c.Note, r.plan.faults[provider])
			}
			r.preferred = append(r.preferred, c)
			if j.Kind == config.KindFloor && !r.Replays {
				continue // its preferences follow from the pairs
			}
			if j.Kind == config.KindFloor {
				if c.only, err = r.Store.States(c.PlanCell); err != nil {
					return stage, err
				}
			}
			cells = append(cells, c.Job)
		}
	}
	if r.engine != nil {
		if err := r.begin(); err != nil {
			return stage, err
		}
	}
	return r.stage("preferences", cells), nil
}

// finish records people's grades. If no call was left out, it marks the run of pairs as finished.
func (r *pairing) finish() (stage Stage, err error) {
	if r.engine == nil {
		return stage, nil
	}
	r.sync()
	if err := r.takeGrades(); err != nil || !r.engine.Complete() {
		return stage, err
	}
	return stage, r.Store.FinishRun(r.begun, time.Now())
}

// A Missing counts, by kind, the results that live systems and judges were asked for and did not give.
type Missing struct {
	Results              int // answers, verdicts and labels
	Preferences, Planned int // missing preferences, and all planned preferences
	Judgments, Grades    int // sampled judgments, and grades of rationales
	Rewritten            int // pairs that could not be rewritten
}

// All returns the sum of the missing results.
func (m Missing) All() int { return m.Results + m.Preferences + m.Judgments + m.Grades + m.Rewritten }

// Missing counts the planned results of the part only that have no valid result. It returns ErrIncomplete if the part needs a system's
// answers and none are on record.
func (s *Planner) Missing(only string) (left Missing, err error) {
	cells := s.Plan.Jobs()
	if AboutPairs(only) {
		cells = nil
	}
	for _, c := range cells {
		needed := c.Of == nil && c.Planned > 0 && only != "" && only != OnlyAnswers // answers that another part makes
		live := c.Party.Kind == config.KindModel
		if !live && !needed || c.Note != "" || c.Of != nil && !does(only, c.Part()) {
			continue
		}
		n, recorded, err := s.missing(c)
		if err != nil {
			return left, err
		}
		if needed && recorded == 0 {
			return left, fmt.Errorf("%w: %s has no answers on record under scenario %s, and --only %s does not ask for them",
				cli.ErrIncomplete, c.System, c.Scenario, only)
		}
		if live {
			left.Results += n
		}
	}
	if s.Paired == nil {
		return left, nil
	}
	for _, w := range s.Paired.rewrites {
		left.Rewritten += w.lost
	}
	for _, c := range s.Paired.cells() {
		if c.Party.Kind != config.KindModel || c.Note != "" {
			continue
		}
		n, _, err := s.missing(c)
		if err != nil {
			return left, err
		}
		switch c.Kind {
		case store.KindPreference:
			left.Planned += c.Planned
			left.Preferences += n
		case store.KindSample:
			left.Judgments += n
		case store.KindGrade:
			left.Grades += n
		}
	}
	return left, nil
}

// cells returns the jobs about pairs: preferences, sampled judgments, and grades.
func (r *pairing) cells() []*Job {
	return slices.Concat(data.Each(r.preferred, func(c *pairCell) *Job { return c.Job }),
		data.Each(r.sampled, func(s *sampling) *Job { return s.cell }), r.graded)
}
