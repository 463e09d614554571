package sources

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// ReadAnswers reads answers in the form of data.ReadAnswers or in the words of other programs: a text (answer, response,
// output …), and what it answers: the two objects, or the id or the text of one of the questions. A column system tells the
// systems apart; an answer without an id gets that of data.AnswerID. Options.Map names columns. note says which columns were read and
// which left out.
func ReadAnswers(path string, questions []data.Question, o Options) (answers []data.Answer, note string, err error) {
	r, err := newAnswerReader(path, questions, o)
	if err != nil || r == nil {
		if err == nil {
			answers, err = data.ReadAnswers(path)
		}
		return answers, "", err
	}
	var faults []error
	lines := map[string]int{}
	f := &Format{Rows: tablesOfPairs}
	for record, err := range f.records(path, quiet) {
		if err != nil {
			return nil, "", err
		}
		a, err := r.answer(record)
		if first := lines[a.ID]; err == nil && first > 0 {
			err = record.Errorf("the answer %q is also on line %d: a column id, system or repeat tells answers apart", a.ID, first)
		}
		lines[a.ID] = record.Line
		if err != nil {
			faults = append(faults, err)
			if len(faults) == 20 {
				break
			}
		}
		answers = append(answers, a)
	}
	if faults != nil {
		return nil, "", errors.Join(faults...)
	}
	read := data.Where([]string{r.id, r.asked, r.question, r.system, r.text, r.scenario, r.repeat}, func(c string) bool { return c != "" })
	note = fmt.Sprintf("%s: %s, from the columns %s", path, data.Plural(len(answers), "answer", "answers"), strings.Join(read, ", "))
	if left := r.free(); left != nil {
		note += "; left out: " + data.Clip(strings.Join(left, ", "))
	}
	return answers, note, nil
}

// ReadingOfAnswers says what the columns of a file of answers are; nil: they are those of data.ReadAnswers.
func ReadingOfAnswers(path string, o Options) (*Reading, error) {
	r, err := newAnswerReader(path, nil, o)
	if err != nil || r == nil {
		return nil, err
	}
	free := r.free()
	reading := &Reading{File: filepath.Base(path), Side: sideAnswers}
	for _, column := range r.columns {
		read, used := r.used[column]
		other, several := data.First(free, func(c string) bool { return slices.ContainsFunc(names().Roles[read.Role], namedAs(c)) })
		switch {
		case !used:
			read = ColumnRead{Role: RoleLeft, Why: "no role"}
		case several && read.Why == answerByName:
			read.Assumed, read.Why = true, fmt.Sprintf("its name, before that of %s", data.Clip(other))
		}
		if column == r.asked && r.id == "" && read.Role == "id" {
			read.Role = "question_id"
		} else if read.Role == "id" {
			read.Role = RoleItem
		}
		read.Column = column
		reading.Columns = append(reading.Columns, read)
	}
	return reading, nil
}

// answerRoles are the roles of columns of answers, as names.yaml calls them.
var answerRoles = []string{"question_id", "question", "id", "text", "system", "repeat", "scenario"}

const (
	sideAnswers  = "answers"
	answerByName = "its name"
)

// newAnswerReader finds the columns of a file of answers; nil: they are those of data.ReadAnswers.
func newAnswerReader(path string, questions []data.Question, o Options) (*answerReader, error) {
	columns, first, err := firstColumns(path)
	has := func(name string) bool { return slices.Contains(columns, name) }
	if err != nil || has("object1") && has("object2") && o.Map == nil {
		return nil, err
	}
	r := &answerReader{columns: columns, given: map[string]string{}, used: map[string]ColumnRead{}, byID: map[string]data.Question{},
		byText: map[string]data.Question{}}
	for name, column := range o.Map {
		role, _, own := o.mapped(name)
		if own && !strings.HasPrefix(name, sidePeople+".") {
			r.given[map[bool]string{true: "id", false: role}[role == RoleItem]] = column
			if !has(column) {
				return nil, first.Errorf("--map %s=%s: there is no column %q%s", name, column, column, data.Suggest(column, "columns", columns))
			}
		}
	}
	if r.kept, err = o.Given.of(path, sideAnswers); err != nil {
		return nil, err
	}
	if err := r.again(path); err != nil {
		return nil, err
	}
	for _, q := range questions {
		r.byID[q.ID], r.byText[data.QuestionCluster(q.Text)] = q, q
	}
	r.asked, r.question = r.column("question_id"), r.column("question")
	r.id, r.text, r.system = r.column("id"), r.column("text"), r.column("system")
	r.repeat, r.scenario = r.column("repeat"), r.column("scenario")
	switch {
	case r.text == "" || r.asked == "" && r.question == "" && r.id == "":
		return nil, first.Errorf("answers need a text and what it answers, in columns such as answer and question_id (or question, or "+
			"object1 and object2); there are %s", strings.Join(columns, ", "))
	case r.asked == "" && r.question == "": // ids of questions, one answer each
		r.asked, r.id = r.id, ""
	}
	return r, nil
}

// again takes the columns of a reading that was given back. One that is new or gone is an error that names it.
func (r *answerReader) again(path string) error {
	if r.kept == nil {
		return nil
	}
	for _, column := range r.columns {
		if !slices.ContainsFunc(r.kept.Columns, func(c ColumnRead) bool { return c.Column == column }) {
			return fmt.Errorf("%s: the column %q is not in the reading; add it to --reading, for instance with role %q", path, column, RoleLeft)
		}
	}
	for _, c := range r.kept.Columns {
		role := c.Role
		if role == RoleItem {
			role = "id"
		}
		switch {
		case !slices.Contains(r.columns, c.Column):
			return fmt.Errorf("%s has no column %q, which the reading has with role %q", path, c.Column, c.Role)
		case role == RoleLeft:
		case !slices.Contains(answerRoles, role) || r.given[role] != "":
			return fmt.Errorf("the reading has the role %q for %s; answers have item, question_id, question, text, system, repeat and scenario, "+
				"each of one column", c.Role, c.Column)
		default:
			r.given[role] = c.Column
		}
	}
	return nil
}

// namedAs reports whether a name is that of a column.
func namedAs(column string) func(string) bool {
	return func(name string) bool { return folded(name) == folded(column) }
}

// free are the columns without a role.
func (r *answerReader) free() []string {
	return data.Where(r.columns, func(c string) bool { return r.used[c].Role == "" })
}

// An answerReader has the columns of answers; "" is one that is not there.
type answerReader struct {
	columns                                             []string
	given                                               map[string]string // columns that the user names, by role
	kept                                                *Reading          // that was given back; nil: none
	used                                                map[string]ColumnRead
	byID, byText                                        map[string]data.Question
	asked, question, id, text, system, repeat, scenario string
}

// column is the column of a role, by its names in names.yaml.
func (r *answerReader) column(role string) string {
	if given := r.given[role]; given != "" {
		why := "--map"
		if r.kept != nil {
			why = "--reading"
		}
		r.used[given] = ColumnRead{Role: role, Why: why}
		return given
	}
	if r.kept != nil {
		return ""
	}
	for _, name := range names().Roles[role] {
		if c, found := data.First(r.free(), namedAs(name)); found {
			r.used[c] = ColumnRead{Role: role, Why: answerByName}
			return c
		}
	}
	return ""
}

// answer reads one answer.
func (r *answerReader) answer(record *scope) (data.Answer, error) {
	get := func(column string) string {
		if column == "" {
			return ""
		}
		return strings.TrimSpace(record.text(paths{column}))
	}
	a := data.Answer{Status: data.Valid, ID: get(r.id), System: get(r.system), Scenario: get(r.scenario),
		Text: record.text(paths{r.text}), Repeat: 1}
	if a.Scenario == "" {
		a.Scenario = data.NoScenario
	}
	if text := get(r.repeat); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return a, record.Errorf("%s is %q; it must be 1, 2, 3 …", r.repeat, data.Clip(text))
		}
		a.Repeat = n
	}
	asked, text := get(r.asked), get(r.question)
	q, known := r.byID[asked]
	if !known {
		q, known = r.byID[strings.TrimSuffix(asked, ".0")] // as pandas writes a whole number beside missing ones
	}
	if !known && text != "" {
		q, known = r.byText[data.QuestionCluster(text)]
	}
	if !known {
		what := asked
		if what == "" {
			what = text
		}
		return a, record.Errorf("no question of the set has the id or the text %q", data.Clip(what))
	}
	a.Object1, a.Object2, a.Aspect, a.Question = q.Object1, q.Object2, q.Aspect, q.ID
	if a.ID == "" {
		a.ID = data.AnswerID(a.System, a.Scenario, q.ID, a.Repeat)
	}
	return a, nil
}

// firstColumns are the columns, or the names in the first object, of a file, and its first record.
func firstColumns(path string) (columns []string, first *data.Document, err error) {
	f := &Format{Rows: tablesOfPairs}
	for record, err := range f.records(path, quiet) {
		if err != nil {
			return nil, nil, err
		}
		record.object().ForEach(func(key, _ gjson.Result) bool {
			columns = append(columns, key.Str)
			return true
		})
		return columns, record.Document, nil
	}
	return nil, nil, fmt.Errorf("%s has no answers", path)
}
