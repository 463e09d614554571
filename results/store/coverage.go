package store

// A Covered is a planned cell of any kind, with the number of its results on record.
type Covered struct {
	Kind             string // KindAnswer, KindVerdict, KindPreference or one of data.LabelKinds
	Party            string // system or judge
	System, Scenario string // "" for preferences
	Method, Dataset  string // of preferences
	Planned          int
	Recorded         int
	Note             string // why results are missing, as recorded
}

// Coverage are the planned cells of all kinds, sorted by kind and party.
func (s *Store) Coverage() ([]Covered, error) {
	const query = `WITH found AS (
		SELECT 'answer' AS kind, '' AS judge, system, scenario, '' AS method, '' AS dataset, '' AS "order", count(*) AS n FROM answers
			GROUP BY 3, 4
		UNION ALL SELECT 'verdict', v.judge, a.system, a.scenario, '', '', '', count(*) FROM verdicts v JOIN answers a ON a.id = v.answer
			GROUP BY 2, 3, 4
		UNION ALL SELECT l.kind, l.judge, a.system, a.scenario, '', '', '', count(*) FROM labels l JOIN answers a ON a.id = l.answer
			GROUP BY 1, 2, 3, 4
		UNION ALL SELECT 'preference', p.judge, '', '', p.method, q.dataset, p."order", count(*) FROM preferences p JOIN pairs q ON q.id = p.id
			WHERE q.active GROUP BY 2, 5, 6, 7)
		SELECT kind, iif(judge = '', system, judge), system, scenario, method, dataset, planned, coalesce(n, 0), note
		FROM plan LEFT JOIN found USING (kind, judge, system, scenario, method, dataset, "order") WHERE active ORDER BY 1, 2, 3, 4, 5, 6, "order"`
	return Select[Covered](s, query)
}

// A Made is the number of results of one kind that a party made, without those that were skipped.
type Made struct {
	Kind, Party string
	By          string // kind of the party; "": it is not a party of the plan
	Count       int
}

// Made are the results of all kinds in the tables, sorted by kind and party.
func (s *Store) Made() ([]Made, error) {
	const query = `WITH made AS (
		SELECT 'answer' AS kind, 'system' AS role, a.system AS party, a.status FROM answers a
			JOIN plan p ON p.kind = 'answer' AND p.judge = '' AND p.system = a.system AND p.scenario = a.scenario AND p.active
		UNION ALL SELECT 'verdict', 'judge', v.judge, v.status FROM verdicts v JOIN answers a ON a.id = v.answer
			JOIN plan p ON p.kind = 'verdict' AND p.judge = v.judge AND p.system = a.system AND p.scenario = a.scenario AND p.active
		UNION ALL SELECT 'preference', 'pairwise', r.judge, r.status FROM preferences r JOIN pairs q ON q.id = r.id AND q.active
			JOIN plan p ON p.kind = 'preference' AND p.judge = r.judge AND p.method = r.method AND p.dataset = q.dataset
				AND p."order" = r."order" AND p.active
		UNION ALL SELECT 'label', '', judge, status FROM labels
		UNION ALL SELECT 'sample', 'pairwise', judge, status FROM samples
		UNION ALL SELECT 'grade', '', grader, status FROM grades)
		SELECT kind, party, coalesce((SELECT j.kind FROM parties j WHERE j.role = made.role AND j.name = made.party), ''), count(*) FROM made
		WHERE status <> 'skipped' GROUP BY 1, 2, 3 ORDER BY 1, 2`
	return Select[Made](s, query)
}

// An Unplanned is the number of pairs in a set that a judge was not asked about in some order, although about others.
type Unplanned struct {
	Judge, Method, Dataset string
	Count                  int
}

// UnplannedPairs are those of all judges of pairs.
func (s *Store) UnplannedPairs() ([]Unplanned, error) {
	const query = `SELECT p.judge, p.method, p.dataset, n - p.planned FROM plan p
		JOIN (SELECT dataset, count(*) AS n FROM pairs WHERE active GROUP BY 1) q ON q.dataset = p.dataset
		WHERE p.kind = 'preference' AND p.active AND p.planned < n ORDER BY 1, 3, 2, p."order"`
	return Select[Unplanned](s, query)
}
