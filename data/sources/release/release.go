// Package release reads the CompQA authors' release: answers, verdicts of judges, and people's scores.
package release

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"compqa/data"
)

// A Release is the content of a folder with the CompQA authors' release, complete or in part: answers of their systems, verdicts of their
// judges, and human scores. Verdicts have no status yet, except those whose scores cannot be read.
type Release struct {
	Answers   []data.Answer
	Verdicts  []data.Verdict // of judges and people, for answers that were found
	People    []Row          // all complete rows of the human tables, with or without an answer
	Paired    []PairedRow    // paired annotations; nil if the release has none
	Unmatched []Row          // rows of judges and people whose answer was not found
	Hash      string         // SHA-256 over the names and contents of the files read
	Files     int
}

// A Row has one judge's or annotator's scores for an answer.
type Row struct {
	Judge      string
	File       string
	Line       int // in the file, from 1; in a JSON file, the number of the record
	Row        int // number in a human table, from 1; both annotators' tables have the same rows
	System     string
	Scenario   string
	Object1    string
	Object2    string
	Aspect     string
	Scores     data.Scores // nil if the row has no scores
	Answer     string      // Answer.ID; "" if no answer has the row's text
	Similarity float64     // if Answer is "", the token Jaccard index of the most similar answer, in [0, 1]
}

func (r Row) String() string {
	return fmt.Sprintf("%s:%d: no answer of %s, scenario %s, to %s / %s has this text (nearest: %.2f)",
		r.File, r.Line, r.System, r.Scenario, r.Object1, r.Object2, r.Similarity)
}

// Commit is the commit of the authors' repository for which this importer was written.
const Commit = "4b5d5bade387f4749a7bbf19d51c75a9918cd262"

// releaseJudges maps names of judges' folders to names of models.
var releaseJudges = map[string]string{"gpt-4": "gpt-4o"}

// Family returns the model family of a system or judge in the release. A name of no known family is returned unchanged.
func Family(name string) string {
	for _, family := range []string{"gpt", "llama", "mixtral", "perplexity"} {
		if strings.HasPrefix(name, family) {
			return family
		}
	}
	return name
}

// Read imports a checkout of the authors' release: answers from data/raw_summaries, verdicts from each folder in data/evaluated_summaries,
// human scores from data/evaluation_tables. A folder "fewshot" belongs to the judge of the folder above. Answers that exist only in a
// judge's file are read from there. Files may be missing, but a release without answers is an error, and so is an unreadable file.
func Read(dir string) (*Release, error) {
	root, err := releaseRoot(dir)
	if err != nil {
		return nil, err
	}
	r := &releaseReader{root: root, hash: sha256.New(), out: &Release{}, seen: map[string]int{}, given: map[string]int{},
		index: textIndex{map[string][]indexedAnswer{}, map[string]string{}, map[string][]string{}}}
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

// releaseRoot returns the folder that contains the data folders: data in a checkout, or dir itself.
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

// A releaseReader collects the parts of a release.
type releaseReader struct {
	root  string
	hash  hash.Hash
	out   *Release
	index textIndex
	seen  map[string]int // number of answers by system, scenario and pair
	given map[string]int // number of verdicts by judge and answer
}

// A releaseRow is one record in raw_summaries or evaluated_summaries.
type releaseRow struct {
	Object1    string          `json:"object1"`
	Object2    string          `json:"object2"`
	Aspect     string          `json:"aspect"` // may be null
	Comparison string          `json:"comparison"`
	Scores     json.RawMessage `json:"score_dict"`
}

// hashed adds a file of the release to the hash, and returns the file's path.
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

const judgesFolder = "evaluated_summaries"

// each calls do for each JSON file in a folder of the release, sorted by name. The folder may be missing. Files directly in the judges'
// folder are skipped, because they have no judge.
func (r *releaseReader) each(folder string, do func(name, system, scenario string, rows []releaseRow)) error {
	var names []string
	err := filepath.WalkDir(filepath.Join(r.root, folder), func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.EqualFold(filepath.Ext(p), ".json") {
			return err
		}
		rel, err := filepath.Rel(r.root, p)
		names = append(names, filepath.ToSlash(rel))
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	slices.Sort(names)
	if folder == judgesFolder { // a file outside the judges' folders has no judge
		names = slices.DeleteFunc(names, func(name string) bool { return judgeOf(name) == "" })
	}
	files := make([][]releaseRow, len(names))
	err = data.SideBySide(len(names), func(i int) (err error) {
		files[i], err = r.parse(names[i])
		return err
	})
	if err != nil {
		return err
	}
	for i, name := range names {
		if _, err := r.hashed(name); err != nil {
			return err
		}
		system, scenario := systemAndScenario(strings.TrimSuffix(path.Base(name), ".json"))
		do(name, system, scenario, files[i])
	}
	return nil
}

// parse reads a JSON file. Each row must have two objects.
func (r *releaseReader) parse(name string) ([]releaseRow, error) {
	rows, documents, err := data.ReadItems[releaseRow](filepath.Join(r.root, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	for i, row := range rows {
		if strings.TrimSpace(row.Object1) == "" || strings.TrimSpace(row.Object2) == "" {
			return nil, documents[i].Errorf("there is no object1 or object2")
		}
	}
	return rows, nil
}

var scenarioName = regexp.MustCompile(`^(.+)_scenario_([^_]+)$`)

// systemAndScenario splits the base name of a file: "gpt4_scenario_3" is system gpt4, scenario 3. Without that pattern, as in "cam", the
// whole name is the system, without a scenario.
func systemAndScenario(base string) (system, scenario string) {
	if m := scenarioName.FindStringSubmatch(base); m != nil {
		return m[1], m[2]
	}
	return base, data.NoScenario
}

// readAnswers reads the answers in raw_summaries.
func (r *releaseReader) readAnswers() error {
	return r.each("raw_summaries", func(_, system, scenario string, rows []releaseRow) {
		for _, row := range rows {
			r.add(system, scenario, row)
		}
	})
}

// add appends an answer. Several answers of one system, scenario and pair are repeats, in the order of the file.
func (r *releaseReader) add(system, scenario string, row releaseRow) {
	pair := data.PairKey(row.Object1, row.Object2)
	key := system + "\x00" + scenario + "\x00" + pair
	r.seen[key]++
	r.index.add(pair, system, len(r.out.Answers), row.Comparison)
	r.out.Answers = append(r.out.Answers, data.Answer{
		ID: data.AnswerID(system, scenario, pair, r.seen[key]), Question: pair,
		Object1: strings.TrimSpace(row.Object1), Object2: strings.TrimSpace(row.Object2), System: system, Scenario: scenario,
		Repeat: r.seen[key], Aspect: strings.TrimSpace(row.Aspect), Status: data.Valid, Text: row.Comparison,
	})
}

// judgeOf returns the judge of a file in evaluated_summaries, by its folder; "" for a file directly in it.
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

// readJudges reads the judges' files and joins their rows to answers. If several answers have the same text, the k-th row with that text
// belongs to the k-th of them. Scores that are not an object of numbers make the verdict Unparsed; all other checks are left to the rubric.
func (r *releaseReader) readJudges() error {
	return r.each(judgesFolder, func(name, system, scenario string, rows []releaseRow) {
		judge := judgeOf(name)
		known := slices.ContainsFunc(r.out.Answers, func(a data.Answer) bool { return a.System == system && a.Scenario == scenario })
		used := map[int]bool{}
		for i, row := range rows {
			if !known {
				r.add(system, scenario, row)
			}
			v := data.Verdict{Raw: string(row.Scores)}
			var err error
			v.Scores, err = data.ParseScores(string(row.Scores))
			if err != nil {
				v.Status, v.Reason = data.Unparsed, err.Error()
			}
			r.join(Row{Judge: judge, File: filepath.Join(r.root, name), Line: i + 1, System: system, Scenario: scenario, Object1: row.Object1,
				Object2: row.Object2, Aspect: strings.TrimSpace(row.Aspect)}, v, row.Comparison, used)
		}
	})
}

// join adds the verdict of a row if the row's answer is found, else the row to Unmatched. The answer must have the same system and pair.
// One with the same words counts, preferably in the same scenario and not used yet; else the most similar one with a token Jaccard index of
// at least 0.9. A row without a system has no answer.
func (r *releaseReader) join(row Row, v data.Verdict, text string, used map[int]bool) Row {
	index := -1
	similarity := 0.0
	if row.System != "" {
		index, similarity = r.index.find(row.System, data.PairKey(row.Object1, row.Object2), text, func(i int) bool {
			return r.out.Answers[i].Scenario == row.Scenario && !used[i]
		})
	}
	row.Scores = v.Scores
	if index < 0 {
		row.Similarity = similarity
		r.out.Unmatched = append(r.out.Unmatched, row)
		return row
	}
	used[index] = true
	row.Answer = r.out.Answers[index].ID
	key := row.Judge + "\x00" + row.Answer
	r.given[key]++
	v.Answer, v.Judge, v.Repeat, v.Scores = row.Answer, row.Judge, r.given[key], maps.Clone(v.Scores)
	r.out.Verdicts = append(r.out.Verdicts, v)
	return row
}

// A textIndex finds answers by their texts, among the answers about one pair of objects.
type textIndex struct {
	answers map[string][]indexedAnswer // by pair key
	joined  map[string]string          // the words of each text, joined by blanks
	sets    map[string][]string        // the distinct words of each text, by the joined words
}

type indexedAnswer struct {
	system string
	index  int    // index in the list of answers
	words  string // words of the text, joined by blanks
}

// words returns the words of a text, joined by blanks. Results are cached, since most texts in judges' files belong to answers.
func (idx textIndex) words(text string) string {
	words, known := idx.joined[text]
	if !known {
		words = strings.Join(data.Words(text), " ")
		idx.joined[text] = words
	}
	return words
}

// set returns the distinct words of a text, sorted. words are the text's words, joined by blanks.
func (idx textIndex) set(words string) []string {
	if idx.sets[words] == nil {
		idx.sets[words] = data.Set(strings.Fields(words))
	}
	return idx.sets[words]
}

func (idx textIndex) add(pair, system string, index int, text string) {
	idx.answers[pair] = append(idx.answers[pair], indexedAnswer{system, index, idx.words(text)})
}

// find returns the index of an answer with a text, by a system or, for "", by any system. Of several, it chooses the first that prefer
// accepts, or else the first. If no text is equal or similar enough, best is -1 and similarity is that of the most similar answer.
func (idx textIndex) find(system, pair, text string, prefer func(int) bool) (best int, similarity float64) {
	words := idx.words(text)
	best = -1
	candidates := slices.DeleteFunc(slices.Clone(idx.answers[pair]), func(c indexedAnswer) bool { return system != "" && c.system != system })
	for _, c := range candidates {
		if c.words == words && (best < 0 || prefer(c.index)) {
			best = c.index
			if prefer(best) {
				return best, 1
			}
		}
	}
	if best >= 0 {
		return best, 1
	}
	set := idx.set(words)
	for _, c := range candidates {
		if j := data.Jaccard(set, idx.set(c.words)); j > similarity {
			best = c.index
			similarity = j
		}
	}
	if similarity < sameText {
		return -1, similarity
	}
	return best, similarity
}

// sameText is the smallest token Jaccard index at which two texts count as equal. In the human tables, spreadsheet programs removed line
// breaks and special characters.
const sameText = 0.9
