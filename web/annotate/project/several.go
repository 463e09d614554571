package project

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/stats/agreement"
)

const (
	othersPrefix = "others-" // prefix of the id of a Several field, before the id of the field with the first choice
	setSeparator = "|"       // separates the options of a set
)

// SeveralRight reports whether people may mark further options of a field as right, besides the one that they choose.
func (set *Settings) SeveralRight(f Field) bool {
	return f.Type == Buttons && f.Criterion != "" && (slices.Contains(set.Several, f.Criterion) || slices.Contains(set.Several, f.ID))
}

// CheckSeveral returns an error if Settings.Several names a criterion that is not a choice between options.
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

// withOthers adds, after each field for which several options may be right, a field of type Several for the other right options.
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

// OptionsOf splits a value into its options. Only a field of type Several can have more than one.
func (f Field) OptionsOf(value string) []string {
	if f.Type != Several || value == "" {
		return []string{value}
	}
	return strings.Split(value, setSeparator)
}

// InWords returns the labels of a value's options.
func (f Field) InWords(value string) string {
	return strings.Join(data.Each(f.OptionsOf(value), func(value string) string {
		o, _ := f.Option(value)
		return o.Label
	}), ", ")
}

// normalizeSet normalizes the value of a Several field: options in the order of the field, each once, and without the first choice. It
// keeps a value that is not an option, which check then refuses.
func (f Field) normalizeSet(value, first string) string {
	options := data.Where(data.Set(f.OptionsOf(value)), func(option string) bool { return option != "" && option != first })
	slices.SortStableFunc(options, func(a, b string) int {
		_, i := f.Option(a)
		_, j := f.Option(b)
		return i - j
	})
	return strings.Join(options, setSeparator)
}

// turned swaps the two sides of a pair in a set of options.
func turned(value string) string {
	other := map[string]string{First: Second, Second: First}
	options := strings.Split(value, setSeparator)
	for i, option := range options {
		if swapped, is := other[option]; is {
			options[i] = swapped
		}
	}
	return strings.Join(options, setSeparator)
}

// accepted returns the set of options that a sheet says are right, and its text: the first choice and then the others. written turns an
// option into text.
func (f Field) accepted(first, others string, written func(option string) string) (set agreement.Set, text string) {
	options := []string{first}
	if others != "" {
		options = append(options, strings.Split(others, setSeparator)...)
	}
	for _, option := range options {
		if _, index := f.Option(option); index >= 0 {
			set |= 1 << index
		}
	}
	return set, strings.Join(data.Each(options, written), setSeparator)
}
