package sources

import "slices"

// SameCriterion reports whether a judge's criterion and people's criterion are the same: the folded names are equal, or people's name
// equals the last part of the judge's, as correct of rubric.correct.
func SameCriterion(judge, people string) bool {
	return slices.Contains(CriterionKeys(judge), FoldedName(people))
}

// CriterionKeys returns the folded names under which people may have a judge's criterion: the whole name and its last part.
func CriterionKeys(judge string) []string {
	return []string{plainCriterion(judge), plainCriterion(lastPart(judge))}
}

// FoldedName returns the name of a criterion as names are compared: without the scale, as quality for "Quality (1-5)".
func FoldedName(name string) string { return plainCriterion(name) }

// named reports whether the other side has a criterion with this name or its last part; see SameCriterion.
func (o Options) named(path string) bool {
	if o.folded == nil {
		o = o.folding()
	}
	return o.folded[plainCriterion(path)] || o.folded[plainCriterion(lastPart(path))]
}

// folding returns a copy of the options in which the names of the other side's criteria are folded once.
func (o Options) folding() Options {
	o.folded = map[string]bool{}
	for _, name := range o.Names {
		o.folded[plainCriterion(name)], o.folded[plainCriterion(lastPart(name))] = true, true
	}
	return o
}
