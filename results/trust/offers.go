package trust

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"compqa/data"
	"compqa/results/table"
	"compqa/stats"
)

// This file has the words of conclusions about the cost of judging pairs, and about training. No other package words these.

// Claims about methods of judging pairs.
const (
	ClaimBuy     = "what to buy"
	ClaimTrained = "trained judge"
)

// An Offer is a judge of pairs with its accuracy, and its price for a thousand pairs.
type Offer struct {
	Judge    string
	Accuracy stats.Figure
	Price    stats.Figure // US dollars, or the number of calls if prices are unknown
}

// Offers compares judges of one set of pairs by price and accuracy. Best has them in ascending order of price. It leaves out judges that
// another one dominates: the other costs no more and is at least as accurate.
type Offers struct {
	Set       string
	Dollars   bool // prices are US dollars, not calls
	Best      []Offer
	Dominated []string
	Free      []Offer // judges that make no calls
	Pairs     int
	Least     int          // least number of pairs for a comparison
	Gain      stats.Figure // accuracy of the most accurate offer minus that of the one before, on the same pairs
}

// Finding returns which judge to take at which price, and how many more pairs would distinguish the two most accurate ones.
func (o Offers) Finding() table.Finding {
	f := table.Finding{Claim: ClaimBuy, Subject: o.Set}
	for _, offer := range o.Best {
		f.Figures = append(f.Figures, table.Named(offer.Judge+": accuracy", offer.Accuracy), table.Named(offer.Judge+": "+o.unit(), offer.Price))
	}
	if o.Pairs < o.Least {
		f.Claim = ClaimTooFew
		f.Text = fmt.Sprintf("Too few to tell which judge of pairs to buy: %s on %s, at least %d are needed.",
			data.Plural(o.Pairs, "pair", "pairs"), o.Set, o.Least)
		f.Next = fmt.Sprintf("%d more pairs", o.Least-o.Pairs)
		return f
	}
	last := len(o.Best) - 1
	texts := make([]string, len(o.Best))
	for i, offer := range o.Best {
		what := fmt.Sprintf("%s (accuracy %s)", offer.Judge, offer.Accuracy.Text(2))
		switch {
		case last == 0:
			texts[i] = fmt.Sprintf("%s, for %s", what, o.price(offer))
		case i == last:
			texts[i] = fmt.Sprintf("from %s on %s", o.price(offer), what)
		default:
			texts[i] = fmt.Sprintf("for up to %s %s", o.price(o.Best[i+1]), what)
		}
	}
	f.Text = fmt.Sprintf("Of the judges of %s take, in %s: %s.", o.Set, o.unit(), strings.Join(texts, "; "))
	if o.Dominated != nil {
		f.Text += fmt.Sprintf(" Never %s: another one costs no more and is at least as accurate.", someNames(o.Dominated, "others"))
	}
	for _, offer := range o.Free {
		f.Text += fmt.Sprintf(" %s makes no calls (accuracy %s).", offer.Judge, offer.Accuracy.Text(2))
	}
	if last > 0 && o.Gain.Known {
		better := o.Best[last].Judge
		other := o.Best[last-1].Judge
		more := MorePairs(o.Gain, o.Pairs)
		switch {
		case o.Gain.AboveZero():
			f.Text += fmt.Sprintf(" %s is clearly more accurate than %s.", better, other)
		case more > mostMore:
			f.Text += fmt.Sprintf(" More than 2,000 more pairs would be needed to tell %s from %s.", better, other)
		case more > 0:
			f.Next = fmt.Sprintf("%d more pairs", rounded(more))
			f.Text += fmt.Sprintf(" About %d more pairs would tell %s from %s, if it stays so.", rounded(more), better, other)
		}
	}
	return f
}

func (o Offers) unit() string {
	if o.Dollars {
		return "US dollars for 1,000 pairs in both orders"
	}
	return "calls for 1,000 pairs in both orders"
}

func (o Offers) price(offer Offer) string {
	if !o.Dollars {
		return offer.Price.Text(0) + " calls"
	}
	return "$" + offer.Price.Text(2)
}

// MorePairs returns how many further pairs would show a difference at 95 % with a power of 80 %, if the difference and its spread stay the
// same. It returns 0 if the difference is already shown, or unknown.
//
//	more = pairs · ((z_.975 + z_.8) · SE / difference)² - pairs
func MorePairs(difference stats.Figure, pairs int) int {
	if !difference.Bounded || difference.AboveZero() || difference.BelowZero() {
		return 0
	}
	normal := distuv.UnitNormal
	se := (difference.High - difference.Low) / 2 / normal.Quantile(.975)
	needed := float64(pairs) * math.Pow((normal.Quantile(.975)+normal.Quantile(.8))*se/difference.Value, 2)
	return int(math.Ceil(min(needed, 1e9))) - pairs
}

// A Training compares a trained judge with its base model, on pairs on which it was not trained.
type Training struct {
	Base, Trained string
	Set           string
	Difference    stats.Figure // accuracy of the trained judge minus that of its base
	Pairs, Least  int          // number of pairs, and least number for a comparison
}

// Finding returns whether training changed the accuracy.
func (t Training) Finding() table.Finding {
	f := table.Finding{Claim: ClaimTrained, Subject: t.Trained,
		Figures: []table.Measured{table.Named("accuracy of "+t.Trained+" minus "+t.Base, t.Difference)}}
	basis := fmt.Sprintf("%s, %s", t.Difference.Signed(2), data.Plural(t.Pairs, "pair", "pairs"))
	switch {
	case t.Pairs < t.Least:
		f.Claim, f.Next = ClaimTooFew, fmt.Sprintf("%d more pairs", t.Least-t.Pairs)
		f.Text = fmt.Sprintf("Too few to tell on %s whether %s is more accurate than %s (%s); at least %d are needed.", t.Set, t.Trained, t.Base,
			basis, t.Least)
	case t.Difference.AboveZero():
		f.Text = fmt.Sprintf("On %s, %s is clearly more accurate than %s (%s).", t.Set, t.Trained, t.Base, basis)
	case t.Difference.BelowZero():
		f.Text = fmt.Sprintf("On %s, %s is clearly less accurate than %s (%s).", t.Set, t.Trained, t.Base, basis)
	default:
		f.Text = fmt.Sprintf("On %s, no clear difference of %s and %s (%s)", t.Set, t.Trained, t.Base, basis)
		if more := MorePairs(t.Difference, t.Pairs); more > 0 && more <= mostMore {
			f.Next = fmt.Sprintf("%d more pairs", rounded(more))
			f.Text += fmt.Sprintf("; about %d more pairs would tell, if it stays so", rounded(more))
		}
		f.Text += "."
	}
	return f
}
