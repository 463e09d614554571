package verify

import (
	"cmp"
	"encoding/json"
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
	"compqa/judges/pairwise"
	"compqa/results/archive"
	"compqa/results/store"
	"compqa/scenarios"
	"compqa/stats"
)

// The verdicts of a verification.
const (
	Verified    = "verified"     // everything was recomputed from this program and what is built into it
	Consistent  = "consistent"   // everything that can be recomputed was; what cannot be is listed
	NotFinished = "not finished" // planned results are missing
	NotVerified = "not verified" // there is a difference
)

// CannotKnow is what no verification can know.
const CannotKnow = "No file can show that models gave these replies, that people gave these scores, or that no system, judge or run " +
	"was left out: all of these can be fabricated. Checksums protect against accidents, not against the author of the record."

// A Rest is a number of items of one kind and party that the tables depend on and that nobody can
// recompute from the export, or that are missing from it.
type Rest struct {
	Kind  string `json:"kind"`
	Party string `json:"party"`
	Count int    `json:"count"`
	Why   string `json:"why"`
}

func (r Rest) String() string {
	return fmt.Sprintf("%s of %s: %s", counted(r.Count, r.Kind), r.Party, r.Why)
}

// counted returns a number of things of a kind.
func counted(n int, kind string) string {
	if stem, ends := strings.CutSuffix(kind, "y"); ends {
		return data.Plural(n, kind, stem+"ies")
	}
	return data.Plural(n, kind, kind+"s")
}

// A set of Rests has the counts of those of the same kind, party and reason, which are keys without a count.
type set map[Rest]int

func (s set) add(kind, party string, n int, format string, args ...any) {
	if n > 0 {
		s[Rest{Kind: kind, Party: party, Why: fmt.Sprintf(format, args...)}] += n
	}
}

// sorted returns the set by kind, party and reason, in the order of the kinds of results.
func (s set) sorted() (list []Rest) {
	for r, n := range s {
		r.Count = n
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b Rest) int {
		return cmp.Or(rank(a.Kind)-rank(b.Kind), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Party, b.Party), cmp.Compare(a.Why, b.Why))
	})
	return list
}

// rank returns the place of a kind of results in their list; other kinds come after these.
func rank(kind string) int {
	if index := slices.IndexFunc(store.Kinds, func(k store.Kind) bool { return k.Name == kind }); index >= 0 {
		return index
	}
	return len(store.Kinds)
}

func (s set) total() (n int) {
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
	unplanned     = "no task makes it" // a difference
)

// why returns the reason why a result cannot be recomputed; "": a task has made it again from this program and its subject, or means
// or invalid counts it. A result that the configuration would make and no task has made is unplanned.
func (c *Recheck) why(k store.Kind, r store.Result) string {
	made := c.seen[k.Name][r.Row]
	by := c.madeBy(k, r)
	switch {
	case !r.Active:
		return ofEarlier
	case k.Due == nil && made:
		return ofModels
	case k.Name == store.KindGrade:
		return "grades by people or a model; no task of the configuration makes them"
	case k.Due == nil:
		return ofModels + "; no task of the configuration makes them"
	case c.countedElsewhere(k, r, by):
		return ""
	case by == config.KindFile:
		return ofFile
	case by == config.KindImported:
		return ofImport
	case by == config.KindHuman:
		return ofPeople
	case by == config.KindEmbedded && strings.HasPrefix(r.Origin, config.ProviderCalibrated):
		return ofCalibration
	case !made:
		return unplanned
	case by == config.KindModel:
		return c.whyOfModel(k, r.Status)
	case slices.Contains([]string{config.KindEmbedded, config.KindFloor, config.ProviderBaseline}, by):
		return ""
	}
	return unplanned
}

// madeBy returns the kind of the party that made a result. The record has it, but not of a judge of labels.
func (c *Recheck) madeBy(k store.Kind, r store.Result) string {
	if k.Name != store.KindLabel {
		return r.By
	}
	j := summaryJudge(c.plan, r.Party)
	switch {
	case j != nil:
		return j.Kind
	case r.Party == data.OfflineClaims:
		return config.KindEmbedded
	case ofFiles(c.plan, r.Party):
		return config.KindFile
	}
	return r.By
}

// countedElsewhere reports whether a verdict is one that means (a mean of people) or invalid (of a file or an import) accounts for.
func (c *Recheck) countedElsewhere(k store.Kind, r store.Result, by string) bool {
	if k.Name != store.KindVerdict {
		return false
	}
	mean := r.Party == data.Human && (by == config.KindFile || by == config.KindHuman)
	return mean || r.Status != data.Valid && ofOthers(by) && !c.person(r.Party)
}

// whyOfModel returns the reason why a model's result that a task has made again rests on the model.
func (c *Recheck) whyOfModel(k store.Kind, status data.Status) string {
	switch {
	case status == data.Skipped: // nobody was asked
		return ""
	case status != data.Valid && k.Name == store.KindVerdict: // invalid accounts for it
		return ""
	case status != data.Valid:
		return ofModels + ", not valid: " + string(status)
	case !c.replies:
		return ofModels + ", which are not in the export"
	}
	return ofModels
}

// rest counts what nobody can recompute, by kind and party. A result that the configuration does not plan is a difference.
func (c *Recheck) rest() error {
	entry, err := c.db.Entries()
	if err != nil {
		return err
	}
	for _, k := range store.Kinds {
		if err := c.db.EachResult(k, func(r store.Result) error {
			why := c.why(k, r)
			if why == unplanned || why == ofFile && k.Name == store.KindLabel {
				place, err := c.db.AtRow(k, r.Row)
				if err != nil {
					return err
				}
				if why == unplanned {
					return archive.Differ("%s: the configuration does not plan it", place)
				}
				if err := c.given(place); err != nil {
					return err
				}
			}
			if k.Name == store.KindPreference {
				r.Party = entry(r.Party)
			}
			if why != "" {
				c.rests.add(k.Name, r.Party, 1, "%s", why)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	c.invalid()
	return cmp.Or(c.means(), c.costs(), c.inputsRest(), c.pairsRest(entry))
}

// ofOthers reports whether results of a kind of party came from a file or an import.
func ofOthers(kind string) bool { return kind == config.KindFile || kind == config.KindImported }

// person reports whether a judge is a person or people's mean.
func (c *Recheck) person(judge string) bool {
	index := store.Named(c.run.Judges, judge)
	return index >= 0 && c.run.Judges[index].Kind == config.KindHuman
}

// inputsRest adds what results are made from that is not built in, and what the configuration says of itself.
func (c *Recheck) inputsRest() error {
	if n := len(c.set); n > 0 && !c.builtIn() {
		c.rests.add("question", c.run.Made[0].Dataset, n, "own ones, not built in (SHA-256 %s)", config.HashOf(c.set))
	}
	if n := len(c.run.Questions) - len(c.set); n > 0 {
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
	if err := c.declared(c.plan.Config); err != nil {
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

// declared adds what the configuration declares and tables repeat, although nothing shows that it is so.
func (c *Recheck) declared(cfg *config.Config) error {
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
		known := config.Judge{} // what the program itself says of a judge that it has built in
		e, embedded := judges.EmbeddedNamed(j.BuiltIn())
		if embedded && j.Asks == store.KindVerdict && j.Provider == config.ProviderEmbedded {
			known.TrainedOn, known.HeldOut = e.TrainedOn, e.HeldOut
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

// pairsRest adds the pairs whose texts and labels come from files, and those that a judge was not asked about, although about others of
// their set: outside its sample, or without a choice in the file of a person or another program.
func (c *Recheck) pairsRest(entry func(judge string) string) error {
	sets, err := c.db.SetsWithPairs()
	if err != nil {
		return err
	}
	for _, s := range sets {
		if s.Name != config.RunSet && s.Base == "" {
			c.rests.add("pair", "the set "+s.Name, len(s.Pairs), "texts and labels %s (SHA-256 of the pairs %s)", ofFile, config.HashOf(s.Pairs))
		}
		if s.First > 0 {
			c.rests.add("limit", "the set "+s.Name, 1, "only the first %d pairs were made, as the record says", s.First)
		}
	}
	asked, err := c.db.PairsAsked()
	for _, a := range asked {
		planned := max(a.Planned, c.preferencesOf(a))
		w := c.walked[partyOf{store.KindPreference, a.Judge, a.Method}]
		n, why := a.Pairs*c.orders[a.Dataset]-planned, "that the configuration does not ask it about"
		switch {
		case w == nil: // of a file
			n, why = a.Pairs-a.Chosen, "without a choice on record"
		case w.sampled:
			why = "outside its sample"
		}
		c.outside.add(store.KindPreference, entry(a.Judge), n, "pairs of the set %s %s", a.Dataset, why)
	}
	return err
}

// preferencesOf returns the number of preferences of a judge on a set that the latest configuration about pairs plans.
func (c *Recheck) preferencesOf(a store.PairsAsked) (n int) {
	for _, now := range c.preferred {
		if now.Judge == a.Judge && now.Method == a.Method && now.Dataset == a.Dataset {
			n += now.Planned
		}
	}
	return n
}

// invalid adds the verdicts that are not valid, by judge and system, with what the mean would be with them.
func (c *Recheck) invalid() {
	type place struct{ judge, system string }
	sums, valid, not := map[place]float64{}, map[place]int{}, map[place]map[data.Status]int{}
	for _, s := range c.run.Sheets {
		key := place{c.run.Judges[s.Rater].Name, c.run.Answers[s.Item].System}
		switch {
		case s.Status == data.Valid:
			sums[key], valid[key] = sums[key]+s.Total, valid[key]+1
		case c.run.Judges[s.Rater].Kind == config.KindModel && s.Status != data.Skipped, ofOthers(c.run.Judges[s.Rater].Kind):
			if not[key] == nil {
				not[key] = map[data.Status]int{}
			}
			not[key][s.Status]++
		}
	}
	least, most := c.run.Rubric.Min(), c.run.Rubric.Max()
	for key, statuses := range not {
		n := 0
		var parts []string
		for _, status := range slices.Sorted(maps.Keys(statuses)) {
			n, parts = n+statuses[status], append(parts, fmt.Sprintf("%s %d", status, statuses[status]))
		}
		all, points := float64(valid[key]+n), func(x float64) string { return stats.FigureOf(&x).Text(1) }
		mean := "there is no valid one"
		if valid[key] > 0 {
			mean = fmt.Sprintf("the mean is %s points, and between %s and %s if these were the worst or the best",
				points(sums[key]/float64(valid[key])), points((sums[key]+least*float64(n))/all), points((sums[key]+most*float64(n))/all))
		}
		c.rests.add(store.KindVerdict, key.judge+" on "+key.system, n, "not valid (%s): %s", strings.Join(parts, ", "), mean)
	}
}

// A partyOf is a party in the plan; the method is that of a judge of pairs.
type partyOf struct{ kind, party, method string }

// A walk is what the latest plan has of a party: its tasks, and those of them without a result on record.
type walk struct {
	tasks, left int
	sampled     bool // of a judge of pairs with a sample
}

// note counts a task of the latest plan.
func (c *Recheck) note(cfg *config.Config, t run.Task, r replayed) {
	party := partyOf{kind: t.At.Kind, party: t.Party.Name}
	switch t.At.Kind {
	case store.KindAnswer:
		if cell, planned := t.Group.(*plan.Job); planned && !cell.Contestant.Answers() {
			return // of a file, all of which are on record
		}
	case store.KindLabel:
		party = partyOf{kind: t.At.Variant, party: t.At.Party}
	case store.KindPreference:
		party = partyOf{t.At.Kind, t.At.Party, t.At.Variant}
	case store.KindSample, store.KindGrade, "":
		return // the record has no plan of them
	}
	w := c.walked[party]
	if w == nil {
		w = &walk{sampled: slices.ContainsFunc(cfg.JudgesOf(party.kind), func(j *config.Judge) bool {
			return party.kind == store.KindPreference && j.Name == t.Party.Name && j.Sample > 0
		})}
		c.walked[party] = w
	}
	w.tasks++
	if !r.recorded {
		w.left++
	}
}

// covered compares the plan with what is on record. A party without any result was not run, and neither was a system without
// answers; these are listed. Any other planned result that is not there leaves the run unfinished, whatever the record says of the
// reason: nothing shows that it was not removed.
func (c *Recheck) covered() error {
	cells, err := c.db.Coverage()
	if err != nil {
		return err
	}
	entry, err := c.db.Entries()
	if err != nil {
		return err
	}
	ended := map[bool]string{} // why results about pairs, and the others, are missing
	for pairs, part := range map[bool]string{false: store.PartAnswers, true: store.PartPairs} {
		unfinished, err := c.db.Unfinished(part)
		if err != nil {
			return err
		}
		ended[pairs] = "nothing on record shows why"
		if unfinished {
			ended[pairs] = "the run did not finish"
		}
	}
	recorded, answered := map[partyOf]int{}, map[string]int{}
	for _, cell := range cells {
		party := partyOf{cell.Kind, cell.Party, cell.Method}
		recorded[party] += cell.Recorded
		c.due[party] += cell.Planned
		switch cell.Kind {
		case store.KindPreference:
			c.preferences += cell.Recorded
		case store.KindAnswer:
			answered[cell.System] += cell.Recorded
			c.plannedAnswers += cell.Planned
		case store.KindVerdict:
			c.plannedVerdicts += cell.Planned
		}
	}
	named := func(owner partyOf) (kind, party string) {
		switch owner.kind {
		case store.KindPreference:
			return owner.kind, entry(owner.party)
		}
		if rank(owner.kind) < len(store.Kinds) {
			return owner.kind, owner.party
		}
		return "label (" + owner.kind + ")", owner.party
	}
	short := map[partyOf]int{}
	if err := c.unasked(short, entry); err != nil {
		return err
	}
	for _, cell := range cells {
		owner, n := partyOf{cell.Kind, cell.Party, cell.Method}, max(0, cell.Planned-cell.Recorded)
		short[owner] += n
		kind, party := named(owner)
		switch {
		case cell.Kind != store.KindAnswer && cell.System != "" && answered[cell.System] == 0:
			c.absent.add(kind, party, n, "no answer of %s is on record", cell.System)
		case recorded[owner] == 0:
			c.absent.add(kind, party, n, "none is on record")
		default:
			c.missing.add(kind, party, n, "%s", cmp.Or(cell.Note, ended[cell.Kind == store.KindPreference]))
		}
	}
	for owner, w := range c.walked {
		kind, party := named(owner)
		_, planned := c.due[owner]
		switch {
		case planned:
			c.missing.add(kind, party, w.left-short[owner], "on record are others in their place")
		case owner.kind == store.KindPreference: // see unasked
		case w.left < w.tasks:
			c.missing.add(kind, party, w.left, "nothing on record shows why")
		default:
			c.absent.add(kind, party, w.left, "none is on record")
		}
	}
	return err
}

// unasked adds the preferences that the latest configuration about pairs plans, and the recorded plan does not: of judges or sets
// that --judge left out, and of pairs that came later. A preference on record was planned.
func (c *Recheck) unasked(short map[partyOf]int, entry func(judge string) string) error {
	recorded, err := c.db.Plan(store.OfPairs)
	if err != nil {
		return err
	}
	for _, now := range c.preferred {
		party := partyOf{store.KindPreference, now.Judge, now.Method}
		index := slices.IndexFunc(recorded, func(then store.PlanCell) bool {
			return then.Judge == now.Judge && then.Method == now.Method && then.Dataset == now.Dataset && then.Order == now.Order
		})
		w := c.walked[party]
		method, _ := pairwise.MethodNamed(now.Method)
		switch {
		case index >= 0 && (method.Floor || w != nil && !w.sampled):
			more := max(0, now.Planned-recorded[index].Planned)
			c.absent.add(store.KindPreference, entry(now.Judge), more, "pairs of the set %s that it was not asked about", now.Dataset)
			short[party] += more
			continue
		case index >= 0: // what its sample lacks is missing
			continue
		}
		n, err := c.db.CountPreferences(now)
		if err != nil {
			return err
		}
		if n > 0 {
			return archive.Differ("preferences of %s on the set %s, order %s, are recorded, but not planned", now.Judge, now.Dataset, now.Order)
		}
		c.absent.add(store.KindPreference, entry(now.Judge), now.Planned, "it was not asked about the set %s", now.Dataset)
		short[party] += now.Planned
	}
	return nil
}

// given checks labels of people or of another program against their table.
func (c *Recheck) given(place store.At) error {
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

// attacks scores the attacked answers again. A run records them when it ends; after a later import, they are of the answers before it.
func (c *Recheck) attacks() error {
	work, err := c.db.AttackWork()
	if err != nil {
		return err
	}
	sheets, err := c.db.DatasheetWork()
	if err != nil {
		return err
	}
	for judge, n := range sheets {
		if slices.ContainsFunc(c.plan.Judges, func(j parties.Judge) bool { return j.Name == judge && j.Provider == run.Offline }) {
			return archive.Differ("a datasheet of %s is recorded, which the run tests itself", judge)
		}
		c.rests.add("attack", judge, n, "of a datasheet, whose own record has the replies")
	}
	recorded := data.Where(c.run.Attacked, func(a store.AttackedAnswer) bool { return sheets[a.Judge] == 0 })
	equal := func(answers []data.Answer, err error) (same bool, n int, _ error) {
		if err != nil {
			return false, 0, err
		}
		list, err := attack.Totals(c.Ctx, c.plan, answers)
		slices.SortFunc(list, func(a, b store.AttackedAnswer) int {
			return cmp.Or(cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.Position, b.Position), cmp.Compare(a.Answer, b.Answer))
		})
		return slices.Equal(list, recorded), len(list), err
	}
	seed := c.run.Made[0].Seed
	now, err := attack.Work(c.plan, c.db)
	if err != nil {
		return err
	}
	same, n, err := equal(c.db.SomeAnswers(attack.SampleSize, seed))
	if err != nil || same && (now == work || n == 0) {
		return err
	}
	earlier, _, err := equal(c.db.AttackedAnswers(seed))
	imported := slices.ContainsFunc(c.run.Plan, func(cell store.PlanCell) bool {
		return cell.Kind == store.KindAnswer && cell.Origin != store.FromConfig
	})
	switch {
	case err != nil:
		return err
	case work == "":
		c.missing.add("attack", "embedded judges", n, "`compqa run` records them when it ends")
	case earlier && imported:
		c.rests.add("attack", "embedded judges", len(recorded), "answers were imported after them")
	case earlier && len(c.missing) > 0:
		c.missing.add("attack", "embedded judges", n, "those on record are of a run before this one")
	default:
		return archive.Differ("the recorded attacks on embedded judges differ from those computed now")
	}
	return nil
}

// rules finds the first row that no record can have.
func (c *Recheck) rules() error {
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
