package data

import "fmt"

// A HumanGrade is a person's grade of the rationale for a preference: correctness from 1 to 5, and consistency with the choice from 1 to 3.
type HumanGrade struct {
	ID, Judge, Method, Order string // of the graded preference
	Grader                   string // human, human:1 …
	Correctness, Consistency int
}

var gradeFields = []string{"id", "judge", "method", "order", "grader", "correctness", "consistency"}

// ReadGrades reads human grades of rationales from JSON Lines or CSV: id (of the pair), judge, method, order (ab or ba), grader (human,
// human:1 …), correctness (1 to 5), consistency (1 to 3). A second grade by one grader for a rationale is an error.
func ReadGrades(path string) ([]HumanGrade, error) {
	return readRecords(path, gradeFields, "grades", func(r *row) (HumanGrade, []string) {
		g := HumanGrade{ID: r.need("id"), Judge: r.need("judge"), Method: r.need("method"), Order: r.need("order"), Grader: r.need("grader")}
		switch {
		case g.Order != OrderAB && g.Order != OrderBA:
			r.fail("order is %q; it must be ab or ba", g.Order)
		case !IsHuman(g.Grader):
			r.fail("grader is %q; it must be human, human:1, human:2 …", g.Grader)
		}
		g.Correctness, g.Consistency = r.grade("correctness", 5), r.grade("consistency", 3)
		return g, []string{fmt.Sprintf("grade of %q for pair %q, judge %q, method %q, order %s", g.Grader, g.ID, g.Judge, g.Method, g.Order)}
	})
}

// grade returns the whole number in a field, which must be from 1 to most.
func (r *row) grade(name string, most int) int {
	if _, given := r.fields[name]; !given {
		r.fail("%s is missing", name)
	}
	return r.wholeNumber(name, most, 0, fmt.Sprintf("1 to %d", most))
}
