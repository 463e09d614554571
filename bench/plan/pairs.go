package plan

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/data"
	"compqa/data/sources"
	"compqa/judges/pairwise"
	"compqa/judges/replies"
	"compqa/results/store"
	"compqa/results/train"
)

// Pairs is the part of a plan about pairs of answers: the sets of pairs, and the entries that judge them. A pairing makes its tasks from it
// and from the record.
type Pairs struct {
	plan     *Plan
	only     []string           // names of the judges that are asked; nil: all
	limit    int                // most pairs of each set; 0: all
	samples  *Samples           // nil: no judgments are sampled
	Sets     []store.PairSet    // from files; the run's own pairs are added when its answers are known
	Bars     []*sources.LLMBar  // sets of LLMBar, with the completions of its judges
	Given    []data.Preference  // preferences from files, by people and by other judges
	Readings []*sources.Reading // how the columns of files were read
	// AllSets says that recorded sets which the configuration no longer has are taken out of the tables.
	AllSets bool
	people  []data.HumanGrade // people's grades of rationales
	refs    []*config.Judge
	entry   map[string]config.PairSet // the entry of each set, by the name of the set
	read    []string                  // sentences about what was read from files of preferences
	same    map[string]bool           // ids of the pairs that are left out because both answers are identical
	// recorded has the run's own pairs on record by id, in a verification.
	recorded map[string]store.SetPair
}

// NewPairs reads the sets of pairs that a plan's configuration names. only names the judges that are asked (nil: all). limit is the largest
// number of pairs in each set (0: all). samples has the options for sampling judgments (nil: none are sampled).
func NewPairs(plan *Plan, only []string, limit int, samples *Samples) (*Pairs, error) {
	p := &Pairs{plan: plan, only: only, limit: limit, samples: samples, entry: map[string]config.PairSet{}, same: map[string]bool{}}
	if err := p.choose(); err != nil {
		return nil, err
	}
	for _, entry := range plan.Config.PairSets() {
		p.entry[entry.Name] = entry
		if entry.Name == config.RunSet {
			continue
		}
		if err := p.readSet(entry); err != nil {
			return nil, plan.Config.Locate(config.At("pairs", entry.Name, err))
		}
	}
	if _, err := p.setOf(); err != nil {
		return nil, err
	}
	if err := p.readGrades(); err != nil {
		return nil, err
	}
	if _, named := p.entry[config.RunSet]; named { // the run's own pairs are not known yet
		return p, nil
	}
	return p, cmp.Or(p.takeGiven(), p.checkInjection(), p.checkTrainable())
}

// checkTrainable returns an error if judgments are sampled on pairs of a benchmark: `compqa train export` would refuse these pairs later,
// after the calls were paid for.
func (p *Pairs) checkTrainable() error {
	if p.samples == nil || p.samples.OnBenchmark {
		return nil
	}
	labelled := 0
	published := 0
	example := ""
	name := ""
	for _, set := range p.Sets {
		for _, pair := range set.Pairs {
			if !pair.Label.Decided() {
				continue
			}
			labelled++
			if publishedIn := train.PublishedIn(pair.Pair); publishedIn != "" {
				published++
				example = pair.ID
				name = publishedIn
			}
		}
	}
	if published == 0 {
		return nil
	}
	return config.Usagef("%d of the %d pairs with a known human preference (%s …) are of the benchmark %s, on which a trained model "+
		"cannot be "+
		"compared: `compqa train export` refuses them. Take pairs of other questions, or --train-on-benchmark, here and in train export",
		published, labelled, example, name)
}

// readGrades reads people's grades of rationales from the files of entries.
func (p *Pairs) readGrades() error {
	for _, ref := range p.refs {
		if ref.Provider != config.ProviderFile || ref.Method != pairwise.MethodMeta {
			continue
		}
		grades, err := data.ReadGrades(p.plan.Config.Path(ref.Path))
		if err != nil {
			return config.UsageError{Err: err}
		}
		p.people = append(p.people, grades...)
	}
	return nil
}

// checkInjection returns an error if biases are asked for and no pair has a known better answer, which rewriting needs.
func (p *Pairs) checkInjection() error {
	asked := data.Where(p.Sets, func(set store.PairSet) bool { return p.entry[set.Name].Inject != nil })
	decided := func(pair store.SetPair) bool { return pair.Label.Decided() }
	if asked != nil && !slices.ContainsFunc(asked, func(set store.PairSet) bool { return slices.ContainsFunc(set.Pairs, decided) }) {
		return config.Usagef("inject needs pairs with a known human preference, and there are none")
	}
	return nil
}

// choose selects the pairwise entries that are asked, and reads their aspects from files that exist.
func (p *Pairs) choose() error {
	c := p.plan.Config
	var known []string
	for _, ref := range c.JudgesOf(store.KindPreference) {
		known = append(known, ref.Name)
		if p.only != nil && !slices.Contains(p.only, ref.Name) {
			continue
		}
		p.refs = append(p.refs, ref)
		path := c.AspectsPath(*ref)
		if path == "" || ref.AspectNames != nil {
			continue
		}
		var err error
		ref.AspectNames, _, err = config.ReadAspects(path)
		if err != nil {
			return err
		}
	}
	for _, name := range p.only {
		if !slices.Contains(known, name) {
			return config.Usagef("there is no pairwise judge %q%s", name, data.Suggest(name, "pairwise judges", known))
		}
	}
	return nil
}

// readSet reads the sets of pairs of an entry, and the preferences that are in the same files.
func (p *Pairs) readSet(entry config.PairSet) error {
	sets, reading, bar, err := sources.ReadPairSets(p.plan.Config.Path(entry.Path), entry.Format, entry.ReadingOptions(config.Repeats{}))
	if err != nil {
		return entry.Reading.Fault(err)
	}
	if bar != nil {
		p.Bars = append(p.Bars, bar)
		p.Given = append(p.Given, released(bar)...)
	}
	for _, set := range sets {
		if bar == nil {
			rename(&set, entry.Name)
		}
		maps.Copy(p.same, set.Same)
		p.entry[set.Name] = entry
		p.Sets = append(p.Sets, p.set(set.Name, set.Source, set.Pairs))
		p.Given = append(p.Given, set.Given...)
	}
	p.addReading(reading)
	return nil
}

// addReading remembers how the columns of a file were read.
func (p *Pairs) addReading(reading *sources.Reading) {
	if reading != nil {
		p.Readings = append(p.Readings, reading)
	}
}

// rename gives a published set the name of its entry, and puts the name in front of the ids of its pairs. So several sets of one format can
// be in a run.
func rename(set *data.PreferenceSet, name string) {
	if set.Name != sources.FormatFile {
		id := func(old string) string { return name + "-" + strings.TrimPrefix(old, set.Name+"-") }
		for i := range set.Pairs {
			set.Pairs[i].ID = id(set.Pairs[i].ID)
		}
		for i := range set.Given {
			set.Given[i].ID = id(set.Given[i].ID)
		}
	}
	set.Name = name
}

// set makes a set of pairs with at most limit pairs. If judgments are sampled, pairs with a known human preference come first.
func (p *Pairs) set(name, source string, listed []data.Pair) store.PairSet {
	if p.samples != nil {
		known := data.Where(listed, func(pair data.Pair) bool { return pair.Label.Decided() })
		listed = append(known, data.Where(listed, func(pair data.Pair) bool { return !pair.Label.Decided() })...)
	}
	if p.limit > 0 && len(listed) > p.limit {
		listed = listed[:p.limit]
	}
	set := store.PairSet{Name: name, Source: source}
	for _, pair := range listed {
		set.Pairs = append(set.Pairs, store.SetPair{Pair: pair, WordsA: pairwise.Length(pair.A), WordsB: pairwise.Length(pair.B)})
	}
	return set
}

// setOf returns the name of the set of each pair, by the pair's id. A duplicate id in a run is an error.
func (p *Pairs) setOf() (sets map[string]string, err error) {
	sets = map[string]string{}
	for _, set := range p.Sets {
		for _, pair := range set.Pairs {
			if other, used := sets[pair.ID]; used && err == nil {
				err = config.Usagef("the id %q is used in the sets of pairs %s and %s; ids must be unique in a run", pair.ID, other, set.Name)
			}
			sets[pair.ID] = set.Name
		}
	}
	return sets, err
}

// takeGiven reads the preferences from the files of entries, and makes the labels that gold asks for. It drops preferences on pairs beyond
// the limit. It returns an error if a judge or a preference occurs twice.
func (p *Pairs) takeGiven() error {
	setOf, _ := p.setOf()
	pairs := map[string]data.Pair{}
	for _, set := range p.Sets {
		for _, pair := range set.Pairs {
			pairs[pair.ID] = pair.Pair
		}
	}
	live := map[string]bool{}
	for _, ref := range p.refs {
		live[ref.Name] = ref.Provider != config.ProviderFile
		if live[ref.Name] || ref.Method == pairwise.MethodMeta {
			continue
		}
		given, reading, note, err := sources.ReadPreferences(p.plan.Config.Path(ref.Path), func(id string) (data.Pair, bool) {
			var whole []string
			for _, set := range p.Sets { // their pairs may have the set's name in front of their ids
				if setOf[set.Name+"-"+id] != "" {
					whole = append(whole, set.Name+"-"+id)
				}
			}
			if setOf[id] == "" && len(whole) == 1 {
				id = whole[0]
			}
			pair, known := pairs[id]
			pair.ID = id
			return pair, known || p.limit > 0 || p.same[id]
		}, ref.ReadingOptions(ref.Repeats))
		if err != nil {
			return ref.Reading.Fault(err)
		}
		if note != "" {
			p.read = append(p.read, note)
		}
		p.addReading(reading)
		p.Given = append(p.Given, given...)
	}
	p.Given = slices.DeleteFunc(p.Given, func(g data.Preference) bool { return setOf[g.ID] == "" }) // on pairs beyond --limit
	seen := map[store.At]bool{}
	for i := range p.Given {
		g := &p.Given[i]
		g.Method = cmp.Or(g.Method, sources.FormatFile)
		if data.IsHuman(g.Judge) && g.Method == sources.FormatFile {
			g.Method = "annotation"
		}
		key := store.PreferenceAt(g.ID, g.Judge, g.Method, g.Order)
		switch {
		case live[g.Judge]:
			return config.Usagef("the file has preferences of %q, but an entry under pairwise has the same name", g.Judge)
		case seen[key]:
			return config.Usagef("two files have a preference of %q on pair %q in order %s", g.Judge, g.ID, g.Order)
		}
		seen[key] = true
	}
	for i := range p.Sets {
		if err := p.relabel(&p.Sets[i]); err != nil {
			return err
		}
	}
	return nil
}

// Orders returns the number of orders in which a judge sees a pair of the set.
func (p *Pairs) Orders(set string) int { return len(p.entry[set].Orders("", p.plan.Config.Run.Seed)) }

// relabel replaces the label of each pair by the reference that the entry's gold names: the majority of people, or one person.
func (p *Pairs) relabel(set *store.PairSet) error {
	gold := p.entry[set.Name].Gold
	if gold == "" || gold == config.GoldLabel {
		return nil
	}
	votes := map[string][]data.Choice{}
	voted := false // by pair
	for _, g := range p.Given {
		if g.Status == data.Valid && data.IsHuman(g.Judge) && (gold == config.GoldMajority || g.Judge == gold) {
			votes[g.ID] = append(votes[g.ID], data.Choice(g.Choice))
		}
	}
	counts := map[data.Choice]int{}
	for k := range set.Pairs {
		pair := &set.Pairs[k]
		voted = voted || votes[pair.ID] != nil
		pair.Label, _ = data.Majority(votes[pair.ID])
		counts[pair.Label]++
	}
	if !voted {
		return config.Usagef("gold %s: no human preference has that name on %s; it must be %s, %s or a person, for instance human:1", gold,
			set.Name, config.GoldLabel, config.GoldMajority)
	}
	set.Margin = nil
	set.Source += fmt.Sprintf(" (gold: %s, %d a, %d b, %s, %d without)", gold, counts[data.ChoiceA], counts[data.ChoiceB],
		data.Plural(counts[data.ChoiceTie], "tie", "ties"), counts[data.NoChoice])
	return nil
}

// released returns the preferences of LLMBar's judges, which the parser replies.AsLLMBar reads from their published completions. A
// completion that was cut off counts if it had named its choice before.
func released(bar *sources.LLMBar) (given []data.Preference) {
	for _, result := range bar.Results {
		for _, c := range result.Completions {
			g := data.Preference{ID: c.Pair, Judge: result.Judge, Method: result.Style, Order: c.Order, Status: data.Valid, Rationale: c.Text}
			choice := replies.AsLLMBar(c.Text)
			switch {
			case choice != "":
				g.Choice = string(choice.In(c.Order))
			case c.Finish == "length":
				g.Status = data.Truncated
				g.Reason = "the completion was cut off before a choice (finish reason length)"
			default:
				g.Status = data.Unparsed
				g.Reason = "no choice in the completion"
			}
			given = append(given, g)
		}
	}
	return given
}

// ownPairs returns the pairs of the run's own answers. Both answers are valid, to the same question, under the same scenario, and of the
// same repeat; their systems differ. Details:
//   - The system that comes first in tables is a.
//   - Pairs follow the order of the questions, so that a later run with more questions appends pairs.
//   - limit counts pairs of all answers, valid or not, so that a failed answer does not change which pairs are taken.
//   - A pair's label is people's preference by their mean points. A difference of at most margin is a tie.
func (s *Planner) ownPairs(margin float64) (listed []data.Pair, _ error) {
	people, err := s.Store.PeopleTotals()
	if err != nil {
		return nil, err
	}
	answers, err := s.askedAnswers()
	if err != nil {
		return nil, err
	}
	place := map[string]int{} // of questions
	for i, q := range s.Plan.Set {
		place[q.ID] = i
	}
	at := func(a data.Answer) (data.AnswerPlace, string) {
		question := len(place) // answers to questions outside the set come last
		if q, known := s.Plan.SetOf.Of(a); known {
			question = place[q.ID]
		}
		return data.AnswerPlace{Scenario: a.Scenario, Question: question, Pair: a.Pair(), Aspect: a.Aspect, Repeat: a.Repeat}, a.System
	}
	limit := s.Plan.Pairs.limit
	if s.Plan.Pairs.samples != nil {
		limit = 0 // Pairs.set applies the limit later
	}
	for a, b := range data.PairsOfAnswers(answers, limit, at) {
		if a.Status == data.Valid && b.Status == data.Valid {
			listed = append(listed, s.Plan.ownPair(a, b, people, margin))
		}
	}
	return listed, nil
}

// ownPair makes the pair of two answers, with the label that people's points give.
func (p *Plan) ownPair(a, b data.Answer, people map[string]float64, margin float64) data.Pair {
	q := p.Question(a)
	pair := data.Pair{
		ID:       fmt.Sprintf("%s ~ %s", a.ID, b.ID),
		Question: q.Text, A: a.Text, B: b.Text, Label: data.NoChoice, Cluster: q.Pair(), Domain: "scenario " + a.Scenario,
		Object1: a.Object1, Object2: a.Object2, Aspect: a.Aspect, SystemA: a.System, SystemB: b.System, Scenario: a.Scenario,
		AnswerA: a.ID, AnswerB: b.ID,
	}
	if a.Scenario == data.NoScenario {
		pair.Domain = "no scenario"
	}
	x, scoredA := people[a.ID]
	y, scoredB := people[b.ID]
	const rounding = 1e-9
	switch {
	case !scoredA || !scoredB:
	case x-y > margin+rounding:
		pair.Label = data.ChoiceA
	case y-x > margin+rounding:
		pair.Label = data.ChoiceB
	default:
		pair.Label = data.ChoiceTie
	}
	return pair
}

// askedAnswers returns the recorded answers in the order of the systems. In an estimate it adds the answers that a run would make. With a
// limit, it leaves out answers to other questions.
func (s *Planner) askedAnswers() (list []data.Answer, _ error) {
	asked := s.Plan.asked()
	add := func(a data.Answer) error {
		if asked(a) {
			list = append(list, a)
		}
		return nil
	}
	// The ids of pairs depend on the record's order. Recorded pairs can be of answers that are no longer planned.
	cells, err := s.Store.AnswerCells(s.Replays)
	byKey := map[store.CellKey]*Job{}
	for _, c := range s.Plan.Answers {
		if !s.Assume {
			break
		}
		byKey[c.Key()] = c
		if !slices.ContainsFunc(cells, func(known store.PlanCell) bool { return known.Key() == c.Key() }) {
			cells = append(cells, c.PlanCell)
		}
	}
	for _, c := range cells {
		if cell := byKey[c.Key()]; cell != nil {
			err = errors.Join(err, s.eachAnswer(cell, cell.has, add))
		} else {
			err = errors.Join(err, s.Store.EachAnswer(c.System, c.Scenario, add))
		}
	}
	return list, err
}

// providers returns the names of all providers that the entries, the rewriters and the graders ask. A name may occur several times.
func (p *Pairs) providers() (list []string) {
	for _, ref := range p.refs {
		if ref.Provider != config.ProviderFile && !slices.Contains(pairwise.OfflineMethods(), ref.Method) {
			_, models := p.plan.Config.PairwiseModels(*ref)
			list = slices.AppendSeq(list, maps.Values(models))
		}
		if grader, _ := p.plan.Config.GraderOf(*ref); grader != nil {
			list = append(list, grader.Provider)
		}
	}
	for _, entry := range p.entry {
		if m, _ := p.plan.Config.RewriterOf(entry); m != nil && len(entry.Inject) > 0 {
			list = append(list, m.Provider)
		}
	}
	return list
}

// SayRead prints how files of pairs were read: a line for each set with remarks in its source, and a line for each table's columns.
func (p *Pairs) SayRead(w io.Writer) {
	for _, set := range p.Sets {
		if strings.Contains(set.Source, " (") {
			fmt.Fprintf(w, "%s: %s\n", set.Name, set.Source)
		}
	}
	for _, reading := range p.Readings {
		fmt.Fprintln(w, reading.Sentence())
	}
}

// mostColumns is the largest number of a file's columns that are printed.
const mostColumns = 12

// PrintGiven prints how many preferences were imported and by whom, the sets, and how the columns of files were read.
func (s *Planner) PrintGiven(w io.Writer) error {
	count := map[string]int{}
	pairs := 0
	for _, g := range s.Paired.Given {
		count[g.Judge]++
	}
	parts := data.Each(slices.Sorted(maps.Keys(count)), func(name string) string { return fmt.Sprintf("%s %d", name, count[name]) })
	for _, set := range s.Paired.Sets {
		pairs += len(set.Pairs)
	}
	imported := fmt.Sprintf("Imported %s on %s: %s", data.Plural(len(s.Paired.Given), "preference", "preferences"),
		data.Plural(pairs, "pair", "pairs"), strings.Join(parts, ", "))
	fmt.Fprintln(w, strings.TrimSuffix(imported, ": "))
	for _, set := range s.Paired.Sets {
		fmt.Fprintf(w, "%s: %s\n", set.Name, set.Source)
	}
	for _, sentence := range s.Paired.read {
		fmt.Fprintln(w, sentence)
	}
	for _, reading := range s.Paired.Readings {
		fmt.Fprintln(w, strings.Join(reading.Lines(mostColumns), "\n"))
	}
	_, err := fmt.Fprintln(w)
	return err
}
