package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"compqa/data"
)

// Contents says in words what a folder holds. A command overwrites only folders with its own contents.
type Contents string

// The possible contents of folders. The judge's name follows ContentDatasheet.
const (
	ContentNothing    Contents = ""
	ContentRun        Contents = "a run"
	ContentValidation Contents = "a validation"
	ContentDatasheet  Contents = "the datasheet of "
	ContentStrum      Contents = "the calls of contrastive tables"
	ContentReport     Contents = "a report"
	ContentStudy      Contents = "the report of a study"
	ContentTables     Contents = "the tables of a report"
	ContentUnknown    Contents = "a database that is not read here"
)

// An Output describes the command that is about to write, and what it may replace.
type Output struct {
	Command string    // the name of the command, for messages
	Content Contents  // what it writes; ContentNothing if no command reads it
	Any     bool      // it adds to a record of any contents
	Replace bool      // it may delete what people or imports added to the record: --replace
	Waits   io.Writer // if not nil, it waits for another writing command, and says so here
	// Again says that the command only rewrites pages and tables of a record. It does not lock the folder, which a run may have locked.
	// Folder.New has the folder's tables at first.
	Again     bool
	Continues bool     // it reads the present files and writes them again, even if a user made them
	Beside    []string // patterns of files that it writes next to a new record
}

// An OutputError says why a command may not write an output. Nothing has been changed.
type OutputError struct{ text string }

func (e OutputError) Error() string { return e.text }

func refused(format string, args ...any) error { return OutputError{fmt.Sprintf(format, args...)} }

// A Held describes what a folder holds. Its counts are read only for error messages, because they take a second for a million verdicts.
type Held struct {
	Content                               Contents
	Answers, Verdicts, Preferences, Calls int
	Cost                                  float64 // of the calls, US dollars; calls of unknown price count 0
	Added                                 int     // in a validation: results that people, imports or a run added
	Study                                 bool    // it has an annotation.db of `compqa annotate`
}

// Text returns what a folder holds, with its counts, for example "a run (8 answers, 16 calls, $0.02)".
func (h Held) Text() string {
	var parts []string
	for _, count := range []struct {
		n         int
		one, more string
	}{{h.Answers, "answer", "answers"}, {h.Verdicts, "verdict", "verdicts"}, {h.Preferences, "preference", "preferences"},
		{h.Calls, "call", "calls"}} {
		if count.n > 0 {
			parts = append(parts, data.Plural(count.n, count.one, count.more))
		}
	}
	if h.Cost > 0 {
		parts = append(parts, fmt.Sprintf("$%.4g", h.Cost))
	}
	if parts == nil || h.Content == ContentNothing {
		return string(h.Content)
	}
	return string(h.Content) + " (" + strings.Join(parts, ", ") + ")"
}

// Holding returns what a folder holds, without counts. A folder that does not exist, or has none of the known files, holds nothing.
func Holding(dir string) Held {
	has := func(names ...string) bool {
		_, err := os.Stat(filepath.Join(append([]string{dir}, names...)...))
		return err == nil
	}
	h := Held{Study: has("annotation.db")}
	switch {
	case has(RecordName):
		if err := h.record(dir); err != nil {
			h.Content = ContentUnknown
		}
	case inTables(dir):
		h.Content = ContentTables
	case has("tables", "validation.csv") && has("report.html"), validated(dir):
		h.Content = ContentValidation
	case has("study.json"):
		h.Content = ContentStudy
	case has("report.html"), has("report.md"):
		h.Content = ContentReport
	}
	return h
}

// validated reports whether report.md of a folder was written by `compqa validate`. A validation without people has no validation.csv.
func validated(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "report.md"))
	return err == nil && bytes.Contains(text, []byte("\ncompqa validate "))
}

// inTables reports whether a folder is the tables folder of a report, or is inside one.
func inTables(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, "columns.md")); err == nil {
		_, study := os.Stat(filepath.Join(dir, "study.json")) // the report of a study has tables and pages in one folder
		return study != nil
	}
	whole, err := filepath.Abs(dir)
	for ; err == nil && filepath.Dir(whole) != whole; whole = filepath.Dir(whole) {
		if filepath.Base(whole) != "tables" {
			continue
		}
		for _, name := range []string{RecordName, "report.html"} {
			if _, err := os.Stat(filepath.Join(filepath.Dir(whole), name)); err == nil {
				return true
			}
		}
	}
	return false
}

// record sets Content from a record: a validation, a run, the calls of contrastive tables, or the datasheet of a judge. A record without
// rows, which a command leaves when it is stopped at once, holds nothing.
func (h *Held) record(dir string) error {
	s, err := Open(dir)
	if errors.Is(err, errNoTables) { // a full disk can leave an empty database
		return nil
	}
	if err != nil {
		return err
	}
	defer s.Close()
	made, err := Value[struct{ Runs, Results, Calls, Validated bool }](s, `SELECT EXISTS (SELECT 1 FROM run),
		EXISTS (SELECT 1 FROM answers) OR EXISTS (SELECT 1 FROM verdicts) OR EXISTS (SELECT 1 FROM preferences)
			OR EXISTS (SELECT 1 FROM plan) OR EXISTS (SELECT 1 FROM pairs), EXISTS (SELECT 1 FROM calls),
		EXISTS (SELECT 1 FROM plan WHERE origin = 'validation') OR EXISTS (SELECT 1 FROM answers WHERE origin = 'validation')`)
	if err != nil {
		return err
	}
	switch {
	case made.Validated:
		h.Content = ContentValidation
		h.Added, err = Value[int](s, `SELECT (SELECT count(*) FROM answers WHERE origin <> 'validation')
			+ (SELECT count(*) FROM verdicts WHERE origin <> 'validation') + (SELECT count(*) FROM labels)
			+ (SELECT count(*) FROM preferences) + (SELECT count(*) FROM grades) + (SELECT count(*) FROM samples)
			+ (SELECT count(*) FROM attacks)`)
		return err
	case made.Runs || made.Results:
		h.Content = ContentRun
	case made.Calls:
		h.Content = ContentStrum
	}
	configs, err := s.Configs()
	for _, text := range configs {
		if judge := datasheetOf(text); judge != "" {
			h.Content = ContentDatasheet + Contents(judge)
		}
	}
	return err
}

// count reads the counts of a record, if the folder has one that can be read.
func (h *Held) count(dir string) {
	s, err := Open(dir)
	if err != nil {
		return
	}
	defer s.Close()
	made, err := Value[struct {
		Answers, Verdicts, Preferences, Calls int
		Cost                                  float64
	}](s, `SELECT (SELECT count(*) FROM answers), (SELECT count(*) FROM verdicts), (SELECT count(*) FROM preferences),
		(SELECT count(*) FROM calls), (SELECT coalesce(sum(cost), 0.0) FROM attempts)`)
	if err == nil {
		h.Answers = made.Answers
		h.Verdicts = made.Verdicts
		h.Preferences = made.Preferences
		h.Calls = made.Calls
		h.Cost = made.Cost
	}
}

// OriginValidation is the origin (see PlanCell) of rows that `compqa validate` records.
const OriginValidation = "validation"

// In the record of a datasheet, DatasheetSystem is the system of the unchanged answers, and DatasheetPairs the set of pairs with a changed
// answer.
const (
	DatasheetSystem = "as it is"
	DatasheetPairs  = "probes"
)

// datasheetOf returns the judge that a datasheet is about, given the configuration of the datasheet's record. For any other configuration
// it returns "".
func datasheetOf(text string) string {
	type named struct{ Name, Path string }
	var c struct{ Models, Judges, Pairs, Pairwise []named }
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return ""
	}
	switch {
	case len(c.Models) > 1 && c.Models[0].Name == DatasheetSystem && len(c.Judges) == 1 &&
		strings.HasPrefix(filepath.Base(c.Models[0].Path), "answers.jsonl"):
		return c.Judges[0].Name
	case len(c.Models) == 0 && len(c.Pairs) > 0 && c.Pairs[0].Name == DatasheetPairs && len(c.Pairwise) > 0 &&
		strings.HasPrefix(filepath.Base(c.Pairs[0].Path), DatasheetPairs+".jsonl"): // a hash may follow the name
		return c.Pairwise[0].Name
	}
	return ""
}

// CheckFolder returns an OutputError if a command may not write into a folder. These are the cases: the folder would be inside the tables
// of a report, is a file, has a user's own files, or holds other contents than the command writes. The last case is a validation with
// additions that the command would delete.
func CheckFolder(dir string, o Output) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) && inTables(dir) {
		return refused("%s would be inside the tables of a report; %s", dir, elsewhere(dir, o))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return refused("%v; %s", err, elsewhere(dir, o))
	}
	if !info.IsDir() {
		return refused("%s is a file%s; %s needs a folder, which it creates: %s", dir, databaseText(dir), o.Command, elsewhere(dir, o))
	}
	held := Holding(dir)
	if held.Content == ContentNothing && o.Content != ContentNothing {
		if err := keepOwn(dir, o); err != nil {
			return err
		}
	}
	isRecord := held.Content == ContentRun || held.Content == ContentValidation || held.Content == ContentStrum ||
		strings.HasPrefix(string(held.Content), string(ContentDatasheet))
	continues := o.Any || o.Content == ContentRun || o.Content == ContentStrum ||
		strings.HasPrefix(string(o.Content), string(ContentDatasheet))
	if held.Content == ContentNothing || o.Any && isRecord || continues && held.Content == ContentUnknown { // Create names the fault
		return nil
	}
	refusing := held.Content == ContentValidation && !o.Replace && (held.Added > 0 || held.Study)
	if held.Content != o.Content || refusing {
		held.count(dir)
	}
	switch {
	case held.Content != o.Content:
		return refused("%s holds %s, which compqa %s would replace or mix with its own files; nothing is changed: %s", dir, held.Text(),
			o.Command, elsewhere(dir, o))
	case refusing:
		added := data.Plural(held.Added, "result", "results") + " that people, imports or a run added"
		if held.Added == 0 {
			added = "people's work of annotate"
		}
		return refused("%s holds %s, with %s, which a new validation would delete; nothing is changed: %s, or delete them with --replace", dir,
			held.Text(), added, elsewhere(dir, o))
	}
	return nil
}

// keepOwn returns an error if a folder without a record has a user's own files where the command would write next to a record. It runs
// before any work; Folder.Commit later checks all names.
func keepOwn(dir string, o Output) error {
	ours, _ := written(dir)
	for _, pattern := range append([]string{"tables/*"}, o.Beside...) {
		found, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, path := range found {
			name, err := filepath.Rel(dir, path)
			if err != nil || !ours[name] && !data.IsFolder(path) {
				return ownFile(path, dir, o)
			}
		}
	}
	return nil
}

// elsewhere returns advice that names another folder for --out.
func elsewhere(dir string, o Output) string {
	words := strings.Fields(o.Command)
	name := strings.TrimSuffix(filepath.Base(dir), filepath.Ext(dir)) + "-" + words[len(words)-1]
	other := filepath.Join(filepath.Dir(filepath.Clean(dir)), name)
	if inTables(dir) || !data.IsFolder(filepath.Dir(other)) {
		other = "results/" + words[len(words)-1]
	}
	return "name another folder, for instance --out " + other
}

// CheckFile returns an OutputError if a command may not write a file: the path is a folder, a database, or a page or table of a report.
func CheckFile(path string) error {
	info, err := os.Stat(path)
	if path == "-" || path == "" || err != nil || !info.IsDir() && !info.Mode().IsRegular() { // a device takes what is written
		return nil
	}
	folder := filepath.Dir(path)
	name := filepath.Base(path)
	switch {
	case info.IsDir():
		return refused("%s is a folder; a file is needed, which is created or replaced%s", path, heldText(path))
	case isDatabase(path):
		return refused("%s is a database; nothing is changed: name another file%s", path, heldText(folder))
	case name == "report.html", name == "report.md", name == LockName, strings.HasPrefix(name, RecordName):
		return refused("%s belongs to %s; nothing is changed: name another file", path, cmp.Or(heldIn(folder), "a run"))
	case inTables(folder):
		return refused("%s is one of the tables of a report; nothing is changed: name another file", path)
	}
	return nil
}

// heldIn returns what a folder holds, with its counts, or "" if it holds nothing.
func heldIn(dir string) string {
	held := Holding(dir)
	held.count(dir)
	return held.Text()
}

func heldText(dir string) string {
	if text := heldIn(dir); text != "" {
		return "; it holds " + text
	}
	return ""
}

func databaseText(path string) string {
	if isDatabase(path) {
		return " and a database" + heldText(filepath.Dir(path))
	}
	return ""
}

// isDatabase reports whether a file is a database of SQLite (https://sqlite.org/fileformat.html, 1.3.1).
func isDatabase(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	const magic = "SQLite format 3\x00"
	head := make([]byte, len(magic))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == magic
}

// unwritable turns an error about missing permissions into an OutputError that names the folder. It returns any other error unchanged.
func unwritable(dir string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, errReadOnly) {
		return refused("%s may not be written (%v); nothing is changed: name another place", dir, cause(err))
	}
	return err
}

// cause returns the error inside a fs.PathError, which does not name the file.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
