package trust

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/table"
	"compqa/stats"
)

// This file has the words of decisions. No other package words these.

// mostNamed is the greatest number of criteria, judges or systems that a sentence names.
const mostNamed = 5

// longestHeadline is the greatest length of a headline in bytes. A longer one counts criteria instead of naming them.
const longestHeadline = 160

// answerCells has the table cell for each answer.
var answerCells = map[Answer]table.Cell{Yes: {Text: "can stand in", Class: "good"}, No: {Text: "cannot", Class: "bad"},
	Unknown: {Text: "not known yet", Class: "wait"}}

// Cell returns the answer as a table cell. d may be nil.
func (d *Decision) Cell() table.Cell {
	if d == nil {
		return answerCells[Unknown]
	}
	cell := answerCells[d.Answer]
	if excluded := d.Excluded(); len(excluded) > 0 && d.Answer != No {
		cell = table.Cell{Text: cell.Text + ", not for " + partNames(excluded), Class: "wait"}
	}
	if d.Reason == Disagree {
		cell = table.Cell{Text: string(Disagree), Class: "quiet"}
	}
	return cell
}

// sentence returns the decision in full: its figures, and what would repair or decide it.
func (d *Decision) sentence() string {
	var text string
	switch d.Answer {
	case Yes:
		text = fmt.Sprintf("%s can stand in for one person on %s%s: it agrees with a person at %s, people with each other at %s (%s).", d.Judge,
			d.Criterion, d.except(), d.Single.Point().Text(2), d.People.Point().Text(2), d.difference())
		if d.People.Value < hardlyAgreed {
			text += fmt.Sprintf(" But people hardly agree (%s): take the mean of several.", d.People.Point().Text(2))
		}
		text += d.repair()
	case No:
		text = fmt.Sprintf("%s cannot stand in for a person on %s: people agree with each other at %s, %s with them at %s (%s).%s", d.Judge,
			d.Criterion, d.People.Point().Text(2), d.Judge, d.Single.Point().Text(2), d.difference(), d.repair()+d.random()+d.chance())
		text += d.mayFor()
	default:
		text = d.unknown()
		if d.Reason != Unchecked && d.Reason != Disagree && d.Reason != NotFirst {
			text += d.repair() + d.random()
		}
		text += d.mayFor()
	}
	for _, p := range d.contrasts() {
		text += fmt.Sprintf(" For %s it cannot: people agree with each other at %s, %s with them at %s.", p.name(),
			p.People.Point().Text(2), d.Judge, p.Single.Point().Text(2))
	}
	if only := onlyRated([]*Decision{d}); only != "" {
		text += " " + data.Capital(only) + "."
	}
	if d.Tuned {
		text += fmt.Sprintf(" %s was tuned on these scores.", d.Judge)
	}
	return text
}

// mayFor returns a sentence on the slices for which the judge can stand in, with the figures of the first slice, or "".
func (d *Decision) mayFor() string {
	good := data.Where(d.Slices, func(p SliceDecision) bool { return p.Answer == Yes })
	if len(good) == 0 {
		return ""
	}
	return fmt.Sprintf(" It can for %s (%s).", partNames(good), good[0].both())
}

// contrasts returns the excluded slices, unless the answer is no for the whole and all slices with an answer.
func (d *Decision) contrasts() []SliceDecision {
	excluded := d.Excluded()
	if d.Answer == No && len(excluded) == len(d.Slices) {
		return nil
	}
	return excluded
}

func (f Figures) both() string {
	return fmt.Sprintf("%s with a person, people %s", f.Single.Point().Text(2), f.People.Point().Text(2))
}

func (p SliceDecision) name() string {
	if p.Column == "system" {
		return p.Value
	}
	return p.Column + " " + p.Value
}

func partNames(list []SliceDecision) string {
	return data.List(firstNames(data.Each(list, SliceDecision.name)))
}

func (d *Decision) except() string {
	if excluded := d.Excluded(); len(excluded) > 0 && d.Answer == Yes {
		return ", but not for " + partNames(excluded)
	}
	return ""
}

// onlyRated returns a clause that limits yes decisions to the systems that people rated. It names the unrated systems if all these
// decisions have the same ones. It returns "" if people rated every system.
func onlyRated(decisions []*Decision) string {
	partly := data.Where(decisions, func(d *Decision) bool { return d.Answer == Yes && len(d.Unrated) > 0 })
	if len(partly) == 0 {
		return ""
	}
	text := "only for the systems that people rated"
	if slices.ContainsFunc(partly, func(d *Decision) bool { return !slices.Equal(d.Unrated, partly[0].Unrated) }) {
		return text
	}
	return fmt.Sprintf("%s (not %s)", text, data.List(firstNames(partly[0].Unrated)))
}

// difference returns the difference, the margin and the number of items as text.
func (d *Decision) difference() string {
	return fmt.Sprintf("difference %s, margin %s, %s", d.Difference.Signed(2), stats.Shortest(d.Margin), d.items())
}

// items returns the number of items as text. If the judge gave no value for some items that people rated, it also returns the number of
// those.
func (f Figures) items() string {
	if f.Silent > 0 {
		return fmt.Sprintf("%d of the %d items that people rated", f.Items, f.Items+f.Silent)
	}
	return data.Plural(f.Items, "item", "items")
}

// repair returns a sentence on how much more or less than people the judge gives, if this explains much of the difference. Else it returns
// "".
func (d *Decision) repair() string {
	if !d.Repair {
		return ""
	}
	how := "lenient"
	more := "more"
	bias := d.Bias
	if bias.BelowZero() {
		how = "strict"
		more = "less"
		bias = stats.WithInterval(-bias.Value, -bias.High, -bias.Low)
	}
	severity := ""
	if outside := d.Severities.outsideRange(); outside != "" {
		severity = ", and is " + outside
	}
	return fmt.Sprintf(" %s is %s: it gives %s %s than people%s; without that it would agree with a person at %s.",
		d.Judge, how, bias.Text(2), more, severity, d.Unbiased.Text(2))
}

// chance returns a sentence if the judge may agree only by chance, or gives all items the same value, or "".
func (d *Decision) chance() string {
	if d.Constant {
		return fmt.Sprintf(" %s gives every item the same value.", d.Judge)
	}
	if !d.Repair && d.Single.Bounded && d.Single.Low <= 0 {
		return " No agreement beyond chance is shown."
	}
	return ""
}

// unknown returns why no answer is known, and what would decide.
func (d *Decision) unknown() string {
	whether := fmt.Sprintf("Not known yet whether %s can stand in for a person on %s: ", d.Judge, d.Criterion)
	single := d.Single.Text(2)
	more := ""
	then := "cannot"
	if d.Difference.Value > -d.Margin {
		then = "can"
	}
	if d.FurtherItems > mostMore {
		more = "; more than 2,000 more items that two people rate would be needed"
	} else if d.FurtherItems > 0 {
		more = fmt.Sprintf("; about %s that two people rate would decide that it %s, if it stays so",
			data.Plural(rounded(d.FurtherItems), "more item", "more items"), then)
	}
	with := ""
	if d.Single.Known && d.People.Known {
		with = fmt.Sprintf(" (%s with a person %s, people with each other %s)", d.Judge, d.Single.Point().Text(2), d.People.Point().Text(2))
	}
	switch d.Reason {
	case NotOneScale:
		return whether + "judge and people have no common scale."
	case NoItems:
		return whether + "no item has values of both."
	case Unchecked:
		return whether + "first say " + data.List(d.Questions) + "."
	case LabelsByVerdict:
		return whether + "people labelled other values of the judge more often than those of a random sample, " +
			"and no design is given; label items " +
			"that are drawn at random, or give their probabilities (--inclusion)."
	case NotFirst:
		return whether + "people's sets are in the order of the alphabet, so that their first answers are no choice; its answers are criteria " +
			"of yes and no."
	case OnePerson:
		if d.Persons > 1 {
			return whether + fmt.Sprintf("no item has the values of two people, who would show how far people agree; "+
				"it agrees with a person at %s (%s).",
				single, d.items())
		}
		return whether + fmt.Sprintf("one person cannot show how far people agree; it agrees with this one at %s (%s). "+
			"Let a second person rate them.",
			single, d.items())
	case Alike:
		return whether + "all values are the same, so that agreement cannot be measured."
	case Few:
		return whether + fmt.Sprintf("preliminary, %s that two people rated, in %s; %d in %d are the least%s.",
			data.Plural(d.ItemsOfTwoPeople, "item", "items"),
			data.Plural(d.Clusters, "cluster", "clusters"), leastItems, leastClusters, with)
	case Disagree:
		return fmt.Sprintf("People do not agree on %s (alpha %s), so that %s cannot stand in for one; make the criterion clearer first.",
			d.Criterion,
			d.People.Text(2), d.Judge)
	case TooFew:
		return whether + fmt.Sprintf("people rated too few items to say how far they agree (%s); %s%s.", d.People.Text(2), d.difference(), more)
	case Guessing:
		return whether + fmt.Sprintf("its agreement with a person, %s, may be chance; %s%s.", single, d.difference(), more)
	case ContainsMargin:
		return whether + d.difference() + with + more + "."
	case SeveralDecisions:
		return whether + fmt.Sprintf("%s%s would be enough alone, but not with %d decisions together%s.", d.difference(), with,
			d.AdjustedTogether, more)
	}
	return whether + "its agreement is not defined" + with + "."
}

// rounded returns a number of items, rounded up to two significant digits.
func rounded(n int) int {
	step := 1
	for n/step > 99 {
		step *= 10
	}
	return (n + step - 1) / step * step
}

// firstNames returns the first of many names, and how many more there are.
func firstNames(names []string) []string {
	if rest := len(names) - mostNamed; rest > 1 {
		return append(names[:mostNamed:mostNamed], fmt.Sprintf("%d more", rest))
	}
	return names
}

// headline returns the first sentence about judges in all reports: for which criteria each can stand in for one person. It returns ""
// without decisions.
func headline(decisions []*Decision) string {
	untuned := data.Where(decisions, func(d *Decision) bool { return !d.Tuned })
	if len(untuned) > 0 { // otherwise all judges were tuned
		decisions = untuned
	}
	var texts []string
	limited := ""
	if only := onlyRated(decisions); only != "" {
		limited = ", " + only
	}
	for _, answers := range table.Grouped(decisions, func(d *Decision) string { return d.Judge }) {
		named := func(answer Answer) string {
			return data.List(firstNames(data.Each(data.Where(answers, func(d *Decision) bool { return d.Answer == answer }),
				func(d *Decision) string { return d.Criterion + d.except() })))
		}
		texts = append(texts, clauses(answers[0].name(), named(Yes), named(No), named(Unknown), "on "))
	}
	known := func(text string) int { // decisions that are known come first
		if strings.HasPrefix(text, "not known") {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(texts, func(a, b string) int { return known(a) - known(b) })
	text := strings.Join(firstNames(texts), "; ")
	if len(text) > longestHeadline || len(texts) > mostNamed {
		text = criteriaCounts(decisions)
	}
	text += limited
	if strings.HasPrefix(text, "not known") { // otherwise it begins with a name
		text = data.Capital(text)
	}
	return text
}

// Claims of decisions.
const (
	ClaimDecisions = "judges in place of people"
	ClaimMay       = "can stand in"
	ClaimMayNot    = "cannot stand in"
	ClaimUnknown   = "not known yet"
)

// Findings returns the headline, and then a finding for each decision: yes, no, and not known. It returns nil without decisions. basis is
// what all decisions assume, as the beginning of a sentence.
func Findings(decisions []*Decision, basis string) (all table.Findings) {
	text := headline(decisions)
	if text == "" {
		return nil
	}
	if basis != "" { // otherwise it may begin with a name
		text = data.Capital(basis + strings.Replace(text, "Not known", "not known", 1))
	}
	first := table.Finding{Claim: ClaimDecisions, Subject: "judges", Text: text + "."}
	if len(decisions) == 1 {
		first.Figures = decisions[0].namedFigures()
	}
	order := map[Answer]int{Yes: 0, No: 1, Unknown: 2}
	ordered := slices.SortedStableFunc(slices.Values(decisions), func(a, b *Decision) int { return order[a.Answer] - order[b.Answer] })
	return append(table.Findings{first}, data.Each(ordered, (*Decision).Finding)...)
}

// InPlace returns the shortest answer to whether a judge can stand in for a person. Judges that were tuned on people's scores are named
// last.
func InPlace(decisions []*Decision) table.Finding {
	untuned := data.Where(decisions, func(d *Decision) bool { return !d.Tuned })
	if untuned == nil {
		untuned = decisions
	}
	criteria := len(data.Set(data.Each(untuned, func(d *Decision) string { return d.Criterion })))
	f := table.Finding{Claim: ClaimDecisions, Subject: "judges", Text: "Not shown."}
	var may, tuned []string
	for _, these := range table.Grouped(decisions, func(d *Decision) string { return d.Judge }) {
		n := len(data.Where(these, func(d *Decision) bool { return d.Answer == Yes }))
		if n == 0 {
			continue
		}
		text := fmt.Sprintf("%s on %d of %d criteria", these[0].name(), n, criteria)
		if these[0].Tuned && len(untuned) < len(decisions) {
			tuned = append(tuned, text)
		} else {
			may = append(may, text)
		}
	}
	switch no := data.Where(untuned, func(d *Decision) bool { return d.Answer == No }); {
	case may != nil:
		f.Text = fmt.Sprintf("Yes, %s.", someNames(may, "others"))
	case criteria > 0 && len(no) == len(untuned):
		f.Text = "No."
	case criteria > 1:
		f.Text = fmt.Sprintf("Not shown on any of %d criteria.", criteria)
	}
	if tuned != nil {
		f.Text = fmt.Sprintf("%s; shown for %s.", strings.TrimSuffix(f.Text, "."), someNames(tuned, "others"))
	}
	return f
}

// Finding returns the decision in full.
func (d *Decision) Finding() table.Finding {
	f := table.Finding{Claim: map[Answer]string{Yes: ClaimMay, No: ClaimMayNot, Unknown: ClaimUnknown}[d.Answer], Subject: d.Judge,
		Text: d.sentence(), Figures: d.namedFigures()}
	if d.Answer == Unknown && d.FurtherItems > 0 && d.FurtherItems <= mostMore {
		f.Next = data.Plural(rounded(d.FurtherItems), "more item", "more items") + " that two people rate"
	}
	return f
}

// namedFigures returns the known figures of a decision with their names.
func (d *Decision) namedFigures() (list []table.Measured) {
	for _, f := range []table.Measured{table.Named("single", d.Single), table.Named("people", d.People),
		table.Named("difference (single minus people)", d.Difference)} {
		if f.Value.Known {
			f.Name = d.Criterion + ": " + f.Name
			list = append(list, f)
		}
	}
	return list
}

// name returns the judge's name, with a note if it was tuned on these scores.
func (d *Decision) name() string {
	if d.Tuned {
		return d.Judge + " (tuned on these scores)"
	}
	return d.Judge
}

// clauses returns clauses on what a judge can stand in for, on what it cannot, and on what is not known.
func clauses(judge, can, canNo, open, on string) string {
	text := ""
	switch {
	case can != "" && canNo != "":
		text = fmt.Sprintf("%s can stand in for one person %s%s, not %s%s", judge, on, can, on, canNo)
	case can != "":
		text = fmt.Sprintf("%s can stand in for one person %s%s", judge, on, can)
	case canNo != "":
		text = fmt.Sprintf("%s cannot stand in for a person %s%s", judge, on, canNo)
	default:
		return fmt.Sprintf("not known yet whether %s can stand in for a person %s%s", judge, on, open)
	}
	if open != "" {
		text += fmt.Sprintf(" (not known yet %s%s)", on, open)
	}
	return text
}

// criteriaCounts returns for how many criteria each judge can stand in. The judge with most criteria comes first.
func criteriaCounts(decisions []*Decision) string {
	groups := table.Grouped(decisions, func(d *Decision) string { return d.Judge })
	count := func(decisions []*Decision, answer Answer) int {
		return len(data.Where(decisions, func(d *Decision) bool { return d.Answer == answer }))
	}
	slices.SortStableFunc(groups, func(a, b []*Decision) int { return count(b, Yes) - count(a, Yes) })
	criteria := len(data.Set(data.Each(decisions, func(d *Decision) string { return d.Criterion })))
	if criteria == 1 {
		return onOne(decisions)
	}
	var texts, none []string
	for _, decisions := range groups {
		switch {
		case count(decisions, Yes) > 0:
			texts = append(texts, fmt.Sprintf("%s can stand in for one person on %d", decisions[0].name(), count(decisions, Yes)))
		default:
			none = append(none, decisions[0].Judge)
		}
	}
	total := fmt.Sprintf("of %d criteria", criteria)
	if texts == nil && count(decisions, No) == 0 {
		return fmt.Sprintf("not known yet whether %s can stand in for a person on any %s", someNames(none, "others"), total)
	}
	if texts == nil {
		are := "are"
		if len(none) == 1 {
			are = "is"
		}
		return fmt.Sprintf("%s %s not shown to stand in for a person on any %s", someNames(none, "others"), are, total)
	}
	text := someNames(texts, "others") + " " + total
	excluded := slices.Concat(data.Each(decisions, (*Decision).Excluded)...)
	if names := data.Set(data.Each(excluded, SliceDecision.name)); len(names) > 0 {
		text += ", but on some not for " + data.List(firstNames(names))
	}
	if none != nil {
		text += ", and " + someNames(none, "others") + " on none"
	}
	return text
}

// onOne returns which of several judges can stand in on the only criterion.
func onOne(decisions []*Decision) string {
	named := func(answer Answer) string {
		return data.List(firstNames(data.Each(data.Where(decisions, func(d *Decision) bool { return d.Answer == answer }),
			func(d *Decision) string { return d.name() + d.except() })))
	}
	can := named(Yes)
	canNo := named(No)
	open := named(Unknown)
	on := " on " + decisions[0].Criterion
	text := can + " can stand in for one person" + on
	switch {
	case can != "" && canNo != "":
		text += ", " + canNo + " cannot"
	case can == "" && canNo != "":
		text = canNo + " cannot stand in for a person" + on
	case can == "":
		return "not known yet whether " + open + " can stand in for a person" + on
	}
	if open != "" {
		text += " (not known yet for " + open + ")"
	}
	return text
}

// Adjusted returns a sentence on how many decisions were adjusted together, or "" if there is only one.
func Adjusted(decisions []*Decision) string {
	total := 0
	for _, d := range decisions {
		total = max(total, d.AdjustedTogether)
	}
	if total < 2 {
		return ""
	}
	count := func(answer Answer) int {
		return len(data.Where(decisions, func(d *Decision) bool { return d.Answer == answer }))
	}
	return fmt.Sprintf("%d decisions, adjusted together (Holm): %d yes, %d no, %d not known yet.", total, count(Yes), count(No),
		count(Unknown))
}

// RuleText explains the rule to readers of tables.
const RuleText = "A judge can stand in for one person where its agreement with a person (single) is surely above 0, " +
	"and surely not more than the margin below that of people with each other (people); it cannot where it is surely more than " +
	"the margin below. Else it is not known " +
	"yet. Both are Krippendorff's alpha: 1 is perfect, 0 chance. The interval of the difference has 95 %, by leaving out clusters."
