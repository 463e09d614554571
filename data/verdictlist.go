package data

import (
	"iter"
	"math"
	"slices"
	"strings"
)

// A VerdictList holds verdicts in a fifth of the memory of a slice: names are held once, and points are in one slice for
// each criterion in place of a map for each verdict. The zero value is an empty list.
type VerdictList struct {
	names    map[string]string
	judges   []string
	rows     []verdictRow
	criteria []string
	at       map[string]int // of criteria
	points   [][]float64 // by criterion, then verdict; NaN: no score. Those of the last verdicts may be missing.
}

// A verdictRow is a verdict without its scores.
type verdictRow struct {
	answer, judge, reason, raw string
	status                     Status
	total                      float64 // NaN: none
	repeat                     int32
	scored                     bool // it has scores, of which there may be none
}

// Verdicts makes a list of verdicts.
func Verdicts(verdicts ...Verdict) *VerdictList {
	l := &VerdictList{}
	for _, v := range verdicts {
		l.Add(v)
	}
	return l
}

// Add appends a verdict, of which nothing is kept: its texts are copied.
func (l *VerdictList) Add(v Verdict) {
	row := verdictRow{answer: l.name(v.Answer), judge: l.name(v.Judge), status: Status(l.name(string(v.Status))),
		reason: strings.Clone(v.Reason), raw: strings.Clone(v.Raw), total: math.NaN(), repeat: int32(v.Repeat), scored: v.Scores != nil}
	if v.Total != nil {
		row.total = *v.Total
	}
	if n := len(l.rows); n == 0 || l.rows[n-1].judge != row.judge && !slices.Contains(l.judges, row.judge) {
		l.judges = append(l.judges, row.judge)
	}
	for id, points := range v.Scores {
		at, known := l.at[id]
		if !known {
			at = l.criterion(id)
		}
		for len(l.points[at]) < len(l.rows) {
			l.points[at] = append(l.points[at], math.NaN())
		}
		l.points[at] = append(l.points[at], points)
	}
	l.rows = append(l.rows, row)
}

// criterion is the place of a new criterion.
func (l *VerdictList) criterion(id string) int {
	if l.at == nil {
		l.at = map[string]int{}
	}
	id = l.name(id)
	l.at[id] = len(l.criteria)
	l.criteria, l.points = append(l.criteria, id), append(l.points, nil)
	return l.at[id]
}

// name is a text that is held once.
func (l *VerdictList) name(text string) string {
	known, there := l.names[text]
	if !there {
		if l.names == nil {
			l.names = map[string]string{}
		}
		known = strings.Clone(text)
		l.names[known] = known
	}
	return known
}

// Len is the number of verdicts.
func (l *VerdictList) Len() int {
	if l == nil {
		return 0
	}
	return len(l.rows)
}

// At is the verdict at a place, from 0, in the order in which they were added.
func (l *VerdictList) At(i int) Verdict {
	row := &l.rows[i]
	v := Verdict{Answer: row.answer, Judge: row.judge, Status: row.status, Reason: row.reason, Raw: row.raw, Repeat: int(row.repeat)}
	if !math.IsNaN(row.total) {
		v.Total = &row.total
	}
	if !row.scored {
		return v
	}
	v.Scores = make(Scores, len(l.criteria))
	for at, points := range l.points {
		if i < len(points) && !math.IsNaN(points[i]) {
			v.Scores[l.criteria[at]] = points[i]
		}
	}
	return v
}

// All yields the verdicts in order.
func (l *VerdictList) All() iter.Seq[Verdict] {
	return func(yield func(Verdict) bool) {
		for i := range l.Len() {
			if !yield(l.At(i)) {
				return
			}
		}
	}
}

// Judges are the names of the judges, in order of appearance.
func (l *VerdictList) Judges() []string {
	if l == nil {
		return nil
	}
	return l.judges
}

// Scored reports whether a verdict has a score on a criterion.
func (l *VerdictList) Scored(criterion string) bool {
	_, scored := l.at[criterion]
	return scored
}

// Rename gives the judges other names.
func (l *VerdictList) Rename(name func(judge string) string) {
	for i := range l.rows {
		l.rows[i].judge = l.name(name(l.rows[i].judge))
	}
	judges := l.judges
	l.judges = nil
	for _, judge := range judges {
		if judge = l.name(name(judge)); !slices.Contains(l.judges, judge) {
			l.judges = append(l.judges, judge)
		}
	}
}
