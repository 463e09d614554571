package archive

import (
	"database/sql"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
)

// A RecordedOutput is a recorded answer or raw reply with its calls.
type RecordedOutput struct {
	Status data.Status
	Text   string // an answer, or a judge's raw reply
	Calls  []RecordedCall
}

// An AnswerWithCalls is a recorded answer with its calls, and the verdicts of models on
// it, sorted by judge and repeat.
type AnswerWithCalls struct {
	At       int // index into the run's answers
	Answer   data.Answer
	Output   RecordedOutput
	Verdicts []VerdictWithCalls
}

// A VerdictWithCalls is a model's verdict.
type VerdictWithCalls struct {
	Judge  string
	Repeat int
	RecordedOutput
}

// EachAnswer calls each for every answer in the tables, sorted by id. Before that, the
// outputs of models are compared with the recorded replies; a contradiction is a
// difference.
//
// Answers and verdicts are read in the same order, because looking up each verdict takes
// many times as long.
func EachAnswer(s *store.Store, run *dataset.Run, replies bool, each func(AnswerWithCalls) error) error {
	w := &outputWalk{store: s, run: run, replies: replies, systems: kindsOf(run.Systems), judges: kindsOf(run.Judges),
		shown: map[store.CellKey]bool{}}
	for _, cell := range run.Plan {
		w.shown[cell.Key()] = true
	}
	var err error
	if w.calls, err = newCallReader(s); err != nil {
		return err
	}
	defer w.calls.close()
	next, stop := iter.Pull2(w.verdicts())
	defer stop()
	v, err, more := next()
	const answers = `SELECT id, question, object1, object2, aspect, system, scenario, repeat, status, text, reason, calls, summary
		FROM answers ORDER BY +id`
	return s.Each(answers, nil, func(rows *sql.Rows) error {
		var a data.Answer
		var calls, summary []byte
		if err := rows.Scan(&a.ID, &a.Question, &a.Object1, &a.Object2, &a.Aspect, &a.System, &a.Scenario, &a.Repeat, &a.Status, &a.Text,
			&a.Reason, &calls, &summary); err != nil {
			return err
		}
		if len(summary) > 0 {
			if err := json.Unmarshal(summary, &a.Table); err != nil {
				return Differ("answer %s: its table cannot be parsed: %w", a.ID, err)
			}
		}
		var on []verdictRow
		for ; more && err == nil && v.answer <= a.ID; v, err, more = next() {
			if v.answer == a.ID {
				on = append(on, v)
			}
		}
		if err != nil {
			return err
		}
		out, shown, err := w.answer(a, calls, on)
		if err != nil || !shown {
			return err
		}
		return each(out)
	})
}

// A verdictRow is a recorded verdict.
type verdictRow struct {
	answer, judge string
	repeat        int
	status        data.Status
	raw           string
	calls         []byte
}

type outputWalk struct {
	store           *store.Store
	run             *dataset.Run
	systems, judges map[string]string // kinds
	shown           map[store.CellKey]bool
	calls           callReader
	replies         bool // the record contains them
}

// verdicts are the verdicts of models, sorted.
func (w *outputWalk) verdicts() iter.Seq2[verdictRow, error] {
	return func(yield func(verdictRow, error) bool) {
		rows, err := w.store.Db.Query(`SELECT answer, judge, repeat, status, raw, calls FROM verdicts
			WHERE judge IN (SELECT name FROM parties WHERE role = 'judge' AND kind = '` + dataset.ModelKind + `') ORDER BY +answer, +judge, +repeat`)
		if err != nil {
			yield(verdictRow{}, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			var v verdictRow
			err := rows.Scan(&v.answer, &v.judge, &v.repeat, &v.status, &v.raw, &v.calls)
			if !yield(v, err) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(verdictRow{}, err)
		}
	}
}

func (w *outputWalk) answer(a data.Answer, calls []byte, on []verdictRow) (out AnswerWithCalls, shown bool, err error) {
	at, shown := slices.BinarySearchFunc(w.run.Answers, a.ID,
		func(row dataset.AnswerRow, id string) int { return strings.Compare(row.ID, id) })
	if !shown {
		return out, false, nil
	}
	out = AnswerWithCalls{At: at, Answer: a, Output: RecordedOutput{Status: a.Status, Text: a.Text}}
	if w.systems[a.System] == dataset.ModelKind {
		var wrong string
		if out.Output, wrong, err = w.output(a.Status, a.Text, calls, a.Table != nil); wrong != "" {
			err = Differ("answer %s: %s", a.ID, wrong)
		}
	}
	for _, v := range on {
		if err != nil {
			break
		}
		if w.judges[v.judge] != dataset.ModelKind || !w.shown[store.CellKey{Kind: store.KindVerdict, Judge: v.judge, System: a.System,
			Scenario: a.Scenario}] {
			continue
		}
		var wrong string
		of := VerdictWithCalls{Judge: v.judge, Repeat: v.repeat}
		if of.RecordedOutput, wrong, err = w.output(v.status, v.raw, v.calls, false); wrong != "" {
			err = Differ("verdict of %s on answer %s (repeat %d): %s", v.judge, a.ID, v.repeat, wrong)
		}
		out.Verdicts = append(out.Verdicts, of)
	}
	return out, true, err
}

// output is a text with its calls, and the contradiction between them, if any.
func (w *outputWalk) output(status data.Status, text string, calls []byte, rendered bool) (r RecordedOutput, wrong string, err error) {
	r = RecordedOutput{Status: status, Text: text}
	r.Calls, err = w.calls.of(calls)
	return r, r.wrong(w.replies, rendered), err
}

func kindsOf(parties []store.Participant) map[string]string {
	kinds := map[string]string{}
	for _, p := range parties {
		kinds[p.Name] = p.Kind
	}
	return kinds
}
