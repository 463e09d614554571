package store

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"
)

// Requests share long parts: a judge's task, criteria and schema are nine tenths of each request. A request comes as a list in which every
// second part may be shared. A long shared part is stored once, in the table prompts, under its hash. The recorded request has
// the hash instead, between two marks that cannot occur in JSON.
const (
	promptMark = "\x01"
	longPrompt = 1 << 10 // minimum bytes of a part that is stored separately
)

// storeRequest stores the long shared parts of a request, and returns the text to record for the request.
func (b Batch) storeRequest(parts []string) string {
	var text strings.Builder
	for i, part := range parts {
		if i%2 == 0 || len(part) < longPrompt { // not shared, or too short
			text.WriteString(part)
			continue
		}
		sum := sha256.Sum256([]byte(part))
		hash := hex.EncodeToString(sum[:])
		if !b.tx.prompts[hash] {
			b.tx.do(`INSERT OR IGNORE INTO prompts (hash, text) VALUES (?, ?)`, hash, part)
			b.tx.prompts[hash] = true
		}
		text.WriteString(promptMark + hash + promptMark)
	}
	return text.String()
}

// CallRequest returns the whole request of the call with a key, as JSON in the form of llm.Canonical. It returns sql.ErrNoRows if there is
// no such call.
func (s *Store) CallRequest(key string) (string, error) {
	recorded, found, err := First[string](s, `SELECT request FROM calls WHERE key = ? ORDER BY id`, key)
	if err != nil {
		return "", err
	}
	if !found {
		return "", sql.ErrNoRows
	}
	parts := strings.Split(recorded, promptMark)
	for i := 1; i < len(parts); i += 2 {
		if err := s.db.QueryRow(`SELECT text FROM prompts WHERE hash = ?`, parts[i]).Scan(&parts[i]); err != nil {
			return "", fmt.Errorf("reading %s: the request of call %s refers to prompt %s: %w", s.Path, key, parts[i], err)
		}
	}
	return strings.Join(parts, ""), nil
}
