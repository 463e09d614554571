package data

import (
	"fmt"
	"math"
)

// A HumanGrade is a person's grade of the rationale of a preference: correctness from 1
// to 5, consistency with the choice from 1 to 3.
type HumanGrade struct {
	ID, Judge, Method, Order string // of the preference
	Grader                   string // human, human:1 …
	Correctness, Consistency int
}

var gradeFields = []string{"id", "judge", "method", "order", "grader", "correctness", "consistency"}

// ReadGrades reads human grades of rationales from JSON Lines or CSV: id (of the pair),
// judge, method, order (ab or ba), grader (human, human:1 and so on), correctness (1 to
// 5), consistency (1 to 3). A grader grades a rationale once.
func ReadGrades(path string) ([]HumanGrade, error) {
	return readRecords(path, gradeFields, "grades", func(r row) (HumanGrade, []string, error) {
		g, err := readGrade(r)
		key := fmt.Sprintf("grade of %q for pair %q, judge %q, method %q, order %s", g.Grader, g.ID, g.Judge, g.Method, g.Order)
		return g, []string{key}, err
	})
}

func readGrade(r row) (g HumanGrade, err error) {
	for i, into := range []*string{&g.ID, &g.Judge, &g.Method, &g.Order, &g.Grader} {
		if *into, err = r.need(gradeFields[i]); err != nil {
			return g, err
		}
	}
	switch {
	case g.Order != OrderAB && g.Order != OrderBA:
		return g, r.errorf("order is %q; it must be ab or ba", g.Order)
	case !IsHuman(g.Grader):
		return g, r.errorf("grader is %q; it must be human, human:1, human:2 …", g.Grader)
	}
	if g.Correctness, err = r.grade("correctness", 5); err != nil {
		return g, err
	}
	g.Consistency, err = r.grade("consistency", 3)
	return g, err
}

// grade is a field with a whole number from 1 to most.
func (r row) grade(name string, most int) (int, error) {
	x, err := r.number(name)
	switch {
	case err != nil:
		return 0, err
	case x == nil:
		return 0, r.errorf("%s is missing", name)
	case *x != math.Trunc(*x) || *x < 1 || *x > float64(most):
		return 0, r.errorf("%s is %v; it must be 1 to %d", name, *x, most)
	}
	return int(*x), nil
}
