package bench

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"

	"compqa/bench/config"
	"compqa/data"
	"compqa/results/store"
	"compqa/rubric"
	"compqa/scenarios"
)

// A plan is everything a run is to do, before anything of it is done: who
// answers what and who scores it, cell by cell. A cell is a system under a
// scenario, and for verdicts also a judge.
type plan struct {
	config    *config.Config
	rubric    rubric.Rubric
	questions []data.Question // those to be asked: all, or the first --limit
	dataHash  string          // of the whole set
	byPair    map[string]data.Question
	scenarios []scenarios.Scenario
	systems   []system
	judges    []judge
	answers   []answerCell
	verdicts  []verdictCell
	changed   bool // the run has recorded something
}

// An answerCell is the answers of one system under one scenario. Those of
// provider file exist already; imported ones are on record.
type answerCell struct {
	store.PlanCell
	system   *system // nil: imported
	scenario scenarios.Scenario
	items    []item   // nil: imported
	ids      []string // sorted
	outcome  *outcome
}

// An item is one answer to be had.
type item struct {
	id       string
	question *data.Question
	repeat   int
	existing *data.Answer // of provider file
}

// A verdictCell is the verdicts of one judge on the answers of one answerCell.
type verdictCell struct {
	store.PlanCell
	judge   *judge
	cell    *answerCell
	keep    map[string]bool // ids of the answers to be judged; nil: all
	outcome *outcome
}

// has reports whether an answer of the record is one that is planned: an earlier
// run may have asked more questions than this one.
func (c *answerCell) has(id string) bool {
	_, found := slices.BinarySearch(c.ids, id)
	return found
}

// newPlan lays out what a configuration asks for, over the questions it names
// (limit: the first so many; 0: all) and what is on record as imported (s nil:
// nothing).
func newPlan(c *config.Config, limit int, s *store.Store) (*plan, error) {
	p := &plan{config: c, byPair: map[string]data.Question{}}
	var err error
	if p.rubric, err = c.LoadRubric(); err != nil {
		return nil, err
	}
	if p.questions, err = c.LoadQuestions(); err != nil {
		return nil, err
	}
	if p.scenarios, err = c.LoadScenarios(); err != nil {
		return nil, err
	}
	p.dataHash = config.HashOf(p.questions)
	for _, q := range p.questions {
		p.byPair[q.Pair()] = q
	}
	if limit > 0 && limit < len(p.questions) {
		p.questions = p.questions[:limit]
	}
	if p.systems, err = buildSystems(c); err != nil {
		return nil, err
	}
	if p.judges, err = buildJudges(c, p.rubric); err != nil {
		return nil, err
	}
	p.planAnswers()
	p.planVerdicts(limit)
	if s != nil {
		if err := p.takeImported(s, limit); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// takeImported adds to a plan what is on record as imported.
func (p *plan) takeImported(s *store.Store, limit int) error {
	if err := p.checkImportedJudges(s); err != nil {
		return err
	}
	own := len(p.answers)
	if err := p.planImported(s); err != nil {
		return err
	}
	if len(p.answers) > own {
		p.verdicts = nil
		p.planVerdicts(limit)
	}
	return nil
}

// planAnswers lays out the configuration's own answers.
func (p *plan) planAnswers() {
	for i := range p.systems {
		s := &p.systems[i]
		if s.text == nil {
			p.planExisting(s)
			continue
		}
		for _, sc := range p.scenarios {
			cell := answerCell{system: s, scenario: sc, items: make([]item, 0, len(p.questions)*s.choices)}
			for i := range p.questions {
				q := &p.questions[i]
				for repeat := 1; repeat <= s.choices; repeat++ {
					cell.items = append(cell.items, item{id: data.AnswerID(s.Name, sc.ID, q.ID, repeat), question: q, repeat: repeat})
				}
			}
			p.addAnswers(cell, config.HashOf(s.identity, sc.Hash, p.config.AspectInPrompt, p.dataHash))
		}
	}
}

// planExisting lays out the answers of a file, scenario by scenario.
func (p *plan) planExisting(s *system) {
	asked := map[string]bool{}
	for _, q := range p.questions {
		asked[q.Pair()] = true
	}
	cells := map[string]*answerCell{}
	var order []string
	for i := range s.existing {
		a := &s.existing[i]
		q, known := p.byPair[a.Pair()]
		if known && !asked[a.Pair()] {
			continue // beyond --limit
		}
		if known {
			a.Question = q.ID
		} else {
			q = questionOf(*a)
		}
		cell := cells[a.Scenario]
		if cell == nil {
			cell = &answerCell{system: s, scenario: scenarios.Scenario{ID: a.Scenario}}
			cells[a.Scenario] = cell
			order = append(order, a.Scenario)
		}
		cell.items = append(cell.items, item{a.ID, &q, a.Repeat, a})
	}
	slices.Sort(order)
	for _, scenario := range order {
		p.addAnswers(*cells[scenario], config.HashOf(s.identity))
	}
}

func (p *plan) addAnswers(cell answerCell, fingerprint string) {
	cell.ids = make([]string, len(cell.items))
	for i, it := range cell.items {
		cell.ids[i] = it.id
	}
	slices.Sort(cell.ids)
	cell.outcome = &outcome{}
	cell.PlanCell = store.PlanCell{Kind: store.KindAnswer, System: cell.system.Name, Scenario: cell.scenario.ID,
		Planned: len(cell.items), Fingerprint: fingerprint, Origin: store.FromConfig, Work: config.HashOf(cell.ids)}
	if cell.system.text != nil {
		cell.Repeats = cell.system.choices
	}
	p.answers = append(p.answers, cell)
}

// planImported takes up the answers that imports have put on record.
func (p *plan) planImported(s *store.Store) error {
	recorded, err := s.Imported()
	if err != nil {
		return err
	}
	for _, c := range recorded {
		if slices.ContainsFunc(p.systems, func(s system) bool { return s.Name == c.System }) {
			return p.config.Locate(config.At("models", c.System, fmt.Errorf("model %q: %s holds imported answers of a system with that name; choose another", c.System, c.Origin)))
		}
		statuses, err := s.AnswerStatuses(c.System, c.Scenario)
		if err != nil {
			return err
		}
		cell := answerCell{PlanCell: c, scenario: scenarios.Scenario{ID: c.Scenario}}
		for id := range statuses {
			cell.ids = append(cell.ids, id)
		}
		slices.Sort(cell.ids)
		cell.Work, cell.outcome = config.HashOf(cell.ids), &outcome{}
		p.answers = append(p.answers, cell)
	}
	return nil
}

// checkImportedJudges refuses a judge that has the name of an imported one: a
// verdict is shown under no other judge's name.
func (p *plan) checkImportedJudges(s *store.Store) error {
	imported, err := s.ImportedVerdicts()
	if err != nil {
		return err
	}
	for _, c := range imported {
		if slices.ContainsFunc(p.judges, func(j judge) bool { return j.Name == c.Judge }) {
			return p.config.Locate(config.At("judges", c.Judge, fmt.Errorf("judge %q: the run holds imported verdicts (%s) of a judge with that name; choose another", c.Judge, c.Origin)))
		}
	}
	return nil
}

// planVerdicts lays out who judges what. A rehearsal (limit) leaves imported
// answers to judges that cost nothing.
func (p *plan) planVerdicts(limit int) {
	rubric := config.Encoded(p.rubric)
	for j := range p.judges {
		judge := &p.judges[j]
		var eligible []*answerCell
		for i := range p.answers {
			cell := &p.answers[i]
			if cell.system == nil && (!judge.imported || limit > 0 && judge.provider != offline) {
				continue
			}
			eligible = append(eligible, cell)
		}
		keep := p.sample(judge, eligible)
		for _, cell := range eligible {
			v := verdictCell{judge: judge, cell: cell, outcome: &outcome{}}
			v.PlanCell = store.PlanCell{Kind: store.KindVerdict, Judge: judge.Name, System: cell.System, Scenario: cell.Scenario,
				Planned: len(cell.ids) * judge.repeats, Fingerprint: config.HashOf(judge.identity, rubric, cell.Fingerprint), Origin: store.FromConfig, Repeats: judge.repeats}
			if judge.sample > 0 {
				v.keep = keep[cell]
				v.Planned, v.Sample = len(v.keep)*judge.repeats, v.keep
				v.Fingerprint = config.HashOf(v.Fingerprint, p.config.Run.Seed) // the seed draws the sample
			}
			if judge.score == nil {
				v.Planned = existingOn(judge, cell)
			}
			v.Work = config.HashOf(cell.Work, judge.repeats, v.keep)
			if v.Planned > 0 {
				p.verdicts = append(p.verdicts, v)
			}
		}
	}
}

// existingOn is how many verdicts of a file's judge are on a cell's answers.
func existingOn(j *judge, cell *answerCell) int {
	n := 0
	for _, v := range j.existing {
		if cell.has(v.Answer) {
			n++
		}
	}
	return n
}

// sample chooses the answers that a judge with sample N scores: shares
// proportional to the cells' sizes (largest remainders), and within a cell the
// answers with the smallest hashes of seed and id. Two judges with the same N
// score the same answers, and a larger N only adds to a smaller one's within
// each cell.
func (p *plan) sample(j *judge, cells []*answerCell) map[*answerCell]map[string]bool {
	if j.sample == 0 {
		return nil
	}
	total := 0
	for _, c := range cells {
		total += len(c.ids)
	}
	n := min(j.sample, total)
	type share struct {
		cell      *answerCell
		whole     int
		remainder int
	}
	shares, given := make([]share, len(cells)), 0
	for i, c := range cells {
		shares[i] = share{c, n * len(c.ids) / max(total, 1), n * len(c.ids) % max(total, 1)}
		given += shares[i].whole
	}
	drawn := func(s share) string { return config.HashOf(p.config.Run.Seed, s.cell.System, s.cell.Scenario) } // among equal remainders, by lot
	slices.SortStableFunc(shares, func(a, b share) int {
		return cmp.Or(cmp.Compare(b.remainder, a.remainder), cmp.Compare(drawn(a), drawn(b)))
	})
	keep := map[*answerCell]map[string]bool{}
	for i, s := range shares {
		if i < n-given {
			s.whole++
		}
		keep[s.cell] = smallest(s.cell.ids, s.whole, p.config.Run.Seed)
	}
	return keep
}

func smallest(ids []string, n int, seed int64) map[string]bool {
	ranked := make([]string, len(ids))
	for i, id := range ids {
		ranked[i] = config.HashOf(seed, id) + id
	}
	slices.Sort(ranked)
	keep := make(map[string]bool, n)
	for _, r := range ranked[:n] {
		keep[r[sha256.Size*2:]] = true
	}
	return keep
}

// question is the question that an answer is judged by: the set's, with the
// aspect of the answer's own row, since sources differ on it.
func (p *plan) question(a data.Answer) data.Question {
	q, known := p.byPair[a.Pair()]
	if !known {
		return questionOf(a)
	}
	if q.Aspect != a.Aspect {
		q.Aspect, q.Text = a.Aspect, data.DefaultQuestion(a.Object1, a.Object2, a.Aspect)
	}
	return q
}

// questionOf is the question behind an answer to a pair outside the set.
func questionOf(a data.Answer) data.Question {
	return data.Question{ID: a.Question, Object1: a.Object1, Object2: a.Object2, Aspect: a.Aspect,
		Text: data.DefaultQuestion(a.Object1, a.Object2, a.Aspect)}
}
