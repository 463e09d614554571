package paper

import (
	"embed"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"

	"compqa/results/dataset"
)

// The figures that Nikishina et al. print for their benchmark (CompQA), as
// facts to compare with. Systems and judges carry this project's names; the
// digits are the paper's, odd ones included.

// A Printed figure is a number as the paper prints it.
type Printed struct {
	Text  string // the digits on the page: "17.088"
	Value float64
}

// Unit is one unit of the last printed digit: 0.001 for "17.088".
func (p Printed) Unit() float64 {
	_, decimals, _ := strings.Cut(p.Text, ".")
	return math.Pow10(-len(decimals))
}

// Near reports whether x is within a unit of the last printed digit. A figure
// cut off in place of rounded still is; one with a wrong digit is not.
func (p Printed) Near(x float64) bool {
	const rounding = 1e-9
	return math.Abs(x-p.Value) <= p.Unit()+rounding
}

// A PublishedCell is one mean ± standard deviation of total points (0–19) in
// the paper's Tables 3, 4 and 5.
type PublishedCell struct {
	System   string // "" in Table 4
	Scenario string // "1" to "4", data.NoScenario, or AllScenarios
	Aspect   string // Table 4: "yes" or "no", whether the question names one; else ""
	Judge    string
	Mean, SD Printed
}

// A PublishedAgreement is one row of the paper's Table 2: a judge against
// people. Correlation stands under "Spearman's" there and is Pearson's r.
type PublishedAgreement struct {
	Judge       string
	Level       string // LevelSeparate or LevelFinal
	Alpha       Printed
	Correlation Printed
}

// The tables as printed: table1.csv to table7.csv.
//
//go:embed published
var publishedTables embed.FS

// What section 3 of the paper says of people's scores.
const (
	publishedHumanRows   = 367
	publishedDoublyRows  = 123
	publishedAllAlpha    = "0.71" // two annotators, all scores
	publishedFinalAlpha  = "0.75" // two annotators, final score
	completeDoublyRows   = 96     // rows that both filled in, in the whole release
	notebookGPT4oPearson = 0.6926 // authors' notebook of annotations, GPT-4o, all scores
)

// PublishedTable2 is the paper's agreement of judges with people, in its order.
func PublishedTable2() []PublishedAgreement {
	var rows []PublishedAgreement
	for _, cells := range publishedRows(2)[1:] {
		rows = append(rows, PublishedAgreement{cells[0], cells[1], printed(cells[2]), printed(cells[3])})
	}
	return rows
}

// PublishedTable3 is the paper's leaderboard over all scenarios, row by row. It
// is for showing beside figures of one's own, never for ranking among them.
func PublishedTable3() []PublishedCell { return publishedCells(3, "system") }

// PublishedTable4 is people's and Llama-3-70B's mean points for answers to
// questions with and without an aspect.
func PublishedTable4() []PublishedCell { return publishedCells(4, "aspect") }

// PublishedTable5 is the paper's leaderboard by scenario, row by row.
func PublishedTable5() []PublishedCell { return publishedCells(5, "system", "scenario") }

// publishedCells reads a table whose first columns are keys and whose others are
// judges, named in the head, with a mean ± deviation each.
func publishedCells(number int, keys ...string) []PublishedCell {
	rows := publishedRows(number)
	judges := rows[0][len(keys):]
	var out []PublishedCell
	for _, cells := range rows[1:] {
		for i, judge := range judges {
			mean, sd, _ := strings.Cut(cells[len(keys)+i], "±")
			c := PublishedCell{Scenario: dataset.AllScenarios, Judge: judge, Mean: printed(mean), SD: printed(sd)}
			for k, key := range keys {
				*map[string]*string{"system": &c.System, "scenario": &c.Scenario, "aspect": &c.Aspect}[key] = cells[k]
			}
			out = append(out, c)
		}
	}
	return out
}

// publishedRows is a table as printed, with its header. A table that cannot be read is a
// fault of this package.
func publishedRows(number int) [][]string {
	file, err := publishedTables.Open(fmt.Sprintf("published/table%d.csv", number))
	if err != nil {
		panic(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		panic(err)
	}
	return rows
}

// printed reads a figure of the tables; one that is no number is a fault of this package.
func printed(text string) Printed {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("a published figure is %q", text))
	}
	return Printed{text, value}
}
