package verify

import (
	"fmt"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/results/archive"
	"compqa/results/store"
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
	tables, given                  int // labels of summaries that were made again, and those of people and files
	labelled, otherLabels          int // answers whose claims were read again, and those of another version
}

func (a *counts) add(b counts) {
	a.scored, a.asked, a.unasked, a.older = a.scored+b.scored, a.asked+b.asked, a.unasked+b.unasked, a.older+b.older
	a.calibrated, a.labelled, a.otherLabels = a.calibrated+b.calibrated, a.labelled+b.labelled, a.otherLabels+b.otherLabels
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
	if c.labelled > 0 {
		line("claims", "of %d answers, read again", c.labelled)
	}
	if c.tables > 0 {
		line("labels", "%d of summaries, made again", c.tables)
	}
	if c.preferences > 0 {
		line("preferences", "%d: %d decided again", c.preferences, c.decided)
	}
	line("tables", "%d recomputed", len(v.Tables)-len(v.Other))
	for _, left := range c.unchecked(v) {
		line("not checked", "%s", left)
	}
	return b.String()
}

// A Summary is an Account for programs.
type Summary struct {
	File       string   `json:"file"`
	SHA256     string   `json:"sha256"`
	Program    string   `json:"program"`
	Revision   string   `json:"revision"`
	Seed       int64    `json:"seed"`
	Difference string   `json:"difference,omitempty"` // the first; "": none
	Answers    int      `json:"answers"`
	Verdicts   int      `json:"verdicts"`
	Preferred  int      `json:"preferences"`
	Tables     []string `json:"tables"`
	NotChecked []string `json:"not_checked"` // lists of table.column, and items, with reasons
}

// Summary lists what was checked and what was not; difference is the first that was found.
func (c *Recheck) Summary(name string, v archive.Verified, difference error) Summary {
	s := Summary{File: name, SHA256: v.SHA256, Program: v.Made.Program, Revision: v.Made.Revision, Seed: v.Made.Seed, Answers: c.answers, Verdicts: c.verdicts, Preferred: c.preferences, Tables: v.Tables}
	if difference != nil {
		s.Difference = difference.Error()
	} else {
		s.NotChecked = c.unchecked(v)
	}
	return s
}

// reportedColumns are the columns of a record that nothing else in it determines, with what
// they hold. Their checksums alone show a change.
var reportedColumns = []struct{ what, columns string }{
	{"times", "run.started run.finished attempts.started attempts.latency_ms attempts.waited_ms batches.submitted"},
	{"tokens and costs, as the servers reported them", "attempts.prompt_tokens attempts.cached_tokens attempts.written_tokens attempts.completion_tokens attempts.reasoning_tokens attempts.cost attempts.estimated batches.aside"},
	{"what the servers replied in addition to a text, or instead of it", "attempts.http_status attempts.reason attempts.batch answers.reasoning calls.reasoning calls.finish calls.raw adaptations.provider adaptations.model adaptations.parameter adaptations.value adaptations.reason"},
	{"incomplete replies of failed preferences", "calls.reply"},
	{"requests in full: each call's key is the hash of its request, and is derived again", "calls.request prompts.hash prompts.text"},
	{"texts that explain missing results", "answers.reason verdicts.reason preferences.reason labels.reason"},
	{"batches in flight", "batches.label batches.provider batches.model batches.kind batches.party batches.id batches.status batches.keys"},
	{"the origin of rows", "calls.origin run.id run.program run.revision run.release_hash run.sources sets.source unplaced.origin unplaced.judge unplaced.source unplaced.system unplaced.scenario unplaced.aspect unplaced.reason"},
	{"order of rows in tables", "parties.position questions.position pairs.position sets.position"},
	{"largest difference of human points that is a tie", "sets.margin"},
	{"judgments sampled for training, and grades of rationales", "samples.id samples.judge samples.order samples.source samples.sample samples.fingerprint samples.status samples.choice samples.text samples.reason samples.calls " +
		"grades.id grades.judge grades.method grades.order grades.grader grades.fingerprint grades.status grades.right grades.correctness grades.consistency grades.reason grades.calls"},
}

// unchecked lists what could not be checked: columns first, then items of this record.
func (c *Recheck) unchecked(v archive.Verified) []string {
	people, imported := 0, 0
	for _, sheet := range c.run.Sheets {
		if kind := c.run.Judges[sheet.Judge].Kind; kind == config.KindHuman || kind == config.KindImported {
			people++
		}
	}
	for _, answer := range c.run.Answers {
		if slices.ContainsFunc(c.run.Systems, func(s store.Participant) bool {
			return s.Name == answer.System && (s.Kind == config.KindFile || s.Kind == config.KindImported)
		}) {
			imported++
		}
	}
	var list []string
	for _, of := range reportedColumns {
		list = append(list, strings.ReplaceAll(of.columns, " ", ", ")+": "+of.what)
	}
	for _, of := range []struct {
		is   bool
		what string
	}{
		{!c.replies, "the export has no replies: whether models wrote the verdicts, answers and preferences"},
		{!v.Sealed, "the record has no checksums, because its last run was killed: whether the columns above are as recorded"},
		{!c.finished, "whether results are missing: the run was not finished"},
		{v.Other != nil, strings.Join(v.Other, ", ") + ": the words of another version of compqa; their numbers are those of the tables"},
		{c.otherPlan, "plan, systems and judges: another version planned the run"},
		{c.otherPairs, "pairs and their judges: another version made them, or a run came after them"},
		{c.otherAttacks, "attacks: another version made them, or answers were imported after them"},
	} {
		if of.is {
			list = append(list, of.what)
		}
	}
	for _, left := range []struct {
		n    int
		what string
	}{
		{c.unasked, "answers and verdicts with other prompts than this compqa's (another version or configuration): whether their replies belong to their prompts"},
		{c.older, "verdicts of embedded judges in another version than this compqa's: as recorded"},
		{c.otherLabels, "answers whose claims were labelled by another version of compqa: their labels"},
		{c.given, "labels of summaries by people or files: compared with their tables only"},
		{c.calibrated, "verdicts of calibrated judges, whose calibration is not in the export: only their totals"},
		{people, "verdicts of people, files or a release: only their totals"},
		{imported, "answers of files or a release: as recorded"},
		{c.preferences - c.decided, "preferences that this compqa cannot decide again: as recorded"},
	} {
		if left.n > 0 {
			list = append(list, fmt.Sprintf("%d %s", left.n, left.what))
		}
	}
	return list
}
