package paper

import (
	"encoding/json"
	"fmt"
	"io"

	"compqa/results/table"
)

// Write puts table1.csv to table5.csv, figure6.csv to figure8.csv, reproduce.json and
// reproduce.md into a folder, and makes it where there is none. The same release gives the same
// bytes.
func (r *Reproduction) Write(dir string) error {
	files := map[string]func(io.Writer) error{"reproduce.json": r.writeFigures, "reproduce.md": table.Text(r.Markdown()),
		"table1.csv": table.CSV(r.pairs), "figure6.csv": table.CSV(r.figure(6)), "figure7.csv": table.CSV(r.figure(7)),
		"figure8.csv": table.CSV(r.extremes)}
	for view := 2; view <= 5; view++ {
		files[fmt.Sprintf("table%d.csv", view)] = table.CSV(r.table(view))
	}
	return table.WriteFiles(dir, files)
}

func (r *Reproduction) writeFigures(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(r.Figures)
}

// table is the cells of one table.
func (r *Reproduction) table(number int) []ReproducedCell {
	return table.Where(r.Cells, func(c ReproducedCell) bool { return c.Table == number })
}
