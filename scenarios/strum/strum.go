// Package strum makes contrastive tables: it compares two objects attribute by attribute, each value with quotes from its
// sources (Gunel et al., STRUM-LLM). The stages are extract, merge attributes, merge values, contrast and usefulness.
// Offline needs no model: each stage has a stand-in that is deterministic and linear in the number of sources. Swapping the
// two objects swaps the cells and changes nothing else.
//
// A value enters a table only with a quote that code has found in its source. An answer is
// rendered from the table alone, so that nothing else can enter it.
package strum

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"compqa/data"
	"compqa/judges/text/lexical"
)

// Version is part of the identity of offline tables. Increase it when the tables change.
const Version = 8

// Names of the stages that can drop rows, as a table shows them.
const (
	StageExtract    = "extract"
	StageValues     = "merge values"
	StageContrast   = "contrast"
	StageUsefulness = "usefulness"
)

// Reasons for dropping a row or a value.
const (
	Unattributed = "unattributed" // its quote is not in its source
	WrongEntity  = "wrong entity" // it is about the other object, or another entity
	Minority     = "minority"     // more sources say the opposite
	OneSource    = "one object, one source"
	BeyondBest   = "beyond the best"
)

// Limits of a table and of prompts.
const (
	mostRows     = 20
	mostValues   = 3   // values of one object in a row
	sameFrom     = 0.6 // least Jaccard index of two values that count as one
	mostCompared = 32  // clusters with a common word that a value is compared with; the limit keeps the time linear
	fewestTexts  = 3   // texts that must name an attribute
	smallSet     = 8   // up to this many texts, two texts about different objects are enough
	mostNames    = 200 // attributes in one prompt; more are divided into several calls
	mostShown    = 40  // values or rows in one prompt
)

// SourcesOf returns the arguments of a question as sources. Their ids are their numbers, from 1.
func SourcesOf(q data.Question) []data.Source {
	sources := make([]data.Source, len(q.Arguments))
	for i, a := range q.Arguments {
		sources[i] = data.Source{ID: strconv.Itoa(i + 1), Entity: data.EntityBoth, Text: a.Text}
	}
	return sources
}

// argumentOf returns the argument that a source was made from, or nil if the source is another text.
func argumentOf(q data.Question, s data.Source) *data.Argument {
	n, err := strconv.Atoi(s.ID)
	if err != nil || n < 1 || n > len(q.Arguments) || s.Entity != data.EntityBoth || q.Arguments[n-1].Text != s.Text {
		return nil
	}
	return &q.Arguments[n-1]
}

// A row is a row of the table that is being made, with what its rank depends on.
type row struct {
	data.ContrastRow
	level                 int // strength of the contrast, 0 to 3, by a model
	sources               int // number of sources of the row's values
	bestRank, firstSource int // best rank, and least index, of a source
}

func rowOf(attribute string, members []string, cells [2][]data.ContrastValue) *row {
	return &row{ContrastRow: data.ContrastRow{Attribute: attribute, Members: members, Kind: data.RowImportant, Object1: cells[0],
		Object2: cells[1]}}
}

// tableOf returns the table of rows, sorted by kind (contrasting rows first), strength of contrast, number of sources, best rank and first
// occurrence. Rows after the first mostRows are dropped.
func tableOf(q data.Question, sources []data.Source, rows []*row, left dropped) data.ContrastTable {
	contrast := func(r *row) int { return slices.Index([]string{data.RowContrast, data.RowImportant}, r.Kind) }
	slices.SortStableFunc(rows, func(a, b *row) int {
		return cmp.Or(cmp.Compare(contrast(a), contrast(b)), cmp.Compare(b.level, a.level), cmp.Compare(b.sources, a.sources),
			cmp.Compare(a.bestRank, b.bestRank), cmp.Compare(a.firstSource, b.firstSource))
	})
	t := data.ContrastTable{Rows: []data.ContrastRow{}}
	for i, r := range rows {
		if i >= mostRows {
			left.row(StageContrast, BeyondBest, r.ContrastRow)
			continue
		}
		r.Rank = i + 1
		t.Rows = append(t.Rows, r.ContrastRow)
	}
	t.Dropped = left
	t.Unused, t.Sentences = unused(t, sources)
	votes := votesOf(q, sources)
	for i, r := range t.Rows {
		if r.Kind == data.RowContrast {
			t.Rows[i].Favours = string(data.Greater(votes(r), 0).Favours())
		}
	}
	return t
}

// dropped are the rows and values that a table leaves out, with stage and reason.
type dropped []data.DroppedRow

func (d *dropped) row(stage, reason string, r data.ContrastRow) {
	*d = append(*d, data.DroppedRow{Stage: stage, Reason: reason, Row: r})
}

// values records dropped values of an attribute, if there are any. It leaves out supporters and conflicts, because their size would be
// quadratic in the number of sources.
func (d *dropped) values(stage, reason, attribute string, values [2][]data.ContrastValue) {
	if len(values[0])+len(values[1]) == 0 {
		return
	}
	for k := range values {
		values[k] = append([]data.ContrastValue{}, values[k]...)
		for i := range values[k] {
			values[k][i].Supporters = nil
			values[k][i].Conflicts = nil
		}
	}
	d.row(stage, reason, rowOf(attribute, nil, values).ContrastRow)
}

func (d *dropped) extraction(reason string, x extraction) {
	var values [2][]data.ContrastValue
	values[x.object] = []data.ContrastValue{{Value: x.value, Evidence: []data.Evidence{x.evidence}}}
	d.values(StageExtract, reason, x.attribute, values)
}

// Offline makes the table of a question's objects from sources, without a model. Rows whose values differ are of the kind contrast, other
// rows important. A row with only one filled cell is kept if it has at least two sources.
func Offline(q data.Question, sources []data.Source) data.ContrastTable {
	r := readerOf(q, sources)
	extractions, left := r.extract(sources)
	var rows []*row
	for _, a := range mergeAttributes(extractions) {
		cells, n := a.cells(r, &left)
		row := rowOf(a.name, a.members(), cells)
		row.sources, row.bestRank, row.firstSource = n, a.bestRank(), a.extractions[0].order
		if both := len(cells[0]) > 0 && len(cells[1]) > 0; both && (r.contrasts(a, sources) || !r.alike(cells)) {
			row.Kind = data.RowContrast
		} else if !both && n < 2 {
			if n > 0 {
				left.row(StageUsefulness, OneSource, row.ContrastRow)
			}
			continue
		}
		rows = append(rows, row)
	}
	return tableOf(q, sources, rows, left)
}

// unused counts the sentences of the sources (all), and those of which no part is quoted in a row (unused).
func unused(t data.ContrastTable, sources []data.Source) (unused, all int) {
	quoted := map[string][]data.Evidence{}
	for _, row := range t.Rows {
		for _, v := range slices.Concat(row.Object1, row.Object2) {
			for _, e := range v.Evidence {
				quoted[e.Source] = append(quoted[e.Source], e)
			}
		}
	}
	for _, s := range sources {
		for _, span := range sentences(s.Text) {
			if !strings.ContainsFunc(span.Of(s.Text), unicode.IsLetter) {
				continue
			}
			all++
			if !slices.ContainsFunc(quoted[s.ID], func(e data.Evidence) bool { return e.Start < span.End && span.Start < e.End }) {
				unused++
			}
		}
	}
	return unused, all
}

// contrasts reports whether some statement about both objects favours one: an argument that favours an object, or a text that says which is
// better.
func (r *reader) contrasts(a *attribute, from []data.Source) bool {
	return slices.ContainsFunc(a.extractions, func(x extraction) bool {
		return x.bothObjects && r.votes(from[x.order], x.evidence.Quote, 0) != 0
	})
}

// alike reports whether both cells say the same. For each value of one cell, the other cell has a value with the same claim and nearly the
// same words, stop words aside.
func (r *reader) alike(cells [2][]data.ContrastValue) bool {
	type read struct {
		words []string
		claim claim
	}
	var values [2][]read
	for k := range cells {
		for _, v := range cells[k] {
			values[k] = append(values[k], read{r.content(v.Value), r.claimOf(v.Value)})
		}
	}
	within := func(a, b []read) bool {
		return !slices.ContainsFunc(a, func(x read) bool {
			return !slices.ContainsFunc(b, func(y read) bool { return data.Jaccard(x.words, y.words) >= sameFrom && x.claim.agrees(y.claim) })
		})
	}
	return within(values[0], values[1]) && within(values[1], values[0])
}

// Choose returns the object that most contrasting rows favour. A row favours the object with most votes. Each statement has a vote: an
// argument, once in a row, for the object that it favours; another text for the object that it praises, or against the object that it
// criticises. If both objects have equally many rows, the sum of votes decides.
func Choose(q data.Question, t data.ContrastTable, sources []data.Source) data.Choice {
	votesOf := votesOf(q, sources)
	rows := 0
	votes := 0
	for _, row := range t.Rows {
		if row.Kind == data.RowContrast {
			sum := votesOf(row)
			rows += cmp.Compare(sum, 0)
			votes += sum
		}
	}
	return t.Weighed(rows, votes)
}

// ChosenName returns the name of the chosen object, "Neither" for a tie, or "" for no choice.
func ChosenName(q data.Question, c data.Choice) string {
	return c.Named(q.Object1, q.Object2, "Neither")
}

// votesOf returns a function that counts the votes of a row: for the first object minus for the second.
func votesOf(q data.Question, sources []data.Source) func(data.ContrastRow) int {
	r := readerOf(q, nil)
	byID := data.By(sources, func(s data.Source) string { return s.ID })
	return func(row data.ContrastRow) (sum int) {
		voted := map[data.Evidence]bool{}
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
		return sum
	}
}

// Basis returns a sentence on how many rows favour each object, and how many sentences of the sources are in no row.
func Basis(q data.Question, t data.ContrastTable) string {
	first, second := t.Favouring()
	text := fmt.Sprintf("%d of %s: %d for %s, %d for %s.", first+second, data.Plural(len(t.Rows), "row favours one object",
		"rows favour one object"),
		first, q.Object1, second, q.Object2)
	if t.Sentences > 0 {
		text += fmt.Sprintf(" %d of %d sentences of the sources are in no row.", t.Unused, t.Sentences)
	}
	return text
}

// votes returns 1 if a statement favours the first object, -1 for the second, else 0.
func (r *reader) votes(s data.Source, quote string, about lexical.Objects) int {
	if a := argumentOf(r.q, s); a != nil {
		return a.Favours.Side()
	}
	return lexical.Read(r.names, quote, about).Side()
}
