package project

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/stats/agreement"
)

const (
	othersPrefix = "others-" // begins the id of a field of type Several; that of the field with the first choice follows
	between      = "|"       // stands between the options of a set
)

// SeveralRight reports whether people may say that other options of a field are right next to the one that they choose.
func (set *Settings) SeveralRight(f Field) bool {
	return f.Type == Buttons && f.Criterion != "" && (slices.Contains(set.Several, f.Criterion) || slices.Contains(set.Several, f.ID))
}

// CheckSeveral refuses names of criteria of which people choose no option.
func (p *Project) CheckSeveral(items []Item) error {
	used := map[string]bool{}
	var criteria []string
	for _, it := range items {
		for _, f := range p.Fields(it) {
			if f.Type == Buttons && f.Criterion != "" {
				criteria = append(criteria, f.Criterion)
				used[f.Criterion] = true
				used[f.ID] = true
			}
		}
	}
	for _, name := range p.Several {
		if !used[name] {
			return fmt.Errorf("there is no choice %q; people choose an option of %s", name, data.Some(data.Set(criteria)))
		}
	}
	return nil
}

// withOthers adds to each field that may have several right answers the field with the others.
func (p *Project) withOthers(fields []Field) (all []Field) {
	for _, f := range fields {
		all = append(all, f)
		if p.SeveralRight(f) {
			others := f
			others.ID = othersPrefix + f.ID
			others.Beside = f.ID
			others.Type = Several
			others.Criterion = ""
			others.Name = p.Say("others_right")
			others.Text = ""
			all = append(all, others)
		}
	}
	return all
}

// OptionsOf returns the options of a value, of which a field of type Several may have more than one.
func (f Field) OptionsOf(value string) []string {
	if f.Type != Several || value == "" {
		return []string{value}
	}
	return strings.Split(value, between)
}

// InWords returns a value in the words of its options.
func (f Field) InWords(value string) string {
	return strings.Join(data.Each(f.OptionsOf(value), func(value string) string {
		o, _ := f.Option(value)
		return o.Label
	}), ", ")
}

// settled returns the options of a field of type Several in their order, each once and without the first choice. A value that is not an
// option stays, and is refused.
func (f Field) settled(value, first string) string {
	options := data.Where(data.Set(f.OptionsOf(value)), func(option string) bool { return option != "" && option != first })
	slices.SortStableFunc(options, func(a, b string) int {
		_, i := f.Option(a)
		_, j := f.Option(b)
		return i - j
	})
	return strings.Join(options, between)
}

// turned returns the options of a set with the sides of a pair turned.
func turned(value string) string {
	other := map[string]string{First: Second, Second: First}
	options := strings.Split(value, between)
	for i, option := range options {
		if swapped, is := other[option]; is {
			options[i] = swapped
		}
	}
	return strings.Join(options, between)
}

// accepted returns the set of options that a sheet says are right, and how it is written: the first choice, then the others.
func (f Field) accepted(first, others string, written func(option string) string) (set agreement.Set, text string) {
	options := []string{first}
	if others != "" {
		options = append(options, strings.Split(others, between)...)
	}
	for _, option := range options {
		if _, index := f.Option(option); index >= 0 {
			set |= 1 << index
		}
	}
	return set, strings.Join(data.Each(options, written), between)
}
