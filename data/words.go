package data

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Word is a word of a text: in lower case after Unicode compatibility folding, without a
// possessive 's, and the bytes that it takes in the text.
type Word struct {
	Text       string
	Start, End int
}

// Words returns the words of a text. Letters, digits and marks make words; so do an apostrophe between letters (don't),
// a dot or comma between digits (3.5), and + or # after a letter (C++). Chinese, Japanese and Thai, which have no
// spaces between words, give one word a letter. Two texts with the same words count as equal.
func Words(text string) []string {
	words := make([]string, 0, len(text)/6+1)
	for w, ok := NextWord(text, 0); ok; w, ok = NextWord(text, w.End) {
		words = append(words, w.Text)
	}
	return words
}

// NextWord finds the first word of a text at byte from or after it; false: there are no more.
func NextWord(text string, from int) (Word, bool) {
	for from < len(text) {
		r := rune(text[from])
		size := 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[from:])
		}
		if wordRune(r) {
			break
		}
		from += size
	}
	w := Word{Start: from, End: from}
	spelled := from // end of the word without a possessive
	for w.End < len(text) {
		if c := text[w.End]; c < utf8.RuneSelf && wordRune(rune(c)) { // most are
			w.End++
			spelled = w.End
			continue
		}
		r, size := utf8.DecodeRuneInString(text[w.End:])
		if after := w.End + size; r == '\'' || r == '’' {
			next := runeAt(text, after)
			if !unicode.IsLetter(next) {
				break
			}
			if (next == 's' || next == 'S') && !wordRune(runeAt(text, after+1)) {
				w.End = after + 1
				break
			}
		} else if !continues(text, w, r, size) {
			break
		}
		w.End += size
		spelled = w.End
		if unspaced(r) {
			break
		}
	}
	w.Text = foldWord(text[w.Start:spelled])
	return w, w.Start < len(text)
}

// continues reports whether the rune at the end of a word is part of it.
func continues(text string, w Word, r rune, size int) bool {
	switch r {
	case '.', ',':
		return unicode.IsDigit(runeBefore(text, w.End)) && unicode.IsDigit(runeAt(text, w.End+size))
	case '+', '#':
		return !unicode.IsDigit(runeBefore(text, w.End))
	}
	return wordRune(r) && (w.End == w.Start || !unspaced(r))
}

// runeAt and runeBefore are 0 outside the text.
func runeAt(text string, index int) rune {
	if index >= len(text) {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(text[index:])
	return r
}

func runeBefore(text string, index int) rune {
	r, _ := utf8.DecodeLastRuneInString(text[:index])
	return r
}

func foldWord(s string) string {
	lower := true
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return strings.ReplaceAll(strings.ToLower(norm.NFKC.String(s)), "’", "'")
		}
		lower = lower && s[i] >= 'a'
	}
	if lower {
		return s
	}
	return strings.ToLower(s)
}

// wordASCII are the ASCII letters and digits.
var wordASCII = func() (set [utf8.RuneSelf]bool) {
	for c := range set {
		set[c] = c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
	}
	return set
}()

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return wordASCII[r]
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// unspaced reports whether a letter is of a script written without spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
		unicode.Myanmar)
}

// Set returns the distinct words of a list, sorted.
func Set(words []string) []string {
	set := slices.Clone(words)
	slices.Sort(set)
	return slices.Compact(set)
}

// Jaccard returns the share of words that two sets (see Set) have in common, in [0, 1]. It is 1 for two empty sets.
func Jaccard(a, b []string) float64 {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch order := strings.Compare(a[i], b[j]); {
		case order == 0:
			common++
			i++
			j++
		case order < 0:
			i++
		default:
			j++
		}
	}
	if len(a)+len(b) == 0 {
		return 1
	}
	return float64(common) / float64(len(a)+len(b)-common)
}

// Stem returns a word in lower case without a plural ending.
func Stem(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 4 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "ches") ||
		strings.HasSuffix(w, "xes")):
		return w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return w[:len(w)-1]
	}
	return w
}

// Stems returns the words of a text without plural endings.
func Stems(text string) []string { return Each(Words(text), Stem) }

// Plural returns a number with its noun, for messages: "1 call", "2 calls".
func Plural(n int, one, many string) string { return strconv.Itoa(n) + " " + Form(n, one, many) }

// Form returns the word for one thing or for several, by their number.
func Form(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// List joins names for messages: "a", "a and b", "a, b and c".
func List(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Capital returns a text with its first letter in upper case.
func Capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}
