package llm

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
)

// Key identifies a call: the hexadecimal SHA-256 of its Canonical form. The
// error is Canonical's.
func Key(req Request, repeat int) (string, error) {
	_, key, err := Canonical(req, repeat)
	return key, err
}

// Canonical is the JSON of all that affects a call's output (model, options,
// extra, messages, schema with its order of keys, seed) and of the repeat, and
// of nothing else, in one form: maps are sorted, a number has one form (1 and
// 1.0 are equal), a schema's white space doesn't count, and it makes no
// difference whether the seed is in Seed or in Options. The key is Key's.
//
// The error is a value in Options or Extra, or a schema, that JSON can't hold.
func Canonical(req Request, repeat int) (text, key string, err error) {
	options := maps.Clone(req.Options)
	if req.Seed != nil {
		if options == nil {
			options = map[string]any{}
		}
		options["seed"] = *req.Seed
	}
	var c canonical
	err = json.NewEncoder(&c).Encode(struct {
		Model      string          `json:"model"`
		Messages   []Message       `json:"messages"`
		Options    map[string]any  `json:"options,omitempty"`
		Extra      map[string]any  `json:"extra,omitempty"`
		Schema     json.RawMessage `json:"schema,omitempty"`
		SchemaName string          `json:"schema_name,omitempty"`
		Repeat     int             `json:"repeat"`
	}{req.Model, req.Messages, options, req.Extra, req.Schema, req.SchemaName, repeat})
	if err != nil {
		return "", "", fmt.Errorf("hashing a call: %w", err)
	}
	return c.text, hex.EncodeToString(c.sum[:]), nil
}

// canonical takes what an encoder writes, all at once and with a line's end that
// is none of it; a prompt is long, and nothing else of its encoding is kept.
type canonical struct {
	text string
	sum  [sha256.Size]byte
}

func (c *canonical) Write(line []byte) (int, error) {
	text := bytes.TrimSuffix(line, []byte("\n"))
	c.text, c.sum = string(text), sha256.Sum256(text)
	return len(line), nil
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
