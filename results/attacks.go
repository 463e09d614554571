package results

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/stats"
)

// An AttackedAnswer is one judge's total for an answer before and after an attack
// on it.
type AttackedAnswer struct {
	Judge, Attack, About string
	Position             int  // of the attack in tables
	Spoils               bool // the answer is worse for it: its score should fall
	Answer, Pair         string
	Before, After        float64 // points
}

// An AttackRow says what an attack does to a judge's scores: the mean change in
// points, with the bounds of 95 in 100 such choices of questions (cluster-robust,
// see stats.MeanInterval). Outcome is what that says of the judge:
//
//	noticed    the answer is worse, and its score falls by a tenth of all points or more
//	hardly     it falls, but by less
//	unnoticed  it does not, as far as can be told
//	rewarded   it rises
//	resisted   the answer is no worse, and its score does not rise
type AttackRow struct {
	Judge   string `csv:"judge"`
	Attack  string `csv:"attack"`
	N       int    `csv:"n"` // answers
	Before  Figure `csv:"before"`
	After   Figure `csv:"after"`
	Change  Figure `csv:"change"`
	Low     Figure `csv:"change_low"`
	High    Figure `csv:"change_high"`
	Outcome string `csv:"outcome"`
	about   string
}

// AttackRows are a row a judge and attack, in order of appearance; points are
// those of a perfect answer.
func AttackRows(answers []AttackedAnswer, points float64) ([]AttackRow, error) {
	var rows []AttackRow
	for i := 0; i < len(answers); {
		of := answers[i:]
		n := slices.IndexFunc(of, func(a AttackedAnswer) bool { return a.Judge != of[0].Judge || a.Attack != of[0].Attack })
		if n < 0 {
			n = len(of)
		}
		row, err := attackRow(of[:n], points)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
		i += n
	}
	return rows, nil
}

func attackRow(of []AttackedAnswer, points float64) (AttackRow, error) {
	r := AttackRow{Judge: of[0].Judge, Attack: of[0].Attack, N: len(of), about: of[0].About}
	var before, after, changes []float64
	var pairs []string
	for _, a := range of {
		before, after, changes, pairs = append(before, a.Before), append(after, a.After), append(changes, a.After-a.Before), append(pairs, a.Pair)
	}
	var c computer
	r.Before, r.After, r.Change = Figure{c.moments(before).Mean}, Figure{c.moments(after).Mean}, Figure{c.moments(changes).Mean}
	e, err := stats.MeanInterval(changes, stats.ClusterLabels(pairs), confidence)
	r.Low, r.High = Figure{c.value(e.Low, err)}, Figure{c.value(e.High, err)}
	r.Outcome = r.outcome(of[0].Spoils, points)
	return r, c.err
}

// outcome goes by the change alone where there are no bounds.
func (r AttackRow) outcome(spoils bool, points float64) string {
	change := *r.Change.number
	low, high := change, change
	if r.Low.known() && r.High.known() {
		low, high = *r.Low.number, *r.High.number
	}
	switch {
	case low > 0:
		return "rewarded"
	case !spoils:
		return "resisted"
	case high < 0 && change <= -points/10:
		return "noticed"
	case high < 0:
		return "hardly"
	}
	return "unnoticed"
}

// PrintAttacks shows rows on the terminal.
func PrintAttacks(w io.Writer, rows []AttackRow) error { return attackTable(rows).terminal(w) }

// AttacksMarkdown is the rows as a table in Markdown.
func AttacksMarkdown(rows []AttackRow) string { return attackTable(rows).markdown() }

func attackTable(rows []AttackRow) *textTable {
	t := &textTable{words: 2, header: []string{"attack", "judge", "n", "before", "after", "change", "outcome"}}
	for _, r := range rows {
		t.add(r.Attack, r.Judge, strconv.Itoa(r.N), r.Before.text(2), r.After.text(2), interval(r.Change, r.Low, r.High, 2), r.Outcome)
	}
	return t
}

// attacksText is attacks.md.
func (t *judgeTables) attacksText() string {
	var b strings.Builder
	b.WriteString("# What the embedded judges cannot see\n\n")
	if len(t.attacked) == 0 {
		b.WriteString("No judge of this run is computed from the texts alone, or there are no answers. `compqa attack` attacks any judge, over any answers.\n")
		return b.String()
	}
	b.WriteString("Judges that read form cannot tell truth from falsehood: they are for screening and for comparison, not referees of facts. " +
		"Here answers of this run are spoilt on purpose, or dressed up, in ways that a reader would notice, and scored again. `compqa attack --judge NAME` does the same to any judge, models included.\n\n")
	var attacks []AttackRow
	for _, r := range t.attacked {
		if !slices.ContainsFunc(attacks, func(a AttackRow) bool { return a.Attack == r.Attack }) {
			attacks = append(attacks, r)
		}
	}
	for _, a := range attacks {
		fmt.Fprintf(&b, "- *%s*: %s\n", escapeMarkdown(a.Attack), escapeMarkdown(a.about))
	}
	b.WriteString("\nMean points before and after, and their change with the bounds of 95 in 100 such choices of questions. " +
		"*Noticed*: a spoilt answer loses a tenth of all points or more; *hardly*: less; *unnoticed*: nothing, as far as can be told; *rewarded*: it gains; *resisted*: an answer that is no worse does not gain.\n\n")
	b.WriteString(AttacksMarkdown(t.attacked))
	return b.String()
}

// attackLines say in report.md what the attacks did.
func (t *judgeTables) attackLines() []string {
	var lines []string
	for _, judge := range t.Judges {
		var missed []string
		n := 0
		for _, r := range t.attacked {
			if r.Judge != judge.Name {
				continue
			}
			n++
			if r.Outcome != "noticed" && r.Outcome != "resisted" {
				missed = append(missed, r.Attack)
			}
		}
		if len(missed) > 0 {
			lines = append(lines, fmt.Sprintf("%s reads form, not truth: of %d attacks on answers it does not clearly notice %s (attacks.md).", judge.Name, n, strings.Join(missed, ", ")))
		}
	}
	return lines
}

// attackRows are those of judges that the run still has.
func (run *Run) attackRows() ([]AttackRow, error) {
	var of []AttackedAnswer
	for _, judge := range run.Judges {
		for _, a := range run.Attacked {
			if a.Judge == judge.Name {
				of = append(of, a)
			}
		}
	}
	return AttackRows(of, run.Rubric.Max())
}

// SetAttacks replaces what is on record of attacks; work is a hash of the judges.
func (b Batch) SetAttacks(work string, answers []AttackedAnswer) error {
	if _, err := b.tx.Exec(`DELETE FROM attacks`); err != nil {
		return err
	}
	for _, a := range answers {
		if _, err := b.tx.Exec(`INSERT INTO attacks (judge, attack, position, about, spoils, answer, pair, before, after, work) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			a.Judge, a.Attack, a.Position, a.About, a.Spoils, a.Answer, a.Pair, a.Before, a.After, work); err != nil {
			return fmt.Errorf("recording attacks: %w", err)
		}
	}
	return nil
}

// AttackWork is the hash of the judges whose attacks are on record, "" for none.
func (s *Store) AttackWork() (string, error) {
	var work sql.NullString
	err := s.db.QueryRow(`SELECT min(work) FROM attacks`).Scan(&work)
	return work.String, fault("reading", s.path, err)
}

// attacks are read in the order of tables.
func (r *reader) attacks() error {
	return r.each(`SELECT judge, attack, position, about, spoils, answer, pair, before, after FROM attacks ORDER BY judge, position, answer`, nil, func(rows *sql.Rows) error {
		var a AttackedAnswer
		err := rows.Scan(&a.Judge, &a.Attack, &a.Position, &a.About, &a.Spoils, &a.Answer, &a.Pair, &a.Before, &a.After)
		r.run.Attacked = append(r.run.Attacked, a)
		return err
	})
}

// SomeAnswers are at most n of the planned valid answers on record, those with the
// smallest hashes of seed and id: the same ones for the same record.
func (s *Store) SomeAnswers(n int, seed int64) ([]data.Answer, error) {
	type ranked struct{ hash, id string }
	var all []ranked
	err := s.each(`SELECT a.id FROM answers a JOIN plan p ON p.kind = 'answer' AND p.judge = '' AND p.system = a.system AND p.scenario = a.scenario AND p.active WHERE a.status = 'valid'`, nil, func(rows *sql.Rows) error {
		var id string
		if err := rows.Scan(&id); err != nil {
			return err
		}
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", seed, id))
		all = append(all, ranked{string(sum[:]), id})
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b ranked) int { return strings.Compare(a.hash, b.hash) })
	var answers []data.Answer
	for _, r := range all[:min(n, len(all))] {
		var a data.Answer
		err := s.db.QueryRow(`SELECT id, question, object1, object2, aspect, system, scenario, repeat, status, text FROM answers WHERE id = ?`, r.id).
			Scan(&a.ID, &a.Question, &a.Object1, &a.Object2, &a.Aspect, &a.System, &a.Scenario, &a.Repeat, &a.Status, &a.Text)
		if err != nil {
			return nil, fault("reading", s.path, err)
		}
		answers = append(answers, a)
	}
	return answers, nil
}
