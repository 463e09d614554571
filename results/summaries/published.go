package summaries

import (
	_ "embed"
	"fmt"

	"compqa/data"
	"compqa/results/table"
)

// The figures that Gunel et al. print (STRUM-LLM: Attributed and Structured Contrastive
// Summarization, Tables 1 to 4), as facts to compare with. Shares are in [0, 1], and the
// redundancy of a table is 1 − clusters / attributes.
//
//go:embed published.csv
var publishedText string

// A publishedFigure is a cell of a published table.
type publishedFigure struct {
	Table   int    `csv:"table"`
	System  string `csv:"system"`
	Measure string `csv:"measure"`
	Value   string `csv:"value"`
}

func publishedFigures() []publishedFigure {
	figures, err := data.ReadCSV[publishedFigure]("published.csv", publishedText)
	if err != nil {
		panic(err) // a fault of this package
	}
	return figures
}

// publishedTables are the four tables, with what they are about.
func publishedTables() (sections []table.Section) {
	figures := publishedFigures()
	for i, about := range []string{
		"Three systems on 250 comparisons, judged by a model. Throughput is in summaries a second.",
		"The distilled system without and with critiques, in four categories.",
		"Rows of a summary, the share of useful rows by people and by the model (CHS), agreement among people, and of people with the model.",
		"The measures of a summary by a model and by people.",
	} {
		grid := table.NewGrid("system")
		for _, f := range figures {
			if f.Table == i+1 {
				grid.Set(f.Value, f.Measure, f.System)
			}
		}
		sections = append(sections, table.Section{Title: fmt.Sprintf("Published: Table %d of Gunel et al.", i+1),
			About: about + " For comparison; the questions, sources, models and people differ from this run.", Table: &grid.Table})
	}
	return sections
}
