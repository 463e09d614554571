package results

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
	"compqa/rubric"
)

// A Rescore reads a verdict anew from its raw reply, or returns it as it is.
type Rescore func(r rubric.Rubric, judge Party, v data.Verdict) data.Verdict

// A Change is a verdict that reads otherwise now than it is on record.
type Change struct {
	Judge        string      `csv:"judge"`
	Answer       string      `csv:"answer"`
	System       string      `csv:"system"`
	Scenario     string      `csv:"scenario"`
	Repeat       int         `csv:"repeat"`
	StatusBefore data.Status `csv:"status_before"`
	StatusAfter  data.Status `csv:"status_after"`
	TotalBefore  Figure      `csv:"total_before"`
	TotalAfter   Figure      `csv:"total_after"`
	Criteria     string      `csv:"criteria"` // with other points, by id
	Reason       string      `csv:"reason"`   // why it is not valid now
}

// String tells the change in a sentence.
func (c Change) String() string {
	told := func(status data.Status, total Figure) string {
		if status != data.Valid {
			return string(status)
		}
		return total.text(1) + " points"
	}
	text := fmt.Sprintf("verdict of %s on answer %s (repeat %d): on record %s, by its reply %s", c.Judge, c.Answer, c.Repeat,
		told(c.StatusBefore, c.TotalBefore), told(c.StatusAfter, c.TotalAfter))
	if c.StatusBefore == data.Valid && c.StatusAfter == data.Valid {
		text += ", other points for criterion " + c.Criteria
	}
	if c.Reason != "" {
		text += " (" + c.Reason + ")"
	}
	return text
}

// reread gives a verdict of the record to be read anew. One that says the same
// keeps the record's words for it.
func (r *reader) reread(judge Party, v data.Verdict, scores []byte) (data.Verdict, error) {
	if err := json.Unmarshal(scores, &v.Scores); err != nil {
		return v, err
	}
	now := r.rescore(r.run.Rubric, judge, v)
	if v.Status == now.Status && (v.Status != data.Valid || maps.Equal(v.Scores, now.Scores) && sameTotal(v.Total, now.Total)) {
		return v, nil
	}
	a := r.run.Answers[r.answerAt[v.Answer]]
	c := Change{Judge: judge.Name, Answer: v.Answer, System: a.System, Scenario: a.Scenario, Repeat: v.Repeat,
		StatusBefore: v.Status, StatusAfter: now.Status, TotalBefore: Figure{v.Total}, TotalAfter: Figure{now.Total}, Reason: now.Reason}
	if v.Status == data.Valid && now.Status == data.Valid {
		var other []string
		for _, criterion := range r.run.Rubric.Criteria {
			if v.Scores[criterion.ID] != now.Scores[criterion.ID] {
				other = append(other, criterion.ID)
			}
		}
		c.Criteria = strings.Join(other, " ")
	}
	r.changes = append(r.changes, c)
	return now, nil
}

func sameTotal(a, b *float64) bool { return a != nil && b != nil && *a == *b }

// The files by which a report says that it is of verdicts that were read anew.
const (
	reparseNote = "reparse.md"
	reparseRows = "reparse.csv"
)

// ReportRescored is Report with the verdicts as rescore reads them. The records
// stay as they are; what is different from them is told on out and in two files
// of the report, reparse.md and reparse.csv.
func ReportRescored(dirs []string, to string, rescore Rescore, program string, out io.Writer) error {
	run, changes, err := load(rescore, dirs...)
	if err != nil {
		return err
	}
	note := reparseText(run, changes, program)
	if err := WriteFiles(to, map[string][]byte{reparseNote: []byte(note)}); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(to, reparseRows), func(w io.Writer) error { return writeCSV(w, changes) }); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if err := report(run, to, out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\n%s", note)
	return err
}

// reparseText says what was read anew and what came of it.
func reparseText(run *Run, changes []Change, program string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The tables here are of verdicts read anew from their raw replies by compqa %s. The record is as it was; `compqa report` without --reparse computes its tables.\n\n", program)
	if len(changes) == 0 {
		fmt.Fprintf(&b, "All %d verdicts read as they are on record.\n", len(run.Sheets))
		return b.String()
	}
	fmt.Fprintf(&b, "%d of %d verdicts read otherwise than they are on record (all of them: %s):\n\n", len(changes), len(run.Sheets), reparseRows)
	type kind struct {
		judge         string
		before, after data.Status
	}
	counts := map[kind]int{}
	var kinds []kind
	for _, c := range changes {
		k := kind{c.Judge, c.StatusBefore, c.StatusAfter}
		if counts[k]++; counts[k] == 1 {
			kinds = append(kinds, k)
		}
	}
	for _, k := range kinds {
		became := fmt.Sprintf("were %s, are %s", k.before, k.after)
		if k.before == k.after {
			became = "have other points"
		}
		fmt.Fprintf(&b, "- %s: %d %s\n", k.judge, counts[k], became)
	}
	fmt.Fprintf(&b, "\nThe first of them: %s\n", changes[0])
	return b.String()
}

// unmark takes away what an earlier report of reread verdicts has left.
func unmark(dir string) error {
	for _, name := range []string{reparseNote, reparseRows} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

// sortChanges puts changes into the order of judges, answers and repeats.
func sortChanges(run *Run, changes []Change) {
	position := map[string]int{}
	for j, p := range run.Judges {
		position[p.Name] = j
	}
	slices.SortFunc(changes, func(a, b Change) int {
		if d := position[a.Judge] - position[b.Judge]; d != 0 {
			return d
		}
		if d := strings.Compare(a.Answer, b.Answer); d != 0 {
			return d
		}
		return a.Repeat - b.Repeat
	})
}
