package store

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"
)

// Prompts share long parts: a judge's task, criteria and schema are nine tenths of each
// request. Such a part, every second one of a request, is stored once, in table prompts under its hash.
// A request contains the hash between two marks that cannot occur in JSON.
const (
	promptMark = "\x01"
	longPrompt = 1 << 10 // bytes from which a part is stored by itself
)

// storeRequest stores the long parts of a request and returns the text to record.
func (b Batch) storeRequest(parts []string) string {
	var text strings.Builder
	for i, part := range parts {
		if i%2 == 0 || len(part) < longPrompt { // its own, or not worth a row
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

// CallRequest returns the request of the call with a key, in its llm.Canonical form.
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
