package paper

import (
	"cmp"
	"maps"
	"slices"

	"compqa/data"
	"compqa/data/sources"
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
	release *sources.Release
	judges  []string                // found, people aside; in the paper's order, then by name
	sheets  map[string][]scoreSheet // by judge; people's mean is data.Human
	doubly  SheetPairs              // rows that both annotators filled in
}

func newReproducedRelease(release *sources.Release, r rubric.Rubric) *reproducedRelease {
	rel := &reproducedRelease{rubric: r, release: release, sheets: map[string][]scoreSheet{}}
	answers := map[string]data.Answer{}
	for _, a := range release.Answers {
		answers[a.ID] = a
	}
	for _, v := range release.Verdicts {
		if a := answers[v.Answer]; !data.IsHuman(v.Judge) {
			rel.add(v.Judge, scoreSheet{answer: v.Answer, source: source{a.System, a.Scenario}, aspect: a.Aspect != ""}, v.Scores)
		}
	}
	for _, u := range release.Unmatched {
		if !data.IsHuman(u.Judge) {
			rel.add(u.Judge, scoreSheet{source: source{u.System, u.Scenario}, aspect: u.Aspect != ""}, u.Scores)
		}
	}
	rel.judges = inOrder(slices.Collect(maps.Keys(rel.sheets)), publishedJudges(), cmp.Compare[string])
	rel.addPeople(release.People)
	return rel
}

// addPeople adds the human rows, joined or not, and pairs those that both
// annotators filled in: their tables have the same rows.
func (rel *reproducedRelease) addPeople(people []sources.HumanRow) {
	rows := map[string]map[int]scoreSheet{annotator1: {}, annotator2: {}}
	for _, p := range people {
		sheet := rel.add(p.Judge, scoreSheet{answer: p.Answer, source: source{p.System, p.Scenario}, aspect: p.Aspect != ""}, p.Scores)
		if of, ok := rows[p.Judge]; ok {
			of[p.Row] = sheet
		}
	}
	for _, row := range slices.Sorted(maps.Keys(rows[annotator1])) {
		if second, ok := rows[annotator2][row]; ok {
			rel.doubly.add(rows[annotator1][row].points, second.points)
		}
	}
}

// The release's two annotators who filled in the same table.
const (
	annotator1 = data.Human + ":1"
	annotator2 = data.Human + ":2"
)

// add completes a sheet from its scores and files it under its judge.
func (rel *reproducedRelease) add(judge string, sheet scoreSheet, scores data.Scores) scoreSheet {
	points := make([]float64, 0, len(rel.rubric.Criteria))
	for _, c := range rel.rubric.Criteria {
		if p, ok := scores[c.ID]; ok {
			points = append(points, p)
		}
	}
	if len(points) == len(rel.rubric.Criteria) {
		sheet.points = points
		sheet.total = rel.rubric.Total(scores)
		sheet.strict = rel.rubric.Check(scores, judge == data.Human) == nil
	}
	rel.sheets[judge] = append(rel.sheets[judge], sheet)
	return sheet
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

// totals are the total points of the sheets of some sources that count.
func (rel *reproducedRelease) totals(judge string, rule Rule, of ...source) []float64 {
	var totals []float64
	for _, s := range rel.counted(judge, rule) {
		if slices.Contains(of, s.source) {
			totals = append(totals, s.total)
		}
	}
	return totals
}

func (rel *reproducedRelease) planned(judge string, of source) int {
	return len(table.Where(rel.sheets[judge], func(s scoreSheet) bool { return s.source == of }))
}

// totalsByAspect are the total points of the human rows whose question names an
// aspect, or of those whose question does not; of a judge, those of its verdicts
// on their answers.
func (rel *reproducedRelease) totalsByAspect(judge string, rule Rule, aspect bool) []float64 {
	var totals []float64
	if judge == data.Human {
		for _, person := range rel.counted(judge, rule) {
			if person.aspect == aspect {
				totals = append(totals, person.total)
			}
		}
		return totals
	}
	pairs, _, _ := rel.pairs(judge, rule, rule, func(person scoreSheet) bool { return person.aspect == aspect })
	_, totals = pairs.final()
	return totals
}

// pairs are the human rows that count by one rule beside the judge's verdicts on
// their answers, where these count by another. Each human row is a unit, also
// where two are about one answer. among selects human rows; nil selects all.
func (rel *reproducedRelease) pairs(judge string, rows, of Rule, among func(scoreSheet) bool) (pairs SheetPairs, unjoined, invalid int) {
	verdicts := map[string]scoreSheet{}
	for _, s := range rel.counted(judge, of) {
		verdicts[s.answer] = s
	}
	for _, person := range rel.counted(data.Human, rows) {
		verdict, ok := verdicts[person.answer]
		switch {
		case among != nil && !among(person):
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
