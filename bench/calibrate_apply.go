package bench

import (
	"context"
	"fmt"
	"slices"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/plan"
	"compqa/data"
	"compqa/judges/scoring"
	"compqa/judges/surface"
	"compqa/judges/text/lexical"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
)

// A calibratedJudge corrects the scores of another judge by a calibration. It asks no
// model: its verdicts are computed from the other judge's recorded verdicts.
type calibratedJudge struct {
	Name   string
	Fitted *surface.Calibration
}

// calibratedOrigin is the origin in the record of verdicts by the configuration's calibrated judges.
const calibratedOrigin = "calibrated"

// applyConfiguredCalibrations computes the verdicts of the configuration's calibrated judges from the record in dir. It does nothing if the
// record already has them; fresh is false then.
func applyConfiguredCalibrations(ctx context.Context, p *plan.Plan, dir string, db *store.Store) (fresh bool, err error) {
	var list []calibratedJudge
	for _, ref := range p.Config.Judges {
		if ref.Provider != config.ProviderCalibrated {
			continue
		}
		fitted, err := parties.ReadCalibration(p.Config, ref, p.Rubric)
		if err != nil {
			return false, err
		}
		list = append(list, calibratedJudge{ref.Name, fitted})
	}
	return applyCalibrations(ctx, dir, db, calibratedOrigin, list)
}

// applyCalibrations records the verdicts of calibrated judges in place of those with the same origin. It does nothing if the record already
// has them; fresh is false then.
func applyCalibrations(ctx context.Context, dir string, db *store.Store, origin string, list []calibratedJudge) (fresh bool, err error) {
	recorded, err := db.Cells(origin)
	if err != nil || list == nil && recorded == nil {
		return false, err
	}
	record, err := dataset.Load(dir)
	if err != nil {
		return false, err
	}
	var parties []store.Participant
	var cells []store.PlanCell
	var verdicts []data.Verdict
	for _, judge := range list {
		party, more, scored, err := judge.apply(record, db)
		if err != nil {
			return false, err
		}
		parties = append(parties, party)
		cells = append(cells, more...)
		verdicts = append(verdicts, scored...)
	}
	if samePlanCells(recorded, cells) {
		return false, nil
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

// apply computes the verdicts of a calibrated judge, one for each verdict of the judge that it corrects. It also returns the judge as a
// party of the record, and the cells of the plan that the verdicts belong to.
func (calibrated calibratedJudge) apply(record *dataset.Run, db *store.Store) (store.Participant, []store.PlanCell, []data.Verdict, error) {
	party := store.Participant{Name: calibrated.Name, Kind: config.KindEmbedded, Family: calibrated.Name,
		About: fmt.Sprintf("%s's scores and the form of the answers, fitted to %d human score sheets; all figures are held out",
			calibrated.Fitted.Judge, calibrated.Fitted.Made.Sheets)}
	judge := slices.IndexFunc(record.Judges, func(p store.Participant) bool { return p.Name == calibrated.Fitted.Judge })
	if judge < 0 {
		return party, nil, nil, nil
	}
	party.Family = record.Judges[judge].Family
	texts, err := recordedAnswers(record, db)
	if err != nil {
		return party, nil, nil, err
	}
	var cells []store.PlanCell
	var verdicts []data.Verdict
	placeOf := func(s data.Given) store.Place {
		return store.Place{System: record.Answers[s.Item].System, Scenario: record.Answers[s.Item].Scenario}
	}
	for _, sheets := range table.Grouped(data.Where(record.Sheets, func(s data.Given) bool { return int(s.Rater) == judge }), placeOf) {
		place := placeOf(sheets[0])
		made := data.Each(sheets, func(s data.Given) data.Verdict {
			return calibrated.verdict(record.Rubric, texts[record.Answers[s.Item].ID], s)
		})
		judged := store.CellKey{Kind: store.KindVerdict, Judge: calibrated.Fitted.Judge, System: place.System, Scenario: place.Scenario}
		planned := table.First(record.Plan, func(c store.PlanCell) bool { return c.Key() == judged }).Planned
		cells = append(cells, store.PlanCell{Kind: store.KindVerdict, Judge: calibrated.Name, System: place.System, Scenario: place.Scenario,
			Planned: planned, Fingerprint: config.HashOf(made)})
		verdicts = append(verdicts, made...)
	}
	return party, cells, verdicts, nil
}

// recordedAnswers maps the id of each answer of a record to the answer.
func recordedAnswers(record *dataset.Run, db *store.Store) (map[string]data.Answer, error) {
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

// verdict returns the calibrated verdict for a sheet. If the sheet is not valid, the verdict has its status.
func (judge calibratedJudge) verdict(r rubric.Rubric, a data.Answer, s data.Given) data.Verdict {
	v := data.Verdict{Answer: a.ID, Judge: judge.Name, Repeat: int(s.Repeat), Status: s.Status}
	if s.Status != data.Valid {
		v.Reason = fmt.Sprintf("%s has no valid verdict: %s", judge.Fitted.Judge, s.Reason)
		return v
	}
	calibrated := judge.calibrated(data.QuestionOf(a), a, s.Scores)
	v.Status = calibrated.Status
	v.Reason = calibrated.Reason
	v.Scores = calibrated.Scores
	return scoring.Settle(r, v)
}

// calibrated corrects a judge's scores of an answer. An answer that is not in English is skipped, because its text cannot be measured.
func (judge calibratedJudge) calibrated(q data.Question, a data.Answer, scores []float64) data.Verdict {
	if reason := lexical.NotEnglish(q, a.Text); reason != "" {
		return data.Verdict{Status: data.Skipped, Reason: reason}
	}
	return data.Verdict{Scores: calibratedScores(judge.Fitted, a, scores)}
}

func calibratedScores(fitted *surface.Calibration, a data.Answer, scores []float64) data.Scores {
	return fitted.Scores(fitted.Expect(a.Pair(), surface.Inputs(data.QuestionOf(a), a.Text), scores))
}

// recordCalibratedJudge adds the verdicts of a new calibrated judge to a run's record, and returns its name.
func recordCalibratedJudge(ctx context.Context, dir string, fitted *surface.Calibration) (string, error) {
	db, err := store.Create(dir)
	if err != nil {
		return "", err
	}
	defer db.Close()
	name := calibratedName(fitted.Judge)
	_, err = applyCalibrations(ctx, dir, db, calibratedOrigin+" "+fitted.Judge, []calibratedJudge{{name, fitted}})
	return name, err
}

// Over returns a judge that asks j and calibrates its scores. It is for answers that belong to no run.
func (judge calibratedJudge) Over(j parties.Judge) parties.Judge {
	score := j.Score
	j.Name = judge.Name
	j.Score = func(ctx context.Context, q data.Question, a data.Answer, ask scoring.Ask) data.Verdict {
		v := scoring.Settle(rubric.CQA(), score(ctx, q, a, ask))
		if v.Status == data.Valid {
			raw := v.Raw
			v = judge.calibrated(q, a, rubric.CQA().Points(v.Scores))
			v.Raw = raw
		}
		return v
	}
	j.Explain = nil
	return j
}
