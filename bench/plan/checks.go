package plan

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/data"
	"compqa/judges"
	"compqa/results/store"
	"compqa/rubric"
	"compqa/scenarios"
)

// CheckObjects returns an error if a question has no pair of objects, and something in the configuration needs one:
//   - arguments.reverse;
//   - an offline system, a method that makes contrastive tables, or a prompt that names the objects;
//   - the built-in rubric or the authors', a judge that compares two objects, or a summary judge.
func CheckObjects(c *config.Config, in Inputs) error {
	without := data.Where(in.Set, func(q data.Question) bool { return !q.HasObjects() })
	if without == nil {
		return nil
	}
	set := fmt.Sprintf("%d of %s in %s (for instance %q) has no objects", len(without),
		data.Plural(len(in.Set), "question", "questions"), filepath.Base(c.Dataset), data.Clip(without[0].ID))
	if len(without) > 1 {
		set = fmt.Sprintf("%d of the %d questions in %s (for instance %q) have no objects", len(without), len(in.Set),
			filepath.Base(c.Dataset), data.Clip(without[0].ID))
	}
	if c.Arguments.Reverse {
		return c.Locate(config.At("arguments", "reverse", fmt.Errorf("arguments.reverse exchanges the names of two objects, and %s", set)))
	}
	prompts := false
	for i, s := range in.Systems {
		m := c.Models[i]
		if s.Answers() && (m.Provider == config.ProviderBaseline || m.Method != "") {
			return c.Wrong("models", m.Name, fmt.Errorf("it compares two objects, and %s; remove it, or give the questions object1 "+
				"and object2", set))
		}
		prompts = prompts || s.Answers()
	}
	for _, s := range in.Scenarios {
		if prompts && s.NeedsObjects {
			return c.Locate(config.At("scenarios", s.ID, fmt.Errorf("scenario %q: its prompt names two objects, and %s; write scenarios: [%s] "+
				"for the text of the question alone, or a template of your own without .Object1 and .Object2", s.ID, set,
				scenarios.QuestionAlone)))
		}
	}
	scorers := c.JudgesOf(store.KindVerdict)
	for _, j := range scorers {
		embedded, _ := judges.EmbeddedNamed(j.BuiltIn())
		if j.Provider == config.ProviderEmbedded && embedded.Kind != config.KindFloor || j.Provider == config.ProviderCalibrated ||
			j.Scoring.Template == rubric.Release {
			return c.Wrong("judges", j.Name, fmt.Errorf("it scores answers that compare two objects, and %s", set))
		}
	}
	if (in.Rubric.BuiltIn() || in.Rubric.Name == rubric.Release) && len(scorers) > 0 {
		return c.Locate(config.At("rubric", "", fmt.Errorf("the rubric %s is about answers that compare two objects, and %s; name a rubric "+
			"of your own", in.Rubric.Name, set)))
	}
	for _, j := range c.JudgesOf(store.KindLabel) {
		return c.Wrong("summary_judges", j.Name, fmt.Errorf("it labels what answers say about two objects, and %s", set))
	}
	return nil
}

// AspectsUnasked says how many questions have an aspect that no prompt contains. Answers cannot follow such an aspect, although judges see
// it. It returns "" without such a question, or if no model is asked with prompts.
func (p *Plan) AspectsUnasked() string {
	asks := slices.ContainsFunc(p.Systems, func(s parties.System) bool { return s.Prompted() })
	if !asks || p.Config.AspectInPrompt {
		return ""
	}
	unasked := data.Where(p.Questions, func(q data.Question) bool {
		q.Arguments = nil // an argument may mention the aspect, but does not ask for it
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

// CheckFiles prints what was read from files of answers and verdicts. It returns an error if none of a file's verdicts is on an answer of
// the run. With a limit on questions, it does not check this.
func (p *Plan) CheckFiles(limit int, w io.Writer) error {
	var last []string // the systems of one file have the same sentences
	for _, s := range p.Systems {
		for _, sentence := range s.Read {
			if !slices.Contains(last, sentence) {
				fmt.Fprintln(w, sentence)
			}
		}
		last = s.Read
	}
	known := map[string]bool{}
	for _, cell := range p.Answers {
		for _, id := range cell.IDs {
			known[id] = true
		}
	}
	total := map[string]int{}
	used := map[string]int{}
	example := map[string]string{}
	var files []string
	for _, j := range p.Judges {
		for _, sentence := range j.Read {
			fmt.Fprintln(w, sentence)
		}
		for _, v := range j.Existing {
			if total[j.File] == 0 {
				files = append(files, j.File)
				example[j.File] = v.Answer
			}
			total[j.File]++
			if known[v.Answer] {
				used[j.File]++
			} else if example[j.File] == "" || used[j.File] == total[j.File]-1 {
				example[j.File] = v.Answer
			}
		}
	}
	for _, file := range files {
		switch left := total[file] - used[file]; {
		case limit > 0 || left == 0:
		case used[file] == 0:
			return config.Usagef("%s: none of its %s is on an answer of this run; it has for instance the id %q%s", file,
				data.Plural(total[file], "verdict", "verdicts"), example[file], data.Suggest(example[file], "ids", someOf(known)))
		default:
			fmt.Fprintf(w, "%s: %s on answers that are not in this run left out, for instance on %q\n", file,
				data.Plural(left, "verdict", "verdicts"), example[file])
		}
	}
	return nil
}

// someOf returns up to three of the ids, for a message.
func someOf(known map[string]bool) []string {
	ids := slices.Sorted(maps.Keys(known))
	return ids[:min(3, len(ids))]
}

// checkImportedJudges returns an error if a judge of the plan has the same name as a judge whose verdicts were imported. Otherwise their
// verdicts could not be told apart.
func (p *Plan) checkImportedJudges(s *store.Store) error {
	imported, err := s.Imported(store.KindVerdict)
	for _, c := range imported {
		if slices.ContainsFunc(p.Judges, func(j parties.Judge) bool { return j.Name == c.Judge }) {
			return p.Config.Wrong("judges", c.Judge,
				fmt.Errorf("the run contains imported verdicts (%s) of a judge with that name; choose another name", c.Origin))
		}
	}
	return err
}

// checkHeadline returns an error if the headline is not a judge or person of the configuration or of an import. The headline data.Human
// stands for all persons together, and needs at least one person with scores.
func (p *Plan) checkHeadline(s *store.Store) error {
	headline := p.Config.Headline
	imported, err := s.Imported(store.KindVerdict)
	if err != nil || headline == "" {
		return err
	}
	known := slices.Concat(data.Each(p.Config.JudgesOf(store.KindVerdict), func(j *config.Judge) string { return j.Name }),
		data.Each(p.Judges, func(j parties.Judge) string { return j.Name }), // with the judges that files name
		data.Each(imported, func(c store.PlanCell) string { return c.Judge }))
	scored := slices.ContainsFunc(known, data.IsHuman)
	switch {
	case slices.Contains(known, headline) || scored && headline == data.Human:
		return nil
	case data.IsHuman(headline) && !scored:
		err = errors.New("headline: no person has scored answers of this run; import their scores first")
	default:
		if scored {
			known = append(known, data.Human)
		}
		slices.Sort(known)
		err = fmt.Errorf("headline: there is no judge %q%s", headline, data.Suggest(headline, "judges", slices.Compact(known)))
	}
	return p.Config.Locate(config.At("headline", "", err))
}
