// Package replies reads what a judge says: which of two answers is better (Choice, Judgment, Consistent), and the sheet of
// scores (Sheet). What is not sure is not read: the judge is asked again, and a reply that stays unclear is unparsed.
//
//  1. Reasoning is removed first (llm.WithoutThought). A reply that is reasoning only says nothing.
//  2. What stands word for word in the judged texts, in quotation marks or in a quoted block is not the judge's.
//  3. A choice has one of three kinds of form. The form that was asked for ("Preferred: B", [[B]], a tag, an object with a
//     verdict) counts alone. Only without it, other labels of a verdict count ("Verdict: B"). Only without both, the last
//     line counts ("Answer: B"), because a judge also solves the task. All that is found must agree.
//  4. A sentence is a verdict if the whole of it has one of the shapes in a closed list. Nothing is searched inside a
//     sentence. So no list of hedges is needed: a sentence in any other words is not a verdict.
//  5. Nothing that follows a choice may correct it or speak for the other answer.
//  6. A sheet is held by an object that a list names; all sheets of a reply agree, and its numbers are exact.
package replies

// Versions are the versions of the rules for choices and sheets. They are part of a judge's fingerprint. A number is raised whenever some
// reply is read differently.
type Versions struct{ Choice, Sheet int }

var (
	// Current holds the versions of the present rules.
	Current = Versions{7, 3}
	// Earlier lists versions of records that `compqa verify` still checks. It reports the replies that Current reads differently.
	Earlier = []Versions{{6, 2}}
)

// OrCurrent returns v, or Current if v is the zero value.
func (v Versions) OrCurrent() Versions {
	if v == (Versions{}) {
		return Current
	}
	return v
}
