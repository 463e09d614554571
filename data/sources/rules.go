package sources

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"compqa/data"
)

// A rule gives a role to a column by its name. Rules are tried in order. names is a list in names.yaml: the first name of the list that a
// column without a role has decides. "" means any column that fits.
type rule struct {
	role    string
	names   string
	fits    func(*Column, Options) bool
	assumed bool
	example string // a name to which the rule applies
}

// rules are all rules about names. Flags and readings are applied before them; the content of the remaining columns is looked at after
// them.
var rules = []rule{
	{RoleTopic, "topic", varied, false, "query"},
	{RoleItem, "id", varied, false, "item_id"},
	{RoleRepeat, "repeat", filled, false, "epoch"},
	{RoleTurn, "turn", filled, false, "turn_id"},
	{RoleQuestion, "question", filled, false, "user_input"},
	{RoleText, "text", filled, false, "actual_output"},
	{RoleGroup, "group", filled, false, "cluster"},
	{RoleSystem, "system", filled, false, "model"},
	{RoleInclusion, "inclusion", filled, false, "inclusion"},
	{RoleConfidence, "confidence", confidences, false, "certainty"},
	{RoleStatus, "status", filled, false, "assignment_status"},
	{RoleOrigin, "origin", namesOrigin, false, "label_source"},
	{RoleOrigin, "source", onlyOrigins, true, "source"},
	{RoleWhen, "when", filled, false, "created_at"},
	{RoleRater, "by", namesRaters, false, "annotator"},
	{RoleRater, "", namesModels, false, "judge_model"},
	{RoleRater, "called", namesSome, true, "email"},
	{RoleCriterion, "criterion", namesCriteria, false, "metric"},
	{RoleReason, "reason", comments, false, "rationale"},
	{RoleItem, "", endsAsID, true, "Item #"},
	{RoleItem, "counters", varied, true, "nr"},
	{RoleItem, "", onlyKeys, true, "Q17"},
	{RoleA, "a", notNumbers, false, "model_a"},
	{RoleB, "b", notNumbers, false, "model_b"},
	{RoleOrigin, "suggested", asksOrigin, false, "suggestion_accepted"},
	{RoleOrigin, "generated", asksOrigin, true, "is_ai_generated"},
}

// filled reports whether a column has any value.
func filled(c *Column, _ Options) bool { return c.Filled > 0 }

// varied reports whether a column has values, and is not constant (see constant).
func varied(c *Column, _ Options) bool { return c.Filled > 0 && c.constant() == "" }

// confidences reports whether a judge's column may say how sure the judge is. It is false unless Options.Confidence asks for it.
func confidences(c *Column, o Options) bool {
	return o.Confidence && !o.People && !o.Raters && c.Filled > 0 && 10*c.Numbers >= 9*c.Filled
}

// notNumbers reports whether fewer than nine in ten values are numbers.
func notNumbers(c *Column, _ Options) bool { return c.Filled > 0 && 10*c.Numbers < 9*c.Filled }

// namesRaters reports whether a column that is named for raters contains their names, not verdicts or scores.
func namesRaters(c *Column, o Options) bool {
	if c.Filled == 0 || len(wordsOf(c.Path)) == 0 || c.isVerdict(o.People || o.Raters) {
		return false
	}
	words := wordsOf(c.Path)
	last := words[len(words)-1]
	return c.Numbers < c.Filled || last == "id" || c.noScore() != "" || !c.few() || slices.Contains([]string{"annotator", "rater",
		"worker", "user"}, last)
}

// few reports whether a column has few distinct values, as scores do.
func (c *Column) few() bool { return len(c.values) <= 11 }

// namesSome reports whether the values of a column may be names of people.
func namesSome(c *Column, _ Options) bool {
	return len(c.values) > 1 && c.Numbers == 0 && c.long == 0
}

// namesModels reports whether a column such as judge_model says which model judged, in a judge's file with several models.
func namesModels(c *Column, o Options) bool {
	words := wordsOf(c.Path)
	return !o.People && !o.Raters && len(words) == 2 && words[0] != "model" && words[1] == "model" && slices.Contains(names().Judges,
		words[0]) &&
		varied(c, o) && c.Numbers == 0 && c.long == 0
}

// namesCriteria reports whether the values of a column may be names of criteria: short, and at most 60 different ones.
func namesCriteria(c *Column, _ Options) bool {
	return c.Filled > 0 && c.long == 0 && len(c.values) <= 60
}

// comments reports whether the values are free texts, not labels.
func comments(c *Column, _ Options) bool {
	return c.Filled > 0 && (c.long > 0 || !c.repeats() || len(c.values) > 12 || c.sentences())
}

// endsAsID reports whether a column's name ends as that of an id, as Ticket ID.
func endsAsID(c *Column, _ Options) bool {
	person := slices.ContainsFunc(wordsOf(c.Path), func(word string) bool { return slices.Contains(names().Roles["by"], word) })
	return !person && varied(c, Options{}) && c.long == 0 && idEnd.MatchString(c.Path)
}

// onlyKeys reports whether each value is a different short text that ends with a number, as ids such as Q17 are. If the column's own name
// is of this form, the table has no header, and the result is false.
func onlyKeys(c *Column, _ Options) bool {
	if keyLike.MatchString(c.Path) || c.Numbers > 0 || c.long > 0 || c.lists != nil || c.Filled < 3 || c.Filled < c.Rows ||
		len(c.values) < min(c.Filled, mostValues) {
		return false
	}
	return !slices.ContainsFunc(slices.Collect(maps.Keys(c.values)), func(value string) bool { return !keyLike.MatchString(value) })
}

// keyLike matches one word that ends with a number.
var keyLike = regexp.MustCompile(`^\pL[\pL_-]{0,15}\d+$`)

// A readingOf builds the reading of a sheet.
type readingOf struct {
	*Sheet
	o     Options
	roles map[*Column]*ColumnRead
	parts map[*Column]string // names of columns without the word for their side, where it was removed
}

// name returns the name of a column, without the word for its side.
func (r *readingOf) name(c *Column) string { return cmp.Or(r.parts[c], c.Path) }

// Read determines what the columns of a sheet are, in order by flags, by names, and by content. For example, people's file has the columns
// Nr, "Anna - quality (1-5)", "Ben - quality (1-5)" and Comment. Nr becomes the item; that is assumed, since the name is only similar to
// "nr". Comment is left out because of its name. The other two names are cut at " - ": the parts that differ, Anna and Ben, are raters, and
// the common part, quality (1-5), is the criterion.
func (s *Sheet) Read(o Options) (*Reading, error) {
	o = o.folding()
	r := &readingOf{s, o, map[*Column]*ColumnRead{}, map[*Column]string{}}
	mapped, err := r.flags()
	if err != nil {
		return nil, err
	}
	r.others()
	r.otherSidesCriteria()
	for _, rule := range rules {
		if r.column(rule.role) == nil && !r.needless(rule) {
			r.apply(rule)
		}
	}
	r.pair()
	turned := false
	if r.column(RoleChoice) == nil {
		turned = r.values(mapped)
	}
	r.writers()
	return r.reading(turned), nil
}

// otherSidesCriteria makes a column the criterion if all its values are criteria of the other side, whatever its name is.
func (r *readingOf) otherSidesCriteria() {
	known := func(value string) bool { return r.o.named(value) || r.o.folded[plainCriterion(value)] }
	for _, c := range r.free() {
		unknown := slices.ContainsFunc(slices.Collect(maps.Keys(c.values)), func(value string) bool { return !known(value) })
		if r.column(RoleCriterion) == nil && c.Numbers == 0 && c.long == 0 && c.lists == nil && len(c.values) > 1 && !unknown {
			r.give(c, RoleCriterion, "its values are criteria of the other side", false)
		}
	}
}

// reading returns the roles that were found, in the order of columns.
func (r *readingOf) reading(turned bool) *Reading {
	reading := &Reading{File: filepath.Base(r.Path), Side: r.o.side(), Turned: turned}
	for _, c := range r.Columns {
		read := r.roles[c]
		if read == nil && c.lists != nil {
			read = &ColumnRead{Role: RoleLeft, Why: "lists"}
			others := slices.ContainsFunc(r.Columns, func(c *Column) bool { return r.roles[c] != nil && r.roles[c].Role == RoleValue })
			if r.listScores(c, others, r.o) != nil {
				read = &ColumnRead{Role: RoleValue, Why: "lists of scores"}
			}
		}
		if read == nil {
			read = &ColumnRead{Role: RoleLeft, Why: cmp.Or(c.noScore(), "no role")}
		}
		read.Column = c.Path
		if read.Role == RoleValue || read.Role == RoleRater || read.Role == RoleCriterion {
			read.Values = c.shown()
		}
		reading.Columns = append(reading.Columns, *read)
	}
	return reading
}

// shown returns the first mostShownValues values of a column: labels in alphabetical order, numbers by size.
func (c *Column) shown() []string {
	values := slices.SortedFunc(maps.Keys(c.values), func(a, b string) int {
		x, number := data.Number(a)
		y, other := data.Number(b)
		if number && other {
			return cmp.Compare(x, y)
		}
		return cmp.Compare(a, b)
	})
	return values[:min(mostShownValues, len(values))]
}

// give gives a column a role, and returns it so that the caller can add criterion and rater.
func (r *readingOf) give(c *Column, role, why string, assumed bool) *ColumnRead {
	read := &ColumnRead{Role: role, Why: why, Assumed: assumed}
	r.roles[c] = read
	return read
}

// leave leaves a column out.
func (r *readingOf) leave(c *Column, why string) { r.give(c, RoleLeft, why, false) }

// column returns the first column with a role, or nil.
func (r *readingOf) column(role string) *Column {
	c, _ := data.First(r.Columns, func(c *Column) bool { return r.roles[c] != nil && r.roles[c].Role == role })
	return c
}

// free returns the columns without a role.
func (r *readingOf) free() []*Column {
	return data.Where(r.Columns, func(c *Column) bool { return r.roles[c] == nil })
}

// needless reports whether a rule does not apply to this table. For example, a column of row numbers is an id only if no column has texts.
// A topic is part of an id only next to the id of a document.
func (r *readingOf) needless(rule rule) bool {
	switch {
	case rule.role == RoleOrigin:
		values := data.Where(r.free(), func(c *Column) bool { return c.noScore() == "" && !asksOrigin(c, r.o) })
		return r.o.noOrigins() || originsAsked[rule.names] != "" && len(values) == 0 // people judge whether texts are a model's
	case rule.names == "called": // it names persons if values repeat, or if each row is a person
		c := r.find(names().Roles["called"], func(c *Column) bool { return r.roles[c] != nil || c.Filled == 0 })
		return c != nil && !c.repeats() && (r.column(RoleItem) != nil || r.column(RoleText) != nil || r.column(RoleQuestion) != nil)
	case rule.example == "Q17":
		return r.column(RoleText) != nil || r.column(RoleQuestion) != nil
	case rule.names == "counters":
		return r.column(RoleText) != nil
	case rule.role == RoleTopic:
		item := r.find(names().Roles["id"], func(c *Column) bool { return r.roles[c] != nil || !varied(c, r.o) })
		return item == nil || !slices.ContainsFunc(names().Roles["document"], func(name string) bool { return folded(name) == folded(item.Path) })
	}
	return false
}

// apply gives the role of a rule to the first column that has one of its names and fits.
func (r *readingOf) apply(rule rule) {
	fits := func(c *Column) bool { return r.roles[c] == nil && rule.fits(c, r.o) }
	c := r.find(names().list(rule.names), func(c *Column) bool { return !fits(c) })
	if rule.names == "" {
		c, _ = data.First(r.Columns, fits)
	}
	if c == nil {
		return
	}
	why := "its name"
	if rule.assumed {
		why = "like " + rule.example
	}
	r.give(c, rule.role, why, rule.assumed)
}

// list returns a list of names in names.yaml: that of a role, or Counters.
func (n nameLists) list(name string) []string {
	if name == "counters" {
		return n.Counters
	}
	return n.Roles[name]
}

// pair looks for the column of choices if the table has two columns of options. Without a choice, the options are left out.
func (r *readingOf) pair() {
	a := r.column(RoleA)
	b := r.column(RoleB)
	if a != nil && b != nil {
		r.apply(rule{role: RoleChoice, names: "choice", fits: filled, example: "winner"})
		if r.column(RoleChoice) != nil {
			return
		}
	}
	for _, c := range []*Column{a, b} {
		if c != nil && r.roles[c].Why != flagged {
			r.leave(c, "one of two options, and no column says which was chosen: --map value=COLUMN")
		}
	}
}

// flagged is the reason for a role that the user gave to a column.
const flagged = "your flag"

// flags applies the user's map and judges. mapped says that they name scores: then no other column has scores.
func (r *readingOf) flags() (mapped bool, err error) {
	for _, name := range slices.Sorted(maps.Keys(r.o.Map)) {
		role, criterion, named := r.o.mapped(name)
		if role == "" {
			return false, errMapName(name)
		} else if !named {
			continue
		}
		if role == RoleOrigin && r.o.noOrigins() {
			r.leaveOrigins()
			continue
		}
		columns, err := r.mappedColumns(r.o.Map[name])
		if err != nil && !strings.HasPrefix(name, r.o.side()+".") && r.o.elsewhere(r.o.Map[name]) {
			continue // only the other side has this column
		} else if err != nil {
			return false, err
		}
		for _, c := range columns {
			switch {
			case criterion != "":
				read := r.give(c, RoleValue, flagged, false)
				read.Criterion = criterion
				mapped = true
				if len(columns) > 1 {
					read.Rater = ratersInNames(columns)[c]
				}
			case role == RoleRater && len(columns) > 1: // each column is a person: see values
				r.give(c, RoleValue, flagged, false).Rater, mapped = c.Path, true
			case role == RoleValue:
				r.give(c, RoleValue, flagged, false)
				mapped = true
			default:
				r.give(c, role, flagged, false)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.o.Judges)) {
		if r.o.People {
			break
		}
		columns, err := r.mappedColumns(r.o.Judges[name])
		if err != nil {
			return false, err
		}
		for _, c := range columns {
			read := r.give(c, RoleValue, flagged, false)
			read.Rater, read.Criterion, mapped = name, unescaped(lastPart(c.Path)), true
		}
	}
	return mapped, nil
}

// ratersInNames returns the raters of several columns with one criterion. It is the part of a name that differs after a cut, or else the
// whole name.
func ratersInNames(columns []*Column) map[*Column]string {
	for _, cut := range cuts {
		for _, second := range []bool{true, false} {
			p := parted{cut: cut, second: second}
			raters := map[*Column]string{}
			criteria := map[string]bool{}
			for _, c := range columns {
				criterion, rater := p.parts(c.Path)
				raters[c], criteria[plainCriterion(criterion)] = rater, true
			}
			if len(criteria) == 1 && !criteria[""] {
				return raters
			}
		}
	}
	raters := map[*Column]string{}
	for _, c := range columns {
		raters[c] = c.Path
	}
	return raters
}

// errMapName returns the error of an unknown name in a user's map.
func errMapName(name string) error {
	return fmt.Errorf("--map has %q; the names are item, question, text, a, b, system, group, repeat, turn, rater, criterion, "+
		"value, judge.CRITERION, people.CRITERION; judge. and people. stand in front of each of them", name)
}

// elsewhere reports whether a file of the other side has a column that the user names.
func (o Options) elsewhere(column string) bool {
	return slices.ContainsFunc(o.Other, func(file string) bool {
		sheet, err := OpenSheet(file)
		return err == nil && sheet.format.leads(file, paths{strings.TrimPrefix(column, ".")}) == nil
	})
}

// mappedColumns returns the columns that a user's text names: several are separated by |, the parts of an id by +. A path that leads deeper
// than the sheet's columns becomes a new column.
func (r *readingOf) mappedColumns(text string) (columns []*Column, err error) {
	if c, err := r.named(text); err == nil || !strings.ContainsAny(text, "|+") {
		return []*Column{c}, err
	}
	for _, path := range strings.FieldsFunc(text, func(c rune) bool { return c == '|' || c == '+' }) {
		c, err := r.named(path)
		if err != nil {
			return nil, err
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// named returns the column with a name or path, or an error if the path leads nowhere.
func (r *readingOf) named(path string) (*Column, error) {
	path = strings.TrimPrefix(strings.TrimSpace(path), ".")
	c := r.Sheet.column(path)
	if c != nil {
		return c, nil
	}
	if err := r.format.leads(r.Path, paths{path}); err != nil {
		return nil, err
	}
	c = &Column{Path: path, values: map[string]int{}, Filled: 1}
	r.Columns = append(r.Columns, c)
	return c, nil
}

// others leaves out the columns that the user names as scores of the other side, in a file of both sides.
func (r *readingOf) others() {
	if !r.o.shared(r.Path) {
		return
	}
	leave := func(path, whose string) {
		columns, _ := r.mappedColumns(path) // errors are reported when the other side is read
		for _, c := range columns {
			if r.roles[c] == nil {
				r.leave(c, whose)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.o.Map)) {
		role, _, named := r.o.mapped(name)
		side, _, _ := strings.Cut(name, ".")
		if named || role != "" && role != RoleValue && role != RoleRater {
			continue
		}
		leave(r.o.Map[name], map[string]string{sidePeople: "people's", sideJudge: "the judge's"}[side]+": --map "+name+"="+r.o.Map[name])
	}
	for _, name := range slices.Sorted(maps.Keys(r.o.Judges)) {
		if r.o.People {
			leave(r.o.Judges[name], "the judge's: --judge "+name+"="+r.o.Judges[name])
		}
	}
}

// mapped returns the role that a name in a user's map gives to a column, and the criterion for a column of values. named says that the name
// applies to this side; names without people. or judge. apply to both. An unknown name gives the role "".
func (o Options) mapped(name string) (role, criterion string, named bool) {
	side, key, dotted := strings.Cut(name, ".")
	if !dotted || side != sideJudge && side != sidePeople {
		side = ""
		key = name
	}
	named = side == "" || o.Raters && o.Alone || o.People == (side == sidePeople)
	switch {
	case itemKeys[key] != "":
		return itemKeys[key], "", named
	case slices.Contains(whoKeys, key):
		return RoleRater, "", named
	case key == RoleCriterion, key == RoleValue:
		return key, "", named
	case side == "" && !(o.Alone && o.named(key)):
		return "", "", false
	}
	return RoleValue, key, named
}

// lastPart returns what follows the last dot of a path: correct of rubric.correct. It returns the whole name if the dot is not part of a
// path.
func lastPart(path string) string {
	last := path[strings.LastIndexByte(path, '.')+1:]
	if first, _ := utf8.DecodeRuneInString(last); last != path && !unicode.IsLetter(first) && !unicode.IsDigit(first) {
		return path // "Ben M._clear" is a name with an initial
	}
	return last
}

func unescaped(path string) string { return strings.ReplaceAll(path, `\`, "") }

// Column returns the name of the first column with a role, or "".
func (r *Reading) Column(role string) string {
	c, _ := data.First(r.Columns, func(c ColumnRead) bool { return c.Role == role })
	return c.Column
}

// left returns the columns that were left out, with reasons, except empty ones.
func (r *Reading) left() (left []Left) {
	for _, c := range r.columns(RoleLeft) {
		if c.Why != "empty" {
			left = append(left, Left{"column " + c.Column, c.Why})
		}
	}
	return left
}

// shared reports whether a file is also read for the other side.
func (o Options) shared(path string) bool {
	return slices.ContainsFunc(o.Other, func(other string) bool {
		one, err := os.Stat(path)
		two, fault := os.Stat(other)
		return path == other || err == nil && fault == nil && os.SameFile(one, two)
	})
}

// errNoSide returns the error of a file of judges and people in which neither columns nor raters say whose values are whose.
func errNoSide(r *Reading, s *Sheet) error {
	if rater := r.Column(RoleRater); rater != "" {
		raters := s.column(rater).shown()
		if len(raters) == 1 {
			return fmt.Errorf("%s is the file of judges and of people, and all of its values are of one rater, %s: the other side needs a file "+
				"of its own", r.File, raters[0])
		}
		return fmt.Errorf("%s is the file of judges and of people, with raters %s: which of them is the judge? --judge NAME says it", r.File,
			data.Some(raters))
	}
	text := fmt.Sprintf("%s is the file of judges and of people, and no names of columns, such as llm_score and human_score, say whose "+
		"values they have: --judge COLUMN says which is the judge's, the others then are people's (--map people.CRITERION=COLUMN|COLUMN "+
		"says which); it has %s", r.File,
		strings.Join(data.Each(r.columns(RoleValue), func(c ColumnRead) string { return c.Column }), ", "))
	for _, c := range r.columns(RoleLeft) {
		if strings.HasPrefix(c.Why, "always ") {
			text += fmt.Sprintf("; %s is %s", c.Column, c.Why)
		}
	}
	return errors.New(text)
}
