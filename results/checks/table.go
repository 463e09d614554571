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

// Table lists the checks in the order in which they are reported. The function of a check returns the text of its finding, "" if it finds
// nothing, and the flag with which the user answers it. A test runs each check on its example.
var Table = []Check{
	{"join", Stop, none(.1), example(judged("1 2 1 2 1 2 1 2 1 2 1 . . . . . . . . . . ."), person("a",
		". . . . . . . . . . 1 2 1 2 1 2 1 2 1 2 1 2"))},
	{"join", Mark, part(.1, .5), example(judged("1 2 1 2 . ."), person("a", ". . . 2 1 2"))},
	{"join", Say, part(.5, .9), example(judged("1 2 1 2 ."), person("a", ". 2 1 2 1"))},
	{"date", Stop, dates, sides(Side{Name: "people", Values: written("1 2 3 46147 2 4")})},
	{"none", Stop, missingWord, sides(Side{Name: "judge", Values: written("for against for"), Words: words("none none")},
		Side{Name: "people", Values: written("for against against"), Words: words("None none")})},
	{"code", Stop, code, sides(Side{Name: "people", Values: written("1 2 3 4 5 3 2 4 99")})},
	{"sets", Stop, sets, sides(Side{Name: "people", Values: written("yes no yes|no")})},
	{"scale", Stop, widths, sides(Side{Name: "judge", Values: written("0.2 0.5 1")}, Side{Name: "people", Values: written("1 3 5")})},
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

// surprise returns the least number of items on which two honest raters are all equal with a probability of at most .01. The argument is
// the number of distinct values. Honest raters are assumed to agree on .95 of two labels, .90 of three or four, and .80 of more.
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

// leastReversed is the least number of items for which a correlation is computed.
const leastReversed = 20

// Equal compares two raters on the units that both rated. It returns the number of these units, the number of distinct values of a on them,
// and whether all values are equal. It stops counting at the first unit that differs.
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

// joined returns the number of units that the judge and at least one person rated, and the smaller of the judge's and people's numbers of
// units.
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

// none returns a check that finds that less than a share of the smaller side's items was joined.
func none(below float64) func(*Joined) (string, string) { return part(-1, below) }

// part returns a check that finds that a share of at least from and less than below of the smaller side's items was joined.
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

// numbersOf returns how often each number occurs among a side's values, and whether more than half of the values are numbers.
func (s Side) numbersOf() (counts map[float64]int, most bool) {
	counts = map[float64]int{}
	n := 0
	for _, v := range s.Values {
		if x, ok := data.Number(v.Text); ok {
			counts[x] += v.N
			n += v.N
		}
	}
	return counts, n > 0 && 2*n > s.n()
}

// who returns "the judge's values", "people's values" or "values", to begin a sentence.
func (s Side) who() string {
	return map[string]string{"judge": "the judge's ", "people": "people's "}[s.Name] + "values"
}

// prefix returns the side's name and a dot, as they precede the value of a flag: "judge." or "people.".
func (s Side) prefix() string {
	if s.Name == "" {
		return ""
	}
	return s.Name + "."
}

// Excel turns numbers such as 1.5 and 3/4 into dates. These are 1 January 2000 and 1 January 2050 as Excel counts days, from 1900 on.
var firstDay = 36526.0
var lastDay = 54789.0

// dates finds values that a spreadsheet turned into dates, among values that are numbers up to 1000 or parts such as 4/5. Every value of
// the side must be one or the other.
func dates(j *Joined) (string, string) {
	for _, s := range j.Sides {
		points := 0
		days := 0
		first := ""
		for _, v := range s.Values {
			x, number := data.Number(v.Text)
			day := number && x >= firstDay && x <= lastDay && x == math.Trunc(x)
			switch {
			case day:
				first = cmp.Or(first, fmt.Sprintf("%s (%s)", v.Text, time.Date(1899, 12, 30+int(x), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)))
				days += v.N
			case dateText.MatchString(strings.TrimSpace(v.Text)):
				first = cmp.Or(first, data.Clip(v.Text))
				days += v.N
			case number && math.Abs(x) <= 1000 || partText.MatchString(v.Text):
				points += v.N
			}
		}
		if days > 0 && points > 0 && points+days == s.n() && !s.Given {
			return fmt.Sprintf("%d of %s are dates that a spreadsheet made of numbers, such as %s; write them as numbers in the file", days, s.who(),
				first), ""
		}
	}
	return "", ""
}

// missingWord finds a word that may mean a missing value or be an answer, such as none, among labels. The word must make up at least 1 in
// 20 of the side's cells, and must occur on both sides if there are two.
func missingWord(j *Joined) (string, string) {
	for i, s := range j.Sides {
		_, numbers := s.numbersOf()
		word := ""
		if len(s.Words) > 0 {
			word = s.Words[0]
		}
		both := len(j.Sides) == 1 || slices.ContainsFunc(j.Sides[1-i].Words, func(w string) bool { return strings.EqualFold(w, word) })
		n := len(s.Words)
		if numbers || s.Given || word == "" || !both || s.Empty > 0 || n < 2 || 20*n < n+s.n() {
			continue
		}
		labels := map[string]bool{strings.ToLower(word): true}
		for _, side := range j.Sides {
			for _, v := range side.Values {
				labels[scales.Canonical(v.Text)] = true
			}
		}
		if len(labels) > 12 {
			continue
		}
		list := strings.Join(sorted(labels), ",")
		return fmt.Sprintf("%q is %d of %d of %s: an answer, or a missing value", word, n, n+s.n(), s.who()),
			fmt.Sprintf(`--scale "%s=labels:%s" makes it an answer, --missing "%s" a missing value`, j.Criterion, list, word)
	}
	return "", ""
}

// codes lists numbers that often stand for missing values.
var codes = []float64{-1, -2, -8, -9, -77, -88, -98, -99, -999, 9, 77, 88, 98, 99, 888, 998, 999, 9999}

// code finds a number that may be a code for missing values, such as 99. It is one of codes, makes up at most a quarter of the numbers, and
// lies far outside a scale of at least three other numbers up to 20.
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

// sets finds a value that lists several other labels of the criterion at once, such as "yes|no".
func sets(j *Joined) (string, string) {
	known := map[string]bool{}
	for _, s := range j.Sides {
		for _, v := range s.Values {
			known[scales.Canonical(v.Text)] = true
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

// widths finds sides whose numbers cannot be on one scale: the maximum is at most 1 on one side and at least 3 on the other, or the maxima
// differ more than fivefold.
func widths(j *Joined) (string, string) {
	if len(j.Sides) < 2 || j.OneScale || j.Labels {
		return "", ""
	}
	if missing, _ := code(j); missing != "" { // a missing-value code is not part of the scale
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
		if n == 0 || n < s.n() {
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

// mostApart is a share of pairs of a judge's and a person's label. Above it on both sides, labels that the other side lacks show that the
// labels do not correspond.
const mostApart = .05

// labelsApart finds that the judge and people have no label in common, or that each side often gives labels that the other never gives.
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

// labelsLacking reports labels that only one side gave, unless labelsApart finds the labels of both sides different.
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

// labels compares the labels of the judge and of people on units that both rated. It counts all n pairs of a judge's and a person's label.
// It also counts the pairs whose judge's label no person gives (judge), and those whose person's label the judge never gives (people).
// judged and given are the distinct labels of the judge and of people.
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

// quoted returns labels in quotes as a list for a sentence.
func quoted(labels []string) string {
	return data.Some(data.Each(labels, func(l string) string { return fmt.Sprintf("%q", data.Clip(l)) }))
}

// derived finds a "person" whose values are computed from the other people: their majority, median or mean on all items on which they
// differ. It first looks for means of whole numbers, because next to a mean a real person may equal the majority of the others.
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

// meanOfSome tries meanOfWhole on all other people, and then on all but one. The one left out may be computed from others, too.
func meanOfSome(r raters.Rater, others []raters.Rater) (what string, n int) {
	what, n = meanOfWhole(r, others)
	for k := 0; what == "" && k < len(others); k++ {
		what, n = meanOfWhole(r, slices.Delete(slices.Clone(others), k, k+1))
	}
	return what, n
}

// derivedFrom returns which function of at least three other raters a rater is: "majority", "median", "mean", or "" if it is none of them.
// n is the number of items on which the function was compared. Labels have only a majority.
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

// leastFractions is the least number of fractions for which a rater with the means of whole numbers is not a real person. Nobody gives 3.67
// by chance where all others give whole numbers.
const leastFractions = 5

// meanOfWhole returns "mean" and the number of items if a rater is the mean of the others on all items on which they differ. The others
// must give whole numbers there, and the rater at least leastFractions fractions. Otherwise it returns "".
func meanOfWhole(r raters.Rater, others []raters.Rater) (what string, n int) {
	if len(others) < 2 {
		return "", 0
	}
	fractions := 0
	for i, v := range r.Values {
		if !v.Given() {
			continue
		}
		given := givenOn(i, others)
		if len(given) < 2 || given[0] == given[len(given)-1] {
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

// givenOn returns the values that raters gave to a unit, in ascending order.
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

// isMean reports whether a value is a mean, exact or rounded to two decimals, to one decimal or to a whole number.
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

// copied finds a judge whose values all equal a person's, on so many items that chance does not explain it (see surprise).
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

// Throughout finds a judge that copies one person on every criterion. all has one judge's values, one entry for each criterion. The judge
// must equal the person on all items of every criterion, and copied must find the copy on at least one. Each other criterion then gets a
// finding; the remaining findings have no text.
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

// peopleOf returns the names of the people on all criteria, each once.
func peopleOf(all []*Joined) (names []string) {
	for _, j := range all {
		names = append(names, data.Each(j.People, func(r raters.Rater) string { return r.Name })...)
	}
	return data.Set(names)
}

// twins finds two people whose values are equal on so many items that chance does not explain it (see surprise).
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

// reversed finds a judge whose scale seems to be turned: its Spearman correlation with people's means is below -.5 on at least
// leastReversed items.
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

// A column is not a rater if its Spearman's rho with every other person is below mostStrange on at least leastReversed items, while two
// people have at least leastClose with each other.
const (
	mostStrange = .4
	leastClose  = .6
)

// strangers finds columns that were assumed to be raters but hardly correlate with any rater, such as the difficulty of an item.
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
				rho = 1 // nothing can be said about the two
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

// correlation returns Spearman's rho of two raters. known is false if they have fewer than leastReversed items in common, or rho is
// undefined.
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

// spellings reports names that are written in several ways and were read as one person.
func spellings(j *Joined) (string, string) {
	if len(j.Spellings) == 0 {
		return "", ""
	}
	return "one person is written in several ways and counts as one: " + data.Some(j.Spellings), "--checked person"
}

// versions reports versions of a judge that rated no item in common.
func versions(j *Joined) (string, string) {
	if len(j.Versions) == 0 {
		return "", ""
	}
	return fmt.Sprintf("no item has values of two of %s: they are compared as one judge, and each for itself", data.List(j.Versions)), ""
}

// sorted returns the keys of a map in ascending order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
