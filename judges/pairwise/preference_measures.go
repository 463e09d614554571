package pairwise

import (
	"encoding/binary"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"compqa/data"
)

var tag = regexp.MustCompile(`<[^<>]*>`) // an HTML-like tag, as <noinput>

// refusals are phrases with which models refuse, in lower case. Each begins with a letter.
var refusals = []string{"as an ai", "language model", "please provide",
	"i am sorry", "i'm sorry", "i’m sorry", "i am unable", "i'm unable", "i’m unable", "i am not able", "i'm not able", "i’m not able",
	"i can not ", "i cannot ", "i can't ", "i can’t ", "i don't have access", "i don't have the ability"}

// refuses reports whether an answer contains one of the refusals, at the beginning of a word.
func refuses(answer string) bool {
	answer = strings.Map(lower, answer)
	within := false // a word
	for i := range len(answer) {
		if !within && slices.ContainsFunc(refusalsFrom[answer[i]], func(refusal string) bool { return strings.HasPrefix(answer[i:], refusal) }) {
			return true
		}
		within = wordByte(answer[i])
	}
	return false
}

// refusalsFrom are the refusals by their first byte.
var refusalsFrom = func() (by [256][]string) {
	for _, refusal := range refusals {
		by[refusal[0]] = append(by[refusal[0]], refusal)
	}
	return by
}()

// lower returns r in lower case if it is an ASCII letter, or a letter that folds to ASCII. Go's regular expressions with (?i) compare so.
func lower(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r == 'ſ':
		return 's'
	case r == '\u212a': // the sign of kelvin
		return 'k'
	}
	return r
}

func wordByte(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z'
}

func lineEnd(r rune) bool     { return r == '\n' }
func sentenceEnd(r rune) bool { return r == '.' || r == '!' || r == '?' || r == '\n' }

// splitNonEmpty splits a text at the separators and returns the pieces that are not empty, without outer spaces.
func splitNonEmpty(text string, separator func(rune) bool) []string {
	pieces := data.Each(strings.FieldsFunc(text, separator), strings.TrimSpace)
	return slices.DeleteFunc(pieces, func(piece string) bool { return piece == "" })
}

// repeatedShare returns the share of pieces that occurred earlier, in any case, in [0, 1].
func repeatedShare(pieces []string) float64 {
	seen := map[string]bool{}
	n := 0
	for _, s := range pieces {
		s = strings.ToLower(s)
		if seen[s] {
			n++
		}
		seen[s] = true
	}
	return float64(n) / float64(max(1, len(pieces)))
}

// newText measures how much of an answer is neither in the question nor earlier in the answer, roughly in bytes. A byte that does not begin
// a repeated passage costs 1. A passage of at least four bytes that occurred before costs passageCost, however long it is (the parse of Ziv
// and Lempel 1977, with the latest earlier passage only). No compressor of the standard library is used, because its output can change with
// the version of Go, and recorded choices must be reproduced.
func newText(question, answer string) float64 {
	const least, passageCost = 4, 3
	text := []byte(question + "\n" + answer)
	size := bits.Len(uint(len(text)))
	latest := make([]int32, 1<<size)    // by hash: 1 + the position of the latest passage of four bytes (Knuth 1973, 6.4)
	earlier := make([]int32, len(text)) // by position: 1 + the position of the previous passage with the same hash
	passage := func(index int) uint32 { return binary.LittleEndian.Uint32(text[index:]) }
	hashed := func(index int) uint32 { return passage(index) * 2654435769 >> (32 - size) }
	seen := 0
	learn := func(to int) {
		for ; seen < to && seen+least <= len(text); seen++ {
			hash := hashed(seen)
			earlier[seen] = latest[hash]
			latest[hash] = int32(seen) + 1
		}
	}
	cost := 0
	for index := len(question) + 1; index < len(text); {
		learn(index)
		from := -1
		if index+least <= len(text) {
			from = int(latest[hashed(index)]) - 1
		}
		for from >= 0 && passage(from) != passage(index) {
			from = int(earlier[from]) - 1
		}
		if from < 0 {
			cost++
			index++
			continue
		}
		length := least
		for index+length < len(text) && text[from+length] == text[index+length] {
			length++
		}
		cost += passageCost
		index += length
	}
	return float64(cost)
}

// endsWhole reports whether a text ends like a finished one: with closing punctuation, or as one line of up to twelve words with a letter
// or digit at the end, such as a name or number.
func endsWhole(text string) bool {
	text = strings.TrimSpace(text)
	last, size := utf8.DecodeLastRuneInString(text)
	if size == 0 {
		return false
	}
	short := func() bool { return !strings.Contains(text, "\n") && len(strings.Fields(text)) <= 12 }
	return strings.ContainsRune(".!?:;…)]}\"'”’»`*。！？|", last) || (unicode.IsLetter(last) || unicode.IsDigit(last)) && short()
}
