package strum

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"compqa/data"
)

// A row is a row in the making.
type row struct {
	data.ContrastRow
	level int // of the contrast, 0 to 3
}

// row merges the values of an attribute, for each object by itself. Values that are like one
// another are joined before.
func (m *making) row(ctx context.Context, a *attribute) (*row, error) {
	r := &row{ContrastRow: data.ContrastRow{Attribute: a.name, Members: a.members(), Kind: data.RowImportant}}
	for object := range 2 {
		values, err := m.values(ctx, a.name, object, m.reader.mergeValues(a.of(object)))
		if err != nil {
			return nil, err
		}
		if object == 0 {
			r.Object1 = values
		} else {
			r.Object2 = values
		}
	}
	return r, nil
}

// values asks which values are the same, and which contradict one another. A value that more
// sources contradict than support is dropped.
func (m *making) values(ctx context.Context, attribute string, object int, clusters []*cluster) ([]data.ContrastValue, error) {
	values := []data.ContrastValue{}
	var minority, beyond [2][]data.ContrastValue
	for some := range slices.Chunk(clusters, mostShown) {
		groups := []grouping{{Center: 1, Members: []int{1}}}
		if len(some) > 1 {
			var p prompt
			p.Object, p.Other = m.objects(object)
			for i, c := range some {
				p.Values = append(p.Values, shownValue{Number: i + 1, Attribute: attribute, Value: c.extractions[0].value})
			}
			if err := call(ctx, m.Live, m.ask, RoleContrast, fmt.Sprintf("%s (%s of %s)", StageValues, attribute, p.Object), "values", p,
				func(list []grouping) error {
					groups = list
					return partition(list, len(some))
				}); err != nil {
				return nil, err
			}
		}
		for _, g := range groups {
			v := data.ContrastValue{Value: some[g.Center-1].extractions[0].value}
			supporters, conflicts := map[string]bool{}, map[string]bool{}
			for _, i := range slices.Sorted(slices.Values(g.Members)) {
				for _, x := range some[i-1].extractions {
					v.Evidence = append(v.Evidence, x.evidence)
					supporters[x.evidence.Source] = true
				}
			}
			for _, i := range g.Contradicting {
				for _, x := range some[i-1].extractions {
					if !supporters[x.evidence.Source] {
						conflicts[x.evidence.Source] = true
					}
				}
			}
			v.Supporters, v.Conflicts = slices.Sorted(maps.Keys(supporters)), slices.Sorted(maps.Keys(conflicts))
			if len(supporters) < len(conflicts) {
				minority[object] = append(minority[object], v)
				continue
			}
			values = append(values, v)
		}
	}
	slices.SortStableFunc(values, func(v, w data.ContrastValue) int { return cmp.Compare(len(w.Supporters), len(v.Supporters)) })
	if len(values) > mostValues {
		values, beyond[object] = values[:mostValues:mostValues], values[mostValues:]
	}
	m.dropValues(StageValues, Minority, attribute, minority)
	m.dropValues(StageValues, BeyondBest, attribute, beyond)
	return values, nil
}

// show shows rows in a prompt. The numbers of values go on from row to row; from gives the
// value of each.
func (m *making) show(rows []*row) (p prompt, from []data.ContrastValue) {
	p.Object, p.Other = m.q.Object1, m.q.Object2
	for i, r := range rows {
		shown := shownRow{Number: i + 1, Attribute: r.Attribute}
		for k, values := range [2][]data.ContrastValue{r.Object1, r.Object2} {
			shown.Cells[k].Object, _ = m.objects(k)
			for _, v := range values {
				from = append(from, v)
				support := data.Plural(len(v.Supporters), "source", "sources")
				if n := len(v.Conflicts); n > 0 {
					support += fmt.Sprintf(", %d against it", n)
				}
				shown.Cells[k].Values = append(shown.Cells[k].Values, shownValue{Number: len(from), Value: v.Value, Support: support})
			}
		}
		p.Rows = append(p.Rows, shown)
	}
	return p, from
}

// A judged is what a reply says about a row.
type judged struct {
	Row    int    `json:"row"`
	Kind   string `json:"kind"`
	Level  int    `json:"level"`
	Useful bool   `json:"useful"`
}

// judgeRows asks about rows by a template, and calls each with what is said of every row.
func (m *making) judgeRows(ctx context.Context, stage, name string, rows []*row, each func(*row, judged)) error {
	for some := range slices.Chunk(rows, mostShown) {
		p, _ := m.show(some)
		if err := call(ctx, m.Live, m.ask, RoleContrast, stage, name, p, func(list []judged) error {
			seen := map[int]judged{}
			for _, j := range list {
				if _, twice := seen[j.Row]; twice || j.Row < 1 || j.Row > len(some) {
					return fmt.Errorf("row %d is there twice, or not among the rows", j.Row)
				}
				if name == "contrast" && (!slices.Contains(rowKinds, j.Kind) || j.Level < 0 || j.Level > 3) {
					return fmt.Errorf("row %d has the kind %q and the level %d", j.Row, j.Kind, j.Level)
				}
				seen[j.Row] = j
			}
			if len(seen) < len(some) {
				return fmt.Errorf("only %d of %d rows are there", len(seen), len(some))
			}
			for i, r := range some {
				each(r, seen[i+1])
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

const neither = "neither"

// contrast asks which rows contrast, and drops those that neither contrast nor are important.
// A row with one empty cell cannot contrast.
func (m *making) contrast(ctx context.Context, rows []*row) (kept []*row, err error) {
	err = m.judgeRows(ctx, StageContrast, "contrast", rows, func(r *row, j judged) {
		r.Kind, r.level = j.Kind, j.Level
		if r.Kind == data.RowContrast && (len(r.Object1) == 0 || len(r.Object2) == 0) {
			r.Kind, r.level = data.RowImportant, 0
		}
		if r.Kind == neither {
			m.dropRow(StageContrast, "no contrast, not important", r)
			return
		}
		kept = append(kept, r)
	})
	return kept, err
}

// useful asks which rows help to choose, and drops the others.
func (m *making) useful(ctx context.Context, rows []*row) (kept []*row, err error) {
	err = m.judgeRows(ctx, StageUsefulness, "useful", rows, func(r *row, j judged) {
		if j.Useful {
			kept = append(kept, r)
		} else {
			m.dropRow(StageUsefulness, "not useful", r)
		}
	})
	return kept, err
}

func (m *making) dropRow(stage, reason string, r *row) {
	dropped := r.ContrastRow
	if dropped.Kind == neither {
		dropped.Kind = data.RowImportant
	}
	m.dropped = append(m.dropped, data.DroppedRow{Stage: stage, Reason: reason, Row: dropped})
}

// rank sorts rows by contrast, number of sources, best rank of a source, and first occurrence.
func (m *making) rank(rows []*row) {
	place, rank := map[string]int{}, map[string]int{}
	for i, s := range m.sources {
		place[s.ID], rank[s.ID] = i, s.Rank
		if s.Rank == 0 {
			rank[s.ID] = math.MaxInt32
		}
	}
	key := func(r *row) (sources, best, first int) {
		behind := map[string]bool{}
		best, first = math.MaxInt32, len(m.sources)
		for _, v := range slices.Concat(r.Object1, r.Object2) {
			for _, e := range v.Evidence {
				behind[e.Source] = true
				best, first = min(best, rank[e.Source]), min(first, place[e.Source])
			}
		}
		return len(behind), best, first
	}
	slices.SortStableFunc(rows, func(a, b *row) int {
		sourcesA, bestA, firstA := key(a)
		sourcesB, bestB, firstB := key(b)
		return cmp.Or(-compareBools(a.Kind == data.RowContrast, b.Kind == data.RowContrast), cmp.Compare(b.level, a.level),
			cmp.Compare(sourcesB, sourcesA), cmp.Compare(bestA, bestB), cmp.Compare(firstA, firstB))
	})
}
