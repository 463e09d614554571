package pairs

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/data/sources"
	"compqa/results/store"
)

// FormatFile is the form of this project's own files.
const FormatFile = sources.FormatFile

// The values of --gold that are no person.
const (
	GoldLabel    = "label"
	GoldMajority = "majority"
)

// readSet reads the set that --format and --in name. The format of files has none: its
// preferences are on the pairs of --pairs, or on the run's own.
func (f Flags) readSet() (*data.PreferenceSet, error) {
	if f.Format == "" || f.Format == FormatFile {
		return nil, nil
	}
	if names := sources.PairFormatNames(); !slices.Contains(names, f.Format) {
		return nil, config.UsageError{Err: fmt.Errorf("there is no format %q%s", f.Format, data.Suggest(f.Format, "formats", names))}
	}
	if f.Pairs != "" || f.Llmbar != "" {
		return nil, config.UsageError{Err: fmt.Errorf("--format %s contains its own pairs; leave --pairs out", f.Format)}
	}
	set, err := sources.ReadPairs(f.In, f.Format)
	if err != nil {
		return nil, config.UsageError{Err: err}
	}
	return &set, nil
}

// readGiven reads the preferences of the file --in and of the entries with a file. All are on
// pairs of the sets.
func (r *Session) readGiven() error {
	known := map[string]bool{}
	for _, set := range r.Sets {
		for _, p := range set.Pairs {
			known[p.ID] = true
		}
	}
	var files []string
	if r.flags.Format == FormatFile {
		files = append(files, r.flags.In)
	}
	for _, ref := range r.Refs {
		if ref.Provider == config.ProviderFile {
			files = append(files, r.Config.Path(ref.Path))
		}
	}
	for _, path := range files {
		given, err := data.ReadPreferences(path, func(id string) bool { return known[id] || r.flags.Limit > 0 })
		if err != nil {
			return config.UsageError{Err: err}
		}
		r.Given = append(r.Given, given...)
	}
	r.Given = slices.DeleteFunc(r.Given, func(p data.Preference) bool { return !known[p.ID] }) // beyond --limit
	live := map[string]bool{}
	for _, ref := range r.Refs {
		live[ref.Name] = ref.Provider != config.ProviderFile
	}
	seen := map[store.PreferenceKey]bool{}
	for i := range r.Given {
		p := &r.Given[i]
		p.Method = cmp.Or(p.Method, methodOf(p.Judge))
		key := store.PreferenceKey{ID: p.ID, Judge: p.Judge, Method: p.Method, Order: p.Order}
		switch {
		case live[p.Judge]:
			return config.UsageError{Err: fmt.Errorf("the file has preferences of %q, but an entry under pairwise has the same name", p.Judge)}
		case seen[key]:
			return config.UsageError{Err: fmt.Errorf("two files have a preference of %q on pair %q in order %s", p.Judge, p.ID, p.Order)}
		}
		seen[key] = true
	}
	return r.relabel()
}

// methodOf is the method of a judge whose file names none.
func methodOf(judge string) string {
	if data.IsHuman(judge) {
		return "annotation"
	}
	return FormatFile
}

// relabel makes the reference that --gold names the label of each pair.
func (r *Session) relabel() error {
	gold := r.flags.Gold
	if gold == "" || gold == GoldLabel {
		return nil
	}
	votes := map[string][]data.Choice{} // by pair
	for _, p := range r.Given {
		if p.Status == data.Valid && data.IsHuman(p.Judge) && (gold == GoldMajority || p.Judge == gold) {
			votes[p.ID] = append(votes[p.ID], data.Choice(p.Choice))
		}
	}
	if len(votes) == 0 {
		return config.UsageError{Err: fmt.Errorf("--gold %s: no human preference has that name; it must be %s, %s or a person, for instance human:1", gold, GoldLabel, GoldMajority)}
	}
	for i := range r.Sets {
		set, counts := &r.Sets[i], map[data.Choice]int{}
		for k := range set.Pairs {
			p := &set.Pairs[k]
			p.Label, _ = data.Majority(votes[p.ID])
			counts[p.Label]++
		}
		set.Margin = nil
		set.Source += fmt.Sprintf(" (gold: %s, %d a, %d b, %s, %d without)", gold, counts[data.ChoiceA], counts[data.ChoiceB], data.Plural(counts[data.ChoiceTie], "tie", "ties"), counts[data.NoChoice])
	}
	return nil
}

// recordGiven records given preferences. It returns their judges and plan.
func (r *Session) recordGiven(b store.Batch) (judges []store.PairwiseJudge, cells []store.PairwiseCell, err error) {
	setOf := map[string]string{}
	for _, set := range r.Sets {
		for _, p := range set.Pairs {
			setOf[p.ID] = set.Name
		}
	}
	type on struct{ judge, method, set string }
	planned, keys := map[on]map[string]int{}, map[store.PreferenceKey]bool{}
	var order []on
	for _, p := range r.Given {
		judge := store.PairwiseJudge{Participant: store.Participant{Name: p.Judge, Kind: config.KindImported, About: "given preferences"}, Method: p.Method}
		if data.IsHuman(p.Judge) {
			judge.Kind = config.KindHuman
		}
		if !slices.Contains(judges, judge) {
			judges = append(judges, judge)
		}
		at := on{p.Judge, p.Method, setOf[p.ID]}
		if planned[at] == nil {
			planned[at], order = map[string]int{}, append(order, at)
		}
		planned[at][p.Order]++
		keys[store.PreferenceKey{ID: p.ID, Judge: p.Judge, Method: p.Method, Order: p.Order}] = true
		about := store.PreferenceAbout{Fingerprint: config.HashOf("given", p), Reason: p.Reason, Detail: struct{}{}}
		if err := b.Preference(p, about, nil); err != nil {
			return nil, nil, err
		}
	}
	var gone []store.PreferenceKey // of these judges on these sets, and no longer given
	for _, j := range judges {
		for key := range r.givenBefore[j.Name+"\x00"+j.Method] {
			if setOf[key.ID] != "" && !keys[key] {
				gone = append(gone, key)
			}
		}
	}
	for _, at := range order {
		cells = append(cells, byOrder(store.PairwiseCell{Judge: at.judge, Method: at.method, Dataset: at.set}, planned[at])...)
	}
	return judges, cells, b.DropPreferences(gone)
}

// readBefore reads what is on record, and what of it the judges of given preferences gave.
func (r *Session) readBefore() error {
	has, err := r.Store.HasPairs()
	if err == nil && has {
		r.before, err = r.Store.LoadPairwise()
	}
	if err != nil {
		return err
	}
	r.givenBefore = map[string]map[store.PreferenceKey]store.State{}
	for _, p := range r.Given {
		name := p.Judge + "\x00" + p.Method
		if r.givenBefore[name] == nil {
			states, err := r.Store.PreferenceStates(p.Judge, p.Method)
			if err != nil {
				return err
			}
			if r.givenBefore[name] = states; states == nil {
				r.givenBefore[name] = map[store.PreferenceKey]store.State{}
			}
		}
	}
	return nil
}

// kept are the cells of the sets on record that stay beside a new plan: those of given
// preferences, and in an import those of all judges.
func (r *Session) kept(plan []store.PairwiseCell) (keep []store.PairwiseCell) {
	record := r.before
	if record == nil {
		return nil
	}
	given := map[[2]string]bool{}
	for _, j := range record.Judges {
		given[[2]string{j.Name, j.Method}] = j.Kind == config.KindImported || j.Kind == config.KindHuman
	}
	planned := map[store.PairwiseCell]bool{}
	for _, c := range plan {
		planned[store.PairwiseCell{Judge: c.Judge, Method: c.Method, Dataset: c.Dataset, Order: c.Order}] = true
	}
	for _, c := range record.Cells {
		here := slices.ContainsFunc(r.Sets, func(s store.PairSet) bool { return s.Name == c.Dataset })
		key := store.PairwiseCell{Judge: c.Judge, Method: c.Method, Dataset: c.Dataset, Order: c.Order}
		if here && !planned[key] && (given[[2]string{c.Judge, c.Method}] || r.flags.Format != "") {
			keep = append(keep, c)
		}
	}
	return keep
}

// Import records pairs and given preferences, lets the judges that need no model decide, and
// writes the reports.
func Import(ctx context.Context, f Flags, streams run.Streams) error {
	if f.In == "" {
		return config.UsageError{Err: fmt.Errorf("compqa pairwise import needs --in, the folder or file of the preferences")}
	}
	f.Format = cmp.Or(f.Format, FormatFile)
	c, err := f.configuration()
	if err != nil {
		return err
	}
	f.Judges = []string{} // none that asks a model
	return f.decide(ctx, c, streams, func(r *Session) error {
		count := map[string]int{}
		for _, p := range r.Given {
			count[p.Judge]++
		}
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(count)) {
			parts = append(parts, fmt.Sprintf("%s %d", name, count[name]))
		}
		fmt.Fprintf(streams.Out, "Imported %s on %s: %s\n", data.Plural(len(r.Given), "preference", "preferences"), data.Plural(pairCount(r.Sets), "pair", "pairs"), strings.Join(parts, ", "))
		for _, set := range r.Sets {
			fmt.Fprintf(streams.Out, "%s: %s\n", set.Name, set.Source)
		}
		fmt.Fprintln(streams.Out)
		return nil
	}, func(*Session, context.Context) error { return nil })
}

func pairCount(sets []store.PairSet) (n int) {
	for _, set := range sets {
		n += len(set.Pairs)
	}
	return n
}
