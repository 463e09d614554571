package judgequality

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats/agreement"
)

// answer is the shortest answer to whether the judge may stand in.
func (s altTest) Answer(w JudgeAssessment) string {
	switch {
	case w.WithinCriteria().short != nil:
		return "no"
	case s.Test == nil || w.few():
		return "cannot be said"
	case s.Strictest() == nil:
		return "no"
	}
	return fmt.Sprintf("yes at epsilon %s", table.Shortest(s.Strictest().Epsilon))
}

// strictest is the passed verdict with the least epsilon, nil without one.
func (s altTest) Strictest() *agreement.AltVerdict {
	var best *agreement.AltVerdict
	for i, v := range s.Test.Verdicts {
		if v.Passes && (best == nil || v.Epsilon < best.Epsilon) {
			best = &s.Test.Verdicts[i]
		}
	}
	return best
}

func (w JudgeAssessment) WithinCriteria() levelAssessment {
	return w.Levels[slices.Index(wholeLevels, dataset.LevelWithinCriterion)]
}

// standInSentence answers the question of the whole page.
func (w JudgeAssessment) StandInSentence() string {
	s := w.AltTest
	text := "May it stand in for an annotator? "
	switch {
	case w.WithinCriteria().short != nil:
		text += "No: within criteria it has not shown more than a floor. "
	case s.Test == nil && s.Lacks == nil:
		text += fmt.Sprintf("That cannot be said: the alternative-annotator test takes three annotators, and there is %s. ", countWord(s.Annotators))
	case s.Test == nil:
		text += fmt.Sprintf("That cannot be said: the alternative-annotator test takes %s with %s each that another one and the judge scored too; there are %s, and the most that one has is %d. ",
			table.Plural(s.Lacks.NeedAnnotators, "annotator", "annotators"), table.Plural(s.Lacks.NeedItems, "sheet", "sheets"), countWord(s.Annotators), s.Lacks.MostItems)
	case s.Strictest() == nil:
		text += "No, by the alternative-annotator test. "
	default:
		text += fmt.Sprintf("Yes, by the alternative-annotator test, if that may cost %s of the sheets won. ", table.Shortest(s.Strictest().Epsilon))
	}
	if s.Test != nil {
		text += s.testText()
	}
	text += s.besidesText()
	if w.totals.Tentative.Known() {
		text += fmt.Sprintf("The alpha of its totals is %s; P(alpha below 0.667) = %s, P(alpha below 0.8) = %s.",
			table.Interval(w.totals.AlphaInterval, w.totals.AlphaIntervalLow, w.totals.AlphaIntervalHigh, 3), w.totals.Tentative.Text(2), w.totals.Reliable.Text(2))
	}
	return strings.TrimSpace(text)
}

func countWord(n int) string {
	if n == 0 {
		return "none"
	}
	return strconv.Itoa(n)
}

// testText is the outcome for every epsilon.
func (s altTest) testText() string {
	var rates []string
	for _, v := range s.Test.Verdicts {
		rates = append(rates, fmt.Sprintf("%.2f at epsilon %s", v.WinningRate, table.Shortest(v.Epsilon)))
	}
	return fmt.Sprintf("Of %s it may replace a share of %s; it is at least as close to the others on a share of %.2f of the sheets, and as close on %.2f. ",
		table.Plural(len(s.Test.Annotators), "annotator", "annotators"), table.Listed(rates, "and"), s.Test.Advantage, s.Test.TieRate)
}

// besidesText compares the judge with two annotators in sentences, with more in
// numbers.
func (s altTest) besidesText() string {
	text, better, worse, all := "", 0, 0, 0
	for _, r := range s.Besides {
		text += r.sentence()
		better += int(dataset.Indicator(r.Totals.Above()))
		worse += int(dataset.Indicator(r.Totals.Below()))
		all += int(dataset.Indicator(r.Totals.Value.Known()))
	}
	if len(s.Besides) <= 2 || all == 0 {
		return text
	}
	return fmt.Sprintf("Set against each annotator on the totals of another one, it agrees with that one worse in %d of %d comparisons, and better in %d. ", worse, all, better)
}

func (r ceilingRow) sentence() string {
	if !r.Totals.Value.Known() {
		return ""
	}
	how := "as well as, so far as can be told,"
	switch {
	case r.Totals.Above():
		how = "better than"
	case r.Totals.Below():
		how = "worse than"
	}
	return fmt.Sprintf("With %s it agrees on totals %s %s does (alpha %s, %s). ", r.Annotator, how, r.Other, MarginBrief(r.Totals), table.Plural(r.n, "sheet", "sheets"))
}
