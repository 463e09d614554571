package sources

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"compqa/data"
)

// A logJSON is a Log as JSON: what a comparison is computed from. It has no paths and no notes, and of the readings of columns only those
// that were assumed and those that say the criterion, without their values. Texts and series are listed once, and named by their places.
type logJSON struct {
	Texts  data.BoundedList[string]    `json:"texts"`
	Items  data.BoundedList[itemJSON]  `json:"items"`
	Series data.BoundedList[Series]    `json:"series"`
	Scores data.BoundedList[scoreJSON] `json:"scores"`

	Families  map[string]string   `json:"families,omitempty"`
	Tuned     map[string]bool     `json:"tuned,omitempty"`
	Words     map[string][]string `json:"words,omitempty"`
	Empty     map[string]int      `json:"empty,omitempty"`
	Spellings []string            `json:"spellings,omitempty"`
	Mean      string              `json:"mean,omitempty"`

	Columns data.BoundedList[ColumnRead] `json:"columns,omitempty"`
}

// An itemJSON is an Item; Question and Text are places in the texts of its log.
type itemJSON struct {
	ID        string         `json:"id"`
	Repeat    int            `json:"repeat,omitempty"`
	Turn      string         `json:"turn,omitempty"`
	System    string         `json:"system,omitempty"`
	Group     string         `json:"group,omitempty"`
	Question  int            `json:"question"`
	Text      int            `json:"text"`
	Short     *shortenedJSON `json:"short,omitempty"`
	Runs      []string       `json:"runs,omitempty"`
	Pair      *data.Pair     `json:"pair,omitempty"`
	Columns   []string       `json:"columns,omitempty"`
	Inclusion float64        `json:"inclusion,omitempty"`
}

// A shortenedJSON is a Shortened, whose digests are no text.
type shortenedJSON struct {
	Question []byte `json:"question,omitempty"`
	Text     []byte `json:"text,omitempty"`
	Words    int    `json:"words,omitempty"`
}

// A scoreJSON is a Score; Series is a place in the series of its log.
type scoreJSON struct {
	Item   int32  `json:"item"`
	Series int    `json:"series"`
	Failed bool   `json:"failed,omitempty"`
	Value  string `json:"value"`
	Reason string `json:"reason,omitempty"`
}

// MarshalJSON writes what a comparison is computed from, without the paths of files.
func (log *Log) MarshalJSON() ([]byte, error) {
	packed := logJSON{Texts: []string{}, Items: []itemJSON{}, Series: []Series{}, Scores: []scoreJSON{},
		Families: log.Families, Tuned: log.Tuned, Words: log.Words, Empty: log.Empty, Spellings: log.Spellings, Mean: log.Mean}
	for _, r := range log.Readings {
		for _, c := range r.Columns {
			if c.Assumed || c.Role == RoleCriterion {
				c.Values = nil
				packed.Columns = append(packed.Columns, c)
			}
		}
	}
	texts, series := map[string]int{}, map[Series]int{}
	text := func(text string) int { return placeOf(text, texts, (*[]string)(&packed.Texts)) }
	for i := range log.Items {
		item := &log.Items[i]
		of := itemJSON{ID: item.ID, Repeat: item.Repeat, Turn: item.Turn, System: item.System, Group: item.Group,
			Question: text(item.Question), Text: text(item.Text), Runs: item.Runs, Pair: item.Pair, Columns: item.Columns, Inclusion: item.Inclusion}
		if short := item.Short; short != nil {
			of.Short = &shortenedJSON{[]byte(short.Question), []byte(short.Text), short.Words}
		}
		packed.Items = append(packed.Items, of)
	}
	for i := range log.Scores {
		score := &log.Scores[i]
		at := placeOf(*score.Series, series, (*[]Series)(&packed.Series))
		packed.Scores = append(packed.Scores, scoreJSON{score.Item, at, score.Failed, score.Value, score.Reason})
	}
	return json.Marshal(packed)
}

// placeOf is the place of a value in a list, to which it is added if it is new.
func placeOf[T comparable](value T, known map[T]int, list *[]T) int {
	at, found := known[value]
	if !found {
		at = len(*list)
		known[value], *list = at, append(*list, value)
	}
	return at
}

// UnmarshalJSON reads a log. All places that it names exist.
func (log *Log) UnmarshalJSON(text []byte) error {
	var packed logJSON
	if err := json.Unmarshal(text, &packed); err != nil {
		return err
	}
	*log = Log{Families: packed.Families, Tuned: packed.Tuned, Words: packed.Words, Empty: packed.Empty, Spellings: packed.Spellings,
		Mean: packed.Mean}
	if len(data.Among(packed.Texts)) < len(packed.Texts) || len(data.Among(packed.Series)) < len(packed.Series) {
		return errors.New("a text or a series is listed twice")
	}
	if len(packed.Columns) > 0 {
		log.Readings = []*Reading{{Columns: packed.Columns}}
	}
	for i, of := range packed.Items {
		if !hasPlace(of.Question, packed.Texts) || !hasPlace(of.Text, packed.Texts) {
			return fmt.Errorf("item %d has the texts %d and %d; there are %d, from 0", i, of.Question, of.Text, len(packed.Texts))
		}
		if !(of.Inclusion >= 0 && of.Inclusion <= 1) {
			return fmt.Errorf("item %d has the inclusion probability %v; it must be in (0, 1]", i, of.Inclusion)
		}
		item := Item{ID: of.ID, Repeat: of.Repeat, Turn: of.Turn, System: of.System, Group: of.Group, Question: packed.Texts[of.Question],
			Text: packed.Texts[of.Text], Runs: of.Runs, Pair: of.Pair, Columns: of.Columns, Inclusion: of.Inclusion}
		if of.Short != nil {
			item.Short = &Shortened{string(of.Short.Question), string(of.Short.Text), of.Short.Words}
		}
		log.Items = append(log.Items, item)
	}
	series := slices.Clone(packed.Series)
	for i, of := range packed.Scores {
		if !hasPlace(int(of.Item), packed.Items) || !hasPlace(of.Series, series) {
			return fmt.Errorf("score %d is of item %d and series %d; there are %d and %d, from 0", i, of.Item, of.Series, len(packed.Items),
				len(series))
		}
		log.Scores = append(log.Scores,
			Score{Series: &series[of.Series], Item: of.Item, Failed: of.Failed, Value: of.Value, Reason: of.Reason})
	}
	return nil
}

func hasPlace[T any](at int, list []T) bool { return at >= 0 && at < len(list) }
