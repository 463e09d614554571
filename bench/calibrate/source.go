package calibrate

import (
	"strings"

	"compqa/bench/config"
	"compqa/data"
	"compqa/data/sources/release"
	"compqa/judges/surface"
	"compqa/results/dataset"
	"compqa/results/store"
)

// releaseCorpus reads the authors' release.
func releaseCorpus(dir string) (*surface.Corpus, error) {
	release, err := release.Read(dir)
	if err != nil {
		return nil, config.UsageError{Err: err}
	}
	return surface.NewCorpus(release.Hash, release.Answers, release.Verdicts), nil
}

// runCorpus reads the record of a run.
func runCorpus(dir string) (*surface.Corpus, error) {
	record, err := dataset.Load(dir)
	if err != nil {
		return nil, config.UsageError{Err: err}
	}
	if err := record.Rubric.RequireCQA(); err != nil {
		return nil, config.Usagef("cannot calibrate with %s: %w", dir, err)
	}
	db, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	texts, err := answersOf(record, db)
	if err != nil {
		return nil, err
	}
	var answers []data.Answer
	for _, row := range record.Answers {
		answers = append(answers, texts[row.ID])
	}
	computed := map[string]bool{} // by calibrations, so not to be fitted to
	for _, c := range record.Plan {
		if strings.HasPrefix(c.Origin, Origin) {
			computed[c.Judge] = true
		}
	}
	var verdicts []data.Verdict
	for _, s := range record.Sheets {
		if computed[record.Judges[s.Judge].Name] {
			continue
		}
		v := data.Verdict{Answer: record.Answers[s.Answer].ID, Judge: record.Judges[s.Judge].Name, Repeat: s.Repeat, Status: s.Status,
			Scores: data.Scores{}}
		for i, points := range s.Scores {
			v.Scores[record.Rubric.Criteria[i].ID] = points
		}
		verdicts = append(verdicts, v)
	}
	return surface.NewCorpus(config.HashOf(verdicts), answers, verdicts), nil
}
