package strum

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"compqa/data"
	"compqa/judges/text/lexical"
)

// The largest number of items in one prompt. More are asked for in several calls.
const (
	mostNames = 200
	mostShown = 40 // values or rows
)

// A tile is a part of the sources about an object, in whole sentences.
type tile []shownText

// tiles divides the sources about an object.
func (s *Live) tiles(sources []data.Source, object int) (list []tile) {
	other := [2]data.Favours{data.Object2, data.Object1}[object]
	size := 0
	for i, source := range sources {
		if source.Entity == string(other) {
			continue
		}
		for _, at := range lexical.Sentences(source.Text) {
			text := at.Of(source.Text)
			if len(list) == 0 || size+len(text) > s.o.TileBytes {
				list, size = append(list, nil), 0
			}
			size += len(text)
			last := &list[len(list)-1]
			if n := len(*last); n > 0 && (*last)[n-1].Number == i+1 {
				(*last)[n-1].Text += text
			} else {
				*last = append(*last, shownText{i + 1, text})
			}
		}
	}
	return list
}

// A making is one table in the making.
type making struct {
	*Live
	*reader
	sources []data.Source
	ask     Ask
	dropped []data.DroppedRow

	progress func(done, tiles int) // is called after each tile
}

// Table makes the table of a question's objects from sources. The calls are made one after the
// other; progress is called after each tile. An error is a *Stopped: a table is whole, or there is none.
func (s *Live) Table(ctx context.Context, q data.Question, sources []data.Source, progress func(done, tiles int),
	ask Ask) (data.ContrastTable, error) {
	m := &making{Live: s, reader: readerOf(q, sources), sources: sources, ask: ask, progress: progress}
	rows, err := m.rows(ctx)
	if err != nil {
		return data.ContrastTable{}, err
	}
	t := data.ContrastTable{Rows: []data.ContrastRow{}, Dropped: m.dropped}
	for i, r := range rows {
		r.Rank = i + 1
		t.Rows = append(t.Rows, r.ContrastRow)
	}
	return t, nil
}

func (m *making) rows(ctx context.Context) ([]*row, error) {
	extractions, err := m.extract(ctx)
	if err != nil {
		return nil, err
	}
	attributes, err := m.mergeAttributes(ctx, mergeAttributes(extractions))
	if err != nil {
		return nil, err
	}
	var rows []*row
	for _, a := range attributes {
		r, err := m.row(ctx, a)
		if err != nil {
			return nil, err
		}
		if len(r.Object1)+len(r.Object2) > 0 {
			rows = append(rows, r)
		}
	}
	if rows, err = m.contrast(ctx, rows); err == nil {
		rows, err = m.improveRows(ctx, rows)
	}
	if err == nil {
		rows, err = m.useful(ctx, rows)
	}
	m.rank(rows)
	for _, r := range rows[min(len(rows), mostRows):] {
		m.dropRow(StageContrast, BeyondBest, r)
	}
	return rows[:min(len(rows), mostRows)], err
}

// objects are the names of an object and of the other one.
func (m *making) objects(object int) (name, other string) {
	if object == 1 {
		return m.q.Object2, m.q.Object1
	}
	return m.q.Object1, m.q.Object2
}

// A statement is a value as a reply gives it.
type statement struct {
	Number    int    `json:"number"` // that it replaces
	Attribute string `json:"attribute"`
	Value     string `json:"value"`
	Quote     string `json:"quote"`
	Source    int    `json:"source"`
}

// extract asks for the values of both objects, tile by tile, and has them criticised.
func (m *making) extract(ctx context.Context) (list []extraction, err error) {
	parts := [2][]tile{m.tiles(m.sources, 0), m.tiles(m.sources, 1)}
	done := 0
	for object, tiles := range parts {
		for i, texts := range tiles {
			p := prompt{Texts: texts}
			p.Object, p.Other = m.objects(object)
			stage := fmt.Sprintf("%s (%s, part %d of %d)", StageExtract, p.Object, i+1, len(tiles))
			var found []extraction
			if err := call(ctx, m.Live, m.ask, RoleExtract, stage, "extract", p, func(statements []statement) error {
				for _, s := range statements {
					if x, ok := m.checked(object, texts, s); ok {
						found = append(found, x)
					}
				}
				return nil
			}); err != nil {
				return nil, err
			}
			if found, err = m.improveValues(ctx, stage, object, p, found); err != nil {
				return nil, err
			}
			list = append(list, found...)
			done++
			m.progress(done, len(parts[0])+len(parts[1]))
		}
	}
	return list, nil
}

// checked is a statement whose quote is in its source. Any other is dropped.
func (m *making) checked(object int, texts tile, s statement) (extraction, bool) {
	x := extraction{object: object, attribute: oneLine(s.Attribute), value: oneLine(s.Value), order: s.Source - 1}
	shown := slices.ContainsFunc(texts, func(t shownText) bool { return t.Number == s.Source })
	found := false
	if shown && x.attribute != "" && x.value != "" {
		source := m.sources[s.Source-1]
		if x.rank = source.Rank; x.rank == 0 {
			x.rank = math.MaxInt32
		}
		x.evidence, found = Find(source, s.Quote)
	}
	if !found {
		e := data.Evidence{Quote: s.Quote}
		if shown {
			e.Source = m.sources[s.Source-1].ID
		}
		m.drop(StageExtract, Unattributed, extraction{object: object, attribute: x.attribute, value: x.value, evidence: e})
	}
	return x, found
}

// drop notes extractions that are left out.
func (m *making) drop(stage, reason string, x extraction) {
	m.dropped = append(m.dropped, x.dropped(stage, reason))
}

// A grouping is a group of a partition.
type grouping struct {
	Center        int   `json:"center"`
	Members       []int `json:"members"`
	Contradicting []int `json:"contradicted_by"`
}

// partition checks that each number from 1 to n is in one group, with the group's center.
func partition(groups []grouping, n int) error {
	seen := map[int]bool{}
	for _, g := range groups {
		if !slices.Contains(g.Members, g.Center) {
			return fmt.Errorf("the center %d is no member of its group", g.Center)
		}
		for _, i := range g.Members {
			if i < 1 || i > n {
				return fmt.Errorf("there is no number %d", i)
			}
			if seen[i] {
				return fmt.Errorf("the number %d is in two groups", i)
			}
			seen[i] = true
		}
		for _, i := range g.Contradicting {
			if i < 1 || i > n || slices.Contains(g.Members, i) {
				return fmt.Errorf("contradicted_by names %d, which is no number of another group", i)
			}
		}
	}
	if len(seen) < n {
		return errors.New("some numbers are in no group")
	}
	return nil
}

// mergeAttributes asks which attributes are the same. Names with the same words are joined
// before.
func (m *making) mergeAttributes(ctx context.Context, attributes []*attribute) (merged []*attribute, err error) {
	for some := range slices.Chunk(attributes, mostNames) {
		if len(some) == 1 {
			merged = append(merged, some...)
			continue
		}
		p := prompt{Object: m.q.Object1, Other: m.q.Object2}
		for i, a := range some {
			p.Values = append(p.Values, shownValue{Number: i + 1, Attribute: a.name})
		}
		if err := call(ctx, m.Live, m.ask, RoleContrast, "merge attributes", "attributes", p, func(groups []grouping) error {
			if err := partition(groups, len(some)); err != nil {
				return err
			}
			for _, g := range groups {
				a := &attribute{name: some[g.Center-1].name}
				for _, i := range slices.Sorted(slices.Values(g.Members)) {
					a.extractions = append(a.extractions, some[i-1].extractions...)
				}
				merged = append(merged, a)
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return merged, nil
}
