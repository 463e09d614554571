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
func (r *Request) Canonical(repeat int) (text, key string, err error) {
	options := maps.Clone(r.Options)
	if r.Seed != nil {
		if options == nil {
			options = map[string]any{}
		}
		options["seed"] = *r.Seed
	}
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	field := func(name string, value any) (from, to int) {
		fmt.Fprintf(b, "%s%q:", before(b), name)
		from = b.Len()
		if schema, ok := value.(json.RawMessage); ok && err == nil {
			value, err = encodedSchema(schema)
			fmt.Fprint(b, value)
		} else if err == nil {
			err = json.NewEncoder(b).Encode(value)
			b.Truncate(max(from, b.Len()-1)) // the encoder ends a line
		}
		return from, b.Len()
	}
	field("model", r.Model)
	from, to := field("messages", r.Messages)
	if len(options) > 0 {
		field("options", options)
	}
	if len(r.Extra) > 0 {
		field("extra", r.Extra)
	}
	if len(r.Schema) > 0 {
		field("schema", r.Schema)
	}
	if r.SchemaName != "" {
		field("schema_name", r.SchemaName)
	}
	field("repeat", repeat)
	b.WriteByte('}')
	if err != nil {
		return "", "", fmt.Errorf("hashing a call: %w", err)
	}
	sum := sha256.Sum256(b.Bytes())
	text = b.String()
	r.encoded = text[from:to]
	return text, hex.EncodeToString(sum[:]), nil
}

// before is what stands before the next field of an object.
func before(b *bytes.Buffer) string {
	if b.Len() == 0 {
		return "{"
	}
	return ","
}

// buffers are used again, since a prompt is long.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

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

var schemas = struct {
	sync.Mutex
	encoded map[string]string // by a schema's text
}{encoded: map[string]string{}}

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
