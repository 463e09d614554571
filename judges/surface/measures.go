package surface

import (
	"compqa/data"
	"compqa/judges/rules"
	"compqa/judges/text"
)

// A measure is one number that the judge "surface" measures in an answer.
type measure struct {
	name, about string
	measure     func(*text.Features) float64
}

// measures are all inputs of the judge: counts and shares, and the points of the judge "rules".
var measures = func() []measure {
	list := []measure{
		{"introduction objects", "objects that the introduction names", count(func(f *text.Features) int { return f.IntroductionObjects })},
		{"named aspects", "different ones in the body", count(func(f *text.Features) int { return f.Aspects })},
		{"described aspects", "with four words of text or more", count(func(f *text.Features) int { return f.AspectsDescribed })},
		{"aspects on both objects", "whose text names both", count(func(f *text.Features) int { return f.AspectsBoth })},
		{"share of list items", "among items and paragraphs",
			func(f *text.Features) float64 { return text.Share(f.Items, f.Items+f.Paragraphs) }},
		{"choice line", "a heading or label announces the choice", indicator(func(f *text.Features) bool { return f.ChoiceLine })},
		{"short choice line", "it names one object, in ten words or fewer", indicator(rules.BriefChoice)},
		{"choice reason words", "after the choice on its line", count(func(f *text.Features) int { return f.ChoiceReasonWords })},
		{"share of near duplicates", "statements close to an earlier one, among statements",
			func(f *text.Features) float64 { return text.Share(f.NearDuplicates, f.Statements) }},
		{"highest similarity", "of two statements, in [0, 1]", func(f *text.Features) float64 { return f.MostSimilar }},
		{"longest sentence", "in words", count(func(f *text.Features) int { return f.LongestSentence })},
		{"talk about arguments", "argument 3 says …", count(func(f *text.Features) int { return f.ArgumentTalk })},
	}
	for _, rule := range rules.Rules {
		list = append(list, measure{"rule on " + rule.Name, "points by the judge rules",
			count(func(f *text.Features) int { points, _ := rule.Score(f); return points })})
	}
	return list
}()

func count(number func(*text.Features) int) func(*text.Features) float64 {
	return func(f *text.Features) float64 { return float64(number(f)) }
}

func indicator(holds func(*text.Features) bool) func(*text.Features) float64 {
	return count(func(f *text.Features) int { return rules.Point(holds(f)) })
}

// InputsExplained returns the name and a short explanation of each input.
func InputsExplained() [][2]string {
	return data.Each(measures, func(m measure) [2]string { return [2]string{m.name, m.about} })
}

// InputNames returns the names of the inputs.
func InputNames() []string { return data.Each(measures, func(m measure) string { return m.name }) }

// Inputs returns the measures of an answer, in the order of InputNames. They do not change if the two objects are exchanged. They do not
// depend on the question's arguments, because for most answers it is not known which arguments the system was given.
func Inputs(q data.Question, content string) []float64 {
	q.Arguments = nil
	f := text.Measure(q, content)
	return data.Each(measures, func(m measure) float64 { return m.measure(&f) })
}
