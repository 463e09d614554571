package bench

import (
	"fmt"
	"slices"

	"compqa/bench/plan"
	"compqa/judges/pairwise"
	"compqa/results/store"
	"compqa/results/train"
)

// The qualities of rationales. Con-J (A.4) keeps the contrasts whose right judgment the grader holds to be right, too. It trains on those
// whose rationale has the best grades, or on equally many of the others. --rationales is high or low.
const (
	rationalesHigh  = "high" // correctness 5 and consistency 3, the best grades
	rationalesLow   = "low"
	rationalesWrong = "wrong" // the grader holds the judgment to be wrong
)

// rationaleGrades holds the grades of sampled judgments, by the place of the graded judgment.
type rationaleGrades map[store.At]store.RecordedGrade

// graded returns the grades of a judge's sampled judgments. It returns a Refusal if the grades are by several graders, or if there are
// none.
func (x *trainExport) graded(judge string) (rationaleGrades, error) {
	if x.Rationales == "" {
		return nil, nil
	}
	all, err := store.ResultsOf[store.RecordedGrade](x.db, store.PlanCell{Kind: store.KindGrade})
	if err != nil {
		return nil, err
	}
	grades := rationaleGrades{}
	grader := ""
	for _, g := range all {
		if g.Judge != judge || len(g.Method) < 8 || g.Method[:8] != "sampled:" {
			continue
		}
		if grader != "" && g.Grader != grader {
			return nil, train.Refusal{Reason: fmt.Sprintf("%s has grades of the sampled judgments by %s and by %s; keep one", x.Run, grader,
				g.Grader)}
		}
		grader, grades[g.Graded()] = g.Grader, g
	}
	if len(grades) == 0 {
		return nil, train.Refusal{Reason: fmt.Sprintf("%s has no grades of sampled judgments of %s; `compqa pairwise sample --grader ENTRY "+
			"--out %[1]s` records them", x.Run, judge)}
	}
	return grades, nil
}

// quality returns the quality of a contrast's right judgment: rationalesHigh, rationalesLow, rationalesWrong, or "" if it has no valid
// grade.
func (g rationaleGrades) quality(c pairwise.ContrastSource, judge string) string {
	source := c.Source
	if source == pairwise.SourceHint {
		source = pairwise.SourceCorrect
	}
	grade := g[store.PreferenceAt(c.Pair, judge, plan.GradeMethod(source, c.Sample), c.Order)]
	switch {
	case grade.Right == nil:
		return ""
	case !*grade.Right:
		return rationalesWrong
	case grade.Correctness == pairwise.MostCorrect && grade.Consistency == pairwise.MostConsistent:
		return rationalesHigh
	}
	return rationalesLow
}

// ofQuality returns examples of the quality that --rationales asks for. So that sets of both qualities have the same size, it keeps as many
// as the rarer quality has. A seeded hash chooses them.
func (x *trainExport) ofQuality(examples []train.Example) []train.Example {
	count := map[string]int{}
	for _, e := range examples {
		count[x.qualities[e.ID]]++
	}
	kept := slices.DeleteFunc(slices.Clone(examples), func(e train.Example) bool { return x.qualities[e.ID] != x.Rationales })
	return train.Subset(kept, min(count[rationalesHigh], count[rationalesLow]), x.Seed, "rationales")
}
