package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
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

// A pairing makes the tasks about pairs.
type pairing struct {
	*Sources
	Pairs       // with the sets that are known by now
	rewrites    []*rewrite
	Judges      []parties.PairJudge
	work        []pairWork
	sampled     []sampling
	begun       int64
	samplesOnly bool // nothing is preferred
}

// ErrNoPairs says that there is nothing to compare.
var ErrNoPairs = errors.New("there are no two valid answers to the same question; run answers first, or add a set under pairs")

// own makes the pairs of the run's own answers, if they are asked for. There is nothing to ask.
func (r *pairing) ownStage() (stage Stage, err error) {
	entry, ownStage := r.entry[config.RunSet]
	if !ownStage {
		return stage, nil
	}
	r.sync()
	margin := entry.Tie()
	listed, err := r.ownPairs(margin)
	if err != nil {
		return stage, err
	}
	if r.Replays { // a preference of people that follows from scores which came later is not on record
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
	set.Margin, set.First = &margin, r.limit
	r.Sets = append([]store.PairSet{set}, r.Sets...)
	if r.Replays {
		return stage, nil
	}
	return stage, cmp.Or(r.takeGiven(), r.checkTrainable())
}

// retire takes the pairs of earlier runs out of the tables, where a run has none.
func (r *pairing) retire() error {
	has, err := r.Store.HasPairs()
	if err != nil {
		return err
	}
	if !has || r.engine == nil {
		r.Sources.Paired = nil
		return nil
	}
	if err := r.begin(); err != nil {
		return err
	}
	_, err = r.finish()
	return err
}

// A rewrite is a set of pairs that are rewritten with a bias.
type rewrite struct {
	set    store.PairSet
	pairs  []store.SetPair // with a known better answer
	listed []data.Pair
	faults []error
	lost   int // pairs that could not be rewritten
}

// rewriting rewrites each pair with a known better answer, with each bias of the set, by a model or by word lists.
func (r *pairing) rewriting() (stage Stage, err error) {
	if err := r.checkInjection(); err != nil {
		return stage, err
	}
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
			out.listed, out.faults = make([]data.Pair, len(out.pairs)), make([]error, len(out.pairs))
			var tasks []run.Task
			for i, p := range out.pairs {
				t := run.Task{Do: func(ctx context.Context, ask run.Asker) (run.Item, error) {
					rewriter := pairwise.OfflineRewriter
					if m != nil {
						model := pairwise.Model{Name: m.Model, Options: m.AllOptions(), Extra: m.Extra}
						rewriter = pairwise.ModelRewriter(model, ask.Roles(map[pairwise.Role]string{pairwise.RolePreference: m.Provider}))
					}
					out.listed[i], out.faults[i] = bias.Inject(ctx, p.Pair, rewriter)
					return run.Item{Status: data.Pending}, nil // its call is on record, and no more is needed
				}}
				if m != nil {
					t.Party, t.Provider, t.Calls = byPreference(m.Name), m.Provider, bias.Rewrites()
				}
				tasks = append(tasks, t)
			}
			r.rewrites = append(r.rewrites, out)
			stage.Sources = append(stage.Sources, run.SourceOf(tasks))
		}
	}
	return stage, nil
}

// addRewritten adds the sets with biases. Pairs that cannot be rewritten are left out: the reasons are printed, and the source
// of their set counts them. An estimate counts the pairs as they are.
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

// say prints a line about the tasks, except in an estimate.
func (r *pairing) say(format string, args ...any) {
	if r.notes != nil {
		fmt.Fprintf(r.notes, format+"\n", args...)
	}
}

// extracting creates the files of aspects that entries name and that do not exist.
func (r *pairing) extracting() (stage Stage, err error) {
	r.addRewritten()
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
		t := run.Task{Party: byPreference(ref.Name), Provider: provider, Calls: pairwise.ExtractCalls(len(corpus)),
			Do: func(ctx context.Context, ask run.Asker) (run.Item, error) {
				names, err := pairwise.ExtractAspects(ctx, models[pairwise.RoleAspects], corpus, run.ConcurrencyOf(r.plan.Config)[provider],
					func(ctx context.Context, role pairwise.Role, sample int, req llm.Request) (llm.Reply, error) {
						if r.engine != nil && r.engine.Stopped(ctx) { // it is one task, but of many calls
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
				return run.Item{Status: data.Pending}, err // it is kept in the file
			}}
		r.say("%s: extracting aspects from %d pairs (%d calls)", ref.Name, len(corpus), t.Calls)
		stage.Sources = append(stage.Sources, run.SourceOf([]run.Task{t}))
	}
	return stage, nil
}

// corpusPairs is the number of pairs that aspects are extracted from, as in SC2's paper.
const corpusPairs = 50

// corpus are pairs drawn by the seed, of the sets that an entry is asked about.
func (r *pairing) corpus(ref *config.Judge) (listed []pairwise.Shown, from string, err error) {
	pairs, setOf := map[string]data.Pair{}, map[string]string{}
	var names []string
	for _, set := range r.Sets {
		if set.Base != "" || !ref.On(r.entry[set.Name].Name) {
			continue
		}
		names = append(names, set.Name)
		for _, p := range set.Pairs {
			pairs[p.ID], setOf[p.ID] = p.Pair, set.Name
		}
	}
	ids := slices.Collect(maps.Keys(pairs))
	for _, id := range slices.Sorted(maps.Keys(config.Smallest(ids, min(corpusPairs, len(ids)), r.plan.Config.Run.Seed))) {
		o, err := r.plan.Config.PairwiseOptions(*ref, r.entry[setOf[id]].Task)
		if err != nil {
			return nil, "", err
		}
		shown, err := pairwise.Show(pairs[id], data.OrderAB).Under(o.Task)
		if err != nil {
			return nil, "", err
		}
		listed = append(listed, shown)
	}
	return listed, fmt.Sprintf("%d pairs of %s", len(listed), strings.Join(names, ", ")), nil
}

// assumedRationale stands for a rationale that is not there yet, in estimates.
var assumedRationale = strings.Repeat("a word of a rationale ", 40)

// preferring lets all judges decide on their pairs. A run records the plan before.
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
	r.work = nil
	for i := range r.Judges {
		r.work = append(r.work, r.layOut(&r.Judges[i])...)
	}
	stage.Unit = "preferences"
	for i := range r.work {
		w := &r.work[i]
		for _, role := range slices.Sorted(maps.Keys(w.judge.Providers)) {
			w.note = cmp.Or(w.note, r.plan.faults[w.judge.Providers[role]])
		}
	}
	if r.engine != nil {
		if err := r.begin(); err != nil {
			return stage, err
		}
	}
	for i := range r.Judges {
		j, planned := &r.Judges[i], 0
		for _, w := range r.work {
			if w.judge == j && w.note == "" {
				planned += len(w.Items)
			}
		}
		if planned > 0 && (j.Kind != config.KindFloor || r.Replays) {
			stage.add(j.Entry(), j.Ref, j.Provider(), planned, r.preferenceTasks(j))
		}
	}
	return stage, nil
}

// typical reports whether an estimate goes through the stages of a judge's method with typical replies.
func (r *pairing) typical(j *parties.PairJudge) bool {
	m, known := pairwise.MethodNamed(j.Method)
	return r.Assume && known && m.Typical() && j.Ref != nil && j.Ref.Reads == nil
}

func (r *pairing) preferenceTasks(j *parties.PairJudge) run.Source {
	tasks := func(yield func(run.Task, error) bool) {
		states, err := r.Store.PreferenceStates(j.Name, j.Method)
		if err != nil {
			yield(run.Task{}, err)
			return
		}
		for i := range r.work {
			w := &r.work[i]
			if w.judge != j {
				continue
			}
			for _, it := range w.Items {
				if _, recorded := states[it.key(j)]; j.Kind == config.KindFloor && !recorded {
					continue // only an earlier version recorded them
				}
				place, fingerprint := store.ResultAt(store.KindPreference, it.Pair.ID, j.Name, j.Method, it.Order), w.fingerprint(it)
				if !yield(run.Task{Party: byPreference(j.Entry()), At: place, Group: it.group(w), Provider: j.Provider(),
					Fingerprint: fingerprint, Recorded: states[it.key(j)], Calls: w.Calls, Typical: r.typical(j),
					Do: func(ctx context.Context, ask run.Asker) (run.Item, error) {
						shown := pairwise.Show(it.Pair.Pair, it.Order)
						shown.Candidates = it.candidates
						asked := ask.Roles(j.Providers)
						if r.typical(j) {
							asked = pairwise.Typically(asked)
						}
						o := w.Decide(ctx, shown, asked)
						p := data.Preference{ID: it.Pair.ID, Judge: j.Name, Method: j.Method, Order: it.Order, Status: o.Status,
							Choice: string(o.Choice.In(it.Order)), Rationale: o.Rationale, Reason: o.Reason}
						about := store.PreferenceAbout{Fingerprint: fingerprint, Detail: o.Detail}
						return run.Item{Status: p.Status, Write: func(b store.Batch, calls []int64) error { return b.Preference(p, about, calls) }}, nil
					}}, nil) {
					return
				}
			}
		}
	}
	return run.Source{Tasks: func(context.Context) iter.Seq2[run.Task, error] { return tasks }}
}

// finish takes people's grades and ends the run of pairs.
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

// Missing are numbers of results about pairs that live judges were asked for and did not give.
type Missing struct{ Preferences, Planned, Judgments, Grades, Rewritten int }

// Missing counts the preferences and grades that have no valid result, of those that were planned, the sampled judgments
// without a reply (one that cannot be read is a negative example), and the pairs that could not be rewritten.
func (s *Sources) Missing() (left Missing, err error) {
	r := s.Paired
	if r == nil {
		return left, nil
	}
	for _, w := range r.rewrites {
		left.Rewritten += w.lost
	}
	for _, w := range r.work {
		if w.judge.Kind != config.KindModel || w.note != "" {
			continue
		}
		states, err := r.Store.PreferenceStates(w.judge.Name, w.judge.Method)
		if err != nil {
			return left, err
		}
		left.Planned += len(w.Items)
		for _, it := range w.Items {
			if status := states[it.key(w.judge)].Status; status != data.Valid && status != data.Skipped && status != data.Abstained {
				left.Preferences++
			}
		}
	}
	list, err := r.gradings()
	if err != nil {
		return left, err
	}
	for _, g := range list {
		known, err := r.Store.GradeStates(g.ref.Name)
		if err != nil {
			return left, err
		}
		for _, it := range g.items {
			if known[it.row.PreferenceKey].Status != data.Valid {
				left.Grades++
			}
		}
	}
	for _, sampled := range r.sampled {
		recorded, err := sampled.recorded()
		if err != nil {
			return left, err
		}
		for _, it := range sampled.items {
			for _, d := range sampled.draws(it) {
				if status := recorded[d].Status; status == "" || status == data.Failed {
					left.Judgments++
				}
			}
		}
	}
	return left, err
}
