package scales

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"compqa/data"
	"compqa/data/sources"
	"compqa/stats"
)

// Canonical returns a label in the form in which labels are compared. "Not grounded", not_grounded and not-grounded become "not grounded",
// [[A]] becomes a, and 4.0 becomes 4. A space, _ or - becomes a space only after a letter: -1 stays a number, and :-1: an emoji.
func Canonical(value string) string {
	text := strings.TrimSpace(norm.NFC.String(value))
	if x, ok := data.Number(text); ok {
		return stats.Shortest(x)
	}
	for strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") && len(text) > 2 {
		text = text[1 : len(text)-1]
	}
	var b strings.Builder
	space := false
	letter := false
	for _, r := range strings.ToLower(text) {
		if letter && (unicode.IsSpace(r) || r == '_' || r == '-') {
			space = true
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
		letter = unicode.IsLetter(r)
	}
	return b.String()
}

// canonical returns the distinct values of a criterion in canonical form (Canonical), sorted, without the empty value.
func canonical(values []string) []string {
	distinct := map[string]bool{}
	for _, v := range values {
		if v != "" && !distinct[v] {
			distinct[v] = true
		}
	}
	folded := map[string]bool{}
	for v := range distinct {
		folded[Canonical(v)] = true
	}
	delete(folded, "")
	return slices.Sorted(maps.Keys(folded))
}

// numbersOfChoices has the choices that the numbers 1, 2 and 1.5 stand for, if the labels also have words for choices.
var numbersOfChoices = map[string]data.Choice{"1": data.ChoiceA, "2": data.ChoiceB, "1.5": data.ChoiceTie}

// Choices returns one scale of the choices A, B and tie for the labels of both sides. Each side may have its own words: left and model_a
// are A. ok is false if a label is not a choice, or if no label is a word for A or B: 1 and 2 alone may be points.
func Choices(judged, peoples []string) (s Scale, ok bool) {
	all := canonical(slices.Concat(judged, peoples))
	named := false
	s = OfLabels(Nominal, []string{"a", "b", "tie"})
	for _, v := range all {
		said, known := sources.ChoiceOf(v)
		number := numbersOfChoices[v]
		if !known && number == "" {
			return s, false
		}
		choice := cmp.Or(said.Choice, number)
		s.Numbers[v] = s.Numbers[string(choice)]
		named = named || known && choice.Decided()
	}
	return s, named
}

// Likert returns the scale of ordered words, such as "disagree" to "agree", with the numbers 1, 2, 3 … that the other side uses for them.
// ends is the first and the last word, as "disagree … agree". ok is false if there are fewer than five words, or they have no order. It
// is also false if the other side's numbers are not between 1 and the number of words.
func Likert(words, numbers Scale) (s Scale, ends string, ok bool) {
	n := len(words.Labels)
	whole := numbers.Kind == Ordinal && !numbers.Words() && numbers.Min >= 1 && numbers.Max <= float64(n) && numbers.Max > 1
	if words.Kind != Ordinal || n < 5 || !whole {
		return words, "", false
	}
	s = Scale{Kind: Ordinal, Low: 1, High: float64(n), Min: 1, Max: float64(n), Given: true, Numbers: map[string]float64{}}
	for label, value := range words.Numbers {
		s.Numbers[label] = value + 1
	}
	return s, words.Labels[0] + " … " + words.Labels[n-1], true
}

var percent = regexp.MustCompile(`^\d+(?:[.,]\d+)?\s*%$`)

// Percent reports whether all values are written as percentages.
func Percent(values []string) bool {
	given := data.Where(values, func(v string) bool { return v != "" })
	return len(given) > 0 && !slices.ContainsFunc(given, func(v string) bool { return !percent.MatchString(strings.TrimSpace(v)) })
}
