package dataset

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/store"
	"compqa/rubric"
	"compqa/stats"
)

// A Rescore parses the raw reply of a verdict again (read is true). If no model replied, it checks the scores against the rubric instead.
// judged is the text that was judged.
type Rescore func(r rubric.Rubric, judge store.Participant, v data.Verdict, judged string) (now data.Verdict, read bool)

// due reports whether the verdicts of a judge are parsed again. but has the kinds of judges for which they are not.
func (rescore Rescore) due(judge store.Participant, but []string) bool {
	return rescore != nil && !slices.Contains(but, judge.Kind)
}

// A Rereading has the results of parsing verdicts again.
type Rereading struct {
	Read    int      // verdicts whose replies were parsed again
	Changes []Change // verdicts that differ, sorted by judge, answer and repeat
}

// A Change is a verdict that differs from the recorded one after it was parsed again.
type Change struct {
	Judge        string       `csv:"judge"`
	Answer       string       `csv:"answer"`
	System       string       `csv:"system"`
	Scenario     string       `csv:"scenario"`
	Repeat       int          `csv:"repeat"`
	StatusBefore data.Status  `csv:"status_before"`
	StatusAfter  data.Status  `csv:"status_after"`
	TotalBefore  stats.Figure `csv:"total_before"`
	TotalAfter   stats.Figure `csv:"total_after"`
	Criteria     string       `csv:"criteria"` // IDs of the criteria with different points
	Reason       string       `csv:"reason"`   // why the verdict is not valid now

	read bool // a reply was parsed
}

// String describes the change in one sentence.
func (c Change) String() string {
	told := func(status data.Status, total stats.Figure) string {
		if status != data.Valid {
			return string(status)
		}
		return total.Text(1) + " points"
	}
	by := "scores"
	if c.read {
		by = "reply"
	}
	text := fmt.Sprintf("verdict of %s on answer %s (repeat %d): recorded as %s, by its %s %s", c.Judge, c.Answer, c.Repeat,
		told(c.StatusBefore, c.TotalBefore), by, told(c.StatusAfter, c.TotalAfter))
	if c.Criteria != "" {
		text += ", other points for criterion " + c.Criteria
	}
	if c.Reason != "" {
		text += " (" + c.Reason + ")"
	}
	return text
}

// reread parses a recorded verdict again. If the result differs, it updates the row and records the change.
func (r *reader) reread(judge store.Participant, row *rescoredRow) error {
	v := data.Verdict{Answer: row.Answer, Judge: row.Judge, Status: row.Status, Total: row.Total, Reason: row.Reason, Raw: row.Raw,
		Repeat: row.Repeat}
	if err := json.Unmarshal([]byte(row.Scores), &v.Scores); err != nil {
		return err
	}
	now, read := r.rescore(r.Run.Rubric, judge, v, row.Judged)
	if read {
		r.anew.Read++
	}
	if v.Status == now.Status && (v.Status != data.Valid || maps.Equal(v.Scores, now.Scores) && sameTotal(v.Total, now.Total)) {
		return nil
	}
	a := r.answer(v.Answer)
	c := Change{Judge: judge.Name, Answer: v.Answer, System: a.System, Scenario: a.Scenario, Repeat: v.Repeat,
		StatusBefore: v.Status, StatusAfter: now.Status, TotalBefore: stats.FigureOf(v.Total), TotalAfter: stats.FigureOf(now.Total),
		Reason: now.Reason, read: read}
	if v.Status == data.Valid && now.Status == data.Valid {
		other := data.Where(r.Run.Rubric.IDs(), func(id string) bool { return v.Scores[id] != now.Scores[id] })
		c.Criteria = strings.Join(other, " ")
	}
	r.anew.Changes = append(r.anew.Changes, c)
	text, err := json.Marshal(now.Scores)
	row.Status = now.Status
	row.Scores = string(text)
	row.Total = now.Total
	row.Reason = now.Reason
	return err
}

func sameTotal(a, b *float64) bool { return a != nil && b != nil && *a == *b }
