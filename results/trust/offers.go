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

// The words of conclusions about what a method of judging pairs costs, and about training. No other package words one.

// Claims about methods of judging pairs.
const (
	ClaimBuy     = "what to buy"
	ClaimTrained = "trained judge"
)

// An Offer is a judge of pairs with its accuracy, and its price of a thousand pairs.
type Offer struct {
	Judge    string
	Accuracy stats.Figure
	Price    stats.Figure // US dollars, or calls where no price is known
}

// Offers lists what judges of one set of pairs cost and how accurate they are, the cheapest first. A judge that another one dominates, by
// costing no more and being at least as accurate, is left out.
type Offers struct {
	Set       string
	Dollars   bool // prices are US dollars, not calls
	Best      []Offer
	Dominated []string
	Free      []Offer // make no calls
	Pairs     int
	Least     int          // pairs from which methods are compared
	Gain      stats.Figure // of the most accurate offer over the one before: a difference of accuracies on the same pairs
}

// Finding says what to take for which price, and how many more pairs would tell the two most accurate offers apart.
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
		case o.Gain.Above():
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

// MorePairs is how many pairs, next to the pairs that there are, would show a difference at 95 % with a power of 80 %, if it and its spread
// stay as they are; 0: it is shown, or nothing is known.
//
//	more = pairs · ((z_.975 + z_.8) · SE / difference)² - pairs
func MorePairs(difference stats.Figure, pairs int) int {
	if !difference.Bounded || difference.Above() || difference.Below() {
		return 0
	}
	normal := distuv.UnitNormal
	se := (difference.High - difference.Low) / 2 / normal.Quantile(.975)
	needed := float64(pairs) * math.Pow((normal.Quantile(.975)+normal.Quantile(.8))*se/difference.Value, 2)
	return int(math.Ceil(min(needed, 1e9))) - pairs
}

// Training is a trained judge next to its base, on pairs that it was not trained on.
type Training struct {
	Base, Trained string
	Set           string
	Difference    stats.Figure // of accuracies, trained minus base
	Pairs, Least  int          // pairs that there are, and from which the judges are compared
}

// Finding says whether training changed the accuracy.
func (t Training) Finding() table.Finding {
	f := table.Finding{Claim: ClaimTrained, Subject: t.Trained,
		Figures: []table.Measured{table.Named("accuracy of "+t.Trained+" minus "+t.Base, t.Difference)}}
	basis := fmt.Sprintf("%s, %s", t.Difference.Signed(2), data.Plural(t.Pairs, "pair", "pairs"))
	switch {
	case t.Pairs < t.Least:
		f.Claim, f.Next = ClaimTooFew, fmt.Sprintf("%d more pairs", t.Least-t.Pairs)
		f.Text = fmt.Sprintf("Too few to tell on %s whether %s is more accurate than %s (%s); at least %d are needed.", t.Set, t.Trained, t.Base,
			basis, t.Least)
	case t.Difference.Above():
		f.Text = fmt.Sprintf("On %s, %s is clearly more accurate than %s (%s).", t.Set, t.Trained, t.Base, basis)
	case t.Difference.Below():
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
