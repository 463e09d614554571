package validation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"compqa/data"
	"compqa/data/sources"
	"compqa/results/checks"
	"compqa/results/raters"
	"compqa/stats"
)

const (
	ByID   = "id"   // items are joined by their ids
	ByText = "text" // items are joined by question and text
)

// Options say how judges and people are compared. The zero value finds out what it can.
type Options struct {
	Join        string             // ByID or ByText; "": by id if any id is in both, else by text
	Pairs       map[string]string  // criterion of a judge → of people, where names differ
	Scales      map[string]string  // criterion → its scale, where it is found wrongly
	Declared    map[string]string  // criterion → the scale that the rubric of a run gives it
	MapLinear   bool               // map the judge's scale onto people's
	Thresholds  map[string]float64 // criterion, or "" for all → the least value that passes
	EpochsMean  bool               // the mean over epochs instead of the first
	PeoplesMean bool               // the mean of several values of a person of an item instead of the first
	Last        bool               // the last of several values of an item, of a judge or a person, instead of the first
	Same        map[string]string  // labels that mean the same as others
	Answered    []string           // checks whose question the user answered: see package checks
	Columns     []string           // by whose values there are slices
	Margin      float64            // of trust.Decide; 0: .1
	Epsilon     float64            // advantage of people in the alternative-annotator test, in (0, 1); 0: 0.15
	LabelsFor   float64            // half the width of an interval that labels should give; 0: not asked
	Limit       float64            // of alpha, that labels decide; 0: .667
	Budget      int                // items that people should label next; 0: not asked
	Worst       int                // largest gaps between a judge and people that are listed; 0: ten
	Inclusion   map[string]float64 // probability with which an item was chosen to be labelled, by id, next to those of a column
	Looks       *Looks             // before this one; nil: none are kept
	Unread      float64            `json:",omitempty"` // the least share of verdicts that stand unread with which people agree; 0: not asked
	Sure        float64            `json:",omitempty"` // how sure this is to be; 0: .95
	Together    string             `json:",omitempty"` // all judges together; a judge's name: that one where labels are few; "": not asked
	LabelPrice  float64            `json:",omitempty"` // dollars; 0: not known
	CallPrices  map[string]float64 `json:",omitempty"` // dollars for a verdict, by judge, or "" for all others
	OfAll       bool               `json:",omitempty"` // Unread is the least share of all verdicts that people read, or agree with
	Escalate    []string           `json:",omitempty"` // judges that decide together, in the order in which they are asked; nil: each alone
	Sampled     bool               `json:",omitempty"` // see labels.Unread
	Sets        []string           `json:",omitempty"` // criteria whose values are sets of answers
	Seed        uint64
}

// A Unit is an item that was judged, or that people scored.
type Unit struct {
	ID       string   `csv:"id"`
	System   string   `csv:"system"`
	Scenario string   `csv:"-"` // under which a run asked; "": none
	Question string   `csv:"question"`
	Text     string   `csv:"text"`
	Columns  []string `csv:"-"`
	Words    int      `csv:"-"` // of the text
	Judged   bool     `csv:"-"`
	Labelled bool     `csv:"-"`

	// Inclusion is the probability with which the item was to be labelled, in (0, 1]; 0: not said.
	Inclusion float64 `csv:"-"`
}

// A ToLabel is an item to label next: a row of to_label.csv.
type ToLabel struct {
	Unit
	Chosen stats.Figure `csv:"inclusion"` // the probability of inclusion after this round
}

// A Join says how items of judges and people were matched, and how many were not.
type Join struct {
	Method           string   `json:"by"` // ByID or ByText
	Records          int      `json:"records"`
	Matched          int      `json:"records_matched"`
	Items            int      `json:"items"` // of people: distinct items
	Joined           int      `json:"items_matched"`
	Several          int      `json:"items_several_records"` // people's items with several records of a judge
	Mixed            int      `json:"items_several_systems"` // of these, with records of several systems
	Same             int      `json:"repeated_same"`         // values that a person gave again
	Other            int      `json:"repeated_other"`        // … with another value: the first is kept
	UnmatchedItems   []string `json:"unmatched_items"`
	UnmatchedRecords []string `json:"unmatched_records"`
	Hint             string   `json:"-"`
}

// A Study is what judges and people said of the same items.
type Study struct {
	Units    []Unit
	Clusters []int // of units
	Judges   []*Series
	People   []*Series
	Join     Join
	Failed   map[string]int // records for which a judge has no value, by reason
	Notes    []string

	Assumed  []sources.ColumnRead // columns whose roles nobody declared
	Findings []checks.Finding     // of all criteria, also of those that they stop

	judgements data.Judgements // of judges; the items of columns are units
	labels     data.Judgements // of people

	words      map[string]*sources.Log // of each side: its words for missing values and what it left out, without items and values
	notPeoples string                  // how many of people's labels are not their own, and do not count; "": none
	spellings  []string                // of people who are written in several ways
	o          Options
	on         map[string][]*Series // of People, by criterion
	unitKeys   []string             // of units, by which items are joined
	questions  []string             // of units: what they have a cluster by
	asked      []int                // of units: the number of the question, as folded compares
	units      []raters.Unit        // Units, as all pairings measure them
	meanBy     string               // who of people is their recorded mean; "": nobody
	ofRun      bool                 // judges or people are of a run
	many       bool                 // more than mostResampled criteria are compared
	epochs     bool                 // the judge's records say theirs
	sameJudge  bool                 // "people" are the judge itself, in a newer log
	confidence string               // the column with the judge's confidence
	options    map[string][]string  // of criteria of --sets
	families   map[string]string    // of judges and systems, as runs declare them, or as found by their names
}

// NewStudy joins the log of judges to the values of people, which may be nil. The values of both logs are the study's afterwards.
func NewStudy(judged, people *sources.Log, o Options) (*Study, error) {
	people = cmp.Or(people, &sources.Log{})
	options, err := o.splitSets(judged, people)
	if err != nil {
		return nil, err
	}
	s := &Study{o: o, options: options, Failed: map[string]int{}, families: map[string]string{}, meanBy: people.Mean,
		ofRun: judged.Run || people.Run}
	maps.Copy(s.families, judged.Values.Families)
	maps.Copy(s.families, people.Values.Families)
	_, s.Notes = stats.NumberLabels(slices.Concat(judged.Notes, people.Notes))
	maps.DeleteFunc(s.families, func(_, family string) bool { return family == "" })
	sources.Settle(judged, people)
	s.Assumed = data.Where(sources.Assumed(slices.Concat(judged.Readings, people.Readings)),
		func(c sources.ColumnRead) bool { return c.Role != sources.RoleLeft })
	for _, reading := range judged.Readings {
		s.confidence = cmp.Or(s.confidence, reading.Column(sources.RoleConfidence))
	}
	withoutItems := func(log *sources.Log) *sources.Log { // which are most of a log, and not needed after this
		return &sources.Log{Path: log.Path, Words: log.Words, Empty: log.Empty, Stopped: log.Stopped}
	}
	s.words, s.spellings = map[string]*sources.Log{"judge": withoutItems(judged), "people": withoutItems(people)}, people.Spellings
	s.notPeoples = people.NotPeoples()
	nameSystems(judged.Items)
	s.Notes = append(s.Notes, alignSystems(judged, people)...)
	j := &joiner{Study: s, judged: side{Log: judged}, people: side{Log: people}}
	if err := j.identify(); err != nil {
		return nil, err
	}
	j.count()
	if err := j.tooFew(); err != nil {
		return nil, err
	}
	if err := j.addJudges(); err != nil {
		return nil, err
	}
	j.addPeople()
	j.addVersions()
	for _, values := range []*data.Judgements{&s.judgements, &s.labels} {
		for k := range values.Columns {
			values.Columns[k].Rater = nil
			values.Columns[k].Line = nil // a series knows its rows
		}
	}
	for i, group := range j.groups {
		j.groups[i] = cmp.Or(group, fmt.Sprint("\x00", i)) // a unit without a group or a question is a cluster of its own
	}
	s.Clusters, s.questions = stats.ClusterLabels(j.groups), j.groups
	written, questions := stats.NumberLabels(data.Each(s.Units, func(u Unit) string { return u.Question }))
	asked := stats.ClusterLabels(data.Each(questions, folded))
	s.asked = data.Each(written, func(question int) int { return asked[question] })
	return s, nil
}
