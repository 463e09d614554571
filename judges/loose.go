package judges

import (
	"errors"
	"strings"
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
	wasted, at := 0, 0
	for {
		open := strings.IndexByte(text[at:], '{')
		if open < 0 {
			return fault
		}
		at += open
		s := looseScanner{text: text, at: at, claims: claims}
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

// looseScanner reads one object from a place in a text.
type looseScanner struct {
	text    string
	at      int
	claims  func(key string) bool
	claimed bool // some key so far is claimed
}

// object reads an object. Beside JSON it takes: keys and words without quotes;
// the quotes that quoted takes; comments (#, //, /* */); commas too many or
// too few.
func (s *looseScanner) object(depth int) (loose, error) {
	o := loose{members: make([]member, 0, 16)}
	for s.at++; ; { // behind the brace
		c, err := s.next(",")
		switch {
		case err != nil:
			return o, err
		case c == '}':
			s.at++
			return o, nil
		}
		key, err := s.scalar()
		if err == nil && strings.Contains(key, "\n") {
			err = errBroken
		}
		if err != nil {
			return o, err
		}
		s.claimed = s.claimed || s.claims(key)
		if c, err = s.next(""); err != nil {
			return o, err
		}
		if c != ':' {
			return o, errBroken
		}
		s.at++
		value, err := s.value(depth)
		if err != nil {
			return o, err
		}
		o.members = append(o.members, member{key, value})
	}
}

func (s *looseScanner) list(depth int) (loose, error) {
	l := loose{items: []loose{}}
	for s.at++; ; {
		c, err := s.next(",")
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
	c, err := s.next("")
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
	if quote, size := s.rune(); strings.ContainsRune(openQuotes, quote) {
		return s.quoted(quote, size)
	}
	start := s.at
	for s.at < len(s.text) {
		c, size := s.rune()
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("_+-.", c) {
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
	openQuotes   = "\"'`" + doubleQuotes + singleQuotes
	doubleQuotes = "“”„‟«»"
	singleQuotes = "‘’‚‛"
)

// quoted reads text in quotes: the straight quotes and the back quote close
// themselves, and among typographic ones any double one closes a double one and
// any single one a single one, since languages disagree about them. A backslash
// takes the next character's meaning away, and stays in the text.
func (s *looseScanner) quoted(quote rune, size int) (string, error) {
	closing := string(quote)
	for _, class := range []string{doubleQuotes, singleQuotes} {
		if strings.ContainsRune(class, quote) {
			closing = class
		}
	}
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

// next skips white space, comments and the given separators, and returns the
// character behind them without reading it.
func (s *looseScanner) next(separators string) (rune, error) {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		c, size := s.rune()
		switch {
		case unicode.IsSpace(c) || c == '\u200b' || c == '\ufeff' || strings.ContainsRune(separators, c):
			s.at += size
		case c == '#' || strings.HasPrefix(rest, "//"):
			s.skipTo("\n")
		case strings.HasPrefix(rest, "/*"):
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
