package pairwise

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"compqa/data"
	"compqa/judges/surface"
)

// offlineVersion is raised whenever an offline method decides differently.
const offlineVersion = 2

// withoutModel adapts a method that needs neither options nor a model.
func withoutModel(decide func(Shown) Opinion) func(*judge, context.Context, Shown, Ask) Opinion {
	return func(_ *judge, _ context.Context, s Shown, _ Ask) Opinion { return decide(s) }
}

func first(Shown) Opinion { return chosen(data.ChoiceA, "") }

func (j *judge) random(_ context.Context, s Shown, _ Ask) Opinion {
	rng := newRNG(j.o.Seed, MethodRandom, s.ID, s.Order)
	return chosen([]data.Choice{data.ChoiceA, data.ChoiceB}[rng.Intn(2)], "")
}

// Length is the number of words of an answer.
func Length(text string) int { return len(data.Words(text)) }

func longer(s Shown) Opinion {
	a, b := Length(s.First), Length(s.Second)
	o := chosen(greater(a, b), "")
	o.Detail.Facts = fmt.Sprintf("%d words against %d", a, b)
	return o
}

// greater chooses the answer with the larger value; equal values are a tie.
func greater[T cmp.Ordered](a, b T) data.Choice {
	switch {
	case a > b:
		return data.ChoiceA
	case b > a:
		return data.ChoiceB
	}
	return data.ChoiceTie
}

// surfacePair prefers the answer with more expected points on the built-in rubric (by the judge
// "surface", which is fitted to people's points) if the question compares two named objects, and
// otherwise the one that the built-in calibration prefers. An own calibration is for all questions.
func (j *judge) surfacePair(_ context.Context, s Shown, _ Ask) Opinion {
	if j.o.Calibration != nil {
		return j.o.Calibration.prefer(s)
	}
	if s.About.Object1 == "" {
		return BuiltinCalibration().prefer(s)
	}
	a, b := expectedPoints(s.About, s.First), expectedPoints(s.About, s.Second)
	o := chosen(greater(a, b), "")
	o.Detail.Facts = fmt.Sprintf("%.2f points expected against %.2f", a, b)
	return o
}

func expectedPoints(q data.Question, text string) float64 {
	return surface.Builtin().Expect(q.Pair(), surface.Inputs(q, text), nil).Total
}

func setOf(words []string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		set[w] = true
	}
	return set
}

// covered is the share of the question's distinct content words that occur in the
// answer, in [0, 1].
func covered(question, answer []string) float64 {
	wanted, given := setOf(question), setOf(answer)
	n := 0
	for w := range wanted {
		if given[w] {
			n++
		}
	}
	return float64(n) / float64(max(1, len(wanted)))
}

var refusal = regexp.MustCompile(`(?i)\b(?:as an ai|language model|i(?: am|'m|’m) (?:sorry|unable|not able)|i (?:can ?not|can't|can’t) |i don't have (?:access|the ability)|please provide)`)

func refusals(text string) float64 { return float64(len(refusal.FindAllStringIndex(text, -1))) }

// endsWhole is 1 if a text ends with closing punctuation, or is one short line
// that ends with a letter or digit, as names and numbers do; else 0.
func endsWhole(text string) float64 {
	text = strings.TrimSpace(text)
	short := len(strings.Fields(text)) <= 12 && !strings.Contains(text, "\n")
	runes := []rune(text)
	if len(runes) == 0 {
		return 0
	}
	last := runes[len(runes)-1]
	if strings.ContainsRune(".!?:;…)]}\"'”’»`*。！？|", last) || short && (unicode.IsLetter(last) || unicode.IsDigit(last)) {
		return 1
	}
	return 0
}

// repeated is the share of an answer's three-word sequences that occurred earlier
// in it, in [0, 1].
func repeated(answer []string) float64 {
	if len(answer) < 3 {
		return 0
	}
	seen, n := map[[3]string]bool{}, 0
	for i := 0; i+3 <= len(answer); i++ {
		run := [3]string(answer[i : i+3])
		if seen[run] {
			n++
		}
		seen[run] = true
	}
	return float64(n) / float64(len(answer)-2)
}
