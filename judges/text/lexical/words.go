package lexical

import (
	"unicode"
	"unicode/utf8"
)

// A Word is the hash of a word's letters and digits in lower case, without a
// possessive 's. Equal hashes are taken for equal words: among the 1,000
// different words of a long answer the chance of any two colliding in 64 bits
// is below 1 in 10^13.
type Word uint64

// FNV-1a, 64 bits.
const (
	HashOffset Word = 14695981039346656037
	HashPrime  Word = 1099511628211
)

func (w Word) add(c byte) Word { return (w ^ Word(c)) * HashPrime }

func HashWord[Text string | []byte](s Text) Word {
	w := HashOffset
	for i := range len(s) {
		w = w.add(s[i])
	}
	return w
}

// A Token is one word of a text. Its stem is the hash of the first stemBytes
// bytes, a plural s left out: rough, but "reliable" and "reliability" share it.
// Where the name of an object begins, object says which, and length in how
// many words.
type Token struct {
	Word   Word
	Stem   Word
	Class  Class
	Object Objects
	Length uint8
}

const stemBytes = 6

// Tokens appends the words of a text. Letters and digits make words; so do dots
// and commas between digits (3.5) and + or # after a letter (C++). Chinese,
// Japanese and Thai, which put no spaces between words, give one word a letter.
func Tokens(dst []Token, s string) []Token {
	for i := 0; i < len(s); {
		w, stem, n := NextWord(s[i:])
		if n == 0 {
			_, size := utf8.DecodeRuneInString(s[i:])
			i += size
			continue
		}
		dst = append(dst, Token{Word: w, Stem: stem, Class: Lexicon[w]})
		i += n
	}
	return dst
}

// NextWord reads the word at the start of s and returns it with its stem and its
// length in bytes, 0 where no word starts.
func NextWord(s string) (w, stem Word, size int) {
	var buffer [64]byte
	word := buffer[:0]
	i := 0
reading:
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case IsLower(c) || IsDigit(c):
			word = append(word, c)
		case IsUpper(c):
			word = append(word, c|0x20)
		case c >= 0x80:
			r, size := utf8.DecodeRuneInString(s[i:])
			if unspaced(r) && i == 0 {
				word, i = utf8.AppendRune(word, r), size
				break reading
			}
			if unspaced(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
				break reading
			}
			word = utf8.AppendRune(word, unicode.ToLower(r))
			i += size - 1
		case c == '\'':
			if i == 0 || i+1 >= len(s) || !IsLetterOrDigit(s[i+1]) {
				break reading
			}
			if s[i+1]|0x20 == 's' && (i+2 == len(s) || !IsLetterOrDigit(s[i+2])) {
				i += 2
				break reading
			}
		case (c == '.' || c == ',') && i > 0 && IsDigit(s[i-1]) && i+1 < len(s) && IsDigit(s[i+1]),
			(c == '+' || c == '#') && i > 0 && !IsDigit(s[i-1]):
			word = append(word, c)
		default:
			break reading
		}
	}
	w = HashWord(word)
	switch n := len(word); {
	case n > stemBytes:
		return w, HashWord(word[:stemBytes]), i
	case n > 3 && word[n-1] == 's':
		return w, HashWord(word[:n-1]), i
	}
	return w, w, i
}

// unspaced reports whether a script is written without spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0e00 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}
