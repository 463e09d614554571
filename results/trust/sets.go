package trust

import (
	"fmt"

	"compqa/results/table"
	"compqa/stats"
)

// ClaimSets is the claim about criteria whose items have several right answers.
const ClaimSets = "several right answers"

// A SetJudge has the figures of a judge on a criterion with several right answers.
type SetJudge struct {
	Name     string
	Items    int
	Forced   stats.Figure // share of cases in which its first answer equals a person's
	Distance stats.Figure // mean squared distance of its answers from the shares of people who accept each option; 0 is best
}

// A SetsFound compares judges by their first answers (forced choice) and by their sets of answers (Guerdan et al. 2025).
type SetsFound struct {
	Criterion    string
	Items        int          // items with sets of two people or more
	Several      stats.Figure // share of items on which at least half of the people accept each of two options
	Alpha        stats.Figure // alpha of people's sets (MASI)
	People       stats.Figure // mean distance of a person from the other people
	Judges       []SetJudge
	Alphabetical bool         // sets are in alphabetical order, so that their first answers are no choices
	ForcedApart  stats.Figure // Forced of the best judge by first answers minus Forced of the best judge by sets
	Apart        stats.Figure // … the same difference of Distance
}

// Firsts returns the indexes of two judges: the one whose first answers most often equal a person's, and the one with the least distance.
func (s SetsFound) Firsts() (forced, sets int) {
	for k, judge := range s.Judges {
		if stats.CompareFigures(judge.Forced.Point(), s.Judges[forced].Forced.Point(), -1) < 0 {
			forced = k
		}
		if stats.CompareFigures(judge.Distance.Point(), s.Judges[sets].Distance.Point(), 1) < 0 {
			sets = k
		}
	}
	if s.Alphabetical {
		forced = sets
	}
	return forced, sets
}

// Finding returns on how many items people accept several answers, and which judge is best by forced choice and by sets.
func (s SetsFound) Finding() (f table.Finding) {
	if s.Items == 0 {
		return table.Finding{Claim: ClaimSets, Subject: s.Criterion, Text: fmt.Sprintf("On how many items people accept two answers or more "+
			"on %s is not known: no item has answers of two people.", s.Criterion), Next: "let a second person answer the same items"}
	}
	if len(s.Judges) == 0 || !s.Several.Known {
		return f
	}
	forced, sets := s.Firsts()
	a := s.Judges[forced]
	b := s.Judges[sets]
	f = table.Finding{Claim: ClaimSets, Subject: s.Criterion, Figures: []table.Measured{table.Named("items with several answers", s.Several),
		table.Named("alpha of people's sets", s.Alpha)}}
	for _, judge := range s.Judges {
		f.Figures = append(f.Figures, table.Named(judge.Name+": first answers", judge.Forced),
			table.Named(judge.Name+": distance of sets", judge.Distance))
	}
	f.Text = fmt.Sprintf("On %.0f %% of the %d items people accept two answers or more on %s (alpha of their sets %s). ", 100*s.Several.Value,
		s.Items, s.Criterion, s.Alpha.Text(2))
	basis := fmt.Sprintf("distance %s, a person from the others %s", b.Distance.Text(3), s.People.Point().Text(3))
	switch {
	case len(s.Judges) == 1 && s.Alphabetical:
		f.Text += fmt.Sprintf("Counted as sets, %s is near people by its %s.", b.Name, basis)
	case len(s.Judges) == 1:
		f.Text += fmt.Sprintf("%s gives the first answer of a person in %s; counted as sets its %s.", b.Name, a.Forced.Text(2), basis)
	case s.Alphabetical:
		f.Text += fmt.Sprintf("Counted as sets, %s is first (%s).", b.Name, basis)
	case forced == sets:
		f.Text += fmt.Sprintf("Forced choice and sets put %s first (%s).", b.Name, basis)
	default:
		f.Text += fmt.Sprintf("Forced choice puts %s first; counted as sets, %s (distance %s, %s %s).", a.Name, b.Name,
			b.Distance.Point().Text(3), a.Name, a.Distance.Point().Text(3))
		if !s.Apart.AboveZero() {
			f.Text += fmt.Sprintf(" By sets the two are not surely apart (%s minus %s: %s).", a.Name, b.Name, s.Apart.Signed(3))
		}
		if !s.ForcedApart.AboveZero() {
			f.Text += fmt.Sprintf(" By forced choice they are not surely apart (%s).", s.ForcedApart.Signed(3))
		}
	}
	if s.Alphabetical {
		f.Text += " All sets are in the order of the alphabet, so that their first answer is no forced choice."
	}
	return f
}

// AboutSets explains the table of sets to its readers.
const AboutSets = "Of items with two people. several: share of items on which at least half of the people accept each of two options. " +
	"forced: how often the judge's first answer is that of a person. distance: of the judge's answers from the shares of people who accept " +
	"each option, squared, mean over options, without what few people add by chance: 0 is best."
