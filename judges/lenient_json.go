package judges

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lenientValue is a value of the JSON-like notation that models write: an object,
// a list, or a text (quoted text, number, word).
type lenientValue struct {
	text    string
	members []member       // of an object; empty, not nil, where it has none
	items   []lenientValue // of a list; empty, not nil, where it has none
}

// member is one key of an object with its value.
type member struct {
	key   string
	value lenientValue
}

// Why an object cannot be read.
var (
	errBroken  = errors.New("the object in the reply is not well-formed")
	errEnded   = errors.New("the reply ends before the object in it does")
	errTangled = errors.New("the reply is mostly braces, and holds no object")
)

const (
	deepest = 16 // levels of nesting
	effort  = 32 // discarded bytes for each byte of a text; keeps the time linear
)

// scanObjects calls found with the outermost objects of a text, in their order.
// Where an object cannot be read to its end, reading continues after its opening
// brace or, if it has a key that claims accepts, after the position of the error;
// the result is the error of the last such object. It is errTangled if reading
// stops because it discarded too much of the text.
func scanObjects(text string, claims func(key string) bool, found func(lenientValue)) error {
	var fault error
	s := lenientScanner{text: text, claims: claims}
	wasted, at := 0, 0
	for {
		open := strings.IndexByte(text[at:], '{')
		if open < 0 {
			return fault
		}
		at += open
		s.at, s.claimed = at, false
		object, err := s.object(0)
		switch {
		case err == nil:
			found(object)
			at = s.at
			continue
		case s.claimed:
			fault = err
			at = max(s.at, at+1)
		default:
			wasted += s.at - at
			at++
		}
		if wasted > effort*len(text) {
			return errTangled
		}
	}
}

// lenientScanner reads one object after the other from a text.
type lenientScanner struct {
	text    string
	at      int
	claims  func(key string) bool
	claimed bool // claims accepted a key of the current object
}

// object reads an object. In addition to JSON it accepts keys and words without
// quotes, single and typographic quotes, comments (#, //, /* */), and missing or
// additional commas.
func (s *lenientScanner) object(depth int) (lenientValue, error) {
	members := []member{}
	for s.at++; ; { // after the brace
		c, err := s.next(commas)
		switch {
		case err != nil:
			return lenientValue{}, err
		case c == '}':
			s.at++
			return lenientValue{members: members}, nil
		}
		key, err := s.scalar()
		if err == nil && strings.Contains(key, "\n") {
			err = errBroken
		}
		if err != nil {
			return lenientValue{}, err
		}
		s.claimed = s.claimed || s.claims(key)
		if c, err = s.next(noCommas); err != nil {
			return lenientValue{}, err
		}
		if c != ':' {
			return lenientValue{}, errBroken
		}
		s.at++
		value, err := s.value(depth)
		if err != nil {
			return lenientValue{}, err
		}
		members = append(members, member{key, value})
	}
}

func (s *lenientScanner) list(depth int) (lenientValue, error) {
	l := lenientValue{items: []lenientValue{}}
	for s.at++; ; {
		c, err := s.next(commas)
		switch {
		case err != nil:
			return l, err
		case c == ']':
			s.at++
			return l, nil
		}
		item, err := s.value(depth)
		if err != nil {
			return l, err
		}
		l.items = append(l.items, item)
	}
}

func (s *lenientScanner) value(depth int) (lenientValue, error) {
	c, err := s.next(noCommas)
	switch {
	case err != nil:
		return lenientValue{}, err
	case depth == deepest && (c == '{' || c == '['):
		return lenientValue{}, errBroken
	case c == '{':
		return s.object(depth + 1)
	case c == '[':
		return s.list(depth + 1)
	}
	text, err := s.scalar()
	return lenientValue{text: text}, err
}

// scalar reads quoted text or a word.
func (s *lenientScanner) scalar() (string, error) {
	switch quote, size := s.rune(); {
	case quote == '"' || quote == '\'' || quote == '`':
		return s.quotedBy(string(quote), size)
	case strings.ContainsRune(doubleQuotes, quote):
		return s.quotedBy(doubleQuotes, size)
	case strings.ContainsRune(singleQuotes, quote):
		return s.quotedBy(singleQuotes, size)
	}
	start := s.at
	for s.at < len(s.text) {
		c, size := s.rune()
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '+' && c != '-' && c != '.' {
			break
		}
		s.at += size
	}
	if s.at == start {
		return "", errBroken
	}
	return s.text[start:s.at], nil
}

const (
	doubleQuotes = "“”„‟«»"
	singleQuotes = "‘’‚‛"
)

// quotedBy reads text in quotes, up to one of the closing ones. Any typographic double quote
// closes a double one and any single quote a single one, because languages use them
// differently. A backslash escapes the next character, and stays in the text.
func (s *lenientScanner) quotedBy(closing string, size int) (string, error) {
	s.at += size
	start := s.at
	for s.at < len(s.text) {
		c, size := s.rune()
		switch {
		case strings.ContainsRune(closing, c):
			end := s.at
			s.at += size
			return s.text[start:end], nil
		case c == '\\' && s.at+1 < len(s.text):
			s.at++
			_, size = s.rune()
		}
		s.at += size
	}
	return "", errEnded
}

// Arguments of next.
const commas, noCommas = true, false

// next skips white space, comments and, if asked to, commas. It returns the next
// character without reading it.
func (s *lenientScanner) next(commas bool) (rune, error) {
	for s.at < len(s.text) {
		c, size := s.rune()
		switch {
		case unicode.IsSpace(c) || c == ',' && commas || c == '\u200b' || c == '\ufeff':
			s.at += size
		case c == '#' || c == '/' && strings.HasPrefix(s.text[s.at:], "//"):
			s.skipTo("\n")
		case c == '/' && strings.HasPrefix(s.text[s.at:], "/*"):
			s.skipTo("*/")
		default:
			return c, nil
		}
	}
	return 0, errEnded
}

// skipTo continues after the next occurrence of end, or at the end of the text.
func (s *lenientScanner) skipTo(end string) {
	i := strings.Index(s.text[s.at:], end)
	if i < 0 {
		s.at = len(s.text)
		return
	}
	s.at += i + len(end)
}

func (s *lenientScanner) rune() (rune, int) { return utf8.DecodeRuneInString(s.text[s.at:]) }
