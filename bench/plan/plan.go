package plan

import (
	"cmp"
	"errors"
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

// A Plan lists the work of a run: which systems answer which questions and which judges
// score the answers, cell by cell. A cell is a system under a scenario, and for
// verdicts also a judge.
type Plan struct {
	Config *config.Config
	Inputs
	Questions []data.Question // those to be asked: all, or the first --limit
	dataHash  string          // of the whole set
	ByPair    map[string]data.Question
	Answers   []AnswerCell
	Verdicts  []VerdictCell
	Labels    []LabelCell
	Pairs     *Pairs            // nil: no judge is asked about pairs
	Changed   bool              // the run has recorded something
	faults    map[string]string // why providers cannot be used
	Scored    map[string]bool   // ids of answers that people scored: in files of the configuration, or on record
}

// Inputs are what a plan is made of beside the configuration.
type Inputs struct {
	Rubric    rubric.Rubric
	Set       []data.Question
	Scenarios []scenarios.Scenario
	Systems   []parties.System
	Judges    []parties.Judge
	Summaries []parties.SummaryJudge
}

// An AnswerCell has the answers of one system in one scenario. Answers of provider
// file already exist; imported answers are already recorded.
type AnswerCell struct {
	store.PlanCell
	Contestant *parties.System // nil: imported
	scenario   scenarios.Scenario
	Items      []Item          // nil: imported
	IDs        []string        // sorted
	pending    *sync.WaitGroup // answers that have not ended
}

// An Item is one planned answer.
type Item struct {
	ID       string
	Question *data.Question
	Repeat   int
	existing *data.Answer // of provider file
}

// A VerdictCell is the verdicts of one judge on the answers of one answerCell.
type VerdictCell struct {
	store.PlanCell
	Scorer *parties.Judge
	Cell   *AnswerCell
	keep   map[string]bool // ids of the answers to be judged; nil: all
}

// has reports whether an answer of the record is one that is planned: an earlier
// run may have asked more questions than this one.
func (c *AnswerCell) has(id string) bool {
	_, found := slices.BinarySearch(c.IDs, id)
	return found
}

// New plans a configuration with the first limit questions (0: all), and the imported items
// of the record (s nil: none).
func New(c *config.Config, limit int, s *store.Store) (*Plan, error) {
	var in Inputs
	var err error
	if in.Rubric, err = c.LoadRubric(); err != nil {
		return nil, err
	}
	if in.Set, err = c.LoadQuestions(); err != nil {
		return nil, err
	}
	if in.Scenarios, err = c.LoadScenarios(); err != nil {
		return nil, err
	}
	if in.Systems, err = parties.Systems(c); err != nil {
		return nil, err
	}
	if in.Judges, err = parties.Judges(c, in.Rubric); err != nil {
		return nil, err
	}
	if in.Summaries, err = parties.Summaries(c); err != nil {
		return nil, err
	}
	return Of(c, in, limit, s)
}

// Of is New with the inputs of the configuration.
func Of(c *config.Config, in Inputs, limit int, s *store.Store) (*Plan, error) {
	p := &Plan{Config: c, Inputs: in, ByPair: map[string]data.Question{}, Questions: in.Set, dataHash: config.HashOf(in.Set),
		Scored: map[string]bool{}}
	for _, q := range p.Set {
		p.ByPair[q.Pair()] = q
	}
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
	p.planVerdicts(limit)
	if s != nil {
		if err := p.TakeImported(s, limit); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// TakeImported adds the imported items of the record to a plan.
func (p *Plan) TakeImported(s *store.Store, limit int) error {
	if err := p.checkImportedJudges(s); err != nil {
		return err
	}
	own, scored := len(p.Answers), len(p.Scored)
	if err := p.planImported(s); err != nil {
		return err
	}
	ids, err := s.ScoredBy(data.IsHuman)
	if err != nil {
		return err
	}
	for _, id := range ids {
		p.Scored[id] = true
	}
	if len(p.Answers) > own || len(p.Scored) > scored {
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
			cell := AnswerCell{Contestant: s, scenario: sc, Items: make([]Item, 0, len(p.Questions)*s.Choices)}
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
	asked := map[string]bool{}
	for _, q := range p.Questions {
		asked[q.Pair()] = true
	}
	cells := map[string]*AnswerCell{}
	for i := range s.Existing {
		a := &s.Existing[i]
		q, known := p.ByPair[a.Pair()]
		if known && !asked[a.Pair()] {
			continue // beyond --limit
		}
		if known {
			a.Question = q.ID
		} else {
			q = data.QuestionOf(*a)
		}
		cell := cells[a.Scenario]
		if cell == nil {
			cell = &AnswerCell{Contestant: s, scenario: scenarios.Scenario{ID: a.Scenario}}
			cells[a.Scenario] = cell
		}
		cell.Items = append(cell.Items, Item{a.ID, &q, a.Repeat, a})
	}
	for _, scenario := range slices.Sorted(maps.Keys(cells)) {
		p.addAnswers(*cells[scenario], cmp.Or(s.Fingerprint, config.HashOf(s.Identity)))
	}
}

func (p *Plan) addAnswers(cell AnswerCell, fingerprint string) {
	cell.IDs = make([]string, len(cell.Items))
	for i, it := range cell.Items {
		cell.IDs[i] = it.ID
	}
	slices.Sort(cell.IDs)
	cell.pending = new(sync.WaitGroup)
	cell.PlanCell = store.PlanCell{Kind: store.KindAnswer, System: cell.Contestant.Name, Scenario: cell.scenario.ID,
		Planned: len(cell.Items), Fingerprint: fingerprint, Origin: store.FromConfig, Work: config.HashOf(cell.IDs)}
	if cell.Contestant.Answers() {
		cell.Repeats = cell.Contestant.Choices
	}
	p.Answers = append(p.Answers, cell)
}

// planImported adds the imported answers of the record.
func (p *Plan) planImported(s *store.Store) error {
	recorded, err := s.Imported()
	if err != nil {
		return err
	}
	for _, c := range recorded {
		if slices.ContainsFunc(p.Systems, func(s parties.System) bool { return s.Name == c.System }) {
			return p.Config.Locate(config.At("models", c.System,
				fmt.Errorf("model %q: %s contains imported answers of a system with that name; choose another name", c.System, c.Origin)))
		}
		statuses, err := s.AnswerStatuses(c.System, c.Scenario)
		if err != nil {
			return err
		}
		cell := AnswerCell{PlanCell: c, scenario: scenarios.Scenario{ID: c.Scenario}, IDs: slices.Sorted(maps.Keys(statuses))}
		cell.Work = config.HashOf(cell.IDs)
		p.Answers = append(p.Answers, cell)
	}
	return nil
}

// checkImportedJudges refuses a judge that has the name of an imported one: a
// verdict is shown under no other judge's name.
func (p *Plan) checkImportedJudges(s *store.Store) error {
	imported, err := s.ImportedVerdicts()
	if err != nil {
		return err
	}
	for _, c := range imported {
		if slices.ContainsFunc(p.Judges, func(j parties.Judge) bool { return j.Name == c.Judge }) {
			return p.Config.Locate(config.At("judges", c.Judge,
				fmt.Errorf("judge %q: the run contains imported verdicts (%s) of a judge with that name; choose another name", c.Judge, c.Origin)))
		}
	}
	return nil
}

// checkHeadline refuses a headline that is no judge or person of the configuration or of an import.
// Persons together are data.Human.
func (p *Plan) checkHeadline(s *store.Store) error {
	imported, err := s.ImportedVerdicts()
	if err != nil || p.Config.Headline == "" {
		return err
	}
	var known []string
	for _, j := range p.Config.Judges {
		known = append(known, j.Name)
	}
	for _, j := range p.Judges { // of files too
		known = append(known, j.Name)
	}
	for _, c := range imported {
		known = append(known, c.Judge)
	}
	if slices.ContainsFunc(known, data.IsHuman) {
		known = append(known, data.Human)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	if slices.Contains(known, p.Config.Headline) {
		return nil
	}
	if data.IsHuman(p.Config.Headline) && !slices.Contains(known, data.Human) {
		return p.Config.Locate(config.At("headline", "",
			errors.New("headline: no person has scored answers of this run; import their scores first")))
	}
	return p.Config.Locate(config.At("headline", "",
		fmt.Errorf("headline: there is no judge %q%s", p.Config.Headline, data.Suggest(p.Config.Headline, "judges", known))))
}

// Rescored plans the verdicts again where people scored these answers.
func (p *Plan) Rescored(scored map[string]bool, limit int) {
	p.Scored, p.Verdicts = scored, nil
	p.planVerdicts(limit)
}

// planVerdicts lays out which judge scores which answers. With a limit, imported answers are
// judged only by judges that cost nothing.
func (p *Plan) planVerdicts(limit int) {
	p.planLabels()
	rubric := config.Encoded(p.Rubric)
	for j := range p.Judges {
		judge := &p.Judges[j]
		var eligible []*AnswerCell
		for i := range p.Answers {
			cell := &p.Answers[i]
			if cell.Contestant == nil && (!judge.Imported || limit > 0 && judge.Provider != run.Offline) {
				continue
			}
			eligible = append(eligible, cell)
		}
		var keep, again map[*AnswerCell]map[string]bool
		if judge.Sample > 0 {
			keep = p.sample(judge.Sample, eligible)
		}
		if judge.SelfCheck {
			n := cmp.Or(judge.Sample, totalAnswers(eligible))
			again = p.sample(min(n, totalAnswers(eligible))/selfCheckShare, eligible)
		}
		for _, cell := range eligible {
			v := VerdictCell{Scorer: judge, Cell: cell}
			v.PlanCell = store.PlanCell{Kind: store.KindVerdict, Judge: judge.Name, System: cell.System, Scenario: cell.Scenario,
				Planned: len(cell.IDs) * judge.Repeats, Fingerprint: config.HashOf(judge.Identity, rubric, cell.Fingerprint),
				Origin: store.FromConfig, Repeats: judge.Repeats}
			if judge.Sample > 0 {
				v.keep = keep[cell]
				v.Planned, v.Sample = len(v.keep)*judge.Repeats, v.keep
				v.Fingerprint = config.HashOf(v.Fingerprint, p.Config.Run.Seed) // the seed draws the sample
			}
			if judge.Score == nil {
				v.Planned = 0
				for _, verdict := range judge.Existing {
					if cell.has(verdict.Answer) {
						v.Planned++
					}
				}
			}
			v.Again = again[cell]
			v.Planned += len(v.Again)
			v.Work = config.HashOf(cell.Work, judge.Repeats, v.keep, v.Again)
			if v.Planned > 0 {
				p.Verdicts = append(p.Verdicts, v)
			}
		}
	}
}

// One of selfCheckShare verdicts is repeated to measure whether a judge agrees with itself.
const selfCheckShare = 20

func totalAnswers(cells []*AnswerCell) int {
	n := 0
	for _, c := range cells {
		n += len(c.IDs)
	}
	return n
}

// sample chooses the answers that a judge with sample N scores: first those that people scored, since
// only these say whether the judge can be believed, then the others. Two judges with the same N score
// the same answers, and a larger N only adds to a smaller one's within each cell.
func (p *Plan) sample(most int, cells []*AnswerCell) map[*AnswerCell]map[string]bool {
	keep := map[*AnswerCell]map[string]bool{}
	for _, scored := range []bool{true, false} {
		of := func(c *AnswerCell) (ids []string) {
			for _, id := range c.IDs {
				if p.Scored[id] == scored {
					ids = append(ids, id)
				}
			}
			return ids
		}
		most -= p.draw(most, cells, of, keep)
	}
	return keep
}

// draw adds most of the answers of cells to keep, and returns how many: shares proportional to the
// cells' sizes (largest remainders), and within a cell the answers with the smallest hashes of seed and
// id.
func (p *Plan) draw(most int, cells []*AnswerCell, of func(*AnswerCell) []string, keep map[*AnswerCell]map[string]bool) (n int) {
	// Among equal remainders, a hash of the seed decides.
	drawn := func(c *AnswerCell) string { return config.HashOf(p.Config.Run.Seed, c.System, c.Scenario) }
	cells = slices.Clone(cells)
	slices.SortFunc(cells, func(a, b *AnswerCell) int { return cmp.Compare(drawn(a), drawn(b)) })
	sizes, total := make([]int, len(cells)), 0
	for i, c := range cells {
		sizes[i] = len(of(c))
		total += sizes[i]
	}
	for i, share := range config.Proportional(min(most, total), sizes) {
		if keep[cells[i]] == nil {
			keep[cells[i]] = map[string]bool{}
		}
		maps.Copy(keep[cells[i]], config.Smallest(of(cells[i]), share, p.Config.Run.Seed))
	}
	return min(most, total)
}

// Question is the question that an answer is judged by: the set's, with the
// aspect of the answer's own row, since sources differ on it.
func (p *Plan) Question(a data.Answer) data.Question {
	q, known := p.ByPair[a.Pair()]
	if !known {
		return data.QuestionOf(a)
	}
	if q.Aspect != a.Aspect {
		q.Aspect, q.Text = a.Aspect, data.DefaultQuestion(a.Object1, a.Object2, a.Aspect)
	}
	return q
}

// SampledWithScores counts the answers that a judge with a sample scores, and those of them that people
// scored. sampled is 0 for a judge without one.
func (p *Plan) SampledWithScores(judge string) (sampled, scored int) {
	for _, c := range p.Verdicts {
		if c.Judge != judge {
			continue
		}
		for id := range c.keep {
			sampled++
			if p.Scored[id] {
				scored++
			}
		}
	}
	return sampled, scored
}
