package verify

import (
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/plan"
	"compqa/data"
	"compqa/results/archive"
	"compqa/results/store"
)

// replayPairs replays the tasks about pairs. It goes through the recorded configurations with pairs, the latest first, and stops replaying
// when every preference has been made again and every set of pairs explained. Each configuration is replayed with the samples of its
// judges, then without: an earlier run with fewer pairs may have drawn another sample.
func (c *Recheck) replayPairs() error {
	made, err := c.db.PairRuns()
	if err != nil {
		return err
	}
	c.pairSets, err = c.db.SetsWithPairs()
	if err != nil {
		return err
	}
	follows := map[string]bool{} // names of the sets that follow from a configuration
	rest := func(set store.PairSet) bool {
		return !follows[set.Name] && len(set.Pairs) > 0 && (set.Base != "" || set.Name == config.RunSet)
	}
	for i, m := range made {
		for _, sampled := range []bool{true, false} {
			left, err := c.hasUnplanned(store.KindPreference)
			if err != nil {
				return err
			}
			latest := i == 0 && sampled
			if latest || left || slices.ContainsFunc(c.pairSets, rest) {
				if err := c.replayPairsOf(m, follows, latest, sampled); err != nil {
					return err
				}
			}
		}
	}
	if index := slices.IndexFunc(c.pairSets, rest); index >= 0 {
		return archive.Differ("the set of pairs %s follows from no configuration", c.pairSets[index].Name)
	}
	return c.checkNamedPairs(made)
}

// checkNamedPairs compares the sets and judges of pairs that the configurations name with those on record. A recorded set without pairs
// must be named by some configuration; its answers did not exist yet. A set or judge in the configuration of the answers that no run has
// asked about is listed.
func (c *Recheck) checkNamedPairs(made []store.Provenance) error {
	sets := map[string]bool{}
	judges := map[string]bool{}
	for _, m := range made {
		cfg, err := c.recordedConfig(m)
		if err != nil {
			return err
		}
		for _, set := range cfg.PairSets() {
			sets[set.Name] = true
		}
		for _, j := range cfg.JudgesOf(store.KindPreference) {
			judges[j.Name] = true
		}
	}
	empty, err := c.db.EmptySets()
	for _, set := range empty {
		if !sets[set.Name] && !sets[set.Base] {
			return archive.Differ("the set of pairs %s is empty, and no configuration names it", set.Name)
		}
	}
	cfg := c.plan.Config
	if err != nil || cfg.Pairs == nil && cfg.JudgesOf(store.KindPreference) == nil {
		return err
	}
	count, err := plan.OwnPairs(c.plan, c.db)
	lacks := c.notRun
	if len(made) == 0 {
		lacks = c.missing
	}
	for _, set := range cfg.PairSets() {
		if !sets[set.Name] && (set.Name != config.RunSet || count > 0) {
			lacks.add("pair set", "the configuration", 1, "no run has asked about %s", set.Name)
		}
	}
	for _, j := range cfg.JudgesOf(store.KindPreference) {
		if !judges[j.Name] && (len(cfg.Pairs) > 0 || count > 0) {
			lacks.add("judge of pairs", "the configuration", 1, "no run has asked %s", j.Name)
		}
	}
	return err
}

// replayPairsOf replays the tasks about pairs of one configuration, and compares its sets with those on record. It adds the sets that it
// explains to follows. sampled says whether judges are asked about their samples only.
func (c *Recheck) replayPairsOf(made store.Provenance, follows map[string]bool, latest, sampled bool) error {
	cfg, err := c.recordedConfig(made)
	if err != nil {
		return err
	}
	for _, ref := range cfg.JudgesOf(store.KindPreference) {
		if !sampled {
			ref.Sample = 0
		}
	}
	in, err := c.inputsOf(cfg)
	if err != nil {
		return err
	}
	p, err := plan.Of(cfg, in, 0, c.db)
	if err == nil {
		p.Pairs, err = plan.NewRecordedPairs(p, c.pairSets)
	}
	if err != nil {
		return err
	}
	again, err := c.replayPlan(p, plan.OnlyPairs, latest)
	if err == nil && latest {
		c.preferenceCells, err = again.Paired.Cells(), c.pairwiseJudges(again.Paired.Judges)
		for _, set := range again.Paired.Sets {
			c.orders[set.Name] = again.Paired.Orders(set.Name)
		}
	}
	if err != nil {
		return err
	}
	for _, now := range again.Paired.Sets {
		index := slices.IndexFunc(c.pairSets, func(s store.PairSet) bool { return s.Name == now.Name })
		if follows[now.Name] || index < 0 && !latest || len(now.Pairs) == 0 {
			continue
		}
		follows[now.Name] = true
		if index < 0 {
			return archive.Differ("the set of pairs %s follows from the configuration, but is not on record", now.Name)
		}
		if err := compareSets(c.pairSets[index], now); err != nil {
			return err
		}
	}
	return nil
}

// compareSets returns an error about the first difference between a recorded set of pairs and the set made now, nil if they are equal.
func compareSets(then, now store.PairSet) error {
	given := func(s store.PairSet) string { // what the configuration gives
		if s.Source, _, _ = strings.Cut(s.Source, " (gold: "); s.Name != config.RunSet && s.Base == "" {
			s.Source = "" // the set is from a file
		}
		return string(config.Encoded([]any{s.Base, s.Bias, s.Adversarial, s.Margin, s.Source}))
	}
	if here, there := given(then), given(now); here != there {
		return archive.Differ("the set of pairs %s has another base, bias, margin or source than the configuration gives: %s, not %s",
			then.Name, here, there)
	}
	if then.First > 0 && then.First < len(then.Pairs) {
		return archive.Differ("the set of pairs %s has %d pairs, but is recorded as the first %d", then.Name, len(then.Pairs), then.First)
	}
	made := data.By(now.Pairs, func(p store.SetPair) string { return p.ID })
	for _, p := range then.Pairs {
		by, known := made[p.ID]
		if known && by.Label != p.Label {
			return archive.Differ("pair %s: the human preference is recorded as %s, but the human scores give %s", p.ID, p.Label, by.Label)
		}
		if by != p {
			here, there := archive.Excerpts(string(config.Encoded(p)), string(config.Encoded(by)))
			return archive.Differ("pair %s differs from the pair of the recorded answers: %q, not %q", p.ID, here, there)
		}
	}
	if len(then.Pairs) < len(now.Pairs) {
		return archive.Differ("the set of pairs %s has %d pairs, but %d follow from the record", then.Name, len(then.Pairs), len(now.Pairs))
	}
	return nil
}

// pairwiseJudges compares the recorded judges of pairs with those of the latest configuration.
func (c *Recheck) pairwiseJudges(now []parties.PairJudge) error {
	judges, err := c.db.PlannedParties(store.RolePairwise)
	if err != nil {
		return err
	}
	configured := data.Each(now, func(j parties.PairJudge) store.Participant { return j.Participant })
	_, err = placesOf("judge of pairs", configured, judges, []string{config.KindImported, config.KindHuman})
	return err
}
