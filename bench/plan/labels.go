package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/run"
	"compqa/data"
	"compqa/results/store"
)

// A LabelCell is the labels of one kind of one judge for the answers of one AnswerCell.
type LabelCell struct {
	store.PlanCell
	Labeller *parties.SummaryJudge
	Cell     *AnswerCell
	wanted   map[string]bool // answers that are labelled
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
					wanted[id] = judge.Reads()
				}
				for _, l := range judge.Existing {
					if _, has := wanted[l.Answer]; has && (l.Status != data.Valid || l.Has(kind)) {
						wanted[l.Answer] = true
					}
				}
				ids := slices.DeleteFunc(slices.Clone(cell.IDs), func(id string) bool { return !wanted[id] })
				if len(ids) == 0 {
					continue
				}
				p.Labels = append(p.Labels, LabelCell{Labeller: judge, Cell: cell, wanted: wanted,
					PlanCell: store.PlanCell{Kind: kind, Judge: judge.Name, System: cell.System, Scenario: cell.Scenario,
						Planned: len(ids), Fingerprint: config.HashOf(judge.Identity, kind, cell.Fingerprint), Origin: store.FromConfig,
						Work: config.HashOf(ids)}})
			}
		}
	}
}

// withTables are the ids of the answers that are to have a table.
func (c *AnswerCell) withTables() (ids []string) {
	switch {
	case c.Contestant == nil:
		return nil
	case c.Contestant.Tables:
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
func (c *AnswerCell) withArguments(j *parties.SummaryJudge) (ids []string) {
	for _, it := range c.Items {
		if j.Claims() && len(it.Question.Arguments) > 0 {
			ids = append(ids, it.ID)
		}
	}
	return ids
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
		t := run.Task{Party: partyOf(c.PlanCell), At: run.ResultAt("labels", a.ID, c.Judge, c.Kind), Group: c, Provider: c.Labeller.Provider,
			Recorded: store.State{Status: recorded[a.ID]}}
		if t.Recorded.Status == data.Skipped && a.Status == data.Valid {
			t.Recorded.Status = "" // it was skipped because there was no table or text
		}
		t.Do = func(ctx context.Context, ask run.Asker) (run.Item, error) {
			if c.Kind != data.LabelClaims && a.Status == data.Valid && s.Assume && a.Text == AssumedText {
				a.Table = assumedTable
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
