package preferences

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
)

// The order of a row over both orders, and the set of a row over all sets.
const (
	orderBoth = "both"
	allSets   = "all"
)

// A PairwiseRow is the result of a judge on the pairs of a set in one order, or in both.
// A preference is correct if it chooses the answer that people prefer; a tie is not.
// Accuracy is over valid preferences on pairs with a known better answer. For order
// both, planned and valid count pairs: a pair is valid if it is valid in both orders,
// and correct if it is correct in both.
//
// Costs include all calls, also failed ones, per valid preference or pair.
type PairwiseRow struct {
	Judge        string       `csv:"judge"`
	Method       string       `csv:"method"`
	Dataset      string       `csv:"dataset"`
	Order        string       `csv:"order"`
	Planned      int          `csv:"planned"`
	Valid        int          `csv:"valid"`
	Accuracy     table.Figure `csv:"accuracy"`
	AccuracyLow  table.Figure `csv:"accuracy_low"`
	AccuracyHigh table.Figure `csv:"accuracy_high"`
	Consistency  table.Figure `csv:"consistency"` // order both: share of valid pairs with the same choice in both orders
	FirstShare   table.Figure `csv:"first_share"` // share of choices of the answer shown first
	TieRate      table.Figure `csv:"tie_rate"`
	CallsPerPair table.Figure `csv:"calls_per_pair"`
	TokensPer    table.Figure `csv:"tokens_per_pair"`
	CostPer      table.Figure `csv:"cost_per_pair"`

	firstLow, firstHigh table.Figure
	secondsPer          table.Figure
	gold                int // preferences, or pairs, that accuracy is over
	statuses            map[data.Status]int
	judge, set          int // indices; set -1: all
}

// A judged is a judge's preferences on one pair, by order; nil if missing.
type judged struct {
	pair   int
	ab, ba *store.PreferenceRow
}

// both reports whether the pair is valid in both orders.
func (j judged) both() bool { return valid(j.ab) && valid(j.ba) }

// combined is the choice of both orders if they agree, otherwise a tie.
func (j judged) combined() data.Choice {
	if j.ab.Choice == j.ba.Choice {
		return j.ab.Choice
	}
	return data.ChoiceTie
}

func valid(p *store.PreferenceRow) bool { return p != nil && p.Status == data.Valid }

// firstShown reports whether the answer shown first was chosen.
func firstShown(p *store.PreferenceRow) bool {
	return p.Order == data.OrderAB && p.Choice == data.ChoiceA || p.Order == data.OrderBA && p.Choice == data.ChoiceB
}

// A preferenceBoard computes the tables of preferences.
type preferenceBoard struct {
	*store.PairwiseRecord
	dataset.Calculator
	byJudge [][]judged // of each judge: the pairs with a preference, in order
}

func newPreferenceBoard(r *store.PairwiseRecord) *preferenceBoard {
	b := &preferenceBoard{PairwiseRecord: r, byJudge: make([][]judged, len(r.Judges))}
	for i := range r.Prefs {
		p := &r.Prefs[i]
		of := &b.byJudge[p.Judge]
		if n := len(*of); n == 0 || (*of)[n-1].pair != p.Pair {
			*of = append(*of, judged{pair: p.Pair})
		}
		last := &(*of)[len(*of)-1]
		if p.Order == data.OrderAB {
			last.ab = p
		} else {
			last.ba = p
		}
	}
	return b
}

// rows are in the order of sets (all sets without a bias last), judges, orders.
func (b *preferenceBoard) rows() []PairwiseRow {
	var rows []PairwiseRow
	sets := b.setRanges()
	for _, set := range sets {
		for j := range b.Judges {
			for _, order := range []string{data.OrderAB, data.OrderBA, orderBoth} {
				if r, ok := b.row(j, set, order); ok {
					rows = append(rows, r)
				}
			}
		}
	}
	return rows
}

// setRanges are the indices of sets; -1 after the sets without a bias stands for all of
// these, if there are several.
func (b *preferenceBoard) setRanges() []int {
	var plain, biased []int
	for i, set := range b.Sets {
		if set.Base == "" {
			plain = append(plain, i)
		} else {
			biased = append(biased, i)
		}
	}
	if len(plain) > 1 {
		plain = append(plain, -1)
	}
	return append(plain, biased...)
}

func (b *preferenceBoard) setName(set int) string {
	if set < 0 {
		return allSets
	}
	return b.Sets[set].Name
}

// in reports whether a pair belongs to a set; -1 is all sets without a bias.
func (b *preferenceBoard) in(pair, set int) bool {
	at := b.Pairs[pair].Set
	return at == set || set < 0 && b.Sets[at].Base == ""
}

// of are a judge's pairs in a set.
func (b *preferenceBoard) of(judge, set int) []judged {
	var list []judged
	for _, j := range b.byJudge[judge] {
		if b.in(j.pair, set) {
			list = append(list, j)
		}
	}
	return list
}

// planned is the planned number of preferences; for both orders, of pairs: the larger of
// the two numbers.
func (b *preferenceBoard) planned(judge, set int, order string) int {
	j := b.Judges[judge]
	by := map[string]map[string]int{} // set, order
	for _, c := range b.Cells {
		at := slices.IndexFunc(b.Sets, func(s store.PairSet) bool { return s.Name == c.Dataset })
		if c.Judge != j.Name || c.Method != j.Method || at < 0 || !(at == set || set < 0 && b.Sets[at].Base == "") {
			continue
		}
		if by[c.Dataset] == nil {
			by[c.Dataset] = map[string]int{}
		}
		by[c.Dataset][c.Order] = c.Planned
	}
	n := 0
	for _, orders := range by {
		if order == orderBoth {
			n += max(orders[data.OrderAB], orders[data.OrderBA])
		} else {
			n += orders[order]
		}
	}
	return n
}

func (b *preferenceBoard) row(judge, set int, order string) (PairwiseRow, bool) {
	r := PairwiseRow{Judge: b.Judges[judge].Name, Method: b.Judges[judge].Method, Dataset: b.setName(set), Order: order,
		statuses: map[data.Status]int{}, judge: judge, set: set}
	t := rowTally{b: b, row: &r}
	present := 0
	for _, j := range b.of(judge, set) {
		if order == orderBoth {
			present++
			t.pair(j)
			continue
		}
		p := j.ab
		if order == data.OrderBA {
			p = j.ba
		}
		if p != nil {
			present++
			t.preference(j.pair, p)
		}
	}
	if r.Planned = max(b.planned(judge, set, order), present); r.Planned == 0 {
		return r, false
	}
	if missing := r.Planned - present; missing > 0 {
		r.statuses[b.missing(judge, set)] += missing
	}
	t.finish(b.Judges[judge].Kind)
	return r, true
}

// missing is the status of planned preferences that are not recorded.
func (b *preferenceBoard) missing(judge, set int) data.Status {
	for _, c := range b.Cells {
		if c.Judge == b.Judges[judge].Name && c.Method == b.Judges[judge].Method && (set < 0 || c.Dataset == b.Sets[set].Name) && c.Note == "" {
			return data.Pending
		}
	}
	return data.Skipped
}
