package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/preferences"
	"compqa/results/store"
	"compqa/results/table"
)

// drawing wants one judge of Con-J's method, and pairs with a known preference.
var drawing = commandKind{
	wants: func(ref *PairwiseRef) bool { return ref.Method == pairwise.MethodConJ },
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
	ref      *PairwiseRef
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
	models, lanes := s.config.pairwiseModels(*s.ref)
	lane := lanes[pairwise.RolePreference]
	if fault := s.faults[lane]; fault != "" {
		return fmt.Errorf("provider %s cannot be used: %s", lane, fault)
	}
	s.sampler = pairwise.Sampler{Model: models[pairwise.RolePreference], Defaults: pairwise.ConJSampling(s.config.Providers[lane].Type)}
	if err := s.layOut(); err != nil {
		return err
	}
	id, err := s.beginSampling()
	if err != nil {
		return err
	}
	ctx, end := s.start(ctx)
	err = s.draw(ctx, lane)
	stopped := s.stopped(ctx)
	if err := errors.Join(err, end()); err != nil {
		return err
	}
	if stopped {
		return errStopped
	}
	return s.store.FinishPairwise(id, time.Now())
}

// layOut takes the pairs whose better answer is known, in each order.
func (s *sampling) layOut() error {
	orders, _ := s.flags.orders() // checked with the flags
	j := &pairJudge{sample: s.ref.Sample, imported: true}
	keep := j.chosen(s.sets, nil, s.config.Run.Seed)
	identity := hashOf(s.sampler, s.config.Run.Seed, s.config.Providers[s.ref.Provider].BaseURL)
	for _, set := range s.sets {
		for _, p := range set.Pairs {
			if !p.Label.Decided() || !keep[p.ID] {
				continue
			}
			for _, order := range orders {
				s.items = append(s.items, pairItem{p, order, hashOf(identity, p.Question, p.A, p.B, p.Label)})
			}
		}
	}
	if len(s.items) == 0 {
		return usageError{errNothingToTellBy}
	}
	return nil
}

func (s *sampling) beginSampling() (int64, error) {
	config, err := s.config.resolved()
	if err != nil {
		return 0, usageError{err}
	}
	sources, err := json.Marshal([]string{"judgments of " + s.ref.Name})
	if err != nil {
		return 0, err
	}
	program, revision := buildVersion()
	id, err := s.store.BeginPairwise(store.PairwiseMade{Program: program, Revision: revision, Config: config, Sources: string(sources), Seed: s.config.Run.Seed}, time.Now())
	if err != nil {
		return 0, err
	}
	return id, s.store.Write(func(b store.Batch) error { return b.PairSets(s.sets) })
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

// draw has the judgments made that are not on record.
func (s *sampling) draw(ctx context.Context, lane string) error {
	recorded, err := s.recordedDraws()
	if err != nil {
		return err
	}
	draws := s.draws()
	s.tell([]store.PlanCell{{Judge: s.ref.Name, Planned: len(s.items) * len(draws)}})
	err = s.workers([]func(*sync.WaitGroup) error{func(pending *sync.WaitGroup) error {
		for _, it := range s.items {
			for _, d := range draws {
				d.id, d.order = it.pair.ID, it.order
				known, ok := recorded[d]
				if ok && known.Fingerprint == it.fingerprint && !(s.retry && known.Status == data.Failed) {
					s.progress.recorded(s.ref.Name, 1)
					continue
				}
				if !s.enter(ctx, lane, pending, func() { s.drawOne(ctx, it, d) }) {
					return nil
				}
			}
		}
		return nil
	}})
	s.told("judgments")
	return err
}

func (s *sampling) recordedDraws() (map[drawKey]store.RecordedJudgment, error) {
	all, err := s.store.Judgments(s.ref.Name)
	if err != nil {
		return nil, err
	}
	recorded := map[drawKey]store.RecordedJudgment{}
	for _, j := range all {
		recorded[drawKey{j.ID, j.Order, j.Source, j.Sample}] = j
	}
	return recorded, nil
}

func (s *sampling) drawOne(ctx context.Context, it pairItem, d drawKey) {
	var calls []string
	_, lanes := s.config.pairwiseModels(*s.ref)
	j := s.sampler.Sample(ctx, pairwise.Show(it.pair.Pair, it.order), d.source, d.sample, s.ask(s.ref.Name, lanes, &calls))
	if j.Status == data.Pending {
		return
	}
	row := store.RecordedJudgment{ID: d.id, Judge: s.ref.Name, Order: d.order, Source: d.source, Sample: d.sample, Fingerprint: it.fingerprint,
		Status: j.Status, Choice: asPair(j.Choice, d.order), Text: j.Text, Reason: j.Reason}
	file(s.record, row.Status, func(b store.Batch) error { return b.Judgment(row, calls) })
	s.progress.finished(s.ref.Name, j.Status)
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
	if left := s.left.because(s.plan.till); left != "" {
		return fmt.Errorf("%w: %s", errIncomplete, left)
	}
	if lost > 0 {
		return fmt.Errorf("%w: %d judgments have no reply; --retry-failed asks again", errIncomplete, lost)
	}
	return nil
}
