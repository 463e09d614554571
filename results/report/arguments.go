package report

import (
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// An ArgumentRow says how often answers choose what arguments favour, among the
// answers whose arguments favour one object.
type ArgumentRow struct {
	System    string       `csv:"system"`   // AllSystems: all of them
	Scenario  string       `csv:"scenario"` // AllScenarios: all of them
	Basis     string       `csv:"basis"`    // given, cited
	Favoured  string       `csv:"favoured"` // any, popular, other: what the arguments favour
	N         int          `csv:"n"`
	Follows   int          `csv:"follows"`
	Against   int          `csv:"against"`
	Undecided int          `csv:"undecided"` // no choice, or neither object
	Share     table.Figure `csv:"against_share"`
	Low       table.Figure `csv:"against_share_low"` // of those that choose, clustered by question
	High      table.Figure `csv:"against_share_high"`
}

// The bases of what arguments favour, and what is favoured.
const (
	// basisGiven is the majority of the arguments that the question comes with,
	// where these say what they favour, for systems that were shown them.
	basisGiven = "given"
	// basisCited is what the answer's own sentences with a citation speak for, if
	// they clearly do: at least twice as many as for the other, and two more. What
	// a sentence speaks for was read from a list of words. Baselines, which cite
	// whatever there is, are left out.
	basisCited = "cited"

	favouredAny     = "any"
	favouredPopular = "popular" // the popular object
	favouredOther   = "other"   // the other one
)

// leastChoices is how many choices without arguments make an object popular.
const leastChoices = 3

// An argued is an answer that was read, in terms of its pair's two objects,
// numbered the same way for all answers to the pair.
type argued struct {
	answer  int
	reading *store.Reading
	choice  int // 0, 1, or unrecorded
	given   int // what the given arguments favour, likewise
	cited   int
}

// arguments are everything that is known of answers and their arguments.
type arguments struct {
	*dataset.Dataset
	read    []argued
	popular []int    // of each object pair: the object chosen most often without arguments, or unrecorded
	chosen  [][2]int // how often each was
	objects [][2]string
}

func newArguments(x *dataset.Dataset) *arguments {
	a := &arguments{Dataset: x, popular: make([]int, x.Pairs), chosen: make([][2]int, x.Pairs), objects: make([][2]string, x.Pairs)}
	for i, row := range x.Answers {
		if q := x.Question[i]; a.objects[q][0] == "" {
			a.objects[q] = [2]string{row.Object1, row.Object2}
		}
	}
	favours := a.favoured()
	shows := showsArguments(x)
	for i, row := range x.Answers {
		if row.Reading == nil || row.Status != data.Valid || x.CellOf[i] < 0 {
			continue
		}
		q, kind := x.Question[i], x.Systems[x.Cells[x.CellOf[i]].System].Kind
		of := argued{answer: i, reading: row.Reading, given: dataset.Unrecorded, cited: dataset.Unrecorded}
		of.choice = a.side(i, row.Reading.Choice)
		if lead := favouredSide(row.Reading.Cited); lead >= 0 && kind != dataset.KindBaseline {
			of.cited = a.side(i, []data.Favours{data.Object1, data.Object2}[lead])
		}
		shown, known := shows[row.Scenario]
		if known && shown && kind != dataset.KindImported {
			if side, ok := favours[row.Question]; ok {
				of.given = side
			}
		}
		if known && !shown && kind != dataset.KindBaseline && of.choice >= 0 {
			a.chosen[q][of.choice]++
		}
		a.read = append(a.read, of)
	}
	for q, n := range a.chosen {
		a.popular[q] = dataset.Unrecorded
		if n[0]+n[1] >= leastChoices && n[0] != n[1] {
			a.popular[q] = int(dataset.Indicator(n[1] > n[0]))
		}
	}
	return a
}

// side numbers an answer's object as all answers to the pair do.
func (a *arguments) side(answer int, choice data.Favours) int {
	row := &a.Answers[answer]
	name := row.Object1
	switch choice {
	case data.Object1:
	case data.Object2:
		name = row.Object2
	default:
		return dataset.Unrecorded
	}
	return int(dataset.Indicator(!data.SameName(name, a.objects[a.Question[answer]][0])))
}

// lean is the object that clearly more sentences speak for, or unrecorded.
func favouredSide(sentences [2]int) int {
	for i, n := range sentences {
		if other := sentences[1-i]; n >= 2*other && n >= other+2 {
			return i
		}
	}
	return dataset.Unrecorded
}

// favoured is, by question, the side that most of its arguments are on.
func (a *arguments) favoured() map[string]int {
	pair := map[string]int{}
	for i, row := range a.Answers {
		pair[row.Question] = a.Question[i]
	}
	sides := map[string]int{}
	for _, q := range a.Questions {
		lead := 0
		for _, argument := range q.Arguments {
			switch argument.Favours {
			case data.Object1:
				lead++
			case data.Object2:
				lead--
			}
		}
		at, asked := pair[q.ID]
		if !asked || lead == 0 {
			continue
		}
		name := q.Object1
		if lead < 0 {
			name = q.Object2
		}
		sides[q.ID] = int(dataset.Indicator(!data.SameName(name, a.objects[at][0])))
	}
	return sides
}

// showsArguments says of each scenario whose template is on record whether it
// shows the question's arguments.
func showsArguments(x *dataset.Dataset) map[string]bool {
	shows := map[string]bool{}
	for _, p := range x.Made {
		for id, text := range p.TemplateTexts() {
			shows[id] = strings.Contains(text, ".Arguments")
		}
	}
	return shows
}

// choices are, for each basis: every system under every scenario, every system,
// and all systems but baselines; these two also by whether the arguments favour
// the popular object.
func (a *arguments) choices() ([]ArgumentRow, error) {
	var c dataset.Calculator
	var rows []ArgumentRow
	bySystem := a.readBySystem()
	add := func(system, scenario, basis, favoured string, among []argued, in func(dataset.Cell) bool) {
		r := ArgumentRow{System: system, Scenario: scenario, Basis: basis, Favoured: favoured}
		var against dataset.Sample
		for _, of := range among {
			q := a.Question[of.answer]
			side := of.given
			if basis == basisCited {
				side = of.cited
			}
			if side < 0 || !in(a.Cells[a.CellOf[of.answer]]) ||
				favoured == favouredPopular && a.popular[q] != side || favoured == favouredOther && a.popular[q] != 1-side {
				continue
			}
			r.N++
			switch of.choice {
			case dataset.Unrecorded:
				r.Undecided++
			case side:
				r.Follows++
				against.Add(0, q)
			default:
				r.Against++
				against.Add(1, q)
			}
		}
		if r.N > 0 {
			e := c.Share(against, stats.ErrZeroWidth)
			r.Share, r.Low, r.High = e.Figures()
			rows = append(rows, r)
		}
	}
	for _, basis := range []string{basisGiven, basisCited} {
		for s, system := range a.Systems {
			for _, i := range a.BySystem[s] {
				add(system.Name, a.Cells[i].Scenario, basis, favouredAny, bySystem[s], func(c dataset.Cell) bool { return c == a.Cells[i] })
			}
			for _, favoured := range []string{favouredAny, favouredPopular, favouredOther} {
				add(system.Name, dataset.AllScenarios, basis, favoured, bySystem[s], func(dataset.Cell) bool { return true })
			}
		}
		for _, favoured := range []string{favouredAny, favouredPopular, favouredOther} {
			add(dataset.AllSystems, dataset.AllScenarios, basis, favoured, a.read, func(c dataset.Cell) bool { return a.Systems[c.System].Kind != dataset.KindBaseline })
		}
	}
	return rows, c.Err
}

func (a *arguments) readBySystem() [][]argued {
	of := make([][]argued, len(a.Systems))
	for _, r := range a.read {
		s := a.Cells[a.CellOf[r.answer]].System
		of[s] = append(of[s], r)
	}
	return of
}

// A contradictedPair is an object pair whose answers choose against the
// arguments.
type contradictedPair struct {
	pair       int
	favoured   int // the object that arguments speak for
	n, against int // answers that choose, and that choose the other object
	systems    []string
	withMadeUp int // of those against, how many have made-up arguments for their choice
}

// contradicted are the pairs by how many answers go against the arguments they
// cite, most first.
func (a *arguments) contradicted() []contradictedPair {
	of := make([][2]contradictedPair, a.Pairs)
	for _, r := range a.read {
		if r.cited < 0 || r.choice < 0 {
			continue
		}
		p := &of[a.Question[r.answer]][r.cited]
		p.pair, p.favoured = a.Question[r.answer], r.cited
		p.n++
		if r.choice == r.cited {
			continue
		}
		p.against++
		row := &a.Answers[r.answer]
		if !slices.Contains(p.systems, row.System) {
			p.systems = append(p.systems, row.System)
		}
		if made := favouredSide(r.reading.Made); made >= 0 && a.side(r.answer, []data.Favours{data.Object1, data.Object2}[made]) == r.choice {
			p.withMadeUp++
		}
	}
	var all []contradictedPair
	for _, sides := range of {
		for _, p := range sides {
			if p.against > 0 {
				all = append(all, p)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y contradictedPair) int { return y.against - x.against })
	return all
}
