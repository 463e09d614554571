package llm

import "testing"

// TestRefuses: what makers document holds for their models, also under the names of gateways, and for no other models.
func TestRefuses(t *testing.T) {
	for _, c := range []struct {
		model, parameter string
		options          map[string]any
		refused, reasons bool
	}{
		{"gpt-6-luna", "temperature", nil, true, true},
		{"openai/gpt-6.2-sol", "top_p", nil, true, true},
		{"gpt-5.4-mini", "temperature", map[string]any{"reasoning_effort": "none"}, false, false},
		{"o4-mini", "presence_penalty", nil, true, true},
		{"gpt-4o-2024-11-20", "temperature", nil, false, false},
		{"gpt-4o", "top_k", nil, true, false},
		{"gpt-oss:20b", "top_k", nil, false, false},
		{"claude-sonnet-5-5", "temperature", nil, true, true},
		{"anthropic/claude-opus-4-7", "top_k", nil, true, true},
		{"claude-haiku-4-5", "temperature", nil, false, false},
		{"claude-haiku-4-5", "top_p", map[string]any{"temperature": 0}, true, false},
		{"llama3:8b", "temperature", nil, false, false},
		{"house-model", "top_k", nil, false, false},
	} {
		if got := Refuses(c.model, c.parameter, c.options); got != c.refused {
			t.Errorf("%s, %s: %v", c.model, c.parameter, got)
		}
		if got := Reasons(c.model, c.options); got != c.reasons {
			t.Errorf("%s reasons: %v", c.model, got)
		}
	}
}
