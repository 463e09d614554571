package sources

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// Roles say what the columns of a sheet are: what they are named for in names.yaml, and what the user's map says.
type Roles struct {
	Columns map[string]string // role → column; the roles are the keys of names.yaml
	Scores  []ScoreColumn
	Left    []Left
	Notes   []string // what was assumed, each with the flag that corrects it
}

// A ScoreColumn has the scores of one criterion.
type ScoreColumn struct {
	Path      string
	Criterion string
	By        string // the judge or person; "": as the column "by" says, or else the name of the file
}

// A Left is what was not read, and why.
type Left struct {
	What string // for instance: column tokens
	Why  string
}

// tableRows are where a document that no format describes may have its records.
var tableRows = paths{"data", "rows", "items", "records", "results", "samples", "examples", "annotations", "responses", "evaluations"}

// OpenSheet opens a file as a sheet, whose rows are in the document's list, if it has one.
func OpenSheet(path string) (*Sheet, error) {
	f := &Format{About: "a table", Rows: tableRows}
	if at := largestList(path); at != "" {
		f.Rows = paths{at}
	}
	return open(path, f, mostValues)
}

// Rows yields the rows of a sheet. note is told what was guessed about the file.
func (s *Sheet) Rows(note func(string)) func(yield func(Row, error) bool) {
	return func(yield func(Row, error) bool) {
		for record, err := range s.format.records(s.Path, note) {
			if !yield(Row{record}, err) {
				return
			}
		}
	}
}

// keyed says how to write a file that is one object of objects, as records by their ids, or as columns; "": it is none.
func keyed(path string) (way string) {
	var document gjson.Result
	n := 0
	for doc, err := range data.Documents(path, quiet) {
		n++
		if err != nil || n > 1 || doc.Table != nil {
			return ""
		}
		document = doc.Value
	}
	members, rows, columns := 0, true, true
	shared := map[string]int{}
	document.ForEach(func(_, member gjson.Result) bool {
		members++
		rows = rows && member.IsObject()
		count := 0
		member.ForEach(func(key, _ gjson.Result) bool {
			shared[key.Str]++
			columns = columns && key.Str == strconv.Itoa(count)
			count++
			return true
		})
		columns = columns && count > 1
		return rows
	})
	common := 0
	for _, times := range shared {
		if 2*times > members {
			common++
		}
	}
	switch {
	case !document.IsObject() || !rows || members == 0 || common == 0:
		return ""
	case columns:
		return "has an object for each column, as pandas' to_json() writes them: write a record a row, with " +
			"to_json(path, orient=\"records\")"
	case members >= 3:
		return "is one object, whose members are records by their ids: write a list of records, for instance with " +
			"jq 'to_entries | map({id: .key} + .value)'"
	}
	return ""
}

// largestList is the path of the longest list of objects in a file that is one document; "": there is none.
func largestList(path string) (best string) {
	var document gjson.Result
	n := 0
	for doc, err := range data.Documents(path, quiet) {
		n++
		if err != nil || n > 1 || doc.Table != nil {
			return ""
		}
		document = doc.Value // of a table there is none
	}
	for _, name := range tableRows {
		if list := document.Get(name); list.IsArray() && list.Get("0").IsObject() {
			return ""
		}
	}
	most := 1
	var visit func(prefix string, value gjson.Result, depth int)
	visit = func(prefix string, value gjson.Result, depth int) {
		value.ForEach(func(key, member gjson.Result) bool {
			at := prefix + gjson.Escape(key.Str)
			switch {
			case member.IsArray() && member.Get("0").IsObject():
				if length := int(member.Get("#").Int()); length > most {
					best, most = at, length
				}
			case member.IsObject() && depth < 3:
				visit(at+".", member, depth+1)
			}
			return true
		})
	}
	if document.IsObject() {
		visit("", document, 0)
	}
	return best
}

// Find finds the roles of columns by their names. The columns of the user's map have the roles that it gives them.
func (s *Sheet) Find(o Options) *Roles {
	o = o.folding()
	r := &Roles{Columns: map[string]string{}}
	taken := map[string]bool{}
	for name, path := range o.Map {
		if part, own := o.mapped(name); own && !(o.People && itemKeys[name] != "" && s.column(path) == nil) { // else it is the log's alone
			r.Columns[part] = path
			taken[path] = true
		}
	}
	others := o.others(s.Path)
	for _, path := range slices.Sorted(maps.Keys(others)) {
		if c := s.column(path); c != nil && !taken[path] {
			taken[path] = true
			r.leave(path, others[path])
		}
	}
	is := func(role string) {
		if r.Columns[role] != "" {
			return
		}
		c := s.find(names().Roles[role], func(c *Column) bool {
			return taken[c.Path] || c.Filled == 0 || role == "id" && c.constant() != "" ||
				role == "reason" && c.long == 0 && c.repeats() && len(c.values) <= 12 ||
				role == "by" && c.isVerdict(o.People) || role == "value" && c.noValue()
		})
		if c != nil {
			r.Columns[role], taken[c.Path] = c.Path, true
		}
	}
	for _, role := range []string{"id", "repeat", "turn", "question", "text", "group", "system", "inclusion", "status", "by", "criterion",
		"reason"} {
		is(role)
	}
	if r.Columns["id"] == "" {
		s.findID(r, taken, o)
	}
	if r.Columns["id"] == "" && r.Columns["text"] == "" && r.Columns["question"] == "" {
		if c := s.find(names().Counters, func(c *Column) bool { return taken[c.Path] || c.Filled == 0 || c.constant() != "" }); c != nil {
			r.Columns["id"], taken[c.Path] = c.Path, true
			r.Notes = append(r.Notes, fmt.Sprintf("%s: the column %q is read as the item's id (--map %sitem=COLUMN)", s.Path, c.Path, o.prefix()))
		}
	}
	is("a")
	is("b")
	pair := r.Columns["a"] != "" && r.Columns["b"] != ""
	if pair {
		is("choice")
	}
	if pair && r.Columns["choice"] != "" {
		return r
	}
	for _, role := range []string{"a", "b"} {
		if name := r.Columns[role]; name != "" {
			delete(r.Columns, role)
			r.leave(name, "one of two options, and no column says which was chosen: --map value=COLUMN")
		}
	}
	candidates := s.candidates(r, taken, o)
	if r.Columns["criterion"] != "" {
		is("value")
		r.Left = slices.DeleteFunc(r.Left, func(l Left) bool { return l.What == "column "+r.Columns["value"] })
	}
	s.score(r, candidates, taken, o)
	return r
}

// findID finds a column of ids by the end of its name, as Ticket ID, where no name is known.
func (s *Sheet) findID(r *Roles, taken map[string]bool, o Options) {
	for _, c := range s.Columns {
		person := slices.ContainsFunc(wordsOf(c.Path), func(word string) bool { return slices.Contains(names().Roles["by"], word) })
		if !taken[c.Path] && !person && c.Filled > 0 && c.long == 0 && c.constant() == "" && idEnd.MatchString(c.Path) {
			r.Columns["id"], taken[c.Path] = c.Path, true
			r.Notes = append(r.Notes, fmt.Sprintf("%s: the column %q is read as the item's id (--map %sitem=COLUMN)", s.Path, c.Path, o.prefix()))
			return
		}
	}
}

// prefix is what stands in front of names of a map that are of people's file.
func (o Options) prefix() string {
	if o.People && !o.Alone {
		return sidePeople + "."
	}
	return ""
}

// mapped is the role that a name of a user's map gives to a column of this side.
func (o Options) mapped(name string) (role string, own bool) {
	side, key, dotted := strings.Cut(name, ".")
	if !dotted || side != sideJudge && side != sidePeople {
		side, key = "", name
	}
	role = itemKeys[key]
	switch {
	case side == sidePeople && !o.People && !o.Raters, side == sideJudge && o.People:
		return "", false
	case role == "item":
		return "id", true
	case role != "":
		return role, true
	case side == "" && o.People && !o.Alone:
		return "", false
	case slices.Contains(whoKeys, key):
		return "by", true
	}
	return key, key == "criterion" || key == "value"
}

// candidates are the columns that may have scores; the others are left out, each with the reason.
func (s *Sheet) candidates(r *Roles, taken map[string]bool, o Options) (scores []*Column) {
	several := len(s.lists(&Roles{Columns: r.Columns}, o)) // columns that are no constants
	for _, c := range s.Columns {
		if taken[c.Path] || c.lists != nil {
			continue
		}
		why := c.noScore()
		if why == "" && s.rows >= 10 && c.Filled == 1 && !o.named(c.Path) {
			why = "one value"
		}
		switch {
		case why == "empty":
		case why != "" && !(o.named(c.Path) && why != "text"):
			r.leave(c.Path, why)
		default:
			scores = append(scores, c)
			if c.constant() == "" {
				several++
			}
		}
	}
	return slices.DeleteFunc(scores, func(c *Column) bool {
		value := c.constant()
		drop := value != "" && several > 0 && !o.named(c.Path)
		if drop {
			r.leave(c.Path, fmt.Sprintf("always %s", data.Clip(value)))
		}
		return drop
	})
}

func (r *Roles) leave(column, why string) { r.Left = append(r.Left, Left{"column " + column, why}) }

// named reports whether the other side has a criterion of this name; see SameCriterion.
func (o Options) named(path string) bool {
	if o.folded == nil {
		o = o.folding()
	}
	return o.folded[folded(path)] || o.folded[folded(path[strings.LastIndexByte(path, '.')+1:])]
}

// folding are options with the folded names of the other side's criteria, so that each is folded once.
func (o Options) folding() Options {
	o.folded = map[string]bool{}
	for _, name := range o.Names {
		o.folded[folded(name)], o.folded[folded(name[strings.LastIndexByte(name, '.')+1:])] = true, true
	}
	return o
}

// score decides which columns have scores: the value of a long table, or all of a wide one. A column that is called score or
// label is a wide table's unless there is a column of criteria, or no other column has scores.
func (s *Sheet) score(r *Roles, candidates []*Column, taken map[string]bool, o Options) {
	if own := o.ownScores(); len(own) > 0 {
		for _, c := range candidates {
			if !own[c.Path] {
				r.leave(c.Path, "not mapped")
			}
		}
		return
	}
	criterion, value := r.Columns["criterion"], r.Columns["value"]
	if criterion != "" && value != "" {
		for _, c := range candidates {
			if c.Path != value {
				r.leave(c.Path, fmt.Sprintf("beside %s, which has the values of each %s", value, criterion))
			}
		}
		r.Scores = []ScoreColumn{{Path: value}}
		return
	}
	if value != "" {
		r.Scores = []ScoreColumn{{Path: value, Criterion: value}}
		return
	}
	own := s.ofSide(r, candidates, o)
	if by := r.Columns["by"]; len(own) == 0 && by != "" && o.Map == nil { // a judge's or expert's verdicts, not names
		if c := s.column(by); c != nil && c.mostlyNumbers() && c.noScore() == "" {
			delete(r.Columns, "by")
			own = s.ofSide(r, []*Column{c}, o)
		}
	}
	r.Scores = own
	if r.Columns["by"] == "" && o.People {
		r.raters(s, o)
	}
}

func (s *Sheet) column(path string) *Column {
	c, _ := data.First(s.Columns, func(c *Column) bool { return c.Path == path })
	return c
}

// ofSide leaves out columns that are the other side's by their names, as llm_score and human_score are in one file, and takes
// that word from the names of the others.
func (s *Sheet) ofSide(r *Roles, candidates []*Column, o Options) (scores []ScoreColumn) {
	sides := map[string]bool{}
	for _, c := range candidates {
		side, _ := sideOf(c.Path)
		sides[side] = true
	}
	own, other := sideJudge, sidePeople
	if o.People {
		own, other = sidePeople, sideJudge
	}
	mixed := sides[own] && sides[other]
	for _, c := range candidates {
		side, rest := sideOf(c.Path)
		score := ScoreColumn{Path: c.Path, Criterion: strings.ReplaceAll(c.Path, `\`, "")}
		switch {
		case mixed && side != own:
			r.leave(c.Path, map[string]string{sideJudge: "a judge's by its name", sidePeople: "people's by its name",
				"": "neither side's by its name"}[side])
			continue
		case side == own && (mixed || rest != "" && o.named(rest) && !o.named(c.Path)):
			score.Criterion = cmp.Or(rest, "score")
		}
		scores = append(scores, score)
	}
	if mixed {
		r.Notes = append(r.Notes, fmt.Sprintf(
			"%s: by their names, columns are people's or a judge's (--judge NAME=COLUMN, --map people.NAME=COLUMN)",
			s.Path))
	}
	return scores
}

// isVerdict reports whether a column with the name of a judge holds verdicts: yes and no, or numbers.
// People may have numbers for names.
func (c *Column) isVerdict(people bool) bool {
	for text := range c.values {
		_, number := data.Number(text)
		verdict := slices.Contains(names().Verdicts, strings.ToLower(text))
		if !verdict && (people || !number) {
			return false
		}
	}
	return c.Filled > 0 && c.long == 0 && (!people || len(c.values) == 2)
}

// noValue reports whether a column can hold no values: it has long texts alone.
func (c *Column) noValue() bool { return c.long == c.Filled }

// guess is the format of a table or list by the names of its columns.
func guess(path string, o Options) (*Format, error) {
	sheet, err := OpenSheet(path)
	if err != nil {
		return nil, err
	}
	if way := keyed(path); way != "" {
		return nil, fmt.Errorf("%s %s", path, way)
	}
	r := sheet.Find(o)
	if len(o.Judges) == 0 && !r.sided(sheet, o) && o.shared(path) {
		return nil, fmt.Errorf("%s is the file of judges and of people, and no names of columns, such as llm_score and human_score, say whose "+
			"values they have: name them with --judge NAME=COLUMN and --map people.NAME=COLUMN; it has %s", path,
			strings.Join(data.Each(r.Scores, func(c ScoreColumn) string { return c.Path }), ", "))
	}
	f := *sheet.format
	f.roles = r
	column := func(role string) paths {
		if name := r.Columns[role]; name != "" {
			return paths{name}
		}
		return nil
	}
	f.Item = itemMap{ID: column("id"), Repeat: column("repeat"), Turn: column("turn"), Question: column("question"), Text: column("text"),
		Group: column("group"), System: column("system"), Inclusion: column("inclusion")}
	f.Status = column("status")
	if r.Columns["choice"] != "" && r.Columns["a"] != "" && r.Columns["b"] != "" {
		a := folded(r.Columns["a"])
		if !slices.ContainsFunc([]string{"output", "answer", "response"}, func(word string) bool { return strings.HasPrefix(a, word) }) {
			f.Item.SystemA, f.Item.SystemB = column("a"), column("b") // else they are texts
		}
		f.Item.System = nil
		f.Item.A, f.Item.B, f.Item.Text = column("a"), column("b"), nil
		f.Scores = []scoreMap{{Value: column("choice"), Choices: firstSecond, Method: paths{"'annotation'"}}}
		f.Scores[0].by(o, column("by"), path)
		return &f, nil
	}
	for _, score := range r.Scores {
		m := scoreMap{Reason: column("reason"), Value: paths{score.Path}, Criterion: paths{literalPath(score.Criterion)}}
		if score.Criterion == "" {
			m.Criterion = column("criterion")
		}
		m.by(o, column("by"), path)
		if score.By != "" {
			m.by(o, paths{literalPath(score.By)}, path)
		}
		f.Scores = append(f.Scores, m)
	}
	f.Scores = append(f.Scores, sheet.lists(r, o)...)
	return &f, nil
}

// sided reports whether the columns that are read are one side's alone.
func (r *Roles) sided(s *Sheet, o Options) bool {
	side := func(people bool) []string {
		other := o
		other.People = people
		var all []string
		found := &Roles{Columns: map[string]string{}}
		for _, c := range s.ofSide(found, s.candidates(found, map[string]bool{}, other), other) {
			all = append(all, c.Path)
		}
		return all
	}
	ofPeople := side(true)
	for name := range o.Map {
		if _, criterion, found := strings.Cut(name, "."); found && itemKeys[criterion] == "" {
			return true
		}
	}
	return !slices.ContainsFunc(side(false), func(path string) bool { return slices.Contains(ofPeople, path) })
}

// shared reports whether a file is also read for the other side.
func (o Options) shared(path string) bool {
	return slices.ContainsFunc(o.Other, func(other string) bool {
		one, err := os.Stat(path)
		two, fault := os.Stat(other)
		return path == other || err == nil && fault == nil && os.SameFile(one, two)
	})
}

// ownScores are the columns that the user maps as criteria, or judges, of this side: no others are read.
func (o Options) ownScores() map[string]bool {
	columns := map[string]bool{}
	for _, path := range o.Judges {
		if !o.People {
			columns[strings.TrimPrefix(path, ".")] = true
		}
	}
	for name, path := range o.Map {
		part, role := o.mapped(name)
		if part != "" && !role && (o.People || !strings.HasPrefix(name, sidePeople+".")) {
			columns[strings.TrimPrefix(path, ".")] = true
		}
	}
	return columns
}

// others are the columns of a file of both sides that the user maps as scores, or names, of the other side alone, with that flag.
func (o Options) others(file string) map[string]string {
	columns, whose := map[string]string{}, "people's: "
	if !o.shared(file) {
		return columns
	}
	if o.People {
		whose = "the judge's: "
	}
	for name, path := range o.Map {
		side, key, dotted := strings.Cut(name, ".")
		if !dotted || side != sidePeople {
			side = sideJudge // scores without a side are the judge's
		}
		if o.People == (side == sideJudge) && itemKeys[key] == "" && itemKeys[name] == "" && key != "criterion" && name != "criterion" {
			columns[strings.TrimPrefix(path, ".")] = whose + "--map " + name + "=" + path
		}
	}
	for name, path := range o.Judges {
		if o.People {
			columns[strings.TrimPrefix(path, ".")] = whose + "--judge " + name + "=" + path
		}
	}
	return columns
}

// literalPath is a path that stands for a text.
func literalPath(text string) string { return "'" + strings.ReplaceAll(text, "'", "’") + "'" }

// by sets who scores: those in a column, or else one judge or person with the name of the file.
func (m *scoreMap) by(o Options, column paths, path string) {
	who := slices.Clone(column)
	if !o.Raters || column == nil {
		who = append(who, literalPath(baseName(path)))
	}
	if o.People {
		m.Person = who
	} else {
		m.Judge = who
	}
}

// SameCriterion reports whether the name of a judge's criterion, for instance rubric.correct, and
// that of people are of the same criterion: equal, or equal in the last part.
func SameCriterion(judge, people string) bool {
	return slices.Contains(CriterionKeys(judge), FoldedName(people))
}

// CriterionKeys are the folded names that people may have for a judge's criterion: its own, and the last part of it.
func CriterionKeys(judge string) []string {
	return []string{folded(judge), folded(judge[strings.LastIndexByte(judge, '.')+1:])}
}

// FoldedName is a name of a column or criterion as names are compared.
func FoldedName(name string) string { return folded(name) }
