package paper

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
)

// A source is a system in a scenario. The release has one file of answers for each source.
type source struct{ system, scenario string }

func sourceOf(row data.Answer) source { return source{row.System, row.Scenario} }

// key returns the name of the source in reproduce.json and in the rows of Table 5.
func (s source) key() string {
	if s.scenario == data.NoScenario {
		return s.system
	}
	return s.system + "_scenario_" + s.scenario
}

// A scoreSheet is a sheet of a judge or a person. Its answer may not have been found.
type scoreSheet struct {
	row    data.Answer // the answer as the sheet's row states it; the ID is "" if the answer was not found
	points []float64   // in the rubric's order; nil if a criterion has no score
	total  float64     // sum over the criteria
	strict bool        // the sheet passes rubric.Check
}

// read collects the sheets of the release by rater: of judges, including rows whose answer was not found, then of people. Then it builds
// the mean sheets for Table 2 (RulePairs), and the list of sources.
func (r *Reproduction) read() {
	answers := map[string]data.Answer{}
	for _, a := range r.release.Answers {
		answers[a.ID] = a
	}
	for _, v := range r.release.Verdicts {
		if !data.IsHuman(v.Judge) {
			r.add(v.Judge, answers[v.Answer], v.Scores)
		}
	}
	for _, u := range r.release.Unmatched {
		if !data.IsHuman(u.Judge) {
			r.add(u.Judge, data.Answer{System: u.System, Scenario: u.Scenario, Object1: u.Object1, Object2: u.Object2, Aspect: u.Aspect}, u.Scores)
		}
	}
	r.judges = inOrder(slices.Collect(maps.Keys(r.sheets)), publishedJudges())
	// Human rows count whether or not their answer was found. The tables of the two annotators have the same rows.
	annotated := map[int][]scoreSheet{}
	for _, p := range r.release.People {
		sheet := r.add(p.Judge, data.Answer{ID: p.Answer, System: p.System, Scenario: p.Scenario, Object1: p.Object1, Object2: p.Object2,
			Aspect: p.Aspect}, p.Scores)
		if p.Judge != data.Human {
			annotated[p.Row] = append(annotated[p.Row], sheet)
		}
	}
	var paired [][]scoreSheet
	for _, row := range slices.Sorted(maps.Keys(annotated)) {
		sheets := annotated[row]
		paired = append(paired, sheets)
		if len(sheets) == 2 {
			r.doubly.Add(sheets[0].points, sheets[1].points, 0)
		}
	}
	if r.release.Paired != nil {
		paired = nil
	}
	for _, p := range r.release.Paired {
		paired = append(paired, data.Each(p.Scores[:], func(scores data.Scores) scoreSheet {
			return r.sheet(data.Human, data.Answer{ID: p.Answer}, scores)
		}))
	}
	for _, sheets := range paired {
		sheets = data.Where(sheets, func(s scoreSheet) bool { return s.points != nil })
		if sheets == nil {
			continue
		}
		mean := scoreSheet{row: sheets[0].row, points: make([]float64, len(sheets[0].points))}
		for _, s := range sheets {
			for i, points := range s.points {
				mean.points[i] += points / float64(len(sheets))
			}
		}
		r.paired = append(r.paired, mean)
	}
	sources := append(publishedSources(), data.Each(r.release.Answers, sourceOf)...)
	for _, rater := range r.raters() {
		sources = append(sources, data.Each(r.sheets[rater], func(s scoreSheet) source { return sourceOf(s.row) })...)
	}
	r.sources = inOrder(sources, publishedSources())
}

func (r *Reproduction) raters() []string { return append(slices.Clone(r.judges), data.Human) }

func (r *Reproduction) add(judge string, row data.Answer, scores data.Scores) scoreSheet {
	s := r.sheet(judge, row, scores)
	r.sheets[judge] = append(r.sheets[judge], s)
	return s
}

func (r *Reproduction) sheet(judge string, row data.Answer, scores data.Scores) scoreSheet {
	if slices.ContainsFunc(r.rubric.IDs(), func(id string) bool { _, ok := scores[id]; return !ok }) {
		return scoreSheet{row: row}
	}
	return scoreSheet{row, r.rubric.Points(scores), r.rubric.Total(scores), r.rubric.Check(scores, judge == data.Human) == nil}
}

// inOrder returns the distinct elements of found, in the order of paper. Elements that paper lacks come last, sorted.
func inOrder[T comparable](found, paper []T) []T {
	place := map[T]int{}
	for _, x := range found {
		place[x] = len(paper)
	}
	for i, x := range slices.Backward(paper) {
		if _, is := place[x]; is {
			place[x] = i
		}
	}
	return slices.SortedFunc(maps.Keys(place), func(a, b T) int {
		return cmp.Or(cmp.Compare(place[a], place[b]), cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
}

// once returns the distinct names, in the order of their first occurrence.
func once(names ...string) []string { return inOrder(names, names) }

// publishedSources returns the sources in the rows of the paper's Table 5.
func publishedSources() []source { // the cells of a row are adjacent
	return slices.Compact(data.Each(published[publishedCell](5), func(c publishedCell) source { return source{c.System, c.Scenario} }))
}

// publishedJudges returns the judges in the columns of the paper's Table 3, with people last.
func publishedJudges() []string {
	return once(data.Each(published[publishedCell](3), func(c publishedCell) string { return c.Judge })...)
}

// sourcesOf returns the sources on which a judge (or people) has sheets.
func (r *Reproduction) sourcesOf(judge string) []source {
	return data.Where(r.sources, func(s source) bool { return slices.ContainsFunc(r.sheets[judge], from(s)) })
}

func systemOf(s source) string { return s.system }

func scenariosOf(system string, among []source) []source {
	return data.Where(among, func(s source) bool { return s.system == system })
}

// counted returns the judge's sheets that a rule accepts and for which in is true.
func (r *Reproduction) counted(judge string, rule Rule, in func(scoreSheet) bool) []scoreSheet {
	return data.Where(r.sheets[judge], func(s scoreSheet) bool {
		return s.points != nil && (s.strict || rule == RulePublished) && in(s)
	})
}

// points returns the mean and deviation of the totals of a judge's accepted sheets for which in is true.
func (r *Reproduction) points(judge string, rule Rule, in func(scoreSheet) bool) dataset.Moments {
	return r.Moments(data.Each(r.counted(judge, rule, in), func(s scoreSheet) float64 { return s.total }))
}

// Selections of a judge's sheets: all; those of some sources; those with, or without, an aspect in their row.

func everywhere(scoreSheet) bool { return true }

func from(origins ...source) func(scoreSheet) bool {
	return func(s scoreSheet) bool { return slices.Contains(origins, sourceOf(s.row)) }
}

func withAspect(aspect bool) func(scoreSheet) bool {
	return func(s scoreSheet) bool { return (s.row.Aspect != "") == aspect }
}
