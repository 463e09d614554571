package sources

import "slices"

// SameCriterion reports whether the name of a judge's criterion, for instance rubric.correct, and
// that of people are of the same criterion: equal, or equal in the last part.
func SameCriterion(judge, people string) bool {
	return slices.Contains(CriterionKeys(judge), FoldedName(people))
}

// CriterionKeys returns the folded names that people may have for a judge's criterion: its own, and the last part of it.
func CriterionKeys(judge string) []string {
	return []string{plainCriterion(judge), plainCriterion(lastPart(judge))}
}

// FoldedName returns the name of a criterion as criteria are compared: without its scale, as in "Quality (1-5)".
func FoldedName(name string) string { return plainCriterion(name) }

// named reports whether the other side has a criterion of this name; see SameCriterion.
func (o Options) named(path string) bool {
	if o.folded == nil {
		o = o.folding()
	}
	return o.folded[plainCriterion(path)] || o.folded[plainCriterion(lastPart(path))]
}

// folding returns options with the folded names of the other side's criteria, so that each is folded once.
func (o Options) folding() Options {
	o.folded = map[string]bool{}
	for _, name := range o.Names {
		o.folded[plainCriterion(name)], o.folded[plainCriterion(lastPart(name))] = true, true
	}
	return o
}
