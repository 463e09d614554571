package dataset

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"compqa/data"
	"compqa/results/store"
)

// A Summary is the contrastive table of an answer, and the labels that judges gave it.
type Summary struct {
	Table   *data.ContrastTable // without dropped rows; nil if the answer has none
	Sources map[string]string   // texts that the table may quote, by ID; nil if unknown
	Labels  []SummaryLabels     // sorted by judge and kind
}

// SummaryLabels are the labels of one kind by one judge.
type SummaryLabels struct {
	Judge, Kind string
	Status      data.Status
	Reason      string
	data.Labels
}

// EachLabel calls each with every label of the answer by a judge: of its claims, then of its table. It leaves out labels that were computed
// offline.
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

// sources returns a function that returns the texts that an answer's table may quote, by ID. They come from the file of its system, or else
// from the arguments of its question.
func (r *reader) sources() (func(*AnswerRow) map[string]string, error) {
	files, err := r.Store.SystemSources()
	known := map[[2]string]map[string]string{} // by system with a file (else ""), and question
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

// busy computes the seconds during which calls for answers were running, by system with tables. Overlapping calls count once. Pauses
// between runs do not count, and calls in batches have no time.
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

// ShowsArguments reports, by scenario with a recorded template, whether the template shows the question's arguments.
func (run *Run) ShowsArguments() map[string]bool {
	shows := map[string]bool{}
	for _, p := range run.Made {
		for id, text := range p.TemplateTexts() {
			shows[id] = strings.Contains(text, ".Arguments")
		}
	}
	return shows
}

// AnswerClaims counts an answer's claims, as a judge labelled them: supported by the arguments of the question, contradicted by them, or
// not in them (see data.Claims).
type AnswerClaims struct {
	Judge                                string
	Status                               data.Status
	Reason                               string // why the status is not valid
	Supported, Contradicted, Unsupported int
	ChoiceAgrees                         *bool
	Flagged                              bool
}

// labels adds the recorded labels of claims and tables to their answers. Labels of tables count only if they are planned.
func (r *reader) labels() error {
	type row struct {
		Answer, Judge, Kind string
		Status              data.Status
		Reason              string
		Labels              string // JSON
	}
	return store.EachOf(r.Store, store.KindLabel, func(l row) error {
		a := r.answer(l.Answer)
		if a == nil {
			return nil
		}
		var claims data.Claims
		labels := SummaryLabels{Judge: r.intern(l.Judge), Kind: r.intern(l.Kind), Status: l.Status, Reason: l.Reason}
		into := any(&claims)
		if l.Kind != data.LabelClaims {
			if a.Summary == nil {
				a.Summary = &Summary{}
			}
			into = &labels.Labels
			if !r.planned[store.CellKey{Kind: l.Kind, Judge: l.Judge, System: a.System, Scenario: a.Scenario}] {
				return nil
			}
		}
		if l.Status == data.Valid {
			if err := json.Unmarshal([]byte(l.Labels), into); err != nil {
				return fmt.Errorf("the labels (%s) of answer %s by %s: %w", l.Kind, l.Answer, l.Judge, err)
			}
		}
		if l.Kind != data.LabelClaims {
			a.Summary.Labels = append(a.Summary.Labels, labels)
			return nil
		}
		c := AnswerClaims{Judge: labels.Judge, Status: labels.Status, Reason: labels.Reason, ChoiceAgrees: claims.ChoiceAgrees,
			Flagged: claims.Flagged()}
		c.Supported, c.Contradicted, c.Unsupported = claims.Count()
		a.Claims = append(a.Claims, c)
		return nil
	})
}
