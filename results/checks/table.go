package checks

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"compqa/data"
	"compqa/results/raters"
	"compqa/results/validation/scales"
	"compqa/stats"
	"compqa/stats/agreement"
)

// Table are the checks, in the order in which they are said. Each has an example, which a test runs.
var Table = []Check{
	{"join", Stop, none(.1), example(judged("1 2 1 2 1 2 1 2 1 2 1 . . . . . . . . . . ."), person("a",
		". . . . . . . . . . 1 2 1 2 1 2 1 2 1 2 1 2"))},
	{"join", Mark, part(.1, .5), example(judged("1 2 1 2 . ."), person("a", ". . . 2 1 2"))},
	{"join", Say, part(.5, .9), example(judged("1 2 1 2 ."), person("a", ". 2 1 2 1"))},
	{"date", Stop, dates, sides(Side{Name: "people", Values: words("1 2 3 46147 2 4")})},
	{"none", Stop, missingWord, sides(Side{Name: "judge", Values: words("for against for"), Words: words("none none")},
		Side{Name: "people", Values: words("for against against"), Words: words("None none")})},
	{"code", Stop, code, sides(Side{Name: "people", Values: words("1 2 3 4 5 3 2 4 99")})},
	{"sets", Stop, sets, sides(Side{Name: "people", Values: words("yes no yes|no")})},
	{"scale", Stop, widths, sides(Side{Name: "judge", Values: words("0.2 0.5 1")}, Side{Name: "people", Values: words("1 3 5")})},
	{"labels", Stop, labelsApart, labelled(judged("0 1 0 1"), person("a", "2 3 2 3"))},
	{"labels", Say, labelsLacking, labelled(judged("0 1 2 1"), person("a", "0 1 1 0"))},
	{"nobody", Stop, derived, example(judged(many("1 2", 3)), person("a", many("1 1 2 2 3 3", 20)), person("b", many("1 1 2 2 3 1", 20)),
		person("c", many("2 1 2 3 3 1", 20)), person("agreed", many("1 1 2 2 3 1", 20)))},
	{"copy", Mark, copied, example(judged(many("1 2 3 4 5", 5)), person("a", many("1 2 3 4 5", 5)), person("b", many("2 2 3 4 4", 5)))},
	{"reversed", Mark, reversed, example(judged(many("1 2 3 4 5", 4)), person("a", many("5 4 3 2 1", 4)))},
	{"stranger", Mark, strangers, func() *Joined {
		j := example(judged(many("1 2 3 4 5", 4)), person("a", many("1 2 3 4 5", 4)), person("b", many("1 2 3 5 4", 4)),
			person("difficulty", "3 5 1 2 4 4 1 3 5 2 2 4 5 1 3 1 3 2 4 5"))()
		j.Assumed = []string{"a", "b", "difficulty"}
		return j
	}},
	{"person", Mark, spellings, func() *Joined { return &Joined{Spellings: []string{`"Ana" and "ana "`}} }},
	{"twins", Say, twins, example(judged("1 2"), person("a", many("1 2 3 4 5", 5)), person("b", many("1 2 3 4 5", 5)))},
	{"versions", Say, versions, func() *Joined { return &Joined{Versions: []string{"v1", "v2"}} }},
}

// surprise returns the number of items from which on two honest raters, who agree on .95 of two labels, .90 of three or four, .80 of
// more, are equal on all of them with a probability of at most .01.
func surprise(values int) int {
	switch {
	case values < 2:
		return math.MaxInt
	case values == 2:
		return 90
	case values <= 4:
		return 44
	}
	return 21
}

// leastReversed is the number of items from which on a negative correlation is said.
const leastReversed = 20

// Equal returns on how many units two raters have values, and whether all are equal; values are the different ones.
func Equal(a, b raters.Rater) (n, values int, equal bool) {
	distinct := map[float64]bool{}
	for i, v := range a.Values {
		if !v.Given() || i >= len(b.Values) || !b.Values[i].Given() {
			continue
		}
		n++
		distinct[v.Number()] = true
		if v != b.Values[i] {
			return n, len(distinct), false
		}
	}
	return n, len(distinct), n > 0
}

// joined returns the number of units that both sides have, and that of the side that has fewer.
func (j *Joined) joined() (both, fewer int) {
	judge := 0
	people := 0
	for i, v := range j.Judge.Values {
		rated := slices.ContainsFunc(j.People, func(r raters.Rater) bool { return r.Values[i].Given() })
		if v.Given() {
			judge++
		}
		if rated {
			people++
		}
		if v.Given() && rated {
			both++
		}
	}
	return both, min(judge, people)
}

// none stops a criterion of which less than a share of the smaller side is joined.
func none(below float64) func(*Joined) (string, string) { return part(-1, below) }

// part finds that a share of the smaller side is joined, at least the first and less than the second.
func part(from, below float64) func(*Joined) (string, string) {
	return func(j *Joined) (string, string) {
		both, fewer := j.joined()
		share := float64(both) / float64(max(1, fewer))
		if j.Judge.Values == nil || j.Record || fewer == 0 || share < from || share >= below {
			return "", ""
		}
		flag := "if no more belong together, --checked join"
		if below > .5 {
			flag = ""
		}
		return fmt.Sprintf("%d of %s are on both sides", both, data.Plural(fewer, "item of the smaller side", "items of the smaller side")), flag
	}
}

// numbersOf returns the numbers of a side, and whether they are most of its values.
func (s Side) numbersOf() (counts map[float64]int, most bool) {
	counts = map[float64]int{}
	n := 0
	for _, v := range s.different {
		if x, ok := data.Number(v.text); ok {
			counts[x] += v.n
			n += v.n
		}
	}
	return counts, n > 0 && 2*n > len(s.Values)
}

// who returns a side at the beginning of a sentence.
func (s Side) who() string {
	return map[string]string{"judge": "the judge's ", "people": "people's "}[s.Name] + "values"
}

// prefix returns the side in front of a flag's value.
func (s Side) prefix() string {
	if s.Name == "" {
		return ""
	}
	return s.Name + "."
}

// The days that Excel makes of numbers such as 1.5 and 3/4: from 2000 to 2050, and their count since 1900.
var firstDay = 36526.0
var lastDay = 54789.0

// dates finds cells that a spreadsheet made a date among numbers, or among parts such as 4/5.
func dates(j *Joined) (string, string) {
	for _, s := range j.Sides {
		points := 0
		days := 0
		first := ""
		for _, v := range s.different {
			x, number := data.Number(v.text)
			day := number && x >= firstDay && x <= lastDay && x == math.Trunc(x)
			switch {
			case day:
				first = cmp.Or(first, fmt.Sprintf("%s (%s)", v.text, time.Date(1899, 12, 30+int(x), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)))
				days += v.n
			case dateText.MatchString(strings.TrimSpace(v.text)):
				first = cmp.Or(first, data.Clip(v.text))
				days += v.n
			case number && math.Abs(x) <= 1000 || partText.MatchString(v.text):
				points += v.n
			}
		}
		if days > 0 && points > 0 && points+days == len(s.Values) && !s.Given {
			return fmt.Sprintf("%d of %s are dates that a spreadsheet made of numbers, such as %s; write them as numbers in the file", days, s.who(),
				first), ""
		}
	}
	return "", ""
}

// missingWord finds a word for a missing value, as none, among labels: it may be one of them.
func missingWord(j *Joined) (string, string) {
	for i, s := range j.Sides {
		_, numbers := s.numbersOf()
		word := ""
		if len(s.Words) > 0 {
			word = s.Words[0]
		}
		both := len(j.Sides) == 1 || slices.ContainsFunc(j.Sides[1-i].Words, func(w string) bool { return strings.EqualFold(w, word) })
		n := len(s.Words)
		if numbers || s.Given || word == "" || !both || s.Empty > 0 || n < 2 || 20*n < n+len(s.Values) {
			continue
		}
		labels := map[string]bool{strings.ToLower(word): true}
		for _, side := range j.Sides {
			for _, v := range side.different {
				labels[scales.Canonical(v.text)] = true
			}
		}
		if len(labels) > 12 {
			continue
		}
		list := strings.Join(sorted(labels), ",")
		return fmt.Sprintf("%q is %d of %d of %s: an answer, or a missing value", word, n, n+len(s.Values), s.who()),
			fmt.Sprintf(`--scale "%s=labels:%s" makes it an answer, --missing "%s" a missing value`, j.Criterion, list, word)
	}
	return "", ""
}

// codes are numbers that stand for missing values.
var codes = []float64{-1, -2, -8, -9, -77, -88, -98, -99, -999, 9, 77, 88, 98, 99, 888, 998, 999, 9999}

// code finds a code for missing values: a lone value far outside a dense scale of at least three others.
func code(j *Joined) (string, string) {
	for _, s := range j.Sides {
		counts, most := s.numbersOf()
		if !most || s.Given {
			continue
		}
		total := 0
		low := math.Inf(1)
		high := math.Inf(-1)
		others := 0
		for x, n := range counts {
			total += n
			if !slices.Contains(codes, x) {
				low = min(low, x)
				high = max(high, x)
				others++
			}
		}
		for _, x := range codes {
			n := counts[x]
			far := x > 2*high-low+1 || x < low-(high-low)/2 || x < 0 && low >= 0
			if n == 0 || others < 3 || 4*n > total || !far || high > 20 {
				continue
			}
			text := stats.Shortest(x)
			return fmt.Sprintf("%s is %d of %s and far from the others (%s to %s): a code for a missing value", text, n, s.who(),
				stats.Shortest(low), stats.Shortest(high)), "--missing " + s.prefix() + text
		}
	}
	return "", ""
}

// sets finds values that are several of the other labels at once.
func sets(j *Joined) (string, string) {
	known := map[string]bool{}
	for _, s := range j.Sides {
		for _, v := range s.different {
			known[scales.Canonical(v.text)] = true
		}
	}
	for _, v := range sorted(known) {
		parts := setOf.Split(v, -1)
		if len(parts) < 2 || slices.ContainsFunc(parts, func(p string) bool { return p == "" || !known[scales.Canonical(p)] }) {
			continue
		}
		if _, number := data.Number(v); number {
			continue
		}
		return fmt.Sprintf("%q is several labels at once; sets of labels are not compared. Make a column of yes and no of each label, "+
			"or declare sets: validate --sets CRITERION", data.Clip(v)), ""
	}
	return "", ""
}

// widths finds sides on scales that cannot be one: at most 1 next to at least 3, or maxima five times apart.
func widths(j *Joined) (string, string) {
	if len(j.Sides) < 2 || j.OneScale || j.Labels {
		return "", ""
	}
	if missing, _ := code(j); missing != "" { // the scale is that without it
		return "", ""
	}
	var tops [2]float64
	for i, s := range j.Sides {
		counts, _ := s.numbersOf()
		n := 0
		tops[i] = math.Inf(-1)
		for x, count := range counts {
			tops[i] = max(tops[i], x)
			n += count
		}
		if n == 0 || n < len(s.Values) {
			return "", ""
		}
	}
	low := min(tops[0], tops[1])
	high := max(tops[0], tops[1])
	if (low > 1 || high < 3) && (low <= 0 || high <= 5*low) {
		return "", ""
	}
	return fmt.Sprintf("the judge gives at most %s, people at most %s, which is no one scale", stats.Shortest(tops[0]),
			stats.Shortest(tops[1])),
		"--map-scale linear maps one onto the other; --threshold says what passes on each"
}

// mostApart is the share of pairs with a label that the other side lacks, on both sides, from which on labels are not the same.
const mostApart = .05

// labelsApart finds labels that never meet, or sides each of which has labels that the other lacks.
func labelsApart(j *Joined) (string, string) {
	judge, people, judged, given, n := j.labels()
	if n == 0 || judge <= max(1, mostApart*n) || people <= max(1, mostApart*n) {
		return "", ""
	}
	verb := "meet only in part"
	if !slices.ContainsFunc(judged, func(l string) bool { return slices.Contains(given, l) }) {
		verb = "never meet"
	}
	lacking := func(names, other []string) string {
		return quoted(data.Where(names, func(l string) bool { return !slices.Contains(other, l) }))
	}
	return fmt.Sprintf("labels of the judge and of people %s: %s beside %s", verb, lacking(judged, given), lacking(given, judged)),
		`--same "LABEL=LABEL,…" says which mean the same`
}

// labelsLacking says that one side has labels that the other lacks.
func labelsLacking(j *Joined) (string, string) {
	judge, people, judged, given, n := j.labels()
	if n == 0 || judge == 0 && people == 0 || judge > max(1, mostApart*n) && people > max(1, mostApart*n) {
		return "", ""
	}
	who := "the judge"
	names := judged
	other := given
	if judge == 0 {
		who = "people"
		names = given
		other = judged
	}
	return fmt.Sprintf("only %s gave %s", who, quoted(data.Where(names, func(l string) bool { return !slices.Contains(other, l) }))), ""
}

// labels returns the pairs with a label that the other side lacks, of the judge and of people, the labels of both in pairs, and the pairs.
func (j *Joined) labels() (judge, people float64, judged, given []string, n float64) {
	if !j.Labels || j.Judge.Values == nil {
		return 0, 0, nil, nil, 0
	}
	values := map[string]float64{}
	by := map[string]float64{}
	for _, r := range j.People {
		for i, v := range r.Values {
			if v.Given() && j.Judge.Values[i].Given() {
				values[j.Label(j.Judge.Values[i].Number())]++
				by[j.Label(v.Number())]++
				n++
			}
		}
	}
	for label, count := range values {
		if by[label] == 0 {
			judge += count
		}
	}
	for label, count := range by {
		if values[label] == 0 {
			people += count
		}
	}
	return judge, people, sorted(values), sorted(by), n
}

// quoted lists labels.
func quoted(labels []string) string {
	return data.Some(data.Each(labels, func(l string) string { return fmt.Sprintf("%q", data.Clip(l)) }))
}

// derived finds a person who is the majority, the median or the mean of the others on all items where these differ. Means of whole numbers
// are looked for first: next to one, a person may be the majority of the others.
func derived(j *Joined) (string, string) {
	ofOthers := func(r raters.Rater, others []raters.Rater) (string, int) { return derivedFrom(r, others, j.Labels) }
	for _, find := range []func(raters.Rater, []raters.Rater) (string, int){meanOfSome, ofOthers} {
		for index, r := range j.People {
			what, n := find(r, slices.Delete(slices.Clone(j.People), index, index+1))
			if what != "" {
				return fmt.Sprintf("%s is the %s of others on all %d items where they differ, and nobody", r.Name, what, n),
					fmt.Sprintf(`--leave-out "%s", or --checked nobody`, r.Name)
			}
		}
	}
	return "", ""
}

// meanOfSome is meanOfWhole of all others, or of all but one, who may be nobody, too.
func meanOfSome(r raters.Rater, others []raters.Rater) (what string, n int) {
	what, n = meanOfWhole(r, others)
	for k := 0; what == "" && k < len(others); k++ {
		what, n = meanOfWhole(r, slices.Delete(slices.Clone(others), k, k+1))
	}
	return what, n
}

// derivedFrom returns what a rater is of at least three others: majority, median or mean; "": none.
func derivedFrom(r raters.Rater, others []raters.Rater, labels bool) (what string, n int) {
	if len(others) < 3 {
		return "", 0
	}
	distinct := map[float64]bool{}
	hits := [3]int{}
	counts := [3]int{}
	for i, v := range r.Values {
		given := givenOn(i, others)
		for _, x := range given {
			distinct[x] = true
		}
		if !v.Given() || len(given) < 2 || given[0] == given[len(given)-1] {
			continue
		}
		if frequent := raters.MostFrequent(given); len(frequent) == 1 {
			counts[0]++
			hits[0] += indicator(v.Number() == frequent[0])
		}
		if labels {
			continue
		}
		if len(given)%2 == 1 {
			counts[1]++
			hits[1] += indicator(v.Number() == given[len(given)/2])
		}
		counts[2]++
		hits[2] += indicator(isMean(v.Number(), stats.Mean(given)))
		if hits[0] < counts[0] && hits[1] < counts[1] && hits[2] < counts[2] {
			return "", 0
		}
	}
	for k, what := range []string{"majority", "median", "mean"} {
		if counts[k] >= surprise(len(distinct)) && hits[k] == counts[k] {
			return what, counts[k]
		}
	}
	return "", 0
}

// leastFractions is the number of fractions from which on a rater whose values are the means of whole numbers is nobody: nobody gives 3.67
// by chance where all others give whole numbers.
const leastFractions = 5

// meanOfWhole is "mean" where a rater is the mean of others who give whole numbers on all items where these differ, with enough fractions.
func meanOfWhole(r raters.Rater, others []raters.Rater) (what string, n int) {
	fractions := 0
	for i, v := range r.Values {
		given := givenOn(i, others)
		if !v.Given() || len(given) < 2 || given[0] == given[len(given)-1] {
			continue
		}
		if slices.ContainsFunc(given, func(x float64) bool { return !whole(x) }) || !isMean(v.Number(), stats.Mean(given)) {
			return "", 0
		}
		n++
		fractions += indicator(!whole(v.Number()))
	}
	if fractions < leastFractions {
		return "", 0
	}
	return "mean", n
}

// givenOn returns the values of raters on a unit, in the order of their size.
func givenOn(unit int, persons []raters.Rater) []float64 {
	given := make([]float64, 0, len(persons))
	for _, r := range persons {
		if r.Values[unit].Given() {
			given = append(given, r.Values[unit].Number())
		}
	}
	slices.Sort(given)
	return given
}

// isMean reports whether a value is a mean as it may be written: rounded to a whole number, one decimal, or more.
func isMean(value, mean float64) bool {
	tenths := math.Abs(10*value-math.Round(10*value)) < 1e-9
	return math.Abs(value-mean) < .006 || tenths && !whole(value) && math.Abs(value-mean) < .051 || value == math.Floor(mean+.5)
}

func whole(x float64) bool { return x == math.Trunc(x) }

func indicator(is bool) int {
	if is {
		return 1
	}
	return 0
}

// copied finds a judge with the values of a person.
func copied(j *Joined) (string, string) {
	for _, r := range j.People {
		n, values, equal := Equal(j.Judge, r)
		if equal && n >= surprise(values) {
			return fmt.Sprintf("%s equals %s on %d of %d items, as a copy does", cmp.Or(j.Judge.Name, "the judge"), r.Name, n, n), noCopy
		}
	}
	return "", ""
}

const noCopy = "if it is none, --checked copy"

// Throughout returns findings of one judge, one for each of its criteria, without a text where there is none: it equals one person on all
// items of every criterion that both rated, and on one of them on so many that it is a copy, so that the others are one too.
func Throughout(all []*Joined) []Finding {
	found := make([]Finding, len(all))
	for _, person := range peopleOf(all) {
		sure := ""
		every := true
		for _, j := range all {
			one := *j
			one.People = data.Where(j.People, func(r raters.Rater) bool { return r.Name == person })
			for _, r := range one.People {
				n, _, equal := Equal(j.Judge, r)
				every = every && (equal || n == 0)
			}
			if text, _ := copied(&one); text != "" && sure == "" {
				sure = j.Criterion
			}
		}
		for i, j := range all {
			text, _ := copied(j)
			for _, r := range j.People {
				n, _, _ := Equal(j.Judge, r)
				if every && sure != "" && text == "" && r.Name == person && n > 0 && found[i].Text == "" {
					found[i] = Finding{Check: "copy", Kind: Mark, Judge: j.Judge.Name, Criterion: j.Criterion, Flag: noCopy,
						Text: fmt.Sprintf("%s equals %s on %d of %d items here too, and on %s as a copy does", cmp.Or(j.Judge.Name, "the judge"),
							person, n, n, sure)}
				}
			}
		}
	}
	return found
}

// peopleOf returns the names of people.
func peopleOf(all []*Joined) (names []string) {
	for _, j := range all {
		names = append(names, data.Each(j.People, func(r raters.Rater) string { return r.Name })...)
	}
	return data.Set(names)
}

// twins returns two people who are equal on all items.
func twins(j *Joined) (string, string) {
	for i, a := range j.People {
		for _, b := range j.People[i+1:] {
			n, values, equal := Equal(a, b)
			if equal && n >= surprise(values) {
				return fmt.Sprintf("%s and %s are equal on all %d items", a.Name, b.Name, n), ""
			}
		}
	}
	return "", ""
}

// reversed finds a judge whose scale seems to be turned: it correlates negatively with people's mean.
func reversed(j *Joined) (string, string) {
	if j.Labels || j.Judge.Values == nil || j.Record {
		return "", ""
	}
	var x, y []float64
	for i, v := range j.Judge.Values {
		sum := 0.0
		n := 0.0
		for _, r := range j.People {
			if r.Values[i].Given() {
				sum = sum + r.Values[i].Number()
				n++
			}
		}
		if v.Given() && n > 0 {
			x = append(x, v.Number())
			y = append(y, sum/n)
		}
	}
	if len(x) < leastReversed {
		return "", ""
	}
	rho, err := agreement.Spearman(x, y)
	if err != nil || rho >= -.5 {
		return "", ""
	}
	return fmt.Sprintf("the judge's values fall where people's rise (rho %.2f): one of the scales may be turned", rho),
		"--scale names the order of its labels; if the figures are meant so, --checked reversed"
}

// Who has less than mostStrange in common with every other person, on at least leastReversed items, may be no rater where two others have
// at least leastClose with each other (Spearman's rho).
const (
	mostStrange = .4
	leastClose  = .6
)

// strangers finds columns that were assumed to be raters, but have nothing to do with the others, as the difficulty of an item.
func strangers(j *Joined) (string, string) {
	if j.Labels || len(j.Assumed) == 0 {
		return "", ""
	}
	nearest := make([]float64, len(j.People))
	closest := 0.0
	for i, a := range j.People {
		for k, b := range j.People[:i] {
			rho, known := correlation(a, b)
			if !known {
				rho = 1 // nothing can be said of them
			} else {
				closest = max(closest, rho)
			}
			nearest[i], nearest[k] = max(nearest[i], rho), max(nearest[k], rho)
		}
	}
	var names []string
	for i, r := range j.People {
		if nearest[i] < mostStrange && slices.Contains(j.Assumed, r.Name) {
			names = append(names, r.Name)
		}
	}
	if len(names) == 0 || closest < leastClose {
		return "", ""
	}
	flags := strings.Join(data.Each(names, func(name string) string { return fmt.Sprintf("--leave-out %q", name) }), " ")
	return fmt.Sprintf("%s: read as a rater, but with less than %v in common with every other one (rho), where two others have %.2f",
		data.List(names), mostStrange, closest), "if it is no rater, " + flags + "; if it is one, --checked stranger"
}

// correlation returns Spearman's rho of two raters; known: they have enough items that both rated.
func correlation(a, b raters.Rater) (rho float64, known bool) {
	var x, y []float64
	for i, v := range a.Values {
		if v.Given() && b.Values[i].Given() {
			x = append(x, v.Number())
			y = append(y, b.Values[i].Number())
		}
	}
	if len(x) < leastReversed {
		return 0, false
	}
	rho, err := agreement.Spearman(x, y)
	return rho, err == nil
}

func spellings(j *Joined) (string, string) {
	if len(j.Spellings) == 0 {
		return "", ""
	}
	return "one person is written in several ways and counts as one: " + data.Some(j.Spellings), "--checked person"
}

func versions(j *Joined) (string, string) {
	if len(j.Versions) == 0 {
		return "", ""
	}
	return fmt.Sprintf("no item has values of two of %s: they are compared as one judge, and each for itself", data.List(j.Versions)), ""
}

// sorted returns the keys of a map in order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
