package structured

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"compqa/llm"
)

// Mark returns the number for the marks around the texts of a prompt. None of the texts contains it.
func Mark(texts ...string) string { return llm.UnusedMark(texts, 8) }

// OneLine returns a text on one line, so that it cannot look like another part of a prompt.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Render executes a block of the embedded templates with these fields. It panics if the block does not fit the fields.
func Render(t *template.Template, name string, fields any) string {
	var b strings.Builder
	if err := t.ExecuteTemplate(&b, name, fields); err != nil {
		panic(fmt.Sprintf("the embedded template %s: %v", name, err))
	}
	return strings.TrimSpace(b.String())
}

// User returns the user's message with a text. The lines before the first mark are the same in every prompt. They become the shared part,
// which servers can cache.
func User(text, mark string) llm.Message {
	first := max(0, strings.Index(text, mark))
	start := strings.LastIndexByte(text[:first], '\n') + 1
	return llm.Message{Role: "user", Shared: text[:start], Content: text[start:]}
}

// Fingerprint returns the hexadecimal SHA-256 of the JSON of the values. It returns an error if JSON cannot represent a value.
func Fingerprint(values ...any) (string, error) {
	text, err := json.Marshal(values)
	if err != nil {
		return "", fmt.Errorf("hashing the options: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
