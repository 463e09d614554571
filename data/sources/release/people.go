package release

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"compqa/data"
	"compqa/data/sources"
)

// humanTables are the release's tables of human scores: the mean of the annotators, and the scores of each of two annotators. column is the
// beginning of the names of the score columns.
var humanTables = []struct{ file, judge, column string }{
	{"human_evaluation_367.tsv", data.Human, "C"},
	{"dataset_hum1_evaluation.tsv", data.Human + ":1", "score_dict."},
	{"dataset_hum2_evaluation.tsv", data.Human + ":2", "score_dict."},
}

// humanCriteria is the number of score columns of a human table.
const humanCriteria = 15

// readPeople reads the tables of human scores that exist.
func (r *releaseReader) readPeople() error {
	for _, table := range humanTables {
		name := "evaluation_tables/" + table.file
		if _, err := os.Stat(filepath.Join(r.root, filepath.FromSlash(name))); os.IsNotExist(err) {
			continue
		}
		if err := r.readTable(name, table.judge, table.column); err != nil {
			return err
		}
	}
	return nil
}

// readTable reads one table of human scores, and joins each row that has a score for every criterion to its answer.
func (r *releaseReader) readTable(name, judge, column string) error {
	file, err := r.hashed(name)
	if err != nil {
		return err
	}
	needed := []string{"object1", "object2", "aspect", "comparison", "filename"}
	for i := range humanCriteria {
		needed = append(needed, column+strconv.Itoa(i+1))
	}
	n := 0
	for d, err := range data.Documents(file, nil) {
		n++
		if err == nil && n == 1 {
			err = d.Table.Check(file, needed...)
		}
		if err != nil {
			return err
		}
		cell := func(name string) string { return strings.TrimSpace(d.Object().Get(gjson.Escape(name)).Str) }
		row := Row{Judge: judge, File: file, Line: d.Line, Row: n, Object1: cell("object1"), Object2: cell("object2"),
			Aspect: cell("aspect")}
		scores := data.Scores{}
		base := strings.TrimPrefix(cell("filename"), "scored_")
		row.System, row.Scenario = systemAndScenario(strings.TrimSuffix(strings.TrimSuffix(base, "_comparison"), "_summaries"))
		for i := range humanCriteria { // the row is complete if every criterion has a score
			id := strconv.Itoa(i + 1)
			text := cell(needed[len(needed)-humanCriteria+i])
			points, ok := data.Number(text)
			if !ok && !sources.Missing(text) {
				return d.Errorf("criterion %s is %q, not a number", id, text)
			} else if ok {
				scores[id] = points
			}
		}
		if len(scores) == humanCriteria {
			r.out.People = append(r.out.People, r.join(row, data.Verdict{Scores: scores}, cell("comparison"), map[int]bool{}))
		}
	}
	return nil
}

// A PairedRow is a row in the release's list of paired annotations: the scores that the two annotators gave to one answer. Each annotator
// may lack scores. The list does not name systems.
type PairedRow struct {
	Answer string // Answer.ID; "" if no answer has the row's text
	Scores [2]data.Scores
}

// pairedFiles matches the names of the lists of paired annotations. In a list, a key for scores begins with the number of its criterion.
const pairedFiles = "annotation_pairs_human_*.json"

var criterionKey = regexp.MustCompile(`^([0-9]+)\. `)

// readPaired reads the first list of paired annotations, if there is one.
func (r *releaseReader) readPaired() error {
	files, err := filepath.Glob(filepath.Join(r.root, pairedFiles))
	if err != nil || files == nil {
		return err
	}
	file, err := r.hashed(filepath.Base(files[0]))
	if err != nil {
		return err
	}
	for d, err := range data.Documents(file, nil) {
		paired := PairedRow{Scores: [2]data.Scores{{}, {}}}
		d.Value.ForEach(func(key, value gjson.Result) bool {
			match := criterionKey.FindStringSubmatch(key.Str)
			points := value.Array()
			switch {
			case match == nil || err != nil:
			case len(points) != 2:
				err = d.Errorf("criterion %s is %s; the points of two people are needed", match[1], data.Clip(value.Raw))
			default:
				for k, score := range points {
					if score.Type == gjson.Number {
						paired.Scores[k][match[1]] = score.Num
					}
				}
			}
			return true
		})
		if err != nil {
			return err
		}
		pair := data.PairKey(d.Value.Get("object1").Str, d.Value.Get("object2").Str)
		if index, _ := r.index.find("", pair, d.Value.Get("comparison").Str, func(int) bool { return true }); index >= 0 {
			paired.Answer = r.out.Answers[index].ID
		}
		r.out.Paired = append(r.out.Paired, paired)
	}
	return nil
}
