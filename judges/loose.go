package judges

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// loose is a value in the notation that models write: an object, a list, or a
// text (quoted text, number, word).
type loose struct {
	text    string
	members []member // of an object; empty, not nil, where it has none
	items   []loose  // of a list; empty, not nil, where it has none
}

// member is one key of an object with its value.
type member struct {
	key   string
	value loose
}

// Why an object cannot be read.
var (
	errBroken  = errors.New("the object in the reply is not well-formed")
	errEnded   = errors.New("the reply ends before the object in it does")
	errTangled = errors.New("the reply is a tangle of braces, not an object")
)

const (
	deepest = 16 // levels of nesting
	effort  = 32 // bytes read in vain for each byte of a text, so that the time is linear
)

// scanObjects hands over the outermost objects of a text, in their order. Where
// an object cannot be read to its end, reading goes on behind its brace or, if
// it has a key that claims it, behind the place where it could not be read; the
// error is that of the last such object. It is errTangled if the text is given
// up, because too much of it has been read in vain.
func scanObjects(text string, claims func(key string) bool, found func(loose)) error {
	var fault error
	room := memberRooms.Get().(*[]member)
	defer memberRooms.Put(room)
	s := looseScanner{text: text, claims: claims, open: room}
	wasted, at := 0, 0
	for {
		open := strings.IndexByte(text[at:], '{')
		if open < 0 {
			return fault
		}
		at += open
		s.at, s.claimed, *s.open = at, false, (*s.open)[:0]
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

// looseScanner reads one object after the other from a text.
type looseScanner struct {
	text    string
	at      int
	claims  func(key string) bool
	claimed bool      // some key of the object at hand is claimed
	open    *[]member // of the objects that are being read, the outermost one's first
}

// memberRooms are slices used again: most replies hold nothing but one object.
var memberRooms = sync.Pool{New: func() any { room := make([]member, 0, 16); return &room }}

// object reads an object. Beside JSON it takes: keys and words without quotes;
// the quotes that quoted takes; comments (#, //, /* */); commas too many or
// too few.
func (s *looseScanner) object(depth int) (loose, error) {
	from := len(*s.open)
	for s.at++; ; { // behind the brace
		c, err := s.next(commas)
		switch {
		case err != nil:
			return loose{}, err
		case c == '}':
			s.at++
			return loose{members: s.close(from, depth)}, nil
		}
		key, err := s.scalar()
		if err == nil && strings.Contains(key, "\n") {
			err = errBroken
		}
		if err != nil {
			return loose{}, err
		}
		s.claimed = s.claimed || s.claims(key)
		if c, err = s.next(noCommas); err != nil {
			return loose{}, err
		}
		if c != ':' {
			return loose{}, errBroken
		}
		s.at++
		value, err := s.value(depth)
		if err != nil {
			return loose{}, err
		}
		*s.open = append(*s.open, member{key, value})
	}
}

// close takes the members of an object from those that are being read. The
// outermost object's stay where they are until the next one is read.
func (s *looseScanner) close(from, depth int) []member {
	members := (*s.open)[from:]
	if depth > 0 {
		members = slices.Clone(members)
		*s.open = (*s.open)[:from]
	}
	return members
}

func (s *looseScanner) list(depth int) (loose, error) {
	l := loose{items: []loose{}}
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

func (s *looseScanner) value(depth int) (loose, error) {
	c, err := s.next(noCommas)
	switch {
	case err != nil:
		return loose{}, err
	case depth == deepest && (c == '{' || c == '['):
		return loose{}, errBroken
	case c == '{':
		return s.object(depth + 1)
	case c == '[':
		return s.list(depth + 1)
	}
	text, err := s.scalar()
	return loose{text: text}, err
}

// scalar reads quoted text or a word.
func (s *looseScanner) scalar() (string, error) {
	switch quote, size := s.rune(); {
	case quote == '"' || quote == '\'' || quote == '`':
		return s.quoted(byte(quote))
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

// quoted reads text in straight quotes or back quotes, which close themselves. A
// backslash takes the next character's meaning away, and stays in the text.
func (s *looseScanner) quoted(quote byte) (string, error) {
	start := s.at + 1
	for i := start; i < len(s.text); i++ {
		switch s.text[i] {
		case quote:
			s.at = i + 1
			return s.text[start:i], nil
		case '\\':
			i++
		}
	}
	s.at = len(s.text)
	return "", errEnded
}

const (
	doubleQuotes = "“”„‟«»"
	singleQuotes = "‘’‚‛"
)

// quotedBy reads text in typographic quotes: any double one closes a double one
// and any single one a single one, since languages disagree about them.
func (s *looseScanner) quotedBy(closing string, size int) (string, error) {
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

// Whether next skips commas, too.
const commas, noCommas = true, false

// next skips white space, comments and commas, where they are allowed, and returns
// the character behind them without reading it.
func (s *looseScanner) next(commas bool) (rune, error) {
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

// skipTo goes behind the next end, or to the end of the text.
func (s *looseScanner) skipTo(end string) {
	i := strings.Index(s.text[s.at:], end)
	if i < 0 {
		s.at = len(s.text)
		return
	}
	s.at += i + len(end)
}

func (s *looseScanner) rune() (rune, int) { return utf8.DecodeRuneInString(s.text[s.at:]) }
