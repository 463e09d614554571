package text

import (
	"testing"
)

func TestNames(t *testing.T) {
	for _, c := range []struct {
		object1, object2, text string
		want                   objects
	}{
		{"tea", "coffee", "Tea is hot.", first},
		{"tea", "coffee", "TEA and Coffees", both},
		{"tea", "coffee", "The team has a coffeehouse.", 0},
		{"tea", "coffee", "Coffee's price", second},
		{"cats", "dogs", "a cat and two dogs", both},
		{"The Simpsons", "Family Guy", "The Simpson and the Simpsons", first},
		{"Family Guy", "The Simpsons", "the guy and the family", 0}, // both words are common ones
		{"Honda CR-V", "Toyota RAV4", "the CR-V", first},
		{"Honda CR-V", "Toyota RAV4", "the CRV, the rav4", both},
		{"Honda CR-V", "Toyota RAV4", "Toyota", second},
		{"Google search", "Yahoo search", "Google is a search engine", first},
		{"Google search", "Yahoo search", "search", 0},
		{"electric stove", "gas stove", "Gas is hot, electric stoves are not.", both},
		{"merge sort", "quicksort", "Mergesort", first},
		{"merge sort", "quicksort", "quick-sort", second},
		{"skiing", "snowboarding", "skiers and a snowboarder ski", both},
		{"football", "American football", "American football", second},
		{"football", "American football", "football", first},
		{"C++", "C#", "C++", first},
		{"C++", "C#", "C# is newer", second},
		{"C++", "C", "C is older", second},
		{"Node.js", "PHP", "node js", first},
		{"café", "bar", "cafe\u0301", first},
		{"猫", "犬", "猫は可愛い", first},
		{"чай", "кофе", "Чай и Кофе", both},
		{"PS3", "DS", "the ps3 beats the ds", both},
		{"", "tea", "tea", second},
		{"", "", "tea", 0},
		{"!!", "tea", "!!", 0},
	} {
		n := newNames(c.object1, c.object2)
		ws := tokens(nil, clean(c.text))
		if n.mark(ws); named(ws) != c.want {
			t.Errorf("%q | %q in %q: %02b, want %02b", c.object1, c.object2, c.text, named(ws), c.want)
		}
	}
}

func TestAliases(t *testing.T) {
	for _, c := range []struct {
		object1, object2, text, later string
		want                          objects
	}{
		{"ps3", "ds", "The PlayStation 3 (PS3) is a console.", "the PlayStation 3", first},
		{"ps3", "ds", "The PlayStation 3 (PS3) is a console.", "the PlayStation", 0},
		{"IELTS", "TOEFL", "IELTS (International English Test) and others", "the International English Test", first},
		{"tea", "coffee", "Tea (green or black) is hot.", "green or black", 0},
		{"tea", "coffee", "Tea (Camellia) is hot.", "Camellia", 0},
		{"tea", "coffee", "An old drink (tea) is hot.", "old drink", 0},
	} {
		n := newNames(c.object1, c.object2)
		n.learn(c.text)
		ws := tokens(nil, c.later)
		if n.mark(ws); named(ws) != c.want {
			t.Errorf("after %q, %q names %02b, want %02b", c.text, c.later, named(ws), c.want)
		}
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string][]string{
		"Tea isn't Dell's.":  {"tea", "isnt", "dell"},
		"3.5 GB, 1,000 km":   {"3.5", "gb", "1,000", "km"},
		"C++ and C# 'quote'": {"c++", "and", "c#", "quote"},
		"猫と犬":                {"猫", "と", "犬"},
		"ÉTÉ":                {"été"},
		"… - !":              nil,
	} {
		got := tokens(nil, text)
		if len(got) != len(want) {
			t.Errorf("%q: %d words, want %d", text, len(got), len(want))
			continue
		}
		for i, w := range want {
			if got[i].word != hashOf(w) {
				t.Errorf("%q: word %d is not %q", text, i, w)
			}
		}
	}
}

func TestStemsJoinFormsOfAWord(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"price", "prices", true}, {"reliable", "reliability", true}, {"glass", "glas", false}, {"is", "i", false}, {"tea", "team", false},
	} {
		_, a, _ := nextWord(c.a)
		_, b, _ := nextWord(c.b)
		if (a == b) != c.same {
			t.Errorf("%s and %s: same stem %v, want %v", c.a, c.b, a == b, c.same)
		}
	}
}
