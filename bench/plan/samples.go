package plan

import (
	"context"
	"errors"
	"iter"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/judges/replies"
	"compqa/llm/structured"
	"compqa/results/store"
)

// Samples has the options for sampling judgments, on which a judge can be trained.
type Samples struct {
	OnBenchmark bool // sample on questions of published benchmarks, too
}

// A sampling is the job that samples judgments for one entry, by the method of Con-J (Ye et al. 2024, section 3).
type sampling struct {
	*pairing
	cell    *Job
	ref     *config.Judge
	grader  *config.Judge // nil: the judgments are not graded
	sampler pairwise.Sampler
	items   []sampledItem
}

// A sampledItem is a pair with a known better answer, in one order.
type sampledItem struct {
	pairItem
	fingerprint string
	shown       pairwise.OrderedPair
}

// ErrNoLabels says that no pair has a known better answer, so that right judgments cannot be told from wrong ones.
var ErrNoLabels = errors.New("no pair has a known human preference, so right and wrong judgments cannot be distinguished")

// sampling makes the stage in which entries with the option samples give judgments.
func (r *pairing) sampling() (stage Stage, err error) {
	for _, ref := range r.refs {
		models, providers := r.plan.Config.PairwiseModels(*ref)
		provider := providers[pairwise.RolePreference]
		if ref.Samples == 0 || r.plan.faults[provider] != "" {
			continue
		}
		s := &sampling{pairing: r, ref: ref, sampler: pairwise.Sampler{Model: models[pairwise.RolePreference],
			Defaults: pairwise.ConJSampling(r.plan.Config.Providers[provider].Type)}}
		s.grader, err = r.plan.Config.GraderOf(*ref)
		if err != nil {
			return stage, err
		}
		if err := s.layOut(); err != nil {
			return stage, err
		}
		s.cell = &Job{Party: parties.PairParty(ref, provider), results: s.judgments(providers),
			PlanCell: store.PlanCell{Kind: store.KindSample, Judge: ref.Name}}
		for _, it := range s.items {
			s.cell.Planned += len(s.draws(it))
		}
		r.sampled = append(r.sampled, s)
	}
	return r.stage("judgments", data.Each(r.sampled, func(s *sampling) *Job { return s.cell })), nil
}

// judgments returns the planned judgments of all pairs.
func (s *sampling) judgments(providers map[pairwise.Role]string) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		for _, it := range s.items {
			for _, place := range s.draws(it) {
				if !yield(Result{At: place, Calls: 1, Fingerprint: func() string { return it.fingerprint },
					Make: func(ctx context.Context, ask run.Asker) (run.Item, error) {
						return s.draw(ctx, ask.Roles(providers), it, place), nil
					}}, nil) {
					return
				}
			}
		}
	}
}

// layOut selects the pairs with a known human preference, in each order of their set.
func (s *sampling) layOut() error {
	c := s.plan.Config
	j := &parties.PairJudge{Participant: store.Participant{Hinted: true}, Ref: s.ref, Under: map[string]parties.Decider{},
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
	for _, c := range s.pairing.layOut(j) {
		for it := range c.items {
			if !it.pair.Label.Decided() {
				continue
			}
			shown, err := pairwise.OrderPair(it.pair.Pair, it.order).ForTask(tasks[s.entry[c.Dataset].Name])
			if err != nil {
				return err
			}
			s.items = append(s.items, sampledItem{it, c.fingerprint(it), shown})
		}
	}
	if len(s.items) == 0 {
		return config.UsageError{Err: ErrNoLabels}
	}
	return nil
}

// draws returns the places of an item's planned judgments: the repeated ones, and with hints one correct and one incorrect.
func (s *sampling) draws(it sampledItem) (places []store.At) {
	add := func(source string, sample int) {
		places = append(places, store.At{Kind: store.KindSample, Party: s.ref.Name, Subject: it.pair.ID, Order: it.order, Variant: source,
			Repeat: sample})
	}
	for sample := 1; sample <= s.ref.Samples; sample++ {
		add(pairwise.SourceRepeated, sample)
	}
	if !s.ref.NoHints {
		add(pairwise.SourceCorrect, 1)
		add(pairwise.SourceIncorrect, 1)
	}
	return places
}

// recorded returns the judgments on record by their places.
func (s *sampling) recorded() (map[store.At]store.RecordedJudgment, error) {
	all, err := store.ResultsOf[store.RecordedJudgment](s.Store, s.cell.PlanCell)
	return data.By(all, store.RecordedJudgment.Place), err
}

// graded returns the place of the preference under which a judgment's rationale is graded.
func graded(judgment store.At) store.At {
	return store.PreferenceAt(judgment.Subject, judgment.Party, GradeMethod(judgment.Variant, judgment.Repeat), judgment.Order)
}

// draw samples one judgment. Writing it deletes the preference under which an earlier judgment was graded.
func (s *sampling) draw(ctx context.Context, ask pairwise.Ask, it sampledItem, place store.At) run.Item {
	j := s.sampler.Sample(ctx, it.shown, place.Variant, place.Repeat, ask)
	row := store.RecordedJudgment{ID: place.Subject, Judge: place.Party, Order: place.Order, Source: place.Variant, Sample: place.Repeat,
		Fingerprint: it.fingerprint, Head: store.Head{Status: j.Status, Reason: j.Reason}, Choice: j.Choice.In(place.Order), Text: j.Text}
	return run.Item{Status: row.Status, Write: func(b store.Batch, calls []int64) error {
		if err := b.Drop([]store.At{graded(place)}); err != nil {
			return err
		}
		return b.Judgment(row, calls)
	}}
}

// toGrade returns the judgments that have a rationale and choose the answer that people prefer (Ye et al. 2024, A.4).
func (s *sampling) toGrade() (items []rationale, err error) {
	recorded, err := s.recorded()
	for _, it := range s.items {
		for _, place := range s.draws(it) {
			j, known := recorded[place]
			if !known && s.Assume {
				j = store.RecordedJudgment{Head: store.Head{Status: data.Valid}, Text: pairwise.JudgmentText(AssumedText, it.pair.Label.In(it.order))}
			}
			shown := structured.MaterialOf(it.pair.Question, it.pair.A, it.pair.B)
			read, err := replies.Judgment(j.Text, shown, replies.WithTies)
			if j.Status != data.Valid || err != nil || read.Choice == replies.Undecidable || read.Rationale == "" ||
				read.Choice.In(it.order) != it.pair.Label {
				continue
			}
			items = append(items, rationale{it.shown, read.Choice, read.Rationale, graded(place),
				config.HashOf(s.identityOf(s.grader), it.fingerprint, j.Text)})
		}
	}
	return items, err
}

// A Sampled has the recorded judgments on one pair in one order.
type Sampled struct {
	Shown     pairwise.OrderedPair
	Planned   [2]int // number of judgments without and with hints
	Judgments []pairwise.Judgment
}

// Sampled returns the sampled judgments of an entry. Call it when the stages have ended.
func (s *Planner) Sampled(entry string) (list []Sampled, err error) {
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
			for _, place := range draws {
				if j, ok := recorded[place]; ok {
					one.Judgments = append(one.Judgments, pairwise.Judgment{Source: j.Source, Sample: j.Sample, Status: j.Status,
						Choice: j.Choice.In(j.Order), Text: j.Text, Reason: j.Reason})
				}
			}
			list = append(list, one)
		}
	}
	return list, nil
}
