package dataset

import (
	"fmt"
	"slices"

	"compqa/results/table"
)

const (
	// minDegenerate is the number of verdicts from which a judge can be called degenerate.
	minDegenerate = 20
	// sameSheets is the share of equal score sheets from which it is.
	sameSheets = 0.8
	// minSeveral and minQuestions are the common answers, and their object pairs, that every
	// statement about several judges needs.
	minSeveral, minQuestions = 30, 10
)

// degenerate says by judge why its verdicts say nothing about answers, "" if they may: all totals
// are equal, or most score sheets are. No person is needed to see this. Floors are constant by
// design, and people are never called degenerate.
func (x *Dataset) degenerate() []string {
	why := make([]string, len(x.Judges))
	for j, p := range x.Judges {
		if p.Kind == KindFloor || p.Kind == KindHuman {
			continue
		}
		sheets := x.Valid(j)
		if len(sheets) < minDegenerate {
			continue
		}
		endings, constant := map[*Ending]int{}, true // equal endings of a record are shared
		for _, s := range sheets {
			endings[s.Ending]++
			constant = constant && s.Total == sheets[0].Total
		}
		equal, most := map[string]int{}, 0
		for e, n := range endings {
			key := fmt.Sprint(e.Scores)
			equal[key] += n
			most = max(most, equal[key])
		}
		switch share := float64(most) / float64(len(sheets)); {
		case constant:
			why[j] = fmt.Sprintf("gives %s points to every answer", table.Shortest(sheets[0].Total))
		case share >= sameSheets:
			why[j] = fmt.Sprintf("gives the same score sheet to %.0f %% of all answers", 100*share)
		}
	}
	return why
}

// JudgeNamed is the index of a judge, -1 if there is none.
func (run *Run) JudgeNamed(name string) int {
	for j, p := range run.Judges {
		if p.Name == name {
			return j
		}
	}
	return -1
}

// Comparable reports whether judges share enough answers for a statement about several of them.
func (x *Dataset) Comparable(judges []int) bool {
	n := make([]int, len(x.Answers))
	for _, j := range judges {
		totals := x.AnswerTotals(j)
		for a := range n {
			if _, ok := totals.Of(a); ok {
				n[a]++
			}
		}
	}
	answers := 0
	var questions []int
	for a, scored := range n {
		if scored == len(judges) {
			answers++
			questions = append(questions, x.Question[a])
		}
	}
	slices.Sort(questions)
	return answers >= minSeveral && len(slices.Compact(questions)) >= minQuestions
}
