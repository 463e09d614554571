package bench

import (
	"sync"

	"compqa/data"
	"compqa/llm"
	"compqa/scenarios"
)

// prompts are what models are asked about questions. All are asked the same, so each
// prompt is written and encoded once.
type prompts struct {
	withAspect bool

	mu   sync.Mutex
	made map[askedIn][]llm.Message
}

// askedIn says which prompt is meant, by ids.
type askedIn struct{ scenario, question string }

// mostPrompts is how many are kept; others are written for each model.
const mostPrompts = 1000

func newPrompts(withAspect bool) *prompts {
	return &prompts{withAspect: withAspect, made: map[askedIn][]llm.Message{}}
}

// messages are those of one prompt, which others share: they mustn't be changed.
func (p *prompts) messages(s scenarios.Scenario, q data.Question) ([]llm.Message, error) {
	which := askedIn{s.ID, q.ID}
	p.mu.Lock()
	defer p.mu.Unlock()
	if messages, ok := p.made[which]; ok {
		return messages, nil
	}
	prompt, err := s.Render(q, p.withAspect)
	if err != nil {
		return nil, err
	}
	user := llm.Message{Role: "user", Content: prompt.User}
	if len(p.made) < mostPrompts {
		user = llm.Message{Role: "user", Shared: prompt.User}
	}
	messages := []llm.Message{user}
	if prompt.System != "" {
		messages = []llm.Message{{Role: "system", Content: prompt.System}, user}
	}
	if len(p.made) < mostPrompts {
		p.made[which] = messages
	}
	return messages, nil
}
