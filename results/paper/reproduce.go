package paper

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"compqa/data"
	"compqa/data/sources/release"
	"compqa/results/dataset"
	"compqa/results/table"
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
	Figures object
	Cells   []ReproducedCell // Tables 2, 3, 4, 5, rows and columns in the paper's order

	pairs      []PairsRow
	scenarios  []ScenarioRow // Figures 6 and 7
	extremes   []ExtremesRow
	annotators []ratedLevel

	release *reproducedRelease
	people  []againstPeople
}

// Reproduce computes the tables from a release, which may be incomplete. A figure
// that cannot be computed is empty. An error means that a statistic overflowed.
func Reproduce(release *release.Release, r rubric.Rubric) (*Reproduction, error) {
	c := &dataset.Calculator{}
	rel := newReproducedRelease(release, r)
	out := &Reproduction{release: rel, people: judgesAgainstPeople(c, rel), annotators: annotatorLevels(c, rel)}
	out.Figures = figuresOf(c, rel, out.people, out.annotators)
	out.Cells = append(table2(out.people), momentTables(c, rel)...)
	out.pairs, out.scenarios, out.extremes = table1(rel), scenarioRows(c, rel), figure8(c, rel)
	if c.Err != nil {
		return nil, fmt.Errorf("reproducing the paper's tables: %w", c.Err)
	}
	return out, nil
}

// humanRows is the number of human rows in the release.
func (r *Reproduction) humanRows() int { return len(r.release.sheets[data.Human]) }

// Write puts table1.csv to table5.csv, figure6.csv to figure8.csv, reproduce.json and
// reproduce.md into a folder, and makes it where there is none. The same release gives the same
// bytes.
func (r *Reproduction) Write(dir string) error {
	files := map[string]func(io.Writer) error{"reproduce.json": r.writeFigures, "reproduce.md": table.Text(r.Markdown()),
		"table1.csv": table.CSV(r.pairs), "figure6.csv": table.CSV(r.figure(6)), "figure7.csv": table.CSV(r.figure(7)),
		"figure8.csv": table.CSV(r.extremes)}
	for view := 2; view <= 5; view++ {
		files[fmt.Sprintf("table%d.csv", view)] = table.CSV(r.table(view))
	}
	return table.WriteFiles(dir, files)
}

func (r *Reproduction) writeFigures(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(r.Figures)
}

// table is the cells of one table.
func (r *Reproduction) table(number int) []ReproducedCell {
	return table.Where(r.Cells, func(c ReproducedCell) bool { return c.Table == number })
}

// figure is the rows of Figure 6 or 7.
func (r *Reproduction) figure(number int) []ScenarioRow {
	return table.Where(r.scenarios, func(row ScenarioRow) bool { return (row.Group == allGroups) == (number == 6) })
}

// inOrder lists what was found once each, in the paper's order; what the paper
// does not know comes last, sorted.
func inOrder[T comparable](found, paper []T, compare func(a, b T) int) []T {
	var ordered, rest []T
	for _, x := range paper {
		if slices.Contains(found, x) && !slices.Contains(ordered, x) {
			ordered = append(ordered, x)
		}
	}
	for _, x := range found {
		if !slices.Contains(ordered, x) {
			rest = append(rest, x)
		}
	}
	slices.SortFunc(rest, compare)
	return append(ordered, slices.Compact(rest)...)
}
