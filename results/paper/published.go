package paper

import (
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

// What section 3 of the paper says of people's scores.
const (
	publishedHumanRows   = 367
	publishedDoublyRows  = 123
	publishedAllAlpha    = "0.71" // two annotators, all scores
	publishedFinalAlpha  = "0.75" // two annotators, final score
	completeDoublyRows   = 96     // rows that both filled in, in the whole release
	notebookGPT4oPearson = 0.6926 // authors' notebook, GPT-4o, all scores
)

const publishedTable2 = `
judge       level     alpha  correlation
gpt-4o      separate  0.71   0.69
gpt-4o      final     0.58   0.55
gpt-3.5     separate  0.63   0.63
gpt-3.5     final     0.31   0.40
perplexity  separate  0.71   0.72
perplexity  final     0.39   0.60
mixtral     separate  0.55   0.69
mixtral     final     0.22   0.62
llama3-8b   separate  0.48   0.49
llama3-8b   final     0.41   0.46
llama3-70b  separate  0.61   0.76
llama3-70b  final     0.47   0.72
`

const publishedTable3 = `
system      gpt-4o       gpt-3.5     perplexity  mixtral      llama3-8b   llama3-70b  human
gpt4        17.77±1.06   17.54±2.14  18.69±0.69  18.45±2.64   16.64±1.86  18.40±0.70  15.96±1.35
gpt3-5      16.66±1.86   16.05±2.62  16.12±2.64  18.05±1.33   15.08±3.18  16.25±2.32  14.58±2.34
perplexity  17.42±1.34   16.52±3.00  18.47±1.11  18.34±0.87   16.31±2.06  17.87±1.15  15.00±1.77
mixtral     17.20±1.31   17.05±2.43  17.92±1.41  18.36±0.94   16.29±2.40  17.45±1.67  13.75±2.63
llama3-8b   16.58±1.80   15.95±2.60  17.19±1.81  18.08±1.24   15.56±2.72  16.15±1.90  14.77±2.16
llama3-70b  17.12±1.37   16.22±2.76  17.93±1.39  18.19±1.068  15.70±2.95  17.27±1.45  15.37±1.72
cam         9.52±3.808   8.74±4.56   6.46±2.89   9.66±4.43    6.54±4.21   6.40±2.29   8.04±2.78
yahoo       9.32±3.95    5.88±4.86   5.96±3.68   13.32±4.97   5.21±5.91   5.96±3.64   6.00±1.00
human       17.09±1.72   15.29±2.68  18.33±1.03  17.65±1.57   14.29±3.23  17.96±1.56  16.69±1.76
`

const publishedTable4 = `
aspect  llama3-70b  human
yes     16.43±3.52  13.43±2.98
no      16.44±3.52  15.01±2.69
`

const publishedTable5 = `
system      scenario  mixtral     gpt-4o       human       llama3-8b   llama3-70b  perplexity   gpt-3.5
gpt3-5      1         18.76±0.59  16.95±1.44   14.93±2.84  17.07±2.14  16.63±1.27  16.84±2.14   17.90±1.65
gpt3-5      2         16.77±2.80  14.10±3.15   11.46±2.93  11.86±4.00  12.14±4.99  11.07±5.79   13.39±4.07
gpt3-5      3         18.71±0.57  18.21±1.02   16.92±1.90  16.59±3.09  18.54±1.02  18.44±1.12   17.74±1.56
gpt3-5      4         18.02±1.35  17.37±1.83   15.00±1.70  14.81±3.51  17.69±2.00  18.12±1.53   15.17±3.21
gpt4        1         18.57±0.72  17.59±1.00   15.22±1.52  17.44±1.53  17.90±0.86  18.41±0.88   17.84±2.15
gpt4        2         17.97±8.75  17.22±1.33   14.48±1.62  14.56±2.78  17.75±1.55  18.41±1.50   16.77±2.76
gpt4        3         18.91±0.31  18.23±0.95   17.24±1.33  17.71±1.53  18.95±0.32  18.94±0.31   18.36±1.14
gpt4        4         18.38±0.78  18.03±0.95   16.89±0.94  16.83±1.59  18.99±0.08  18.99±0.08   17.21±2.47
llama3-70b  1         18.74±0.56  17.22±1.20   14.04±1.59  17.34±2.16  17.34±1.00  18.06±1.00   17.38±2.66
llama3-70b  2         16.44±2.62  15.90±1.78   13.29±2.40  12.70±4.11  13.86±4.22  15.74±4.30   13.69±4.11
llama3-70b  3         18.76±0.59  18.06±1.11   17.69±1.58  16.82±2.67  18.96±0.20  19.00±0.00   17.90±1.31
llama3-70b  4         18.80±0.49  17.30±1.37   16.46±1.30  15.96±2.86  18.90±0.36  18.92±0.27   15.94±2.95
llama3-8b   1         18.70±0.71  16.78±1.40   14.00±2.94  16.31±2.36  16.52±1.71  17.56±0.93   17.67±2.15
llama3-8b   2         16.12±3.15  14.10±3.36   11.94±2.65  11.51±4.90  11.04±4.40  13.52±5.41   11.76±4.83
llama3-8b   3         18.92±0.27  18.26±0.88   16.50±1.96  18.60±0.64  19.00±0.00  19.00±0.000  18.58±0.70
llama3-8b   4         18.59±0.81  17.18±1.57   16.68±1.10  15.82±2.98  18.02±1.49  18.68±0.89   15.81±2.73
mixtral     1         18.71±0.62  16.80±1.20   14.67±1.73  17.16±1.81  16.58±2.11  17.48±0.79   17.31±3.05
mixtral     2         17.50±1.98  16.12±1.76   11.54±3.66  13.74±3.81  15.54±3.48  16.54±3.78   15.73±3.32
mixtral     3         18.86±0.50  18.40±0.86   16.29±2.73  18.02±1.86  18.86±0.53  18.84±0.51   18.06±1.39
mixtral     4         18.38±0.70  17.48±1.43   12.50±2.39  16.22±2.13  18.82±0.56  18.80±0.57   17.12±1.97
perplexity  1         18.78±0.46  17.32±1.24   12.86±1.48  17.28±1.98  17.68±0.91  18.08±0.99   17.22±3.75
perplexity  2         16.84±2.33  16.46±2.07   14.14±2.00  13.88±2.97  16.00±2.79  18.04±2.18   14.52±3.78
perplexity  3         19.00±0.00  18.68±0.47   17.40±1.84  18.40±1.03  19.00±0.00  19.00±0.00   18.53±0.96
perplexity  4         18.76±0.69  17.20±1.56   15.64±1.75  15.68±2.27  18.78±0.91  18.76±1.29   15.82±3.53
human       -         17.65±1.58  17.088±1.72  16.69±1.76  14.29±3.23  17.96±1.56  18.33±1.03   15.29±2.68
yahoo       -         13.32±4.97  9.32±3.95    6.00±1.00   5.21±5.91   5.96±3.64   5.96±3.68    5.88±4.86
cam         -         9.66±4.43   9.52±3.81    8.04±2.78   6.54±4.21   6.40±2.29   6.46±2.89    8.74±4.56
`

// PublishedTable2 is the paper's agreement of judges with people, in its order.
func PublishedTable2() []PublishedAgreement {
	var rows []PublishedAgreement
	for _, cells := range tableRows(publishedTable2)[1:] {
		rows = append(rows, PublishedAgreement{cells[0], cells[1], printed(cells[2]), printed(cells[3])})
	}
	return rows
}

// PublishedTable3 is the paper's leaderboard over all scenarios, row by row. It
// is for showing beside figures of one's own, never for ranking among them.
func PublishedTable3() []PublishedCell {
	return parseCells(publishedTable3, 1, func(keys []string) PublishedCell {
		return PublishedCell{System: keys[0], Scenario: dataset.AllScenarios}
	})
}

// PublishedTable4 is people's and Llama-3-70B's mean points for answers to
// questions with and without an aspect.
func PublishedTable4() []PublishedCell {
	return parseCells(publishedTable4, 1, func(keys []string) PublishedCell {
		return PublishedCell{Scenario: dataset.AllScenarios, Aspect: keys[0]}
	})
}

// PublishedTable5 is the paper's leaderboard by scenario, row by row.
func PublishedTable5() []PublishedCell {
	return parseCells(publishedTable5, 2, func(keys []string) PublishedCell {
		return PublishedCell{System: keys[0], Scenario: keys[1]}
	})
}

// parseCells reads a table whose first columns are keys and whose others are
// judges, named in the head, with a mean ± deviation each.
func parseCells(view string, keys int, row func(keys []string) PublishedCell) []PublishedCell {
	rows := tableRows(view)
	judges := rows[0][keys:]
	var out []PublishedCell
	for _, cells := range rows[1:] {
		for i, judge := range judges {
			mean, sd, _ := strings.Cut(cells[keys+i], "±")
			c := row(cells[:keys])
			c.Judge, c.Mean, c.SD = judge, printed(mean), printed(sd)
			out = append(out, c)
		}
	}
	return out
}

func tableRows(view string) [][]string {
	var rows [][]string
	for line := range strings.Lines(strings.TrimSpace(view)) {
		rows = append(rows, strings.Fields(line))
	}
	return rows
}

// printed reads a figure of the tables above; one that is no number is a fault
// of this file.
func printed(text string) Printed {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("a published figure is %q", text))
	}
	return Printed{text, value}
}
