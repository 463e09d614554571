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

// Options say how judges and people are compared. With the zero value, everything is found from the files.
type Options struct {
	Join        string             // ByID or ByText; "": by id if any id is in both, else by text
	Pairs       map[string]string  // criterion of a judge → criterion of people, if their names differ
	Scales      map[string]string  // criterion → its scale, if another would be found
	Declared    map[string]string  // criterion → the scale that the rubric of a run gives it
	MapLinear   bool               // map the judge's scale onto people's
	Thresholds  map[string]float64 // criterion, or "" for all → the least value that passes
	EpochsMean  bool               // several epochs of an item count as their mean, not by the first
	PeoplesMean bool               // several values of a person for an item count as their mean, not by the first
	Last        bool               // if an item has several values, a judge's or a person's, the last counts, not the first
	Same        map[string]string  // labels → label that means the same
	Answered    []string           // checks whose questions the user answered (see package checks)
	Columns     []string           // columns by whose values items are divided into slices
	Margin      float64            // margin of trust.Decide; 0: .1
	Epsilon     float64            // advantage of people in the alternative-annotator test, in (0, 1); 0: 0.15
	LabelsFor   float64            // wanted half-width of an interval, for which labels are counted; 0: not asked
	Limit       float64            // limit of alpha, to see whether few labels decide on which side alpha lies; 0: .667
	Budget      int                // items that people should label next; 0: not asked
	Worst       int                // number of listed items on which judge and people differ most; 0: ten
	Inclusion   map[string]float64 // item's id → probability with which it was chosen to be labelled
	Looks       *Looks             // earlier looks; nil: looks are not kept
	Unread      float64            `json:",omitempty"` // least share of unread verdicts with which people must agree; 0: not asked
	Sure        float64            `json:",omitempty"` // how sure Unread must be; 0: .95
	Together    string             `json:",omitempty"` // TogetherAll, or the judge that counts if labels are few; "": not asked
	LabelPrice  float64            `json:",omitempty"` // dollars; 0: unknown
	CallPrices  map[string]float64 `json:",omitempty"` // dollars for a verdict, by judge, or "" for all others
	OfAll       bool               `json:",omitempty"` // Unread is the least share of all verdicts that people read or agree with
	Escalate    []string           `json:",omitempty"` // judges of a cascade, in the order in which they are asked; nil: none
	Sampled     bool               `json:",omitempty"` // see labels.Unread
	Sets        []string           `json:",omitempty"` // criteria whose values are sets of options
	Seed        uint64
}

// A Unit is an item that a judge or a person rated.
type Unit struct {
	ID       string   `csv:"id"`
	System   string   `csv:"system"`
	Scenario string   `csv:"-"` // scenario under which a run asked; "": none
	Question string   `csv:"question"`
	Text     string   `csv:"text"`
	Columns  []string `csv:"-"`
	Words    int      `csv:"-"` // number of words of the text
	Judged   bool     `csv:"-"`
	Labelled bool     `csv:"-"`

	// Inclusion is the probability in (0, 1] with which the item was to be labelled; 0 means unknown.
	Inclusion float64 `csv:"-"`
}

// A ToLabel is a row of to_label.csv: an item that people should label next.
type ToLabel struct {
	Unit
	Chosen stats.Figure `csv:"inclusion"` // probability that the item is labelled, including this round
}

// A Join counts how items of judges and people were matched.
type Join struct {
	Method           string   `json:"by"` // ByID or ByText
	Records          int      `json:"records"`
	Matched          int      `json:"records_matched"`
	Items            int      `json:"items"` // distinct items of people
	Joined           int      `json:"items_matched"`
	Several          int      `json:"items_several_records"` // people's items with several records of a judge
	Mixed            int      `json:"items_several_systems"` // items in Several with records of several systems
	Same             int      `json:"repeated_same"`         // repeated values of a person that equal the first
	Other            int      `json:"repeated_other"`        // repeated values of a person that differ from the first, which counts
	UnmatchedItems   []string `json:"unmatched_items"`
	UnmatchedRecords []string `json:"unmatched_records"`
	Hint             string   `json:"-"`
}

// A Study has the values that judges and people gave to the same items.
type Study struct {
	Units    []Unit
	Clusters []int // cluster of each unit
	Judges   []*Series
	People   []*Series
	Join     Join
	Failed   map[string]int // records for which a judge has no value, by reason
	Notes    []string

	Assumed  []sources.ColumnRead // columns whose roles were not declared but found
	Findings []checks.Finding     // findings on all criteria, including criteria that a finding stops

	judgements data.Judgements // values of judges; their columns have units in place of items
	labels     data.Judgements // values of people

	words      map[string]*sources.Log // by "judge" and "people": words for missing values, and what was left out; no items
	notPeoples string                  // how many labels in people's file are not people's own and do not count, in words; "": none
	spellings  []string                // names of people that are written in several ways
	o          Options
	on         map[string][]*Series // people's series by criterion
	unitKeys   []string             // key of each unit, by which its items were joined
	questions  []string             // group or question of each unit, which makes its cluster
	asked      []int                // number of each unit's question (see folded)
	units      []raters.Unit        // Units in the form that all pairings share
	described  described            // units that the judge scored, where several criteria share them
	meanBy     string               // name of people's recorded mean; "": none
	ofRun      bool                 // judges or people come from a run
	many       bool                 // more than mostResampled criteria are compared
	epochs     bool                 // the judge's records have epochs
	sameJudge  bool                 // "people" are the same judge in another log
	confidence string               // column of the judge's confidence
	options    map[string][]string  // options of each criterion in --sets
	families   map[string]string    // family of each judge and system, declared by a run or found by name
}

// NewStudy joins the log of judges with the log of people, which may be nil. It takes over the values of both logs.
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
	withoutItems := func(log *sources.Log) *sources.Log { // items are most of a log, and not needed any more
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
			values.Columns[k].Line = nil // not needed any more: each series knows its rows
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
