package paper

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"compqa/results/table"
)

// Write puts table2.csv to table5.csv, reproduce.json and reproduce.md into a
// folder, and makes it where there is none. The same release gives the same
// bytes.
func (r *Reproduction) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the folder of the reproduction: %w", err)
	}
	files := map[string]func(io.Writer) error{
		"reproduce.json": r.writeFigures,
		"reproduce.md":   func(w io.Writer) error { _, err := io.WriteString(w, r.Markdown()); return err },
	}
	for view := 2; view <= 5; view++ {
		files[fmt.Sprintf("table%d.csv", view)] = func(w io.Writer) error { return table.WriteCSV(w, r.table(view)) }
	}
	for name, write := range files {
		if err := table.WriteFile(filepath.Join(dir, name), write); err != nil {
			return fmt.Errorf("writing %s of the reproduction: %w", name, err)
		}
	}
	return nil
}

func (r *Reproduction) writeFigures(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(r.Figures)
}

// table is the cells of one table.
func (r *Reproduction) table(number int) []ReproducedCell {
	var cells []ReproducedCell
	for _, c := range r.Cells {
		if c.Table == number {
			cells = append(cells, c)
		}
	}
	return cells
}
