package lexical

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SwapNames swaps the two names of each pair everywhere in text. Names match as whole words, in any case, also with a plural s or a
// possessive; longer names match first. Each name is spelled as context spells it.
func SwapNames(text, context string, pairs [][2]string) string {
	type swapped struct{ name, other string }
	var names []swapped
	for _, p := range pairs {
		if p[0] == "" || p[1] == "" {
			continue
		}
		names = append(names, swapped{p[0], spellingIn(context, p[1])}, swapped{p[1], spellingIn(context, p[0])})
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

// spellingIn returns the spelling of name in text, or name itself if text does not have it. The spelling within a sentence is preferred,
// because a capital at the start of a sentence says nothing.
func spellingIn(text, name string) string {
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

// nameAt returns the length of name if it stands at text[i] as whole words, else 0. A plural s may follow; it is not counted.
func nameAt(text string, i int, name string) int {
	if len(text)-i < len(name) || !strings.EqualFold(text[i:i+len(name)], name) || inWord(utf8.DecodeLastRuneInString(text[:i])) ||
		inWord(utf8.DecodeRuneInString(strings.TrimPrefix(text[i+len(name):], "s"))) {
		return 0
	}
	return len(name)
}

func inWord(r rune, size int) bool { return size > 0 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// InCaseOf returns word with a capital first letter if like begins with one, unless like is in capitals altogether.
func InCaseOf(word, like string) string {
	if word != "" && like != "" && IsUpper(like[0]) && IsLower(word[0]) && (len(like) == 1 || !IsUpper(like[1])) {
		return strings.ToUpper(word[:1]) + word[1:]
	}
	return word
}
