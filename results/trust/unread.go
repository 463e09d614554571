package trust

import (
	"math"

	"compqa/data"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/labels"
)

// Claims about verdicts that stand unread, that is without being read by people.
const (
	ClaimUnread   = "verdicts may stand unread"
	ClaimNoUnread = "no verdict may stand unread"
	ClaimReadAll  = "read them all"
	ClaimFewMore  = "too few labels"
	ClaimAsk      = "ask judges first"
)

// Reasons why no verdict may stand unread, in addition to those of a Decision.
const (
	FewItems   Reason = "few items to read"    // fewer than leastPool
	Continuous Reason = "continuous values"    // values are continuous, so that they are hardly ever equal
	NotSure    Reason = "no confidence"        // the judge gives no confidence
	Ceiling    Reason = "people differ"        // people differ from each other on more than twice the share that is asked for
	Odd        Reason = "labels by confidence" // labels are no random sample by confidence
	FewLabels  Reason = "few labels"           // too few labels at every threshold
	NoStep     Reason = "no threshold"         // no threshold passes
	NotAsked   Reason = "judges not asked"     // judges whose confidences decide were not asked
	ByConstant Reason = "one value"            // on a scale of points, always giving one value would pass, too
)

// Limits of the rule for verdicts that stand unread.
const (
	leastPool   = 60    // if there are fewer items, people must read all
	enoughBoth  = 20    // least number of items that two people rated, to take their differences as a ceiling
	mostFurther = 10000 // most further labels that are recommended for a stream
	usualWrong  = .3    // assumed share of wrong verdicts, as a share of Alpha, when recommending a number of labels
)

// An UnreadQuestion asks which verdicts of judges on a criterion may stand unread (see labels.Unread). Its Question.Delta is for all tests
// and looks together.
type UnreadQuestion struct {
	Judges     []string // the cheapest first
	Criterion  string   // "": the only criterion
	Question   labels.Unread
	Values     []float64 // a person's value for each of Question.Labelled
	Apart      []float64 // share of pairs of people who differ, for each of Question.Labelled; NaN: one person
	Points     bool      // the scale has an order and more than two values
	Continuous bool
	Word       func(float64) string
	Doubt      Reason    // why no verdict may stand, whatever the figures are
	Questions  []string  // open questions to the user, as in a Study
	Source     string    // where confidences come from, in words
	Without    int       // verdicts without a confidence or a label
	Labels     int       // number of labels of all people on Question.Labelled
	Skipped    int       // cells of people's file without a value
	Drawn      bool      // all labels have the same recorded probability; else labels are assumed to be random
	Tests      int       // number of tests (criteria and judges) that share Delta
	Look       int       // number of looks so far, which also share Delta; 0: no looks
	Prices     []float64 // US dollars of a verdict of each judge, and last of a label; nil: unknown
	Unpriced   []string  // judges without a price, if other prices are known
}

// An Unattended is the answer to an Unread.
type Unattended struct {
	UnreadQuestion
	labels.UnreadAnswer
	Reason   Reason       // why no verdict may stand; "": verdicts may stand at step Widest
	Constant stats.Figure // share of labels that differ from people's most frequent value, at Widest or of all used labels
	Usual    float64      // people's most frequent value

	delta         float64 // share of Delta for this test
	constantWrong int     // number of labels that differ from Usual
}

// Decide answers the question. It divides Delta by the number of tests and, at look l, by l (l+1), so that all looks together have Delta.
// No verdict may stand of fewer than leastPool items. Nor may one if Alpha is below half of the share on which two people differ, which no
// judge can be shown to reach. On a scale of points, none may stand if always giving one value would pass, too.
func (u UnreadQuestion) Decide() Unattended {
	d := Unattended{UnreadQuestion: u}
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
	case len(d.enoughSteps()) == 0:
		d.Reason = FewLabels
	case d.Widest < 0:
		d.Reason = NoStep
	case u.Points && question.P(d.constantWrong, d.Steps[d.Widest]) <= d.Level:
		d.Reason = ByConstant
	}
	return d
}

// Step returns the widest step that passes, or nil if none may stand.
func (d *Unattended) Step() *labels.Step {
	if d.Reason != "" {
		return nil
	}
	return &d.Steps[d.Widest]
}

// items returns the number of items in the question.
func (u UnreadQuestion) items() int {
	if len(u.Question.Confidence) == 0 {
		return 0
	}
	return len(u.Question.Confidence[0])
}

// enoughSteps returns the steps with enough labels.
func (d *Unattended) enoughSteps() []labels.Step {
	return data.Where(d.Steps, func(s labels.Step) bool { return s.Counted >= d.Least })
}

// peopleDiffer returns how often people differ from each other on the labelled items that a step leaves unread. It is missing if these are
// few.
func (u UnreadQuestion) peopleDiffer(s labels.Step) stats.Figure {
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

// ceiling returns the least share on which people differ (apart) over all steps, or 0 if it is unknown.
func (d *Unattended) ceiling() float64 {
	least := stats.Figure{}
	for _, step := range d.Steps {
		if apart := d.peopleDiffer(step); apart.Known && (!least.Known || apart.Value < least.Value) {
			least = apart
		}
	}
	return least.Value
}

// setConstant sets Usual to people's most frequent value, and Constant to the share of labels that differ from it. It uses the labels that
// Widest leaves unread, or all used labels if no step passes.
func (d *Unattended) setConstant() {
	var values []float64
	for _, k := range d.Used {
		if d.Widest >= 0 {
			if judge, _ := d.Question.Decider(d.Steps[d.Widest], d.Question.Labelled[k]); judge < 0 {
				continue
			}
		}
		values = append(values, d.Values[k])
	}
	d.Usual, d.constantWrong = usual(values)
	d.Constant = stats.Ratio(d.constantWrong, len(values))
}

// Finding returns which verdicts may stand, how sure that is, on what it is based, and what to do next.
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
		add("of these, people differ from each other", d.peopleDiffer(*step))
		f.Text, f.Next = d.stands(*step), d.readRest()
	} else {
		f.Text, f.Next = d.refusal()
	}
	if f.Next != "" {
		f.Text += " Next: " + f.Next + "."
	}
	return f
}

// closestStep returns the step that comes closest to passing, among those with enough labels.
func (d *Unattended) closestStep() labels.Step {
	enough := d.enoughSteps()
	best := enough[0]
	for _, step := range enough {
		if step.P < min(best.P, .5) {
			best = step
		}
	}
	return best
}

// Price returns the average price of an unlabelled item in US dollars, if people read what a step does not leave unread. It adds up the
// judges that were asked about an item, and the label if people read it. It is missing if prices are unknown.
func (d *Unattended) Price(s labels.Step) stats.Figure {
	if d.Prices == nil {
		return stats.Figure{}
	}
	sum := 0.0
	labelled := data.Among(d.Question.Labelled)
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

// AboutUnread explains the table of thresholds to its readers.
const AboutUnread = "Thresholds are equal shares of all confidences. p is the chance of as few wrong labels if more than the share that " +
	"was asked for would differ; all thresholds are tested at once at the level, so that the widest one that passes may be taken. The level " +
	"assumes that a judge as wrong as that at every confidence is the worst case, which simulated profiles show and nobody has proved."
