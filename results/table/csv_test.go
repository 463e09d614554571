package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"slices"
	"testing"

	"compqa/data"
)

// TestCSVWriter writes cells with everything that needs quotes, and expects the bytes of encoding/csv.
func TestCSVWriter(t *testing.T) {
	cells := []string{"", "a", "a", " a", "a ", "\ta", " a", ",", "a,b", `"`, `say "so"`, "two\nlines", "CR LF\r\n", "CR\r", `\.`, `\. `, "ä,ö",
		"\xff", "\x1b[1m", "=1+1", "-", "-1", "'=1", " "}
	var got, want bytes.Buffer
	writer := NewCSVWriter(&got)
	plain := csv.NewWriter(&want)
	write := func(record ...string) {
		t.Helper()
		if err := writer.Write(record); err != nil {
			t.Fatal(err)
		}
		plain.Write(data.Each(record, func(cell string) string { return data.GuardCell(Printable(cell)) }))
	}
	write("one", "two")
	for _, one := range cells {
		for _, two := range cells {
			write(one, two)
		}
	}
	plain.Flush()
	if err := writer.Flush(); err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("%v\n%s\nencoding/csv writes\n%s", err, got.Bytes(), want.Bytes())
	}
}

var errFull = errors.New("the disk is full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// TestCSVWriterFull writes to a full disk: Write or Flush returns the error.
func TestCSVWriterFull(t *testing.T) {
	w := NewCSVWriter(fullDisk{})
	if err := w.Write([]string{"a"}); err != nil {
		t.Fatal(err) // the record is still in memory
	}
	if err := w.Flush(); !errors.Is(err, errFull) {
		t.Errorf("Flush returns %v", err)
	}
	if err := CSV(slices.Repeat([]struct {
		Name string `csv:"name"`
	}{{"x"}}, 10_000))(fullDisk{}); !errors.Is(err, errFull) {
		t.Errorf("CSV returns %v", err)
	}
}
