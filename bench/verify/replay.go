package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// tasksAtOnce is the number of tasks that are replayed together, readAtOnce that of results that one query reads.
const (
	tasksAtOnce = 1024
	readAtOnce  = 128
)

// A replayed is what a task was found to be.
type replayed struct {
	recorded   bool               // its result is on record
	rows       map[store.At]int64 // results on record that it makes, with their rows
	otherwise  bool               // an earlier version of the rules read its replies otherwise
	difference error
}

// cells replays the tasks of answers, verdicts and labels. Results beyond the plan's limit are of an
// earlier run without one.
func (c *Recheck) cells() error {
	sources, err := c.walk(c.plan, "", true)
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
		if _, err := c.walk(all, "", false); err != nil {
			return err
		}
	}
	return c.imported()
}

// walk replays the tasks of a plan. latest: it is the plan of the latest run, and what is missing of it counts.
func (c *Recheck) walk(p *plan.Plan, only string, latest bool) (*plan.Planner, error) {
	sources, err := plan.NewPlanner(p, c.db, false)
	if err != nil {
		return nil, err
	}
	sources.Replays = true
	for stage, err := range sources.Stages(only) {
		if errors.Is(err, plan.ErrNoPairs) || errors.Is(err, plan.ErrNoLabels) {
			break // the run came to an end here, too
		}
		if err != nil {
			return nil, err
		}
		for _, source := range stage.Sources {
			if err := c.source(p.Config, source, latest); err != nil {
				return nil, err
			}
		}
	}
	return sources, nil
}

// source replays the tasks of a source.
func (c *Recheck) source(cfg *config.Config, source run.Source, latest bool) error {
	var some []run.Task
	for t, err := range source.Tasks(c.Ctx) {
		if err != nil {
			return err
		}
		if t.Settle == nil {
			some = append(some, t)
		}
		if t.Settle != nil || len(some) == tasksAtOnce {
			if err := c.replay(cfg, some, latest); err != nil {
				return err
			}
			some = some[:0]
		}
		if t.Settle != nil {
			t.Settle()
		}
	}
	return c.replay(cfg, some, latest)
}

// imported measures answers that were imported again, and without replies those of models.
func (c *Recheck) imported() error {
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
				size.Labels = nil // it may have been given with other arguments
			}
			item := run.Item{Status: a.Status, Write: func(b store.Batch, _ []int64) error { return b.Answer(a, size, nil) }}
			tasks = append(tasks, run.Task{At: store.At{Kind: store.KindAnswer, Subject: a.ID},
				Do: func(context.Context, run.Asker) (run.Item, error) { return item, nil }})
			return nil
		})
		if err == nil {
			err = c.replay(c.plan.Config, tasks, false)
		}
	}
	return err
}

// replay replays some tasks, several at once. It reports the first difference in their order.
func (c *Recheck) replay(cfg *config.Config, tasks []run.Task, latest bool) error {
	results := make([]replayed, len(tasks))
	err := data.SideBySide((len(tasks)+readAtOnce-1)/readAtOnce, func(i int) error {
		from := i * readAtOnce
		to := min((i+1)*readAtOnce, len(tasks))
		found, calls, err := c.db.FindAll(data.Each(tasks[from:to], func(t run.Task) store.At { return t.At }))
		for k := from; k < to && err == nil; k++ {
			results[k], err = c.again(cfg, tasks[k], found[tasks[k].At], calls)
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
		if r.otherwise {
			c.rests.add(tasks[i].At.Kind, tasks[i].Party.Name, 1, ofReader)
		}
		for place, row := range r.rows {
			if c.seen[place.Kind] == nil {
				c.seen[place.Kind] = map[int64]bool{}
			}
			c.seen[place.Kind][row] = true
		}
		if latest {
			c.note(cfg, tasks[i], r)
		}
	}
	return c.Ctx.Err()
}

// again does a task with the calls that its recorded result names, and compares the results. recorded is nil if there is none.
func (c *Recheck) again(cfg *config.Config, t run.Task, recorded store.Recorded, known map[int64]store.Call) (r replayed, err error) {
	if t.At.Kind == "" {
		_, err = t.Do(c.Ctx, (&run.Replay{Config: cfg, Find: c.db.FindCall}).Ask)
		return r, err
	}
	if recorded == nil {
		return r, nil
	}
	row := recorded["rowid"].(int64)
	r.recorded = true
	if c.seen[t.At.Kind][row] {
		return r, nil
	}
	r.rows = map[store.At]int64{t.At: row}
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
			r.rows = nil // see imported
		}
		r.difference = withoutReplies(t.At, recorded.Status(), calls)
		return r, nil
	}
	replay := &run.Replay{Config: cfg, Left: slices.Clone(calls)}
	item, err := t.Do(c.Ctx, replay.Ask)
	if err != nil {
		return r, err
	}
	r.otherwise = c.read != (replies.Versions{}) && t.Provider != run.Offline && recorded.Status().FromReply() &&
		slices.Contains([]string{store.KindVerdict, store.KindPreference, store.KindSample}, t.At.Kind)
	if fingerprint, has := recorded["fingerprint"]; has && fingerprint != t.Fingerprint {
		r.otherwise = false // of neither version, or of another configuration
	}
	gives := givenBy(t)
	switch {
	case replay.Strayed != "":
		err = archive.Differ("%s: %s", t.At, replay.Strayed)
	case c.readable(t.At, recorded.Status(), calls):
		err = archive.Differ("%s: recorded as %s, but the reply of its call has all scores", t.At, recorded.Status())
	case item.Status != recorded.Status():
		err = archive.Differ("%s: recorded as %s, but %s %s", t.At, recorded.Status(), gives, item.Status)
	case len(replay.Left) > 0 && (c.replies || t.Group != nil): // or a recorded answer is measured
		err = archive.Differ("%s: it has %d more calls than are made for it", t.At, len(replay.Left))
	case item.Write != nil:
		err = item.Write(store.Comparing(func(place store.At, now store.Recorded) error {
			if place == t.At {
				return unequal(place, recorded, now, gives, calls, t)
			}
			then, err := place.Find(c.db)
			if err == nil && then == nil {
				err = archive.Differ("%s: they are not on record", place)
			}
			if err == nil {
				r.rows[place] = then["rowid"].(int64)
				err = unequal(place, then, now, "its text gives", nil, run.Task{Group: t.Group})
			}
			return err
		}), nil)
	}
	switch {
	case err == nil:
		r.otherwise = false
	case errors.Is(err, archive.ErrDifference) && r.otherwise:
		err = nil
	case errors.Is(err, archive.ErrDifference):
		r.difference = err
		err = nil
	}
	return r, err
}

// readable reports whether a verdict that is recorded as refused or failed has a call that ended with a complete score sheet.
func (c *Recheck) readable(place store.At, status data.Status, calls []store.Call) bool {
	return place.Kind == store.KindVerdict && (status == data.Refused || status == data.Failed) &&
		slices.ContainsFunc(calls, func(call store.Call) bool {
			_, read, _ := replies.Sheet(call.Reply, c.run.Rubric, structured.Material{})
			return read == data.Valid && protocol.IsDone(call.Finish)
		})
}

// givenBy says what a result follows from.
func givenBy(t run.Task) string {
	switch {
	case t.Provider != run.Offline:
		return "its calls give"
	case t.At.Kind == store.KindAnswer:
		return "its system gives"
	}
	return "the judge gives"
}

// withoutReplies returns the contradiction between a result and its calls, where the export has no replies.
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

// unequal returns the first column in which a recorded result differs from the one that is made now. A reason
// can have the words of a server.
func unequal(place store.At, then, now store.Recorded, gives string, calls []store.Call, t run.Task) error {
	differ := slices.Sorted(func(yield func(string) bool) {
		for column, value := range now {
			if then[column] != value && !yield(column) {
				return
			}
		}
	})
	if slices.Contains(differ, "text") {
		differ = append([]string{"text"}, differ...) // its measures follow from a text
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
			continue // log-probabilities are in the bodies, which this export does not have
		}
		here, there := archive.Excerpts(fmt.Sprint(then[column]), fmt.Sprint(now[column]))
		return archive.Differ("%s: its %s is recorded as %q, but %s %q", place, place.Called(column), here, gives, there)
	}
	return nil
}

// withoutConfidence returns the details of a preference without its confidence.
func withoutConfidence(detail string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(detail), &fields) != nil {
		return detail
	}
	delete(fields, "confidence")
	return string(config.Encoded(fields))
}
