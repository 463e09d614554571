package project

import (
	"reflect"
	"slices"
	"testing"
)

// TestFormsAreComplete: each form has everything that reports, exports and the help need. Only a form whose sheets no run reads may lack
// Results.
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
