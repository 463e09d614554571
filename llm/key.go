package llm

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"unicode/utf8"
)

// Canonical returns the JSON of everything that affects a call's output (model, options, extra, messages, schema with
// its order of keys, seed), the repeat, and nothing else. The form is unique: maps are sorted, a number has one form (1
// and 1.0 are equal), white space in a schema does not count, and the seed may be in Seed or in Options. The key is its
// SHA-256.
//
// The text is cut around the part that messages share with others (Message.Shared), so
// that a record can store that part once.
//
// It returns an error if a value in Options, Extra or Schema is not JSON.
func (r *Request) Canonical(repeat int) (text []string, key string, err error) {
	options := r.Options
	if r.Seed != nil {
		options = make(map[string]any, len(r.Options)+1)
		maps.Copy(options, r.Options)
		options["seed"] = *r.Seed
	}
	encoded, err := json.Marshal(struct {
		Options    map[string]any  `json:"options,omitempty"`
		Extra      map[string]any  `json:"extra,omitempty"`
		Schema     json.RawMessage `json:"schema,omitempty"`
		SchemaName string          `json:"schema_name,omitempty"`
		Repeat     int             `json:"repeat"`
	}{options, r.Extra, r.Schema, r.SchemaName, repeat})
	if err != nil {
		return nil, "", fmt.Errorf("hashing a call: %w", err)
	}
	rest := `{"model":"` + quoted(r.Model) + `","messages":[`
	for i, m := range r.Messages {
		if i > 0 {
			rest += ","
		}
		rest += `{"role":"` + quoted(m.Role) + `","content":"`
		if !utf8.ValidString(m.Shared) { // it may be cut within a character
			m = Message{Content: m.Text()}
		}
		if m.Shared != "" {
			text, rest = append(text, rest, quoted(m.Shared)), ""
		}
		rest += quoted(m.Content) + `"}`
	}
	text = append(text, rest+"],"+string(encoded[1:]))
	hash := sha256.New()
	for _, part := range text {
		io.WriteString(hash, part)
	}
	return text, hex.EncodeToString(hash.Sum(nil)), nil
}

// ParseCanonical reads model, messages and options of a request from its Canonical text.
func ParseCanonical(text string) (Request, error) {
	var recorded struct {
		Model    string         `json:"model"`
		Messages []Message      `json:"messages"`
		Options  map[string]any `json:"options"`
	}
	err := json.Unmarshal([]byte(text), &recorded)
	return Request{Model: recorded.Model, Messages: recorded.Messages, Options: recorded.Options}, err
}

// quoted is the JSON of a text without its quotation marks.
func quoted(text string) string {
	encoded, _ := json.Marshal(text) // a string always marshals
	return string(encoded[1 : len(encoded)-1])
}

// A chatMessage is a message of the prompt in the form that servers read.
type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// ChatMessages returns the messages in the form that servers read.
func (r *Request) ChatMessages() []chatMessage {
	var list []chatMessage
	for _, m := range r.Messages {
		list = append(list, chatMessage{m.Role, m.Text()})
	}
	return list
}

// Seed derives the seed of one repeat from the seed of a run. It is in [1, 2^31-1]: some servers store a seed in 32
// bits, Ollama reads it as a float64, and llama.cpp chooses a random seed for 0 and -1.
func Seed(run int64, repeat int) int64 {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], uint64(run))
	binary.LittleEndian.PutUint64(b[8:], uint64(repeat))
	sum := sha256.Sum256(b[:])
	return int64(binary.LittleEndian.Uint32(sum[:])%(1<<31-1)) + 1
}
