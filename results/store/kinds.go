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

// A Kind describes the results of one kind. All that counts, finds, exports or verifies results of all kinds walks Kinds, so a
// new kind is a view in results.sql and an entry there.
type Kind struct {
	Name    string            // of parties and failures: KindAnswer, KindVerdict, …
	View    string            // that has the results with the columns of the kind alone
	Role    string            // of its party in the table parties; "": it need not be there
	Due     *Due              // the cell that a result r is due from, each field an expression; nil: it is due from no plan
	about   about             // what the results are about
	columns []string          // the columns of the table results that it has and other kinds lack
	key     []string          // those of columns that are in its key beside party and subject
	texts   []string          // the columns with a model's own words
	names   map[string]string // the columns of the view that have other names than those of the table results
	words   string            // names a result by its key; a field of At in capitals stands for its value
}

// An about is what results of a kind are about: rows of a table beside the results r.
type about struct {
	table  string // with its condition, to join; "": none, since an answer is asked a question
	system string // the expression for the system whose answer it is, or is about; "": it is about pairs
	set    string // the expression for the set of the pair that it is about; "": it is about none
	plan   string // the cell that the subject itself is due from, to join; "": none
	active string // the expression for whether the subject is in the tables; NULL: not known; "": it is not known of any
}

// What results are about.
var (
	aboutQuestions = about{system: "r.system"}
	aboutAnswers   = about{table: "answers a ON a.id = r.subject", system: "a.system", active: "c.active",
		plan: "plan c ON c.kind = 'answer' AND c.judge = '' AND c.system = a.system AND c.scenario = a.scenario"}
	aboutPairs = about{table: "pairs q ON q.id = r.subject", set: "q.dataset"}
	// pairs that their sets still hold; a pair that is not recorded is not known to have left its set
	aboutActivePairs = about{table: aboutPairs.table + " AND q.active", set: "q.dataset",
		active: "q.id IS NOT NULL OR r.subject NOT IN (SELECT id FROM pairs)"}
)

// Kinds are the kinds of results. Answers have a table of their own, the others are rows of the table results.
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

// The names of the kinds of results. Planned labels have one of data.LabelKinds.
const (
	KindAnswer     = "answer"
	KindVerdict    = "verdict"
	KindLabel      = "label"
	KindPreference = "preference"
	KindSample     = "sample"
	KindGrade      = "grade"
)

// kind returns the kind with a name.
func kind(name string) Kind {
	index := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name })
	if index < 0 {
		panic("store: there is no kind of results " + name)
	}
	return Kinds[index]
}

// table returns the table whose rows are the results, with those of other kinds.
func (k Kind) table() string {
	if k.Name == KindAnswer {
		return k.View
	}
	return "results"
}

// called returns the name that a column of the table results has in the view of the kind. Answers have it in their table.
func (k Kind) called(column string) string { return cmp.Or(k.names[column], column) }

// column returns the name of a column of the table of the kind, by that of the table results.
func (k Kind) column(name string) string {
	if k.Name == KindAnswer {
		name = k.called(name)
	}
	return `"` + name + `"`
}

// is returns the condition that a row r of the table is a result of the kind.
func (k Kind) is() string {
	if k.Name == KindAnswer {
		return "true"
	}
	return "r.kind = '" + k.Name + "'"
}

// resultKey are the columns of the key of the table results.
var resultKey = []string{"party", "kind", "subject", "variant", "order", "judge", "repeat"}

// primary returns the columns of the key of the table.
func (k Kind) primary() []string {
	if k.Name == KindAnswer {
		return []string{k.called("subject")}
	}
	return resultKey
}

// from returns the results r and their subjects, joined by a kind of join; a condition may follow.
func (k Kind) from(join string) string {
	from := k.table() + " r "
	if k.about.table != "" {
		from += join + " " + k.about.table + " "
	}
	return from
}

// isDue returns the condition that a row of plan is the cell of a result.
func (k Kind) isDue(plan string) string {
	terms := k.Due.expressions()
	for i, column := range dueColumns {
		terms[i] = plan + "." + column + " = " + terms[i]
	}
	return strings.Join(terms, " AND ")
}

// ofAnswers reports whether the results are about answers.
func (k Kind) ofAnswers() bool { return k.about == aboutAnswers }

// union returns one SELECT for each of some kinds, as one query; part is "" for a kind that has none.
func union(part func(Kind) string) string {
	return strings.Join(data.Where(data.Each(Kinds, part), func(text string) bool { return text != "" }), " UNION ALL ")
}

// Planned returns the results r of a kind, as its view has them, that the plan p has, with their subjects (answers a or pairs q), to
// stand behind FROM. The order of the tables is fixed: where SQLite begins with the plan, it reads all results of a party for each of its
// cells.
func Planned(name string) string {
	k := kind(name)
	text := k.from("CROSS JOIN") + "CROSS JOIN plan p ON " + k.isDue("p") + " AND p.active "
	for column, called := range k.names { // none is a column, too
		text = strings.ReplaceAll(text, "r."+column, "r."+called)
	}
	return strings.Replace(text, k.table(), k.View, 1)
}

// Annotators returns the condition that a column with the name of a judge is that of a single person, which an index can use.
func Annotators(column string) string {
	return "(" + column + " >= 'human:' AND " + column + " < 'human;')"
}

// dueColumns are the columns of the table plan that say which cell a result is due from.
var dueColumns = []string{"kind", "judge", "system", "scenario", "method", "dataset", `"order"`}

// A Due says which cell of the plan a result is due from: dueColumns. What its kind does not have is "".
type Due struct {
	Kind                   string // KindAnswer, KindVerdict, KindPreference or one of data.LabelKinds
	Judge                  string // "" for answers
	System, Scenario       string // whose answers they are, or are about; "" for preferences
	Method, Dataset, Order string // of preferences
}

// expressions returns the fields in the order of dueColumns, where they are expressions of SQL.
func (d Due) expressions() []string {
	return data.Each([]string{d.Kind, d.Judge, d.System, d.Scenario, d.Method, d.Dataset, d.Order}, func(expression string) string {
		return cmp.Or(expression, "''")
	})
}

// Party returns who makes the results.
func (d Due) Party() string { return cmp.Or(d.Judge, d.System) }

// Due returns what says that a result is due from the cell.
func (c PlanCell) Due() Due {
	return Due{c.Kind, c.Judge, c.System, c.Scenario, c.Method, c.Dataset, c.Order}
}

// A Covered is a cell of the plan, of any kind, with the number of its results on record.
type Covered struct {
	Due
	Active   bool // the plan has the cell; if not, results of it are on record all the same
	Floor    bool // it is of a baseline of pairs: all that is planned counts as recorded
	Planned  int  // 0 where the plan does not have the cell
	Recorded int
	Note     string // why results are missing, as recorded
}

// Coverage returns the cells that the plan has or that results on record are due from, of all kinds, sorted.
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

// EachOf calls do with all recorded results of a kind, whether they are planned or not, by subject and the rest of the key: with the
// columns of the kind that have the names of T's fields.
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

// EachOfUnordered returns EachOf for millions of rows, in any order.
func EachOfUnordered[T any](s *Store, name string, do func(T) error) error {
	return EachBuffered(s, `SELECT `+Columns[T]()+` FROM `+kind(name).View, nil, do)
}

// EachJudgedText calls do with all recorded verdicts: with the columns that have the names of T's fields, where judged is the text that
// was judged, the answer with its question.
func EachJudgedText[T any](s *Store, do func(T) error) error {
	return Each(s, `SELECT `+Columns[T]()+` FROM (SELECT v.*, coalesce(a.text || char(10) || a.question, '') AS judged FROM verdicts v
		LEFT JOIN answers a ON a.id = v.answer)`, nil, do)
}

// A Result is a recorded result of any kind in short.
type Result struct {
	Row     int64 // its rowid
	Party   string
	By      string // kind of the party; "": it is not in the table of parties
	Status  data.Status
	System  string // whose answer it is, or is about; "": it is about pairs
	Dataset string // set of the pair that it is about; "": it is about none
	Origin  string // of its cell in the plan: FromConfig, or the import it came with; "": it is in no cell
	Active  bool   // it is in the tables: no cell says that it was planned earlier only
}

// EachResult calls each for every result of a kind on record, whether it is planned or not. Of verdicts, for example, it is
//
//	SELECT r.rowid, r.party, (kind of the judge), r.status, a.system, '', p.origin, coalesce(p.active, c.active, 1)
//	FROM results r LEFT JOIN answers a ON (r is about it) LEFT JOIN plan p ON (r is due from it) LEFT JOIN plan c ON (a is due from it)
//	WHERE r.kind = 'verdict'
//
// A result is active unless a cell says that only an earlier plan has it: its own cell p or, where it has none, the cell c of its answer.
// For example, a verdict of a judge that the configuration no longer has is not active, nor are labels (of no cell) on an answer that is
// no longer planned. A preference of no cell is active unless its set no longer holds the pair.
func (s *Store) EachResult(k Kind, each func(Result) error) error {
	var origin string
	var active []string // the first that is not NULL counts
	from := k.from("LEFT JOIN")
	if k.Due != nil {
		origin = "p.origin"
		active = append(active, "p.active")
		from += " LEFT JOIN plan p ON " + k.isDue("p")
	}
	if k.about.plan != "" {
		from += " LEFT JOIN " + k.about.plan
	}
	if k.about.active != "" {
		active = append(active, k.about.active)
	}
	text := func(expression string) string { return "coalesce(" + cmp.Or(expression, "NULL") + ", '')" }
	columns := []string{"r.rowid", "r." + k.column("party"), k.partyKind(), "r.status", text(k.about.system), text(k.about.set), text(origin),
		"coalesce(" + strings.Join(append(active, "1", "1"), ", ") + ")"} // of two or more
	return Each(s, `SELECT `+strings.Join(columns, ", ")+` FROM `+from+` WHERE `+k.is(), nil, each)
}

// partyKind returns the expression for the kind of the party that made a result r; "" where the table parties does not have it.
func (k Kind) partyKind() string {
	found := "SELECT min(kind) FROM parties j WHERE j.role = '" + k.Role + "' AND j.name = r." + k.column("party")
	if k.Due != nil {
		found += " AND j.method = " + cmp.Or(k.Due.Method, "''")
	}
	return "coalesce((" + found + "), '')"
}

// UnusedReplies returns the number of complete replies that no result on record is read from: a run with other inputs keeps the calls
// of the one before it.
func (s *Store) UnusedReplies() (int, error) {
	return Value[int](s, `WITH used (id) AS (SELECT value FROM (SELECT calls FROM answers UNION ALL SELECT calls FROM results) t,
		json_each(t.calls) WHERE value IS NOT NULL)
		SELECT count(*) FROM calls c WHERE status = 'valid' AND id NOT IN used
		AND NOT EXISTS (SELECT 1 FROM calls other WHERE other.key = c.key AND other.id IN used)`)
}

// CountChosen returns the number of pairs of a set about which a judge has a preference by a method, in whatever order.
func (s *Store) CountChosen(judge, method, set string) (int, error) {
	return Value[int](s, `SELECT count(DISTINCT r.id) FROM preferences r JOIN pairs q ON q.id = r.id
		WHERE r.judge = ? AND r.method = ? AND q.dataset = ? AND q.active`, judge, method, set)
}

// WithoutBodies returns the statements that delete the bodies of requests and replies from a copy of a record. Of those of verdicts the
// tokens with their log-probabilities stay, from which follows how sure a judge is.
func WithoutBodies() []string {
	return []string{`UPDATE calls SET request = '', raw = CASE
		WHEN instr(raw, '"logprob"') AND json_valid(raw) AND id IN (SELECT k.value FROM verdicts v, json_each(v.calls) k)
		THEN (SELECT json_object('logprobs', json_group_array(json_object('token', t.value ->> 'token', 'logprob', t.value -> 'logprob')))
			FROM json_each(coalesce(raw -> '$.choices[0].logprobs.content', raw -> '$.logprobs', '[]')) t WHERE t.type = 'object')
		ELSE '' END`, `DELETE FROM prompts`}
}

// WithoutReplies returns the statements that delete the words of models from a copy of a record.
func WithoutReplies() []string {
	list := []string{`UPDATE calls SET reply = '', reasoning = '', raw = ''`}
	for _, k := range Kinds {
		for _, column := range k.texts {
			list = append(list, "UPDATE "+k.table()+" AS r SET "+column+" = '' WHERE "+k.is())
		}
	}
	return list
}

// An At is the place of a result in a record: its kind, and the columns of its key. A field that the kind lacks is zero.
type At struct {
	Party   string // the judge or the grader; not of answers
	Kind    string // KindAnswer, KindVerdict, …; "": no result
	Subject string // id of the answer or the pair
	Variant string // of labels: their kind; of preferences and their grades: the method; of samples: how they were asked for
	Order   string // in which the pair was shown
	Judge   string // of a grade: who gave the rationale
	Repeat  int    // of verdicts and samples
}

func (a At) String() string {
	return strings.NewReplacer("PARTY", a.Party, "SUBJECT", a.Subject, "VARIANT", a.Variant, "ORDER", a.Order, "JUDGE", a.Judge,
		"REPEAT", strconv.Itoa(a.Repeat)).Replace(kind(a.Kind).words)
}

// Called returns the name that a column of the table results has in the view of the kind.
func (a At) Called(column string) string { return kind(a.Kind).called(column) }

// AtRow returns the place of a recorded result of a kind.
func (s *Store) AtRow(k Kind, row int64) (At, error) {
	var found Recorded
	err := s.Each(`SELECT * FROM `+k.table()+` WHERE rowid = ?`, []any{row}, found.scan)
	return found.place(), err
}

// found returns the query for the results of a kind at n places, whose key is in the arguments of each.
func (k Kind) found(n int) string {
	key := k.primary()
	one := "(?" + strings.Repeat(", ?", len(key)-1) + ")"
	terms := make([]string, len(key))
	for i, column := range key {
		terms[i] = fmt.Sprintf(`r."%s" = place.column%d`, column, i+1)
	}
	return `SELECT r.rowid, r.* FROM (VALUES ` + strings.Repeat(one+", ", n-1) + one + `) place CROSS JOIN ` + k.table() + ` r ON ` +
		strings.Join(terms, " AND ")
}

// args returns the key of a place as arguments of found.
func (a At) args() []any {
	if a.Kind == KindAnswer {
		return []any{a.Subject}
	}
	return places(&a, true)
}

// Find finds the result at a place; nil: there is none.
func (a At) Find(s *Store) (found Recorded, err error) {
	err = s.each(kind(a.Kind).found(1), a.args(), found.scan)
	return found, err
}

// FindAll finds the results at places, and the calls that these name, by their ids, with one query for each table.
func (s *Store) FindAll(list []At) (found map[At]Recorded, calls map[int64]Call, err error) {
	found = make(map[At]Recorded, len(list))
	calls = make(map[int64]Call, len(list))
	var ids []int64
	for _, k := range []Kind{kind(KindAnswer), kind(KindVerdict)} { // one of each table
		there := data.Where(list, func(a At) bool { return a.Kind != "" && kind(a.Kind).table() == k.table() })
		if len(there) == 0 {
			continue
		}
		args := slices.Concat(data.Each(there, At.args)...)
		err := s.each(k.found(len(there)), args, func(rows *sql.Rows) error {
			var row Recorded
			if err := row.scan(rows); err != nil {
				return err
			}
			calls, _ := row.callIDs() // Calls reports what cannot be parsed
			found[row.place()], ids = row, append(ids, calls...)
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	err = s.each(`SELECT id, `+Columns[Call]()+` FROM calls WHERE id IN (SELECT value FROM json_each(?))`, []any{asJSON{value: ids}},
		func(rows *sql.Rows) error {
			var c Call
			err := rows.Scan(append([]any{&c.ID}, places(&c, false)...)...)
			calls[c.ID] = c
			return err
		})
	return found, calls, err
}

// A Recorded is a result on record, by column.
type Recorded map[string]any

func (r *Recorded) scan(rows *sql.Rows) error {
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	values := make([]any, len(names))
	into := make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	if err := rows.Scan(into...); err != nil {
		return err
	}
	*r = make(Recorded, len(names))
	for i, name := range names {
		(*r)[name] = values[i]
	}
	return nil
}

// place returns the place of the result.
func (r Recorded) place() At {
	if _, is := r["kind"]; !is {
		return At{Kind: KindAnswer, Subject: r.Text("id")}
	}
	n, _ := r["repeat"].(int64)
	return At{r.Text("party"), r.Text("kind"), r.Text("subject"), r.Text("variant"), r.Text("order"), r.Text("judge"), int(n)}
}

// Text returns a column with a text.
func (r Recorded) Text(column string) string {
	text, _ := r[column].(string)
	return text
}

// Status returns how the result ended.
func (r Recorded) Status() data.Status { return data.Status(r.Text("status")) }

// callIDs returns the ids of the calls that the result names, in the order in which they were made.
func (r Recorded) callIDs() (ids CallIDs, err error) {
	err = asJSON{value: &ids}.Scan(r["calls"])
	return ids, err
}

// Calls returns the calls that the result names, in the order in which they were made, of those that are known by their ids. Another one
// has an id alone.
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

// Comparing returns a Batch that writes nothing. It hands over each result that it would put, with its place.
func Comparing(compare func(place At, now Recorded) error) Batch {
	return Batch{tx: &writer{compare: func(columns string, values []any) error {
		row := make(Recorded, len(values))
		i := 0
		for name := range strings.SplitSeq(columns, ", ") {
			row[strings.Trim(name, `"`)] = columnValue(values[i])
			i++
		}
		return compare(row.place(), row)
	}}}
}

// columnValue returns a value as it is read from a column.
func columnValue(value any) any {
	switch value.(type) {
	case string, int64, float64, nil:
		return value
	}
	value, _ = driver.DefaultParameterConverter.ConvertValue(value) // those of rows always convert
	switch value {                                                  // SQLite has numbers
	case true:
		return int64(1)
	case false:
		return int64(0)
	}
	return value
}
