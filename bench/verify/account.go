package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"compqa/bench/config"
	"compqa/data"
	"compqa/results/archive"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/validation"
)

// counts are the numbers of results: on record, and planned.
type counts struct{ answers, verdicts, preferences, plannedAnswers, plannedVerdicts int }

// add adds a planned cell to the counts. The answers and verdicts on record were counted earlier, by record.
func (n *counts) add(c cell) {
	switch c.Kind {
	case store.KindPreference:
		n.preferences += c.Recorded
	case store.KindAnswer:
		n.plannedAnswers += c.Planned
	case store.KindVerdict:
		n.plannedVerdicts += c.Planned
	}
}

// Verdict returns the verdict, one of NotVerified, NotFinished, Consistent and Verified, and a sentence about it. difference is the first
// difference that was found, nil if there is none. A difference decides first, then missing results, then anything that was not recomputed
// or compared.
func (c *Recheck) Verdict(difference error) (verdict, sentence string) {
	missing := c.missing.total()
	rests := c.rests.total()
	absent := c.notRun.total()
	var but []string
	if rests > 0 {
		but = append(but, data.Plural(rests, "item rests", "items rest")+" on what nobody can recompute")
	}
	if absent > 0 {
		but = append(but, data.Plural(absent, "planned result was", "planned results were")+" not made")
	}
	if n := c.uncomparedTexts.total(); n > 0 {
		but = append(but, data.Plural(n, "text was", "texts were")+" not compared")
	}
	if n := c.uncomparedColumns.total(); n > 0 {
		but = append(but, data.Plural(n, "column was", "columns were")+" not compared")
	}
	if n := c.missingColumns.total(); n > 0 {
		but = append(but, data.Plural(n, "recomputed table or column is", "recomputed tables and columns are")+" missing from the file")
	}
	switch {
	case difference != nil:
		return NotVerified, NotVerified
	case missing > 0:
		return NotFinished, NotFinished + ": " + data.Plural(missing, "planned result is", "planned results are") +
			" missing beside others of the same party"
	case but != nil:
		return Consistent, "consistent, but " + data.List(but)
	}
	return Verified, Verified
}

// Files adds what the check of the export's files found. It lists inputs of a validation that cannot be recomputed, a record without
// checksums, and texts and columns that were not compared. It also lists recomputed tables and columns that the file lacks.
func (c *Recheck) Files(v archive.Verified) {
	if c.rests == nil { // a difference was found before the record was checked
		return
	}
	if packed := v.Validation; packed != nil {
		const read = "as read from logs and people's scores, which are not in the file"
		c.rests.add("value", "the validation", packed.Values, read)
		c.rests.add("missing value", "the validation", packed.Failed, read)
		c.rests.add("inclusion probability", "the validation", packed.Inclusions, "as recorded")
		c.rests.add("earlier look", "the validation", packed.Looks, "as recorded")
		c.notKnown(validation.InputName, packed.Unknown)
	}
	if !v.Sealed {
		c.rests.add("record", "the run", 1, "without checksums: its last command was killed, or somebody deleted them, so nothing shows whether "+
			"times, tokens and other columns that servers reported are as recorded")
	}
	if v.Unvalidated {
		c.rests.add("report", "compqa validate", 1, "its tables are not in the file, and are not verified")
	}
	for _, name := range v.Other {
		c.uncomparedTexts.add("text", name, 1, "it differs from the text that this version writes, and another version is said to have made it")
	}
	for _, columns := range v.Otherwise {
		c.uncomparedColumns.add("column", columns.Table, len(columns.Columns), "computed by another version's rule: %s",
			strings.Join(columns.Columns, ", "))
	}
	for _, lack := range v.Lacks {
		if lack.Columns == nil {
			c.missingColumns.add("table", lack.Table, 1, "recomputed, but not in the file")
			continue
		}
		c.missingColumns.add("column", lack.Table, len(lack.Columns), "recomputed, but not in the file: %s", strings.Join(lack.Columns, ", "))
	}
}

// A short account has at most mostLines lines of each kind, with at most mostLetters characters each.
const (
	mostLines   = 12
	mostLetters = 240
)

// oneLine puts text from outside the program on one line, so that it cannot look like a line that this program wrote.
func oneLine(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", " ").Replace(table.Printable(text))
}

// An accountText is the text of an account. A line longer than width columns continues below its own text.
type accountText struct {
	strings.Builder
	width int
	whole bool // no line is shortened or left out
}

// labelColumns is the width of the column with the labels of lines.
const labelColumns = 15

// leastColumns is the least width of a text beside the name of a file, which may be wider than the screen.
const leastColumns = 60

// wrap adds a text after a label or the name of the file.
func (a *accountText) wrap(before, text string) {
	room := max(leastColumns, a.width-utf8.RuneCountInString(before))
	indent := "\n" + strings.Repeat(" ", labelColumns)
	a.WriteString(before + strings.Join(table.Wrap(text, room), indent) + "\n")
}

// add adds a line with a label.
func (a *accountText) add(label, text string) { a.wrap(fmt.Sprintf("  %-12s ", label), text) }

// line adds a line with a label and a formatted text, which it shortens unless the account is whole.
func (a *accountText) line(label, format string, args ...any) {
	text := oneLine(fmt.Sprintf(format, args...))
	if letters := []rune(text); !a.whole && len(letters) > mostLetters {
		text = string(letters[:mostLetters]) + "…"
	}
	a.add(label, text)
}

// list adds a line for each Rest. Unless the account is whole, it leaves out those after the first mostLines.
func (a *accountText) list(label string, rests []Rest) {
	for i, r := range rests {
		if !a.whole && i == mostLines-1 && len(rests) > mostLines {
			a.line(label, "… and %d more (--verbose lists them)", len(rests)-i)
			return
		}
		a.line(label, "%s", r)
	}
}

// Account returns the account of a verification as text: the verdict, what was measured, what was checked and what was not. difference is
// the first difference, nil if there is none. Unless whole is true, the account is short enough for one screen. width is the width of the
// screen in columns.
func (c *Recheck) Account(name string, v archive.Verified, difference error, whole bool, width int) string {
	b := accountText{width: width, whole: whole}
	_, sentence := c.Verdict(difference)
	b.wrap(oneLine(name)+": ", sentence)
	if difference != nil {
		b.list("missing", c.missing.sorted())
		b.add("cannot know", CannotKnow)
		return b.String()
	}
	q := c.questionSummary()
	builtIn := "built in"
	if !q.BuiltIn {
		builtIn = "not " + builtIn
	}
	b.line("measured", "%s, %s (SHA-256 %.12s…); rubric %s", q.askedText(), builtIn, q.SHA256, c.run.Rubric.Name)
	b.list("missing", slices.Concat(c.missing.sorted(), c.missingColumns.sorted()))
	b.list("not compared", c.uncompared())
	b.list("rests on", c.rests.sorted())
	b.list("not made", c.notRun.sorted())
	b.list("not asked", c.notSampled.sorted())
	b.add("cannot know", CannotKnow)
	b.line("SHA-256", "%s", v.SHA256)
	b.line("signed by", "%s", cmp.Or(v.Signer, "nobody"))
	b.line("made by", "said to be compqa %s, commit %s; seed %d", v.Made.Program, v.Made.Revision, v.Made.Seed)
	b.line("checked", "%d of %d planned answers, %d of %d planned verdicts, %s, %s", c.answers, c.plannedAnswers, c.verdicts,
		c.plannedVerdicts, data.Plural(c.preferences, "preference", "preferences"), data.Plural(len(v.Tables)-len(v.Other), "file", "files"))
	if !whole {
		return b.String()
	}
	var found []string
	for _, k := range store.Kinds {
		if n := c.madeRows[k.Name].size(); n > 0 {
			found = append(found, counted(n, k.Name))
		}
	}
	b.line("by tasks", "%s have a task of the recorded configuration", data.List(found))
	for _, left := range c.uncheckedColumns(v) {
		b.line("not checked", "%s", left)
	}
	return b.String()
}

// uncompared returns the texts and columns that were not compared.
func (c *Recheck) uncompared() []Rest {
	return slices.Concat(c.uncomparedTexts.sorted(), c.uncomparedColumns.sorted())
}

// A QuestionSet describes the set of questions that a run measured.
type QuestionSet struct {
	Name    string `json:"name"`
	Number  int    `json:"number"`
	Asked   int    `json:"asked"` // the number of questions that have a recorded answer, whatever its status
	SHA256  string `json:"sha256"`
	BuiltIn bool   `json:"built_in"`
}

func (c *Recheck) questionSummary() (q QuestionSet) {
	if c.run != nil && c.plan != nil {
		q = QuestionSet{c.run.Made[0].Dataset, len(c.questionSet), 0, config.HashOf(c.questionSet), c.builtIn()}
		asked := map[string]bool{}
		for _, answer := range c.run.Answers {
			asked[answer.Question] = true
		}
		for _, question := range c.questionSet {
			if asked[question.ID] {
				q.Asked++
			}
		}
	}
	return q
}

// askedText returns in words how many of the questions have answers.
func (q QuestionSet) askedText() string {
	all := data.Plural(q.Number, "question", "questions") + " of " + q.Name
	switch q.Asked {
	case q.Number:
		return all
	case 0:
		return "no answers to the " + all
	}
	return fmt.Sprintf("%d of the %s", q.Asked, all)
}

// A Summary is an Account in a form for programs.
type Summary struct {
	File       string      `json:"file"`
	Verdict    string      `json:"verdict"`
	Sentence   string      `json:"sentence"`
	CannotKnow string      `json:"cannot_know"`
	Questions  QuestionSet `json:"questions"`
	Rests      []Rest      `json:"rests"`        // what nobody can recompute from the export
	NotMade    []Rest      `json:"not_made"`     // planned results of parties that were not run
	NotAsked   []Rest      `json:"not_asked"`    // pairs outside the samples of judges, or without a choice in a judge's file
	Missing    []Rest      `json:"missing"`      // planned results missing although their party has others, and tables that the file lacks
	Texts      []Rest      `json:"not_compared"` // texts that another version worded, and columns that it computed by other rules
	SHA256     string      `json:"sha256"`
	Signer     string      `json:"signer,omitempty"` // public key of a valid signature, "" without one
	Program    string      `json:"program"`          // the program that the export says made the run
	Revision   string      `json:"revision"`         // the revision of Program, as the export says
	Seed       int64       `json:"seed"`
	Difference string      `json:"difference,omitempty"` // the first difference, "" if there is none
	Answers    int         `json:"answers"`
	Verdicts   int         `json:"verdicts"`
	Preferred  int         `json:"preferences"`
	Tables     []string    `json:"tables"`
	NotChecked []string    `json:"not_checked"` // lists of table.column, and other things, with the reason why each is not checked
}

// Summary returns the account of a verification for programs. difference is the first difference, nil if there is none.
func (c *Recheck) Summary(name string, v archive.Verified, difference error) Summary {
	s := Summary{File: name, CannotKnow: CannotKnow, SHA256: v.SHA256, Signer: v.Signer, Program: v.Made.Program, Revision: v.Made.Revision,
		Seed: v.Made.Seed, Answers: c.answers, Verdicts: c.verdicts, Preferred: c.preferences, Tables: v.Tables}
	s.Verdict, s.Sentence = c.Verdict(difference)
	if difference != nil {
		s.Difference, s.Missing = difference.Error(), c.missing.sorted()
		return s
	}
	s.Questions, s.Rests, s.NotMade, s.Texts = c.questionSummary(), c.rests.sorted(), c.notRun.sorted(), c.uncompared()
	s.Missing = slices.Concat(c.missing.sorted(), c.missingColumns.sorted())
	s.NotAsked, s.NotChecked = c.notSampled.sorted(), c.uncheckedColumns(v)
	return s
}

type reportedColumn struct{ what, columns string }

// reportedColumns lists the columns of a record that follow from nothing else in it, with a description of what they hold. Only their
// checksums can show a change.
var reportedColumns = []reportedColumn{
	{"times", "run.started run.finished attempts.started attempts.latency_ms attempts.waited_ms batches.submitted"},
	{"tokens, as the servers reported them, and the costs that do not follow from them and a recorded price",
		"attempts.prompt_tokens attempts.cached_tokens attempts.written_tokens attempts.completion_tokens attempts.reasoning_tokens " +
			"attempts.cost attempts.estimated attempts.service_tier attempts.answered_by batches.aside"},
	{"what the servers replied in addition to a text, or instead of it",
		"attempts.http_status attempts.reason attempts.batch answers.reasoning calls.reasoning calls.finish calls.raw adaptations.provider " +
			"adaptations.model adaptations.parameter adaptations.value adaptations.reason"},
	{"incomplete replies of failed preferences", "calls.reply"},
	{"requests in full: each call's key is the hash of its request, and is derived again", "calls.request prompts.hash prompts.text"},
	{"the keys of calls that no result is read from", "calls.key"},
	{"texts that explain missing results", "answers.reason verdicts.reason preferences.reason labels.reason plan.note"},
	{"batches and calls in flight",
		"batches.label batches.provider batches.model batches.kind batches.party batches.id batches.status batches.keys"},
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

// uncheckedColumns lists what could not be checked: first the reportedColumns, then what only this export lacks.
func (c *Recheck) uncheckedColumns(v archive.Verified) []string {
	list := data.Each(reportedColumns, func(column reportedColumn) string {
		return strings.ReplaceAll(column.columns, " ", ", ") + ": " + column.what
	})
	if !c.replies {
		list = append(list, "the export has no replies: whether models wrote the verdicts, answers and preferences")
	}
	if q := c.questionSummary(); q.Asked < q.Number {
		list = append(list, "the limit of the questions (--limit), which the record does not have: whether the run asked more of them, "+
			"which were removed with their plan")
	}
	if !v.Sealed {
		list = append(list, "the record has no checksums: whether the columns above are as recorded")
	}
	return list
}
