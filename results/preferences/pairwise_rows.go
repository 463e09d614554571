package preferences

import (
	"fmt"
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

// JudgeOn names a judge and a set of pairs, in the first columns of a table.
type JudgeOn struct {
	Judge   string `csv:"judge"`
	Method  string `csv:"method"`
	Dataset string `csv:"dataset"`
}

// A PairwiseRow is the result of a judge on the pairs of a set in one order, or in both.
// A preference is correct if it chooses the answer that people prefer; a tie is not.
// Accuracy is over valid preferences on pairs with a known better answer. For order
// both, planned and valid count pairs: a pair is valid if it is valid in both orders,
// and correct if it is correct in both.
//
// Costs include all calls, also failed ones, per valid preference or pair.
type PairwiseRow struct {
	JudgeOn
	Order        string        `csv:"order"`
	Planned      int           `csv:"planned"`
	Valid        int           `csv:"valid"`
	Accuracy     table.Bounded `csv:"accuracy"`
	Consistency  table.Figure  `csv:"consistency"` // order both: share of valid pairs with the same choice in both orders
	FirstShare   table.Figure  `csv:"first_share"` // share of choices of the answer shown first
	TieRate      table.Figure  `csv:"tie_rate"`
	CallsPerPair table.Figure  `csv:"calls_per_pair"`
	TokensPer    table.Figure  `csv:"tokens_per_pair"`
	CostPer      table.Figure  `csv:"cost_per_pair"`

	fittedOn   string        // what of the set the judge was trained on, as far as its configuration says
	first      table.Bounded // FirstShare with its bounds
	gold       int           // preferences, or pairs, that accuracy is over
	statuses   map[data.Status]int
	judge, set int // indices; set -1: all
}

// A judged has a judge's preferences on one pair in orders ab and ba, in one of its rounds; nil if
// missing.
type judged struct {
	pair, round int
	by          [2]*store.PreferenceRow
}

// valid are the valid preferences on the pair.
func (j judged) valid() []*store.PreferenceRow {
	var of []*store.PreferenceRow
	for _, p := range j.by {
		if p != nil && p.Status == data.Valid {
			of = append(of, p)
		}
	}
	return of
}

// both reports whether the pair is valid in both orders.
func (j judged) both() bool { return len(j.valid()) == 2 }

// combined is the choice of both orders if they agree, otherwise a tie.
func (j judged) combined() data.Choice {
	if j.by[0].Choice == j.by[1].Choice {
		return j.by[0].Choice
	}
	return data.ChoiceTie
}

// A preferenceBoard computes the tables of preferences.
type preferenceBoard struct {
	*store.PairwiseRecord
	dataset.Calculator
	byJudge [][]judged // of each judge: the pairs with a preference, in order, round by round
	repeats []int      // of each judge: its rounds
	roundOf []int      // of each preference: its round, from 1

	degenerate []string // of each judge: why its preferences say nothing, "" if they may
}

func newPreferenceBoard(r *store.PairwiseRecord) *preferenceBoard {
	b := &preferenceBoard{}
	b.pool(*r)
	b.byJudge = make([][]judged, len(b.Judges))
	for i := range b.Prefs {
		p, round := &b.Prefs[i], b.roundOf[i]
		of := &b.byJudge[p.Judge]
		if n := len(*of); n == 0 || (*of)[n-1].pair != p.Pair || (*of)[n-1].round != round {
			*of = append(*of, judged{pair: p.Pair, round: round})
		}
		(*of)[len(*of)-1].by[slices.Index(data.Orders, p.Order)] = p
	}
	for j := range b.Judges {
		b.degenerate = append(b.degenerate, b.whyDegenerate(j))
	}
	return b
}

const (
	// minDegenerate is the number of pairs from which a judge can be called degenerate.
	minDegenerate = 20
	// samePlace is the share of pairs with the same place chosen in both orders from which it is.
	samePlace = 0.95
)

// whyDegenerate says why a judge's preferences say nothing about answers: it chooses the same place
// whatever is shown there, or no reply names a choice. Floors choose by design, and people are never
// called degenerate.
func (b *preferenceBoard) whyDegenerate(judge int) string {
	if kind := b.Judges[judge].Kind; kind == dataset.KindFloor || kind == dataset.KindHuman {
		return ""
	}
	n, valid, unreadable := 0, 0, 0
	place := map[string]int{}
	for _, j := range b.byJudge[judge] {
		for _, p := range j.by {
			if p != nil && p.Status.Unreadable() {
				unreadable++
			}
		}
		valid += len(j.valid())
		if !j.both() {
			continue
		}
		n++
		switch [2]data.Choice{j.by[0].Choice, j.by[1].Choice} {
		case [2]data.Choice{data.ChoiceA, data.ChoiceB}:
			place["first"]++
		case [2]data.Choice{data.ChoiceB, data.ChoiceA}:
			place["second"]++
		case [2]data.Choice{data.ChoiceTie, data.ChoiceTie}:
			place["tie"]++
		}
	}
	if valid == 0 && unreadable >= minDegenerate {
		return fmt.Sprintf("gives no choice in %d replies", unreadable)
	}
	for _, of := range []string{"first", "second", "tie"} {
		if share := float64(place[of]) / float64(max(1, n)); n >= minDegenerate && share >= samePlace {
			if of == "tie" {
				return fmt.Sprintf("calls %.0f %% of %d pairs a tie", 100*share, n)
			}
			return fmt.Sprintf("chooses the answer shown %s for %.0f %% of %d pairs, in both orders", of, 100*share, n)
		}
	}
	return ""
}

// rows are in the order of sets (all sets without a bias last), judges, orders.
func (b *preferenceBoard) rows() []PairwiseRow {
	var rows []PairwiseRow
	for _, set := range b.setRanges() {
		for j := range b.Judges {
			for _, order := range []string{data.OrderAB, data.OrderBA, orderBoth} {
				if r := b.row(j, set, order); r.Planned > 0 && !(order == orderBoth && b.oneOrder(j, set)) {
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

// eachFair calls each for every set range and every judge that is not told the answer.
func (b *preferenceBoard) eachFair(each func(judge, set int, on JudgeOn)) {
	for _, set := range b.setRanges() {
		for j, judge := range b.Judges {
			if !judge.Hinted {
				each(j, set, b.on(j, set))
			}
		}
	}
}

func (b *preferenceBoard) on(judge, set int) JudgeOn {
	return JudgeOn{b.Judges[judge].Name, b.Judges[judge].Method, b.setName(set)}
}

func (b *preferenceBoard) setName(set int) string {
	if set < 0 {
		return allSets
	}
	return b.Sets[set].Name
}

// fittedOn is what a judge was trained on of a set, as far as its configuration says. The human
// scores of the release are behind the labels of a run's own pairs. Other data that is no set of
// the record may have any of its pairs.
func (b *preferenceBoard) fittedOn(judge, set int) string {
	on := b.Judges[judge].TrainedOn
	named := slices.IndexFunc(b.Sets, func(s store.PairSet) bool { return s.Name == on })
	for i, s := range b.Sets {
		if on != "" && b.within(i, set) && (i == named || s.Base == on || on == data.ReleaseRows && s.Margin != nil || named < 0 &&
			on != data.ReleaseRows) {
			return on
		}
	}
	return ""
}

// within reports whether the set at an index belongs to a set range.
func (b *preferenceBoard) within(at, set int) bool {
	return at == set || at >= 0 && set < 0 && b.Sets[at].Base == ""
}

// of are a judge's pairs in a set range.
func (b *preferenceBoard) of(judge, set int) []judged {
	var list []judged
	for _, j := range b.byJudge[judge] {
		if b.within(b.Pairs[j.pair].Set, set) {
			list = append(list, j)
		}
	}
	return list
}

// given reports whether a judge's preferences were made elsewhere.
func (b *preferenceBoard) given(judge int) bool {
	return b.Judges[judge].Kind == dataset.KindImported || b.Judges[judge].Kind == dataset.KindHuman
}

// oneOrder reports whether a judge's preferences are planned in one order alone.
func (b *preferenceBoard) oneOrder(judge, set int) bool {
	ab, _ := b.planned(judge, set, data.OrderAB)
	ba, _ := b.planned(judge, set, data.OrderBA)
	return min(ab, ba) == 0
}

// planned is the planned number of preferences in an order; for both orders, of pairs:
// the larger number of each set. missing is the status of those that are not recorded.
func (b *preferenceBoard) planned(judge, set int, order string) (n int, missing data.Status) {
	missing = data.Skipped
	most := map[string]int{} // of each set
	for _, c := range b.Cells {
		at := slices.IndexFunc(b.Sets, func(s store.PairSet) bool { return s.Name == c.Dataset })
		if c.Judge != b.Judges[judge].Name || c.Method != b.Judges[judge].Method || at < 0 || !b.within(at, set) {
			continue
		}
		if c.Note == "" {
			missing = data.Pending
		}
		if order == orderBoth || order == c.Order {
			most[c.Dataset] = max(most[c.Dataset], c.Planned)
		}
	}
	for _, planned := range most {
		n += planned
	}
	return n, missing
}

// row computes one row; Planned is 0 if nothing is planned or recorded.
func (b *preferenceBoard) row(judge, set int, order string) PairwiseRow {
	t := tally{b: b, statuses: map[data.Status]int{}}
	for _, j := range b.of(judge, set) {
		if order == orderBoth {
			t.addPair(j)
		} else {
			t.add(j.by[slices.Index(data.Orders, order)])
		}
	}
	r := PairwiseRow{JudgeOn: b.on(judge, set), Order: order, Valid: t.statuses[data.Valid], gold: len(t.right.Values), statuses: t.statuses,
		fittedOn: b.fittedOn(judge, set), judge: judge, set: set}
	planned, missing := b.planned(judge, set, order)
	if r.Planned = max(planned, t.n); r.Planned > t.n {
		t.statuses[missing] += r.Planned - t.n
	}
	r.Accuracy, r.first = b.share(t.right), b.share(t.first)
	r.FirstShare = r.first.Value
	r.TieRate = ratio(float64(t.ties), t.ties+len(t.first.Values))
	if order == orderBoth {
		r.Consistency = ratio(float64(t.same), r.Valid)
	}
	if !b.given(judge) { // the costs of which are unknown
		r.CallsPerPair, r.TokensPer, r.CostPer = ratio(float64(t.calls), r.Valid), per(t.spent.Tokens(), r.Valid), per(t.spent.Cost, r.Valid)
	}
	return r
}
