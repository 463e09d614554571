package board

import (
	"slices"
	"strings"
	"unicode"

	"compqa/data"
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
	{"halo", "one impression of an answer that influences the points on all criteria."},
	{"baselines", "systems that are computed from the question and its arguments without a model, and judges that do not read answers. They " +
		"have no rank beside others."},
	{"epsilon", "the advantage that a person is given over a judge in the test, because people cost more."},
	{"lambda", "the weight of the judge's verdicts in an estimate of people's points; at 0 people's points alone are used."},
	{"Holm", "an adjustment of p-values for many tests: of all adjusted p-values below 0.05, one is wrong in 5 % of runs at most."},
	{"clustered", "an interval that takes answers to the same question as one observation, because they are not independent."},
	{"Bradley", "Bradley–Terry strengths: a system of strength p is preferred over one of strength q with odds p : q."},
}

// longTerms are found in texts as they are.
var longTerms = []struct{ word, meaning string }{
	{"too few questions", "there are fewer than five questions, so that an interval would reach far outside the scale."},
	{"within criteria", "the scores of a criterion beyond its usual score: agreement that does not come from knowing which criteria are easy."},
	{"may mislead by", "95 % of systems that nobody checked are within so many points of what people would give."},
	{"†", "trained or tuned on the scores it is compared with."},
	{"§", "degenerate: it says nothing about answers, because it gives the same to nearly all of them."},
}

// wordsOn explains the terms on a page, in a folded part; nothing if there are none.
func (v *view) wordsOn(p page) []part {
	var b strings.Builder
	scenarios := false
	for _, s := range p.Sections {
		for _, text := range []string{s.Title, s.Verdict, s.About} {
			b.WriteString(text + " ")
		}
		for _, note := range s.Notes {
			b.WriteString(note.Text + " ")
		}
		if s.Table != nil {
			b.WriteString(strings.Join(s.Table.Header, " ") + " ")
			scenarios = scenarios || slices.Contains(s.Table.Header[:s.Table.Words], "scenario")
			for _, row := range s.Table.Rows[:min(len(s.Table.Rows), mostFolded)] {
				for _, c := range row {
					if c.Value.Few || c.Mark != "" {
						b.WriteString(c.String() + " ")
					}
				}
			}
		}
	}
	text := strings.ToLower(b.String())
	found := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
		found[word] = true
	}
	var lines []string
	for _, t := range terms {
		if found[strings.ToLower(t.word)] {
			lines = append(lines, "- "+t.word+": "+t.meaning)
		}
	}
	for _, t := range longTerms {
		if strings.Contains(text, t.word) {
			lines = append(lines, "- "+t.word+": "+t.meaning)
		}
	}
	if scenarios && slices.Contains(v.s.scenarios, data.NoScenario) {
		lines = append(lines, "- scenario "+data.NoScenario+": answers from another source, which belong to no scenario.")
	}
	if lines == nil {
		return nil
	}
	whole := words("Words on this page", strings.Join(lines, "\n"))
	whole.Folded = true
	return []part{whole}
}
