package llm

import (
	"bytes"
	"encoding/json"
	"sync"
	"unicode/utf8"
)

// encodeMessages is the JSON of messages: of each its role, and its text as
// "content".
func encodeMessages(messages []Message) (Parts, error) {
	if len(messages) == 0 {
		text, err := json.Marshal(messages)
		return Parts{string(text)}, err
	}
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.Reset()
	before := "["
	for _, m := range messages {
		shared, whole := encodedStart(m.Shared)
		if !whole {
			m.Content = m.Text()
		}
		e.write(before+`{"role":`, m.Role)
		e.WriteString(`,"content":"`)
		e.shared(shared)
		e.continued(m.Content)
		e.WriteByte('}')
		before = ","
	}
	e.WriteByte(']')
	return e.parts()
}

// An encoder writes JSON in parts.
type encoder struct {
	bytes.Buffer // without the parts that others hold
	json         *json.Encoder
	cuts         []cut
	err          error
}

// A cut is where a part belongs that is held elsewhere.
type cut struct {
	at   int
	part string
}

// encoders are used again, since a prompt is long.
var encoders = sync.Pool{New: func() any {
	e := &encoder{}
	e.json = json.NewEncoder(&e.Buffer)
	return e
}}

func (e *encoder) Reset() {
	e.Buffer.Reset()
	clear(e.cuts)
	e.cuts, e.err = e.cuts[:0], nil
}

// write writes a value behind a text that is JSON already.
func (e *encoder) write(before string, value any) {
	e.WriteString(before)
	if err := e.json.Encode(value); err != nil {
		if e.err == nil {
			e.err = err
		}
		return
	}
	e.Truncate(e.Len() - 1) // the encoder ends a line
}

// continued writes the rest of a string that has been begun.
func (e *encoder) continued(text string) {
	at := e.Len()
	e.write("", text)
	copy(e.Bytes()[at:], e.Bytes()[at+1:]) // without the quotation mark at its beginning
	e.Truncate(e.Len() - 1)
}

// shared writes parts without copying them.
func (e *encoder) shared(parts ...string) {
	for _, part := range parts {
		e.cuts = append(e.cuts, cut{e.Len(), part})
	}
}

// parts are what was written.
func (e *encoder) parts() (Parts, error) {
	text := e.String()
	parts := make(Parts, 0, 2*len(e.cuts)+1)
	at := 0
	for _, c := range e.cuts {
		if c.at > at {
			parts = append(parts, text[at:c.at])
		}
		if c.part != "" {
			parts = append(parts, c.part)
		}
		at = c.at
	}
	return append(parts, text[at:]), e.err
}

// encodedSchema is a schema as encoding/json writes it. A run has few schemas,
// and encoding one takes as long as encoding a prompt.
func encodedSchema(schema json.RawMessage) (string, error) {
	schemas.Lock()
	defer schemas.Unlock()
	if text, ok := schemas.encoded[string(schema)]; ok {
		return text, nil
	}
	text, err := json.Marshal(schema)
	if err != nil {
		return "", err
	}
	schemas.encoded[string(schema)] = string(text)
	return string(text), nil
}

// encodedStart is the beginning of a string in JSON, without quotation marks; false
// where it ends within a character, so that what follows has a say in it.
func encodedStart(text string) (string, bool) {
	if text == "" {
		return "", true
	}
	starts.Lock()
	defer starts.Unlock()
	if encoded, ok := starts.encoded[text]; ok {
		return encoded, encoded != ""
	}
	encoded := ""
	if utf8.ValidString(text) {
		quoted, _ := json.Marshal(text) // a string always marshals
		encoded = string(quoted[1 : len(quoted)-1])
	}
	starts.encoded[text] = encoded
	return encoded, encoded != ""
}

// encodings holds texts in JSON that stand in many requests.
type encodings struct {
	sync.Mutex
	encoded map[string]string // by the text
}

var (
	schemas = encodings{encoded: map[string]string{}}
	starts  = encodings{encoded: map[string]string{}}
)
