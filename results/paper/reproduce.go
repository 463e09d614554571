// Package paper holds the figures that the CompQA paper prints, and recomputes them from the authors' release.
package paper

import (
	"encoding/json"
	"fmt"
	"io"

	"compqa/data/sources/release"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/rubric"
)

// A Rule says which sheets of scores count.
type Rule string

const (
	// RulePublished is the paper's: every criterion has a score; more keys and any values are let through. The total is over
	// the criteria alone.
	RulePublished Rule = "published"
	// RuleStrict is rubric.Check: complete, in range, nothing else.
	RuleStrict Rule = "strict"
	// RulePairs is for Table 2: the mean of the complete sheets of the two annotators, for the answers in the authors' list
	// (release.PairedRow), or without it in the annotators' tables.
	RulePairs Rule = "pairs"
)

var allRules = []Rule{RulePublished, RuleStrict, RulePairs}

// rulesOf returns the rules of a table's cells.
func rulesOf(table int) []Rule {
	if table == 2 {
		return allRules
	}
	return allRules[:2]
}

// A Reproduction is the paper's tables computed again from the authors' release next to what the paper prints, Tables 2 to 5
// by both rules.
type Reproduction struct {
	Figures object           // of reproduce.json
	Cells   []ReproducedCell // Tables 2, 3, 4, 5, rows and columns in the paper's order

	pairs     []PairsRow
	scenarios []ScenarioRow // Figures 6 and 7
	extremes  []ExtremesRow

	people     []comparison
	annotators comparison // of the answers that both scored completely

	dataset.Calculator
	rubric  rubric.Rubric
	release *release.Release
	judges  []string                // found, people aside; in the paper's order, then by name
	sources []source                // the paper's and those found next to them
	sheets  map[string][]scoreSheet // by judge; people's mean is data.Human
	doubly  raters.Sheets           // rows that both annotators filled in
	paired  []scoreSheet            // the sheets behind the paper's Table 2, by the rule RulePairs
}

// Reproduce computes the tables from a release, which may be incomplete. A figure that cannot be computed is empty. An error
// means that a statistic overflowed.
func Reproduce(release *release.Release, rubric rubric.Rubric) (*Reproduction, error) {
	r := &Reproduction{release: release, rubric: rubric, sheets: map[string][]scoreSheet{}}
	r.read()
	r.people, r.annotators = r.againstPeople(), r.compared(r.doubly)
	r.Figures = r.figures()
	r.table2()
	r.momentTables()
	r.pairs, r.scenarios, r.extremes = r.table1(), r.scenarioRows(), r.figure8()
	if r.Err != nil {
		return nil, fmt.Errorf("reproducing the paper's tables: %w", r.Err)
	}
	return r, nil
}

// Write puts table1.csv to table5.csv, figure6.csv to figure8.csv, reproduce.json and reproduce.md into a folder, and makes
// it where there is none. The same release gives the same bytes.
func (r *Reproduction) Write(dir string) error {
	files := map[string]func(io.Writer) error{"reproduce.md": table.Text(r.Markdown()), "table1.csv": table.CSV(r.pairs),
		"figure6.csv": table.CSV(r.figure(6)), "figure7.csv": table.CSV(r.figure(7)), "figure8.csv": table.CSV(r.extremes),
		"reproduce.json": func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			return e.Encode(r.Figures)
		}}
	for number := 2; number <= 5; number++ {
		files[fmt.Sprintf("table%d.csv", number)] = table.CSV(r.table(number))
	}
	return table.WriteFiles(dir, files)
}
