package pairwise

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"gonum.org/v1/gonum/floats"

	"compqa/data"
	"compqa/judges/surface"
	"compqa/judges/text/lexical"
)

// offlineVersion is raised whenever an offline method decides differently.
const offlineVersion = 5

// Length returns the number of words of an answer.
func Length(text string) (words int) {
	for w, ok := data.NextWord(text, 0); ok; w, ok = data.NextWord(text, w.End) {
		words++
	}
	return words
}

// floor chooses as a baseline does: the first answer, the longer one, or one at random.
func (j *judge) floor(_ context.Context, s OrderedPair, _ Ask) Opinion {
	a := Length(s.First)
	b := Length(s.Second)
	o := choiceOpinion(data.FloorChoice(j.o.Method, a, b, func() int { return newRNG(j.o.Seed, MethodRandom, s.ID, s.Order).Intn(2) }), "")
	if j.o.Method == MethodLonger {
		o.Detail.Facts = fmt.Sprintf("%d words against %d", a, b)
	}
	return o
}

// surfacePair chooses by a model fitted to people. If the question compares two named objects, it prefers the answer with more expected
// points on the built-in rubric (judge "surface"). Otherwise it prefers by the built-in calibration. Both are fitted to English, and pairs
// in other languages are skipped. A calibration from the options is used for all questions and languages.
func (j *judge) surfacePair(_ context.Context, s OrderedPair, _ Ask) Opinion {
	if s.first == nil { // OrderPair did not make the pair
		s.first, s.second = newTraits(s.About, s.Question, s.First), newTraits(s.About, s.Question, s.Second)
		s.asked = newTraits(s.About, "", s.Question)
	}
	one := s.first
	other := s.second
	if j.o.Calibration == nil {
		first := one.signs()
		second := other.signs()
		together := s.asked.signs().Combined(first).Combined(second)
		reason := cmp.Or(first.Foreign(), second.Foreign(), together.NotEnglish(data.Question{}))
		if reason != "" {
			return noChoice(data.Skipped, "%s", reason)
		}
	}
	if c := j.o.Calibration; c != nil || s.About.Object1 == "" {
		preference := cmp.Or(c, BuiltinCalibration()).preference(s.Cluster, one.measures(), other.measures())
		o := choiceOpinion(data.Greater(preference, 0), "")
		o.Detail.Facts = fmt.Sprintf("the first is preferred with probability %.2f", max(0, min(1, (1+preference)/2)))
		return o
	}
	a := one.points()
	b := other.points()
	o := choiceOpinion(data.Greater(a, b), "")
	o.Detail.Facts = fmt.Sprintf("%.2f points expected against %.2f", a, b)
	return o
}

// traits are what surface-pair computes of an answer, or of the question. Each is computed when it is first needed, and once for both
// orders of a pair.
type traits struct {
	signs    func() lexical.Signs
	measures func() []float64
	points   func() float64 // that the judge surface expects
}

// newTraits returns the traits of an answer. about is the comparative question.
func newTraits(about data.Question, question, answer string) *traits {
	return &traits{
		signs:    sync.OnceValue(func() lexical.Signs { return lexical.SignsOf(answer) }),
		measures: sync.OnceValue(func() []float64 { return answerMeasures(question, answer) }),
		points: sync.OnceValue(func() float64 {
			return floats.Sum(surface.Builtin().Expect(about.Pair(), surface.Inputs(about, answer), nil))
		}),
	}
}
