package train

import (
	"cmp"

	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/train"
)

// rewards are pairs with a better answer, for the scalar reward models that Con-J is compared with
// (Ye et al. 2024, 2.2): question and answer, or with --pairwise the question with both answers,
// the better one first and second.
func (x *export) rewards() ([]train.Example, error) {
	listed, err := x.labelledPairs()
	if err == nil {
		listed, err = x.biased(listed)
	}
	if err != nil {
		return nil, err
	}
	x.card.Selection.Pairwise = x.Pairwise
	var examples []train.Example
	for _, p := range listed {
		e := train.Example{ID: p.ID, Question: x.unit(questionKey(p.Pair)), Chosen: p.A, Rejected: p.B, Source: p.Source}
		e.System, e.Scenario = cmp.Or(p.SystemA, "-"), data.OrderAB
		if p.Label == data.ChoiceB {
			e.Chosen, e.Rejected, e.System = p.B, p.A, cmp.Or(p.SystemB, "-")
		}
		if x.Pairwise {
			better, worse := data.OrderAB, data.OrderBA
			if p.Label == data.ChoiceB {
				better, worse = worse, better
			}
			e.Chosen, e.Rejected = pairwise.ScalarPair(pairwise.Show(p.Pair, better)), pairwise.ScalarPair(pairwise.Show(p.Pair, worse))
		} else {
			e.Prompt = []data.ChatMessage{{Role: "user", Content: p.Question}}
		}
		examples = append(examples, e)
	}
	x.step("pairs for a reward model", examples)
	return examples, nil
}
