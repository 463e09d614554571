package lexical

import "testing"

func TestNames(t *testing.T) {
	for _, c := range []struct {
		object1, object2, text string
		want                   Objects
	}{
		{"tea", "coffee", "Tea is hot.", First},
		{"tea", "coffee", "TEA and Coffees", Both},
		{"tea", "coffee", "The team has a coffeehouse.", 0},
		{"tea", "coffee", "Coffee's price", Second},
		{"cats", "dogs", "a cat and two dogs", Both},
		{"The Simpsons", "Family Guy", "The Simpson and the Simpsons", First},
		{"Family Guy", "The Simpsons", "the guy and the family", 0}, // both words are common words
		{"Honda CR-V", "Toyota RAV4", "the CR-V", First},
		{"Honda CR-V", "Toyota RAV4", "the CRV, the rav4", Both},
		{"Honda CR-V", "Toyota RAV4", "Toyota", Second},
		{"Google search", "Yahoo search", "Google is a search engine", First},
		{"Google search", "Yahoo search", "search", 0},
		{"electric stove", "gas stove", "Gas is hot, electric stoves are not.", Both},
		{"merge sort", "quicksort", "Mergesort", First},
		{"merge sort", "quicksort", "quick-sort", Second},
		{"skiing", "snowboarding", "skiers and a snowboarder ski", Both},
		{"football", "American football", "American football", Second},
		{"football", "American football", "football", First},
		{"C++", "C#", "C++", First},
		{"C++", "C#", "C# is newer", Second},
		{"C++", "C", "C is older", Second},
		{"Node.js", "PHP", "node js", First},
		{"café", "bar", "cafe\u0301", First},
		{"猫", "犬", "猫は可愛い", First},
		{"чай", "кофе", "Чай и Кофе", Both},
		{"PS3", "DS", "the ps3 beats the ds", Both},
		{"", "tea", "tea", Second},
		{"", "", "tea", 0},
		{"!!", "tea", "!!", 0},
	} {
		n := NewNames(c.object1, c.object2)
		ws := Tokens(nil, Normalise(c.text))
		if n.Mark(ws); NamedObjects(ws) != c.want {
			t.Errorf("%q | %q in %q: %02b, want %02b", c.object1, c.object2, c.text, NamedObjects(ws), c.want)
		}
	}
}

func TestAliases(t *testing.T) {
	for _, c := range []struct {
		object1, object2, text, later string
		want                          Objects
	}{
		{"ps3", "ds", "The PlayStation 3 (PS3) is a console.", "the PlayStation 3", First},
		{"ps3", "ds", "The PlayStation 3 (PS3) is a console.", "the PlayStation", 0},
		{"IELTS", "TOEFL", "IELTS (International English Test) and others", "the International English Test", First},
		{"tea", "coffee", "Tea (green or black) is hot.", "green or black", 0},
		{"tea", "coffee", "Tea (Camellia) is hot.", "Camellia", 0},
		{"tea", "coffee", "An old drink (tea) is hot.", "old drink", 0},
	} {
		n := NewNames(c.object1, c.object2)
		n.Learn(c.text)
		ws := Tokens(nil, c.later)
		if n.Mark(ws); NamedObjects(ws) != c.want {
			t.Errorf("after %q, %q names %02b, want %02b", c.text, c.later, NamedObjects(ws), c.want)
		}
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string][]string{
		"Tea isn't Dell's.":  {"tea", "isn't", "dell"},
		"3.5 GB, 1,000 km":   {"3.5", "gb", "1,000", "km"},
		"C++ and C# 'quote'": {"c++", "and", "c#", "quote"},
		"猫と犬":                {"猫", "と", "犬"},
		"ÉTÉ":                {"été"},
		"… - !":              nil,
	} {
		got := Tokens(nil, text)
		if len(got) != len(want) {
			t.Errorf("%q: %d words, want %d", text, len(got), len(want))
			continue
		}
		for i, w := range want {
			if got[i].Word != w {
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
		a := Token{Word: c.a}.Stem()
		b := Token{Word: c.b}.Stem()
		if (a == b) != c.same {
			t.Errorf("%s and %s: same stem %v, want %v", c.a, c.b, a == b, c.same)
		}
	}
}
