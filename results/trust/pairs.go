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
)

// A Preferred is the first two systems of an order by preferences.
type Preferred struct {
	By            string // "the preferences of NAME", or "the labels of pairs"
	First, Second string
	Shares        [2]stats.Figure // of points, of the first and of the second: a win 1, a tie ½
	Sure          bool            // no other system may be first
	Rivals        []string        // that may be first, too; nil without Sure: ranks have no ranges
}

// Finding says which system is preferred, if that is sure.
func (p Preferred) Finding() table.Finding {
	f := table.Finding{Claim: ClaimPreferred, Subject: p.First, Figures: []table.Measured{
		table.Named(p.First+", share of points", p.Shares[0]), table.Named(p.Second+", share of points", p.Shares[1])}}
	figures := fmt.Sprintf("%s has %s of the points, %s %s", p.First, p.Shares[0].Text(2), p.Second, p.Shares[1].Text(2))
	if p.Sure {
		f.Text = fmt.Sprintf("By %s, %s is first: %s.", p.By, p.First, figures)
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
	Judge     string
	Nothing   string       // why its choices say nothing, as "calls 97 % of 40 pairs a tie"; "": they may
	Right     stats.Figure // share of pairs with a known better answer of which it chooses that
	Pairs     int          // of Right
	BothOrder bool         // Right is of pairs that it has right in both orders
	Same      stats.Figure // share of pairs with the same choice in both orders
	Tuned     bool         // on these pairs
}

// Finding says how often the judge chooses the better answer, and whether that is surely more than half.
func (c Chooser) Finding() table.Finding {
	f := table.Finding{Claim: ClaimChooses, Subject: c.Judge}
	if c.Nothing != "" {
		f.Claim, f.Text = ClaimDegenerate, fmt.Sprintf("The choices of %s say nothing about the answers: it %s.", c.Judge, c.Nothing)
		return f
	}
	orders, half := "", "not surely more than half"
	if c.BothOrder {
		orders = ", in both orders"
	}
	switch {
	case c.Right.Few || !c.Right.Interval():
		f.Claim, half = ClaimTooFew, "too few pairs to say whether that is more than half"
	case c.Right.Low > .5:
		half = "surely more than half"
	case c.Right.High < .5:
		half = "surely less than half"
	default:
		f.Claim = ClaimNotClear
	}
	f.Figures = []table.Measured{table.Named("accuracy", c.Right)}
	f.Text = fmt.Sprintf("%s chooses the better answer of %s of %s%s: %s", c.Judge, c.Right.Text(2), data.Plural(c.Pairs, "pair", "pairs"),
		orders, half)
	if c.Same.Known {
		f.Text += fmt.Sprintf("; its choice is the same in both orders of %s", c.Same.Point().Text(2))
		f.Figures = append(f.Figures, table.Named("consistency", c.Same))
	}
	f.Text += "."
	if c.Tuned {
		f.Text += " It was tuned on these pairs."
	}
	return f
}

// NoChoices says that there is nothing to conclude from pairs.
func NoChoices() table.Finding {
	return table.Finding{Claim: ClaimTooFew, Subject: "pairs", Text: "No judge compared pairs of which the better answer is known, nor two " +
		"systems in both orders."}
}
