package dataset

import (
	"database/sql"
	"encoding/json"
	"fmt"
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
func (r *Reader) summaries() (err error) {
	if r.Run.LabelPlan, err = r.LabelCells(); err != nil {
		return err
	}
	sources, err := r.sourcesOf()
	if err != nil {
		return err
	}
	of := func(answer string) *Summary {
		at, ok := r.answerAt[answer]
		if !ok {
			return nil
		}
		if r.Run.Answers[at].Summary == nil {
			r.Run.Answers[at].Summary = &Summary{}
		}
		return r.Run.Answers[at].Summary
	}
	planned := map[store.CellKey]bool{}
	for _, c := range r.Run.LabelPlan {
		planned[c.Key()] = true
	}
	systems := map[string]bool{}
	err = r.Each(`SELECT id, summary FROM answers WHERE summary <> '' ORDER BY id`, nil, func(rows *sql.Rows) error {
		var answer string
		var text []byte
		if err := rows.Scan(&answer, &text); err != nil {
			return err
		}
		s := of(answer)
		if s == nil {
			return nil
		}
		if err := json.Unmarshal(text, &s.Table); err != nil {
			return fmt.Errorf("the table of answer %s: %w", answer, err)
		}
		s.Table.Dropped = nil
		row := &r.Run.Answers[r.answerAt[answer]]
		s.Sources = sources(row)
		systems[row.System] = true
		return nil
	})
	if err != nil {
		return err
	}
	err = r.Each(`SELECT answer, judge, kind, status, reason, labels FROM labels WHERE kind <> 'claims' ORDER BY answer, judge, kind`, nil,
		func(rows *sql.Rows) error {
			var answer string
			var text []byte
			var l SummaryLabels
			if err := rows.Scan(&answer, &l.Judge, &l.Kind, &l.Status, &l.Reason, &text); err != nil {
				return err
			}
			s := of(answer)
			if s == nil {
				return nil
			}
			a := &r.Run.Answers[r.answerAt[answer]]
			if !planned[store.CellKey{Kind: l.Kind, Judge: l.Judge, System: a.System, Scenario: a.Scenario}] {
				return nil
			}
			l.Judge, l.Kind = r.intern(l.Judge), r.intern(l.Kind)
			if l.Status == data.Valid {
				if err := json.Unmarshal(text, &l.Labels); err != nil {
					return fmt.Errorf("the labels (%s) of answer %s by %s: %w", l.Kind, answer, l.Judge, err)
				}
			}
			s.Labels = append(s.Labels, l)
			return nil
		})
	if err != nil {
		return err
	}
	r.Run.Busy, err = r.busy(systems)
	return err
}

// sourcesOf gives the sources that an answer's table may quote: those of its system's file, or
// the arguments of its question.
func (r *Reader) sourcesOf() (func(*AnswerRow) map[string]string, error) {
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
func (r *Reader) busy(systems map[string]bool) (map[string]float64, error) {
	busy, until := map[string]float64{}, map[string]time.Time{}
	if len(systems) == 0 {
		return busy, nil
	}
	err := r.Each(`SELECT party, started, latency_ms FROM attempts WHERE kind = 'answer' AND batch = '' ORDER BY started`, nil,
		func(rows *sql.Rows) error {
			var system, text string
			var latency float64
			if err := rows.Scan(&system, &text, &latency); err != nil || !systems[system] {
				return err
			}
			from, err := time.Parse(time.RFC3339Nano, text)
			if err != nil {
				return err
			}
			to := from.Add(time.Duration(latency * float64(time.Millisecond)))
			if before := until[system]; from.Before(before) {
				from = before
			}
			if to.After(from) {
				busy[system] += to.Sub(from).Seconds()
				until[system] = to
			}
			return nil
		})
	return busy, err
}
