package validation

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/table"
	"compqa/results/trust"
)

// PlansOfPilot returns sentences on how many items and people a study needs, for each criterion of people. Scale and agreement of people
// come from the pilot's values. If the plan has no number of people, it is the median number of people who rated an item.
func (r *Result) PlansOfPilot(plan trust.Plan) (lines []string, err error) {
	if len(r.Pairings) == 0 {
		return nil, fmt.Errorf("--plan: the pilot has no criterion that a judge and people scored")
	}
	for _, pairings := range table.Grouped(r.Pairings, func(p *Pairing) string { return p.PeoplesName }) {
		lines = append(lines, pairings[0].planOfPilot(plan)...)
	}
	return lines, nil
}

// planOfPilot returns the sentences of a plan for one criterion of people, or one sentence on why the pilot is not enough for a plan.
func (p *Pairing) planOfPilot(plan trust.Plan) []string {
	d := p.decision
	s := p.PeopleScale
	agree := d.People.Point()
	width := s.High - s.Low
	switch {
	case p.nominal():
		return []string{p.PeoplesName + ": plans are for scales with an order, and these are labels."}
	case !agree.Known:
		why := cmp.Or(string(d.Reason), "no figure")
		if d.Persons < 2 || d.ItemsOfTwoPeople == 0 {
			why = "no two people rated one item"
		}
		return []string{fmt.Sprintf("%s: the pilot has no agreement of people (%s): assume one with --plan \"people 3, scale 1..5, people .7\"",
			p.PeoplesName, why)}
	case agree.Value <= 0 || agree.Value >= 1:
		return []string{fmt.Sprintf("%s: people agree at %s in the pilot, from which nothing can be planned; above 0 and below 1 is needed.",
			p.PeoplesName, agree.Text(2))}
	case width <= 0 || width != math.Trunc(width) || width > 100:
		return []string{fmt.Sprintf("%s: plans are for scales in whole steps, and this one is %s.", p.PeoplesName, s.Short())}
	}
	if plan.Persons == 0 {
		plan.Persons = p.usualPersons()
	}
	plan.Low = s.Low
	plan.High = s.High
	plan.Alpha = agree.Value
	first := fmt.Sprintf("%s: in the pilot people agree at %s on %s that two rated.", p.PeoplesName, d.People.Text(2),
		data.Plural(d.ItemsOfTwoPeople, "item", "items"))
	return append([]string{first}, plan.Sentences()...)
}

// usualPersons returns the median number of people on items that two or more people rated. It is at least 2 and at most 20.
func (p *Pairing) usualPersons() int {
	var counts []int
	for i := range p.Units {
		n := 0
		for _, person := range p.people {
			if person.Values[i].Given() {
				n++
			}
		}
		if n > 1 {
			counts = append(counts, n)
		}
	}
	if counts == nil {
		return 2
	}
	slices.Sort(counts)
	return min(20, counts[len(counts)/2])
}
