package llm

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"unicode/utf8"
)

// Key identifies a call: the hexadecimal SHA-256 of its Canonical form. The
// error is Canonical's.
func Key(req Request, repeat int) (string, error) {
	_, key, err := req.Canonical(repeat)
	return key, err
}

// Canonical is the JSON of all that affects a call's output (model, options,
// extra, messages, schema with its order of keys, seed) and of the repeat, and
// of nothing else, in one form: maps are sorted, a number has one form (1 and
// 1.0 are equal), a schema's white space doesn't count, and it makes no
// difference whether the seed is in Seed or in Options. The key is Key's. The
// request keeps the encoded messages for the call: they mustn't change after.
//
// The error is a value in Options or Extra, or a schema, that JSON can't hold.
func (r *Request) Canonical(repeat int) (text Parts, key string, err error) {
	defer func() {
		if err != nil {
			text, key, err = nil, "", fmt.Errorf("hashing a call: %w", err)
		}
	}()
	options := r.Options
	if r.Seed != nil {
		options = make(map[string]any, len(r.Options)+1)
		maps.Copy(options, r.Options)
		options["seed"] = *r.Seed
	}
	if r.encoded, err = encodeMessages(r.Messages); err != nil {
		return nil, "", err
	}
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.Reset()
	e.write(`{"model":`, r.Model)
	e.WriteString(`,"messages":`)
	e.shared(r.encoded...)
	if len(options) > 0 {
		e.write(`,"options":`, options)
	}
	if len(r.Extra) > 0 {
		e.write(`,"extra":`, r.Extra)
	}
	if len(r.Schema) > 0 {
		schema, err := encodedSchema(r.Schema)
		if err != nil {
			return nil, "", err
		}
		e.WriteString(`,"schema":`)
		e.shared(schema)
	}
	if r.SchemaName != "" {
		e.write(`,"schema_name":`, r.SchemaName)
	}
	e.write(`,"repeat":`, repeat)
	e.WriteByte('}')
	if text, err = e.parts(); err != nil {
		return nil, "", err
	}
	e.Reset()
	for _, part := range text {
		e.WriteString(part)
	}
	sum := sha256.Sum256(e.Bytes())
	return text, hex.EncodeToString(sum[:]), nil
}

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

// Seed derives the seed of one repeat from the seed of a run. It is in
// [1, 2^31-1]: some servers hold a seed in 32 bits, Ollama reads it as a
// float64, and llama.cpp takes 0 and -1 for "choose one".
func Seed(run int64, repeat int) int64 {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], uint64(run))
	binary.LittleEndian.PutUint64(b[8:], uint64(repeat))
	sum := sha256.Sum256(b[:])
	return int64(binary.LittleEndian.Uint32(sum[:])%(1<<31-1)) + 1
}
