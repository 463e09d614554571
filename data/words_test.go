package data

import (
	"slices"
	"strings"
	"testing"
)

// TestWords checks how texts are split into words, and that no word is empty.
func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Don't buy 3.5 litres, or 1,000.": "don't buy 3.5 litres or 1,000",
		"Tea's price; the cups' price":    "tea price the cups price",
		"C++ and C# (not C) cost 50+":     "c++ and c# not c cost 50",
		"the “best” tea’s “don’t”":        "the best tea don't",
		"state-of-the-art e.g. U.S.A.":    "state of the art e g u s a",
		"Ｔｅａ CAFE\u0301 ﬁne":              "tea café fine",
		"猫は安い cat":                        "猫 は 安 い cat",
		"":                                "",
		"--- [3] \xff":                    "3",
	} {
		if got := strings.Join(Words(text), " "); got != want {
			t.Errorf("%q has the words %q, want %q", text, got, want)
		}
		for w, ok := NextWord(text, 0); ok; w, ok = NextWord(text, w.End) {
			if w.Start >= w.End || w.Text == "" {
				t.Errorf("%q: %+v", text, w)
			}
		}
	}
}

func TestJaccard(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{{"a b c", "c b a", 1}, {"a b c", "b c d d", 0.5}, {"a", "b", 0}, {"", "", 1}, {"", "a", 0}} {
		if got := Jaccard(Set(strings.Fields(c.a)), Set(strings.Fields(c.b))); got != c.want {
			t.Errorf("%q and %q: %v, want %v", c.a, c.b, got, c.want)
		}
	}
	words := []string{"b", "a", "b"}
	if got := Set(words); !slices.Equal(got, []string{"a", "b"}) || words[0] != "b" {
		t.Errorf("%v of %v", got, words)
	}
}

func FuzzWords(f *testing.F) {
	f.Add("Don't 3.5 C++ 猫's \xff’s")
	f.Fuzz(func(t *testing.T, text string) {
		from := 0
		for w, ok := NextWord(text, 0); ok; w, ok = NextWord(text, w.End) {
			if w.Start < from || w.End <= w.Start || w.End > len(text) {
				t.Fatalf("%q: %+v after byte %d", text, w, from)
			}
			from = w.End
		}
	})
}
