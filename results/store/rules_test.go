package store

import (
	"errors"
	"testing"
	"time"

	"compqa/data"
)

// smallRecord makes a record of one answer with one verdict, as the program writes it.
func smallRecord(t *testing.T) *Store {
	t.Helper()
	s, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	total := 1.0
	cells := []PlanCell{{Kind: KindAnswer, System: "s", Scenario: "1", Planned: 1}, {Kind: KindVerdict, Judge: "j", System: "s", Scenario: "1", Planned: 1}}
	if err := s.Write(func(b Batch) error {
		_, begun := b.BeginRun(Provenance{Rubric: `{"name": "x"}`, Config: `{"dataset": "d"}`, Dataset: "d"}, time.Unix(0, 0))
		return errors.Join(begun, b.SetPlan(FromConfig, []Participant{{Name: "s", Kind: "baseline"}}, []Participant{{Name: "j", Kind: "embedded"}}, cells),
			b.Answer(data.Answer{ID: "a", System: "s", Scenario: "1", Status: data.Valid}, Size{}, nil),
			b.Verdict(data.Verdict{Answer: "a", Judge: "j", Repeat: 1, Status: data.Valid, Total: &total}, nil))
	}); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestBrokenRule breaks each rule in turn and checks the message. A record as the program writes it breaks no rule.
func TestBrokenRule(t *testing.T) {
	const (
		others   = " has columns of other results"
		unknown  = " planned for a party or a set that is not recorded"
		result   = `INSERT INTO results (kind, party, subject, status, `
		planned  = `INSERT INTO plan (kind, judge, system, scenario, planned, fingerprint, origin, note, work, active, `
		pairwise = planned + `method, dataset) VALUES ('preference', 'j', '', '', 1, '', 'pairs', '', '', 1, `
		set      = `INSERT INTO sets (name, source, base, bias, adversarial, first, position) VALUES ('d', '', '', '', 0, 0, 0); `
		party    = `INSERT INTO parties (role, name, method, position, kind, family, about, hinted, trained_on) VALUES `
		attack   = `INSERT INTO attacks (judge, attack, position, about, expects, answer, pair, before, after, work) VALUES `
	)
	for _, c := range []struct{ change, want string }{
		{"", ""},
		{result + `total) VALUES ('label', 'j', 'a', 'valid', 1)`, "the label of j on a" + others},
		{result + `origin) VALUES ('label', 'j', 'a', 'valid', 'x')`, "the label of j on a" + others},
		{result + `judge) VALUES ('preference', 'j', 'p', 'valid', 'k')`, "the preference of j on p" + others},
		{result + `choice) VALUES ('label', 'j', 'a', 'valid', 'a')`, "the label of j on a" + others},
		{result + `repeat) VALUES ('preference', 'j', 'p', 'valid', 1)`, "the preference of j on p" + others},
		{result + `content, raw) VALUES ('grade', 'j', 'p', 'valid', '{}', 'x')`, "the grade of j on p" + others},
		{result + `content) VALUES ('sample', 'j', 'p', 'valid', 'x')`, "the sample of j on p" + others},
		{result + `"order") VALUES ('label', 'j', 'a', 'valid', 'ab')`, "the label of j on a" + others},
		{`UPDATE results SET fingerprint = 'f'`, "the verdict of j on a" + others},
		{`UPDATE results SET variant = 'v'`, "the verdict of j on a" + others},
		{`UPDATE results SET status = 'refused'`, "the verdict of j on a has a total, but it is refused"},
		{`UPDATE results SET repeat = 2`, "the verdicts of j on answer a are not numbered from 1"},
		{`UPDATE plan SET active = 7 WHERE kind = 'verdict'`, "verdicts of sj are" + unknown},
		{`UPDATE plan SET judge = '' WHERE kind = 'verdict'`, "verdicts of s are" + unknown},
		{`UPDATE plan SET dataset = 'd' WHERE kind = 'answer'`, "answers of s are" + unknown},
		{`UPDATE plan SET system = 'x' WHERE kind = 'verdict'`, "verdicts of xj are" + unknown},
		{`UPDATE plan SET judge = 'x' WHERE kind = 'verdict'`, "verdicts of sx are" + unknown},
		{pairwise + `'m', 'd')`, "preferences of j are" + unknown},
		{set + pairwise + `'m', 'd')`, "preferences of j are" + unknown},
		{set + party + `('pairwise', 'j', 'm', 0, 'model', '', '', 0, ''); ` + pairwise + `'m', 'd'); UPDATE plan SET work = 'w' WHERE kind = 'preference'`,
			"preferences of j are planned with an origin, a fingerprint or a work that no plan of pairs has"},
		{set + party + `('pairwise', 'j', 'm', 0, 'model', '', '', 0, ''); ` + pairwise + `'m', 'd'); UPDATE plan SET scenario = '1' WHERE kind = 'preference'`,
			"preferences of j are" + unknown},
		{`DELETE FROM plan WHERE kind = 'verdict'`, "nothing is planned for j"},
		{`UPDATE parties SET sources = '{' WHERE role = 'system'`, "nothing is planned for s"},
		{attack + `('j', 'x', 0, '', 'fall', 'a', '', 0, 0, 'x'), ('j', 'y', 0, '', 'fall', 'a', '', 0, 0, 'y')`, "the attacks are of several sets of judges"},
		{attack + `('j', 'x', 0, '', 'fall', 'a', '', 0, 0, 'x'), ('j', 'y', 0, '', 'fall', 'a', '', 0, 0, 'datasheet')`, ""},
		{`UPDATE run SET dataset = 'e'`, "run 1 has another part, dataset, rubric or templates than its configuration"},
		{`UPDATE run SET part = 'pairs'`, "run 1 has another part, dataset, rubric or templates than its configuration"},
		{`INSERT INTO run SELECT 2, part, started, finished, program, revision, config, dataset, data_hash, rubric, rubric_hash, templates, release_hash, sources, seed FROM run`,
			"run 2 is recorded twice"},
	} {
		s := smallRecord(t)
		if err := s.Write(func(b Batch) error { return b.tx.do(c.change + `;`) }); err != nil {
			t.Errorf("%s: %v", c.change, err)
			continue
		}
		if wrong, err := s.BrokenRule(); wrong != c.want || err != nil {
			t.Errorf("%q, %v, want %q after %s", wrong, err, c.want, c.change)
		}
	}
}
