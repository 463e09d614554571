// Package scales finds the scale of a criterion from the values that occur on it.
package scales

import (
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"compqa/data"
	"compqa/stats"
)

const (
	Binary     = "yes/no"     // two values, of which one is good
	Letters    = "letters"    // C, P, I of inspect_ai: 1, 0.5, 0
	Ordinal    = "ordinal"    // values with an order
	Continuous = "continuous" // any number between two bounds
	Nominal    = "labels"     // labels without an order
)

// A Scale says which number each value of a criterion stands for. Low and High are the ends of the scale. Min and Max are the least and the
// greatest value that occur.
type Scale struct {
	Kind      string
	Low, High float64
	Min, Max  float64
	Numbers   map[string]float64 // number of each word or label, by its canonical form; nil: values are numbers
	Labels    []string           // a list of labels, from the worst to the best on an ordinal scale; nil: no list, as on a scale of numbers
	Given     bool               // the user or the criterion's name says the scale's ends, or the labels are a known order
	Factor    float64            // each value is multiplied by it, as 100 for fractions next to percentages; 0: no factor

	whole bool // all values are whole numbers
}

//go:embed scales.yaml
var scalesYAML []byte

type scaleWords struct {
	Positive, Negative []string
	Orders             [][]string
	Families           map[string][]string
}

var words = sync.OnceValue(func() (w scaleWords) {
	err := yaml.Unmarshal(scalesYAML, &w)
	return data.Must(w, err)
})

// Families returns for each family of models the words that identify it in a model's name.
func Families() map[string][]string { return words().Families }

// Find returns the scale of a criterion. If the user gives a scale, Find reads it: "0..10", "no,partly,yes" (from the worst to the best),
// "labels", or "labels:for,against,none" (labels have no order). Otherwise Find tries in turn: yes/no words and letters, points, a known
// order of words, and labels without order. An error says that the user's scale cannot be read, or that a value is not on it.
func Find(criterion string, values []string, given string) (Scale, error) {
	sorted := canonical(values)
	if given != "" {
		return givenScale(criterion, sorted, given)
	}
	for _, find := range []func(criterion string, sorted []string) (Scale, bool){wordScale, pointScale} {
		if s, ok := find(criterion, sorted); ok {
			return s, nil
		}
	}
	for _, order := range words().Orders {
		if subset(sorted, data.Each(order, Canonical)) {
			return OfLabels(Ordinal, order), nil
		}
	}
	return OfLabels(Nominal, sorted), nil
}

// wordScale returns a scale of yes and no if all values are words for yes or no, truth values, 0 or 1, or the letters of inspect_ai: C (1),
// P (0.5) and I (0). N, its letter for no grade, has no number. The second result is false if any other value occurs.
func wordScale(_ string, sorted []string) (Scale, bool) {
	s := Scale{Kind: Binary, High: 1, Max: 1, Numbers: map[string]float64{}}
	letters := subset(sorted, []string{"c", "p", "i", "n"}) && (slices.Contains(sorted, "c") || slices.Contains(sorted, "i"))
	for _, v := range sorted {
		number, isNumber := data.Number(v)
		switch {
		case letters && v == "n": // no value
		case letters && v == "p":
			s.Kind = Letters
			s.Numbers[v] = 0.5
		case isNumber && (number == 0 || number == 1):
			s.Numbers[v] = number
		case slices.Contains(words().Positive, v):
			s.Numbers[v] = 1
		case slices.Contains(words().Negative, v):
			s.Numbers[v] = 0
		default:
			return s, false
		}
	}
	return s, len(sorted) > 0
}

// leadingNumber matches a label that begins with a number, such as "1 some" or "1: some". It does not match 1e999, which is too large.
var leadingNumber = regexp.MustCompile(`^(-?\d+(?:\.\d+)?)(?:$|[^\d.eE].*|[eE][^\d+-].*)`)

// pointScale returns a scale of points. The values are numbers, or labels with a different number each, such as "0 none" and "1 some". The
// scale is continuous if values are not whole or half points, span more than 20, or are at most 1 with negative ones; else it is ordinal.
// The second result is false if a value has no number of its own.
func pointScale(criterion string, sorted []string) (Scale, bool) {
	s := Scale{Kind: Ordinal, whole: true}
	plain := sorted
	if slices.ContainsFunc(sorted, isNoNumber) {
		plain = nil
		s.Numbers = map[string]float64{}
		for _, v := range sorted {
			m := numberIn(v)
			if m == nil || slices.Contains(plain, m[1]) || isNoNumber(m[1]) {
				return s, false
			}
			plain = append(plain, m[1])
			s.Numbers[v], _ = data.Number(m[1])
		}
	}
	if len(plain) == 0 {
		return s, false
	}
	s.Min = math.Inf(1)
	s.Max = math.Inf(-1)
	for _, v := range plain {
		x, _ := data.Number(v)
		s.Min = min(s.Min, x)
		s.Max = max(s.Max, x)
		s.whole = s.whole && x == math.Trunc(x)
		if half := 2 * x; half != float64(int(half)) {
			s.Kind = Continuous
		}
	}
	if s.Max-s.Min > 20 || s.Max <= 1 && s.Min < 0 {
		s.Kind = Continuous
	}
	s.snap(criterion)
	return s, true
}

// trailingNumber matches a label that ends with a number, such as "good (4)" or "good = 4".
var trailingNumber = regexp.MustCompile(`^[^\d]*(?:[(\[]|[=:]\s*)(-?\d+(?:\.\d+)?)[)\]]?$`)

// numberIn finds the number of a label: at the beginning ("4 good"), at the end ("good (4)"), or as stars ("★★☆" is 2). The result's
// second element is the number. The result is nil if the label has no number.
func numberIn(label string) []string {
	full := 0
	stars := 0
	for _, r := range label {
		switch r {
		case '★', '⭐', '🌟':
			full++
			stars++
		case '☆', '✩':
			stars++
		case ' ', '\ufe0f':
		default:
			if m := leadingNumber.FindStringSubmatch(label); m != nil {
				return m
			}
			return trailingNumber.FindStringSubmatch(label)
		}
	}
	if stars == 0 {
		return nil
	}
	return []string{label, strconv.Itoa(full)}
}

func isNoNumber(text string) bool {
	_, ok := data.Number(text)
	return !ok
}

var rangeInName = regexp.MustCompile(`(?:^|[^0-9.])(\d+(?:\.\d+)?)\s*(?:-|–|_|\.\.|to|bis)\s*(\d+(?:\.\d+)?)\)?\]?$`)

// snap sets the ends of the scale. If the criterion's name has a range that includes all values, as "helpful (1-5)", the range is used.
// Otherwise the low end is 1, 0 or the least value, and the high end is the smallest usual one (1, 2, 3, 4, 5, 7, 10, 20, 100).
func (s *Scale) snap(criterion string) {
	if m := rangeInName.FindStringSubmatch(criterion); m != nil {
		low, _ := strconv.ParseFloat(m[1], 64)
		high, _ := strconv.ParseFloat(m[2], 64)
		if low <= s.Min && high >= s.Max && low < high {
			s.Low = low
			s.High = high
			s.Given = true
			return
		}
	}
	s.Low = s.Min
	s.High = s.Max
	if s.Min >= 0 {
		s.Low = 0
	}
	if s.Min >= 1 && s.Max > 1 {
		s.Low = 1
	}
	for _, high := range []float64{1, 2, 3, 4, 5, 7, 10, 20, 100} {
		if high >= s.Max && high > s.Low && s.Min >= 0 {
			s.High = high
			return
		}
	}
}

// OfLabels returns a scale of labels, ordered from the worst to the best if kind is Ordinal.
func OfLabels(kind string, labels []string) Scale {
	s := Scale{Kind: kind, High: float64(len(labels) - 1), Max: float64(len(labels) - 1), Numbers: map[string]float64{},
		Labels: labels, Given: kind == Ordinal}
	for i, label := range labels {
		s.Numbers[Canonical(label)] = float64(i)
	}
	return s
}

func subset(values, names []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(names, v) })
}

// givenScale reads the scale that the user gave (see Find), and checks that all values are on it.
func givenScale(criterion string, sorted []string, given string) (s Scale, err error) {
	low, high, isRange := strings.Cut(given, "..")
	list, isList := strings.CutPrefix(given, Nominal+":")
	switch {
	case given == Nominal:
		return OfLabels(Nominal, sorted), nil
	case isList:
		s = OfLabels(Nominal, slices.Sorted(slices.Values(data.Each(strings.Split(list, ","), Canonical))))
	case isRange:
		var ok bool
		if s, ok = pointScale("", sorted); !ok && len(sorted) > 0 {
			return s, fmt.Errorf("--scale %s=%s: %q is no number", criterion, given, sorted[max(0, slices.IndexFunc(sorted, isNoNumber))])
		}
		s.Given = true
		var errLow, errHigh error
		s.Low, errLow = strconv.ParseFloat(low, 64)
		s.High, errHigh = strconv.ParseFloat(high, 64)
		if errLow != nil || errHigh != nil || !(s.Low < s.High) || math.IsInf(s.High-s.Low, 0) {
			return s, fmt.Errorf("--scale %s=%s: a range is LOW..HIGH, for instance 1..5", criterion, given)
		}
	default:
		s = OfLabels(Ordinal, strings.Split(given, ","))
		if len(s.Labels) == 2 {
			s.Kind = Binary
		}
	}
	for _, v := range sorted {
		if x, ok := s.Number(v); !ok || x < s.Low || x > s.High {
			return s, fmt.Errorf("--scale %s=%s: the value %q is not on it", criterion, given, v)
		}
	}
	return s, nil
}

// Number returns the number of a value on the scale. The second result is false if the value is empty or the scale does not have it.
func (s Scale) Number(value string) (float64, bool) {
	if value == "" {
		return 0, false
	}
	var x float64
	var ok bool
	if s.Numbers != nil {
		x, ok = s.Numbers[Canonical(value)]
	} else {
		x, ok = data.Number(value)
	}
	if s.Factor != 0 {
		x = math.Round(1e9*x*s.Factor) / 1e9 // .6000000000000001 is 60 %
	}
	return x, ok
}

// Onto maps x linearly from the range of s to the range of another scale.
func (s Scale) Onto(to Scale, x float64) float64 {
	return to.Low + (x-s.Low)/(s.High-s.Low)*(to.High-to.Low)
}

// String returns the scale in words: "ordinal 1–5".
func (s Scale) String() string {
	switch {
	case s.Kind == Binary || s.Kind == Letters:
		return s.Kind
	case s.Labels != nil:
		separator := " < "
		if s.Kind == Nominal {
			separator = ", "
		}
		return s.Kind + " " + strings.Join(s.Labels, separator)
	}
	return s.Kind + " " + s.Short()
}

// Short returns the scale in one word: "1–5", or its kind if it has words.
func (s Scale) Short() string {
	if s.Kind == Binary || s.Kind == Nominal || s.Labels != nil {
		return s.Kind
	}
	return stats.Shortest(s.Low) + "–" + stats.Shortest(s.High)
}

// Points reports whether values are points, so that their distances mean something: the scale is ordinal or continuous.
func (s Scale) Points() bool { return s.Kind == Ordinal || s.Kind == Continuous }

// usual reports whether the values reach both ends of a usual scale: 0 to 2, 3, 4, 5, 10 or 100, or 1 to 3, 4, 5, 7, 10 or 100.
func (s Scale) usual() bool {
	return s.Min == 0 && slices.Contains([]float64{2, 3, 4, 5, 10, 100}, s.Max) || s.Min == 1 &&
		slices.Contains([]float64{3, 4, 5, 7, 10, 100}, s.Max)
}

// Same reports whether a number means the same on two scales.
//   - Nominal scales are the same only as each other; so are scales of yes/no and letters.
//   - A scale of words and one of numbers are the same if the numbers are the places of the words (see places).
//   - Two given ranges are the same if they are equal.
//   - Otherwise the values of one scale must lie within the other, which is given or wider: 2 to 4 and 1 to 5. Fractions up to 1 and
//     numbers above 1 contradict each other. So does a scale that covers less than half of the other, if it is continuous or has usual ends
//     (see usual): 1 to 5 next to 1 to 10.
func Same(a, b Scale) bool {
	switch {
	case a.Kind == Nominal || b.Kind == Nominal:
		return a.Kind == b.Kind
	case a.Kind == Binary || b.Kind == Binary || a.Kind == Letters || b.Kind == Letters:
		return a.Kind == b.Kind || !a.Points() && !b.Points()
	case (a.Labels == nil) != (b.Labels == nil):
		return places(a, b) || places(b, a)
	case a.Given && b.Given:
		return a.Low == b.Low && a.High == b.High
	case b.Given || !a.Given && b.Max-b.Min > a.Max-a.Min:
		a, b = b, a
	}
	low := min(a.Min, b.Min)
	high := max(a.Max, b.Max) // a is the given scale, or the wider one
	if a.Given {
		low = a.Low
		high = a.High
	}
	covered := (b.Max - b.Min) / max(high-low, 1e-300)
	switch {
	case b.Min < low || b.Max > high:
		return false
	case !a.Given && (a.Max <= 1) != (b.Max <= 1):
		return false
	case a.Kind == Continuous || b.Kind == Continuous:
		return covered >= 0.5
	}
	return !b.usual() || covered >= 0.5
}

// places reports whether the numbers are the places of the labels in their order. 0, 1 and 2 can be the places of incorrect, partially
// correct and correct; 0, 0.5 and 1 cannot. 0 to 2 cannot be the places of five labels.
func places(labels, numbers Scale) bool {
	return labels.Labels != nil && numbers.Kind == Ordinal && numbers.whole && numbers.Min >= labels.Low && numbers.Max == labels.High
}

// Together gives two scales of points that are the same (see Same) common ends, so that both have one range. Each scale keeps its words.
func Together(criterion string, a, b Scale) (Scale, Scale) {
	both := Scale{Min: min(a.Min, b.Min), Max: max(a.Max, b.Max)}
	both.snap(criterion)
	for _, given := range []Scale{a, b} {
		if given.Given {
			both.Low = given.Low
			both.High = given.High
			both.Given = true
		}
	}
	kind := a.Kind
	if b.Kind == Continuous {
		kind = Continuous
	}
	for _, s := range []*Scale{&a, &b} {
		s.Kind = kind
		s.Low = both.Low
		s.High = both.High
		s.Min = both.Min
		s.Max = both.Max
		s.Given = both.Given
	}
	return a, b
}

// Words reports whether the values are words: yes and no, grades or labels.
func (s Scale) Words() bool { return !s.Points() || s.Labels != nil }

// Label returns a number as the scale writes it: its label if the scale has a list of labels, else the number.
func (s Scale) Label(x float64) string {
	if s.Labels != nil && x >= 0 && int(x) < len(s.Labels) && x == math.Trunc(x) {
		return s.Labels[int(x)]
	}
	return stats.Shortest(x)
}

// Word returns the word of a value for people. On a scale of yes and no this is the file's word for 0 or 1 if the file has exactly one,
// else "no" or "yes". On other scales it is the Label.
func (s Scale) Word(x float64) string {
	if s.Kind != Binary || x != 0 && x != 1 {
		return s.Label(x)
	}
	var words []string
	for word, number := range s.Numbers {
		if _, isNumber := data.Number(word); number == x && !isNumber {
			words = append(words, word)
		}
	}
	if len(words) == 1 {
		return words[0]
	}
	return map[float64]string{0: "no", 1: "yes"}[x]
}
