package parties

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/data/sources"
	"compqa/judges/scoring"
	"compqa/llm"
	"compqa/results/store"
	"compqa/scenarios"
	"compqa/scenarios/strum"
)

// A System is a participant that answers questions.
type System struct {
	Party
	Choices  int           // number of answers to a question
	Existing []data.Answer // provider file: its answers
	Read     []string      // sentences about what was read from the file
	// Fingerprint is that of the recorded cells of provider file; if it is "", it is computed from Identity.
	Fingerprint string
	Sources     []data.PairSources                     // the sources of objects, if they come from a file
	OnPart      func(q data.Question, done, parts int) // called after each part of the sources that a method has read; may be nil
	File        string                                 // the file of sources, as the configuration names it; "": none
	roles       map[strum.Role]string                  // the provider of each step of a method; nil: no method
	Calls       func(data.Question) int                // calls for one answer, as estimates assume; nil: one
	Tables      bool                                   // its answers are rendered from contrastive tables
	// text makes an answer with its text, status and reason. It is nil for provider file.
	text func(ctx context.Context, ask run.Asker, repeat int, q data.Question, s scenarios.Scenario) data.Answer
}

// Systems builds the configured systems. The ids of existing answers must be unique in a run.
func Systems(c *config.Config) ([]System, error) {
	var list []System
	ids := map[string]string{}
	for _, m := range c.Models {
		s, err := BuildSystem(c, m, func() ([]data.PairSources, error) { return data.ReadSources(c.Path(m.Sources)) })
		if err != nil {
			return nil, err
		}
		for _, a := range s.Existing {
			if other, ok := ids[a.ID]; ok {
				return nil, config.Usagef("%s: the answer id %q is also used by %s; ids must be unique in a run", m.Path, a.ID, other)
			}
			ids[a.ID] = m.Path
		}
		list = append(list, *s)
	}
	return list, nil
}

// SplitFiles returns the entries of models. It replaces an entry with a file of several systems by one entry for each system. If one of the
// systems has the name of the entry, the entry stays and takes only that system's answers.
func SplitFiles(c *config.Config) (models []config.Model, err error) {
	taken := map[string]string{}
	for _, m := range c.Models {
		taken[m.Name] = m.Name
	}
	for _, m := range c.Models {
		var names []string
		if m.Provider == config.ProviderFile {
			answers, _, err := readAnswers(c, m)
			if err != nil {
				return nil, err
			}
			for _, a := range answers {
				if a.System != "" && !slices.Contains(names, a.System) {
					names = append(names, a.System)
				}
			}
		}
		if len(names) < 2 || slices.Contains(names, m.Name) {
			models = append(models, m)
			continue
		}
		for _, name := range names {
			if other := taken[name]; other != "" {
				return nil, config.Usagef("%s: it has answers of %q, which is also the name of the entry %s", m.Path, name, other)
			}
			one := m
			one.Name = name
			taken[name] = m.Name
			models = append(models, one)
		}
	}
	return models, nil
}

// readAnswers reads the answers of an entry with provider file. It also returns a note about what was read, or "".
func readAnswers(c *config.Config, m config.Model) ([]data.Answer, string, error) {
	questions, err := c.LoadQuestions()
	if err != nil {
		return nil, "", err
	}
	answers, note, err := sources.ReadAnswers(c.Path(m.Path), questions, m.ReadingOptions(config.Repeats{}))
	if err != nil {
		return nil, "", config.KeysError(err)
	}
	return answers, config.AsKeys(note), nil
}

// BuildSystem builds the system of an entry. read reads the entry's file of sources, and is called only if the entry has one.
func BuildSystem(c *config.Config, m config.Model, read func() ([]data.PairSources, error)) (*System, error) {
	s := &System{Party: Party{Participant: store.Participant{Name: m.Name, Family: m.Family}}, Choices: m.Choices}
	if m.Sources != "" {
		var err error
		s.Sources, err = read()
		if err != nil {
			return s, config.UsageError{Err: err}
		}
		s.File = m.Sources
	}
	switch m.Provider {
	case config.ProviderBaseline:
		offline, _ := scenarios.OfflineNamed(m.BuiltIn()) // checked with the configuration
		s.Kind = config.KindBaseline
		s.About = offline.Does
		s.Choices = 1
		s.Tables = offline.Tables
		s.Identity = fmt.Sprintf("baseline %s %d", offline.Name, offline.Version)
		if s.File != "" {
			s.Identity += config.HashOf(s.Sources)
		}
		s.text = func(_ context.Context, _ run.Asker, _ int, q data.Question, sc scenarios.Scenario) data.Answer {
			if s.File == "" {
				return offline.Answer(q, nil, sc)
			}
			sources, reason := s.sourcesOf(q)
			if reason != "" {
				return data.Answer{Status: data.Skipped, Reason: reason}
			}
			return offline.Answer(q, sources, sc)
		}
		return s, nil
	case config.ProviderFile:
		return fileSystem(c, s, m)
	}
	if m.Method != "" {
		s.Tables = true
		return strumSystem(c, s, m)
	}
	return liveSystem(c, s, m)
}

// fileSystem builds a system whose answers come from a file. If the file names several systems, it takes the answers of the system with the
// entry's name; otherwise it takes all answers. An answer with a table and no text gets a text that is rendered from the table.
func fileSystem(c *config.Config, s *System, m config.Model) (*System, error) {
	answers, note, err := readAnswers(c, m)
	if err != nil {
		return s, err
	}
	names := data.Among(data.Each(answers, func(a data.Answer) string { return a.System }))
	delete(names, "")
	if note != "" {
		s.Read = append(s.Read, note)
	}
	if len(names) > 1 {
		if left := leftRows(c, m, answers); left != "" {
			s.Read = append(s.Read, left)
		}
		answers = data.Where(answers, func(a data.Answer) bool { return a.System == m.Name })
	}
	if len(answers) == 0 {
		return s, config.Usagef("%s has no answers of %q; its systems are %s", m.Path, m.Name,
			strings.Join(slices.Sorted(maps.Keys(names)), ", "))
	}
	for i := range answers {
		answers[i].System = m.Name
		if a := &answers[i]; a.Table != nil && a.Text == "" {
			made := strum.Answer(data.QuestionOf(*a), *a.Table, strum.Cited(*a.Table), false)
			a.Text = made.Text
			if a.Status == data.Valid {
				a.Status = made.Status
				a.Reason = made.Reason
			}
		}
	}
	s.Kind = config.KindFile
	s.About = "answers from " + m.Path
	s.Existing = answers
	identity, err := json.Marshal(answers)
	s.Identity = string(identity)
	return s, err
}

// liveSystem builds a system that sends the prompts of scenarios to a model of a provider.
func liveSystem(c *config.Config, s *System, m config.Model) (*System, error) {
	s.Party = live(m.Name, m.Family, m.Asked, m.Batch)
	options := m.AllOptions()
	identity, err := json.Marshal(struct {
		Provider, Server, Model string
		Options, Extra          map[string]any
		Seed                    int64
	}{c.Providers[m.Provider].Type, c.Providers[m.Provider].Server(), m.Model, options, m.Extra, c.Run.Seed})
	if err != nil {
		return s, c.Wrong("models", m.Name, err)
	}
	s.Identity = string(identity)
	s.text = func(ctx context.Context, ask run.Asker, repeat int, q data.Question, sc scenarios.Scenario) data.Answer {
		prompt, err := sc.Render(q, c.AspectInPrompt)
		if err != nil {
			return data.Answer{Status: data.Failed, Reason: err.Error()}
		}
		req := llm.Request{Model: m.Model, Options: options, Extra: m.Extra, Messages: []llm.Message{{Role: "user", Content: prompt.User}}}
		if prompt.System != "" {
			req.Messages = slices.Insert(req.Messages, 0, llm.Message{Role: "system", Content: prompt.System})
		}
		reply, err := ask(ctx, m.Provider, repeat, req)
		a := data.Answer{Status: data.Valid, Text: reply.Text, Reasoning: reply.Reasoning}
		if err != nil {
			a.Status, a.Reason = scoring.StatusOf(err), err.Error()
		}
		return a
	}
	return s, nil
}

// Prompted reports whether the system is a model that answers the prompts of scenarios.
func (s *System) Prompted() bool { return s.Kind == config.KindModel && s.roles == nil }

// Answer asks a system to answer a question. If the scenario shows arguments and the question has none, a model is not asked.
func (s *System) Answer(ctx context.Context, ask run.Asker, q data.Question, sc scenarios.Scenario, repeat int) data.Answer {
	if s.Prompted() && sc.NeedsArguments && len(q.Arguments) == 0 {
		return data.Answer{Status: data.Skipped, Reason: "the question has no arguments, which this scenario shows"}
	}
	return s.text(ctx, ask, repeat, q, sc)
}

// Answers reports whether the system answers questions itself, instead of having its answers in a file.
func (s *System) Answers() bool { return s.text != nil }

// Providers returns the providers that the system asks.
func (s *System) Providers() []string {
	if s.roles == nil {
		return []string{s.Provider}
	}
	return slices.Sorted(maps.Values(s.roles))
}

// strumSystem builds a system whose answers are rendered from contrastive tables that models make. It does not use the scenario's prompt,
// so the calls for a question are the same in every scenario, and are made once.
func strumSystem(c *config.Config, s *System, m config.Model) (*System, error) {
	live, err := strum.New(c.StrumOptions(m))
	if err != nil {
		return s, c.Wrong("models", m.Name, err)
	}
	fingerprint, err := live.Fingerprint()
	if err != nil {
		return s, c.Wrong("models", m.Name, err)
	}
	asked := data.Each(m.OwnRoles(), func(role config.Asked) string { return role.Model + " at " + role.Provider })
	s.Kind = config.KindModel
	s.About = m.Method + ": " + strings.Join(asked, ", ")
	s.Batch = m.Batch
	s.roles = map[strum.Role]string{}
	servers := map[strum.Role]string{}
	for _, name := range strum.Roles {
		role := strum.Role(name)
		s.roles[role] = m.RoleOf(role).Provider
		servers[role] = c.Providers[s.roles[role]].Type + " " + c.Providers[s.roles[role]].Server()
	}
	s.Provider, s.Model = s.roles[strum.RoleExtract], m.RoleOf(strum.RoleExtract).Model
	s.Identity = config.HashOf(fingerprint, m.Method, servers, s.Sources, c.Run.Seed)
	s.Calls = func(q data.Question) int {
		sources, _ := s.sourcesOf(q)
		return live.Calls(sources)
	}
	s.text = func(ctx context.Context, ask run.Asker, repeat int, q data.Question, _ scenarios.Scenario) data.Answer {
		sources, reason := s.sourcesOf(q)
		if reason != "" {
			return data.Answer{Status: data.Skipped, Reason: reason}
		}
		progress := func(done, parts int) {
			if s.OnPart != nil {
				s.OnPart(q, done, parts)
			}
		}
		t, err := live.Table(ctx, q, sources, progress, func(ctx context.Context, role strum.Role, r llm.Request) (llm.Reply, error) {
			return ask(ctx, s.roles[role], repeat, r)
		})
		if stopped, ok := errors.AsType[*strum.Stopped](err); ok {
			a := data.Answer{Status: scoring.StatusOf(err), Text: stopped.Reply, Reason: err.Error()}
			if errors.Is(err, strum.ErrReply) {
				a.Status = data.Unparsed
			}
			return a
		}
		return strum.Answer(q, t, sources, m.Method == strum.MethodChoice)
	}
	return s, nil
}

// sourcesOf returns the sources for a question: from the file of sources, or else the question's arguments. If there are none, reason says
// why.
func (s *System) sourcesOf(q data.Question) (sources []data.Source, reason string) {
	if s.File == "" {
		sources = strum.SourcesOf(q)
		if len(sources) == 0 {
			return nil, "the question has no arguments"
		}
		return sources, ""
	}
	sources = data.SourcesAbout(q, s.Sources)
	if len(sources) == 0 {
		return nil, "the file of sources has no source about the question's objects"
	}
	return sources, ""
}
