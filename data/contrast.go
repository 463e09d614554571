package data

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Source is a text about the objects of a question. Contrastive tables are made from sources.
type Source struct {
	ID     string `json:"id"`
	Entity string `json:"entity"` // "object1", "object2" or EntityBoth
	URL    string `json:"url,omitempty"`
	Title  string `json:"title,omitempty"`
	Rank   int    `json:"rank,omitempty"` // rank among the search results, from 1; 0 if unknown
	Text   string `json:"text"`
}

// EntityBoth is the entity of a source about both objects.
const EntityBoth = "both"

// A ContrastTable compares the objects of a question attribute by attribute. Each value has quotes from its sources as evidence (Gunel et
// al., STRUM-LLM).
type ContrastTable struct {
	Rows    []ContrastRow `json:"rows"` // in the order of their ranks
	Dropped []DroppedRow  `json:"dropped,omitempty"`

	Sentences int `json:"sentences,omitempty"` // number of sentences in the sources
	Unused    int `json:"unused,omitempty"`    // number of sentences of which no row quotes a part
}

// FewestRows is the number of rows that a table needs to make a choice.
const FewestRows = 3

// Favouring returns the numbers of rows that favour the first and the second object.
func (t *ContrastTable) Favouring() (first, second int) {
	for _, row := range t.Rows {
		switch Favours(row.Favours) {
		case Object1:
			first++
		case Object2:
			second++
		}
	}
	return first, second
}

// Weighed returns the choice of a table, or "" if it has fewer than FewestRows rows. rows is the number of contrasting rows for the first
// object minus those for the second. If it is 0, votes decides: the same difference in the votes for the statements.
func (t *ContrastTable) Weighed(rows, votes int) Choice {
	if len(t.Rows) < FewestRows {
		return ""
	}
	return Greater(cmp.Or(rows, votes), 0)
}

// Choice returns the choice of a recorded table, which has no votes. It returns "" if the table has too few rows, or a contrast that does
// not say which object it favours.
func (t *ContrastTable) Choice() Choice {
	if slices.ContainsFunc(t.Rows, func(r ContrastRow) bool { return r.Kind == RowContrast && r.Favours == "" }) {
		return ""
	}
	first, second := t.Favouring()
	return t.Weighed(first-second, 0)
}

// A ContrastRow is one attribute with the values of both objects. Either list may be empty.
type ContrastRow struct {
	Attribute string          `json:"attribute"`
	Members   []string        `json:"members,omitempty"` // names of the attributes that were merged into this one
	Kind      string          `json:"kind"`              // RowContrast or RowImportant
	Favours   string          `json:"favours,omitempty"` // for a contrast: "object1", "object2" or "none"; "" if unknown
	Rank      int             `json:"rank"`              // from 1
	Object1   []ContrastValue `json:"object1"`
	Object2   []ContrastValue `json:"object2"`
}

// The kinds of rows: the objects differ in the attribute, or are alike in an important one.
const (
	RowContrast  = "contrast"
	RowImportant = "important"
)

// A ContrastValue is a statement about one object in one attribute.
type ContrastValue struct {
	Value      string     `json:"value"`
	Evidence   []Evidence `json:"evidence"`
	Supporters []string   `json:"supporters,omitempty"` // ids of the sources that say so
	Conflicts  []string   `json:"conflicts,omitempty"`  // ids of the sources that say the opposite
}

// Evidence is a quote from a source: the bytes from Start to End of the source's text.
type Evidence struct {
	Source string `json:"source"`
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Quote  string `json:"quote"`
}

// A DroppedRow is a row that a stage of the table's construction left out, and why.
type DroppedRow struct {
	Stage  string      `json:"stage"`
	Reason string      `json:"reason"`
	Row    ContrastRow `json:"row"`
}

// PairSources are the sources about a pair of objects, in the order of their file.
type PairSources struct {
	Object1 string   `json:"object1"`
	Object2 string   `json:"object2"`
	Sources []Source `json:"sources"`
}

var sourceFields = []string{"id", "entity", "url", "title", "rank", "text", "object1", "object2"}

// ReadSources reads sources from JSON Lines or CSV: id, entity (object1, object2 or both), text, object1, object2, and optionally url,
// title, rank (from 1). Rows with the same two objects, in any order, belong together. Two sources of a pair with the same id are an error.
func ReadSources(path string) ([]PairSources, error) {
	var sets []PairSources
	index := map[string]int{}
	_, err := readRecords(path, sourceFields, "sources", func(r *row) (s Source, keys []string) {
		s = Source{ID: cmp.Or(r.key("id"), strconv.Itoa(r.Line)), Entity: r.need("entity"), URL: r.text("url"), Title: r.text("title"),
			Text: r.needText("text"), Rank: r.count("rank", 0)}
		object1 := r.need("object1")
		object2 := r.need("object2")
		for _, object := range [][2]string{{object1, string(Object1)}, {object2, string(Object2)}} {
			if SameName(s.Entity, object[0]) {
				s.Entity = object[1]
			}
		}
		if !slices.Contains([]string{string(Object1), string(Object2), EntityBoth}, s.Entity) {
			r.fail("entity is %q; it must be object1, object2 or both, or the name of an object", s.Entity)
		}
		if SameName(object1, object2) {
			r.fail("object1 and object2 are the same: %q", object1)
		}
		key := PairKey(object1, object2)
		i, known := index[key]
		if !known {
			i = len(sets)
			index[key] = i
			sets = append(sets, PairSources{Object1: object1, Object2: object2})
		}
		if !SameName(sets[i].Object1, object1) {
			s = s.swapped()
		}
		sets[i].Sources = append(sets[i].Sources, s)
		return s, []string{fmt.Sprintf("id %q of %s", s.ID, key)}
	})
	return sets, err
}

// SourcesAbout returns the sources about a question's objects. Their entities follow the question's order of objects.
func SourcesAbout(q Question, sets []PairSources) []Source {
	for _, set := range sets {
		if PairKey(set.Object1, set.Object2) != q.Pair() {
			continue
		}
		if SameName(set.Object1, q.Object1) {
			return set.Sources
		}
		return Each(set.Sources, Source.swapped)
	}
	return nil
}

// swapped returns the source with object1 and object2 exchanged in its entity.
func (s Source) swapped() Source {
	switch s.Entity {
	case string(Object1):
		s.Entity = string(Object2)
	case string(Object2):
		s.Entity = string(Object1)
	}
	return s
}

// table returns the contrastive table in a field, or nil if the field is empty.
func (r *row) table(name string) *ContrastTable {
	var t ContrastTable
	if !r.decode(name, &t, "an object {rows: [{attribute, kind, rank, object1, object2}]} is needed") {
		return nil
	}
	if wrong := t.wrong(); wrong != "" {
		r.fail("%s: %s", name, wrong)
	}
	return &t
}

// wrong describes the first error in a table of another program, or returns "".
func (t *ContrastTable) wrong() string {
	for i, row := range t.Rows {
		where := fmt.Sprintf("row %d: ", i+1)
		switch {
		case strings.TrimSpace(row.Attribute) == "":
			return where + "attribute is missing"
		case row.Kind != RowContrast && row.Kind != RowImportant:
			return where + fmt.Sprintf("kind is %q; it must be %s or %s", Clip(row.Kind), RowContrast, RowImportant)
		case row.Rank != i+1:
			return where + fmt.Sprintf("rank is %d; rows are in the order of their ranks, from 1", row.Rank)
		}
		for k, values := range row.Cells() {
			for j, v := range values {
				where := fmt.Sprintf("row %d, object%d, value %d: ", i+1, k+1, j+1)
				if strings.TrimSpace(v.Value) == "" {
					return where + "value is missing"
				}
				for _, e := range v.Evidence {
					if e.Source == "" || strings.TrimSpace(e.Quote) == "" || e.Start < 0 || e.End < e.Start {
						return where + "evidence needs source and quote, and start and end in order"
					}
				}
			}
		}
	}
	return ""
}
