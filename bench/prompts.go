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
	size int // of the texts in made, in bytes
}

// askedIn says which prompt is meant, by ids.
type askedIn struct{ scenario, question string }

// mostPromptBytes is how much of them is kept: a thousand prompts of usual length.
// Others are written for each model.
const mostPromptBytes = 2 << 20

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
	size := len(prompt.System) + len(prompt.User)
	keep := p.size+size <= mostPromptBytes
	user := llm.Message{Role: "user", Content: prompt.User}
	if keep {
		user = llm.Message{Role: "user", Shared: prompt.User}
	}
	messages := []llm.Message{user}
	if prompt.System != "" {
		messages = []llm.Message{{Role: "system", Content: prompt.System}, user}
	}
	if keep {
		p.made[which] = messages
		p.size += size
	}
	return messages, nil
}
