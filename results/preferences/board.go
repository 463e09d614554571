// Package preferences computes the tables of pairwise judges: accuracy, consistency over both orders, bias, strengths of
// systems and costs.
package preferences

import (
	"fmt"
	"iter"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/stats"
)

// The order of a row over both orders, and the set of a row over all sets.
const (
	orderBoth = "both"
	orderOne  = "random" // of a row over both orders of pairs that were shown in one order each
	allSets   = "all"
)

var orders = []string{data.OrderAB, data.OrderBA, orderBoth}

// JudgeOn names a judge and a set of pairs, in the first columns of a table.
type JudgeOn struct {
	Judge   string `csv:"judge"`
	Method  string `csv:"method"`
	Dataset string `csv:"dataset"`
}

func (o JudgeOn) dataset() string { return o.Dataset }

// A judged is a pair with a judge's preferences in orders ab and ba, in one of its rounds; nil if missing.
type judged struct {
	*dataset.PairRow
	pair, round int // the round from 1
	by          [2]*dataset.PreferenceRow
}

func (j judged) in(order string) []*dataset.PreferenceRow {
	if index := slices.Index(data.Orders, order); index >= 0 {
		return j.by[index : index+1]
	}
	return j.by[:]
}

func (j judged) valid() []*dataset.PreferenceRow {
	return data.Where(j.by[:], func(p *dataset.PreferenceRow) bool { return p != nil && p.Status == data.Valid })
}

// choice returns the valid choice in an order; in both orders it is a tie if they differ.
func (j judged) choice(order string) (c data.Choice, valid bool) {
	for _, p := range j.in(order) {
		switch {
		case p == nil || p.Status != data.Valid:
			return "", false
		case c != "":
			c = data.BothOrders(c, p.Choice)
		default:
			c = p.Choice
		}
	}
	return c, true
}

// same reports whether the choice is valid and the same in both orders.
func (j judged) same() bool {
	_, both := j.choice(orderBoth)
	return both && j.by[0].Choice == j.by[1].Choice
}

func (j judged) right(c data.Choice) float64 { return dataset.Indicator(c == j.Label) }

// A judge is a judge of pairs with all its rounds: its figures are means over rounds, with intervals over clusters, and a
// round is in no comparison by itself.
type judge struct {
	store.Participant
	rounds int
	pairs  []judged // with a preference, in order, round by round

	degenerate string // why its preferences say nothing, "" if they may
}

type board struct {
	*dataset.PairwiseRecord
	dataset.Calculator
	judges  []*judge
	byRound []*judge // of each judge of the record, which is a round
	groups  []group  // of each set range, those of all judges

	byCluster []int   // pairs, by item of judgements
	itemOf    []int32 // items, by pair
}

func newBoard(r *dataset.PairwiseRecord) *board {
	b := &board{PairwiseRecord: r}
	b.placeItems()
	round := make([]int, len(r.Judges))
	for j, recorded := range r.Judges {
		base, n := store.BaseOf(recorded.Name)
		first := slices.IndexFunc(b.judges, func(o *judge) bool { return o.Name == base && o.Method == recorded.Method })
		if n == 1 || first < 0 {
			first = len(b.judges)
			n = 1
			b.judges = append(b.judges, &judge{Participant: recorded})
		}
		judge := b.judges[first]
		b.byRound = append(b.byRound, judge)
		round[j] = n
		judge.rounds = max(judge.rounds, n)
	}
	for i := range r.Prefs {
		p := &r.Prefs[i]
		judge := b.byRound[p.Judge]
		round := round[p.Judge]
		if n := len(judge.pairs); n == 0 || judge.pairs[n-1].pair != p.Pair || judge.pairs[n-1].round != round {
			judge.pairs = append(judge.pairs, judged{PairRow: &r.Pairs[p.Pair], pair: p.Pair, round: round})
		}
		judge.pairs[len(judge.pairs)-1].by[slices.Index(data.Orders, p.Order)] = p
	}
	for _, j := range b.judges {
		j.degenerate = j.whyDegenerate()
	}
	for _, set := range b.setRanges() {
		for _, j := range b.judges {
			b.groups = append(b.groups, b.group(j, set))
		}
	}
	return b
}

const (
	// minDegenerate is the number of pairs from which a judge can be called degenerate.
	minDegenerate = 20
	// samePlace is the share of pairs with the same place chosen in both orders from which it is.
	samePlace = 0.95
)

// degenerateChoices are choices in orders ab and ba that say nothing if most pairs have them.
var degenerateChoices = []struct {
	ab, ba data.Choice
	says   string
}{
	{data.ChoiceA, data.ChoiceB, "chooses the answer shown first for %.0f %% of %d pairs, in both orders"},
	{data.ChoiceB, data.ChoiceA, "chooses the answer shown second for %.0f %% of %d pairs, in both orders"},
	{data.ChoiceTie, data.ChoiceTie, "calls %.0f %% of %d pairs a tie"},
}

// whyDegenerate says why a judge's preferences say nothing about answers: it chooses the same place whatever is shown there,
// or no reply names a choice. Floors choose by design, and people are never called degenerate.
func (j *judge) whyDegenerate() string {
	if j.Kind == dataset.KindFloor || j.Kind == dataset.KindHuman {
		return ""
	}
	n := 0
	unreadable := 0
	chosen := map[[2]data.Choice]int{}
	for _, judged := range j.pairs {
		if _, both := judged.choice(orderBoth); both {
			n++
			chosen[[2]data.Choice{judged.by[0].Choice, judged.by[1].Choice}]++
		}
	}
	statuses := group{pairs: j.pairs}.tally(data.Orders...).statuses
	for status, n := range statuses {
		if status.Unreadable() {
			unreadable += n
		}
	}
	if statuses[data.Valid] == 0 && unreadable >= minDegenerate {
		return fmt.Sprintf("gives no choice in %d replies", unreadable)
	}
	for _, c := range degenerateChoices {
		if share := float64(chosen[[2]data.Choice{c.ab, c.ba}]) / float64(max(1, n)); n >= minDegenerate && share >= samePlace {
			return fmt.Sprintf(c.says, 100*share, n)
		}
	}
	return ""
}

// setRanges returns the indices of sets; -1 after the sets without a bias, which are the first, stands for all of these, if
// there are several.
func (b *board) setRanges() (ranges []int) {
	plain := 0
	for i, set := range b.Sets {
		ranges = append(ranges, i)
		if set.Base == "" {
			plain++
		}
	}
	if plain > 1 {
		ranges = slices.Insert(ranges, plain, -1)
	}
	return ranges
}

func (b *board) setName(set int) string {
	if set < 0 {
		return allSets
	}
	return b.Sets[set].Name
}

// mainSet returns the set for summaries: all sets, or the only one.
func (b *board) mainSet() string {
	if len(b.Sets) == 0 || slices.Contains(b.setRanges(), -1) {
		return allSets
	}
	return b.Sets[0].Name
}

// onMainSet reports whether a pair is one of mainSet.
func (b *board) onMainSet(p dataset.PairRow) bool {
	set := 0
	if b.mainSet() == allSets {
		set = -1
	}
	return b.within(p.Set, set)
}

// within reports whether the set at an index belongs to a set range.
func (b *board) within(index, set int) bool {
	return index == set || index >= 0 && set < 0 && b.Sets[index].Base == ""
}

// A group is a judge's preferences on a set range.
type group struct {
	*board
	JudgeOn
	who     *judge
	set     int // index; -1: all
	pairs   []judged
	planned map[string]int // preferences of all rounds by order; for both orders, pairs: the larger number of each set
	missing data.Status    // of those that are not recorded
	lost    map[string]int // by order, on pairs that nobody can be asked about, and that are not in planned
}

func (b *board) group(who *judge, set int) group {
	within := func(j judged) bool { return b.within(j.Set, set) }
	pairs := who.pairs
	if data.Count(pairs, within) < len(pairs) { // else a copy would only take memory
		pairs = data.Where(pairs, within)
	}
	g := group{b, JudgeOn{who.Name, who.Method, b.setName(set)}, who, set, pairs, map[string]int{}, data.Skipped, map[string]int{}}
	for i, pairSet := range b.Sets {
		planned := map[string]int{} // by order
		for _, c := range b.Cells {
			base, _ := store.BaseOf(c.Judge)
			if b.within(i, set) && c.Dataset == pairSet.Name && c.Method == g.Method && (c.Judge == g.Judge || base == g.Judge) {
				if c.Note == "" && c.Judge == g.Judge {
					g.missing = data.Pending
				}
				planned[c.Order] += c.Planned
			}
		}
		planned[orderBoth] = max(planned[data.OrderAB], planned[data.OrderBA])
		for order, n := range planned {
			g.planned[order] += n
			if pairSet.Name == store.RunSet && n > 0 && b.within(i, set) && g.asksAll(i, order, n) {
				g.lost[order] = len(b.Lost) * who.rounds
			}
		}
	}
	return g
}

// asksAll reports whether a judge with planned preferences on a set is asked about all pairs in an order, not about a sample
// or about those that others gave it.
func (g group) asksAll(set int, order string, planned int) bool {
	if g.given() {
		return false
	}
	recorded := data.Count(g.pairs, func(j judged) bool {
		return j.Set == set && slices.ContainsFunc(j.in(order), func(p *dataset.PreferenceRow) bool { return p != nil })
	})
	return max(planned, recorded) == g.who.rounds*data.Count(g.Pairs, func(p dataset.PairRow) bool { return p.Set == set })
}

// bySet has the groups of each set range.
func (b *board) bySet() iter.Seq[[]group] { return slices.Chunk(b.groups, max(1, len(b.judges))) }

// fair returns the groups of judges that are not told the answer.
func fair(groups []group) []group {
	return data.Where(groups, func(g group) bool { return !g.who.Hinted })
}

func each[Row any](groups []group, rows func(group) []Row) []Row {
	return slices.Concat(data.Each(groups, rows)...)
}

// fittedOn returns what the judge was trained on of the set, as far as its configuration says. The human scores of the release
// are behind the labels of a run's own pairs. Other data that is not a set of the record may have any of its pairs.
func (g group) fittedOn() string {
	on := g.who.TrainedOn
	named := slices.IndexFunc(g.Sets, func(s store.PairSet) bool { return s.Name == on })
	for i, s := range g.Sets {
		if on != "" && g.within(i, g.set) && (i == named || s.Base == on || on == data.ReleaseRows && s.Margin != nil || named < 0 &&
			on != data.ReleaseRows) {
			return on
		}
	}
	return ""
}

// given reports whether the preferences are people's or were imported.
func (g group) given() bool {
	return g.who.Kind == dataset.KindImported || g.who.Kind == dataset.KindHuman
}

// oneOrder reports whether the judge has each pair in one order alone: as planned (the same order, or one at random), or as the
// pairs were shown to a person.
func (g group) oneOrder() bool {
	twice := func(j judged) bool { return j.by[0] != nil && j.by[1] != nil }
	all := g.who.rounds * data.Count(g.Pairs, func(p dataset.PairRow) bool { return g.within(p.Set, g.set) })
	ab := g.planned[data.OrderAB]
	ba := g.planned[data.OrderBA]
	return min(ab, ba) == 0 || (g.given() || g.pairs != nil && ab+ba <= all) && !slices.ContainsFunc(g.pairs, twice)
}

// share returns the mean of zeros and ones with its clustered interval.
func (b *board) share(s dataset.Sample) stats.Figure {
	return b.Share(s, stats.ErrUndefined)
}
