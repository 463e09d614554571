package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges"
	"compqa/judges/rules"
	"compqa/judges/scoring"
	"compqa/judges/surface"
	"compqa/judges/text"
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

// An embedded judge needs no model.
type embedded struct {
	name, kind, about string
	version           int // part of the identity of its verdicts: raised when they change
	build             func(rubric.Rubric) (scoring.Judge, error)
	explain           func(data.Question, data.Answer) []rules.Finding
}

// embeddedJudges are the judges of provider embedded, by name.
var embeddedJudges = []embedded{
	{surfaceName, kindEmbedded, "what people would score by the look of the answer: it reads form, not truth", surface.Version(), surface.New,
		func(q data.Question, a data.Answer) []rules.Finding { return surface.Explain(q, a.Text) }},
	{"rules", kindEmbedded, "plain text measurements: a floor with meaning, not a truth", rules.Version, rules.New,
		func(q data.Question, a data.Answer) []rules.Finding {
			_, findings := rules.Score(text.Measure(q, a.Text))
			return findings
		}},
	{"constant", kindFloor, "full marks for everything: who does not beat it has shown nothing", 1, judges.NewConstant, unexplained},
}

// identity stands for all that its verdicts depend on beside the answers.
func (e embedded) identity() string { return fmt.Sprintf("embedded %s %d", e.name, e.version) }

// unexplained is for judges whose scores say all there is to say.
func unexplained(data.Question, data.Answer) []rules.Finding { return nil }

func embeddedNamed(name string) (embedded, bool) {
	i := slices.IndexFunc(embeddedJudges, func(e embedded) bool { return e.name == name })
	if i < 0 {
		return embedded{}, false
	}
	return embeddedJudges[i], true
}

func embeddedNames() string {
	names := make([]string, len(embeddedJudges))
	for i, e := range embeddedJudges {
		names[i] = e.name
	}
	return strings.Join(names, ", ")
}

// embeddedName is the embedded judge that an entry stands for: the one named by
// model, so that it can be given another name, else by name.
func (j *JudgeRef) embeddedName() string {
	if j.Model != "" {
		return j.Model
	}
	return j.Name
}

func (c *Config) checkJudge(j *JudgeRef) error {
	switch {
	case j.Repeats < 0 || j.Sample < 0:
		return fmt.Errorf("repeats and sample cannot be negative")
	case j.Repeats == 0:
		j.Repeats = 1
	}
	if data.IsHuman(j.Name) && j.Provider != providerFile {
		return fmt.Errorf("names that begin with %q are people's; choose another", data.Human)
	}
	switch j.Provider {
	case providerEmbedded:
		if _, ok := embeddedNamed(j.embeddedName()); !ok {
			return fmt.Errorf("there is no embedded judge %q; they are %s", j.embeddedName(), embeddedNames())
		}
		return nil
	case providerFile:
		if j.Path == "" {
			return fmt.Errorf("provider file needs path: the file that holds the verdicts")
		}
		return nil
	case providerCalibrated:
		return checkCalibrated(j)
	case providerBaseline:
		return fmt.Errorf("provider baseline is for models; judges without a model have provider %s", providerEmbedded)
	}
	return c.checkLive(j.Provider, j.Model, j.Options, j.Extra)
}

// judges builds the configuration's judges. An entry with provider file may
// hold several judges, as their verdicts name them.
func (c *Config) judges(r rubric.Rubric) ([]judge, error) {
	var list []judge
	names := map[string]bool{}
	for _, ref := range c.Judges {
		built, err := c.judge(ref, r)
		if err != nil {
			return nil, err
		}
		for _, j := range built {
			if names[j.Name] {
				return nil, c.wrong(at("judges", ref.Name, fmt.Errorf("two entries give the judge %q", j.Name)))
			}
			names[j.Name] = true
			list = append(list, j)
		}
	}
	return list, nil
}

func (c *Config) judge(ref JudgeRef, r rubric.Rubric) ([]judge, error) {
	switch ref.Provider {
	case providerEmbedded:
		j, err := c.embeddedJudge(ref, r)
		return []judge{j}, err
	case providerFile:
		return c.fileJudges(ref, r)
	case providerCalibrated:
		_, err := c.calibration(ref, r) // its verdicts come from another's: see applyCalibrations
		return nil, err
	}
	j, err := c.liveJudge(ref, r)
	return []judge{j}, err
}

func (c *Config) embeddedJudge(ref JudgeRef, r rubric.Rubric) (judge, error) {
	e, _ := embeddedNamed(ref.embeddedName()) // checked with the configuration
	score, err := e.build(r)
	if err != nil {
		return judge{}, c.wrong(at("judges", ref.Name, named("judge", ref.Name, err)))
	}
	return judge{
		Participant: store.Participant{Name: ref.Name, Kind: e.kind, Family: ref.Family, About: e.about},
		repeats:     1,
		sample:      ref.Sample,
		imported:    ref.Imported == nil || *ref.Imported,
		identity:    e.identity(),
		score:       score,
		explain:     e.explain,
	}, nil
}

func (c *Config) fileJudges(ref JudgeRef, r rubric.Rubric) ([]judge, error) {
	verdicts, err := data.ReadVerdicts(c.file(ref.Path), r.IDs())
	if err != nil {
		return nil, usageError{err: err}
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
		list[i].identity = hashOf(list[i].existing)
	}
	return list, nil
}

// verdictKind is the kind of a judge whose verdicts come from a file.
func verdictKind(name string) string {
	if data.IsHuman(name) {
		return kindHuman
	}
	return kindImported
}

// liveJudge asks a model behind a provider.
func (c *Config) liveJudge(ref JudgeRef, r rubric.Rubric) (judge, error) {
	o := judges.ModelOptions{Model: ref.Model, Options: ref.Options, Extra: ref.Extra, Examples: judges.DefaultExamples, Repair: c.Run.Repair}
	if ref.Examples != nil {
		o.Examples = *ref.Examples
	}
	score, fingerprint, err := judges.NewModel(r, o)
	if err != nil {
		return judge{}, c.wrong(at("judges", ref.Name, named("judge", ref.Name, err)))
	}
	p := c.Providers[ref.Provider]
	return judge{
		Participant: store.Participant{Name: ref.Name, Kind: kindModel, Family: ref.Family, About: ref.Model + " at " + ref.Provider},
		provider:    ref.Provider,
		model:       ref.Model,
		batch:       ref.Batch,
		repeats:     ref.Repeats,
		sample:      ref.Sample,
		imported:    ref.Imported != nil && *ref.Imported,
		identity:    hashOf(p.Type, p.BaseURL, fingerprint, c.Run.Seed),
		score:       score,
		explain:     unexplained,
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
