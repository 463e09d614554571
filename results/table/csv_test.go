package table

import (
	"strings"
	"testing"
)

// TestCSVCells: cells that are made once are those that a CSVWriter writes.
func TestCSVCells(t *testing.T) {
	cells := CSVCells()
	for _, record := range [][]string{{"a", "b"}, {"", ""}, {"x,y", `say "so"`}, {"=1+1", "-2"}, {" a", "b\nc\r\nd"},
		{"\x1b[2J", "\xff"}, {`\.`, "é"}} {
		var b strings.Builder
		w := NewCSVWriter(&b)
		w.Write([]string{"first", "second"})
		w.Write(record)
		w.Flush()
		got, err := cells(record...)
		if _, want, _ := strings.Cut(b.String(), "\n"); err != nil || got+"\n" != want {
			t.Errorf("%q: %q, %v; want %q", record, got, err, want)
		}
	}
}
