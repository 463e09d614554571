package checks

import (
	"regexp"
	"strconv"
	"strings"

	"compqa/results/raters"
)

var (
	dateText = regexp.MustCompile(`(?i)^(\d{4}-\d\d-\d\d([T ].*)?|\d{1,2}[- ./](jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|` +
		`de[cz])[a-z]*([- ./]\d{2,4})?)$`)
	partText = regexp.MustCompile(`^\d+(\.\d+)? ?(/|of|out of) ?\d+$`)
	setOf    = regexp.MustCompile(` ?[|;+] ?|, ?`)
)

// words splits the text of an example into its values.
func words(text string) []string { return strings.Fields(text) }

// written counts the words of an example.
func written(text string) []Written { return Count(words(text)...) }

// many repeats the values of an example a number of times.
func many(text string, times int) string { return strings.Repeat(text+" ", times) }

// values reads the numbers of an example, one for each unit. A point is a missing value.
func values(text string) (list []raters.Value) {
	for _, word := range words(text) {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil {
			list = append(list, raters.Missing(raters.NotAsked))
			continue
		}
		list = append(list, raters.Number(x))
	}
	return list
}

func judged(text string) raters.Rater { return raters.Rater{Name: "judge", Values: values(text)} }

func person(name, text string) raters.Rater { return raters.Rater{Name: name, Values: values(text)} }

// example returns an example with a judge and people. If the judge has fewer values than the first person, its values are repeated.
func example(judge raters.Rater, people ...raters.Rater) func() *Joined {
	return func() *Joined {
		j := Joined{Criterion: "q", Judge: judge, People: people, Label: func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }}
		for len(j.Judge.Values) < len(people[0].Values) {
			j.Judge.Values = append(j.Judge.Values, judge.Values[len(j.Judge.Values)%len(judge.Values)])
		}
		return &j
	}
}

// labelled returns an example, as example does, whose values are labels.
func labelled(judge raters.Rater, people ...raters.Rater) func() *Joined {
	return func() *Joined {
		j := example(judge, people...)()
		j.Labels = true
		return j
	}
}

// sides returns an example for checks that need only the values in the files.
func sides(list ...Side) func() *Joined {
	return func() *Joined { return &Joined{Criterion: "q", Sides: list} }
}
