package dataset

import (
	"cmp"
	"crypto/sha256"
	"database/sql"
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

// sheets reads the planned verdicts.
func (r *Reader) sheets() error {
	judges, planned, cellOf := r.verdictCells()
	columns := `judge, answer, repeat, status, scores, total, reason, calls`
	if r.rescore != nil {
		columns += `, raw, (SELECT a.text || char(10) || a.question FROM answers a WHERE a.id = verdicts.answer)`
	}
	return r.Each(`SELECT `+columns+` FROM verdicts`, nil, func(rows *sql.Rows) error {
		var judge, answer, scores, calls string
		var judged sql.NullString
		var v data.Verdict
		into := []any{&judge, &answer, &v.Repeat, &v.Status, &scores, &v.Total, &v.Reason, &calls}
		if r.rescore != nil {
			into = append(into, &v.Raw, &judged)
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		j, known := judges[judge]
		at, placed := r.answerAt[answer]
		if !known || !placed || !planned[j][cellOf[at]] {
			return nil
		}
		s, err := r.sheet(j, at, v, scores, judged.String)
		if err != nil {
			return fmt.Errorf("verdict of %s on %s: %w", judge, answer, err)
		}
		r.sheetCalls.Add(calls)
		r.Run.Sheets = append(r.Run.Sheets, s)
		return nil
	})
}

// sheet is the verdict of judge j on the answer with index at, parsed by rescore if it
// is set, with the judged text.
func (r *Reader) sheet(j, at int, v data.Verdict, scores, judged string) (s Sheet, err error) {
	if r.rescore != nil {
		v.Answer, v.Judge = r.Run.Answers[at].ID, r.Run.Judges[j].Name
		if v, err = r.reread(r.Run.Judges[j], v, []byte(scores), judged); err != nil {
			return s, err
		}
		now, err := json.Marshal(v.Scores)
		if err != nil {
			return s, err
		}
		scores = string(now)
	}
	s = Sheet{Judge: j, Answer: at, Repeat: v.Repeat}
	s.Ending, err = r.ending(v, scores)
	return s, err
}

// ending returns the shared Ending of a verdict.
func (r *Reader) ending(v data.Verdict, scores string) (*Ending, error) {
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
func (r *Reader) verdictCells() (judges map[string]int, planned []map[int]bool, cellOf []int) {
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
