package summaries

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"compqa/results/table"
)

// The figures that Gunel et al. print (STRUM-LLM: Attributed and Structured Contrastive
// Summarization, Tables 1 to 4), as facts to compare with. Shares are in [0, 1], and the
// redundancy of a table is 1 − clusters / attributes.
var (
	//go:embed published/table1.txt
	publishedTable1 string
	//go:embed published/table2.txt
	publishedTable2 string
	//go:embed published/table3.txt
	publishedTable3 string
	//go:embed published/table4.txt
	publishedTable4 string
)

// A PublishedSystem is a row of the paper's Table 1: 250 comparisons of 19 categories, judged
// by a model.
type PublishedSystem struct {
	System                                           string
	CHS, Redundancy, Inconsistency, PAt5, Throughput float64 // Throughput: summaries a second
}

// PublishedTable1 is the paper's comparison of systems.
func PublishedTable1() (rows []PublishedSystem) {
	for _, cells := range cellsOf(publishedTable1)[1:] {
		rows = append(rows, PublishedSystem{cells[0], number(cells[1]), number(cells[2]), number(cells[3]), number(cells[4]), number(cells[5])})
	}
	return rows
}

// publishedTables are the four tables as they stand, with what they are about.
func publishedTables() (sections []table.Section) {
	for i, of := range []struct{ text, about string }{
		{publishedTable1, "Three systems on 250 comparisons, judged by a model. Throughput is in summaries a second."},
		{publishedTable2, "The distilled system without and with critiques, in four categories."},
		{publishedTable3, "Rows of a summary, the share of useful rows by people and by the model (CHS), agreement among people, and of people with the model."},
		{publishedTable4, "The measures of a summary by a model and by people."},
	} {
		rows := cellsOf(of.text)
		view := &table.Table{Words: 1}
		for _, name := range rows[0] {
			view.Header = append(view.Header, strings.ReplaceAll(name, "_", " "))
		}
		for _, cells := range rows[1:] {
			view.Add(cells...)
		}
		sections = append(sections, table.Section{Title: fmt.Sprintf("Published: Table %d of Gunel et al.", i+1), About: of.about + " For comparison; other questions, sources, models and people than here.", Table: view})
	}
	return sections
}

func cellsOf(text string) (rows [][]string) {
	for line := range strings.Lines(strings.TrimSpace(text)) {
		rows = append(rows, strings.Split(strings.TrimSpace(line), "|"))
	}
	return rows
}

// number reads a figure of the tables above; one that is no number is a fault of this file.
func number(text string) float64 {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("a published figure is %q", text))
	}
	return value
}
