// Package dataset holds the rows of one or several records in memory, in a fixed order,
// with their positions in the tables. All tables are computed from it.
//
// The order of rows does not depend on the order of recording, so that the same record gives the same bytes.
package dataset

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
	"compqa/stats"
)

// Kinds of judges and systems that tables treat differently.
const (
	KindFloor    = data.KindFloor
	KindHuman    = data.KindPerson
	KindEmbedded = "embedded"
	KindBaseline = "baseline"
	KindImported = "imported"
	ModelKind    = "model"        // systems and judges that call a model
	KindOfJudge  = data.KindJudge // any judge that is neither a person nor a floor (a baseline that does not read answers)
)

const (
	// AllSystems is the system in a row about all systems.
	AllSystems = "all"
	// AllScenarios is the scenario in a row about all scenarios of a system. Such a row has the mean of the scenarios' means, and the mean
	// of their standard deviations.
	AllScenarios = "all"
)

// A Dataset is a run with the indices that tables need.
type Dataset struct {
	*Run
	Conditions  []Condition // all combinations of system and scenario that occur, in the order of tables
	BySystem    [][]int     // by system: indices of its conditions
	ConditionOf []int       // by answer: index of its condition; -1 for a system that is in no table
	Question    []int       // by answer: number of its object pair, which is the cluster
	Pairs       int         // number of object pairs
	Groups      []string    // groups of criteria of the rubric
	groupOf     []int       // by criterion: index of its group
	Plan        map[PlanKey]store.PlanCell
	Declared    Declarations

	UnplacedIn map[PlanKey]int // number of imported sheets whose answer was not found

	Degenerate []string // by judge: why its verdicts tell nothing about the answers; "" if they may

	PeoplePer map[int]int     // by answer with a pooled sheet of data.Human: number of people behind the sheet
	LeftOut   []store.LeftOut // numbers of annotators' sheets that data.Human does not include

	Judgements *data.Judgements // the raters are Judges; the items are Answers, then imported rows whose answer was not found
}

// A Condition is a system in a scenario. Variables call its index a cell.
type Condition struct {
	System   int // index into Run.Systems
	Scenario string
}

type PlanKey struct{ Judge, System, Scenario string } // Judge is "" for answers

// New computes the indices of a run and pools its annotators. It does not change run itself.
func New(run *Run) *Dataset {
	copied := *run
	x := &Dataset{Run: &copied, Groups: run.Rubric.Groups(), Plan: map[PlanKey]store.PlanCell{}, Declared: declared(run),
		UnplacedIn: map[PlanKey]int{}}
	for _, c := range run.Rubric.Criteria {
		x.groupOf = append(x.groupOf, slices.Index(x.Groups, c.Group))
	}
	x.Question = stats.ClusterLabels(data.Each(run.Answers, func(a AnswerRow) string { return a.Pair }))
	for _, q := range x.Question {
		x.Pairs = max(x.Pairs, q+1)
	}
	for _, c := range run.Plan {
		x.Plan[PlanKey{c.Judge, c.System, c.Scenario}] = c
	}
	for _, u := range run.Unplaced {
		x.UnplacedIn[PlanKey{u.Judge, u.System, u.Scenario}]++
	}
	x.placeCells()
	x.pool()
	x.Degenerate = x.degenerate()
	x.Judgements = x.judgements(store.Named(run.Judges, data.Human) >= 0)
	return x
}

// placeCells finds the conditions that are planned or have imported rows whose answer was not found. The condition of an answer is always
// planned.
func (x *Dataset) placeCells() {
	index := map[Condition]int{}
	add := func(system, scenario string) {
		if s := store.Named(x.Systems, system); s >= 0 {
			index[Condition{s, scenario}] = 0
		}
	}
	for _, c := range x.Plan {
		add(c.System, c.Scenario)
	}
	for _, u := range x.Unplaced {
		add(u.System, u.Scenario)
	}
	x.Conditions = slices.SortedFunc(maps.Keys(index), func(a, b Condition) int {
		return cmp.Or(cmp.Compare(a.System, b.System), CompareScenarios(a.Scenario, b.Scenario))
	})
	x.BySystem = make([][]int, len(x.Systems))
	for i, c := range x.Conditions {
		index[c] = i
		x.BySystem[c.System] = append(x.BySystem[c.System], i)
	}
	x.ConditionOf = make([]int, len(x.Answers))
	for i, a := range x.Answers {
		c, placed := index[Condition{store.Named(x.Systems, a.System), a.Scenario}]
		x.ConditionOf[i] = c
		if !placed {
			x.ConditionOf[i] = -1
		}
	}
}

// scenarioNames name the paper's four scenarios by what their prompts contain.
var scenarioNames = map[string]string{"1": "1 free", "2": "2 arguments", "3": "3 structure", "4": "4 both", data.NoScenario: "none"}

// ScenarioName returns a scenario's ID, followed by its name if it has one.
func ScenarioName(id string) string { return cmp.Or(scenarioNames[id], id) }

// CompareScenarios sorts numbered scenarios first, then named ones, then answers without a scenario.
func CompareScenarios(a, b string) int {
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

// Scenarios returns the scenarios in tables, sorted.
func (x *Dataset) Scenarios() []string {
	all := data.Each(x.Conditions, func(c Condition) string { return c.Scenario })
	slices.SortFunc(all, CompareScenarios)
	return slices.Compact(all)
}

// A Scope is what a table row is about: a system in one scenario, or in AllScenarios. Cells are its conditions.
type Scope struct {
	System   int
	Scenario string
	Cells    []int
}

// Scopes returns a scope for each scenario of a system whose condition meets is, then one for AllScenarios.
func (x *Dataset) Scopes(system int, is func(cell int) bool) (all []Scope) {
	cells := data.Where(x.BySystem[system], is)
	for i, c := range cells {
		all = append(all, Scope{system, x.Conditions[c].Scenario, cells[i : i+1]})
	}
	if cells != nil {
		all = append(all, Scope{system, AllScenarios, cells})
	}
	return all
}

// SheetsOf returns a judge's sheets, sorted by answer and repeat.
func (run *Run) SheetsOf(judge int) []data.Given { return data.ByRater(run.Sheets, judge) }

// SheetsOn returns a judge's sheets on an answer.
func (x *Dataset) SheetsOn(judge, answer int) []data.Given {
	return data.ByItem(x.SheetsOf(judge), answer)
}

// ScoresOn returns a judge's points for an answer, by criterion, as means over repeats.
func (x *Dataset) ScoresOn(judge, answer int) data.Scores {
	scores := data.Scores{}
	n := 0.0
	for _, s := range x.SheetsOn(judge, answer) {
		if s.Status == data.Valid {
			n++
			for k, c := range x.Rubric.Criteria {
				scores[c.ID] += s.Scores[k]
			}
		}
	}
	for id := range scores {
		scores[id] /= n
	}
	return scores
}

// PlannedOf returns the planned number of answers (judge "") or of a judge's verdicts under a condition. It returns at least present, the
// number that exists.
func (x *Dataset) PlannedOf(judge string, c Condition, present int) int {
	return max(x.Plan[PlanKey{judge, x.Systems[c.System].Name, c.Scenario}].Planned, present)
}

// People reports whether a judge is a person or the mean of people.
func (x *Dataset) People(judge int) bool { return x.Judges[judge].Kind == KindHuman }

// Candidates reports, by system, whether the system can have a rank. Baselines are made for the rubric, so they have ranks only if no other
// system has answered.
func (x *Dataset) Candidates() []bool {
	all := data.Each(x.Systems, func(p store.Participant) bool { return p.Kind != KindBaseline })
	if !slices.Contains(all, true) {
		return slices.Repeat([]bool{true}, len(all))
	}
	return all
}

// Annotators returns the judges that are single people with independent scores.
func (x *Dataset) Annotators() []int { return x.judgesWith(isAnnotator) }

// References returns the human judges that other judges are compared with: the mean of people, and human judges that are not single people.
func (x *Dataset) References() []int {
	return x.judgesWith(func(p store.Participant) bool {
		return p.Kind == KindHuman && !strings.HasPrefix(p.Name, data.Human+":")
	})
}

// Scorers returns the judges that are neither baselines (floors) nor people.
func (x *Dataset) Scorers() []int {
	return x.judgesWith(func(p store.Participant) bool { return p.Kind != KindFloor && p.Kind != KindHuman })
}

func (x *Dataset) judgesWith(is func(store.Participant) bool) (who []int) {
	for j, p := range x.Judges {
		if is(p) {
			who = append(who, j)
		}
	}
	return who
}

// Resampling returns the resampling of the first run. All judges of the same object pairs get the same resamples.
func (x *Dataset) Resampling() stats.Resampling { return ResamplingOf(x.Made[0]) }

// ResamplingOf returns the resampling with the seed of a run.
func ResamplingOf(run store.Provenance) stats.Resampling {
	return stats.Resampling{Seed: uint64(run.Seed), Name: "agreement", Level: Confidence}
}

// SystemName returns a system's name for texts. It is marked if a judge has the same name, and people's answers are called "human answers".
func (t *Dataset) SystemName(name string) string {
	if name == data.Human {
		return "human answers"
	}
	if t.JudgeNamed(name) >= 0 {
		return name + " (system)"
	}
	return name
}

// ItemName returns the item of a level, with the name of the criterion after its ID.
func (t *Dataset) ItemName(level, item string) string {
	if level != LevelCriterion {
		return item
	}
	c := table.First(t.Rubric.Criteria, func(c rubric.Criterion) bool { return c.ID == item })
	return strings.TrimSuffix(item+" "+c.Name, " ")
}

// A Tally has the points that one judge gave under one condition. An answer counts once: its points are the mean over its valid sheets.
type Tally struct {
	Planned   int
	Valid     int         // sheets
	Unasked   int         // skipped sheets whose answer does not exist, for instance of a question without arguments
	Left      int         // skipped sheets that were left to other judges or to people
	Totals    []float64   // of each answer with a valid sheet
	Questions []int       // question of each total
	Groups    [][]float64 // by group of criteria: its points for each answer with a valid sheet

	present int     // sheets, valid or not
	answers float64 // answers with a sheet
	sum     float64 // sum over answers of the mean total of their sheets, where an invalid sheet has 0
	lost    float64 // sum over answers of the share of invalid sheets
}

// Tallies collects a judge's sheets by condition. Planned includes imported sheets whose answer was not found; they are not valid.
func (x *Dataset) Tallies(judge int) []Tally {
	name := x.Judges[judge].Name
	tallies := make([]Tally, len(x.Conditions))
	sheets := x.SheetsOf(judge)
	for from, to := 0, 0; from < len(sheets); from = to {
		answer := sheets[from].Item
		for to < len(sheets) && sheets[to].Item == answer {
			to++
		}
		if index := x.ConditionOf[answer]; index >= 0 {
			tallies[index].add(x, sheets[from:to])
			if x.Answers[answer].Status == data.Skipped {
				tallies[index].Unasked += to - from
			}
			tallies[index].Left += len(data.Where(sheets[from:to], data.Given.Left))
		}
	}
	for i, c := range x.Conditions {
		tallies[i].Planned = x.PlannedOf(name, c, tallies[i].present+x.UnplacedIn[PlanKey{name, x.Systems[c.System].Name, c.Scenario}])
	}
	return tallies
}

// add adds the sheets of one answer.
func (t *Tally) add(x *Dataset, sheets []data.Given) {
	total := 0.0
	valid := 0.0
	groups := make([]float64, len(x.Groups))
	for i := range sheets {
		if s := &sheets[i]; s.Status == data.Valid {
			valid++
			total += s.Total
			for g := range groups {
				groups[g] += x.GroupTotal(s, g)
			}
		}
	}
	n := float64(len(sheets))
	t.present += len(sheets)
	t.answers++
	t.Valid += int(valid)
	t.sum += total / n
	t.lost += (n - valid) / n
	if valid == 0 {
		return
	}
	t.Totals = append(t.Totals, total/valid)
	t.Questions = append(t.Questions, x.Question[sheets[0].Item])
	if t.Groups == nil {
		t.Groups = make([][]float64, len(x.Groups))
	}
	for g := range t.Groups {
		t.Groups[g] = append(t.Groups[g], groups[g]/valid)
	}
}

// Recorded returns the number of recorded verdicts. An imported sheet whose answer was not found counts as a skipped verdict.
func (x *Dataset) Recorded() int {
	return len(x.Sheets) + len(data.Where(x.Unplaced, func(u store.Unplaced) bool { return u.Kind() == store.KindVerdict }))
}

// Bound returns the mean over answers if each planned sheet that is not valid had the given total. It assumes that answers without a
// recorded sheet have as many sheets as recorded answers on average.
func (t *Tally) Bound(total float64) stats.Figure {
	if t.Planned == 0 {
		return stats.Figure{}
	}
	unrecorded := float64(t.Planned - t.present)
	if t.present > 0 {
		unrecorded *= t.answers / float64(t.present)
	}
	return stats.Number((t.sum + total*(t.lost+unrecorded)) / (t.answers + unrecorded))
}

// GroupTotal returns the sum of a sheet's scores on a group of criteria.
func (x *Dataset) GroupTotal(s *data.Given, group int) float64 {
	sum := 0.0
	for c, g := range x.groupOf {
		if g == group {
			sum += s.Scores[c]
		}
	}
	return sum
}

// Valid returns a judge's valid sheets, sorted by answer and repeat.
func (x *Dataset) Valid(judge int) []*data.Given {
	sheets := x.SheetsOf(judge)
	of := make([]*data.Given, 0, len(sheets))
	for i := range sheets {
		if sheets[i].Status == data.Valid {
			of = append(of, &sheets[i])
		}
	}
	return of
}
