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

var tag = regexp.MustCompile(`<[^<>]*>`) // as <noinput>

// refusals are what refusals of a model say, in lower case; each begins with a word.
var refusals = []string{"as an ai", "language model", "please provide",
	"i am sorry", "i'm sorry", "i’m sorry", "i am unable", "i'm unable", "i’m unable", "i am not able", "i'm not able", "i’m not able",
	"i can not ", "i cannot ", "i can't ", "i can’t ", "i don't have access", "i don't have the ability"}

// refuses reports whether an answer has one of the refusals.
func refuses(answer string) bool {
	answer = strings.Map(lower, answer)
	return slices.ContainsFunc(refusals, func(refusal string) bool {
		for from := 0; ; from++ {
			index := strings.Index(answer[from:], refusal)
			if index < 0 {
				return false
			}
			from += index
			if from == 0 || !wordByte(answer[from-1]) {
				return true
			}
		}
	})
}

// lower returns a rune as regular expressions of Go compare it without regard to case, if it is an ASCII letter or folds to one.
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

// parts returns the pieces of a text between separators, without those that are empty.
func parts(text string, separator func(rune) bool) []string {
	pieces := data.Each(strings.FieldsFunc(text, separator), strings.TrimSpace)
	return slices.DeleteFunc(pieces, func(piece string) bool { return piece == "" })
}

// repeatedShare returns the share of pieces that occurred earlier, in [0, 1], in capital letters or not.
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

// newText returns how much of an answer is neither in the question nor earlier in the answer, about in bytes: 1 for each byte
// that begins no earlier passage of at least four bytes, and passageCost for each such passage, as long as it goes on (the
// parse of Ziv and Lempel 1977, with the latest earlier passage alone). No compressor of the library is used: its output may
// change with a version of Go, and a recorded choice has to be found again.
func newText(question, answer string) float64 {
	const least, passageCost = 4, 3
	text := []byte(question + "\n" + answer)
	size := bits.Len(uint(len(text)))
	latest := make([]int32, 1<<size)    // 1 + the place of the latest passage of four bytes, by their hash (Knuth 1973, 6.4)
	earlier := make([]int32, len(text)) // 1 + the place of the passage before with the same hash, by place
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

// endsWhole reports whether a text ends with closing punctuation, or is one short line that ends
// with a letter or digit, as names and numbers do.
func endsWhole(text string) bool {
	text = strings.TrimSpace(text)
	last, size := utf8.DecodeLastRuneInString(text)
	if size == 0 {
		return false
	}
	short := func() bool { return !strings.Contains(text, "\n") && len(strings.Fields(text)) <= 12 }
	return strings.ContainsRune(".!?:;…)]}\"'”’»`*。！？|", last) || (unicode.IsLetter(last) || unicode.IsDigit(last)) && short()
}
