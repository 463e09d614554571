// Package sources reads answers, scores, pairs and logs of other programs. formats.yaml and pairs.yaml describe their formats; a format
// that needs code has a file.
//
// Readers do not check scores: package rubric decides whether they are valid. Text that cannot be parsed is an error
// with file and line. A human row whose answer is not found is listed, never dropped.
package sources

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"

	"compqa/data"
)

// A Format says where another program keeps what compqa reads. The fields are described in formats.yaml.
type Format struct {
	Name    string
	About   string
	Source  string // for a set of pairs, a description of it
	Note    string // what a reader of the results must know
	Refuse  string // why files of this format cannot be read, and what to use instead
	Prepare string // the function in prepare.go that rewrites a record
	Expand  string // of pairs: the function in expand.go that turns all records into comparisons
	Files   string // for a folder, a pattern of the files with records; default: all JSON and CSV files
	Without string // a pattern of files to leave out

	Rows     paths
	Marks    []paths
	Item     itemMap
	Runs     []paths
	Scores   []scoreMap
	Outputs  []outputMap
	Majority bool     // the label of a pair is the choice of the majority of people
	Card     string   // the page that describes a published set of pairs
	Table    bool     // of pairs: roles that Item lacks are found by column names; see pairTable
	Left     []string // columns that are known and ignored
	Reads    []string // columns that Prepare or Expand reads
	Status   paths    // rows with the status rejected are left out
	Strict   *strict  // fields, for this project's own formats

	Reading *Reading `yaml:"-"` // for a set of pairs, the roles of its columns

	table *Reading // for a table that no format describes, the roles of its columns
}

// An itemMap holds the paths of the parts of an item or of a pair of answers.
type itemMap struct {
	ID, Repeat, Turn, Question, Text, System, Group      paths
	A, B, Better, Worse, Systems, Label, Domain, Cluster paths
	SystemA                                              paths `yaml:"system_a"`
	SystemB                                              paths `yaml:"system_b"`
	Inclusion                                            paths // probability with which the item was sampled for labelling
	Confidence                                           paths // how sure the judge is of its values
	Origin                                               paths // where people's values come from; see data.OriginPerson
	Choices                                              map[string]data.Choice
	Domains                                              map[string]string // the words for each domain, separated by blanks
	Each                                                 bool              // each better answer makes a pair with each worse one

	SystemMessage paths         `yaml:"system_message"` // what both systems were told before the question
	Before        paths         // the turns before the question
	Shared        []string      // further texts that both answers are about; all are shown
	Media         []string      // columns of images, audio or video, whose presence is noted in the question
	ScoreA        paths         `yaml:"score_a"` // score of answer a, or of the better one
	ScoreB        paths         `yaml:"score_b"`
	Ratings       paths         // a list of both scores
	Status        paths         // the value tie turns a pair of a better and a worse answer into a tie
	Order         string        // of Label: the column that gives the order in which the answers were shown
	OfPair        bool          // Label names the pair's own answers, whatever the order in which they were shown
	Is            string        // what Label names, as the user says: choiceOfSystem or choiceOfSide; "" allows both
	Candidates    *candidateMap // where several answers to one question are
}

// A scoreMap holds the paths of the scores of a judge or of people.
type scoreMap struct {
	Each                                paths
	Match                               string // a pattern of the names of members that hold a score; its first group becomes @key
	If                                  map[string]string
	Judge, Person, Criterion, Value     paths
	Who                                 paths // who scored; the rater is a judge when judges are read, and a person when people are
	Reason, Error, Extra, Order, Method paths
	Origin                              paths // where a person's value comes from; default: Origin of the item
	Mark                                paths // a value of true means that the judge failed
	Failed                              string
	Lead                                string // the entry of Values without which the whole record counts as failed
	Values                              map[string]string
	Columns                             []string // columns that are not criteria; all others are. nil: Columns is not used
	Choices                             map[string]data.Choice
	OfPair                              bool `yaml:"of_pair"` // a choice names the pair's own answers, whatever the order shown
}

// An outputMap says which further files have the choices of judges. A record belongs to the pair with its id, or to the pair at its
// position.
type outputMap struct {
	Files, Without, Judge, Order string
	ID, Value, Reason            paths
	Choices                      map[string]data.Choice
}

//go:embed formats.yaml
var formatsYAML []byte

// pairsYAML has the formats of sets of pairs, written as in formats.yaml.
//
//go:embed pairs.yaml
var pairsYAML []byte

// Formats returns the known formats, in the order in which they are tried.
var Formats = sync.OnceValue(func() []*Format {
	return append(data.Must(ofYAML[[]*Format](formatsYAML)), data.Must(ofYAML[[]*Format](pairsYAML))...)
})

func ofYAML[T any](text []byte) (value T, err error) {
	err = yaml.Unmarshal(text, &value)
	return value, err
}

// PairFormats returns the formats of sets of pairs.
func PairFormats() []*Format {
	return data.Where(Formats(), func(f *Format) bool { return f.Source != "" })
}

func nameOf(f *Format) string { return f.Name }

// PairFormatNames returns the names of PairFormats.
func PairFormatNames() []string { return data.Each(PairFormats(), nameOf) }

// formatNamed returns the format with a name. The error of an unknown name suggests a similar one.
func formatNamed(name string) (*Format, error) {
	f, found := data.First(Formats(), func(f *Format) bool { return f.Name == name })
	if !found {
		return nil, fmt.Errorf("there is no format %q%s", name, data.Suggest(name, "formats", data.Each(Formats(), nameOf)))
	}
	return f, nil
}

// has reports whether a record matches the format: for each of its marks, the record has a value at one of the mark's paths.
func (f *Format) has(record *scope) bool {
	for _, mark := range f.Marks {
		if !slices.ContainsFunc(mark, func(path string) bool { return record.get(path).Exists() }) {
			return false
		}
	}
	return len(f.Marks) > 0 && (!f.Item.Each || listed(record.first(f.Item.Better)))
}

// records yields the records of a file or folder, rewritten by the format's Prepare function. For a table, the yielded record and its
// document are reused for the next row, so callers must not keep them.
func (f *Format) records(path string, note func(string)) iter.Seq2[*scope, error] {
	return func(yield func(*scope, error) bool) {
		files, err := f.files(path)
		if err != nil {
			yield(nil, err)
		}
		each := func(record *scope, err error) bool {
			if err == nil && f.Prepare != "" {
				record, err = f.prepared(record)
			}
			if err != nil || f.table == nil || !f.table.Turned {
				return yield(record, err)
			}
			for cell := range f.table.cells(record) {
				if !yield(cell, nil) {
					return false
				}
			}
			return true
		}
		var row data.Document
		var cells scope
		for _, file := range files {
			for doc, err := range headed(file, note) {
				if doc.Table != nil {
					row = doc
					cells = scope{Document: &row, cells: true}
					if !each(&cells, err) {
						return
					}
					continue
				}
				for record := range f.rows(doc) {
					if !each(record, err) {
						return
					}
				}
			}
		}
	}
}

// rows yields the records of a document: the entries of the first list at a path of f.Rows, or the document itself without a list.
func (f *Format) rows(doc data.Document) iter.Seq[*scope] {
	return func(yield func(*scope) bool) {
		whole := newScope(&doc)
		var rows gjson.Result
		for _, path := range f.Rows {
			list, _, nested := strings.Cut(path, "[]")
			if nested && doc.Table == nil && whole.get(list).IsArray() {
				for record := range whole.each(path) {
					if !yield(record) {
						return
					}
				}
				return
			}
			if doc.Table != nil || rows.Get("0").Exists() {
				break
			}
			if list := whole.get(path); list.IsArray() { // gjson would copy the whole file as the text of a list
				rows = list
			}
		}
		if !rows.IsArray() {
			yield(whole)
			return
		}
		line := data.LineCounter(doc.Root.Raw)
		root := membersOf(doc.Root)
		rows.ForEach(func(_, row gjson.Result) bool {
			document := doc
			document.Line = doc.Line + line(row.Index) - 1
			document.Value = row
			return yield(&scope{Document: &document, value: row, root: root})
		})
	}
}

// recognised returns the format of a file or folder, judged by its content, or nil if no format matches. For example, a file that begins
// with {"id": 1, "data": {…}, "annotations": […]} has the marks of Label Studio's export. A file that begins with the line
// id,rater,correct matches no format: it is a table, whose columns Sheet.Read looks at.
func recognised(path string) (*Format, error) {
	if data.IsFolder(path) {
		for _, f := range Formats() {
			if f.Files == "" {
				continue
			}
			if files, err := f.files(path); err == nil && len(files) > 0 {
				return f, nil
			}
		}
	}
	return recognisedAmong(path, Formats())
}

// recognisedAmong returns the first of several formats that the first record of a file matches, or nil if it matches none.
func recognisedAmong(path string, formats []*Format) (*Format, error) {
	files, err := (&Format{}).files(path)
	if err != nil {
		return nil, err
	}
	for doc, err := range data.Documents(files[0], quiet) {
		if err != nil {
			return nil, err
		}
		for _, f := range formats {
			for record := range f.rows(doc) {
				if f.has(record) {
					return f, nil
				}
				break
			}
		}
		break
	}
	return nil, nil
}

// quiet ignores notes about what was guessed about a file.
func quiet(string) {}

// FormatOf returns the name of the format of a file or folder, judged by its content, or "" if no format matches or it cannot be read.
func FormatOf(path string) string {
	f, err := recognised(path)
	if err != nil || f == nil {
		return ""
	}
	return f.Name
}

// files returns the files with records in a folder and its subfolders, sorted by path, or the file itself. No file is an error.
func (f *Format) files(path string) (files []string, err error) {
	if path == "-" {
		return []string{path}, nil
	}
	if index := strings.LastIndexByte(path, '#'); index > 0 && !data.IsFolder(path) {
		return []string{path}, nil // a sheet, or an entry of a zip file
	}
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case p == path, globbed(f.Files, d.Name()) && f.Files != "":
		case f.Files != "" || !data.Readable(p):
			return nil
		case globbed(f.Without, filepath.Base(filepath.Dir(p))+"/"+d.Name()):
			return nil
		}
		files = append(files, p)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, errors.Unwrap(err))
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no file that is read: .jsonl, .json, .csv, .xlsx, .parquet or .eval, also as .gz or .zst", path)
	}
	slices.Sort(files)
	return files, nil
}

// globbed reports whether a name matches a pattern. An empty pattern matches nothing.
func globbed(pattern, name string) bool {
	ok, _ := filepath.Match(pattern, name)
	return ok && pattern != ""
}
