package trust

import (
	"fmt"
	"math"
	"strconv"

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
)

// Reasons why no verdict is said to stand unread, next to those of a Decision.
const (
	FewItems   Reason = "few items to read"    // fewer than leastPool
	Continuous Reason = "continuous values"    // which hardly ever are equal
	NotSure    Reason = "no confidence"        //
	Ceiling    Reason = "people differ"        // from each other, on more than twice what is asked for
	Odd        Reason = "labels by confidence" // they are no random sample
	FewLabels  Reason = "few labels"           // at any threshold
	NoStep     Reason = "no threshold"         // holds
	ByConstant Reason = "one value"            // would pass, too, on a scale of points
)

// Limits of the rule of verdicts that nobody reads.
const (
	leastPool  = 60 // items below which all are to be read
	enoughBoth = 20 // items that two people rated, from which the share on which they differ is a ceiling
	usualWrong = .3 // of the share that may differ: for so many the labels are told that would be needed
)

// An Unread asks which verdicts of a judge on a criterion may stand unread: see labels.Unread, whose Delta here is that of all tests and
// looks together.
type Unread struct {
	Judge, Criterion string // Criterion "": it is the only one
	Question         labels.Unread
	Values           []float64 // of the person, for each of Question.Labelled
	Apart            []float64 // the share of pairs of people that differ, for each of Question.Labelled; NaN: one person
	Points           bool      // the scale has more than two values, in an order
	Continuous       bool
	Word             func(float64) string
	Doubt            Reason   // why nothing is said whatever the figures are
	Questions        []string // of Doubt, as in a Decision
	Source           string   // of confidences, in words
	Without          int      // verdicts without a confidence
	Skipped          int      // places of people's file without a value
	Tests, Look      int      // that share Delta: criteria and judges; and looks so far, from 1
}

// An Unattended is the answer to an Unread.
type Unattended struct {
	Unread
	labels.UnreadAnswer
	Reason   Reason       // why none is said to stand; "": Widest is
	Constant stats.Figure // the share of labels at Widest, or of all used ones, that differ from the value which people give most
	Usual    float64      // that value

	delta float64 // the part of Delta that this test has
}

// Decide answers, with Delta divided by the number of tests and, at look l, by l (l+1), so that all looks together have Delta. Nothing
// stands of fewer than 60 items, nor below half of the share on which two people differ, which no judge can be shown to reach; on a
// scale of points, neither where always giving one value would pass the same test.
func (u Unread) Decide() Unattended {
	d := Unattended{Unread: u}
	question, parts := u.Question, u.Tests
	if u.Look > 0 { // else no looks are kept, and this is the only one
		parts *= u.Look * (u.Look + 1)
	}
	question.Delta /= float64(parts)
	d.delta, d.UnreadAnswer = question.Delta, question.Answer()
	d.setConstant()
	few := len(d.Steps) == 0 || d.Steps[len(d.Steps)-1].Labelled < d.Least
	switch {
	case u.Doubt != "":
		d.Reason = u.Doubt
	case u.Continuous:
		d.Reason = Continuous
	case len(u.Question.Confidence) == 0:
		d.Reason = NotSure
	case len(u.Question.Confidence) < leastPool:
		d.Reason = FewItems
	case u.Question.Alpha < d.ceiling()/2:
		d.Reason = Ceiling
	case d.UnreadAnswer.Odd < labels.OddSample:
		d.Reason = Odd
	case few:
		d.Reason = FewLabels
	case d.Widest < 0:
		d.Reason = NoStep
	case u.Points && question.P(d.constantWrong(), d.Steps[d.Widest]) <= d.Level:
		d.Reason = ByConstant
	}
	return d
}

// apart is the share of the labelled items from a threshold on whose people differ from each other; not known of few items.
func (u Unread) apart(threshold float64) stats.Figure {
	sum, n := 0.0, 0
	for k, i := range u.Question.Labelled {
		if !math.IsNaN(u.Apart[k]) && u.Question.Confidence[i] >= threshold {
			sum, n = sum+u.Apart[k], n+1
		}
	}
	if n < enoughBoth {
		return stats.Figure{}
	}
	return stats.Ratio(sum, n)
}

// ceiling is the least of these shares over all thresholds; 0: none is known.
func (d *Unattended) ceiling() float64 {
	least := math.Inf(1)
	for _, step := range d.Steps {
		if apart := d.apart(step.Threshold); apart.Known {
			least = min(least, apart.Value)
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}

// counted are the used labels from the widest threshold on, or all where there is none.
func (d *Unattended) counted() []int {
	return data.Where(d.Used, func(k int) bool {
		return d.Widest < 0 || d.Question.Confidence[d.Question.Labelled[k]] >= d.Steps[d.Widest].Threshold
	})
}

// setConstant finds the value that people give most, and how much always giving it would differ.
func (d *Unattended) setConstant() {
	counts := map[float64]int{}
	for _, k := range d.counted() {
		value := d.Values[k]
		counts[value]++
		if counts[value] > counts[d.Usual] || counts[value] == counts[d.Usual] && value < d.Usual {
			d.Usual = value
		}
	}
	n := len(d.counted())
	d.Constant = stats.Ratio(n-counts[d.Usual], n)
}

func (d *Unattended) constantWrong() int {
	return int(math.Round(d.Constant.Value * float64(len(d.counted()))))
}

// Finding says what may stand, how sure that is, on what it rests, and what is next.
func (d Unattended) Finding() table.Finding {
	f := table.Finding{Claim: ClaimNoUnread, Subject: d.Judge}
	add := func(name string, value stats.Figure) { f.Figures = append(f.Figures, table.Named(name, value)) }
	if d.Reason == "" {
		step := d.Steps[d.Widest]
		add("share that may stand unread", stats.Number(d.Share))
		add("confidence", stats.Number(step.Threshold))
		add("labels there", stats.Count(step.Labelled))
		add("of these, a person differs", stats.Count(step.Wrong))
		add("of these, people differ from each other", d.apart(step.Threshold))
		f.Claim = ClaimUnread
		f.Text, f.Next = d.stands(), d.readRest()
	} else {
		f.Text, f.Next = d.none()
	}
	switch d.Reason {
	case FewItems:
		f.Claim = ClaimReadAll
	case FewLabels:
		f.Claim = ClaimFewMore
	}
	if f.Next != "" {
		f.Text += " Next: " + f.Next + "."
	}
	return f
}

// on is the criterion, where there are several, behind a word.
func (d *Unattended) on(word string) string {
	if d.Criterion == "" {
		return ""
	}
	return " " + word + " " + d.Criterion
}

// exactly is a share that somebody asked for, as "10 %", and about one that was counted, rounded.
func exactly(x float64) string { return stats.Shortest(math.Round(1e8*x)/1e6) + " %" }
func about(x float64) string   { return stats.Number(100*x).Text(0) + " %" }

// pool names the items that nobody labelled, or further ones.
func (d *Unattended) pool() string {
	if d.Question.Stream {
		return "further items like these"
	}
	return fmt.Sprintf("the %s", data.Plural(d.unlabelled(), "unlabelled item", "unlabelled items"))
}

func (d *Unattended) unlabelled() int { return len(d.Question.Confidence) - len(d.Question.Labelled) }

func (d *Unattended) stands() string {
	step := d.Steps[d.Widest]
	text := fmt.Sprintf("%s may decide alone%s on %s of %s (confidence ≥ %s): at most %s of these verdicts would differ from one person "+
		"like those who labelled (%s sure). Rests on: %s, %s in %d there; %s. On average, not for each system.", d.Judge, d.on("on"),
		about(d.Share), d.pool(),
		strconv.FormatFloat(step.Threshold, 'g', 4, 64), exactly(d.Question.Alpha), exactly(1-d.Question.Delta), d.sample(),
		differ(step.Wrong), step.Labelled, d.shared())
	if apart := d.apart(step.Threshold); apart.Known && d.Question.Alpha < apart.Value {
		text += fmt.Sprintf(" People differ from each other on %s there, so that no judge can be expected to get below %s.", about(apart.Value),
			about(apart.Value/2))
	}
	if d.Constant.Known && d.Question.P(d.constantWrong(), step) <= d.Level {
		text += fmt.Sprintf(" Always giving %s would differ from %s there, and pass too.", d.Word(d.Usual), about(d.Constant.Value))
	} else if d.Points {
		text += fmt.Sprintf(" Always giving %s would differ from %s there.", d.Word(d.Usual), about(d.Constant.Value))
	}
	return text + d.notes()
}

// differ is "1 differs" or "2 differ".
func differ(n int) string {
	if n == 1 {
		return "1 differs"
	}
	return fmt.Sprintf("%d differ", n)
}

// sample says what labels count.
func (d *Unattended) sample() string {
	used, all := len(d.Used), len(d.Question.Labelled)
	switch {
	case d.Question.Stream && used == all:
		return data.Plural(all, "label", "labels")
	case d.Question.Chances != nil:
		return fmt.Sprintf("%d of %s, drawn by their probabilities", used, data.Plural(all, "label", "labels"))
	case d.Question.Clusters != nil && used < all:
		return fmt.Sprintf("one random label of each of %s", data.Plural(used, "question", "questions"))
	}
	return data.Plural(used, "random label", "random labels")
}

// shared says what shares the certainty.
func (d *Unattended) shared() string {
	text := "one look"
	if d.Look > 0 {
		text = fmt.Sprintf("look %d, which has 1/%d of the doubt of all", d.Look, d.Look*(d.Look+1))
	}
	if d.Tests > 1 {
		text += fmt.Sprintf("; %d criteria and judges together", d.Tests)
	}
	return text
}

// readRest is what people read, and label next.
func (d *Unattended) readRest() string {
	if d.Question.Stream {
		return fmt.Sprintf("people read the other %.0f %%", 100-100*d.Share)
	}
	n := d.unlabelled()
	rest := n - int(math.Round(d.Share*float64(n)))
	if rest == 0 {
		return "label a random sample again when the judge, its prompt or the items change"
	}
	return "people read the other " + data.Plural(rest, "item", "items")
}

// notes are what is missing, as the end of a text.
func (d *Unattended) notes() (text string) {
	if d.Source != "" {
		text = " Confidence: " + d.Source + "."
	}
	if d.Skipped > 0 {
		text += fmt.Sprintf(" People's file has %s without a value, which count as unlabelled: if they skip where the judge is wrong, "+
			"this does not hold.", data.Plural(d.Skipped, "place", "places"))
	}
	if d.Without > 0 {
		text += fmt.Sprintf(" People read %s without a confidence.", data.Plural(d.Without, "verdict", "verdicts"))
	}
	return text
}

// none says why no verdict may stand unread, and what is next.
func (d *Unattended) none() (text, next string) {
	first := fmt.Sprintf("No verdict of %s may stand unread%s at %s", d.Judge, d.on("on"), exactly(1-d.Question.Alpha))
	switch d.Reason {
	case NotOneScale:
		return first + ": judge and people have no common scale.", ""
	case Unchecked:
		return first + ": first say " + data.List(d.Questions) + ".", ""
	case Chosen, Odd:
		return first + ": the labels are no random sample, as people labelled other values or confidences of the judge more often.",
			"label items that are drawn at random (--budget N), or give their probabilities (--inclusion)"
	case Continuous:
		return first + ": its values are continuous, and hardly ever those of a person.", "say what passes (--threshold N)"
	case NotSure:
		return first + ": it says no confidence.", "name the column (--map confidence=COLUMN), or run it several times"
	case FewItems:
		return fmt.Sprintf("Read them all%s: %s with a verdict of %s and a confidence are fewer than %d.", d.on("on"),
			data.Plural(len(d.Question.Confidence), "item", "items"), d.Judge, leastPool), ""
	case Ceiling:
		return first + fmt.Sprintf(": people differ from each other on %s at every threshold, so that below %s is out of reach.",
			about(d.ceiling()), about(d.ceiling()/2)), "make the criterion clearer, or ask for less"
	case FewLabels:
		usual := usualWrong * d.Question.Alpha
		used := len(d.Used)
		enough := labels.EnoughUnread(d.Question.Alpha, d.delta, usual)
		lie := data.Plural(used, "label lies", "labels lie")
		text = fmt.Sprintf("Too few to say%s: %s above any threshold; %d without an error are the least, about %d if %s are wrong.", d.on("on"),
			lie, d.Least, enough, exactly(usual))
		return text + d.notes(), fmt.Sprintf("label %d more, drawn at random (--budget %[1]d)", max(1, enough-used))
	case ByConstant:
		return first + fmt.Sprintf(": always giving %s would pass, too (it differs on %s of %d labels).", d.Word(d.Usual),
			about(d.Constant.Value), len(d.counted())), ""
	}
	best := d.best()
	text = first + fmt.Sprintf(". Among the %d surest labelled, %s", best.Labelled, differ(best.Wrong))
	if apart := d.apart(best.Threshold); apart.Known && apart.Value == 0 {
		text += "; people do not differ from each other there."
	} else if apart.Known {
		text += fmt.Sprintf("; people differ from each other on %s: below %s is out of reach.", about(apart.Value), about(apart.Value/2))
	} else {
		text += "; how far people differ from each other is not known."
	}
	if d.Points {
		text += fmt.Sprintf(" Always giving %s would differ on %s.", d.Word(d.Usual), about(d.Constant.Value))
	}
	return text + d.notes(), d.more(best)
}

// best is the step that comes nearest; the surest one with enough labels where none is near.
func (d *Unattended) best() labels.Step {
	enough := data.Where(d.Steps, func(s labels.Step) bool { return s.Labelled >= d.Least })
	best := enough[0]
	for _, step := range enough {
		if step.P < min(best.P, .5) {
			best = step
		}
	}
	return best
}

// more says how many labels would show what those of a step promise, if they do.
func (d *Unattended) more(best labels.Step) string {
	wrong := float64(best.Wrong) / float64(best.Labelled)
	if wrong > .8*d.Question.Alpha {
		return "more labels hardly help, since as many differ there as may; another judge or confidence does"
	}
	enough := labels.EnoughUnread(d.Question.Alpha, d.delta, max(wrong, usualWrong*d.Question.Alpha))
	total := float64(enough) * float64(len(d.Used)) / float64(best.Labelled)
	more := int(math.Ceil(total)) - len(d.Used)
	if more <= 0 {
		return ""
	}
	if left := d.unlabelled(); !d.Question.Stream && more > left {
		return "read them all: more labels would be needed than there are items"
	}
	return fmt.Sprintf("label about %d more, drawn at random (--budget %[1]d)", rounded(more))
}

// AboutUnread explains the table of thresholds, for readers of it.
const AboutUnread = "Thresholds are equal shares of all confidences. p is the chance of as few wrong labels if more than the share that " +
	"was asked for would differ; all thresholds are tested at once at the level, so that the widest one that passes may be taken. The level " +
	"assumes that a judge as wrong as that at every confidence is the worst case, which simulated profiles show and nobody has proved."
