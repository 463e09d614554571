package results

import (
	"database/sql"

	"compqa/data"
)

// A Reading is what was measured in an answer's text, when it was recorded,
// beside its length: what the answer makes of the arguments it was given.
type Reading struct {
	Citations int          // numbers of arguments in square brackets
	Unknown   int          // of these, numbers that no argument of the question has
	Generated int          // [generated] tags
	Choice    data.Favours // of the answer's two objects; Neither where it says so, "" where it makes no choice
	Cited     [2]int       // sentences with a citation, by the object they speak for
	Made      [2]int       // sentences with nothing but a [generated] tag, likewise
}

// reading records an answer's reading.
func (b Batch) reading(answer string, r Reading) error {
	_, err := b.tx.Exec(`INSERT OR REPLACE INTO readings (answer, citations, unknown, generated, choice, cited1, cited2, made1, made2) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		answer, r.Citations, r.Unknown, r.Generated, r.Choice, r.Cited[0], r.Cited[1], r.Made[0], r.Made[1])
	return err
}

// readings are read into the answers they are of.
func (r *reader) readings() error {
	query := `SELECT answer, citations, unknown, generated, choice, cited1, cited2, made1, made2 FROM readings`
	return r.each(query, nil, func(rows *sql.Rows) error {
		var answer string
		var m Reading
		if err := rows.Scan(&answer, &m.Citations, &m.Unknown, &m.Generated, &m.Choice, &m.Cited[0], &m.Cited[1], &m.Made[0], &m.Made[1]); err != nil {
			return err
		}
		if at, ok := r.answerAt[answer]; ok {
			m.Choice = data.Favours(r.intern(string(m.Choice)))
			r.run.Answers[at].Reading = &m
		}
		return nil
	})
}
