package pairs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/preferences"
	"compqa/results/store"
	"compqa/results/table"
)

// drawing needs one judge of method con-j, and pairs with a known preference.
var drawing = CommandKind{
	Wants: func(ref *config.PairwiseJudge) bool { return ref.Method == pairwise.MethodConJ },
	Check: func(r *Session) error {
		if len(r.Refs) != 1 {
			return fmt.Errorf("sampling takes one judge of method %s, and the configuration has %d: name one by --judge, or add {name: con-j, method: con-j, provider: …, model: …} under pairwise", pairwise.MethodConJ, len(r.Refs))
		}
		if r.Sets != nil && !r.labelled() {
			return errNothingToTellBy
		}
		return nil
	},
}

var errNothingToTellBy = errors.New("no pair has a known human preference, so right and wrong judgments cannot be distinguished")

// RunSample samples judgments of a Con-J judge, filters them by people's
// preference, and writes contrasts to train on.
func RunSample(ctx context.Context, f Flags, streams run.Streams) error {
	r, err := openPairwise(ctx, f, streams, drawing)
	if err != nil {
		return err
	}
	defer r.Store.Close()
	s := &sampling{Session: r, ref: r.Refs[0], repeated: f.Samples}
	if s.repeated == 0 {
		s.repeated = pairwise.ConJSamples
	}
	if err := s.perform(ctx); err != nil {
		return err
	}
	return s.write()
}

// A sampling is Con-J's sampling of judgments.
type sampling struct {
	*Session
	ref      *config.PairwiseJudge
	repeated int
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
	if err := s.layOut(); err != nil {
		return err
	}
	id, err := s.beginRun([]string{"judgments of " + s.ref.Name})
	if err == nil {
		err = s.Store.Write(func(b store.Batch) error { return b.PairSets(s.Sets) })
	}
	if err != nil {
		return err
	}
	err = s.recording(ctx, func(ctx context.Context) error {
		return s.work(ctx, "judgments", []run.Party{{Name: s.ref.Name, Provider: provider, Planned: len(s.items) * len(s.draws())}}, []run.Source{s.source(providers)})
	})
	if err != nil {
		return err
	}
	return s.Store.FinishPairwise(id, time.Now())
}

// layOut plans the pairs with a known human preference, in each order.
func (s *sampling) layOut() error {
	orders, _ := s.flags.orders() // checked with the flags
	j := &PairJudge{Sample: s.ref.Sample, Imported: true}
	keep := j.chosen(s.Sets, nil, s.Config.Run.Seed)
	identity := config.HashOf(s.sampler, s.Config.Run.Seed, s.Config.Providers[s.ref.Provider].BaseURL)
	for _, set := range s.Sets {
		for _, p := range set.Pairs {
			if !p.Label.Decided() || !keep[p.ID] {
				continue
			}
			for _, order := range orders {
				s.items = append(s.items, pairItem{p, order, config.HashOf(identity, p.Question, p.A, p.B, p.Label)})
			}
		}
	}
	if len(s.items) == 0 {
		return config.UsageError{Err: errNothingToTellBy}
	}
	return nil
}

// draws are the planned judgments of each item.
func (s *sampling) draws() []drawKey {
	var draws []drawKey
	for sample := 1; sample <= s.repeated; sample++ {
		draws = append(draws, drawKey{source: pairwise.SourceRepeated, sample: sample})
	}
	if !s.flags.NoHints {
		draws = append(draws, drawKey{source: pairwise.SourceCorrect, sample: 1}, drawKey{source: pairwise.SourceIncorrect, sample: 1})
	}
	return draws
}

// source is the source of the judgments.
func (s *sampling) source(providers map[pairwise.Role]string) run.Source {
	source := run.Source{Tasks: func(context.Context) iter.Seq2[run.Task, error] {
		return func(yield func(run.Task, error) bool) {
			recorded, err := s.recordedDraws()
			if err != nil {
				yield(run.Task{}, err)
				return
			}
			for _, it := range s.items {
				for _, d := range s.draws() {
					d.id, d.order = it.Pair.ID, it.order
					if !yield(run.Task{Party: byPreference(s.ref.Name), Provider: providers[pairwise.RolePreference], Fingerprint: it.fingerprint, Recorded: recorded[d].state(), Calls: 1,
						Do: func(ctx context.Context, ask run.Asker) (run.Item, error) {
							return s.draw(ctx, ask.Roles(providers), it, d), nil
						}}, nil) {
						return
					}
				}
			}
		}
	}}
	if s.ref.Batch {
		source.Batch = &run.BatchParty{Party: byPreference(s.ref.Name), Provider: s.ref.Provider, Model: s.ref.Model}
	}
	return source
}

// drawn is a judgment on record.
type drawn struct{ store.RecordedJudgment }

// state is what is on record of a judgment. Any reply counts, also one that cannot be read
// or was cut off: it is something to unlearn.
func (d drawn) state() store.State {
	status := d.Status
	if status != "" && status != data.Failed {
		status = data.Valid
	}
	return store.State{Status: status, Fingerprint: d.Fingerprint}
}

func (s *sampling) recordedDraws() (map[drawKey]drawn, error) {
	all, err := s.Store.Judgments(s.ref.Name)
	if err != nil {
		return nil, err
	}
	recorded := map[drawKey]drawn{}
	for _, j := range all {
		recorded[drawKey{j.ID, j.Order, j.Source, j.Sample}] = drawn{j}
	}
	return recorded, nil
}

// draw samples one judgment.
func (s *sampling) draw(ctx context.Context, ask pairwise.Ask, it pairItem, d drawKey) run.Item {
	j := s.sampler.Sample(ctx, pairwise.Show(it.Pair.Pair, it.order), d.source, d.sample, ask)
	row := store.RecordedJudgment{ID: d.id, Judge: s.ref.Name, Order: d.order, Source: d.source, Sample: d.sample, Fingerprint: it.fingerprint,
		Status: j.Status, Choice: AsPair(j.Choice, d.order), Text: j.Text, Reason: j.Reason}
	return run.Item{Status: row.Status, Write: func(b store.Batch, calls []string) error { return b.Judgment(row, calls) }}
}

// The files of a sampling.
const (
	ContrastsName       = "contrasts.jsonl"
	contrastSchemaName  = "contrasts.schema.json"
	contrastSourcesName = "contrast_sources.csv"
	ContrastCountsName  = "contrast_counts.csv"
)

// write makes contrasts of the recorded judgments, writes them, and checks the file.
func (s *sampling) write() error {
	recorded, err := s.recordedDraws()
	if err != nil {
		return err
	}
	var contrasts []data.Contrast
	var sources []preferences.ContrastSource
	var counts pairwise.ContrastCounts
	for _, it := range s.items {
		var judgments []pairwise.Judgment
		for _, d := range s.draws() {
			d.id, d.order = it.Pair.ID, it.order
			if j, ok := recorded[d]; ok {
				judgments = append(judgments, pairwise.Judgment{Source: j.Source, Sample: j.Sample, Status: j.Status, Choice: AsPair(j.Choice, j.Order), Text: j.Text, Reason: j.Reason})
			}
		}
		made, of, err := pairwise.Contrasts(pairwise.Show(it.Pair.Pair, it.order), judgments, s.flags.Product)
		if err != nil {
			return err
		}
		counts.Add(of)
		for _, c := range made {
			contrasts = append(contrasts, c.Contrast)
			sources = append(sources, preferences.ContrastSource{Line: len(contrasts), Pair: it.Pair.ID, Order: it.order, Source: c.Source})
		}
	}
	dir := s.flags.Out
	listing := []preferences.ContrastCount{
		{Source: pairwise.SourceRepeated, Prompts: counts.Prompts, Judgments: counts.Prompts * s.repeated, Positive: counts.Positive, Negative: counts.Negative,
			Unclear: counts.Unclear, Lost: counts.Lost, Contrasts: counts.Repeated, WithoutContrast: counts.WithoutContrast},
		{Source: pairwise.SourceHint, Prompts: counts.Prompts, Judgments: counts.Prompts * (len(s.draws()) - s.repeated), Against: counts.AgainstHint,
			Lost: counts.LostHints, Contrasts: counts.Hinted, WithoutContrast: counts.Prompts - counts.Hinted},
	}
	var lines strings.Builder
	if err := data.WriteContrasts(&lines, contrasts); err != nil {
		return err
	}
	if err := table.WriteFiles(dir, map[string]func(io.Writer) error{ContrastsName: table.Text(lines.String()), contrastSchemaName: table.Text(data.ContrastSchema),
		contrastSourcesName: table.CSV(sources), ContrastCountsName: table.CSV(listing)}); err != nil {
		return err
	}
	path := filepath.Join(dir, ContrastsName)
	if checked, err := data.ReadContrasts(path); err != nil {
		return fmt.Errorf("the written file does not match its schema: %w", err)
	} else if len(checked) != len(contrasts) {
		return fmt.Errorf("%s holds %d contrasts, not %d", path, len(checked), len(contrasts))
	}
	return s.summary(listing, path)
}

// summary prints the counts of judgments and contrasts.
func (s *sampling) summary(listing []preferences.ContrastCount, path string) error {
	if err := preferences.PrintContrasts(s.streams.Out, listing); err != nil {
		return err
	}
	total, lost := 0, 0
	for _, row := range listing {
		total += row.Contrasts
		lost += row.Lost
	}
	fmt.Fprintf(s.streams.Out, "\n%d contrasts in %s, checked against %s\n", total, path, contrastSchemaName)
	if left := s.Unmade.Reasons(s.Budgets); left != "" {
		return fmt.Errorf("%w: %s", run.ErrIncomplete, left)
	}
	if lost > 0 {
		return fmt.Errorf("%w: %d judgments have no reply; --retry-failed repeats them", run.ErrIncomplete, lost)
	}
	return nil
}
