// Package preferences computes the tables of pairwise judges: accuracy, consistency
// over both orders, bias, strengths of systems and costs.
package preferences

import (
	"fmt"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// The order of a row over both orders, and the set of a row over all sets.
const (
	orderBoth = "both"
	allSets   = "all"
)

var orders = []string{data.OrderAB, data.OrderBA, orderBoth}

// JudgeOn names a judge and a set of pairs, in the first columns of a table.
type JudgeOn struct {
	Judge   string `csv:"judge"`
	Method  string `csv:"method"`
	Dataset string `csv:"dataset"`
}

func (o JudgeOn) setName() string { return o.Dataset }

// A judged has a judge's preferences on one pair in orders ab and ba, in one of its rounds; nil if
// missing.
type judged struct {
	pair, round int
	by          [2]*store.PreferenceRow
}

// in are the preferences in an order, or in both.
func (j judged) in(order string) []*store.PreferenceRow {
	if at := slices.Index(data.Orders, order); at >= 0 {
		return j.by[at : at+1]
	}
	return j.by[:]
}

// valid are the valid preferences on the pair.
func (j judged) valid() []*store.PreferenceRow {
	return slices.DeleteFunc(slices.Clone(j.by[:]), func(p *store.PreferenceRow) bool { return p == nil || p.Status != data.Valid })
}

// both reports whether the pair is valid in both orders, and same whether with the same choice.
func (j judged) both() bool { return len(j.valid()) == 2 }

func (j judged) same() bool { return j.both() && j.by[0].Choice == j.by[1].Choice }

// choice is the valid choice in an order; in both orders it is a tie if they differ.
func (j judged) choice(order string) (c data.Choice, valid bool) {
	for _, p := range j.in(order) {
		switch {
		case p == nil || p.Status != data.Valid:
			return "", false
		case c != "" && c != p.Choice:
			c = data.ChoiceTie
		default:
			c = p.Choice
		}
	}
	return c, true
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

// each calls do for every set range and every judge.
func (b *preferenceBoard) each(do func(judge, set int, on JudgeOn)) {
	for _, set := range b.setRanges() {
		for j := range b.Judges {
			do(j, set, b.on(j, set))
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

// ratio is missing for n = 0.
func ratio(of float64, n int) table.Figure {
	if n == 0 {
		return table.Figure{}
	}
	return table.Number(of / float64(n))
}

// share is the mean of zeros and ones with its clustered interval.
func (b *preferenceBoard) share(s dataset.Sample) table.Bounded {
	return b.Share(s, stats.ErrUndefined).Bounded
}
