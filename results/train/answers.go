package train

import (
	"cmp"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// Answers are the valid answers of a record, with the points by a judge and by people.
type Answers struct {
	List     []store.SourcedAnswer // sorted by ID
	Points   map[string]float64    // by answer: the judge's mean points over its valid verdicts
	Statuses map[data.Status]int   // numbers of the judge's verdicts or preferences, by status
	Human    map[string]float64    // by answer: people's mean points
	Second   Opinion               // nil if no second judge is asked
}

// An Opinion returns the difference in points between two answers, a minus b.
type Opinion func(a, b string) (difference float64, known bool)

// ReadAnswers reads the valid planned answers, with the points by a judge and by people.
func ReadAnswers(s *store.Store, judge string) (*Answers, error) {
	list, err := s.ValidAnswers()
	if err != nil {
		return nil, err
	}
	human, err := s.PeopleTotals()
	if err != nil {
		return nil, err
	}
	points, err := Points(s, judge)
	if err != nil {
		return nil, err
	}
	statuses, err := s.VerdictStatuses(judge)
	if err != nil {
		return nil, err
	}
	return &Answers{List: list, Points: points, Statuses: statuses, Human: human}, nil
}

// Points returns the mean points of a judge's valid verdicts, by answer. For judge "human" it returns people's points: those recorded for
// human, or the mean of all annotators.
func Points(s *store.Store, judge string) (map[string]float64, error) {
	if judge == data.Human {
		return s.PeopleTotals()
	}
	return s.MeanTotals(`r.judge = ?`, judge)
}

// ByPoints returns the opinion that prefers the answer with more points. It is known if both answers have points.
func ByPoints(points map[string]float64) Opinion {
	return func(a, b string) (float64, bool) {
		first, known := points[a]
		second, too := points[b]
		return first - second, known && too
	}
}

// ByPreference returns the opinion of a pairwise judge on the run's own pairs. It counts choices that are the same in both orders. The
// difference is infinite, so it exceeds any margin.
func ByPreference(s *store.Store, judge string) (Opinion, error) {
	choices, err := s.SettledChoices(judge)
	if err != nil {
		return nil, err
	}
	pairs, err := s.OwnPairs()
	if err != nil {
		return nil, err
	}
	differences := map[[2]string]float64{}
	for _, p := range pairs {
		if c := choices[p.ID]; c.Decided() {
			d := math.Inf(int(1 - 2*dataset.Indicator(c == data.ChoiceB)))
			differences[[2]string{p.AnswerA, p.AnswerB}] = d
			differences[[2]string{p.AnswerB, p.AnswerA}] = -d
		}
	}
	return func(a, b string) (float64, bool) {
		d, known := differences[[2]string{a, b}]
		return d, known
	}, nil
}

// A Precision says how far people agree with a selection by a judge.
type Precision struct {
	N        int      `json:"n"`                   // selected answers, or pairs, that people scored, too
	Share    *float64 `json:"share"`               // share of N that people confirm: answers with enough points, or pairs in the same order
	Ties     int      `json:"ties"`                // pairs to which people gave equal points; N leaves them out
	FarBelow *float64 `json:"far_below,omitempty"` // share of answers to which people gave at least 3 points too few

	confirmed int
}

// Count adds a selected answer or pair that people scored. confirmed says whether people agree with the selection.
func (p *Precision) Count(confirmed bool) {
	p.N, p.confirmed = p.N+1, p.confirmed+int(dataset.Indicator(confirmed))
	p.Share = stats.Ratio(p.confirmed, p.N).Pointer()
}

// Good selects the answers with enough points, as examples without prompts. It also returns how precise the selection is.
func (x *Answers) Good(enough float64) (good []Example, p Precision) {
	below := 0
	for _, a := range x.List {
		points, known := x.Points[a.ID]
		if !known || points < enough {
			continue
		}
		good = append(good, example(a, points))
		if people, scored := x.Human[a.ID]; scored {
			p.Count(people >= enough)
			below += int(dataset.Indicator(people < enough-3))
		}
	}
	p.FarBelow = stats.Ratio(below, p.N).Pointer()
	return good, p
}

func example(a store.SourcedAnswer, points float64) Example {
	return Example{ID: a.ID, Question: a.Pair(), Chosen: a.Text, System: a.System, Scenario: a.Scenario, Points: points, Source: a.Origin}
}

// Pairs selects pairs of answers to the same question and aspect in the same scenario, as examples without prompts. By the opinion, they
// must differ by at least margin. If there is a second judge, it must prefer the same answer. Duplicates among the answers must have been
// removed.
func (x *Answers) Pairs(opinion Opinion, margin float64) (pairs []Example, p Precision) {
	about := func(a store.SourcedAnswer) [3]string {
		return [3]string{a.Scenario, a.Pair(), data.QuestionCluster(a.Aspect)}
	}
	groups := table.Grouped(x.List, about)
	slices.SortFunc(groups, func(a, b []store.SourcedAnswer) int {
		x := about(a[0])
		y := about(b[0])
		return slices.Compare(x[:], y[:])
	})
	for _, answers := range groups {
		for i, a := range answers {
			for _, b := range answers[i+1:] {
				chosen := a
				rejected := b
				d, known := opinion(a.ID, b.ID)
				if d < 0 {
					chosen = b
					rejected = a
					d = -d
				}
				if !known || d < margin || d == 0 {
					continue
				}
				if x.Second != nil {
					if second, known := x.Second(chosen.ID, rejected.ID); !known || second <= 0 {
						continue
					}
				}
				e := example(chosen, d)
				e.ID = chosen.ID + pairMark + rejected.ID
				e.Rejected = rejected.Text
				pairs = append(pairs, e)
				if human, known := ByPoints(x.Human)(chosen.ID, rejected.ID); known && human == 0 {
					p.Ties++
				} else if known {
					p.Count(human > 0)
				}
			}
		}
	}
	return pairs, p
}

// Most keeps at most n examples of each prompt: those with the most points. A seeded hash decides between equal points.
func Most(examples []Example, n int, seed int64) (kept []Example) {
	for _, group := range table.Grouped(examples, Example.PromptText) {
		slices.SortStableFunc(group, func(a, b Example) int {
			return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(Fraction(seed, "most", a.ID), Fraction(seed, "most", b.ID)))
		})
		kept = append(kept, group[:min(n, len(group))]...)
	}
	return kept
}
