package summaries

import (
	_ "embed"
	"fmt"
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
		sections = append(sections, table.Section{Title: fmt.Sprintf("Published: Table %d of Gunel et al.", i+1), About: of.about + " For comparison; the questions, sources, models and people differ from this run.", Table: view})
	}
	return sections
}

func cellsOf(text string) (rows [][]string) {
	for line := range strings.Lines(strings.TrimSpace(text)) {
		rows = append(rows, strings.Split(strings.TrimSpace(line), "|"))
	}
	return rows
}
