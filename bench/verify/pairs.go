package verify

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/archive"
	"compqa/results/dataset"
	"compqa/results/preferences"
	"compqa/results/store"
)

// pairs decides every recorded preference again by its method, from the recorded replies. A
// preference's fingerprint identifies the judge, and shows that judge, pair and prompts are
// those of this program.
func (c *Recheck) pairs(s *store.Store) error {
	made, err := archive.PairwiseMade(s)
	if err != nil || len(made) == 0 {
		return err
	}
	d := &redeciding{judges: map[string][]redecider{}}
	for _, m := range made {
		cfg, err := recordedConfig(m.Config)
		if err != nil {
			return err
		}
		d.configs = append(d.configs, cfg)
	}
	if err := cmp.Or(c.ownPairs(s), d.participants(s)); err != nil {
		return err
	}
	var some []archive.RecordedPreference
	err = archive.EachPreference(s, func(p archive.RecordedPreference) error {
		if some = append(some, p); len(some) < pairsAtOnce {
			return nil
		}
		err := c.decide(d, some)
		some = some[:0]
		return err
	})
	return cmp.Or(err, c.decide(d, some))
}

// pairsAtOnce is the number of preferences in memory.
const pairsAtOnce = 512

// decide decides some preferences again, concurrently. It reports the first difference in
// their order.
func (c *Recheck) decide(d *redeciding, some []archive.RecordedPreference) error {
	c.preferences += len(some)
	differences, sure := make([]string, len(some)), make([]bool, len(some))
	by := make([]*redecider, len(some))
	for i, p := range some {
		by[i] = d.judgeOf(p)
	}
	dataset.SideBySide(len(some), func(i int) error {
		switch {
		case by[i] == nil:
			differences[i] = "no judge of the configuration has this fingerprint for this pair"
			sure[i] = len(d.named(some[i].Judge, some[i].Method, nil)) > 0
		case by[i].Live() && !c.replies:
			differences[i] = "the export has no replies"
		default:
			differences[i], sure[i] = decideAgain(c.Ctx, by[i], some[i]), true
		}
		return nil
	})
	for i, p := range some {
		if differences[i] == "" {
			c.decided++
		} else if sure[i] {
			return archive.Differ("preference of %s (%s) on pair %s, order %s: %s", p.Judge, p.Method, p.ID, p.Order, differences[i])
		}
	}
	return c.Ctx.Err()
}

// redeciding finds the judges of preferences.
type redeciding struct {
	configs []*config.Config
	judges  map[string][]redecider // by name, method and aspects
}

// judgeOf is the judge with a preference's fingerprint, nil if there is none here.
func (d *redeciding) judgeOf(p archive.RecordedPreference) *redecider {
	var detail struct {
		Aspects []string `json:"aspects"`
	}
	json.Unmarshal([]byte(p.Detail), &detail) // without aspects where it is none
	known := d.named(p.Judge, p.Method, detail.Aspects)
	for i := range known {
		if decide := known[i].DecideAs(p.Fingerprint, p.Pair); decide != nil {
			of := known[i]
			of.Decide = decide
			return &of
		}
	}
	return nil
}

// named are the judges with a name and a method in all configurations, latest first.
func (d *redeciding) named(name, method string, aspects []string) []redecider {
	key := strings.Join(append([]string{name, method}, aspects...), "\x00")
	known, ok := d.judges[key]
	if !ok {
		for _, cfg := range d.configs {
			known = append(known, judgesNamed(cfg, name, method, aspects)...)
		}
		d.judges[key] = known
	}
	return known
}

// participants compares the recorded judges with those of the latest configuration.
func (d *redeciding) participants(s *store.Store) error {
	judges, err := s.PairwiseJudges()
	if err != nil {
		return err
	}
	for _, j := range judges {
		of := judgesNamed(d.configs[0], j.Name, j.Method, nil)
		if j.Kind == config.KindModel || j.Kind == config.KindEmbedded || j.Kind == config.KindFloor || len(of) > 0 {
			if len(of) == 0 || of[0].PairwiseJudge != j {
				return archive.Differ("the pairwise judge %s (%s) is recorded with another kind, family or model than the configuration has", j.Name,
					j.Method)
			}
		}
	}
	return nil
}

// ownPairs pairs the answers of the run again. Human scores that were recorded later than a
// pair do not count.
func (c *Recheck) ownPairs(s *store.Store) error {
	recorded, margin, err := s.OwnPairs(config.RunSet)
	if err != nil || len(recorded) == 0 {
		return err
	}
	listed, err := c.remade.plan.OwnPairs(s, margin, plan.RecordedAnswers(s))
	if err != nil {
		return err
	}
	now := map[string]store.SetPair{}
	for _, p := range listed {
		of := store.SetPair{Pair: p, WordsA: pairwise.Length(p.A), WordsB: pairwise.Length(p.B)}
		of.A, of.B = "", ""
		now[p.ID] = of
	}
	for _, p := range recorded {
		by := now[p.ID]
		if p.Label == data.NoChoice {
			by.Label = p.Label
		}
		if by.Label != p.Label && by.ID != "" {
			return archive.Differ("pair %s: the human preference is recorded as %s, but the human scores give %s", p.ID, p.Label, by.Label)
		}
		if by != p {
			return archive.Differ("pair %s differs from the pair of the recorded answers", p.ID)
		}
	}
	return nil
}

// A redecider is a pairwise judge with its configuration.
type redecider struct {
	parties.PairJudge
	config *config.Config
}

// judgesNamed are a configuration's judges with a name and method. aspects replace those of
// a file, which are not recorded.
func judgesNamed(c *config.Config, name, method string, aspects []string) []redecider {
	var list []redecider
	add := func(j parties.PairJudge, err error) {
		if err == nil && j.Name == name && j.Method == method {
			list = append(list, redecider{j, c})
		}
	}
	offline, err := parties.OfflinePairJudges(c)
	for _, j := range offline {
		add(j, err)
	}
	for i := range c.Pairwise {
		ref := &c.Pairwise[i]
		if base, _ := preferences.BaseOf(name); (ref.Name == name || ref.Name == base) && slices.Contains(pairwise.LiveMethods(), ref.Method) {
			own := *ref
			if own.AspectNames == nil { // those of a file were not recorded before it was there
				own.AspectNames = aspects
			}
			rounds, err := parties.LivePairJudges(c, &own, "")
			for _, j := range rounds {
				add(j, err)
			}
		}
	}
	return list
}

// decideAgain describes how a preference differs from what its method decides with the
// recorded calls, "" if it does not.
func decideAgain(ctx context.Context, j *redecider, p archive.RecordedPreference) (difference string) {
	calls := run.NewReplay(j.config, p.Calls)
	o := j.Decide(ctx, pairwise.Show(p.Pair, p.Order), run.Asker(calls.Ask).Roles(j.Providers))
	if slices.ContainsFunc(p.Calls, func(c archive.RecordedCall) bool { return c.Raw == "" }) {
		// Log-probabilities are in the bodies, which this archive does not have.
		var recorded pairwise.Detail
		json.Unmarshal([]byte(p.Detail), &recorded) // no confidence where it is none
		o.Detail.Confidence = recorded.Confidence
	}
	detail, err := json.Marshal(o.Detail)
	if err != nil {
		return err.Error()
	}
	told := func(status data.Status, choice string) string {
		if status == data.Valid {
			return "choice " + choice
		}
		return string(status)
	}
	here, there := told(o.Status, string(o.Choice.In(p.Order))), told(p.Status, p.Choice)
	switch {
	case calls.Strayed != "":
		return calls.Strayed
	case here != there:
		difference = fmt.Sprintf("recorded as %s, but its replies give %s", there, here)
	case o.Rationale != p.Rationale:
		difference = "its rationale differs from its replies"
	case string(detail) != p.Detail:
		difference = "its recorded details differ from its replies"
	case len(calls.Left) > 0:
		difference = fmt.Sprintf("it has %d more calls than its method makes", len(calls.Left))
	}
	return difference
}
