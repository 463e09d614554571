package store

import "compqa/data"

// A Head is what the results of all kinds have: how they ended, the reason for it, and the ids of the calls that
// they were read from. Who made them and what they are about is their key (At).
type Head struct {
	Status data.Status
	Reason string
	Calls  CallIDs
}

// A result is a row of the table results, of whatever kind.
type result struct {
	At
	Fingerprint string // of results about pairs: hash of all that they depend on; of the others, their cell has it
	Head
	Choice  data.Choice // of preferences and samples
	Total   *float64    // of a verdict
	Content any         // by kind, written as JSON; a text stands as it is
	Raw     string      // the words of the party
	Origin  string      // of a verdict: the import that it came with
}

// result records a result.
func (b Batch) result(r result) error { return put(b, "results", r) }

// graded is the content of a grade; what the grader does not say is null.
type graded struct {
	Right       *int `json:"right"` // 1: the grader holds the choice to be right
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
	Labels []Labels `db:"-"` // made without a model, when the answer is recorded
}

// A Reading is the measurements of an answer's text about its arguments, made when the answer was recorded.
type Reading struct {
	Citations    int          // numbers of arguments in square brackets
	Unknown      int          // of these, numbers that no argument of the question has
	Generated    int          // [generated] tags
	Favours      data.Favours `db:"choice"` // what it chooses of its two objects
	Cited1       int          // sentences with a citation that speak for the answer's first object
	Cited2       int
	Made1, Made2 int // sentences with nothing but a [generated] tag, likewise
}

// Labels are a judge's statements about an answer, other than points. A judge without a model
// has no reason, raw text or calls.
type Labels struct {
	Answer, Judge, Kind string
	Head
	Labels string // JSON
	Raw    string
}

// A PreferenceAbout is further data about a preference.
type PreferenceAbout struct {
	Fingerprint string // hash of everything that it depends on
	Detail      any    // how it came about; written as JSON
}

// A RecordedJudgment is a recorded sampled judgment.
type RecordedJudgment struct {
	ID, Judge, Order, Source string
	Sample                   int
	Fingerprint              string
	Head
	Choice data.Choice
	Text   string
}

// Place returns where the judgment is recorded.
func (j RecordedJudgment) Place() At {
	return At{Kind: KindSample, Party: j.Judge, Subject: j.ID, Order: j.Order, Variant: j.Source, Repeat: j.Sample}
}

// A RecordedGrade is the grade of a rationale by a model or a person. Right is nil if
// the grader did not decide whether the choice is correct.
type RecordedGrade struct {
	ID, Judge, Method, Order string // of the preference whose rationale it is, or of a sampled judgment
	Grader                   string
	Fingerprint              string
	Head
	Right       *bool
	Correctness int `db:",null"` // 1 to 5; 0 unless Status is valid
	Consistency int `db:",null"` // 1 to 3
}

// Graded returns the place of the preference whose rationale is graded.
func (g RecordedGrade) Graded() At { return PreferenceAt(g.ID, g.Judge, g.Method, g.Order) }

// Place returns where the grade is recorded.
func (g RecordedGrade) Place() At {
	return At{Kind: KindGrade, Party: g.Grader, Subject: g.ID, Judge: g.Judge, Variant: g.Method, Order: g.Order}
}

// PreferenceAt returns the place of a judge's preference on a pair.
func PreferenceAt(pair, judge, method, order string) At {
	return At{Kind: KindPreference, Party: judge, Subject: pair, Variant: method, Order: order}
}
