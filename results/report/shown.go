package report

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
)

// A ShownRow sets a system's points and citations against the arguments that its prompts had:
// their number, or their mean relevance.
type ShownRow struct {
	Judge     string        `csv:"judge"`
	System    string        `csv:"system"`
	Scenario  string        `csv:"scenario"`
	By        string        `csv:"by"`    // number, relevance
	Group     string        `csv:"group"` // an interval of it
	Answers   int           `csv:"answers"`
	Questions int           `csv:"n_questions"`
	Number    table.Figure  `csv:"arguments"` // mean over the answers
	Relevance table.Figure  `csv:"relevance"` // mean over the answers with known relevance
	Points    table.Bounded `csv:"points"`
	Citations table.Bounded `csv:"citations"`
	// Shares of an answer's claims, as the offline judge of claims labelled them: the mean over
	// the answers with claims.
	Supported    table.Bounded `csv:"supported"`
	Contradicted table.Bounded `csv:"contradicted"`
}

// claimsJudge labels claims without a model.
const claimsJudge = "faithful"

// A shownGroup is the answers whose figure is at least from and below to.
type shownGroup struct {
	by, name string
	from, to float64
}

const byNumber, byRelevance = "number", "relevance"

var shownGroups = []shownGroup{
	{byNumber, "1 to 4", 1, 5}, {byNumber, "5 to 9", 5, 10}, {byNumber, "10 to 14", 10, 15}, {byNumber, "15 to 19", 15, 20},
	{byNumber, "20 or more", 20, 1e9},
	{byRelevance, "below 1", 0, 1}, {byRelevance, "1 to below 2", 1, 2}, {byRelevance, "2 to below 2.5", 2, 2.5},
	{byRelevance, "2.5 or more", 2.5, 1e9},
}

// meanRelevance is the mean relevance of arguments with a known one.
func meanRelevance(q *data.Question) (mean float64, known bool) {
	n := 0
	for _, a := range q.Arguments {
		if a.Relevance != nil {
			mean, n = mean+*a.Relevance, n+1
		}
	}
	if n == 0 {
		return 0, false
	}
	return mean / float64(n), true
}

// A shownSample is the answers of a cell in a group, as one judge scored them.
type shownSample struct {
	number, relevance, points, citations, supported, contradicted dataset.Sample
}

// shown has rows by judge, system, scenario and group, for scenarios that show arguments and
// groups with answers. An answer with several verdicts of a judge has their mean.
func (a *arguments) shown() ([]ShownRow, error) {
	var c dataset.Calculator
	var rows []ShownRow
	cells := a.byCell()
	for j, judge := range a.Judges {
		if judge.Kind == dataset.KindFloor {
			continue
		}
		points := a.AnswerTotals(j)
		for i, cell := range a.Cells {
			for g, of := range a.groups(cells[i], points) {
				if len(of.points.Values) == 0 {
					continue
				}
				questions := slices.Clone(of.points.Questions)
				slices.Sort(questions)
				rows = append(rows, ShownRow{Judge: judge.Name, System: a.Systems[cell.System].Name, Scenario: cell.Scenario, By: shownGroups[g].by,
					Group:   shownGroups[g].name,
					Answers: len(of.points.Values), Questions: len(slices.Compact(questions)),
					Number: table.FigureOf(c.Moments(of.number.Values).Mean), Relevance: table.FigureOf(c.Moments(of.relevance.Values).Mean),
					Points: c.Mean(of.points).Bounded, Citations: c.Mean(of.citations).Bounded, Supported: c.Share(of.supported, nil).Bounded,
					Contradicted: c.Share(of.contradicted, nil).Bounded})
			}
		}
	}
	return rows, c.Err
}

// groups are the samples of shownGroups.
func (a *arguments) groups(answers []argued, points dataset.AnswerTotals) []shownSample {
	samples := make([]shownSample, len(shownGroups))
	for _, of := range answers {
		total, valid := points.Of(of.answer)
		if !valid || !of.shown {
			continue
		}
		asked, q := a.Answers[of.answer].Asked, a.Question[of.answer]
		number := float64(len(asked.Arguments))
		relevance, known := meanRelevance(asked)
		for g, group := range shownGroups {
			x := number
			if group.by == byRelevance {
				x = relevance
			}
			if group.by == byRelevance && !known || x < group.from || x >= group.to {
				continue
			}
			s := &samples[g]
			s.number.Add(number, q)
			s.points.Add(total, q)
			s.citations.Add(float64(of.reading.Citations), q)
			if known {
				s.relevance.Add(relevance, q)
			}
			for _, claims := range a.Answers[of.answer].Claims {
				if n := float64(claims.Supported + claims.Contradicted + claims.Unsupported); claims.Judge == claimsJudge &&
					claims.Status == data.Valid && n > 0 {
					s.supported.Add(float64(claims.Supported)/n, q)
					s.contradicted.Add(float64(claims.Contradicted)/n, q)
				}
			}
		}
	}
	return samples
}
