package results

import (
	"slices"

	"compqa/data"
	"compqa/stats"
)

// A floor is a judge that cannot know what an answer is worth, set against the
// same sheets as the judges above it. What a judge has not more of than a floor
// it has not shown. There are three:
//
//   - constant gives every criterion its maximum. The verdicts of the judge of
//     kind floor are used where they are on record, else they are made here: no
//     run is without.
//   - criterion-mean gives each criterion its mean over people's sheets on all
//     other object pairs: it knows what a criterion usually gets, and nothing of
//     the answer, nor of its question. The mean is not rounded to half points:
//     as it is, it is the judge of least squared error.
//   - shuffled:NAME gives each answer the judge's own sheet on another one, drawn
//     by the run's seed: its habits, without its reading.
const (
	constantName      = "constant"
	criterionMeanName = "criterion-mean"
	shuffledPrefix    = "shuffled:"
)

// unrecorded stands for the index of a judge that has no verdicts on record.
const unrecorded = -1

// floorsUnder makes the floors of one reference that are not on record.
func (x *index) floorsUnder(reference int, judges []units) []units {
	var floors []units
	if !slices.ContainsFunc(judges, func(u units) bool { return u.kind == kindFloor }) {
		floors = append(floors, x.constant(reference))
	}
	floors = append(floors, x.criterionMean(reference))
	for _, u := range judges {
		if u.kind == kindOfJudge {
			floors = append(floors, u.shuffled())
		}
	}
	return floors
}

// floorName keeps a floor's name apart from those of judges.
func (x *index) floorName(name string) string {
	for slices.ContainsFunc(x.Judges, func(p Party) bool { return p.Name == name }) {
		name = kindFloor + ":" + name
	}
	return name
}

func (x *index) constant(reference int) units {
	u := units{index: x, pairing: pairing{x.floorName(constantName), unrecorded, reference, kindFloor}}
	full := &Sheet{Total: x.Rubric.Max()}
	for _, c := range x.Rubric.Criteria {
		full.Scores = append(full.Scores, c.Max())
	}
	for _, r := range x.valid(reference) {
		u.pairs = append(u.pairs, unit{full, r})
	}
	return u
}

// criterionMean has no unit of an object pair that is the only one with sheets.
func (x *index) criterionMean(reference int) units {
	u := units{index: x, pairing: pairing{x.floorName(criterionMeanName), unrecorded, reference, kindFloor}, learnt: true}
	sheets := x.valid(reference)
	sum := make([]float64, len(x.Rubric.Criteria))
	own := make([][]float64, x.pairs) // of each object pair
	count := make([]int, x.pairs)
	for _, s := range sheets {
		q := x.question[s.Answer]
		if own[q] == nil {
			own[q] = make([]float64, len(sum))
		}
		for c, points := range s.Scores {
			sum[c] += points
			own[q][c] += points
		}
		count[q]++
	}
	usual := make([]*Sheet, x.pairs)
	for _, s := range sheets {
		q := x.question[s.Answer]
		others := len(sheets) - count[q]
		if others == 0 {
			continue
		}
		if usual[q] == nil {
			usual[q] = &Sheet{}
			for c := range sum {
				mean := (sum[c] - own[q][c]) / float64(others)
				usual[q].Scores = append(usual[q].Scores, mean)
				usual[q].Total += mean
			}
		}
		u.pairs = append(u.pairs, unit{usual[q], s})
	}
	return u
}

// shuffled deals a judge's sheets out anew over the answers it scored. Several
// sheets of people on one answer stay together.
func (u units) shuffled() units {
	s := units{index: u.index, pairing: pairing{u.floorName(shuffledPrefix + u.name), unrecorded, u.reference, kindFloor}, owner: u.name}
	var sheets []*Sheet
	for _, p := range u.pairs {
		if len(sheets) == 0 || sheets[len(sheets)-1] != p.judge {
			sheets = append(sheets, p.judge)
		}
	}
	dealt := slices.Clone(sheets)
	stats.NewRNG(u.seed(), s.name).Shuffle(len(dealt), func(i, k int) { dealt[i], dealt[k] = dealt[k], dealt[i] })
	at := 0
	for _, p := range u.pairs {
		if sheets[at] != p.judge {
			at++
		}
		s.pairs = append(s.pairs, unit{dealt[at], p.reference})
	}
	return s
}

// valid are a judge's valid sheets, in order.
func (x *index) valid(judge int) []*Sheet {
	sheets := x.sheets(judge)
	var of []*Sheet
	for i := range sheets {
		if sheets[i].Status == data.Valid {
			of = append(of, &sheets[i])
		}
	}
	return of
}
