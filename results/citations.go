package results

import "compqa/stats"

// A CitationRow says what the answers of a system under a scenario cite.
// Whether a cited argument exists is known only of systems that answered in this
// program's sight: what an imported answer was shown is not on record.
type CitationRow struct {
	System    string `csv:"system"`
	Scenario  string `csv:"scenario"`
	Answers   int    `csv:"answers"`   // valid ones
	Citing    int    `csv:"citing"`    // of these, with a citation or a tag
	Citations int    `csv:"citations"` // numbers of arguments
	Existing  Figure `csv:"existing"`  // of arguments that the question has
	Missing   Figure `csv:"missing"`   // of arguments that it has not
	Generated int    `csv:"generated"` // tags of made-up arguments
	Share     Figure `csv:"generated_share"`
	Low       Figure `csv:"generated_share_low"` // of the tags among citations and tags, clustered by question
	High      Figure `csv:"generated_share_high"`
}

// citations are in the order of systems and scenarios, for cells whose answers
// cite, or were to.
func (a *arguments) citations() ([]CitationRow, error) {
	of := make([][]argued, len(a.cells))
	for _, r := range a.read {
		of[a.cellOf[r.answer]] = append(of[a.cellOf[r.answer]], r)
	}
	shows := a.showsArguments()
	var c computer
	var rows []CitationRow
	for i, cell := range a.cells {
		system := a.Systems[cell.system]
		r := CitationRow{System: system.Name, Scenario: cell.scenario, Answers: len(of[i])}
		unknown := 0
		for _, answer := range of[i] {
			r.Citations += answer.reading.Citations
			r.Generated += answer.reading.Generated
			unknown += answer.reading.Unknown
			if answer.reading.Citations+answer.reading.Generated > 0 {
				r.Citing++
			}
		}
		if r.Citing == 0 && !(shows[cell.scenario] && r.Answers > 0) {
			continue
		}
		if shows[cell.scenario] && system.Kind != kindImported {
			r.Existing, r.Missing = count(r.Citations-unknown), count(unknown)
		}
		e := c.generatedShare(a, of[i])
		r.Share, r.Low, r.High = e.figures()
		rows = append(rows, r)
	}
	return rows, c.err
}

// generatedShare is a ratio of sums, R = Σg/Σt over tags g among citations and
// tags t of each answer, with the standard error of the mean of
//
//	v = R + (g - R·t)·n/Σt
func (c *computer) generatedShare(a *arguments, answers []argued) estimate {
	tags, all := 0, 0
	for _, r := range answers {
		tags, all = tags+r.reading.Generated, all+r.reading.Generated+r.reading.Citations
	}
	if all == 0 {
		return estimate{}
	}
	ratio := float64(tags) / float64(all)
	var v sample
	for _, r := range answers {
		own := float64(r.reading.Generated + r.reading.Citations)
		v.add(ratio+float64((float64(r.reading.Generated)-float64(ratio*own))*float64(len(answers))/float64(all)), a.question[r.answer])
	}
	e := estimate{n: len(answers)}
	m, err := stats.MeanInterval(v.values, v.questions, confidence)
	e.value = figure(ratio)
	if low := c.value(m.Low, err); low != nil {
		e.low, e.high = figure(max(0, m.Low)), figure(min(1, m.High))
	}
	return e
}
