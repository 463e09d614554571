package judgequality

import (
	"slices"

	"compqa/results/dataset"
	"compqa/results/humanpoints"
	"compqa/results/table"
)

// A LeniencyRow is the difference judge minus human, in points, on the answers of a
// system that both scored; AllSystems for all systems.
type LeniencyRow struct {
	Judge      string        `csv:"judge"`
	System     string        `csv:"system"`
	N          int           `csv:"n"`                              // answers
	Difference table.Bounded `csv:"mean_difference,ci_low,ci_high"` // clustered by question
}

// scorers are the judges that are neither floors nor people.
func scorers(x *dataset.Dataset) []int {
	var who []int
	for j, p := range x.Judges {
		if p.Kind != dataset.KindFloor && p.Kind != dataset.KindHuman {
			who = append(who, j)
		}
	}
	return who
}

// panelists are the scorers that are not degenerate.
func panelists(x *dataset.Dataset) []int {
	return table.Where(scorers(x), func(j int) bool { return x.Degenerate[j] == "" })
}

// leniency is in the order of judges and systems.
func leniency(x *dataset.Dataset, people dataset.AnswerTotals) ([]LeniencyRow, error) {
	if !people.Any() {
		return nil, nil
	}
	var c dataset.Calculator
	var rows []LeniencyRow
	for _, j := range scorers(x) {
		of := make([]dataset.Sample, len(x.Systems)+1)
		x.EachDifference(x.AnswerTotals(j), people, func(answer int, difference float64) {
			system := x.Cells[x.CellOf[answer]].System
			of[system].Add(difference, x.Question[answer])
			of[len(x.Systems)].Add(difference, x.Question[answer])
		})
		for s, values := range of {
			name := dataset.AllSystems
			if s < len(x.Systems) {
				name = x.Systems[s].Name
			}
			if e := c.Mean(values); e.N > 0 {
				rows = append(rows, LeniencyRow{x.Judges[j].Name, name, e.N, e.Bounded})
			}
		}
	}
	return rows, c.Err
}

// fillFamily sets how many points more a judge gives to systems of its declared family,
// relative to other systems, than people do or the judges of other families do. Answers
// are compared within a scenario; the preference is the mean over the scenarios in which
// both groups of systems answered. It is missing if no system is in the judge's family.
func (r *JudgeRow) fillFamily(c *dataset.Calculator, x *dataset.Dataset, judge int, people dataset.AnswerTotals) {
	kin := make([]bool, len(x.Systems))
	for s, system := range x.Systems {
		if kin[s] = r.Family != "" && system.Family == r.Family; kin[s] {
			r.FamilySystems = append(r.FamilySystems, system.Name)
		}
	}
	if r.FamilySystems == nil {
		return
	}
	own := x.AnswerTotals(judge)
	if people.Any() {
		r.FamilyPeople = overKin(x, c, kin, own, people)
	}
	var others []dataset.AnswerTotals
	for _, j := range panelists(x) {
		if j != judge && x.Judges[j].Family != r.Family {
			r.Others = append(r.Others, x.Judges[j].Name)
			others = append(others, x.AnswerTotals(j))
		}
	}
	if others != nil && x.Lacks(append(others, own)...) == "" {
		r.FamilyJudges = overKin(x, c, kin, own, humanpoints.Mean(others, nil))
	}
}

func overKin(x *dataset.Dataset, c *dataset.Calculator, kin []bool, own, other dataset.AnswerTotals) table.Bounded {
	scenarios := x.Scenarios()
	of := make([][2]dataset.Sample, len(scenarios)) // others, kin
	x.EachDifference(own, other, func(answer int, difference float64) {
		cell := x.Cells[x.CellOf[answer]]
		s := slices.Index(scenarios, cell.Scenario)
		of[s][int(dataset.Indicator(kin[cell.System]))].Add(difference, x.Question[answer])
	})
	of = slices.DeleteFunc(of, func(s [2]dataset.Sample) bool { return s[0].Values == nil || s[1].Values == nil })
	var samples []dataset.Sample
	var weights []float64
	for _, s := range of {
		samples = append(samples, s[1], s[0])
		weights = append(weights, 1/float64(len(of)), -1/float64(len(of)))
	}
	return c.Contrast(samples, weights).Bounded
}
