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

// The figures that Nikishina et al. print for their benchmark (CompQA), to compare with. Systems and judges have this project's names. The
// digits are as printed, even where they look wrong.

// A Printed is a number as the paper prints it.
type Printed struct {
	Text  string // the printed digits: "17.088"
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

// Near reports whether x differs from the printed number by at most one unit of its last digit. A number that was truncated instead of
// rounded passes; a number with a wrong digit does not.
func (p Printed) Near(x float64) bool {
	const rounding = 1e-9
	return math.Abs(x-p.Value) <= p.Unit()+rounding
}

// publishedPairs is a row of the paper's Table 1.
type publishedPairs struct {
	Characteristic string  `csv:"characteristic"`
	Figure         float64 `csv:"figure"`
}

// A publishedAgreement is a row of the paper's Table 2: a judge against people. The paper calls Correlation "Spearman's", but it is
// Pearson's r.
type publishedAgreement struct {
	Judge       string  `csv:"judge"`
	Level       string  `csv:"level"` // LevelSeparate or LevelFinal
	Alpha       Printed `csv:"alpha"`
	Correlation Printed `csv:"correlation"`
}

// A publishedCell is a mean ± standard deviation of total points (0–19) in the paper's Tables 3, 4 and 5. Table 3 is over all
// scenarios, Table 5 by scenario. Table 4 has points by people and Llama-3-70B, with and without an aspect. Published cells may be
// shown next to new figures, but never ranked with them.
type publishedCell struct {
	System   string  `csv:"system"`   // "" in Table 4
	Scenario string  `csv:"scenario"` // "1" to "4", data.NoScenario, or AllScenarios
	Aspect   string  `csv:"aspect"`   // in Table 4: "yes" or "no", whether the question has an aspect; else ""
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

// publishedPoints is a row of Tables 6 and 7: a model's points by scenario, as "mean ± deviation".
type publishedPoints struct {
	System string `csv:"system"`
	First  string `csv:"scenario_1"`
	Second string `csv:"scenario_2"`
	Third  string `csv:"scenario_3"`
	Fourth string `csv:"scenario_4"`
	All    string `csv:"all"`
}

// What section 3 of the paper states about people's scores.
const (
	publishedHumanRows   = 367
	publishedDoublyRows  = 123
	publishedAllAlpha    = "0.71" // two annotators, all scores
	publishedFinalAlpha  = "0.75" // two annotators, final score
	completeDoublyRows   = 96     // rows that both annotators completed, in the whole release
	notebookGPT4oPearson = 0.6926 // from the authors' annotation notebook: GPT-4o, all scores
)

// The paper's tables as printed, table1.csv to table7.csv, with rows in the paper's order.
//
//go:embed published
var publishedTables embed.FS

func published[Row any](number int) []Row {
	name := fmt.Sprintf("published/table%d.csv", number)
	return data.Must(data.ReadCSV[Row](name, string(data.Must(publishedTables.ReadFile(name)))))
}
