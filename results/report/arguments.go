package report

import (
	"fmt"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// An ArgumentRow counts how often answers choose the object that their arguments favour,
// among the answers whose arguments favour one object.
type ArgumentRow struct {
	System    string        `csv:"system"`   // AllSystems: all of them
	Scenario  string        `csv:"scenario"` // AllScenarios: all of them
	Basis     string        `csv:"basis"`    // given, cited
	Favoured  string        `csv:"favoured"` // the favoured object: any, popular, other
	N         int           `csv:"n"`
	Follows   int           `csv:"follows"`
	Against   int           `csv:"against"`
	Undecided int           `csv:"undecided"`     // no choice, or neither object
	Share     table.Bounded `csv:"against_share"` // of the answers that choose, clustered by question
}

// The values of Basis and Favoured.
const (
	// basisGiven is the object that most of the question's arguments favour, for systems
	// that were shown them.
	basisGiven = "given"
	// basisCited is the object that the answer's sentences with a citation clearly
	// favour: at least twice as many as for the other, and two more. A word list decides
	// what a sentence favours. Baselines are excluded because they cite every argument.
	basisCited = "cited"

	favouredAny     = "any"
	favouredPopular = "popular" // the popular object
	favouredOther   = "other"   // the other one
)

// minChoices is the number of choices without arguments that determine the popular object.
const minChoices = 3

// An argued is a measured answer. The two objects of its pair are numbered in the same
// way for all answers.
type argued struct {
	answer  int
	reading *store.Reading
	choice  int  // 0, 1, or unrecorded
	shown   bool // its prompt had the question's arguments
	given   int  // favoured by the given arguments: 0, 1, or unrecorded
	cited   int
}

// arguments are the measurements of answers and their arguments.
type arguments struct {
	*dataset.Dataset
	read    []argued
	popular []int    // of each object pair: the object chosen more often without arguments, or unrecorded
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
	shows := x.ShowsArguments()
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
			of.given, of.shown = a.favoured(i), row.Asked != nil
		}
		if known && !shown && kind != dataset.KindBaseline && of.choice >= 0 {
			a.chosen[q][of.choice]++
		}
		a.read = append(a.read, of)
	}
	for q, n := range a.chosen {
		a.popular[q] = dataset.Unrecorded
		if n[0]+n[1] >= minChoices && n[0] != n[1] {
			a.popular[q] = int(dataset.Indicator(n[1] > n[0]))
		}
	}
	return a
}

// byCell are the answers of each cell.
func (a *arguments) byCell() [][]argued {
	of := make([][]argued, len(a.Cells))
	for _, r := range a.read {
		of[a.CellOf[r.answer]] = append(of[a.CellOf[r.answer]], r)
	}
	return of
}

// side is the number of an answer's object in its pair.
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

// favouredSide is the object that clearly more sentences favour, or unrecorded.
func favouredSide(sentences [2]int) int {
	for i, n := range sentences {
		if other := sentences[1-i]; n >= 2*other && n >= other+2 {
			return i
		}
	}
	return dataset.Unrecorded
}

// favoured is the number of the object that most arguments of an answer's question favour, or
// unrecorded.
func (a *arguments) favoured(answer int) int {
	lead, q := 0, a.Answers[answer].Asked
	if q == nil {
		return dataset.Unrecorded
	}
	for _, argument := range q.Arguments {
		switch argument.Favours {
		case data.Object1:
			lead++
		case data.Object2:
			lead--
		}
	}
	if lead == 0 {
		return dataset.Unrecorded
	}
	name := q.Object1
	if lead < 0 {
		name = q.Object2
	}
	return int(dataset.Indicator(!data.SameName(name, a.objects[a.Question[answer]][0])))
}

// choices has, for each basis, a row for every system and scenario, every system, and all
// systems except baselines; the last two also by whether the arguments favour the popular
// object.
func (a *arguments) choices() ([]ArgumentRow, error) {
	var c dataset.Calculator
	var rows []ArgumentRow
	add := func(system, scenario, basis, favoured string, in func(dataset.Cell) bool) {
		r := ArgumentRow{System: system, Scenario: scenario, Basis: basis, Favoured: favoured}
		var against dataset.Sample
		for _, of := range a.read {
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
			r.Share = c.Share(against, stats.ErrZeroWidth).Bounded
			rows = append(rows, r)
		}
	}
	for _, basis := range []string{basisGiven, basisCited} {
		for s, system := range a.Systems {
			for _, i := range a.BySystem[s] {
				add(system.Name, a.Cells[i].Scenario, basis, favouredAny, func(c dataset.Cell) bool { return c == a.Cells[i] })
			}
			for _, favoured := range []string{favouredAny, favouredPopular, favouredOther} {
				add(system.Name, dataset.AllScenarios, basis, favoured, func(c dataset.Cell) bool { return c.System == s })
			}
		}
		for _, favoured := range []string{favouredAny, favouredPopular, favouredOther} {
			add(dataset.AllSystems, dataset.AllScenarios, basis, favoured,
				func(c dataset.Cell) bool { return a.Systems[c.System].Kind != dataset.KindBaseline })
		}
	}
	return rows, c.Err
}

// A contradictedPair is an object pair with answers that contradict their arguments.
type contradictedPair struct {
	Favoured, Over   string // the object that the arguments favour, and the other one
	Popular          string // and how often it is chosen without arguments
	Systems          table.Names
	Answers, Against int // answers that choose, and that choose the other object
	WithMadeUp       int // of those against, how many have made-up arguments for their choice
}

// contradicted are the pairs with answers that contradict the arguments they cite, most
// answers first.
func (a *arguments) contradicted() []contradictedPair {
	of := make([][2]contradictedPair, a.Pairs)
	for _, r := range a.read {
		if r.cited < 0 || r.choice < 0 {
			continue
		}
		p := &of[a.Question[r.answer]][r.cited]
		p.Answers++
		if r.choice == r.cited {
			continue
		}
		p.Against++
		row := &a.Answers[r.answer]
		if !slices.Contains(p.Systems, row.System) {
			p.Systems = append(p.Systems, row.System)
		}
		if made := favouredSide(r.reading.Made); made >= 0 && a.side(r.answer, []data.Favours{data.Object1, data.Object2}[made]) == r.choice {
			p.WithMadeUp++
		}
	}
	var all []contradictedPair
	for q, sides := range of {
		for side, p := range sides {
			if p.Against == 0 {
				continue
			}
			objects := a.objects[q]
			p.Favoured, p.Over, p.Popular = objects[side], objects[1-side], table.None
			if popular := a.popular[q]; popular >= 0 {
				p.Popular = fmt.Sprintf("%s (%d of %d)", objects[popular], a.chosen[q][popular], a.chosen[q][0]+a.chosen[q][1])
			}
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(x, y contradictedPair) int { return y.Against - x.Against })
	return all
}
