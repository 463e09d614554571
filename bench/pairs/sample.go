package pairs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/store"
	"compqa/results/table"
)

var errNothingToTellBy = errors.New("no pair has a known human preference, so right and wrong judgments cannot be distinguished")

// RunSample samples judgments of a Con-J judge, filters them by people's
// preference, and writes contrasts to train on.
func RunSample(ctx context.Context, f Flags, streams run.Streams) error {
	c, err := f.configuration()
	if err != nil {
		return err
	}
	grader, err := f.grader(c)
	if err != nil {
		return err
	}
	r, err := f.open(ctx, c, streams, func(ref *config.PairwiseJudge) bool { return ref.Method == pairwise.MethodConJ }, (*Session).checkSampling)
	if err != nil {
		return err
	}
	defer r.Store.Close()
	s := &sampling{Session: r, ref: r.Refs[0], grader: grader, repeated: f.Samples}
	if s.repeated == 0 {
		s.repeated = pairwise.ConJSamples
	}
	if err := s.perform(ctx); err != nil {
		return err
	}
	return s.write()
}

// checkSampling checks that there is one judge of method con-j, and a pair with a known
// preference.
func (r *Session) checkSampling() error {
	if len(r.Refs) != 1 {
		return fmt.Errorf("sampling needs one judge of method %s, but the configuration has %d: choose one with --judge, or add {name: con-j, method: con-j, provider: …, model: …} under pairwise", pairwise.MethodConJ, len(r.Refs))
	}
	if r.Sets != nil && !r.labelled() {
		return errNothingToTellBy
	}
	return r.checkInjection()
}

// A sampling is Con-J's sampling of judgments.
type sampling struct {
	*Session
	ref      *config.PairwiseJudge
	grader   *config.PairwiseJudge // nil: judgments are not graded
	repeated int
	ungraded int // judgments without a valid grade, after grade
	sampler  pairwise.Sampler
	items    []pairItem
}

// A drawKey identifies a judgment.
type drawKey struct {
	id, order, source string
	sample            int
}

func (s *sampling) perform(ctx context.Context) error {
	models, providers := s.Config.PairwiseModels(*s.ref)
	provider := providers[pairwise.RolePreference]
	if fault := s.faults[provider]; fault != "" {
		return fmt.Errorf("provider %s cannot be used: %s", provider, fault)
	}
	s.sampler = pairwise.Sampler{Model: models[pairwise.RolePreference], Defaults: pairwise.ConJSampling(s.Config.Providers[provider].Type)}
	var id int64
	err := s.recording(ctx, func(ctx context.Context) error {
		err := s.inject(ctx)
		if err == nil {
			err = s.layOut()
		}
		if err == nil {
			id, err = s.beginRun([]string{"judgments of " + s.ref.Name})
		}
		if err == nil {
			err = s.Store.Write(func(b store.Batch) error { return b.PairSets(s.Sets) })
		}
		if err != nil {
			return err
		}
		err = s.work(ctx, "judgments", []run.Party{{Name: s.ref.Name, Provider: provider, Planned: len(s.items) * len(s.draws(pairItem{}))}}, []run.Source{s.source(providers)})
		if err != nil || s.grader == nil || s.Stopped(ctx) {
			return err
		}
		return s.grade(ctx, s.grader)
	})
	if err != nil {
		return err
	}
	return s.Store.FinishRun(id, time.Now())
}

// layOut plans the pairs with a known human preference, in each order.
func (s *sampling) layOut() error {
	orders, _ := s.flags.orders() // checked with the flags
	j := PairJudge{PairwiseJudge: store.PairwiseJudge{Hinted: true}, Sample: s.ref.Sample, Imported: true,
		identity: config.HashOf(s.sampler, s.Config.Run.Seed, s.Config.Providers[s.ref.Provider].Server())}
	for _, w := range LayOut([]PairJudge{j}, s.Sets, orders, nil, s.Config.Run.Seed) {
		for _, it := range w.Items {
			if it.Pair.Label.Decided() {
				s.items = append(s.items, it)
			}
		}
	}
	if len(s.items) == 0 {
		return config.UsageError{Err: errNothingToTellBy}
	}
	return nil
}

// draws are the planned judgments of an item.
func (s *sampling) draws(it pairItem) []drawKey {
	var draws []drawKey
	for sample := 1; sample <= s.repeated; sample++ {
		draws = append(draws, drawKey{it.Pair.ID, it.order, pairwise.SourceRepeated, sample})
	}
	if !s.flags.NoHints {
		draws = append(draws, drawKey{it.Pair.ID, it.order, pairwise.SourceCorrect, 1}, drawKey{it.Pair.ID, it.order, pairwise.SourceIncorrect, 1})
	}
	return draws
}

// source is the source of the judgments.
func (s *sampling) source(providers map[pairwise.Role]string) run.Source {
	provider := providers[pairwise.RolePreference]
	return source(s.ref, s.ref.Provider, func(yield func(run.Task, error) bool) {
		recorded, err := s.recordedDraws()
		if err != nil {
			yield(run.Task{}, err)
			return
		}
		for _, it := range s.items {
			for _, d := range s.draws(it) {
				if !yield(run.Task{Party: byPreference(s.ref.Name), Provider: provider, Fingerprint: it.fingerprint, Recorded: state(recorded[d]), Calls: 1,
					Do: func(ctx context.Context, ask run.Asker) (run.Item, error) {
						return s.draw(ctx, ask.Roles(providers), it, d), nil
					}}, nil) {
					return
				}
			}
		}
	})
}

// state is the recorded state of a judgment. Any reply counts, also if it cannot be read or
// was truncated, because it is a negative example.
func state(j store.RecordedJudgment) store.State {
	if j.Status != "" && j.Status != data.Failed {
		j.Status = data.Valid
	}
	return store.State{Status: j.Status, Fingerprint: j.Fingerprint}
}

func (s *sampling) recordedDraws() (map[drawKey]store.RecordedJudgment, error) {
	all, err := s.Store.Judgments(s.ref.Name)
	recorded := map[drawKey]store.RecordedJudgment{}
	for _, j := range all {
		recorded[drawKey{j.ID, j.Order, j.Source, j.Sample}] = j
	}
	return recorded, err
}

// draw samples one judgment.
func (s *sampling) draw(ctx context.Context, ask pairwise.Ask, it pairItem, d drawKey) run.Item {
	j := s.sampler.Sample(ctx, pairwise.Show(it.Pair.Pair, it.order), d.source, d.sample, ask)
	row := store.RecordedJudgment{ID: d.id, Judge: s.ref.Name, Order: d.order, Source: d.source, Sample: d.sample, Fingerprint: it.fingerprint,
		Status: j.Status, Choice: AsPair(j.Choice, d.order), Text: j.Text, Reason: j.Reason}
	return run.Item{Status: row.Status, Write: func(b store.Batch, calls []int64) error {
		outdated := store.PreferenceKey{ID: d.id, Judge: s.ref.Name, Method: GradeMethod(d.source, d.sample), Order: d.order}
		return cmp.Or(b.DropPreferences([]store.PreferenceKey{outdated}), b.Judgment(row, calls))
	}}
}

// The files of a sampling.
const (
	ContrastsName       = "contrasts.jsonl"
	contrastSchemaName  = "contrasts.schema.json"
	contrastSourcesName = "contrast_sources.csv"
	ContrastCountsName  = "contrast_counts.csv"
)

// write makes contrasts of the recorded judgments, writes them, checks the file, and prints
// the counts.
func (s *sampling) write() error {
	recorded, err := s.recordedDraws()
	if err != nil {
		return err
	}
	var made pairwise.Contrasts
	for _, it := range s.items {
		var judgments []pairwise.Judgment
		for _, d := range s.draws(it) {
			if j, ok := recorded[d]; ok {
				judgments = append(judgments, pairwise.Judgment{Source: j.Source, Sample: j.Sample, Status: j.Status, Choice: AsPair(j.Choice, j.Order), Text: j.Text, Reason: j.Reason})
			}
		}
		made.Add(pairwise.Show(it.Pair.Pair, it.order), judgments, s.flags.Product)
	}
	made.Repeated.Source, made.Repeated.Judgments = pairwise.SourceRepeated, len(s.items)*s.repeated
	made.Hinted.Source, made.Hinted.Judgments = pairwise.SourceHint, len(s.items)*(len(s.draws(pairItem{}))-s.repeated)
	counts := []pairwise.ContrastCount{made.Repeated, made.Hinted}
	err = table.WriteFiles(s.flags.Out, map[string]func(io.Writer) error{
		ContrastsName:       func(w io.Writer) error { return data.WriteContrasts(w, made.List) },
		contrastSchemaName:  table.Text(data.ContrastSchema),
		contrastSourcesName: table.CSV(made.Sources),
		ContrastCountsName:  table.CSV(counts),
	})
	if err != nil {
		return err
	}
	path := filepath.Join(s.flags.Out, ContrastsName)
	if checked, err := data.ReadContrasts(path); err != nil {
		return fmt.Errorf("the written file does not match its schema: %w", err)
	} else if len(checked) != len(made.List) {
		return fmt.Errorf("%s contains %d contrasts, not %d", path, len(checked), len(made.List))
	}
	view := table.View(1, counts, "source", "prompts", "judgments", "positive", "negative", "unclear", "against_hint", "lost", "contrasts", "without_contrast=without")
	if err := view.Terminal(s.streams.Out); err != nil {
		return err
	}
	fmt.Fprintf(s.streams.Out, "\n%d contrasts in %s, checked against %s\n", len(made.List), path, contrastSchemaName)
	if left := s.Unmade.Reasons(s.Budgets); left != "" {
		return fmt.Errorf("%w: %s", run.ErrIncomplete, left)
	}
	if lost := made.Repeated.Lost + made.Hinted.Lost; lost > 0 {
		return fmt.Errorf("%w: %d judgments have no reply; %s", run.ErrIncomplete, lost, run.RetryFailed)
	}
	if s.ungraded > 0 {
		return fmt.Errorf("%w: %d judgments have no valid grade; %s", run.ErrIncomplete, s.ungraded, run.RetryFailed)
	}
	return nil
}
