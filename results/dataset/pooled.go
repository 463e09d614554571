package dataset

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/store"
)

// Adjudicated is the judge of decisions that a person made after seeing others' sheets. Such decisions are not independent.
const Adjudicated = data.Human + ":adjudicated"

// pool adds the judge data.Human, which has the mean sheet of people for each answer. It takes the mean over each annotator's repeats, then
// over annotators, by criterion. If nobody scored some criterion, the sheet is partial. Conditions for which the record has sheets of
// data.Human itself keep only these sheets. The order of annotators and sheets changes nothing.
func (x *Dataset) pool() {
	who := x.Annotators()
	if who == nil {
		return
	}
	flags := make([]bool, len(x.Conditions))
	scored := make([]bool, len(x.Answers))
	index := x.JudgeNamed(data.Human)
	if index < 0 {
		index = slices.IndexFunc(x.Judges, func(p store.Participant) bool { return p.Kind == KindHuman })
		x.insertJudge(index, store.Participant{Name: data.Human, Kind: KindHuman, About: "the mean of the annotators"})
	} else {
		for _, s := range x.SheetsOf(index) {
			if c := x.ConditionOf[s.Item]; c >= 0 {
				flags[c] = true
				scored[s.Item] = true
			}
		}
		x.Sheets = slices.Clip(x.Sheets)
	}
	x.LeftOut = x.leftOut(who, flags, scored)
	x.PeoplePer = map[int]int{}
	for answer, people := range x.sheetsByAnswer(x.Annotators()) {
		if c := x.ConditionOf[answer]; c >= 0 && !flags[c] {
			x.PeoplePer[answer] = len(people)
			e := &data.Ending{Status: data.Valid, Scores: meanScores(people)}
			for _, points := range e.Scores {
				e.Total += points
			}
			if math.IsNaN(e.Total) { // nobody scored some criterion
				e.Status = data.Partial
				e.Total = 0
			}
			x.Sheets = append(x.Sheets, data.Given{Rater: int32(index), Item: int32(answer), Repeat: 1, Ending: e})
		}
	}
	x.planPool()
	x.sortSheets()
}

// leftOut counts the annotators' sheets that the recorded sheets of data.Human cannot include. They are on answers that data.Human did not
// score, or from another source. flags marks the conditions, and scored the answers, with recorded sheets of data.Human.
func (x *Dataset) leftOut(who []int, flags, scored []bool) (list []store.LeftOut) {
	for _, j := range who {
		excluded := store.LeftOut{Judge: x.Judges[j].Name}
		for _, s := range x.Valid(j) {
			c := x.ConditionOf[s.Item]
			if c < 0 || !flags[c] {
				continue
			}
			key := PlanKey{data.Human, x.Systems[x.Conditions[c].System].Name, x.Conditions[c].Scenario}
			from := x.Plan[key].Origin
			key.Judge = excluded.Judge
			if !scored[s.Item] || x.Plan[key].Origin != from {
				excluded.Sheets++
			}
		}
		if excluded.Sheets > 0 {
			list = append(list, excluded)
		}
	}
	return list
}

// LeftOutText says how many sheets of people do not count for people's points, and why. It returns "" if all count.
func LeftOutText(list []store.LeftOut) string {
	sheets := 0
	names := []string{}
	for _, excluded := range list {
		sheets += excluded.Sheets
		names = append(names, excluded.Judge)
	}
	if sheets == 0 {
		return ""
	}
	by := strings.Join(names, ", ")
	if len(names) > 3 {
		by = data.Plural(len(names), "person", "people")
	}
	return data.Plural(sheets, "score sheet of "+by+" does", "score sheets of "+by+" do") + " not count for people's points: for these " +
		"systems and scenarios the run has scores of the judge human, which count alone."
}

// insertJudge inserts a judge at index, and reserves room for one more sheet per answer.
func (x *Dataset) insertJudge(index int, p store.Participant) {
	x.Judges = slices.Insert(slices.Clone(x.Judges), index, p)
	x.Sheets = append(make([]data.Given, 0, len(x.Sheets)+len(x.Answers)), x.Sheets...)
	for i := range x.Sheets {
		if int(x.Sheets[i].Rater) >= index {
			x.Sheets[i].Rater++
		}
	}
}

// sheetsByAnswer returns, by answer, the scores of each annotator, as means over repeats.
func (x *Dataset) sheetsByAnswer(who []int) map[int][][]float64 {
	all := map[int][][]float64{}
	for _, j := range who {
		sheets := x.given(j)
		for i := 0; i < len(sheets); {
			var repeats [][]float64
			answer := sheets[i].Item
			for ; i < len(sheets) && sheets[i].Item == answer; i++ {
				repeats = append(repeats, sheets[i].Scores)
			}
			all[int(answer)] = append(all[int(answer)], meanScores(repeats))
		}
	}
	return all
}

// given returns a judge's sheets with points: valid sheets, and sheets of people that lack some criteria.
func (x *Dataset) given(judge int) (of []*data.Given) {
	sheets := x.SheetsOf(judge)
	for i := range sheets {
		if sheets[i].Scores != nil {
			of = append(of, &sheets[i])
		}
	}
	return of
}

// meanScores returns the mean score on each criterion, over the sheets that score it, or NaN if none does. It adds values in ascending
// order, so that the order of sheets does not change the last digit.
func meanScores(sheets [][]float64) []float64 {
	if len(sheets) == 1 {
		return sheets[0]
	}
	mean := make([]float64, len(sheets[0]))
	for c := range mean {
		var values []float64
		for _, s := range sheets {
			if !math.IsNaN(s[c]) {
				values = append(values, s[c])
			}
		}
		slices.Sort(values)
		for _, v := range values {
			mean[c] += v
		}
		mean[c] /= float64(len(values))
	}
	return mean
}

// planPool adds the pooled sheets to the plan, with the origin of the annotators' sheets.
func (x *Dataset) planPool() {
	who := x.Annotators()
	origin := map[Condition]string{}
	for _, c := range x.Run.Plan {
		if slices.Contains(who, x.JudgeNamed(c.Judge)) && c.Kind == store.KindVerdict {
			s := store.Named(x.Systems, c.System)
			origin[Condition{s, c.Scenario}] = cmp.Or(c.Origin, origin[Condition{s, c.Scenario}])
		}
	}
	counts := make([]int, len(x.Conditions))
	for answer := range x.PeoplePer {
		counts[x.ConditionOf[answer]]++
	}
	x.Run.Plan = slices.Clone(x.Run.Plan)
	for i, n := range counts {
		if n > 0 {
			c := x.Conditions[i]
			planned := store.PlanCell{Kind: store.KindVerdict, Judge: data.Human, System: x.Systems[c.System].Name, Scenario: c.Scenario,
				Planned: n, Origin: origin[c]}
			x.Run.Plan = append(x.Run.Plan, planned)
			x.Plan[PlanKey{planned.Judge, planned.System, planned.Scenario}] = planned
		}
	}
}

// isAnnotator reports whether a judge is a single person whose scores are independent of others' scores.
func isAnnotator(p store.Participant) bool {
	return p.Kind == KindHuman && strings.HasPrefix(p.Name, data.Human+":") && p.Name != Adjudicated
}
