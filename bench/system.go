package bench

import (
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"

	"compqa/data"
	"compqa/llm"
	"compqa/results/store"
	"compqa/scenarios"
)

// A system is a contestant: who it is, and how it answers.
type system struct {
	store.Participant
	lane     string
	model    string // behind the lane's provider
	batch    bool   // asked in batches
	choices  int
	identity string        // all that its answers depend on beside question and scenario
	existing []data.Answer // of provider file: the answers there are
	// answer fills in text, status and reason; nil for provider file.
	answer func(d desk, q data.Question, s scenarios.Scenario) data.Answer
}

// The kinds of systems and judges, as the record and the reports name them.
const (
	kindBaseline = "baseline"
	kindFile     = "file"
	kindModel    = "model"
	kindImported = "imported"
	kindEmbedded = "embedded"
	kindFloor    = "floor"
	kindHuman    = "human"
)

// offlineLane is where work without a provider is done, as many at once as there
// are processors.
const offlineLane = ""

// lanes are how many items of each provider are under way at once.
func (c *Config) lanes() map[string]int {
	lanes := map[string]int{offlineLane: runtime.GOMAXPROCS(0)}
	for name, p := range c.Providers {
		lanes[name] = c.Run.Concurrency
		if p.Concurrency > 0 {
			lanes[name] = p.Concurrency
		}
	}
	return lanes
}

// widest is how many items are under way at once in the widest of the lanes.
func (c *Config) widest() int {
	return slices.Max(slices.Collect(maps.Values(c.lanes())))
}

// askAtOnce puts a number in the place of the configuration's own and of those of
// its providers; 0 leaves them as they are.
func (c *Config) askAtOnce(n int) {
	if n == 0 {
		return
	}
	c.Run.Concurrency = n
	for name, p := range c.Providers {
		p.Concurrency = n
		c.Providers[name] = p
	}
}

// workers is how many items are worked on at once for so many calls under way. A
// worker keeps its item until the reply is on disk, so that of what is paid for no
// more is lost with the process than is under way. Where calls go out by the
// hundred, the waits for the common commit would leave the server idle for a tenth
// of its time: there more workers than calls make up for it, and stand in line for
// a place while the disk is fast (BenchmarkRun).
func workers(atOnce int) int { return atOnce + max(0, atOnce-64)*3/4 }

// systems builds the configuration's contestants.
func (c *Config) systems() ([]system, error) {
	var list []system
	ids, asked := map[string]string{}, newPrompts(c.AspectInPrompt)
	for _, m := range c.Models {
		s, err := c.system(m, asked)
		if err != nil {
			return nil, err
		}
		for _, a := range s.existing {
			if other, ok := ids[a.ID]; ok {
				return nil, usageError{fmt.Errorf("%s: the answer id %q is also used by %s; ids are unique over a run", m.Path, a.ID, other)}
			}
			ids[a.ID] = m.Path
		}
		list = append(list, s)
	}
	return list, nil
}

func (c *Config) system(m Model, asked *prompts) (system, error) {
	s := system{Participant: store.Participant{Name: m.Name, Family: m.Family}, choices: m.Choices}
	switch m.Provider {
	case providerBaseline:
		offline, _ := scenarios.OfflineNamed(m.baseline()) // checked with the configuration
		s.Kind, s.About, s.choices = kindBaseline, offline.Does, 1
		s.identity = fmt.Sprintf("baseline %s %d", offline.Name, offline.Version)
		s.answer = func(_ desk, q data.Question, sc scenarios.Scenario) data.Answer {
			text, reason := offline.Answer(q, sc)
			if text == "" {
				return data.Answer{Status: data.Skipped, Reason: reason}
			}
			return data.Answer{Status: data.Valid, Text: text}
		}
		return s, nil
	case providerFile:
		return c.fileSystem(s, m)
	}
	return c.liveSystem(s, m, asked)
}

// fileSystem takes its answers from a file, whatever system they name; where
// they name several, it cannot be told whose they are.
func (c *Config) fileSystem(s system, m Model) (system, error) {
	answers, err := data.ReadAnswers(c.file(m.Path))
	if err != nil {
		return s, usageError{err}
	}
	named := ""
	for i := range answers {
		if answers[i].System != "" && named != "" && answers[i].System != named {
			return s, usageError{fmt.Errorf("%s holds answers of %q and of %q; give each system a file and an entry of its own", m.Path, named, answers[i].System)}
		}
		if answers[i].System != "" {
			named = answers[i].System
		}
		answers[i].System = m.Name
	}
	s.Kind, s.About, s.existing = kindFile, "answers from "+m.Path, answers
	identity, err := json.Marshal(answers)
	s.identity = string(identity)
	return s, err
}

// liveSystem asks a model behind a provider.
func (c *Config) liveSystem(s system, m Model, asked *prompts) (system, error) {
	s.Kind, s.About, s.lane = kindModel, m.Model+" at "+m.Provider, m.Provider
	s.model, s.batch = m.Model, m.Batch
	identity, err := json.Marshal(struct {
		Provider, BaseURL, Model string
		Options, Extra           map[string]any
		Seed                     int64
	}{c.Providers[m.Provider].Type, c.Providers[m.Provider].BaseURL, m.Model, m.Options, m.Extra, c.Run.Seed})
	if err != nil {
		return s, c.wrong(at("models", m.Name, named("model", m.Name, err)))
	}
	s.identity = string(identity)
	pattern := llm.Request{Model: m.Model, Options: m.Options, Extra: m.Extra}.Pattern()
	s.answer = func(d desk, q data.Question, sc scenarios.Scenario) data.Answer {
		req := pattern
		var err error
		if req.Messages, err = asked.messages(sc, q); err != nil {
			return data.Answer{Status: data.Failed, Reason: err.Error()}
		}
		reply, err := d.ask(d.ctx, req)
		return answered(reply, err)
	}
	return s, nil
}

// answered turns a reply into an answer: complete, or with the status that says
// what happened to it.
func answered(reply llm.Reply, err error) data.Answer {
	a := data.Answer{Status: data.Valid, Text: reply.Text, Reasoning: reply.Reasoning}
	if err != nil {
		a.Status, a.Reason = statusOf(err), err.Error()
	}
	return a
}
