package sources

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"

	"compqa/data"
)

// bodies yields the documents of a file. Of a table it leaves out summary rows at the end, and reports them to note. A summary row begins
// with a word such as Total and has only numbers beside it; or it is the last row, and its numbers are the sums or means of their columns.
func bodies(path string, note func(string)) iter.Seq2[data.Document, error] {
	return func(yield func(data.Document, error) bool) {
		var b body
		for doc, err := range data.Documents(path, note) {
			if err != nil || doc.Table == nil || doc.Table != b.table {
				if !b.end(yield, note) || (err != nil || doc.Table == nil) && !yield(doc, err) {
					return
				}
				if err != nil || doc.Table == nil {
					continue
				}
				b = body{table: doc.Table, columns: make([]columnSum, len(doc.Table.Names))}
			}
			if len(b.last) > 0 && !sumsUp(doc.Cells) {
				for _, held := range b.last {
					b.add(held)
					if !yield(held, nil) {
						return
					}
				}
				b.last = b.last[:0]
			}
			b.last = append(b.last, doc)
		}
		b.end(yield, note)
	}
}

// A body is the state of a table while its rows are read.
type body struct {
	table   *data.Header
	columns []columnSum
	rows    int
	last    []data.Document // rows held back: one row, and rows after it that begin with a word for a sum
}

// A columnSum has the count, sum and range of a column's numbers.
type columnSum struct {
	n         int
	sum       float64
	low, high float64
	whole     bool // all are whole numbers
}

// add updates the figures of the columns with a row, for the first mostProfiled rows.
func (b *body) add(doc data.Document) {
	b.rows++
	if b.rows > mostProfiled {
		return
	}
	for i, cell := range doc.Cells {
		x, number := data.Number(cell)
		if !number {
			continue
		}
		c := &b.columns[i]
		if c.n == 0 {
			c.low = x
			c.high = x
			c.whole = true
		}
		c.n++
		c.sum += x
		c.low = min(c.low, x)
		c.high = max(c.high, x)
		c.whole = c.whole && x == math.Trunc(x)
	}
}

// end yields the rows that were held back, except summary rows. It returns false if the caller stops.
func (b *body) end(yield func(data.Document, error) bool, note func(string)) bool {
	var left []string
	for i, doc := range b.last {
		why := ""
		switch {
		case sumsUp(doc.Cells) && b.rows+i > 0:
			first, _ := data.First(doc.Cells, func(cell string) bool { return strings.TrimSpace(cell) != "" })
			why = fmt.Sprintf("%q", data.Clip(strings.TrimSpace(first)))
		case i == len(b.last)-1:
			why = b.summary(doc.Cells)
		}
		if why != "" {
			left = append(left, fmt.Sprintf("%s:%d: %s", doc.File, doc.Line, why))
			continue
		}
		b.add(doc)
		if !yield(doc, nil) {
			return false
		}
	}
	if left != nil && note != nil {
		note(fmt.Sprintf("%s below the table left out, as it sums up the others (%s). A row that is an item has an id that is no such word",
			data.Plural(len(left), "row", "rows"), strings.Join(left, "; ")))
	}
	b.last = nil
	return true
}

// sumWords has the words that begin a summary row.
var sumWords = sync.OnceValue(func() map[string]bool { return data.Among(names().Sums) })

// sumsUp reports whether the first filled cell of a row is a word such as Total, and all later cells are numbers or empty.
func sumsUp(cells []string) bool {
	index := slices.IndexFunc(cells, func(cell string) bool { return strings.TrimSpace(cell) != "" })
	if index < 0 || !sumWords()[strings.ToLower(strings.Trim(cells[index], " \t:.*="))] {
		return false
	}
	return !slices.ContainsFunc(cells[index+1:], func(cell string) bool {
		_, number := data.Number(strings.TrimSuffix(strings.TrimSpace(cell), "%"))
		return !number && !Missing(cell)
	})
}

// summary returns what the numbers of a row are: "the sums of the columns" or "the means of the columns"; "" if they are neither. At least
// one number must be outside its column's range, or have decimals where the column has none, since a normal row can match by chance.
func (b *body) summary(cells []string) string {
	if b.rows < 3 || b.rows > mostProfiled {
		return ""
	}
	filled := 0
	sums := 0
	means := 0
	odd := false
	for i, cell := range cells {
		if Missing(strings.TrimSpace(cell)) {
			continue
		}
		x, number := data.Number(cell)
		c := b.columns[i]
		if !number || 2*c.n < b.rows {
			return ""
		}
		filled++
		mean := c.sum / float64(c.n)
		if math.Abs(x-c.sum) < 1e-6*max(1, math.Abs(c.sum)) {
			sums++
		}
		_, decimals, _ := strings.Cut(strings.TrimSpace(cell), ".")
		if math.Abs(x-mean) < .5*math.Pow10(-len(decimals))+1e-9 { // equal after rounding
			means++
		}
		odd = odd || x > c.high || x < c.low || c.whole && x != math.Trunc(x)
	}
	switch {
	case filled == 0 || !odd:
		return ""
	case sums == filled:
		return "the sums of the columns"
	case means == filled:
		return "the means of the columns"
	}
	return ""
}
