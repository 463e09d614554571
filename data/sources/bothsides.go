package sources

import (
	"slices"
	"strings"

	"compqa/data"
)

// oneMarked assigns the columns of a file with values of judges and people if only one side's columns are marked, by a word such as llm in
// their names. The unmarked columns belong to the other side. Three ways are tried in order:
//   - The names contain criterion and rater, and one cut splits them all: "Anna - quality" next to "LLM judge - quality" (cutByMark).
//   - The names are criteria: quality next to llm_quality (criteriaByMark).
//   - All columns are raters of one criterion on one scale: "judge bot" next to anna (ratersByMark).
//
// oneMarked returns false if no way fits.
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

// sideOf returns sideJudge or sidePeople for a column: by the judges that the user names, else by a word in the name. "" means neither says
// it.
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

// bothCut assigns the columns of a file whose names mark both sides and contain scales, if one cut splits all names into criterion and
// rater: "Human 1 - quality (1-5)" next to "LLM judge - quality (1-5)". It returns false if no name has a scale or no cut fits.
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

// A namePart is the criterion and the rater that the name of a column contains.
type namePart struct{ criterion, rater string }

// cutByMark splits the names of all columns into criterion and rater. A cut is used only if marked and unmarked columns then share a
// criterion. Of several cuts, the one with most evidence is used. cutByMark returns nil if no cut has enough evidence.
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

// ofMarked returns criterion and rater of the columns whose names mark a side. If the cut separates the mark from the criterion, the cut
// decides. Else the criterion is the name without the mark, or the criterion of an unmarked column that this name ends with.
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

// criteriaByMark reads names as criteria: the marked columns without the mark of their side, and the unmarked columns with an equal name. A
// marked name may also contain a rater, as human_quality_anna next to quality. criteriaByMark returns nil if no criterion is on both sides.
func (r *readingOf) criteriaByMark(marked, rest []*Column) map[*Column]namePart {
	copied := *r
	copied.o.Names = data.Each(rest, pathOf)
	copied.o = copied.o.folding()
	read := map[*Column]namePart{}
	var longer []*Column // marked names that are longer than a criterion of the unmarked ones
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

// ratersByMark reads names as raters of one criterion, as "judge bot" next to anna and ben. Unmarked columns on another scale are left out
// of the result. ratersByMark returns nil if no unmarked column has the scale of the marked ones, or the marked ones have different scales.
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

// withoutSide removes the words for the side from both ends of a column's name. mark is the removed words. For "LLM judge - quality (1-5)",
// rest is "quality (1-5)" and mark is "LLM judge".
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

// bothNamed reports whether a column with a single value has a criterion that the other side has too. Then the column is not left out as an
// attribute, so that the figures show what is wrong with it.
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

// reaches reports whether a value occurs in the column, or is a number within the range of its numbers.
func (c *Column) reaches(value string) bool {
	x, number := data.Number(value)
	low, high := c.span()
	return c.values[value] > 0 || number && c.mostlyNumbers() && low <= x && x <= high
}

// shareCriterion reports whether two names of columns may contain the same criterion: as the whole name or a part of it, with or without
// the word for its side.
func shareCriterion(a, b string) bool {
	parts := partsOf(a)
	return slices.ContainsFunc(partsOf(b), func(part string) bool { return slices.Contains(parts, part) })
}

// partsOf returns the parts of a name that may be a criterion, normalised for comparison (plainCriterion).
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
