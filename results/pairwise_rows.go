package results

import (
	"errors"
	"slices"

	"compqa/data"
	"compqa/stats"
)

// The order of a row over both orders, the set of a row over all sets, and the
// kind of judges whose preferences came with a file.
const (
	orderBoth    = "both"
	allSets      = "all"
	kindImported = "imported"
)

// A PairwiseRow says how a judge did on the pairs of a set, shown in one order
// or, for order both, in both. A preference counts as right when it names the
// answer that people prefer, as one that is no preference (a tie) doesn't;
// accuracy is over valid ones on pairs whose better answer is known. In order
// both, planned and valid count pairs, a pair is valid when it is in both
// orders, and right when it is right in both.
//
// Prices are those of all calls that were made, the unsuccessful ones included,
// for each valid preference, or pair.
type PairwiseRow struct {
	Judge        string `csv:"judge"`
	Method       string `csv:"method"`
	Dataset      string `csv:"dataset"`
	Order        string `csv:"order"`
	Planned      int    `csv:"planned"`
	Valid        int    `csv:"valid"`
	Accuracy     Figure `csv:"accuracy"`
	AccuracyLow  Figure `csv:"accuracy_low"`
	AccuracyHigh Figure `csv:"accuracy_high"`
	Consistency  Figure `csv:"consistency"` // order both: share of valid pairs with the same choice in both orders
	FirstShare   Figure `csv:"first_share"` // of choices: those of the answer that was shown first
	TieRate      Figure `csv:"tie_rate"`
	CallsPerPair Figure `csv:"calls_per_pair"`
	TokensPer    Figure `csv:"tokens_per_pair"`
	CostPer      Figure `csv:"cost_per_pair"`

	firstLow, firstHigh Figure
	secondsPer          Figure
	gold                int // preferences, or pairs, that accuracy is over
	statuses            map[data.Status]int
	judge, set          int // indices; set -1: all
}

// A judged is a judge's preferences on one pair, by order; nil where there is
// none.
type judged struct {
	pair   int
	ab, ba *preferenceRow
}

// both reports whether the pair is decided in both orders.
func (j judged) both() bool { return valid(j.ab) && valid(j.ba) }

// combined is the choice of both orders together: theirs where they agree, else
// a tie.
func (j judged) combined() data.Choice {
	if j.ab.choice == j.ba.choice {
		return j.ab.choice
	}
	return data.ChoiceTie
}

func valid(p *preferenceRow) bool { return p != nil && p.status == data.Valid }

// firstShown reports whether a choice is of the answer that was shown first.
func (p *preferenceRow) firstShown() bool {
	return p.order == data.OrderAB && p.choice == data.ChoiceA || p.order == data.OrderBA && p.choice == data.ChoiceB
}

// A preferenceBoard computes what preferences say.
type preferenceBoard struct {
	*pairwiseRecord
	computer
	byJudge [][]judged // of each judge: the pairs it has any preference on, in order
}

func newPreferenceBoard(r *pairwiseRecord) *preferenceBoard {
	b := &preferenceBoard{pairwiseRecord: r, byJudge: make([][]judged, len(r.judges))}
	for i := range r.prefs {
		p := &r.prefs[i]
		of := &b.byJudge[p.judge]
		if n := len(*of); n == 0 || (*of)[n-1].pair != p.pair {
			*of = append(*of, judged{pair: p.pair})
		}
		last := &(*of)[len(*of)-1]
		if p.order == data.OrderAB {
			last.ab = p
		} else {
			last.ba = p
		}
	}
	return b
}

// rows are in order of sets (all of those without a bias last), judges, orders.
func (b *preferenceBoard) rows() []PairwiseRow {
	var rows []PairwiseRow
	sets := b.setRanges()
	for _, set := range sets {
		for j := range b.judges {
			for _, order := range []string{data.OrderAB, data.OrderBA, orderBoth} {
				if r, ok := b.row(j, set, order); ok {
					rows = append(rows, r)
				}
			}
		}
	}
	return rows
}

// setRanges are the sets by index, and behind those without a bias -1 for all of
// them, where there are several.
func (b *preferenceBoard) setRanges() []int {
	var plain, biased []int
	for i, set := range b.sets {
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
	return b.sets[set].Name
}

// in reports whether a pair belongs to a set; -1 is all sets without a bias.
func (b *preferenceBoard) in(pair, set int) bool {
	at := b.pairs[pair].set
	return at == set || set < 0 && b.sets[at].Base == ""
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

// planned is how many preferences there are to be; of both orders, pairs: the
// larger of the two.
func (b *preferenceBoard) planned(judge, set int, order string) int {
	j := b.judges[judge]
	by := map[string]map[string]int{} // set, order
	for _, c := range b.cells {
		at := slices.IndexFunc(b.sets, func(s PairSet) bool { return s.Name == c.Dataset })
		if c.Judge != j.Name || c.Method != j.Method || at < 0 || !(at == set || set < 0 && b.sets[at].Base == "") {
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
	r := PairwiseRow{Judge: b.judges[judge].Name, Method: b.judges[judge].Method, Dataset: b.setName(set), Order: order,
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
	t.finish(b.judges[judge].Kind)
	return r, true
}

// missing is the status of what is planned and not on record.
func (b *preferenceBoard) missing(judge, set int) data.Status {
	for _, c := range b.cells {
		if c.Judge == b.judges[judge].Name && c.Method == b.judges[judge].Method && (set < 0 || c.Dataset == b.sets[set].Name) && c.Note == "" {
			return data.Pending
		}
	}
	return data.Skipped
}

// A rowTally collects what a row is made of.
type rowTally struct {
	b   *preferenceBoard
	row *PairwiseRow

	right           []float64 // of each valid one with a gold preference: 1 or 0
	rightClusters   []int
	first           []float64 // of each choice: 1 where it is of the answer shown first
	firstClusters   []int
	ties, decisions int // of preferences
	same            int // pairs with the same choice in both orders
	calls           int
	tokens, cost    float64
	seconds         float64
	hasTokens       bool
	hasCost         bool
	hasSeconds      bool
}

func (t *rowTally) preference(pair int, p *preferenceRow) {
	t.price(p)
	t.row.statuses[p.status]++
	if p.status != data.Valid {
		return
	}
	t.row.Valid++
	t.position(pair, p)
	if gold := t.b.pairs[pair].label; gold.Decided() {
		t.judge(pair, p.choice == gold)
	}
}

func (t *rowTally) pair(j judged) {
	for _, p := range []*preferenceRow{j.ab, j.ba} {
		if p != nil {
			t.price(p)
		}
		if valid(p) {
			t.position(j.pair, p)
		}
	}
	if !j.both() {
		t.row.statuses[worse(j)]++
		return
	}
	t.row.statuses[data.Valid]++
	t.row.Valid++
	if j.ab.choice == j.ba.choice {
		t.same++
	}
	if gold := t.b.pairs[j.pair].label; gold.Decided() {
		t.judge(j.pair, j.ab.choice == gold && j.ba.choice == gold)
	}
}

// worse is the status of a pair that is not valid in both orders: that of the
// order which is not.
func worse(j judged) data.Status {
	for _, p := range []*preferenceRow{j.ab, j.ba} {
		switch {
		case p == nil:
			return data.Pending
		case p.status != data.Valid:
			return p.status
		}
	}
	return data.Valid
}

func (t *rowTally) judge(pair int, right bool) {
	value := 0.0
	if right {
		value = 1
	}
	t.right, t.rightClusters = append(t.right, value), append(t.rightClusters, t.b.pairs[pair].cluster)
}

func (t *rowTally) position(pair int, p *preferenceRow) {
	t.decisions++
	if !p.choice.Decided() {
		t.ties++
		return
	}
	value := 0.0
	if p.firstShown() {
		value = 1
	}
	t.first, t.firstClusters = append(t.first, value), append(t.firstClusters, t.b.pairs[pair].cluster)
}

func (t *rowTally) price(p *preferenceRow) {
	t.calls += p.calls
	for _, of := range []struct {
		sum   *float64
		known *bool
		value *float64
	}{{&t.tokens, &t.hasTokens, p.tokens}, {&t.cost, &t.hasCost, p.cost}, {&t.seconds, &t.hasSeconds, p.seconds}} {
		if of.value != nil {
			*of.sum += *of.value
			*of.known = true
		}
	}
}

func (t *rowTally) finish(kind string) {
	r := t.row
	r.gold = len(t.right)
	r.Accuracy, r.AccuracyLow, r.AccuracyHigh = t.b.proportion(t.right, t.rightClusters)
	r.FirstShare, r.firstLow, r.firstHigh = t.b.proportion(t.first, t.firstClusters)
	if t.decisions > 0 {
		r.TieRate = figure(float64(t.ties) / float64(t.decisions))
	}
	if r.Valid == 0 {
		return
	}
	n := float64(r.Valid)
	if r.Order == orderBoth {
		r.Consistency = figure(float64(t.same) / n)
	}
	if kind == kindImported {
		return // nobody knows what was paid for them
	}
	r.CallsPerPair = figure(float64(t.calls) / n)
	for _, of := range []struct {
		into  *Figure
		sum   float64
		known bool
	}{{&r.TokensPer, t.tokens, t.hasTokens}, {&r.CostPer, t.cost, t.hasCost}, {&r.secondsPer, t.seconds, t.hasSeconds}} {
		if of.known {
			*of.into = figure(of.sum / n)
		}
	}
}

// proportion is the mean of zeros and ones with its interval at 95 %, clustered.
// Where the values leave no width (all are equal, or there are too few), it is
// Wilson's over as many trials as there are clusters, the successes in their
// proportion.
func (c *computer) proportion(values []float64, clusters []int) (mean, low, high Figure) {
	if len(values) == 0 {
		return Figure{}, Figure{}, Figure{}
	}
	e, err := stats.MeanInterval(values, clusters, confidence)
	mean = figure(e.Value)
	if err == nil {
		return mean, figure(max(0, e.Low)), figure(min(1, e.High))
	}
	if !errors.Is(err, stats.ErrUndefined) {
		c.value(0, err)
		return mean, Figure{}, Figure{}
	}
	trials := 0
	seen := map[int]bool{}
	for _, cluster := range clusters {
		if !seen[cluster] {
			seen[cluster] = true
			trials++
		}
	}
	p, err := stats.Wilson(int(e.Value*float64(trials)+0.5), trials, confidence)
	return mean, Figure{c.value(p.Low, err)}, Figure{c.value(p.High, err)}
}
