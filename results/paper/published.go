package paper

import (
	"embed"
	"fmt"
	"math"
	"strconv"
	"strings"

	"compqa/data"
)

// The figures that Nikishina et al. print for their benchmark (CompQA), as
// facts to compare with. Systems and judges carry this project's names; the
// digits are the paper's, odd ones included.

// A Printed figure is a number as the paper prints it.
type Printed struct {
	Text  string // the digits on the page: "17.088"
	Value float64
}

// UnmarshalCSV reads the digits.
func (p *Printed) UnmarshalCSV(digits string) error {
	value, err := strconv.ParseFloat(digits, 64)
	*p = Printed{digits, value}
	return err
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
	System   string  `csv:"system"`   // "" in Table 4
	Scenario string  `csv:"scenario"` // "1" to "4", data.NoScenario, or AllScenarios
	Aspect   string  `csv:"aspect"`   // Table 4: "yes" or "no", whether the question names one; else ""
	Judge    string  `csv:"judge"`
	Mean     Printed `csv:"mean"`
	SD       Printed `csv:"sd"`
}

// A PublishedAgreement is one row of the paper's Table 2: a judge against
// people. Correlation stands under "Spearman's" there and is Pearson's r.
type PublishedAgreement struct {
	Judge       string  `csv:"judge"`
	Level       string  `csv:"level"` // LevelSeparate or LevelFinal
	Alpha       Printed `csv:"alpha"`
	Correlation Printed `csv:"correlation"`
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
func PublishedTable2() []PublishedAgreement { return publishedRows[PublishedAgreement](2) }

// PublishedTable3 is the paper's leaderboard over all scenarios, row by row. It
// is for showing beside figures of one's own, never for ranking among them.
func PublishedTable3() []PublishedCell { return publishedRows[PublishedCell](3) }

// PublishedTable4 is people's and Llama-3-70B's mean points for answers to
// questions with and without an aspect.
func PublishedTable4() []PublishedCell { return publishedRows[PublishedCell](4) }

// PublishedTable5 is the paper's leaderboard by scenario, row by row.
func PublishedTable5() []PublishedCell { return publishedRows[PublishedCell](5) }

// publishedRows is a table as printed. A table that cannot be read is a fault of this package.
func publishedRows[Row any](number int) []Row {
	name := fmt.Sprintf("published/table%d.csv", number)
	text, err := publishedTables.ReadFile(name)
	if err != nil {
		panic(err)
	}
	rows, err := data.ReadCSV[Row](name, string(text))
	if err != nil {
		panic(err)
	}
	return rows
}
