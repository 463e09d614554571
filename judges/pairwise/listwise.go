package pairwise

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/llm/structured"
)

// A ranking is the JSON form of a reply that ranks all candidates of an item: their numbers, from 1, the best first.
type ranking struct {
	Rationale string `json:"rationale"`
	Ranking   []int  `json:"ranking"`
}

// listwise asks for a ranking of all candidates of the pair's item in one call, and prefers the answer that is ranked higher. All pairs of
// the item share the call. Order ba shows the candidates in reverse. A pair without an item has its own two candidates.
func (j *judge) listwise(ctx context.Context, s OrderedPair, ask Ask) Opinion {
	shown := slices.Clone(s.Candidates)
	if len(shown) == 0 {
		shown = []string{s.First, s.Second}
	} else if s.Order == data.OrderBA {
		slices.Reverse(shown)
	}
	first := slices.Index(shown, s.First)
	second := slices.Index(shown, s.Second)
	if first < 0 || second < 0 {
		return noChoice(data.Failed, "an answer of the pair is not among the %d candidates of its item", len(shown))
	}
	texts := append(data.Each(shown, strings.TrimSpace), strings.TrimSpace(s.Question))
	p := prompt{Candidates: texts[:len(shown)]} // nothing in it depends on the pair, so all pairs of the item have the same call
	p.Question, p.Mark, p.Wanted, p.task = texts[len(shown)], structured.Mark(texts...), s.task.wanted, s.task
	a := choicePrompt{"listwise/rank.tmpl", p, structured.MaterialOf(texts...)}
	req := j.request(RolePreference, a.messages(), evaluating)
	req.Schema = structured.Schema(ranking{Ranking: []int{}})
	req.SchemaName = "ranking"
	return j.askChoice(ctx, a, req, ask, "the JSON object that was asked for", func(reply string) Opinion {
		r, err := readRanking(reply, len(shown), a.material)
		if err != nil {
			return unreadableOpinion("ranking", err, reply)
		}
		if slices.Index(r.Ranking, first+1) < slices.Index(r.Ranking, second+1) {
			return choiceOpinion(data.ChoiceA, r.Rationale)
		}
		return choiceOpinion(data.ChoiceB, r.Rationale)
	})
}

// readRanking reads a ranking of n candidates from a reply. Each candidate must occur exactly once.
func readRanking(reply string, n int, judged structured.Material) (r ranking, err error) {
	v, err := structured.Object(reply, func(v structured.Value) bool {
		list, has := v.Get("ranking")
		return has && list.Items != nil
	}, judged)
	if err == nil {
		err = v.Decode(&r)
	}
	if err != nil {
		return r, err
	}
	r.Rationale = strings.TrimSpace(r.Rationale)
	for number := 1; number <= n; number++ {
		if !slices.Contains(r.Ranking, number) {
			return r, fmt.Errorf("%v does not have candidate %d", r.Ranking, number)
		}
	}
	if len(r.Ranking) > n {
		return r, fmt.Errorf("%v has more than the %d candidates", r.Ranking, n)
	}
	return r, nil
}

// CandidatesOf returns the texts of each item (data.Pair.Item) that pairs name. Each text occurs once, in a random order that the seed
// determines, so that better texts do not come first.
func CandidatesOf(pairs []data.Pair, seed int64) map[string][]string {
	texts := map[string][]string{}
	for _, p := range pairs {
		if p.Item != "" {
			texts[p.Item] = append(texts[p.Item], p.A, p.B)
		}
	}
	for item, list := range texts {
		list = data.Set(list)
		newRNG(seed, "candidates", item).Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
		texts[item] = list
	}
	return texts
}
