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

// Names in a row that is not about a single order, or not about a single set.
const (
	// orderBoth is the order of a row that covers both orders of each pair.
	orderBoth = "both"
	orderOne  = "random" // the order of a row over both orders, where each pair was shown in only one of them
	allSets   = "all"
)

var orders = []string{data.OrderAB, data.OrderBA, orderBoth}

// JudgeOn names a judge and a set of pairs. Its fields are the first columns of a table.
type JudgeOn struct {
	Judge   string `csv:"judge"`
	Method  string `csv:"method"`
	Dataset string `csv:"dataset"`
}

func (o JudgeOn) dataset() string { return o.Dataset }

// A judged is a pair with the preferences of a judge in one of its rounds: by[0] in order ab and by[1] in order ba. A missing preference is
// nil.
type judged struct {
	*dataset.PairRow
	pair, round int // pair is an index of the record's pairs; rounds count from 1
	by          [2]*dataset.PreferenceRow
}

// in returns the preferences of the pair in an order, with nil for a missing one. For orderBoth it returns those of both orders.
func (j judged) in(order string) []*dataset.PreferenceRow {
	if index := slices.Index(data.Orders, order); index >= 0 {
		return j.by[index : index+1]
	}
	return j.by[:]
}

// valid returns the valid preferences of the pair, in both orders.
func (j judged) valid() []*dataset.PreferenceRow {
	return data.Where(j.by[:], func(p *dataset.PreferenceRow) bool { return p != nil && p.Status == data.Valid })
}

// choice returns the choice in an order, or valid = false if a preference is missing or invalid. For orderBoth it returns a tie if the
// orders differ.
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

// same reports whether the choices in both orders are valid and equal.
func (j judged) same() bool {
	_, both := j.choice(orderBoth)
	return both && j.by[0].Choice == j.by[1].Choice
}

func (j judged) right(c data.Choice) float64 { return dataset.Indicator(c == j.Label) }

// A judge is a judge of pairs with all its rounds. Its figures are means over its rounds, with intervals clustered by question. A single
// round is never compared with other judges.
type judge struct {
	store.Participant
	rounds int
	pairs  []judged // pairs with at least one preference, in the order of the record

	degenerate string // why its preferences tell nothing about the answers, as "calls 97 % of 40 pairs a tie"; "" if they may
}

// A board is a record of preferences with what all its tables need: judges with their rounds, and the judges' preferences by set.
type board struct {
	*dataset.PairwiseRecord
	dataset.Calculator
	judges  []*judge
	byRound []*judge // by judge of the record, where each round is a judge of its own
	groups  []group  // by set range (see setRanges), then by judge

	byCluster []int   // indices of pairs, by item of data.Judgements
	itemOf    []int32 // items of data.Judgements, by index of the pair
}

// newBoard groups the preferences of a record. It merges the rounds of a judge into one judge, and collects each judge's preferences by
// pair and round. Then it finds degenerate judges, and makes a group for each set range and judge.
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
	// minDegenerate is the least number of pairs (or unreadable replies) for which a judge can be called degenerate.
	minDegenerate = 20
	// samePlace is the least share of pairs with the same degenerate choices for which a judge is called degenerate.
	samePlace = 0.95
)

// degenerateChoices are pairs of choices, in orders ab and ba, that tell nothing about the answers if most pairs have them.
var degenerateChoices = []struct {
	ab, ba data.Choice
	says   string
}{
	{data.ChoiceA, data.ChoiceB, "chooses the answer shown first for %.0f %% of %d pairs, in both orders"},
	{data.ChoiceB, data.ChoiceA, "chooses the answer shown second for %.0f %% of %d pairs, in both orders"},
	{data.ChoiceTie, data.ChoiceTie, "calls %.0f %% of %d pairs a tie"},
}

// whyDegenerate says why a judge's preferences tell nothing about the answers, or returns "". The reasons are that no reply names a choice,
// or that the judge almost always chooses the same place or a tie. Baselines (floors) choose like that by design, and people are never
// called degenerate.
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

// setRanges returns the indices of all sets. If there are several sets without an injected bias, it inserts -1 after them, which stands for
// all of them together. Sets without a bias come first.
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

// mainSet returns the name of the set that summaries use: "all" if there are several sets, else the only set.
func (b *board) mainSet() string {
	if len(b.Sets) == 0 || slices.Contains(b.setRanges(), -1) {
		return allSets
	}
	return b.Sets[0].Name
}

// onMainSet reports whether a pair belongs to mainSet.
func (b *board) onMainSet(p dataset.PairRow) bool {
	set := 0
	if b.mainSet() == allSets {
		set = -1
	}
	return b.within(p.Set, set)
}

// within reports whether the set at index belongs to a set range: set is the same index, or -1 and the set has no injected bias.
func (b *board) within(index, set int) bool {
	return index == set || index >= 0 && set < 0 && b.Sets[index].Base == ""
}

// A group holds the preferences of one judge on a set range.
type group struct {
	*board
	JudgeOn
	who     *judge
	set     int // index of the set, or -1 for all sets
	pairs   []judged
	planned map[string]int // planned preferences of all rounds, by order; for orderBoth the larger number, set by set
	missing data.Status    // status of the planned preferences that are not recorded
	lost    map[string]int // by order, the number of preferences on pairs that cannot be asked about; planned leaves them out
}

// group returns the preferences of a judge on a set range, with the numbers of planned preferences from the plan of the record.
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

// asksAll reports whether the judge is asked about all pairs of a set in an order. It is false for a judge that is asked about a sample,
// and for one whose choices were given (imported, or a person's).
func (g group) asksAll(set int, order string, planned int) bool {
	if g.given() {
		return false
	}
	recorded := data.Count(g.pairs, func(j judged) bool {
		return j.Set == set && slices.ContainsFunc(j.in(order), func(p *dataset.PreferenceRow) bool { return p != nil })
	})
	return max(planned, recorded) == g.who.rounds*data.Count(g.Pairs, func(p dataset.PairRow) bool { return p.Set == set })
}

// bySet iterates over the set ranges and yields the groups of each.
func (b *board) bySet() iter.Seq[[]group] { return slices.Chunk(b.groups, max(1, len(b.judges))) }

// fair leaves out the groups of judges that are told the answer.
func fair(groups []group) []group {
	return data.Where(groups, func(g group) bool { return !g.who.Hinted })
}

func each[Row any](groups []group, rows func(group) []Row) []Row {
	return slices.Concat(data.Each(groups, rows)...)
}

// fittedOn returns the name of the data that the judge was trained on, if the group's set range may contain pairs of that data, else "".
// The scores of the release count for sets that have a margin, as the labels of such a set are made from these scores. Training data that
// is not a set of the record may contain any pair.
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

// given reports whether the preferences were imported or are a person's, so that no judge was asked.
func (g group) given() bool {
	return g.who.Kind == dataset.KindImported || g.who.Kind == dataset.KindHuman
}

// oneOrder reports whether the judge saw each pair in only one order. This may be the plan (always the same order, or a random one), or the
// way in which pairs were shown to a person.
func (g group) oneOrder() bool {
	twice := func(j judged) bool { return j.by[0] != nil && j.by[1] != nil }
	all := g.who.rounds * data.Count(g.Pairs, func(p dataset.PairRow) bool { return g.within(p.Set, g.set) })
	ab := g.planned[data.OrderAB]
	ba := g.planned[data.OrderBA]
	return min(ab, ba) == 0 || (g.given() || g.pairs != nil && ab+ba <= all) && !slices.ContainsFunc(g.pairs, twice)
}

// share returns the mean of zeros and ones with an interval clustered by question.
func (b *board) share(s dataset.Sample) stats.Figure {
	return b.Share(s, stats.ErrUndefined)
}
