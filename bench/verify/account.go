package verify

import (
	"cmp"
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/archive"
	"compqa/results/table"
)

// counts are the numbers of items that were checked.
type counts struct {
	answers, verdicts, preferences int // on record
	plannedAnswers                 int
	plannedVerdicts                int
	unread                         int // verdicts without a reply
	scored, decided                int // verdicts of embedded judges, preferences
	asked                          int // answers and verdicts of models, by the prompts that these were asked with
	tables                         int // labels of summaries that were made again
	labelled                       int // answers whose claims were read again
}

func (a *counts) add(b counts) {
	a.scored, a.asked, a.labelled = a.scored+b.scored, a.asked+b.asked, a.labelled+b.labelled
	a.tables, a.decided = a.tables+b.tables, a.decided+b.decided
}

// oneLine makes text of others one line, which cannot pass as a line of this program.
func oneLine(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", " ").Replace(table.Printable(text))
}

// Account says the verdict, what was checked and what was not; difference is the first one.
func (c *Recheck) Account(name string, v archive.Verified, difference error) string {
	var b strings.Builder
	line := func(what, format string, args ...any) {
		fmt.Fprintf(&b, "  %-12s %s\n", what, oneLine(fmt.Sprintf(format, args...)))
	}
	if difference != nil {
		fmt.Fprintf(&b, "%s: %s\n", oneLine(name), NotVerified)
		for _, r := range c.missing {
			line("missing", "%s", r)
		}
		line("cannot know", "%s", CannotKnow)
		return b.String()
	}
	_, sentence := c.Verdict()
	fmt.Fprintf(&b, "%s: %s\n", oneLine(name), sentence)
	for _, r := range c.rests {
		line("rests on", "%s", r)
	}
	for _, r := range c.absent {
		line("not made", "%s", r)
	}
	for _, r := range c.outside {
		line("not asked", "%s", r)
	}
	line("cannot know", "%s", CannotKnow)
	line("SHA-256", "%s", v.SHA256)
	line("signed by", "%s", cmp.Or(v.Signer, "nobody"))
	line("made by", "compqa %s, commit %s; seed %d", v.Made.Program, v.Made.Revision, v.Made.Seed)
	line("answers", "%d of %d planned, measured again", c.answers, c.plannedAnswers)
	line("verdicts", "%d of %d planned: %d parsed again from their replies, %d scored again, %d added up, %d without a reply",
		c.verdicts, c.plannedVerdicts, v.Read, c.scored, c.verdicts-v.Read-c.scored-c.unread, c.unread)
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
	Verdict    string   `json:"verdict"`
	Sentence   string   `json:"sentence"`
	CannotKnow string   `json:"cannot_know"`
	Rests      []Rest   `json:"rests"`     // results that nobody can recompute
	NotMade    []Rest   `json:"not_made"`  // planned results of parties that were not run
	NotAsked   []Rest   `json:"not_asked"` // pairs outside the samples of judges
	Missing    []Rest   `json:"missing"`   // planned results beside others of their party
	SHA256     string   `json:"sha256"`
	Signer     string   `json:"signer,omitempty"` // public key of a valid signature
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
	s := Summary{File: name, CannotKnow: CannotKnow, SHA256: v.SHA256, Signer: v.Signer, Program: v.Made.Program, Revision: v.Made.Revision,
		Seed: v.Made.Seed, Answers: c.answers, Verdicts: c.verdicts, Preferred: c.preferences, Tables: v.Tables}
	if difference != nil {
		s.Verdict, s.Sentence, s.Difference, s.Missing = NotVerified, NotVerified, difference.Error(), c.missing
		return s
	}
	s.Verdict, s.Sentence = c.Verdict()
	s.Rests, s.NotMade, s.NotAsked, s.NotChecked = c.rests, c.absent, c.outside, c.unchecked(v)
	return s
}

type reported struct{ what, columns string }

// reportedColumns are the columns of a record that nothing else in it determines, with what
// they hold. Their checksums alone show a change.
var reportedColumns = []reported{
	{"times", "run.started run.finished attempts.started attempts.latency_ms attempts.waited_ms batches.submitted"},
	{"tokens and costs, as the servers reported them",
		"attempts.prompt_tokens attempts.cached_tokens attempts.written_tokens attempts.completion_tokens attempts.reasoning_tokens " +
			"attempts.cost attempts.estimated attempts.service_tier attempts.answered_by batches.aside"},
	{"what the servers replied in addition to a text, or instead of it",
		"attempts.http_status attempts.reason attempts.batch answers.reasoning calls.reasoning calls.finish calls.raw adaptations.provider " +
			"adaptations.model adaptations.parameter adaptations.value adaptations.reason"},
	{"incomplete replies of failed preferences", "calls.reply"},
	{"requests in full: each call's key is the hash of its request, and is derived again", "calls.request prompts.hash prompts.text"},
	{"the keys of calls that no result is read from", "calls.key"},
	{"texts that explain missing results", "answers.reason verdicts.reason preferences.reason labels.reason plan.note"},
	{"batches in flight", "batches.label batches.provider batches.model batches.kind batches.party batches.id batches.status batches.keys"},
	{"the origin of rows",
		"answers.origin verdicts.origin calls.origin calls.round attempts.id run.id run.program run.revision run.release_hash " +
			"run.sources sets.source unplaced.origin unplaced.judge unplaced.source unplaced.system unplaced.scenario unplaced.aspect " +
			"unplaced.reason"},
	{"order of rows in tables", "parties.position questions.position pairs.position sets.position"},
	{"largest difference of human points that is a tie", "sets.margin"},
	{"limit of a run's own pairs, which is not below their number", "sets.first"},
	{"judgments sampled for training, and grades of rationales, where no task of a recorded configuration makes them",
		"samples.id samples.judge samples.order samples.source samples.sample samples.fingerprint samples.status samples.choice " +
			"samples.text samples.reason samples.calls " +
			"grades.id grades.judge grades.method grades.order grades.grader grades.fingerprint grades.status grades.right grades.correctness " +
			"grades.consistency grades.reason grades.calls"},
}

// unchecked lists what could not be checked: columns first, then what is particular to this export.
func (c *Recheck) unchecked(v archive.Verified) []string {
	list := data.Each(reportedColumns, func(of reported) string { return strings.ReplaceAll(of.columns, " ", ", ") + ": " + of.what })
	if !c.replies {
		list = append(list, "the export has no replies: whether models wrote the verdicts, answers and preferences")
	}
	if c.unusedReplies > 0 {
		list = append(list, fmt.Sprintf("%s that no result is read from: the run was repeated with other inputs, or results were left out",
			data.Plural(c.unusedReplies, "complete reply", "complete replies")))
	}
	if !v.Sealed {
		list = append(list, "the record has no checksums, because its last run was killed: whether the columns above are as recorded")
	}
	return list
}
