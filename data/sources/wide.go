package sources

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
)

// rangeInName matches the scale at the end of a criterion's name, as in "helpful (1-5)".
var rangeInName = regexp.MustCompile(`\(?\s*\d+\s*(-|–|\.\.|to)\s*\d+\s*\)?\W*$`)

// labelsInName matches the labels at the end of a criterion's name, as in "correct (yes/no)".
var labelsInName = regexp.MustCompile(`\s*[(\[][^()\[\]/|]+([/|]|\bor\b)[^()\[\]]+[)\]]\W*$`)

// plainCriterion returns the name of a criterion for comparison, without its scale: "Quality (1-5)" becomes quality, "correct (yes/no)"
// correct.
func plainCriterion(name string) string {
	for _, scale := range []*regexp.Regexp{labelsInName, rangeInName} {
		plain := scale.ReplaceAllString(name, "")
		if strings.TrimSpace(plain) != "" {
			name = plain
		}
	}
	return folded(name)
}

// A cut splits the name of a column into two parts at a separator. If the name has no separator, both parts are "".
type cut struct {
	sep   string
	parts func(name string) (first, second string)
}

var bracketed = regexp.MustCompile(`^(.+?)\s*\(([^()]+)\)$`)

// cuts are all cuts that are tried: "criterion (rater)", and each separator at its last and its first occurrence.
var cuts = func() (all []cut) {
	all = append(all, cut{"( )", func(name string) (string, string) { // "correct (Anna)"; "correct (0-2)" has a scale
		m := bracketed.FindStringSubmatch(name)
		if m == nil || scaled("("+m[2]+")") {
			return "", ""
		}
		return m[1], m[2]
	}})
	for _, sep := range []string{" | ", " – ", " - ", "__", "_", "/", ":", "|", ".", "-", " "} {
		part := func(index int, name string) (string, string) {
			if index < 0 || strings.Contains(name, "@") {
				return "", ""
			}
			return strings.TrimSpace(name[:index]), strings.TrimSpace(name[index+len(sep):])
		}
		all = append(all,
			cut{sep, func(name string) (string, string) { return part(strings.LastIndex(name, sep), name) }},
			cut{sep, func(name string) (string, string) { return part(strings.Index(name, sep), name) }})
	}
	return all
}()

// isRater reports whether a name has the form of a rater's: "Rater 1", r1, A, or an e-mail address.
func isRater(name string) bool {
	if strings.Contains(name, "@") || oneSign.MatchString(name) {
		return true
	}
	m := numbered.FindStringSubmatch(folded(name))
	return m != nil && (m[1] == "r" || slices.ContainsFunc(slices.Concat(names().Roles["by"], names().Sides[sidePeople]),
		func(word string) bool { return folded(word) == m[1] }))
}

var (
	oneSign  = regexp.MustCompile(`^([A-Z]|[0-9])$`)
	numbered = regexp.MustCompile(`^(.+?)(?:[0-9]+|[a-z])$`)
)

// The evidence for a cut is a sum of points. With at least certainCut, the roles count as declared; with less than leastCut, the cut is not
// used.
const (
	certainCut = 7
	leastCut   = 1
)

// A parted is a way to read the names of columns as criterion and rater, with the evidence for it.
type parted struct {
	evidence float64
	cut      cut
	second   bool // the criterion is the second part of a name, else the first
}

// parts returns the criterion and the rater in a name, or "" for both if the cut does not split the name. A word for judges or people is
// the rater in either place, as in judge_correct beside correct_anna.
func (p *parted) parts(name string) (criterion, rater string) {
	first, second := p.cut.parts(name)
	if first == "" || second == "" {
		return "", ""
	}
	if p.second || isSideWord(first) && !isSideWord(second) {
		return second, first
	}
	return first, second
}

func isSideWord(name string) bool {
	return slices.Contains(names().Sides[sidePeople], folded(name)) || slices.Contains(names().Sides[sideJudge], folded(name))
}

// wide assigns columns of values whose names contain a criterion, a rater, or both. In order it tries: all names are criteria of the other
// side; a cut splits the names; all names are raters; columns on one scale are raters of one criterion; each column is a criterion.
func (r *readingOf) wide(free []*Column) {
	if len(free) == 0 {
		return
	}
	known := func(name string) bool { return r.o.named(name) || r.o.folded[plainCriterion(name)] }
	whole := len(data.Set(data.Each(free, func(c *Column) string { return lastPart(c.Path) }))) == len(free)
	if whole && !slices.ContainsFunc(free, func(c *Column) bool { return !known(c.Path) }) {
		for _, c := range free {
			r.value(c, c.Path, "", bothName, false)
		}
		return
	}
	if best := r.bestCut(free); best != nil {
		others := r.besideCut(best, free)
		for _, c := range free {
			if criterion, rater := best.parts(r.name(c)); criterion != "" {
				r.value(c, criterion, rater, fmt.Sprintf("its name is a criterion and a rater, with %q between them", best.cut.sep),
					best.evidence < certainCut)
			} else if others != "" {
				r.value(c, others, r.name(c), "a rater, whose name others begin or end with", true)
			} else {
				r.value(c, c.Path, "", "a column of values", !known(c.Path))
			}
		}
		return
	}
	raters := (len(free) > 1 || r.o.Raters) && !slices.ContainsFunc(free, func(c *Column) bool {
		return !isRater(c.Path) &&
			!isNobody(c.Path)
	})
	letters := !slices.ContainsFunc(free, func(c *Column) bool { return !oneSign.MatchString(c.Path) })
	one, integers := r.o.Raters || len(r.o.Names) == 1, wholeNumbers(free)
	for _, c := range free {
		switch {
		case raters:
			r.value(c, r.o.onlyCriterion(), c.Path, "names of raters", letters && len(free) < 3)
		case one && alike(integers) && !slices.ContainsFunc(free, func(c *Column) bool { return known(c.Path) || r.looksLikeCriterion(c) }):
			if !slices.Contains(integers, c) {
				r.leave(c, "fractions beside whole numbers, as a mean has")
				continue
			}
			r.value(c, r.o.onlyCriterion(), c.Path, "columns on one scale: raters", true)
		default:
			why := "a column of values"
			if known(c.Path) {
				why = bothName
			}
			r.value(c, c.Path, "", why, !known(c.Path) && len(free) > 1)
		}
	}
}

// besideCut returns the criterion of columns that are named only by a rater, as Anna next to "Anna correct". It is the only criterion of
// the other side that the cut names lack, or else score. It returns "" if the names that are not cut are not exactly the raters.
func (r *readingOf) besideCut(p *parted, free []*Column) string {
	alone, criteria := p.raters(r, free)
	if alone == 0 {
		return ""
	}
	left := data.Where(r.o.Names, func(name string) bool { return !criteria[plainCriterion(name)] })
	if len(left) == 1 {
		return left[0]
	}
	return "score"
}

// raters compares the names that the cut does not split with the raters that it finds. If they are the same, alone is the number of such
// columns, else 0. criteria are those that the cut finds.
func (p *parted) raters(r *readingOf, free []*Column) (alone int, criteria map[string]bool) {
	raters := map[string]bool{}
	rest := map[string]bool{}
	criteria = map[string]bool{}
	for _, c := range free {
		if criterion, rater := p.parts(r.name(c)); criterion == "" {
			rest[folded(r.name(c))] = true
		} else {
			criteria[plainCriterion(criterion)], raters[folded(rater)] = true, true
		}
	}
	if len(raters) < 2 || !maps.Equal(raters, rest) {
		return 0, criteria
	}
	return len(rest), criteria
}

// wholeNumbers leaves out columns with fractions in a quarter of their cells or more, if at least two columns have only whole numbers. Such
// fractions are means or deviations of other columns; a rater who gives fractions gives few. If a column has few fractions, all columns
// stay.
func wholeNumbers(columns []*Column) []*Column {
	fractions := func(c *Column) (n int) {
		for value, count := range c.values {
			if x, number := data.Number(value); number && x != math.Trunc(x) {
				n += count
			}
		}
		return n
	}
	whole := data.Where(columns, func(c *Column) bool { return fractions(c) == 0 })
	few := func(c *Column) bool { return fractions(c) > 0 && (fractions(c) < 5 || 4*fractions(c) < c.Filled) }
	if len(whole) < 2 || slices.ContainsFunc(columns, few) {
		return columns
	}
	return whole
}

// bestCut returns the cut with the most evidence, or nil if no cut has enough.
func (r *readingOf) bestCut(free []*Column) (best *parted) {
	if !slices.ContainsFunc(free, func(c *Column) bool { return !isRater(r.name(c)) && !isNobody(r.name(c)) }) {
		return nil // rater_1 and rater_2 are names of people
	}
	for _, cut := range cuts {
		for _, second := range []bool{false, true} {
			p := &parted{cut: cut, second: second}
			if r.weigh(p, free) && p.evidence >= leastCut && (best == nil || p.evidence > best.evidence+1e-9) {
				best = p
			}
		}
	}
	return best
}

// weigh adds up the evidence for a cut: criteria that the other side has (8 points each), scales and usual words in the criteria, parts
// that look like raters, and equal scales within each criterion. It returns false if the names do not form a grid of criteria and raters.
func (r *readingOf) weigh(p *parted, free []*Column) bool {
	var cells []*Column
	criteria := map[string][]*Column{}
	raters := map[string]bool{}
	for _, c := range free {
		if criterion, rater := p.parts(r.name(c)); criterion != "" {
			cells = append(cells, c)
			criteria[criterion] = append(criteria[criterion], c)
			raters[rater] = true
		}
	}
	known := 0
	for criterion := range criteria {
		if r.o.named(criterion) || r.o.folded[plainCriterion(criterion)] {
			known++
		}
	}
	whole := len(data.Where(free, func(c *Column) bool {
		return r.o.folded[plainCriterion(r.name(c))] || len(raters) < 2 && r.o.named(r.name(c))
	}))
	if len(cells) == 0 || 2*len(cells) < len(free) || 4*len(cells) < 3*len(criteria)*len(raters) || len(raters) < 2 && known == 0 ||
		whole >= known && whole > 0 {
		return false
	}
	score := func(points float64, is bool) {
		if is {
			p.evidence += points
		}
	}
	p.evidence = 8*float64(known) + float64(len(cells))/float64(len(free))
	score(6, anyOf(criteria, scaled))
	score(-6, anyOf(raters, scaled))
	score(4, !anyOf(raters, func(name string) bool { return !isRater(name) }))
	score(-4, !anyOf(criteria, func(name string) bool { return !isRater(name) }))
	score(3, anyOf(criteria, isCriterionWord))
	score(-3, anyOf(raters, isCriterionWord))
	score(3, anyOf(raters, isNobody))
	alone, _ := p.raters(r, free)
	score(4, alone > 0)
	pairs := 0
	near := 0
	for _, columns := range criteria {
		for i, c := range columns {
			for _, other := range columns[:i] {
				pairs++
				if nearScale(c, other) {
					near++
				}
			}
		}
	}
	if pairs == 0 {
		p.evidence--
	} else {
		p.evidence += 2 * (float64(near)/float64(pairs) - .9)
	}
	return true
}

// anyOf reports whether any key of a map meets a condition.
func anyOf[V any](names map[string]V, is func(string) bool) bool {
	for name := range names {
		if is(name) {
			return true
		}
	}
	return false
}

// scaled reports whether a name has a scale or ends in a question mark, as names of criteria do.
func scaled(name string) bool {
	return rangeInName.MatchString(name) || labelsInName.MatchString(name) || strings.HasSuffix(name, "?")
}

func isCriterionWord(name string) bool { return slices.Contains(names().Criteria, folded(name)) }

// nearScale reports whether two columns may be on one scale: their numeric ranges overlap, or they share half of their labels.
func nearScale(a, b *Column) bool {
	if a.mostlyNumbers() && b.mostlyNumbers() && len(a.values) > 2 && len(b.values) > 2 {
		low, high := a.span()
		from, to := b.span()
		return min(high, to) > max(low, from) || low == from && high == to
	}
	common := 0
	for value := range a.values {
		if b.values[value] > 0 || b.values[strings.ToLower(value)] > 0 {
			common++
		}
	}
	return common > 0 && 2*common >= min(len(a.values), len(b.values))
}

// span returns the smallest and the largest number of a column.
func (c *Column) span() (low, high float64) {
	started := false
	for value := range c.values {
		if x, number := data.Number(value); number {
			if !started {
				low = x
				high = x
				started = true
			}
			low = min(low, x)
			high = max(high, x)
		}
	}
	return low, high
}

// alike reports whether columns have mostly the same values, as columns of several raters on one criterion do, or the same values without
// decimals, because some raters give fractions and others do not.
func alike(columns []*Column) bool {
	whole := func(value string) string {
		x, number := data.Number(value)
		if !number {
			return strings.ToLower(value)
		}
		return strconv.FormatFloat(math.Floor(x), 'f', 0, 64)
	}
	return sameValues(columns, strings.ToLower) || sameValues(columns, whole)
}

// sameValues reports whether columns have mostly the same values, where values with one key count as equal.
func sameValues(columns []*Column, key func(value string) string) bool {
	valuesOf := func(columns ...*Column) map[string]bool {
		all := map[string]bool{}
		for _, c := range columns {
			for value := range c.values {
				all[key(value)] = true
			}
		}
		return all
	}
	all := len(valuesOf(columns...))
	return len(columns) > 1 && !slices.ContainsFunc(columns, func(c *Column) bool {
		few := 2*len(valuesOf(c)) < all && c.Filled > 2*all
		return few || c.mostlyNumbers() != columns[0].mostlyNumbers()
	})
}
