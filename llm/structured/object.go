package structured

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Value is a value in the JSON-like notation that models write: an object, a list, or a text (quoted text, number or word).
type Value struct {
	Text     string   // of a text: its content, with escapes
	Unquoted bool     // the text has no quotes
	Members  []Member // of an object; empty but not nil if it has none
	Items    []Value  // of a list; empty but not nil if it has none
	Source   string   // of an object: its text in the reply
}

// A Member is one key of an object with its value.
type Member struct {
	Key   string
	Value Value
}

// The reasons why an object cannot be read.
var (
	errBroken = errors.New("the object in the reply is not well-formed")
	errEnded  = errors.New("the reply ends before the object in it does")
	// ErrTangled says that reading stopped because too much of the text was discarded.
	ErrTangled = errors.New("the reply is mostly braces, and holds no object")
)

const (
	deepest  = 16      // most levels of nesting
	farthest = 1 << 10 // most bytes of an object that are looked at before it is read
	effort   = 32      // most discarded bytes per byte of a text; keeps the time linear
)

// Scan calls found with the outermost objects of a reply, in their order. If an object cannot be read to its end, reading continues after
// its opening brace; but if claims accepts one of the object's keys, it continues after the position of the error. The result is the error
// of the last object with such a key, or ErrTangled.
//
// The notation is JSON, or similar to it: keys and words without quotes, single, back or typographic quotes, comments (#, //, /* */),
// missing or additional commas.
func Scan(reply string, claims func(key string) bool, found func(Value)) error {
	var fault error
	s := scanner{text: strings.ToValidUTF8(reply, "\ufffd"), claims: claims}
	wasted := 0
	index := 0
	for {
		open := strings.IndexByte(s.text[index:], '{')
		if open < 0 {
			return fault
		}
		index += open
		s.index = index
		s.claimed = false
		object, err := s.object(0)
		switch {
		case err == nil:
			found(object)
			index = s.index
			continue
		case s.claimed:
			fault = err
			index = max(s.index, index+1)
		default:
			wasted += s.index - index
			index++
		}
		if wasted > effort*len(s.text) {
			return ErrTangled
		}
	}
}

// scanner reads objects from a text, one after the other.
type scanner struct {
	text    string
	index   int
	claims  func(key string) bool
	claimed bool // claims accepted a key of the object that is being read
}

// object reads an object, from its opening brace to its closing one.
func (s *scanner) object(depth int) (Value, error) {
	start := s.index
	members := make([]Member, 0, s.colons())
	for s.index++; ; { // after the brace
		c, err := s.next(commas)
		switch {
		case err != nil:
			return Value{}, err
		case c == '}':
			s.index++
			return Value{Members: members, Source: s.text[start:s.index]}, nil
		}
		key, err := s.scalar()
		if err == nil && strings.Contains(key, "\n") {
			err = errBroken
		}
		if err != nil {
			return Value{}, err
		}
		s.claimed = s.claimed || s.claims(key)
		c, err = s.next(noCommas)
		if err != nil {
			return Value{}, err
		}
		if c != ':' {
			return Value{}, errBroken
		}
		s.index++
		value, err := s.value(depth)
		if err != nil {
			return Value{}, err
		}
		members = append(members, Member{key, value})
	}
}

// colons returns the number of colons up to the next closing brace, but not beyond farthest bytes. It is the number of members of nearly
// every object.
func (s *scanner) colons() int {
	rest := s.text[s.index:min(len(s.text), s.index+farthest)]
	return strings.Count(rest[:max(0, strings.IndexByte(rest, '}'))], ":")
}

// list reads a list, from its opening bracket to its closing one.
func (s *scanner) list(depth int) (Value, error) {
	l := Value{Items: []Value{}}
	for s.index++; ; {
		c, err := s.next(commas)
		switch {
		case err != nil:
			return l, err
		case c == ']':
			s.index++
			return l, nil
		}
		item, err := s.value(depth)
		if err != nil {
			return l, err
		}
		l.Items = append(l.Items, item)
	}
}

// value reads an object, a list, or a scalar.
func (s *scanner) value(depth int) (Value, error) {
	c, err := s.next(noCommas)
	switch {
	case err != nil:
		return Value{}, err
	case depth == deepest && (c == '{' || c == '['):
		return Value{}, errBroken
	case c == '{':
		return s.object(depth + 1)
	case c == '[':
		return s.list(depth + 1)
	}
	word := unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("_+-.", c)
	text, err := s.scalar()
	return Value{Text: text, Unquoted: word}, err
}

// scalar reads a quoted text or a word.
func (s *scanner) scalar() (string, error) {
	switch quote, size := s.rune(); {
	case quote == '"' || quote == '\'' || quote == '`':
		return s.quotedBy(string(quote), size)
	case strings.ContainsRune(doubleQuotes, quote):
		return s.quotedBy(doubleQuotes, size)
	case strings.ContainsRune(singleQuotes, quote):
		return s.quotedBy(singleQuotes, size)
	}
	start := s.index
	for s.index < len(s.text) {
		c, size := s.rune()
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '+' && c != '-' && c != '.' {
			break
		}
		s.index += size
	}
	if s.index == start {
		return "", errBroken
	}
	return s.text[start:s.index], nil
}

const (
	doubleQuotes = "“”„‟«»"
	singleQuotes = "‘’‚‛"
)

// quotedBy reads a quoted text up to a quote in closing. Any typographic double quote closes a double one, and any single quote a single
// one, because languages use them differently. A backslash escapes the next character, and stays in the text.
func (s *scanner) quotedBy(closing string, size int) (string, error) {
	s.index += size
	start := s.index
	for s.index < len(s.text) {
		c, size := s.rune()
		switch {
		case strings.ContainsRune(closing, c):
			end := s.index
			s.index += size
			return s.text[start:end], nil
		case c == '\\' && s.index+1 < len(s.text):
			s.index++
			_, size = s.rune()
		}
		s.index += size
	}
	return "", errEnded
}

// Values for the argument of next.
const commas, noCommas = true, false

// next skips white space and comments, and commas if commas is true. It returns the next character without reading it.
func (s *scanner) next(commas bool) (rune, error) {
	for s.index < len(s.text) {
		c, size := s.rune()
		switch {
		case unicode.IsSpace(c) || c == ',' && commas || c == '\u200b' || c == '\ufeff':
			s.index += size
		case c == '#' || c == '/' && strings.HasPrefix(s.text[s.index:], "//"):
			s.skipTo("\n")
		case c == '/' && strings.HasPrefix(s.text[s.index:], "/*"):
			s.skipTo("*/")
		default:
			return c, nil
		}
	}
	return 0, errEnded
}

// skipTo continues after the next occurrence of end, or at the end of the text.
func (s *scanner) skipTo(end string) {
	i := strings.Index(s.text[s.index:], end)
	if i < 0 {
		s.index = len(s.text)
		return
	}
	s.index += i + len(end)
}

func (s *scanner) rune() (rune, int) { return utf8.DecodeRuneInString(s.text[s.index:]) }

// NoClaims accepts no key.
func NoClaims(string) bool { return false }

// Get returns the value under a key of an object. The result is false if the object has no such key.
func (v Value) Get(key string) (Value, bool) {
	for _, m := range v.Members {
		if strings.TrimSpace(m.Key) == key {
			return m.Value, true
		}
	}
	return Value{}, false
}

// Decode decodes a value as encoding/json does. A key that occurs twice with different values is an error.
func (v Value) Decode(into any) error {
	text, err := v.JSON()
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), into)
}

// JSON returns a value as JSON. Words that are true, false, null, None or a number become JSON values; other words become strings.
func (v Value) JSON() (string, error) {
	switch {
	case v.Members != nil:
		known := map[string]string{}
		var parts []string
		for _, m := range v.Members {
			value, err := m.Value.JSON()
			if err != nil {
				return "", err
			}
			key := unescaped(m.Key)
			if before, twice := known[key]; twice && before != value {
				return "", fmt.Errorf("the key %q has two values", key)
			} else if !twice {
				parts = append(parts, Text(key)+": "+value)
			}
			known[key] = value
		}
		return "{" + strings.Join(parts, ", ") + "}", nil
	case v.Items != nil:
		parts := make([]string, len(v.Items))
		for i, item := range v.Items {
			var err error
			parts[i], err = item.JSON()
			if err != nil {
				return "", err
			}
		}
		return "[" + strings.Join(parts, ", ") + "]", nil
	case !v.Unquoted:
		return Text(unescaped(v.Text)), nil
	}
	switch v.Text {
	case "true", "false", "null":
		return v.Text, nil
	case "True", "False":
		return strings.ToLower(v.Text), nil
	case "None":
		return "null", nil
	}
	if x, ok := v.Number(); ok {
		return strconv.FormatFloat(x, 'f', -1, 64), nil
	}
	return Text(v.Text), nil
}

// Text returns a text as a JSON string, without escapes for < and &.
func Text(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string always has one
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// unescaped returns a text with its escapes resolved. An escape that JSON does not know loses only its backslash.
func unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var exact string
	if json.Unmarshal([]byte(`"`+text+`"`), &exact) == nil {
		return exact
	}
	return escapes.Replace(text)
}

var escapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\`, "")

// decimal matches a decimal number: no infinity, no hexadecimal digits, no underscores.
var decimal = regexp.MustCompile(`^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$`)

// Number returns the finite number that a text means. The result is false for other texts.
func (v Value) Number() (float64, bool) {
	text := strings.TrimSpace(v.Text)
	if len(text) == 1 && text[0] >= '0' && text[0] <= '9' { // nearly all scores
		return float64(text[0] - '0'), true
	}
	if !decimal.MatchString(text) {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return x + 0, err == nil && !math.IsInf(x, 0) // no negative zero
}
