package sources

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"compqa/data"
)

// A logJSON is the JSON form of a Log: all that a comparison is computed from, without paths and notes. Of the readings of columns it has
// those that are assumed, and the criterion, confidence and origin, without their values. Texts and series are listed once and referred to
// by index.
type logJSON struct {
	Texts  data.BoundedList[string]     `json:"texts"`
	Items  data.BoundedList[itemJSON]   `json:"items"`
	Series data.BoundedList[seriesJSON] `json:"series"`
	Scores data.BoundedList[scoreJSON]  `json:"scores"`

	Families  map[string]string   `json:"families,omitempty"`
	Tuned     map[string]bool     `json:"tuned,omitempty"`
	Words     map[string][]string `json:"words,omitempty"`
	Empty     map[string]int      `json:"empty,omitempty"`
	Spellings []string            `json:"spellings,omitempty"`
	Mean      string              `json:"mean,omitempty"`
	Run       bool                `json:"run,omitempty"`
	Origins   map[string]int      `json:"origins,omitempty"`

	Columns data.BoundedList[ColumnRead] `json:"columns,omitempty"`
}

// An itemJSON is an Item. Question and Text are indices in the texts of its log.
type itemJSON struct {
	ID        string         `json:"id"`
	Repeat    int            `json:"repeat,omitempty"`
	Turn      string         `json:"turn,omitempty"`
	System    string         `json:"system,omitempty"`
	Scenario  string         `json:"scenario,omitempty"`
	Group     string         `json:"group,omitempty"`
	Question  int            `json:"question"`
	Text      int            `json:"text"`
	Short     *shortenedJSON `json:"short,omitempty"`
	Runs      []string       `json:"runs,omitempty"`
	Pair      *data.Pair     `json:"pair,omitempty"`
	Columns   []string       `json:"columns,omitempty"`
	Inclusion float64        `json:"inclusion,omitempty"`

	Confidence *float64 `json:"confidence,omitempty"`
}

// A shortenedJSON is a Shortened. Its digests are bytes, since they are not valid text.
type shortenedJSON struct {
	Question []byte `json:"question,omitempty"`
	Text     []byte `json:"text,omitempty"`
	Words    int    `json:"words,omitempty"`
}

// A seriesJSON is a rater and a criterion.
type seriesJSON struct {
	By            string
	Person        bool
	Criterion     string
	Extra         bool
	Order, Method string
}

// series returns the data.Series. tuned names the judges that were trained on people's scores.
func (s seriesJSON) series(tuned map[string]bool) data.Series {
	rater := data.Rater{Name: s.By, Kind: data.KindJudge, Tuned: tuned[s.By], Order: s.Order, Method: s.Method}
	if s.Person {
		rater.Kind = data.KindPerson
	}
	return data.Series{Rater: &rater, Measured: &data.Measured{ID: s.Criterion, Extra: s.Extra}}
}

// A scoreJSON is a rating. Series is an index in the series of its log.
type scoreJSON struct {
	Item   int32  `json:"item"`
	Series int    `json:"series"`
	Failed bool   `json:"failed,omitempty"`
	Value  string `json:"value"`
	Reason string `json:"reason,omitempty"`
}

// MarshalJSON writes all that a comparison is computed from, without the paths of files.
func (log *Log) MarshalJSON() ([]byte, error) {
	packed := logJSON{Texts: []string{}, Items: []itemJSON{}, Series: []seriesJSON{}, Scores: []scoreJSON{},
		Families: log.Values.Families, Tuned: log.tuned(), Words: log.Words, Empty: log.Empty, Spellings: log.Spellings, Mean: log.Mean,
		Run: log.Run, Origins: log.Origins}
	for _, r := range log.Readings {
		for _, c := range r.Columns {
			if c.Assumed || c.Role == RoleCriterion || c.Role == RoleConfidence || c.Role == RoleOrigin {
				c.Values = nil
				packed.Columns = append(packed.Columns, c)
			}
		}
	}
	texts := map[string]int{}
	series := map[seriesJSON]int{}
	text := func(text string) int { return placeOf(text, texts, (*[]string)(&packed.Texts)) }
	for i := range log.Items {
		item := &log.Items[i]
		about := item.About()
		fields := itemJSON{ID: item.ID, Repeat: about.Repeat, Turn: about.Turn, System: about.System, Scenario: about.Scenario,
			Group: about.Group, Question: text(item.Question), Text: text(item.Text), Runs: about.Runs, Pair: about.Pair,
			Columns: about.Columns, Inclusion: about.Inclusion, Confidence: about.Confidence}
		if short := about.Short; short != nil {
			fields.Short = &shortenedJSON{[]byte(short.Question), []byte(short.Text), short.Words}
		}
		packed.Items = append(packed.Items, fields)
	}
	for _, s := range log.Values.Series() { // results list series in this order
		placeOf(seriesOf(s), series, (*[]seriesJSON)(&packed.Series))
	}
	for _, s := range log.Values.All() {
		packed.Scores = append(packed.Scores, scoreJSON{s.Item, series[seriesOf(s.Series)], s.Failed, s.Value, s.Reason})
	}
	return json.Marshal(packed)
}

func seriesOf(s data.Series) seriesJSON {
	return seriesJSON{s.Rater.Name, s.IsPerson(), s.ID, s.Extra, s.Order, s.Method}
}

// tuned returns the judges that were trained or tuned on people's scores in the same record.
func (log *Log) tuned() map[string]bool {
	names := map[string]bool{}
	for _, r := range log.Values.Raters {
		if r.Tuned {
			names[r.Name] = true
		}
	}
	return names
}

// placeOf returns the index of a value in a list, and appends the value if it is new.
func placeOf[T comparable](value T, known map[T]int, list *[]T) int {
	index, found := known[value]
	if !found {
		index = len(*list)
		known[value] = index
		*list = append(*list, value)
	}
	return index
}

// UnmarshalJSON reads a log. An index outside of its list, a repeated text or an invalid number is an error.
func (log *Log) UnmarshalJSON(text []byte) error {
	var packed logJSON
	if err := json.Unmarshal(text, &packed); err != nil {
		return err
	}
	*log = Log{Values: data.Judgements{Families: packed.Families}, Words: packed.Words, Empty: packed.Empty, Spellings: packed.Spellings,
		Mean: packed.Mean, Run: packed.Run, Origins: packed.Origins}
	for origin, n := range packed.Origins {
		known := slices.Contains([]string{"", data.OriginAccepted, data.OriginModel, originNamed}, origin)
		if !known || n < 0 || n > data.MostListed {
			return fmt.Errorf("%d labels have the origin %q; it is %s or %s", n, origin, data.OriginAccepted, data.OriginModel)
		}
	}
	if len(data.Among(packed.Texts)) < len(packed.Texts) || len(data.Among(packed.Series)) < len(packed.Series) {
		return errors.New("a text or a series is listed twice")
	}
	if len(packed.Columns) > 0 {
		log.Readings = []*Reading{{Columns: packed.Columns}}
	}
	for i, fields := range packed.Items {
		if !hasPlace(fields.Question, packed.Texts) || !hasPlace(fields.Text, packed.Texts) {
			return fmt.Errorf("item %d has the texts %d and %d; there are %d, from 0", i, fields.Question, fields.Text, len(packed.Texts))
		}
		if !(fields.Inclusion >= 0 && fields.Inclusion <= 1) {
			return fmt.Errorf("item %d has the inclusion probability %v; it must be in (0, 1]", i, fields.Inclusion)
		}
		about := About{Repeat: fields.Repeat, Turn: fields.Turn, System: fields.System, Scenario: fields.Scenario, Group: fields.Group,
			Runs: fields.Runs, Pair: fields.Pair, Columns: fields.Columns, Inclusion: fields.Inclusion, Confidence: fields.Confidence}
		if fields.Short != nil {
			about.Short = &Shortened{string(fields.Short.Question), string(fields.Short.Text), fields.Short.Words}
		}
		item := Item{ID: fields.ID, Question: packed.Texts[fields.Question], Text: packed.Texts[fields.Text]}
		log.Items = append(log.Items, item.With(about))
	}
	series := data.Each(packed.Series, func(s seriesJSON) data.Series { return s.series(packed.Tuned) })
	for _, s := range series {
		log.Values.Expect(s)
	}
	for i, score := range packed.Scores {
		if !hasPlace(int(score.Item), packed.Items) || !hasPlace(score.Series, series) {
			return fmt.Errorf("score %d is of item %d and series %d; there are %d and %d, from 0", i, score.Item, score.Series, len(packed.Items),
				len(series))
		}
		log.Values.Add(data.Rating{Series: series[score.Series], Item: score.Item, Failed: score.Failed, Value: score.Value,
			Reason: score.Reason})
	}
	return nil
}

func hasPlace[T any](index int, list []T) bool { return index >= 0 && index < len(list) }
