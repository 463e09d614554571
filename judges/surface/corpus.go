package surface

import (
	"maps"
	"slices"

	"compqa/data"
	"compqa/judges/scoring"
	"compqa/rubric"
)

// A Corpus is answers with the sheets of judges and people: a calibration is fitted to it and compared on it.
type Corpus struct {
	Hash    string // of its source
	Answers []data.Answer
	Inputs  [][]float64                  // by answer
	Judges  []string                     // names, except people's, in order of appearance
	Sheets  map[string]map[int][]float64 // judge to answer to its first valid sheet
	People  map[string][]PersonSheet     // by annotator; data.Human is their mean
}

// A PersonSheet is a valid sheet of a person.
type PersonSheet struct {
	Answer, Repeat int
	Scores         []float64
}

// NewCorpus joins sheets to answers and measures the answers. It leaves out answers and sheets that are not valid.
func NewCorpus(hash string, answers []data.Answer, verdicts []data.Verdict) *Corpus {
	c := &Corpus{Hash: hash, Sheets: map[string]map[int][]float64{}, People: map[string][]PersonSheet{}}
	at := map[string]int{}
	for _, a := range answers {
		if a.Status == data.Valid {
			at[a.ID] = len(c.Answers)
			c.Answers = append(c.Answers, a)
			c.Inputs = append(c.Inputs, Inputs(data.QuestionOf(a), a.Text))
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
			c.People[v.Judge] = append(c.People[v.Judge], PersonSheet{i, v.Repeat, scores})
			continue
		}
		if c.Sheets[v.Judge] == nil {
			c.Sheets[v.Judge] = map[int][]float64{}
			c.Judges = append(c.Judges, v.Judge)
		}
		if _, ok := c.Sheets[v.Judge][i]; !ok {
			c.Sheets[v.Judge][i] = scores
		}
	}
	return c
}

// Reference are the sheets to fit to: people's mean where it exists, else every annotator's sheets.
func (c *Corpus) Reference() []PersonSheet {
	if mean := c.People[data.Human]; mean != nil {
		return mean
	}
	var all []PersonSheet
	for _, name := range slices.Sorted(maps.Keys(c.People)) {
		all = append(all, c.People[name]...)
	}
	return all
}

// Examples returns the data for fitting a calibration of a judge ("" for none): the answers to all questions with a human
// score, except answers without a valid sheet of the judge. Lessons are the mean of the teachers' sheets, if all of them
// have one.
func (c *Corpus) Examples(judge string, teachers []string) []Example {
	annotated, known := map[int]bool{}, map[string]bool{}
	var examples []Example
	add := func(answer int, people []float64) {
		e := Example{Pair: c.Answers[answer].Pair(), System: c.Answers[answer].System, Inputs: c.Inputs[answer], People: people,
			Judge: c.Sheets[judge][answer], Lesson: c.lesson(answer, teachers)}
		if judge == "" || e.Judge != nil {
			examples = append(examples, e)
		}
	}
	for _, s := range c.Reference() {
		annotated[s.Answer], known[c.Answers[s.Answer].Pair()] = true, true
		add(s.Answer, s.Scores)
	}
	for i, a := range c.Answers {
		if known[a.Pair()] && !annotated[i] {
			add(i, nil)
		}
	}
	return examples
}

// lesson is the mean of the teachers' sheets on an answer, nil where one is missing.
func (c *Corpus) lesson(answer int, teachers []string) []float64 {
	var mean []float64
	for _, teacher := range teachers {
		scores := c.Sheets[teacher][answer]
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
