package lexical

import (
	"slices"
	"strings"
	"unicode/utf8"

	"compqa/data"
)

// A Token is one word of a text. If an object's name begins with the word, Object is that object and Length the number of words of the
// name.
type Token struct {
	Word string
	Entry
	Object Objects
	Length uint8
}

const stemBytes = 6

// Tokens appends the words of a text, as data.Words finds them.
func Tokens(dst []Token, s string) []Token {
	for w, ok := data.NextWord(s, 0); ok; w, ok = data.NextWord(s, w.End) {
		dst = append(dst, Token{Word: w.Text, Entry: Lexicon[w.Text]})
	}
	return dst
}

// Stem returns the word's first stemBytes bytes, or a shorter word without a plural s. It is rough, but "reliable" and "reliability" share
// it.
func (t Token) Stem() string {
	w := t.Word
	n := len(t.Word)
	switch {
	case n > stemBytes:
		n = stemBytes
		for n > 1 && !utf8.RuneStart(w[n]) {
			n--
		}
	case n > 3 && w[n-1] == 's':
		n--
	}
	return w[:n]
}

// ContentWords returns the words of a text that are not stop words, without plural endings.
func ContentWords(text string) []string {
	words := slices.DeleteFunc(data.Words(text), func(w string) bool { return Lexicon[w].Class&Stop != 0 })
	for i, w := range words {
		words[i] = data.Stem(w)
	}
	return words
}

// NameKey returns a key that is equal for different names of one attribute: the set of its content words, whatever their order and number.
// Names with different keys are different attributes, even if they share words.
func NameKey(name string) string {
	words := ContentWords(name)
	if len(words) == 0 {
		words = data.Stems(name)
	}
	return strings.Join(data.Set(words), " ")
}
