package dataset

import (
	"database/sql"
	"strings"

	"compqa/data"
	"compqa/results/store"
)

// readings adds the readings to their answers.
func (r *Reader) readings() error {
	query := `SELECT answer, citations, unknown, generated, choice, cited1, cited2, made1, made2 FROM readings`
	return r.Each(query, nil, func(rows *sql.Rows) error {
		var answer string
		var m store.Reading
		if err := rows.Scan(&answer, &m.Citations, &m.Unknown, &m.Generated, &m.Choice, &m.Cited[0], &m.Cited[1], &m.Made[0], &m.Made[1]); err != nil {
			return err
		}
		if at, ok := r.answerAt[answer]; ok {
			m.Choice = data.Favours(r.intern(string(m.Choice)))
			r.Run.Answers[at].Reading = &m
		}
		return nil
	})
}

// ShowsArguments is, for each scenario with a recorded template, whether it shows the
// question's arguments.
func (run *Run) ShowsArguments() map[string]bool {
	shows := map[string]bool{}
	for _, p := range run.Made {
		for id, text := range p.TemplateTexts() {
			shows[id] = strings.Contains(text, ".Arguments")
		}
	}
	return shows
}
