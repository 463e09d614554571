package sources

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"compqa/data"
)

// A Reading says for one side what each column of a file is, and why: its role, the criterion and the rater of its values, and whether that
// is declared or assumed. A Reading can be shown, written as YAML, and given back (Options.Given).
type Reading struct {
	File    string       `yaml:"file"`             // without its folder
	Side    string       `yaml:"side"`             // judge, people, raters, answers, pairs or preferences
	Format  string       `yaml:"format,omitempty"` // format in formats.yaml; "" for a table that is read by its columns
	Turned  bool         `yaml:"turned,omitempty"` // columns are items and rows are raters
	Judges  []string     `yaml:"judges,omitempty"` // in a file of judges and people, the raters who are judges; nil for a file of one side
	Columns []ColumnRead `yaml:"columns"`
}

// A ColumnRead says what one column is.
type ColumnRead struct {
	Column    string   `yaml:"column"`
	Role      string   `yaml:"role"` // one of the constants below
	Criterion string   `yaml:"criterion,omitempty"`
	Rater     string   `yaml:"rater,omitempty"`  // who gave its values; "": another column says it, or the file's name stands for the rater
	Values    []string `yaml:"values,omitempty"` // for values: up to mostShownValues labels
	Why       string   `yaml:"why"`
	Assumed   bool     `yaml:"assumed,omitempty"`
}

// The roles of columns. They are also the names that --map uses.
const (
	RoleItem      = "item"
	RoleTopic     = "topic" // the first of two columns that make an id; also the cluster
	RoleQuestion  = "question"
	RoleText      = "text"
	RoleSystem    = "system"
	RoleGroup     = "group"
	RoleRater     = "rater" // the person or the judge who scores
	RoleCriterion = "criterion"
	RoleValue     = "value"
	RoleReason    = "reason"
	RoleTurn      = "turn"
	RoleRepeat    = "repeat"
	RoleWhen      = "when"
	RoleInclusion = "inclusion"
	RoleStatus    = "status"

	RoleConfidence = "confidence" // how sure the judge is of its values
	RoleOrigin     = "origin"     // where people's values come from: see data.OriginPerson
	RoleA          = "a"
	RoleB          = "b"
	RoleChoice     = "choice"
	RoleLeft       = "left out"
	RoleWriter     = "writer of the text" // a model or a person; not read
	RoleUnread     = "not read"           // in a file of a known format: an unknown column whose values look like scores
)

// mostShownValues is the number of values of a column that a reading keeps.
const mostShownValues = 12

// Assumed returns the columns whose roles are guesses. A role is declared by a format, flag or reading, by an unambiguous name, or by a
// criterion that both sides have.
func (r *Reading) Assumed() []ColumnRead {
	return data.Where(r.Columns, func(c ColumnRead) bool { return c.Assumed })
}

// Assumed returns the columns of several readings whose roles are guesses.
func Assumed(readings []*Reading) (assumed []ColumnRead) {
	for _, r := range readings {
		assumed = append(assumed, r.Assumed()...)
	}
	return assumed
}

// columns returns the columns with a role.
func (r *Reading) columns(role string) []ColumnRead {
	return data.Where(r.Columns, func(c ColumnRead) bool { return c.Role == role })
}

// What returns the role of a column in words, as "value of clear by Anna".
func (c ColumnRead) What() string {
	text := c.Role
	if c.Criterion != "" {
		text += " of " + c.Criterion
	}
	if c.Rater != "" {
		text += " by " + c.Rater
	}
	return text
}

// examples lists the values of a column, with ";" between them if one has a decimal comma.
func (c ColumnRead) examples() string {
	separator := ", "
	if slices.ContainsFunc(c.Values, func(value string) bool { return strings.Contains(value, ",") }) {
		separator = "; "
	}
	return strings.Join(c.Values, separator)
}

// Lines returns the reading as a table with a title and at most rows rows: column, role, values, reason. Assumed columns come first, each
// with a question mark.
func (r *Reading) Lines(rows int) []string {
	title := r.File + " (" + r.Side + "; " + cmp.Or(r.Format, "a table") + ")"
	columns := slices.Clone(r.Columns)
	slices.SortStableFunc(columns, func(a, b ColumnRead) int { return cmp.Compare(rank(a), rank(b)) })
	more := len(columns) - rows
	columns = columns[:min(rows, len(columns))]
	cells, width := cellsOfReading(columns, 34, 34, 30)
	if width[1]+width[2]+width[3] > 70 { // why has at least 20 of the 100 characters of a line
		cells, width = cellsOfReading(columns, 26, 24, 18)
	}
	lines := []string{title}
	for _, row := range cells {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(cell + strings.Repeat(" ", width[i]-len([]rune(cell))+2))
		}
		lines = append(lines, "  "+strings.TrimRight(b.String(), " "))
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("  and %s", data.Plural(more, "more column", "more columns")))
	}
	return lines
}

// cellsOfReading returns a heading and a row for each column: mark, name, role, values and reason, of which name, role and values have at
// most as many characters as given. It also returns the width of each.
func cellsOfReading(columns []ColumnRead, name, role, values int) (cells [][]string, width []int) {
	cells = [][]string{{"", "column", "role", "values", "why"}}
	for _, c := range columns {
		mark := ""
		if c.Assumed {
			mark = "?"
		}
		cells = append(cells, []string{mark, clipped(c.Column, name), clipped(c.What(), role), clipped(c.examples(), values), c.Why})
	}
	width = make([]int, len(cells[0]))
	for _, row := range cells {
		for i, cell := range row {
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	return cells, width
}

// rank returns the order in which columns are shown: assumed ones 0, other columns with a role 1, columns that are left out 2.
func rank(c ColumnRead) int {
	switch {
	case c.Assumed:
		return 0
	case c.Role != RoleLeft:
		return 1
	}
	return 2
}

// clipped returns a text in at most most characters, ending in … if it was longer.
func clipped(text string, most int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most-1]) + "…"
}

// Readings are the readings of all files of a command, and the user's answers to questions about them. They are the content of
// reading.yaml.
type Readings struct {
	Readings []*Reading        `yaml:"readings"`
	Checked  []string          `yaml:"checked,omitempty"` // checks that the user confirmed, as copy
	Pairs    map[string]string `yaml:"pair,omitempty"`    // criteria of the judge, with people's criteria that match them
	Scales   map[string]string `yaml:"scale,omitempty"`
	Missing  []string          `yaml:"missing,omitempty"`
	Repeats  string            `yaml:"repeats,omitempty"`
	Same     map[string]string `yaml:"same,omitempty"`      // labels with the same meaning
	Leave    []string          `yaml:"leave-out,omitempty"` // people to leave out
}

// ReadingName is the name of the file that has the readings of a command's figures.
const ReadingName = "reading.yaml"

// Write writes readings as YAML.
func (r *Readings) Write(w io.Writer) error {
	if _, err := io.WriteString(w, "# What each column was read as. compqa … --reading FILE reads exactly so.\n"); err != nil {
		return err
	}
	return yaml.NewEncoder(w).Encode(r)
}

// OpenReadings reads a file of readings. Unknown keys are an error.
func OpenReadings(path string) (*Readings, error) {
	content, path, err := data.ReadText(path)
	if err != nil {
		return nil, err
	}
	r := &Readings{}
	decoder := yaml.NewDecoder(strings.NewReader(string(content)))
	decoder.KnownFields(true)
	if err := decoder.Decode(r); err != nil {
		return nil, wrongYAML(path, err, "compqa validate writes "+ReadingName)
	}
	if len(r.Readings) == 0 {
		return nil, fmt.Errorf("%s has no readings; compqa validate writes %s beside its figures", path, ReadingName)
	}
	return r, nil
}

// wrongYAML returns a readable error for an unknown key or a wrong kind of value in a YAML file, without the names of Go types. form says
// what the file must be like.
func wrongYAML(path string, err error, form string) error {
	many, is := errors.AsType[*yaml.LoadErrors](err)
	if !is || len(many.Errors) == 0 {
		return fmt.Errorf("%s: %w", path, err)
	}
	first := many.Errors[0]
	what := "a value is of another kind"
	if key, _, unknown := strings.Cut(strings.TrimPrefix(first.Message, "field "), " not found in type "); unknown {
		what = fmt.Sprintf("the key %q is not known", key)
	}
	return fmt.Errorf("%s:%d: %s; it must be as %s", path, max(1, int(first.Mark.Line)), what, form)
}

// reading returns the reading of a file in the format, for one side.
func (f *Format) reading(path string, o Options) *Reading {
	if f.table != nil {
		return f.table
	}
	reading := &Reading{File: filepath.Base(path), Side: o.side(), Format: f.Name}
	if f.Item.Confidence != nil { // the user named this column
		reading.Columns = []ColumnRead{{Column: f.Item.Confidence[0], Role: RoleConfidence, Why: flagged}}
	}
	return reading
}

// side returns the side that is read: raters, people or judge.
func (o Options) side() string {
	switch {
	case o.Raters:
		return "raters"
	case o.People:
		return sidePeople
	}
	return sideJudge
}
