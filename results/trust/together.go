package trust

import (
	"fmt"
	"math"
	"strings"

	"compqa/data"
	"compqa/results/table"
	"compqa/stats"
)

// ClaimTogether is the claim about people's mean that all judges together estimate.
const ClaimTogether = "people's mean by several judges"

// BasisTogether is the basis of a mean that several judges together estimate.
const BasisTogether = "people+judges"

// Limits of the rule for several judges.
const (
	leastEach     = 20   // labels for each judge
	leastTogether = 60   // labels for all judges
	leastOther    = 5    // labels that differ from people's most frequent value, for an interval
	narrower      = .95  // the judges count if their interval is below this share of the interval by labels alone
	dollars       = 100. // money for the next purchase
)

// Reasons why several judges do not count, in addition to those of a Decision.
const (
	FewTogether Reason = "few labels for several judges"
	NotNarrower Reason = "not narrower"
	Rare        Reason = "rare values" // people give nearly always the same value
	ByWeights   Reason = "weighted labels"
)

// An AllJudges asks for the mean that people would give to all items that several judges scored.
type AllJudges struct {
	Criterion string // "": the only criterion
	Judges    []string
	Sample    stats.TogetherSample
	Named     string       // the judge that was named in advance, which counts alone if labels are few; "": none
	First     Correction   // correction by Named
	Doubt     Reason       // why nothing is said, whatever the figures are; "": no such reason
	Questions []string     // open questions to the user, as in a Study
	Drawn     bool         // all labels have the same recorded probability; else labels are assumed to be random
	LeftOut   int          // items for which some judge has no value
	Marked    []string     // judges that do not count, each with the question to answer first
	Tuned     []string     // judges that do not count because they were tuned on these labels: they err less on labelled items
	People    float64      // mean number of people who label an item; 0: one
	Label     stats.Figure // price of a label by one person, in US dollars
	Item      stats.Figure // price of the verdicts of all judges on one more item, in US dollars
	Unpriced  []string     // judges without a price
}

// A Joint is the answer to an AllJudges.
type Joint struct {
	AllJudges
	Reason Reason       // why the judges do not count together; "": they count
	Mean   stats.Figure // the mean that counts, on people's scale
	Basis  string       // BasisTogether, BasisBoth (the named judge), BasisPeople, or BasisNone
	Alone  stats.Figure // mean by labels alone
	All    stats.Figure // mean by the judges together, even if they do not count
	// Explained is the share of the variance of people's values that the judges explain. Judges of pure noise explain about 0, or less.
	Explained stats.Figure
	Labels    int // number of labels that count: one of each cluster
	Next      Purchase
}

// A Purchase is what the next 100 dollars buy.
type Purchase struct {
	Labels, Items stats.Figure // more labelled items, and more items that all judges score; missing: no price
	Half          stats.Figure // half-width of the interval after the purchase, if values stay the same
	All           bool         // no more can be bought, so that the money may not be used up
}

// Decide estimates people's mean by a rule that is fixed before labels are seen. With fewer than 20 labels for each judge, or 60 in all,
// the mean of the labels counts, or the mean by the judge that was named in advance. With more labels, the judges together count if their
// interval is less than .95 as wide as that by labels alone. Judges are not selected by width, since intervals would then cover less. If
// items are in clusters, labelled clusters are counted. If fewer than five labels differ from people's most frequent value, there is no
// interval.
func (t AllJudges) Decide() Joint {
	d := Joint{AllJudges: t, Basis: BasisNone, Reason: t.Doubt}
	if d.Reason != "" {
		return d
	}
	m, err := stats.MeanTogether(t.Sample, level)
	d.Labels = m.Clusters
	if len(t.Sample.Human) > 0 {
		d.Alone = stats.Number(stats.Mean(t.Sample.Human))
		d.Basis = BasisPeople
	}
	if m.LabelsOnly.SE > 0 {
		d.Alone = stats.WithInterval(m.LabelsOnly.Value, m.LabelsOnly.Low, m.LabelsOnly.High)
	}
	if err == nil {
		d.All, d.Explained = stats.WithInterval(m.Value, m.Low, m.High), stats.Number(m.Explained)
	}
	d.Mean = d.Alone
	_, others := usual(t.Sample.Human)
	switch {
	case others < leastOther:
		d.Reason, d.Mean, d.All, d.Alone = Rare, d.Alone.Point(), d.All.Point(), d.Alone.Point()
	case d.Labels < max(leastTogether, leastEach*len(t.Judges)) || err != nil:
		d.Reason = FewTogether
		if t.Named != "" && t.First.Mean.Known {
			d.Mean = t.First.Mean
			d.Basis = BasisBoth
		}
	case halfWidth(d.All) >= narrower*halfWidth(d.Alone):
		d.Reason = NotNarrower
	default:
		d.Mean = d.All
		d.Basis = BasisTogether
	}
	d.Next = d.buy(dollars)
	return d
}

// usual returns the most frequent of some values, the lowest of several, and the number of values that differ from it.
func usual(values []float64) (value float64, others int) {
	counts := map[float64]int{}
	for _, x := range values {
		counts[x]++
		if counts[x] > counts[value] || counts[x] == counts[value] && x < value {
			value = x
		}
	}
	return value, len(values) - counts[value]
}

func halfWidth(f stats.Figure) float64 { return (f.High - f.Low) / 2 }

// buy returns what a sum of money buys best. With a more labels and b more items it minimises
//
//	(1-R²)/(n+a) + R²/(N+b)
//
// to which the variance is proportional. R² is the share that the judges explain, n the number of labels and N the number of items now.
// The price of a and b must not exceed the money. The optimum is
//
//	(n+a)/(N+b) = √((1-R²)/R² · price of an item / price of a label)
//
// It is limited by what there is: b is at most N, since nobody knows whether there are more items like these, and a at most N+b-n. Labels
// alone have R² = 0.
func (d *Joint) buy(money float64) (p Purchase) {
	if !d.Label.Known || !d.Mean.Bounded || d.Basis == BasisBoth {
		return p
	}
	n := float64(len(d.Sample.Human))
	items := float64(len(d.Sample.Judges[0]))
	explained := 0.0
	a := 0.0
	b := 0.0
	label := d.itemLabel()
	if d.Basis == BasisTogether {
		explained = max(0, min(1, d.Explained.Value))
	}
	if d.Item.Known && d.Item.Value > 0 && explained > 0 {
		ratio := math.Sqrt((1 - explained) / explained * d.Item.Value / label)
		b = (money + label*(n-ratio*items)) / (label*ratio + d.Item.Value)
		b = max(b, (money-label*(items-n))/(label+d.Item.Value)) // no more labels than items
		b = math.Floor(max(0, min(b, money/d.Item.Value, items)))
	}
	a = math.Floor(min((money-b*d.Item.Value)/label, items+b-n))
	if d.Item.Known && d.Item.Value > 0 && explained > 0 {
		b = min(items, b+math.Floor((money-a*label-b*d.Item.Value)/d.Item.Value)) // spend what is left after whole labels
		p.Items = stats.Number(b)
	}
	p.All = a == items+b-n
	variance := func(a, b float64) float64 { return (1-explained)/(n+a) + explained/(items+b) }
	p.Labels = stats.Number(a)
	p.Half = stats.Number(halfWidth(d.Mean) * math.Sqrt(variance(a, b)/variance(0, 0)))
	return p
}

// itemLabel returns the price of labelling an item, by as many people as label one now.
func (d *Joint) itemLabel() float64 { return d.Label.Value * max(1, d.People) }

// numbers has the words for numbers that begin a sentence.
var numbers = []string{"No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"}

// together returns the number of judges, to begin a sentence.
func (d *Joint) together() string {
	n := len(d.Judges)
	if n < len(numbers) {
		return numbers[n] + data.Form(n, " judge", " judges")
	}
	return data.Plural(n, "judge", "judges")
}

// withHalf returns a mean and the half-width of its interval, as "0.712 ± 0.021 (95 %)".
func withHalf(f stats.Figure) string {
	if !f.Bounded {
		return f.Point().Text(3)
	}
	return f.Point().Text(3) + " ± " + stats.Number(halfWidth(f)).Text(3) + " (" + exactly(level) + ")"
}

// bought returns in words a number of labelled items to buy.
func (d *Joint) bought(n int) string {
	switch whole := int(math.Round(d.People)); {
	case n == 0:
		return "no more labels"
	case d.People <= 1:
		return data.Plural(n, "label", "labels")
	case math.Abs(d.People-float64(whole)) < .05 && whole < len(numbers):
		return fmt.Sprintf("%s labelled by %s people", data.Plural(n, "item", "items"), strings.ToLower(numbers[whole]))
	}
	return fmt.Sprintf("%s labelled by %s people on average", data.Plural(n, "item", "items"), stats.Number(d.People).Text(1))
}

// Finding returns what mean people would give, how sure that is, on what it is based, and what the next 100 dollars buy.
func (d Joint) Finding() table.Finding {
	f := table.Finding{Claim: ClaimTogether, Subject: d.Criterion}
	add := func(name string, value stats.Figure) {
		if value.Known {
			f.Figures = append(f.Figures, table.Named(name, value))
		}
	}
	add("people would give", d.Mean)
	add("by labels alone", d.Alone)
	add("by all judges together", d.All)
	add("variance explained", d.Explained)
	f.Text, f.Next = d.text(), d.purchaseText()
	switch {
	case f.Next != "":
		f.Text += " " + data.Capital(f.Next) + "."
	case d.Label.Known && d.Reason == Rare:
		f.Text += " Without an interval nothing is said of the next 100 dollars."
	case d.Label.Known && d.Basis == BasisBoth:
		f.Text += " Of one judge that was named nothing is said of the next 100 dollars."
	}
	return f
}

// text returns the mean that people would give, with its basis and what was left out, or why nothing is said.
func (d *Joint) text() string {
	n := len(d.Sample.Human)
	on := on(d.Criterion)
	alone := fmt.Sprintf("Labels alone give %s%s for items like these", withHalf(d.Mean), on)
	items := len(d.Sample.Judges[0])
	rests := fmt.Sprintf(" Rests on: %s of %s%s", data.Plural(n, "label", "labels"), data.Plural(items, "item", "items"), d.clustered())
	switch {
	case d.Drawn:
		rests += ", drawn at random."
	case n == items:
		rests += "."
	default:
		rests += ", taken to be random."
	}
	if d.LeftOut > 0 {
		rests += fmt.Sprintf(" Left out: %s without a value of each judge.", data.Plural(d.LeftOut, "item", "items"))
	}
	if len(d.Marked) > 0 {
		rests += fmt.Sprintf(" Left out: %s.", data.List(d.Marked))
	}
	if len(d.Tuned) > 0 {
		rests += fmt.Sprintf(" Left out: %s, tuned on these labels.", data.List(d.Tuned))
	}
	switch d.Reason {
	case "":
		return fmt.Sprintf("%s give %s%s for items like these (labels alone ± %s).", d.together(), withHalf(d.Mean), on,
			stats.Number(halfWidth(d.Alone)).Text(3)) + rests
	case FewTogether:
		if d.Basis == BasisBoth {
			alone = fmt.Sprintf("%s, which was named beforehand, gives %s%s for items like these (labels alone ± %s)", d.Named, withHalf(d.Mean),
				on, stats.Number(halfWidth(d.Alone)).Text(3))
		}
		return fmt.Sprintf("%s: %s few for %d judges together (%d for each, and at least %d).", alone,
			data.Plural(d.Labels, d.unit()+" is too", d.unit()+"s are too"), len(d.Judges), leastEach, leastTogether) + rests
	case NotNarrower:
		return fmt.Sprintf("%s: %d judges together do not make it narrower (± %s).", alone, len(d.Judges),
			stats.Number(halfWidth(d.All)).Text(3)) + rests
	case Rare:
		_, others := usual(d.Sample.Human)
		return fmt.Sprintf("People give %s%s, on average: %s not their most frequent value, too few for an interval (%d).", d.Mean.Text(3), on,
			data.Plural(others, "label is", "labels are"), leastOther) + rests
	case Unchecked:
		return fmt.Sprintf("Nothing is said of all judges together%s: first say %s.", on, data.List(d.Questions))
	case LabelsByVerdict:
		return fmt.Sprintf("Nothing is said of all judges together%s: the labels are no random sample, as people labelled some verdicts of a "+
			"judge, or of all judges together, more often.", on)
	case ByWeights:
		return fmt.Sprintf("Nothing is said of all judges together%s: labels have weights (unequal probabilities, or another mix of "+
			"systems or lengths than the other items), for which this is not tested. validation.csv has the rate by one judge (rate_corrected).", on)
	}
	return fmt.Sprintf("Nothing is said of all judges together%s: %s.", on, d.Reason)
}

// unit returns what the rule counts: "labelled question" or "label".
func (d *Joint) unit() string {
	if d.Sample.Clusters != nil {
		return "labelled question"
	}
	return "label"
}

func (d *Joint) clustered() string {
	if d.Sample.Clusters != nil {
		return ", with " + data.Plural(d.Labels, "labelled question", "labelled questions")
	}
	return ""
}

// purchaseText returns what the next 100 dollars buy.
func (d *Joint) purchaseText() string {
	switch {
	case d.Reason == LabelsByVerdict:
		return "next: label items that are drawn at random (--budget N)"
	case !d.Alone.Bounded || d.Basis == BasisBoth || d.Reason == Unchecked:
		return ""
	case d.Label.Known && d.Next.Labels.Value == 0 && d.Next.Items.Value == 0 && !(d.Item.Known && d.Item.Value == 0):
		return d.noPurchaseText()
	case !d.Label.Known:
		return "say what a label costs (--label-price DOLLARS) for what the next 100 dollars buy"
	}
	calls := "no more calls"
	switch {
	case d.Basis != BasisTogether:
	case !d.Item.Known:
		calls = fmt.Sprintf("if no more calls, whose price is not known of %s (--call-price JUDGE=DOLLARS)", data.List(d.Unpriced))
	case d.Item.Value == 0:
		calls = "and calls cost nothing, so let the judges score all items that you have"
	case d.Next.Items.Value > 0:
		n := int(d.Next.Items.Value)
		calls = fmt.Sprintf("%s for all judges (%d calls)", data.Plural(n, "more item", "more items"), n*len(d.Judges))
	}
	if d.Next.All {
		calls += fmt.Sprintf(", %s in all", amount(d.Next.Labels.Value*d.itemLabel()+d.Next.Items.Value*d.Item.Value))
	}
	return fmt.Sprintf("the next 100 dollars: %s, %s; then ± %s", d.bought(int(d.Next.Labels.Value)), calls, d.Next.Half.Text(3))
}

// noPurchaseText returns why 100 dollars buy nothing.
func (d *Joint) noPurchaseText() string {
	if len(d.Sample.Human) == len(d.Sample.Judges[0]) && d.itemLabel() <= dollars {
		return "the next 100 dollars: nothing, since every item has a label"
	}
	text := fmt.Sprintf("the next 100 dollars buy nothing: the labels of an item cost %s", amount(d.itemLabel()))
	if d.Item.Known && d.Basis == BasisTogether {
		text += fmt.Sprintf(", the verdicts of all judges on one %s", amount(d.Item.Value))
	}
	return text
}

// AboutTogether explains the table of all judges together to its readers.
const AboutTogether = "People's mean of items like these, with the judges' values as regressors. The judges count together with at least " +
	"20 labels for each and 60 in all, if their interval is below .95 of that of the labels alone; no judge is chosen by its width."
