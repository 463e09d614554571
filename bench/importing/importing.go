// Package importing adds existing answers and verdicts to a record: from the authors' release, or from files.
package importing

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/plan"
	"compqa/data"
	"compqa/data/sources/release"
	"compqa/judges/scoring"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
)

// An Import is answers and verdicts from another source, to be added to a record.
type Import struct {
	Origin      string
	Fingerprint string // hash of what was read
	Answers     []data.Answer
	Verdicts    []data.Verdict
	Unplaced    []store.Unplaced
	On          map[string]store.Place // where answers on record belong
}

// ReadRelease reads the authors' release.
func ReadRelease(dir string) (*Import, error) {
	release, err := release.Read(dir)
	if err != nil {
		return nil, config.UsageError{Err: err}
	}
	in := &Import{Origin: plan.OriginRelease, Fingerprint: release.Hash, Answers: release.Answers, Verdicts: release.Verdicts}
	for _, u := range release.Unmatched {
		in.Unplaced = append(in.Unplaced, store.Unplaced{Judge: u.Judge, Source: fmt.Sprintf("%s:%d", filepath.Base(u.File), u.Line),
			System: u.System, Scenario: u.Scenario, Aspect: u.Aspect, Reason: u.String()})
	}
	return in, nil
}

// Record adds an import to the record of a plan and prints its numbers on w. It does nothing if the
// record already has the same import; fresh is false then.
func (in *Import) Record(ctx context.Context, s *store.Store, p *plan.Plan, w io.Writer) (fresh bool, err error) {
	fresh, err = in.store(ctx, s, p)
	if err != nil {
		return false, fmt.Errorf("recording the %s: %w", in.Origin, err)
	}
	if fresh {
		fmt.Fprintf(w, "%s: %s\n", in.Origin, in.Summary(p.Rubric))
		for _, u := range in.Unplaced {
			fmt.Fprintf(w, "  not placed: %s\n", u.Reason)
		}
	}
	return fresh, nil
}

// store adds an import completely or not at all. Invalid sheets are kept with their status.
func (in *Import) store(ctx context.Context, s *store.Store, p *plan.Plan) (fresh bool, err error) {
	recorded, err := s.Cells(in.Origin)
	if err != nil {
		return false, err
	}
	systems, judgeParties, cells := in.cells(p.Rubric)
	if SameCells(recorded, cells) {
		return false, nil
	}
	questionOf := func(a data.Answer) (q data.Question, known bool) {
		if q, known = p.ByPair[a.Pair()]; !known {
			q = data.QuestionOf(a)
		}
		return q, known
	}
	reader := plan.Reader{NoClaims: true} // the imported system had other arguments, or none
	sizes := make([]store.Size, len(in.Answers))
	ctx, stop := context.WithCancel(ctx)
	var measured errgroup.Group // while the verdicts are written
	measured.Go(func() error {
		return data.SideBySide(len(sizes), func(i int) error {
			q, _ := questionOf(in.Answers[i])
			sizes[i] = reader.SizeOf(q, in.Answers[i])
			return ctx.Err()
		})
	})
	defer measured.Wait()
	defer stop()
	return true, s.Write(func(b store.Batch) error {
		if err := b.SetPlan(in.Origin, systems, judgeParties, cells); err != nil {
			return err
		}
		for _, v := range in.Verdicts {
			if err := b.Verdict(scoring.Settle(p.Rubric, v), nil); err != nil {
				return err
			}
		}
		if err := measured.Wait(); err != nil {
			return err
		}
		for i, a := range in.Answers {
			if err := ctx.Err(); err != nil {
				return err
			}
			q, known := questionOf(a)
			if !known {
				if err := b.Question(q, len(p.Set)); err != nil {
					return err
				}
			}
			a.Question = q.ID
			if err := b.Answer(a, sizes[i], nil); err != nil {
				return err
			}
		}
		return b.SetUnplaced(in.Origin, in.Unplaced)
	})
}

// cells is the plan of an import: all its answers and verdicts, by judge, system and scenario, in order of appearance.
func (in *Import) cells(r rubric.Rubric) (systems, judgeParties []store.Participant, cells []store.PlanCell) {
	places := map[string]store.Place{}
	keys := make([]store.CellKey, 0, len(in.Answers)+len(in.Verdicts))
	for _, a := range in.Answers {
		places[a.ID] = store.Place{System: a.System, Scenario: a.Scenario}
		keys = append(keys, store.CellKey{Kind: store.KindAnswer, System: a.System, Scenario: a.Scenario})
	}
	for _, v := range in.Verdicts {
		place, own := places[v.Answer]
		if !own {
			place = in.On[v.Answer]
		}
		keys = append(keys, store.CellKey{Kind: store.KindVerdict, Judge: v.Judge, System: place.System, Scenario: place.Scenario})
	}
	fingerprint := in.Fingerprint + "/" + config.HashOf(r)
	for _, of := range table.Grouped(keys, func(key store.CellKey) store.CellKey { return key }) {
		cells = append(cells, store.PlanCell{Kind: of[0].Kind, Judge: of[0].Judge, System: of[0].System, Scenario: of[0].Scenario,
			Planned: len(of), Fingerprint: fingerprint, Origin: in.Origin})
	}
	for _, of := range table.Grouped(in.Answers, func(a data.Answer) string { return a.System }) {
		systems = append(systems, store.Participant{Name: of[0].System, Kind: config.KindImported, Family: release.Family(of[0].System),
			About: "answers of the " + in.Origin})
	}
	for _, of := range table.Grouped(in.Verdicts, func(v data.Verdict) string { return v.Judge }) {
		judgeParties = append(judgeParties, store.Participant{Name: of[0].Judge, Kind: parties.VerdictKind(of[0].Judge),
			Family: release.Family(of[0].Judge), About: "verdicts of the " + in.Origin})
	}
	return systems, judgeParties, cells
}

func SameCells(recorded, planned []store.PlanCell) bool {
	fingerprints := func(cells []store.PlanCell) map[store.CellKey]string {
		of := map[store.CellKey]string{}
		for _, c := range cells {
			of[c.Key()] = c.Fingerprint
		}
		return of
	}
	return maps.Equal(fingerprints(recorded), fingerprints(planned))
}

// Summary has the numbers of answers, of judges' verdicts and of human score sheets, and how many of these are not valid.
func (in *Import) Summary(r rubric.Rubric) string {
	var parts []string
	add := func(n int, what string, of int, by string, sheets []data.Verdict) {
		if n == 0 {
			return
		}
		text := data.Plural(n, what, what+"s")
		if of > 0 {
			text += " of " + data.Plural(of, by, by+"s")
		}
		if invalid := data.Where(sheets, func(v data.Verdict) bool { return scoring.Settle(r, v).Status != data.Valid }); invalid != nil {
			text += fmt.Sprintf(" (%d not valid)", len(invalid))
		}
		parts = append(parts, text)
	}
	judgeOf := func(v data.Verdict) string { return v.Judge }
	people := data.Where(in.Verdicts, func(v data.Verdict) bool { return data.IsHuman(v.Judge) })
	verdicts := data.Where(in.Verdicts, func(v data.Verdict) bool { return !data.IsHuman(v.Judge) })
	add(len(in.Answers), "answer", len(table.Grouped(in.Answers, func(a data.Answer) string { return a.System })), "system", nil)
	add(len(verdicts), "verdict", len(table.Grouped(verdicts, judgeOf)), "judge", verdicts)
	add(len(people), "human score sheet", 0, "", people)
	return strings.Join(parts, ", ")
}
