package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/store"
	"compqa/stats"
)

// A PairwiseRecord has the planned pairs and preferences of a record, in memory and in a fixed order. The texts of answers stay in the
// record.
type PairwiseRecord struct {
	Sets   []store.PairSet // without their pairs
	Judges []store.Participant
	Cells  []store.PlanCell
	Pairs  []PairRow       // sorted by set and position
	Base   []int           // by pair: the pair it was derived from, or -1
	Prefs  []PreferenceRow // sorted by judge, pair and order
	Grades []GradeRow      // sorted by preference and grader
	Lost   []LostPair      // among the run's own answers
}

// A LostPair is a pair that no judge can be asked about, because one of its answers is not valid.
type LostPair struct {
	System string // the system of the invalid answer, or of the first one
	Status data.Status
}

// A PairRow is a pair without its texts.
type PairRow struct {
	Id               string
	Set              int `db:"-"`
	Label            data.Choice
	Cluster          int `db:"-"`
	Domain, Item     string
	SystemA, SystemB string
	AnswerA          string
	WordsA, WordsB   int
	StyleA, StyleB   data.Style `db:"-"`
	Unchanged        bool       // the bias of its set changed nothing
}

// A PreferenceRow is a preference, recorded or computed for a baseline. It is small, because there may be millions.
type PreferenceRow struct {
	Judge, Pair int // indices
	*PreferenceEnding
}

// A PreferenceEnding is what came of a preference: a choice, or the reason why it is missing, the rationale, the calls with their costs,
// and details. The facts of judges without a model are left out, because no table shows them. Preferences with nothing but a choice share
// their endings to save memory; a shared ending must not be changed.
type PreferenceEnding struct {
	Order             string
	Status            data.Status
	Choice            data.Choice
	Reason, Rationale string
	Calls             store.CallIDs
	Detail            data.Detail
	store.Spending
	ByCall []store.Spending // costs of each of Calls, for judges that vote
}

// PreferenceEndings are the shared endings of preferences with nothing but a choice: by order, status and choice.
type PreferenceEndings map[[3]string]*PreferenceEnding

// Of returns the shared ending with this order, status and choice.
func (e PreferenceEndings) Of(order string, status data.Status, choice data.Choice) *PreferenceEnding {
	key := [3]string{order, string(status), string(choice)}
	if e[key] == nil {
		e[key] = &PreferenceEnding{Order: order, Status: status, Choice: choice}
	}
	return e[key]
}

// A GradeRow is a recorded grade and the index of the preference that it grades.
type GradeRow struct {
	store.RecordedGrade
	Pref int
}

// A pairsReader reads the pairs of a record.
type pairsReader struct {
	*store.Store
	*PairwiseRecord
	pairAt map[string]int // by ID: index in Pairs
	bases  []string       // by pair: the ID of the pair it was derived from, or ""
	shared PreferenceEndings
	words
}

// LoadPairs reads the pairs and preferences of a record. If only is not empty, it reads only the set with this name, and the sets derived
// from it.
func LoadPairs(s *store.Store, only string) (*PairwiseRecord, error) {
	r := pairsReader{Store: s, PairwiseRecord: &PairwiseRecord{}, pairAt: map[string]int{}, shared: PreferenceEndings{}, words: words{}}
	if err := r.rows(only); err != nil {
		return nil, store.WrapDBError("reading", s.Path, err)
	}
	return r.PairwiseRecord, nil
}

// rows reads everything, in a fixed order: preferences need the indices of pairs and judges, and grades those of preferences.
func (r *pairsReader) rows(only string) error {
	has, err := r.HasPairs()
	if err != nil {
		return err
	}
	if !has {
		return errors.New("it has no pairs; `compqa run --only pairs` adds them")
	}
	r.Sets, err = r.PairSets()
	if err != nil {
		return err
	}
	if only != "" {
		r.Sets = slices.DeleteFunc(r.Sets, func(set store.PairSet) bool { return set.Name != only && set.Base != only })
	}
	for _, step := range []func() error{r.plan, r.pairs, r.preferences, r.grades} {
		if err := step(); err != nil {
			return err
		}
	}
	if set, ok := data.First(r.Sets, func(set store.PairSet) bool { return set.Name == store.RunSet }); ok {
		return r.lost(set.First)
	}
	return nil
}

// plan reads the judges and the planned cells.
func (r *pairsReader) plan() (err error) {
	r.Judges, err = r.PlannedParties(store.RolePairwise)
	if err != nil {
		return err
	}
	slices.SortStableFunc(r.Judges, func(a, b store.Participant) int { return store.KindRank[a.Kind] - store.KindRank[b.Kind] })
	r.PairwiseRecord.Cells, err = r.Plan(store.OfPairs)
	if err != nil {
		return err
	}
	for _, c := range r.PairwiseRecord.Cells {
		if !slices.Contains(data.Orders, c.Order) {
			return fmt.Errorf("preferences of %s on the set %s are planned in the order %q; it must be one of %s", c.Judge, c.Dataset, c.Order,
				strings.Join(data.Orders, ", "))
		}
	}
	return checkPlanned(r.PairwiseRecord.Cells)
}

// lost finds the pairs that cannot be asked about, because one of their answers is not valid. A pair has the planned answers of two systems
// to the same question, in the same scenario and repeat. first is the number of questions whose pairs are made, or 0 for all.
func (r *pairsReader) lost(first int) error {
	answers, err := r.ComparedAnswers(first)
	if err != nil {
		return err
	}
	at := func(a store.ComparedAnswer) (data.AnswerPlace, string) {
		return data.AnswerPlace{Scenario: a.Scenario, Question: a.Position, Pair: data.PairKey(a.Object1, a.Object2), Aspect: a.Aspect,
			Repeat: a.Repeat}, a.System
	}
	for a, b := range data.PairsOfAnswers(answers, first, at) {
		if lost, is := data.First([]store.ComparedAnswer{a, b}, func(a store.ComparedAnswer) bool { return a.Status != data.Valid }); is {
			r.Lost = append(r.Lost, LostPair{lost.System, lost.Status})
		}
	}
	return nil
}

// pairs reads the pairs of the sets.
func (r *pairsReader) pairs() error {
	var clusters []string
	type row struct {
		PairRow
		Dataset, Base string
		Named         string `db:"cluster"`
		TextA, TextB  string
	}
	err := store.EachTablePair(r.Store, func(p row) error {
		p.Set = slices.IndexFunc(r.Sets, func(set store.PairSet) bool { return set.Name == p.Dataset })
		if p.Set >= 0 {
			p.Label = data.Choice(r.intern(string(p.Label)))
			p.Domain, p.SystemA, p.SystemB = r.intern(p.Domain), r.intern(p.SystemA), r.intern(p.SystemB)
			p.StyleA, p.StyleB = data.StyleOf(p.TextA), data.StyleOf(p.TextB)
			r.pairAt[p.Id] = len(r.Pairs)
			r.Pairs = append(r.Pairs, p.PairRow)
			clusters = append(clusters, p.Named)
			r.bases = append(r.bases, p.Base)
		}
		return nil
	})
	for i, c := range stats.ClusterLabels(clusters) {
		r.Pairs[i].Cluster = c
		base, known := r.pairAt[r.bases[i]]
		if !known {
			base = -1
		}
		r.Base = append(r.Base, base)
	}
	return err
}

// A choiceOf is a judge's choice on a pair in one order.
type choiceOf struct {
	ID, Judge, Method, Order string
	Choice                   data.Choice
}

// preferences reads the recorded preferences, and computes those of baselines.
func (r *pairsReader) preferences() error {
	most, err := r.OnRecord(store.KindPreference)
	if err != nil {
		return err
	}
	for _, c := range r.PairwiseRecord.Cells {
		if j := slices.IndexFunc(r.Judges, isJudge(c.Judge, c.Method)); j >= 0 && r.Judges[j].Kind == KindFloor {
			most += min(c.Planned, len(r.Pairs)) // the record may plan any number
		}
	}
	r.Prefs = make([]PreferenceRow, 0, most) // a growing slice would take twice the memory
	type recorded struct {
		choiceOf
		store.Head
		Rationale string
		Detail    data.Detail `db:",json"`
	}
	err = store.EachRecordedPreference(r.Store, func(p recorded) error {
		p.Detail.Facts = ""
		ending := r.shared.Of(p.Order, p.Status, p.Choice)
		if p.Reason != "" || p.Rationale != "" || len(p.Calls) > 0 || !reflect.ValueOf(p.Detail).IsZero() {
			ending = &PreferenceEnding{Order: ending.Order, Status: ending.Status, Choice: ending.Choice, Reason: p.Reason,
				Rationale: p.Rationale, Calls: p.Calls, Detail: p.Detail}
		}
		pair, known := r.pairAt[p.ID]
		judge := slices.IndexFunc(r.Judges, isJudge(p.Judge, p.Method))
		if known && judge >= 0 {
			r.Prefs = append(r.Prefs, PreferenceRow{judge, pair, ending})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.floors(); err != nil {
		return err
	}
	slices.SortFunc(r.Prefs, PreferenceRow.compare)
	return r.spent()
}

// compare orders preferences by judge, pair and order.
func (p PreferenceRow) compare(q PreferenceRow) int {
	return cmp.Or(p.Judge-q.Judge, p.Pair-q.Pair, strings.Compare(p.Order, q.Order))
}

// isJudge returns a function that reports whether a participant has this name and method.
func isJudge(name, method string) func(store.Participant) bool {
	return func(j store.Participant) bool { return j.Name == name && j.Method == method }
}

// floors computes the preferences of baselines, which are all valid.
func (r *pairsReader) floors() error {
	cells, err := r.FloorCells()
	for _, c := range cells {
		judge := slices.IndexFunc(r.Judges, isJudge(c.Judge, c.Method))
		for i := range r.Pairs {
			p := &r.Pairs[i]
			if r.Sets[p.Set].Name == c.Dataset && judge >= 0 && c.Judges(cmp.Or(r.bases[i], p.Id)) {
				r.Prefs = append(r.Prefs, PreferenceRow{judge, i, r.shared.Of(c.Order, data.Valid, c.Choice(p.Id, p.WordsA, p.WordsB))})
			}
		}
	}
	return err
}

// grades reads the grades of the preferences, sorted by judge, method, pair, order and grader.
func (r *pairsReader) grades() error {
	err := store.EachOf(r.Store, store.KindGrade, func(g store.RecordedGrade) error {
		pair, known := r.pairAt[g.ID]
		judge := slices.IndexFunc(r.Judges, isJudge(g.Judge, g.Method))
		graded := PreferenceRow{judge, pair, &PreferenceEnding{Order: g.Order}}
		i, recorded := slices.BinarySearchFunc(r.Prefs, graded, PreferenceRow.compare)
		if known && recorded {
			r.Grades = append(r.Grades, GradeRow{g, i})
		}
		return nil
	})
	slices.SortFunc(r.Grades, func(a, b GradeRow) int {
		return cmp.Or(cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.Method, b.Method), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Order, b.Order),
			cmp.Compare(a.Grader, b.Grader))
	})
	return err
}

// spent sets the costs of each preference: all attempts of its calls, where a repeated call counts once.
func (r *pairsReader) spent() error {
	if len(r.Prefs) == 0 {
		return nil
	}
	spent, err := r.SpentOnPreferences()
	for i := range r.Prefs {
		p := &r.Prefs[i]
		if len(p.Calls) == 0 {
			continue
		}
		for _, call := range slices.Compact(slices.Sorted(slices.Values(p.Calls))) {
			p.Add(spent[call])
		}
		p.Input.Known = p.Input.Total > 0
		p.Output.Known = p.Output.Total > 0
		if p.Detail.Votes != nil {
			for _, call := range p.Calls {
				one := spent[call]
				one.Input.Known = one.Input.Total > 0
				one.Output.Known = one.Output.Total > 0
				p.ByCall = append(p.ByCall, one)
			}
		}
	}
	return err
}
