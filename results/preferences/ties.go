package preferences

import (
	"cmp"
	"math"
	"regexp"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// margins are the leads by a judge's scores on one prompt of RewardBench 2's subset Ties.
type margins struct {
	correct   float64 // smallest lead of a correct answer over an incorrect one
	different float64 // difference between the best and the worst correct answer; 0 if there is one correct answer
	known     bool    // the judge has a score for each pair
}

// tiedPrompt matches the end of an item's name: the kind of the prompt, with one correct answer (ref) or several (tied), and its number.
var tiedPrompt = regexp.MustCompile(`(ref|tied):(\d+)$`)

// tiesScore returns RewardBench 2's score of its subset Ties, for a judge that gives scores (process_single_model of rewardbench/utils.py;
// Malik et al. 2025). Each question has two prompts: with one correct answer (ref), and with several (tied). Let m be the smallest lead of
// a correct answer over an incorrect one. Let d be the difference between the best and the worst correct answer of tied. The score is
//
//	.30 share(m_tied > 0) + .30 share(m_ref > 0) + .20 share(m_tied > d) + .20 share(min(m_ref, m_tied) > d)
//	    + .01 mean tanh(min(m_ref, m_tied) / d − 1)
//
// in [-.01, 1.01]. The first two shares are over prompts, the others over questions with both prompts. If d is 0, the last term is the sign
// of the minimum. A prompt without all scores has no lead. n is the number of prompts. known is false if no prompt has all scores.
func tiesScore(pairs []judged) (score float64, n int, known bool) {
	type key struct {
		round    int
		question string
	}
	found := map[string]map[key]margins{"ref": {}, "tied": {}}
	var order []key // the keys of tied, in a fixed order, as the last digits of a sum depend on its order
	for _, item := range table.Grouped(pairs, func(j judged) [2]any { return [2]any{j.round, j.Item} }) {
		m := tiedPrompt.FindStringSubmatch(item[0].Item)
		if m == nil {
			continue
		}
		place := key{item[0].round, m[2]}
		itsMargins := marginsOf(item)
		found[m[1]][place] = itsMargins
		n++
		known = known || itsMargins.known
		if m[1] == "tied" {
			order = append(order, place)
		}
	}
	if !known {
		return 0, 0, false
	}
	share := func(all map[key]margins) (leads []float64) {
		for _, m := range all { // the order does not matter, as all values are 0 or 1
			leads = append(leads, dataset.Indicator(m.known && m.correct > 0))
		}
		return leads
	}
	var preferred, hard, ratios []float64
	for _, key := range order {
		tied := found["tied"][key]
		ref := found["ref"][key]
		if _, both := found["ref"][key]; !both {
			continue
		}
		least := min(ref.correct, tied.correct)
		all := ref.known && tied.known
		preferred = append(preferred, dataset.Indicator(tied.known && tied.correct > tied.different))
		hard = append(hard, dataset.Indicator(all && least > tied.different))
		ratio := math.Tanh(least/tied.different - 1)
		if tied.different == 0 {
			ratio = float64(cmp.Compare(least, 0))
		}
		if !all {
			ratio = -1
		}
		ratios = append(ratios, ratio)
	}
	mean := func(values []float64) float64 {
		if values == nil {
			return 0
		}
		return stats.Mean(values)
	}
	return 0.3*mean(share(found["tied"])) + 0.3*mean(share(found["ref"])) + 0.2*mean(preferred) + 0.2*mean(hard) + 0.01*mean(ratios), n, true
}

// marginsOf returns the margins of one prompt. Its pairs combine each correct answer with each incorrect one.
func marginsOf(pairs []judged) (m margins) {
	m.correct = math.Inf(1)
	m.known = true
	low := map[string]float64{}
	high := map[string]float64{} // low and high are the least and the largest lead over an incorrect answer, by its number
	for _, j := range pairs {
		match := places.FindStringSubmatch(j.Id)
		lead, has := j.lead()
		if !has || match == nil {
			return margins{}
		}
		m.correct = min(m.correct, lead)
		if _, seen := low[match[2]]; !seen {
			low[match[2]] = lead
			high[match[2]] = lead
		}
		low[match[2]], high[match[2]] = min(low[match[2]], lead), max(high[match[2]], lead)
		m.different = max(m.different, high[match[2]]-low[match[2]])
	}
	return m
}

// lead returns the score of the better answer minus that of the other answer, as a mean over orders. has is false if no order has scores.
func (j judged) lead() (lead float64, has bool) {
	var leads []float64
	for i, p := range j.by {
		if p == nil || p.Status != data.Valid || p.Detail.Difference == nil {
			continue
		}
		firstLeads := *p.Detail.Difference
		if j.Label.In(data.Orders[i]) == data.ChoiceB { // the better one is shown second
			firstLeads = -firstLeads
		}
		leads = append(leads, firstLeads)
	}
	if leads == nil {
		return 0, false
	}
	return stats.Mean(leads), true
}
