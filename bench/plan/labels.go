package plan

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/faithful"
	"compqa/judges/summary"
	"compqa/results/store"
)

// A SummaryJudge labels the contrastive tables of answers.
type SummaryJudge struct {
	store.Participant
	Provider string // offline: none
	model    string
	batch    bool
	Identity string
	existing []data.SummaryLabels // of provider file: the labels there are
	label    summary.Judge        // nil for provider file
	claims   *faithful.Model      // nil: it does not label claims
}

// A LabelCell is the labels of one kind of one judge for the answers of one AnswerCell.
type LabelCell struct {
	store.PlanCell
	Labeller *SummaryJudge
	Cell     *AnswerCell
	wanted   map[string]bool // answers that are labelled
}

// buildSummaryJudges builds the configuration's judges of summaries. An entry with provider
// file may hold several, as their labels name them.
func buildSummaryJudges(c *config.Config) (list []SummaryJudge, err error) {
	for _, ref := range c.Summaries {
		built, err := BuildSummaryJudges(c, ref)
		if err != nil {
			return nil, err
		}
		for _, j := range built {
			if slices.ContainsFunc(list, func(other SummaryJudge) bool { return other.Name == j.Name }) {
				return nil, c.Locate(config.At("summary_judges", ref.Name, fmt.Errorf("two entries give the summary judge %q", j.Name)))
			}
			list = append(list, j)
		}
	}
	return list, nil
}

// BuildSummaryJudges builds the judges of an entry: several of provider file.
func BuildSummaryJudges(c *config.Config, ref config.SummaryJudge) ([]SummaryJudge, error) {
	j := SummaryJudge{Participant: store.Participant{Name: ref.Name, Family: ref.Family}}
	switch ref.Provider {
	case config.ProviderEmbedded:
		j.Kind, j.About = config.KindEmbedded, "counting rules"
		j.label, j.Identity = summary.Rules()
		return []SummaryJudge{j}, nil
	case config.ProviderFile:
		return fileSummaryJudges(c, ref)
	}
	var err error
	var identity string
	if j.label, identity, err = summary.Model(summary.Options{Model: ref.Model, Options: ref.AllOptions(), Extra: ref.Extra, Repair: c.Run.Repair}); err != nil {
		return nil, c.Locate(config.At("summary_judges", ref.Name, config.Named("summary judge", ref.Name, err)))
	}
	if ref.Claims {
		j.claims = &faithful.Model{Model: ref.Model, Options: ref.AllOptions(), Extra: ref.Extra, Repair: c.Run.Repair}
		identity += j.claims.Identity()
	}
	p := c.Providers[ref.Provider]
	j.Kind, j.About, j.Provider, j.model, j.batch = config.KindModel, ref.Model+" at "+ref.Provider, ref.Provider, ref.Model, ref.Batch
	j.Identity = config.HashOf(p.Type, p.Server(), identity, c.Run.Seed)
	return []SummaryJudge{j}, nil
}

func fileSummaryJudges(c *config.Config, ref config.SummaryJudge) (list []SummaryJudge, _ error) {
	labels, err := data.ReadLabels(c.Path(ref.Path))
	if err != nil {
		return nil, config.UsageError{Err: err}
	}
	for _, l := range labels {
		at := slices.IndexFunc(list, func(j SummaryJudge) bool { return j.Name == l.Judge })
		if at < 0 {
			at = len(list)
			list = append(list, SummaryJudge{Participant: store.Participant{Name: l.Judge, Kind: VerdictKind(l.Judge), Family: ref.Family, About: "labels from " + ref.Path}})
		}
		list[at].existing = append(list[at].existing, l)
	}
	for i := range list {
		list[i].Identity = config.HashOf(list[i].existing)
	}
	return list, nil
}

// planLabels lays out which judge labels which tables.
func (p *Plan) planLabels() {
	p.Labels = nil
	for j := range p.Summaries {
		judge := &p.Summaries[j]
		for i := range p.Answers {
			cell := &p.Answers[i]
			for _, kind := range append(slices.Clone(data.LabelKinds), data.LabelClaims) {
				wanted := map[string]bool{}
				of := cell.withTables()
				if kind == data.LabelClaims {
					of = cell.withArguments(judge)
				}
				for _, id := range of {
					wanted[id] = judge.label != nil
				}
				for _, l := range judge.existing {
					if _, has := wanted[l.Answer]; has && (l.Status != data.Valid || l.Has(kind)) {
						wanted[l.Answer] = true
					}
				}
				ids := slices.DeleteFunc(slices.Clone(cell.IDs), func(id string) bool { return !wanted[id] })
				if len(ids) == 0 {
					continue
				}
				p.Labels = append(p.Labels, LabelCell{Labeller: judge, Cell: cell, wanted: wanted, PlanCell: store.PlanCell{Kind: kind, Judge: judge.Name, System: cell.System, Scenario: cell.Scenario,
					Planned: len(ids), Fingerprint: config.HashOf(judge.Identity, kind, cell.Fingerprint), Origin: store.FromConfig, Work: config.HashOf(ids)}})
			}
		}
	}
}

// withTables are the ids of the answers that are to have a table.
func (c *AnswerCell) withTables() (ids []string) {
	switch {
	case c.Contestant == nil:
		return nil
	case c.Contestant.tables:
		return c.IDs
	}
	for _, it := range c.Items {
		if it.existing != nil && it.existing.Table != nil {
			ids = append(ids, it.ID)
		}
	}
	return ids
}

// withArguments are the ids of the answers whose claims a judge labels: those to questions
// with arguments, except imported ones, whose arguments are unknown.
func (c *AnswerCell) withArguments(j *SummaryJudge) (ids []string) {
	for _, it := range c.Items {
		if j.claims != nil && len(it.Question.Arguments) > 0 {
			ids = append(ids, it.ID)
		}
	}
	return ids
}

// labelClaims lets a judge label the claims of an answer. One without a text is skipped.
func (j *SummaryJudge) labelClaims(ctx context.Context, ask run.Asker, q data.Question, a data.Answer) store.Labels {
	l := faithful.Labelled{Status: data.Skipped, Reason: "there is no text: the answer is " + string(a.Status)}
	if a.Status == data.Valid {
		l = j.claims.Label(ctx, q, a.Text, ask.Of(j.Provider, 1))
	}
	recorded := store.Labels{Judge: j.Name, Kind: data.LabelClaims, Status: l.Status, Reason: l.Reason, Raw: l.Raw}
	if l.Status == data.Valid {
		recorded.Labels = string(config.Encoded(l.Claims))
	}
	return recorded
}

// Label lets a judge label the table of an answer. An answer without one is skipped.
func (j *SummaryJudge) Label(ctx context.Context, ask run.Asker, q data.Question, a data.Answer, kind string) store.Labels {
	if kind == data.LabelClaims {
		return j.labelClaims(ctx, ask, q, a)
	}
	l := summary.Labelled{Status: data.Skipped, Reason: "there is no table: the answer is " + string(a.Status)}
	switch {
	case a.Status != data.Valid || a.Table == nil:
	case j.label != nil:
		l = j.label(ctx, q, *a.Table, kind, ask.Of(j.Provider, 1))
	default:
		given := j.existing[slices.IndexFunc(j.existing, func(l data.SummaryLabels) bool { return l.Answer == a.ID })]
		l = summary.Labelled{Status: given.Status, Reason: given.Reason}
		if given.Status == data.Valid {
			l.Labels = given.Of(kind)
			if l.Status, l.Reason = l.Labels.Check(kind, *a.Table); l.Status != data.Valid {
				l.Labels, l.Raw = data.Labels{}, string(config.Encoded(l.Labels))
			}
		}
	}
	recorded := store.Labels{Judge: j.Name, Kind: kind, Status: l.Status, Reason: l.Reason, Raw: l.Raw}
	if l.Status == data.Valid {
		recorded.Labels = string(config.Encoded(l.Labels))
	}
	return recorded
}

// labels are the sources of all judges of summaries. A judge takes up a cell as soon as its
// answers are on disk: complete has what is then to be called.
func (s *Sources) labels(only string, complete map[*AnswerCell][]func()) (sources []run.Source) {
	if !does(only, OnlySummaries) {
		return nil
	}
	for i := range s.Plan.Summaries {
		of := &judgeCells[*LabelCell]{}
		for k := range s.Plan.Labels {
			if c := &s.Plan.Labels[k]; c.Labeller == &s.Plan.Summaries[i] && c.Note == "" {
				of.cells = append(of.cells, c)
				complete[c.Cell] = append(complete[c.Cell], func() { of.ready <- c })
			}
		}
		if len(of.cells) == 0 {
			continue
		}
		if !s.Assume {
			of.ready = make(chan *LabelCell, len(of.cells))
		}
		source := run.Source{Tasks: func(ctx context.Context) iter.Seq2[run.Task, error] {
			return func(yield func(run.Task, error) bool) {
				for at := range of.cells {
					if c := of.next(ctx, at); c == nil || !s.labelTasks(c, yield) {
						return
					}
				}
			}
		}}
		if j := of.cells[0].Labeller; j.batch {
			source.Batch = &run.BatchParty{Party: partyOf(of.cells[0].PlanCell), Provider: j.Provider, Model: j.model}
		}
		sources = append(sources, source)
	}
	return sources
}

func (s *Sources) labelTasks(c *LabelCell, yield func(run.Task, error) bool) bool {
	recorded := map[string]data.Status{}
	var err error
	if s.current(c.PlanCell) {
		if recorded, err = s.Store.LabelStatuses(c.PlanCell); err != nil {
			return yield(run.Task{}, fmt.Errorf("reading the record: %w", err))
		}
	}
	more := true
	err = s.EachAnswer(&VerdictCell{PlanCell: c.Cell.PlanCell, Cell: c.Cell, keep: c.wanted}, func(a data.Answer) error {
		t := run.Task{Party: partyOf(c.PlanCell), Provider: c.Labeller.Provider, Recorded: store.State{Status: recorded[a.ID]}}
		if t.Recorded.Status == data.Skipped && a.Status == data.Valid {
			t.Recorded.Status = "" // it was skipped because there was no table or text
		}
		t.Do = func(ctx context.Context, ask run.Asker) (run.Item, error) {
			if c.Kind == data.LabelClaims {
				// the text is all it takes
			} else if a.Status == data.Valid && s.Assume && a.Text == AssumedText {
				a.Table = assumedTable
			} else if a.Table == nil {
				var err error
				if a.Table, err = s.Store.Table(a.ID); err != nil {
					return run.Item{}, fmt.Errorf("reading the record: %w", err)
				}
			}
			l := c.Labeller.Label(ctx, ask, s.Plan.Question(a), a, c.Kind)
			return run.Item{Status: l.Status, Write: func(b store.Batch, calls []int64) error { return b.Labels(a.ID, l, calls) }}, nil
		}
		if more = yield(t, nil); !more {
			return run.ErrEnough
		}
		return nil
	})
	if err != nil && more {
		return yield(run.Task{}, fmt.Errorf("reading the record: %w", err))
	}
	return more
}

// assumedTable is a table of the size that estimates assume: eight rows with a value of 12 words
// for each object, and its quote.
var assumedTable = func() *data.ContrastTable {
	words := strings.TrimSpace(strings.Repeat("words ", 12))
	values := []data.ContrastValue{{Value: words, Evidence: []data.Evidence{{Source: "1", Quote: words}}}}
	t := &data.ContrastTable{}
	for i := range 8 {
		t.Rows = append(t.Rows, data.ContrastRow{Attribute: "words", Kind: data.RowContrast, Rank: i + 1, Object1: values, Object2: values})
	}
	return t
}()
