package verify

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"compqa/bench/attack"
	"compqa/bench/run"
	"compqa/data"
	"compqa/results/archive"
	"compqa/results/store"
)

// made are queries for the results in the tables that a task of the configuration makes, by table: not
// those of cells that are no longer planned, of imports, of files and of people.
var made = map[string]string{
	"answers": `SELECT r.rowid, r.id, '', '', '', '' FROM answers r
		LEFT JOIN plan p ON p.kind = 'answer' AND p.judge = '' AND p.system = r.system AND p.scenario = r.scenario
		WHERE p.active IS NOT 0`,
	"verdicts": `SELECT r.rowid, r.judge, r.answer, r.repeat, '', '' FROM verdicts r LEFT JOIN answers a ON a.id = r.answer
		LEFT JOIN plan p ON p.kind = 'verdict' AND p.judge = r.judge AND p.system = a.system AND p.scenario = a.scenario
		LEFT JOIN parties j ON j.role = 'judge' AND j.name = r.judge
		WHERE p.active IS NOT 0 AND (p.active IS NULL OR p.origin = 'config' AND coalesce(j.kind, '') NOT IN ('imported', 'human'))`,
	"labels": `SELECT r.rowid, r.answer, r.judge, r.kind, '', '' FROM labels r LEFT JOIN answers a ON a.id = r.answer
		LEFT JOIN plan p ON p.kind = r.kind AND p.judge = r.judge AND p.system = a.system AND p.scenario = a.scenario
		LEFT JOIN plan c ON c.kind = 'answer' AND c.judge = '' AND c.system = a.system AND c.scenario = a.scenario
		WHERE p.active IS NOT 0 AND c.active IS NOT 0`,
	"preferences": `SELECT r.rowid, r.id, r.judge, r.method, r."order", '' FROM preferences r LEFT JOIN pairs q ON q.id = r.id
		LEFT JOIN plan p ON p.kind = 'preference' AND p.judge = r.judge AND p.method = r.method AND p.dataset = q.dataset
			AND p."order" = r."order"
		LEFT JOIN parties j ON j.role = 'pairwise' AND j.name = r.judge AND j.method = r.method
		WHERE q.active IS NOT 0 AND p.active IS NOT 0 AND (p.active IS NULL OR coalesce(j.kind, '') NOT IN ('imported', 'human'))`,
}

// unseen is the first result on record that no task made; nil: every result has a task. No task makes
// labels of files, so given checks them.
func (c *Recheck) unseen(table string) (first *run.At, err error) {
	err = c.db.Each(made[table], nil, func(rows *sql.Rows) error {
		var row int64
		at := run.At{Table: table}
		if err := rows.Scan(&row, &at.Key[0], &at.Key[1], &at.Key[2], &at.Key[3], &at.Key[4]); err != nil || c.seen[table][row] {
			return err
		}
		if judge, _ := at.Key[1].(string); table == "labels" && ofFiles(c.plan, judge) && judge != data.OfflineClaims {
			return c.given(at)
		}
		first = &at
		return run.ErrEnough
	})
	if errors.Is(err, run.ErrEnough) {
		err = nil
	}
	return first, err
}

// unplanned looks for results on record that no task made.
func (c *Recheck) unplanned() error {
	for _, table := range slices.Sorted(maps.Keys(made)) {
		at, err := c.unseen(table)
		if err != nil {
			return err
		}
		if at != nil {
			return archive.Differ("%s: the configuration does not plan it", at)
		}
	}
	return c.Ctx.Err()
}

// given checks labels of people or of another program against their table.
func (c *Recheck) given(at run.At) error {
	row, err := at.Find(c.db)
	if err != nil || row.Status() != data.Valid {
		return err
	}
	var labels data.Labels
	if err := json.Unmarshal([]byte(row.Text("labels")), &labels); err != nil {
		return archive.Differ("%s cannot be parsed: %w", at, err)
	}
	answer, _, err := c.db.Answer(row.Text("answer"))
	if err != nil {
		return err
	}
	if answer.Table == nil {
		return archive.Differ("%s: the answer has no table", at)
	}
	if status, reason := labels.Check(row.Text("kind"), *answer.Table); status != data.Valid {
		return archive.Differ("%s: %s", at, reason)
	}
	return nil
}

// attacks scores the attacked answers again. A run records them when it is finished; after a later
// import they are of the answers before it.
func (c *Recheck) attacks() error {
	work, err := c.db.AttackWork()
	if err != nil {
		return err
	}
	answers, err := c.db.SomeAnswers(attack.SampleSize, c.run.Made[0].Seed)
	if err != nil {
		return err
	}
	list, now, err := attack.Totals(c.Ctx, c.plan, answers)
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b store.AttackedAnswer) int {
		return cmp.Or(cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.Position, b.Position), cmp.Compare(a.Answer, b.Answer))
	})
	if (now == work || len(list) == 0) && slices.Equal(list, c.run.Attacked) {
		return nil
	}
	imported := slices.ContainsFunc(c.run.Plan, func(cell store.PlanCell) bool {
		return cell.Kind == store.KindAnswer && cell.Origin != store.FromConfig
	})
	cells, err := c.db.Coverage()
	all := !slices.ContainsFunc(cells, func(c store.Covered) bool { return c.Recorded < c.Planned })
	switch {
	case err != nil:
		return err
	case work == "" && (imported || !all):
		add(&c.absent, Rest{"attack", "embedded judges", len(list), "the run did not come to them"})
	case work == "":
		return archive.Differ("the attacks on embedded judges are missing, although all planned results are there (`compqa run` records them)")
	case imported:
		add(&c.rests, Rest{"attack", "embedded judges", len(c.run.Attacked), "answers were imported after them"})
	default:
		return archive.Differ("the recorded attacks on embedded judges differ from those computed now")
	}
	return nil
}
