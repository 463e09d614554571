package trust

import (
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/table"
	"compqa/stats"
)

// This file has the words of conclusions about judges that are no decisions: on which levels they are better than guessing, whether they
// contradict themselves, and how they treat changed answers. No other package words these.

// NotEnough is the answer if there are too few questions for an answer.
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

// NoPeople returns the finding that judges cannot be assessed without scores of people.
func NoPeople() table.Finding {
	return table.Finding{Claim: ClaimNoPeople, Subject: "judges", Text: "Judge quality cannot be assessed without human scores.",
		Next: "people score answers: compqa annotate init"}
}

// NoJudges returns the finding that a run has no judges.
func NoJudges() table.Finding {
	return table.Finding{Claim: ClaimNoJudges, Subject: "judges", Text: "This run has no judges except baselines and people."}
}

// A Levels has judges that are better than guessing on the same levels (Above), and not on the same other levels (NotAbove).
type Levels struct{ Judges, Above, NotAbove []string }

// Guesses returns on which levels judges are better than guessing.
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

// Contradicts returns the finding that a judge's repeated verdicts agree with its first ones no better than chance.
func Contradicts(judge string, alpha stats.Figure, answers int) table.Finding {
	return table.Finding{Claim: ClaimContradict, Subject: judge, Figures: []table.Measured{table.Named("alpha of repeated totals", alpha)},
		Text: fmt.Sprintf("WARNING: %s does not agree with itself: alpha (interval) of totals %s on %s that it scored again; its verdicts "+
			"are noise.",
			judge, alpha.Text(2), data.Plural(answers, "answer", "answers"))}
}

// A Baselines says on which levels a judge is better than every baseline, by the scores of a reference.
type Baselines struct {
	Judge, Reference string
	Several          bool     // there are other references, too
	Above, NotAbove  []string // levels, each with its baselines in brackets
	Few              bool     // fewer questions than Needed
	Sheets           int
	Questions        int
	Needed           int
	Better, Not      int // numbers of single criteria on which the judge is better, and not better
}

// Finding returns the levels in one sentence, or why the answer is missing.
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

// A Probes says how a judge treated answers that were changed on purpose.
type Probes struct {
	Judge             string
	Pairs             bool     // it chooses between two texts, and gives no points
	Degenerate        bool     // it never chooses the same text in both orders, or gives every text the same points
	RatedLower, Kinds int      // numbers of kinds of worse answers: rated lower, and all
	Rewarded          []string // changes for the worse, or without effect, that it prefers
	Moved             []string // irrelevant changes that change its verdict
	Unchanged         int      // number of irrelevant changes with a result
}

// Finding returns a summary of the probes.
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
	case p.Kinds == 0:
		f.Claim = ClaimTooFew
		f.Next = "more answers (--limit, --in)"
		f.Text = "There are too few questions for an interval: give it more answers (--limit, --in)."
		return f
	}
	f.Figures = []table.Measured{table.Named("kinds of worse answers rated lower", stats.Count(p.RatedLower)),
		table.Named("kinds of worse answers", stats.Count(p.Kinds))}
	f.Text = fmt.Sprintf("%s rates %d of %d kinds of worse answers lower", p.Judge, p.RatedLower, p.Kinds)
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

// PeopleAgree returns how far people agree on a criterion, by the limits of Decide. They may surely not agree, or have rated too few items.
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
	case !alpha.Interval() || !alpha.AboveZero():
		f.Claim = ClaimTooFew
		f.Text = fmt.Sprintf("People rated too few items to say how far they agree on %s %s.", criterion, basis)
		f.Next = "more items that two people rate"
	default:
		f.Text = fmt.Sprintf("People agree with each other at %s on %s (%s).", alpha.Text(2), criterion, data.Plural(items, "item", "items"))
	}
	return f
}
