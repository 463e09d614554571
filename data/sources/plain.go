package sources

import (
	"slices"
	"strings"

	"compqa/data"
)

// A plainTable says where a table has the raters, criteria and values of its scores. In most rows of a large table they all
// occurred before: the row goes straight into the columns of the log.
type plainTable struct {
	header *data.Header
	scores []plainScore // nil: some scores need more than their cells
	found  []data.Coded // the values of the current row
}

// A plainScore is a score whose rater, criterion and value are cells or fixed texts.
type plainScore struct {
	rater, criterion, value cellText
	kind                    string
}

// A cellText is the text of a column, or a fixed text.
type cellText struct {
	column int // fixed for a fixed text
	text   string
}

const fixed = -1

// of returns the text in a row.
func (c cellText) of(cells []string) string {
	if c.column == fixed {
		return c.text
	}
	return cells[c.column]
}

// textAt returns where a table has the text at some paths. ok is false if it is neither a column nor a fixed text.
func textAt(p paths, header *data.Header) (c cellText, ok bool) {
	if p == nil {
		return c, false
	}
	if strings.HasPrefix(p[0], "'") {
		return cellText{fixed, strings.Trim(p[0], "'")}, true
	}
	c.column, ok = header.Column(p[0]) // the next paths are for an empty cell, and such a row is not plain
	return c, ok
}

// plainScores returns where a table has the parts of all scores, or nil if a score needs more.
func (r *reader) plainScores(header *data.Header) (scores []plainScore) {
	judged := map[string]bool{} // criteria
	for i := range r.Scores {
		m := &r.Scores[i]
		s := plainScore{kind: data.KindJudge}
		rater := m.Judge
		if m.Judge == nil {
			s.kind = data.KindPerson
			rater = m.Person
		}
		var isRater, isCriterion, isValue bool
		s.rater, isRater = textAt(rater, header)
		s.criterion, isCriterion = textAt(m.Criterion, header)
		s.value, isValue = textAt(m.Value, header)
		more := slices.Concat(m.Each, m.Reason, m.Error, m.Extra, m.Order, m.Method, m.Origin, m.Mark, m.Columns, r.Item.Origin)
		switch {
		case !isRater, !isCriterion, !isValue, more != nil, m.Judge != nil && m.Person != nil, m.Match+m.Failed != "",
			len(m.If)+len(m.Values)+len(m.Choices) > 0:
			return nil
		case s.kind == data.KindJudge && (s.criterion.column != fixed && len(r.Scores) > 1 || judged[r.criterion(s.criterion.text)]):
			return nil // a judge's second value of a criterion is numbered
		}
		judged[r.criterion(s.criterion.text)] = true
		scores = append(scores, s)
	}
	return scores
}

// addPlain adds the values of a row if their raters, criteria and texts all occurred before. Otherwise it adds nothing and returns false.
func (r *reader) addPlain(row *data.Document, item int32) bool {
	p := &r.plain
	if p.header != row.Table {
		*p = plainTable{header: row.Table, scores: r.plainScores(row.Table)}
		p.found = make([]data.Coded, len(p.scores))
	}
	values := &r.log.Values
	for i := range p.scores {
		s := &p.scores[i]
		rater := s.rater.of(row.Cells)
		value := strings.TrimSpace(s.value.of(row.Cells))
		criterion, known := r.criteria[s.criterion.of(row.Cells)]
		if !known || rater == "" || criterion == "" || value == "" || value[0] == '[' || value[0] == '{' {
			return false
		}
		p.found[i], known = values.Code(data.Measured{ID: criterion}, data.Rater{Name: rater, Kind: s.kind}, value)
		if !known {
			return false
		}
	}
	for _, coded := range p.found {
		values.AddCoded(coded, item, int32(row.Line))
	}
	return p.scores != nil
}
