// Package protocol sends requests to servers: one file for each protocol (openai,
// anthropic, ollama), one for its batches, and the HTTP code that they share.
//
// A reply is valid only if the server reports that it is finished. Otherwise the result
// is an *llm.Error that says what happened.
package protocol
