package verify

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"compqa/bench/attack"
	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/results/archive"
	"compqa/results/store"
)

// unseen is the first result of a kind on record that no task made; nil: every result has a task, but for those of cells that are no
// longer planned, of imports, of files and of people. No task makes labels of files, so given checks them.
func (c *Recheck) unseen(k store.Kind) (first *store.At, err error) {
	err = c.db.EachResult(k, func(r store.Result) error {
		given := r.By == config.KindImported || r.By == config.KindHuman
		switch {
		case c.seen[k.Table][r.Row] || !r.Active || k.Due == nil:
			return nil
		case k.Name == store.KindVerdict && r.Origin != "" && (given || r.Origin != store.FromConfig), k.Name == store.KindPreference && given:
			return nil
		}
		at, err := c.db.AtRow(k, r.Row)
		if err != nil {
			return err
		}
		if k.Name == store.KindLabel && ofFiles(c.plan, r.Party) && r.Party != data.OfflineClaims {
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
	for _, k := range store.Kinds {
		at, err := c.unseen(k)
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
func (c *Recheck) given(at store.At) error {
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
	c.unusedReplies, err = c.db.UnusedReplies()
	return err
}
