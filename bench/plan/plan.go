// Package plan plans a run: which systems answer which questions, and which judges score which answers. The unit is a Job,
// for instance the answers of a system in a scenario. The plan is complete before the first call. A Planner
// turns jobs into tasks of package run. A judge starts with a job as soon as its answers are recorded.
package plan

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/data"
	"compqa/results/store"
	"compqa/rubric"
	"compqa/scenarios"
)

// A Plan lists the work of a run: which systems answer which questions and which judges score the answers, cell by cell.
type Plan struct {
	Config *config.Config
	Inputs
	Questions []data.Question // those to be asked: all, or the first --limit
	dataHash  string          // of the whole set
	SetOf     data.QuestionSet
	Answers   []*Job
	Judged    []*Job            // verdicts and labels
	Pairs     *Pairs            // nil: no judge is asked about pairs
	Changed   bool              // the run has recorded something
	faults    map[string]string // why providers cannot be used
	Scored    map[string]bool   // ids of answers that people scored: in files of the configuration, or on record
}

// Inputs are what a plan is made of next to the configuration.
type Inputs struct {
	Rubric    rubric.Rubric
	Set       []data.Question
	Scenarios []scenarios.Scenario
	Systems   []parties.System
	Judges    []parties.Judge
	Summaries []parties.SummaryJudge
}

// Participants returns the systems and the judges.
func (in Inputs) Participants() (systems, judges []store.Participant) {
	return data.Each(in.Systems, func(s parties.System) store.Participant { return s.Participant }),
		data.Each(in.Judges, func(j parties.Judge) store.Participant { return j.Participant })
}

// Jobs returns those that are not imported.
func (p *Plan) Jobs() []*Job {
	return slices.DeleteFunc(slices.Concat(p.Answers, p.Judged), func(c *Job) bool { return c.Party == nil })
}

// New plans a configuration with the first limit questions (0: all).
func New(c *config.Config, limit int) (*Plan, error) {
	var in Inputs
	for _, read := range []func() error{
		func() (err error) { in.Rubric, err = c.LoadRubric(); return err },
		func() (err error) { in.Set, err = c.LoadQuestions(); return err },
		func() (err error) { in.Scenarios, err = c.LoadScenarios(); return err },
		func() error { return parties.AddExisting(c, in.Rubric) },
		func() (err error) { c.Models, err = parties.SplitFiles(c); return err },
		func() (err error) { in.Systems, err = parties.Systems(c); return err },
		func() (err error) { in.Judges, err = parties.Judges(c, in.Rubric); return err },
		func() (err error) { in.Summaries, err = parties.Summaries(c); return err },
		func() error { return CheckObjects(c, in) },
		func() error { return checkEscalation(c, in) },
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return Of(c, in, limit, nil)
}

// Of plans a configuration with its inputs, and with the imported items of the record (s nil: none).
func Of(c *config.Config, in Inputs, limit int, s *store.Store) (*Plan, error) {
	p := &Plan{Config: c, Inputs: in, SetOf: data.NewQuestionSet(in.Set), Questions: in.Set, dataHash: config.HashOf(in.Set),
		Scored: map[string]bool{}}
	if limit > 0 && limit < len(p.Questions) {
		p.Questions = p.Questions[:limit]
	}
	for _, j := range p.Judges {
		for _, v := range j.Existing {
			if data.IsHuman(v.Judge) && v.Status == data.Valid {
				p.Scored[v.Answer] = true
			}
		}
	}
	p.planAnswers()
	p.planJudges(limit)
	return p, p.TakeImported(s, limit)
}

// CheckFiles prints what was read of files, and refuses a file of verdicts of which none is on an answer of the run.
func (p *Plan) CheckFiles(limit int, w io.Writer) error {
	var last []string // of a file with several systems the sentences are the same
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
	total, used, example := map[string]int{}, map[string]int{}, map[string]string{}
	var files []string
	for _, j := range p.Judges {
		for _, sentence := range j.Read {
			fmt.Fprintln(w, sentence)
		}
		for _, v := range j.Existing {
			if total[j.File] == 0 {
				files, example[j.File] = append(files, j.File), v.Answer
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

// someOf returns up to three ids.
func someOf(known map[string]bool) []string {
	ids := slices.Sorted(maps.Keys(known))
	return ids[:min(3, len(ids))]
}

// TakeImported adds the imported items of the record to a plan.
func (p *Plan) TakeImported(s *store.Store, limit int) error {
	if err := p.checkImportedJudges(s); err != nil {
		return err
	}
	count, scored := len(p.Answers), len(p.Scored)
	if err := p.planImported(s); err != nil {
		return err
	}
	ids, err := s.ScoredBy(data.IsHuman)
	if err != nil {
		return err
	}
	maps.Copy(p.Scored, ids)
	if len(p.Answers) > count || len(p.Scored) > scored {
		p.Rescored(p.Scored, limit)
	}
	return nil
}

// planAnswers lays out the configuration's own answers.
func (p *Plan) planAnswers() {
	for i := range p.Systems {
		s := &p.Systems[i]
		if !s.Answers() {
			p.planFromFile(s)
			continue
		}
		for _, sc := range p.Scenarios {
			cell := &Job{Contestant: s, scenario: sc, Items: make([]Item, 0, len(p.Questions)*s.Choices)}
			for i := range p.Questions {
				q := &p.Questions[i]
				for repeat := 1; repeat <= s.Choices; repeat++ {
					cell.Items = append(cell.Items, Item{ID: data.AnswerID(s.Name, sc.ID, q.ID, repeat), Question: q, Repeat: repeat})
				}
			}
			p.addAnswers(cell, config.HashOf(s.Identity, sc.Hash, p.Config.AspectInPrompt, p.dataHash))
		}
	}
}

// planFromFile lays out the answers of a file, scenario by scenario.
func (p *Plan) planFromFile(s *parties.System) {
	asked := p.asked()
	cells := map[string]*Job{}
	for i := range s.Existing {
		a := &s.Existing[i]
		if !asked(*a) {
			continue
		}
		q, known := p.SetOf.Of(*a)
		if known {
			a.Question = q.ID
		} else {
			q = data.QuestionOf(*a)
		}
		cell := cells[a.Scenario]
		if cell == nil {
			cell = &Job{Contestant: s, scenario: scenarios.Scenario{ID: a.Scenario}}
			cells[a.Scenario] = cell
		}
		cell.Items = append(cell.Items, Item{a.ID, &q, a.Repeat, a})
	}
	for _, scenario := range slices.Sorted(maps.Keys(cells)) {
		p.addAnswers(cells[scenario], cmp.Or(s.Fingerprint, config.HashOf(s.Identity)))
	}
}

// asked reports whether an answer is not to a question beyond --limit.
func (p *Plan) asked() func(data.Answer) bool {
	ids := data.Among(data.Each(p.Questions, func(q data.Question) string { return q.ID }))
	return func(a data.Answer) bool {
		q, known := p.SetOf.Of(a)
		return !known || ids[q.ID]
	}
}

func (p *Plan) addAnswers(cell *Job, fingerprint string) {
	s := cell.Contestant
	cell.Party = &s.Party
	cell.IDs = data.Each(cell.Items, func(it Item) string { return it.ID })
	slices.Sort(cell.IDs)
	cell.pending = new(sync.WaitGroup)
	cell.PlanCell = store.PlanCell{Kind: store.KindAnswer, System: s.Name, Scenario: cell.scenario.ID,
		Planned: len(cell.Items), Fingerprint: fingerprint, Origin: store.FromConfig, Work: config.HashOf(cell.IDs)}
	if s.Answers() {
		cell.Repeats = s.Choices
	}
	p.Answers = append(p.Answers, cell)
}

// planImported adds the imported answers of the record.
func (p *Plan) planImported(s *store.Store) error {
	recorded, err := s.Imported(store.KindAnswer)
	if err != nil {
		return err
	}
	for _, c := range recorded {
		if slices.ContainsFunc(p.Systems, func(s parties.System) bool { return s.Name == c.System }) {
			return p.Config.Wrong("models", c.System, fmt.Errorf("%s contains imported answers of a system with that name; choose another name",
				c.Origin))
		}
		cell := &Job{PlanCell: c, scenario: scenarios.Scenario{ID: c.Scenario}}
		cell.IDs, err = s.AnswerIDs(c.System, c.Scenario)
		if err != nil {
			return err
		}
		cell.Work = config.HashOf(cell.IDs)
		p.Answers = append(p.Answers, cell)
	}
	return nil
}

// checkImportedJudges refuses a judge that has the name of an imported one: a verdict is shown under no other judge's name.
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

// checkHeadline refuses a headline that is not a judge or person of the configuration or of an import.
// Persons together are data.Human.
func (p *Plan) checkHeadline(s *store.Store) error {
	headline := p.Config.Headline
	imported, err := s.Imported(store.KindVerdict)
	if err != nil || headline == "" {
		return err
	}
	known := slices.Concat(data.Each(p.Config.JudgesOf(store.KindVerdict), func(j *config.Judge) string { return j.Name }),
		data.Each(p.Judges, func(j parties.Judge) string { return j.Name }), // of files too
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

// Question returns the question that an answer is judged by: the set's, with the
// aspect of the answer's own row, since sources differ on it.
func (p *Plan) Question(a data.Answer) data.Question {
	q, known := p.SetOf.Of(a)
	if !known {
		return data.QuestionOf(a)
	}
	if q.Aspect != a.Aspect && q.HasObjects() {
		q.Aspect, q.Text = a.Aspect, data.DefaultQuestion(a.Object1, a.Object2, a.Aspect)
	}
	return q
}
