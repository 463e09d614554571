package data

// A Detail records the steps that led to a judge's choice between two answers.
type Detail struct {
	Aspects     []string    `json:"aspects,omitempty"`
	Votes       []string    `json:"votes,omitempty"`        // of each sample: a, b, tie, or a status
	Table       []AspectRow `json:"table,omitempty"`        // the chosen one
	Chosen      int         `json:"chosen,omitempty"`       // its number among the samples, from 1
	Tables      int         `json:"tables,omitempty"`       // samples that were tables
	Overlap     *float64    `json:"overlap,omitempty"`      // of the chosen table, the share of cells in both directions, in [0, 1]
	MeanOverlap *float64    `json:"mean_overlap,omitempty"` // of all tables
	Undecided   int         `json:"undecided,omitempty"`    // comparisons of tables decided at random
	Comparator  *Compared   `json:"comparator,omitempty"`   // what the comparator did
	Fallback    bool        `json:"fallback,omitempty"`     // the rationale was requested separately
	Confidence  *float64    `json:"confidence,omitempty"`   // of the choice, by log-probabilities
	Difference  *float64    `json:"difference,omitempty"`   // of a reward model's scores, the first answer's less the second's
	Strength    string      `json:"strength,omitempty"`     // how much better the chosen answer is, as a person says: slightly or clearly
	Facts       string      `json:"facts,omitempty"`        // the measurements of a judge without a model
}

// An AspectRow is one aspect of a table that compares two answers: what is true of the answer shown first only, of both, of the
// other only. An empty cell is "".
type AspectRow struct {
	Aspect string `json:"aspect"`
	OnlyA  string `json:"only_a"`
	Both   string `json:"both"`
	OnlyB  string `json:"only_b"`
}

// Compared counts what SC2's comparator decides about the tables of one preference. Pairs, triples
// and cycles are known only where every table is compared with every other one in both orders.
type Compared struct {
	Duels   int `json:"duels"`             // comparisons that it decided
	First   int `json:"first"`             // of these, for the table shown first
	Pairs   int `json:"pairs,omitempty"`   // of tables, decided in both orders
	Same    int `json:"same,omitempty"`    // of these, with the same choice in both orders
	Triples int `json:"triples,omitempty"` // of tables whose three pairs have the same choice in both orders
	Cycles  int `json:"cycles,omitempty"`  // of these, intransitive: a over b over c over a
}
