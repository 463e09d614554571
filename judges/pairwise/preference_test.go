package pairwise

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"compqa/data"
)

func TestBuiltinPreference(t *testing.T) {
	c := BuiltinCalibration()
	for _, texts := range [][2]string{{"", ""}, {"", "An answer."}, {"Tea is cheaper than coffee.", "Tea tea tea tea tea tea tea tea."}, {strings.Repeat("word ", 1e5), "\xff\xfe"}} {
		x := c.Preference("q", "Which is cheaper?", texts[0], texts[1])
		y := c.Preference("q", "Which is cheaper?", texts[1], texts[0])
		if x != -y || math.IsNaN(x) || math.IsInf(x, 0) {
			t.Errorf("%.40q: %v and %v", texts, x, y)
		}
	}
	if c.Preference("q", "Which?", "The same.", "The same.") != 0 {
		t.Error("equal answers are not equal")
	}
	if x := c.Preference("q", "What is the capital of France?", "The capital of France is Paris, on the river Seine.", "What is the"); x <= 0 {
		t.Errorf("an answer against a fragment: %v", x)
	}
	for _, text := range []string{"", "{}", `{"measures": ["other"]}`} {
		if _, err := ParseCalibration([]byte(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	if _, err := FitCalibration([]data.Pair{{Question: "q", A: "a", Label: data.ChoiceTie}}, 1, true); err == nil {
		t.Error("no labelled pair is accepted")
	}
}

// TestNewText checks that text that repeats the question or an earlier passage adds little, however long it is.
func TestNewText(t *testing.T) {
	for _, c := range []struct {
		question, answer string
		want             float64
	}{
		{"q", "", 0},
		{"q", "abcdefgh", 8},
		{"q", "abcdefghabcdefgh", 8 + 3},
		{"abcdefgh", "abcdefgh", 3},
		{"abcdefgh", "abcdefgh xyz", 3 + 4},
		{"q", strings.Repeat("a", 1000), 1 + 3},
	} {
		if got := newText(c.question, c.answer); got != c.want {
			t.Errorf("%q, %.20q: %v, want %v", c.question, c.answer, got, c.want)
		}
	}
}

// TestFoldsByCluster checks that pairs of one cluster are judged by one model that was fitted without them, whatever their questions are.
func TestFoldsByCluster(t *testing.T) {
	var pairs []data.Pair
	for i := range 200 {
		p := data.Pair{Question: fmt.Sprint("Question ", i), Cluster: fmt.Sprint("cluster ", i%40), A: "Yes, by far.", B: "No.", Label: data.ChoiceA}
		if i%40 == 0 { // one cluster has the opposite preferences
			p.Label = data.ChoiceB
		}
		pairs = append(pairs, p)
	}
	c, err := FitCalibration(pairs, 1, true)
	if err != nil {
		t.Fatal(err)
	}
	without, err := FitCalibration(slices.DeleteFunc(slices.Clone(pairs), func(p data.Pair) bool { return p.Cluster == "cluster 0" }), 1, true)
	if err != nil {
		t.Fatal(err)
	}
	if fold := foldOf("cluster 0"); !reflect.DeepEqual(c.Models[fold], without.Models[fold]) {
		t.Error("the model of a cluster's fold has seen the cluster")
	}
	if one, other := c.Preference("cluster 0", "x", "Yes, by far.", "No."), c.Preference("cluster 0", "y", "Yes, by far.", "No."); one != other {
		t.Errorf("two questions of one cluster: %v and %v", one, other)
	}
}

// TestRefuses checks that a refusal is found at the beginning of a word, in any case and after any mark.
func TestRefuses(t *testing.T) {
	for answer, want := range map[string]bool{
		"As an AI, I have no opinion.":           true,
		"“I’m sorry, but that is private.”":      true,
		"Well… I CAN NOT say.":                   true,
		"Hawaii cannot be reached by train.":     false, // "i cannot " is the end of a word
		"Hawaii cannot be reached. I can't say.": true,
		"I can tell you: it is Paris.":           false,
		"":                                       false,
		"Please provide":                         true,
		"_i cannot say":                          false,
		"我I cannot say":                          true, // a word begins at an ASCII letter
		"İ can't say":                            false,
		"pleaſe provide":                         true,
	} {
		if got := refuses(answer); got != want {
			t.Errorf("%q: %v, want %v", answer, got, want)
		}
	}
}
