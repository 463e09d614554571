package bench

import (
	"context"
	"fmt"
	"slices"

	"compqa/bench/config"
	"compqa/data"
	"compqa/judges"
	"compqa/judges/rules"
	"compqa/judges/scoring"
	"compqa/results/store"
	"compqa/rubric"
)

// A judge is who scores: who it is, how it scores, and what it is asked for.
type judge struct {
	store.Participant
	provider string // offline: none
	model    string // at the provider
	batch    bool   // asked in batches
	repeats  int
	sample   int  // 0: all
	imported bool // judges imported answers too
	identity string
	existing []data.Verdict // of provider file: the verdicts there are
	score    scoring.Judge  // nil for provider file
	explain  func(data.Question, data.Answer) []rules.Finding
}

// judges builds the configuration's judges. An entry with provider file may
// hold several judges, as their verdicts name them.
func buildJudges(c *config.Config, r rubric.Rubric) ([]judge, error) {
	var list []judge
	names := map[string]bool{}
	for _, ref := range c.Judges {
		built, err := buildJudge(c, ref, r)
		if err != nil {
			return nil, err
		}
		for _, j := range built {
			if names[j.Name] {
				return nil, c.Locate(config.At("judges", ref.Name, fmt.Errorf("two entries give the judge %q", j.Name)))
			}
			names[j.Name] = true
			list = append(list, j)
		}
	}
	return list, nil
}

func buildJudge(c *config.Config, ref config.Judge, r rubric.Rubric) ([]judge, error) {
	switch ref.Provider {
	case config.ProviderEmbedded:
		j, err := embeddedJudge(c, ref, r)
		return []judge{j}, err
	case config.ProviderFile:
		return fileJudges(c, ref, r)
	case config.ProviderCalibrated:
		_, err := readCalibration(c, ref, r) // its verdicts come from another's: see applyCalibrations
		return nil, err
	}
	j, err := liveJudge(c, ref, r)
	return []judge{j}, err
}

func embeddedJudge(c *config.Config, ref config.Judge, r rubric.Rubric) (judge, error) {
	e, _ := config.EmbeddedNamed(ref.EmbeddedName()) // checked with the configuration
	score, err := e.Build(r)
	if err != nil {
		return judge{}, c.Locate(config.At("judges", ref.Name, config.Named("judge", ref.Name, err)))
	}
	return judge{
		Participant: store.Participant{Name: ref.Name, Kind: e.Kind, Family: ref.Family, About: e.About},
		repeats:     1,
		sample:      ref.Sample,
		imported:    ref.Imported == nil || *ref.Imported,
		identity:    e.Identity(),
		score:       score,
		explain:     e.Explain,
	}, nil
}

func fileJudges(c *config.Config, ref config.Judge, r rubric.Rubric) ([]judge, error) {
	verdicts, err := data.ReadVerdicts(c.Path(ref.Path), r.IDs())
	if err != nil {
		return nil, config.UsageError{Err: err}
	}
	var list []judge
	for _, v := range verdicts {
		at := slices.IndexFunc(list, func(j judge) bool { return j.Name == v.Judge })
		if at < 0 {
			at = len(list)
			list = append(list, judge{Participant: store.Participant{Name: v.Judge, Kind: verdictKind(v.Judge), Family: ref.Family, About: "verdicts from " + ref.Path}, imported: true})
		}
		list[at].existing = append(list[at].existing, scoring.Settle(r, v))
	}
	for i := range list {
		list[i].identity = config.HashOf(list[i].existing)
	}
	return list, nil
}

// verdictKind is the kind of a judge whose verdicts come from a file.
func verdictKind(name string) string {
	if data.IsHuman(name) {
		return config.KindHuman
	}
	return config.KindImported
}

// liveJudge asks a model behind a provider.
func liveJudge(c *config.Config, ref config.Judge, r rubric.Rubric) (judge, error) {
	o := judges.ModelOptions{Model: ref.Model, Options: ref.Options, Extra: ref.Extra, Examples: judges.DefaultExamples, Repair: c.Run.Repair}
	if ref.Examples != nil {
		o.Examples = *ref.Examples
	}
	score, fingerprint, err := judges.NewModel(r, o)
	if err != nil {
		return judge{}, c.Locate(config.At("judges", ref.Name, config.Named("judge", ref.Name, err)))
	}
	p := c.Providers[ref.Provider]
	return judge{
		Participant: store.Participant{Name: ref.Name, Kind: config.KindModel, Family: ref.Family, About: ref.Model + " at " + ref.Provider},
		provider:    ref.Provider,
		model:       ref.Model,
		batch:       ref.Batch,
		repeats:     ref.Repeats,
		sample:      ref.Sample,
		imported:    ref.Imported != nil && *ref.Imported,
		identity:    config.HashOf(p.Type, p.BaseURL, fingerprint, c.Run.Seed),
		score:       score,
		explain:     config.Unexplained,
	}, nil
}

// verdict has a judge score an answer. An answer that is not valid is not judged, and
// the verdict says so.
func (j *judge) verdict(ctx context.Context, ask Asker, r rubric.Rubric, q data.Question, a data.Answer, repeat int) data.Verdict {
	v := data.Verdict{Status: data.Skipped, Reason: "there is no answer to judge: it is " + string(a.Status)}
	if a.Status == data.Valid {
		v = j.score(ctx, q, a, ask.of(j.provider, repeat))
	}
	v.Answer, v.Judge, v.Repeat = a.ID, j.Name, repeat
	return scoring.Settle(r, v)
}
