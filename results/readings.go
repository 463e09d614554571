package results

import (
	_ "embed"

	"compqa/data"
)

//go:embed readings.sql
var readingsSchema string

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
	var tables int
	if err := r.db.QueryRow(`SELECT count(*) FROM sqlite_schema WHERE name = 'readings'`).Scan(&tables); err != nil || tables == 0 {
		return err
	}
	texts := make([]string, len(readAsOne["readings"]))
	return r.walk(`SELECT `+asOne(readAsOne["readings"]...)+`, citations, unknown, generated, cited1, cited2, made1, made2 FROM readings`, func(found *foundRow) error {
		found.texts(0, texts)
		if at, ok := r.answerAt[texts[0]]; ok {
			r.run.Answers[at].Reading = &Reading{Choice: data.Favours(r.intern(texts[1])), Citations: found.whole(1), Unknown: found.whole(2), Generated: found.whole(3),
				Cited: [2]int{found.whole(4), found.whole(5)}, Made: [2]int{found.whole(6), found.whole(7)}}
		}
		return nil
	})
}
