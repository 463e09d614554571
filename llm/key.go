package llm

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// Canonical is the JSON of all that affects a call's output (model, options,
// extra, messages, schema with its order of keys, seed) and of the repeat, and
// of nothing else, in one form: maps are sorted, a number has one form (1 and
// 1.0 are equal), a schema's white space doesn't count, and it makes no
// difference whether the seed is in Seed or in Options. The key is Key's.
//
// The text is cut where messages have a part that they share with others
// (Message.Shared), so that a record can store that part once.
//
// The error is a value in Options or Extra, or a schema, that JSON can't hold.
func (r *Request) Canonical(repeat int) (text []string, key string, err error) {
	options := r.Options
	if r.Seed != nil {
		options = make(map[string]any, len(r.Options)+1)
		maps.Copy(options, r.Options)
		options["seed"] = *r.Seed
	}
	whole, err := json.Marshal(struct {
		Model      string          `json:"model"`
		Messages   []chatMessage   `json:"messages"`
		Options    map[string]any  `json:"options,omitempty"`
		Extra      map[string]any  `json:"extra,omitempty"`
		Schema     json.RawMessage `json:"schema,omitempty"`
		SchemaName string          `json:"schema_name,omitempty"`
		Repeat     int             `json:"repeat"`
	}{r.Model, r.ChatMessages(), options, r.Extra, r.Schema, r.SchemaName, repeat})
	if err != nil {
		return nil, "", fmt.Errorf("hashing a call: %w", err)
	}
	sum := sha256.Sum256(whole)
	rest := string(whole)
	for _, m := range r.Messages {
		if shared, found := quoted(m.Shared), false; shared != "" {
			var before string
			if before, rest, found = cutAt(rest, shared); found {
				text = append(text, before, shared)
			}
		}
	}
	return append(text, rest), hex.EncodeToString(sum[:]), nil
}

// cutAt cuts a text before and after the first part in it.
func cutAt(text, part string) (before, after string, found bool) {
	before, after, found = strings.Cut(text, part)
	if !found {
		return "", text, false
	}
	return before, after, true
}

// quoted is a text within a JSON string.
func quoted(text string) string {
	encoded, _ := json.Marshal(text) // a string always marshals
	return string(encoded[1 : len(encoded)-1])
}

// A message is one of the prompt's, as servers read it.
type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func (r *Request) ChatMessages() []chatMessage {
	var list []chatMessage
	for _, m := range r.Messages {
		list = append(list, chatMessage{m.Role, m.Text()})
	}
	return list
}

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
