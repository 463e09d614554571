package scales

import "testing"

// Spellings of one label have the same canonical form; different labels, numbers and emoji stay different.
func TestCanonical(t *testing.T) {
	for value, want := range map[string]string{"Not grounded": "not grounded", "not_grounded": "not grounded", "NOT-Grounded ": "not grounded",
		"[[A]]": "a", "4.0": "4", "-1": "-1", ":-1:": ":-1:", "1-2": "1-2", "n/a": "n/a", "👍": "👍", "": "", "2 all": "2 all"} {
		if got := Canonical(value); got != want {
			t.Errorf("%q is %q, want %q", value, got, want)
		}
	}
}

// The words of both sides for A and B have the same number. Numbers alone, option letters (A to D) and grades are not choices.
func TestChoices(t *testing.T) {
	for _, c := range []struct {
		judged, peoples []string
		want            bool
	}{
		{[]string{"A", "B", "tie"}, []string{"model_a", "model_b", "tie"}, true},
		{[]string{"A", "B", "tie"}, []string{"left", "right", "equal"}, true},
		{[]string{"A", "B"}, []string{"1", "2"}, true},
		{[]string{"1", "2"}, []string{"1", "2"}, false},
		{[]string{"A", "B", "C", "D"}, []string{"A", "B"}, false},
		{[]string{"tie"}, []string{"1", "2"}, false},
	} {
		s, ok := Choices(c.judged, c.peoples)
		if ok != c.want {
			t.Errorf("%v and %v: %v", c.judged, c.peoples, ok)
		}
		for side, first := range [][]string{c.judged, c.peoples} {
			if x, known := s.Number(first[0]); ok && (!known || x != 0) {
				t.Errorf("%s of side %d is %v", first[0], side, x)
			}
		}
	}
}

// Words of an order of five get the other side's numbers. An order of three gets none, because 0 to 2 or 1 to 3 could be meant.
func TestLikert(t *testing.T) {
	find := func(values ...string) Scale {
		s, err := Find("q", values, "")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	five := find("strongly disagree", "Agree", "strongly agree")
	s, _, ok := Likert(five, find("1", "3", "5"))
	if x, known := s.Number("Strongly Agree"); !ok || !known || x != 5 {
		t.Errorf("%v %v", s, ok)
	}
	for _, numbers := range []Scale{find("0", "3", "4"), find("1", "7"), find("1.5", "2.25")} {
		if _, _, ok := Likert(five, numbers); ok {
			t.Errorf("%v", numbers)
		}
	}
	if _, _, ok := Likert(find("no", "partly", "yes"), find("1", "2", "3")); ok {
		t.Error("an order of three has no numbers")
	}
}

// A given list of labels without order makes a nominal scale. Its words are values, even a word such as none; other words are errors.
func TestLabelsList(t *testing.T) {
	s, err := Find("stance", []string{"favor", "none"}, "labels:favor,against,none")
	if x, known := s.Number("None"); err != nil || s.Kind != Nominal || !known || x != 2 {
		t.Errorf("%v %v %v", s, x, err)
	}
	if _, err := Find("stance", []string{"favor", "other"}, "labels:favor,against"); err == nil {
		t.Error("other is not on the list")
	}
}
