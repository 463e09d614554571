package results

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// A ContrastSource says where a line of a file of contrasts comes from.
type ContrastSource struct {
	Line   int    `csv:"line"`
	Pair   string `csv:"pair"`
	Order  string `csv:"order"`
	Source string `csv:"source"` // repeated, hint
}

// A ContrastCount says what became of the judgments of one source.
type ContrastCount struct {
	Source          string `csv:"source"`
	Prompts         int    `csv:"prompts"` // pairs in an order
	Judgments       int    `csv:"judgments"`
	Positive        int    `csv:"positive"` // name the answer that people prefer
	Negative        int    `csv:"negative"` // name the other one
	Unclear         int    `csv:"unclear"`  // name none, and count as negative
	Against         int    `csv:"against_hint"`
	Lost            int    `csv:"lost"` // there is no reply
	Contrasts       int    `csv:"contrasts"`
	WithoutContrast int    `csv:"without_contrast"` // prompts that gave none
}

// CSV is rows of a table as CSV.
func CSV[Row any](rows []Row) ([]byte, error) {
	var b bytes.Buffer
	err := writeCSV(&b, rows)
	return b.Bytes(), err
}

// WriteFiles writes files into a folder, and makes it where there is none. Each
// has its name when it is complete.
func WriteFiles(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := writeFile(filepath.Join(dir, name), func(w io.Writer) error { _, err := w.Write(files[name]); return err }); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return nil
}

// PrintContrasts shows the counts.
func PrintContrasts(w io.Writer, counts []ContrastCount) error {
	t := &textTable{words: 1, header: []string{"source", "prompts", "judgments", "positive", "negative", "unclear", "against hint", "lost", "contrasts", "without"}}
	for _, c := range counts {
		row := []string{c.Source}
		for _, n := range []int{c.Prompts, c.Judgments, c.Positive, c.Negative, c.Unclear, c.Against, c.Lost, c.Contrasts, c.WithoutContrast} {
			row = append(row, strconv.Itoa(n))
		}
		t.add(row...)
	}
	return t.terminal(w)
}
