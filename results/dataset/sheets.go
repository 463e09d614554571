package dataset

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/store"
)

// An endingKey identifies equal endings.
type endingKey struct {
	status data.Status
	reason string
	scores [sha256.Size / 2]byte // hash of their JSON
	total  float64
}

// A sheetRow is a recorded verdict, its scores and calls as JSON.
type sheetRow struct {
	Judge, Answer string
	Repeat        int
	Status        data.Status
	Scores        string
	Total         *float64
	Reason, Calls string
}

// A rescoredRow is a verdict that is parsed again.
type rescoredRow struct {
	sheetRow
	Raw, Judged string
}

// sheets reads the planned verdicts.
func (r *reader) sheets() error {
	n, err := r.OnRecord(store.KindVerdict)
	if err != nil {
		return err
	}
	r.Run.Sheets, r.sheetCalls = make([]data.Given, 0, n), make(store.RowCalls, 0, n)
	judges := map[string]int{}
	for j, judge := range r.Run.Judges {
		judges[judge.Name] = j
	}
	add := func(v *sheetRow, reread func(judge store.Participant) error) (err error) {
		j, known := judges[v.Judge]
		index, placed := r.answerAt[v.Answer]
		if !known || !placed {
			return nil
		}
		a := &r.Run.Answers[index]
		if !r.planned[store.CellKey{Kind: store.KindVerdict, Judge: v.Judge, System: a.System, Scenario: a.Scenario}] {
			return nil
		}
		s := data.Given{Rater: int32(j), Item: int32(index), Repeat: int32(v.Repeat)}
		if reread != nil && r.rescore.due(r.Run.Judges[j], r.but) {
			err = reread(r.Run.Judges[j])
		}
		if err == nil {
			s.Ending, err = r.ending(v)
		}
		if err != nil {
			return fmt.Errorf("verdict of %s on %s: %w", v.Judge, v.Answer, err)
		}
		r.sheetCalls.Add(len(r.Run.Sheets), v.Calls)
		r.Run.Sheets = append(r.Run.Sheets, s)
		return nil
	}
	if !slices.ContainsFunc(r.Run.Judges, func(judge store.Participant) bool { return r.rescore.due(judge, r.but) }) {
		return store.EachOfUnordered(r.Store, store.KindVerdict, func(v sheetRow) error { return add(&v, nil) })
	}
	return store.EachJudgedText(r.Store, func(v rescoredRow) error {
		return add(&v.sheetRow, func(judge store.Participant) error { return r.reread(judge, &v) })
	})
}

// ending returns the shared Ending of a verdict; an incomplete sheet that is recorded as valid is an error.
func (r *reader) ending(v *sheetRow) (*data.Ending, error) {
	key := endingKey{status: v.Status, reason: v.Reason}
	if v.Status == data.Valid || v.Status == data.Partial {
		sum := sha256.Sum256([]byte(v.Scores))
		copy(key.scores[:], sum[:])
	}
	if v.Status == data.Valid {
		if v.Total == nil {
			return nil, errors.New("it is recorded as valid but has no total")
		}
		key.total = *v.Total
	}
	if known := r.endings[key]; known != nil {
		return known, nil
	}
	made := &data.Ending{Status: v.Status, Reason: v.Reason, Total: key.total}
	if v.Status == data.Valid || v.Status == data.Partial {
		clear(r.scores)
		if err := json.Unmarshal([]byte(v.Scores), &r.scores); err != nil {
			return nil, err
		}
		made.Scores = make([]float64, 0, len(r.Run.Rubric.Criteria))
		for _, c := range r.Run.Rubric.Criteria {
			points, ok := r.scores[c.ID]
			if !ok && v.Status == data.Partial {
				points = math.NaN()
			} else if !ok {
				return nil, fmt.Errorf("it is recorded as valid, but criterion %s has no score", c.ID)
			}
			made.Scores = append(made.Scores, points)
		}
	}
	r.endings[key] = made
	return made, nil
}

func (run *Run) sortSheets() { slices.SortFunc(run.Sheets, data.CompareSheets) }

// SheetsOn returns a judge's sheets on an answer.
func (x *Dataset) SheetsOn(judge, answer int) []data.Given {
	return data.ByItem(x.SheetsOf(judge), answer)
}

// ScoresOn returns a judge's points for an answer, means over repeats.
func (x *Dataset) ScoresOn(judge, answer int) data.Scores {
	scores, n := data.Scores{}, 0.0
	for _, s := range x.SheetsOn(judge, answer) {
		if s.Status == data.Valid {
			n++
			for k, c := range x.Rubric.Criteria {
				scores[c.ID] += s.Scores[k]
			}
		}
	}
	for id := range scores {
		scores[id] /= n
	}
	return scores
}
