package plan

import (
	"fmt"
	"slices"
	"strings"

	"compqa/bench/parties"
	"compqa/data"
)

// AspectsUnasked says how many questions have an aspect that no prompt of a model contains, so that answers cannot follow it, although
// judges see it; "": none, or no model is asked.
func (p *Plan) AspectsUnasked() string {
	asks := slices.ContainsFunc(p.Systems, func(s parties.System) bool { return s.Prompted() })
	if !asks || p.Config.AspectInPrompt {
		return ""
	}
	unasked := data.Where(p.Questions, func(q data.Question) bool {
		q.Arguments = nil // one may mention the aspect, but it is not asked for
		for _, scenario := range p.Scenarios {
			prompt, err := scenario.Render(q, false)
			if err == nil && strings.Contains(strings.ToLower(prompt.System+"\n"+prompt.User), strings.ToLower(q.Aspect)) {
				return false
			}
		}
		return q.Aspect != "" && len(p.Scenarios) > 0
	})
	if len(unasked) == 0 {
		return ""
	}
	return fmt.Sprintf("%s an aspect that no prompt contains (aspect_in_prompt: true adds it); judges see it",
		data.Plural(len(unasked), "question names", "questions name"))
}
