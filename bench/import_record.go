package bench

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/plan"
	"compqa/data"
	"compqa/data/sources"
	"compqa/data/sources/release"
	"compqa/judges/scoring"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
)

// An importedResults holds answers and verdicts from another source, which are to be added to a record.
type importedResults struct {
	Origin      string
	Fingerprint string // hash of the content that was read
	Answers     []data.Answer
	Verdicts    *data.VerdictList
	Unplaced    []store.Unplaced
	On          map[string]store.Place // places of the answers that are on record, by id
	Readings    []*sources.Reading     // how the columns of the file were read
}

// importRelease reads the authors' release.
func importRelease(dir string) (*importedResults, error) {
	release, err := release.Read(dir)
	if err != nil {
		return nil, config.UsageError{Err: err}
	}
	in := &importedResults{Origin: plan.OriginRelease, Fingerprint: release.Hash, Answers: release.Answers,
		Verdicts: data.Verdicts(release.Verdicts...)}
	for _, u := range release.Unmatched {
		in.Unplaced = append(in.Unplaced, store.Unplaced{Judge: u.Judge, Source: fmt.Sprintf("%s:%d", filepath.Base(u.File), u.Line),
			System: u.System, Scenario: u.Scenario, Aspect: u.Aspect, Reason: u.String()})
	}
	return in, nil
}

// Record adds an import to the record of a plan and writes its numbers to w. If the record already has the same import, it does nothing and
// returns false.
func (in *importedResults) Record(ctx context.Context, s *store.Store, p *plan.Plan, w io.Writer) (fresh bool, err error) {
	gone, lost, err := in.Compare(s, p)
	if err == nil {
		fresh, err = in.store(ctx, s, p, gone)
	}
	if err != nil {
		return false, fmt.Errorf("recording the %s: %w", in.Origin, err)
	}
	if fresh {
		fmt.Fprintf(w, "%s: %s\n", in.Origin, in.Summary(p.Rubric))
		for _, text := range lost {
			fmt.Fprintf(w, "%s: %s\n", in.Origin, text)
		}
		out, err := s.LeftOut(in.Origin)
		if err != nil {
			return false, err
		}
		if text := dataset.LeftOutText(out); text != "" {
			fmt.Fprintf(w, "%s: %s\n", in.Origin, text)
		}
		for _, u := range in.Unplaced {
			fmt.Fprintf(w, "  not placed: %s\n", u.Reason)
		}
	}
	return fresh, nil
}

// Compare compares an import with what is on record. It returns an error if another import brought an answer or verdict with different
// content, or if the import would delete verdicts of other judges. gone has the ids of answers from an earlier import of this origin that
// have changed or are no longer in it. lost says in words which verdicts and human sheets will be deleted. Both are nil if the record
// already has the import.
func (in *importedResults) Compare(s *store.Store, p *plan.Plan) (gone, lost []string, err error) {
	recorded, err := s.Cells(in.Origin)
	if err != nil {
		return nil, nil, err
	}
	if _, _, cells := in.cells(p.Rubric); samePlanCells(recorded, cells) {
		return nil, nil, nil // the method store will do nothing, too
	}
	texts := map[string]*data.Answer{}
	for i := range in.Answers {
		texts[in.Answers[i].ID] = &in.Answers[i]
	}
	refuse := func(origin, what string) error {
		return config.Usagef("%s: the run has another %s, from %s; correct that file and import it again, or use another name here",
			in.Origin, what, origin)
	}
	err = s.EachBroughtAnswer(in.Origin, slices.Collect(maps.Keys(texts)), func(then store.BroughtAnswer) error {
		same := false
		if now := texts[then.ID]; now != nil {
			asked := *now
			asked.Question = p.Question(asked).ID
			same = config.HashOf(asked) == config.HashOf(then.Answer)
		}
		if then.Origin == in.Origin && !same {
			gone = append(gone, then.ID)
		} else if !same {
			return refuse(then.Origin, fmt.Sprintf("answer with the id %q", then.ID))
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	removed := 0
	judges := data.Among(in.Verdicts.Judges())
	others := len(judges) > 0 // whether the recorded verdicts are all by other judges
	places := sync.OnceValue(in.places)
	err = s.EachBroughtVerdict(in.Origin, in.Verdicts.Judges(), func(then store.BroughtVerdict) error {
		others = others && !(then.Origin == in.Origin && judges[then.Judge])
		index, there := places()[data.VerdictKey{Judge: then.Judge, Answer: then.Answer, Repeat: then.Repeat}]
		switch {
		case then.Origin == in.Origin && !there:
			removed++
		case then.Origin != in.Origin && there && config.HashOf(scoring.Settle(p.Rubric, in.Verdicts.At(index))) != config.HashOf(then.Verdict):
			return refuse(then.Origin, fmt.Sprintf("verdict of %s on the answer %q", then.Judge, then.Answer))
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if removed > 0 && others {
		return nil, nil, config.Usagef("%s: the run has results of other judges from a file of this name, which this one would replace: "+
			"rename one", in.Origin)
	}
	if removed > 0 {
		lost = append(lost, data.Plural(removed, "verdict", "verdicts")+" that it had before and has no longer: deleted")
	}
	if gone == nil {
		return gone, lost, nil
	}
	n, err := s.PeopleSheets(gone)
	if n > 0 {
		lost = append(lost, fmt.Sprintf("%s on answers that have changed or are gone: deleted, import them again",
			data.Plural(n, "human score sheet", "human score sheets")))
	}
	return gone, lost, err
}

// places returns the index of each verdict in the list.
func (in *importedResults) places() map[data.VerdictKey]int {
	index := make(map[data.VerdictKey]int, in.Verdicts.Len())
	for i := range in.Verdicts.Len() {
		index[in.Verdicts.Key(i)] = i
	}
	return index
}

// store adds an import to the record, completely or not at all, and deletes the answers in gone. Verdicts that are not valid are recorded
// with their status. It returns false if the record already has the import.
func (in *importedResults) store(ctx context.Context, s *store.Store, p *plan.Plan, gone []string) (fresh bool, err error) {
	recorded, err := s.Cells(in.Origin)
	if err != nil {
		return false, err
	}
	systems, judgeParties, cells := in.cells(p.Rubric)
	if samePlanCells(recorded, cells) {
		return false, nil
	}
	reader := plan.Reader{NoClaims: true} // the imported system may have had other arguments
	sizes := make([]store.Size, len(in.Answers))
	err = data.SideBySide(len(sizes), func(i int) error {
		sizes[i] = reader.SizeOf(p.Question(in.Answers[i]), in.Answers[i])
		return ctx.Err()
	})
	if err != nil {
		return false, err
	}
	write := func(b store.Batch) error {
		if err := b.SetPlan(in.Origin, systems, judgeParties, cells); err != nil {
			return err
		}
		for v := range in.Verdicts.All() {
			settled := scoring.Settle(p.Rubric, v)
			if in.Origin == store.OriginValidation && settled.Status == data.Valid {
				settled.Reason = v.Reason // keep what the judge said about its values
			}
			if err := b.Verdict(settled, nil); err != nil {
				return err
			}
		}
		for i, a := range in.Answers {
			if err := ctx.Err(); err != nil {
				return err
			}
			q := p.Question(a)
			if _, known := p.SetOf.Of(a); !known {
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
	}
	name := func(p store.Participant) string { return p.Name }
	return true, s.Write(func(b store.Batch) error {
		return b.Import(in.Origin, data.Each(systems, name), data.Each(judgeParties, name), gone, write)
	})
}

// cells returns the plan of an import: one cell for each system and scenario of answers, and one for each judge, system and scenario of
// verdicts. It also returns the systems and judges. All are in order of appearance.
func (in *importedResults) cells(r rubric.Rubric) (systems, judgeParties []store.Participant, cells []store.PlanCell) {
	places := map[string]store.Place{}
	planned := map[store.CellKey]int{} // index in cells
	fingerprint := in.Fingerprint + "/" + config.HashOf(r)
	add := func(key store.CellKey) {
		index, known := planned[key]
		if !known {
			index = len(cells)
			planned[key] = len(cells)
			cells = append(cells, store.PlanCell{Kind: key.Kind, Judge: key.Judge, System: key.System, Scenario: key.Scenario,
				Fingerprint: fingerprint, Origin: in.Origin})
		}
		cells[index].Planned++
	}
	for _, a := range in.Answers {
		places[a.ID] = store.Place{System: a.System, Scenario: a.Scenario}
		add(store.CellKey{Kind: store.KindAnswer, System: a.System, Scenario: a.Scenario})
	}
	for i := range in.Verdicts.Len() {
		key := in.Verdicts.Key(i)
		place, named := places[key.Answer]
		if !named {
			place = in.On[key.Answer]
		}
		add(store.CellKey{Kind: store.KindVerdict, Judge: key.Judge, System: place.System, Scenario: place.Scenario})
	}
	for _, answers := range table.Grouped(in.Answers, func(a data.Answer) string { return a.System }) {
		systems = append(systems, store.Participant{Name: answers[0].System, Kind: config.KindImported, Family: release.Family(answers[0].System),
			About: "answers of the " + in.Origin})
	}
	for _, judge := range in.Verdicts.Judges() {
		judgeParties = append(judgeParties, store.Participant{Name: judge, Kind: parties.VerdictKind(judge),
			Family: release.Family(judge), About: "verdicts of the " + in.Origin})
	}
	return systems, judgeParties, cells
}

func samePlanCells(recorded, planned []store.PlanCell) bool {
	fingerprints := func(cells []store.PlanCell) map[store.CellKey]string {
		contents := map[store.CellKey]string{}
		for _, c := range cells {
			contents[c.Key()] = c.Fingerprint
		}
		return contents
	}
	return maps.Equal(fingerprints(recorded), fingerprints(planned))
}

// Summary returns in words the numbers of answers, of judges' verdicts and of human score sheets, and how many verdicts and sheets are not
// valid.
func (in *importedResults) Summary(r rubric.Rubric) string {
	var parts []string
	add := func(n int, what string, total int, by string, invalid int) {
		if n == 0 {
			return
		}
		text := data.Plural(n, what, what+"s")
		if total > 0 {
			text += " of " + data.Plural(total, by, by+"s")
		}
		if invalid > 0 {
			text += fmt.Sprintf(" (%d not valid)", invalid)
		}
		parts = append(parts, text)
	}
	var n, invalid [2]int // index 0: judges, 1: people
	for v := range in.Verdicts.All() {
		by := 0
		if data.IsHuman(v.Judge) {
			by = 1
		}
		n[by]++
		if scoring.Settle(r, v).Status != data.Valid {
			invalid[by]++
		}
	}
	judges := len(data.Where(in.Verdicts.Judges(), func(judge string) bool { return !data.IsHuman(judge) }))
	systems := len(data.Among(data.Each(in.Answers, func(a data.Answer) string { return a.System })))
	add(len(in.Answers), "answer", systems, "system", 0)
	add(n[0], "verdict", judges, "judge", invalid[0])
	add(n[1], "human score sheet", 0, "", invalid[1])
	return strings.Join(parts, ", ")
}
