package text

import (
	"cmp"

	"compqa/judges/text/lexical"
)

// favour finds the object that a sentence favours: above 0 the first, below 0 the second,
// 0 neither. Each object has a side that is praised or faulted (see [lexical.Praise]); words
// belong to the object that the sentence, or its block's name, is about.
//
// Irony, praise in words that the lexicon lacks, and comparisons that take a
// word's opposite meaning (a higher price) are not recognised.
func (a *Analysis) favour(s sentence) int {
	first, second := lexical.Read(a.names, s.text, a.parts[s.block].about).Sides(lexical.Praise)
	return cmp.Compare(first, 0) - cmp.Compare(second, 0)
}

// sides counts the sentences that favour an object, among those that cite an argument and
// those that are tagged as made up. A sentence that does both counts as citing. The
// favoured object is read from a list of words (see favour), so most sentences count for
// neither.
func (f *Features) sides(a *Analysis) {
	for _, s := range a.sentences {
		if s.role == sourcesRole || s.role == choiceRole {
			continue
		}
		var c lexical.Citations
		c.Add(s.text)
		if len(c.Numbers) == 0 && c.Generated == 0 {
			continue
		}
		first, second := &f.CitedFirst, &f.CitedSecond
		if len(c.Numbers) == 0 {
			first, second = &f.GeneratedFirst, &f.GeneratedSecond
		}
		switch vote := a.favour(s); {
		case vote > 0:
			*first++
		case vote < 0:
			*second++
		}
	}
}
