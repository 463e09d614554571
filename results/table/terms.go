package table

import (
	"strings"
	"unicode"

	"compqa/data"
)

// terms are technical words, with a sentence for readers who do not know them.
var terms = []struct{ word, meaning string }{
	{"alpha", "agreement beyond chance (Krippendorff): 1 is perfect, 0 is chance. At interval level distances count, at nominal level " +
		"equality alone."},
	{"kappa", "agreement of raters beyond chance (Cohen's of two, Fleiss' of several): 1 is perfect, 0 is chance. Quadratic: large " +
		"differences count more."},
	{"rho", "correlation of two orders (Spearman): 1 is the same order, −1 the opposite."},
	{"tau-b", "correlation of two orders (Kendall): 1 is the same order, −1 the opposite."},
	{"tau", "the standard deviation of a judge's bias between systems, in points: how far the judge can mislead about a system that nobody " +
		"checked."},
	{"bias", "points of a judge minus points of people, as a model estimates it: the mean over systems."},
	{"leniency", "points of a judge minus points of people: the mean over the answers that both scored."},
	{"floor", "a baseline judge, which does not read the answers. A judge that is not better adds nothing."},
	{"ceiling", "the agreement of people with each other, which a judge cannot be expected to exceed by much."},
	{"scenario", "a way to ask, with its own prompt; “none” or “-” are answers from another source."},
	{"human", "the points of people: their mean where several scored an answer. A name that begins with human: is of one person, where the " +
		"record has their own score sheets."},
	{"halo", "one impression of an answer that influences the points on all criteria."},
	{"baselines", "systems without a model, and judges that do not read answers; they have no rank beside others."},
	{"lambda", "the weight of the judge's verdicts in an estimate of people's points; at 0 people's points alone are used."},
	{"Holm", "an adjustment of p-values for many tests: where no systems differ, one is below 0.05 in at most 5 % of runs."},
	{"clustered", "an interval that takes answers to the same question as one observation, because they are not independent."},
	{"Bradley", "Bradley–Terry strengths: a system of strength p is preferred over one of strength q with odds p : q."},
}

// TermsTitle is the title above the lines of Terms on a page.
const TermsTitle = "Words on this page"

// Terms returns a line "- WORD: MEANING" for each technical word in the tables of a page and the texts next to them.
func Terms(sections []Section) []string {
	var texts []string
	for _, s := range sections {
		if s.Table == nil {
			continue // a text without a table explains its own terms
		}
		texts = append(append(texts, s.Title, s.Verdict, s.About), s.Table.Header...)
		for _, note := range s.Notes {
			texts = append(texts, note.Text)
		}
	}
	return explain(strings.Join(texts, " "))
}

// explain returns the lines for the words of a text. Parts of longer words do not count.
func explain(text string) (lines []string) {
	text = strings.ToLower(text)
	used := data.Among(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }))
	for _, t := range terms {
		if used[strings.ToLower(t.word)] {
			lines = append(lines, "- "+t.word+": "+t.meaning)
		}
	}
	return lines
}
