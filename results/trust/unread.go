package trust

import (
	"math"

	"compqa/data"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/labels"
)

// Claims about verdicts that nobody reads.
const (
	ClaimUnread   = "verdicts may stand unread"
	ClaimNoUnread = "no verdict may stand unread"
	ClaimReadAll  = "read them all"
	ClaimFewMore  = "too few labels"
	ClaimAsk      = "ask judges first"
)

// Reasons why no verdict is said to stand unread, next to those of a Decision.
const (
	FewItems   Reason = "few items to read"    // fewer than leastPool
	Continuous Reason = "continuous values"    // which hardly ever are equal
	NotSure    Reason = "no confidence"        //
	Ceiling    Reason = "people differ"        // from each other, on more than twice what is asked for
	Odd        Reason = "labels by confidence" // they are not a random sample
	FewLabels  Reason = "few labels"           // at any threshold
	NoStep     Reason = "no threshold"         // holds
	NotAsked   Reason = "judges not asked"     // whose confidences decide
	ByConstant Reason = "one value"            // would pass, too, on a scale of points
)

// Limits of the rule of verdicts that nobody reads.
const (
	leastPool   = 60    // items below which all are to be read
	enoughBoth  = 20    // items that two people rated, from which the share on which they differ is a ceiling
	mostFurther = 10000 // labels of a stream that are told to be needed
	usualWrong  = .3    // of the share that may differ: for so many the labels are told that would be needed
)

// An Unread asks which verdicts of judges on a criterion may stand unread: see labels.Unread, whose Delta here is that of all tests and
// looks together.
type Unread struct {
	Judges     []string // the cheapest first
	Criterion  string   // "": it is the only one
	Question   labels.Unread
	Values     []float64 // of the person, for each of Question.Labelled
	Apart      []float64 // the share of pairs of people that differ, for each of Question.Labelled; NaN: one person
	Points     bool      // the scale has more than two values, in an order
	Continuous bool
	Word       func(float64) string
	Doubt      Reason    // why nothing is said whatever the figures are
	Questions  []string  // of Doubt, as in a Decision
	Source     string    // of confidences, in words
	Without    int       // verdicts without a confidence or a label
	Labels     int       // of all people on Question.Labelled
	Skipped    int       // places of people's file without a value
	Drawn      bool      // each label has a probability on record, the same for all; else labels are taken to be random
	Tests      int       // that share Delta: criteria and judges
	Look       int       // looks so far, which share it, too; 0: none are kept
	Prices     []float64 // US dollars of a verdict of each judge, and then of a label; nil: not known
	Unpriced   []string  // judges of which a verdict has no price, where another price is known
}

// An Unattended is the answer to an Unread.
type Unattended struct {
	Unread
	labels.UnreadAnswer
	Reason   Reason       // why none is said to stand; "": Widest is
	Constant stats.Figure // the share of labels at Widest, or of all used ones, that differ from the value which people give most
	Usual    float64      // that value

	delta         float64 // the part of Delta that this test has
	constantWrong int     // labels that differ from Usual
}

// Decide answers, with Delta divided by the number of tests and, at look l, by l (l+1), so that all looks together have Delta. Nothing
// stands of fewer than 60 items, nor below half of the share on which two people differ, which no judge can be shown to reach; on a
// scale of points, neither where always giving one value would pass the same test.
func (u Unread) Decide() Unattended {
	d := Unattended{Unread: u}
	question := u.Question
	parts := u.Tests
	if u.Look > 0 {
		parts *= u.Look * (u.Look + 1)
	}
	question.Delta /= float64(parts)
	d.delta, d.UnreadAnswer = question.Delta, question.Answer()
	d.setConstant()
	switch {
	case u.Doubt != "":
		d.Reason = u.Doubt
	case u.Continuous:
		d.Reason = Continuous
	case d.items() == 0:
		d.Reason = NotSure
	case d.items() < leastPool:
		d.Reason = FewItems
	case !question.OfAll && question.Alpha < d.ceiling()/2:
		d.Reason = Ceiling
	case d.UnreadAnswer.Odd < labels.OddSample:
		d.Reason = Odd
	case d.Pending >= 0:
		d.Reason = NotAsked
	case len(d.enough()) == 0:
		d.Reason = FewLabels
	case d.Widest < 0:
		d.Reason = NoStep
	case u.Points && question.P(d.constantWrong, d.Steps[d.Widest]) <= d.Level:
		d.Reason = ByConstant
	}
	return d
}

// Step returns the widest step, which holds; nil: none is said to.
func (d *Unattended) Step() *labels.Step {
	if d.Reason != "" {
		return nil
	}
	return &d.Steps[d.Widest]
}

// items returns the number of items that the question is about.
func (u Unread) items() int {
	if len(u.Question.Confidence) == 0 {
		return 0
	}
	return len(u.Question.Confidence[0])
}

// enough returns the steps with enough labels.
func (d *Unattended) enough() []labels.Step {
	return data.Where(d.Steps, func(s labels.Step) bool { return s.Counted >= d.Least })
}

// apart returns the share of the labelled items that a step leaves unread whose people differ from each other; not known of few items.
func (u Unread) apart(s labels.Step) stats.Figure {
	sum := 0.0
	n := 0
	for k, i := range u.Question.Labelled {
		if judge, asked := u.Question.Decider(s, i); judge >= 0 && asked && !math.IsNaN(u.Apart[k]) {
			sum += u.Apart[k]
			n++
		}
	}
	if n < enoughBoth {
		return stats.Figure{}
	}
	return stats.Ratio(sum, n)
}

// ceiling returns the least of these shares over all steps; 0: none is known.
func (d *Unattended) ceiling() float64 {
	least := stats.Figure{}
	for _, step := range d.Steps {
		if apart := d.apart(step); apart.Known && (!least.Known || apart.Value < least.Value) {
			least = apart
		}
	}
	return least.Value
}

// setConstant finds the value that people give most on the used labels that Widest leaves unread, or on all, and how much always giving
// it would differ.
func (d *Unattended) setConstant() {
	counts := map[float64]int{}
	n := 0
	for _, k := range d.Used {
		if d.Widest >= 0 {
			if judge, _ := d.Question.Decider(d.Steps[d.Widest], d.Question.Labelled[k]); judge < 0 {
				continue
			}
		}
		n++
		value := d.Values[k]
		counts[value]++
		if counts[value] > counts[d.Usual] || counts[value] == counts[d.Usual] && value < d.Usual {
			d.Usual = value
		}
	}
	d.constantWrong = n - counts[d.Usual]
	d.Constant = stats.Ratio(d.constantWrong, n)
}

// Finding says what may stand, how sure that is, on what it rests, and what is next.
func (d Unattended) Finding() table.Finding {
	claims := map[Reason]string{"": ClaimUnread, FewItems: ClaimReadAll, FewLabels: ClaimFewMore, NotAsked: ClaimAsk}
	f := table.Finding{Claim: claims[d.Reason], Subject: data.List(d.Judges)}
	if f.Claim == "" {
		f.Claim = ClaimNoUnread
	}
	if step := d.Step(); step != nil {
		add := func(name string, value stats.Figure) { f.Figures = append(f.Figures, table.Named(name, value)) }
		add("share that may stand unread", stats.Number(d.Share))
		for _, judge := range step.Judges {
			add("confidence", stats.Number(judge.Least))
		}
		add("labels there", stats.Count(step.Labelled))
		add("of these, a person differs", stats.Count(step.Wrong))
		add("of these, people differ from each other", d.apart(*step))
		f.Text, f.Next = d.stands(*step), d.readRest()
	} else {
		f.Text, f.Next = d.none()
	}
	if f.Next != "" {
		f.Text += " Next: " + f.Next + "."
	}
	return f
}

// best returns the step that comes nearest; the surest one with enough labels where none is near.
func (d *Unattended) best() labels.Step {
	enough := d.enough()
	best := enough[0]
	for _, step := range enough {
		if step.P < min(best.P, .5) {
			best = step
		}
	}
	return best
}

// left returns how many of the items that nobody labelled, or of all items of a stream, each judge decides at a step.
func (d *Unattended) left(s labels.Step) []int {
	counts, labelled := make([]int, len(d.Judges)), d.labelled()
	for i := range d.items() {
		if judge, asked := d.Question.Decider(s, i); judge >= 0 && asked && (d.Question.Stream || !labelled[i]) {
			counts[judge]++
		}
	}
	return counts
}

// labelled returns the items that have a label.
func (d *Unattended) labelled() map[int]bool {
	labelled := map[int]bool{}
	for _, i := range d.Question.Labelled {
		labelled[i] = true
	}
	return labelled
}

// Price is what a verdict on an item costs, in US dollars, on average over the items that nobody labelled, if people read what a step does
// not leave unread: all judges that were asked about it, and the label. It is not known without prices.
func (d *Unattended) Price(s labels.Step) stats.Figure {
	if d.Prices == nil {
		return stats.Figure{}
	}
	sum := 0.0
	labelled := d.labelled()
	for i := range d.items() {
		if labelled[i] {
			continue
		}
		decider, _ := d.Question.Decider(s, i)
		for j, price := range d.Prices {
			if decider < 0 || j <= decider {
				sum += price
			}
		}
	}
	return stats.Ratio(sum, d.unlabelled())
}

func (d *Unattended) unlabelled() int { return d.items() - len(d.Question.Labelled) }

// AboutUnread explains the table of thresholds, for readers of it.
const AboutUnread = "Thresholds are equal shares of all confidences. p is the chance of as few wrong labels if more than the share that " +
	"was asked for would differ; all thresholds are tested at once at the level, so that the widest one that passes may be taken. The level " +
	"assumes that a judge as wrong as that at every confidence is the worst case, which simulated profiles show and nobody has proved."
