package dataset

import (
	"encoding/json"
	"strconv"
	"time"

	"compqa/data"
	"compqa/results/store"
)

// A Summary is the contrastive table of an answer, and what judges say about it.
type Summary struct {
	Table   *data.ContrastTable // without dropped rows; nil: the answer has none
	Sources map[string]string   // texts by id; nil: unknown
	Labels  []SummaryLabels     // sorted by judge and kind
}

// SummaryLabels are the recorded labels of one kind.
type SummaryLabels struct {
	Judge, Kind string
	Status      data.Status
	Reason      string
	data.Labels
}

// EachLabel calls each with the labels of an answer by judges of summaries, of tables and claims.
func (a *AnswerRow) EachLabel(each func(kind, judge string, status data.Status, reason string)) {
	for _, l := range a.Claims {
		if l.Judge != data.OfflineClaims {
			each(data.LabelClaims, l.Judge, l.Status, l.Reason)
		}
	}
	if a.Summary != nil {
		for _, l := range a.Summary.Labels {
			each(l.Kind, l.Judge, l.Status, l.Reason)
		}
	}
}

// summaries adds the contrastive tables and their labels to their answers.
func (r *reader) summaries() (err error) {
	if r.Run.LabelPlan, err = r.LabelCells(); err != nil {
		return err
	}
	sources, err := r.sourcesOf()
	if err != nil {
		return err
	}
	planned := map[store.CellKey]bool{}
	for _, c := range r.Run.LabelPlan {
		planned[c.Key()] = true
	}
	systems := map[string]bool{}
	type row struct {
		ID      string
		Summary *data.ContrastTable
	}
	err = store.Each(r.Store, `FROM answers WHERE summary <> '' ORDER BY id`, nil, func(a row) error {
		if of := r.answer(a.ID); of != nil {
			of.Summary = &Summary{Table: a.Summary, Sources: sources(of)}
			if a.Summary != nil {
				a.Summary.Dropped = nil
			}
			systems[of.System] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = store.Each(r.Store, `FROM labels WHERE kind <> 'claims' ORDER BY answer, judge, kind`, nil, func(l labelRow) error {
		a := r.answer(l.Answer)
		if a == nil {
			return nil
		}
		if a.Summary == nil {
			a.Summary = &Summary{}
		}
		if !planned[store.CellKey{Kind: l.Kind, Judge: l.Judge, System: a.System, Scenario: a.Scenario}] {
			return nil
		}
		labels := SummaryLabels{Judge: r.intern(l.Judge), Kind: r.intern(l.Kind), Status: l.Status, Reason: l.Reason}
		err := l.decode(&labels.Labels)
		a.Summary.Labels = append(a.Summary.Labels, labels)
		return err
	})
	if err != nil {
		return err
	}
	r.Run.Busy, err = r.busy(systems)
	return err
}

// sourcesOf gives the sources that an answer's table may quote: those of its system's file, or
// the arguments of its question.
func (r *reader) sourcesOf() (func(*AnswerRow) map[string]string, error) {
	var config struct {
		Models []struct{ Name, Sources string }
	}
	if json.Unmarshal([]byte(r.Run.Made[0].Config), &config) != nil {
		config.Models = nil
	}
	files := map[string][]data.PairSources{} // by system
	for _, m := range config.Models {
		if m.Sources != "" {
			var err error
			if files[m.Name], err = r.Store.Sources(m.Name); err != nil {
				return nil, err
			}
		}
	}
	known := map[[2]string]map[string]string{} // by system with a file, and object pair
	return func(a *AnswerRow) map[string]string {
		sets, fromFile := files[a.System]
		key := [2]string{"", a.Pair}
		if fromFile {
			key[0] = a.System
		}
		texts, done := known[key]
		if done {
			return texts
		}
		if fromFile {
			texts = map[string]string{}
			for _, s := range data.SourcesAbout(data.Question{Object1: a.Object1, Object2: a.Object2}, sets) {
				texts[s.ID] = s.Text
			}
		} else if a.Asked != nil && len(a.Asked.Arguments) > 0 {
			texts = map[string]string{}
			for i, argument := range a.Asked.Arguments {
				texts[strconv.Itoa(i+1)] = argument.Text
			}
		}
		known[key] = texts
		return texts
	}, nil
}

// busy is the time, in seconds, during which calls for the answers of some systems were under
// way. Pauses between runs do not count, and calls in batches have no time.
func (r *reader) busy(systems map[string]bool) (map[string]float64, error) {
	busy, until := map[string]float64{}, map[string]time.Time{}
	if len(systems) == 0 {
		return busy, nil
	}
	type attempt struct {
		Party     string
		Started   time.Time
		LatencyMS float64
	}
	err := store.Each(r.Store, `FROM attempts WHERE kind = 'answer' AND batch = '' ORDER BY started`, nil, func(a attempt) error {
		if !systems[a.Party] {
			return nil
		}
		from, to := a.Started, a.Started.Add(time.Duration(a.LatencyMS*float64(time.Millisecond)))
		if before := until[a.Party]; from.Before(before) {
			from = before
		}
		if to.After(from) {
			busy[a.Party] += to.Sub(from).Seconds()
			until[a.Party] = to
		}
		return nil
	})
	return busy, err
}
