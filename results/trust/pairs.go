package trust

import (
	"fmt"

	"compqa/data"
	"compqa/results/table"
	"compqa/stats"
)

// This file has the words of conclusions from preferences: which system is preferred, and how well a judge of pairs chooses. No other
// package words these.

// Claims about preferences.
const (
	ClaimPreferred = "preferred"
	ClaimChooses   = "chooses the better answer"
	ClaimBaseline  = "better than a judge without a model"
)

// A Preferred has the first two systems of an order by preferences.
type Preferred struct {
	By            string // "NAME's choices", "people's choices", or "the labels of pairs"
	First, Second string
	Systems       int
	Shares        [2]stats.Figure // shares of points of the first and the second system; a win is 1 point, a tie ½
	Sure          bool            // surely no other system is first
	Rivals        []string        // other systems that may be first; nil: unknown, as ranks have no ranges
}

// Finding returns which system is preferred, if that is sure.
func (p Preferred) Finding() table.Finding {
	f := table.Finding{Claim: ClaimPreferred, Subject: p.First, Figures: []table.Measured{
		table.Named(p.First+", share of points", p.Shares[0]), table.Named(p.Second+", share of points", p.Shares[1])}}
	figures := fmt.Sprintf("%s has %s of the points, %s %s", p.First, table.Percents(p.Shares[0]), p.Second, table.Percents(p.Shares[1]))
	if p.Sure {
		f.Text = fmt.Sprintf("By %s, %s is first of %s: %s.", p.By, p.First, data.Plural(p.Systems, "system", "systems"), figures)
		return f
	}
	f.Claim, f.Text = ClaimNoLeader, fmt.Sprintf("By %s, no system is clearly first: %s.", p.By, figures)
	if p.Rivals != nil {
		f.Text = fmt.Sprintf("By %s, no system is clearly first: %s, and %s may also be first.", p.By, figures,
			someNames(p.Rivals, "others"))
	}
	return f
}

// A Chooser is a judge that chooses between the two answers of a pair.
type Chooser struct {
	Judge            string
	Meaningless      string       // why its choices are meaningless, as "calls 97 % of 40 pairs a tie"; "": they are not
	RightShare       stats.Figure // share of pairs with a known better answer on which it chooses that answer
	Pairs            int          // number of pairs of RightShare
	SameInBothOrders stats.Figure // share of pairs with the same choice in both orders
	Tuned            bool         // it was tuned on these pairs
	People           bool         // the better answer is the one that people chose
	AmongPeople      stats.Figure // share of pairs on which two people choose the same; the bounds come from the two who differ most and least
}

// Finding returns how often the judge chooses the better answer, compared with people among themselves, or that this is not surely more
// than half.
func (c Chooser) Finding() table.Finding {
	f := table.Finding{Claim: ClaimChooses, Subject: c.Judge}
	if c.Meaningless != "" {
		f.Claim, f.Text = ClaimDegenerate, fmt.Sprintf("The choices of %s say nothing about the answers: it %s.", c.Judge, c.Meaningless)
		return f
	}
	f.Figures = []table.Measured{table.Named("accuracy", c.RightShare)}
	if c.SameInBothOrders.Known {
		f.Figures = append(f.Figures, table.Named("consistency", c.SameInBothOrders))
	}
	chooses := "chooses the better answer of"
	if c.People {
		chooses = "chooses as people do on"
	}
	if c.Tuned {
		chooses = "(tuned on these pairs) " + chooses
	}
	f.Text = fmt.Sprintf("%s %s %s of ", c.Judge, chooses, table.Percents(c.RightShare.Point()))
	switch {
	case c.RightShare.Few || !c.RightShare.Interval():
		f.Claim = ClaimTooFew
		f.Text += data.Plural(c.Pairs, "pair", "pairs") + ", too few to say whether that is more than half."
	case c.RightShare.High < .5:
		f.Text += "pairs, surely less than half."
	case c.RightShare.Low <= .5:
		f.Claim = ClaimNotClear
		f.Text += "pairs, not surely more than half."
	case c.AmongPeople.Known:
		f.Figures = append(f.Figures, table.Named("people among themselves", c.AmongPeople))
		f.Text += fmt.Sprintf("pairs; people among themselves on %s.", PercentSpan(c.AmongPeople))
	default:
		f.Text += "pairs."
	}
	return f
}

// PercentSpan returns a share in per cent, from its least to its greatest value, without decimals, as "60 to 75 %".
func PercentSpan(share stats.Figure) string {
	low := table.Percents(share.Least())
	high := table.Percents(share.Most())
	if low == high {
		return low
	}
	return fmt.Sprintf("%.0f to %s", 100*share.Least().Value, high)
}

// A Baseline is a judge without a model, with the judges that chose on the same pairs.
type Baseline struct {
	Name, Description string // what the baseline does, as "always takes the longer answer"; may be ""
	RightShare        stats.Figure
	Better, Not       []string // judges that surely choose the better answer more often than the baseline, and the other judges
}

// Finding returns which judges are better than the baseline.
func (b Baseline) Finding() table.Finding {
	f := table.Finding{Claim: ClaimBaseline, Subject: b.Name, Figures: []table.Measured{table.Named(b.Name+", accuracy", b.RightShare)}}
	than := fmt.Sprintf("better than %s (%s)", b.Name, table.Percents(b.RightShare.Point()))
	if b.Description != "" {
		than += ", which " + b.Description
	}
	be := func(names []string) string {
		if len(names) == 1 {
			return names[0] + " is"
		}
		return someNames(names, "others") + " are"
	}
	switch {
	case b.Not == nil:
		f.Text = fmt.Sprintf("%s %s.", be(b.Better), than)
	case b.Better == nil:
		f.Claim, f.Text = ClaimNotClear, fmt.Sprintf("%s not shown to be %s.", be(b.Not), than)
	default:
		f.Text = fmt.Sprintf("%s %s; %s not shown to be.", be(b.Better), than, be(b.Not))
	}
	return f
}

// NoChoices returns the finding that nothing can be concluded from pairs.
func NoChoices() table.Finding {
	return table.Finding{Claim: ClaimTooFew, Subject: "pairs", Text: "No judge compared pairs of which the better answer is known, nor two " +
		"systems in both orders."}
}

// NobodyChose returns the finding that the record has choices of judges, but neither people's choices nor labels. least is the number of
// pairs that would show how well a judge chooses.
func NobodyChose(least int) table.Finding {
	return table.Finding{Claim: ClaimTooFew, Subject: "people", Text: "Nothing shows whether the judges choose as people do: no person chose.",
		Next: fmt.Sprintf("people's choices on %d pairs or more", least)}
}
