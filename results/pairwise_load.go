package results

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"compqa/data"
	"compqa/stats"
)

// A pairwiseRecord is what a record holds of pairs and preferences and its plan
// asks for, in memory and in a fixed order. Answers' texts stay in the record.
type pairwiseRecord struct {
	sets   []PairSet // without their pairs
	judges []PairwiseJudge
	cells  []PairwiseCell
	pairs  []pairRow       // by set, position
	prefs  []preferenceRow // by judge, pair, order
	grades []gradeRow      // by preference, grader

	pairAt map[string]int
	base   []int // of each pair: the one it is made of, or -1
}

// A pairRow is a pair without its answers.
type pairRow struct {
	id, question    string
	set             int
	label           data.Choice
	cluster         int
	domain          string
	systemA         string
	systemB         string
	scenario        string
	answerA         string
	answerB         string
	wordsA, wordsB  int
	base, clusterID string
}

// A preferenceRow is a preference on record, with what it took.
type preferenceRow struct {
	judge, pair int
	order       string
	status      data.Status
	choice      data.Choice
	rationale   string
	reason      string
	detail      preferenceDetail
	calls       int
	keys        []string // beginnings of the calls' keys, until it is known what they took
	tokens      *float64 // nil: no server counted any
	cost        *float64 // US dollars; nil: no price was known
	seconds     *float64 // nil: nothing was asked
}

// A preferenceDetail is the part of a preference's details that tables show.
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

// A gradeRow is a grade and the place of its preference.
type gradeRow struct {
	RecordedGrade
	pref int
}

// loadPairwise reads what tables of preferences are computed from.
func (s *Store) loadPairwise() (*pairwiseRecord, error) {
	r := &pairwiseRecord{pairAt: map[string]int{}}
	has, err := s.hasPairs()
	if err == nil && !has {
		err = fmt.Errorf("no pair was ever taken into it; `compqa pairwise run` does that")
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", s.path, err)
	}
	for _, step := range []func(*Store) error{r.loadSets, r.loadJudges, r.loadPairs, r.loadPreferences, r.loadGrades} {
		if err := step(s); err != nil {
			return nil, fault("reading", s.path, err)
		}
	}
	return r, nil
}

func (r *pairwiseRecord) loadSets(s *Store) error {
	return s.each(`SELECT name, source, base, bias, adversarial, margin FROM pair_sets WHERE name IN (SELECT dataset FROM pairs WHERE active) ORDER BY base <> '', position, name`,
		nil, func(rows *sql.Rows) error {
			var set PairSet
			err := rows.Scan(&set.Name, &set.Source, &set.Base, &set.Bias, &set.Adversarial, &set.Margin)
			r.sets = append(r.sets, set)
			return err
		})
}

func (r *pairwiseRecord) loadJudges(s *Store) error {
	err := s.each(`SELECT name, method, kind, family, about, hinted FROM pairwise_judges j WHERE EXISTS
			(SELECT 1 FROM pairwise_plan p WHERE p.judge = j.name AND p.method = j.method AND p.active) ORDER BY position, name, method`,
		nil, func(rows *sql.Rows) error {
			var j PairwiseJudge
			err := rows.Scan(&j.Name, &j.Method, &j.Kind, &j.Family, &j.About, &j.Hinted)
			r.judges = append(r.judges, j)
			return err
		})
	if err != nil {
		return err
	}
	slices.SortStableFunc(r.judges, func(a, b PairwiseJudge) int { return kindRank[a.Kind] - kindRank[b.Kind] })
	return s.each(`SELECT judge, method, dataset, "order", planned, note FROM pairwise_plan WHERE active ORDER BY judge, method, dataset, "order"`,
		nil, func(rows *sql.Rows) error {
			var c PairwiseCell
			err := rows.Scan(&c.Judge, &c.Method, &c.Dataset, &c.Order, &c.Planned, &c.Note)
			r.cells = append(r.cells, c)
			return err
		})
}

func (r *pairwiseRecord) loadPairs(s *Store) error {
	at := map[string]int{}
	for i, set := range r.sets {
		at[set.Name] = i
	}
	err := s.each(`SELECT id, dataset, question, label, cluster, domain, system_a, system_b, scenario, answer_a, answer_b, words_a, words_b, base FROM pairs WHERE active ORDER BY dataset, position, id`,
		nil, func(rows *sql.Rows) error {
			var p pairRow
			var set string
			err := rows.Scan(&p.id, &set, &p.question, &p.label, &p.clusterID, &p.domain, &p.systemA, &p.systemB, &p.scenario, &p.answerA, &p.answerB, &p.wordsA, &p.wordsB, &p.base)
			p.set = at[set]
			r.pairs = append(r.pairs, p)
			return err
		})
	if err != nil {
		return err
	}
	slices.SortStableFunc(r.pairs, func(a, b pairRow) int { return a.set - b.set })
	clusters := make([]string, len(r.pairs))
	for i, p := range r.pairs {
		r.pairAt[p.id] = i
		clusters[i] = p.clusterID
	}
	for i, c := range stats.ClusterLabels(clusters) {
		r.pairs[i].cluster = c
	}
	r.base = make([]int, len(r.pairs))
	for i, p := range r.pairs {
		r.base[i] = -1
		if at, ok := r.pairAt[p.base]; ok && p.base != "" {
			r.base[i] = at
		}
	}
	return nil
}

func (r *pairwiseRecord) loadPreferences(s *Store) error {
	planned := map[[4]string]bool{}
	for _, c := range r.cells {
		planned[[4]string{c.Judge, c.Method, c.Dataset, c.Order}] = true
	}
	query := `SELECT p.id, p."order", p.status, p.choice, p.rationale, d.reason, d.detail, p.calls
		FROM preferences p JOIN preference_details d ON d.id = p.id AND d.judge = p.judge AND d.method = p.method AND d."order" = p."order"
		WHERE p.judge = ? AND p.method = ?`
	for j, judge := range r.judges {
		var of []preferenceRow
		err := s.each(query, []any{judge.Name, judge.Method}, func(rows *sql.Rows) error {
			p := preferenceRow{judge: j}
			var id string
			var detail, calls []byte
			if err := rows.Scan(&id, &p.order, &p.status, &p.choice, &p.rationale, &p.reason, &detail, &calls); err != nil {
				return err
			}
			at, known := r.pairAt[id]
			if !known || !planned[[4]string{judge.Name, judge.Method, r.sets[r.pairs[at].set].Name, p.order}] {
				return nil
			}
			if err := json.Unmarshal(detail, &p.detail); err != nil {
				return fmt.Errorf("the details of %s on %s: %w", judge.Name, id, err)
			}
			var keys []string
			if err := json.Unmarshal(calls, &keys); err != nil {
				return fmt.Errorf("the calls of %s on %s: %w", judge.Name, id, err)
			}
			p.calls = len(keys)
			p.keys = keys
			p.pair = at
			of = append(of, p)
			return nil
		})
		if err != nil {
			return err
		}
		slices.SortFunc(of, comparePreferences)
		r.prefs = append(r.prefs, of...)
	}
	return r.loadSpent(s)
}

func comparePreferences(a, b preferenceRow) int {
	if a.pair != b.pair {
		return a.pair - b.pair
	}
	if a.order < b.order {
		return -1
	}
	return 1
}

func (r *pairwiseRecord) loadGrades(s *Store) error {
	all, err := s.Grades()
	if err != nil {
		return err
	}
	at := map[PreferenceKey]int{}
	for i, p := range r.prefs {
		at[r.key(p)] = i
	}
	for _, g := range all {
		if i, ok := at[g.PreferenceKey]; ok {
			r.grades = append(r.grades, gradeRow{g, i})
		}
	}
	return nil
}

func (r *pairwiseRecord) key(p preferenceRow) PreferenceKey {
	return PreferenceKey{r.pairs[p.pair].id, r.judges[p.judge].Name, r.judges[p.judge].Method, p.order}
}
