package store

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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

// A pairRow is a pair without its texts.
type pairRow struct {
	Id               string
	Set              int
	Label            data.Choice
	Cluster          int
	Domain           string
	SystemA, SystemB string
	AnswerA          string
	WordsA, WordsB   int
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
	calls       []int64 // ids
	Spending
}

// A preferenceDetail is the part of a preference's details that the reports show.
type preferenceDetail struct {
	Votes       []string            `json:"votes"`
	Confidence  *float64            `json:"confidence"` // by log-probabilities
	Table       []map[string]string `json:"table"`
	Overlap     *float64            `json:"overlap"`
	MeanOverlap *float64            `json:"mean_overlap"`
}

// A GradeRow is a grade and the index of its preference.
type GradeRow struct {
	RecordedGrade
	Pref int
}

// LoadPairwise reads the input of the preference tables: of all sets, or of one and those made of it.
func (s *Store) LoadPairwise(only string) (*PairwiseRecord, error) {
	r := &PairwiseRecord{pairAt: map[string]int{}}
	has, err := s.HasPairs()
	if err == nil && !has {
		err = fmt.Errorf("it has no pairs; `compqa run --only pairs` adds them")
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", s.Path, err)
	}
	if r.Sets, err = s.PairSets(); err != nil {
		return nil, err
	}
	if only != "" {
		r.Sets = slices.DeleteFunc(r.Sets, func(set PairSet) bool { return set.Name != only && set.Base != only })
	}
	for _, step := range []func(*Store) error{r.loadJudges, r.loadPairs, r.loadPreferences, r.loadGrades} {
		if err := step(s); err != nil {
			return nil, WrapDBError("reading", s.Path, err)
		}
	}
	return r, nil
}

// PairSets are the sets with pairs, without these.
func (s *Store) PairSets() ([]PairSet, error) {
	return Query(s, `SELECT name, source, base, bias, adversarial, margin FROM sets WHERE name IN (SELECT dataset FROM pairs
		WHERE active) ORDER BY base <> '', position, name`,
		nil, func(set *PairSet) []any {
			return []any{&set.Name, &set.Source, &set.Base, &set.Bias, &set.Adversarial, &set.Margin}
		})
}

func (r *PairwiseRecord) loadJudges(s *Store) (err error) {
	if r.Judges, err = s.PairwiseJudges(); err != nil {
		return err
	}
	slices.SortStableFunc(r.Judges, func(a, b PairwiseJudge) int { return KindRank[a.Kind] - KindRank[b.Kind] })
	r.Cells, err = Query(s, `SELECT judge, method, dataset, "order", planned, note FROM plan WHERE active AND kind = 'preference'
		ORDER BY judge, method, dataset, "order"`,
		nil, func(c *PairwiseCell) []any {
			return []any{&c.Judge, &c.Method, &c.Dataset, &c.Order, &c.Planned, &c.Note}
		})
	return err
}

// PairwiseJudges are the judges in the plan, in the order of the tables.
func (s *Store) PairwiseJudges() ([]PairwiseJudge, error) {
	return Query(s, `SELECT name, method, kind, family, about, trained_on FROM parties j WHERE role = 'pairwise' AND EXISTS
			(SELECT 1 FROM plan p WHERE p.kind = 'preference' AND p.judge = j.name AND p.method = j.method AND p.active)
				ORDER BY position, name, method`,
		nil, func(j *PairwiseJudge) []any {
			return []any{&j.Name, &j.Method, &j.Kind, &j.Family, &j.About, &j.TrainedOn}
		})
}

// SetsWithPairs are the sets with their pairs, with the texts of the answers.
func (s *Store) SetsWithPairs() ([]PairSet, error) {
	sets, err := s.PairSets()
	for i := range sets {
		set := &sets[i]
		if err == nil {
			set.Pairs, err = Query(s, `SELECT p.id, p.question, iif(p.a <> '', p.a, coalesce(x.text, '')), iif(p.b <> '', p.b, coalesce(y.text, '')),
				p.label, p.cluster, p.domain, p.object1, p.object2, p.aspect, p.scenario, p.system_a, p.system_b, p.answer_a, p.answer_b,
				p.words_a, p.words_b, p.base
					FROM pairs p LEFT JOIN answers x ON x.id = p.answer_a LEFT JOIN answers y ON y.id = p.answer_b
					WHERE p.dataset = ? AND p.active ORDER BY p.position, p.id`, []any{set.Name}, func(p *SetPair) []any {
				return []any{&p.ID, &p.Question, &p.A, &p.B, &p.Label, &p.Cluster, &p.Domain, &p.Object1, &p.Object2, &p.Aspect, &p.Scenario,
					&p.SystemA, &p.SystemB, &p.AnswerA, &p.AnswerB, &p.WordsA, &p.WordsB, &p.Base}
			})
		}
	}
	return sets, err
}

// LabelledPairs are the pairs of a record whose label is a or b, with their texts, except those
// with a bias.
func (s *Store) LabelledPairs() ([]data.Pair, error) {
	return Query(s, `SELECT p.id, p.question, coalesce(x.text, p.a), coalesce(y.text, p.b), p.label, p.cluster, p.domain, p.object1,
		p.object2, p.aspect
			FROM pairs p LEFT JOIN answers x ON x.id = p.answer_a LEFT JOIN answers y ON y.id = p.answer_b
			WHERE p.active AND p.base = '' AND p.label IN ('a', 'b') ORDER BY p.dataset, p.position, p.id`, nil, func(p *data.Pair) []any {
		return []any{&p.ID, &p.Question, &p.A, &p.B, &p.Label, &p.Cluster, &p.Domain, &p.Object1, &p.Object2, &p.Aspect}
	})
}

func (r *PairwiseRecord) loadPairs(s *Store) error {
	at := map[string]int{}
	for i, set := range r.Sets {
		at[set.Name] = i
	}
	var clusters, bases []string
	err := s.Each(`SELECT p.id, p.dataset, p.label, p.cluster, p.domain, p.system_a, p.system_b, p.answer_a, p.words_a, p.words_b, p.base
		FROM pairs p
			JOIN sets s ON s.name = p.dataset WHERE p.active ORDER BY s.base <> '', s.position, s.name, p.position, p.id`,
		nil, func(rows *sql.Rows) error {
			var p pairRow
			var set, cluster, base string
			err := rows.Scan(&p.Id, &set, &p.Label, &cluster, &p.Domain, &p.SystemA, &p.SystemB, &p.AnswerA, &p.WordsA, &p.WordsB, &base)
			var among bool
			if p.Set, among = at[set]; !among {
				return err
			}
			r.pairAt[p.Id] = len(r.Pairs)
			r.Pairs, clusters, bases = append(r.Pairs, p), append(clusters, cluster), append(bases, base)
			return err
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
	planned := map[[4]string]bool{}
	for _, c := range r.Cells {
		planned[[4]string{c.Judge, c.Method, c.Dataset, c.Order}] = true
	}
	query := `SELECT id, "order", status, choice, rationale, reason, detail, calls FROM preferences WHERE judge = ? AND method = ?`
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
			if err := json.Unmarshal(calls, &p.calls); err != nil {
				return fmt.Errorf("the calls of %s on %s: %w", judge.Name, id, err)
			}
			p.Calls, p.Pair = len(p.calls), at
			of = append(of, p)
			return nil
		})
		if err != nil {
			return err
		}
		slices.SortFunc(of, func(a, b PreferenceRow) int { return cmp.Or(a.Pair-b.Pair, strings.Compare(a.Order, b.Order)) })
		r.Prefs = append(r.Prefs, of...)
	}
	return r.loadSpent(s)
}

func (r *PairwiseRecord) loadGrades(s *Store) error {
	all, err := s.Grades()
	if err != nil {
		return err
	}
	at := map[PreferenceKey]int{}
	for i, p := range r.Prefs {
		at[PreferenceKey{r.Pairs[p.Pair].Id, r.Judges[p.Judge].Name, r.Judges[p.Judge].Method, p.Order}] = i
	}
	for _, g := range all {
		if i, ok := at[g.PreferenceKey]; ok {
			r.Grades = append(r.Grades, GradeRow{g, i})
		}
	}
	return nil
}

// A Sum is known if one of its terms is.
type Sum struct {
	Total float64
	Known bool
}

func (s *Sum) Add(term Sum) { s.Total, s.Known = s.Total+term.Total, s.Known || term.Known }

// A Spending is what attempts took. Tokens are known if a server reported them, the cost
// in US dollars if a price is known.
type Spending struct{ Input, Output, Cost, Seconds Sum }

// Tokens are those of input and output together.
func (s Spending) Tokens() Sum {
	sum := s.Input
	sum.Add(s.Output)
	return sum
}

func (s *Spending) Add(more Spending) {
	s.Input.Add(more.Input)
	s.Output.Add(more.Output)
	s.Cost.Add(more.Cost)
	s.Seconds.Add(more.Seconds)
}

// loadSpent reads the costs of each preference: all attempts of its calls, each call
// once.
func (r *PairwiseRecord) loadSpent(s *Store) error {
	spent := map[int64]Spending{}
	for _, p := range r.Prefs {
		for _, call := range p.calls {
			spent[call] = Spending{}
		}
	}
	if len(spent) == 0 {
		return nil
	}
	const query = `SELECT call, prompt_tokens, completion_tokens, cost, latency_ms / 1000 FROM attempts`
	err := s.Each(query, nil, func(rows *sql.Rows) error {
		var call int64
		var input, output, cost, seconds sql.NullFloat64
		err := rows.Scan(&call, &input, &output, &cost, &seconds)
		if sum, ours := spent[call]; ours {
			sum.Add(Spending{Sum{input.Float64, input.Valid}, Sum{output.Float64, output.Valid}, Sum{cost.Float64, cost.Valid}, Sum{seconds.Float64,
				seconds.Valid}})
			spent[call] = sum
		}
		return err
	})
	for i := range r.Prefs {
		p := &r.Prefs[i]
		slices.Sort(p.calls)
		for _, call := range slices.Compact(p.calls) {
			p.Add(spent[call])
		}
		p.calls = nil
		p.Input.Known, p.Output.Known = p.Input.Total > 0, p.Output.Total > 0
	}
	return err
}

// A PairPreference is a recorded preference with its pair, with the texts of both answers.
type PairPreference struct {
	data.Preference
	Pair   data.Pair
	Detail string // how it came about, JSON
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
	return s.Each(`SELECT p.id, p.judge, p.method, p."order", p.status, p.choice, p.rationale, p.detail FROM preferences p
		JOIN pairs q ON q.id = p.id AND q.active
		JOIN plan l ON l.kind = 'preference' AND l.judge = p.judge AND l.method = p.method AND l.dataset = q.dataset AND l."order" = p."order"
			AND l.active
		ORDER BY p.judge, p.method, p.id, p."order"`, nil, func(rows *sql.Rows) error {
		var p PairPreference
		if err := rows.Scan(&p.ID, &p.Judge, &p.Method, &p.Order, &p.Status, &p.Choice, &p.Rationale, &p.Detail); err != nil {
			return err
		}
		p.Pair = pairs[p.ID]
		return each(p)
	})
}
