// Package words explains the terms of the field that a page uses, for readers who meet them first.
package words

import (
	"strings"
	"unicode"
)

// terms are words of the field, with a sentence for readers who meet them first.
var terms = []struct{ word, meaning string }{
	{"alpha", "Krippendorff's alpha, agreement beyond chance: 1 is perfect, 0 is chance, below 0 is worse than chance."},
	{"rho", "Spearman's correlation of two orders: 1 is the same order, 0 no relation, −1 the opposite order."},
	{"tau-b", "Kendall's correlation of two orders, with a correction for ties: 1 is the same order, −1 the opposite order."},
	{"tau", "the standard deviation of a judge's bias between systems, in points: how far the judge can mislead about a system that nobody " +
		"checked."},
	{"bias", "points of a judge minus points of people, on the same answers."},
	{"leniency", "points of a judge minus points of people, on the same answers; above 0 the judge is more generous."},
	{"floor", "a baseline judge: it gives points without reading the answers. A judge that is not better adds no information."},
	{"ceiling", "the agreement of people with each other, which a judge cannot be expected to exceed by much."},
	{"scenario", "a way to ask the question, with a prompt of its own; “-” stands for answers from another source, which have none."},
	{"halo", "one impression of an answer that influences the points on all criteria."},
	{"baselines", "systems that are computed from the question and its arguments without a model, and judges that do not read answers. They " +
		"have no rank beside others."},
	{"epsilon", "the advantage that a person is given over a judge in the test, because people cost more."},
	{"lambda", "the weight of the judge's verdicts in an estimate of people's points; at 0 people's points alone are used."},
	{"Holm", "an adjustment of p-values for many tests: of all adjusted p-values below 0.05, one is wrong in 5 % of runs at most."},
	{"clustered", "an interval that takes answers to the same question as one observation, because they are not independent."},
	{"Bradley", "Bradley–Terry strengths: a system of strength p is preferred over one of strength q with odds p : q."},
}

// phrases are found in texts as they are.
var phrases = []struct{ word, meaning string }{
	{"too few questions", "there are fewer than five questions, so that an interval would reach far outside the scale."},
	{"within criteria", "the scores of a criterion beyond its usual score: agreement that does not come from knowing which criteria are easy."},
	{"may mislead by", "95 % of systems that nobody checked are within so many points of what people would give."},
	{"†", "trained or tuned on the scores it is compared with."},
	{"§", "degenerate: it says nothing about answers, because it gives the same to nearly all of them."},
}

// Explain has a line for each term that a text uses, "- TERM: MEANING".
func Explain(text string) (lines []string) {
	text = strings.ToLower(text)
	used := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
		used[word] = true
	}
	for _, t := range terms {
		if used[strings.ToLower(t.word)] {
			lines = append(lines, "- "+t.word+": "+t.meaning)
		}
	}
	for _, t := range phrases {
		if strings.Contains(text, t.word) {
			lines = append(lines, "- "+t.word+": "+t.meaning)
		}
	}
	return lines
}
