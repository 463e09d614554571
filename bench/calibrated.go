package bench

import (
	"context"
	"fmt"
	"slices"

	"compqa/bench/config"
	"compqa/bench/importing"
	"compqa/bench/plan"
	"compqa/data"
	"compqa/judges/scoring"
	"compqa/judges/surface"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/rubric"
)

// A calibrated judge is another one whose scores are corrected by what a
// calibration has learnt from people. It asks nobody: its verdicts are computed
// from the other's, which are on record, when all of those are there.
type calibrated struct {
	name   string
	fitted *surface.Calibration
}

const (

	// originCalibrated marks the verdicts of the configuration's calibrated judges.
	originCalibrated = "calibrated"
)

// calibratedJudges reads the configuration's calibrations.
func readCalibrations(c *config.Config, r rubric.Rubric) ([]calibrated, error) {
	var list []calibrated
	for _, ref := range c.Judges {
		if ref.Provider != config.ProviderCalibrated {
			continue
		}
		fitted, err := plan.ReadCalibration(c, ref, r)
		if err != nil {
			return nil, err
		}
		list = append(list, calibrated{ref.Name, fitted})
	}
	return list, nil
}

// applyCalibrations computes the verdicts of the configuration's calibrated
// judges from what the record in dir holds, unless they are there already.
func applyConfigured(ctx context.Context, p *plan.Plan, dir string, db *store.Store) (fresh bool, err error) {
	list, err := readCalibrations(p.Config, p.Rubric)
	if err != nil {
		return false, err
	}
	if list == nil {
		recorded, err := db.Cells(originCalibrated)
		if err != nil || len(recorded) == 0 {
			return false, err
		}
	}
	return applyCalibrations(ctx, dir, db, originCalibrated, list)
}

// applyCalibrations puts verdicts of calibrated judges on record, in the place of
// those of the same origin.
func applyCalibrations(ctx context.Context, dir string, db *store.Store, origin string, list []calibrated) (fresh bool, err error) {
	record, err := dataset.Load(dir)
	if err != nil {
		return false, err
	}
	var parties []store.Participant
	var cells []store.PlanCell
	var verdicts []data.Verdict
	for _, of := range list {
		party, more, scored, err := of.apply(record, db)
		if err != nil {
			return false, err
		}
		parties, cells, verdicts = append(parties, party), append(cells, more...), append(verdicts, scored...)
	}
	recorded, err := db.Cells(origin)
	if err != nil || importing.SameCells(recorded, cells) {
		return false, err
	}
	return true, db.Write(func(b store.Batch) error {
		if err := b.SetPlan(origin, nil, parties, cells); err != nil {
			return err
		}
		for _, v := range verdicts {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := b.Verdict(v, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// apply computes one judge's verdicts, a verdict for each of the other's, with
// the cells that they fill.
func (of calibrated) apply(record *dataset.Run, db *store.Store) (store.Participant, []store.PlanCell, []data.Verdict, error) {
	party := store.Participant{Name: of.name, Kind: config.KindEmbedded, Family: of.name, About: fmt.Sprintf("%s's scores and the answers' surface, fitted to %d sheets of people: no figure is of what was learnt", of.fitted.Judge, of.fitted.Made.Sheets)}
	judge := slices.IndexFunc(record.Judges, func(p store.Participant) bool { return p.Name == of.fitted.Judge })
	if judge < 0 {
		return party, nil, nil, nil
	}
	party.Family = record.Judges[judge].Family
	texts, err := answersOf(record, db)
	if err != nil {
		return party, nil, nil, err
	}
	byCell := map[store.Place][]data.Verdict{}
	var places []store.Place
	for _, s := range record.Sheets {
		if s.Judge != judge {
			continue
		}
		row := record.Answers[s.Answer]
		place := store.Place{System: row.System, Scenario: row.Scenario}
		if byCell[place] == nil {
			places = append(places, place)
		}
		byCell[place] = append(byCell[place], of.verdict(record.Rubric, texts[row.ID], s))
	}
	var cells []store.PlanCell
	var verdicts []data.Verdict
	for _, place := range places {
		own := byCell[place]
		cells = append(cells, store.PlanCell{Kind: store.KindVerdict, Judge: of.name, System: place.System, Scenario: place.Scenario,
			Planned: record.Planned(store.KindVerdict, of.fitted.Judge, place.System, place.Scenario), Fingerprint: config.HashOf(own)})
		verdicts = append(verdicts, own...)
	}
	return party, cells, verdicts, nil
}

// answersOf reads the answers of a record, by id.
func answersOf(record *dataset.Run, db *store.Store) (map[string]data.Answer, error) {
	texts := map[string]data.Answer{}
	for _, c := range record.Plan {
		if c.Kind != store.KindAnswer {
			continue
		}
		if err := db.EachAnswer(c.System, c.Scenario, func(a data.Answer) error { texts[a.ID] = a; return nil }); err != nil {
			return nil, fmt.Errorf("reading the record: %w", err)
		}
	}
	return texts, nil
}

// verdict is the calibrated one for a sheet; of one that is not valid there is
// nothing to calibrate, and its status is kept.
func (of calibrated) verdict(r rubric.Rubric, a data.Answer, s dataset.Sheet) data.Verdict {
	v := data.Verdict{Answer: a.ID, Judge: of.name, Repeat: s.Repeat, Status: s.Status}
	if s.Status != data.Valid {
		v.Reason = fmt.Sprintf("%s has no valid verdict: %s", of.fitted.Judge, s.Reason)
		return v
	}
	v.Status, v.Scores = "", calibratedScores(of.fitted, a, s.Scores)
	return scoring.Settle(r, v)
}

func calibratedScores(fitted *surface.Calibration, a data.Answer, scores []float64) data.Scores {
	return fitted.Scores(fitted.Expect(a.Pair(), surface.Inputs(data.QuestionOf(a), a.Text), scores))
}

// recordCalibrated puts a judge that was just calibrated into a run's record.
func recordCalibrated(ctx context.Context, dir string, fitted *surface.Calibration) (string, error) {
	db, err := store.Create(dir)
	if err != nil {
		return "", err
	}
	defer db.Close()
	name := calibratedName(fitted.Judge)
	_, err = applyCalibrations(ctx, dir, db, originCalibrated+" "+fitted.Judge, []calibrated{{name, fitted}})
	return name, err
}

// over is the judge that asks another one and calibrates what it says: for
// answers that are in no run.
func (of calibrated) over(j plan.Judge) plan.Judge {
	score := j.Score
	j.Name = of.name
	j.Score = func(ctx context.Context, q data.Question, a data.Answer, ask scoring.Ask) data.Verdict {
		v := scoring.Settle(rubric.CQA(), score(ctx, q, a, ask))
		if v.Status == data.Valid {
			v = data.Verdict{Scores: calibratedScores(of.fitted, a, rubric.CQA().Points(v.Scores)), Raw: v.Raw}
		}
		return v
	}
	j.Explain = nil
	return j
}

// newCalibratedJudging is newJudging for a calibrated judge: a plan with the
// other one in it, which has to be one that can be asked.
func newCalibratedJudging(c *config.Config, ref config.Judge) (*plan.Plan, error) {
	r, err := c.LoadRubric()
	if err != nil {
		return nil, err
	}
	fitted, err := plan.ReadCalibration(c, ref, r)
	if err != nil {
		return nil, err
	}
	p, err := newJudging(c, fitted.Judge)
	if err != nil {
		return nil, config.UsageError{Err: fmt.Errorf("judge %q calibrates %q, which cannot be asked: %w", ref.Name, fitted.Judge, err)}
	}
	p.Judges[0] = calibrated{ref.Name, fitted}.over(p.Judges[0])
	return p, nil
}
