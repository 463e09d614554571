package validation

import (
	"fmt"
	"strings"
	"testing"
)

// copies returns the files of a judge and two people on two criteria of 60 items. The judge has Anna's value of an item if like is true.
func copies(like func(criterion string, item int) bool) (log, people string) {
	log = "log.csv\nid,quality,correct\n"
	people = "people.csv\nid,quality_anna,correct_anna,quality_ben,correct_ben\n"
	for i := range 60 {
		quality := 1 + i*7%5
		correct := []string{"yes", "no"}[i*5%3%2]
		ben := min(5, quality+i%2)
		hers := correct
		if i%9 == 0 {
			hers = "no"
		}
		people += fmt.Sprintf("%d,%d,%s,%d,%s\n", i, quality, correct, ben, hers)
		if !like("quality", i) {
			quality = ben
		}
		if !like("correct", i) {
			correct = map[string]string{"yes": "no", "no": "yes"}[correct]
		}
		log += fmt.Sprintf("%d,%d,%s\n", i, quality, correct)
	}
	return log, people
}

// TestCopyOfAllCriteria: a judge that equals one person on all items of all criteria gets no answer on any criterion. This includes a
// criterion with too few different values to show a copy. A judge that equals her only on that criterion, or not on all items, gets an
// answer.
func TestCopyOfAllCriteria(t *testing.T) {
	for name, c := range map[string]struct {
		like   func(criterion string, item int) bool
		marked map[string]bool
	}{
		"all":                    {func(string, int) bool { return true }, map[string]bool{"quality": true, "correct": true}},
		"quality alone":          {func(c string, i int) bool { return c == "quality" || i != 3 }, map[string]bool{"quality": true}},
		"correct, which has few": {func(c string, i int) bool { return c == "correct" || i != 3 }, nil},
	} {
		log, people := copies(c.like)
		r := study(t, log, people)
		if len(r.Pairings) != 2 {
			t.Fatalf("%s: %d pairings\n%s", name, len(r.Pairings), said(r))
		}
		for _, p := range r.Pairings {
			if p.marked() != c.marked[p.Criterion] {
				t.Errorf("%s: %s is marked: %v\n%s", name, p.Criterion, p.marked(), said(r))
			}
			if text := p.decision.Finding().Text; p.marked() && (p.decision.Answer != "" ||
				!strings.HasSuffix(text, "first say whether its values are a copy of a person's.")) {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
	log, people := copies(func(string, int) bool { return true })
	r, err := computed(t, log, people, Options{Answered: []string{"copy"}})
	if err != nil || len(r.Unanswered()) > 0 {
		t.Errorf("answered: %v, %v", r.Unanswered(), err)
	}
}

// TestQuestionOfReading: the question to the user is the one that is open.
func TestQuestionOfReading(t *testing.T) {
	long := "people.csv\nitem,rater,criterion,value\n"
	log := "log.csv\nitem,quality\n"
	for i := range 40 {
		log += fmt.Sprintf("%d,%d\n", i, 1+(i+i/20)%5)
		long += fmt.Sprintf("%d,%s,quality,%d\n%d,ben,quality,%d\n", i, []string{"Anna", "ANNA"}[i%2], 1+i%5, i, 1+(i+i/30)%5)
	}
	text := study(t, log, long).Pairings[0].decision.Finding().Text
	if !strings.HasSuffix(text, ": first say whether names that are written in several ways are one person.") {
		t.Error(text)
	}
	text = study(t, strings.Replace(log, "quality", "score", 1), long).Pairings[0].decision.Finding().Text
	if !strings.Contains(text, "people's are the same and whether names that are written in several ways are one person") {
		t.Error(text)
	}
}
