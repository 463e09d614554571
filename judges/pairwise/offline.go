package pairwise

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"compqa/data"
	"compqa/judges/surface"
	"compqa/judges/text/lexical"
)

// offlineVersion is raised whenever an offline method decides differently.
const offlineVersion = 5

// Length returns the number of words of an answer.
func Length(text string) int { return len(data.Words(text)) }

// floor chooses as a baseline does: the first answer, the longer one, or one at random.
func (j *judge) floor(_ context.Context, s Shown, _ Ask) Opinion {
	a := Length(s.First)
	b := Length(s.Second)
	o := chosen(data.FloorChoice(j.o.Method, a, b, func() int { return newRNG(j.o.Seed, MethodRandom, s.ID, s.Order).Intn(2) }), "")
	if j.o.Method == MethodLonger {
		o.Detail.Facts = fmt.Sprintf("%d words against %d", a, b)
	}
	return o
}

// surfacePair chooses by a model fitted to people. If the question compares two named objects, it prefers the answer with more expected
// points on the built-in rubric (judge "surface"). Otherwise it prefers by the built-in calibration. Both are fitted to English, and pairs
// in other languages are skipped. A calibration from the options is used for all questions and languages.
func (j *judge) surfacePair(_ context.Context, s Shown, _ Ask) Opinion {
	if j.o.Calibration == nil {
		first := lexical.SignsOf(s.First)
		second := lexical.SignsOf(s.Second)
		together := lexical.SignsOf(s.Question).With(first).With(second)
		reason := cmp.Or(first.Foreign(), second.Foreign(), together.NotEnglish(data.Question{}))
		if reason != "" {
			return without(data.Skipped, "%s", reason)
		}
	}
	if c := j.o.Calibration; c != nil || s.About.Object1 == "" {
		preference := cmp.Or(c, BuiltinCalibration()).Preference(s.Cluster, s.Question, s.First, s.Second)
		o := chosen(data.Greater(preference, 0), "")
		o.Detail.Facts = fmt.Sprintf("the first is preferred with probability %.2f", max(0, min(1, (1+preference)/2)))
		return o
	}
	a := expectedPoints(s.About, s.First)
	b := expectedPoints(s.About, s.Second)
	o := chosen(data.Greater(a, b), "")
	o.Detail.Facts = fmt.Sprintf("%.2f points expected against %.2f", a, b)
	return o
}

func expectedPoints(q data.Question, text string) float64 {
	return floats.Sum(surface.Builtin().Expect(q.Pair(), surface.Inputs(q, text), nil))
}
