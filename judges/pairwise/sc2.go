package pairwise

import (
	"context"
	"slices"

	"compqa/data"
	"compqa/judges/replies"
	"compqa/stats"
)

// sc2 is structured comparative reasoning (Yan et al. 2024). It asks for aspects, for several tables that compare the answers on them, for
// the most consistent table, and for the preference with this table in the prompt:
//
//	a* from the aspect model, or known beforehand
//	C = |C| samples from P(c | a*)
//	c* = argmax over C of the comparator's wins
//	y  = argmax P(y | a*, c*)
func (j *judge) sc2(ctx context.Context, s OrderedPair, ask Ask) Opinion {
	aspects, fault := j.aspects(ctx, s, ask)
	if fault != nil {
		return *fault
	}
	tables, fault := j.tables(ctx, s, aspects, ask)
	if fault != nil {
		return *fault
	}
	index, undecided, compared, fault := j.choose(ctx, s, tables, ask)
	if fault != nil {
		return *fault
	}
	o := j.preferByTable(ctx, s, tables[index].table, ask)
	o.Detail.Aspects = aspects
	o.Detail.Table = tables[index].table
	o.Detail.Chosen = tables[index].sample
	o.Detail.Tables = len(tables)
	o.Detail.Undecided = undecided
	o.Detail.Comparator = compared
	var overlaps []float64
	for i, t := range tables {
		if overlap, ok := t.table.Overlap(); ok {
			overlaps = append(overlaps, overlap)
			if i == index {
				o.Detail.Overlap = &overlap
			}
		}
	}
	if mean := stats.Mean(overlaps); overlaps != nil {
		o.Detail.MeanOverlap = &mean
	}
	return o
}

// sc2Calls returns the number of calls for the tables, their selection and the preference.
func sc2Calls(o Options) int {
	n := o.Samples + 1
	switch o.Selection {
	case SelectTournament:
		n += o.Samples - 1
	case SelectExact:
		n += o.Samples * (o.Samples - 1)
	}
	return n
}

// A sampledTable is a table and the number of the sample that it was read from.
type sampledTable struct {
	table  Table
	sample int
}

// tables asks several times for a table that compares the answers on the aspects.
func (j *judge) tables(ctx context.Context, s OrderedPair, aspects []string, ask Ask) ([]sampledTable, *Opinion) {
	a := choicePrompt{"sc2/comparison.tmpl", prompt{shownPair: s.pair(letters, aspects...), Aspects: aspects,
		FormJSON: tableForm(len(aspects)), Examples: shots(j.o.Shots, s)}, s.material(aspects...)}
	req := j.request(RoleComparisons, a.messages(), sampling)
	wanted := instructions(a.template, a.prompt)
	req.Schema = tableSchema(len(aspects))
	req.SchemaName = "comparison"
	var all []sampledTable
	_, fault := samples(ctx, ask, repeated{RoleComparisons, req, j.o.Samples, "tables"}, func(sample int, reply string) string {
		t, err := readTable(reply, aspects, a.material, wanted)
		if err != nil {
			return err.Error()
		}
		all = append(all, sampledTable{t, sample})
		return ""
	})
	return all, fault
}

// preferByTable asks for the preference, with the table in the prompt. MethodSC2SelfCon asks several times.
func (j *judge) preferByTable(ctx context.Context, s OrderedPair, t Table, ask Ask) Opinion {
	shown := t.Markdown()
	p := prompt{shownPair: s.pair(letters, shown), Table: shown, Examples: shots(j.o.Shots, s), Abstain: j.o.Abstain}
	a := choicePrompt{"sc2/preference.tmpl", p, s.material(shown)}
	if j.o.Method == MethodSC2SelfCon {
		return j.vote(ctx, s, a, j.request(RolePreference, a.messages(), sampling), ask, j.decided)
	}
	return j.decide(ctx, a, ask)
}

// choose returns the index of the selected table. undecided is the number of duels (comparisons of two tables) that chance decided.
// compared counts the other duels, or is nil if there are none. fault is the opinion if a call failed.
func (j *judge) choose(ctx context.Context, s OrderedPair, tables []sampledTable, ask Ask) (index, undecided int, compared *data.Compared,
	fault *Opinion) {
	rng := j.rng("selection", s)
	duels := 0
	won := map[[2]int]int{} // by the two tables as shown: the index of the table that the comparator chose
	// duel asks the comparator to choose between tables i and k; i is shown as A. It returns the index of the chosen table. If the reply
	// does not choose, chance decides, as in SC2's paper. After a failed call there are no more calls. Each duel has its own sample number,
	// so that two duels of equal tables are two calls.
	duel := func(i, k int) int {
		if fault != nil {
			return i
		}
		duels++
		a := tables[i].table.Markdown()
		b := tables[k].table.Markdown()
		messages := render("sc2/comparator.tmpl", prompt{shownPair: s.pair(letters, a, b), TableA: a, TableB: b, Duels: shownDuels(s)})
		reply, err := ask(ctx, RoleComparator, duels, j.request(RoleComparator, messages, deciding))
		if err != nil {
			o := unanswered(RoleComparator, err)
			fault = &o
			return i
		}
		switch replies.Consistent(reply.Text, s.material(a, b)) {
		case data.ChoiceA:
			won[[2]int{i, k}] = i
			return i
		case data.ChoiceB:
			won[[2]int{i, k}] = k
			return k
		}
		undecided++
		return []int{i, k}[rng.Intn(2)]
	}
	switch j.o.Selection {
	case SelectRandom:
		index = rng.Intn(len(tables))
	case SelectExact:
		index = exact(len(tables), duel, rng)
	default:
		index = tournament(len(tables), duel, rng)
	}
	return index, undecided, countChoices(won, len(tables)), fault
}

// countChoices counts the comparator's choices between n tables: the first shown, pairs decided alike in both orders, triples and cycles.
func countChoices(won map[[2]int]int, n int) *data.Compared {
	if len(won) == 0 {
		return nil
	}
	c := data.Compared{Duels: len(won)}
	over := map[[2]int]bool{} // the first table wins against the second in both orders
	for shown, winner := range won {
		if winner == shown[0] {
			c.First++
		}
		other, twice := won[[2]int{shown[1], shown[0]}]
		if !twice || shown[0] > shown[1] {
			continue
		}
		c.Pairs++
		if other == winner {
			c.Same++
			over[[2]int{winner, shown[0] + shown[1] - winner}] = true
		}
	}
	around := 0 // each cycle is found three times, from each of its tables
	for a := range n {
		for b := range n {
			for d := range n {
				switch {
				case !over[[2]int{a, b}] || !over[[2]int{b, d}]:
				case over[[2]int{a, d}]:
					c.Triples++
				case over[[2]int{d, a}]:
					around++
				}
			}
		}
	}
	c.Cycles = around / 3
	c.Triples += c.Cycles
	return &c
}

// tournament returns the winner of a knockout among n tables, paired at random in each round. It needs n-1 duels. With an odd number, one
// table goes on without a duel.
func tournament(n int, duel func(i, k int) int, rng *stats.RNG) int {
	left := make([]int, n)
	for i := range left {
		left[i] = i
	}
	for len(left) > 1 {
		rng.Shuffle(len(left), func(i, k int) { left[i], left[k] = left[k], left[i] })
		var next []int
		for i := 0; i+1 < len(left); i += 2 {
			next = append(next, duel(left[i], left[i+1]))
		}
		if len(left)%2 == 1 {
			next = append(next, left[len(left)-1])
		}
		left = next
	}
	return left[0]
}

// exact holds a duel of each of n tables with every other in both orders. It returns a table with the most wins; ties are broken at random.
func exact(n int, duel func(i, k int) int, rng *stats.RNG) int {
	wins := make([]int, n)
	for i := range n {
		for k := range n {
			if i != k {
				wins[duel(i, k)]++
			}
		}
	}
	var best []int
	for i, w := range wins {
		if w == slices.Max(wins) {
			best = append(best, i)
		}
	}
	return best[rng.Intn(len(best))]
}
