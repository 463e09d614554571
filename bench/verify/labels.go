package verify

import (
	"cmp"
	"slices"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/results/archive"
	"compqa/results/store"
)

// labelsFromFiles reports whether the configuration has labels of people or other programs.
func (c *Recheck) labelsFromFiles() bool {
	return slices.ContainsFunc(c.remade.plan.Config.Summaries, func(j config.SummaryJudge) bool { return j.Provider == config.ProviderFile })
}

// summaries labels the contrastive tables again: by the judge itself if it needs no model, else
// from the recorded calls. Labels of people and files are checked against their tables.
func (c *Recheck) summaries(s *store.Store) error {
	cells, err := s.LabelCells()
	if err != nil || len(cells) == 0 {
		return err
	}
	answers := map[store.Place]string{} // fingerprints of their cells
	for _, cell := range c.run.Plan {
		if cell.Kind == store.KindAnswer {
			answers[store.Place{System: cell.System, Scenario: cell.Scenario}] = cell.Fingerprint
		}
	}
	current := map[store.CellKey]bool{}
	for _, cell := range cells {
		j := c.remade.summaryJudge(cell.Judge)
		same := j != nil && cell.Fingerprint == config.HashOf(j.Identity, cell.Kind, answers[store.Place{System: cell.System,
			Scenario: cell.Scenario}])
		if j != nil && !same {
			return archive.Differ("the %s were planned with another configuration than the recorded one", cellName(cell))
		}
		current[cell.Key()] = same
	}
	return cmp.Or(archive.EachLabels(s, func(l archive.LabelsWithCalls) error {
		if current[store.CellKey{Kind: l.Kind, Judge: l.Judge, System: l.Answer.System, Scenario: l.Answer.Scenario}] {
			return c.labelAgain(l)
		}
		return checkGiven(l)
	}), c.Ctx.Err())
}

// checkGiven compares labels of people and files with their table.
func checkGiven(l archive.LabelsWithCalls) error {
	if l.Status != data.Valid {
		return nil
	}
	if l.Answer.Table == nil {
		return archive.Differ("labels (%s) of %s on answer %s: the answer has no table", l.Kind, l.Judge, l.Answer.ID)
	}
	if status, reason := l.Parsed.Check(l.Kind, *l.Answer.Table); status != data.Valid {
		return archive.Differ("labels (%s) of %s on answer %s: %s", l.Kind, l.Judge, l.Answer.ID, reason)
	}
	return nil
}

// labelAgain compares labels with what their judge gives.
func (c *Recheck) labelAgain(l archive.LabelsWithCalls) error {
	j := c.remade.summaryJudge(l.Judge)
	if j.Kind == config.KindModel && !c.replies {
		return nil
	}
	calls := run.NewReplay(c.remade.plan.Config, l.Calls)
	now := j.Label(c.Ctx, calls.Ask, c.remade.plan.Question(l.Answer), l.Answer, l.Kind)
	wrong := calls.Differs(archive.RecordedOutput{Status: l.Status, Text: l.Raw}, now.Status, now.Raw)
	if now.Status == l.Status && len(l.Calls) > 0 && !slices.Contains(archive.FromReply, l.Status) {
		now.Reason = l.Reason // the server's words
	}
	if wrong == "" && now != l.Labels || len(l.Calls) > 0 && j.Kind != config.KindModel {
		wrong = "they differ from those computed from its table"
	}
	if wrong != "" {
		return archive.Differ("labels (%s) of %s on answer %s: %s", l.Kind, l.Judge, l.Answer.ID, wrong)
	}
	c.tables++
	return nil
}
