package store

import (
	"cmp"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
)

// A Kind describes one kind of results, such as verdicts, for the functions that count, find, export or verify results of all kinds. They
// all loop over Kinds, so a new kind needs only a view in results.sql and an entry there.
type Kind struct {
	Name    string            // KindAnswer, KindVerdict, …; parties and failures have it, too
	View    string            // the view with the results and columns of this kind only
	Role    string            // the role of who makes it in the table parties; "" if they need not be in the table
	Due     *Due              // SQL expressions for the cell of the plan that a result r belongs to; nil: never planned
	about   about             // what the results are about
	columns []string          // the columns of the table results that only some kinds use, this one among them
	key     []string          // the columns that form its key together with party and subject
	texts   []string          // the columns with text written by a model
	names   map[string]string // from columns of the table results to other names that the view has for them
	words   string            // how to name a result: words in capitals are replaced by the fields of its At
}

// An about says what the results of a kind are about, by the table to join to the results r.
type about struct {
	table  string // the table to join, with its condition; "" for answers
	active string // expression for whether tables show the subject, NULL if unknown; "": always unknown
}

// What results are about.
var (
	aboutQuestions = about{}
	aboutAnswers   = about{table: "answers a ON a.id = r.subject", active: "(SELECT max(c.active) FROM plan c " +
		"WHERE c.kind = 'answer' AND c.judge = '' AND c.system = a.system AND c.scenario = a.scenario)"}
	aboutPairs = about{table: "pairs q ON q.id = r.subject"}
	// only pairs that are still in their set; a pair that is not on record counts as active
	aboutActivePairs = about{table: aboutPairs.table + " AND q.active",
		active: "q.id IS NOT NULL OR r.subject NOT IN (SELECT id FROM pairs)"}
)

// Kinds lists all kinds of results. Answers have their own table; all other results are rows of the table results.
var Kinds = []Kind{
	{Name: KindAnswer, View: "answers", Role: RoleSystem, about: aboutQuestions,
		Due:   &Due{Kind: "'answer'", System: "r.system", Scenario: "r.scenario"},
		texts: []string{"reasoning"}, names: map[string]string{"party": "system", "subject": "id"}, words: "answer SUBJECT"},
	{Name: KindVerdict, View: "verdicts", Role: RoleJudge, about: aboutAnswers,
		Due:     &Due{Kind: "'verdict'", Judge: "r.party", System: "a.system", Scenario: "a.scenario"},
		columns: []string{"repeat", "total", "content", "raw", "origin"}, key: []string{"repeat"}, texts: []string{"raw"},
		names: map[string]string{"party": "judge", "subject": "answer", "content": "scores"},
		words: "verdict of PARTY on answer SUBJECT (repeat REPEAT)"},
	{Name: KindLabel, View: "labels", about: aboutAnswers,
		Due:     &Due{Kind: "r.variant", Judge: "r.party", System: "a.system", Scenario: "a.scenario"},
		columns: []string{"variant", "content", "raw"}, key: []string{"variant"}, texts: []string{"raw"},
		names: map[string]string{"party": "judge", "subject": "answer", "variant": "kind", "content": "labels"},
		words: "labels (VARIANT) of PARTY on answer SUBJECT"},
	{Name: KindPreference, View: "preferences", Role: RolePairwise, about: aboutActivePairs,
		Due:     &Due{Kind: "'preference'", Judge: "r.party", Method: "r.variant", Dataset: "q.dataset", Order: `r."order"`},
		columns: []string{"variant", "order", "fingerprint", "choice", "content", "raw"}, key: []string{"variant", "order"},
		names: map[string]string{"party": "judge", "subject": "id", "variant": "method", "content": "detail", "raw": "rationale"},
		words: "preference of PARTY (VARIANT) on pair SUBJECT, order ORDER"},
	{Name: KindSample, View: "samples", Role: RolePairwise, about: aboutPairs,
		columns: []string{"variant", "order", "repeat", "fingerprint", "choice", "raw"}, key: []string{"order", "variant", "repeat"},
		texts: []string{"raw"},
		names: map[string]string{"party": "judge", "subject": "id", "variant": "source", "repeat": "sample", "raw": "text"},
		words: "judgment REPEAT (VARIANT) of PARTY on pair SUBJECT, order ORDER"},
	{Name: KindGrade, View: "grades", about: aboutPairs,
		columns: []string{"variant", "order", "judge", "fingerprint", "content"}, key: []string{"judge", "variant", "order"},
		names: map[string]string{"party": "grader", "subject": "id", "variant": "method"},
		words: "grade by PARTY of JUDGE (VARIANT) on pair SUBJECT, order ORDER"},
}

// The names of the kinds of results. In the plan, labels have the name of their data.LabelKinds instead of KindLabel.
const (
	KindAnswer     = "answer"     // a system's answer to a question
	KindVerdict    = "verdict"    // a judge's points for an answer
	KindLabel      = "label"      // a judge's other statements about an answer
	KindPreference = "preference" // a judge's choice between the answers of a pair
	KindSample     = "sample"     // one of several judgments sampled from a judge on a pair
	KindGrade      = "grade"      // a grade of a judge's rationale
)

// kind returns the kind with a name.
func kind(name string) Kind {
	index := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name })
	if index < 0 {
		panic("store: there is no kind of results " + name)
	}
	return Kinds[index]
}

// table returns the table with the results of the kind. The table results has those of all kinds but answers.
func (k Kind) table() string {
	if k.Name == KindAnswer {
		return k.View
	}
	return "results"
}

// called returns the name of a column of the table results in the view of the kind.
func (k Kind) called(column string) string { return cmp.Or(k.names[column], column) }

// column returns the quoted name, in the table of the kind, of a column of the table results. For example, party is "system" in answers.
func (k Kind) column(name string) string {
	if k.Name == KindAnswer {
		name = k.called(name)
	}
	return `"` + name + `"`
}

// headColumns lists the columns of the table results that all kinds have.
var headColumns = []string{"party", "kind", "subject", "status", "reason", "calls"}

// has reports whether results of the kind have a column of the table results.
func (k Kind) has(column string) bool {
	return slices.Contains(headColumns, column) || slices.Contains(k.columns, column)
}

// is returns the SQL condition that a row r of the table is a result of the kind.
func (k Kind) is() string {
	if k.Name == KindAnswer {
		return "true"
	}
	return "r.kind = '" + k.Name + "'"
}

// resultKey lists the columns that form the primary key of the table results.
var resultKey = []string{"party", "kind", "subject", "variant", "order", "judge", "repeat"}

// from returns SQL to follow FROM: the results r joined to their subjects. join is JOIN, CROSS JOIN or LEFT JOIN.
func (k Kind) from(join string) string {
	from := k.table() + " r "
	if k.about.table != "" {
		from += join + " " + k.about.table + " "
	}
	return from
}

// isDue returns the SQL condition that a row of the table plan (given by its alias) is the cell that a result belongs to.
func (k Kind) isDue(plan string) string {
	terms := k.Due.expressions()
	for i, column := range dueColumns {
		terms[i] = plan + "." + column + " = " + terms[i]
	}
	return strings.Join(terms, " AND ")
}

// ofAnswers reports whether the results are about answers.
func (k Kind) ofAnswers() bool { return k.about == aboutAnswers }

// union joins the SELECTs of several kinds into one query. part returns the SELECT of a kind, or "" to leave the kind out.
func union(part func(Kind) string) string {
	return strings.Join(data.Where(data.Each(Kinds, part), func(text string) bool { return text != "" }), " UNION ALL ")
}

// Planned returns SQL to follow FROM: the results r of a kind that belong to an active cell p of the plan, with their subjects (answers a
// or pairs q). CROSS JOIN fixes the order of the tables: if SQLite began with the plan, it would read all results of a judge once per
// cell.
func Planned(name string) string {
	k := kind(name)
	text := k.from("CROSS JOIN") + "CROSS JOIN plan p ON " + k.isDue("p") + " AND p.active "
	for column, called := range k.names { // no new name is itself a key of names
		text = strings.ReplaceAll(text, "r."+column, "r."+called)
	}
	return strings.Replace(text, k.table(), k.View, 1)
}

// Annotators returns the SQL condition that a judge's name is that of a single person ("human:NAME"). An index can answer it.
func Annotators(column string) string {
	return "(" + column + " >= 'human:' AND " + column + " < 'human;')"
}

// dueColumns are the columns of the table plan that identify a cell.
var dueColumns = []string{"kind", "judge", "system", "scenario", "method", "dataset", `"order"`}

// A Due identifies the cell of the plan that a result belongs to, by the values of dueColumns. A field that the kind does not have is "".
type Due struct {
	Kind                   string // KindAnswer, KindVerdict, KindPreference or one of data.LabelKinds
	Judge                  string // "" for answers
	System, Scenario       string // that gave the answers; "" for preferences
	Method, Dataset, Order string // of preferences
}

// expressions returns the fields of a Kind's Due, which are SQL expressions, in the order of dueColumns.
func (d Due) expressions() []string {
	return data.Each([]string{d.Kind, d.Judge, d.System, d.Scenario, d.Method, d.Dataset, d.Order}, func(expression string) string {
		return cmp.Or(expression, "''")
	})
}

// Party returns the judge or system that makes the results.
func (d Due) Party() string { return cmp.Or(d.Judge, d.System) }

// Due returns the key of the cell.
func (c PlanCell) Due() Due {
	return Due{c.Kind, c.Judge, c.System, c.Scenario, c.Method, c.Dataset, c.Order}
}

// A Covered is a cell of any kind with the number of its recorded results.
type Covered struct {
	Due
	Active   bool // the plan has the cell; false: only recorded results have it
	Floor    bool // its judge is a baseline of pairs; all its planned preferences count as recorded
	Planned  int  // number of planned results; 0 if the plan does not have the cell
	Recorded int
	Note     string // why results are missing, as recorded
}

// Coverage returns, sorted, all cells that the plan has and all further cells that recorded results belong to.
func (s *Store) Coverage() ([]Covered, error) {
	columns := strings.Join(dueColumns, ", ")
	found := union(func(k Kind) string {
		if k.Due == nil {
			return ""
		}
		return "SELECT " + strings.Join(k.Due.expressions(), ", ") + ", count(*) FROM " + k.from("CROSS JOIN") + "WHERE " + k.is() +
			" GROUP BY 1, 2, 3, 4, 5, 6, 7"
	})
	return Select[Covered](s, `WITH found (`+columns+`, n) AS (`+found+`),
		cells AS (SELECT `+columns+`, 1 AS active, planned, 0 AS n, note FROM plan WHERE active
			UNION ALL SELECT `+columns+`, 0, 0, n, '' FROM found),
		one AS (SELECT `+columns+`, max(active) AS active, max(planned) AS planned, max(n) AS n, max(note) AS note
			FROM cells GROUP BY 1, 2, 3, 4, 5, 6, 7),
		marked AS (SELECT *, active AND kind = 'preference' AND `+isFloor("one")+` AS floor FROM one)
		SELECT `+columns+`, active, floor, planned, iif(floor, planned, n), note FROM marked ORDER BY 1, 2, 3, 4, 5, 6, 7`)
}

// EachOf calls do with each recorded result of a kind, planned or not. T's fields name the columns to read. Results are sorted by subject,
// party and the rest of the key.
func EachOf[T any](s *Store, name string, do func(T) error) error {
	k := kind(name)
	return Each(s, `SELECT `+Columns[T]()+` FROM `+k.View+k.inOrder(), nil, do)
}

// inOrder returns the order of results in the view of the kind: by subject, party and the rest of the key.
func (k Kind) inOrder() string {
	columns := []string{"subject"}
	if k.Name != KindAnswer {
		columns = append(append(columns, "party"), k.key...)
	}
	return ` ORDER BY "` + strings.Join(data.Each(columns, k.called), `", "`) + `"`
}

// EachOfUnordered does as EachOf, in any order, and is faster for millions of rows.
func EachOfUnordered[T any](s *Store, name string, do func(T) error) error {
	return EachBuffered(s, `SELECT `+Columns[T]()+` FROM `+kind(name).View, nil, do)
}

// EachJudgedText calls do with each recorded verdict. T's fields name the columns to read; the column judged is the text of the answer,
// then its question.
func EachJudgedText[T any](s *Store, do func(T) error) error {
	return Each(s, `SELECT `+Columns[T]()+` FROM (SELECT v.*, coalesce(a.text || char(10) || a.question, '') AS judged FROM verdicts v
		LEFT JOIN answers a ON a.id = v.answer)`, nil, do)
}

// A Result is a short form of a recorded result of any kind.
type Result struct {
	Row    int64 // rowid in its table
	Party  string
	By     string // kind of the party, such as model or human; "": it is not in the table parties
	Status data.Status
	Origin string // of its cell in the plan: FromConfig, FromPairs or an import; "" if it has no cell
	Active bool   // tables show it: the present plan, not only an earlier one, has its cell
}

// EachResult calls each for every recorded result of a kind, planned or not. For verdicts, for example, the query is
//
//	SELECT r.rowid, r.party, (kind of the judge), r.status, p.origin, coalesce(p.active, (SELECT c.active of a's cell c), 1)
//	FROM results r LEFT JOIN answers a ON (r is about a) LEFT JOIN plan p ON (r belongs to p) WHERE r.kind = 'verdict'
//
// A result is active unless its own cell p, or without such a cell the cell c of its answer, is of an earlier plan only. For example, a
// verdict of a judge that the configuration no longer has is not active. Labels without a cell are not active if their answer is no longer
// planned. A preference without a cell is active while its set has the pair.
func (s *Store) EachResult(k Kind, each func(Result) error) error {
	var origin string
	var active []string // expressions, of which the first that is not NULL decides
	from := k.from("LEFT JOIN")
	if k.Due != nil {
		origin = "p.origin"
		active = append(active, "p.active")
		from += " LEFT JOIN plan p ON " + k.isDue("p")
	}
	if k.about.active != "" {
		active = append(active, k.about.active)
	}
	columns := []string{"r.rowid", "r." + k.column("party"), k.partyKind(), "r.status", "coalesce(" + cmp.Or(origin, "NULL") + ", '')",
		"coalesce(" + strings.Join(append(active, "1", "1"), ", ") + ")"} // coalesce needs two arguments
	return Each(s, `SELECT `+strings.Join(columns, ", ")+` FROM `+from+` WHERE `+k.is(), nil, each)
}

// partyKind returns the SQL expression for the kind of the party (such as model or human) that made a result r. It is "" if parties lacks
// the party.
func (k Kind) partyKind() string {
	found := "SELECT min(kind) FROM parties j WHERE j.role = '" + k.Role + "' AND j.name = r." + k.column("party")
	if k.Due != nil {
		found += " AND j.method = " + cmp.Or(k.Due.Method, "''")
	}
	return "coalesce((" + found + "), '')"
}

// UnusedReplies returns the number of complete replies that no recorded result was read from. A run keeps the calls of an earlier run that
// had other inputs.
func (s *Store) UnusedReplies() (int, error) {
	// json_each takes long, and nearly all results have one call.
	return Value[int](s, `WITH lists (calls) AS (SELECT calls FROM answers UNION ALL SELECT calls FROM results),
		used (id) AS (SELECT CAST(substr(calls, 2) AS INTEGER) FROM lists WHERE instr(calls, ',') = 0
			UNION ALL SELECT value FROM lists, json_each(lists.calls) WHERE instr(calls, ',') AND value IS NOT NULL)
		SELECT count(*) FROM calls c WHERE status = 'valid' AND id NOT IN used
		AND NOT EXISTS (SELECT 1 FROM calls other WHERE other.key = c.key AND other.id IN used)`)
}

// CountChosen returns the number of active pairs of a set for which a judge has a preference by a method, in either order.
func (s *Store) CountChosen(judge, method, set string) (int, error) {
	return Value[int](s, `SELECT count(DISTINCT r.id) FROM preferences r JOIN pairs q ON q.id = r.id
		WHERE r.judge = ? AND r.method = ? AND q.dataset = ? AND q.active`, judge, method, set)
}

// WithoutBodies returns the SQL statements that delete the bodies of requests and replies from a copy of a record. They keep the tokens
// and log-probabilities of verdicts, from which a judge's certainty is computed.
func WithoutBodies() []string {
	return []string{`UPDATE calls SET request = '', raw = CASE
		WHEN instr(raw, '"logprob"') AND json_valid(raw) AND id IN (SELECT k.value FROM verdicts v, json_each(v.calls) k)
		THEN (SELECT json_object('logprobs', json_group_array(json_object('token', t.value ->> 'token', 'logprob', t.value -> 'logprob')))
			FROM json_each(coalesce(raw -> '$.choices[0].logprobs.content', raw -> '$.logprobs', '[]')) t WHERE t.type = 'object')
		ELSE '' END`, `DELETE FROM prompts`}
}

// WithoutReplies returns the SQL statements that delete all text written by models from a copy of a record.
func WithoutReplies() []string {
	list := []string{`UPDATE calls SET reply = '', reasoning = '', raw = ''`}
	for _, k := range Kinds {
		for _, column := range k.texts {
			list = append(list, "UPDATE "+k.table()+" AS r SET "+column+" = '' WHERE "+k.is())
		}
	}
	return list
}

// An At is the key of a result: its kind and the columns of its key. A field that the kind lacks is zero.
type At struct {
	Party   string // the judge or the grader; "" for answers
	Kind    string // KindAnswer, KindVerdict, …; "": no result
	Subject string // id of the answer or the pair
	Variant string // labels: their kind; preferences and their grades: the method; samples: their source
	Order   string // in which the pair was shown
	Judge   string // of a grade: the judge whose rationale is graded
	Repeat  int    // of verdicts and samples: their number among repeats
}

// String names the result in words, for example "verdict of gpt on answer a1 (repeat 1)".
func (a At) String() string {
	return strings.NewReplacer("PARTY", a.Party, "SUBJECT", a.Subject, "VARIANT", a.Variant, "ORDER", a.Order, "JUDGE", a.Judge,
		"REPEAT", strconv.Itoa(a.Repeat)).Replace(kind(a.Kind).words)
}

// Called returns the name of a column of the table results in the view of the place's kind.
func (a At) Called(column string) string { return kind(a.Kind).called(column) }

// AtRow returns the key of the recorded result in a row, by its rowid.
func (s *Store) AtRow(k Kind, row int64) (At, error) {
	var at At
	err := s.Each(`SELECT * FROM `+k.table()+` WHERE rowid = ?`, []any{row}, scanRecorded(func(r Recorded) error {
		at = r.place()
		return nil
	}))
	return at, err
}

// found returns the query for the results of a kind at n places. Its arguments are the keys of all places (At.args). The other columns of
// the primary key have the same value in all results of the kind.
func (k Kind) found(n int) string {
	if k.Name == KindAnswer {
		return `SELECT r.rowid, r.* FROM answers r WHERE r.id IN (?` + strings.Repeat(", ?", n-1) + `)`
	}
	var terms []string
	bound := 0
	for _, column := range resultKey {
		value := "''"
		switch {
		case column == "kind":
			value = "'" + k.Name + "'"
		case k.has(column):
			bound++
			value = fmt.Sprintf("place.column%d", bound)
		case column == "repeat":
			value = "0"
		}
		terms = append(terms, fmt.Sprintf(`r."%s" = %s`, column, value))
	}
	one := "(?" + strings.Repeat(", ?", bound-1) + ")"
	return `SELECT r.rowid, r.* FROM (VALUES ` + strings.Repeat(one+", ", n-1) + one + `) place CROSS JOIN results r ON ` +
		strings.Join(terms, " AND ")
}

// args returns the key of a place as arguments of the query found, in the order of resultKey.
func (a At) args() []any {
	k := kind(a.Kind)
	if k.Name == KindAnswer {
		return []any{a.Subject}
	}
	values := places(&a, true)
	var args []any
	for i, column := range resultKey {
		if column != "kind" && k.has(column) {
			args = append(args, values[i])
		}
	}
	return args
}

// Find returns the result at a place, or nil if the record has none.
func (a At) Find(s *Store) (found Recorded, err error) {
	err = s.each(kind(a.Kind).found(1), a.args(), scanRecorded(func(r Recorded) error {
		found = r
		return nil
	}))
	return found, err
}

// FindAll returns the results at several places, and the calls that these results were read from, by id, without their provider, model,
// origin and round. It makes one query for each kind.
func (s *Store) FindAll(list []At) (found map[At]Recorded, calls map[int64]Call, err error) {
	found = make(map[At]Recorded, len(list))
	calls = make(map[int64]Call, len(list))
	var ids []int64
	for _, k := range Kinds {
		there := data.Where(list, func(a At) bool { return a.Kind == k.Name })
		if len(there) == 0 {
			continue
		}
		args := slices.Concat(data.Each(there, At.args)...)
		err := s.each(k.found(len(there)), args, scanRecorded(func(r Recorded) error {
			calls, _ := r.callIDs() // Recorded.Calls reports the error
			found[r.place()] = r
			ids = append(ids, calls...)
			return nil
		}))
		if err != nil {
			return nil, nil, err
		}
	}
	err = s.each(`SELECT id, key, status, reply, reasoning, finish, raw FROM calls WHERE id IN (SELECT value FROM json_each(?))`,
		[]any{asJSON{value: ids}}, func(rows *sql.Rows) error {
			var c Call
			err := rows.Scan(&c.ID, &c.Key, &c.Status, &c.Reply, &c.Reasoning, &c.Finish, &c.Raw)
			calls[c.ID] = c
			return err
		})
	return found, calls, err
}

// A Recorded is a recorded result: its columns, with their values. It is nil if there is none.
type Recorded []Field

// A Field is a column of a recorded result.
type Field struct {
	Column string
	Value  any // as SQLite returns it
}

// scanRecorded returns a function that scans a row with all its columns and calls do with it.
func scanRecorded(do func(Recorded) error) func(*sql.Rows) error {
	var names []string
	var into []any
	return func(rows *sql.Rows) (err error) {
		if names == nil {
			names, err = rows.Columns()
			into = make([]any, len(names))
		}
		row := make(Recorded, len(names))
		for i, name := range names {
			row[i].Column = name
			into[i] = &row[i].Value
		}
		if err == nil {
			err = rows.Scan(into...)
		}
		if err != nil {
			return err
		}
		return do(row)
	}
}

// Value returns the value of a column, or nil if the result has no such column.
func (r Recorded) Value(column string) any {
	for _, f := range r {
		if f.Column == column {
			return f.Value
		}
	}
	return nil
}

// Row returns the rowid of the result.
func (r Recorded) Row() int64 {
	row, _ := r.Value("rowid").(int64)
	return row
}

// place returns the key of the result.
func (r Recorded) place() At {
	if r.Value("kind") == nil {
		return At{Kind: KindAnswer, Subject: r.Text("id")}
	}
	n, _ := r.Value("repeat").(int64)
	return At{r.Text("party"), r.Text("kind"), r.Text("subject"), r.Text("variant"), r.Text("order"), r.Text("judge"), int(n)}
}

// Text returns the value of a text column, or "".
func (r Recorded) Text(column string) string {
	text, _ := r.Value(column).(string)
	return text
}

// Status returns the status of the result.
func (r Recorded) Status() data.Status { return data.Status(r.Text("status")) }

// callIDs returns the ids of the calls that the result was read from, in the order in which they were made.
func (r Recorded) callIDs() (ids CallIDs, err error) {
	err = asJSON{value: &ids}.Scan(r.Value("calls"))
	return ids, err
}

// Calls returns the calls that the result was read from, in the order in which they were made. known has calls by id; a call that it lacks
// is returned with its id only.
func (r Recorded) Calls(known map[int64]Call) ([]Call, error) {
	ids, err := r.callIDs()
	if err != nil {
		return nil, err
	}
	list := make([]Call, len(ids))
	for i, id := range ids {
		list[i] = known[id]
		list[i].ID = id
	}
	return list, nil
}

// Comparing returns a Batch that writes nothing. For each result that it would write, it calls compare with the place and the columns.
func Comparing(compare func(place At, now Recorded) error) Batch {
	return Batch{tx: &writer{compare: func(columns []string, values []any) error {
		row := make(Recorded, len(values))
		for i, name := range columns {
			row[i] = Field{name, columnValue(values[i])}
		}
		return compare(row.place(), row)
	}}}
}

// columnValue returns a value in the type that reading it from SQLite would give: true becomes 1, for example.
func columnValue(value any) any {
	switch value.(type) {
	case string, int64, float64, nil:
		return value
	}
	value, _ = driver.DefaultParameterConverter.ConvertValue(value) // values of rows always convert
	switch value {                                                  // SQLite has no booleans
	case true:
		return int64(1)
	case false:
		return int64(0)
	}
	return value
}
