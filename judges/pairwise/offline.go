package pairwise

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"compqa/data"
	"compqa/judges/surface"
	"compqa/stats"
)

// The judges that need no model. All but MethodSurface are floors: what a judge
// has to beat to have shown anything.
const (
	MethodSurface = "surface-pair"
	MethodFirst   = "first"  // always the answer shown first
	MethodLonger  = "longer" // always the one with more words
	MethodRandom  = "random" // a toss of a coin, by the seed
)

// Floors are the judges that stand in every table.
var Floors = []string{MethodFirst, MethodLonger, MethodRandom}

// offlineVersion is raised whenever a judge without a model decides differently.
const offlineVersion = 1

// NewOffline builds a judge that needs no model. The fingerprint stands for all
// that its opinions depend on.
func NewOffline(method string, seed int64) (Judge, string, error) {
	coin := func(s Shown) Opinion {
		rng := stats.NewRNG(uint64(seed), strings.Join([]string{"pairwise", MethodRandom, s.ID, s.Order}, "\x00"))
		return chosen([]data.Choice{data.ChoiceA, data.ChoiceB}[rng.Intn(2)], "")
	}
	decide, ok := map[string]func(Shown) Opinion{
		MethodSurface: surfacePair,
		MethodFirst:   func(Shown) Opinion { return chosen(data.ChoiceA, "") },
		MethodLonger:  longer,
		MethodRandom:  coin,
	}[method]
	if !ok {
		return nil, "", fmt.Errorf("there is no pairwise judge %q without a model; they are %s, %s", method, MethodSurface, strings.Join(Floors, ", "))
	}
	fingerprint := fmt.Sprintf("%s %d", method, offlineVersion)
	switch method {
	case MethodRandom:
		fingerprint += fmt.Sprintf(" seed %d", seed)
	case MethodSurface:
		fingerprint += fmt.Sprintf(" surface %d", surface.Version())
	}
	return func(_ context.Context, s Shown, _ Ask) Opinion { return decide(s) }, fingerprint, nil
}

// Length is how long an answer is, in words.
func Length(text string) int { return len(data.Words(text)) }

func longer(s Shown) Opinion {
	a, b := Length(s.First), Length(s.Second)
	o := chosen(data.ChoiceTie, "")
	switch {
	case a > b:
		o.Choice = data.ChoiceA
	case b > a:
		o.Choice = data.ChoiceB
	}
	o.Detail.Facts = fmt.Sprintf("%d words against %d", a, b)
	return o
}

// surface goes by the points that the judge "surface" expects on the built-in
// rubric, where the question compares two named objects, and by plain features
// elsewhere. It was fitted to no preferences.
func surfacePair(s Shown) Opinion {
	if s.About.Object1 == "" {
		return vote(s)
	}
	a, b := expectedPoints(s.About, s.First), expectedPoints(s.About, s.Second)
	o := chosen(data.ChoiceTie, "")
	switch {
	case a > b:
		o.Choice = data.ChoiceA
	case b > a:
		o.Choice = data.ChoiceB
	}
	o.Detail.Facts = fmt.Sprintf("%.2f points expected against %.2f", a, b)
	return o
}

func expectedPoints(q data.Question, text string) float64 {
	return surface.Builtin().Expect(q.Pair(), surface.Inputs(q, text), nil).Total
}

// A feature is a plain property of an answer to a question; more of it speaks
// for the answer. Each has one vote, since no preferences were looked at to
// weigh them.
type feature struct {
	name string
	of   func(question, answer []string, text string) float64
}

var features = []feature{
	{"takes up the question's words", func(question, answer []string, _ string) float64 { return covered(question, answer) }},
	{"refuses less", func(_, _ []string, text string) float64 { return -refusals(text) }},
	{"ends as a text does", func(_, _ []string, text string) float64 { return endsWhole(text) }},
	{"repeats itself less", func(_, answer []string, _ string) float64 { return -repeated(answer) }},
	{"says more", func(_, answer []string, _ string) float64 { return float64(distinctWords(answer)) }},
}

// vote lets each feature vote for the answer that has more of it.
func vote(s Shown) Opinion {
	question, first, second := contentWords(s.Question), contentWords(s.First), contentWords(s.Second)
	votes := 0
	var facts []string
	for _, f := range features {
		a, b := f.of(question, first, s.First), f.of(question, second, s.Second)
		switch {
		case a > b:
			votes++
			facts = append(facts, "the first "+f.name)
		case b > a:
			votes--
			facts = append(facts, "the second "+f.name)
		}
	}
	o := chosen(data.ChoiceTie, "")
	switch {
	case votes > 0:
		o.Choice = data.ChoiceA
	case votes < 0:
		o.Choice = data.ChoiceB
	}
	o.Detail.Facts = strings.Join(facts, "; ")
	return o
}

// covered is the share of the question's distinct content words that the answer
// has, in [0, 1].
func covered(question, answer []string) float64 {
	wanted := map[string]bool{}
	for _, w := range question {
		wanted[w] = false
	}
	if len(wanted) == 0 {
		return 0
	}
	n := 0
	for _, w := range answer {
		if met, asked := wanted[w]; asked && !met {
			wanted[w] = true
			n++
		}
	}
	return float64(n) / float64(len(wanted))
}

var refusal = regexp.MustCompile(`(?i)\b(?:as an ai|language model|i(?: am|'m|’m) (?:sorry|unable|not able)|i (?:can ?not|can't|can’t) |i don't have (?:access|the ability)|please provide)`)

func refusals(text string) float64 { return float64(len(refusal.FindAllStringIndex(text, -1))) }

// endsWhole is 1 where a text ends in a mark that ends texts, or without any
// mark at all in a single short line, as names and numbers do.
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

// repeated is the share of an answer's content words that stand in runs of
// three which it has had before, in [0, 1].
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

func distinctWords(answer []string) int {
	seen := map[string]bool{}
	for _, w := range answer {
		seen[w] = true
	}
	return len(seen)
}
