package project

import (
	"reflect"
	"slices"
	"testing"
)

// Each form says all that a report, an export and the help need of any kind. One whose sheets no run reads has no Results.
func TestFormsAreComplete(t *testing.T) {
	may := []string{"Sides", "Fixed", "Rows", "Keys", "Choice", "Attached", "Every", "OpensAt", "Letter", "Chosen", "Check", "Derived",
		"Total", "Results", "Choices", "Grades"}
	for _, form := range forms {
		v := reflect.ValueOf(form)
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; v.Field(i).IsZero() && !slices.Contains(may, name) {
				t.Errorf("the form of %s has no %s", form.Kind, name)
			}
		}
	}
}
