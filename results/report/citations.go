package report

import (
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// A CitationRow counts the citations in the answers of a system in a scenario. Whether a
// cited argument exists is unknown for imported answers, because their prompts are not
// recorded.
type CitationRow struct {
	System    string        `csv:"system"`
	Scenario  string        `csv:"scenario"`
	Answers   int           `csv:"answers"`         // valid ones
	Citing    int           `csv:"citing"`          // of these, with a citation or a tag
	Citations int           `csv:"citations"`       // numbers of arguments
	Existing  table.Figure  `csv:"existing"`        // of arguments that the question has
	Missing   table.Figure  `csv:"missing"`         // of arguments that it has not
	Generated int           `csv:"generated"`       // tags of made-up arguments
	Share     table.Bounded `csv:"generated_share"` // of the tags among citations and tags, clustered by question
}

// citations has rows in the order of systems and scenarios, for cells with citations or
// with a scenario that asks for them.
func (a *arguments) citations() ([]CitationRow, error) {
	of := a.byCell()
	shows := a.ShowsArguments()
	var c dataset.Calculator
	var rows []CitationRow
	for i, cell := range a.Cells {
		system := a.Systems[cell.System]
		r := CitationRow{System: system.Name, Scenario: cell.Scenario, Answers: len(of[i])}
		unknown := 0
		for _, answer := range of[i] {
			r.Citations += answer.reading.Citations
			r.Generated += answer.reading.Generated
			unknown += answer.reading.Unknown
			if answer.reading.Citations+answer.reading.Generated > 0 {
				r.Citing++
			}
		}
		if r.Citing == 0 && !(shows[cell.Scenario] && r.Answers > 0) {
			continue
		}
		if shows[cell.Scenario] && system.Kind != dataset.KindImported {
			r.Existing, r.Missing = table.Count(r.Citations-unknown), table.Count(unknown)
		}
		r.Share = generatedShare(&c, a, of[i])
		rows = append(rows, r)
	}
	return rows, c.Err
}

// generatedShare is the ratio R = Σg/Σt over the tags g among the citations and tags t of
// each answer, with the standard error of the mean of
//
//	v = R + (g - R·t)·n/Σt
func generatedShare(c *dataset.Calculator, a *arguments, answers []argued) (e table.Bounded) {
	tags, all := 0, 0
	for _, r := range answers {
		tags, all = tags+r.reading.Generated, all+r.reading.Generated+r.reading.Citations
	}
	if all == 0 {
		return e
	}
	ratio := float64(tags) / float64(all)
	var v dataset.Sample
	for _, r := range answers {
		own := float64(r.reading.Generated + r.reading.Citations)
		v.Add(ratio+float64((float64(r.reading.Generated)-float64(ratio*own))*float64(len(answers))/float64(all)), a.Question[r.answer])
	}
	m, err := stats.MeanInterval(v.Values, v.Questions, dataset.Confidence)
	e.Value = table.Number(ratio)
	if low := c.Value(m.Low, err); low != nil {
		e.Low, e.High = table.Number(max(0, m.Low)), table.Number(min(1, m.High))
	}
	return e
}
