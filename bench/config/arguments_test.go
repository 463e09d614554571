package config

import (
	"reflect"
	"strings"
	"testing"

	"compqa/data"
)

func relevant(relevance ...float64) (list []data.Argument) {
	for i, r := range relevance {
		a := data.Argument{Text: string(rune('a' + i))}
		if r >= 0 {
			a.Relevance = &r
		}
		list = append(list, a)
	}
	return list
}

func TestSelectArguments(t *testing.T) {
	questions := []data.Question{{Object1: "tram", Object2: "bus", Arguments: relevant(1, 3, -1, 2, 3, 2)}}
	for _, c := range []struct {
		by   Arguments
		want string
	}{
		{Arguments{}, "abcdef"},
		{Arguments{MinRelevance: 2}, "bdef"},
		{Arguments{Max: 3}, "bde"}, // d comes before f, whose relevance is equal
		{Arguments{Max: 5}, "abdef"},
		{Arguments{Max: 1, MinRelevance: 3}, "b"},
		{Arguments{MinRelevance: 4}, ""},
	} {
		selected, err := c.by.Select(questions)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, a := range selected[0].Arguments {
			got += a.Text
		}
		if got != c.want || len(questions[0].Arguments) != 6 {
			t.Errorf("%+v: %q, want %q", c.by, got, c.want)
		}
	}
	if _, err := (Arguments{MinRelevance: 1}).Select(data.CQA50()); err == nil || !strings.Contains(err.Error(), "no argument of the questions has a relevance") {
		t.Errorf("min_relevance without relevance: %v", err)
	}
}

func TestReverseArguments(t *testing.T) {
	for _, c := range []struct{ one, other, text, want string }{
		{"tram", "bus", "A tram runs on rails, while buses need roads; the bus's trams are few.", "A bus runs on rails, while trams need roads; the tram's buses are few."},
		{"tram", "bus", "Trams, not tramways or a business.", "Buses, not tramways or a business."},
		{"cats", "dogs", "A cat sleeps, a dog walks; dogs' walks and cats’ naps differ. Dog!", "A dog sleeps, a cat walks; cats' walks and dogs’ naps differ. Cat!"},
		{"Google search", "Yahoo search", "Google finds more than Yahoo Search.", "Yahoo finds more than Google search."},
		{"php", "Python", "Python is slower than PHP: the PHP of python.", "PHP is slower than python: the python of PHP."},
		{"football", "American football", "American football is not football.", "Football is not American football."},
		{"Apple's", "Google's", "Apple's map beats Google's, says Apple.", "Google's map beats Apple's, says Google."},
	} {
		q := data.Question{Object1: c.one, Object2: c.other, Arguments: []data.Argument{{Text: c.text, Favours: data.Object1}, {Text: "Nothing.", Favours: data.Object2}}}
		selected, err := Arguments{Reverse: true}.Select([]data.Question{q})
		if err != nil {
			t.Fatal(err)
		}
		got := selected[0].Arguments
		if got[0].Text != c.want || got[0].Favours != data.Object2 {
			t.Errorf("%q: %+v, want %q", c.text, got[0], c.want)
		}
		if got[1] != q.Arguments[1] || q.Arguments[0].Text != c.text {
			t.Errorf("%q: an argument without the objects is %+v", c.text, got[1])
		}
	}
}

// TestReverseTwice: two reversals restore the arguments of the built-in set, apart from upper and lower case, if the forms of the names are
// regular.
func TestReverseTwice(t *testing.T) {
	questions := data.CQA50()
	changed := 0
	neither := 0
	twice := questions
	for range 2 {
		var err error
		if twice, err = (Arguments{Reverse: true}).Select(twice); err != nil {
			t.Fatal(err)
		}
	}
	once, _ := Arguments{Reverse: true}.Select(questions)
	for i, q := range questions {
		if q.Text != once[i].Text || q.Object1 != once[i].Object1 {
			t.Errorf("%s is another question", q.ID)
		}
		for k, a := range q.Arguments {
			if once[i].Arguments[k].Text == a.Text {
				neither++
			}
			back := twice[i].Arguments[k]
			if !strings.EqualFold(back.Text, a.Text) || back.Favours != a.Favours {
				changed++
				t.Logf("%q\n%q\n%q", a.Text, once[i].Arguments[k].Text, back.Text)
			}
		}
	}
	if changed > 0 || neither > 3 {
		t.Errorf("%d arguments change by two reversals, %d by none", changed, neither)
	}
	if !reflect.DeepEqual(questions, data.CQA50()) {
		t.Error("Select has changed its input")
	}
}
