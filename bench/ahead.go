package bench

import (
	"context"
	"fmt"

	"compqa/data"
	"compqa/llm"
	"compqa/results/store"
)

// ahead looks at what the rest of a run would ask, without asking: it has every
// item that is to be worked on put its question, and answers with what is on
// record already. A question that isn't ends the item there; whatever it would
// have asked after the reply, as a repair, cannot be known.
type ahead struct {
	plan  *plan
	store *store.Store // nil: nothing is on record
	retry bool         // what went wrong is asked again
	found func(key string) (store.Call, bool, error)

	// recorded holds the fingerprints of the cells as they are on record.
	recorded map[store.CellKey]string
}

func newAhead(p *plan, db *store.Store, retry bool) (*ahead, error) {
	a := &ahead{plan: p, store: db, retry: retry, recorded: map[store.CellKey]string{}}
	if db == nil {
		a.found = func(string) (store.Call, bool, error) { return store.Call{}, false, nil }
		return a, nil
	}
	a.found = db.FindCall
	cells, err := db.Cells(store.FromConfig)
	if err != nil {
		return nil, err
	}
	for _, c := range cells {
		a.recorded[c.Key()] = c.Fingerprint
	}
	return a, nil
}

// An asked is one call that would be made.
type asked struct {
	call    store.Call
	request llm.Request
}

// ask is how an item asks ahead.
func (a *ahead) ask(lane string, repeat int, each func(asked) error) func(context.Context, llm.Request) (llm.Reply, error) {
	return func(ctx context.Context, req llm.Request) (llm.Reply, error) {
		call, err := a.plan.call(ctx, lane, repeat, &req)
		if err != nil {
			return llm.Reply{}, err
		}
		known, found, err := a.found(call.Key)
		if err != nil {
			return llm.Reply{}, err
		}
		if found {
			return llm.Reply{Text: known.Reply, Reasoning: known.Reasoning, Finish: known.Finish}, nil
		}
		if err := each(asked{call, req}); err != nil {
			return llm.Reply{}, fmt.Errorf("%w: %w", context.Canceled, err)
		}
		return llm.Reply{}, context.Canceled
	}
}

// answers calls each for the first call of every answer of a cell that is to be
// had yet, and returns how many answers the cell has.
func (a *ahead) answers(ctx context.Context, cell *answerCell, each func(asked) error) (have int, err error) {
	statuses := map[string]data.Status{}
	if a.store != nil && a.recorded[cell.Key()] == cell.Fingerprint {
		if statuses, err = a.store.AnswerStatuses(cell.System, cell.Scenario); err != nil {
			return 0, err
		}
	}
	ctx = paidBy(ctx, store.Party{Kind: store.KindAnswer, Name: cell.System})
	for _, it := range cell.items {
		if status, ok := statuses[it.id]; ok && !(a.retry && status.Retryable()) {
			have++
			continue
		}
		if cell.system.Kind != kindModel || cell.scenario.NeedsArguments && len(it.question.Arguments) == 0 {
			continue
		}
		var failed error
		d := desk{ctx: ctx, ask: a.ask(cell.system.lane, it.repeat, func(x asked) error { failed = each(x); return failed })}
		cell.system.answer(d, *it.question, cell.scenario)
		if failed != nil {
			return have, failed
		}
	}
	return have, nil
}

// verdicts calls each for the next call of every verdict of a cell that is to be
// had yet on an answer that there is, and returns how many verdicts the cell has
// and how many wait for answers that are still to come.
func (a *ahead) verdicts(ctx context.Context, v *verdictCell, each func(asked) error) (have, waiting int, err error) {
	statuses := map[store.VerdictKey]data.Status{}
	there := 0 // verdicts that have an answer to be on
	if a.store != nil && a.current(v.cell) {
		if a.recorded[v.Key()] == v.Fingerprint {
			if statuses, err = a.store.VerdictStatuses(v.Judge, v.System, v.Scenario); err != nil {
				return 0, 0, err
			}
		}
		ctx := paidBy(ctx, store.Party{Kind: store.KindVerdict, Name: v.Judge})
		err = a.store.EachAnswer(v.System, v.Scenario, func(answer data.Answer) error {
			if !v.cell.has(answer.ID) || v.keep != nil && !v.keep[answer.ID] || a.retry && v.cell.system != nil && answer.Status.Retryable() {
				return nil
			}
			there += v.judge.repeats
			for repeat := 1; repeat <= v.judge.repeats; repeat++ {
				status, ok := statuses[store.VerdictKey{Answer: answer.ID, Repeat: repeat}]
				if ok && !(a.retry && status.Retryable()) && !(status == data.Skipped && answer.Status == data.Valid) {
					have++
					continue
				}
				if answer.Status != data.Valid {
					continue
				}
				var failed error
				v.judge.score(ctx, a.plan.question(answer), answer, a.ask(v.judge.lane, repeat, func(x asked) error { failed = each(x); return failed }))
				if failed != nil {
					return failed
				}
			}
			return nil
		})
	}
	return have, v.Planned - there, err
}

// current says that the answers on record are those that the plan has.
func (a *ahead) current(cell *answerCell) bool {
	return cell.system == nil || a.recorded[cell.Key()] == cell.Fingerprint
}
