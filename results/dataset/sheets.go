package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"compqa/data"
	"compqa/results/store"
	"compqa/rubric"
)

// A Sheet is a verdict.
type Sheet struct {
	Judge  int // index into Run.Judges
	Answer int // index into Run.Answers
	Repeat int
	*Ending
	Cost *float64
}

// An Ending is the result of a verdict: its status, and its scores in the order of the rubric's
// criteria, nil unless it is valid. Equal endings are shared to save memory.
type Ending struct {
	Status data.Status
	Reason string
	Scores []float64
	Total  float64
}

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

// sheets reads the planned verdicts.
func (r *reader) sheets() error {
	judges, planned, cellOf := r.verdictCells()
	add := func(v sheetRow, again func(j, at int) (data.Verdict, error)) error {
		j, known := judges[v.Judge]
		at, placed := r.answerAt[v.Answer]
		if !known || !placed || !planned[j][cellOf[at]] {
			return nil
		}
		now, scores, err := data.Verdict{Status: v.Status, Total: v.Total, Reason: v.Reason}, v.Scores, error(nil)
		if again != nil {
			var text []byte
			if now, err = again(j, at); err == nil {
				text, err = json.Marshal(now.Scores)
			}
			scores = string(text)
		}
		s := Sheet{Judge: j, Answer: at, Repeat: v.Repeat}
		if err == nil {
			s.Ending, err = r.ending(now, scores)
		}
		if err != nil {
			return fmt.Errorf("verdict of %s on %s: %w", v.Judge, v.Answer, err)
		}
		r.sheetCalls.Add(v.Calls)
		r.Run.Sheets = append(r.Run.Sheets, s)
		return nil
	}
	if r.rescore == nil {
		return store.Each(r.Store, `FROM verdicts`, nil, func(v sheetRow) error { return add(v, nil) })
	}
	type row struct {
		sheetRow
		Raw, Judged string
	}
	return store.Each(r.Store, `FROM (SELECT v.*, coalesce(a.text || char(10) || a.question, '') AS judged
		FROM verdicts v LEFT JOIN answers a ON a.id = v.answer)`, nil, func(v row) error {
		return add(v.sheetRow, func(j, at int) (data.Verdict, error) {
			then := data.Verdict{Answer: v.Answer, Judge: v.Judge, Status: v.Status, Total: v.Total, Reason: v.Reason, Raw: v.Raw, Repeat: v.Repeat}
			return r.reread(r.Run.Judges[j], then, []byte(v.Scores), v.Judged)
		})
	})
}

// ending returns the shared Ending of a verdict.
func (r *reader) ending(v data.Verdict, scores string) (*Ending, error) {
	key := endingKey{status: v.Status, reason: v.Reason}
	if v.Status == data.Valid {
		if v.Total == nil {
			return nil, errors.New("it is recorded as valid but has no total")
		}
		sum := sha256.Sum256([]byte(scores))
		copy(key.scores[:], sum[:])
		key.total = *v.Total
	}
	if known := r.endings[key]; known != nil {
		return known, nil
	}
	made := &Ending{Status: v.Status, Reason: v.Reason, Total: key.total}
	if v.Status == data.Valid {
		var err error
		if made.Scores, err = readPoints(r.Run.Rubric, scores); err != nil {
			return nil, err
		}
	}
	r.endings[key] = made
	return made, nil
}

func (run *Run) sortSheets() {
	slices.SortFunc(run.Sheets, func(a, b Sheet) int {
		return cmp.Or(cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.Answer, b.Answer), cmp.Compare(a.Repeat, b.Repeat))
	})
}

// verdictCells are the planned verdicts, by the judge's index and the number of the
// answer's cell. It also allocates memory for them.
func (r *reader) verdictCells() (judges map[string]int, planned []map[int]bool, cellOf []int) {
	judges, planned = map[string]int{}, make([]map[int]bool, len(r.Run.Judges))
	for j, judge := range r.Run.Judges {
		judges[judge.Name], planned[j] = j, map[int]bool{}
	}
	numbers, all := map[store.Place]int{}, 0
	number := func(p store.Place) int {
		n, ok := numbers[p]
		if !ok {
			n = len(numbers)
			numbers[p] = n
		}
		return n
	}
	for _, c := range r.Run.Plan {
		if j, known := judges[c.Judge]; known && c.Kind == store.KindVerdict {
			planned[j][number(store.Place{System: c.System, Scenario: c.Scenario})] = true
			all += c.Planned
		}
	}
	cellOf = make([]int, len(r.Run.Answers))
	for i := range r.Run.Answers {
		a := &r.Run.Answers[i]
		cellOf[i] = number(store.Place{System: a.System, Scenario: a.Scenario})
	}
	r.Run.Sheets = slices.Grow(r.Run.Sheets, max(0, all-len(r.Run.Sheets)))
	r.sheetCalls.Grow(max(0, all-len(r.Run.Sheets)))
	return judges, planned, cellOf
}

// readPoints parses the scores of a valid sheet, in the order of the rubric's criteria; an
// incomplete sheet is an error.
func readPoints(r rubric.Rubric, encoded string) ([]float64, error) {
	var scores data.Scores
	if err := json.Unmarshal([]byte(encoded), &scores); err != nil {
		return nil, err
	}
	row := make([]float64, len(r.Criteria))
	for i, c := range r.Criteria {
		points, ok := scores[c.ID]
		if !ok {
			return nil, fmt.Errorf("it is recorded as valid, but criterion %s has no score", c.ID)
		}
		row[i] = points
	}
	return row, nil
}
