package verify

import (
	"fmt"
	"strings"

	"compqa/bench/config"
	"compqa/results/archive"
)

// counts are the numbers of items that were checked, and of those that could not be.
type counts struct {
	answers, verdicts, preferences int // on record
	plannedAnswers                 int
	plannedVerdicts                int
	missing                        int // verdicts without a reply
	scored, decided                int // verdicts of embedded judges, preferences
	asked                          int // answers and verdicts of models, by the prompts that these were asked with
	unasked                        int // those that were asked with others
	older                          int // verdicts of embedded judges in another version
	calibrated                     int
	unlike                         int // not as measured or scored, where the question is not known for sure
}

func (a *counts) add(b counts) {
	a.scored, a.asked, a.unasked, a.older = a.scored+b.scored, a.asked+b.asked, a.unasked+b.unasked, a.older+b.older
	a.calibrated, a.unlike = a.calibrated+b.calibrated, a.unlike+b.unlike
}

// Account lists what was checked and what was not.
func (c *Recheck) Account(name string, v archive.Verified) string {
	var b strings.Builder
	line := func(what, format string, args ...any) {
		fmt.Fprintf(&b, "  %-12s %s\n", what, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&b, "%s: no differences\n", name)
	line("SHA-256", "%s", v.SHA256)
	line("made by", "compqa %s, commit %s; seed %d", v.Made.Program, v.Made.Revision, v.Made.Seed)
	line("answers", "%d of %d planned, measured again", c.answers, c.plannedAnswers)
	line("verdicts", "%d of %d planned: %d parsed again from their replies, %d scored again, %d added up, %d without a reply", c.verdicts, c.plannedVerdicts, v.Read, c.scored, c.verdicts-v.Read-c.scored-c.missing, c.missing)
	line("prompts", "%d answers and verdicts derived again from the recorded calls", c.asked)
	if c.preferences > 0 {
		line("preferences", "%d: %d decided again", c.preferences, c.decided)
	}
	line("tables", "%d recomputed", len(v.Tables))
	for _, left := range c.unchecked() {
		line("not checked", "%s", left)
	}
	return b.String()
}

// unchecked lists what could not be checked.
func (c *Recheck) unchecked() []string {
	people := 0
	for _, sheet := range c.run.Sheets {
		if kind := c.run.Judges[sheet.Judge].Kind; kind == config.KindHuman || kind == config.KindImported {
			people++
		}
	}
	var list []string
	if !c.replies {
		list = append(list, "the export has no replies: whether models wrote the verdicts, answers and preferences")
	}
	if !c.sure {
		list = append(list, "the questions: the recorded ones do not match their hash (a run with --limit records only some)")
	}
	for _, left := range []struct {
		n    int
		what string
	}{
		{c.unasked, "answers and verdicts with other prompts than this compqa's (another version or configuration): whether their replies belong to their prompts"},
		{c.older, "verdicts of embedded judges in another version than this compqa's: as recorded"},
		{c.calibrated, "verdicts of calibrated judges, whose calibration is not in the export: only added up"},
		{people, "verdicts of people, files or a release: only added up"},
		{c.preferences - c.decided, "preferences that this compqa cannot decide again: as recorded"},
		{c.unlike, "figures that differ; not all questions of the run are recorded"},
	} {
		if left.n > 0 {
			list = append(list, fmt.Sprintf("%d %s", left.n, left.what))
		}
	}
	return append(list, "tokens, costs and times: as reported by the servers")
}
