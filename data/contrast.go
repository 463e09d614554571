package data

// A Source is a text about the objects of a question, from which a contrastive table is made.
type Source struct {
	ID     string `json:"id"`
	Entity string `json:"entity"` // "object1", "object2" or EntityBoth
	URL    string `json:"url,omitempty"`
	Title  string `json:"title,omitempty"`
	Rank   int    `json:"rank,omitempty"` // place among the search results, from 1; 0: unknown
	Text   string `json:"text"`
}

// EntityBoth is the entity of a source about both objects.
const EntityBoth = "both"

// A ContrastTable compares the objects of a question attribute by attribute, each value
// with quotes from its sources (Gunel et al., STRUM-LLM).
type ContrastTable struct {
	Rows    []ContrastRow `json:"rows"` // in the order of their ranks
	Dropped []DroppedRow  `json:"dropped,omitempty"`
}

// A ContrastRow is one attribute with the values of both objects. Either list may be empty.
type ContrastRow struct {
	Attribute string          `json:"attribute"`
	Members   []string        `json:"members,omitempty"` // the names of attributes that were merged into this one
	Kind      string          `json:"kind"`              // RowContrast or RowImportant
	Rank      int             `json:"rank"`              // from 1
	Object1   []ContrastValue `json:"object1"`
	Object2   []ContrastValue `json:"object2"`
}

// The kinds of rows: the objects differ, or they are alike in something important.
const (
	RowContrast  = "contrast"
	RowImportant = "important"
)

// A ContrastValue is what is said about one object in one attribute.
type ContrastValue struct {
	Value      string     `json:"value"`
	Evidence   []Evidence `json:"evidence"`
	Supporters []string   `json:"supporters,omitempty"` // ids of the sources that say so
	Conflicts  []string   `json:"conflicts,omitempty"`  // ids of the sources that say the opposite
}

// Evidence is a quote from a source: the bytes from Start to End of its text.
type Evidence struct {
	Source string `json:"source"`
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Quote  string `json:"quote"`
}

// A DroppedRow is what a stage left out, and why.
type DroppedRow struct {
	Stage  string      `json:"stage"`
	Reason string      `json:"reason"`
	Row    ContrastRow `json:"row"`
}
