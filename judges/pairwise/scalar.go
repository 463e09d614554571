package pairwise

import (
	"context"
	"math"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/llm"
)

// scalar asks a reward model for a score of each answer (Ye et al. 2024, 2.2, pointwise). The answer with the higher score is better; equal
// scores are a tie. The request is a conversation of question and answer, and the reply a number.
func (j *judge) scalar(ctx context.Context, s OrderedPair, ask Ask) Opinion {
	var scores [2]float64
	for i, answer := range []string{s.First, s.Second} {
		messages := []llm.Message{{Role: "user", Content: s.Question}, {Role: "assistant", Content: answer}}
		score, o := j.score(ctx, messages, ask)
		if o != nil {
			return *o
		}
		scores[i] = score
	}
	return preferring(scores[0] - scores[1])
}

// scalarPair asks a reward model once, with both answers. A positive score prefers the first (equation 2).
func (j *judge) scalarPair(ctx context.Context, s OrderedPair, ask Ask) Opinion {
	score, o := j.score(ctx, []llm.Message{{Role: "user", Content: ScalarPair(s)}}, ask)
	if o != nil {
		return *o
	}
	return preferring(score)
}

// ScalarPair returns the prompt of a pairwise reward model, with the question and both answers.
func ScalarPair(s OrderedPair) string {
	return render("scalar/pair.tmpl", prompt{shownPair: s.pair(digits)})[0].Text()
}

// score asks once for a number. It returns an opinion without a choice if the call fails or the reply is not a finite number.
func (j *judge) score(ctx context.Context, messages []llm.Message, ask Ask) (float64, *Opinion) {
	reply, err := ask(ctx, RolePreference, 1, j.request(RolePreference, messages, deciding))
	if err != nil {
		o := unanswered(RolePreference, err)
		return 0, &o
	}
	score, err := strconv.ParseFloat(strings.TrimSpace(reply.Text), 64)
	if err != nil || math.IsNaN(score) || math.IsInf(score, 0) {
		o := noChoice(data.Unparsed, "a reward model replies with a number, but this one replied: %s", ending(reply.Text))
		return 0, &o
	}
	return score, nil
}

// preferring returns the opinion for a difference of scores: a above 0, b below 0, a tie at 0.
func preferring(difference float64) Opinion {
	o := choiceOpinion(data.Greater(difference, 0), "difference of scores: "+strconv.FormatFloat(difference, 'g', -1, 64))
	o.Detail.Difference = &difference
	return o
}
