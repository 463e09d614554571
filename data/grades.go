package data

import (
	"fmt"
	"math"
)

// A PeopleGrade is what a person makes of the rationale of a preference:
// correctness 1 to 5, consistency with the choice 1 to 3.
type HumanGrade struct {
	ID, Judge, Method, Order string // of the preference
	Grader                   string // human, human:1 …
	Correctness, Consistency int
}

var gradeFields = []string{"id", "judge", "method", "order", "grader", "correctness", "consistency"}

// ReadGrades reads people's grades of rationales from JSON Lines or CSV: id (the
// pair's), judge, method, order (ab or ba), grader (human, or human:1 and so on),
// correctness (1 to 5), consistency (1 to 3). A grader grades a rationale once.
func ReadGrades(path string) ([]HumanGrade, error) {
	var grades []HumanGrade
	lines := map[HumanGrade]int{}
	err := readRows(path, gradeFields, func(r row) error {
		var g HumanGrade
		for _, f := range []struct {
			name string
			into *string
		}{{"id", &g.ID}, {"judge", &g.Judge}, {"method", &g.Method}, {"order", &g.Order}, {"grader", &g.Grader}} {
			var err error
			if *f.into, err = r.need(f.name); err != nil {
				return err
			}
		}
		switch {
		case g.Order != OrderAB && g.Order != OrderBA:
			return r.errorf("order is %q; it is ab or ba", g.Order)
		case !IsHuman(g.Grader):
			return r.errorf("grader is %q; people are human, human:1, human:2 …", g.Grader)
		}
		if first, ok := lines[g]; ok {
			return r.errorf("line %d holds a grade of %q on this rationale already", first, g.Grader)
		}
		lines[g] = r.line
		var err error
		if g.Correctness, err = r.grade("correctness", 5); err != nil {
			return err
		}
		if g.Consistency, err = r.grade("consistency", 3); err != nil {
			return err
		}
		grades = append(grades, g)
		return nil
	})
	if err == nil && len(grades) == 0 {
		err = fmt.Errorf("%s holds no grade", path)
	}
	return grades, err
}

// grade is a field that holds a whole number from 1 to most.
func (r row) grade(name string, most int) (int, error) {
	x, err := r.number(name)
	switch {
	case err != nil:
		return 0, err
	case x == nil:
		return 0, r.errorf("%s is missing", name)
	case *x != math.Trunc(*x) || *x < 1 || *x > float64(most):
		return 0, r.errorf("%s is %v; it is 1 to %d", name, *x, most)
	}
	return int(*x), nil
}
