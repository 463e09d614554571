package trust

import (
	"fmt"

	"compqa/data"
	"compqa/results/table"
	"compqa/stats"
)

// The words of conclusions from preferences: which system is preferred, and how well a judge of pairs chooses. No other package words one.

// Claims about preferences.
const (
	ClaimPreferred = "preferred"
	ClaimChooses   = "chooses the better answer"
	ClaimBaseline  = "better than a judge without a model"
)

// A Preferred is the first two systems of an order by preferences.
type Preferred struct {
	By            string // "NAME's choices", "people's choices", or "the labels of pairs"
	First, Second string
	Systems       int
	Shares        [2]stats.Figure // of points, of the first and of the second: a win 1, a tie ½
	Sure          bool            // no other system may be first
	Rivals        []string        // that may be first, too; nil without Sure: ranks have no ranges
}

// Finding says which system is preferred, if that is sure.
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

// A Chooser is a judge of pairs.
type Chooser struct {
	Judge   string
	Nothing string       // why its choices say nothing, as "calls 97 % of 40 pairs a tie"; "": they may
	Right   stats.Figure // share of pairs with a known better answer of which it chooses that
	Pairs   int          // of Right
	Same    stats.Figure // share of pairs with the same choice in both orders
	Tuned   bool         // on these pairs
	People  bool         // the better answer is the one that people chose
	Among   stats.Figure // share of pairs on which a person chooses as another one; the bounds are of the two who differ most and least
}

// Finding says how often the judge chooses the better answer, next to people among themselves, or that it is not surely more than half.
func (c Chooser) Finding() table.Finding {
	f := table.Finding{Claim: ClaimChooses, Subject: c.Judge}
	if c.Nothing != "" {
		f.Claim, f.Text = ClaimDegenerate, fmt.Sprintf("The choices of %s say nothing about the answers: it %s.", c.Judge, c.Nothing)
		return f
	}
	f.Figures = []table.Measured{table.Named("accuracy", c.Right)}
	if c.Same.Known {
		f.Figures = append(f.Figures, table.Named("consistency", c.Same))
	}
	chooses := "chooses the better answer of"
	if c.People {
		chooses = "chooses as people do on"
	}
	if c.Tuned {
		chooses = "(tuned on these pairs) " + chooses
	}
	f.Text = fmt.Sprintf("%s %s %s of ", c.Judge, chooses, table.Percents(c.Right.Point()))
	switch {
	case c.Right.Few || !c.Right.Interval():
		f.Claim = ClaimTooFew
		f.Text += data.Plural(c.Pairs, "pair", "pairs") + ", too few to say whether that is more than half."
	case c.Right.High < .5:
		f.Text += "pairs, surely less than half."
	case c.Right.Low <= .5:
		f.Claim = ClaimNotClear
		f.Text += "pairs, not surely more than half."
	case c.Among.Known:
		f.Figures = append(f.Figures, table.Named("people among themselves", c.Among))
		f.Text += fmt.Sprintf("pairs; people among themselves on %s.", PercentSpan(c.Among))
	default:
		f.Text += "pairs."
	}
	return f
}

// PercentSpan returns a share in per cent from its least to its greatest value, without decimals.
func PercentSpan(share stats.Figure) string {
	low := table.Percents(share.Least())
	high := table.Percents(share.Most())
	if low == high {
		return low
	}
	return fmt.Sprintf("%.0f to %s", 100*share.Least().Value, high)
}

// A Baseline is a judge without a model, and the judges that chose on the same pairs.
type Baseline struct {
	Name, Does  string // Does as "always takes the longer answer"; "": nothing more is said
	Right       stats.Figure
	Better, Not []string // judges that surely choose the better answer more often than it does, and the others
}

// Finding says which judges do better than a judge without a model.
func (b Baseline) Finding() table.Finding {
	f := table.Finding{Claim: ClaimBaseline, Subject: b.Name, Figures: []table.Measured{table.Named(b.Name+", accuracy", b.Right)}}
	than := fmt.Sprintf("better than %s (%s)", b.Name, table.Percents(b.Right.Point()))
	if b.Does != "" {
		than += ", which " + b.Does
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

// NoChoices says that there is nothing to conclude from pairs.
func NoChoices() table.Finding {
	return table.Finding{Claim: ClaimTooFew, Subject: "pairs", Text: "No judge compared pairs of which the better answer is known, nor two " +
		"systems in both orders."}
}

// NobodyChose says that a record has choices of judges, but neither people's nor labels; least is the number of pairs that would tell
// how well a judge chooses.
func NobodyChose(least int) table.Finding {
	return table.Finding{Claim: ClaimTooFew, Subject: "people", Text: "Nothing shows whether the judges choose as people do: no person chose.",
		Next: fmt.Sprintf("people's choices on %d pairs or more", least)}
}
