// Package parties builds who takes part in a run from the entries of a configuration: systems that answer, judges that
// score, judges that label summaries, and pairwise judges. A party is a value with an identity, which is the hash of all
// that its results depend on, and a function that makes one result. It knows no record and no plan.
package parties

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/data/sources/release"
	"compqa/judges"
	"compqa/judges/scoring"
	"compqa/judges/surface"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
)

// A Party is a participant that gives results, with the provider and model that it asks.
type Party struct {
	store.Participant
	Provider string // run.Offline: it asks nobody
	Model    string // at the provider
	Batch    config.BatchMode
	Identity string // hash of, or text with, everything that its results depend on besides their subjects
}

// live returns a party that asks the model of an entry.
func live(name, family string, a config.Asked, batch config.BatchMode) Party {
	return Party{Participant: store.Participant{Name: name, Kind: config.KindModel, Family: family, About: a.Model + " at " + a.Provider},
		Provider: a.Provider, Model: a.Model, Batch: batch}
}

// ofFile returns a party whose results come from a file.
func ofFile(name, family, about string, results any) Party {
	return Party{Participant: store.Participant{Name: name, Kind: VerdictKind(name), Family: family, About: about},
		Identity: config.HashOf(results)}
}

// VerdictKind returns the kind of a judge whose verdicts come from a file: human or imported.
func VerdictKind(name string) string {
	if data.IsHuman(name) {
		return config.KindHuman
	}
	return config.KindImported
}

// A Judge scores answers.
type Judge struct {
	Party
	Repeats int
	Calls   int // calls for one verdict, without repairs; 0: offline
	// SelfCheck says that the judge scores some answers twice, because it may score an answer differently each time.
	SelfCheck bool
	Sample    int            // number of answers to score; 0: all
	Imported  bool           // it also scores imported answers
	Existing  []data.Verdict // provider file: its verdicts
	File      string         // provider file: the path
	Read      []string       // sentences about what was read; only for the first judge of a file
	Score     scoring.Judge  // nil for provider file
	Arguments bool           // it compares an answer with the question's arguments
	Explain   func(data.Question, data.Answer) []scoring.Finding
}

// Judges builds the configured judges of answers. An entry with provider file gives one judge for each judge that the file names.
func Judges(c *config.Config, r rubric.Rubric) ([]Judge, error) {
	return buildJudges(c, store.KindVerdict, func(ref *config.Judge) ([]Judge, error) {
		if err := readExamples(c, ref, r); err != nil {
			return nil, err
		}
		return BuildJudge(c, *ref, r)
	})
}

// buildJudges builds the judges that give one kind of results. Two judges with the same name are an error.
func buildJudges[J interface{ name() string }](c *config.Config, kind string, build func(*config.Judge) ([]J, error)) (list []J,
	err error) {
	for _, ref := range c.JudgesOf(kind) {
		built, err := build(ref)
		if err != nil {
			return nil, err
		}
		for _, j := range built {
			if slices.ContainsFunc(list, func(other J) bool { return other.name() == j.name() }) {
				return nil, c.Locate(config.At(ref.Section(), ref.Name,
					fmt.Errorf("two entries give the %s %q", config.Whats[ref.Section()], j.name())))
			}
			list = append(list, j)
		}
	}
	return list, nil
}

func (p Party) name() string { return p.Name }

// BuildJudge builds the judges of an entry. An entry of provider file may give several. An entry of a calibration gives none, because its
// verdicts are computed from another judge's.
func BuildJudge(c *config.Config, ref config.Judge, r rubric.Rubric) ([]Judge, error) {
	switch ref.Provider {
	case config.ProviderEmbedded:
		j, err := embeddedJudge(c, ref, r)
		return []Judge{j}, err
	case config.ProviderFile:
		return fileJudges(c, ref, r)
	case config.ProviderCalibrated:
		_, err := ReadCalibration(c, ref, r) // its verdicts are computed from another judge's: see bench.applyCalibrations
		return nil, err
	}
	j, err := LiveJudge(c, ref, r)
	return []Judge{j}, err
}

// embeddedJudge builds a judge that needs no model.
func embeddedJudge(c *config.Config, ref config.Judge, r rubric.Rubric) (Judge, error) {
	e, _ := judges.EmbeddedNamed(ref.BuiltIn()) // checked with the configuration
	score, err := e.New(r)
	if err != nil {
		return Judge{}, c.Wrong("judges", ref.Name, err)
	}
	return Judge{
		Party: Party{Participant: store.Participant{Name: ref.Name, Kind: e.Kind, Family: ref.Family, About: e.About},
			Identity: e.Identity()},
		Repeats:   1,
		Sample:    ref.Sample,
		Imported:  ref.Imported == nil || *ref.Imported,
		Score:     score,
		Explain:   e.Explain,
		Arguments: e.Arguments,
	}, nil
}

// fileJudges builds the judges of a file of verdicts, one for each judge that the file names.
func fileJudges(c *config.Config, ref config.Judge, r rubric.Rubric) ([]Judge, error) {
	o := ref.ReadingOptions(ref.Repeats)
	o.Other = otherSide(c, ref)
	verdicts, said, err := ReadVerdicts(c.Path(ref.Path), r, ref.People, func(string) bool { return true }, o)
	if err != nil {
		return nil, config.KeysError(err)
	}
	if judges := verdicts.Judges(); ref.People && data.IsHuman(ref.Name) && len(judges) == 1 { // one person, with the entry's name
		verdicts.Rename(func(string) string { return ref.Name })
	}
	read := data.Each(said.Lines, config.AsKeys)
	var list []Judge
	for _, sheets := range table.Grouped(slices.Collect(verdicts.All()), func(v data.Verdict) string { return v.Judge }) {
		sheets = data.Each(sheets, func(v data.Verdict) data.Verdict { return scoring.Settle(r, v) })
		slices.SortFunc(sheets, func(a, b data.Verdict) int {
			return cmp.Or(cmp.Compare(a.Answer, b.Answer), cmp.Compare(a.Repeat, b.Repeat))
		})
		party := ofFile(sheets[0].Judge, ref.Family, "verdicts from "+ref.Path, sheets)
		list = append(list, Judge{Party: party, Imported: true, Existing: sheets, File: ref.Path, Read: read})
		read = nil
	}
	return list, nil
}

// LiveJudge builds a judge that asks a model of a provider.
func LiveJudge(c *config.Config, ref config.Judge, r rubric.Rubric) (Judge, error) {
	o := judges.ModelOptions{Model: ref.Model, Options: ref.AllOptions(), Extra: ref.Extra, Examples: judges.DefaultExamples,
		Repair: c.Run.Repair, Ask: ref.Ask, Read: c.Read}
	if err := readExamples(c, &ref, r); err != nil {
		return Judge{}, err
	}
	o.People = ref.Sheets
	if ref.Scoring.Examples != nil {
		o.Examples = *ref.Scoring.Examples
	}
	if ref.Scoring.Template != "" {
		var err error
		if _, o.Authors, err = c.LoadRelease("template"); err != nil {
			return Judge{}, err
		}
	}
	score, fingerprint, err := judges.NewModel(r, o)
	if err != nil {
		return Judge{}, c.Wrong("judges", ref.Name, err)
	}
	p, party := c.Providers[ref.Provider], live(ref.Name, ref.Family, ref.Asked, ref.Batch)
	calls := len(judges.Parts(r, ref.Ask))
	if calls > 1 {
		party.About += fmt.Sprintf(", %d calls for an answer, one for each %s", calls, ref.Ask)
	}
	party.Identity = config.HashOf(p.Type, p.Server(), fingerprint, c.Run.Seed)
	return Judge{
		Party:     party,
		Calls:     calls,
		Repeats:   max(1, ref.Repeats.Times),
		SelfCheck: ref.Repeats.Times == 0 && fmt.Sprint(ref.Options["temperature"]) != "0", // else it gives the same reply each time
		Sample:    ref.Sample,
		Imported:  ref.Imported != nil && *ref.Imported,
		Score:     score,
	}, nil
}

// readExamples reads the score sheets of people that a judge sees as examples, from the authors' release. It keeps them in the
// configuration, so that the record has everything that the prompts were made from.
func readExamples(c *config.Config, ref *config.Judge, r rubric.Rubric) error {
	if ref.From == "" || ref.Sheets != nil {
		return nil
	}
	if c.Release == "" {
		return config.Usagef("%s: judge %q: examples_from: %s reads people's score sheets from a checkout of the "+
			"authors' release; name it with --release", c.File, ref.Name, judges.FromPeople)
	}
	read, err := release.Read(c.Release)
	if err != nil {
		return config.UsageError{Err: err}
	}
	answers := data.By(read.Answers, func(a data.Answer) string { return a.ID })
	var sheets []judges.Example
	for _, v := range read.Verdicts {
		if a := answers[v.Answer]; data.IsHuman(v.Judge) {
			sheets = append(sheets, judges.Example{Question: data.QuestionOf(a), Answer: a.Text, Scores: v.Scores})
		}
	}
	if err = r.RequireCQA(); err == nil {
		ref.Sheets, err = judges.PeoplesExamples(r, sheets)
	}
	if err != nil {
		return c.Wrong("judges", ref.Name, err)
	}
	return nil
}

// Verdict asks a judge to score an answer. An answer that is not valid gives a skipped verdict.
func (j *Judge) Verdict(ctx context.Context, ask run.Asker, r rubric.Rubric, q data.Question, a data.Answer, repeat int) data.Verdict {
	v := data.Verdict{Status: data.Skipped, Reason: "there is no answer to judge: it is " + string(a.Status)}
	if a.Status == data.Valid {
		v = j.Score(ctx, q, a, ask.Of(j.Provider, repeat))
	}
	v.Answer = a.ID
	v.Judge = j.Name
	v.Repeat = repeat
	return scoring.Settle(r, v)
}

// ReadCalibration reads the calibration of another judge that an entry names. The calibration must belong to the built-in rubric.
func ReadCalibration(c *config.Config, ref config.Judge, r rubric.Rubric) (*surface.Calibration, error) {
	path := c.Path(ref.Path)
	f, err := os.Open(path)
	if err != nil {
		return nil, c.Wrong("judges", ref.Name, fmt.Errorf("cannot read %s: %w", path, config.UnwrapPath(err)))
	}
	defer f.Close()
	fitted, err := surface.ReadCalibration(path, f)
	switch {
	case err != nil:
		return nil, config.UsageError{Err: err}
	case fitted.Judge == "":
		return nil, c.Locate(config.At("judges", ref.Name,
			fmt.Errorf("%s defines the judge %s itself, not the calibration of another judge", path, surface.Name)))
	}
	if err := r.RequireCQA(); err != nil {
		return nil, c.Wrong("judges", ref.Name, err)
	}
	return fitted, nil
}
