package trust

import (
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/table"
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
)

// NoPeople says that nothing can be said of judges without people, and NoJudges that there is no judge to speak of.
func NoPeople() table.Finding {
	return table.Finding{Claim: ClaimNoPeople, Subject: "judges", Text: "Judge quality cannot be assessed without human scores.",
		Next: "people score answers: compqa annotate init"}
}

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
func Contradicts(judge string, alpha table.Bounded, answers int) table.Finding {
	return table.Finding{Claim: ClaimContradict, Subject: judge, Figures: []table.Measured{table.Named("alpha of repeated totals", alpha)},
		Text: fmt.Sprintf("WARNING: %s does not agree with itself: alpha (interval) of totals %s on %s that it scored again; its verdicts are noise.",
			judge, alpha.Text(2), data.Plural(answers, "answer", "answers"))}
}

// A Worth is at which levels one judge is better than every baseline, by the scores of a reference.
type Worth struct {
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
func (w Worth) Finding() table.Finding {
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
