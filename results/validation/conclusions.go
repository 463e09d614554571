package validation

import (
	"cmp"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/checks"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/results/validation/scales"
	"compqa/stats"
)

// Conclusions has all sentences that can be concluded from a result. Package trust words each sentence once. The terminal, the page, JSON
// and JUnit select from them.
type Conclusions struct {
	Basis   string         // start of a sentence: on what assumption about the files all decisions depend; "": none
	Decided table.Findings // the headline, then the decision of each pairing, then what all of them assume; nil without pairings
	Jointly table.Findings // criteria with several right answers, and people's mean by all judges together, if they were asked for
	Unread  table.Findings // which verdicts need not be read, if this was asked for
	Asked   table.Findings // what flags asked for: changes, slices, labels, looks
	Known   table.Findings // what else a reader must know, the most important first
}

// All returns all conclusions, with the headline first.
func (c Conclusions) All() table.Findings {
	return slices.Concat(c.Decided, c.Jointly, c.Unread, c.Known, c.Asked)
}

// answers returns the first decisions, and then what all of them assume.
func (c Conclusions) answers() []string {
	if len(c.Decided) == 0 {
		return nil
	}
	last := len(c.Decided) - 1
	return append(c.Decided[1:min(1+mostAnswers, last)].Texts(), c.Decided[last].Text)
}

// answer returns the first decision that is "yes", or else the first decision, and what it assumes. It is for several judges, which the
// headline names.
func (c Conclusions) answer() []string {
	if len(c.Decided) < 2 {
		return nil
	}
	decisions := c.Decided[1 : len(c.Decided)-1]
	i := max(0, slices.IndexFunc(decisions, func(f table.Finding) bool { return f.Claim == trust.ClaimMay }))
	return append(decisions[min(i, len(decisions)):][:min(1, len(decisions))].Texts(), c.Decided[len(c.Decided)-1].Text)
}

// conclude fills in r.Concluded.
func (r *Result) conclude() {
	decisions := r.Decisions()
	c := Conclusions{Basis: r.basis(), Decided: trust.Findings(decisions, r.basis()), Jointly: slices.Concat(r.Accepted, r.Jointly),
		Unread: r.MayStand,
		Asked:  slices.Concat(r.changes(), r.otherwise(), r.Labels),
		Known:  slices.Concat(r.readings(), r.labelled(), r.systemsFound(), r.fragile())}
	if len(c.Decided) > 0 {
		c.Decided = append(c.Decided, trust.Assumed(decisions, r.sample()))
	}
	for _, p := range r.Pairings {
		c.Known = append(c.Known, r.errors(p)...)
	}
	if len(r.Unpaired) > 0 && len(r.People) > 0 {
		c.Known = append(c.Known, trust.Reading("", "Not compared, since people have no such criterion (--pair): "+
			data.Clip(strings.Join(r.Unpaired, ", "))+r.likelyPair(), ""))
	}
	r.Concluded = c
}

// readings returns what the checks found. Findings that stop a criterion come first. Equal sentences about several judges appear once.
func (r *Result) readings() (all table.Findings) {
	for _, kind := range []checks.Kind{checks.Stop, checks.Mark, checks.Say} {
		for _, f := range r.Findings {
			line := r.named(f).Sentence()
			if f.Kind == kind && !slices.Contains(all.Texts(), line) {
				all = append(all, trust.Reading(f.Criterion, line, f.Flag))
			}
		}
	}
	return all
}

// named adds the names of judges to a finding's criterion if the finding holds only for some of several judges.
func (r *Result) named(f checks.Finding) checks.Finding {
	having := func(criterion func(p *Pairing) bool) []string {
		return data.Set(data.Each(data.Where(r.Pairings, criterion), func(p *Pairing) string { return p.Judge }))
	}
	all := having(func(p *Pairing) bool { return p.Criterion == f.Criterion })
	with := having(func(p *Pairing) bool {
		return p.Criterion == f.Criterion && slices.ContainsFunc(p.found, func(g checks.Finding) bool { return g.Text == f.Text })
	})
	if len(with) > 0 && len(with) < len(all) && !strings.Contains(f.Text, f.Judge) {
		f.Criterion += " (" + strings.Join(with, ", ") + ")"
	}
	return f
}

// labelled returns sentences on labels that are not a random sample. Criteria with the same sentence share a finding.
func (r *Result) labelled() (all table.Findings) {
	sampled := data.Where(r.Pairings, func(p *Pairing) bool { return p.samplingSentence() != "" })
	for _, pairings := range table.Grouped(sampled, (*Pairing).samplingSentence) {
		all = append(all, trust.Labelled(data.Each(pairings, r.name), len(r.Pairings), pairings[0].samplingSentence()))
	}
	return all
}

// sample returns how the labelled items of all pairings were chosen.
func (r *Result) sample() trust.Sample {
	s := trust.Sample{Least: 1, Labelled: len(data.Where(r.Units, func(u Unit) bool { return u.Labelled }))}
	for _, p := range r.Pairings {
		if p.sampling.weighted() {
			s.Weighted = true
		} else if p.sampling.name == designRandom {
			s.Random = true
			s.Least = min(s.Least, p.sampling.Least)
		}
	}
	return s
}

// errors returns sentences on how the judge of a pairing errs, and on what its figures leave out.
func (r *Result) errors(p *Pairing) (all table.Findings) {
	name := r.name(p)
	mean := p.row(Mean)
	most := p.row(Majority)
	for _, text := range filled(p.Assumed, cmp.Or(p.Why, p.Mapped)) {
		all = append(all, trust.Reading(p.Criterion, name+": "+text, ""))
	}
	if p.marked() { // it is not yet known what the figures mean
		return all
	}
	if value, count, n := p.mostGiven(); n >= leastJudged && float64(count) >= .95*float64(n) {
		all = append(all, trust.Hardly(name, value, count, n))
	}
	if most.TPR.Known {
		all = append(all, trust.Errors(name, most.TPR, most.TNR, mean.RateJudge, mean.Corrected))
	}
	if (mean.Length.AboveZero() || mean.Length.BelowZero()) && p.lengthsVary() {
		all = append(all, trust.Longer(name, mean.Length))
	}
	if mean.FamilyBias.AboveZero() || mean.FamilyBias.BelowZero() {
		all = append(all, trust.OwnFamily(name, mean.Family, mean.FamilyBias))
	}
	if mean.Failed > 0 {
		all = append(all, trust.NoValue(name, mean.Failed, mean.Failed+mean.N, p.onFailures(), mean.RatePeople))
	}
	if p.decision.Consensus != nil {
		all = append(all, p.decision.Consensus.Finding(name))
	}
	if p.ties > 0 && most.Agreement.Known {
		all = append(all, trust.Note(name, "people are tied on "+data.Plural(p.ties, "item", "items")+
			", which agreement, kappa and rates leave out"))
	}
	if p.tied != "" {
		all = append(all, trust.Note(name, p.tied))
	}
	return all
}

// consensus counts how often the judge differs from people's majority: on items on which all people agree, and on items on which they split
// but have a majority. It counts items that the judge and three or more people rated. It returns nil if there are none, or values are not
// categories.
func (p *Pairing) consensus() *trust.Consensus {
	if !p.SameScale || p.PeopleScale.Kind == scales.Continuous || len(p.people) < 3 {
		return nil
	}
	c := &trust.Consensus{}
	var differs []float64
	var split []bool
	var counted raters.Pairs
	x := p.t.Pairs(p.judge, p.most)
	var given []float64 // to the current unit
	for k, i := range x.Units {
		given = given[:0]
		for _, person := range p.people {
			if v := person.Values[i]; v.Given() {
				given = append(given, v.Number())
			}
		}
		if len(given) < 3 {
			continue
		}
		side := &c.Unanimous
		wrong := 0.0
		if slices.Min(given) < slices.Max(given) {
			side = &c.Split
		}
		side.Items++
		if x.Judge[k] != x.Reference[k] {
			side.Wrong++
			wrong = 1
		}
		differs = append(differs, wrong)
		split = append(split, side == &c.Split)
		counted.Clusters = append(counted.Clusters, x.Clusters[k])
	}
	if differs == nil {
		return nil
	}
	c.Difference = counted.Contrast(differs, split, nil, level).Figure()
	return c
}

// mostGiven returns the value that the judge gives most often, how often it gives it, and the number of all its values.
func (p *Pairing) mostGiven() (value string, count, n int) {
	counts := map[string]int{}
	for _, v := range valuesIn(false, false, p.series) {
		key := strings.ToLower(v)
		counts[key]++
		n++
		if counts[key] > count || counts[key] == count && key < value {
			value = key
			count = counts[key]
		}
	}
	return value, count, n
}

// onFailures returns people's mean on items on which the judge failed. It is missing for labels without order.
func (p *Pairing) onFailures() stats.Figure {
	var values []float64
	for i, v := range p.mean.Values {
		if v.Given() && p.judge.Values[i].Missing() == raters.Failed {
			values = append(values, v.Number())
		}
	}
	if p.nominal() || len(values) == 0 {
		return stats.Figure{}
	}
	return stats.Number(stats.Mean(values))
}

// changes returns sentences on how the judge's values of the same texts changed since an older log.
func (r *Result) changes() table.Findings {
	return data.Each(r.Drift, func(d DriftRow) table.Finding {
		change := trust.Drift{Criterion: d.Criterion, Items: d.N, EqualShare: d.Agreement, Before: d.Old, After: d.New}
		if d.Change.Known {
			change.Judge = d.OfJudge
		}
		return change.Finding()
	})
}

// otherwise returns sentences on the values of a column for which the judge errs more or less than for the others.
func (r *Result) otherwise() (all table.Findings) {
	for _, row := range r.Slices {
		if row.Adjusted.Known && row.Adjusted.Value < 1-level {
			all = append(all, trust.Otherwise(row.Criterion, row.Column, row.Value, row.Alpha, row.MAE, row.Adjusted))
		}
	}
	columns := strings.Join(r.o.Columns, ", ")
	switch {
	case len(all) > 0:
	case len(r.Slices) > 0:
		all = append(all, trust.NotOtherwise(columns, "the judge's error differs significantly for no value (slices.csv)"))
	case columns != "" && len(r.Pairings) > 0:
		all = append(all, trust.NotOtherwise(columns, "no value has "+data.Plural(leastSlice, "item", "items")+
			" that people scored, or the log has no such column"))
	}
	return all
}

// systemsFound returns a sentence on the mean that people would give each system, on the first criterion with systems.
func (r *Result) systemsFound() table.Findings {
	var known []table.Measured
	var reasons []string
	missing := map[string][]string{} // systems by the reason why their means are missing
	for _, s := range r.Systems {
		switch {
		case s.Of != r.Systems[0].Of:
		case s.Predicted.Known:
			known = append(known, table.Named(s.System, s.Predicted))
		default:
			reason := s.Predicted.Reason()
			reasons = append(reasons, reason)
			missing[reason] = append(missing[reason], s.System)
		}
	}
	if len(known) == 0 {
		return nil
	}
	unknown := data.Each(data.Set(reasons), func(reason string) string { return trust.NotSystems(missing[reason], reason) })
	difference := stats.Figure{}
	if len(known) == 2 && len(r.Differences) > 0 {
		difference = r.Differences[0].Difference
		if shared := r.Differences[0].Questions; shared < stats.FewClusters {
			unknown = append(unknown, trust.FewShared(shared))
		}
	}
	return table.Findings{trust.Systems(r.Systems[0].Criterion, known, difference, unknown)}
}

// fragile returns the result that depends on the smallest share of labels, if a gate depends on alpha.
func (r *Result) fragile() table.Findings {
	if len(r.Fragility) == 0 || r.o.Limit == 0 {
		return nil
	}
	least := r.Fragility[0]
	for _, f := range r.Fragility {
		if f.Removed*least.Of < least.Removed*f.Of {
			least = f
		}
	}
	return table.Findings{trust.Fragile(least.What, least.Sentence("label"))}
}

// anyTimeFindings returns for each criterion what all looks together show, and whether the judge or people have moved.
func (r *Result) anyTimeFindings() (all table.Findings) {
	for _, p := range r.Pairings {
		var parts []string
		var left table.Findings
		notRandom := 0
		looks := 0
		for _, row := range r.AnyTime {
			if row.Of != p.Of {
				continue
			}
			notRandom = row.Weighted
			looks = row.Looks
			if row.left.Known {
				left = append(left, trust.LeftInterval(r.name(p), wordsOfFigures[row.Figure], row.text(row.left), row.Since))
			}
			if row.N > 0 {
				parts = append(parts, row.part())
			}
		}
		if notRandom > 0 || parts != nil {
			all = append(all, trust.AnyTime(r.name(p), parts, looks, notRandom))
		}
		all = append(all, left...)
	}
	for _, row := range r.Moved {
		m := trust.Movement{Criterion: row.Criterion, Who: row.Moved, Since: row.Since, Judge: row.JudgeChange, Anchors: row.AnchorsChange,
			JudgeFound: row.JudgeFound, AnchorsFound: row.AnchorsFound}
		all = append(all, m.Finding())
	}
	return all
}
