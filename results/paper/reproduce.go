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

// A Rule says which score sheets count.
type Rule string

const (
	// RulePublished is the paper's rule: every criterion has a score; additional keys and any values are accepted. The total is the sum
	// over the criteria.
	RulePublished Rule = "published"
	// RuleStrict accepts what rubric.Check accepts: complete sheets with scores in range and nothing else.
	RuleStrict Rule = "strict"
	// RulePairs is for Table 2 only. It takes the mean of the two annotators' complete sheets, for the answers in the authors' list
	// (release.PairedRow) or, without that list, in the annotators' tables.
	RulePairs Rule = "pairs"
)

var allRules = []Rule{RulePublished, RuleStrict, RulePairs}

// rulesOf returns the rules by which the cells of a table are computed.
func rulesOf(table int) []Rule {
	if table == 2 {
		return allRules
	}
	return allRules[:2]
}

// A Reproduction has the paper's tables, recomputed from the authors' release, next to the printed figures. Tables 2 to 5 are computed by
// each rule (see rulesOf).
type Reproduction struct {
	Figures object           // contents of reproduce.json
	Cells   []ReproducedCell // Tables 2 to 5, with rows and columns in the paper's order

	pairs     []PairsRow
	scenarios []ScenarioRow // Figures 6 and 7
	extremes  []ExtremesRow

	people     []comparison
	annotators comparison // of the two annotators, on answers that both scored completely

	dataset.Calculator
	rubric  rubric.Rubric
	release *release.Release
	judges  []string                // judges in the release, without people; in the paper's order, then by name
	sources []source                // the paper's sources, then others in the release
	sheets  map[string][]scoreSheet // by judge; people's mean is under data.Human
	doubly  raters.Sheets           // rows that both annotators scored
	paired  []scoreSheet            // the sheets behind the paper's Table 2, by RulePairs
}

// Reproduce computes the tables from a release, which may be incomplete. Figures that cannot be computed are empty. An error means that a
// statistic overflowed.
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

// Write writes table1.csv to table5.csv, figure6.csv to figure8.csv, reproduce.json and reproduce.md to a folder, which it creates if
// necessary. The same release gives the same bytes.
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
