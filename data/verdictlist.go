package data

import (
	"encoding/json"
	"iter"
	"math"
	"strconv"
	"strings"
)

// A VerdictList holds verdicts in a tenth of the memory of a slice. Each name and number of points is stored once, and there is one slice
// for each criterion instead of a map for each verdict. The zero value is an empty list.
type VerdictList struct {
	rows                     []verdictRow
	answers, judges, endings numbered[string]
	values                   numbered[float64] // distinct points and totals
	criteria                 numbered[string]
	points                   []small // by criterion, then by verdict: a number in values
	ordered                  []int   // see inOrder
	kept                     copies
}

// small is a list of numbers, stored as bytes while all are below 256. Zeros at the end may be missing.
type small struct {
	narrow []uint8
	wide   []uint32 // nil while narrow is used
}

// set sets number i. The first number above 255 moves all numbers to the wide form.
func (s *small) set(i int, x uint32) {
	if s.wide == nil && x > math.MaxUint8 {
		s.wide = Each(s.narrow, func(x uint8) uint32 { return uint32(x) })
		s.narrow = nil
	}
	if s.wide == nil {
		s.narrow = append(s.narrow, make([]uint8, max(0, i+1-len(s.narrow)))...)
		s.narrow[i] = uint8(x)
	} else {
		s.wide = append(s.wide, make([]uint32, max(0, i+1-len(s.wide)))...)
		s.wide[i] = x
	}
}

// value returns number i, or 0 if it was never set.
func (s *small) value(i int) uint32 {
	switch {
	case i < len(s.narrow):
		return uint32(s.narrow[i])
	case i < len(s.wide):
		return s.wide[i]
	}
	return 0
}

// copies keeps copies of texts in large blocks, to have fewer objects in memory.
type copies struct{ block *strings.Builder }

// keep returns a copy of a text in a block.
func (t *copies) keep(text string) string {
	if text == "" {
		return ""
	}
	if t.block == nil || t.block.Cap()-t.block.Len() < len(text) {
		t.block = &strings.Builder{}
		t.block.Grow(max(1<<16, len(text)))
	}
	from := t.block.Len()
	t.block.WriteString(text)
	return t.block.String()[from:]
}

// A verdictRow is a verdict without its scores. answer, judge, status and total are numbers in the lists of a VerdictList.
type verdictRow struct {
	answer, judge, status, total uint32
	repeat                       int32
	scored                       bool // the verdict has scores, possibly an empty map
	reason, raw                  string
}

// numbered assigns numbers from 1 to distinct values. 0 means no value.
type numbered[T comparable] struct {
	values  []T
	numbers map[T]uint32
}

// number returns the number of a value. copyOf makes a copy of a new value.
func (n *numbered[T]) number(value T, copyOf func(T) T) uint32 {
	known, there := n.numbers[value]
	if !there {
		if n.numbers == nil {
			n.numbers = map[T]uint32{}
		}
		value = copyOf(value)
		n.values = append(n.values, value)
		known = uint32(len(n.values))
		n.numbers[value] = known
	}
	return known
}

// value returns the value with a number.
func (n *numbered[T]) value(number uint32) T { return n.values[number-1] }

func same(x float64) float64 { return x }

// Verdicts returns a list of the given verdicts.
func Verdicts(verdicts ...Verdict) *VerdictList {
	l := &VerdictList{}
	for _, v := range verdicts {
		l.Add(v)
	}
	return l
}

// Add appends a verdict. It copies the texts, so that v can be reused.
func (l *VerdictList) Add(v Verdict) {
	l.rows = append(l.rows, verdictRow{})
	l.Set(len(l.rows)-1, v)
}

// Set replaces the verdict at index i.
func (l *VerdictList) Set(i int, v Verdict) {
	place := l.Place(v)
	row := verdictRow{answer: place.answer, judge: place.judge, status: l.endings.number(string(v.Status), strings.Clone),
		repeat: place.repeat, scored: v.Scores != nil, reason: l.kept.keep(v.Reason), raw: l.kept.keep(v.Raw)}
	if v.Total != nil {
		row.total = l.values.number(*v.Total, same)
	}
	for index := range l.points {
		if l.points[index].value(i) > 0 {
			l.points[index].set(i, 0)
		}
	}
	for id, points := range v.Scores {
		index := int(l.criteria.number(id, strings.Clone)) - 1
		if index == len(l.points) {
			l.points = append(l.points, small{})
		}
		l.points[index].set(i, l.values.number(points, same))
	}
	l.rows[i] = row
}

// A VerdictPlace identifies a verdict of a list, by judge, answer and repeat, in a few bytes.
type VerdictPlace struct {
	judge, answer uint32
	repeat        int32
}

// Place returns the VerdictPlace of a verdict, which need not be in the list.
func (l *VerdictList) Place(v Verdict) VerdictPlace {
	return VerdictPlace{l.judges.number(v.Judge, strings.Clone), l.answers.number(v.Answer, strings.Clone), int32(v.Repeat)}
}

// Len returns the number of verdicts.
func (l *VerdictList) Len() int {
	if l == nil {
		return 0
	}
	return len(l.rows)
}

// Key returns the judge, answer and repeat of the verdict at index i.
func (l *VerdictList) Key(i int) VerdictKey {
	row := &l.rows[i]
	return VerdictKey{l.judges.value(row.judge), l.answers.value(row.answer), int(row.repeat)}
}

// At returns the verdict at index i, in the order in which verdicts were added.
func (l *VerdictList) At(i int) Verdict {
	row, key := &l.rows[i], l.Key(i)
	v := Verdict{Answer: key.Answer, Judge: key.Judge, Repeat: key.Repeat, Status: Status(l.endings.value(row.status)),
		Reason: row.reason, Raw: row.raw}
	if row.total > 0 {
		v.Total = new(l.values.value(row.total))
	}
	if !row.scored {
		return v
	}
	v.Scores = make(Scores, len(l.points))
	for index := range l.points {
		if number := l.points[index].value(i); number > 0 {
			v.Scores[l.criteria.values[index]] = l.values.value(number)
		}
	}
	return v
}

// JSON returns the verdict at index i as encoding/json writes it, in a quarter of the time.
func (l *VerdictList) JSON(i int) json.RawMessage {
	row, key := &l.rows[i], l.Key(i)
	text := append(make([]byte, 0, 256), `{"id":`...)
	member := func(name, value string) {
		if value != "" {
			text = appendText(append(text, name...), value)
		}
	}
	text = appendText(text, key.Answer)
	text = appendText(append(text, `,"judge":`...), key.Judge)
	text = appendText(append(text, `,"status":`...), l.endings.value(row.status))
	begun := false // the object of scores
	for _, index := range l.inOrder() {
		number := l.points[index].value(i)
		if number == 0 {
			continue
		}
		if begun {
			text = append(text, ',')
		} else {
			text = append(text, `,"scores":{`...)
		}
		begun = true
		text = appendPoints(append(appendText(text, l.criteria.values[index]), ':'), l.values.value(number))
	}
	if begun {
		text = append(text, '}')
	}
	if row.total > 0 {
		text = appendPoints(append(text, `,"total":`...), l.values.value(row.total))
	}
	member(`,"reason":`, row.reason)
	member(`,"raw":`, row.raw)
	if key.Repeat != 0 {
		text = strconv.AppendInt(append(text, `,"repeat":`...), int64(key.Repeat), 10)
	}
	return append(text, '}')
}

// inOrder returns the indexes of the criteria, in the order in which JSON lists them.
func (l *VerdictList) inOrder() []int {
	if len(l.ordered) < len(l.points) {
		all := Scores{}
		for _, id := range l.criteria.values {
			all[id] = 0
		}
		l.ordered = Each(all.ids(), func(id string) int { return int(l.criteria.numbers[id]) - 1 })
	}
	return l.ordered
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

// Judges returns the names of the judges, in order of first appearance.
func (l *VerdictList) Judges() []string {
	if l == nil {
		return nil
	}
	return l.judges.values
}

// Scored reports whether any verdict had a score on a criterion.
func (l *VerdictList) Scored(criterion string) bool { return l.criteria.numbers[criterion] > 0 }

// Rename renames the judges.
func (l *VerdictList) Rename(name func(judge string) string) {
	var judges numbered[string]
	now := make([]uint32, len(l.judges.values))
	for i, judge := range l.judges.values {
		now[i] = judges.number(name(judge), strings.Clone)
	}
	for i := range l.rows {
		l.rows[i].judge = now[l.rows[i].judge-1]
	}
	l.judges = judges
}

// A VerdictKey identifies a verdict by judge, answer and repeat.
type VerdictKey struct {
	Judge, Answer string
	Repeat        int
}
