package verify

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

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

// attacks scores the attacked answers again. A run records them when it is finished; after a later import, or in a run that
// was stopped, they are of the answers before it.
func (c *Recheck) attacks() error {
	work, err := c.db.AttackWork()
	if err != nil {
		return err
	}
	equal := func(answers []data.Answer, failed error) (same bool, n int, err error) {
		list, err := attack.Totals(c.Ctx, c.plan, answers)
		slices.SortFunc(list, func(a, b store.AttackedAnswer) int {
			return cmp.Or(cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.Position, b.Position), cmp.Compare(a.Answer, b.Answer))
		})
		return slices.Equal(list, c.run.Attacked), len(list), cmp.Or(failed, err)
	}
	seed := c.run.Made[0].Seed
	now, failed := attack.Work(c.plan, c.db)
	same, n, err := equal(c.db.SomeAnswers(attack.SampleSize, seed))
	if err = cmp.Or(failed, err); err != nil || same && (now == work || n == 0) {
		return err
	}
	imported := slices.ContainsFunc(c.run.Plan, func(cell store.PlanCell) bool {
		return cell.Kind == store.KindAnswer && cell.Origin != store.FromConfig
	})
	stopped, err := c.whyUnfinished(store.PartAnswers)
	if stopped == "" && err == nil {
		stopped, err = c.whyUnfinished(store.PartPairs)
	}
	cells, unread := c.db.Coverage()
	all := !slices.ContainsFunc(cells, func(c store.Covered) bool { return c.Recorded < c.Planned })
	earlier, _, fault := equal(c.db.AttackedAnswers(seed))
	switch err := cmp.Or(err, unread, fault); {
	case err != nil:
		return err
	case work == "" && (imported || !all || stopped != ""):
		add(&c.absent, Rest{"attack", "embedded judges", n, "the run did not come to them"})
	case work == "":
		return archive.Differ("the attacks on embedded judges are missing, although all planned results are there (`compqa run` records them)")
	case earlier && imported:
		add(&c.rests, Rest{"attack", "embedded judges", len(c.run.Attacked), "answers were imported after them"})
	case earlier && stopped != "":
		add(&c.absent, Rest{"attack", "embedded judges", n, stopped + "; those on record are of the run before it"})
	default:
		return archive.Differ("the recorded attacks on embedded judges differ from those computed now")
	}
	return nil
}

// rules are queries for rows that cannot be in a record and that no task makes: calls and their attempts,
// parties, runs, sets, and verdicts of people. Each returns what is wrong, in words.
var rules = []string{
	`SELECT 'the verdict of ' || judge || ' on ' || answer || ' has a total, but it is ' || status FROM verdicts WHERE status <> 'valid'
		AND total IS NOT NULL`,
	// Of the verdicts of models, which a stop can leave out, those that are missing are counted.
	`SELECT 'the verdicts of ' || judge || ' on answer ' || answer || ' are not numbered from 1' FROM verdicts
		WHERE judge NOT IN (SELECT name FROM parties WHERE role = 'judge' AND kind = 'model') GROUP BY judge, answer
		HAVING min(repeat) <> 1 OR max(repeat) <> count(*)`,
	`SELECT kind || 's of ' || system || judge || ' are planned for a party or a set that is not recorded' FROM plan
		WHERE active NOT IN (0, 1) OR (kind = 'answer') <> (judge = '') OR CASE kind WHEN 'preference'
			THEN dataset NOT IN (SELECT name FROM sets) OR (judge, method) NOT IN (SELECT name, method FROM parties WHERE role = 'pairwise')
			ELSE method || dataset || "order" <> '' OR system NOT IN (SELECT name FROM parties WHERE role = 'system')
				OR kind = 'verdict' AND judge NOT IN (SELECT name FROM parties WHERE role = 'judge') END`,
	`SELECT 'nothing is planned for ' || name || ' ' || method FROM parties WHERE role NOT IN ('system', 'judge', 'pairwise')
		OR (name, method) NOT IN (SELECT iif(role = 'system', system, judge), method FROM plan WHERE (kind = 'preference') = (role = 'pairwise'))
		OR sources <> '' AND (role <> 'system' OR NOT json_valid(sources))`,
	`SELECT 'pair ' || id || ' is in no recorded set' FROM pairs WHERE active NOT IN (0, 1) OR dataset NOT IN (SELECT name FROM sets)`,
	`SELECT 'the attacks are of several sets of judges' FROM (SELECT count(DISTINCT work) AS n FROM attacks) WHERE n > 1`,
	`SELECT 'run ' || id || ' has another part, dataset, rubric or templates than its configuration' FROM run
		WHERE part NOT IN ('answers', 'pairs')
		OR part = 'answers' AND dataset <> json_extract(config, '$.dataset')
		OR part = 'pairs' AND dataset || data_hash || rubric || rubric_hash || templates <> ''`,
	`SELECT 'the call ' || key || ' is recorded as ' || status || ', but no attempt of it' FROM calls c
		WHERE origin = '' AND (id, status) NOT IN (SELECT call, status FROM attempts)
			AND (status <> 'pending' OR key NOT IN (SELECT value FROM batches, json_each(keys)))`,
	`SELECT 'attempt ' || n || ' belongs to no recorded call of its model: ' || call FROM attempts a
		WHERE NOT EXISTS (SELECT 1 FROM calls WHERE id = a.call AND provider = a.provider AND model = a.model)`,
	`SELECT 'the attempts of the call ' || call || ' are not numbered from 1' FROM attempts GROUP BY call HAVING min(n) <> 1
		OR max(n) <> count(*)`,
	`SELECT 'attempt ' || n || ' of the call ' || call || ' was made for ' || party || ', which is not recorded' FROM attempts
		WHERE party NOT IN (SELECT name FROM parties UNION ALL SELECT judge FROM labels UNION ALL SELECT grader FROM grades
			UNION ALL SELECT judge FROM samples
			UNION ALL SELECT p.value ->> 'rewriter' FROM run, json_each(config, '$.pairs') p WHERE p.value ->> 'rewriter' <> '')
			OR kind NOT IN (SELECT kind FROM plan WHERE kind IN ('answer', 'verdict') UNION ALL SELECT 'preference' UNION ALL SELECT 'label'
				FROM labels WHERE judge <> 'faithful')`,
}

// unusedReplies counts the complete replies that no result on record is read from: a run with other inputs keeps the calls of the
// one before it, so they are no difference.
const unusedReplies = `SELECT count(*) FROM calls WHERE status = 'valid' AND key NOT IN (SELECT key FROM calls WHERE id IN (
	SELECT value FROM (SELECT calls FROM answers UNION ALL SELECT calls FROM verdicts UNION ALL SELECT calls FROM labels
		UNION ALL SELECT calls FROM preferences UNION ALL SELECT calls FROM samples UNION ALL SELECT calls FROM grades) t, json_each(t.calls)))`

// rules finds the first broken rule.
func (c *Recheck) rules() (err error) {
	for _, query := range rules {
		wrong, broken, err := store.First[string](c.db, query)
		switch {
		case err != nil:
			return err
		case broken:
			return archive.Differ("%s", strings.TrimSpace(wrong))
		}
	}
	c.unusedReplies, err = store.Value[int](c.db, unusedReplies)
	return err
}
