package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"compqa/data"
	"compqa/stats"
)

// A PairwiseRecord is the planned pairs and preferences of a record, in memory and in
// a fixed order. The texts of answers stay in the record.
type PairwiseRecord struct {
	Sets   []PairSet // without their pairs
	Judges []PairwiseJudge
	Cells  []PairwiseCell
	Pairs  []pairRow       // by set, position
	Prefs  []PreferenceRow // by judge, pair, order
	Grades []GradeRow      // by preference, grader

	pairAt map[string]int
	Base   []int // of each pair: the pair it was derived from, or -1
}

// A pairRow is a pair without its answers.
type pairRow struct {
	Id, question    string
	Set             int
	Label           data.Choice
	Cluster         int
	Domain          string
	SystemA         string
	SystemB         string
	scenario        string
	AnswerA         string
	answerB         string
	WordsA, WordsB  int
	base, clusterID string
}

// A PreferenceRow is a recorded preference with its costs.
type PreferenceRow struct {
	Judge, Pair int
	Order       string
	Status      data.Status
	Choice      data.Choice
	Rationale   string
	Reason      string
	Detail      preferenceDetail
	Calls       int
	keys        []string // keys of the calls
	Tokens      *float64 // nil if no server reported them
	Cost        *float64 // US dollars; nil if unknown
	Seconds     *float64 // nil if no call was made
}

// A preferenceDetail is the part of a preference's details that the reports show.
type preferenceDetail struct {
	Aspects     []string            `json:"aspects"`
	Votes       []string            `json:"votes"`
	Table       []map[string]string `json:"table"`
	Chosen      int                 `json:"chosen"`
	Overlap     *float64            `json:"overlap"`
	MeanOverlap *float64            `json:"mean_overlap"`
	Undecided   int                 `json:"undecided"`
	Fallback    bool                `json:"fallback"`
}

// A GradeRow is a grade and the index of its preference.
type GradeRow struct {
	RecordedGrade
	Pref int
}

// LoadPairwise reads the input of the preference tables.
func (s *Store) LoadPairwise() (*PairwiseRecord, error) {
	r := &PairwiseRecord{pairAt: map[string]int{}}
	has, err := s.HasPairs()
	if err == nil && !has {
		err = fmt.Errorf("it has no pairs; `compqa pairwise run` adds them")
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", s.Path, err)
	}
	for _, step := range []func(*Store) error{r.loadSets, r.loadJudges, r.loadPairs, r.loadPreferences, r.loadGrades} {
		if err := step(s); err != nil {
			return nil, WrapDBError("reading", s.Path, err)
		}
	}
	return r, nil
}

func (r *PairwiseRecord) loadSets(s *Store) error {
	return s.Each(`SELECT name, source, base, bias, adversarial, margin FROM pair_sets WHERE name IN (SELECT dataset FROM pairs WHERE active) ORDER BY base <> '', position, name`,
		nil, func(rows *sql.Rows) error {
			var set PairSet
			err := rows.Scan(&set.Name, &set.Source, &set.Base, &set.Bias, &set.Adversarial, &set.Margin)
			r.Sets = append(r.Sets, set)
			return err
		})
}

func (r *PairwiseRecord) loadJudges(s *Store) error {
	err := s.Each(`SELECT name, method, kind, family, about, hinted FROM pairwise_judges j WHERE EXISTS
			(SELECT 1 FROM pairwise_plan p WHERE p.judge = j.name AND p.method = j.method AND p.active) ORDER BY position, name, method`,
		nil, func(rows *sql.Rows) error {
			var j PairwiseJudge
			err := rows.Scan(&j.Name, &j.Method, &j.Kind, &j.Family, &j.About, &j.Hinted)
			r.Judges = append(r.Judges, j)
			return err
		})
	if err != nil {
		return err
	}
	slices.SortStableFunc(r.Judges, func(a, b PairwiseJudge) int { return KindRank[a.Kind] - KindRank[b.Kind] })
	return s.Each(`SELECT judge, method, dataset, "order", planned, note FROM pairwise_plan WHERE active ORDER BY judge, method, dataset, "order"`,
		nil, func(rows *sql.Rows) error {
			var c PairwiseCell
			err := rows.Scan(&c.Judge, &c.Method, &c.Dataset, &c.Order, &c.Planned, &c.Note)
			r.Cells = append(r.Cells, c)
			return err
		})
}

func (r *PairwiseRecord) loadPairs(s *Store) error {
	at := map[string]int{}
	for i, set := range r.Sets {
		at[set.Name] = i
	}
	err := s.Each(`SELECT id, dataset, question, label, cluster, domain, system_a, system_b, scenario, answer_a, answer_b, words_a, words_b, base FROM pairs WHERE active ORDER BY dataset, position, id`,
		nil, func(rows *sql.Rows) error {
			var p pairRow
			var set string
			err := rows.Scan(&p.Id, &set, &p.question, &p.Label, &p.clusterID, &p.Domain, &p.SystemA, &p.SystemB, &p.scenario, &p.AnswerA, &p.answerB, &p.WordsA, &p.WordsB, &p.base)
			p.Set = at[set]
			r.Pairs = append(r.Pairs, p)
			return err
		})
	if err != nil {
		return err
	}
	slices.SortStableFunc(r.Pairs, func(a, b pairRow) int { return a.Set - b.Set })
	clusters := make([]string, len(r.Pairs))
	for i, p := range r.Pairs {
		r.pairAt[p.Id] = i
		clusters[i] = p.clusterID
	}
	for i, c := range stats.ClusterLabels(clusters) {
		r.Pairs[i].Cluster = c
	}
	r.Base = make([]int, len(r.Pairs))
	for i, p := range r.Pairs {
		r.Base[i] = -1
		if at, ok := r.pairAt[p.base]; ok && p.base != "" {
			r.Base[i] = at
		}
	}
	return nil
}

func (r *PairwiseRecord) loadPreferences(s *Store) error {
	planned := map[[4]string]bool{}
	for _, c := range r.Cells {
		planned[[4]string{c.Judge, c.Method, c.Dataset, c.Order}] = true
	}
	query := `SELECT p.id, p."order", p.status, p.choice, p.rationale, d.reason, d.detail, p.calls
		FROM preferences p JOIN preference_details d ON d.id = p.id AND d.judge = p.judge AND d.method = p.method AND d."order" = p."order"
		WHERE p.judge = ? AND p.method = ?`
	for j, judge := range r.Judges {
		var of []PreferenceRow
		err := s.Each(query, []any{judge.Name, judge.Method}, func(rows *sql.Rows) error {
			p := PreferenceRow{Judge: j}
			var id string
			var detail, calls []byte
			if err := rows.Scan(&id, &p.Order, &p.Status, &p.Choice, &p.Rationale, &p.Reason, &detail, &calls); err != nil {
				return err
			}
			at, known := r.pairAt[id]
			if !known || !planned[[4]string{judge.Name, judge.Method, r.Sets[r.Pairs[at].Set].Name, p.Order}] {
				return nil
			}
			if err := json.Unmarshal(detail, &p.Detail); err != nil {
				return fmt.Errorf("the details of %s on %s: %w", judge.Name, id, err)
			}
			var keys []string
			if err := json.Unmarshal(calls, &keys); err != nil {
				return fmt.Errorf("the calls of %s on %s: %w", judge.Name, id, err)
			}
			p.Calls = len(keys)
			p.keys = keys
			p.Pair = at
			of = append(of, p)
			return nil
		})
		if err != nil {
			return err
		}
		slices.SortFunc(of, comparePreferences)
		r.Prefs = append(r.Prefs, of...)
	}
	return r.loadSpent(s)
}

func comparePreferences(a, b PreferenceRow) int {
	if a.Pair != b.Pair {
		return a.Pair - b.Pair
	}
	if a.Order < b.Order {
		return -1
	}
	return 1
}

func (r *PairwiseRecord) loadGrades(s *Store) error {
	all, err := s.Grades()
	if err != nil {
		return err
	}
	at := map[PreferenceKey]int{}
	for i, p := range r.Prefs {
		at[r.key(p)] = i
	}
	for _, g := range all {
		if i, ok := at[g.PreferenceKey]; ok {
			r.Grades = append(r.Grades, GradeRow{g, i})
		}
	}
	return nil
}

func (r *PairwiseRecord) key(p PreferenceRow) PreferenceKey {
	return PreferenceKey{r.Pairs[p.Pair].Id, r.Judges[p.Judge].Name, r.Judges[p.Judge].Method, p.Order}
}

// A spending is the total costs of several attempts.
type spending struct {
	tokens, cost, seconds float64
	made, told, priced    bool // an attempt was; it had its tokens told; it had a price
}

func (s *spending) add(more spending) {
	s.tokens, s.cost, s.seconds = s.tokens+more.tokens, s.cost+more.cost, s.seconds+more.seconds
	s.made, s.told, s.priced = s.made || more.made, s.told || more.told, s.priced || more.priced
}

// known are the figures that are known.
func (s spending) known() (tokens, cost, seconds *float64) {
	if s.told && s.tokens > 0 {
		tokens = &s.tokens
	}
	if s.priced {
		cost = &s.cost
	}
	if s.made {
		seconds = &s.seconds
	}
	return tokens, cost, seconds
}

// loadSpent reads the costs of each preference: all attempts of its calls, each call
// once.
func (r *PairwiseRecord) loadSpent(s *Store) error {
	spent := map[string]spending{}
	for _, p := range r.Prefs {
		for _, key := range p.keys {
			spent[key] = spending{}
		}
	}
	if len(spent) == 0 {
		return nil
	}
	err := s.Each(`SELECT call, coalesce(prompt_tokens, 0) + coalesce(completion_tokens, 0), prompt_tokens IS NOT NULL, coalesce(cost, 0), cost IS NOT NULL, latency_ms / 1000 FROM attempts`, nil, func(rows *sql.Rows) error {
		var call string
		more := spending{made: true}
		if err := rows.Scan(&call, &more.tokens, &more.told, &more.cost, &more.priced, &more.seconds); err != nil {
			return err
		}
		if sum, ours := spent[call]; ours {
			sum.add(more)
			spent[call] = sum
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range r.Prefs {
		p, sum := &r.Prefs[i], spending{}
		slices.Sort(p.keys)
		for _, key := range slices.Compact(p.keys) {
			sum.add(spent[key])
		}
		p.keys = nil
		p.Tokens, p.Cost, p.Seconds = sum.known()
	}
	return nil
}
