package structured

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// The reasons why a reply contains no decision.
var (
	ErrNone    = errors.New("the reply has none")
	ErrQuoted  = errors.New("it stands word for word in the judged text, so it is not the judge's own")
	ErrSeveral = errors.New("the reply has several, which differ")
)

// Material is the judged text in a prompt. Its author may have included text that looks like a reply.
type Material struct {
	texts  []string
	tokens func() string // the text's tokens, computed at the first use; nil: no text
}

// MaterialOf returns the material that consists of these texts.
func MaterialOf(texts ...string) Material {
	return Material{texts, sync.OnceValue(func() string { return tokensOf(strings.Join(texts, "\n")) })}
}

// Quotes reports whether a part of a reply is a quotation from the material. Layout, letter case, quotation marks and escapes do not count.
// A single word is not a quotation.
func (m Material) Quotes(part string) bool {
	if !m.mayHave(part) {
		return false
	}
	tokens := tokensOf(part)
	return strings.Count(tokens, " ") > 2 && strings.Contains(m.tokens(), tokens)
}

// mayHave returns false if the material certainly does not contain a part. Most texts have neither a brace nor an escape, so their tokens
// are seldom needed.
func (m Material) mayHave(part string) bool {
	return m.tokens != nil && (!strings.Contains(part, "{") ||
		slices.ContainsFunc(m.texts, func(text string) bool { return strings.Contains(text, "{") || strings.Contains(text, `\`) }))
}

// tokensOf returns the words of a text in lower case and its JSON signs {}[]:, separated by spaces.
func tokensOf(text string) string {
	if strings.Contains(text, `\`) {
		text = escapes.Replace(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	b.WriteByte(' ')
	word := false
	for _, c := range strings.ToLower(text) {
		letter := c >= 'a' && c <= 'z' || unicode.IsLetter(c) || unicode.IsDigit(c)
		if word && !letter {
			b.WriteByte(' ')
		}
		word = letter
		if letter {
			b.WriteRune(c)
			continue
		}
		switch c {
		case '{', '}', '[', ']', ':':
			b.WriteRune(c)
			b.WriteByte(' ')
		}
	}
	if word {
		b.WriteByte(' ')
	}
	return b.String()
}

// Decision is a complete decision in a reply.
type Decision[T any] struct {
	Text         string // its text in the reply
	AgreementKey string // equal for decisions that agree
	Value        T
}

// OneDecision returns the decision of a reply. It ignores decisions that are quoted from the material, and returns the last of the others
// if all of them agree. The error is ErrNone without a decision, ErrQuoted if all are quoted, and ErrSeveral if they differ.
func OneDecision[T any](found []Decision[T], m Material) (value T, err error) {
	err = ErrNone
	same := ""
	for _, f := range found {
		switch {
		case m.Quotes(f.Text):
			if err == ErrNone {
				err = ErrQuoted
			}
		case err == nil && f.AgreementKey != same:
			var none T
			return none, ErrSeveral
		default:
			value = f.Value
			same = f.AgreementKey
			err = nil
		}
	}
	return value, err
}

// WithoutQuoted returns a value without the objects that are quoted from the material.
func (m Material) WithoutQuoted(v Value) Value {
	if !m.mayHave("{") || !strings.Contains(m.tokens(), "{") {
		return v
	}
	value := Value{Text: v.Text, Unquoted: v.Unquoted, Source: v.Source}
	if v.Members != nil {
		value.Members = []Member{}
	}
	if v.Items != nil {
		value.Items = []Value{}
	}
	for _, member := range v.Members {
		if member.Value.Members == nil || !m.Quotes(member.Value.Source) {
			value.Members = append(value.Members, Member{member.Key, m.WithoutQuoted(member.Value)})
		}
	}
	for _, item := range v.Items {
		if item.Members == nil || !m.Quotes(item.Source) {
			value.Items = append(value.Items, m.WithoutQuoted(item))
		}
	}
	return value
}

// Object returns the object in a reply that answers accepts; see Only. It ignores other objects.
func Object(reply string, answers func(Value) bool, m Material) (Value, error) {
	var found []Decision[Value]
	fault := Scan(reply, NoClaims, func(v Value) {
		if !answers(v) {
			return
		}
		same := v.Source
		var content any
		if v.Decode(&content) == nil {
			same = fmt.Sprint(content) // with sorted keys
		}
		found = append(found, Decision[Value]{v.Source, same, v})
	})
	v, err := OneDecision(found, m)
	if err == ErrNone && fault != nil {
		err = fault
	}
	return v, err
}

// HasKey returns a function that accepts objects with a key.
func HasKey(key string) func(Value) bool {
	return func(v Value) bool {
		_, has := v.Get(key)
		return has
	}
}

// Text returns the judged text.
func (m Material) Text() string { return strings.Join(m.texts, "\n") }
