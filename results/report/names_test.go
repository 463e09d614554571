package report_test

import (
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/recordtest"
	"compqa/results/report"
	"compqa/results/table"
)

// In every table, the name of an imported judge has the mark of imports, and no other name has it.
func TestImportedJudgesEverywhere(t *testing.T) {
	x := recordtest.Of(map[string]string{"j": "imported", "human": "human", "k": "model"},
		recordtest.By("j", "s", "1", 1, 2, 3, 4, 5, 6, 7, 8), recordtest.By("k", "s", "1", 1, 2, 3, 3, 4, 6, 7, 8),
		recordtest.By("human", "s", "1", 1, 2, 2, 4, 5, 5, 6, 9),
		recordtest.By("j", "u", "1", 2, 2, 3, 4, 5, 1, 7, 8), recordtest.By("human", "u", "1", 1, 2, 2, 4, 9, 5, 6, 9)).Dataset(t)
	r, err := report.Compute(x)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	sections := 0
	for _, d := range append(r.Documents(), r.Front()) {
		for _, s := range d.Sections {
			if s.Table == nil {
				continue
			}
			look := func(text, mark string) {
				imported := text == "j"
				if imported != strings.HasSuffix(mark, "°") {
					t.Errorf("%s, %s: %q has the mark %q", d.Title, s.Title, text, mark)
				}
				if imported {
					named[s.Title] = true
				}
			}
			for c, head := range s.Table.Header {
				look(head, s.Table.Heads[c].Mark)
			}
			data.Each(s.Table.Rows, func(row []table.Cell) int {
				for _, cell := range row {
					look(cell.Text, cell.Mark)
				}
				return 0
			})
			sections++
		}
	}
	for _, title := range []string{"Leniency", "Human points", "Agreement with people", "Judges"} {
		if !named[title] {
			t.Errorf("%s does not name the judge (of %d tables: %v)", title, sections, named)
		}
	}
}
