package text

import (
	"slices"
	"strings"

	"compqa/judges/text/lexical"
)

// A label is the name that a line begins with, as "Price" in "**Price:** Tea is cheaper."
type label struct {
	name  string
	Rest  string // the line after the name
	bold  bool
	title bool // "**Price** Tea is cheaper.": no colon or dash after the name
	role  role
}

const (
	maxNameWords = 9
)

// splitLabel finds the label in front of a line: "**Name**: text", "*Name*: text", "Name: text", and in a list "Name - text". See boldLabel
// for names in bold or italics. The bool is false if the line has no label.
func splitLabel(s string, inList bool) (label, bool) {
	for _, mark := range []string{"***", "**", "__", "*", "_"} {
		if strings.HasPrefix(s, mark) {
			return boldLabel(s, mark, inList)
		}
	}
	if tag := lexical.LeadingTag(s); tag > 0 { // "[generated] Price: …": the tag moves to the end of Rest
		l, ok := PlainLabel(strings.TrimLeft(s[tag:], " *"), inList)
		l.name = cleanName(l.name)
		l.Rest = strings.TrimLeft(l.Rest, " *") + " " + s[:tag]
		return l, ok && l.name != ""
	}
	return PlainLabel(s, inList)
}

// boldLabel finds the label of a line that begins with mark ("**", "__", "*" …). The bool is false if there is none. Examples:
//
//	**Best option: Tea**        name "Best option", Rest "Tea"
//	**Argument 3: Price**       name "Price", no Rest: "Argument 3" is a number, not a name
//	**Price**: text             name "Price", Rest "text"; likewise **Price:** text
//	**Price** (in shops): text  name "Price", Rest "text"; what is in brackets is dropped
//	**Price**                   name "Price", no Rest
//	**Price** - text            name "Price", Rest "text"
//	**Price** Tea is cheaper.   name "Price", Rest "Tea is cheaper.", title
//	*Price*: text               as in bold, but italics are a label only with a colon
//	**Price** is lower.         no label: stressed words within a sentence
//	**Tea is cheaper.**         no label: a sentence, or more than nine words
func boldLabel(s, mark string, inList bool) (label, bool) {
	body := s[len(mark):]
	end := strings.Index(body[:min(len(body), lexical.MaxNameBytes)], mark)
	if end <= 0 {
		return label{}, false
	}
	name := strings.TrimSpace(body[:end])
	rest := body[end+len(mark):]
	strong := len(mark) > 1
	l := label{bold: strong}
	if i := strings.Index(name, ": "); i > 0 && strings.TrimSpace(rest) == "" { // "**Best option: Tea**"
		l.name = cleanName(name[:i])
		l.Rest = name[i+2:]
		if argumentNumber(name[:i]) {
			l.name = cleanName(name)
			l.Rest = ""
		}
		l.role = roleOf(l.name)
		return l, l.name != ""
	}
	colon := strings.HasSuffix(name, ":") || strings.HasPrefix(strings.TrimLeft(rest, " "), ":")
	l.name = cleanName(name)
	if l.name == "" || !strong && !colon {
		return label{}, false
	}
	if !colon && strings.HasPrefix(strings.TrimLeft(rest, " "), "(") { // "**Price** (in shops): …"
		if i := strings.Index(rest[:min(len(rest), lexical.MaxNameBytes)], "):"); i > 0 {
			rest = rest[i+1:]
			colon = true
		}
	}
	l.Rest = strings.TrimLeft(rest, " :")
	switch {
	case colon, l.Rest == "":
	case strings.HasPrefix(l.Rest, "- ") || strings.HasPrefix(l.Rest, "-") && !inList:
		l.Rest = strings.TrimLeft(l.Rest, "- ")
	case strings.HasPrefix(rest, " ") && !lexical.IsLower(l.Rest[0]) && l.Rest[0] != '(' && l.Rest[0] != '"':
		l.title = true
	default:
		return label{}, false
	}
	l.role = roleOf(l.name)
	return l, !(l.Rest == "" && strings.HasSuffix(name, ".") || wordCount(l.name) > maxNameWords)
}

// PlainLabel finds the label of a line without bold or italics: "Name: text", in a list also "Name - text". Outside a list, it also finds a
// line that is only a known heading ("The Best Option"), and a known heading before its text (see plainTitle).
func PlainLabel(s string, inList bool) (label, bool) {
	window := s[:min(len(s), lexical.MaxNameBytes)]
	for i := 0; i < len(window); i++ {
		c := window[i]
		if !endsName[c] {
			continue
		}
		switch {
		case c == ':' && (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '*'):
			return namedBy(s[:i], s[i+1:], 7)
		case c == '-' && inList && i > 1 && window[i-1] == ' ' && strings.HasPrefix(s[i:], "- "):
			return namedBy(s[:i-1], s[i+2:], 5)
		case c == ';' || lexical.SentenceEnd(c) && i+1 < len(s) && s[i+1] == ' ' && !strings.HasSuffix(s[:i], " vs"):
			return label{}, false
		}
	}
	if len(s) < lexical.MaxNameBytes && !inList && startsName(s) && !lexical.SentenceEnd(s[len(s)-1]) && wordCount(s) <= maxNameWords {
		if r := roleOf(s); r != noRole {
			return label{name: cleanName(s), role: r}, true // a line with "The Best Option" alone
		}
	}
	return plainTitle(s)
}

// endsName is a quick test: all other characters continue a name.
var endsName = lexical.ByteSet(":-;.!?")

// plainTitle finds a known heading run together with its text, as in "Summary Tea and coffee are …".
func plainTitle(s string) (label, bool) {
	if s == "" {
		return label{}, false
	}
	for _, title := range knownTitles[s[0]] {
		if rest, ok := strings.CutPrefix(s, title); ok && len(rest) > 1 && rest[0] == ' ' {
			if t := strings.TrimLeft(rest, " "); t != "" && !lexical.IsLower(t[0]) && t[0] != '(' && t[0] != '-' {
				return label{name: title, Rest: t, title: true, role: roleOf(title)}, true
			}
		}
	}
	return label{}, false
}

// knownTitles are listed by their first letter.
var knownTitles = func() (t [256][]string) {
	for _, title := range []string{
		"Summary", "Introduction", "Overview", "Conclusion", "Main Aspects of Comparison", "Main Aspects",
		"The Best Option", "The best option", "The Better Option", "The better option",
		"Best Option", "Best option", "Better Option", "Better option", "Used Arguments", "Arguments Used",
		"Numbered List of Used Arguments", "Numbered list of used arguments", "List of Used Arguments",
	} {
		t[title[0]] = append(t[title[0]], title)
	}
	return t
}()

// namedBy returns the label with this name and rest. The bool is false if name cannot be one: it is empty, has more than the given number
// of words, begins in lower case, or begins with a word of leading ("For example: …").
func namedBy(name, rest string, words int) (label, bool) {
	clean := cleanName(name)
	firstWord, _, _ := strings.Cut(clean, " ")
	if clean == "" || strings.Contains(clean, "  ") || wordCount(clean) > words || !startsName(clean) ||
		slices.Contains(leading, strings.ToLower(firstWord)) {
		return label{}, false
	}
	return label{name: clean, Rest: strings.TrimLeft(rest, " "), role: roleOf(clean)}, true
}

// startsName reports whether a text can begin a name: it is not empty, and its first letter is not in lower case.
func startsName(s string) bool { return s != "" && !lexical.IsLower(s[0]) }

// leading lists first words that announce what follows a colon, and so do not begin a name: "Note: …".
var leading = strings.Fields("here here's below based let let's note notes example examples for following after when if to in on as " +
	"there these this they it i we you question by from")

// cleanName strips markup, numbering and punctuation from around a name. "Argument 3: Market share" is named "Market share",
// and "Argument 3" has no name.
func cleanName(s string) string {
	s = strings.Trim(lexical.StripMarkup(s), " :*#\"'•-|")
	for range 3 {
		t := s
		if n := listNumber(t); n > 0 {
			t = strings.TrimLeft(t[n:], " *")
		}
		if rest, ok := lexical.CutFold(t, "argument"); ok {
			rest = strings.TrimLeft(rest, "s #")
			if n := lexical.LeadingDigits(rest); n > 0 {
				t = strings.TrimLeft(rest[n:], " :.-)")
			}
		}
		if n := lexical.LeadingTag(t); n > 0 {
			t = strings.TrimLeft(t[n:], " ")
		}
		if t == s {
			break
		}
		s = t
	}
	if i := strings.IndexByte(s, '['); i > 0 { // "Price [3]"
		if end := strings.IndexByte(s[i:], ']'); end > 0 && lexical.IsCitation(s[i+1:i+end]) {
			s = s[:i] + s[i+end+1:]
		}
	}
	return strings.Trim(s, " :")
}

// argumentNumber reports whether a name is "Argument 3" and nothing else.
func argumentNumber(s string) bool {
	rest, ok := lexical.CutFold(strings.TrimSpace(s), "argument")
	rest = strings.TrimLeft(rest, "s #")
	return ok && rest != "" && lexical.LeadingDigits(rest) == len(rest)
}

func wordCount(s string) int { return len(strings.Fields(s)) }

// splitTitle splits a # heading from text that stands in the same line by mistake. A known title ("Summary") or a known label ("Best
// option:") ends where it ends. Otherwise a line of up to ten words without a full stop is all title. A longer line is cut at two spaces,
// after a colon, or before the capitalised word that starts the sentence.
func splitTitle(s string) (title, rest string) {
	s = strings.TrimLeft(s[listNumber(s):], " ")
	if l, ok := plainTitle(s); ok {
		return l.name, l.Rest
	}
	if l, ok := PlainLabel(s, false); ok && l.Rest != "" && l.role != noRole { // "### Best option: Tea"
		return l.name, l.Rest
	}
	if wordCount(s) <= 10 && !strings.Contains(s, ". ") {
		return s, ""
	}
	if i := strings.Index(s, "  "); i > 0 && i < lexical.MaxNameBytes {
		return s[:i], strings.TrimLeft(s[i:], " ")
	}
	end := 0
	last := 0 // end: after the run of capitalised words; last: start of the last capitalised word
	for index := 0; index < len(s); {
		word, _, _ := strings.Cut(s[index:], " ")
		if word == "" || lexical.IsLower(word[0]) && !slices.Contains(connecting, word) || index > lexical.MaxNameBytes {
			break
		}
		if !lexical.IsLower(word[0]) {
			last = index
		}
		index += len(word) + 1
		end = index
		if strings.HasSuffix(word, ":") {
			return s[:index-1], strings.TrimLeft(s[min(index, len(s)):], " ")
		}
	}
	switch {
	case end >= len(s):
		return s, ""
	case last == 0:
		return "", s
	}
	return strings.TrimSpace(s[:last]), s[last:]
}

var connecting = []string{"and", "or", "of", "for", "the", "in", "to", "with", "vs", "vs.", "a", "on", "&"}
