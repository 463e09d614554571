package dataset

import (
	"slices"

	"compqa/data"
	"compqa/stats"
)

// A floor is a content-blind baseline: a judge that does not read the answers. A judge
// that does not beat it adds no information. There are three floors:
//
//   - constant gives every criterion its maximum. Recorded verdicts of the judge of
//     kind floor are used; without them they are created here.
//   - criterion-mean gives each criterion its mean over the human scores of all other
//     object pairs. The mean is not rounded to half points, so that it has the least
//     squared error.
//   - shuffled:NAME gives each answer the judge's own sheet of another answer, drawn
//     with the run's seed. It keeps the judge's distribution of scores.
const (
	constantName      = "constant"
	criterionMeanName = "criterion-mean"
	ShuffledPrefix    = "shuffled:"
)

// Unrecorded is the index of a judge without recorded verdicts.
const Unrecorded = -1

// floorsUnder creates the floors of one reference that are not recorded.
func (x *Dataset) floorsUnder(reference int, judges []RaterPair) []RaterPair {
	var floors []RaterPair
	if !slices.ContainsFunc(judges, func(u RaterPair) bool { return u.Kind == KindFloor }) {
		floors = append(floors, x.constant(reference))
	}
	floors = append(floors, x.criterionMean(reference))
	for _, u := range judges {
		if u.Kind == KindOfJudge {
			floors = append(floors, u.shuffled())
		}
	}
	return floors
}

// floor is a floor without units. Its name differs from the names of judges.
func (x *Dataset) floor(name string, reference int) RaterPair {
	for x.JudgeNamed(name) >= 0 {
		name = KindFloor + ":" + name
	}
	return RaterPair{Dataset: x, Pairing: Pairing{name, Unrecorded, reference, KindFloor}}
}

func (x *Dataset) constant(reference int) RaterPair {
	u := x.floor(constantName, reference)
	full := &Sheet{Ending: &Ending{Total: x.Rubric.Max()}}
	for _, c := range x.Rubric.Criteria {
		full.Scores = append(full.Scores, c.Max())
	}
	for _, r := range x.Valid(reference) {
		u.Pairs = append(u.Pairs, PairedScore{full, r})
	}
	return u
}

// criterionMean has no units if only one object pair has sheets.
func (x *Dataset) criterionMean(reference int) RaterPair {
	u := x.floor(criterionMeanName, reference)
	u.learnt = true
	sheets := x.Valid(reference)
	sum := make([]float64, len(x.Rubric.Criteria))
	own := make([][]float64, x.Pairs) // of each object pair
	count := make([]int, x.Pairs)
	for _, s := range sheets {
		q := x.Question[s.Answer]
		if own[q] == nil {
			own[q] = make([]float64, len(sum))
		}
		for c, points := range s.Scores {
			sum[c] += points
			own[q][c] += points
		}
		count[q]++
	}
	usual := make([]*Sheet, x.Pairs)
	for _, s := range sheets {
		q := x.Question[s.Answer]
		others := len(sheets) - count[q]
		if others == 0 {
			continue
		}
		if usual[q] == nil {
			usual[q] = &Sheet{Ending: &Ending{}}
			for c := range sum {
				mean := (sum[c] - own[q][c]) / float64(others)
				usual[q].Scores = append(usual[q].Scores, mean)
				usual[q].Total += mean
			}
		}
		u.Pairs = append(u.Pairs, PairedScore{usual[q], s})
	}
	return u
}

// shuffled permutes a judge's sheets over the answers that it scored. Several human sheets of one answer get the same sheet.
func (u RaterPair) shuffled() RaterPair {
	s := u.floor(ShuffledPrefix+u.Name, u.Reference)
	s.Owner = u.Name
	var sheets []*Sheet
	for _, p := range u.Pairs {
		if len(sheets) == 0 || sheets[len(sheets)-1] != p.Judge {
			sheets = append(sheets, p.Judge)
		}
	}
	dealt := slices.Clone(sheets)
	stats.NewRNG(u.seed(), s.Name).Shuffle(len(dealt), func(i, k int) { dealt[i], dealt[k] = dealt[k], dealt[i] })
	at := 0
	for _, p := range u.Pairs {
		if sheets[at] != p.Judge {
			at++
		}
		s.Pairs = append(s.Pairs, PairedScore{dealt[at], p.Reference})
	}
	return s
}

// Valid are a judge's valid sheets, in order.
func (x *Dataset) Valid(judge int) []*Sheet {
	var of []*Sheet
	sheets := x.SheetsOf(judge)
	for i := range sheets {
		if sheets[i].Status == data.Valid {
			of = append(of, &sheets[i])
		}
	}
	return of
}
