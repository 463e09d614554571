package plan

import (
	"cmp"
	"context"
	"errors"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/judges/replies"
	"compqa/llm/structured"
	"compqa/results/store"
)

// Samples are options of sampling judgments for the training of a judge.
type Samples struct {
	OnBenchmark bool // also on questions of benchmarks
}

// A sampling is Con-J's sampling of judgments by an entry with samples (Ye et al. 2024, section 3).
type sampling struct {
	*pairing
	ref     *config.Judge
	grader  *config.Judge // nil: judgments are not graded
	sampler pairwise.Sampler
	items   []sampledItem
}

// A sampledItem is a pair with a known better answer in one order.
type sampledItem struct {
	PairItem
	fingerprint string
	shown       pairwise.Shown
}

// A drawKey identifies a judgment.
type drawKey struct {
	id, order, source string
	sample            int
}

// ErrNoLabels says that right and wrong judgments cannot be told apart.
var ErrNoLabels = errors.New("no pair has a known human preference, so right and wrong judgments cannot be distinguished")

// sampling samples judgments for the entries with samples.
func (r *pairing) sampling() (stage Stage, err error) {
	stage.Unit = "judgments"
	for _, ref := range r.refs {
		models, providers := r.plan.Config.PairwiseModels(*ref)
		provider := providers[pairwise.RolePreference]
		if ref.Samples == 0 || r.plan.faults[provider] != "" {
			continue
		}
		s := sampling{pairing: r, ref: ref, sampler: pairwise.Sampler{Model: models[pairwise.RolePreference],
			Defaults: pairwise.ConJSampling(r.plan.Config.Providers[provider].Type)}}
		s.grader, err = r.plan.Config.GraderOf(*ref)
		if err != nil {
			return stage, err
		}
		if err := s.layOut(); err != nil {
			return stage, err
		}
		recorded, err := s.recorded()
		if err != nil {
			return stage, err
		}
		var tasks []run.Task
		for _, it := range s.items {
			for _, d := range s.draws(it) {
				state := store.State{Status: recorded[d].Status, Fingerprint: recorded[d].Fingerprint}
				if state.Status != "" && state.Status != data.Failed { // also one that cannot be read or was truncated is a negative example
					state.Status = data.Valid
				}
				tasks = append(tasks, run.Task{Party: byPreference(ref.Name), Provider: provider, Fingerprint: it.fingerprint, Recorded: state,
					At: store.ResultAt(store.KindSample, d.id, ref.Name, d.order, d.source, d.sample), Calls: 1,
					Do: func(ctx context.Context, ask run.Asker) (run.Item, error) {
						return s.draw(ctx, ask.Roles(providers), it, d), nil
					}})
			}
		}
		r.sampled = append(r.sampled, s)
		stage.add(ref.Name, ref, provider, len(tasks), run.SourceOf(tasks))
	}
	return stage, nil
}

// layOut plans the pairs with a known human preference, in each order.
func (s *sampling) layOut() error {
	c := s.plan.Config
	j := &parties.PairJudge{PairwiseJudge: store.PairwiseJudge{Hinted: true}, Ref: s.ref, Under: map[string]parties.Decider{},
		Sample: s.ref.Sample, Imported: true}
	tasks := map[string]pairwise.Task{}
	for _, set := range c.PairSets() {
		o, err := c.PairwiseOptions(*s.ref, set.Task)
		if err != nil {
			return err
		}
		tasks[set.Name] = o.Task
		identity := config.HashOf(s.sampler, c.Run.Seed, c.Providers[s.ref.Provider].Server(), o.Task)
		j.Under[set.Name] = parties.Decider{Identity: identity}
	}
	for _, w := range s.pairing.layOut(j) {
		for _, it := range w.Items {
			if !it.Pair.Label.Decided() {
				continue
			}
			shown, err := pairwise.Show(it.Pair.Pair, it.Order).Under(tasks[s.entry[w.Set].Name])
			if err != nil {
				return err
			}
			s.items = append(s.items, sampledItem{it, w.fingerprint(it), shown})
		}
	}
	if len(s.items) == 0 {
		return config.UsageError{Err: ErrNoLabels}
	}
	return nil
}

// draws are the planned judgments of an item.
func (s *sampling) draws(it sampledItem) (draws []drawKey) {
	for sample := 1; sample <= s.ref.Samples; sample++ {
		draws = append(draws, drawKey{it.Pair.ID, it.Order, pairwise.SourceRepeated, sample})
	}
	if !s.ref.NoHints {
		draws = append(draws, drawKey{it.Pair.ID, it.Order, pairwise.SourceCorrect, 1}, drawKey{it.Pair.ID, it.Order,
			pairwise.SourceIncorrect, 1})
	}
	return draws
}

func (s *sampling) recorded() (map[drawKey]store.RecordedJudgment, error) {
	recorded := map[drawKey]store.RecordedJudgment{}
	all, err := s.Store.Judgments(s.ref.Name)
	for _, j := range all {
		recorded[drawKey{j.ID, j.Order, j.Source, j.Sample}] = j
	}
	return recorded, err
}

// draw samples one judgment.
func (s *sampling) draw(ctx context.Context, ask pairwise.Ask, it sampledItem, d drawKey) run.Item {
	j := s.sampler.Sample(ctx, it.shown, d.source, d.sample, ask)
	row := store.RecordedJudgment{ID: d.id, Judge: s.ref.Name, Order: d.order, Source: d.source, Sample: d.sample,
		Fingerprint: it.fingerprint, Head: store.Head{Status: j.Status, Reason: j.Reason}, Choice: j.Choice.In(d.order), Text: j.Text}
	return run.Item{Status: row.Status, Write: func(b store.Batch, calls []int64) error {
		outdated := store.PreferenceKey{ID: d.id, Judge: s.ref.Name, Method: GradeMethod(d.source, d.sample), Order: d.order}
		return cmp.Or(b.DropPreferences([]store.PreferenceKey{outdated}), b.Judgment(row, calls))
	}}
}

// toGrade are the judgments that choose the answer that people prefer, with a rationale (A.4).
func (s *sampling) toGrade() (items []graded, err error) {
	recorded, err := s.recorded()
	for _, it := range s.items {
		for _, d := range s.draws(it) {
			j, known := recorded[d]
			if !known && s.Assume {
				j = store.RecordedJudgment{Head: store.Head{Status: data.Valid}, Text: pairwise.JudgmentText(AssumedText, it.Pair.Label.In(it.Order))}
			}
			shown := structured.MaterialOf(it.Pair.Question, it.Pair.A, it.Pair.B)
			read, err := replies.Judgment(j.Text, shown, replies.WithTies)
			rationale, choice := read.Rationale, read.Choice
			if j.Status != data.Valid || err != nil || choice == replies.Undecidable || rationale == "" || choice.In(it.Order) != it.Pair.Label {
				continue
			}
			key := store.PreferenceKey{ID: d.id, Judge: s.ref.Name, Method: GradeMethod(d.source, d.sample), Order: d.order}
			items = append(items, graded{it.shown, choice, rationale,
				store.RecordedGrade{PreferenceKey: key, Grader: s.grader.Name, Fingerprint: config.HashOf(s.identityOf(s.grader),
					it.fingerprint, j.Text)}})
		}
	}
	return items, err
}

// A Sampled is the recorded judgments on one pair in one order.
type Sampled struct {
	Shown     pairwise.Shown
	Planned   [2]int // judgments without and with hints
	Judgments []pairwise.Judgment
}

// Sampled are the judgments of an entry with samples, when the stages have ended.
func (s *Sources) Sampled(entry string) (list []Sampled, err error) {
	for _, sampled := range s.Paired.sampled {
		if sampled.ref.Name != entry {
			continue
		}
		recorded, err := sampled.recorded()
		if err != nil {
			return nil, err
		}
		for _, it := range sampled.items {
			draws := sampled.draws(it)
			one := Sampled{Shown: it.shown, Planned: [2]int{sampled.ref.Samples, len(draws) - sampled.ref.Samples}}
			for _, d := range draws {
				if j, ok := recorded[d]; ok {
					one.Judgments = append(one.Judgments, pairwise.Judgment{Source: j.Source, Sample: j.Sample, Status: j.Status,
						Choice: j.Choice.In(j.Order), Text: j.Text, Reason: j.Reason})
				}
			}
			list = append(list, one)
		}
	}
	return list, nil
}
