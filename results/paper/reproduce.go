package paper

import (
	"fmt"
	"slices"

	"compqa/data/sources/release"
	"compqa/results/dataset"
	"compqa/rubric"
)

// A Rule says which sheets of scores count.
type Rule string

const (
	// RulePublished is the paper's: every criterion has a score; more keys and
	// any values are let through. The total is over the criteria alone.
	RulePublished Rule = "published"
	// RuleStrict is rubric.Check: complete, in range, nothing else.
	RuleStrict Rule = "strict"
	// RulePairs is for Table 2: the mean of the complete sheets of the two annotators, for the
	// answers in the authors' list (release.PairedRow), or without it in the annotators' tables.
	RulePairs Rule = "pairs"
)

var rules = []Rule{RulePublished, RuleStrict}

// A Reproduction is the paper's tables computed again from the authors' release beside what the
// paper prints, Tables 2 to 5 by both rules.
type Reproduction struct {
	Figures ReproducedFigures
	Cells   []ReproducedCell // Tables 2, 3, 4, 5, rows and columns in the paper's order

	pairs     []PairsRow
	scenarios []ScenarioRow // Figures 6 and 7
	extremes  []ExtremesRow

	release *reproducedRelease
	people  []againstPeople // each judge found by every rule, and the constant one by both rules
}

// Reproduce computes the tables from a release, which may be incomplete. A figure
// that cannot be computed is empty. An error means that a statistic overflowed.
func Reproduce(release *release.Release, r rubric.Rubric) (*Reproduction, error) {
	c := &dataset.Calculator{}
	rel := newReproducedRelease(release, r)
	out := &Reproduction{release: rel, people: judgesAgainstPeople(c, rel)}
	out.Figures = figuresOf(c, rel, out.people)
	out.Cells = slices.Concat(table2(out.people), table3(c, rel), table4(c, rel), table5(c, rel))
	out.pairs, out.scenarios, out.extremes = table1(rel), scenarioRows(c, rel), figure8(c, rel)
	if c.Err != nil {
		return nil, fmt.Errorf("reproducing the paper's tables: %w", c.Err)
	}
	return out, nil
}
