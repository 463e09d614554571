package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"compqa/stats"
)

// answer is the shortest answer to whether the judge may stand in.
func (s standIn) answer(w worth) string {
	switch {
	case w.withinCriteria().short != nil:
		return "no"
	case s.test == nil || w.few():
		return "cannot be said"
	case s.strictest() == nil:
		return "no"
	}
	return fmt.Sprintf("yes at epsilon %s", shortest(s.strictest().Epsilon))
}

// strictest is the passed verdict with the least epsilon, nil without one.
func (s standIn) strictest() *stats.AltVerdict {
	var best *stats.AltVerdict
	for i, v := range s.test.Verdicts {
		if v.Passes && (best == nil || v.Epsilon < best.Epsilon) {
			best = &s.test.Verdicts[i]
		}
	}
	return best
}

func (w worth) withinCriteria() levelWorth {
	return w.levels[slices.Index(wholeLevels, LevelWithinCriterion)]
}

// standInSentence answers the question of the whole page.
func (w worth) standInSentence() string {
	s := w.standIn
	text := "May it stand in for an annotator? "
	switch {
	case w.withinCriteria().short != nil:
		text += "No: within criteria it has not shown more than a floor. "
	case s.test == nil && s.lacks == nil:
		text += fmt.Sprintf("That cannot be said: the alternative-annotator test takes three annotators, and there is %s. ", countWord(s.annotators))
	case s.test == nil:
		text += fmt.Sprintf("That cannot be said: the alternative-annotator test takes %s with %s each that another one and the judge scored too; there are %s, and the most that one has is %d. ",
			plural(s.lacks.NeedAnnotators, "annotator", "annotators"), plural(s.lacks.NeedItems, "sheet", "sheets"), countWord(s.annotators), s.lacks.MostItems)
	case s.strictest() == nil:
		text += "No, by the alternative-annotator test. "
	default:
		text += fmt.Sprintf("Yes, by the alternative-annotator test, if that may cost %s of the sheets won. ", shortest(s.strictest().Epsilon))
	}
	if s.test != nil {
		text += s.testText()
	}
	text += s.besidesText()
	if w.totals.tentative.known() {
		text += fmt.Sprintf("The alpha of its totals is %s; P(alpha below 0.667) = %s, P(alpha below 0.8) = %s.",
			interval(w.totals.AlphaInterval, w.totals.AlphaIntervalLow, w.totals.AlphaIntervalHigh, 3), w.totals.tentative.text(2), w.totals.reliable.text(2))
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
func (s standIn) testText() string {
	var rates []string
	for _, v := range s.test.Verdicts {
		rates = append(rates, fmt.Sprintf("%.2f at epsilon %s", v.WinningRate, shortest(v.Epsilon)))
	}
	return fmt.Sprintf("Of %s it may replace a share of %s; it is at least as close to the others on a share of %.2f of the sheets, and as close on %.2f. ",
		plural(len(s.test.Annotators), "annotator", "annotators"), listed(rates, "and"), s.test.Advantage, s.test.TieRate)
}

// besidesText compares the judge with two annotators in sentences, with more in
// numbers.
func (s standIn) besidesText() string {
	text, better, worse, all := "", 0, 0, 0
	for _, r := range s.besides {
		text += r.sentence()
		better += int(indicator(r.totals.above()))
		worse += int(indicator(r.totals.below()))
		all += int(indicator(r.totals.value.known()))
	}
	if len(s.besides) <= 2 || all == 0 {
		return text
	}
	return fmt.Sprintf("Set against each annotator on the totals of another one, it agrees with that one worse in %d of %d comparisons, and better in %d. ", worse, all, better)
}

func (r ceilingRow) sentence() string {
	if !r.totals.value.known() {
		return ""
	}
	how := "as well as, so far as can be told,"
	switch {
	case r.totals.above():
		how = "better than"
	case r.totals.below():
		how = "worse than"
	}
	return fmt.Sprintf("With %s it agrees on totals %s %s does (alpha %s, %s). ", r.annotator, how, r.other, r.totals.brief(), plural(r.n, "sheet", "sheets"))
}
