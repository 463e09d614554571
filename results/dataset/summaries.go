package dataset

import (
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

// sources gives the sources that an answer's table may quote: those of its system's file, or the arguments of its question.
func (r *reader) sources() (func(*AnswerRow) map[string]string, error) {
	files, err := r.Store.SystemSources()
	known := map[[2]string]map[string]string{} // by system with a file, and question
	return func(a *AnswerRow) map[string]string {
		sets, fromFile := files[a.System]
		key := [2]string{"", a.Question}
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
	}, err
}

// busy reads the time, in seconds, during which calls for the answers of systems with tables were under
// way. Pauses between runs do not count, and calls in batches have no time.
func (r *reader) busy() error {
	systems := map[string]bool{}
	until := map[string]time.Time{}
	for _, a := range r.Run.Answers {
		if a.Summary != nil && a.Summary.Table != nil {
			systems[a.System] = true
		}
	}
	r.Run.Busy = map[string]float64{}
	if len(systems) == 0 {
		return nil
	}
	return r.Store.EachAnswerTime(func(a store.AnswerTime) error {
		if !systems[a.Party] {
			return nil
		}
		from := a.Started
		to := a.Started.Add(time.Duration(a.LatencyMS * float64(time.Millisecond)))
		if before := until[a.Party]; from.Before(before) {
			from = before
		}
		if to.After(from) {
			r.Run.Busy[a.Party] += to.Sub(from).Seconds()
			until[a.Party] = to
		}
		return nil
	})
}
