package leaderboard

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// A FaithfulnessRow compares the claims of a system's answers with the arguments of their questions, as a judge labelled them. Supported,
// Contradicted and Unsupported are shares of the claims of all answers together. AllScenarios covers the answers of all scenarios.
type FaithfulnessRow struct {
	System       string       `csv:"system"`
	Scenario     string       `csv:"scenario"`
	Judge        string       `csv:"judge"`
	Claims       int          `csv:"claims"`
	Supported    stats.Figure `csv:"supported"`
	Contradicted stats.Figure `csv:"contradicted"`
	Unsupported  stats.Figure `csv:"unsupported"`
	ChoiceAgrees stats.Figure `csv:"choice_agrees"` // share of choosing answers that choose the object with more arguments
	CILow        stats.Figure `csv:"ci_low"`        // of Contradicted, clustered by question
	CIHigh       stats.Figure `csv:"ci_high"`
	Answers      int          `csv:"answers"` // answers with valid labels
	Flagged      stats.Figure `csv:"flagged"` // share of the answers with many contradicted claims

	Share stats.Figure `csv:"-"` // Contradicted with its interval
}

// FaithfulnessTable says how well answers follow the arguments of their questions.
var FaithfulnessTable = table.Def[FaithfulnessRow]{File: "faithfulness.csv", Views: []table.View[FaithfulnessRow]{{Title: "Claims",
	About: "Shares of the claims in the answers that an argument of the question supports or contradicts, or that are in no " +
		"argument; the brackets belong to “contradicted”. In scenarios without arguments, answers are also compared with the " +
		"arguments of the question. “choice agrees”: share of the answers that choose the object with more arguments, among " +
		"answers that choose an object. “flagged”: answers with more than 0.45 of their supported and contradicted claims " +
		"contradicted. The judge faithful compares words, not meaning: compqa docs judges says how often it is wrong.",
	Words: 3, Shown: []string{"system", "scenario", "judge", "answers:0", "claims:0", "supported", "Share=contradicted",
		"unsupported", "choice_agrees=choice agrees", "flagged"}}}}

// A claimed has the labelled claims of an answer, and its question.
type claimed struct {
	dataset.AnswerClaims
	question int
}

// faithfulness returns the rows, sorted by system, judge and scenario.
func faithfulness(x *dataset.Dataset) (rows []FaithfulnessRow, err error) {
	type place struct {
		cell  int
		judge string
	}
	judges := map[string]bool{}
	claimedAt := map[place][]claimed{}
	for i, row := range x.Answers {
		for _, claims := range row.Claims {
			if x.ConditionOf[i] >= 0 && claims.Status == data.Valid && row.Status == data.Valid {
				spot := place{x.ConditionOf[i], claims.Judge}
				judges[claims.Judge] = true
				claimedAt[spot] = append(claimedAt[spot], claimed{claims, x.Question[i]})
			}
		}
	}
	var calc dataset.Calculator
	for s, system := range x.Systems {
		for _, judge := range slices.Sorted(maps.Keys(judges)) {
			for _, scope := range x.Scopes(s, func(c int) bool { return claimedAt[place{c, judge}] != nil }) {
				var all []claimed
				for _, c := range scope.Cells {
					all = append(all, claimedAt[place{c, judge}]...)
				}
				rows = append(rows, faithfulnessRow(&calc, FaithfulnessRow{System: system.Name, Scenario: scope.Scenario, Judge: judge}, all))
			}
		}
	}
	return rows, calc.Err
}

// faithfulnessRow fills in the figures of a row. With x contradicted claims among the n claims of each answer, the share is the ratio R =
// Σx/Σn. Its standard error is that of the mean of
//
//	v = R + (x - R·n)·answers/Σn
func faithfulnessRow(calc *dataset.Calculator, r FaithfulnessRow, answers []claimed) FaithfulnessRow {
	r.Answers = len(answers)
	supported := 0
	contradicted := 0
	agree := 0
	choices := 0
	flagged := 0
	for _, a := range answers {
		r.Claims += a.Supported + a.Contradicted + a.Unsupported
		supported += a.Supported
		contradicted += a.Contradicted
		if a.ChoiceAgrees != nil {
			choices++
			agree += int(dataset.Indicator(*a.ChoiceAgrees))
		}
		flagged += int(dataset.Indicator(a.Flagged))
	}
	r.Flagged, r.ChoiceAgrees = stats.Ratio(flagged, len(answers)), stats.Ratio(agree, choices)
	r.Supported, r.Contradicted = stats.Ratio(supported, r.Claims), stats.Ratio(contradicted, r.Claims)
	r.Unsupported = stats.Ratio(r.Claims-supported-contradicted, r.Claims)
	if r.Claims == 0 {
		return r
	}
	claims := float64(r.Claims)
	share := r.Contradicted.Value
	var v dataset.Sample
	for _, a := range answers {
		total := float64(a.Supported + a.Contradicted + a.Unsupported)
		v.Add(share+float64((float64(a.Contradicted)-float64(share*total))*float64(len(answers))/claims), a.question)
	}
	m, err := stats.MeanInterval(v.Values, v.Questions, dataset.Confidence)
	if calc.Value(m.Low, err) != nil {
		r.CILow, r.CIHigh = stats.Number(max(0, m.Low)), stats.Number(min(1, m.High))
	}
	r.Share = stats.Bound(r.Contradicted, r.CILow, r.CIHigh)
	return r
}

// FaithfulnessText names the systems whose claims are often contradicted: at least one claim in ten, where the interval begins above one in
// twenty. It returns "" if there is none.
func (t *Tables) FaithfulnessText() string {
	var often []string
	for _, r := range t.Faithfulness {
		if r.Scenario == dataset.AllScenarios && r.CILow.Known && r.Contradicted.Value >= 0.1 && r.CILow.Value > 0.05 {
			often = append(often, fmt.Sprintf("%s (%s of its claims by %s)", r.System, r.Contradicted.Text(2), r.Judge))
		}
	}
	if often == nil {
		return ""
	}
	return "The questions' arguments often contradict " + strings.Join(often, ", ") + "."
}
