// Package plan plans a run: which systems answer which questions, and which judges score which answers. The unit is a Job,
// for instance the answers of a system in a scenario. The plan is complete before the first call. A Planner
// turns jobs into tasks of package run. A judge starts with a job as soon as its answers are recorded.
package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/run"
	"compqa/data"
	"compqa/results/store"
	"compqa/rubric"
	"compqa/scenarios"
)

// A Plan lists the work of a run as jobs: which systems answer which questions, and which judges score the answers.
type Plan struct {
	Config *config.Config
	Inputs
	Questions []data.Question  // the questions that are asked: all, or the first --limit
	dataHash  string           // hash of the whole question set
	SetOf     data.QuestionSet // finds the question of an answer
	Answers   []*Job
	Judged    []*Job            // jobs of verdicts and labels
	Pairs     *Pairs            // nil: no pairs are judged
	Changed   bool              // the run has written to the record
	faults    map[string]string // why a provider cannot be used, by its name
	Scored    map[string]bool   // ids of answers that people scored, in files or on record
}

// Inputs are what a plan is made from besides the configuration.
type Inputs struct {
	Rubric    rubric.Rubric
	Set       []data.Question
	Scenarios []scenarios.Scenario
	Systems   []parties.System
	Judges    []parties.Judge
	Summaries []parties.SummaryJudge
}

// Participants returns the systems and the judges as the record lists them.
func (in Inputs) Participants() (systems, judges []store.Participant) {
	return data.Each(in.Systems, func(s parties.System) store.Participant { return s.Participant }),
		data.Each(in.Judges, func(j parties.Judge) store.Participant { return j.Participant })
}

// Jobs returns all jobs of answers, verdicts and labels, except imported answers.
func (p *Plan) Jobs() []*Job {
	return slices.DeleteFunc(slices.Concat(p.Answers, p.Judged), func(c *Job) bool { return c.Party == nil })
}

// New plans the configuration for its first limit questions (0: all). It reads all inputs and checks them together.
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

// Of makes a plan from a configuration and its inputs. If s is not nil, the plan includes the results that were imported into the record.
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

// TakeImported adds the imported results of the record to a plan. If they change which answers exist or which have people's scores, it
// plans the judges' jobs again.
func (p *Plan) TakeImported(s *store.Store, limit int) error {
	if err := p.checkImportedJudges(s); err != nil {
		return err
	}
	count := len(p.Answers)
	scored := len(p.Scored)
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

// planAnswers makes the jobs of answers, one for each system and scenario.
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

// planFromFile makes the jobs of answers from a file, one for each scenario in it.
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

// asked returns a function that reports whether an answer is within --limit. Answers to questions outside the set are.
func (p *Plan) asked() func(data.Answer) bool {
	ids := data.Among(data.Each(p.Questions, func(q data.Question) string { return q.ID }))
	return func(a data.Answer) bool {
		q, known := p.SetOf.Of(a)
		return !known || ids[q.ID]
	}
}

// addAnswers completes a job of answers and adds it to the plan. fingerprint is the hash of the inputs of the answers.
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

// planImported adds a job for each system and scenario with imported answers. A system of the configuration may not have the same name.
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

// Question returns the question that a judge sees with an answer. It has the aspect that the answer itself names, because sources differ on
// the aspect of a question.
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

// Rescored replaces the set of answers that people scored, and plans the judges' jobs again.
func (p *Plan) Rescored(scored map[string]bool, limit int) {
	p.Scored = scored
	p.Judged = nil
	p.planJudges(limit)
}

// planJudges makes the jobs of verdicts and labels. For each judge, it selects the answers that the judge may score, draws its sample, and
// draws the answers that it scores twice. With a limit, only judges that cost nothing score imported answers.
func (p *Plan) planJudges(limit int) {
	rubric := config.Encoded(p.Rubric)
	for j := range p.Judges {
		judge := &p.Judges[j]
		eligible := slices.DeleteFunc(slices.Clone(p.Answers), func(c *Job) bool {
			return c.Contestant == nil && (!judge.Imported || limit > 0 && judge.Provider != run.Offline)
		})
		var keep, again map[string]bool
		if judge.Sample > 0 {
			keep = p.sample(judge.Sample, eligible, p.Scored)
		}
		if judge.SelfCheck {
			n := 0
			for _, cell := range eligible {
				n += len(cell.IDs)
			}
			scored := p.Scored
			if judge.Sample == 0 { // people's later scores must not change what was asked
				scored = nil
			}
			again = p.sample(min(cmp.Or(judge.Sample, n), n)/selfCheckShare, eligible, scored)
		}
		for _, cell := range eligible {
			v := &Job{Party: &judge.Party, Scorer: judge, Of: cell, wanted: cell.among(keep)}
			v.PlanCell = store.PlanCell{Kind: store.KindVerdict, Judge: judge.Name, System: cell.System, Scenario: cell.Scenario,
				Planned: len(cell.IDs) * judge.Repeats, Fingerprint: config.HashOf(judge.Identity, rubric, cell.Fingerprint),
				Origin: store.FromConfig, Repeats: judge.Repeats}
			if judge.Sample > 0 {
				v.Planned = len(v.wanted) * judge.Repeats
				v.Sample = v.wanted
				v.Fingerprint = config.HashOf(v.Fingerprint, p.Config.Run.Seed) // the sample depends on the seed
			}
			if judge.Score == nil {
				v.Planned = 0
				for _, verdict := range judge.Existing {
					if cell.has(verdict.Answer) {
						v.Planned++
					}
				}
			}
			v.Again = cell.among(again)
			v.Planned += len(v.Again)
			v.Work = config.HashOf(cell.Work, judge.Repeats, v.wanted, v.Again)
			if v.Planned > 0 {
				p.Judged = append(p.Judged, v)
			}
		}
	}
	for j := range p.Summaries {
		for _, cell := range p.Answers {
			for _, kind := range append(slices.Clone(data.LabelKinds), data.LabelClaims) {
				p.planLabels(&p.Summaries[j], cell, kind)
			}
		}
	}
}

// planLabels makes the job of a judge's labels of one kind on one system's answers. Claims are labelled in answers to questions with
// arguments; the other kinds, in answers with a table.
func (p *Plan) planLabels(judge *parties.SummaryJudge, cell *Job, kind string) {
	wanted := map[string]bool{}
	for _, it := range cell.Items { // an imported answer has no table, and its arguments are unknown
		switch {
		case kind == data.LabelClaims && judge.Labels(kind) && len(it.Question.Arguments) > 0,
			kind != data.LabelClaims && (cell.Contestant.Tables || it.existing != nil && it.existing.Table != nil):
			wanted[it.ID] = judge.Labels(kind)
		}
	}
	for _, l := range judge.Existing {
		if _, has := wanted[l.Answer]; has && (l.Status != data.Valid || l.Has(kind)) {
			wanted[l.Answer] = true
		}
	}
	ids := slices.DeleteFunc(slices.Clone(cell.IDs), func(id string) bool { return !wanted[id] })
	if len(ids) == 0 {
		return
	}
	p.Judged = append(p.Judged, &Job{Party: &judge.Party, Labeller: judge, Of: cell, wanted: wanted,
		PlanCell: store.PlanCell{Kind: kind, Judge: judge.Name, System: cell.System, Scenario: cell.Scenario,
			Planned: len(ids), Fingerprint: config.HashOf(judge.Identity, kind, cell.Fingerprint), Origin: store.FromConfig,
			Work: config.HashOf(ids)}})
}

// A judge that checks itself scores one of selfCheckShare answers twice, to measure whether it agrees with itself.
const selfCheckShare = 20

// among returns the ids of the job's answers that some contains; it returns nil if some is nil.
func (c *Job) among(some map[string]bool) (names map[string]bool) {
	if some != nil {
		names = map[string]bool{}
	}
	for _, id := range c.IDs {
		if some[id] {
			names[id] = true
		}
	}
	return names
}

// sample chooses the answers that a judge with a sample of at most most answers scores. It takes answers that people scored first, because
// only these answers show whether the judge agrees with people. The sample is stratified by job, with the largest remainders method; a hash
// of the seed breaks ties. Judges with equal samples score the same answers. A larger sample contains the smaller one within each job.
func (p *Plan) sample(most int, cells []*Job, byPeople map[string]bool) map[string]bool {
	seed := p.Config.Run.Seed
	drawn := map[*Job]string{}
	keep := map[string]bool{}
	for _, c := range cells {
		drawn[c] = config.HashOf(seed, c.System, c.Scenario)
	}
	cells = slices.Clone(cells)
	slices.SortFunc(cells, func(a, b *Job) int { return cmp.Compare(drawn[a], drawn[b]) })
	for _, scored := range []bool{true, false} {
		strata := make([][]string, len(cells))
		for i, c := range cells {
			strata[i] = slices.DeleteFunc(slices.Clone(c.IDs), func(id string) bool { return byPeople[id] != scored })
		}
		maps.Copy(keep, config.Draw(most-len(keep), strata, seed))
	}
	return keep
}

// AskedTwice returns the number of answers that a judge scores twice, to measure whether it agrees with itself.
func (p *Plan) AskedTwice(judge string) (answers int) {
	for _, c := range p.Judged {
		if c.Scorer != nil && c.Judge == judge {
			answers += len(c.Again)
		}
	}
	return answers
}

// SampledWithScores returns the number of answers in a judge's sample, and how many of them people scored. Both are 0 for a judge without a
// sample.
func (p *Plan) SampledWithScores(judge string) (sampled, scored int) {
	for _, c := range p.Judged {
		if c.Scorer != nil && c.Judge == judge {
			sampled += len(c.wanted)
			scored += len(slices.DeleteFunc(slices.Collect(maps.Keys(c.wanted)), func(id string) bool { return !p.Scored[id] }))
		}
	}
	return sampled, scored
}
