package preferences

import (
	"io"
	"strconv"

	"compqa/results/table"
)

// A ContrastSource is the origin of a line in a file of contrasts.
type ContrastSource struct {
	Line   int    `csv:"line"`
	Pair   string `csv:"pair"`
	Order  string `csv:"order"`
	Source string `csv:"source"` // repeated, hint
}

// A ContrastCount counts the judgments of one source.
type ContrastCount struct {
	Source          string `csv:"source"`
	Prompts         int    `csv:"prompts"` // pairs in an order
	Judgments       int    `csv:"judgments"`
	Positive        int    `csv:"positive"` // choose the answer that people prefer
	Negative        int    `csv:"negative"` // choose the other one
	Unclear         int    `csv:"unclear"`  // choose neither; counted as negative
	Against         int    `csv:"against_hint"`
	Lost            int    `csv:"lost"` // without a reply
	Contrasts       int    `csv:"contrasts"`
	WithoutContrast int    `csv:"without_contrast"` // prompts without a contrast
}

// PrintContrasts shows the counts.
func PrintContrasts(w io.Writer, counts []ContrastCount) error {
	t := &table.Table{Words: 1, Header: []string{"source", "prompts", "judgments", "positive", "negative", "unclear", "against hint", "lost", "contrasts", "without"}}
	for _, c := range counts {
		row := []string{c.Source}
		for _, n := range []int{c.Prompts, c.Judgments, c.Positive, c.Negative, c.Unclear, c.Against, c.Lost, c.Contrasts, c.WithoutContrast} {
			row = append(row, strconv.Itoa(n))
		}
		t.Add(row...)
	}
	return t.Terminal(w)
}
