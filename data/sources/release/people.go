package release

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/data/sources"
)

// A HumanRow is one complete row of a human table of the release.
type HumanRow struct {
	Judge    string // human, human:1 or human:2
	File     string
	Line     int // of the table's file, counted from 1
	Row      int // of the table, counted from 1: both annotators' tables have the same rows
	System   string
	Scenario string
	Object1  string
	Object2  string
	Aspect   string
	Scores   data.Scores
	Answer   string // Answer.ID, "" where no answer has the row's text
}

// humanTables are the release's tables of human scores: the mean of the annotators, and
// the scores of the two annotators.
var humanTables = []struct{ file, judge, column string }{
	{"human_evaluation_367.tsv", data.Human, "C"},
	{"dataset_hum1_evaluation.tsv", data.Human + ":1", "score_dict."},
	{"dataset_hum2_evaluation.tsv", data.Human + ":2", "score_dict."},
}

// humanCriteria is the number of score columns of a human table.
const humanCriteria = 15

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

func (r *releaseReader) readTable(name, judge, column string) error {
	content, err := r.read(name)
	if err != nil {
		return err
	}
	file := filepath.Join(r.root, filepath.FromSlash(name))
	columnOf := func(tag string) string {
		var i int
		if n, _ := fmt.Sscanf(tag, "score[%d]", &i); n == 1 {
			return column + strconv.Itoa(i+1)
		}
		return tag
	}
	rows, lines, err := data.ReadCSV[humanCells](file, bytes.NewReader(content), data.CSVForm{Comma: '\t', Name: columnOf, More: true})
	if err != nil {
		return err
	}
	for i, cells := range rows {
		row, complete, err := cells.row()
		if err != nil {
			return &data.LineError{Path: file, Line: lines[i], Err: err}
		}
		if complete {
			row.Judge, row.File, row.Line, row.Row = judge, file, lines[i], i+1
			r.join(row, cells.Text)
		}
	}
	return nil
}

// join finds the answer of a human row: the same system and pair, and the same words, or
// else the most similar text with a token Jaccard of at least 0.9.
func (r *releaseReader) join(row HumanRow, text string) {
	at, likeness := r.index.find(row.System, data.PairKey(row.Object1, row.Object2), text, func(i int) bool {
		return r.out.Answers[i].Scenario == row.Scenario
	})
	if at < 0 {
		r.out.Unmatched = append(r.out.Unmatched, UnmatchedRow{row.Judge, row.File, row.Line, row.System, row.Scenario, row.Object1,
			row.Object2, row.Aspect, maps.Clone(row.Scores), likeness})
	} else {
		row.Answer = r.out.Answers[at].ID
		key := row.Judge + "\x00" + row.Answer
		r.given[key]++
		r.out.Verdicts = append(r.out.Verdicts, data.Verdict{Answer: row.Answer, Judge: row.Judge, Repeat: r.given[key],
			Scores: maps.Clone(row.Scores)})
	}
	r.out.People = append(r.out.People, row)
}

// A PairedRow is a row of the release's list of pairs of annotations, which names no system:
// the scores of the two annotators, each as far as they go.
type PairedRow struct {
	Answer string // Answer.ID, "" where no answer has the row's text
	Scores [2]data.Scores
}

// pairedFiles match the list. Its keys for scores begin with the criterion's number.
const pairedFiles = "annotation_pairs_human_*.json"

var criterionKey = regexp.MustCompile(`^([0-9]+)\. `)

// readPaired reads the first list of pairs of annotations, if there is one.
func (r *releaseReader) readPaired() error {
	names, err := filepath.Glob(filepath.Join(r.root, pairedFiles))
	if err != nil || names == nil {
		return err
	}
	content, err := r.read(filepath.Base(names[0]))
	if err != nil {
		return err
	}
	rows, _, err := data.DecodeItems[map[string]json.RawMessage](names[0], string(content))
	if err != nil {
		return err
	}
	unnamed := slices.Clone(r.out.Answers)
	for i := range unnamed {
		unnamed[i].System = ""
	}
	index := newTextIndex(unnamed)
	for i, row := range rows {
		var p releaseRow
		paired := PairedRow{Scores: [2]data.Scores{{}, {}}}
		for key, into := range map[string]any{"object1": &p.Object1, "object2": &p.Object2, "comparison": &p.Comparison} {
			if err := json.Unmarshal(row[key], into); err != nil {
				return fmt.Errorf("%s: record %d: %s: %w", names[0], i+1, key, err)
			}
		}
		for key, value := range row {
			of := criterionKey.FindStringSubmatch(key)
			if of == nil {
				continue
			}
			var points [2]*float64
			if err := json.Unmarshal(value, &points); err != nil {
				return fmt.Errorf("%s: record %d: criterion %s: %w", names[0], i+1, of[1], err)
			}
			for k, score := range points {
				if score != nil {
					paired.Scores[k][of[1]] = *score
				}
			}
		}
		if at, _ := index.find("", data.PairKey(p.Object1, p.Object2), p.Comparison, func(int) bool { return true }); at >= 0 {
			paired.Answer = r.out.Answers[at].ID
		}
		r.out.Paired = append(r.out.Paired, paired)
	}
	return nil
}

// humanCells are a row of a human table; its columns of scores are renamed.
type humanCells struct {
	Object1 string                `csv:"object1"`
	Object2 string                `csv:"object2"`
	Aspect  string                `csv:"aspect"`
	Text    string                `csv:"comparison"`
	File    string                `csv:"filename"`
	Scores  [humanCriteria]string `csv:"score" csv[]:"15"`
}

// row is complete if every criterion has a score.
func (c humanCells) row() (row HumanRow, complete bool, err error) {
	base := strings.TrimPrefix(c.File, "scored_")
	base = strings.TrimSuffix(strings.TrimSuffix(base, "_comparison"), "_summaries")
	row.System, row.Scenario = systemAndScenario(base)
	row.Object1, row.Object2, row.Aspect = strings.TrimSpace(c.Object1), strings.TrimSpace(c.Object2), strings.TrimSpace(c.Aspect)
	row.Scores = data.Scores{}
	for i, cell := range c.Scores {
		id, cell := strconv.Itoa(i+1), strings.TrimSpace(cell)
		if sources.Missing(cell) {
			return row, false, nil
		}
		points, err := strconv.ParseFloat(cell, 64)
		if err != nil || math.IsInf(points, 0) || math.IsNaN(points) {
			return row, false, fmt.Errorf("criterion %s is %q, not a number", id, cell)
		}
		row.Scores[id] = points
	}
	return row, true, nil
}
