package strum

import (
	"context"
	"fmt"
	"slices"

	"compqa/data"
	"compqa/llm/structured"
)

// rounds makes all critiques of a stage, again and again until a round finds no fault or Rounds is reached. improve makes one critique and
// returns the number of faults.
func (m *tableBuild) rounds(stage string, improve func(critique) (faults int, err error)) error {
	for range m.o.Rounds {
		found := 0
		for _, c := range m.critiques[stage] {
			faults, err := improve(c)
			if err != nil {
				return err
			}
			found += faults
		}
		if found == 0 {
			break
		}
	}
	return nil
}

// improveValues has the values of a tile criticised, and faulty values deleted or revised.
func (m *tableBuild) improveValues(ctx context.Context, stage string, object int, p prompt, list []extraction) ([]extraction, error) {
	err := m.rounds(StageExtract, func(c critique) (int, error) {
		if len(list) == 0 {
			return 0, nil
		}
		p.Fault = c.Fault
		p.Faults = nil
		p.Values = nil
		for i, x := range list {
			p.Values = append(p.Values, shownValue{Number: i + 1, Attribute: x.attribute, Value: x.value})
		}
		stage := stage + ", critique " + c.Name
		if err := call(ctx, m, stage, "critique-values", p, p.accept(len(list))); err != nil || len(p.Faults) == 0 {
			return 0, err
		}
		var kept []extraction
		for i, x := range list {
			if !p.faulty(i + 1) {
				kept = append(kept, x)
			}
		}
		revised := map[int]bool{}
		if c.Improve != "" {
			if err := call(ctx, m, stage+", revision", "revise-values", p, func(statements []statement) error {
				for _, s := range statements {
					if !p.faulty(s.Number) {
						return fmt.Errorf("statement %d is not one of the faulty ones", s.Number)
					}
				}
				for _, s := range statements {
					if x, ok := m.checked(object, p.Texts, s); ok {
						kept = append(kept, x)
						revised[s.Number] = true
					}
				}
				return nil
			}); err != nil {
				return 0, err
			}
		}
		for i, x := range list {
			if p.faulty(i+1) && !revised[i+1] {
				m.dropped.extraction(c.reason(), x)
			}
		}
		list = kept
		return len(p.Faults), nil
	})
	return list, err
}

// accept returns a function that checks and stores the faults that a critique finds among n items.
func (p *prompt) accept(n int) func([]fault) error {
	return func(faults []fault) error {
		for i, f := range faults {
			if f.Number < 1 || f.Number > n {
				return fmt.Errorf("there is no number %d", f.Number)
			}
			faults[i].Reason = structured.OneLine(f.Reason)
		}
		p.Faults = faults
		return nil
	}
}

// faulty reports whether the critique found a fault in the item with this number.
func (p *prompt) faulty(number int) bool {
	return slices.ContainsFunc(p.Faults, func(f fault) bool { return f.Number == number })
}

// improveRows has the rows criticised, and faulty rows deleted or revised. Revised rows go through the stage of contrast again.
func (m *tableBuild) improveRows(ctx context.Context, rows []*row) ([]*row, error) {
	err := m.rounds(StageContrast, func(c critique) (found int, err error) {
		var after []*row
		for some := range slices.Chunk(rows, mostShown) {
			p, from := m.rowsPrompt(some)
			p.Fault = c.Fault
			stage := StageContrast + ", critique " + c.Name
			if err := call(ctx, m, stage, "critique-rows", p, p.accept(len(some))); err != nil {
				return 0, err
			}
			for i, r := range some {
				if !p.faulty(i + 1) {
					after = append(after, r)
				} else if c.Improve == "" {
					m.dropped.row(StageContrast, c.reason(), r.ContrastRow)
				}
			}
			found += len(p.Faults)
			if c.Improve == "" || len(p.Faults) == 0 {
				continue
			}
			p.Fault = c.Improve
			again, err := m.revise(ctx, stage+", revision", c, p, some, from)
			if err == nil {
				again, err = m.contrast(ctx, again)
			}
			if err != nil {
				return 0, err
			}
			after = append(after, again...)
		}
		rows = after
		return found, nil
	})
	return rows, err
}

// A revised is the JSON form of a row in a revision.
type revised struct {
	Replaces  []int          `json:"replaces"`
	Attribute string         `json:"attribute"`
	Object1   []revisedValue `json:"object1"`
	Object2   []revisedValue `json:"object2"`
}

// text returns the text that must not repeat the prompt.
func (r revised) text() string { return r.Attribute }

// A revisedValue is a value in a revised row, with the numbers of the values that it is made from.
type revisedValue struct {
	Value string `json:"value"`
	From  []int  `json:"from"`
}

// revise asks for rows in place of the faulty ones. A revised value names the values that it is taken from, of the same object in a faulty
// row, and gets their evidence. Values of faulty rows that no revised row uses are dropped.
func (m *tableBuild) revise(ctx context.Context, stage string, c critique, p prompt, rows []*row, from []placedValue) (list []*row,
	err error) {
	used := map[int]bool{}
	err = call(ctx, m, stage, "revise-rows", p, func(written []revised) error {
		list = nil
		used = map[int]bool{}
		for _, w := range written {
			attribute := structured.OneLine(w.Attribute)
			if attribute == "" {
				return fmt.Errorf("a row has no attribute")
			}
			var members []string
			for _, n := range w.Replaces {
				if !p.faulty(n) {
					return fmt.Errorf("row %d is not one of the faulty ones", n)
				}
				members = append(members, rows[n-1].Attribute)
			}
			cells := [2][]data.ContrastValue{{}, {}}
			for k, values := range [2][]revisedValue{w.Object1, w.Object2} {
				for _, v := range values {
					taken := data.ContrastValue{Value: structured.OneLine(v.Value)}
					for _, n := range v.From {
						if n < 1 || n > len(from) || from[n-1].object != k || !p.faulty(from[n-1].row) {
							return fmt.Errorf("value %d is not one of this object in a faulty row", n)
						}
						used[n] = true
						placed := from[n-1]
						taken.Evidence = append(taken.Evidence, placed.Evidence...)
						taken.Supporters = append(taken.Supporters, placed.Supporters...)
						taken.Conflicts = append(taken.Conflicts, placed.Conflicts...)
					}
					if taken.Value == "" || len(taken.Evidence) == 0 {
						return fmt.Errorf("a value of row %q has no text, or is taken from none", attribute)
					}
					taken = m.onlyIn(taken)
					if len(taken.Evidence) == 0 {
						return fmt.Errorf("the value %q of row %q has a number or a negation that its sources do not have", taken.Value, attribute)
					}
					cells[k] = append(cells[k], withoutDuplicates(taken))
				}
			}
			if len(cells[0])+len(cells[1]) > 0 {
				list = append(list, rowOf(attribute, members, cells))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var left [2][]data.ContrastValue
	for n, v := range from {
		if p.faulty(v.row) && !used[n+1] {
			left[v.object] = append(left[v.object], v.ContrastValue)
		}
	}
	m.dropped.values(StageContrast, c.reason(), rows[p.Faults[0].Number-1].Attribute, left)
	return list, nil
}

// onlyIn keeps the evidence that has the numbers and negations of the value. The sources of other evidence become Conflicts.
func (m *tableBuild) onlyIn(v data.ContrastValue) data.ContrastValue {
	claim := m.claimOf(v.Value)
	var kept []data.Evidence
	for _, e := range v.Evidence {
		if claim.isIn(m.claimOf(e.Quote)) {
			kept = append(kept, e)
		} else {
			v.Conflicts = append(v.Conflicts, e.Source)
		}
	}
	v.Supporters = slices.DeleteFunc(v.Supporters, func(id string) bool {
		return slices.Contains(v.Conflicts, id) && !slices.ContainsFunc(kept, func(e data.Evidence) bool { return e.Source == id })
	})
	v.Evidence = kept
	return v
}
