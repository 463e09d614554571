package summaries

import (
	"errors"

	"compqa/data"
	"compqa/data/sources"
	"compqa/results/table"
	"compqa/stats"
)

// A CoCoTripRow has the figures of a system on a part of CoCoTrip, clustered by pair of hotels.
// Texts that are no tables have only the ROUGE figures.
type CoCoTripRow struct {
	System      string        `csv:"system"`
	Split       string        `csv:"split"` // train+dev, test, dev+test
	Pairs       int           `csv:"pairs"`
	F1          table.Bounded `csv:"attribute_f1"`
	Kinds       table.Bounded `csv:"kind_accuracy"` // share of the matched attributes
	Own         table.Figure  `csv:"rouge1_own"`
	Other       table.Figure  `csv:"rouge1_other"`
	Gap         table.Bounded `csv:"rouge1_gap"`
	Values      table.Figure  `csv:"values"` // in all tables
	QuotesFound table.Figure  `csv:"quotes_found"`
	WrongEntity table.Figure  `csv:"wrong_entity"`
}

// The rows beside the system's.
const (
	GoldRows       = "gold rows"
	People         = "people"
	FirstSentences = "first sentences"
)

// cocotripParts are the parts of CoCoTrip with a row each: systems are tuned on the first and
// reported on the second.
var cocotripParts = []struct {
	name   string
	splits map[string]bool
}{
	{"train+dev", map[string]bool{"train": true, "dev": true}},
	{"test", map[string]bool{"test": true}},
}

const confidence = 0.95

// CoCoTrip scores the tables of a system, one for each pair, and beside it the first sentences
// of the reviews, the gold rows, and people's summaries against one another.
func CoCoTrip(system string, pairs []sources.HotelPair, tables []data.ContrastTable) ([]CoCoTripRow, error) {
	var rows []CoCoTripRow
	for _, part := range cocotripParts {
		s, lead, gold, people := newCoCoTripRow(system, part.name), newCoCoTripRow(FirstSentences, part.name),
			newCoCoTripRow(GoldRows, part.name), newCoCoTripRow(People, part.name)
		var f1, kinds []float64
		var matched []int // pair of each match
		values, found, wrong := 0, 0, 0
		for i, p := range pairs {
			if !part.splits[p.Split] {
				continue
			}
			score := ScorePair(p, tables[i])
			f1 = append(f1, score.F1())
			for k := range score.Matched {
				kinds, matched = append(kinds, float64(indicator(k < score.SameKind))), append(matched, i)
			}
			values, found, wrong = values+score.Values, found+score.Found, wrong+score.Wrong
			s.add(score.Own, score.Other)
			lead.add(RougeGap(p, LeadTexts(p)))
			gold.add(RougeGap(p, GoldTexts(p)))
			people.add(PeopleGap(p))
		}
		var err error
		if s.F1, err = mean(f1, nil); err != nil {
			return nil, err
		}
		if s.Kinds, err = mean(kinds, matched); err != nil {
			return nil, err
		}
		s.Values = table.Count(values)
		if values > 0 {
			s.QuotesFound, s.WrongEntity = table.Number(float64(found)/float64(values)), table.Number(float64(wrong)/float64(values))
		}
		for _, r := range []*gapRow{s, lead, gold, people} {
			if r.Pairs == 0 {
				continue
			}
			if r.Gap, err = mean(r.gaps, nil); err != nil {
				return nil, err
			}
			r.Own, r.Other = table.Number(stats.Mean(r.own)), table.Number(stats.Mean(r.other))
			rows = append(rows, r.CoCoTripRow)
		}
	}
	return rows, nil
}

// A gapRow is a row with the ROUGE figures of its pairs.
type gapRow struct {
	CoCoTripRow
	own, other, gaps []float64
}

func newCoCoTripRow(system, split string) *gapRow {
	return &gapRow{CoCoTripRow: CoCoTripRow{System: system, Split: split}}
}

func (r *gapRow) add(own, other float64) {
	r.Pairs++
	r.own, r.other, r.gaps = append(r.own, own), append(r.other, other), append(r.gaps, own-other)
}

// mean is a mean with its interval; too few values have none.
func mean(values []float64, clusters []int) (b table.Bounded, err error) {
	if len(values) == 0 {
		return b, nil
	}
	m, err := stats.MeanInterval(values, clusters, confidence)
	b.Value = table.Number(m.Value)
	switch {
	case err == nil:
		b.Low, b.High = table.Number(m.Low), table.Number(m.High)
	case errors.Is(err, stats.ErrUndefined):
		err = nil
	}
	return b, err
}
