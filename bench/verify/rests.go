package verify

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/bench/attack"
	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges"
	"compqa/results/archive"
	"compqa/results/store"
	"compqa/scenarios"
	"compqa/stats"
)

// The verdicts of a verification.
const (
	Verified    = "verified"     // everything was recomputed, from this program and what is built into it
	Consistent  = "consistent"   // everything that can be recomputed was, and what cannot is listed
	NotFinished = "not finished" // planned results are missing
	NotVerified = "not verified" // there is a difference
)

// CannotKnow says what no verification can find out.
const CannotKnow = "No file can show that models gave these replies, that people gave these scores, or that no system, judge, " +
	"question, pair or run was left out: all of these can be fabricated. Checksums protect against accidents, not against the author of " +
	"the record."

// A Rest counts items of one kind and party that nobody can recompute from the export although the tables depend on them, or that are
// missing from it.
type Rest struct {
	Kind  string `json:"kind"`
	Party string `json:"party"`
	Count int    `json:"count"`
	Why   string `json:"why"`
}

func (r Rest) String() string {
	return fmt.Sprintf("%s of %s: %s", counted(r.Count, r.Kind), r.Party, r.Why)
}

// counted returns a number with its noun, such as "1 preference" or "2 preferences".
func counted(n int, kind string) string {
	if stem, ends := strings.CutSuffix(kind, "y"); ends {
		return data.Plural(n, kind, stem+"ies")
	}
	return data.Plural(n, kind, kind+"s")
}

// A set counts Rests. Its keys are Rests with Count 0; the value is the count.
type restCounts map[Rest]int

func (s restCounts) add(kind, party string, n int, format string, args ...any) {
	if n > 0 {
		s[Rest{Kind: kind, Party: party, Why: fmt.Sprintf(format, args...)}] += n
	}
}

// sorted returns the Rests ordered by kind, party and reason. Kinds of results come first, in the order of store.Kinds.
func (s restCounts) sorted() (list []Rest) {
	for r, n := range s {
		r.Count = n
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b Rest) int {
		return cmp.Or(kindRank(a.Kind)-kindRank(b.Kind), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Party, b.Party), cmp.Compare(a.Why, b.Why))
	})
	return list
}

// kindRank returns the position of a kind in store.Kinds, or len(store.Kinds) for any other kind.
func kindRank(kind string) int {
	if index := slices.IndexFunc(store.Kinds, func(k store.Kind) bool { return k.Name == kind }); index >= 0 {
		return index
	}
	return len(store.Kinds)
}

func (s restCounts) total() (n int) {
	for _, count := range s {
		n += count
	}
	return n
}

// The reasons why results cannot be recomputed.
const (
	ofModels      = "replies of a model"
	ofFile        = "from a file"
	ofImport      = "imported"
	ofReader      = "read by an earlier version of compqa; this one reads the replies otherwise"
	ofPeople      = "people's scores"
	ofCalibration = "a calibration in a file, which is not in the record"
	ofEarlier     = "of an earlier configuration; they are in no table"
	unplanned     = "no task makes it" // a difference, not a Rest
)

// reason returns the reason why a result cannot be recomputed. It returns "" if a task made the result again with this program alone, or if
// checkMeans or addInvalidVerdicts accounts for it. A result that a task of the configuration should make, but none has made, is unplanned.
//
// For example, a record has verdicts of rules, gpt and human:1, all of them in the plan. Tasks made the verdicts of rules again, with
// the same points: "". Tasks also made those of gpt again, but from recorded replies: ofModels. The verdicts of human:1 need no task:
// ofPeople. A verdict of rules on an answer that the configuration does not ask about needs a task and has none: unplanned.
func (c *Recheck) reason(k store.Kind, r store.Result) string {
	made := c.madeRows[k.Name].has(r.Row) // whether a task made this result again
	if !r.Active {
		return ofEarlier
	}
	if k.Due == nil { // the record has no plan for this kind, so any such result may be there without a task
		return reasonWithoutPlan(k, made)
	}
	by := c.makerKind(k, r)
	if c.countedElsewhere(k, r, by) {
		return ""
	}
	if given := reasonOfOrigin(by, r.Origin); given != "" {
		return given
	}
	if !made {
		return unplanned
	}
	switch by {
	case config.KindModel:
		return c.reasonOfModel(k, r.Status)
	case config.KindEmbedded, config.KindFloor, config.ProviderBaseline:
		return ""
	}
	return unplanned // the party has no known kind
}

// reasonWithoutPlan returns the reason for a judgment sampled for training or a grade of a rationale. made says whether a task made it
// again.
func reasonWithoutPlan(k store.Kind, made bool) string {
	switch {
	case made:
		return ofModels
	case k.Name == store.KindGrade:
		return "grades by people or a model; no task of the configuration makes them"
	}
	return ofModels + "; no task of the configuration makes them"
}

// reasonOfOrigin returns the reason for a result that came from outside the program. by is the kind of its party, origin the origin of its
// cell. It returns "" if a task should make the result.
func reasonOfOrigin(by, origin string) string {
	switch {
	case by == config.KindFile:
		return ofFile
	case by == config.KindImported:
		return ofImport
	case by == config.KindHuman:
		return ofPeople
	case by == config.KindEmbedded && strings.HasPrefix(origin, config.ProviderCalibrated):
		return ofCalibration
	}
	return ""
}

// makerKind returns the kind of the party that made a result. The record has it, except for labels, where it follows from the plan.
func (c *Recheck) makerKind(k store.Kind, r store.Result) string {
	if k.Name != store.KindLabel {
		return r.By
	}
	j := summaryJudge(c.plan, r.Party)
	switch {
	case j != nil:
		return j.Kind
	case r.Party == data.OfflineClaims:
		return config.KindEmbedded
	case labelsFromFile(c.plan, r.Party):
		return config.KindFile
	}
	return r.By
}

// countedElsewhere reports whether another method accounts for a verdict: checkMeans for a mean of people, addInvalidVerdicts for an
// invalid verdict from a file or an import that is not a person's.
func (c *Recheck) countedElsewhere(k store.Kind, r store.Result, by string) bool {
	if k.Name != store.KindVerdict {
		return false
	}
	mean := r.Party == data.Human && (by == config.KindFile || by == config.KindHuman)
	return mean || r.Status != data.Valid && fromFileOrImport(by) && !c.isPerson(r.Party)
}

// reasonOfModel returns the reason why a model's result rests on the model although a task made it again. It returns "" if the model was
// not asked, or if addInvalidVerdicts accounts for the verdict.
func (c *Recheck) reasonOfModel(k store.Kind, status data.Status) string {
	switch {
	case status == data.Skipped: // nobody was asked
		return ""
	case status != data.Valid && k.Name == store.KindVerdict: // addInvalidVerdicts accounts for it
		return ""
	case status != data.Valid:
		return ofModels + ", not valid: " + string(status)
	case !c.replies:
		return ofModels + ", which are not in the export"
	}
	return ofModels
}

// eachResult calls do for each result of a kind on record, with the reason why it cannot be recomputed.
func (c *Recheck) eachResult(kind string, do func(k store.Kind, r store.Result, why string) error) error {
	k := store.Kinds[kindRank(kind)]
	return c.db.EachResult(k, func(r store.Result) error { return do(k, r, c.reason(k, r)) })
}

// hasUnplanned reports whether the record has a result of this kind that a configuration should make and no task has made yet.
func (c *Recheck) hasUnplanned(kind string) (found bool, err error) {
	err = c.eachResult(kind, func(_ store.Kind, _ store.Result, why string) error {
		found = why == unplanned
		if found {
			return run.ErrEnough
		}
		return nil
	})
	if errors.Is(err, run.ErrEnough) {
		err = nil
	}
	return found, err
}

// listRests lists what nobody can recompute, by kind and party. A result that the configuration does not plan is a difference.
//
// For example, a record has 40 verdicts of the judge rules and 40 of gpt, of which 2 cannot be read. It also has people's means of 10
// answers, each from the sheets of two people. rules made its 40 verdicts again, so nothing is listed for it. For gpt, 38 verdicts are
// listed as "replies of a model". addInvalidVerdicts lists the other 2 as "not valid (unparsed 2)", with the range of the mean. The 20
// sheets are listed as "people's scores". checkMeans recomputes the 10 means from the sheets and lists nothing. A mean that differs
// would be a difference, and a mean without its sheets would be listed.
func (c *Recheck) listRests() error {
	for _, k := range store.Kinds {
		if err := c.eachResult(k.Name, c.addRest); err != nil {
			return err
		}
	}
	c.addInvalidVerdicts()
	if err := c.checkMeans(); err != nil {
		return err
	}
	if err := c.checkCosts(); err != nil {
		return err
	}
	return c.addInputs()
}

// addRest adds one result to the rests, unless why is "". An unplanned result is a difference. Labels from a file are also checked against
// their table.
func (c *Recheck) addRest(k store.Kind, r store.Result, why string) error {
	labels := why == ofFile && k.Name == store.KindLabel
	if why == unplanned || labels {
		place, err := c.db.AtRow(k, r.Row)
		if err == nil && labels {
			err = c.checkLabels(place)
		} else if err == nil {
			err = archive.Differ("%s: the configuration does not plan it", place)
		}
		if err != nil {
			return err
		}
	}
	if why != "" {
		kind, party := c.displayNames(partyOf{kind: k.Name, party: r.Party})
		c.rests.add(kind, party, 1, "%s", why)
	}
	return nil
}

// fromFileOrImport reports whether a party of this kind has results from a file or an import.
func fromFileOrImport(kind string) bool {
	return kind == config.KindFile || kind == config.KindImported
}

// isPerson reports whether a judge is a person or the mean of people.
func (c *Recheck) isPerson(judge string) bool {
	index := store.Named(c.run.Judges, judge)
	return index >= 0 && c.run.Judges[index].Kind == config.KindHuman
}

// addInputs adds the inputs that are not built into the program, what the configuration declares, and what servers reported.
func (c *Recheck) addInputs() error {
	if n := len(c.questionSet); n > 0 && !c.builtIn() {
		c.rests.add("question", c.run.Made[0].Dataset, n, "own ones, not built in (SHA-256 %s)", config.HashOf(c.questionSet))
	}
	if n := len(c.run.Questions) - len(c.questionSet); n > 0 {
		c.rests.add("question", "imports", n, ofImport)
	}
	if r := c.run.Rubric; !r.BuiltIn() {
		c.rests.add("rubric", r.Name, 1, "an own one, not built in (SHA-256 %s)", r.Hash())
	}
	for _, s := range c.inputs.Scenarios {
		if builtin, err := scenarios.Builtin(s.ID); err != nil || builtin.Hash != s.Hash {
			c.rests.add("template", "scenario "+s.ID, 1, "an own one, not built in (SHA-256 %s)", s.Hash)
		}
	}
	for _, set := range c.pairSets {
		if set.Name != config.RunSet && set.Base == "" {
			c.rests.add("pair", "the set "+set.Name, len(set.Pairs), "texts and labels %s (SHA-256 of the pairs %s)", ofFile,
				config.HashOf(set.Pairs))
		}
		if set.First > 0 {
			all, err := plan.OwnPairs(c.plan, c.db)
			if err != nil {
				return err
			}
			c.rests.add("limit", "the set "+set.Name, 1, "only the first %d pairs, of %d that the answers give, were made, as the record says: "+
				"a run of more pairs, whose rest was removed, looks the same", set.First, all)
		}
	}
	if err := c.addDeclarations(c.plan.Config); err != nil {
		return err
	}
	left, err := c.db.Unmade()
	for _, u := range left {
		c.rests.add(u.Table, cmp.Or(u.Of, "nobody"), u.Count, "%s", map[string]string{
			"attempt":         "times, tokens and names of models, as the server reported them",
			"adaptation":      "what the server accepts, as it said",
			"batch":           "as the provider reported it",
			"unanswered call": "in flight when a command was killed, as the record says: nobody knows whether it was paid",
			"unplaced row":    ofImport + ", without an answer",
		}[u.Table])
	}
	return err
}

// addDeclarations adds what the configuration declares and tables repeat, although nothing proves it.
func (c *Recheck) addDeclarations(cfg *config.Config) error {
	one := func(party, what, value string) {
		if value != "" {
			c.rests.add("declaration", party, 1, "%s: %s", what, value)
		}
	}
	entry := func(e config.Entry) {
		one(e.Name, "family", e.Family)
		if e.Price != nil {
			one(e.Name, "price", string(config.Encoded(e.Price)))
		}
	}
	for _, m := range cfg.Models {
		entry(m.Entry)
		one(m.Name, "trained_on", m.TrainedOn)
		one(m.Name, "sources from a file", m.Sources)
	}
	for _, j := range cfg.Judges {
		entry(j.Entry)
		known := config.Judge{} // what the program itself declares for its built-in judge
		e, embedded := judges.EmbeddedNamed(j.BuiltIn())
		if embedded && j.Asks == store.KindVerdict && j.Provider == config.ProviderEmbedded {
			known.TrainedOn = e.TrainedOn
			known.HeldOut = e.HeldOut
			if e.LeftOut != nil {
				known.LeftOut = e.LeftOut()
			}
		}
		if j.TrainedOn != known.TrainedOn {
			one(j.Name, "trained_on", j.TrainedOn)
		}
		if j.HeldOut != known.HeldOut {
			one(j.Name, "held_out", fmt.Sprint(j.HeldOut))
		}
		if !slices.Equal(j.LeftOut, known.LeftOut) {
			one(j.Name, "left_out", "figures that are not those of the judge")
		}
		if j.Sheets != nil {
			one(j.Name, "score sheets of people in its prompt", data.Plural(len(j.Sheets), "sheet", "sheets"))
		}
		if j.Calibration != nil {
			one(j.Name, "calibration", "fitted to data that are not in the record")
		}
		if j.AspectNames != nil {
			one(j.Name, "aspects", strings.Join(j.AspectNames, ", "))
		} else if j.OfflineAspects() {
			one(j.Name, "aspects", "of a file that is not in the record")
		}
	}
	one("the board", "headline", cfg.Headline)
	releases, err := c.db.Releases()
	for _, hash := range releases {
		one("the run", "hash of the authors' release", hash)
	}
	return err
}

// verdictCounts are the numbers of a judge's verdicts on the answers of a system.
type verdictCounts struct {
	valid    int
	sum      float64 // of the totals of the valid ones
	invalid  int
	statuses map[data.Status]int // number of invalid ones by status
}

// addInvalidVerdicts adds the verdicts that are not valid, by judge and system. It says between which bounds the mean would lie if these
// verdicts were the worst or the best.
func (c *Recheck) addInvalidVerdicts() {
	type place struct{ judge, system string }
	counts := map[place]*verdictCounts{}
	for _, s := range c.run.Sheets {
		judge := c.run.Judges[s.Rater]
		key := place{judge.Name, c.run.Answers[s.Item].System}
		n := counts[key]
		if n == nil {
			n = &verdictCounts{statuses: map[data.Status]int{}}
			counts[key] = n
		}
		asked := judge.Kind == config.KindModel && s.Status != data.Skipped
		if s.Status == data.Valid {
			n.valid++
			n.sum += s.Total
		} else if asked || fromFileOrImport(judge.Kind) {
			n.invalid++
			n.statuses[s.Status]++
		}
	}
	for key, n := range counts {
		c.rests.add(store.KindVerdict, key.judge+" on "+key.system, n.invalid, "not valid (%s): %s", n.statusText(),
			n.meanText(c.run.Rubric.Min(), c.run.Rubric.Max()))
	}
}

// statusText returns the invalid verdicts by status, for example "refused 1, unparsed 2".
func (n *verdictCounts) statusText() string {
	statuses := slices.Sorted(maps.Keys(n.statuses))
	return strings.Join(data.Each(statuses, func(s data.Status) string { return fmt.Sprintf("%s %d", s, n.statuses[s]) }), ", ")
}

// meanText returns the mean of the valid verdicts, and the means if each invalid one had the least or the most points.
func (n *verdictCounts) meanText(least, most float64) string {
	if n.valid == 0 {
		return "there is no valid one"
	}
	points := func(sum float64, count int) string {
		mean := sum / float64(count)
		return stats.FigureOf(&mean).Text(1)
	}
	all := n.valid + n.invalid
	worst := n.sum + least*float64(n.invalid)
	best := n.sum + most*float64(n.invalid)
	return fmt.Sprintf("the mean is %s points, and between %s and %s if these were the worst or the best", points(n.sum, n.valid),
		points(worst, all), points(best, all))
}

// checkLabels checks labels of people or of another program against the table that they label.
func (c *Recheck) checkLabels(place store.At) error {
	row, err := place.Find(c.db)
	if err != nil || row.Status() != data.Valid {
		return err
	}
	var labels data.Labels
	if err := json.Unmarshal([]byte(row.Text("content")), &labels); err != nil {
		return archive.Differ("%s cannot be parsed: %w", place, err)
	}
	answer, _, err := c.db.Answer(place.Subject)
	if err != nil {
		return err
	}
	if answer.Table == nil {
		return archive.Differ("%s: the answer has no table", place)
	}
	if status, reason := labels.Check(place.Variant, *answer.Table); status != data.Valid {
		return archive.Differ("%s: %s", place, reason)
	}
	return nil
}

// checkAttacks scores the attacked answers again and compares the totals with the recorded ones. A run records them when it ends. If
// answers were imported later, the recorded totals belong to the answers before the import. Attacks from a datasheet are only listed.
func (c *Recheck) checkAttacks() error {
	sheets, err := c.addDatasheets()
	if err != nil {
		return err
	}
	recorded := data.Where(c.run.Attacked, func(a store.AttackedAnswer) bool { return sheets[a.Judge] == 0 })
	seed := c.run.Made[0].Seed
	now, err := c.attackTotals(c.db.SomeAnswers(attack.SampleSize, seed))
	if err != nil {
		return err
	}
	recordedWork, err := c.db.AttackWork()
	if err != nil {
		return err
	}
	work, err := attack.Work(c.plan, c.db)
	if err != nil {
		return err
	}
	if slices.Equal(now, recorded) && (recordedWork == work || len(now) == 0) {
		return nil
	}
	then, err := c.attackTotals(c.db.AttackedAnswers(seed))
	if err != nil {
		return err
	}
	ofEarlierAnswers := slices.Equal(then, recorded)
	imported := slices.ContainsFunc(c.run.Plan, func(cell store.PlanCell) bool {
		return cell.Kind == store.KindAnswer && cell.Origin != store.FromConfig
	})
	switch {
	case recordedWork == "":
		c.missing.add("attack", "embedded judges", len(now), "`compqa run` records them when it ends")
	case ofEarlierAnswers && imported:
		c.rests.add("attack", "embedded judges", len(recorded), "answers were imported after them")
	case ofEarlierAnswers && len(c.missing) > 0:
		c.missing.add("attack", "embedded judges", len(now), "those on record are of a run before this one")
	default:
		return archive.Differ("the recorded attacks on embedded judges differ from those computed now")
	}
	return nil
}

// addDatasheets lists the attacks from datasheets, and returns their number by judge. A datasheet of a judge that the run tests itself is a
// difference.
func (c *Recheck) addDatasheets() (map[string]int, error) {
	sheets, err := c.db.DatasheetWork()
	for judge, n := range sheets {
		if slices.ContainsFunc(c.plan.Judges, func(j parties.Judge) bool { return j.Name == judge && j.Provider == run.Offline }) {
			return nil, archive.Differ("a datasheet of %s is recorded, which the run tests itself", judge)
		}
		c.rests.add("attack", judge, n, "of a datasheet, whose own record has the replies")
	}
	return sheets, err
}

// attackTotals returns the totals of some answers before and after each attack, in the order of the record. err is the error of reading
// the answers.
func (c *Recheck) attackTotals(answers []data.Answer, err error) ([]store.AttackedAnswer, error) {
	if err != nil {
		return nil, err
	}
	list, err := attack.Totals(c.Ctx, c.plan, answers)
	slices.SortFunc(list, func(a, b store.AttackedAnswer) int {
		return cmp.Or(cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.Position, b.Position), cmp.Compare(a.Answer, b.Answer))
	})
	return list, err
}

// checkRules returns a difference for the first row that breaks a rule of every record. It also lists the replies from which no result is
// read.
func (c *Recheck) checkRules() error {
	wrong, err := c.db.BrokenRule()
	if err == nil && wrong != "" {
		err = archive.Differ("%s", wrong)
	}
	if err != nil {
		return err
	}
	unused, err := c.db.UnusedReplies()
	c.rests.add("reply", "models", unused, "no result is read from them: the run was repeated with other inputs, or results were left out")
	return err
}
