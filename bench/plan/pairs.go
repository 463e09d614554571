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

// Pairs is the part of a plan about pairs of answers: their sets, and the entries that are asked
// about them. Its tasks follow from it and from the record; see pairing.
type Pairs struct {
	plan     *Plan
	only     []string           // names of the judges that are asked; nil: all
	limit    int                // pairs of each set; 0: all
	samples  *Samples           // nil: no judgments are sampled
	Sets     []store.PairSet    // of files; the run's own are known when its answers are
	Bars     []*sources.LLMBar  // with completions of LLMBar's judges
	Given    []data.Preference  // by people and by judges elsewhere
	Readings []*sources.Reading // what the columns of files were read as
	// AllSets: sets on record that the configuration no longer has leave the tables.
	AllSets bool
	people  []data.HumanGrade // of rationales, by people
	refs    []*config.Judge
	entry   map[string]config.PairSet // by the name of a set
	read    []string                  // what was read of files of preferences, in sentences
	same    map[string]bool           // ids of pairs of identical answers, which are left out
	// recorded are the run's own pairs on record, by id, in a verification.
	recorded map[string]store.SetPair
}

// NewPairs reads the sets of pairs of a plan's configuration. only names the judges that are asked
// (nil: all); each set has at most limit pairs (0: all). samples are what is sampled; nil: nothing.
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
	if _, named := p.entry[config.RunSet]; named { // its pairs are not known yet
		return p, nil
	}
	return p, cmp.Or(p.takeGiven(), p.checkInjection(), p.checkTrainable())
}

// checkTrainable refuses before the first call what train export would refuse: pairs of a benchmark.
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

// readGrades reads the grades of entries with provider file.
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

// checkInjection checks that there are pairs to rewrite, where biases are asked for.
func (p *Pairs) checkInjection() error {
	asked := data.Where(p.Sets, func(set store.PairSet) bool { return p.entry[set.Name].Inject != nil })
	decided := func(pair store.SetPair) bool { return pair.Label.Decided() }
	if asked != nil && !slices.ContainsFunc(asked, func(set store.PairSet) bool { return slices.ContainsFunc(set.Pairs, decided) }) {
		return config.Usagef("inject needs pairs with a known human preference, and there are none")
	}
	return nil
}

// choose selects the entries that are asked, and reads their aspects.
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

// readSet reads the sets of an entry, with the preferences that were published with them.
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

// addReading keeps what the columns of a file of pairs or preferences were read as.
func (p *Pairs) addReading(reading *sources.Reading) {
	if reading != nil {
		p.Readings = append(p.Readings, reading)
	}
}

// rename gives a published set the name of its entry. The ids of its pairs begin with it, so that
// there can be several sets of one format.
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

// set makes a set of pairs, all of them or the first --limit: of samples, the first with a known human preference.
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

// setOf returns the names of the sets by the ids of their pairs, which must be unique in a run.
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

// takeGiven reads the preferences of entries with provider file. All are on pairs of the sets.
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
			for _, set := range p.Sets { // whose pairs have the name of the set in front of their ids
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
	p.Given = slices.DeleteFunc(p.Given, func(g data.Preference) bool { return setOf[g.ID] == "" }) // beyond --limit
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

// Orders returns the number of orders in which a pair of a set is shown to a judge.
func (p *Pairs) Orders(set string) int { return len(p.entry[set].Orders("", p.plan.Config.Run.Seed)) }

// relabel makes the reference that the entry's gold names the label of each pair.
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

// released returns the preferences of LLMBar's judges, read from their completions by our parser. One
// that was cut off counts when it had named its choice before.
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

// ownPairs returns the pairs of valid answers of two systems to the same question, under the same scenario, of the same repeat:
// all, or those among the first --limit pairs of answers, so that failures do not change which these are. The system that
// comes first in tables is a. Pairs are in the order of the questions, so that more questions follow those of an earlier run
// with a limit. People's preference follows from their mean points; a difference of up to the margin is a tie.
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
		question := len(place) // those that are not of the set come last
		if q, known := s.Plan.SetOf.Of(a); known {
			question = place[q.ID]
		}
		return data.AnswerPlace{Scenario: a.Scenario, Question: question, Pair: a.Pair(), Aspect: a.Aspect, Repeat: a.Repeat}, a.System
	}
	limit := s.Plan.Pairs.limit
	if s.Plan.Pairs.samples != nil {
		limit = 0 // set counts those with a known preference
	}
	for a, b := range data.PairsOfAnswers(answers, limit, at) {
		if a.Status == data.Valid && b.Status == data.Valid {
			listed = append(listed, s.Plan.ownPair(a, b, people, margin))
		}
	}
	return listed, nil
}

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

// askedAnswers returns the answers on record, in the systems' order, and in an estimate also those to come. With --limit, answers
// to other questions are left out.
func (s *Planner) askedAnswers() (list []data.Answer, _ error) {
	asked := s.Plan.asked()
	add := func(a data.Answer) error {
		if asked(a) {
			list = append(list, a)
		}
		return nil
	}
	// In the record's order, which makes the ids of pairs. Recorded pairs can be of answers that are no longer planned.
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

// providers returns all that the entries, rewriters and graders ask.
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

// SayRead prints what the files of pairs were read as: a line for each set with remarks, and one for the columns of each table.
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

// mostColumns is the number of columns of a file that are printed.
const mostColumns = 12

// PrintGiven prints the sets and the number of preferences that were given on them.
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
