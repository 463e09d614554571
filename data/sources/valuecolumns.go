package sources

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"compqa/data"
)

// values decides which of the free columns (those without a role) have values, of which criterion and rater. turned says that each row is a
// rater and each column an item. In order it tries: a user's map, a long table, columns of both sides, a column for each rater, and a wide
// table.
func (r *readingOf) values(mapped bool) (turned bool) {
	if mapped {
		r.mappedValues()
		return false
	}
	r.leaveOut()
	free := data.Where(r.free(), func(c *Column) bool { return c.lists == nil })
	criterion := r.column(RoleCriterion)
	who := r.column(RoleRater)
	if len(free) == 0 && who != nil && who.mostlyNumbers() && who.noScore() == "" { // the column has an expert's scores, not names
		delete(r.roles, who)
		free = []*Column{who}
		who = nil
	}
	valued := data.Where(free, func(c *Column) bool { return slices.Contains(valueNames(), folded(lastPart(c.Path))) })
	switch {
	case criterion != nil && len(valued) > 0, who != nil && len(valued) == 1 && !slices.ContainsFunc(free, r.looksLikeCriterion):
		r.long(valued[0], free, criterion, len(valued) > 1)
	case !r.o.Raters && r.sides(free):
	case criterion != nil && who == nil: // each column is a rater
		for _, c := range free {
			r.value(c, "", c.Path, "a rater, since "+criterion.Path+" is the criterion", !isRater(c.Path))
		}
	default:
		r.ofPeople(&free, who)
		switch {
		case who != nil, r.o.side() == sideJudge:
			for _, c := range free {
				known := r.o.named(c.Path)
				why := "a column of values"
				switch {
				case len(valued) > 1 && slices.Contains(valued, c):
					known = false
					why = severalValued
				case known:
					why = bothName
				}
				r.value(c, c.Path, "", why, !known && len(free) > 1)
			}
		default:
			r.wide(free)
			r.constantRaters()
		}
	}
	r.nobody()
	return r.turned(who)
}

// constantRaters gives a column with a single value, which leaveOut left out, to a rater if other columns show that its name has one:
// beside correct_anna and correct_cara, the rater of correct_ben is ben, who always said yes. Beside whole columns of raters it stays
// left out, because it may be a version or a batch; the reason names the flag.
func (r *readingOf) constantRaters() {
	whole := data.Each(data.Where(r.Columns, func(c *Column) bool {
		return r.roles[c] != nil && r.roles[c].Role == RoleValue && r.roles[c].Rater == c.Path
	}), func(c *Column) string { return c.Path })
	for _, c := range r.Columns {
		value := c.constant()
		if value == "" || r.roles[c] == nil || r.roles[c].Why != alwaysOne(value) {
			continue
		}
		for _, other := range r.Columns {
			read := r.roles[other]
			if read == nil || read.Role != RoleValue || read.Rater == "" || !other.reaches(value) {
				continue
			}
			if read.Rater == other.Path {
				flag := r.o.prefix() + "rater=" + strings.Join(append(whole, c.Path), "|")
				r.roles[c].Why = fmt.Sprintf("%s; if it is a rater: --map %q", alwaysOne(value), flag)
				break
			}
			before, after, _ := strings.Cut(other.Path, read.Rater)
			name, begins := strings.CutPrefix(c.Path, before)
			name, ends := strings.CutSuffix(name, after)
			if begins && ends && name != "" {
				delete(r.roles, c)
				r.value(c, read.Criterion, name, read.Why, true)
				break
			}
		}
	}
}

// alwaysOne returns the reason to leave out a column that has a single value.
func alwaysOne(value string) string { return "always " + data.Clip(value) }

// Reasons why a column has values: both sides have a criterion with its name; or its name is one of several words for values, such as
// score, and it is unknown which of them are the judge's.
const (
	bothName      = "both sides have this name"
	severalValued = "one of several columns with a word for values"
)

// mappedValues leaves out the columns that the user's map does not name, and splits the names of columns that the map says are one rater
// each.
func (r *readingOf) mappedValues() {
	for _, c := range r.free() {
		if why := c.noScore(); c.lists == nil && why != "" {
			r.leave(c, why)
		} else {
			r.leave(c, "not mapped")
		}
	}
	people := data.Where(r.Columns, func(c *Column) bool { return r.roles[c].Role == RoleValue && r.roles[c].Rater == c.Path })
	if len(people) > 0 {
		r.wide(people)
		for _, c := range people {
			read := r.roles[c]
			if read.Rater == "" {
				read.Rater, read.Criterion = c.Path, r.o.onlyCriterion()
			}
			read.Why = flagged
			read.Assumed = false
		}
	}
	for _, c := range r.Columns {
		if read := r.roles[c]; read.Role == RoleValue && read.Criterion == "" && r.column(RoleCriterion) == nil {
			read.Criterion = unescaped(c.Path)
		}
	}
}

// value gives a column the role of values. For a path such as Answer.quality, the criterion is quality if the other side has that criterion
// and no other column ends so.
func (r *readingOf) value(c *Column, criterion, rater, why string, assumed bool) {
	read := r.give(c, RoleValue, why, assumed)
	last := lastPart(criterion)
	if criterion == c.Path && last != criterion && !r.o.folded[plainCriterion(criterion)] && r.o.folded[plainCriterion(last)] &&
		!slices.ContainsFunc(r.Columns, func(other *Column) bool { return other != c && lastPart(other.Path) == last }) {
		criterion = last
	}
	read.Criterion = unescaped(criterion)
	read.Rater = rater
}

// leaveOut leaves out the columns whose content or name shows that they are not scores.
func (r *readingOf) leaveOut() {
	several := len(data.Where(r.Columns, func(c *Column) bool { return r.roles[c] == nil && c.lists != nil && c.constant() == "" }))
	attribute := r.attributeNames()
	for _, c := range r.free() {
		if c.lists != nil {
			continue
		}
		why := c.noScore()
		if slices.Contains(r.o.Columns, c.Path) && !r.o.Raters {
			r.leave(c, "--by")
			continue
		}
		if why == "" && attribute(c.Path) && !r.o.named(c.Path) {
			why = "an attribute by its name"
		}
		if why == "" && r.rows >= 10 && c.Filled == 1 && !r.o.named(c.Path) {
			why = "one value"
		}
		if why == "by its name" && r.column(RoleCriterion) != nil && c.mostlyNumbers() && slices.Contains(valueNames(), folded(c.Path)) {
			why = c.beyondScale() // "Note" is a mark in a long table, and a remark elsewhere
		}
		pivoted := r.column(RoleCriterion) != nil && isRater(c.Path) // one rater's values of several criteria, maybe texts
		switch {
		case why != "" && !(r.o.named(c.Path) && why != "text" && why != "empty") && !(pivoted && why == "text"):
			r.leave(c, why)
		case c.constant() == "":
			several++
		}
	}
	for _, c := range r.free() {
		if value := c.constant(); value != "" && c.lists == nil && several > 0 && !r.o.named(c.Path) && !r.bothNamed(c) {
			r.leave(c, alwaysOne(value))
		}
	}
	raters := map[string]bool{}
	for _, c := range r.Columns {
		raters[folded(c.Path)] = true
	}
	if who := r.column(RoleRater); who != nil {
		for name := range who.values {
			raters[folded(name)] = true
		}
	}
	for _, c := range r.free() {
		if c.Numbers == 0 && c.lists == nil && !slices.ContainsFunc(c.shown(), func(value string) bool { return !raters[folded(value)] }) {
			r.leave(c, "its values are names of raters")
		}
	}
	r.attributes()
}

// attributeNames returns a function that reports whether a name is an attribute, by the patterns in names.yaml for the programs that the
// columns come from.
func (r *readingOf) attributeNames() func(name string) bool {
	var patterns []string
	for mark, attribute := range names().Attributes {
		if slices.ContainsFunc(r.Columns, func(c *Column) bool { return strings.HasPrefix(strings.ToLower(c.Path), mark) }) {
			patterns = append(patterns, attribute)
		}
	}
	return func(name string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool { return regexp.MustCompile(pattern).MatchString(name) })
	}
}

// attributes leaves out columns that describe an item or a rater. Such a column never varies within one, in so many rows that independent
// raters would differ by chance.
func (r *readingOf) attributes() {
	item := r.column(RoleItem)
	who := r.column(RoleRater)
	if item == nil || who == nil || len(r.free()) < 2 {
		return
	}
	for _, c := range r.free() {
		if c.lists != nil || r.o.named(c.Path) {
			continue
		}
		again, sameItem, items := c.within(item)
		_, sameRater, raters := c.within(who)
		switch {
		case sameItem && again >= surprising(len(c.values)):
			r.leave(c, "never varies within an item: an attribute of it")
		case sameRater && raters >= 3 && items >= 3 && again > 0:
			r.leave(c, "never varies within a rater: an attribute of them")
		}
	}
}

// within compares a column with the groups of rows that have the same value in other. again is the number of values beyond the first of
// each group, same says that the column never varies within a group, and groups is their number.
func (c *Column) within(other *Column) (again int, same bool, groups int) {
	firsts := map[uint64]uint64{}
	same = true
	for i, cell := range c.cells {
		if i >= len(other.cells) || cell == 0 || other.cells[i] == 0 {
			continue
		}
		first, known := firsts[other.cells[i]]
		if !known {
			firsts[other.cells[i]] = cell
			continue
		}
		again++
		same = same && first == cell
	}
	return again, same, len(firsts)
}

// unique reports whether a column has a value in each row and no value twice.
func (c *Column) unique() bool {
	known := map[uint64]bool{}
	for _, cell := range c.cells {
		if cell == 0 || known[cell] {
			return false
		}
		known[cell] = true
	}
	return len(known) > 1
}

// surprising returns how many repeated values show that a column never varies within an item, other than by chance. It depends on the
// number of labels. Two independent raters who agree on .95, .90 or .80 of items would agree on that many items with a probability of .01.
func surprising(labels int) int {
	switch {
	case labels < 2:
		return 1 << 30
	case labels == 2:
		return 90
	case labels <= 4:
		return 44
	}
	return 21
}

// looksLikeCriterion reports whether a column's name is that of a criterion: the other side has it, it contains a scale, or a usual word.
func (r *readingOf) looksLikeCriterion(c *Column) bool {
	if slices.Contains(valueNames(), folded(lastPart(c.Path))) {
		return false
	}
	return r.o.named(c.Path) || scaled(c.Path) || hasWord(c.Path, names().Criteria)
}

// hasWord reports whether a word of a name is in a list.
func hasWord(name string, words []string) bool {
	return slices.ContainsFunc(wordsOf(name), func(word string) bool { return slices.Contains(words, word) })
}

func valueNames() []string { return data.Each(names().Roles["value"], folded) }

// long reads the single column of values of a long table and leaves out the other free columns.
func (r *readingOf) long(value *Column, free []*Column, criterion *Column, several bool) {
	name := ""
	if criterion == nil {
		name = value.Path
	}
	r.value(value, name, "", "its name", several && criterion == nil)
	for _, c := range free {
		if c == value {
			continue
		}
		why := "beside " + value.Path
		if criterion != nil {
			why += ", which has the values of each " + criterion.Path
		}
		r.leave(c, why)
	}
}

// sides assigns the columns of one file with values of judges and people, by words in their names, as llm_score and human_score. If the
// names mark only one side, the others are the other side's. It returns false if names do not tell the sides apart.
func (r *readingOf) sides(free []*Column) bool {
	given := r.o.side()
	marked := map[string]int{}
	for _, c := range free {
		marked[r.sideOf(c)]++
	}
	if marked[sideJudge] == 0 || marked[sidePeople] == 0 {
		return r.o.shared(r.Path) && marked[""] > 0 && marked[""] < len(free) && r.oneMarked(free)
	}
	if r.bothCut(free) {
		return true
	}
	var mine []*Column
	for _, c := range free {
		side, _ := sideOf(c.Path)
		if side != given {
			r.leave(c, notMine[side])
			continue
		}
		mine = append(mine, c)
	}
	r.marked(mine)
	return true
}

// notMine is the reason why a column is not read for one side, by the side that the column's name marks.
var notMine = map[string]string{sideJudge: "a judge's by its name", sidePeople: "people's by its name",
	"": "neither side's by its name"}

// marked reads the columns of one side, by their names without the word for the side. If several columns have one criterion, each is a
// rater, named by that word and its number: "human 1".
func (r *readingOf) marked(mine []*Column) {
	count := map[string]int{}
	valued := len(mine) == 1 && r.valuesAlone()
	parts := func(c *Column) (criterion, rater string) {
		_, rest := sideOf(c.Path)
		var words, number []string
		for _, word := range wordsOf(rest) {
			if strings.Trim(word, "0123456789") == "" {
				number = append(number, word)
			} else {
				words = append(words, word)
			}
		}
		return cmp.Or(strings.Join(words, "_"), "score"), strings.Join(append([]string{sideWord(c.Path)}, number...), " ")
	}
	for _, c := range mine {
		criterion, _ := parts(c)
		count[criterion]++
		_, r.parts[c] = sideOf(c.Path)
	}
	if best := r.bestCut(mine); best != nil && r.o.People {
		for _, c := range mine {
			criterion, rater := best.parts(r.name(c))
			r.value(c, cmp.Or(criterion, r.name(c)), rater, "side by its name, which is also a criterion and a rater", best.evidence < certainCut)
		}
		return
	}
	for _, c := range mine {
		criterion, rater := parts(c)
		if count[criterion] == 1 {
			rater = ""
		}
		if valued {
			criterion = "score"
		}
		r.value(c, criterion, rater, "side by its name", false)
	}
}

// valuesAlone reports whether each side has one column, and the names contain only a side and a word for values, as judge_score and
// oracle_label. Then both columns have the same criterion.
func (r *readingOf) valuesAlone() bool {
	count := map[string]int{}
	for _, c := range r.Columns {
		read := r.roles[c]
		side, rest := sideOf(c.Path)
		if side == "" || read != nil && (read.Role != RoleLeft || read.Why != "people's by its name" && read.Why != "a judge's by its name") {
			continue
		}
		count[side]++
		if !slices.Contains(valueNames(), folded(rest)) {
			return false
		}
	}
	return count[sideJudge] == 1 && count[sidePeople] == 1
}

// ofPeople reads the columns in people's file whose names say that they are people's, as human_label. The other free columns are left out.
func (r *readingOf) ofPeople(free *[]*Column, who *Column) {
	if r.o.side() != sidePeople || who != nil || slices.ContainsFunc(*free, func(c *Column) bool { return r.o.named(c.Path) }) {
		return
	}
	people := data.Where(*free, func(c *Column) bool {
		side, rest := sideOf(c.Path)
		return side == sidePeople && rest != "" && !isRater(c.Path)
	})
	if len(people) == 0 {
		return
	}
	known := data.Where(people, func(c *Column) bool { _, rest := sideOf(c.Path); return r.o.named(rest) })
	if len(known) == 0 && len(people) != len(*free) && len(people) > 1 {
		return
	}
	for _, c := range *free {
		if side, _ := sideOf(c.Path); side != sidePeople {
			r.leave(c, "of no side by its name, beside "+people[0].Path)
		}
	}
	if len(known) == 0 && len(people) > 1 {
		*free = people
		return
	}
	for _, c := range people {
		_, rest := sideOf(c.Path)
		r.value(c, rest, "", "side by its name", !r.o.named(rest))
	}
	*free = nil
}

// nobody leaves out columns of derived values, such as a consensus, by the names of their raters, if other raters have the criterion too.
func (r *readingOf) nobody() {
	for _, c := range r.Columns {
		read := r.roles[c]
		if read == nil || read.Role != RoleValue || read.Rater == "" || !isNobody(read.Rater) {
			continue
		}
		if slices.ContainsFunc(r.Columns, func(other *Column) bool {
			o := r.roles[other]
			return o != nil && o.Role == RoleValue && o.Criterion == read.Criterion && o.Rater != "" && !isNobody(o.Rater)
		}) {
			r.leave(c, "made from the values of others, by its name")
		}
	}
}

// isNobody reports whether a rater's name says that its values are derived from others, as consensus.
func isNobody(rater string) bool { return hasWord(rater, names().Nobody) }

// turned reports whether rows are raters and columns are items, as an online form writes them.
func (r *readingOf) turned(who *Column) bool {
	if who == nil || r.column(RoleItem) != nil || r.column(RoleText) != nil || r.column(RoleQuestion) != nil || !who.unique() {
		return false
	}
	values := 0
	for _, c := range r.Columns {
		if read := r.roles[c]; read != nil && read.Role == RoleValue {
			values++
		}
	}
	return values > 2 && values >= len(who.cells)/10
}

// onlyCriterion returns the criterion of values whose columns do not name one: the other side's only criterion, or "score".
func (o Options) onlyCriterion() string {
	if len(o.Names) == 1 {
		return o.Names[0]
	}
	return "score"
}
