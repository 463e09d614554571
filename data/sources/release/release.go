// Package release reads the CompQA authors' release: answers, verdicts of judges, and people's scores.
package release

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"compqa/data"
)

// A Release is the CompQA authors' release in a folder, complete or in part: answers of
// their systems, verdicts of their judges, human scores. Verdicts have no status yet,
// except those without scores.
type Release struct {
	Answers   []data.Answer
	Verdicts  []data.Verdict // of judges and people, joined to answers
	People    []HumanRow     // every complete row of the human tables, joined or not
	Paired    []PairedRow    // the list of pairs of annotations; nil if the release has none
	Unmatched []UnmatchedRow // rows whose answer was not found
	Hash      string         // SHA-256 over the names and contents of the files read
	Files     int
}

// UnmatchedRow is a row of the release whose answer was not found, with its scores.
type UnmatchedRow struct {
	Judge    string
	File     string
	Line     int // of the file, counted from 1; of a JSON file, the record
	System   string
	Scenario string
	Object1  string
	Object2  string
	Aspect   string
	Scores   data.Scores // nil if the row has no scores
	Likeness float64     // token Jaccard to the nearest answer, in [0, 1]
}

func (u UnmatchedRow) String() string {
	return fmt.Sprintf("%s:%d: no answer of %s, scenario %s, to %s / %s has this text (nearest: %.2f)",
		u.File, u.Line, u.System, u.Scenario, u.Object1, u.Object2, u.Likeness)
}

// Commit is the commit of the authors' repository whose layout and
// contents the importer knows.
const Commit = "4b5d5bade387f4749a7bbf19d51c75a9918cd262"

// releaseJudges maps the names of folders to the names of models.
var releaseJudges = map[string]string{"gpt-4": "gpt-4o"}

// Family is the model family of a system or judge of the release. An unknown name is its
// own family.
func Family(name string) string {
	for _, family := range []string{"gpt", "llama", "mixtral", "perplexity"} {
		if strings.HasPrefix(name, family) {
			return family
		}
	}
	return name
}

// Read imports a checkout of the authors' release: answers from
// data/raw_summaries, verdicts from every folder in data/evaluated_summaries
// (a folder "fewshot" belongs to the judge above it), people from
// data/evaluation_tables. Answers that are only in a judge's file are read from there.
// Some files may be missing; a release without any answer is an error, and so is an
// unreadable file.
func Read(dir string) (*Release, error) {
	root, err := releaseRoot(dir)
	if err != nil {
		return nil, err
	}
	r := &releaseReader{root: root, hash: sha256.New(), out: &Release{}}
	for _, step := range []func() error{r.readAnswers, r.readJudges, r.readPeople, r.readPaired} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if len(r.out.Answers) == 0 {
		return nil, fmt.Errorf("%s contains no answers: there is no JSON file in %s/raw_summaries or %s/evaluated_summaries", dir, root, root)
	}
	r.out.Hash = hex.EncodeToString(r.hash.Sum(nil))
	return r.out, nil
}

// releaseRoot is the folder with the three data folders: data in a checkout, or dir
// itself.
func releaseRoot(dir string) (string, error) {
	if !data.IsFolder(dir) {
		return "", fmt.Errorf("the release folder %s does not exist; `make data` fetches it, or use the folder of a checkout", dir)
	}
	for _, root := range []string{filepath.Join(dir, "data"), dir} {
		for _, sub := range []string{"raw_summaries", "evaluated_summaries"} {
			if data.IsFolder(filepath.Join(root, sub)) {
				return root, nil
			}
		}
	}
	return "", fmt.Errorf("%s is not the CompQA authors' release: it has neither data/raw_summaries nor data/evaluated_summaries", dir)
}

type releaseReader struct {
	root  string
	hash  hash.Hash
	out   *Release
	index textIndex
	seen  map[string]int // how many answers of a system, scenario and pair there are
	given map[string]int // how many verdicts of a judge on an answer there are
}

// A releaseRow is one record of raw_summaries and evaluated_summaries.
type releaseRow struct {
	Object1    string          `json:"object1"`
	Object2    string          `json:"object2"`
	Aspect     *string         `json:"aspect"`
	Comparison string          `json:"comparison"`
	Scores     json.RawMessage `json:"score_dict"`
}

func (row releaseRow) aspect() string {
	if row.Aspect == nil {
		return ""
	}
	return strings.TrimSpace(*row.Aspect)
}

// hashed adds a file of the release to the hash, and returns its path.
func (r *releaseReader) hashed(name string) (string, error) {
	file := filepath.Join(r.root, filepath.FromSlash(name))
	content, err := os.ReadFile(file)
	if err != nil {
		return file, fmt.Errorf("reading the release: %w", err)
	}
	fmt.Fprintf(r.hash, "%s %d\n", name, len(content))
	r.hash.Write(content)
	r.out.Files++
	return file, nil
}

func (r *releaseReader) readJSON(name string) ([]releaseRow, error) {
	file, err := r.hashed(name)
	if err != nil {
		return nil, err
	}
	rows, at, err := data.ReadItems[releaseRow](file)
	for i, row := range rows {
		if strings.TrimSpace(row.Object1) == "" || strings.TrimSpace(row.Object2) == "" {
			return nil, at[i].Errorf("there is no object1 or object2")
		}
	}
	return rows, err
}

// list returns the sorted names of the JSON files in a folder of the release; none if the
// folder does not exist.
func (r *releaseReader) list(folder string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(filepath.Join(r.root, folder), func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.EqualFold(filepath.Ext(p), ".json") {
			return err
		}
		rel, err := filepath.Rel(r.root, p)
		names = append(names, filepath.ToSlash(rel))
		return err
	})
	if os.IsNotExist(err) {
		return nil, nil
	}
	slices.Sort(names)
	return names, err
}

var scenarioName = regexp.MustCompile(`^(.+)_scenario_([^_]+)$`)

// systemAndScenario splits a file's base name: "gpt4_scenario_3" is
// system gpt4, scenario 3; "cam" is system cam without a scenario.
func systemAndScenario(base string) (system, scenario string) {
	if m := scenarioName.FindStringSubmatch(base); m != nil {
		return m[1], m[2]
	}
	return base, data.NoScenario
}

func (r *releaseReader) readAnswers() error {
	r.seen = map[string]int{}
	names, err := r.list("raw_summaries")
	if err != nil {
		return err
	}
	for _, name := range names {
		rows, err := r.readJSON(name)
		if err != nil {
			return err
		}
		system, scenario := systemAndScenario(strings.TrimSuffix(path.Base(name), ".json"))
		for _, row := range rows {
			r.add(system, scenario, row)
		}
	}
	r.index = newTextIndex(r.out.Answers)
	return nil
}

// add appends an answer. Several answers of one system, scenario and pair are repeats,
// in the order of the file.
func (r *releaseReader) add(system, scenario string, row releaseRow) int {
	pair := data.PairKey(row.Object1, row.Object2)
	key := system + "\x00" + scenario + "\x00" + pair
	r.seen[key]++
	a := data.Answer{
		ID: data.AnswerID(system, scenario, pair, r.seen[key]), Question: pair,
		Object1: strings.TrimSpace(row.Object1), Object2: strings.TrimSpace(row.Object2),
		System: system, Scenario: scenario, Repeat: r.seen[key], Aspect: row.aspect(), Status: data.Valid, Text: row.Comparison,
	}
	r.out.Answers = append(r.out.Answers, a)
	return len(r.out.Answers) - 1
}

// judgeOf is the judge of a file in evaluated_summaries.
func judgeOf(name string) string {
	folders := strings.Split(path.Dir(name), "/")[1:]
	if n := len(folders); n > 1 && folders[n-1] == "fewshot" {
		folders = folders[:n-1]
	}
	judge := strings.Join(folders, "/")
	if known, ok := releaseJudges[judge]; ok {
		return known
	}
	return judge
}

func (r *releaseReader) readJudges() error {
	r.given = map[string]int{}
	names, err := r.list("evaluated_summaries")
	if err != nil {
		return err
	}
	for _, name := range names {
		judge := judgeOf(name)
		if judge == "" {
			continue // a file outside the judges' folders has no judge
		}
		rows, err := r.readJSON(name)
		if err != nil {
			return err
		}
		system, scenario := systemAndScenario(strings.TrimSuffix(path.Base(name), ".json"))
		r.out.Verdicts = append(r.out.Verdicts, r.judgeFile(name, judge, system, scenario, rows)...)
	}
	return nil
}

// judgeFile joins a judge's file to the answers. The k-th row of one text
// belongs to the k-th answer with that text.
func (r *releaseReader) judgeFile(name, judge, system, scenario string, rows []releaseRow) []data.Verdict {
	var verdicts []data.Verdict
	known := slices.ContainsFunc(r.out.Answers, func(a data.Answer) bool { return a.System == system && a.Scenario == scenario })
	used := map[int]bool{}
	for i, row := range rows {
		at, likeness := -1, 0.0
		if known {
			at, likeness = r.index.find(system, data.PairKey(row.Object1, row.Object2), row.Comparison, func(i int) bool {
				return r.out.Answers[i].Scenario == scenario && !used[i]
			})
		} else {
			at = r.add(system, scenario, row)
		}
		if at < 0 {
			scores, _ := data.ParseScores(row.Scores)
			r.out.Unmatched = append(r.out.Unmatched, UnmatchedRow{judge, filepath.Join(r.root, name), i + 1, system, scenario,
				row.Object1, row.Object2, row.aspect(), scores, likeness})
			continue
		}
		used[at] = true
		verdicts = append(verdicts, r.verdict(r.out.Answers[at].ID, judge, row.Scores))
	}
	if !known {
		r.index = newTextIndex(r.out.Answers)
	}
	return verdicts
}

// verdict is one verdict of a judge's file. It is Unparsed if the scores are not an object
// of numbers; the rubric checks everything else.
func (r *releaseReader) verdict(answer, judge string, sheet json.RawMessage) data.Verdict {
	key := judge + "\x00" + answer
	r.given[key]++
	v := data.Verdict{Answer: answer, Judge: judge, Repeat: r.given[key], Raw: string(sheet)}
	var err error
	if v.Scores, err = data.ParseScores(sheet); err != nil {
		v.Status, v.Reason = data.Unparsed, err.Error()
	}
	return v
}
