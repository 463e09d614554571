package verify

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"compqa/bench/config"
	"compqa/bench/pairs"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/archive"
	"compqa/results/store"
)

// pairs has every preference on record decided anew by its method, from the
// replies on record. A preference's fingerprint says which judge it was, and that
// judge, pair and prompts are the ones of this compqa.
func (c *Recheck) pairs(s *store.Store) error {
	configs, err := archive.PairwiseConfigs(s)
	if err != nil || configs == nil {
		return err
	}
	d := &redeciding{judges: map[string][]redecider{}}
	if d.people, err = s.PeopleTotals(); err != nil {
		return err
	}
	for _, text := range configs {
		cfg, err := recordedConfig(text)
		if err != nil {
			return err
		}
		d.configs = append(d.configs, cfg)
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

// pairsAtOnce is how many preferences are held at a time.
const pairsAtOnce = 512

// decide has some preferences decided anew, several at once; the first difference
// is the first in their order.
func (c *Recheck) decide(d *redeciding, some []archive.RecordedPreference) error {
	c.preferences += len(some)
	differences, sure := make([]string, len(some)), make([]bool, len(some))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range some {
		j := d.judgeOf(p)
		if j == nil || j.Live() && !c.replies {
			differences[i] = "nobody here decides it"
			continue
		}
		group.Go(func() error {
			differences[i], sure[i] = decideAgain(c.Ctx, j, p)
			return nil
		})
	}
	group.Wait()
	for i, p := range some {
		if label := d.labelled(p); label != p.Pair.Label {
			return archive.Differ("pair %s: people's preference is on record as %s, and by their points it is %s", p.ID, p.Pair.Label, label)
		}
		if differences[i] == "" {
			c.decided++
		} else if sure[i] {
			return archive.Differ("preference of %s (%s) on pair %s, order %s: %s", p.Judge, p.Method, p.ID, p.Order, differences[i])
		}
	}
	return c.Ctx.Err()
}

// redeciding finds the judges that preferences are of.
type redeciding struct {
	configs []*config.Config
	judges  map[string][]redecider // by name, method and aspects
	people  map[string]float64     // people's points, by answer
}

// labelled is people's preference by their points, where the record has both.
// Points that came into it later than the pair did not count.
func (d *redeciding) labelled(p archive.RecordedPreference) data.Choice {
	a, scoredA := d.people[p.Pair.AnswerA]
	b, scoredB := d.people[p.Pair.AnswerB]
	if p.Margin == nil || !scoredA || !scoredB || p.Pair.Label == data.NoChoice {
		return p.Pair.Label
	}
	return pairs.Preferred(a, b, *p.Margin)
}

// judgeOf is the judge that a preference's fingerprint is of, nil for none here.
func (d *redeciding) judgeOf(p archive.RecordedPreference) *redecider {
	var detail struct {
		Aspects []string `json:"aspects"`
	}
	json.Unmarshal([]byte(p.Detail), &detail) // without aspects where it is none
	key := strings.Join(append([]string{p.Judge, p.Method}, detail.Aspects...), "\x00")
	known, ok := d.judges[key]
	if !ok {
		for _, cfg := range d.configs {
			known = append(known, judgesNamed(cfg, p.Judge, p.Method, detail.Aspects)...)
		}
		d.judges[key] = known
	}
	for i := range known {
		if pairs.Fingerprint(&known[i].PairJudge, store.SetPair{Pair: p.Pair}) == p.Fingerprint {
			return &known[i]
		}
	}
	return nil
}

// A redecider is a judge of pairs, and the configuration by which it is asked.
type redecider struct {
	pairs.PairJudge
	config *config.Config
}

// judgesNamed are a configuration's judges of a name and method; aspects stand for
// those of a file, which no record holds.
func judgesNamed(c *config.Config, name, method string, aspects []string) []redecider {
	var list []redecider
	add := func(j pairs.PairJudge, err error) {
		if err == nil && j.Name == name && j.Method == method {
			list = append(list, redecider{j, c})
		}
	}
	offline, err := pairs.OfflinePairJudges(c)
	for _, j := range offline {
		add(j, err)
	}
	for i := range c.Pairwise {
		if ref := &c.Pairwise[i]; ref.Name == name && slices.Contains(pairwise.LiveMethods(), ref.Method) {
			add(pairs.LivePairJudge(c, ref, aspects))
		}
	}
	return list
}

// decideAgain says what a preference is otherwise than its method decides by the
// calls on record, "" for nothing. It is not sure where a call that failed then
// may have been made again since.
func decideAgain(ctx context.Context, j *redecider, p archive.RecordedPreference) (difference string, sure bool) {
	calls := run.NewReplay(j.config, p.Calls)
	o := j.Decide(ctx, pairwise.Show(p.Pair, p.Order), run.Asker(calls.Ask).Roles(j.Providers))
	detail, err := json.Marshal(o.Detail)
	if err != nil {
		return err.Error(), true
	}
	told := func(status data.Status, choice string) string {
		if status == data.Valid {
			return "choice " + choice
		}
		return string(status)
	}
	here, there := told(o.Status, string(pairs.AsPair(o.Choice, p.Order))), told(p.Status, p.Choice)
	switch {
	case calls.Strayed != "":
		return calls.Strayed, true
	case here != there:
		difference = fmt.Sprintf("on record %s, by its replies %s", there, here)
	case o.Rationale != p.Rationale:
		difference = "its rationale is not that of its replies"
	case string(detail) != p.Detail:
		difference = "how it came about is on record otherwise than its replies say"
	case len(calls.Left) > 0:
		difference = fmt.Sprintf("it rests on %d calls more than its method makes", len(calls.Left))
	}
	return difference, !calls.Failed
}
