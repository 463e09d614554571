package paper

import (
	"embed"
	"fmt"
	"math"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
)

// The figures that Nikishina et al. print for their benchmark (CompQA), as facts to compare with. Systems and judges carry
// this project's names; the digits are the paper's, odd ones included.

// A Printed figure is a number as the paper prints it.
type Printed struct {
	Text  string // the digits on the page: "17.088"
	Value float64
}

func (p *Printed) UnmarshalCSV(digits string) error {
	value, err := strconv.ParseFloat(digits, 64)
	*p = Printed{digits, value}
	return err
}

// Unit returns one unit of the last printed digit: 0.001 for "17.088".
func (p Printed) Unit() float64 {
	_, decimals, _ := strings.Cut(p.Text, ".")
	return math.Pow10(-len(decimals))
}

// Near reports whether x is within a unit of the last printed digit. A figure cut off in place of rounded still is; one with
// a wrong digit is not.
func (p Printed) Near(x float64) bool {
	const rounding = 1e-9
	return math.Abs(x-p.Value) <= p.Unit()+rounding
}

// publishedPairs is a row of the paper's Table 1.
type publishedPairs struct {
	Characteristic string  `csv:"characteristic"`
	Figure         float64 `csv:"figure"`
}

// A publishedAgreement is one row of the paper's Table 2: a judge against people. Correlation stands under "Spearman's"
// there and is Pearson's r.
type publishedAgreement struct {
	Judge       string  `csv:"judge"`
	Level       string  `csv:"level"` // LevelSeparate or LevelFinal
	Alpha       Printed `csv:"alpha"`
	Correlation Printed `csv:"correlation"`
}

// A publishedCell is one mean ± standard deviation of total points (0–19) in the paper's Tables 3 (the leaderboard over all
// scenarios), 4 (people's and Llama-3-70B's points for answers to questions with and without an aspect) and 5 (the
// leaderboard by scenario). They are for showing next to figures of one's own, never for ranking among them.
type publishedCell struct {
	System   string  `csv:"system"`   // "" in Table 4
	Scenario string  `csv:"scenario"` // "1" to "4", data.NoScenario, or AllScenarios
	Aspect   string  `csv:"aspect"`   // Table 4: "yes" or "no", whether the question names one; else ""
	Judge    string  `csv:"judge"`
	Mean     Printed `csv:"mean"`
	SD       Printed `csv:"sd"`
}

func (c publishedCell) row() string {
	switch {
	case c.Aspect != "":
		return c.Aspect
	case c.Scenario == dataset.AllScenarios:
		return c.System
	}
	return source{c.System, c.Scenario}.key()
}

// publishedPoints are a model's points by scenario in Tables 6 and 7: mean ± deviation.
type publishedPoints struct {
	System string `csv:"system"`
	First  string `csv:"scenario_1"`
	Second string `csv:"scenario_2"`
	Third  string `csv:"scenario_3"`
	Fourth string `csv:"scenario_4"`
	All    string `csv:"all"`
}

// What section 3 of the paper says of people's scores.
const (
	publishedHumanRows   = 367
	publishedDoublyRows  = 123
	publishedAllAlpha    = "0.71" // two annotators, all scores
	publishedFinalAlpha  = "0.75" // two annotators, final score
	completeDoublyRows   = 96     // rows that both filled in, in the whole release
	notebookGPT4oPearson = 0.6926 // authors' notebook of annotations, GPT-4o, all scores
)

// The tables as printed: table1.csv to table7.csv, in the paper's order of rows.
//
//go:embed published
var publishedTables embed.FS

func published[Row any](number int) []Row {
	name := fmt.Sprintf("published/table%d.csv", number)
	return data.Must(data.ReadCSV[Row](name, string(data.Must(publishedTables.ReadFile(name)))))
}
