package judgequality

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/validation"
)

// studied returns the validation from which the record was made. The validation also has options and designs, which the record lacks.
// studied returns nil if the record does not come from a validation, or if the validation's input was too large to be kept. It also returns
// nil if sheets were added or removed since. The record alone then decides.
func (t *Tables) studied() (*validation.Result, error) {
	x := t.boards.Dataset
	if x.Rubric.Name != validation.RubricName || len(x.Dirs) != 1 {
		return nil, nil
	}
	in, err := validation.ReadInput(filepath.Join(x.Dirs[0], validation.InputName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var result *validation.Result
	if err == nil {
		result, err = in.Result()
	}
	if err != nil {
		return nil, fmt.Errorf("the decisions of the validation cannot be computed again (run compqa validate again): %w", err)
	}
	record, ok := result.Record()
	if !ok || !hasSheets(x, record.Verdicts) {
		return nil, nil
	}
	return result, nil
}

// hasSheets reports whether the sheets of a run are exactly these verdicts.
func hasSheets(x *dataset.Dataset, verdicts []data.Verdict) bool {
	if len(x.Sheets) != len(verdicts) {
		return false
	}
	scores := map[[2]string]data.Scores{}
	for _, v := range verdicts {
		scores[[2]string{v.Judge, v.Answer}] = v.Scores
	}
	for _, s := range x.Sheets {
		sheet, has := scores[[2]string{x.Judges[s.Rater].Name, x.Answers[s.Item].ID}]
		if !has {
			return false
		}
		for k, value := range s.Scores { // an incomplete sheet has no scores
			if points, given := sheet[x.Rubric.Criteria[k].ID]; given == math.IsNaN(value) || given && points != value {
				return false
			}
		}
	}
	return true
}
