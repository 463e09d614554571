package bench

import (
	"maps"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/data"
	"compqa/data/sources/release"
	"compqa/judges/scoring"
	"compqa/judges/surface"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/rubric"
)

// A calibrationCorpus holds answers with the sheets of judges and people. A calibration is fitted to it and compared with other judges on
// it.
type calibrationCorpus struct {
	hash    string // hash of the source
	answers []data.Answer
	inputs  [][]float64                  // surface inputs of each answer
	judges  []string                     // names in the order of appearance, without people
	sheets  map[string]map[int][]float64 // judge to index of answer to the judge's first valid sheet
	people  map[string][]personSheet     // by annotator; data.Human is the mean of people
}

// A personSheet is a valid sheet of a person. answer is the index of the answer in the corpus.
type personSheet struct {
	answer, repeat int
	scores         []float64
}

// newCalibrationCorpus joins verdicts to answers and measures the surface inputs of the answers. It leaves out answers and verdicts that
// are not valid.
func newCalibrationCorpus(hash string, answers []data.Answer, verdicts []data.Verdict) *calibrationCorpus {
	c := &calibrationCorpus{hash: hash, sheets: map[string]map[int][]float64{}, people: map[string][]personSheet{}}
	index := map[string]int{}
	for _, a := range answers {
		if a.Status == data.Valid {
			index[a.ID] = len(c.answers)
			c.answers = append(c.answers, a)
			c.inputs = append(c.inputs, surface.Inputs(data.QuestionOf(a), a.Text))
		}
	}
	r := rubric.CQA()
	for _, v := range verdicts {
		i, ok := index[v.Answer]
		v = scoring.Settle(r, v)
		if !ok || v.Status != data.Valid {
			continue
		}
		scores := r.Points(v.Scores)
		if data.IsHuman(v.Judge) {
			c.people[v.Judge] = append(c.people[v.Judge], personSheet{i, v.Repeat, scores})
			continue
		}
		if c.sheets[v.Judge] == nil {
			c.sheets[v.Judge] = map[int][]float64{}
			c.judges = append(c.judges, v.Judge)
		}
		if c.sheets[v.Judge][i] == nil {
			c.sheets[v.Judge][i] = scores
		}
	}
	return c
}

// reference returns the sheets to which a calibration is fitted: the means of people if there are any, otherwise the sheets of every
// annotator.
func (c *calibrationCorpus) reference() []personSheet {
	if mean := c.people[data.Human]; mean != nil {
		return mean
	}
	var all []personSheet
	for _, name := range slices.Sorted(maps.Keys(c.people)) {
		all = append(all, c.people[name]...)
	}
	return all
}

// examples returns the examples to which a calibration of a judge is fitted; judge is "" if it calibrates none. They are the answers to all
// questions for which people scored an answer. Answers without a valid sheet of the judge are left out.
func (c *calibrationCorpus) examples(judge string) (list []surface.Example) {
	annotated := map[int]bool{}
	known := map[string]bool{}
	add := func(answer int, people []float64) {
		a := c.answers[answer]
		if values := c.sheets[judge][answer]; judge == "" || values != nil {
			list = append(list, surface.Example{Pair: a.Pair(), System: a.System, Inputs: c.inputs[answer], Judge: values, People: people})
		}
	}
	for _, s := range c.reference() {
		annotated[s.answer], known[c.answers[s.answer].Pair()] = true, true
		add(s.answer, s.scores)
	}
	for i, a := range c.answers {
		if known[a.Pair()] && !annotated[i] {
			add(i, nil)
		}
	}
	return list
}

// releaseCorpus reads the corpus from the authors' release.
func releaseCorpus(dir string) (*calibrationCorpus, error) {
	release, err := release.Read(dir)
	if err != nil {
		return nil, config.UsageError{Err: err}
	}
	return newCalibrationCorpus(release.Hash, release.Answers, release.Verdicts), nil
}

// runCorpus reads the corpus from the record of a run. It leaves out the verdicts of calibrated judges.
func runCorpus(dir string) (*calibrationCorpus, error) {
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
	texts, err := recordedAnswers(record, db)
	if err != nil {
		return nil, err
	}
	answers := data.Each(record.Answers, func(row dataset.AnswerRow) data.Answer { return texts[row.ID] })
	computed := map[string]bool{}
	for _, c := range record.Plan {
		if strings.HasPrefix(c.Origin, calibratedOrigin) {
			computed[c.Judge] = true
		}
	}
	var verdicts []data.Verdict
	for _, s := range record.Sheets {
		if computed[record.Judges[s.Rater].Name] {
			continue
		}
		v := data.Verdict{Answer: record.Answers[s.Item].ID, Judge: record.Judges[s.Rater].Name, Repeat: int(s.Repeat), Status: s.Status,
			Scores: data.Scores{}}
		for i, points := range s.Scores {
			v.Scores[record.Rubric.Criteria[i].ID] = points
		}
		verdicts = append(verdicts, v)
	}
	return newCalibrationCorpus(config.HashOf(verdicts), answers, verdicts), nil
}
