package text

import (
	"slices"
	"strings"

	"compqa/judges/text/lexical"
)

// A label is the name that a line begins with.
type label struct {
	name  string
	Rest  string // the line after the name
	bold  bool
	title bool // no colon or dash after it: a heading run together with its text
	role  role
}

const (
	maxNameWords = 9
)

// splitLabel finds the name in front of a line: "**Name**: text", "**Name:** text", "*Name*: text", "Name: text", "**Name**
// - text", and "Name - text" in a list. "**Name** Text" is a heading whose line end was lost; "**Name** is" is stress.
func splitLabel(s string, inList bool) (label, bool) {
	for _, mark := range []string{"***", "**", "__", "*", "_"} {
		if strings.HasPrefix(s, mark) {
			return boldLabel(s, mark, inList)
		}
	}
	if tag := lexical.LeadingTag(s); tag > 0 { // "[generated] Price: …": the tag goes with the text
		l, ok := PlainLabel(strings.TrimLeft(s[tag:], " *"), inList)
		l.name = cleanName(l.name)
		l.Rest = strings.TrimLeft(l.Rest, " *") + " " + s[:tag]
		return l, ok && l.name != ""
	}
	return PlainLabel(s, inList)
}

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

// PlainLabel finds "Name: text", and in a list "Name - text" too.
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

func namedBy(name, rest string, words int) (label, bool) {
	clean := cleanName(name)
	firstWord, _, _ := strings.Cut(clean, " ")
	if clean == "" || strings.Contains(clean, "  ") || wordCount(clean) > words || !startsName(clean) ||
		slices.Contains(leading, strings.ToLower(firstWord)) {
		return label{}, false
	}
	return label{name: clean, Rest: strings.TrimLeft(rest, " "), role: roleOf(clean)}, true
}

// startsName reports whether a name begins as names do: not in lower case.
func startsName(s string) bool { return s != "" && !lexical.IsLower(s[0]) }

// leading are first words of what announces rather than names what follows a colon.
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

// splitTitle parts a # heading from text that was run into its line. A known title ends where it ends; otherwise, up to ten
// words without a full stop are all title. Beyond that it ends at two spaces, or before the capital that starts a sentence.
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
	last := 0 // end of the capitalised run, start of its last word
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
