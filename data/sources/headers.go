package sources

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"compqa/data"
)

// headed yields the documents of a file. For a table it skips further header rows below the first: the rows of Qualtrics with the texts and
// ids of questions, and the second row of merged cells. The latter renames columns: "correct" below the merged cell "Anna" becomes "correct
// (Anna)".
func headed(path string, note func(string)) iter.Seq2[data.Document, error] {
	const looked = 100 // rows that are searched for headers
	if note == nil {
		return data.Documents(path, nil)
	}
	return func(yield func(data.Document, error) bool) {
		var first []data.Document
		var header *data.Header // has the new names of columns; nil if they are unchanged
		renamed := func(doc data.Document) data.Document {
			if header != nil && doc.Table != nil {
				doc.Table = header
			}
			return doc
		}
		begin := func() bool { // yields the first rows
			skipped, names := headerRows(first)
			if names != nil {
				header = first[0].Table.Renamed(names)
			}
			if skipped > 0 {
				note(fmt.Sprintf("%s: %s below the header left out, which has names of columns", path, data.Plural(skipped, "row", "rows")))
			}
			for _, doc := range first[skipped:] {
				if !yield(renamed(doc), nil) {
					return false
				}
			}
			return true
		}
		began := false
		for doc, err := range bodies(path, note) {
			if !began && err == nil && doc.Table != nil && len(first) < looked {
				first = append(first, doc)
				continue
			}
			if !began {
				began = true
				if !begin() {
					return
				}
			}
			if err == nil {
				doc = renamed(doc)
			}
			if !yield(doc, err) {
				return
			}
		}
		if !began {
			begin()
		}
	}
}

// headerRows counts the header rows at the beginning of a table's rows, at most three. names maps columns to new names from the first of
// these rows; it is nil if there are none.
func headerRows(rows []data.Document) (skipped int, names map[string]string) {
	if len(rows) < 3 {
		return 0, nil
	}
	header := rows[0].Table.Names
	for ; skipped < 3 && skipped+2 < len(rows); skipped++ {
		texts := cellsOf(rows[skipped])
		rest := data.Each(rows[skipped+1:], cellsOf)
		if !namesColumns(header, texts, rest) {
			break
		}
		if names == nil && skipped == 0 {
			names = merged(header, texts)
		}
	}
	return skipped, names
}

// cellsOf returns the trimmed cells of a row.
func cellsOf(doc data.Document) []string { return data.Each(doc.Cells, strings.TrimSpace) }

// namesColumns reports whether a row below the header is a header too. Either more than half of its filled cells have Qualtrics' ImportId,
// or it has text above every column of numbers. The latter counts only with two such columns, or if the next row has ImportIds.
func namesColumns(header, texts []string, rest [][]string) bool {
	imports := 0
	filled := 0
	numeric := 0
	named := 0
	for i := range header {
		if texts[i] != "" {
			filled++
		}
		if strings.Contains(texts[i], "ImportId") {
			imports++
		}
		numbers := 0
		others := 0
		for _, cells := range rest {
			if _, number := data.Number(cells[i]); number {
				numbers++
			} else if !Missing(cells[i]) && !strings.Contains(cells[i], "ImportId") {
				others++
			}
		}
		if numbers < 2 || others > 0 {
			continue
		}
		numeric++
		if _, number := data.Number(texts[i]); !number && !Missing(texts[i]) && !doubtful(texts[i]) {
			named++
		}
	}
	ids := slices.ContainsFunc(rest[0], func(cell string) bool { return strings.Contains(cell, "ImportId") })
	return 2*imports > filled || numeric > 0 && named == numeric && (numeric > 1 || ids)
}

// merged returns new names for the columns of a header in two rows, of which the first has merged cells. Below the cells id, Anna, "", Ben,
// "" the second row may have "", correct, polite, correct, polite: the second column becomes "correct (Anna)", the third "polite (Anna)".
// merged returns nil if all columns have a name.
func merged(header, below []string) map[string]string {
	names := map[string]string{}
	above := ""
	for i, name := range header {
		group := i+1 < len(header) && unnamed(header[i+1]) // the next cell is merged with this one
		if !unnamed(name) {
			above = name
		} else if above != "" {
			group = true
		}
		switch {
		case below[i] == "" || !group && !unnamed(name):
		case above != "" && group:
			names[name] = below[i] + " (" + above + ")"
		default:
			names[name] = below[i]
		}
	}
	if !slices.ContainsFunc(header, unnamed) {
		return nil
	}
	return names
}

// unnamed reports whether the header has no name for a column: data.Header calls it "column 3" then.
func unnamed(name string) bool {
	rest, found := strings.CutPrefix(name, "column ")
	return found && strings.Trim(rest, "0123456789") == ""
}
