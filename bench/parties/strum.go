package parties

import (
	"context"
	"errors"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/scoring"
	"compqa/llm"
	"compqa/scenarios"
	"compqa/scenarios/strum"
)

// strumSystem answers by contrastive tables that models make. The scenario's prompt is not
// used: the calls of a question are the same in every scenario, and are made once.
func strumSystem(c *config.Config, s System, m config.Model) (System, error) {
	live, err := strum.New(c.StrumOptions(m))
	if err != nil {
		return s, c.Wrong("models", m.Name, err)
	}
	fingerprint, err := live.Fingerprint()
	if err != nil {
		return s, c.Wrong("models", m.Name, err)
	}
	s.Kind, s.About, s.Batch = config.KindModel, m.Method+": "+m.Asks(), m.Batch
	s.roles, s.progress = map[strum.Role]string{}, new(func(data.Question, int, int))
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
			if *s.progress != nil {
				(*s.progress)(q, done, parts)
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

// sourcesOf are the sources for a question, or why there are none.
func (s *System) sourcesOf(q data.Question) (sources []data.Source, reason string) {
	if s.File == "" {
		if sources = strum.SourcesOf(q); len(sources) == 0 {
			return nil, "the question has no arguments"
		}
		return sources, ""
	}
	if sources = data.SourcesAbout(q, s.Sources); len(sources) == 0 {
		return nil, "the file of sources has no source about the question's objects"
	}
	return sources, ""
}
