package trust

import (
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/table"
	"compqa/stats"
)

// The words of conclusions about judges that are not decisions: at which levels they are better than guessing, whether they contradict
// themselves, and what they do with changed answers. No other package words one.

// NotEnough is the answer where there are too few questions for one.
const NotEnough = "not enough data"

// Claims about judges.
const (
	ClaimNoPeople   = "no scores of people"
	ClaimNoJudges   = "no judges"
	ClaimGuessing   = "better than guessing"
	ClaimContradict = "contradicts itself"
	ClaimNotices    = "notices worse answers"
	ClaimDegenerate = "degenerate"
	ClaimPeople     = "people agree"
)

// NoPeople says that judges cannot be assessed without people, and NoJudges that the record has no judge.
func NoPeople() table.Finding {
	return table.Finding{Claim: ClaimNoPeople, Subject: "judges", Text: "Judge quality cannot be assessed without human scores.",
		Next: "people score answers: compqa annotate init"}
}

// NoJudges returns the finding of a run without judges.
func NoJudges() table.Finding {
	return table.Finding{Claim: ClaimNoJudges, Subject: "judges", Text: "This run has no judges except baselines and people."}
}

// Levels are judges that are better than guessing at the same levels, and not at the same others.
type Levels struct{ Judges, Above, NotAbove []string }

// Guesses says at which levels judges are better than guessing.
func Guesses(groups []Levels) table.Finding {
	var parts []string
	for _, g := range groups {
		what := fmt.Sprintf("better than guessing on %s, not on %s", data.List(g.Above), data.List(g.NotAbove))
		switch {
		case g.Above == nil && g.NotAbove == nil:
			what = NotEnough
		case g.NotAbove == nil:
			what = "better than guessing at every level"
		case g.Above == nil:
			what = "not better than guessing on " + data.List(g.NotAbove)
		}
		parts = append(parts, what+": "+data.List(g.Judges))
	}
	text := strings.Join(parts, "; ")
	return table.Finding{Claim: ClaimGuessing, Subject: "judges", Text: strings.ToUpper(text[:1]) + text[1:] + "."}
}

// Contradicts says that a judge's second verdicts on answers agree with its first ones no better than chance.
func Contradicts(judge string, alpha stats.Figure, answers int) table.Finding {
	return table.Finding{Claim: ClaimContradict, Subject: judge, Figures: []table.Measured{table.Named("alpha of repeated totals", alpha)},
		Text: fmt.Sprintf("WARNING: %s does not agree with itself: alpha (interval) of totals %s on %s that it scored again; its verdicts "+
			"are noise.",
			judge, alpha.Text(2), data.Plural(answers, "answer", "answers"))}
}

// Baselines says at which levels one judge is better than every baseline, by the scores of a reference.
type Baselines struct {
	Judge, Reference string
	Several          bool     // there are other references
	Above, NotAbove  []string // levels; with the baselines in brackets
	Few              bool     // too few questions for an answer, of those that are needed
	Sheets           int
	Questions        int
	Needed           int
	Better, Not      int // single criteria
}

// Finding says it in one sentence.
func (w Baselines) Finding() table.Finding {
	name := w.Judge
	if w.Several {
		name += " (reference " + w.Reference + ")"
	}
	f := table.Finding{Claim: ClaimGuessing, Subject: w.Judge}
	switch {
	case w.Above == nil && w.NotAbove == nil && w.Few:
		f.Text = fmt.Sprintf("%s: %s: it shares %s on %s with %s; at least %d questions are needed.", name, NotEnough,
			data.Plural(w.Sheets, "score sheet", "score sheets"), data.Plural(w.Questions, "question", "questions"), w.Reference, w.Needed)
		return f
	case w.Above == nil && w.NotAbove == nil:
		f.Text = name + ": agreement with " + w.Reference + " is undefined."
		return f
	case w.Above == nil:
		f.Text = "WARNING: " + name + " is not better than guessing at any level: " + strings.Join(w.NotAbove, "; ") + "."
		return f
	}
	f.Text = name + " is better than guessing at these levels: " + data.List(w.Above)
	if w.NotAbove != nil {
		f.Text += "; not better than baselines at these: " + strings.Join(w.NotAbove, "; ")
	}
	if w.Not > 0 {
		f.Text += fmt.Sprintf("; not on %d of %d single criteria", w.Not, w.Not+w.Better)
	}
	f.Text += "."
	return f
}

// Probes are what a judge did with answers that were changed on purpose.
type Probes struct {
	Judge       string
	Pairs       bool     // it chooses between texts, and gives no points
	Degenerate  bool     // it never chooses the same text in both orders, or gives every text the same points
	Seen, Worse int      // kinds of worse answers that it rates lower, of those with an answer
	Rewarded    []string // changes that it prefers though they are worse, or no better
	Moved       []string // changes of nothing that move it
	Unchanged   int      // changes of nothing with an answer
}

// Finding sums up the probes in a sentence.
func (p Probes) Finding() table.Finding {
	f := table.Finding{Claim: ClaimNotices, Subject: p.Judge}
	switch {
	case p.Degenerate && p.Pairs:
		f.Claim = ClaimDegenerate
		f.Text = p.Judge + " never chooses the same text in both orders: its choices say nothing about the texts."
		return f
	case p.Degenerate:
		f.Claim = ClaimDegenerate
		f.Text = p.Judge + " gives every text the same points: its points say nothing about the texts."
		return f
	case p.Worse == 0:
		f.Claim = ClaimTooFew
		f.Next = "more answers (--limit, --in)"
		f.Text = "There are too few questions for an interval: give it more answers (--limit, --in)."
		return f
	}
	f.Figures = []table.Measured{table.Named("kinds of worse answers rated lower", stats.Count(p.Seen)),
		table.Named("kinds of worse answers", stats.Count(p.Worse))}
	f.Text = fmt.Sprintf("%s rates %d of %d kinds of worse answers lower", p.Judge, p.Seen, p.Worse)
	if p.Rewarded != nil {
		f.Text += "; it prefers what is worse or no better: " + data.List(p.Rewarded)
	}
	if p.Moved != nil {
		f.Text += "; it is moved by what changes nothing: " + data.List(p.Moved)
	} else if p.Unchanged > 0 {
		f.Text += "; what changes nothing does not move it"
	}
	f.Text += "."
	return f
}

// PeopleAgree says how far people agree on a criterion, by the bounds of Decide: whether they surely do not, or too few items were rated.
func PeopleAgree(criterion string, alpha stats.Figure, items int) table.Finding {
	f := table.Finding{Claim: ClaimPeople, Subject: "people", Figures: []table.Measured{table.Named(criterion+": people", alpha)}}
	basis := fmt.Sprintf("(alpha %s, %s)", alpha.Text(2), data.Plural(items, "item", "items"))
	switch {
	case !alpha.Known:
		f.Claim = ClaimTooFew
		f.Figures = nil
		f.Text = "Not known how far people agree: no item was rated by two people, or all values are alike."
	case disagree(alpha):
		f.Text = fmt.Sprintf("People do not agree on %s %s.", criterion, basis)
		f.Next = "make the criterion clearer"
	case !alpha.Interval() || !alpha.Above():
		f.Claim = ClaimTooFew
		f.Text = fmt.Sprintf("People rated too few items to say how far they agree on %s %s.", criterion, basis)
		f.Next = "more items that two people rate"
	default:
		f.Text = fmt.Sprintf("People agree with each other at %s on %s (%s).", alpha.Text(2), criterion, data.Plural(items, "item", "items"))
	}
	return f
}
