// Package verify recomputes the results of an export from its data. It runs the embedded judges again. The calls of live systems and judges
// are answered from the recorded replies.
package verify

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/plan"
	"compqa/data"
	"compqa/judges/replies"
	"compqa/results/archive"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/rubric"
	"compqa/scenarios"
)

// A Recheck makes the results of an exported record again. It plans the recorded configuration with the recorded inputs, and replays the
// tasks of the plan with the recorded calls.
type Recheck struct {
	Ctx               context.Context
	db                *store.Store
	run               *dataset.Run
	replies           bool            // whether the export has the replies of the models
	questionSet       []data.Question // the questions of the run's set
	inputs            plan.Inputs
	plan              *plan.Plan        // the plan of the latest configuration
	madeRows          map[string]rowSet // rows of results that a task has made again, by kind
	taskCounts        map[partyOf]*taskCount
	plannedCounts     map[partyOf]int           // number of planned results
	pairSets          []store.PairSet           // the recorded sets, with their pairs
	entry             func(judge string) string // returns the entry of which a pairwise judge is a round
	preferenceCells   []store.PlanCell          // preferences that the latest configuration with pairs plans
	orders            map[string]int            // number of orders in which that configuration shows each pair of a set
	rests             restCounts                // what nobody can recompute from the export
	notRun            restCounts                // planned results of parties that were not run
	notSampled        restCounts                // pairs outside the samples of judges, or without a choice in a judge's file
	missing           restCounts                // planned results that are missing although their party has others
	ruleVersions      replies.Versions          // versions of the rules by which replies were read; the zero value means the current versions
	missingColumns    restCounts                // recomputed tables and columns that the file lacks
	uncomparedTexts   restCounts                // uncomparedTexts that were not compared
	uncomparedColumns restCounts                // columns that another version computed by another rule, and that were therefore not compared
	counts
}

// Record checks the record, as archive.Checks.Record describes. If it differs under the current rules of reading replies, Record tries the
// earlier versions of the rules. A record that was read by an earlier version has that version's fingerprints. Replies that this version
// would read differently are then listed as read by the earlier one.
func (c *Recheck) Record(s *store.Store, record *dataset.Run, m archive.Manifest) error {
	first := c.record(s, record, m)
	if !errors.Is(first, archive.ErrDifference) {
		return first
	}
	for _, c.ruleVersions = range replies.Earlier {
		if err := c.record(s, record, m); err == nil || !errors.Is(err, archive.ErrDifference) {
			return err
		}
	}
	c.ruleVersions = replies.Versions{}
	err := c.record(s, record, m) // once more, so that c holds what the current rules find
	if err != nil {
		return err
	}
	return first
}

// Earlier reports whether the record was read by an earlier version of the rules of reading replies.
func (c *Recheck) Earlier() bool { return c.ruleVersions != (replies.Versions{}) }

// record checks the record, with the rules of reading replies in c.read, from an empty state.
func (c *Recheck) record(s *store.Store, record *dataset.Run, m archive.Manifest) error {
	c.db = s
	c.run = record
	c.replies = m.Replies
	c.madeRows = map[string]rowSet{}
	c.taskCounts = map[partyOf]*taskCount{}
	c.plannedCounts = map[partyOf]int{}
	c.orders = map[string]int{}
	c.rests = restCounts{}
	c.notRun = restCounts{}
	c.notSampled = restCounts{}
	c.missing = restCounts{}
	c.missingColumns = restCounts{}
	c.uncomparedTexts = restCounts{}
	c.uncomparedColumns = restCounts{}
	c.verdicts = len(record.Sheets)
	c.answers = len(record.Answers)
	for _, check := range []func() error{c.checkKeys, c.findQuestions, c.replan, c.replayCells, c.replayPairs, c.checkCoverage,
		c.checkAttacks, c.listRests, c.checkRules} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// findQuestions finds the run's set of questions: those first questions on record whose hash is the recorded one. Questions that imports
// added follow them. Two questions about the same objects and aspect are a difference.
func (c *Recheck) findQuestions() error {
	recorded := c.run.Questions
	hash := c.run.Made[0].DataHash
	seen := map[[2]string]string{}
	for _, q := range recorded {
		key := [2]string{q.Pair(), data.QuestionCluster(q.Aspect)}
		if other, twice := seen[key]; twice {
			return archive.Differ("the recorded questions %q and %q are about the same objects and aspect", other, q.ID)
		}
		seen[key] = q.ID
	}
	for n := len(recorded); n >= 0; n-- {
		if config.HashOf(recorded[:n]) == hash {
			c.questionSet = recorded[:n]
			return nil
		}
	}
	return archive.Differ("the recorded questions do not match the recorded hash (%s)", hash)
}

// builtIn reports whether the questions are the program's built-in set. checkSelection has compared them with it.
func (c *Recheck) builtIn() bool { return c.plan.Config.Dataset == data.CQA50Name }

// checkSelection checks that the recorded questions fit the configuration's selection of arguments. The built-in set is selected again.
// Another set must not contain arguments that the selection leaves out. Whether the arguments of a file were reversed cannot be checked
// without the file.
func (c *Recheck) checkSelection(cfg *config.Config) error {
	if cfg.Dataset == data.CQA50Name {
		set, err := cfg.LoadQuestions()
		if err != nil || config.HashOf(set) != config.HashOf(c.questionSet) {
			return archive.Differ("the recorded questions are not those of %s with the configuration's arguments", cfg.Dataset)
		}
	}
	by := cfg.Arguments
	by.Reverse = false
	if again, err := by.Select(c.questionSet); err != nil || config.HashOf(again) != config.HashOf(c.questionSet) {
		return archive.Differ("the recorded questions have arguments that the configuration leaves out")
	}
	return nil
}

// recordedConfig parses the configuration of a recorded run and checks it.
func (c *Recheck) recordedConfig(made store.Provenance) (*config.Config, error) {
	cfg, err := config.ParseRecorded(made.Config)
	if err != nil {
		return nil, archive.Differ("the recorded configuration cannot be parsed: %v", err)
	}
	if cfg.Run.Seed != made.Seed {
		return nil, archive.Differ("the seed is %d in the configuration and %d in the run's table", cfg.Run.Seed, made.Seed)
	}
	cfg.Read = c.ruleVersions
	if err := cfg.Check(); err != nil {
		return nil, archive.Differ("the recorded configuration is not one that a run accepts: %s", err)
	}
	return cfg, nil
}

// replan plans the latest configuration again, and compares the plan with the recorded one. Two things may have been different when the run
// was planned: which answers people had scored, and the limit on the number of questions. replan accepts any combination that gives the
// recorded plan.
func (c *Recheck) replan() error {
	made := c.run.Made[0]
	cfg, err := c.recordedConfig(made)
	if err != nil {
		return err
	}
	if err := c.checkSelection(cfg); err != nil {
		return err
	}
	var templates map[string]string
	if err := json.Unmarshal([]byte(made.Templates), &templates); err != nil {
		return archive.Differ("the recorded templates cannot be parsed: %w", err)
	}
	if err := builtInNames(cfg, c.run.Rubric, templates); err != nil {
		return err
	}
	c.inputs, err = c.inputsOf(cfg)
	if err != nil {
		return err
	}
	if err := c.checkParticipants(); err != nil {
		return err
	}
	recorded, err := c.db.Plan(`NOT ` + store.OfPairs)
	if err != nil {
		return err
	}
	limit := c.limit(recorded)
	scored, err := c.scoredByPeople(recorded)
	if err != nil {
		return err
	}
	var first error
	for _, people := range scored {
		for _, n := range []int{limit, 0} {
			c.plan, err = c.planOf(cfg, n)
			if err != nil {
				return err
			}
			c.plan.Rescored(people, n)
			if err = comparePlans(recorded, c.plan); err == nil {
				return nil
			}
			if first == nil {
				first = err
			}
		}
	}
	return first
}

// planOf plans a configuration with the recorded inputs. A usage error becomes a difference.
func (c *Recheck) planOf(cfg *config.Config, limit int) (*plan.Plan, error) {
	p, err := plan.Of(cfg, c.inputs, limit, c.db)
	if _, wrong := errors.AsType[config.UsageError](err); wrong {
		err = archive.Differ("%v", strings.TrimPrefix(err.Error(), ": "))
	}
	return p, err
}

// limit returns the number of questions to which the recorded plan has answers.
func (c *Recheck) limit(recorded []store.PlanCell) int {
	limit := len(c.questionSet)
	for _, cell := range recorded {
		for i := range c.inputs.Systems {
			s := &c.inputs.Systems[i]
			if cell.Kind == store.KindAnswer && cell.Origin == store.FromConfig && s.Name == cell.System && s.Answers() {
				limit = min(limit, cell.Planned/max(1, s.Choices))
			}
		}
	}
	return limit
}

// scoredByPeople returns three possible sets of answers that people had scored when the samples of judges were drawn: all that they have
// scored, those scored in files of the configuration, and none.
func (c *Recheck) scoredByPeople(recorded []store.PlanCell) (sets []map[string]bool, err error) {
	files := map[string]bool{}
	for _, cell := range recorded {
		if cell.Kind == store.KindVerdict && cell.Origin == store.FromConfig {
			files[cell.Judge] = true
		}
	}
	for _, fits := range []func(string) bool{data.IsHuman, func(judge string) bool { return data.IsHuman(judge) && files[judge] }} {
		ids, err := c.db.ScoredBy(fits)
		if err != nil {
			return nil, err
		}
		sets = append(sets, ids)
	}
	return append(sets, map[string]bool{}), nil
}

// builtInNames returns a difference if the name of the built-in rubric, or of a built-in scenario, is recorded with another text.
func builtInNames(c *config.Config, r rubric.Rubric, templates map[string]string) error {
	builtIn := rubric.CQA().Name
	if (strings.EqualFold(r.Name, builtIn) || c.Rubric == builtIn) && !r.BuiltIn() {
		return archive.Differ("the recorded rubric is called %s, but has other texts than the built-in one", builtIn)
	}
	for _, id := range scenarios.BuiltinIDs {
		text, recorded := templates[id]
		if s, err := scenarios.Builtin(id); err == nil && recorded && text != s.Source {
			return archive.Differ("the recorded template of scenario %s is not the built-in one", id)
		}
	}
	return nil
}

// checkParticipants compares the recorded systems and judges, and their order, with those of the configuration. Systems of all kinds have
// one order. Judges are ordered within each kind, and people by name. Parties that are not in the configuration come last.
func (c *Recheck) checkParticipants() error {
	systems, judges := c.inputs.Participants()
	others := []string{config.KindFile, config.KindImported, config.KindHuman, config.KindEmbedded}
	for _, list := range []struct {
		what       string
		now, there []store.Participant
	}{{"system", systems, c.run.Systems}, {"judge", judges, c.run.Judges}} {
		places, err := placesOf(list.what, list.now, list.there, others)
		if err != nil {
			return err
		}
		last := map[string]int{} // the last place in the configuration, by kind
		for i, there := range list.there {
			kind := ""
			if list.what == "judge" {
				kind = there.Kind
			}
			if places[i] < last[kind] && kind != config.KindHuman {
				return archive.Differ("the %s %s stands at another place than in the configuration", list.what, there.Name)
			}
			last[kind] = places[i]
		}
	}
	return nil
}

// placesOf returns the place of each recorded party among the parties of the configuration. A recorded party must be equal to one of the
// configuration, unless its kind is one of others. Its place is then after the last one.
func placesOf(what string, now, there []store.Participant, others []string) (places []int, err error) {
	for _, then := range there {
		index := slices.IndexFunc(now, func(p store.Participant) bool { return p.Name == then.Name && p.Method == then.Method })
		switch {
		case index >= 0 && now[index] != then:
			here, there := archive.Excerpts(string(config.Encoded(then)), string(config.Encoded(now[index])))
			return nil, archive.Differ("the %s %s is recorded as %s, but the configuration gives %s", what, then.Name, here, there)
		case index < 0 && !slices.Contains(others, then.Kind):
			return nil, archive.Differ("the %s %s is recorded as %s, but the configuration has no such entry", what, then.Name, then.Kind)
		case index < 0:
			index = len(now)
		}
		places = append(places, index)
	}
	return places, nil
}

// comparePlans returns an error about the first difference between the recorded cells and a plan.
func comparePlans(recorded []store.PlanCell, p *plan.Plan) error {
	cells := map[store.CellKey]store.PlanCell{}
	generated := map[string]bool{}
	known := map[string]bool{}
	for _, cell := range p.Answers {
		cells[cell.Key()] = cell.PlanCell
		generated[cell.System] = cell.Contestant != nil && cell.Contestant.Answers()
	}
	for _, cell := range p.Judged {
		cells[cell.Key()] = cell.PlanCell
	}
	for _, j := range p.Judges {
		known[j.Name] = true
	}
	ran := false
	there := map[store.CellKey]bool{}
	for _, then := range recorded {
		there[then.Key()] = true
		ran = ran || then.Origin == store.FromConfig
		now, planned := cells[then.Key()]
		switch {
		case then.Kind == store.KindAnswer && !generated[then.System], then.Kind == store.KindVerdict && !known[then.Judge],
			then.Kind != store.KindAnswer && then.Kind != store.KindVerdict && labelsFromFile(p, then.Judge):
			continue // of files, imports or calibrated judges
		case then.Origin != store.FromConfig || !planned:
			return archive.Differ("%s: recorded with the origin %s, but the configuration does not plan them", cellName(then), then.Origin)
		case then.Planned != now.Planned || then.Work != now.Work:
			return archive.Differ("%s: %d are recorded as planned, but the configuration plans %d, or different ones", cellName(then), then.Planned,
				now.Planned)
		case then.Fingerprint != now.Fingerprint:
			return archive.Differ("the %s were planned with another configuration, other answers or another version of compqa than this one",
				cellName(then))
		}
	}
	for _, cell := range slices.Concat(p.Answers, p.Judged) {
		if ran && !there[cell.Key()] && cell.Origin == store.FromConfig {
			return archive.Differ("%s: the configuration plans %d, but the recorded plan has none", cellName(cell.PlanCell), cell.Planned)
		}
	}
	return nil // in a record of only pairs or imports, no cell of the configuration ran
}

// summaryJudge returns the judge of summaries with the given name, or nil if this program cannot build it.
func summaryJudge(p *plan.Plan, name string) *parties.SummaryJudge {
	index := slices.IndexFunc(p.Summaries, func(j parties.SummaryJudge) bool { return j.Name == name })
	if index < 0 {
		return nil
	}
	return &p.Summaries[index]
}

// labelsFromFile reports whether the labels of a judge may be from a file, by people or another program.
func labelsFromFile(p *plan.Plan, judge string) bool {
	files := func(j *config.Judge) bool { return j.Provider == config.ProviderFile }
	return summaryJudge(p, judge) == nil && slices.ContainsFunc(p.Config.JudgesOf(store.KindLabel), files)
}

func cellName(c store.PlanCell) string {
	switch c.Kind {
	case store.KindAnswer:
		return "answers of " + c.System + " under scenario " + c.Scenario
	case store.KindVerdict:
		return "verdicts of " + c.Judge + " on answers of " + c.System + " under scenario " + c.Scenario
	}
	return "labels (" + c.Kind + ") of " + c.Judge + " on answers of " + c.System + " under scenario " + c.Scenario
}
