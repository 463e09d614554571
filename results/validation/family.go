package validation

import (
	"slices"
	"strings"
	"unicode"

	"compqa/results/validation/scales"
	"compqa/stats"
)

// familyOf is the family of a model: as a run declares it, or by a word of its name; "": unknown.
func (s *Study) familyOf(name string) string {
	if family := s.families[name]; family != "" {
		return family
	}
	for _, word := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for family, names := range scales.Families() {
			if slices.Contains(names, word) || slices.Contains(names, strings.TrimRightFunc(word, unicode.IsDigit)) {
				return family
			}
		}
	}
	return ""
}

// FamilyBias is how much more a judge gives to systems of its own family than people do, relative to
// the other systems: the difference of the means of judge minus people, clustered. It needs a family of
// the judge, and items of systems within and outside of it.
func (s *Study) FamilyBias(p *Pairing) (family string, e stats.Estimate, ok bool) {
	family = s.familyOf(p.Judge.By)
	if family == "" || !p.SameScale || p.PeopleScale.Kind == scales.Nominal {
		return family, e, false
	}
	own := map[string]bool{}
	for _, u := range s.Units {
		if _, known := own[u.System]; !known {
			own[u.System] = s.familyOf(u.System) == family
		}
	}
	var gaps []float64
	var inside []bool
	var clusters []int
	for i, u := range s.Units {
		if u.System != "" && !p.judge.Missing[i] && !p.mean.Missing[i] {
			gaps, inside = append(gaps, p.judge.Values[i]-p.mean.Values[i]), append(inside, own[u.System])
			clusters = append(clusters, u.Cluster)
		}
	}
	e, ok = contrast(gaps, inside, clusters)
	return family, e, ok && e.SetBounds() == nil
}
