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

func HashWord(s string) Word {
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
		if c := s[i]; c < 0x80 && lowerASCII[c] == 0 {
			i++
			continue
		}
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

// lowered is an ASCII letter in lower case, or a digit, by itself; 0 for other
// bytes.
var lowerASCII = func() (t [256]byte) {
	for i := range t {
		switch c := byte(i); {
		case IsLower(c) || IsDigit(c):
			t[i] = c
		case IsUpper(c):
			t[i] = c | 0x20
		}
	}
	return t
}()

// NextWord reads the word at the start of s and returns it with its stem and its
// length in bytes, 0 where no word starts. Nearly all words are ASCII letters and
// digits from end to end; those are read here, in registers.
func NextWord(s string) (w, stem Word, size int) {
	w = HashOffset
	before, i := Word(0), 0
	for i < len(s) && lowerASCII[s[i]] != 0 {
		before, w = w, w.add(lowerASCII[s[i]])
		if i++; i == stemBytes {
			stem = w
		}
	}
	if i < len(s) {
		if c := s[i]; c >= 0x80 || c == '\'' || c == '.' || c == ',' || c == '+' || c == '#' {
			h := hasher{w: w, before: before, stem: stem, n: i}
			if i > 0 {
				h.last = lowerASCII[s[i-1]]
			}
			return h.goOn(s, i)
		}
	}
	switch {
	case i > stemBytes:
		return w, stem, i
	case i > 3 && lowerASCII[s[i-1]] == 's':
		return w, before, i
	}
	return w, w, i
}

// A hasher reads a word's bytes and keeps the hash before the last one, for
// the plural, and the one at the stem's end.
type hasher struct {
	w, before, stem Word
	last            byte
	n               int
}

// goOn reads the word at the start of s from its byte i on.
func (h *hasher) goOn(s string, i int) (w, stem Word, size int) {
	for i < len(s) {
		c := s[i]
		switch {
		case IsLower(c) || IsDigit(c):
			h.add(c)
		case IsUpper(c):
			h.add(c | 0x20)
		case c >= 0x80:
			r, size := utf8.DecodeRuneInString(s[i:])
			if unspaced(r) {
				if i == 0 {
					h.addRune(r)
					i = size
				}
				return h.word(i)
			}
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
				return h.word(i)
			}
			h.addRune(unicode.ToLower(r))
			i += size - 1
		case c == '\'':
			if i == 0 || i+1 >= len(s) || !IsLetterOrDigit(s[i+1]) {
				return h.word(i)
			}
			if s[i+1]|0x20 == 's' && (i+2 == len(s) || !IsLetterOrDigit(s[i+2])) {
				return h.word(i + 2)
			}
		case (c == '.' || c == ',') && i > 0 && IsDigit(s[i-1]) && i+1 < len(s) && IsDigit(s[i+1]):
			h.add(c)
		case (c == '+' || c == '#') && i > 0 && !IsDigit(s[i-1]):
			h.add(c)
		default:
			return h.word(i)
		}
		i++
	}
	return h.word(i)
}

func (h *hasher) add(c byte) {
	h.before, h.w, h.last = h.w, h.w.add(c), c
	if h.n++; h.n == stemBytes {
		h.stem = h.w
	}
}

func (h *hasher) addRune(r rune) {
	var buf [utf8.UTFMax]byte
	n := utf8.EncodeRune(buf[:], r)
	for _, c := range buf[:n] {
		h.add(c)
	}
}

// word is the word that was read, with its stem and its length.
func (h *hasher) word(size int) (w, stem Word, n int) {
	switch {
	case h.n > stemBytes:
		return h.w, h.stem, size
	case h.n > 3 && h.last == 's':
		return h.w, h.before, size
	}
	return h.w, h.w, size
}

// unspaced reports whether a script is written without spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0e00 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}
