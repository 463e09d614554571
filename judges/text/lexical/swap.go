package lexical

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SwapNames swaps the two names of each pair everywhere in a text. It matches names as whole words, in any case, with or
// without a plural s or a possessive. The other name is written as in the context. Longer names have priority.
func SwapNames(text, context string, pairs [][2]string) string {
	type swapped struct{ name, other string }
	var names []swapped
	for _, p := range pairs {
		if p[0] == "" || p[1] == "" {
			continue
		}
		names = append(names, swapped{p[0], written(context, p[1])}, swapped{p[1], written(context, p[0])})
	}
	slices.SortStableFunc(names, func(a, b swapped) int { return len(b.name) - len(a.name) })
	var b strings.Builder
next:
	for i := 0; i < len(text); {
		for _, s := range names {
			if n := nameAt(text, i, s.name); n > 0 {
				b.WriteString(InCaseOf(s.other, text[i:i+n]))
				i += n
				continue next
			}
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		b.WriteString(text[i : i+size])
		i += size
	}
	return b.String()
}

// written returns how a text writes a name: as it stands within a sentence, if it does. A capital
// at the beginning of a sentence does not count.
func written(text, name string) string {
	form := name
	for i := range text {
		if n := nameAt(text, i, name); n > 0 {
			form = text[i : i+n]
			if i > 1 && text[i-1] == ' ' && IsLower(text[i-2]) {
				return form
			}
		}
	}
	if form == InCaseOf(name, "A") {
		return name
	}
	return form
}

// nameAt returns the length of a name that stands at text[i], as a word or words of its own; a plural s is left where it is.
func nameAt(text string, i int, name string) int {
	if len(text)-i < len(name) || !strings.EqualFold(text[i:i+len(name)], name) || inWord(utf8.DecodeLastRuneInString(text[:i])) ||
		inWord(utf8.DecodeRuneInString(strings.TrimPrefix(text[i+len(name):], "s"))) {
		return 0
	}
	return len(name)
}

func inWord(r rune, size int) bool { return size > 0 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// InCaseOf gives a word a capital where the one in whose place it comes has one, and is not written in capitals altogether.
func InCaseOf(word, like string) string {
	if word != "" && like != "" && IsUpper(like[0]) && IsLower(word[0]) && (len(like) == 1 || !IsUpper(like[1])) {
		return strings.ToUpper(word[:1]) + word[1:]
	}
	return word
}
