package judgequality

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/results/validation"
	"compqa/rubric"
)

// Totals names the totals of answers, where decisions name a criterion.
const Totals = "totals"

// decide decides whether each judge can stand in for one person, on each criterion. If a rubric has several criteria, it also decides on
// totals. p-values are adjusted together over all criteria, as in a validation, and separately over totals. If the record comes from a
// validation, decide returns that validation's decisions.
func (t *Tables) decide() (all []*trust.Decision, err error) {
	studied, err := t.studied()
	if err != nil {
		return nil, err
	}
	if studied != nil {
		t.Concluded = studied.Concluded
		return studied.Decisions(), nil
	}
	x := t.boards.Dataset
	people := x.Annotators()
	if len(people) == 0 {
		people = x.References()
	}
	if len(people) == 0 {
		return nil, nil
	}
	scorers := x.Scorers()
	record := x.Rubric.Name != validation.RubricName // else the sheets were read from a file, by compqa validate
	for _, scorer := range scorers {                 // one judge at a time, because the values of a judge and people take much memory
		tables := raters.ByItem(x.Judgements, append([]int{scorer}, people...)...)
		names := make([]string, len(tables))
		for k, c := range x.Rubric.Criteria[:len(tables)] {
			names[k] = cmp.Or(c.Name, c.ID)
		}
		if len(tables) > 1 && record {
			tables = append(tables, raters.Sums(dataset.LevelFinal, tables))
			names = append(names, Totals)
		}
		decisions, err := validation.DecisionsOf(tables, names, x.Judgements.Raters[scorer].Tuned, record)
		if err != nil {
			return nil, err
		}
		for i := range decisions {
			all = append(all, &decisions[i])
		}
	}
	isTotal := func(d *trust.Decision) bool { return d.Criterion == Totals }
	err = trust.Together(data.Where(all, func(d *trust.Decision) bool { return !isTotal(d) }))
	if err != nil {
		return nil, err
	}
	return all, trust.Together(data.Where(all, isTotal))
}

// DecisionOn returns the decision on a judge and a criterion, or nil if there is none. With a single criterion, this criterion stands for
// Totals.
func (t *Tables) DecisionOn(judge, criterion string) *trust.Decision {
	var last *trust.Decision
	for _, d := range t.Decisions {
		if d.Judge == judge && d.Criterion == criterion {
			return d
		}
		if d.Judge == judge && criterion == Totals && len(t.Rubric.Criteria) == 1 {
			last = d
		}
	}
	return last
}

// DecisionsSection returns the table of decisions with their figures. If not empty, judge selects one judge, and group the criteria of a
// group of the rubric.
func (t *Tables) DecisionsSection(judge, group string) table.Section {
	decisions := t.selected(judge, group)
	if len(decisions) == 0 {
		return table.Section{}
	}
	s := table.Section{ID: "decisions", Title: "In place of one person, by criterion", Verdict: strings.Join(t.headlines(decisions).Texts(),
		" ")}
	s.About = strings.TrimSpace(trust.RuleText + " " + trust.Adjusted(t.Decisions))
	s.Table = table.New(2, "judge", "criterion", "in place of one person", "n", "single (one person)", "people (each other)", "difference")
	linked := map[string]bool{}
	for _, d := range decisions {
		name := table.Cell{Text: d.Judge}
		if !linked[d.Judge] {
			name.To = table.ToJudge(d.Judge)
			linked[d.Judge] = true
		}
		s.Table.Add(name, d.Criterion, d.Cell(), strconv.Itoa(d.Items), d.Single.Point().Text(2), d.People.Point().Text(2),
			d.Difference.Signed(2))
		s.Notes = append(s.Notes, table.Note{Subject: d.Judge, Text: d.Finding().Text})
	}
	s.Notes = s.Notes[:min(len(s.Notes), mostNotes)]
	return s
}

// ConsensusSection returns, for each decision but those on totals, how often the judge differs where people agree, and where they split.
// judge and group are as in DecisionsSection.
func (t *Tables) ConsensusSection(judge, group string) table.Section {
	s := table.Section{ID: "consensus", Title: "Where people agree, and where they split",
		Fold: "how often the judge differs from most of them"}
	for _, d := range t.selected(judge, group) {
		if d.Consensus != nil && d.Criterion != Totals {
			s.Notes = append(s.Notes, table.Note{Subject: d.Judge, Text: d.Consensus.Finding(d.Judge + " on " + d.Criterion).Text})
		}
	}
	return s
}

// selected returns the decisions on a judge and on the criteria of a group of the rubric; "" stands for all.
func (t *Tables) selected(judge, group string) []*trust.Decision {
	return data.Where(t.Decisions, func(d *trust.Decision) bool {
		return (judge == "" || d.Judge == judge) && (group == "" || t.inGroup(d.Criterion, group))
	})
}

// inGroup reports whether the criterion with this name belongs to a group of the rubric.
func (t *Tables) inGroup(criterion, group string) bool {
	return slices.ContainsFunc(t.Rubric.Criteria, func(c rubric.Criterion) bool {
		return cmp.Or(c.Name, c.ID) == criterion && c.Group == group
	})
}

// mostNotes is the number of decisions that are also told as sentences.
const mostNotes = 8
