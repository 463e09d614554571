package sources

import (
	"slices"
	"strings"

	"compqa/data"
)

// oneMarked reads the columns of a file of both sides whose names mark one side alone: the others are the other side's. Names
// that carry criterion and rater are parted by one cut, as "Anna - quality" next to "LLM judge - quality"; names without raters are
// criteria, as quality next to llm_quality; else all are raters of one criterion, if they are on one scale. false: they are none of these.
func (r *readingOf) oneMarked(free []*Column) bool {
	marked := data.Where(free, func(c *Column) bool { return r.sideOf(c) != "" })
	rest := data.Where(free, func(c *Column) bool { return !slices.Contains(marked, c) })
	side := r.sideOf(marked[0])
	read := r.cutByMark(marked, rest)
	if read == nil {
		read = r.criteriaByMark(marked, rest)
	}
	if read == nil {
		read = ratersByMark(marked, rest)
	}
	if read == nil {
		return false
	}
	for _, c := range free {
		unmarked := slices.Contains(rest, c)
		part, found := read[c]
		switch {
		case !found:
			r.leave(c, "unlike the columns of both sides")
		case unmarked && side == r.o.side():
			r.leave(c, "the other side's, since "+marked[0].Path+" marks this one")
		case !unmarked && side != r.o.side():
			r.leave(c, notMine[side])
		case unmarked:
			r.value(c, part.criterion, part.rater, "the file marks the other side's columns", true)
		default:
			r.value(c, part.criterion, part.rater, "side by its name", false)
		}
	}
	return true
}

// sideOf returns the side whose values a column has: that of a judge whom the user names, or by a word in its name; "": nothing says it.
func (r *readingOf) sideOf(c *Column) string {
	side, _ := sideOf(c.Path)
	if r.o.shared(r.Path) && slices.ContainsFunc(r.Columns, func(c *Column) bool { return r.o.isJudge(c.Path) }) {
		side = ""
		if r.o.isJudge(c.Path) {
			side = sideJudge
		}
	}
	return side
}

// bothCut reads the columns of a file whose names mark both sides, and have the scales of criteria, by one cut of all names, as
// "Human 1 - quality (1-5)" next to "LLM judge - quality (1-5)"; false: the names are others.
func (r *readingOf) bothCut(free []*Column) bool {
	sides := map[string][]*Column{}
	withScale := false
	for _, c := range free {
		side, _ := sideOf(c.Path)
		sides[side] = append(sides[side], c)
		withScale = withScale || scaled(c.Path)
	}
	if !withScale {
		return false
	}
	read := r.cutByMark(sides[sideJudge], sides[sidePeople])
	for _, c := range free {
		side, _ := sideOf(c.Path)
		part, found := read[c]
		switch {
		case read == nil:
		case side != r.o.side() || !found:
			r.leave(c, notMine[side])
		default:
			r.value(c, part.criterion, part.rater, "side by its name", false)
		}
	}
	return read != nil
}

// A namePart is what the name of a column says of its values.
type namePart struct{ criterion, rater string }

// cutByMark parts all names by a cut of the unmarked ones that gives the criteria of the marked ones, the one with most evidence; nil: no
// cut does.
func (r *readingOf) cutByMark(marked, rest []*Column) (read map[*Column]namePart) {
	copied := *r
	var best *parted
	for _, cut := range cuts {
		for _, second := range []bool{false, true} {
			p := &parted{cut: cut, second: second}
			parts := p.ofMarked(marked, rest)
			copied.o.Names = data.Each(marked, func(c *Column) string { return parts[c].criterion })
			copied.o = copied.o.folding()
			common := false
			for _, c := range rest {
				criterion, rater := p.parts(c.Path)
				common = common || criterion != "" && copied.o.folded[plainCriterion(criterion)]
				if criterion != "" {
					parts[c] = namePart{criterion, rater}
				}
			}
			if common && copied.weigh(p, rest) && p.evidence >= leastCut && (best == nil || p.evidence > best.evidence+1e-9) {
				best = p
				read = parts
			}
		}
	}
	return read
}

// ofMarked are the criteria and raters of columns whose names mark a side: by the cut where that parts the mark from the criterion, else
// what is left without the mark, or ends with a criterion of the others.
func (p *parted) ofMarked(marked, rest []*Column) map[*Column]namePart {
	parts := map[*Column]namePart{}
	for _, c := range marked {
		criterion, rater := p.parts(c.Path)
		if criterion == "" || hasSide(criterion) || !hasSide(rater) {
			criterion, rater = withoutSide(c.Path)
			for _, other := range rest {
				name, _ := p.parts(other.Path)
				if name != "" && strings.HasSuffix(plainCriterion(criterion), plainCriterion(name)) {
					criterion = name
				}
			}
		}
		parts[c] = namePart{criterion, rater}
	}
	return parts
}

func hasSide(name string) bool { side, _ := sideOf(name); return side != "" }

// criteriaByMark reads names as criteria: those of one side without its mark equal those of the other side; nil: none does. Raters may be
// in the names of the marked ones, as human_quality_anna next to quality.
func (r *readingOf) criteriaByMark(marked, rest []*Column) map[*Column]namePart {
	copied := *r
	copied.o.Names = data.Each(rest, pathOf)
	copied.o = copied.o.folding()
	read := map[*Column]namePart{}
	var longer []*Column // than a criterion of the others
	for _, c := range marked {
		criterion, _ := withoutSide(c.Path)
		read[c] = namePart{criterion: criterion}
		if !copied.o.folded[plainCriterion(criterion)] {
			_, copied.parts[c] = sideOf(c.Path)
			longer = append(longer, c)
		}
	}
	if best := copied.bestCut(longer); best != nil {
		for _, c := range longer {
			if criterion, rater := best.parts(copied.name(c)); criterion != "" {
				read[c] = namePart{criterion, rater}
			}
		}
	}
	names := map[string]bool{}
	for _, part := range read {
		names[plainCriterion(part.criterion)] = true
	}
	common := data.Where(rest, func(c *Column) bool { return names[plainCriterion(c.Path)] })
	for _, c := range common {
		read[c] = namePart{criterion: c.Path}
	}
	if len(common) == 0 {
		return nil
	}
	return read
}

// ratersByMark reads names as raters of one criterion, as "judge bot" next to anna and ben: those that are on one scale with the marked
// ones; nil: no unmarked one is, or the marked ones are not.
func ratersByMark(marked, rest []*Column) map[*Column]namePart {
	far := func(c *Column) bool {
		return c.mostlyNumbers() != marked[0].mostlyNumbers() || !nearScale(c, marked[0])
	}
	near := data.Where(rest, func(c *Column) bool { return !far(c) })
	if len(near) == 0 || slices.ContainsFunc(marked, far) {
		return nil
	}
	read := map[*Column]namePart{}
	for _, c := range slices.Concat(marked, near) {
		read[c] = namePart{"score", c.Path}
	}
	return read
}

// withoutSide returns the name of a column without the words for its side at both ends, and these words: of "LLM judge - quality (1-5)"
// quality (1-5).
func withoutSide(name string) (rest, mark string) {
	rest = name
	for {
		words := wordsOf(rest)
		index, side := sidePlace(rest)
		if side == "" || len(words) < 2 {
			return rest, strings.TrimSpace(mark)
		}
		word := words[index]
		if index == 0 {
			start := strings.Index(strings.ToLower(rest), word)
			rest, mark = strings.TrimLeft(rest[start+len(word):], separators+")]"), mark+" "+rest[start:start+len(word)]
			continue
		}
		end := strings.LastIndex(strings.ToLower(rest), word)
		rest, mark = strings.TrimRight(rest[:end], separators+"(["), mark+" "+rest[end:end+len(word)]
	}
}

// separators stand between the parts of a name.
const separators = " _-–:|/."

// bothNamed reports whether a column that has one value is of a criterion that both sides name: it is not an attribute, and its figures say
// what is wrong with it.
func (r *readingOf) bothNamed(c *Column) bool {
	if slices.ContainsFunc(r.o.Names, func(name string) bool { return shareCriterion(c.Path, name) }) {
		return true
	}
	if r.o.shared(r.Path) {
		side, _ := sideOf(c.Path)
		return slices.ContainsFunc(r.Columns, func(other *Column) bool {
			theirs, _ := sideOf(other.Path)
			return side != theirs && shareCriterion(c.Path, other.Path) && other.reaches(c.constant())
		})
	}
	for _, file := range r.o.Other {
		if slices.ContainsFunc(columnsOf(file, mostValues), func(other *Column) bool {
			if slices.ContainsFunc(names().Roles["criterion"], func(name string) bool { return folded(name) == folded(other.Path) }) {
				return slices.ContainsFunc(other.shown(), func(name string) bool { return SameCriterion(c.Path, name) })
			}
			return shareCriterion(c.Path, other.Path) && other.reaches(c.constant())
		}) {
			return true
		}
	}
	return false
}

// reaches reports whether a value is one of the column's, or a number between them.
func (c *Column) reaches(value string) bool {
	x, number := data.Number(value)
	low, high := c.span()
	return c.values[value] > 0 || number && c.mostlyNumbers() && low <= x && x <= high
}

// shareCriterion reports whether two names have a criterion in common: all of a name, or a part of it, with or without the word for
// its side.
func shareCriterion(a, b string) bool {
	parts := partsOf(a)
	return slices.ContainsFunc(partsOf(b), func(part string) bool { return slices.Contains(parts, part) })
}

// partsOf returns the parts of a name that may be a criterion, as criteria are compared.
func partsOf(name string) []string {
	rest, _ := withoutSide(name)
	parts := []string{plainCriterion(name), plainCriterion(rest)}
	for _, cut := range cuts {
		first, second := cut.parts(name)
		third, fourth := cut.parts(rest)
		for _, part := range []string{first, second, third, fourth} {
			if part != "" && !hasSide(part) && !strings.HasPrefix(part, "(") {
				parts = append(parts, plainCriterion(part))
			}
		}
	}
	return parts
}
