package plan

import (
	"cmp"
	"maps"
	"slices"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/run"
	"compqa/data"
	"compqa/results/store"
)

// Rescored plans the judges' work again where people scored these answers.
func (p *Plan) Rescored(scored map[string]bool, limit int) {
	p.Scored, p.Judged = scored, nil
	p.planJudges(limit)
}

// planJudges lays out which judge scores which answers, and which labels what. With a limit, imported
// answers are judged only by judges that cost nothing.
func (p *Plan) planJudges(limit int) {
	rubric := config.Encoded(p.Rubric)
	for j := range p.Judges {
		judge := &p.Judges[j]
		eligible := slices.DeleteFunc(slices.Clone(p.Answers), func(c *Job) bool {
			return c.Contestant == nil && (!judge.Imported || limit > 0 && judge.Provider != run.Offline)
		})
		var keep, again map[string]bool
		if judge.Sample > 0 {
			keep = p.sample(judge.Sample, eligible, p.Scored)
		}
		if judge.SelfCheck {
			n := 0
			for _, cell := range eligible {
				n += len(cell.IDs)
			}
			scored := p.Scored
			if judge.Sample == 0 { // people who come later change nothing of what was asked
				scored = nil
			}
			again = p.sample(min(cmp.Or(judge.Sample, n), n)/selfCheckShare, eligible, scored)
		}
		for _, cell := range eligible {
			v := &Job{Party: &judge.Party, Scorer: judge, Of: cell, wanted: cell.among(keep)}
			v.PlanCell = store.PlanCell{Kind: store.KindVerdict, Judge: judge.Name, System: cell.System, Scenario: cell.Scenario,
				Planned: len(cell.IDs) * judge.Repeats, Fingerprint: config.HashOf(judge.Identity, rubric, cell.Fingerprint),
				Origin: store.FromConfig, Repeats: judge.Repeats}
			if judge.Sample > 0 {
				v.Planned, v.Sample = len(v.wanted)*judge.Repeats, v.wanted
				v.Fingerprint = config.HashOf(v.Fingerprint, p.Config.Run.Seed) // the seed draws the sample
			}
			if judge.Score == nil {
				v.Planned = 0
				for _, verdict := range judge.Existing {
					if cell.has(verdict.Answer) {
						v.Planned++
					}
				}
			}
			v.Again = cell.among(again)
			v.Planned += len(v.Again)
			v.Work = config.HashOf(cell.Work, judge.Repeats, v.wanted, v.Again)
			if v.Planned > 0 {
				p.Judged = append(p.Judged, v)
			}
		}
	}
	for j := range p.Summaries {
		for _, cell := range p.Answers {
			for _, kind := range append(slices.Clone(data.LabelKinds), data.LabelClaims) {
				p.planLabels(&p.Summaries[j], cell, kind)
			}
		}
	}
}

// planLabels lays out a judge's labels of one kind: on answers with a table or, of claims, on those to questions with
// arguments.
func (p *Plan) planLabels(judge *parties.SummaryJudge, cell *Job, kind string) {
	wanted := map[string]bool{}
	for _, it := range cell.Items { // an imported answer has no table, and its arguments are unknown
		switch {
		case kind == data.LabelClaims && judge.Labels(kind) && len(it.Question.Arguments) > 0,
			kind != data.LabelClaims && (cell.Contestant.Tables || it.existing != nil && it.existing.Table != nil):
			wanted[it.ID] = judge.Labels(kind)
		}
	}
	for _, l := range judge.Existing {
		if _, has := wanted[l.Answer]; has && (l.Status != data.Valid || l.Has(kind)) {
			wanted[l.Answer] = true
		}
	}
	ids := slices.DeleteFunc(slices.Clone(cell.IDs), func(id string) bool { return !wanted[id] })
	if len(ids) == 0 {
		return
	}
	p.Judged = append(p.Judged, &Job{Party: &judge.Party, Labeller: judge, Of: cell, wanted: wanted,
		PlanCell: store.PlanCell{Kind: kind, Judge: judge.Name, System: cell.System, Scenario: cell.Scenario,
			Planned: len(ids), Fingerprint: config.HashOf(judge.Identity, kind, cell.Fingerprint), Origin: store.FromConfig,
			Work: config.HashOf(ids)}})
}

// One of selfCheckShare verdicts is repeated to measure whether a judge agrees with itself.
const selfCheckShare = 20

// among returns the answers of a cell that are among some; nil stays nil.
func (c *Job) among(some map[string]bool) (names map[string]bool) {
	if some != nil {
		names = map[string]bool{}
	}
	for _, id := range c.IDs {
		if some[id] {
			names[id] = true
		}
	}
	return names
}

// sample chooses the answers that a judge with sample N scores: first those that people scored, since
// only these say whether the judge can be believed, then the others. Two judges with the same N score
// the same answers, and a larger N only adds to a smaller one's within each cell. The cells have shares in
// proportion to their sizes (largest remainders); among equal remainders, a hash of the seed decides.
func (p *Plan) sample(most int, cells []*Job, byPeople map[string]bool) map[string]bool {
	seed, drawn, keep := p.Config.Run.Seed, map[*Job]string{}, map[string]bool{}
	for _, c := range cells {
		drawn[c] = config.HashOf(seed, c.System, c.Scenario)
	}
	cells = slices.Clone(cells)
	slices.SortFunc(cells, func(a, b *Job) int { return cmp.Compare(drawn[a], drawn[b]) })
	for _, scored := range []bool{true, false} {
		strata := make([][]string, len(cells))
		for i, c := range cells {
			strata[i] = slices.DeleteFunc(slices.Clone(c.IDs), func(id string) bool { return byPeople[id] != scored })
		}
		maps.Copy(keep, config.Draw(most-len(keep), strata, seed))
	}
	return keep
}

// AskedTwice counts the answers that a judge scores a second time, to measure whether it agrees with itself.
func (p *Plan) AskedTwice(judge string) (answers int) {
	for _, c := range p.Judged {
		if c.Scorer != nil && c.Judge == judge {
			answers += len(c.Again)
		}
	}
	return answers
}

// SampledWithScores counts the answers that a judge with a sample scores, and those of them that people
// scored. sampled is 0 for a judge without one.
func (p *Plan) SampledWithScores(judge string) (sampled, scored int) {
	for _, c := range p.Judged {
		if c.Scorer != nil && c.Judge == judge {
			sampled += len(c.wanted)
			scored += len(slices.DeleteFunc(slices.Collect(maps.Keys(c.wanted)), func(id string) bool { return !p.Scored[id] }))
		}
	}
	return sampled, scored
}
