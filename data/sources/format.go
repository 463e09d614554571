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
	Source  string // what a set of pairs is, in words
	Note    string // what a reader of the results must know
	Refuse  string // why files of this format cannot be read, and what to use instead
	Prepare string // the function in prepare.go that rewrites a record
	Expand  string // of pairs: the function in expand.go that makes records of several
	Files   string // of a folder, the files with records; default: all of JSON and CSV
	Without string // files that are left out

	Rows     paths
	Marks    []paths
	Item     itemMap
	Runs     []paths
	Scores   []scoreMap
	Outputs  []outputMap
	Majority bool     // the label of a pair is the choice of most people
	Card     string   // the page that describes a published set of pairs
	Table    bool     // of pairs: roles that Item does not have are found by the names of columns; see pairTable
	Left     []string // columns that are known and not read
	Reads    []string // columns that Prepare or Expand reads
	Status   paths    // rows with the status rejected are left out
	Strict   *strict  // of this project's own formats

	Reading *Reading `yaml:"-"` // of a set of pairs: what its columns are

	table *Reading // of a table that no format describes
}

// An itemMap says where an item's parts are.
type itemMap struct {
	ID, Repeat, Turn, Question, Text, System, Group      paths
	A, B, Better, Worse, Systems, Label, Domain, Cluster paths
	SystemA                                              paths `yaml:"system_a"`
	SystemB                                              paths `yaml:"system_b"`
	Inclusion                                            paths // the probability with which the item was chosen to be labelled
	Confidence                                           paths // of the judge in its values
	Origin                                               paths // of people's values
	Choices                                              map[string]data.Choice
	Domains                                              map[string]string // domain: the words that stand for it
	Each                                                 bool              // better and worse are lists: each of one with each of the other

	SystemMessage paths         `yaml:"system_message"` // what both systems were told before the question
	Before        paths         // the turns before the question
	Shared        []string      // further texts that both answers are about, all of which are shown
	Media         []string      // columns of images, audio or video, which are named in the question
	ScoreA        paths         `yaml:"score_a"` // the score of a, or of the better answer
	ScoreB        paths         `yaml:"score_b"`
	Ratings       paths         // a list of both scores
	Status        paths         // the word tie makes a pair of a better and a worse answer a tie
	Order         string        // of Label: the column that says in which order the answers were shown
	OfPair        bool          // Label names a of the pair, whatever the order
	Is            string        // what Label names, as the user says: system or side; "": either
	Candidates    *candidateMap // more than two answers to one question
}

// A scoreMap says where the scores of a judge, or of people, are.
type scoreMap struct {
	Each                                paths
	Match                               string // a pattern of the names of members, each of which is a place; its first group is @key
	If                                  map[string]string
	Judge, Person, Criterion, Value     paths
	Who                                 paths // a judge of the log's side, a person of people's
	Reason, Error, Extra, Order, Method paths
	Origin                              paths // of a person's value; else that of the item
	Mark                                paths // true: the judge failed
	Failed                              string
	Lead                                string // of Values: without it the others are not values either
	Values                              map[string]string
	Columns                             []string // nil: none; names that are not criteria
	Choices                             map[string]data.Choice
	OfPair                              bool `yaml:"of_pair"` // a choice names a of the pair, whatever the order in which it was shown
}

// An outputMap says where other files keep the choices of judges, by the id of a pair or in the order of pairs.
type outputMap struct {
	Files, Without, Judge, Order string
	ID, Value, Reason            paths
	Choices                      map[string]data.Choice
}

//go:embed formats.yaml
var formatsYAML []byte

// pairsYAML are formats of sets of pairs, in the form of formats.yaml.
//
//go:embed pairs.yaml
var pairsYAML []byte

// Formats are the formats that are recognised, in the order in which they are tried.
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

// formatNamed returns the format with a name.
func formatNamed(name string) (*Format, error) {
	f, found := data.First(Formats(), func(f *Format) bool { return f.Name == name })
	if !found {
		return nil, fmt.Errorf("there is no format %q%s", name, data.Suggest(name, "formats", data.Each(Formats(), nameOf)))
	}
	return f, nil
}

// has reports whether a record has the marks of the format.
func (f *Format) has(record *scope) bool {
	for _, mark := range f.Marks {
		if !slices.ContainsFunc(mark, func(path string) bool { return record.get(path).Exists() }) {
			return false
		}
	}
	return len(f.Marks) > 0 && (!f.Item.Each || listed(record.first(f.Item.Better)))
}

// records yields the records of a file or folder, as the format's function rewrites them. That of a row of a table, and its document, are
// those of the next row afterwards.
func (f *Format) records(path string, note func(string)) iter.Seq2[*scope, error] {
	return func(yield func(*scope, error) bool) {
		files, err := f.files(path)
		if err != nil {
			yield(nil, err)
		}
		each := func(record *scope, err error) bool {
			if err == nil {
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

// rows returns the records of a document: the first list that f.Rows lead to, or the document itself.
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
			if list := whole.get(path); list.IsArray() { // its text would be a copy of the whole file
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

// recognised returns the format of a file or folder by its content; nil: none. A file that begins with {"id": 1, "data": {…},
// "annotations": […]} has the marks of Label Studio's export, and its scores are where formats.yaml says. One that begins with the line
// id,rater,correct has the marks of no format: it is a table, whose columns Sheet.Read looks at.
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

// recognisedAmong returns the first of several formats whose marks the first record of a file has; nil: none.
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

// quiet is told what was guessed about a file, and does not say it.
func quiet(string) {}

// FormatOf returns the name of the format of a file or folder by its content; "": none.
func FormatOf(path string) string {
	f, err := recognised(path)
	if err != nil || f == nil {
		return ""
	}
	return f.Name
}

// files returns the files with records in a folder and below it, in the order of their paths, or the file itself.
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

// globbed reports whether a name has a pattern; no pattern is none.
func globbed(pattern, name string) bool {
	ok, _ := filepath.Match(pattern, name)
	return ok && pattern != ""
}
