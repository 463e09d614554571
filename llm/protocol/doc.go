// Package protocol speaks to servers: one file for each protocol (openai, ollama), and
// the HTTP that they share.
//
// A reply counts only if it says that it is finished. Everything else is an *llm.Error
// that says what happened.
package protocol
