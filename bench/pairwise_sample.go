package bench

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"compqa/bench/config"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/preferences"
	"compqa/results/store"
	"compqa/results/table"
)

// drawing wants one judge of Con-J's method, and pairs with a known preference.
var drawing = commandKind{
	wants: func(ref *config.PairwiseJudge) bool { return ref.Method == pairwise.MethodConJ },
	check: func(r *pairwiseRun) error {
		if len(r.refs) != 1 {
			return fmt.Errorf("sampling takes one judge of method %s, and the configuration has %d: name one by --judge, or add {name: con-j, method: con-j, provider: …, model: …} under pairwise", pairwise.MethodConJ, len(r.refs))
		}
		if r.sets != nil && !r.labelled() {
			return errNothingToTellBy
		}
		return nil
	},
}

var errNothingToTellBy = errors.New("people's preference is known of none of the pairs: there is nothing to tell right judgments from wrong ones by")

// runSample samples judgments of a Con-J judge, filters them by people's
// preference, and writes contrasts to train on.
func runSample(ctx context.Context, f pairwiseFlags, streams Streams) error {
	r, err := openPairwise(ctx, f, streams, drawing)
	if err != nil {
		return err
	}
	defer r.store.Close()
	s := &sampling{pairwiseRun: r, ref: r.refs[0], repeated: f.samples}
	if s.repeated == 0 {
		s.repeated = pairwise.ConJSamples
	}
	if err := s.perform(ctx); err != nil {
		return err
	}
	return s.write()
}

// A sampling is Con-J's sampling of judgments under way.
type sampling struct {
	*pairwiseRun
	ref      *config.PairwiseJudge
	repeated int
	sampler  pairwise.Sampler
	items    []pairItem
}

// A drawKey says which judgment is meant.
type drawKey struct {
	id, order, source string
	sample            int
}

func (s *sampling) perform(ctx context.Context) error {
	models, providers := s.config.PairwiseModels(*s.ref)
	provider := providers[pairwise.RolePreference]
	if fault := s.faults[provider]; fault != "" {
		return fmt.Errorf("provider %s cannot be used: %s", provider, fault)
	}
	s.sampler = pairwise.Sampler{Model: models[pairwise.RolePreference], Defaults: pairwise.ConJSampling(s.config.Providers[provider].Type)}
	if err := s.layOut(); err != nil {
		return err
	}
	id, err := s.beginRun([]string{"judgments of " + s.ref.Name})
	if err == nil {
		err = s.store.Write(func(b store.Batch) error { return b.PairSets(s.sets) })
	}
	if err != nil {
		return err
	}
	err = s.recording(ctx, func(ctx context.Context) error {
		return s.work(ctx, "judgments", []party{{name: s.ref.Name, provider: provider, planned: len(s.items) * len(s.draws())}}, []Source{s.source(providers)})
	})
	if err != nil {
		return err
	}
	return s.store.FinishPairwise(id, time.Now())
}

// layOut takes the pairs whose better answer is known, in each order.
func (s *sampling) layOut() error {
	orders, _ := s.flags.orders() // checked with the flags
	j := &pairJudge{sample: s.ref.Sample, imported: true}
	keep := j.chosen(s.sets, nil, s.config.Run.Seed)
	identity := config.HashOf(s.sampler, s.config.Run.Seed, s.config.Providers[s.ref.Provider].BaseURL)
	for _, set := range s.sets {
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

// draws are the judgments to be had of each item.
func (s *sampling) draws() []drawKey {
	var draws []drawKey
	for sample := 1; sample <= s.repeated; sample++ {
		draws = append(draws, drawKey{source: pairwise.SourceRepeated, sample: sample})
	}
	if !s.flags.noHints {
		draws = append(draws, drawKey{source: pairwise.SourceCorrect, sample: 1}, drawKey{source: pairwise.SourceIncorrect, sample: 1})
	}
	return draws
}

// source is the source of the judgments.
func (s *sampling) source(providers map[pairwise.Role]string) Source {
	source := Source{Tasks: func(context.Context) iter.Seq2[Task, error] {
		return func(yield func(Task, error) bool) {
			recorded, err := s.recordedDraws()
			if err != nil {
				yield(Task{}, err)
				return
			}
			for _, it := range s.items {
				for _, d := range s.draws() {
					d.id, d.order = it.pair.ID, it.order
					if !yield(Task{Party: byPreference(s.ref.Name), Provider: providers[pairwise.RolePreference], Fingerprint: it.fingerprint, Recorded: recorded[d].state(), Calls: 1,
						Do: func(ctx context.Context, ask Asker) (Item, error) {
							return s.draw(ctx, ask.roles(providers), it, d), nil
						}}, nil) {
						return
					}
				}
			}
		}
	}}
	if s.ref.Batch {
		source.Batch = &batchParty{byPreference(s.ref.Name), s.ref.Provider, s.ref.Model}
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
	all, err := s.store.Judgments(s.ref.Name)
	if err != nil {
		return nil, err
	}
	recorded := map[drawKey]drawn{}
	for _, j := range all {
		recorded[drawKey{j.ID, j.Order, j.Source, j.Sample}] = drawn{j}
	}
	return recorded, nil
}

// draw has one judgment made.
func (s *sampling) draw(ctx context.Context, ask pairwise.Ask, it pairItem, d drawKey) Item {
	j := s.sampler.Sample(ctx, pairwise.Show(it.pair.Pair, it.order), d.source, d.sample, ask)
	row := store.RecordedJudgment{ID: d.id, Judge: s.ref.Name, Order: d.order, Source: d.source, Sample: d.sample, Fingerprint: it.fingerprint,
		Status: j.Status, Choice: asPair(j.Choice, d.order), Text: j.Text, Reason: j.Reason}
	return Item{row.Status, func(b store.Batch, calls []string) error { return b.Judgment(row, calls) }}
}

// The files of a sampling.
const (
	contrastsName       = "contrasts.jsonl"
	contrastSchemaName  = "contrasts.schema.json"
	contrastSourcesName = "contrast_sources.csv"
	contrastCountsName  = "contrast_counts.csv"
)

// write filters the judgments on record, writes what is left as contrasts, and
// checks the file that it has written.
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
			d.id, d.order = it.pair.ID, it.order
			if j, ok := recorded[d]; ok {
				judgments = append(judgments, pairwise.Judgment{Source: j.Source, Sample: j.Sample, Status: j.Status, Choice: asPair(j.Choice, j.Order), Text: j.Text, Reason: j.Reason})
			}
		}
		made, of, err := pairwise.Contrasts(pairwise.Show(it.pair.Pair, it.order), judgments, s.flags.product)
		if err != nil {
			return err
		}
		counts.Add(of)
		for _, c := range made {
			contrasts = append(contrasts, c.Contrast)
			sources = append(sources, preferences.ContrastSource{Line: len(contrasts), Pair: it.pair.ID, Order: it.order, Source: c.Source})
		}
	}
	dir := s.flags.out
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
	sourceRows, err := preferences.CSV(sources)
	if err != nil {
		return err
	}
	countRows, err := preferences.CSV(listing)
	if err != nil {
		return err
	}
	if err := table.WriteFiles(dir, map[string][]byte{contrastsName: []byte(lines.String()), contrastSchemaName: []byte(data.ContrastSchema),
		contrastSourcesName: sourceRows, contrastCountsName: countRows}); err != nil {
		return err
	}
	path := filepath.Join(dir, contrastsName)
	if checked, err := data.ReadContrasts(path); err != nil {
		return fmt.Errorf("the file that was written does not keep to its schema: %w", err)
	} else if len(checked) != len(contrasts) {
		return fmt.Errorf("%s holds %d contrasts, not %d", path, len(checked), len(contrasts))
	}
	return s.summary(listing, path)
}

// summary says what came of the judgments.
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
	if left := s.unmade.reasons(s.budgets); left != "" {
		return fmt.Errorf("%w: %s", errIncomplete, left)
	}
	if lost > 0 {
		return fmt.Errorf("%w: %d judgments have no reply; --retry-failed asks again", errIncomplete, lost)
	}
	return nil
}
