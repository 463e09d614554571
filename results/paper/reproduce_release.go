package paper

import (
	"cmp"
	"maps"
	"slices"

	"compqa/data"
	"compqa/data/sources/release"
	"compqa/results/table"
	"compqa/rubric"
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

// A scoreSheet is one judge's or person's sheet, joined to an answer or not.
type scoreSheet struct {
	answer string // data.Answer.ID; "" where it was not found
	source source
	pair   string    // the objects, as the row has them
	aspect bool      // the question names one
	points []float64 // in the rubric's order; nil when a criterion has no score
	total  float64   // over the criteria
	strict bool      // rubric.Check found no fault
}

func (s scoreSheet) counts(rule Rule) bool {
	return s.points != nil && (s.strict || rule == RulePublished)
}

// A reproducedRelease is the release as the tables look at it.
type reproducedRelease struct {
	rubric  rubric.Rubric
	release *release.Release
	judges  []string                // found, people aside; in the paper's order, then by name
	sheets  map[string][]scoreSheet // by judge; people's mean is data.Human
	doubly  SheetPairs              // rows that both annotators filled in
	paired  []scoreSheet            // the sheets behind the paper's Table 2, by the rule RulePairs
}

func newReproducedRelease(release *release.Release, r rubric.Rubric) *reproducedRelease {
	rel := &reproducedRelease{rubric: r, release: release, sheets: map[string][]scoreSheet{}}
	answers := map[string]data.Answer{}
	for _, a := range release.Answers {
		answers[a.ID] = a
	}
	for _, v := range release.Verdicts {
		if a := answers[v.Answer]; !data.IsHuman(v.Judge) {
			rel.add(v.Judge, scoreSheet{answer: v.Answer, source: source{a.System, a.Scenario}, pair: objects(a.Object1, a.Object2),
				aspect: a.Aspect != ""}, v.Scores)
		}
	}
	for _, u := range release.Unmatched {
		if !data.IsHuman(u.Judge) {
			rel.add(u.Judge, scoreSheet{source: source{u.System, u.Scenario}, pair: objects(u.Object1, u.Object2), aspect: u.Aspect != ""}, u.Scores)
		}
	}
	rel.judges = inOrder(slices.Collect(maps.Keys(rel.sheets)), publishedJudges(), cmp.Compare[string])
	rel.addPeople(release.People)
	return rel
}

// objects is what the authors join tables by, together with the system and the scenario.
func objects(one, two string) string { return one + "\x00" + two }

// addPeople adds the human rows, joined or not, and pairs those that both annotators filled
// in: their tables have the same rows.
func (rel *reproducedRelease) addPeople(people []release.HumanRow) {
	rows := map[int][]scoreSheet{}
	for _, p := range people {
		sheet := rel.add(p.Judge, scoreSheet{answer: p.Answer, source: source{p.System, p.Scenario}, pair: objects(p.Object1, p.Object2),
			aspect: p.Aspect != ""}, p.Scores)
		if p.Judge == annotator1 || p.Judge == annotator2 {
			rows[p.Row] = append(rows[p.Row], sheet)
		}
	}
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		if of := rows[row]; len(of) == 2 {
			rel.doubly.add(of[0].points, of[1].points)
		}
		if rel.release.Paired == nil {
			rel.paired = append(rel.paired, meanSheet(rows[row]))
		}
	}
	for _, p := range rel.release.Paired {
		var complete []scoreSheet
		for _, scores := range p.Scores {
			if sheet := rel.sheet(data.Human, scoreSheet{answer: p.Answer}, scores); sheet.points != nil {
				complete = append(complete, sheet)
			}
		}
		if complete != nil {
			rel.paired = append(rel.paired, meanSheet(complete))
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

// The release's two annotators who filled in the same table.
const (
	annotator1 = data.Human + ":1"
	annotator2 = data.Human + ":2"
)

// add completes a sheet from its scores and files it under its judge.
func (rel *reproducedRelease) add(judge string, s scoreSheet, scores data.Scores) scoreSheet {
	s = rel.sheet(judge, s, scores)
	rel.sheets[judge] = append(rel.sheets[judge], s)
	return s
}

// sheet completes a sheet from its scores.
func (rel *reproducedRelease) sheet(judge string, s scoreSheet, scores data.Scores) scoreSheet {
	points := make([]float64, 0, len(rel.rubric.Criteria))
	for _, c := range rel.rubric.Criteria {
		if p, ok := scores[c.ID]; ok {
			points = append(points, p)
		}
	}
	if len(points) == len(rel.rubric.Criteria) {
		s.points = points
		s.total = rel.rubric.Total(scores)
		s.strict = rel.rubric.Check(scores, judge == data.Human) == nil
	}
	return s
}

// inOrder lists what was found once each, in the paper's order; what the paper
// does not know comes last, sorted.
func inOrder[T comparable](found, paper []T, compare func(a, b T) int) []T {
	rest := map[T]bool{}
	for _, x := range found {
		rest[x] = true
	}
	var ordered []T
	for _, x := range paper {
		if rest[x] {
			ordered = append(ordered, x)
			delete(rest, x)
		}
	}
	return append(ordered, slices.SortedFunc(maps.Keys(rest), compare)...)
}

func compareSources(a, b source) int {
	return cmp.Or(cmp.Compare(a.system, b.system), cmp.Compare(a.scenario, b.scenario))
}

// publishedSources are the rows of the paper's Table 5.
func publishedSources() []source {
	var sources []source
	for _, c := range PublishedTable5() {
		sources = append(sources, source{c.System, c.Scenario})
	}
	return slices.Compact(sources) // a row's cells stand together
}

// publishedJudges are the columns of the paper's Table 3, people last.
func publishedJudges() []string {
	var judges []string
	view := PublishedTable3()
	for _, c := range view {
		if c.System == view[0].System {
			judges = append(judges, c.Judge)
		}
	}
	return judges
}

// sourcesOf are the sources a judge, or people, have sheets of, in order.
func (rel *reproducedRelease) sourcesOf(judge string) []source {
	var sources []source
	for _, s := range rel.sheets[judge] {
		sources = append(sources, s.source)
	}
	return inOrder(sources, publishedSources(), compareSources)
}

// counted are the judge's sheets that a rule lets count.
func (rel *reproducedRelease) counted(judge string, rule Rule) []scoreSheet {
	return table.Where(rel.sheets[judge], func(s scoreSheet) bool { return s.counts(rule) })
}

// totals are the total points of the sheets that count and are in a part.
func (rel *reproducedRelease) totals(judge string, rule Rule, in func(scoreSheet) bool) []float64 {
	var totals []float64
	for _, s := range rel.counted(judge, rule) {
		if in(s) {
			totals = append(totals, s.total)
		}
	}
	return totals
}

// from are the sheets of some sources.
func from(of ...source) func(scoreSheet) bool {
	return func(s scoreSheet) bool { return slices.Contains(of, s.source) }
}

// withAspect are the sheets whose row names an aspect, or those whose row does not.
func withAspect(aspect bool) func(scoreSheet) bool {
	return func(s scoreSheet) bool { return s.aspect == aspect }
}

func (rel *reproducedRelease) planned(judge string, of source) int {
	return len(table.Where(rel.sheets[judge], from(of)))
}

// pairs are the human sheets beside the judge's strictly valid verdicts on their answers:
// the rows that count by a rule, or by RulePairs those behind the paper's Table 2. Each human
// row is a unit, also where two are about one answer.
func (rel *reproducedRelease) pairs(judge string, rule Rule) (pairs SheetPairs, unjoined, invalid int) {
	verdicts := map[string]scoreSheet{}
	for _, s := range rel.counted(judge, RuleStrict) {
		verdicts[s.answer] = s
	}
	people := rel.paired
	if rule != RulePairs {
		people = rel.counted(data.Human, rule)
	}
	for _, person := range people {
		verdict, ok := verdicts[person.answer]
		switch {
		case person.answer == "":
			unjoined++
		case !ok:
			invalid++
		default:
			pairs.add(person.points, verdict.points)
		}
	}
	return pairs, unjoined, invalid
}

// constantPairs are the human rows that count beside full marks.
func (rel *reproducedRelease) constantPairs(rule Rule) SheetPairs {
	var full []float64
	for _, criterion := range rel.rubric.Criteria {
		full = append(full, criterion.Max())
	}
	var pairs SheetPairs
	for _, person := range rel.counted(data.Human, rule) {
		pairs.add(person.points, full)
	}
	return pairs
}
