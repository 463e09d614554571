package trust

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/table"
	"compqa/stats"
)

// This file has the words of conclusions about orders of systems by several raters, and about the effects of scenarios and aspects on
// points. No other package words these.

// Claims about rankings, scenarios and aspects.
const (
	ClaimRanking  = "people's ranking"
	ClaimFirst    = "first and second"
	ClaimScenario = "scenarios"
	ClaimAspect   = "aspects"
)

// A Ranking compares a judge's order of systems with people's order.
type Ranking struct {
	Judge   string
	Tau     stats.Figure // Kendall's tau-b of the two orders
	Systems int
	Pairs   int         // number of pairs of systems
	Tied    int         // pairs with equal points by the judge or by people
	Swapped [][2]string // pairs in opposite order; the first of each is higher by people
	Clear   int         // swapped pairs whose order is clear by the judge and by people
}

// Finding returns how far the judge has people's order, and which systems are swapped.
func (r Ranking) Finding() table.Finding {
	f := table.Finding{Claim: ClaimRanking, Subject: r.Judge, Figures: []table.Measured{table.Named("tau of the rankings", r.Tau),
		table.Named("swapped pairs of systems", stats.Count(len(r.Swapped)))}}
	basis := fmt.Sprintf("Kendall's tau %s, %d systems", r.Tau.Text(2), r.Systems)
	if len(r.Swapped) == 0 {
		f.Text = fmt.Sprintf("%s puts the systems in people's order (%s).", r.Judge, basis)
		return f
	}
	pairs := data.Each(r.Swapped, func(pair [2]string) string { return pair[1] + " above " + pair[0] })
	f.Text = fmt.Sprintf("%s has people's order in %d of %s (%s); swapped: %s", r.Judge, r.Pairs-r.Tied-len(r.Swapped),
		data.Plural(r.Pairs, "pair of systems", "pairs of systems"), basis, someNames(pairs, "others"))
	if r.Clear > 0 {
		f.Text += fmt.Sprintf("; %s clear by both.", data.Plural(r.Clear, "swap is", "swaps are"))
	} else {
		f.Text += "; no swap is clear by both."
	}
	return f
}

// A TopTwo has the first two systems by one rater's points.
type TopTwo struct {
	By            string
	First, Second string
	Points        [2]stats.Figure
}

// A FirstTwo has the first two systems by each judge, and by people.
type FirstTwo struct {
	Judges []TopTwo
	People *TopTwo // nil: people have not scored all systems
}

// Finding returns whether the judges agree on the first and on the second system. ok is false if there are fewer than two judges.
func (f FirstTwo) Finding() (found table.Finding, ok bool) {
	if len(f.Judges) < 2 {
		return found, false
	}
	found = table.Finding{Claim: ClaimFirst, Subject: "judges"}
	raters := f.Judges
	if f.People != nil {
		raters = append(slices.Clip(raters), *f.People)
	}
	for _, one := range raters {
		found.Figures = append(found.Figures, table.Named(one.First+", points by "+one.By, one.Points[0]),
			table.Named(one.Second+", points by "+one.By, one.Points[1]))
	}
	first := table.Grouped(f.Judges, func(one TopTwo) string { return one.First })
	second := table.Grouped(f.Judges, func(one TopTwo) string { return one.Second })
	who := "Both judges"
	if n := len(f.Judges); n > 2 {
		who = fmt.Sprintf("All %d judges", n)
	}
	say := func(groups [][]TopTwo, system func(TopTwo) string) string {
		return strings.Join(data.Each(groups, func(group []TopTwo) string {
			names := data.Each(group, func(one TopTwo) string { return one.By })
			return fmt.Sprintf("%s by %s", system(group[0]), someNames(names, "others"))
		}), ", ")
	}
	switch {
	case len(first) == 1 && len(second) == 1:
		found.Text = fmt.Sprintf("%s put %s first and %s second", who, f.Judges[0].First, f.Judges[0].Second)
	case len(first) == 1:
		found.Text = fmt.Sprintf("%s put %s first; they do not agree on the second: %s", who, f.Judges[0].First,
			say(second, func(one TopTwo) string { return one.Second }))
	default:
		found.Text = "The judges do not agree on the first system: " + say(first, func(one TopTwo) string { return one.First })
	}
	if f.People != nil {
		found.Text += fmt.Sprintf("; people put %s first and %s second", f.People.First, f.People.Second)
	}
	found.Text += "."
	return found, true
}

// People is the name of people's scores among raters.
const People = "people"

// An Effect is the change of one rater's points.
type Effect struct {
	By        string // People, or a judge
	Value     stats.Figure
	Questions int // for scenarios: number of questions with points under each scenario
}

// mostRaters is the greatest number of raters whose figures a sentence gives.
const mostRaters = 4

// raterValues returns the value of each rater as text: "1.9 [1.5, 2.4] points in people's scores, 1.2 [1.1, 1.4] in those of a and 0.2
// [0.1, 0.3] in those of b".
func raterValues(effects []Effect, text func(stats.Figure) string) string {
	var parts []string
	for i, e := range effects[:min(len(effects), mostRaters)] {
		switch {
		case i == 0 && e.By == People:
			parts = append(parts, text(e.Value)+" points in people's scores")
		case i == 0:
			parts = append(parts, fmt.Sprintf("%s points in the scores of %s", text(e.Value), e.By))
		default:
			parts = append(parts, fmt.Sprintf("%s in those of %s", text(e.Value), e.By))
		}
	}
	if rest := len(effects) - mostRaters; rest > 0 {
		parts[len(parts)-1] += fmt.Sprintf(" (%s not named here)", data.Plural(rest, "judge is", "judges are"))
	}
	return data.List(parts)
}

// absoluteText returns the absolute amount of a negative figure.
func absoluteText(f stats.Figure) string {
	return table.Minus(f).Text(1)
}

func measuredEffects(what string, effects []Effect) (list []table.Measured) {
	for _, e := range effects {
		list = append(list, table.Named(what+", "+e.By, e.Value))
	}
	return list
}

// A ScenarioLoss is the scenario with the fewest points by the first rater: its mean minus the mean of the other scenarios, on questions
// that have points under all scenarios.
type ScenarioLoss struct {
	Group    string // group of criteria; "": totals
	Scenario string
	By       []Effect
}

// Finding returns how many points the scenario loses, by each rater. ok is false if the loss is not clear by the first rater.
func (l ScenarioLoss) Finding() (f table.Finding, ok bool) {
	if len(l.By) == 0 || !ClearlyNonZero(l.By[0].Value) || !l.By[0].Value.BelowZero() {
		return f, false
	}
	group := l.Group
	if group == "" {
		group = "totals"
	}
	f = table.Finding{Claim: ClaimScenario, Subject: "scenario " + l.Scenario,
		Figures: measuredEffects(fmt.Sprintf("%s: scenario %s minus the mean of the others", group, l.Scenario), l.By),
		Text: fmt.Sprintf("%s: scenario %s loses %s, against the mean of the others on the same questions.",
			data.Capital(group), l.Scenario, raterValues(l.By, absoluteText))}
	return f, true
}

// A ScenarioOrder has the scenarios in the order of one rater's mean points, best first.
type ScenarioOrder struct {
	By        string
	Scenarios []string
	Questions int // number of questions with points under all scenarios
}

// ScenarioOrders returns in which order raters put the scenarios, and on how many questions.
func ScenarioOrders(orders []ScenarioOrder) table.Finding {
	groups := table.Grouped(orders, func(o ScenarioOrder) string { return strings.Join(o.Scenarios, ", ") })
	parts := data.Each(groups, func(group []ScenarioOrder) string {
		names := data.Each(group, func(o ScenarioOrder) string { return o.By })
		return fmt.Sprintf("%s by %s", strings.Join(group[0].Scenarios, ", "), someNames(names, "others"))
	})
	counts := data.Each(table.Grouped(orders, func(o ScenarioOrder) int { return o.Questions }), func(group []ScenarioOrder) string {
		names := data.Each(group, func(o ScenarioOrder) string { return o.By })
		return fmt.Sprintf("%s by %s", data.Plural(group[0].Questions, "question", "questions"), someNames(names, "others"))
	})
	return table.Finding{Claim: ClaimScenario, Subject: "scenarios", Text: fmt.Sprintf("Scenarios from most to fewest points: %s; on the "+
		"questions with points under every scenario (%s).", strings.Join(parts, "; "), strings.Join(counts, ", "))}
}

// An Aspects says how many more points answers to questions with an aspect have than answers to questions without it, by people and by
// judges, on the same answers.
type Aspects struct {
	People Effect
	Judges []Effect
	Gap    []stats.Figure // for each judge: its effect minus people's
}

// Finding returns the effect of the aspect by people and by judges, and which judges may ignore the aspect. These are judges without a
// clear effect of their own, whose effect clearly differs from a clear effect of people. ok is false if people's effect has no interval.
func (a Aspects) Finding() (f table.Finding, ok bool) {
	if !a.People.Value.Interval() {
		return f, false
	}
	all := append([]Effect{a.People}, a.Judges...)
	f = table.Finding{Claim: ClaimAspect, Subject: "aspects", Figures: measuredEffects("with an aspect minus without", all)}
	f.Text = "With an aspect in the question minus without: " + raterValues(all, func(f stats.Figure) string { return f.Signed(1) })
	var ignore []string
	for i, judge := range a.Judges {
		if ClearlyNonZero(a.People.Value) && !ClearlyNonZero(judge.Value) && ClearlyNonZero(a.Gap[i]) &&
			a.Gap[i].AboveZero() == a.People.Value.BelowZero() {
			ignore = append(ignore, judge.By)
		}
	}
	switch {
	case !ClearlyNonZero(a.People.Value):
		f.Text += "; no clear difference by people"
	case len(ignore) > 0:
		f.Text += fmt.Sprintf("; %s may ignore the aspect", someNames(ignore, "others"))
	default:
		f.Text += "; no judge is shown to ignore the aspect"
	}
	f.Text += "."
	return f, true
}
