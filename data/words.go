package data

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Word is a word of a text. Text is in lower case, after Unicode compatibility folding, without a possessive 's. Start and End are its
// bytes in the text.
type Word struct {
	Text       string
	Start, End int
}

// Words returns the words of a text. A word consists of letters, digits and marks. It may contain an apostrophe between letters (don't), a
// dot or comma between digits (3.5), and + or # after a letter (C++). Scripts without spaces between words, such as Chinese, Japanese and
// Thai, give one word a letter. Texts with the same words count as equal.
func Words(text string) []string {
	words := make([]string, 0, len(text)/6+1)
	for w, ok := NextWord(text, 0); ok; w, ok = NextWord(text, w.End) {
		words = append(words, w.Text)
	}
	return words
}

// NextWord returns the first word of a text that begins at or after byte from. The bool is false if there is none.
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
	spelled := from // end of the word before a possessive 's
	for w.End < len(text) {
		if c := text[w.End]; c < utf8.RuneSelf && wordRune(rune(c)) { // the usual case
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

// continues reports whether a rune after the current end of a word belongs to the word.
func continues(text string, w Word, r rune, size int) bool {
	switch r {
	case '.', ',':
		return unicode.IsDigit(runeBefore(text, w.End)) && unicode.IsDigit(runeAt(text, w.End+size))
	case '+', '#':
		return !unicode.IsDigit(runeBefore(text, w.End))
	}
	return wordRune(r) && (w.End == w.Start || !unspaced(r))
}

// runeAt returns the rune that begins at index, or 0 after the end of the text.
func runeAt(text string, index int) rune {
	if index >= len(text) {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(text[index:])
	return r
}

// runeBefore returns the rune that ends before index, or utf8.RuneError at the beginning of the text.
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

// unspaced reports whether a letter belongs to a script that has no spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
		unicode.Myanmar)
}

// Set returns the distinct items of a list, sorted.
func Set[T cmp.Ordered](list []T) []T {
	set := slices.Clone(list)
	slices.Sort(set)
	return slices.Compact(set)
}

// Jaccard returns the Jaccard index of two sorted sets of words (see Set), in [0, 1]: the share of all words that both have. It is 1 for
// two empty sets.
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

// Stem returns a word without its plural ending. The word must be in lower case.
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

// Plural returns a number and its noun for a message: "1 call", "2 calls".
func Plural(n int, one, many string) string { return strconv.Itoa(n) + " " + Form(n, one, many) }

// Form returns one if n is 1, else many.
func Form(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// List joins names for a message: "a", "a and b", "a, b and c".
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
