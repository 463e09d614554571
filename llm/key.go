package llm

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Canonical returns the JSON text of everything that affects a call's output, and the call's key, which is the SHA-256 of the text. The
// text has the model, options, extra, messages, the schema with its order of keys, the seed, and the repeat. Its form is unique:
//   - maps are sorted;
//   - a number has one form, so 1 and 1.0 are equal;
//   - white space in a schema does not count;
//   - the seed may be in Seed or in Options.
//
// The text is cut around the parts that messages share with other calls (Message.Shared), so that a record can store such a part once.
//
// It returns an error if a value in Options, Extra or Schema is not JSON.
func (r *Request) Canonical(repeat int) (text []string, key string, err error) {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	whole, shared, common, err := r.canonical((*buffer)[:0], repeat)
	*buffer = whole
	if err != nil {
		return nil, "", err
	}
	from := 0
	for _, part := range shared {
		text = append(text, string(whole[from:part.from]), part.text)
		from = part.from + len(part.text)
	}
	return append(text, string(whole[from:])), r.keyOf(whole, common), nil
}

// Key returns only the key of Canonical.
func (r *Request) Key(repeat int) (string, error) {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	whole, _, common, err := r.canonical((*buffer)[:0], repeat)
	*buffer = whole
	return r.keyOf(whole, common), err
}

// buffers holds buffers for canonical texts, of about ten thousand bytes. They reduce the time of a key from 58 µs to 32.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// keyOf returns the hexadecimal SHA-256 of the canonical text. common is the number of bytes at its beginning that depend only on the model
// and on the shared texts of the first two messages. Thousands of calls have them in common, so they are hashed once.
func (r *Request) keyOf(whole []byte, common int) string {
	if common < leastHashedOnce {
		sum := sha256.Sum256(whole)
		return hex.EncodeToString(sum[:])
	}
	beginning := [5]string{r.Model}
	for i, m := range r.Messages[:min(2, len(r.Messages))] {
		beginning[1+2*i] = m.Role
		beginning[2+2*i] = m.Shared
	}
	begun, known := begunHashes.Get(beginning)
	if !known {
		begun = sha256.New().(hash.Cloner)
		begun.Write(whole[:common])
		begunHashes.Add(beginning, begun)
	}
	sum, _ := begun.Clone() // SHA-256 can always be cloned
	sum.Write(whole[common:])
	return hex.EncodeToString(sum.Sum(nil))
}

// leastHashedOnce is the number of bytes from which looking up their hash is faster than computing it.
const leastHashedOnce = 1 << 10

// A sharedPart is the JSON of a shared text within a canonical text, where it begins at the byte from.
type sharedPart struct {
	from int
	text string
}

// canonical writes the text of Canonical into the buffer empty. shared has the parts around which the text is cut. common is as keyOf
// describes.
func (r *Request) canonical(empty []byte, repeat int) (whole []byte, shared []sharedPart, common int, err error) {
	options := r.Options
	if r.Seed != nil {
		options = make(map[string]any, len(r.Options)+1)
		maps.Copy(options, r.Options)
		options["seed"] = *r.Seed
	}
	before, err := json.Marshal(struct {
		Options map[string]any `json:"options,omitempty"`
		Extra   map[string]any `json:"extra,omitempty"`
	}{options, r.Extra})
	if err != nil {
		return nil, nil, 0, fmt.Errorf("hashing the options of a call: %w", err)
	}
	schema, err := compactOf(r.Schema)
	if err != nil {
		return nil, nil, 0, fmt.Errorf("hashing the schema of a call: %w", err)
	}
	after, err := json.Marshal(struct {
		SchemaName string `json:"schema_name,omitempty"`
		Repeat     int    `json:"repeat"`
	}{r.SchemaName, repeat})
	if err != nil {
		return nil, nil, 0, fmt.Errorf("hashing a call: %w", err)
	}
	size := len(before) + len(schema) + len(after)
	for _, m := range r.Messages {
		size += len(m.Shared) + len(m.Content)
	}
	whole = slices.Grow(empty, size+size/8+200)
	add := func(mark, content string) { whole = appendEscaped(append(whole, mark...), content, &inJSON, jsonOf) }
	add(`{"model":"`, r.Model)
	add(`","messages":[`, "")
	for i, m := range r.Messages {
		if i > 0 {
			add(",", "")
		}
		add(`{"role":"`, m.Role)
		add(`","content":"`, "")
		m = m.cutAtCharacter()
		if m.Shared != "" {
			part := sharedPart{len(whole), escapedOf(m.Shared)}
			shared = append(shared, part)
			add(part.text, "")
			if i == 0 || i == 1 && r.Messages[0].Content == "" {
				common = len(whole)
			}
		}
		add("", m.Content)
		add(`"}`, "")
	}
	whole = append(whole, "],"...)
	if fields := before[1 : len(before)-1]; len(fields) > 0 {
		whole = append(append(whole, fields...), ',')
	}
	if schema != "" {
		whole = append(append(append(whole, `"schema":`...), schema...), ',')
	}
	whole = append(whole, after[1:]...)
	return whole, shared, common, nil
}

// cutAtCharacter returns a message with the same text, whose Shared is empty if it would end within a character.
func (m Message) cutAtCharacter() Message {
	if utf8.ValidString(m.Shared) {
		return m
	}
	return Message{Role: m.Role, Content: m.Text()}
}

// AppendJSON appends the JSON of the message's text, without quotation marks. It is what encoding/json writes.
func (m Message) AppendJSON(to []byte) []byte {
	m = m.cutAtCharacter()
	if m.Shared != "" {
		to = append(to, escapedOf(m.Shared)...)
	}
	return appendEscaped(to, m.Content, &inJSON, jsonOf)
}

// The task and the schema are most of a request, and are the same in thousands of requests. Without these caches, encoding and hashing them
// would take most of the time for a key.
var (
	escapedShared, _  = lru.New[string, string](mostKept) // the error is a size below 1
	compactSchemas, _ = lru.New[string, string](mostKept)
	begunHashes, _    = lru.New[[5]string, hash.Cloner](mostKept)
)

// mostKept is the number of entries of each cache.
const mostKept = 256

// escapedOf returns the JSON of a shared text without quotation marks, from the cache if possible.
func escapedOf(shared string) string {
	escaped, known := escapedShared.Get(shared)
	if !known {
		escaped = string(appendEscaped(nil, shared, &inJSON, jsonOf))
		escapedShared.Add(strings.Clone(shared), escaped)
	}
	return escaped
}

// compactOf returns a schema as encoding/json writes it, from the cache if possible. It returns "" for no schema.
func compactOf(schema json.RawMessage) (string, error) {
	compact, known := compactSchemas.Get(string(schema))
	if known || len(schema) == 0 {
		return compact, nil
	}
	encoded, err := json.Marshal(schema)
	if err == nil {
		compactSchemas.Add(string(schema), string(encoded))
	}
	return string(encoded), err
}

// ParseCanonical reads the model, messages and options of a request from its Canonical text.
func ParseCanonical(text string) (Request, error) {
	var recorded struct {
		Model    string         `json:"model"`
		Messages []Message      `json:"messages"`
		Options  map[string]any `json:"options"`
	}
	err := json.Unmarshal([]byte(text), &recorded)
	return Request{Model: recorded.Model, Messages: recorded.Messages, Options: recorded.Options}, err
}

// jsonOf returns the JSON of a text.
func jsonOf(text string) string {
	encoded, _ := json.Marshal(text) // a string always marshals
	return string(encoded)
}

// An escaping says how quoted texts represent each byte. A byte is plain if it stands for itself. Otherwise text has its escape; if text is
// "", a slower function quotes the byte.
type escaping struct {
	plain [256]bool
	text  [256]string
}

var (
	inGo   = newEscaping(nil)
	inJSON = newEscaping(map[byte]string{'<': `\u003c`, '>': `\u003e`, '&': `\u0026`})
)

// newEscaping returns the escaping of printable ASCII and common control characters, with additional escapes.
func newEscaping(texts map[byte]string) (e escaping) {
	for c, text := range map[byte]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`} {
		e.text[c] = text
	}
	for c, text := range texts {
		e.text[c] = text
	}
	for c := ' '; c <= '~'; c++ {
		e.plain[c] = e.text[c] == ""
	}
	return e
}

// appendEscaped appends a text as quote escapes it, without the quotation marks. It copies plain bytes directly, which is about ten times
// as fast as the standard library.
func appendEscaped(to []byte, text string, by *escaping, quote func(string) string) []byte {
	for text != "" {
		n := 0
		for n < len(text) && by.plain[text[n]] {
			n++
		}
		to = append(to, text[:n]...)
		text = text[n:]
		for text != "" && by.text[text[0]] != "" {
			to = append(to, by.text[text[0]]...)
			text = text[1:]
		}
		for n = 0; n < len(text) && !by.plain[text[n]] && by.text[text[n]] == ""; {
			n++
		}
		if n > 0 {
			quoted := quote(text[:n])
			to = append(to, quoted[1:len(quoted)-1]...)
			text = text[n:]
		}
	}
	return to
}

// Seed derives the seed of one repeat from the seed of a run. The result is in [1, 2^31-1], because some servers store a seed in 32 bits,
// Ollama reads it as a float64, and llama.cpp chooses a random seed for 0 and -1.
func Seed(run int64, repeat int) int64 {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], uint64(run))
	binary.LittleEndian.PutUint64(b[8:], uint64(repeat))
	sum := sha256.Sum256(b[:])
	return int64(binary.LittleEndian.Uint32(sum[:])%(1<<31-1)) + 1
}
