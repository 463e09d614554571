package checks

import (
	"strings"
	"testing"

	"compqa/results/raters"
)

// names returns the name and kind of each finding, as "join stop, date stop".
func names(found []Finding) string {
	var list []string
	for _, f := range found {
		list = append(list, f.Check+" "+string(f.Kind))
	}
	return strings.Join(list, ", ")
}

// Each check finds the mistake in its example, names the flag that answers it, and finds nothing once it is answered.
func TestEveryCheckFindsItsExample(t *testing.T) {
	for _, c := range Table {
		j := c.Example()
		want := c.Name + " " + string(c.Kind)
		got := Run(j, nil)
		if !strings.Contains(names(got), want) {
			t.Errorf("%s: %q", want, names(got))
		}
		if c.Kind == Mark && c.Name != "join" && !strings.Contains(Finding{Text: "x", Flag: flagOf(got, c)}.Sentence(), "--") {
			t.Errorf("%s names no flag", want)
		}
		if rest := Run(j, []string{c.Name}); strings.Contains(names(rest), c.Name) {
			t.Errorf("%s is found again: %s", want, names(rest))
		}
	}
	if Known([]string{"copy", "labels"}) != nil || Known([]string{"copi"}) == nil {
		t.Error("names of checks")
	}
}

func flagOf(found []Finding, c Check) string {
	for _, f := range found {
		if f.Check == c.Name && f.Kind == c.Kind {
			return f.Flag
		}
	}
	return ""
}

// Honest values that resemble a check's example are not found.
func TestHonestValuesAreNotFound(t *testing.T) {
	scale := func(judge, people string) func() *Joined {
		return sides(Side{Name: "judge", Values: written(judge)}, Side{Name: "people", Values: written(people)})
	}
	for name, j := range map[string]func() *Joined{
		"20 equal items of five points":       example(judged(many("1 2 3 4 5", 4)), person("a", many("1 2 3 4 5", 4))),
		"43 equal items of three points":      example(judged(many("1 2 3", 14)+"1"), person("a", many("1 2 3", 14)+"1")),
		"89 equal items of two labels":        example(judged(many("0 1", 44)+"0"), person("a", many("0 1", 44)+"0")),
		"a constant":                          example(judged(many("1", 200)), person("a", many("1", 200))),
		"nine in ten items":                   example(judged("1 2 1 2 1 2 1 2 1 ."), person("a", "1 2 1 2 1 2 1 2 1 2")),
		"19 items in opposite order":          example(judged(many("1 2 3 4 5", 3)+"1 2 3 4"), person("a", many("5 4 3 2 1", 3)+"5 4 3 2")),
		"three people":                        example(judged(many("1 2", 2)), person("a", many("1 1 2", 30)), person("b", many("1 1 2", 30)+""), person("c", many("2 1 2", 30))),
		"halves of one scale":                 scale("1 2 3", "1 5 4"),
		"0 to 2 beside 0 to 3":                scale("0 1 2", "0 3 1"),
		"a ten on a scale of ten":             scale("1 5 10", "2 9 3"),
		"99 of a hundred":                     scale("10 50 99", "20 80 99"),
		"minus one on a scale around 0":       scale("-1 0 1", "-1 1 0"),
		"years":                               scale("2021 2022", "2021 2024"),
		"none on one side":                    sides(Side{Name: "judge", Values: written("for against")}, Side{Name: "people", Values: written("for for"), Words: words("none none")}),
		"none beside empty cells":             sides(Side{Values: written("for against for"), Words: words("none none"), Empty: 3}),
		"none among numbers":                  sides(Side{Values: written("1 2 3"), Words: words("none none")}),
		"none that a scale names":             sides(Side{Values: written("for against"), Words: words("none none"), Given: true}),
		"a label with a comma":                sides(Side{Values: Count("yes, fully", "no")}),
		"a label that one side alone has":     labelled(judged(many("0 1 2", 3)), person("a", many("0 1 1", 3))),
		"one slip in thirty on either side":   labelled(judged(many("0 1", 15)+"2"), person("a", many("0 1", 14)+"0 3 1")),
		"a decimal comma is no set of labels": scale("1,5 1 5", "1 2 3"),
	} {
		found := Run(j(), nil)
		if Marked(found) && !(name == "three people" && !Stopped(found)) {
			t.Errorf("%s: %s", name, names(found))
		}
	}
}

// A rater that always gives the median of the others is found. One that differs once from it is not.
func TestDerivedByValues(t *testing.T) {
	a := person("a", many("1 2 5 3", 12))
	b := person("b", many("2 3 4 4", 12))
	c := person("c", many("3 4 3 5", 12))
	median := person("d", many("2 3 4 4", 12))
	if what, n := derivedFrom(median, []raters.Rater{a, b, c}, false); what != "median" || n != 48 {
		t.Errorf("%q on %d", what, n)
	}
	median.Values[3] = raters.Number(1)
	if what, _ := derivedFrom(median, []raters.Rater{a, b, c}, false); what != "" {
		t.Error(what)
	}
}

// TestQuestions: every check that marks a criterion has a question in questions.
func TestQuestions(t *testing.T) {
	for _, c := range Table {
		if c.Kind == Mark && questions[c.Name] == "" {
			t.Errorf("%s has no question", c.Name)
		}
	}
}
