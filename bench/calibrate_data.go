package bench

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/data"
	"compqa/data/sources"
	"compqa/judges/scoring"
	"compqa/judges/surface"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/rubric"
)

// A corpus is answers with the sheets that judges and people have given them:
// what a calibration is fitted to and compared on.
type corpus struct {
	hash    string // of where it comes from
	answers []data.Answer
	inputs  [][]float64                  // judges.SurfaceInputs, by answer
	judges  []string                     // names, people's left out, in order of appearance
	sheets  map[string]map[int][]float64 // judge to answer to its first valid sheet
	people  map[string][]personSheet     // by annotator; data.Human is their mean
}

// A personSheet is one of people's valid sheets.
type personSheet struct {
	answer, repeat int
	scores         []float64
}

// releaseCorpus is the authors' release.
func releaseCorpus(dir string) (*corpus, error) {
	release, err := sources.ReadRelease(dir)
	if err != nil {
		return nil, config.UsageError{Err: err}
	}
	return newCorpus(release.Hash, release.Answers, release.Verdicts), nil
}

// runCorpus is the record of a run.
func runCorpus(dir string) (*corpus, error) {
	record, err := dataset.Load(dir)
	if err != nil {
		return nil, config.UsageError{Err: err}
	}
	if !slices.Equal(record.Rubric.IDs(), rubric.CQA().IDs()) {
		return nil, config.UsageError{Err: fmt.Errorf("%s was scored by the rubric %q; calibrations are for the built-in rubric %q", dir, record.Rubric.Name, rubric.CQA().Name)}
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
	computed := map[string]bool{} // from others, and from people's scores
	for _, c := range record.Plan {
		if strings.HasPrefix(c.Origin, originCalibrated) {
			computed[c.Judge] = true
		}
	}
	var verdicts []data.Verdict
	for _, s := range record.Sheets {
		if computed[record.Judges[s.Judge].Name] {
			continue
		}
		v := data.Verdict{Answer: record.Answers[s.Answer].ID, Judge: record.Judges[s.Judge].Name, Repeat: s.Repeat, Status: s.Status, Scores: data.Scores{}}
		for i, points := range s.Scores {
			v.Scores[record.Rubric.Criteria[i].ID] = points
		}
		verdicts = append(verdicts, v)
	}
	return newCorpus(config.HashOf(verdicts), answers, verdicts), nil
}

// newCorpus joins sheets to answers and measures the answers that somebody has
// scored, or that could be annotated. What is not valid is left out.
func newCorpus(hash string, answers []data.Answer, verdicts []data.Verdict) *corpus {
	c := &corpus{hash: hash, sheets: map[string]map[int][]float64{}, people: map[string][]personSheet{}}
	at := map[string]int{}
	for _, a := range answers {
		if a.Status == data.Valid {
			at[a.ID] = len(c.answers)
			c.answers = append(c.answers, a)
			c.inputs = append(c.inputs, surface.Inputs(data.QuestionOf(a), a.Text))
		}
	}
	r := rubric.CQA()
	for _, v := range verdicts {
		i, ok := at[v.Answer]
		if v = scoring.Settle(r, v); !ok || v.Status != data.Valid {
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
		if _, ok := c.sheets[v.Judge][i]; !ok {
			c.sheets[v.Judge][i] = scores
		}
	}
	return c
}

// reference are the sheets that are learnt from: people's mean where it is there,
// else every annotator's.
func (c *corpus) reference() []personSheet {
	if mean := c.people[data.Human]; mean != nil {
		return mean
	}
	var all []personSheet
	for _, name := range slices.Sorted(maps.Keys(c.people)) {
		all = append(all, c.people[name]...)
	}
	return all
}

// examples are what a calibration of a judge ("": of nobody) is fitted to: the
// answers to the questions that people have scored an answer to, those that the
// judge has no valid sheet on left out. Lessons are the mean of the teachers'
// sheets, where all of them have one.
func (c *corpus) examples(judge string, teachers []string) []surface.Example {
	annotated, known := map[int]bool{}, map[string]bool{}
	var examples []surface.Example
	add := func(answer int, people []float64) {
		e := surface.Example{Pair: c.answers[answer].Pair(), Inputs: c.inputs[answer], People: people,
			Judge: c.sheets[judge][answer], Lesson: c.lesson(answer, teachers)}
		if judge == "" || e.Judge != nil {
			examples = append(examples, e)
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
	return examples
}

// lesson is the mean of the teachers' sheets on an answer; nil where one has none.
func (c *corpus) lesson(answer int, teachers []string) []float64 {
	var mean []float64
	for _, teacher := range teachers {
		scores := c.sheets[teacher][answer]
		if scores == nil {
			return nil
		}
		if mean == nil {
			mean = make([]float64, len(scores))
		}
		for k, points := range scores {
			mean[k] += points / float64(len(teachers))
		}
	}
	return mean
}
