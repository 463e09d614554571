package trust

import (
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/labels"
)

// This file has the words of what a validation reports besides its decisions: what decisions assume, how a judge errs, how items differ,
// and what changed over time. No other package words these. Each sentence begins with the name of the criterion, and the judge if there are
// several.

// Claims of a validation besides decisions.
const (
	ClaimAssumed  = "assumed"
	ClaimReading  = "reading not checked"
	ClaimLabelled = "labels are no random sample"
	ClaimErrors   = "how the judge errs"
	ClaimSplit    = "errors by consensus"
	ClaimLength   = "longer texts"
	ClaimFamily   = "own family"
	ClaimNoValue  = "no value"
	ClaimSystems  = "systems by people's values"
	ClaimFragile  = "few items decide"
	ClaimLabels   = "labels needed"
	ClaimAnyTime  = "at any time"
	ClaimMoved    = "moved"
)

// alert returns a finding on a criterion, whose name begins the text.
func alert(claim, name, text string, figures ...table.Measured) table.Finding {
	return table.Finding{Claim: claim, Subject: name, Text: name + ": " + text + ".", Figures: figures}
}

// Reading returns a finding on what may have been read wrongly. flag is the flag with which the user answers it.
func Reading(criterion, sentence, flag string) table.Finding {
	return table.Finding{Claim: ClaimReading, Subject: criterion, Text: sentence, Next: flag}
}

// A Sample says how the labelled items of all decisions were chosen.
type Sample struct {
	Random, Weighted bool    // some decisions assume a random sample; some are weighted by a design
	Least            float64 // if Random: smallest p-value of a difference between labelled and other items
	Labelled         int     // number of labelled items
}

// Assumed returns how many decisions were adjusted together, and what all of them assume about the labels.
func Assumed(decisions []*Decision, s Sample) table.Finding {
	text := "People scored every item that the judge scored, so no sample has to be assumed."
	switch {
	case s.Weighted:
		text = fmt.Sprintf("Assumed: within a verdict, system or length by which figures are weighted, the labelled items are a random sample. "+
			"Slices, lengths, families and the alternative-annotator test are not weighted: they are of the %s alone.",
			data.Plural(s.Labelled, "labelled item", "labelled items"))
	case s.Random:
		text = fmt.Sprintf("Assumed: the labelled items are a random sample of those that the judge scored; by verdict, system and length they "+
			"do not differ from the others (smallest p %s).", stats.Number(s.Least).Text(2))
	}
	return table.Finding{Claim: ClaimAssumed, Subject: "decisions", Text: strings.TrimSpace(Adjusted(decisions) + " " + text)}
}

// Labelled returns a finding on how labels were chosen that are no random sample. names are the criteria for which this holds, of total.
func Labelled(names []string, total int, how string) table.Finding {
	if len(names) == total && total > 1 {
		names = []string{"All criteria"}
	}
	return alert(ClaimLabelled, someNames(names, "more criteria"), how)
}

// Hardly returns the finding that a judge gives nearly always the same value.
func Hardly(name, value string, count, items int) table.Finding {
	return alert(ClaimDegenerate, name, fmt.Sprintf("the judge gives %s to %d of %d items, and hardly tells them apart", value, count, items),
		table.Named("items with this value", stats.Count(count)), table.Named("items", stats.Count(items)))
}

// Errors returns how much the judge finds of what people pass and of what they fail, and which shares the judge and people pass.
func Errors(name string, tpr, tnr, judge, people stats.Figure) table.Finding {
	text := fmt.Sprintf("finds %s of what people pass (TPR) and %s of what they fail (TNR)", ofClass(tpr), ofClass(tnr))
	figures := []table.Measured{table.Named("tpr", tpr)}
	if !tnr.Known {
		text = fmt.Sprintf("finds %s of what people pass (TPR); they fail nothing that it scored", ofClass(tpr))
	} else {
		figures = append(figures, table.Named("tnr", tnr))
		informed := stats.Number(tpr.Value + tnr.Value - 1)
		text += ", TPR + TNR − 1 = " + informed.Text(2)
		figures = append(figures, table.Named("TPR + TNR − 1", informed))
	}
	if people.Known {
		text += fmt.Sprintf("; of the items that it scored it passes %s, people would pass %s", judge.Text(2), people.Text(2))
		figures = append(figures, table.Named("rate_judge", judge), table.Named("rate_corrected", people))
	}
	return alert(ClaimErrors, name, text, figures...)
}

// leastSide is the least number of unanimous items, and of split items, for which errors are compared.
const leastSide = 10

// A Consensus counts how often a judge differs from people's majority: on items on which all people agree, and on items on which they
// split.
type Consensus struct {
	Unanimous, Split struct{ Items, Wrong int }
	Difference       stats.Figure // share of wrong values on split items minus the share on unanimous items
}

// Finding returns on which of the two kinds of items the judge errs more.
func (c Consensus) Finding(name string) table.Finding {
	unanimous := stats.Ratio(c.Unanimous.Wrong, c.Unanimous.Items)
	split := stats.Ratio(c.Split.Wrong, c.Split.Items)
	text := fmt.Sprintf("three people or more agree on %s, of which the judge differs on %d; they split on %d with a majority, from which it "+
		"differs on %d", data.Plural(c.Unanimous.Items, "item", "items"), c.Unanimous.Wrong, c.Split.Items, c.Split.Wrong)
	if min(c.Unanimous.Items, c.Split.Items) < leastSide {
		return alert(ClaimSplit, name, text+fmt.Sprintf(": too few to compare (%d each are needed)", leastSide))
	}
	where := "no difference is seen"
	switch {
	case !c.Difference.Bounded:
		where = "the difference has no interval"
	case c.Difference.AboveZero():
		where = "it errs more where people split"
	case c.Difference.BelowZero():
		where = "it errs more where people agree"
	}
	return alert(ClaimSplit, name, fmt.Sprintf("%s: %s and %s; %s (split minus unanimous: %s)", text, percentText(unanimous.Value),
		percentText(split.Value), where, c.Difference.Signed(2)), table.Named("wrong where people agree", unanimous),
		table.Named("wrong where people split", split), table.Named("split minus unanimous", c.Difference))
}

// ofClass returns a rate as text, with a note if it has no interval.
func ofClass(rate stats.Figure) string {
	if rate.Known && !rate.Bounded {
		return rate.Text(2) + " (too few for an interval)"
	}
	return rate.Text(2)
}

// Longer returns how much more than people the judge gives for twice as many words.
func Longer(name string, more stats.Figure) table.Finding {
	return alert(ClaimLength, name, fmt.Sprintf("for twice as many words the judge gives %s more than people do", more.Signed(2)),
		table.Named("length_bias", more))
}

// OwnFamily returns how much more than people the judge gives to systems of its own family, compared with other systems.
func OwnFamily(name, family string, more stats.Figure) table.Finding {
	return alert(ClaimFamily, name, fmt.Sprintf("to systems of the judge's own family (%s) it gives %s more than people do, compared with "+
		"others", family, more.Signed(2)), table.Named("family_bias", more))
}

// NoValue returns on how many items the judge gave no value, and people's means on these and on the other items, if values have an order.
func NoValue(name string, failed, items int, there, elsewhere stats.Figure) table.Finding {
	text := fmt.Sprintf("the judge gave no value for %d of its %s that people scored, which the figures leave out", failed,
		data.Plural(items, "item", "items"))
	if there.Known {
		text += fmt.Sprintf(" (people's mean there is %s, elsewhere %s)", there.Text(2), elsewhere.Text(2))
	}
	return alert(ClaimNoValue, name, text, table.Named("items without a value", stats.Count(failed)),
		table.Named("items", stats.Count(items)))
}

// Note returns a fact about a criterion on which its figures depend, such as the items that they leave out.
func Note(name, text string) table.Finding { return alert(ClaimAssumed, name, text) }

// Systems returns the means that people would give to up to four systems, their difference if it is known, and clauses on what is unknown.
func Systems(criterion string, known []table.Measured, difference stats.Figure, unknown []string) table.Finding {
	shown := known[:min(4, len(known))]
	text := "Systems in people's units, " + criterion + ": " + strings.Join(data.Each(shown, func(m table.Measured) string {
		return m.Name + " " + stats.Bound(m.Value, m.Low, m.High).Text(2)
	}), ", ")
	if difference.Known {
		text += "; difference " + difference.Signed(2)
		known = append(known, table.Named(known[0].Name+" minus "+known[1].Name, difference))
	}
	return table.Finding{Claim: ClaimSystems, Subject: criterion, Figures: known, Text: strings.Join(append([]string{text}, unknown...),
		"; ") + "."}
}

// NotSystems returns a clause for Systems: which systems have no figure, and why.
func NotSystems(systems []string, reason string) string {
	return fmt.Sprintf("not %s: %s", data.List(firstNames(systems)), reason)
}

// FewShared returns a clause for Systems: why two systems have no difference.
func FewShared(questions int) string {
	return fmt.Sprintf("no difference, as both answer %s, and at least %d are needed", data.Plural(questions, "question", "questions"),
		stats.FewClusters)
}

// Fragile returns the finding that few items decide a result.
func Fragile(subject, sentence string) table.Finding {
	return table.Finding{Claim: ClaimFragile, Subject: subject, Text: sentence + "."}
}

// Otherwise returns the finding that a judge errs differently on items whose column has a value. off is the mean absolute error there.
func Otherwise(criterion, column, value string, alpha, off, p stats.Figure) table.Finding {
	figures := []table.Measured{table.Named("alpha", alpha), table.Named("mae", off), table.Named("p_adjusted", p)}
	return table.Finding{Claim: ClaimErrors, Subject: criterion, Figures: figures,
		Text: fmt.Sprintf("%s where %s is %s: alpha (interval) %s, and the judge is off by %s on average, "+
			"otherwise than elsewhere (p %s).", criterion, column, value, alpha.Text(2), off.Text(2), p.Text(3))}
}

// NotOtherwise returns the finding that no value of the columns was found on which a judge errs differently, or why none could be found.
func NotOtherwise(columns, text string) table.Finding {
	return table.Finding{Claim: ClaimErrors, Subject: columns, Text: fmt.Sprintf("By %s: %s.", columns, text)}
}

// A Drift says how a judge's values of the same texts have changed. Judge is new minus old values.
type Drift struct {
	Criterion         string
	Items             int
	Judge, EqualShare stats.Figure // EqualShare is the share of equal values
	Before, After     stats.Figure // the judge's mean of all items
}

// Finding returns by how much the judge has become stricter or more lenient.
func (d Drift) Finding() table.Finding {
	items := fmt.Sprintf("%s with the same text", data.Plural(d.Items, "item", "items"))
	if !d.Judge.Known {
		return alert(ClaimNotClear, d.Criterion, fmt.Sprintf("on %s, the judge gives the same label to %s", items, d.EqualShare.Point().Text(2)),
			table.Named("agreement", d.EqualShare))
	}
	claim := ClaimChanged
	what := ""
	switch {
	case d.Judge.BelowZero():
		what = "the judge has become stricter by " + stats.WithInterval(-d.Judge.Value, -d.Judge.High, -d.Judge.Low).Text(2)
	case d.Judge.AboveZero():
		what = "the judge has become more lenient by " + d.Judge.Text(2)
	case !d.Judge.Bounded:
		claim = ClaimNotClear
		what = "now minus before is " + d.Judge.Signed(2) + " by the judge, without an interval"
	default:
		claim = ClaimNotClear
		what = fmt.Sprintf("no change of the judge is seen (now minus before: %s)", d.Judge.Signed(2))
	}
	text := fmt.Sprintf("%s, on %s (its mean on all items: %s before, %s now)", what, items, d.Before.Text(2), d.After.Text(2))
	if d.EqualShare.Known {
		text += fmt.Sprintf("; %s of its values are the same", d.EqualShare.Point().Text(2))
	}
	return alert(claim, d.Criterion, text, table.Named("now minus before", d.Judge), table.Named("agreement", d.EqualShare))
}

// AnyTime returns what all looks together show. If the labels of some looks (notRandom) are no random sample, it returns that there is no
// interval.
func AnyTime(name string, figures []string, looks, notRandom int) table.Finding {
	if notRandom > 0 {
		return alert(ClaimAnyTime, name, fmt.Sprintf("no interval for any time, since labels of %s are no random sample",
			data.Plural(notRandom, "look", "looks")))
	}
	return table.Finding{Claim: ClaimAnyTime, Subject: name,
		Text: fmt.Sprintf("%s, any time: %s over %s; assumed: each look's labelled items "+
			"are a random sample.", name, data.List(figures), data.Plural(looks, "look", "looks"))}
}

// LeftInterval returns the finding that a figure left its own interval, which starts again at the look since.
func LeftInterval(name, figure, text string, since int) table.Finding {
	return alert(ClaimMoved, name, fmt.Sprintf("%s has probably moved by look %d: %s is outside of its own interval, which begins anew with "+
		"look %d", figure, since-1, text, since))
}

// SomebodyMoved is the value of Movement.Who if a figure has moved, but neither the judge's mean nor judge minus people surely has.
const SomebodyMoved = "not clear"

// movers has clauses on who has moved, by the constants of package labels.
var movers = map[string]string{labels.Judge: "the judge has moved", labels.Systems: "the systems have moved, not the judge",
	labels.People: "people's labels have moved, not the judge"}

// A Movement says what changed since the first look: later looks minus the first, of the judge's values (Judge) and of judge minus people
// (Anchors).
type Movement struct {
	Criterion                string
	Who                      string // a constant of package labels, or SomebodyMoved
	Since                    int
	Judge, Anchors           stats.Figure
	JudgeFound, AnchorsFound stats.Figure // least changes that these looks would find in 4 of 5 cases
}

// Finding returns who has moved, or else how large a change would have been found.
func (m Movement) Finding() table.Finding {
	figures := fmt.Sprintf("its values by %s, judge minus people by %s (later looks minus the first)", m.Judge.Signed(2), m.Anchors.Signed(2))
	measured := []table.Measured{table.Named("judge_change", m.Judge), table.Named("anchors_change", m.Anchors)}
	if who := movers[m.Who]; who != "" {
		return alert(ClaimMoved, m.Criterion, fmt.Sprintf("since look %d %s: %s", m.Since, who, figures), measured...)
	}
	open := "whether something"
	text := "nothing has surely moved since the first look"
	if m.Who == SomebodyMoved {
		open = "who"
		text = "who has moved is not clear"
	}
	if !m.Judge.Known {
		return alert(ClaimTooFew, m.Criterion, fmt.Sprintf("too few items to say %s moved since the first look (10 questions each are needed)",
			open))
	}
	found := fmt.Sprintf("such looks find a change since look 2 of its values by %s", m.JudgeFound.Text(2))
	if m.AnchorsFound.Known {
		found += fmt.Sprintf(", and of judge minus people by %s,", m.AnchorsFound.Text(2))
	}
	return alert(ClaimNotClear, m.Criterion, fmt.Sprintf("%s: %s; %s in at least 4 of 5 cases", text, figures, found), measured...)
}

// LabelsForWidth returns how many labelled items would give people's rate an interval of ± width (needed), and how many there are (has).
func LabelsForWidth(name string, needed, has int, width float64) table.Finding {
	f := alert(ClaimLabels, name, fmt.Sprintf("%s labelled would give ± %v; %d are", data.Plural(needed, "item", "items"), width, has),
		table.Named("labelled items needed", stats.Count(needed)), table.Named("labelled items", stats.Count(has)))
	if needed > has {
		f.Next = data.Plural(needed-has, "more labelled item", "more labelled items")
	}
	return f
}

// NotEnoughItems returns that even labels for all judged items would not give an interval of ± width.
func NotEnoughItems(name string, judged int, width float64) table.Finding {
	return alert(ClaimLabels, name, fmt.Sprintf("± %v is out of reach: labels for all %s would not give it", width,
		data.Plural(judged, "judged item", "judged items")))
}

// NoRate returns that labels without order have no rate, so that no number of labels is needed.
func NoRate(name string) table.Finding {
	return alert(ClaimLabels, name, "labels without an order have no rate, so that no number of labels is needed for one")
}

// Expected returns how precisely people's rate is expected to be known with chosen labels, and with as many random ones.
func Expected(name string, chosen, random stats.Figure) table.Finding {
	return alert(ClaimLabels, name, fmt.Sprintf("with them its rate is expected to be known to ± %s; as many chosen with equal "+
		"probabilities "+
		"would give ± %s", chosen.Text(3), random.Text(3)), table.Named("half width", chosen), table.Named("half width at random", random))
}
