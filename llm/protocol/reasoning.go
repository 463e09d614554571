package protocol

import "strings"

// joinThoughts joins the reasoning that a server returned with the reasoning in the text.
func joinThoughts(parts ...string) string {
	var kept []string
	for _, p := range parts {
		p = strings.TrimSpace(p)
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n\n")
}
