package paper

import (
	"cmp"
	"maps"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
)

// A source is where answers come from: a system under a scenario. The release
// has one file for each.
type source struct{ system, scenario string }

// key is the source's name in reproduce.json and in Table 5's rows.
func (s source) key() string {
	if s.scenario == data.NoScenario {
		return s.system
	}
	return s.system + "_scenario_" + s.scenario
}

func compareSources(a, b source) int {
	return cmp.Or(cmp.Compare(a.system, b.system), cmp.Compare(a.scenario, b.scenario))
}

// A scoreSheet is one judge's or person's sheet, joined to an answer or not.
type scoreSheet struct {
	row    data.Answer // what the sheet is about, as its row has it; without an ID, the answer was not found
	points []float64   // in the rubric's order; nil when a criterion has no score
	total  float64     // over the criteria
	strict bool        // rubric.Check found no fault
}

func (s scoreSheet) source() source { return source{s.row.System, s.row.Scenario} }

func (s scoreSheet) counts(rule Rule) bool {
	return s.points != nil && (s.strict || rule == RulePublished)
}

// read files the sheets of the release by judge, those of judges first.
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
	r.judges = inOrder(slices.Collect(maps.Keys(r.sheets)), publishedJudges(), cmp.Compare[string])
	// Human rows count, joined or not. The annotators' two tables have the same rows.
	rows := map[int][]scoreSheet{}
	for _, p := range r.release.People {
		sheet := r.add(p.Judge, data.Answer{ID: p.Answer, System: p.System, Scenario: p.Scenario, Object1: p.Object1, Object2: p.Object2,
			Aspect: p.Aspect}, p.Scores)
		if p.Judge == data.Human+":1" || p.Judge == data.Human+":2" {
			rows[p.Row] = append(rows[p.Row], sheet)
		}
	}
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		if of := rows[row]; len(of) == 2 {
			r.doubly.add(of[0].points, of[1].points)
		}
		if r.release.Paired == nil {
			r.paired = append(r.paired, meanSheet(rows[row]))
		}
	}
	for _, p := range r.release.Paired {
		var complete []scoreSheet
		for _, scores := range p.Scores {
			if sheet := r.sheet(data.Human, data.Answer{ID: p.Answer}, scores); sheet.points != nil {
				complete = append(complete, sheet)
			}
		}
		if complete != nil {
			r.paired = append(r.paired, meanSheet(complete))
		}
	}
}

// meanSheet is the mean of complete sheets for one answer.
func meanSheet(of []scoreSheet) scoreSheet {
	mean := of[0]
	mean.points = make([]float64, len(of[0].points))
	for _, s := range of {
		for i, points := range s.points {
			mean.points[i] += points / float64(len(of))
		}
	}
	return mean
}

// add files a sheet under its judge.
func (r *Reproduction) add(judge string, row data.Answer, scores data.Scores) scoreSheet {
	s := r.sheet(judge, row, scores)
	r.sheets[judge] = append(r.sheets[judge], s)
	return s
}

func (r *Reproduction) sheet(judge string, row data.Answer, scores data.Scores) scoreSheet {
	for _, c := range r.rubric.Criteria {
		if _, ok := scores[c.ID]; !ok {
			return scoreSheet{row: row}
		}
	}
	return scoreSheet{row, r.rubric.Points(scores), r.rubric.Total(scores), r.rubric.Check(scores, judge == data.Human) == nil}
}

// inOrder lists what was found once each, in the paper's order; what the paper
// does not know comes last, sorted.
func inOrder[T comparable](found, paper []T, compare func(a, b T) int) []T {
	place := func(x T) int {
		if i := slices.Index(paper, x); i >= 0 {
			return i
		}
		return len(paper)
	}
	return slices.Compact(slices.SortedFunc(slices.Values(found), func(a, b T) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), compare(a, b))
	}))
}

// publishedSources are the rows of the paper's Table 5.
func publishedSources() []source {
	var sources []source
	for _, c := range published[publishedCell](5) {
		sources = append(sources, source{c.System, c.Scenario})
	}
	return slices.Compact(sources) // a row's cells stand together
}

// publishedJudges are the columns of the paper's Table 3, people last.
func publishedJudges() (judges []string) {
	for _, c := range published[publishedCell](3) {
		judges = append(judges, c.Judge)
	}
	return inOrder(judges, judges, cmp.Compare[string])
}

// sourcesOf are the sources that judges, or people, have sheets of, beside others, in order.
func (r *Reproduction) sourcesOf(others []source, judges ...string) []source {
	for _, judge := range judges {
		for _, s := range r.sheets[judge] {
			others = append(others, s.source())
		}
	}
	return inOrder(others, publishedSources(), compareSources)
}

// allSources are the paper's and those found beside them.
func (r *Reproduction) allSources() []source {
	all := publishedSources()
	for _, a := range r.release.Answers {
		all = append(all, source{a.System, a.Scenario})
	}
	return r.sourcesOf(all, append(slices.Clone(r.judges), data.Human)...)
}

// systemsOf are systems and those of sources, once each, in the order of their first mention.
func systemsOf(systems []string, sources []source) []string {
	for _, s := range sources {
		systems = append(systems, s.system)
	}
	return inOrder(systems, systems, cmp.Compare[string])
}

func scenariosOf(system string, among []source) []source {
	return table.Where(among, func(s source) bool { return s.system == system })
}

// where are the judge's sheets in a part.
func (r *Reproduction) where(judge string, in func(scoreSheet) bool) []scoreSheet {
	return table.Where(r.sheets[judge], in)
}

// counted are the judge's sheets that a rule lets count.
func (r *Reproduction) counted(judge string, rule Rule) []scoreSheet {
	return r.where(judge, func(s scoreSheet) bool { return s.counts(rule) })
}

// points are the moments of the total points of the judge's sheets that count and are in a part.
func (r *Reproduction) points(judge string, rule Rule, in func(scoreSheet) bool) dataset.Moments {
	var totals []float64
	for _, s := range r.where(judge, in) {
		if s.counts(rule) {
			totals = append(totals, s.total)
		}
	}
	return r.Moments(totals)
}

// from are the sheets of some sources.
func from(of ...source) func(scoreSheet) bool {
	return func(s scoreSheet) bool { return slices.Contains(of, s.source()) }
}

// withAspect are the sheets whose row names an aspect, or those whose row does not.
func withAspect(aspect bool) func(scoreSheet) bool {
	return func(s scoreSheet) bool { return (s.row.Aspect != "") == aspect }
}
