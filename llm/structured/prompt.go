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

// Mark returns the number of the marks around the texts of a prompt.
func Mark(texts ...string) string { return llm.UnusedMark(texts, 8) }

// OneLine returns a text on one line, so that it cannot look like another part of a prompt.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Render executes a block of embedded templates, which fits its fields.
func Render(t *template.Template, name string, fields any) string {
	var b strings.Builder
	if err := t.ExecuteTemplate(&b, name, fields); err != nil {
		panic(fmt.Sprintf("the embedded template %s: %v", name, err))
	}
	return strings.TrimSpace(b.String())
}

// User returns the user's message with a text. What is before the line with the first mark is the same
// in every prompt, so that servers can cache it.
func User(text, mark string) llm.Message {
	first := max(0, strings.Index(text, mark))
	start := strings.LastIndexByte(text[:first], '\n') + 1
	return llm.Message{Role: "user", Shared: text[:start], Content: text[start:]}
}

// Fingerprint returns the SHA-256 of values as JSON, hexadecimal. The error is an option that JSON cannot hold.
func Fingerprint(values ...any) (string, error) {
	text, err := json.Marshal(values)
	if err != nil {
		return "", fmt.Errorf("hashing the options: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
