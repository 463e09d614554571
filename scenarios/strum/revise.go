package strum

import (
	"context"
	"fmt"
	"slices"

	"compqa/data"
	"compqa/llm/structured"
)

// improveValues has the values of a tile criticised and revised, until a round finds no fault.
func (m *making) improveValues(ctx context.Context, stage string, object int, p prompt, list []extraction) ([]extraction, error) {
	for range m.o.Rounds {
		found := 0
		for _, c := range m.critiques[StageExtract] {
			if len(list) == 0 {
				return list, nil
			}
			p.Fault, p.Faults, p.Values = c.Fault, nil, nil
			for i, x := range list {
				p.Values = append(p.Values, shownValue{Number: i + 1, Attribute: x.attribute, Value: x.value})
			}
			stage := stage + ", critique " + c.Name
			if err := call(ctx, m.Live, m.ask, RoleExtract, stage, "critique-values", p, p.accept(len(list))); err != nil {
				return nil, err
			}
			if len(p.Faults) == 0 {
				continue
			}
			found += len(p.Faults)
			var kept []extraction
			for i, x := range list {
				if !p.faulty(i + 1) {
					kept = append(kept, x)
				}
			}
			revised := map[int]bool{}
			if c.Improve != "" {
				if err := call(ctx, m.Live, m.ask, RoleExtract, stage+", revision", "revise-values", p, func(statements []statement) error {
					for _, s := range statements {
						if !p.faulty(s.Number) {
							return fmt.Errorf("statement %d is not one of the faulty ones", s.Number)
						}
					}
					for _, s := range statements {
						if x, ok := m.checked(object, tile(p.Texts), s); ok {
							kept, revised[s.Number] = append(kept, x), true
						}
					}
					return nil
				}); err != nil {
					return nil, err
				}
			}
			for i, x := range list {
				if p.faulty(i+1) && !revised[i+1] {
					m.drop(StageExtract, c.reason(), x)
				}
			}
			list = kept
		}
		if found == 0 {
			break
		}
	}
	return list, nil
}

// accept takes the faults of a critique among n items.
func (p *prompt) accept(n int) func([]fault) error {
	return func(faults []fault) error {
		for _, f := range faults {
			if f.Number < 1 || f.Number > n {
				return fmt.Errorf("there is no number %d", f.Number)
			}
		}
		for i := range faults {
			faults[i].Reason = structured.OneLine(faults[i].Reason)
		}
		p.Faults = faults
		return nil
	}
}

func (p *prompt) faulty(number int) bool {
	return slices.ContainsFunc(p.Faults, func(f fault) bool { return f.Number == number })
}

// improveRows has the rows criticised and revised, until a round finds no fault.
func (m *making) improveRows(ctx context.Context, rows []*row) ([]*row, error) {
	for range m.o.Rounds {
		found := 0
		for _, c := range m.critiques[StageContrast] {
			var after []*row
			for some := range slices.Chunk(rows, mostShown) {
				improved, faults, err := m.improve(ctx, c, some)
				if err != nil {
					return nil, err
				}
				after, found = append(after, improved...), found+faults
			}
			rows = after
		}
		if found == 0 {
			break
		}
	}
	return rows, nil
}

// improve has some rows criticised by one critique. Rows that are written again are contrasted
// again.
func (m *making) improve(ctx context.Context, c critique, rows []*row) (improved []*row, faults int, err error) {
	p, from := m.show(rows)
	p.Fault = c.Fault
	stage := StageContrast + ", critique " + c.Name
	if err := call(ctx, m.Live, m.ask, RoleContrast, stage, "critique-rows", p, p.accept(len(rows))); err != nil {
		return nil, 0, err
	}
	if len(p.Faults) == 0 {
		return rows, 0, nil
	}
	var again []*row
	if c.Improve != "" {
		p.Fault = c.Improve
		if again, err = m.revise(ctx, stage+", revision", c, p, rows, from); err != nil {
			return nil, 0, err
		}
	}
	replaced := map[int]bool{}
	for i, r := range rows {
		if replaced[i+1] = p.faulty(i + 1); !replaced[i+1] {
			improved = append(improved, r)
		} else if c.Improve == "" {
			m.dropRow(StageContrast, c.reason(), r)
		}
	}
	if again, err = m.contrast(ctx, again); err != nil {
		return nil, 0, err
	}
	return append(improved, again...), len(p.Faults), nil
}

// A revised row is what a revision writes.
type revised struct {
	Replaces  []int          `json:"replaces"`
	Attribute string         `json:"attribute"`
	Object1   []revisedValue `json:"object1"`
	Object2   []revisedValue `json:"object2"`
}

// text is what must not repeat the prompt.
func (r revised) text() string { return r.Attribute }

type revisedValue struct {
	Value string `json:"value"`
	From  []int  `json:"from"`
}

// revise asks for rows in place of faulty ones. Each value has the evidence of those that it is
// taken from, which are values of the same object in the replaced rows; a faulty row's values
// that are in no new row are dropped.
func (m *making) revise(ctx context.Context, stage string, c critique, p prompt, rows []*row, from []data.ContrastValue) (list []*row,
	err error) {
	owner := make([][2]int, 0, len(from)) // row and object of each value
	for i, r := range rows {
		for k, values := range [2][]data.ContrastValue{r.Object1, r.Object2} {
			for range values {
				owner = append(owner, [2]int{i + 1, k})
			}
		}
	}
	used := map[int]bool{}
	err = call(ctx, m.Live, m.ask, RoleContrast, stage, "revise-rows", p, func(written []revised) error {
		list, used = nil, map[int]bool{}
		for _, w := range written {
			r := &row{ContrastRow: data.ContrastRow{Attribute: oneLine(w.Attribute), Kind: data.RowImportant}}
			if r.Attribute == "" {
				return fmt.Errorf("a row has no attribute")
			}
			for _, n := range w.Replaces {
				if !p.faulty(n) {
					return fmt.Errorf("row %d is not one of the faulty ones", n)
				}
				r.Members = append(r.Members, rows[n-1].Attribute)
			}
			cells := [2][]data.ContrastValue{}
			for k, values := range [2][]revisedValue{w.Object1, w.Object2} {
				cells[k] = []data.ContrastValue{}
				for _, v := range values {
					taken := data.ContrastValue{Value: oneLine(v.Value)}
					for _, n := range v.From {
						if n < 1 || n > len(from) || owner[n-1][1] != k || !p.faulty(owner[n-1][0]) {
							return fmt.Errorf("value %d is not one of this object in a faulty row", n)
						}
						used[n] = true
						taken = joined(taken, from[n-1])
					}
					if taken.Value == "" || len(taken.Evidence) == 0 {
						return fmt.Errorf("a value of row %q has no text, or is taken from none", r.Attribute)
					}
					cells[k] = append(cells[k], taken)
				}
			}
			if r.Object1, r.Object2 = cells[0], cells[1]; len(cells[0])+len(cells[1]) > 0 {
				list = append(list, r)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var left [2][]data.ContrastValue
	for n, v := range from {
		if p.faulty(owner[n][0]) && !used[n+1] {
			left[owner[n][1]] = append(left[owner[n][1]], v)
		}
	}
	m.dropValues(StageContrast, c.reason(), rows[p.Faults[0].Number-1].Attribute, left)
	return list, nil
}

// dropValues notes values that are left out, if there are any.
func (m *making) dropValues(stage, reason, attribute string, values [2][]data.ContrastValue) {
	if len(values[0])+len(values[1]) > 0 {
		m.dropped = append(m.dropped, droppedValues(stage, reason, attribute, values))
	}
}

// joined adds the evidence, supporters and conflicts of a value to another one.
func joined(v, from data.ContrastValue) data.ContrastValue {
	v.Evidence = append(slices.Clone(v.Evidence), from.Evidence...)
	union := func(a, b []string) []string {
		list := slices.Concat(a, b)
		slices.Sort(list)
		return slices.Compact(list)
	}
	v.Supporters, v.Conflicts = union(v.Supporters, from.Supporters), union(v.Conflicts, from.Conflicts)
	v.Conflicts = slices.DeleteFunc(v.Conflicts, func(id string) bool { return slices.Contains(v.Supporters, id) })
	return v
}
