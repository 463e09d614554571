package store

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unique"

	"compqa/data"
	"compqa/stats"
)

// A PairwiseRecord is the planned pairs and preferences of a record, in memory and in
// a fixed order. The texts of answers stay in the record.
type PairwiseRecord struct {
	Sets   []PairSet // without their pairs
	Judges []Participant
	Cells  []PlanCell
	Pairs  []PairRow       // by set, position
	Prefs  []PreferenceRow // by judge, pair, order
	Grades []GradeRow      // by preference, grader
	Lost   []LostPair      // of the run's own answers

	pairAt map[string]int
	Base   []int // of each pair: the pair it was derived from, or -1
}

// A LostPair is a pair of answers of which one is not valid, so that nobody can be asked about it.
type LostPair struct {
	System string // whose answer is not valid, the first of them
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
	Unchanged        bool       // by the bias of its set
}

// A PreferenceRow is a preference, recorded or of a baseline.
type PreferenceRow struct {
	Judge, Pair int
	Order       string
	Status      data.Status
	Choice      data.Choice
	*PreferenceExtra
}

// A PreferenceExtra is what most preferences lack, as it takes most of the memory of a row: why there is no choice, what the judge
// says, its calls with their costs, and how the preference came about, without the facts of a judge without a model, which no table shows.
type PreferenceExtra struct {
	Reason, Rationale string
	Calls             CallIDs
	Detail            data.Detail
	Spending
	ByCall []Spending // of each of Calls, where there are votes
}

// NoExtra is that of a preference that has nothing but its choice. It is never changed.
var NoExtra = &PreferenceExtra{}

// A GradeRow is a grade and the index of its preference.
type GradeRow struct {
	RecordedGrade
	Pref int
}

// LoadPairwise reads the input of the preference tables: of all sets, or of one and those made of it.
func (s *Store) LoadPairwise(only string) (*PairwiseRecord, error) {
	r := &PairwiseRecord{pairAt: map[string]int{}}
	if err := r.load(s, only); err != nil {
		return nil, WrapDBError("reading", s.Path, err)
	}
	return r, nil
}

// load reads the tables of a pairwise record, in order: preferences need the places of pairs and judges.
func (r *PairwiseRecord) load(s *Store, only string) error {
	has, err := s.HasPairs()
	if err != nil {
		return err
	}
	if !has {
		return errors.New("it has no pairs; `compqa run --only pairs` adds them")
	}
	if r.Sets, err = s.PairSets(); err != nil {
		return err
	}
	if only != "" {
		r.Sets = slices.DeleteFunc(r.Sets, func(set PairSet) bool { return set.Name != only && set.Base != only })
	}
	r.Judges, err = s.PlannedParties(RolePairwise)
	if err != nil {
		return err
	}
	slices.SortStableFunc(r.Judges, func(a, b Participant) int { return KindRank[a.Kind] - KindRank[b.Kind] })
	r.Cells, err = s.Plan(OfPairs)
	if err != nil {
		return err
	}
	for _, c := range r.Cells {
		if !slices.Contains(data.Orders, c.Order) {
			return fmt.Errorf("preferences of %s on the set %s are planned in the order %q; it must be one of %s", c.Judge, c.Dataset, c.Order,
				strings.Join(data.Orders, ", "))
		}
	}
	for _, load := range []func(*Store) error{r.loadPairs, r.loadPreferences, r.loadGrades} {
		if err := load(s); err != nil {
			return err
		}
	}
	if set, ok := data.First(r.Sets, func(set PairSet) bool { return set.Name == RunSet }); ok {
		return r.loadLost(s, set.First)
	}
	return nil
}

// loadLost finds the pairs of two systems' planned answers to the same question, under the same scenario and of the same
// repeat, of which one is not valid: of all pairs in the order in which they are made, or of the first ones of the first
// questions (0: all).
func (r *PairwiseRecord) loadLost(s *Store, first int) error {
	type answer struct {
		System, Scenario         string
		Object1, Object2, Aspect string
		Repeat, Position         int
		Status                   data.Status
	}
	answers, err := Select[answer](s, `SELECT r.system, r.scenario, r.object1, r.object2, r.aspect, r.repeat,
			coalesce(q.position, 0) AS position, r.status FROM `+Planned(KindAnswer)+` LEFT JOIN questions q ON q.id = r.question
		JOIN parties s ON s.role = 'system' AND s.name = r.system
		WHERE ?1 = 0 OR q.position < ?1 ORDER BY s.position, r.system, r.id`, first)
	at := func(a answer) (data.AnswerPlace, string) {
		return data.AnswerPlace{Scenario: a.Scenario, Question: a.Position, Pair: data.PairKey(a.Object1, a.Object2), Aspect: a.Aspect,
			Repeat: a.Repeat}, a.System
	}
	for a, b := range data.PairsOfAnswers(answers, first, at) {
		if lost, is := data.First([]answer{a, b}, func(a answer) bool { return a.Status != data.Valid }); is {
			r.Lost = append(r.Lost, LostPair{lost.System, lost.Status})
		}
	}
	return err
}

// PairSets returns the sets with pairs, without these.
func (s *Store) PairSets() ([]PairSet, error) {
	return Select[PairSet](s, `SELECT `+Columns[PairSet]()+` FROM sets WHERE name IN (SELECT dataset FROM pairs WHERE active)
		ORDER BY base <> '', position, name`)
}

// pairsWithTexts is a query for the columns of SetPair and the name of its set, with the texts of the answers.
const pairsWithTexts = `SELECT p.id, p.question, iif(p.a <> '', p.a, coalesce(x.text, '')), iif(p.b <> '', p.b, coalesce(y.text, '')),
	p.label, p.cluster, p.domain, p.item, p.object1, p.object2, p.aspect, p.system_a, p.system_b, p.scenario, p.answer_a, p.answer_b,
	p.words_a, p.words_b, p.base, p.dataset
	FROM pairs p LEFT JOIN answers x ON x.id = p.answer_a LEFT JOIN answers y ON y.id = p.answer_b WHERE `

// A pairInSet is a row of pairsWithTexts.
type pairInSet struct {
	SetPair
	Dataset string
}

// SetsWithPairs returns the sets with their pairs, with the texts of the answers.
func (s *Store) SetsWithPairs() ([]PairSet, error) {
	sets, err := s.PairSets()
	if err != nil {
		return nil, err
	}
	for i := range sets {
		pairs, err := Select[pairInSet](s, pairsWithTexts+`p.active AND p.dataset = ? ORDER BY p.position, p.id`, sets[i].Name)
		if err != nil {
			return nil, err
		}
		sets[i].Pairs = data.Each(pairs, func(p pairInSet) SetPair { return p.SetPair })
	}
	return sets, nil
}

// LabelledPairs returns the pairs of a record whose label is a or b, with their texts, except those with a bias.
func (s *Store) LabelledPairs() ([]data.Pair, error) {
	pairs, err := Select[pairInSet](s, pairsWithTexts+`p.active AND p.base = '' AND p.label IN ('a', 'b')
		ORDER BY p.dataset, p.position, p.id`)
	return data.Each(pairs, func(p pairInSet) data.Pair { return p.Pair }), err
}

func (r *PairwiseRecord) loadPairs(s *Store) error {
	var clusters, bases []string
	type row struct {
		PairRow
		Dataset, Base string
		Named         string `db:"cluster"`
		TextA, TextB  string
	}
	err := Each(s, `SELECT `+Columns[row]()+` FROM (SELECT p.*, coalesce(nullif(p.a, ''), (SELECT text FROM answers WHERE id = p.answer_a), '')
		AS text_a, coalesce(nullif(p.b, ''), (SELECT text FROM answers WHERE id = p.answer_b), '') AS text_b, s.position AS place,
			s.base <> '' AS made,
		b.id IS NOT NULL AND p.a = coalesce(nullif(b.a, ''), (SELECT text FROM answers WHERE id = b.answer_a), '') AND
		p.b = coalesce(nullif(b.b, ''), (SELECT text FROM answers WHERE id = b.answer_b), '') AS unchanged
		FROM pairs p JOIN sets s ON s.name = p.dataset LEFT JOIN pairs b ON b.id = p.base WHERE p.active)
		ORDER BY made, place, dataset, position, id`, nil, func(p row) error {
		p.Set = slices.IndexFunc(r.Sets, func(set PairSet) bool { return set.Name == p.Dataset })
		if p.Set >= 0 {
			p.StyleA, p.StyleB = data.StyleOf(p.TextA), data.StyleOf(p.TextB)
			r.pairAt[p.Id] = len(r.Pairs)
			r.Pairs, clusters, bases = append(r.Pairs, p.PairRow), append(clusters, p.Named), append(bases, p.Base)
		}
		return nil
	})
	for i, c := range stats.ClusterLabels(clusters) {
		r.Pairs[i].Cluster = c
		base, known := r.pairAt[bases[i]]
		if !known {
			base = -1
		}
		r.Base = append(r.Base, base)
	}
	return err
}

func (r *PairwiseRecord) loadPreferences(s *Store) error {
	planned, err := Value[int](s, `SELECT coalesce(sum(planned), 0) FROM plan WHERE kind = 'preference' AND active`)
	if err != nil {
		return err
	}
	r.Prefs = make([]PreferenceRow, 0, planned) // a slice that grows takes twice as much
	err = Each(s, `SELECT `+Columns[recordedChoice]()+` FROM (`+recordedPreferences+`)`, nil, func(p recordedChoice) error {
		p.Detail.Facts = ""
		extra := NoExtra
		if p.Reason != "" || p.Rationale != "" || len(p.Calls) > 0 || !reflect.ValueOf(p.Detail).IsZero() {
			extra = &PreferenceExtra{Reason: p.Reason, Rationale: p.Rationale, Calls: p.Calls, Detail: p.Detail}
		}
		r.addPreference(p.choiceOf, p.Status, extra)
		return nil
	})
	if err != nil {
		return err
	}
	err = Each(s, `SELECT `+Columns[choiceOf]()+` FROM (`+floorPreferences+`)`, nil, func(p choiceOf) error {
		r.addPreference(p, data.Valid, NoExtra)
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(r.Prefs, func(a, b PreferenceRow) int {
		return cmp.Or(a.Judge-b.Judge, a.Pair-b.Pair, strings.Compare(a.Order, b.Order))
	})
	return r.loadSpent(s)
}

// A choiceOf is what a judge chose for a pair in an order.
type choiceOf struct {
	ID, Judge, Method, Order string
	Choice                   data.Choice
}

// A recordedChoice is one with what the record has beside it.
type recordedChoice struct {
	choiceOf
	Head
	Rationale string
	Detail    data.Detail `db:",json"`
}

// addPreference adds a preference on one of the pairs. The rows share the few words that there are.
func (r *PairwiseRecord) addPreference(p choiceOf, status data.Status, extra *PreferenceExtra) {
	pair, known := r.pairAt[p.ID]
	judge := slices.IndexFunc(r.Judges, func(j Participant) bool { return j.Name == p.Judge && j.Method == p.Method })
	if known && judge >= 0 {
		r.Prefs = append(r.Prefs, PreferenceRow{Judge: judge, Pair: pair, Order: unique.Make(p.Order).Value(),
			Status: unique.Make(status).Value(), Choice: unique.Make(p.Choice).Value(), PreferenceExtra: extra})
	}
}

// loadGrades reads the grades of the preferences, sorted by judge, method, pair, order and grader.
func (r *PairwiseRecord) loadGrades(s *Store) error {
	index := map[At]int{}
	for i, p := range r.Prefs {
		judge := r.Judges[p.Judge]
		index[PreferenceAt(r.Pairs[p.Pair].Id, judge.Name, judge.Method, p.Order)] = i
	}
	err := EachOf(s, KindGrade, func(g RecordedGrade) error {
		i, ok := index[g.Graded()]
		if ok {
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

// A Sum is known if one of its terms is.
type Sum struct {
	Total float64
	Known bool
}

// Add adds a term. A sum is known if any term of it is.
func (s *Sum) Add(term Sum) { s.Total, s.Known = s.Total+term.Total, s.Known || term.Known }

// A Spending is what attempts took. Tokens are known if a server reported them, the cost in US dollars if a price is known.
type Spending struct{ Input, Output, Cost, Seconds Sum }

// Tokens returns those of input and output together.
func (s Spending) Tokens() Sum {
	sum := s.Input
	sum.Add(s.Output)
	return sum
}

// Add adds what other attempts took.
func (s *Spending) Add(more Spending) {
	s.Input.Add(more.Input)
	s.Output.Add(more.Output)
	s.Cost.Add(more.Cost)
	s.Seconds.Add(more.Seconds)
}

// loadSpent reads the costs of each preference: all attempts of its calls, each call once.
func (r *PairwiseRecord) loadSpent(s *Store) error {
	if len(r.Prefs) == 0 {
		return nil
	}
	spent, err := Lookup[int64, Spending](s, `SELECT call, total(prompt_tokens), count(prompt_tokens) > 0,
		total(completion_tokens), count(completion_tokens) > 0, total(cost), count(cost) > 0, total(latency_ms) / 1000, true FROM attempts
		WHERE call IN (SELECT value FROM preferences p, json_each(p.calls)) GROUP BY call`)
	for i := range r.Prefs {
		p := &r.Prefs[i]
		if len(p.Calls) == 0 {
			continue
		}
		for _, call := range slices.Compact(slices.Sorted(slices.Values(p.Calls))) {
			p.Add(spent[call])
		}
		p.Input.Known, p.Output.Known = p.Input.Total > 0, p.Output.Total > 0
		if p.Detail.Votes != nil {
			for _, call := range p.Calls {
				one := spent[call]
				one.Input.Known, one.Output.Known = one.Input.Total > 0, one.Output.Total > 0
				p.ByCall = append(p.ByCall, one)
			}
		}
	}
	return err
}

// recordedPreferences are the preferences on record that the plan has, without those of baselines.
var recordedPreferences = `SELECT r.* FROM ` + Planned(KindPreference) + ` WHERE NOT ` + isFloor("r")

// plannedPreferences are these with those of baselines.
var plannedPreferences = `(` + recordedPreferences + ` UNION ALL ` + floorPreferences + `)`

// A PairPreference is a recorded preference with its pair, with the texts of both answers.
type PairPreference struct {
	data.Preference
	Detail string    // how it came about, JSON
	Pair   data.Pair `db:"-"`
}

// EachPreference calls each for every preference in the tables, sorted by judge, method, pair and order.
func (s *Store) EachPreference(each func(PairPreference) error) error {
	sets, err := s.SetsWithPairs()
	if err != nil {
		return err
	}
	pairs := map[string]data.Pair{}
	for _, set := range sets {
		for _, p := range set.Pairs {
			pairs[p.ID] = p.Pair
		}
	}
	return Each(s, `SELECT `+Columns[PairPreference]()+` FROM `+plannedPreferences+`
		ORDER BY judge, method, id, "order"`, nil, func(p PairPreference) error {
		p.Pair = pairs[p.ID]
		return each(p)
	})
}
