package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"compqa/bench/config"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/replies"
	"compqa/llm/protocol"
	"compqa/llm/structured"
	"compqa/results/archive"
	"compqa/results/store"
)

// tasksAtOnce is the number of tasks that are replayed together. readAtOnce is the number of results that one query reads.
const (
	tasksAtOnce = 1024
	readAtOnce  = 128
)

// A replayOutcome is the outcome of replaying a task.
type replayOutcome struct {
	recorded   bool      // whether the task's result is on record
	rows       []madeRow // the recorded results that the task makes
	otherRules bool      // whether an earlier version of the rules read the task's replies differently
	difference error
}

// A rowSet is a set of rows. It has a bit for each row, in words of 64 rows, since most rows of a record are in it.
type rowSet map[int64]uint64

func (s rowSet) add(row int64)      { s[row>>6] |= 1 << (row & 63) }
func (s rowSet) has(row int64) bool { return s[row>>6]&(1<<(row&63)) != 0 }
func (s rowSet) size() (n int) {
	for _, rows := range s {
		n += bits.OnesCount64(rows)
	}
	return n
}

// A madeRow is the row of a recorded result that a task has made again.
type madeRow struct {
	kind string
	row  int64
}

// replayCells replays the tasks of answers, verdicts and labels. If the plan limits the number of questions, the plan without a limit is
// replayed too, because an earlier run may have had none.
func (c *Recheck) replayCells() error {
	sources, err := c.replayPlan(c.plan, "", true)
	if err != nil {
		return err
	}
	if d := sources.Decision; d != nil && d.Unsure {
		c.rests.add("decision", data.List(c.plan.Config.Escalate.Judges), 1, "who decides which answers, as recorded: the export does "+
			"not have how sure the judges are (log-probabilities of their replies, which --no-replies leaves out, or repeats)")
	}
	if len(c.plan.Questions) < len(c.plan.Set) {
		all, err := c.planOf(c.plan.Config, 0)
		if err != nil {
			return err
		}
		if _, err := c.replayPlan(all, "", false); err != nil {
			return err
		}
	}
	return c.replayImported()
}

// replayPlan replays the tasks of a plan. latest says whether it is the plan of the latest run, whose missing results count.
func (c *Recheck) replayPlan(p *plan.Plan, only string, latest bool) (*plan.Planner, error) {
	sources, err := plan.NewPlanner(p, c.db, false)
	if err != nil {
		return nil, err
	}
	sources.Replays = true
	for stage, err := range sources.Stages(only) {
		if errors.Is(err, plan.ErrNoPairs) || errors.Is(err, plan.ErrNoLabels) {
			break // the run ended here, too
		}
		if err != nil {
			return nil, err
		}
		for _, source := range stage.Sources {
			if err := c.replaySource(p.Config, source, latest); err != nil {
				return nil, err
			}
		}
	}
	return sources, nil
}

// replaySource replays the tasks of a source, in groups. A task with Settle is a barrier: the tasks before it are replayed first.
func (c *Recheck) replaySource(cfg *config.Config, source run.Source, latest bool) error {
	var group []run.Task
	for t, err := range source.Tasks(c.Ctx) {
		if err != nil {
			return err
		}
		if t.Settle == nil {
			group = append(group, t)
		}
		if t.Settle != nil || len(group) == tasksAtOnce {
			if err := c.replayTasks(cfg, group, latest); err != nil {
				return err
			}
			group = group[:0]
		}
		if t.Settle != nil {
			t.Settle()
		}
	}
	return c.replayTasks(cfg, group, latest)
}

// replayImported recomputes the measures of the texts of imported answers. If the export has no replies, it does so for the answers of
// models, too.
func (c *Recheck) replayImported() error {
	var reader plan.Reader
	var err error
	for _, cell := range c.plan.Answers {
		if err != nil || cell.Contestant != nil && c.replies {
			continue
		}
		var tasks []run.Task
		err = c.db.EachAnswer(cell.System, cell.Scenario, func(a data.Answer) error {
			q, known := c.plan.SetOf.Of(a)
			if !known {
				q = data.QuestionOf(a)
				q.ID = a.Question
			}
			a.Question = q.ID
			size := reader.SizeOf(q, a)
			if cell.Contestant == nil {
				size.Labels = nil // the answer may have been given with other arguments
			}
			item := run.Item{Status: a.Status, Write: func(b store.Batch, _ []int64) error { return b.Answer(a, size, nil) }}
			tasks = append(tasks, run.Task{At: store.At{Kind: store.KindAnswer, Subject: a.ID},
				Do: func(context.Context, run.Asker) (run.Item, error) { return item, nil }})
			return nil
		})
		if err == nil {
			err = c.replayTasks(c.plan.Config, tasks, false)
		}
	}
	return err
}

// replayTasks replays some tasks, several at a time, and returns the first difference in the order of the tasks.
func (c *Recheck) replayTasks(cfg *config.Config, tasks []run.Task, latest bool) error {
	results := make([]replayOutcome, len(tasks))
	err := data.SideBySide((len(tasks)+readAtOnce-1)/readAtOnce, func(i int) error {
		from := i * readAtOnce
		to := min((i+1)*readAtOnce, len(tasks))
		found, calls, err := c.db.FindAll(data.Each(tasks[from:to], func(t run.Task) store.At { return t.At }))
		for k := from; k < to && err == nil; k++ {
			results[k], err = c.replayTask(cfg, tasks[k], found[tasks[k].At], calls)
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, r := range results {
		if r.difference != nil {
			return r.difference
		}
		if r.otherRules {
			c.rests.add(tasks[i].At.Kind, tasks[i].Party.Name, 1, ofReader)
		}
		for _, made := range r.rows {
			if c.madeRows[made.kind] == nil {
				c.madeRows[made.kind] = rowSet{}
			}
			c.madeRows[made.kind].add(made.row)
		}
		if latest {
			c.countTask(cfg, tasks[i], r)
		}
	}
	return c.Ctx.Err()
}

// replayTask replays one task and compares its result with the recorded one.
// 1. A task that makes no result of its own is only done.
// 2. If recorded is nil, or another task made the row already, there is nothing to compare.
// 3. Each recorded call must be on record and complete.
// 4. Without replies, only the status is compared with that of the calls.
// 5. Otherwise the task is done with the recorded calls as replies. The status, the number of calls and all columns of the result must be
// equal.
func (c *Recheck) replayTask(cfg *config.Config, t run.Task, recorded store.Recorded, known map[int64]store.Call) (
	r replayOutcome, err error) {
	if t.At.Kind == "" {
		_, err = t.Do(c.Ctx, (&run.Replay{Config: cfg, Find: c.db.FindCall}).Ask)
		return r, err
	}
	if recorded == nil {
		return r, nil
	}
	row := recorded.Row()
	r.recorded = true
	if c.madeRows[t.At.Kind].has(row) {
		return r, nil
	}
	r.rows = []madeRow{{t.At.Kind, row}}
	calls, err := recorded.Calls(known)
	if err != nil {
		r.difference = archive.Differ("%s: its calls cannot be parsed: %w", t.At, err)
		return r, nil
	}
	for _, call := range calls {
		if call.Key == "" || call.Status == data.Pending {
			r.difference = archive.Differ("%s: its call %d is not recorded", t.At, call.ID)
			return r, nil
		}
	}
	if t.Provider != run.Offline && !c.replies {
		if t.At.Kind == store.KindAnswer {
			r.rows = nil // replayImported looks at these answers
		}
		r.difference = withoutReplies(t.At, recorded.Status(), calls)
		return r, nil
	}
	replay := &run.Replay{Config: cfg, Left: slices.Clone(calls)}
	item, err := t.Do(c.Ctx, replay.Ask)
	if err != nil {
		return r, err
	}
	r.otherRules = c.ruleVersions != (replies.Versions{}) && t.Provider != run.Offline && recorded.Status().FromReply() &&
		slices.Contains([]string{store.KindVerdict, store.KindPreference, store.KindSample}, t.At.Kind)
	if fingerprint := recorded.Value("fingerprint"); fingerprint != nil && fingerprint != t.Fingerprint {
		r.otherRules = false // the fingerprint is of neither version, or of another configuration
	}
	gives := producerWords(t)
	switch {
	case replay.Strayed != "":
		err = archive.Differ("%s: %s", t.At, replay.Strayed)
	case c.hasReadableReply(t.At, recorded.Status(), calls):
		err = archive.Differ("%s: recorded as %s, but the reply of its call has all scores", t.At, recorded.Status())
	case item.Status != recorded.Status():
		err = archive.Differ("%s: recorded as %s, but %s %s", t.At, recorded.Status(), gives, item.Status)
	case len(replay.Left) > 0 && (c.replies || t.Group != nil): // without replies, replayImported replays answers without their calls
		err = archive.Differ("%s: it has %d more calls than are made for it", t.At, len(replay.Left))
	case item.Write != nil:
		err = item.Write(store.Comparing(func(place store.At, now store.Recorded) error {
			if place == t.At {
				return compareColumns(place, recorded, now, gives, calls, t)
			}
			then, err := place.Find(c.db)
			if err == nil && then == nil {
				err = archive.Differ("%s: they are not on record", place)
			}
			if err == nil {
				r.rows = append(r.rows, madeRow{place.Kind, then.Row()})
				err = compareColumns(place, then, now, "its text gives", nil, run.Task{Group: t.Group})
			}
			return err
		}), nil)
	}
	switch {
	case err == nil:
		r.otherRules = false
	case errors.Is(err, archive.ErrDifference) && r.otherRules:
		err = nil
	case errors.Is(err, archive.ErrDifference):
		r.difference = err
		err = nil
	}
	return r, err
}

// hasReadableReply reports whether a verdict recorded as refused or failed has a complete call whose reply is a valid score sheet.
func (c *Recheck) hasReadableReply(place store.At, status data.Status, calls []store.Call) bool {
	return place.Kind == store.KindVerdict && (status == data.Refused || status == data.Failed) &&
		slices.ContainsFunc(calls, func(call store.Call) bool {
			_, read, _ := replies.Sheet(call.Reply, c.run.Rubric, structured.Material{})
			return read == data.Valid && protocol.IsDone(call.Finish)
		})
}

// producerWords returns words that say what makes a task's result, for the message about a difference.
func producerWords(t run.Task) string {
	switch {
	case t.Provider != run.Offline:
		return "its calls give"
	case t.At.Kind == store.KindAnswer:
		return "its system gives"
	}
	return "the judge gives"
}

// withoutReplies returns a difference if the status of a result does not fit its calls. It is used if the export has no replies.
func withoutReplies(place store.At, status data.Status, calls []store.Call) error {
	whole := status.FromReply()
	if len(calls) == 0 {
		if whole {
			return archive.Differ("%s: it is recorded as %s, but has no call", place, status)
		}
		return nil
	}
	if last := calls[len(calls)-1]; whole != (last.Status == data.Valid) && status != data.Skipped && status != data.Empty {
		return archive.Differ("%s: it is recorded as %s, but its call ended as %s", place, status, last.Status)
	}
	return nil
}

// compareColumns returns an error about the first column in which the recorded result then differs from the result now. It skips columns
// that legitimately differ, such as a reason that holds a server's words.
func compareColumns(place store.At, then, now store.Recorded, gives string, calls []store.Call, t run.Task) error {
	differ := slices.Sorted(func(yield func(string) bool) {
		for _, f := range now {
			if then.Value(f.Column) != f.Value && !yield(f.Column) {
				return
			}
		}
	})
	if slices.Contains(differ, "text") {
		differ = append([]string{"text"}, differ...) // the measures follow from the text
	}
	for _, column := range differ {
		asked := len(calls) > 0
		if column == "calls" && calls != nil || column == "reasoning" && asked ||
			column == "origin" && (asked || t.Group == nil) ||
			column == "reason" && (t.Provider != run.Offline && place.Kind != store.KindLabel || asked && !now.Status().FromReply()) {
			continue
		}
		if place.Kind == store.KindPreference && column == "content" &&
			slices.ContainsFunc(calls, func(c store.Call) bool { return c.Raw == "" }) &&
			withoutConfidence(then.Text(column)) == withoutConfidence(now.Text(column)) {
			continue // log-probabilities are in the raw replies, which this export lacks
		}
		here, there := archive.Excerpts(fmt.Sprint(then.Value(column)), fmt.Sprint(now.Value(column)))
		return archive.Differ("%s: its %s is recorded as %q, but %s %q", place, place.Called(column), here, gives, there)
	}
	return nil
}

// withoutConfidence returns the JSON details of a preference without the field confidence.
func withoutConfidence(detail string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(detail), &fields) != nil {
		return detail
	}
	delete(fields, "confidence")
	return string(config.Encoded(fields))
}
