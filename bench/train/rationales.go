package train

import (
	"fmt"

	"compqa/bench/plan"
	"compqa/judges/pairwise"
	"compqa/results/store"
	"compqa/results/train"
)

// The qualities of --rationales. Con-J's A.4 keeps the contrasts whose right judgment the grader holds to be right, too, and
// trains on those with the best grades of the rationale, or on equally many of the others.
const (
	rationalesHigh = "high" // correctness 5 and consistency 3
	rationalesLow  = "low"
	gradedWrong    = "wrong" // the grader holds the judgment to be wrong
)

// grades are those of sampled judgments, by key.
type grades map[store.PreferenceKey]store.RecordedGrade

// graded are the grades of a judge's sampled judgments. Several graders are an error.
func (x *export) graded(judge string) (grades, error) {
	if x.Rationales == "" {
		return nil, nil
	}
	all, err := x.db.Grades()
	if err != nil {
		return nil, err
	}
	of, grader := grades{}, ""
	for _, g := range all {
		if g.Judge != judge || len(g.Method) < 8 || g.Method[:8] != "sampled:" {
			continue
		}
		if grader != "" && g.Grader != grader {
			return nil, train.Refusal{Reason: fmt.Sprintf("%s has grades of the sampled judgments by %s and by %s; keep one", x.Run, grader,
				g.Grader)}
		}
		grader, of[g.PreferenceKey] = g.Grader, g
	}
	if len(of) == 0 {
		return nil, train.Refusal{Reason: fmt.Sprintf("%s has no grades of sampled judgments of %s; `compqa pairwise sample --grader ENTRY "+
			"--out %[1]s` records them", x.Run, judge)}
	}
	return of, nil
}

// quality is that of the right judgment of a contrast; "" if it has no valid grade.
func (g grades) quality(c pairwise.ContrastSource, judge string) string {
	source := c.Source
	if source == pairwise.SourceHint {
		source = pairwise.SourceCorrect
	}
	grade := g[store.PreferenceKey{ID: c.Pair, Judge: judge, Method: plan.GradeMethod(source, c.Sample), Order: c.Order}]
	switch {
	case grade.Right == nil:
		return ""
	case !*grade.Right:
		return gradedWrong
	case grade.Correctness == pairwise.MostCorrect && grade.Consistency == pairwise.MostConsistent:
		return rationalesHigh
	}
	return rationalesLow
}

// ofQuality selects contrasts of the wanted quality, as many as both have at least: a hash with the seed chooses.
func (x *export) ofQuality(examples []train.Example, qualities []string) ([]train.Example, error) {
	count := map[string]int{}
	for _, q := range qualities {
		count[q]++
	}
	x.step("contrasts with a valid grade of the right judgment", len(qualities)-count[""])
	x.step("contrasts that are right according to the grader", count[rationalesHigh]+count[rationalesLow])
	x.step("of these with rationales of high quality", count[rationalesHigh])
	var of []train.Example
	for i, e := range examples {
		if qualities[i] == x.Rationales {
			of = append(of, e)
		}
	}
	most := min(count[rationalesHigh], count[rationalesLow])
	if most == 0 {
		return nil, train.Refusal{Reason: fmt.Sprintf("there are %d contrasts with rationales of high quality and %d of low quality; both "+
			"are needed for sets of one size", count[rationalesHigh], count[rationalesLow])}
	}
	of = train.Subset(of, most, x.Seed, "rationales")
	x.step("rationales of "+x.Rationales+" quality, as many as of the other quality", len(of))
	return of, nil
}
