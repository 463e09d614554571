package trust

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/stats"
	"compqa/stats/labels"
)

// on returns " on CRITERION", or "" if there is only one criterion.
func on(criterion string) string {
	if criterion == "" {
		return ""
	}
	return " on " + criterion
}

// names returns the judges in the order in which they are asked.
func (d *Unattended) names() string { return strings.Join(d.Judges, ", then ") }

// pool returns in words to which items the answer applies: the unlabelled items, or further items.
func (d *Unattended) pool() string {
	if d.Question.Stream {
		return "further items like these"
	}
	return "the " + data.Plural(d.unlabelled(), "unlabelled item", "unlabelled items")
}

// decidersText returns in words which items each judge decides at a step, and its least confidence there.
func (d *Unattended) decidersText(s labels.Step) string {
	if len(s.Judges) == 1 {
		return "confidence ≥ " + strconv.FormatFloat(s.Judges[0].Least, 'g', 4, 64)
	}
	parts := make([]string, len(s.Judges))
	for i, judge := range s.Judges {
		parts[i] = d.Judges[i] + ": " + data.Plural(judge.Unread, "item", "items")
		if judge.Items > 0 {
			parts[i] += ", confidence ≥ " + strconv.FormatFloat(judge.Least, 'g', 4, 64)
		}
	}
	return strings.Join(parts, "; ")
}

// stands returns the text on which verdicts may stand unread at a step.
func (d *Unattended) stands(s labels.Step) string {
	of := "these verdicts would differ from one person"
	if d.Question.OfAll {
		of = "all verdicts are unread and differ from one person"
	}
	text := fmt.Sprintf("%s may decide alone%s on %s of %s (%s): at most %s of %s like those who labelled (%s sure). Rests on: %s, %s in %d "+
		"there; %s. On average, not for each system. %s.", d.names(), on(d.Criterion), percentText(d.Share), d.pool(), d.decidersText(s),
		exactly(d.Question.Alpha), of, exactly(1-d.Question.Delta), d.sample(), data.Plural(s.Wrong, "differs", "differ"), s.Labelled,
		d.sharedError(),
		data.Capital(d.ofPeople(s)))
	passes := ""
	if d.Question.P(d.constantWrong, s) <= d.Level {
		passes = ", and pass too"
	}
	if d.Constant.Known && (d.Points || passes != "") {
		text += fmt.Sprintf(" Always giving %s would differ from %s there%s.", d.Word(d.Usual), percentText(d.Constant.Value), passes)
	}
	return text + d.costs(s) + d.notes()
}

// ofPeople returns a clause on how far people differ from each other at a step. Of two people who differ, a verdict differs from at least
// one, so that no judge gets below half of that.
func (d *Unattended) ofPeople(s labels.Step) string {
	switch apart := d.peopleDiffer(s); {
	case !apart.Known:
		return "how far people differ from each other is not known"
	case apart.Value == 0:
		return "people do not differ from each other there"
	case d.Question.OfAll:
		return fmt.Sprintf("people differ from each other on %s there", percentText(apart.Value))
	default:
		return fmt.Sprintf("people differ from each other on %s there: below %s is out of reach", percentText(apart.Value),
			percentText(apart.Value/2))
	}
}

// costs returns a text on the price of an item at a step, and of the labels, or "" without prices.
func (d *Unattended) costs(s labels.Step) string {
	price := d.Price(s)
	switch {
	case d.Unpriced != nil:
		return fmt.Sprintf(" What an item costs is not said, as the price of a verdict of %s is not known.", data.List(d.Unpriced))
	case !price.Known:
		return ""
	}
	label := d.Prices[len(d.Judges)]
	if label == 0 {
		return fmt.Sprintf(" Judges cost %s an item; what a label costs is not said.", amount(price.Value))
	}
	return fmt.Sprintf(" An item costs %s on average, and %s if people read all; the labels cost %s.", amount(price.Value), amount(label),
		amount(label*float64(d.Labels)))
}

// sample returns in words how many labels count, and whether they were drawn at random on record.
func (d *Unattended) sample() string {
	used := len(d.Used)
	all := len(d.Question.Labelled)
	sampled := data.Plural(used, "label", "labels")
	switch {
	case d.Question.Stream && used == all:
		return data.Plural(all, "label", "labels")
	case d.Question.Chances != nil:
		return fmt.Sprintf("%d of %s, drawn by their probabilities", used, data.Plural(all, "label", "labels"))
	case d.Question.Clusters != nil && used < all:
		sampled = fmt.Sprintf("one label of each of %s", data.Plural(used, "question", "questions"))
	}
	if d.Drawn {
		return sampled + ", drawn at random"
	}
	return sampled + ", taken to be random"
}

// sharedError returns in words which looks and tests share the error probability.
func (d *Unattended) sharedError() string {
	text := "one look"
	if d.Look > 0 {
		text = fmt.Sprintf("look %d, which has 1/%d of the doubt of all", d.Look, d.Look*(d.Look+1))
	}
	if d.Tests > 1 {
		text += fmt.Sprintf("; %d criteria and judges together", d.Tests)
	}
	return text
}

// readRest returns what people have to read or label next.
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

// notes returns the end of a text: where confidences come from, and which items are left out.
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

// refusal returns why no verdict may stand unread, and what to do next.
func (d *Unattended) refusal() (text, next string) {
	first := fmt.Sprintf("No verdict of %s may stand unread%s at %s", d.names(), on(d.Criterion), exactly(1-d.Question.Alpha))
	if d.Question.OfAll {
		first += " of all"
	}
	first += fmt.Sprintf(" (%s sure)", exactly(1-d.Question.Delta))
	switch d.Reason {
	case NotOneScale:
		return first + ": judge and people have no common scale.", ""
	case Unchecked:
		return first + ": first say " + data.List(d.Questions) + ".", ""
	case LabelsByVerdict, Odd:
		return first + ": the labels are no random sample, as people labelled other values or confidences of the judge more often.",
			"label items that are drawn at random (--budget N), or give their probabilities (--inclusion)"
	case Continuous:
		return first + ": its values are continuous, and hardly ever those of a person.", "say what passes (--threshold N)"
	case NotSure:
		who := "it"
		if len(d.Judges) > 1 {
			who = "one of them"
		}
		return first + ": " + who + " says no confidence.", "name the column (--map confidence=COLUMN), or run it several times"
	case FewItems:
		return fmt.Sprintf("Read them all%s: %s with a verdict of %s and a confidence are fewer than %d.", on(d.Criterion),
			data.Plural(d.items(), "item", "items"), d.names(), leastPool), ""
	case Ceiling:
		return first + fmt.Sprintf(": people differ from each other on %s or more at every threshold, so that below %s is out of reach.",
			percentText(d.ceiling()), percentText(d.ceiling()/2)), "make the criterion clearer, or ask for less"
	case FewLabels:
		return d.tooFew()
	case NotAsked:
		var parts []string
		for judge, items := range d.Question.ToAsk(d.UnreadAnswer) {
			if len(items) > 0 {
				parts = append(parts, fmt.Sprintf("%s about %s", d.Judges[judge], data.Plural(len(items), "item", "items")))
			}
		}
		return fmt.Sprintf("Not known yet%s: judges were not asked about all labelled items, or about all that the judges before them leave.",
			on(d.Criterion)), "ask " + data.List(parts)
	case ByConstant:
		return first + fmt.Sprintf(": always giving %s would pass, too (it differs on %s of %d labels).", d.Word(d.Usual),
			percentText(d.Constant.Value), d.Steps[d.Widest].Labelled), ""
	}
	best := d.closestStep()
	text = fmt.Sprintf("%s. Among the %d surest labelled, %s (p %.2g; %.2g or less passes); %s. Rests on: %s; %s.", first, best.Labelled,
		data.Plural(best.Wrong, "differs", "differ"), best.P, d.Level, d.ofPeople(best), d.sample(), d.sharedError())
	if d.Points && d.Constant.Known {
		text += fmt.Sprintf(" Always giving %s would differ on %s.", d.Word(d.Usual), percentText(d.Constant.Value))
	}
	return text + d.notes(), d.furtherLabels(best)
}

// tooFew returns how many labels are needed, and what to do next.
func (d *Unattended) tooFew() (text, next string) {
	wrong := usualWrong * d.Question.Alpha
	used := len(d.Used)
	enough := labels.EnoughUnread(d.Question.Alpha, d.delta, wrong)
	text = fmt.Sprintf("Too few to say%s: %s above any threshold; for %s (%s sure), %d without an error are the least, about %d if %s are "+
		"wrong.", on(d.Criterion), data.Plural(used, "label lies", "labels lie"), exactly(1-d.Question.Alpha), exactly(1-d.Question.Delta),
		d.Least,
		enough, exactly(wrong))
	more := max(1, enough-used)
	if left := d.unlabelled(); !d.Question.Stream && more > left {
		return text + d.notes(), fmt.Sprintf("more labels are hardly worth it: read the other %s", data.Plural(left, "item", "items"))
	}
	return text + d.notes(), fmt.Sprintf("label %d more, drawn at random (--budget %[1]d)", more)
}

// furtherLabels returns the advice on more labels: how many would show that a step passes, or that more labels hardly help.
func (d *Unattended) furtherLabels(best labels.Step) string {
	alpha := d.Question.Alpha
	wrong, err := stats.Wilson(best.Wrong, best.Counted, level)
	if err != nil || wrong.Low >= alpha {
		return "more labels hardly help, since more differ there than may; another judge or confidence does"
	}
	between := percentText(wrong.Low) + " to " + percentText(wrong.High)
	if wrong.Share > alpha {
		return "more differ there than may, by chance or not (" + between + "): more labels say which; another judge or confidence may do better"
	}
	most := d.unlabelled()
	if d.Question.Stream {
		most = mostFurther
	}
	more := d.Question.Further(d.UnreadAnswer, best, max(wrong.Share, usualWrong*alpha), most)
	if more == 0 {
		return "more labels are hardly worth it (" + between + " differ there): another judge or confidence may do better"
	}
	return fmt.Sprintf("label about %d more, drawn at random (--budget %[1]d)", rounded(more))
}

// exactly returns a share that somebody asked for, as "10 %". about returns a rounded share that was counted.
func exactly(x float64) string     { return stats.Shortest(math.Round(1e8*x)/1e6) + " %" }
func percentText(x float64) string { return stats.Number(100*x).Text(0) + " %" }

// amount returns an amount of US dollars. An amount below a cent has two significant digits.
func amount(x float64) string {
	digits := 2
	if x > 0 && x < .01 {
		digits = 1 - int(math.Floor(math.Log10(x)))
	}
	return "$" + strconv.FormatFloat(x, 'f', digits, 64)
}
