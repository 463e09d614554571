package results

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/stats"
)

// The kinds of judges and systems that tables treat in a way of their own.
const (
	kindFloor    = "floor"
	kindHuman    = "human"
	kindEmbedded = "embedded"
	kindBaseline = "baseline"
	kindOfJudge  = "judge" // any judge that is neither a person nor a floor
)

// An index leads from a run's rows to the places in tables they belong to.
type index struct {
	*Run
	cells    []cell   // every system × scenario, in order of tables
	bySystem [][]int  // cells of each system
	cellOf   []int    // of each answer; -1 for a system that is in no table
	question []int    // of each answer: number of its object pair, the cluster
	pairs    int      // how many object pairs there are
	groups   []string // of the rubric
	groupOf  []int    // of each criterion
	plan     map[planKey]PlanCell
}

// A cell is one system under one scenario.
type cell struct {
	system   int // index into Run.Systems
	scenario string
}

type planKey struct{ judge, system, scenario string } // judge "" for answers

func newIndex(run *Run) *index {
	x := &index{Run: run, groups: run.Rubric.Groups(), plan: map[planKey]PlanCell{}}
	for _, c := range run.Rubric.Criteria {
		x.groupOf = append(x.groupOf, slices.Index(x.groups, c.Group))
	}
	pairs := make([]string, len(run.Answers))
	for i, a := range run.Answers {
		pairs[i] = a.Pair
	}
	x.question = stats.ClusterLabels(pairs)
	for _, q := range x.question {
		x.pairs = max(x.pairs, q+1)
	}
	for _, c := range run.Plan {
		x.plan[planKey{c.Judge, c.System, c.Scenario}] = c
	}
	x.placeCells()
	return x
}

// placeCells finds the cells that are planned or that rows could not be placed
// in. Every answer's cell is planned: the record holds no others.
func (x *index) placeCells() {
	system := map[string]int{}
	for i, p := range x.Systems {
		system[p.Name] = i
	}
	at := map[[2]string]int{}
	add := func(name, scenario string) {
		s, known := system[name]
		if _, placed := at[[2]string{name, scenario}]; known && !placed {
			at[[2]string{name, scenario}] = 0
			x.cells = append(x.cells, cell{s, scenario})
		}
	}
	for _, c := range x.Plan {
		add(c.System, c.Scenario)
	}
	for _, u := range x.Unplaced {
		add(u.System, u.Scenario)
	}
	slices.SortFunc(x.cells, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.system, b.system), compareScenarios(a.scenario, b.scenario))
	})
	x.bySystem = make([][]int, len(x.Systems))
	for i, c := range x.cells {
		at[[2]string{x.Systems[c.system].Name, c.scenario}] = i
		x.bySystem[c.system] = append(x.bySystem[c.system], i)
	}
	x.cellOf = make([]int, len(x.Answers))
	for i, a := range x.Answers {
		if c, ok := at[[2]string{a.System, a.Scenario}]; ok {
			x.cellOf[i] = c
		} else {
			x.cellOf[i] = -1
		}
	}
}

// compareScenarios puts numbers first, in their order, then names, then what
// has no scenario.
func compareScenarios(a, b string) int {
	class := func(s string) (int, int) {
		if s == data.NoScenario {
			return 2, 0
		}
		if n, err := strconv.Atoi(s); err == nil {
			return 0, n
		}
		return 1, 0
	}
	ca, na := class(a)
	cb, nb := class(b)
	return cmp.Or(cmp.Compare(ca, cb), cmp.Compare(na, nb), cmp.Compare(a, b))
}

// scenarios are those that stand in tables, in order.
func (x *index) scenarios() []string {
	var all []string
	for _, c := range x.cells {
		if !slices.Contains(all, c.scenario) {
			all = append(all, c.scenario)
		}
	}
	slices.SortFunc(all, compareScenarios)
	return all
}

// sheets are those of one judge, sorted by answer and repeat.
func (run *Run) sheets(judge int) []Sheet {
	at := func(j int) int {
		i, _ := slices.BinarySearchFunc(run.Sheets, j, func(s Sheet, j int) int { return cmp.Compare(s.Judge, j) })
		return i
	}
	return run.Sheets[at(judge):at(judge+1)]
}

// planned is how many answers (judge "") or verdicts a cell is to have: what the
// plan says, and never fewer than there are.
func (x *index) planned(judge string, c cell, present int) int {
	return max(x.plan[planKey{judge, x.Systems[c.system].Name, c.scenario}].Planned, present)
}

func (x *index) people(judge int) bool { return x.Judges[judge].Kind == kindHuman }

// annotators are the single people among the judges.
func (x *index) annotators() []int {
	var who []int
	for j, p := range x.Judges {
		if x.people(j) && strings.HasPrefix(p.Name, data.Human+":") {
			who = append(who, j)
		}
	}
	return who
}

// references are the people whom judges are compared with: people's mean where
// it is on record, else each annotator.
func (x *index) references() []int {
	var who []int
	for j, p := range x.Judges {
		if x.people(j) && !strings.HasPrefix(p.Name, data.Human+":") {
			who = append(who, j)
		}
	}
	if who == nil {
		return x.annotators()
	}
	return who
}
