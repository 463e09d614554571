package sources

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"compqa/data"
)

//go:embed pairroles.yaml
var pairRolesYAML []byte

// pairNames are the lists of pairroles.yaml.
type pairNames struct {
	Sides [][2]string
	Names map[string][]string `yaml:",inline"`
}

var pairRoles = sync.OnceValue(func() pairNames { return data.Must(ofYAML[pairNames](pairRolesYAML)) })

// tableOfPairs names the format of pairs whose columns are found by their names.
const tableOfPairs = "table"

// TableOfPairs is the format that a user names for a file of pairs to be recognised by its content or by the names of its columns.
const TableOfPairs = tableOfPairs

// tablesOfPairs are the keys under which a JSON document may have its list of pairs.
var tablesOfPairs = paths{"data", "rows", "items", "records", "pairs", "examples", "results"}

// The roles that only columns of pairs can have.
const (
	RoleSystemMessage = "system_message"
	RoleContext       = "context"
	RoleBefore        = "before" // turns before the question
	RoleBetter        = "chosen"
	RoleWorse         = "rejected"
	RoleSystemA       = "system_a"
	RoleSystemB       = "system_b"
	RolePerson        = "person"
	RoleJudge         = "judge"
	RoleOrder         = "order"
	RoleScore         = "score"
	RoleScoreA        = "score_a"
	RoleScoreB        = "score_b"
	RoleMedia         = "media"
	RoleDomain        = "domain"
)

// A pairColumn is a column of a table of pairs, with counts and kinds of its values.
type pairColumn struct {
	name   string
	filled int
	values map[string]bool // distinct values, up to mostDistinct
	long   int             // values of more than mostLabel bytes, and objects

	words, places, number, other bool // kinds of values: letters or nouns, places such as left, numbers, no choice
}

// mostDistinct is the number of distinct values that are kept of a column.
const mostDistinct = 60

// pairColumns returns the columns of a table or list of pairs: the names in all records, in order of first appearance. first is the first
// record, and rows their number.
func (f *Format) pairColumns(path string, o Options) (columns []*pairColumn, first *data.Document, rows int, err error) {
	byName := map[string]*pairColumn{}
	for record, err := range f.records(path, quiet) {
		if err != nil {
			return nil, nil, 0, err
		}
		if first == nil {
			document := *record.Document
			first = &document
		}
		rows++
		record.object().ForEach(func(key, value gjson.Result) bool {
			c := byName[key.Str]
			if c == nil {
				c = &pairColumn{name: key.Str, values: map[string]bool{}}
				byName[key.Str] = c
				columns = append(columns, c)
			}
			c.see(value, o)
			return true
		})
	}
	if first == nil {
		return nil, nil, 0, fmt.Errorf("%s has no pairs", path)
	}
	return columns, first, rows, nil
}

// see counts a value, and notes which kind it is.
func (c *pairColumn) see(value gjson.Result, o Options) {
	if value.Type == gjson.JSON {
		if value.Raw != "[]" && value.Raw != "{}" {
			c.filled++
			c.long++
		}
		return
	}
	text := valueOf(value)
	if o.missing(text) {
		return
	}
	c.filled++
	if len(text) > mostLabel {
		c.long++
		return
	}
	if c.values[text] {
		return
	}
	if len(c.values) < mostDistinct {
		c.values[text] = true
	}
	if _, is := data.Number(text); is {
		c.number = true
		return
	}
	switch choice, known := ChoiceOf(text); {
	case !known:
		c.other = true
	case choice.Choice == data.ChoiceTie:
	case choice.Place:
		c.places = true
	default:
		c.words = true
	}
}

// choices reports whether all values are words for choices, and not only ties.
func (c *pairColumn) choices() bool {
	return (c.words || c.places) && !c.number && !c.other && c.long == 0
}

// shown returns the distinct values of a column for display, or nil if they are too many or too long.
func (c *pairColumn) shown() (values []string) {
	if c.long > 0 || len(c.values) > mostShownValues {
		return nil
	}
	return slices.Sorted(maps.Keys(c.values))
}

// A pairFinder determines the roles of the columns of a file of pairs.
type pairFinder struct {
	f       *Format
	o       Options
	columns []*pairColumn
	first   *data.Document
	rows    int
	used    map[string]bool
	given   map[string][]string // columns by role, as the user's map says
	reading *Reading
	code    bool // a function reads the records, so that a map can only leave columns out
}

// pairTable returns the format of a table or list of pairs. It starts from a published layout, if there is one. It adds the roles that the
// user's map gives, then those that column names show. If the file has this project's own columns, it returns format unchanged. A column
// that is not understood, and may be a choice, an answer or a text that the judge should see, is an error.
func pairTable(path string, layout, format *Format, o Options) (*Format, error) {
	f := &Format{Name: tableOfPairs, About: "a table of pairs", Source: baseName(path), Rows: tablesOfPairs, Table: true}
	if layout != nil {
		copied := *layout
		copied.Item.Shared, copied.Item.Media = slices.Clone(layout.Item.Shared), slices.Clone(layout.Item.Media)
		copied.Scores = slices.Clone(layout.Scores)
		f = &copied
	}
	own := layout == nil && len(o.Map) == 0  // the file may be one of this project's own
	if own && !o.Alone && f.ownTable(path) { // a reading that is only shown finds the faults of all rows
		return format, nil
	}
	columns, first, rows, err := f.pairColumns(path, o)
	if err != nil {
		return nil, err
	}
	if own && builtIn(data.Each(columns, func(c *pairColumn) string { return c.name })) {
		return format, nil
	}
	p := &pairFinder{f: f, o: o, columns: columns, first: first, rows: rows, used: map[string]bool{},
		reading: &Reading{File: filepath.Base(path), Side: sidePairs, Format: f.Name}}
	p.given, err = o.pairMap(first, columns)
	if err != nil {
		return nil, err
	}
	for _, find := range []func() error{p.ofLayout, p.ofMap, p.answers, p.asked, p.chosen, p.rest} {
		if err := find(); err != nil {
			return nil, err
		}
	}
	f.Reading = p.reading
	return f, nil
}

// ownTable reports whether a file is a table with the columns of this project's own files of pairs. It reads the first row only, because
// all rows have the same columns.
func (f *Format) ownTable(path string) bool {
	for record, err := range f.records(path, quiet) {
		return err == nil && record.Table != nil && builtIn(record.Table.Names)
	}
	return false
}

// builtIn reports whether the columns equal those of this project's own files of pairs. A further column is allowed if object1, item or
// cluster shows that the file is one of them.
func builtIn(columns []string) bool {
	has := func(name string) bool { return slices.Contains(columns, name) }
	if !has("a") || !has("b") || !has("question") {
		return len(columns) == 0
	}
	extra := data.Where(columns, func(name string) bool { return !slices.Contains(data.PairFields, name) })
	return len(extra) == 0 || has("object1") || has("item") || has("cluster")
}

// named reports whether there is a column with exactly this name.
func (p *pairFinder) named(name string) bool { return p.column(name) != nil }

func (p *pairFinder) column(name string) *pairColumn {
	c, _ := data.First(p.columns, func(c *pairColumn) bool { return c.name == name })
	return c
}

// take records the role of a column and the reason, and returns the column as a path. A column that has a role keeps it.
func (p *pairFinder) take(name, role, why string) paths {
	if p.used[name] {
		return paths{name}
	}
	p.used[name] = true
	read := ColumnRead{Column: name, Role: role, Why: why}
	labels := []string{RoleChoice, RoleOrder, RolePerson, RoleJudge, RoleStatus, RoleDomain, RoleLeft}
	if c := p.column(name); c != nil && slices.Contains(labels, strings.SplitN(role, ".", 2)[0]) {
		read.Values = c.shown()
	}
	p.reading.Columns = append(p.reading.Columns, read)
	return paths{name}
}

// byName returns the first column without a role whose name is in a list of pairroles.yaml. Columns for which a but function is true are
// skipped.
func (p *pairFinder) byName(list string, but ...func(*pairColumn) bool) *pairColumn {
	for _, name := range pairRoles().Names[list] {
		for _, c := range p.columns {
			if !p.used[c.name] && c.filled > 0 && folded(c.name) == folded(name) && !slices.ContainsFunc(but,
				func(f func(*pairColumn) bool) bool { return f(c) }) {
				return c
			}
		}
	}
	return nil
}

// set fills in a role that has no column yet, with a column that byName finds.
func (p *pairFinder) set(into *paths, list, role string, but ...func(*pairColumn) bool) {
	if *into != nil {
		return
	}
	if c := p.byName(list, but...); c != nil {
		*into = p.take(c.name, role, "its name")
	}
}

// ofLayout takes the columns that the layout names. If a required column is missing while an unknown column exists, the unknown one may be
// the missing one under another name, which is an error.
func (p *pairFinder) ofLayout() error {
	if p.f.Name == tableOfPairs {
		return nil
	}
	var gone []string
	for _, role := range p.f.pairPaths() {
		found := false
		for _, path := range role.paths {
			if column := p.head(path); column != "" {
				p.take(column, role.name, "format "+p.f.Name)
				found = true
			}
		}
		optional := slices.Contains([]string{RoleItem, RoleDomain, RoleGroup, RoleReason, RoleSystemA, RoleSystemB, RoleMedia}, role.name)
		if !found && !optional && len(role.paths) > 0 && !strings.HasPrefix(role.paths[0], "'") {
			gone = append(gone, role.paths[0])
		}
	}
	p.leaveOut()
	if len(gone) == 0 || len(p.o.Map) > 0 {
		return nil
	}
	for _, c := range p.columns {
		if !p.used[c.name] && c.filled > 0 && !p.knownLeft(c.name) && p.roleOfName(c.name) == "" {
			return p.first.Errorf("this looks like %s, but there is no column %s, and %s is none of its columns; say what it is: --map ROLE=%s "+
				"(item, question, a, b, choice, context …), or --map left=%s", p.f.Name, data.List(gone), c.name, c.name, c.name)
		}
	}
	return nil
}

// head returns the column that a path begins with, or "" if there is none.
func (p *pairFinder) head(path string) string {
	if strings.HasPrefix(path, "'") || path == "" {
		return ""
	}
	if p.named(path) {
		return path
	}
	name := strings.ReplaceAll(path, `\.`, "\x00")
	name, _, _ = strings.Cut(name, ".")
	name = strings.ReplaceAll(strings.TrimSuffix(name, "[]"), "\x00", ".")
	if p.named(name) {
		return name
	}
	return ""
}

// A rolePaths is a role of a layout and the paths where the role's values are.
type rolePaths struct {
	name  string
	paths paths
}

// pairPaths returns the roles of a layout with their paths.
func (f *Format) pairPaths() (roles []rolePaths) {
	add := func(name string, p paths) {
		if p != nil {
			roles = append(roles, rolePaths{name, p})
		}
	}
	m := f.Item
	add(RoleItem, m.ID)
	add(RoleQuestion, m.Question)
	add(RoleSystemMessage, m.SystemMessage)
	add(RoleBefore, m.Before)
	for _, path := range m.Shared {
		add(RoleContext, paths{path})
	}
	for _, path := range m.Media {
		add(RoleMedia, paths{path})
	}
	add(RoleA, m.A)
	add(RoleB, m.B)
	add(RoleBetter, m.Better)
	add(RoleWorse, m.Worse)
	add(RoleSystemA, m.SystemA)
	add(RoleSystemB, m.SystemB)
	add(RoleScoreA, m.ScoreA)
	add(RoleScoreB, m.ScoreB)
	add(RoleScore, m.Ratings)
	add(RoleStatus, m.Status)
	add(RoleChoice, m.Label)
	add(RoleDomain, m.Domain)
	add(RoleGroup, m.Cluster)
	if c := m.Candidates; c != nil {
		add("answers", c.List)
		if c.Columns != "" {
			var numbered paths
			for i := 1; i <= 1000; i++ {
				numbered = append(numbered, fmt.Sprint(c.Columns, i))
			}
			add("answers", numbered)
		}
		for _, p := range []paths{c.Systems, c.Ranks, c.Scores, c.Games, c.Best, c.Ordered} {
			add(RoleChoice, p)
		}
	}
	for _, s := range f.Scores {
		if s.Each != nil {
			add(RoleChoice, s.Each)
			continue
		}
		add(RoleChoice, s.Value)
		add(RoleJudge, s.Judge)
		add(RolePerson, s.Person)
		add(RoleReason, s.Reason)
	}
	return roles
}

// ofMap takes the columns that the user's map names.
func (p *pairFinder) ofMap() error {
	one := func(role string, into *paths) {
		if columns := p.given[role]; len(columns) > 0 {
			*into = nil
			for _, column := range columns {
				*into = append(*into, p.take(column, role, "--map")...)
			}
		}
	}
	m := &p.f.Item
	for _, role := range []struct {
		name string
		into *paths
	}{{RoleItem, &m.ID}, {RoleQuestion, &m.Question}, {RoleSystemMessage, &m.SystemMessage}, {RoleBefore, &m.Before}, {RoleA, &m.A},
		{RoleB, &m.B}, {RoleBetter, &m.Better}, {RoleWorse, &m.Worse}, {RoleSystemA, &m.SystemA}, {RoleSystemB, &m.SystemB},
		{RoleScoreA, &m.ScoreA}, {RoleScoreB, &m.ScoreB}, {RoleStatus, &m.Status}, {RoleGroup, &m.Cluster}, {RoleDomain, &m.Domain}} {
		one(role.name, role.into)
	}
	for _, column := range p.given[RoleContext] {
		m.Shared = append(m.Shared, p.take(column, RoleContext, "--map")[0])
	}
	for _, column := range p.given[RoleMedia] {
		m.Media = append(m.Media, p.take(column, RoleMedia, "--map")[0])
	}
	for _, column := range p.given[RoleLeft] {
		p.take(column, RoleLeft, "--map")
	}
	if len(p.given[RoleA]) > 0 {
		m.Better = nil
		m.Worse = nil
	}
	return nil
}

// answers finds the columns of the two answers, their systems and scores: named for two sides, or as the better and the worse one.
func (p *pairFinder) answers() error {
	m := &p.f.Item
	if m.Candidates == nil {
		if m.A == nil && m.Better == nil {
			m.A, m.B = p.bothSides("text", RoleA, RoleB)
		}
		if m.A == nil && m.Better == nil {
			better := p.byName("better")
			worse := p.byName("worse")
			if better != nil && worse != nil {
				m.Better, m.Worse = p.take(better.name, RoleBetter, "its name"), p.take(worse.name, RoleWorse, "its name")
			}
		}
		if (m.A == nil || m.B == nil) && (m.Better == nil || m.Worse == nil) {
			return p.refuse()
		}
	}
	if m.Better != nil {
		p.set(&m.SystemA, "better_system", RoleSystemA)
		p.set(&m.SystemB, "worse_system", RoleSystemB)
		if m.Ratings == nil {
			p.set(&m.ScoreA, "better_score", RoleScoreA)
			p.set(&m.ScoreB, "worse_score", RoleScoreB)
		}
		return nil
	}
	if m.SystemA == nil {
		m.SystemA, m.SystemB = p.bothSides("system", RoleSystemA, RoleSystemB)
	}
	if m.ScoreA == nil && m.Candidates == nil {
		m.ScoreA, m.ScoreB = p.bothSides("score", RoleScoreA, RoleScoreB)
	}
	return nil
}

// refuse returns the error of a table in which no pairs are found.
func (p *pairFinder) refuse() error {
	id := p.byName("id")
	choice := p.byName("choice")
	if id != nil && choice != nil && p.byName("question") == nil {
		return p.first.Errorf("%s and %s are choices on pairs that this file does not have; give the pairs, too: compqa pairwise import --pairs "+
			"PAIRS --in %s, without --format", id.name, choice.name, p.reading.File)
	}
	return p.first.Errorf("a pair needs a question and two answers, in columns such as question, response_a, response_b, or question, "+
		"chosen, rejected; there are %s; say what they are: --map question=COLUMN,a=COLUMN,b=COLUMN,choice=COLUMN",
		strings.Join(data.Each(p.columns, func(c *pairColumn) string { return c.name }), ", "))
}

// bothSides returns the first two columns that are named for the same word and the two sides, as answer_a and answer_b.
func (p *pairFinder) bothSides(list, roleA, roleB string) (a, b paths) {
	words := pairRoles().Names[list]
	if list == "text" {
		words = append(slices.Clone(words), "")
	}
	for _, word := range words {
		for _, side := range pairRoles().Sides {
			first := p.ofSide(word, side[0])
			second := p.ofSide(word, side[1])
			if first != "" && second != "" {
				return p.take(first, roleA, "its name"), p.take(second, roleB, "its name")
			}
		}
	}
	return nil, nil
}

// ofSide returns the column that is named for a word and a side, in either order, or for the side alone if word is "". "" means there is
// none.
func (p *pairFinder) ofSide(word, side string) string {
	word = folded(word)
	if word == "" && len(side) > 1 && side != "ii" { // left or right may stand alone, but not 1 or 2
		for _, c := range p.columns {
			if !p.used[c.name] && folded(c.name) == side {
				return c.name
			}
		}
		return ""
	}
	for _, c := range p.columns {
		if name := folded(c.name); !p.used[c.name] && word != "" && c.filled > 0 && (name == word+side || name == side+word) {
			return c.name
		}
	}
	if word == "" && (side == "a" || side == "b") && p.named(side) && !p.used[side] {
		return side
	}
	return ""
}

// asked finds the question and what is shown with it: system message, earlier turns, further texts, media; also the id, group and domain.
func (p *pairFinder) asked() error {
	m := &p.f.Item
	p.set(&m.ID, "id", RoleItem, p.repeats)
	p.set(&m.Question, "question", RoleQuestion)
	p.set(&m.SystemMessage, "system_message", RoleSystemMessage)
	p.set(&m.Before, "before", RoleBefore)
	if m.Question == nil && m.Before != nil {
		m.Question = m.Before
		m.Before = nil
	}
	p.set(&m.Question, "context", RoleQuestion)
	for _, list := range []string{"question", "context"} {
		for c := p.byName(list); c != nil; c = p.byName(list) {
			m.Shared = append(m.Shared, p.take(c.name, RoleContext, "its name")[0])
		}
	}
	for _, list := range []string{"image", "audio", "video"} {
		for c := p.byName(list); c != nil; c = p.byName(list) {
			m.Media = append(m.Media, p.take(c.name, RoleMedia, "its name")[0])
		}
	}
	p.set(&m.Cluster, "group", RoleGroup)
	p.set(&m.Domain, "domain", RoleDomain, func(c *pairColumn) bool { return c.long > 0 })
	if m.Question == nil && m.Better == nil && m.Candidates == nil && !p.messages(m.A) {
		return p.refuse()
	}
	return nil
}

// messages reports whether all values of a column are long, such as lists of messages that may contain the question.
func (p *pairFinder) messages(path paths) bool {
	c := p.column(path[0])
	return c != nil && c.long == c.filled
}

// repeats reports whether a column cannot be an id, because all of several rows have the same value.
func (p *pairFinder) repeats(c *pairColumn) bool {
	return p.rows > 1 && c.filled == p.rows && len(c.values) == 1 && c.long == 0
}

// pairMap returns the columns that the user's map names, by role. An unknown column is an error, and so is a role that pairs do not have.
func (o Options) pairMap(first *data.Document, columns []*pairColumn) (map[string][]string, error) {
	known := func(name string) bool {
		head, _, _ := strings.Cut(name, ".")
		return slices.ContainsFunc(columns, func(c *pairColumn) bool { return c.name == name || c.name == head })
	}
	given := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(o.Map)) {
		role, is := pairKeys[strings.TrimPrefix(strings.TrimPrefix(name, sidePeople+"."), sideJudge+".")]
		if !is {
			return nil, first.Errorf("--map has %q; the names of pairs are %s", name, pairKeyNames())
		}
		listed := []string{o.Map[name]}
		if !known(listed[0]) {
			listed = strings.FieldsFunc(o.Map[name], func(r rune) bool { return r == '|' || r == ',' })
		}
		for _, column := range listed {
			column = strings.TrimPrefix(strings.TrimSpace(column), ".")
			if !known(column) {
				return nil, first.Errorf("--map %s=%s: there is no column %q%s", name, column, column,
					data.Suggest(column, "columns", data.Each(columns, func(c *pairColumn) string { return c.name })))
			}
			given[role] = append(given[role], column)
		}
	}
	return given, nil
}

// pairKeys maps the names that a user's map of pairs, or of choices on pairs, may use to roles.
var pairKeys = map[string]string{RoleItem: RoleItem, "id": RoleItem, "unit": RoleItem, RoleQuestion: RoleQuestion, RoleA: RoleA,
	RoleB:      RoleB,
	RoleBetter: RoleBetter, RoleWorse: RoleWorse, "better": RoleBetter, "worse": RoleWorse, RoleSystemA: RoleSystemA, RoleSystemB: RoleSystemB,
	RoleScoreA: RoleScoreA, RoleScoreB: RoleScoreB, RoleChoice: RoleChoice, "value": RoleChoice, choiceSide: choiceSide,
	choiceShown:  choiceShown,
	choiceSystem: choiceSystem, choiceJudge: choiceJudge, "rater": RolePerson, RolePerson: RolePerson, "annotator": RolePerson,
	RoleJudge: RoleJudge, RoleReason: RoleReason, RoleOrder: RoleOrder, RoleGroup: RoleGroup, "cluster": RoleGroup, RoleDomain: RoleDomain,
	RoleContext: RoleContext, RoleSystemMessage: RoleSystemMessage, RoleBefore: RoleBefore, RoleMedia: RoleMedia, RoleStatus: RoleStatus,
	"left": RoleLeft}

func pairKeyNames() string { return strings.Join(slices.Sorted(maps.Keys(pairKeys)), ", ") }

// roleOfName returns the list of pairroles.yaml that contains a column's name, or "".
func (p *pairFinder) roleOfName(name string) string {
	for _, list := range []string{"id", "question", "context", "before", "system_message", "choice", "person", "judge", "reason",
		"order", "swapped",
		"group", "domain", "image", "audio", "video"} {
		if slices.ContainsFunc(pairRoles().Names[list], func(n string) bool { return folded(n) == folded(name) }) {
			return list
		}
	}
	return ""
}

// knownLeft reports whether a column's name is listed as one that is not read.
func (p *pairFinder) knownLeft(name string) bool {
	return slices.ContainsFunc(pairRoles().Names["left"], func(n string) bool { return folded(n) == folded(name) })
}

// rest leaves out the columns without a role. It returns an error for a column that may be a choice, an answer, an order or a text that the
// judge should see; it reports up to five.
func (p *pairFinder) rest() error {
	var faults []error
	for _, c := range p.columns {
		if p.used[c.name] {
			continue
		}
		why := p.whyAsked(c)
		if why == "" {
			p.take(c.name, RoleLeft, p.whyLeft(c))
			continue
		}
		faults = append(faults, p.first.Errorf("the column %s is not read: %s; %s", c.name, why, p.advice(c.name)))
		if len(faults) == 5 {
			break
		}
	}
	return errors.Join(faults...)
}

// advice says what a user can do about a column that is not read. It offers only roles that the format takes from a map.
func (p *pairFinder) advice(name string) string {
	for _, role := range slices.Sorted(maps.Keys(p.given)) {
		if slices.Contains(p.given[role], name) {
			return fmt.Sprintf("%s has its own columns for that, and does not take --map %s=%s; rename the column, or leave it out: --map left=%s",
				p.f.Name, role, name, name)
		}
	}
	m := p.f.Item
	switch {
	case p.code:
		return fmt.Sprintf("if it is a column of %s (%s), give it that name; or leave it out: --map left=%s", p.f.Name,
			strings.Join(p.f.Reads, ", "), name)
	case m.Better != nil || m.Candidates != nil || p.f.Name != tableOfPairs && p.labelled():
		return fmt.Sprintf("%s has a choice already; show it to the judge: --map context=%s, or leave it out: --map left=%s",
			p.f.Name, name, name)
	}
	return fmt.Sprintf("say what it is: --map choice=%s, --map context=%s …, or leave it out: --map left=%s", name, name, name)
}

// whyLeft returns the reason why a column is left out.
func (p *pairFinder) whyLeft(c *pairColumn) string {
	switch {
	case c.filled == 0:
		return "empty"
	case c.filled == p.rows && len(c.values) == 1 && c.long == 0:
		return "always " + data.Clip(slices.Collect(maps.Keys(c.values))[0])
	case p.knownLeft(c.name):
		return "neither asked nor chosen"
	}
	return "no role has its name"
}

// whyAsked returns the reason why a column without a role must not be left out silently, or "" if it may be.
func (p *pairFinder) whyAsked(c *pairColumn) string {
	constant := p.rows > 1 && c.filled == p.rows && len(c.values) == 1 && c.long == 0
	asking := data.Among(pairRoles().Names["asking"])
	switch words := wordsOf(c.name); {
	case c.filled == 0 || constant:
		return ""
	case c.choices() && !p.knownLeft(c.name):
		return "its values are choices"
	case p.knownLeft(c.name):
		return ""
	case slices.ContainsFunc(words, func(word string) bool { return asking[word] }):
		return "its name may be of a choice, an answer, an order or a text that the judge should see"
	case 2*c.long > c.filled:
		return "its texts may be something that the judge should see"
	case !p.labelled() && c.filled > 5 && len(c.values) > 1 && len(c.values) <= 3:
		return fmt.Sprintf("no column has choices, and it has %d values", len(c.values))
	}
	return ""
}

// labelled reports whether the format already has a choice, or scores that decide it.
func (p *pairFinder) labelled() bool {
	m := p.f.Item
	return m.Label != nil || m.Better != nil || m.ScoreA != nil || m.Candidates != nil || len(p.f.Scores) > 0
}

// Sentence lists the columns of a file of pairs by role in one line, and names the columns that are not read.
func (r *Reading) Sentence() string {
	var roles, parts []string
	columns := map[string][]string{}
	for _, c := range r.Columns {
		if columns[c.Role] == nil {
			roles = append(roles, c.Role)
		}
		columns[c.Role] = append(columns[c.Role], data.Clip(c.Column))
	}
	left := columns[RoleLeft]
	for _, role := range roles {
		if role != RoleLeft {
			parts = append(parts, role+" "+strings.Join(columns[role], ", "))
		}
	}
	text := r.File + " is read as " + strings.Join(parts, "; ")
	if len(left) > 0 {
		text += "; not read: " + strings.Join(left, ", ")
	}
	return text
}
