package llm

import (
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
	text, err := Canonical(req, repeat)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Canonical is the JSON of all that affects a call's output (model, options,
// extra, messages, schema with its order of keys, seed) and of the repeat, and
// of nothing else, in one form: maps are sorted, a number has one form (1 and
// 1.0 are equal), a schema's white space doesn't count, and it makes no
// difference whether the seed is in Seed or in Options.
//
// The error is a value in Options or Extra, or a schema, that JSON can't hold.
func Canonical(req Request, repeat int) ([]byte, error) {
	options := maps.Clone(req.Options)
	if req.Seed != nil {
		if options == nil {
			options = map[string]any{}
		}
		options["seed"] = *req.Seed
	}
	text, err := json.Marshal(struct {
		Model      string          `json:"model"`
		Messages   []Message       `json:"messages"`
		Options    map[string]any  `json:"options,omitempty"`
		Extra      map[string]any  `json:"extra,omitempty"`
		Schema     json.RawMessage `json:"schema,omitempty"`
		SchemaName string          `json:"schema_name,omitempty"`
		Repeat     int             `json:"repeat"`
	}{req.Model, req.Messages, options, req.Extra, req.Schema, req.SchemaName, repeat})
	if err != nil {
		return nil, fmt.Errorf("hashing a call: %w", err)
	}
	return text, nil
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
