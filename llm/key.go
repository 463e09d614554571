package llm

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"slices"
	"sync"
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
	settings, err := r.encodedOnce(form{canonical: true}, r.settings)
	if err != nil {
		return nil, "", err
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
	e.WriteString(settings)
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
	long := longStart(r.Messages)
	alike := 0 // bytes at the beginning that many requests have
	for _, part := range text {
		e.WriteString(part)
		if part == long {
			alike = e.Len()
		}
	}
	sum, err := hashOf(e.Bytes(), alike)
	return text, hex.EncodeToString(sum), err
}

// settings are options, with the seed, and extra, as Canonical has them.
func (r *Request) settings() (string, error) {
	options := r.Options
	if r.Seed != nil {
		options = make(map[string]any, len(r.Options)+1)
		maps.Copy(options, r.Options)
		options["seed"] = *r.Seed
	}
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.Reset()
	if len(options) > 0 {
		e.write(`,"options":`, options)
	}
	if len(r.Extra) > 0 {
		e.write(`,"extra":`, r.Extra)
	}
	return e.String(), e.err
}

// longStart is the last text that messages share with others in JSON, of those that
// are worth a hash of their own; "" where none is. One with nothing behind it is no start.
func longStart(messages []Message) string {
	for i, m := range slices.Backward(messages) {
		if len(m.Shared) >= 4<<10 && (m.Content != "" || i < len(messages)-1) {
			encoded, _ := encodedStart(m.Shared)
			return encoded
		}
	}
	return ""
}

// hashOf is the SHA-256 of a text. What many begin with (the task of a judge is
// three quarters of a prompt) is hashed once, and continued.
func hashOf(text []byte, alike int) ([]byte, error) {
	if alike == 0 {
		sum := sha256.Sum256(text)
		return sum[:], nil
	}
	begun.Lock()
	beginning, known := begun.states[string(text[:alike])]
	begun.Unlock()
	if !known {
		beginning = sha256.New().(hash.Cloner)
		beginning.Write(text[:alike])
		begun.Lock()
		begun.states[string(text[:alike])] = beginning
		begun.Unlock()
	}
	h, err := beginning.Clone()
	if err != nil {
		return nil, err
	}
	h.Write(text[alike:])
	return h.Sum(nil), nil
}

// begun holds the hashes of beginnings, as many as there are tasks and examples of
// judges.
var begun = struct {
	sync.Mutex
	states map[string]hash.Cloner
}{states: map[string]hash.Cloner{}}

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
