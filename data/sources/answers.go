package sources

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// ReadAnswers reads answers from a file of this project's own format or of another program. Each row needs a text (a column such as answer,
// response or output) and the question that it answers: the id or the text of one of questions, or, in the own format, the two objects that
// are compared. The column system distinguishes the systems. An answer without an id gets one from data.AnswerID. Options.Map names
// columns.
//
// note says which columns of another program's file were read, which were left out, and how many rows were skipped because they answer none
// of questions. A file without any usable row is an error.
func ReadAnswers(path string, questions []data.Question, o Options) (answers []data.Answer, note string, err error) {
	r, err := newAnswerReader(path, questions, o)
	if err != nil {
		return nil, "", err
	}
	var unknown []error
	lines := map[string]int{}
	err = r.format.each(path, "answers", func(record *scope) error {
		a, err := r.answer(record)
		if errors.Is(err, errNoQuestion) {
			unknown = append(unknown, err)
			return nil
		}
		if err != nil {
			return err
		}
		if first := lines[a.ID]; first > 0 {
			return record.Errorf("the answer %q is also on line %d: a column id, system or repeat tells answers apart", a.ID, first)
		}
		lines[a.ID] = record.Line
		answers = append(answers, a)
		return nil
	})
	if err == nil && len(answers) == 0 {
		err = errors.Join(unknown[:min(20, len(unknown))]...)
	}
	if err != nil || r.format.Strict != nil {
		return answers, "", err
	}
	read := data.Where(data.Each(answerRoles, r.columnFor), func(c string) bool { return c != "" })
	note = fmt.Sprintf("%s: %s, from the columns %s", path, data.Plural(len(answers), "answer", "answers"), strings.Join(read, ", "))
	if left := r.free(); left != nil {
		note += "; left out: " + data.Clip(strings.Join(left, ", "))
	}
	if unknown != nil {
		note += fmt.Sprintf("; %s not taken: %v", data.Plural(len(unknown), "row", "rows"), unknown[0])
	}
	return answers, note, nil
}

// QuestionsOfAnswers returns the distinct questions of a file of answers, in the order of rows. The id of a question is its value in the
// column question_id, or else its text. The result is nil if the file has no answers, or no column with the texts of questions.
func QuestionsOfAnswers(path string, o Options) (questions []data.Question, err error) {
	r, err := newAnswerReader(path, nil, o)
	if err != nil && o.Map == nil && o.Given == nil {
		return nil, nil // the caller reads the file as something else, and reports its errors
	}
	if err != nil || r.columnFor("question") == "" {
		return nil, err
	}
	err = r.format.each(path, "answers", func(record *scope) error {
		q := data.Question{Text: strings.TrimSpace(record.text(paths{r.columnFor("question")}))}
		key := data.QuestionCluster(q.Text)
		q.ID = q.Text
		if column := r.columnFor("question_id"); column != "" {
			q.ID = strings.TrimSpace(record.text(paths{column}))
			key = q.ID
		}
		before, known := r.byID[key]
		switch {
		case q.Text == "":
			return record.Errorf("%s is empty; the file's answers need their questions", r.columnFor("question"))
		case q.ID == "":
			return record.Errorf("%s is empty", r.columnFor("question_id"))
		case known && data.QuestionCluster(before.Text) != data.QuestionCluster(q.Text):
			return record.Errorf("the question %q has another text in a row above: %q", data.Clip(q.ID), data.Clip(before.Text))
		case !known:
			questions = append(questions, q)
			r.byID[key] = q
		}
		return nil
	})
	return questions, err
}

// errNoQuestion is the cause of the error of an answer whose question is not among the given questions.
var errNoQuestion = errors.New("no question of the set has the id or the text")

// ReadingOfAnswers returns the roles of the columns of a file of answers, or nil if the file has this project's own format.
func ReadingOfAnswers(path string, o Options) (*Reading, error) {
	r, err := newAnswerReader(path, nil, o)
	if err != nil || r.format.Strict != nil {
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
		if read.Role == "id" && column == r.columnFor("id") {
			read.Role = RoleItem
		} else if read.Role == "id" {
			read.Role = "question_id"
		}
		read.Column = column
		reading.Columns = append(reading.Columns, read)
	}
	return reading, nil
}

// answerRoles are the roles that a column of answers can have, named as in names.yaml, in the order in which notes list them.
var answerRoles = []string{"id", "question_id", "question", "system", "text", "scenario", "repeat"}

const (
	sideAnswers  = "answers"
	answerByName = "its name"
)

// newAnswerReader opens a file of answers and assigns roles to its columns. It tries in order:
//   - this project's own format, if the user gives no map
//   - the columns that Options.Map names
//   - the reading that the user gave back (Options.Given)
//   - the names in names.yaml
//
// If there is a column id but none for the question, it is the id of the question. Columns without a text, or without what it answers, are
// an error.
func newAnswerReader(path string, questions []data.Question, o Options) (*answerReader, error) {
	f := &Format{Rows: tablesOfPairs}
	columns, first, err := f.firstColumns(path, "answers")
	if err != nil {
		return nil, err
	}
	r := &answerReader{format: f, columns: columns, given: map[string]string{}, used: map[string]ColumnRead{},
		roles: map[string]string{}, byID: map[string]data.Question{}, byText: map[string]data.Question{}}
	format, err := ownFormat(ownAnswers, columns, nil)
	if err != nil {
		return nil, err
	}
	if format != nil && o.Map == nil {
		r.format = format
		for _, field := range format.Strict.Fields {
			r.roles[field.Name] = field.Name
		}
		return r, nil
	}
	for name, column := range o.Map {
		role, _, named := o.mapped(name)
		if named && !strings.HasPrefix(name, sidePeople+".") {
			if role == RoleItem {
				role = "id"
			}
			r.given[role] = column
			if !slices.Contains(columns, column) {
				return nil, first.Errorf("--map %s=%s: there is no column %q%s", name, column, column, data.Suggest(column, "columns", columns))
			}
		}
	}
	if r.kept, err = o.Given.reading(path, sideAnswers); err != nil {
		return nil, err
	}
	if err := r.again(path); err != nil {
		return nil, err
	}
	for _, q := range questions {
		r.byID[q.ID], r.byText[data.QuestionCluster(q.Text)] = q, q
	}
	// A name can belong to two roles: the earlier role of this list gets the column.
	for _, role := range []string{"question_id", "question", "id", "text", "system", "repeat", "scenario"} {
		r.roles[role] = r.column(role)
	}
	asked := r.columnFor("question_id") + r.columnFor("question")
	switch {
	case r.columnFor("text") == "" || asked+r.columnFor("id") == "":
		return nil, first.Errorf("answers need a text and what it answers, in columns such as answer and question_id (or question, or "+
			"object1 and object2); there are %s", strings.Join(columns, ", "))
	case asked == "": // the ids belong to questions, with one answer each
		r.roles["question_id"], r.roles["id"] = r.columnFor("id"), ""
	}
	return r, nil
}

// again assigns the columns as in the reading that the user gave back (r.kept). It returns an error that names a column that is new or
// missing.
func (r *answerReader) again(path string) error {
	if r.kept == nil {
		return nil
	}
	head := func(column string) string {
		if !slices.Contains(r.columns, column) {
			return ""
		}
		return column
	}
	if err := r.kept.differs(path, r.columns, head, func(string) []string { return nil }); err != nil {
		return err
	}
	for _, c := range r.kept.Columns {
		role := c.Role
		if role == RoleItem {
			role = "id"
		}
		switch {
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

// namedAs returns a function that reports whether a name equals the name of a column, apart from case and punctuation.
func namedAs(column string) func(string) bool {
	return func(name string) bool { return folded(name) == folded(column) }
}

// free returns the columns without a role.
func (r *answerReader) free() []string {
	return data.Where(r.columns, func(c string) bool { return r.used[c].Role == "" })
}

// An answerReader reads the answers of a file.
type answerReader struct {
	format       *Format // a Format with Strict is this project's own
	columns      []string
	roles        map[string]string // column of each role; "" if there is none
	given        map[string]string // columns that the user names, by role
	kept         *Reading          // the reading that the user gave back; nil if there is none
	used         map[string]ColumnRead
	byID, byText map[string]data.Question
}

// columnFor returns the column with a role, or "" if no column has it.
func (r *answerReader) columnFor(role string) string { return r.roles[role] }

// column finds the column of a role and records why: the one that the user names, else the first free one with a name of the role in
// names.yaml. It returns "" if there is none. If the user gave a reading back, names are not considered.
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

// answer reads one answer from a record. In the own format, the record has the objects itself; else the question is looked up (asked).
func (r *answerReader) answer(record *scope) (data.Answer, error) {
	get := func(role string) string {
		column := r.columnFor(role)
		if column == "" {
			return ""
		}
		return asName(record.text(paths{column}))
	}
	a := data.Answer{Status: data.Valid, ID: get("id"), System: get("system"), Scenario: cmp.Or(get("scenario"), data.NoScenario),
		Text: record.text(paths{r.columnFor("text")}), Repeat: 1}
	if a.Scenario == "all" {
		return a, record.Errorf(`the scenario name "all" is reserved for tables; use another name`)
	}
	if text := get("repeat"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return a, record.Errorf("%s is %q; it must be 1, 2, 3 …", r.columnFor("repeat"), data.Clip(text))
		}
		a.Repeat = n
	}
	if r.format.Strict != nil {
		a.Object1, a.Object2, a.Aspect = get("object1"), get("object2"), record.text(paths{r.columnFor("aspect")})
		a.Question = a.Pair()
		return a, r.summary(record, &a)
	}
	q, err := r.asked(record, get("question_id"), get("question"))
	if err != nil {
		return a, err
	}
	a.Object1 = q.Object1
	a.Object2 = q.Object2
	a.Aspect = q.Aspect
	a.Question = q.ID
	if a.ID == "" {
		a.ID = data.AnswerID(a.System, a.Scenario, q.ID, a.Repeat)
	}
	return a, nil
}

// summary reads the contrastive table of an answer (both objects side by side) into a.Table, if the record has one.
func (r *answerReader) summary(record *scope, a *data.Answer) error {
	if table := parsed(record.get(r.columnFor("table"))); table.IsObject() {
		return json.Unmarshal([]byte(table.Raw), &a.Table)
	}
	return nil
}

// asked returns the question with an id, or else with a text. Without either, the error wraps errNoQuestion.
func (r *answerReader) asked(record *scope, id, text string) (data.Question, error) {
	q, known := r.byID[id]
	if !known {
		q, known = r.byID[strings.TrimSuffix(id, ".0")] // pandas writes 7 as 7.0 in a column with missing values
	}
	if !known && text != "" {
		q, known = r.byText[data.QuestionCluster(text)]
	}
	if !known {
		return q, record.Errorf("%w %q", errNoQuestion, data.Clip(cmp.Or(id, text)))
	}
	return q, nil
}

// firstColumns returns the columns of a file, or the keys of its first object, and its first record. what names the kind of record in the
// error of an empty file.
func (f *Format) firstColumns(path, what string) (columns []string, first *data.Document, err error) {
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
	return nil, nil, fmt.Errorf("%s has no %s", path, what)
}
