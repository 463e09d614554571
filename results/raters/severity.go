package raters

import (
	"errors"
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/stats"
	"compqa/stats/agreement"
	"compqa/stats/ranking"
)

// A Severity says how strict one of several raters of a criterion is, and whether its values follow the order of the others' values (see
// ranking.Severities). It is a row of severity.csv. If nothing can be estimated, a single row has the reason.
type Severity struct {
	Judge     string       `csv:"judge"` // the judge that is one of the raters
	Criterion string       `csv:"criterion"`
	Rater     string       `csv:"rater"`
	Kind      Kind         `csv:"kind"`
	N         int          `csv:"n"`                                   // items that another of the raters rated as well
	Severity  stats.Figure `csv:"severity,severity_low,severity_high"` // logits; larger is stricter; people's mean is 0
	Infit     stats.Figure `csv:"infit"`
	InfitSE   stats.Figure `csv:"infit_se"`
	Outfit    stats.Figure `csv:"outfit"`
	OutfitSE  stats.Figure `csv:"outfit_se"`
	Note      string       `csv:"note"`

	side int // 1: only lowest values where others differ, -1: only highest; 0 otherwise (ranking.Strictness)
}

// NobodyMeasured is the name of the rater in the row that says why nothing could be estimated.
const NobodyMeasured = "-"

// Random is the least outfit of a rater whose values count as more random than the model allows, if outfit is surely above 1. Wright and
// Linacre (1994) give 1.2 to 1.4 as the upper end of what is reasonable for ratings.
const Random = 1.3

// IsRandom reports whether the rater's values are surely more random than the other raters' values let expect.
func (s Severity) IsRandom() bool {
	return s.Outfit.Value >= Random && s.Outfit.Value-1.96*s.OutfitSE.Value > 1
}

// IsStrict reports whether the rater is surely stricter than people's mean, or too strict for a number.
func (s Severity) IsStrict() bool { return s.Severity.AboveZero() || s.side > 0 }

// IsMild reports whether the rater is surely milder than people's mean, or too mild for a number.
func (s Severity) IsMild() bool { return s.Severity.BelowZero() || s.side < 0 }

// Severities returns a row for each of some raters who gave a value, and the fitted panel with the distances between raters. If nothing can
// be estimated, it returns a single row with the reason.
func (t Table) Severities(judge string, who []Rater) ([]Severity, ranking.Panel) {
	who = data.Where(who, func(r Rater) bool { return slices.ContainsFunc(r.Values, Value.Given) })
	values := make([][]float64, len(who))
	people := make([]bool, len(who))
	for i, r := range who {
		people[i] = r.Kind == Person
		values[i] = data.Each(r.Values, func(v Value) float64 {
			if !v.Given() {
				return math.NaN()
			}
			return v.Number()
		})
	}
	var p ranking.Panel
	var err error
	switch {
	case t.Scale.Level == agreement.Nominal && !t.Scale.Rates:
		err = stats.Reason("labels have no order")
	case t.Weighted():
		err = stats.Reason("people rated a part of the items that is not a simple random sample")
	default:
		p, err = ranking.Severities(values, people, t.clusters())
	}
	if err != nil {
		return []Severity{Unmeasured(judge, t.Criterion, whyNone(err, who))}, p
	}
	rows := make([]Severity, len(who))
	origin := 0 // people whose mean severity is 0
	for i, r := range p.Raters {
		if people[i] && r.Side == 0 {
			origin++
		}
	}
	for i, r := range p.Raters {
		row := Severity{Judge: judge, Criterion: t.Criterion, Rater: who[i].Name, Kind: who[i].Kind, N: r.Items, side: r.Side}
		switch {
		case r.Side == 0 && people[i] && origin == 1:
			row.Severity = stats.Number(0)
		case r.Side == 0:
			row.Severity = stats.WithInterval(r.Severity.Value, r.Severity.Low, r.Severity.High)
		}
		if r.Outfit.Items > 0 {
			row.Infit, row.InfitSE = stats.Number(r.Infit.Value), stats.Number(r.Infit.SE)
			row.Outfit, row.OutfitSE = stats.Number(r.Outfit.Value), stats.Number(r.Outfit.SE)
		}
		row.Note = row.note()
		rows[i] = row
	}
	return rows, p
}

// Unmeasured returns the row that says why no severity could be estimated.
func Unmeasured(judge, criterion string, why error) Severity {
	s := Severity{Judge: judge, Criterion: criterion, Rater: NobodyMeasured, Kind: "-", Severity: stats.MissingFigure(why)}
	s.Note = s.Severity.Reason()
	return s
}

// note returns in words what the figures show about the rater: strict, mild or random; "" if nothing is sure.
func (s Severity) note() string {
	var parts []string
	for _, note := range []struct {
		holds bool
		text  string
	}{
		{s.side > 0, "stricter than any number says: where others differ, always the lowest value"},
		{s.side < 0, "milder than any number says: where others differ, always the highest value"},
		{s.Severity.AboveZero(), "strict"}, {s.Severity.BelowZero(), "mild"},
		{s.IsRandom(), "random: values do not follow the others'"},
	} {
		if note.holds {
			parts = append(parts, note.text)
		}
	}
	return strings.Join(parts, "; ")
}

// whyNone returns the reason why there are no severities. It names the raters that have no common items with the others, or that always
// give the same value.
func whyNone(err error, who []Rater) error {
	var side *ranking.OneSidedError
	if errors.As(err, &side) {
		constant := data.Where(who, func(r Rater) bool {
			values := data.Where(r.Values, Value.Given)
			return !slices.ContainsFunc(values, func(v Value) bool { return v.Number() != values[0].Number() })
		})
		if names := data.Each(constant, func(r Rater) string { return r.Name }); len(names) > 0 {
			return stats.Reason(data.List(names) + data.Form(len(names), " gives", " give") + " always the same value")
		}
		return stats.Reason("where two raters differ, the same one always gives the highest or the lowest value")
	}
	var apart *ranking.UnconnectedError
	if !errors.As(err, &apart) {
		return err
	}
	return stats.Reason("no common items connect " + strings.Join(data.Each(apart.Groups, func(part []int) string {
		return data.Some(data.Each(part, func(r int) string { return who[r].Name }))
	}), " with "))
}
