package parties

import (
	"fmt"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/data"
	"compqa/data/sources"
	"compqa/results/store"
	"compqa/rubric"
)

// AddExisting adds entries to the configuration if its dataset is a file of existing answers. It adds an entry of models, unless one reads
// the file already. It adds entries of judges for the scores in the file, unless one reads the file already.
func AddExisting(c *config.Config, r rubric.Rubric) error {
	if !c.HasAnswers() {
		return nil
	}
	if !slices.ContainsFunc(c.Models, func(m config.Model) bool { return m.Path == c.Dataset }) {
		m := config.Model{Entry: fileEntry("answers", c.Dataset)}
		answers, _, err := readAnswers(c, m)
		if err != nil {
			return err
		}
		systems := data.Set(data.Each(answers, func(a data.Answer) string { return a.System }))
		if len(systems) == 1 && systems[0] != "" {
			m.Name = systems[0]
		}
		c.Models = append(c.Models, m)
	}
	if !slices.ContainsFunc(c.JudgesOf(store.KindVerdict), func(j *config.Judge) bool { return j.Path == c.Dataset }) {
		if err := addRaters(c, r); err != nil {
			return err
		}
	}
	if c.WithoutJudges() {
		return c.Locate(fmt.Errorf("%s has no values of judges or people on the criteria of the rubric %q; %w", c.Dataset, r.Name,
			config.ErrNoJudges))
	}
	return nil
}

// fileEntry returns an entry with provider file.
func fileEntry(name, path string) config.Entry {
	return config.Entry{Name: name, Asked: config.Asked{Provider: config.ProviderFile}, Path: path}
}

// addRaters adds an entry for the judges with scores in the dataset, and an entry for the people with scores in it.
func addRaters(c *config.Config, r rubric.Rubric) error {
	path := c.Path(c.Dataset)
	var found []config.Judge
	for _, people := range []bool{false, true} {
		how := Reading{People: people, Flags: config.Reading{}.ReadingOptions(config.Repeats{})}
		how.Flags.Other = []string{path}
		log, err := sources.Read(path, how.options(r))
		if err != nil {
			return config.UsageError{Err: fmt.Errorf("%w. Or say it by entries of judges: {name: people, provider: file, path: %s, "+
				"people: true} has people's values, and an entry without people a judge's", config.KeysError(err), c.Dataset)}
		}
		scored := slices.ContainsFunc(log.Values.Series(), func(s data.Series) bool { return criterionNamed(r, s.ID) != nil })
		if scored {
			kind := "judges"
			if people {
				kind = "people"
			}
			found = append(found, config.Judge{Asks: store.KindVerdict, Entry: fileEntry(kind+" of "+c.Dataset, c.Dataset),
				Scoring: config.Scoring{People: people}})
		}
	}
	c.Judges = append(c.Judges, found...)
	return nil
}

// otherSide returns the file of an entry of judges if another entry reads the same file for the other kind of scores: people's or judges'.
// Otherwise it returns nil.
func otherSide(c *config.Config, ref config.Judge) []string {
	both := slices.ContainsFunc(c.JudgesOf(store.KindVerdict), func(j *config.Judge) bool {
		return j.Path == ref.Path && j.People != ref.People
	})
	if !both {
		return nil
	}
	return []string{c.Path(ref.Path)}
}

// leftRows describes the rows of a file of answers that no entry of models takes, because none has the name of their system. It returns ""
// if there are none.
func leftRows(c *config.Config, m config.Model, answers []data.Answer) string {
	taken := map[string]bool{}
	for _, other := range c.Models {
		if other.Path == m.Path {
			taken[other.Name] = true
		}
	}
	left := data.Where(answers, func(a data.Answer) bool { return !taken[a.System] })
	if left == nil {
		return ""
	}
	systems := data.Each(data.Set(data.Each(left, func(a data.Answer) string { return a.System })), func(name string) string {
		if name == "" {
			return "no system"
		}
		return name
	})
	return fmt.Sprintf("%s: %s not taken: of %s, which no entry of models names", m.Path, data.Plural(len(left), "row", "rows"),
		data.Clip(strings.Join(systems, ", ")))
}
