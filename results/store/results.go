package store

import (
	"reflect"
	"strings"
	"sync"

	"compqa/data"
)

// A Head has the fields common to results of all kinds: how the result ended, why, and the calls that it was read from. Its key (At) says
// who made it and what it is about.
type Head struct {
	Status data.Status
	Reason string
	Calls  CallIDs
}

// A result is a row of the table results, of any kind.
type result struct {
	At
	Fingerprint string // hash of all that a result about pairs depends on; "" for others, whose cell has it
	Head
	Choice  data.Choice // only of preferences and samples
	Total   *float64    // of a verdict
	Content any         // by kind; written as JSON, except a string, which is JSON already
	Raw     string      // the text that the party wrote
	Origin  string      // of a verdict: the import that it came with
}

// result records a result. It writes only the columns that the kind has: the others keep their defaults, and binding a column takes as long
// as storing it.
func (b Batch) result(r result) error { return resultShapes()[r.Kind].put(b, "results", &r) }

// resultShapes returns, by kind, the columns of a result that the kind has.
var resultShapes = sync.OnceValue(func() map[string]*shape {
	shapes := map[string]*shape{}
	for _, k := range Kinds {
		shapes[k.Name] = newShape(data.Where(shapeOf(reflect.TypeFor[result]()).columns, func(c column) bool {
			return k.has(strings.Trim(c.name, `"`))
		}))
	}
	return shapes
})

// graded is the content of a grade. A field is null if the grader did not decide it.
type graded struct {
	Right       *int `json:"right"` // 1: the grader finds the choice right; 0: wrong
	Correctness *int `json:"correctness"`
	Consistency *int `json:"consistency"`
}

// An answer is a recorded answer with its size.
type answer struct {
	data.Answer
	Size
	Calls CallIDs
}

// A Size is the length of an answer and its other measurements.
type Size struct {
	Words, Sentences int
	Reading
	Labels []Labels `db:"-"` // by judges without a model, made when the answer is recorded
}

// A Reading has counts from an answer's text about how it cites the arguments of its question, made when the answer was recorded.
type Reading struct {
	Citations    int          // number of citations: argument numbers in square brackets
	Unknown      int          // citations whose number belongs to no argument of the question
	Generated    int          // number of [generated] tags
	Favours      data.Favours `db:"choice"` // which of the two objects the answer chooses
	Cited1       int          // sentences with a citation that favour the first object
	Cited2       int
	Made1, Made2 int // sentences with only a [generated] tag that favour the first, second object
}

// Labels are a judge's statements about an answer, other than points. Labels of a judge without a model have no reason, raw text or calls.
type Labels struct {
	Answer, Judge, Kind string
	Head
	Labels string // JSON
	Raw    string
}

// A PreferenceAbout has the data of a preference that data.Preference lacks.
type PreferenceAbout struct {
	Fingerprint string // hash of everything that the preference depends on
	Detail      any    // how the method reached the choice; written as JSON
}

// A RecordedJudgment is one of several judgments sampled from a judge for a pair in one order.
type RecordedJudgment struct {
	ID, Judge, Order, Source string
	Sample                   int
	Fingerprint              string
	Head
	Choice data.Choice
	Text   string
}

// Place returns the key of the judgment.
func (j RecordedJudgment) Place() At {
	return At{Kind: KindSample, Party: j.Judge, Subject: j.ID, Order: j.Order, Variant: j.Source, Repeat: j.Sample}
}

// A RecordedGrade is the grade that a model or a person gave to a judge's rationale. Right is nil if the grader did not decide whether the
// choice is correct.
type RecordedGrade struct {
	ID, Judge, Method, Order string // key of the preference, or sampled judgment, whose rationale is graded
	Grader                   string
	Fingerprint              string
	Head
	Right       *bool
	Correctness int `db:",null"` // 1 to 5; 0 unless Status is valid
	Consistency int `db:",null"` // 1 to 3
}

// Graded returns the key of the preference whose rationale is graded.
func (g RecordedGrade) Graded() At { return PreferenceAt(g.ID, g.Judge, g.Method, g.Order) }

// Place returns the key of the grade.
func (g RecordedGrade) Place() At {
	return At{Kind: KindGrade, Party: g.Grader, Subject: g.ID, Judge: g.Judge, Variant: g.Method, Order: g.Order}
}

// PreferenceAt returns the key of a judge's preference on a pair.
func PreferenceAt(pair, judge, method, order string) At {
	return At{Kind: KindPreference, Party: judge, Subject: pair, Variant: method, Order: order}
}

// Labels records a judge's labels of an answer.
func (b Batch) Labels(answer string, l Labels, calls []int64) error {
	l.Calls = calls
	at := At{Kind: KindLabel, Party: l.Judge, Subject: answer, Variant: l.Kind}
	return b.result(result{At: at, Head: l.Head, Content: l.Labels, Raw: l.Raw})
}

// Verdict records a verdict and the ids of its calls. A valid verdict has all scores and a total; any other keeps the scores that could be
// read.
func (b Batch) Verdict(v data.Verdict, calls []int64) error {
	return b.result(result{At: At{Kind: KindVerdict, Party: v.Judge, Subject: v.Answer, Repeat: v.Repeat},
		Head: Head{v.Status, v.Reason, calls}, Total: v.Total, Content: v.Scores, Raw: v.Raw, Origin: b.origin})
}

// Preference records a preference and the ids of its calls.
func (b Batch) Preference(p data.Preference, about PreferenceAbout, calls []int64) error {
	if about.Detail == nil {
		about.Detail = "null"
	}
	return b.result(result{At: PreferenceAt(p.ID, p.Judge, p.Method, p.Order), Fingerprint: about.Fingerprint,
		Head: Head{p.Status, p.Reason, calls}, Choice: data.Choice(p.Choice), Content: about.Detail, Raw: p.Rationale})
}

// Judgment records a sampled judgment.
func (b Batch) Judgment(j RecordedJudgment, calls []int64) error {
	return b.result(result{At: j.Place(), Fingerprint: j.Fingerprint, Head: Head{j.Status, j.Reason, calls}, Choice: j.Choice, Raw: j.Text})
}

// Grade records a grade.
func (b Batch) Grade(g RecordedGrade, calls []int64) error {
	var points graded
	if g.Right != nil {
		points.Right = new(int)
		if *g.Right {
			*points.Right = 1
		}
	}
	if g.Status == data.Valid && g.Correctness != 0 {
		points.Correctness = &g.Correctness
	}
	if g.Status == data.Valid && g.Consistency != 0 {
		points.Consistency = &g.Consistency
	}
	return b.result(result{At: g.Place(), Fingerprint: g.Fingerprint, Head: Head{g.Status, g.Reason, calls}, Content: points})
}

// Drop deletes outdated results. With a preference, it deletes the grades of its rationale. The calls stay.
func (b Batch) Drop(list []At) error {
	for _, place := range list {
		b.tx.do(`DELETE FROM results WHERE "`+strings.Join(resultKey, `" = ? AND "`)+`" = ?`, places(&place, true)...)
		if place.Kind == KindPreference {
			b.tx.do(`DELETE FROM results WHERE kind = 'grade' AND subject = ? AND judge = ? AND variant = ? AND "order" = ?`, place.Subject,
				place.Party, place.Variant, place.Order)
		}
	}
	return b.tx.failed
}

// remove deletes the results that meet an SQL condition, and returns their number.
func (b Batch) remove(where string, args ...any) (n int, err error) {
	err = b.tx.QueryRow(`SELECT count(*) FROM results WHERE `+where, args...).Scan(&n)
	if err != nil {
		return 0, err
	}
	return n, b.tx.do(`DELETE FROM results WHERE `+where, args...)
}
