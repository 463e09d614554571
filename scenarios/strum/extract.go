package strum

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"compqa/data"
)

// names are the forms in which a text names an object.
type names struct {
	full    []string // the words of the name, without their endings
	singles []string // capitalised words that only this object's name has
}

// namesOf are the names of the question's objects.
func namesOf(q data.Question) (list [2]names) {
	objects := [2]string{q.Object1, q.Object2}
	for k, object := range objects {
		list[k].full = stems(object)
		if len(list[k].full) < 2 {
			continue
		}
		other := stems(objects[1-k])
		for _, word := range strings.Fields(object) {
			stem := stems(word)
			first, _ := utf8.DecodeRuneInString(word)
			if len(stem) == 1 && unicode.IsUpper(first) && !stopWords[stem[0]] && !slices.Contains(other, stem[0]) {
				list[k].singles = append(list[k].singles, stem[0])
			}
		}
	}
	return list
}

// named are the objects that a text names, and the one that it names first (-1: none). A name
// that is a part of the other's is not found inside it.
func named(objects [2]names, text string) (found [2]bool, first int) {
	words := stems(text)
	longer := 0
	if cmp.Or(cmp.Compare(len(objects[1].full), len(objects[0].full)), slices.Compare(objects[1].full, objects[0].full)) > 0 {
		longer = 1
	}
	first, earliest := -1, len(words)
	for _, k := range [2]int{longer, 1 - longer} {
		n := objects[k]
		at := indexOf(words, n.full)
		for i := at; i >= 0; i = indexOf(words, n.full) {
			for j := range n.full {
				words[i+j] = ""
			}
		}
		for _, single := range n.singles {
			if i := slices.Index(words, single); i >= 0 && (at < 0 || i < at) {
				at = i
			}
		}
		if found[k] = at >= 0; found[k] && at < earliest {
			first, earliest = k, at
		}
	}
	return found, first
}

// indexOf is the place of a sequence of words; -1: it is not there.
func indexOf(words, sequence []string) int {
	for i := 0; len(sequence) > 0 && i+len(sequence) <= len(words); i++ {
		if slices.Equal(words[i:i+len(sequence)], sequence) {
			return i
		}
	}
	return -1
}

// stems are the words of a text without plural endings.
func stems(text string) []string {
	words := data.Words(text)
	for i, w := range words {
		words[i] = data.Stem(w)
	}
	return words
}

// withoutNames are the words of a text without the objects' names.
func withoutNames(objects [2]names, text string) []string {
	words := stems(text)
	for _, n := range objects {
		for i := indexOf(words, n.full); i >= 0; i = indexOf(words, n.full) {
			words = slices.Delete(words, i, i+len(n.full))
		}
		words = slices.DeleteFunc(words, func(w string) bool { return slices.Contains(n.singles, w) })
	}
	return words
}

// A span is a part of a text.
type span struct{ start, end int }

func (s span) of(text string) string { return text[s.start:s.end] }

// trimmed is the span without white space and punctuation around it.
func (s span) trimmed(text string) span {
	cut := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:.!?–—-", r) }
	s.start += len(s.of(text)) - len(strings.TrimLeftFunc(s.of(text), cut))
	s.end = s.start + len(strings.TrimRightFunc(s.of(text), cut))
	return s
}

// sentences are the sentences of a text: parts that end with a full stop, question or
// exclamation mark before white space and something other than a small letter, or with a
// line break. Abbreviations and initials do not end one.
func sentences(text string) (list []span) {
	start := 0
	cut := func(end int) {
		if strings.ContainsFunc(text[start:end], unicode.IsLetter) {
			list = append(list, span{start, end})
		}
		start = end
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			cut(i + 1)
		case '.', '!', '?':
			end := i + 1
			for end < len(text) && strings.IndexByte(`.!?"')]`, text[end]) >= 0 {
				end++
			}
			next := strings.TrimLeft(text[end:], " \t")
			r, _ := utf8.DecodeRuneInString(next)
			if len(next) < len(text)-end && !unicode.IsLower(r) && !(text[i] == '.' && abbreviated(text[start:i])) {
				cut(len(text) - len(next))
			}
			i = max(i, end-1)
		}
	}
	cut(len(text))
	return list
}

// abbreviated reports whether the last word before a full stop is an abbreviation.
func abbreviated(before string) bool {
	word := before[strings.LastIndexAny(before, " \n\t(")+1:]
	return len(word) == 1 && word[0] >= 'A' && word[0] <= 'Z' || strings.Contains(word, ".") && len(word) < 6 || abbreviations[strings.ToLower(word)]
}

var abbreviations = wordSet("mr mrs ms dr st vs etc eg ie no approx prof")

var (
	// startsWithNot matches a clause without a verb: "but not a high-powered rifle".
	startsWithNot = regexp.MustCompile(`^\s*not\b`)

	clauseBreak  = regexp.MustCompile(`;|,? \b(?:whereas|while|but)\b `)
	segmentBreak = regexp.MustCompile(`[;:,(] ?|\b(?:whereas|while|but)\b `)
)

// clauses are the parts of a span that a pattern separates.
func clauses(text string, s span, separator *regexp.Regexp) (list []span) {
	start := s.start
	for _, m := range separator.FindAllStringIndex(s.of(text), -1) {
		list = append(list, span{start, s.start + m[0]})
		start = s.start + m[1]
	}
	return append(list, span{start, s.end})
}

// extract finds the values in the sources. An argument is split into clauses if each of
// them names one object; otherwise it goes to the object that it favours. The clauses of
// other texts belong to the object of their source, or to the one that they name.
func extract(q data.Question, sources []data.Source) (list []extraction, dropped []data.DroppedRow) {
	objects := namesOf(q)
	common := topicsOf(q, sources)
	for order, s := range sources {
		isArgument := false
		add := func(object int, attribute string, at span) {
			if at = at.trimmed(s.Text); at.start == at.end {
				return
			}
			quote := at.of(s.Text)
			rank := s.Rank
			if rank == 0 {
				rank = math.MaxInt32
			}
			x := extraction{object: object, attribute: attribute, value: strings.Join(strings.Fields(quote), " "), rank: rank, order: order,
				evidence: data.Evidence{Source: s.ID, Start: at.start, End: at.end, Quote: quote}}
			if found, _ := named(objects, quote); !isArgument && !found[1-object] {
				x.opinions = opinionsOf(quote)
			}
			list = append(list, x)
		}
		if a := argumentOf(q, s); a != nil {
			isArgument = true
			fromArgument(objects, *a, add)
			continue
		}
		for _, at := range sentences(s.Text) {
			found, first := named(objects, at.of(s.Text))
			object := first
			switch s.Entity {
			case string(data.Object1):
				object = 0
			case string(data.Object2):
				object = 1
			}
			parts := common.parts(s.Text, at)
			if object < 0 || len(parts) == 0 {
				continue
			}
			if s.Entity != data.EntityBoth && found[1-object] && !found[object] {
				dropped = append(dropped, droppedQuote(StageExtract, WrongEntity, object, parts[0].topic, s.ID, at.trimmed(s.Text), s.Text))
				continue
			}
			for _, p := range parts {
				of := object
				if s.Entity == data.EntityBoth {
					if _, first := named(objects, p.of(s.Text)); first >= 0 {
						of = first
					}
				}
				add(of, p.topic, p.span)
			}
		}
	}
	return list, dropped
}

// fromArgument adds the values of an argument.
func fromArgument(objects [2]names, a data.Argument, add func(object int, attribute string, at span)) {
	attribute := a.Aspect
	if attribute == "" {
		attribute = "in general"
	}
	whole := span{0, len(a.Text)}
	parts := clauses(a.Text, whole, clauseBreak)
	owners := make([]int, len(parts))
	for i, p := range parts {
		found, first := named(objects, p.of(a.Text))
		if found[0] == found[1] || startsWithNot.MatchString(p.of(a.Text)) {
			owners = nil
			break
		}
		owners[i] = first
	}
	if len(parts) > 1 && owners != nil {
		for i, p := range parts {
			add(owners[i], attribute, p)
		}
		return
	}
	_, owner := named(objects, a.Text)
	switch a.Favours {
	case data.Object1:
		owner = 0
	case data.Object2:
		owner = 1
	}
	if owner >= 0 {
		add(owner, attribute, whole)
	}
}

// droppedQuote is a part of a source that is left out.
func droppedQuote(stage, reason string, object int, attribute, source string, at span, text string) data.DroppedRow {
	var values [2][]data.ContrastValue
	values[object] = []data.ContrastValue{{Value: strings.Join(strings.Fields(at.of(text)), " "), Evidence: []data.Evidence{{Source: source, Start: at.start, End: at.end, Quote: at.of(text)}}}}
	return droppedValues(stage, reason, attribute, values)
}

// droppedValues are values that are left out. They are listed without supporters and
// conflicts, which would make their size quadratic in the number of sources.
func droppedValues(stage, reason, attribute string, values [2][]data.ContrastValue) data.DroppedRow {
	for k := range values {
		values[k] = append([]data.ContrastValue{}, values[k]...)
		for i := range values[k] {
			values[k][i].Supporters, values[k][i].Conflicts = nil, nil
		}
	}
	return data.DroppedRow{Stage: stage, Reason: reason, Row: data.ContrastRow{Attribute: attribute, Kind: data.RowImportant, Object1: values[0], Object2: values[1]}}
}
