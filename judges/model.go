package judges

import (
	"errors"

	"compqa/rubric"
)

// ModelOptions say which model judges, and how it is asked.
type ModelOptions struct {
	Model          string
	Options, Extra map[string]any
	Examples       int // example scorings in the prompt, 0 to 3
	Repair         int // times a faulty reply is shown to the judge again
}

// NewModel is a judge that is a model.
func NewModel(rubric.Rubric, ModelOptions) (Judge, string, error) {
	return nil, "", errors.New("models as judges are not there yet")
}
