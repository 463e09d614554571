package results

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
)

// A Sheet is a verdict, its scores in the order of the rubric's criteria; nil
// unless it is valid.
type Sheet struct {
	Judge  int // index into Run.Judges
	Answer int // index into Run.Answers
	Repeat int
	*Ending
	Scores []float64
	Total  float64
	Cost   *float64
}

// An Ending is how verdicts ended. Those that ended alike share one, as they share
// equal scores: of a million sheets each byte is a megabyte.
type Ending struct {
	Status data.Status
	Reason string
}

func (r *reader) sheets() error { return r.sheetsIn(r.part("verdicts")) }

// sheetsIn reads the verdicts, or a part of them, as they lie in the record, which is
// faster by far than in order.
func (r *reader) sheetsIn(part string) error {
	judges, planned, cellOf := r.verdictCells()
	columns := asOne(readAsOne["verdicts"]...) + `, repeat, total, ` + free("reason")
	texts := make([]string, len(readAsOne["verdicts"]))
	if r.rescore != nil {
		columns += `, raw`
	}
	points := newPoints(r.run.Rubric)
	return r.walk(`SELECT `+columns+` FROM `+part, func(found *foundRow) error {
		r.sheetRows++
		found.texts(0, texts)
		judge, answer, scores := texts[0], texts[1], texts[3]
		j, known := judges[judge]
		at, placed := r.answerAt[answer]
		if !known || !placed || !planned[j][cellOf[at]] {
			return nil
		}
		s := Sheet{Judge: j, Answer: at, Repeat: found.whole(1), Ending: r.ending(texts[2], found.freeText(3))}
		total, totalled := found.realOr0(2)
		r.sheetCalls.add(texts[4])
		if r.rescore != nil {
			v := data.Verdict{Answer: r.run.Answers[at].ID, Judge: r.run.Judges[j].Name, Repeat: s.Repeat, Status: s.Status, Reason: s.Reason, Raw: found.text(4)}
			if recorded := total; totalled {
				v.Total = &recorded
			}
			v, err := r.reread(r.run.Judges[j], v, []byte(scores))
			var now []byte
			if err == nil {
				now, err = json.Marshal(v.Scores)
			}
			if err != nil {
				return fmt.Errorf("verdict of %s on %s: %w", judge, answer, err)
			}
			s.Ending, scores, totalled = r.ending(string(v.Status), v.Reason), string(now), v.Total != nil
			if totalled {
				total = *v.Total
			}
		}
		if s.Status == data.Valid {
			if !totalled {
				return fmt.Errorf("verdict of %s on %s: it is recorded as valid but has no total", judge, answer)
			}
			var err error
			s.Total = total
			if s.Scores, err = points.read(scores); err != nil {
				return fmt.Errorf("verdict of %s on %s: %w", judge, answer, err)
			}
		}
		r.run.Sheets = append(r.run.Sheets, s)
		return nil
	})
}

// ending is that of a row, the one there is of its kind.
func (r *reader) ending(status, reason string) *Ending {
	key := [2]string{status, reason}
	known, ok := r.endings[key]
	if !ok {
		key = [2]string{strings.Clone(status), strings.Clone(reason)}
		known = &Ending{data.Status(key[0]), key[1]}
		r.endings[key] = known
	}
	return known
}

func (run *Run) sortSheets() {
	slices.SortFunc(run.Sheets, func(a, b Sheet) int {
		return cmp.Or(cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.Answer, b.Answer), cmp.Compare(a.Repeat, b.Repeat))
	})
}

// verdictCells says which verdicts are planned: by a judge's index and the number
// of an answer's cell. It makes room for all of them.
func (r *reader) verdictCells() (judges map[string]int, planned []map[int]bool, cellOf []int) {
	judges, planned = map[string]int{}, make([]map[int]bool, len(r.run.Judges))
	for j, judge := range r.run.Judges {
		judges[judge.Name], planned[j] = j, map[int]bool{}
	}
	numbers, all := map[Place]int{}, 0
	number := func(p Place) int {
		n, ok := numbers[p]
		if !ok {
			n = len(numbers)
			numbers[p] = n
		}
		return n
	}
	for _, c := range r.run.Plan {
		if j, known := judges[c.Judge]; known && c.Kind == KindVerdict {
			planned[j][number(Place{c.System, c.Scenario})] = true
			all += c.Planned
		}
	}
	cellOf = make([]int, len(r.run.Answers))
	for i := range r.run.Answers {
		a := &r.run.Answers[i] // not a copy: readings are put into others of its fields meanwhile
		cellOf[i] = number(Place{a.System, a.Scenario})
	}
	r.run.Sheets = slices.Grow(r.run.Sheets, max(0, all-len(r.run.Sheets)))
	return judges, planned, cellOf
}
