package annotate

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"compqa/data"
	"compqa/web/annotate/project"
)

// A verdict is a line of the exported verdicts, as `compqa import` reads it.
type verdict struct {
	ID     string      `json:"id"`
	Judge  string      `json:"judge"`
	Status data.Status `json:"status"`
	Scores data.Scores `json:"scores,omitempty"`
	Total  *float64    `json:"total,omitempty"`
	Reason string      `json:"reason,omitempty"`
}

// preference is a line of the exported preferences. The choice is that of the pair's a and b,
// order says which one was shown first.
type preference struct {
	ID        string `json:"id"`
	Judge     string `json:"judge"`
	Order     string `json:"order"`
	Status    string `json:"status"`
	Choice    string `json:"choice"`
	Rationale string `json:"rationale,omitempty"`
	Reason    string `json:"reason,omitempty"`
}

// Judge is the name of a person as a judge.
func Judge(name string) string { return data.Human + ":" + name }

// The files of an export.
const (
	VerdictsFile    = "verdicts.jsonl"
	PreferencesFile = "preferences.jsonl"
	LabelsFile      = "labels.jsonl"
	TimesFile       = "times.csv"
)

// rowLabels are a person's labels of the rows of a table, as data.ReadLabels reads them.
type rowLabels struct {
	ID    string          `json:"id"`
	Judge string          `json:"judge"`
	Rows  []data.RowLabel `json:"rows"`
}

// An Exported counts the lines of each file.
type Exported map[string]int

// Export writes the work to files in dir. Sheets of repeated items and of gold are in the file of
// times alone, with their totals: they are checks, and no annotation.
func Export(p *project.Project, dir string) (Exported, error) {
	work, err := p.Work()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lines := map[string][]any{VerdictsFile: nil, PreferencesFile: nil, LabelsFile: nil}
	tables := map[[2]string]rowLabels{} // by person and answer
	times := [][]string{{"judge", "kind", "id", "row", "assignment", "status", "total", "choice", "order", "view", "active_ms", "revisions", "flags", "at"}}
	for _, w := range work {
		if w.Last.Kind == "" {
			continue
		}
		it, err := p.Item(w.Item)
		if err != nil {
			return nil, err
		}
		status, total := data.Pending, ""
		switch {
		case w.Done():
			status = data.Valid
		case w.Last.Kind == project.Skip:
			status = data.Skipped
		}
		sheet := w.Last.Sheet
		var sum *float64
		if it.Kind == project.Score && w.Done() {
			x := p.Rubric.Total(sheet.Scores)
			sum, total = &x, strconv.FormatFloat(x, 'g', -1, 64)
		}
		order := ""
		if it.Kind == project.Pair {
			order = w.Shown
		}
		active := ""
		if w.Active > 0 {
			active = strconv.FormatInt(w.Active, 10)
		}
		times = append(times, []string{Judge(w.Name), it.Kind, it.Source, strconv.Itoa(it.Row), w.Kind, string(status), total, string(choiceOf(w)), order, w.Last.View, active,
			strconv.Itoa(w.Last.Revision), strconv.Itoa(w.Flags), w.Last.At})
		if w.Kind == project.Repeat || w.Kind == project.Gold || status == data.Pending {
			continue
		}
		switch it.Kind {
		case project.Score:
			v := verdict{it.Source, Judge(w.Name), status, nil, sum, sheet.Reason}
			if w.Done() {
				v.Scores = sheet.Scores
			}
			lines[VerdictsFile] = append(lines[VerdictsFile], v)
		case project.Pair:
			v := preference{ID: it.Source, Judge: Judge(w.Name), Order: w.Shown, Status: string(status)}
			if w.Done() {
				v.Choice, v.Rationale = string(choiceOf(w)), sheet.Reason
			} else {
				v.Reason = sheet.Reason
			}
			lines[PreferencesFile] = append(lines[PreferencesFile], v)
		case project.Row:
			if w.Done() {
				of := [2]string{w.Name, it.Source}
				t, begun := tables[of]
				if !begun {
					t = rowLabels{it.Source, Judge(w.Name), slices.Repeat([]data.RowLabel{{Label: data.RowUnlabelled}}, it.Content.Rows)}
					tables[of], lines[LabelsFile] = t, append(lines[LabelsFile], t)
				}
				t.Rows[it.Row-1].Label = map[string]string{"yes": data.RowUseful, "no": data.RowNotUseful}[sheet.Useful]
			}
		}
	}
	counts := Exported{}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		if counts[name] = len(lines[name]); counts[name] > 0 {
			if err := writeFile(filepath.Join(dir, name), func(w io.Writer) error { return WriteLines(w, lines[name]) }); err != nil {
				return nil, err
			}
		}
	}
	if counts[TimesFile] = len(times) - 1; counts[TimesFile] > 0 {
		return counts, writeFile(filepath.Join(dir, TimesFile), func(w io.Writer) error { return csv.NewWriter(w).WriteAll(times) })
	}
	return counts, nil
}

// WriteLines writes values as JSON Lines.
func WriteLines[T any](w io.Writer, list []T) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, v := range list {
		if err := e.Encode(v); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return f.Close()
}
