package data

// A Detail records the steps that led a judge to its choice between two answers.
type Detail struct {
	Aspects     []string    `json:"aspects,omitempty"`
	Votes       []string    `json:"votes,omitempty"`        // one for each sample: a, b, tie, or a status
	Table       []AspectRow `json:"table,omitempty"`        // the chosen table
	Chosen      int         `json:"chosen,omitempty"`       // number of the chosen table among the samples, from 1
	Tables      int         `json:"tables,omitempty"`       // number of samples that were tables
	Overlap     *float64    `json:"overlap,omitempty"`      // of the chosen table: word overlap of shared and exclusive cells, in [0, 1]
	MeanOverlap *float64    `json:"mean_overlap,omitempty"` // mean overlap of all tables
	Undecided   int         `json:"undecided,omitempty"`    // comparisons of tables that were decided at random
	Comparator  *Compared   `json:"comparator,omitempty"`   // what the comparator decided
	Fallback    bool        `json:"fallback,omitempty"`     // the rationale was requested in a call of its own
	Confidence  *float64    `json:"confidence,omitempty"`   // of the choice, from log-probabilities
	Difference  *float64    `json:"difference,omitempty"`   // a reward model's score of the first answer minus that of the second
	Strength    string      `json:"strength,omitempty"`     // how much better the chosen answer is, as a person says: slightly or clearly
	Facts       string      `json:"facts,omitempty"`        // measurements of a judge without a model
}

// An AspectRow is one aspect of a table that compares two answers: what is true only of the answer shown first, of both, and only of the
// other. An empty cell is "".
type AspectRow struct {
	Aspect string `json:"aspect"`
	OnlyA  string `json:"only_a"`
	Both   string `json:"both"`
	OnlyB  string `json:"only_b"`
}

// Compared counts what SC2's comparator decided about the tables of one preference. Pairs, triples and cycles are known only if every two
// tables were compared in both orders.
type Compared struct {
	Duels   int `json:"duels"`             // comparisons that were decided
	First   int `json:"first"`             // decisions for the table shown first
	Pairs   int `json:"pairs,omitempty"`   // pairs of tables that were decided in both orders
	Same    int `json:"same,omitempty"`    // pairs with the same choice in both orders
	Triples int `json:"triples,omitempty"` // triples of tables whose three pairs have the same choice in both orders
	Cycles  int `json:"cycles,omitempty"`  // triples that are intransitive: a over b over c over a
}
