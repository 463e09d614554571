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
	"compqa/judges/text/lexical"
)

// Version is part of the identity of offline tables: increase it when they change.
const Version = 5

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

// Offline makes the table of a question's objects from sources, without a model.
func Offline(q data.Question, sources []data.Source) data.ContrastTable {
	r := readerOf(q, sources)
	extractions, dropped := r.extract(sources)
	return r.contrast(mergeAttributes(extractions), sources, dropped)
}

// contrast keeps the rows whose values differ and those that are important though alike, in
// the order of contrast, number of sources, best rank, and first occurrence. A row that
// fills one cell is kept with two sources or more.
func (r *reader) contrast(attributes []*attribute, from []data.Source, dropped []data.DroppedRow) data.ContrastTable {
	t := data.ContrastTable{Rows: []data.ContrastRow{}, Dropped: dropped}
	type ranked struct {
		data.ContrastRow
		sources, best, first int
	}
	var rows []ranked
	for _, a := range attributes {
		cells, sources, left := a.cells(r)
		t.Dropped = append(t.Dropped, left...)
		row := data.ContrastRow{Attribute: a.name, Members: a.members(), Kind: data.RowImportant, Object1: cells[0], Object2: cells[1]}
		both := len(cells[0]) > 0 && len(cells[1]) > 0
		switch {
		case both && (r.contrasts(a, from) || !r.alike(cells)):
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
		return cmp.Or(-compareBools(a.Kind == data.RowContrast, b.Kind == data.RowContrast), cmp.Compare(b.sources, a.sources),
			cmp.Compare(a.best, b.best), cmp.Compare(a.first, b.first))
	})
	for i, row := range rows {
		if i >= mostRows {
			t.Dropped = append(t.Dropped, data.DroppedRow{Stage: StageContrast, Reason: BeyondBest, Row: row.ContrastRow})
			continue
		}
		row.Rank = i + 1
		t.Rows = append(t.Rows, row.ContrastRow)
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

// contrasts reports whether a statement about both objects compares them: an argument that
// favours one of them, or a text that says which is better.
func (r *reader) contrasts(a *attribute, from []data.Source) bool {
	return slices.ContainsFunc(a.extractions, func(x extraction) bool {
		return x.both && r.votes(from[x.order], x.evidence.Quote, 0) != 0
	})
}

// alike reports whether both cells say the same: each value of one has a like in the other,
// stop words not counted.
func (r *reader) alike(cells [2][]data.ContrastValue) bool {
	var words [2][][]string
	for k := range cells {
		for _, v := range cells[k] {
			words[k] = append(words[k], r.content(v.Value))
		}
	}
	within := func(a, b [][]string) bool {
		return !slices.ContainsFunc(a, func(x []string) bool {
			return !slices.ContainsFunc(b, func(y []string) bool { return data.Jaccard(x, y) >= sameFrom })
		})
	}
	return within(words[0], words[1]) && within(words[1], words[0])
}

// Choose returns the object that the majority of contrasting rows favours. In a row, each
// statement has a vote: an argument, once in a row, for the object that it favours; another text
// for the object that it praises, or against the object that it criticises. If the numbers of
// rows are equal, the votes decide; "" is a tie.
func Choose(q data.Question, t data.ContrastTable, sources []data.Source) string {
	r, byID := readerOf(q, nil), map[string]data.Source{}
	for _, s := range sources {
		byID[s.ID] = s
	}
	rows, votes := 0, 0
	for _, row := range t.Rows {
		if row.Kind != data.RowContrast {
			continue
		}
		sum, voted := 0, map[data.Evidence]bool{}
		for k, values := range row.Cells() {
			for _, v := range values {
				for _, e := range v.Evidence {
					key := e
					if argumentOf(q, byID[e.Source]) != nil {
						key = data.Evidence{Source: e.Source}
					}
					if !voted[key] {
						sum += r.votes(byID[e.Source], e.Quote, lexical.Objects(1<<k))
					}
					voted[key] = true
				}
			}
		}
		rows, votes = rows+cmp.Compare(sum, 0), votes+sum
	}
	switch cmp.Compare(cmp.Or(rows, votes), 0) {
	case 1:
		return q.Object1
	case -1:
		return q.Object2
	}
	return ""
}

// votes is 1 for a statement that speaks for the first object, -1 for the second, else 0.
func (r *reader) votes(s data.Source, quote string, about lexical.Objects) int {
	if a := argumentOf(r.q, s); a != nil {
		switch objectOf(a.Favours) {
		case lexical.First:
			return 1
		case lexical.Second:
			return -1
		}
		return 0
	}
	return cmp.Compare(lexical.Read(r.names, quote, about).Side(), 0)
}
