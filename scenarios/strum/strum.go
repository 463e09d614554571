// Package strum makes contrastive tables: it compares two objects attribute by attribute,
// each value with quotes from its sources (Gunel et al., STRUM-LLM). The stages are
// extract, merge attributes, merge values, contrast and usefulness. Offline needs no
// model: each stage has a stand-in that is deterministic and linear in the number of
// sources. Swapping the two objects swaps the cells and changes nothing else.
//
// A value enters a table only with a quote that code has found in its source. An answer is
// rendered from the table alone, so that nothing else can enter it.
package strum

import (
	"cmp"
	"slices"
	"strconv"

	"compqa/data"
)

// Version is part of the identity of offline tables: increase it when they change.
const Version = 4

// Stages that drop rows, as they are named in a table.
const (
	StageExtract    = "extract"
	StageValues     = "merge values"
	StageContrast   = "contrast"
	StageUsefulness = "usefulness"
)

// Reasons for dropping a row.
const (
	Unattributed = "unattributed" // its quote is not in its source
	WrongEntity  = "wrong entity" // it is about the other object
	Minority     = "minority"     // more sources say the opposite
	OneSource    = "one object, one source"
	BeyondBest   = "beyond the best"
)

// Bounds of a table.
const (
	mostRows   = 20
	mostValues = 3 // of one object in a row
)

// SourcesOf are the arguments of a question as sources. Their ids are their numbers, from 1.
func SourcesOf(q data.Question) []data.Source {
	sources := make([]data.Source, len(q.Arguments))
	for i, a := range q.Arguments {
		sources[i] = data.Source{ID: strconv.Itoa(i + 1), Entity: data.EntityBoth, Text: a.Text}
	}
	return sources
}

// argumentOf is the argument that a source is; nil: it is another text.
func argumentOf(q data.Question, s data.Source) *data.Argument {
	n, err := strconv.Atoi(s.ID)
	if err != nil || n < 1 || n > len(q.Arguments) || s.Entity != data.EntityBoth || q.Arguments[n-1].Text != s.Text {
		return nil
	}
	return &q.Arguments[n-1]
}

// An extraction is one value of one object in one attribute, as a source gives it.
type extraction struct {
	object    int // 0 or 1
	attribute string
	value     string
	evidence  data.Evidence
	rank      int // of the source; unknown ranks come last
	order     int // of the source
	// opinions are those about the object: none of an argument, which states a fact, and none
	// of a text that names the other object too.
	opinions []opinion
	// distinct is the share of its words that are content and that no value of the other
	// object has; 0 of an argument.
	distinct float64
}

// Offline makes the table of a question's objects from sources, without a model.
func Offline(q data.Question, sources []data.Source) data.ContrastTable {
	extractions, dropped := extract(q, sources)
	distinguish(q, extractions, sources)
	return contrast(q, mergeAttributes(extractions), dropped)
}

// distinguish finds out how distinct the values are that are no arguments.
func distinguish(q data.Question, list []extraction, sources []data.Source) {
	said := [2]map[string]bool{{}, {}}
	words := make([][]string, len(list))
	for i, x := range list {
		if argumentOf(q, sources[x.order]) == nil {
			words[i] = stems(x.value)
		}
		for _, w := range words[i] {
			said[x.object][w] = true
		}
	}
	for i := range list {
		n := 0
		for _, w := range words[i] {
			if !said[1-list[i].object][w] && !stopWords[w] {
				n++
			}
		}
		list[i].distinct = float64(n) / float64(max(1, len(words[i])))
	}
}

// contrast keeps the rows whose values differ and those that are important though alike, in
// the order of contrast, number of sources, best rank, and first occurrence. A row that
// fills one cell is kept with two sources or more.
func contrast(q data.Question, attributes []*attribute, dropped []data.DroppedRow) data.ContrastTable {
	t := data.ContrastTable{Rows: []data.ContrastRow{}, Dropped: dropped}
	type ranked struct {
		data.ContrastRow
		sources, best, first int
	}
	objects := namesOf(q)
	var rows []ranked
	for _, a := range attributes {
		cells, sources, left := a.cells(objects)
		t.Dropped = append(t.Dropped, left...)
		row := data.ContrastRow{Attribute: a.name, Members: a.members(), Kind: data.RowImportant, Object1: cells[0], Object2: cells[1]}
		both := len(cells[0]) > 0 && len(cells[1]) > 0
		switch {
		case both && !alike(objects, cells):
			row.Kind = data.RowContrast
		case !both && sources < 2:
			if sources > 0 {
				t.Dropped = append(t.Dropped, data.DroppedRow{Stage: StageUsefulness, Reason: OneSource, Row: row})
			}
			continue
		}
		rows = append(rows, ranked{row, sources, a.best(), a.extractions[0].order})
	}
	slices.SortStableFunc(rows, func(a, b ranked) int {
		return cmp.Or(-compareBools(a.Kind == data.RowContrast, b.Kind == data.RowContrast), cmp.Compare(b.sources, a.sources), cmp.Compare(a.best, b.best), cmp.Compare(a.first, b.first))
	})
	for i, r := range rows {
		if i >= mostRows {
			t.Dropped = append(t.Dropped, data.DroppedRow{Stage: StageContrast, Reason: BeyondBest, Row: r.ContrastRow})
			continue
		}
		r.Rank = i + 1
		t.Rows = append(t.Rows, r.ContrastRow)
	}
	return t
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// alike reports whether both cells say the same: each value of one has a like in the other,
// stop words not counted.
func alike(objects [2]names, cells [2][]data.ContrastValue) bool {
	var words [2][][]string
	for k := range cells {
		for _, v := range cells[k] {
			words[k] = append(words[k], data.Set(slices.DeleteFunc(withoutNames(objects, v.Value), func(w string) bool { return stopWords[w] })))
		}
	}
	within := func(a, b [][]string) bool {
		for _, x := range a {
			if !slices.ContainsFunc(b, func(y []string) bool { return data.Jaccard(x, y) >= sameFrom }) {
				return false
			}
		}
		return true
	}
	return within(words[0], words[1]) && within(words[1], words[0])
}
