package annotate

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"compqa/data"
	"compqa/results/table"
	"compqa/web/annotate/project"
)

// Formats are the forms of an export: own files, or those that other tools import.
var Formats = []string{"compqa", "hf", "label-studio", "argilla"}

// A sheetRow is a submitted sheet with its item: a row of sheets.jsonl for the datasets library, and what the other formats are made of.
type sheetRow struct {
	ID         string            `json:"id"`
	Kind       string            `json:"kind"`
	Question   string            `json:"question"`
	A          string            `json:"text"`
	B          string            `json:"other_text"` // of a pair
	Judge      string            `json:"judge"`
	Assignment string            `json:"assignment"`
	Values     map[string]string `json:"values"` // of fields, with sides mapped back
	Total      *float64          `json:"total"`
	Preference data.Choice       `json:"preference"` // a, b or tie
	Order      string            `json:"order"`      // in which the person saw the pair
	Remark     string            `json:"remark"`
	ActiveMS   *float64          `json:"active_ms"` // nil: not known
	Revisions  int               `json:"revisions"`
	At         string            `json:"at"`
	Version    int               `json:"version"`

	item project.Item
}

// ExportAs writes the sheets that count in the form of another tool, and returns the file and the number of its sheets.
func ExportAs(p *project.Project, format, dir string, names bool) (path string, n int, err error) {
	rows, err := sheetRows(p, names)
	if err != nil {
		return "", 0, err
	}
	name := map[string]string{"hf": "sheets.jsonl", "label-studio": "label-studio.json", "argilla": "argilla.json"}[format]
	files := map[string]func(io.Writer) error{}
	switch format {
	case "hf":
		// A field of its own for each criterion, because datasets wants the same fields in each row.
		lines := table.Each(rows, func(r sheetRow) any { return r.flat(p) })
		files[name], files["README.md"] = table.Lines(lines), table.Text(hfCard)
	case "label-studio":
		files[name] = jsonFile(labelStudio(p, rows))
		files["label-studio.xml"] = table.Text(labelStudioConfig(p))
	case "argilla":
		files[name] = jsonFile(argilla(p, rows))
	default:
		return "", 0, fmt.Errorf("the format is %q%s", format, data.Suggest(format, "formats", Formats))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", 0, err
	}
	return filepath.Join(dir, name), len(rows), table.WriteFiles(dir, files)
}

const hfCard = "---\nconfigs:\n- config_name: default\n  data_files: sheets.jsonl\n---\n\n" +
	"One row for each sheet of a person: the item, the values (value_…), the " +
	"total or the preference with the order in which the person saw the pair, the remark, the active time and when it was submitted.\n"

func sheetRows(p *project.Project, names bool) (rows []sheetRow, err error) {
	work, err := Selection{}.work(p)
	if err != nil {
		return nil, err
	}
	for _, w := range work {
		study := w.Kind == project.Main || w.Kind == project.Overlap || w.Kind == project.Adjudicate
		if !w.Done() || w.Out || !study {
			continue
		}
		it, called := w.About, w.Alias
		if names {
			called = w.Name
		}
		sheet := w.Last.Sheet.In(w.Shown)
		r := sheetRow{ID: it.Source, Kind: it.Kind, Question: it.Content.Question, A: it.Content.A, B: it.Content.B, Judge: Judge(called),
			Assignment: w.Kind, Values: sheet.Values, Remark: sheet.Reason, Revisions: w.Last.Revision, At: w.Last.At, Version: w.Last.Version,
			Preference: project.ChoiceOf(sheet.Values["choice"], data.OrderAB), item: it}
		if it.Content.B != "" {
			r.Order = w.Shown
		}
		if w.Active > 0 {
			r.ActiveMS = new(float64(w.Active))
		}
		if scores := sheet.Scores(); it.Kind == project.Answer {
			r.Total = new(p.Rubric.Total(scores))
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// flat is a row with a field for each value.
func (r sheetRow) flat(p *project.Project) map[string]any {
	row := map[string]any{"id": r.ID, "kind": r.Kind, "question": r.Question, "text": r.A, "other_text": r.B, "judge": r.Judge,
		"assignment": r.Assignment, "total": r.Total, "preference": r.Preference, "order": r.Order, "remark": r.Remark, "active_ms": r.ActiveMS,
		"revisions": r.Revisions, "at": r.At, "version": r.Version}
	fields := map[string]bool{} // of any item
	for _, it := range p.Items {
		for _, f := range p.Fields(it) {
			fields[f.ID] = true
		}
	}
	for id := range fields {
		row["value_"+id] = r.Values[id]
	}
	return row
}

func jsonFile(v any) func(io.Writer) error {
	return func(w io.Writer) error { return table.WriteJSON(w, v) }
}

// byItem groups sheets by their item, in the order of the items.
func byItem(rows []sheetRow) [][]sheetRow {
	groups := table.Grouped(rows, func(r sheetRow) int64 { return r.item.ID })
	slices.SortFunc(groups, func(a, b []sheetRow) int { return cmp.Compare(a[0].item.ID, b[0].item.ID) })
	return groups
}

// labelStudio are tasks with annotations, as Label Studio imports them. Values are choices, named as the sheet's
// fields; numbers are numbers.
func labelStudio(p *project.Project, rows []sheetRow) (tasks []any) {
	people := map[string]int{} // Label Studio knows annotators by number
	for _, of := range byItem(rows) {
		it := of[0].item
		var annotations []any
		for _, r := range of {
			if people[r.Judge] == 0 {
				people[r.Judge] = len(people) + 1
			}
			var result []any
			for _, f := range p.Fields(it) {
				value, given := r.Values[f.ID]
				if !given {
					continue
				}
				kind, content := "choices", any(map[string]any{"choices": []string{value}})
				if x, err := strconv.ParseFloat(value, 64); err == nil && f.Type == project.Number {
					kind, content = "number", map[string]any{"number": x}
				}
				if f.Type == project.Text {
					kind, content = "textarea", map[string]any{"text": []string{value}}
				}
				result = append(result, map[string]any{"from_name": f.ID, "to_name": "text", "type": kind, "value": content})
			}
			if r.Remark != "" {
				result = append(result, map[string]any{"from_name": "remark", "to_name": "text", "type": "textarea",
					"value": map[string]any{"text": []string{r.Remark}}})
			}
			a := map[string]any{"completed_by": people[r.Judge], "created_at": r.At, "result": result}
			if r.ActiveMS != nil {
				a["lead_time"] = *r.ActiveMS / 1000 // seconds
			}
			annotations = append(annotations, a)
		}
		tasks = append(tasks, map[string]any{"data": map[string]any{"id": it.Source, "question": it.Content.Question, "text": it.Content.A,
			"other_text": it.Content.B}, "annotations": annotations})
	}
	return tasks
}

// labelStudioConfig is the labelling configuration in which the tasks are shown.
func labelStudioConfig(p *project.Project) string {
	text := "<View>\n  <Header value=\"$question\"/>\n  <Text name=\"text\" value=\"$text\"/>\n"
	if p.Items[0].Content.B != "" {
		text += "  <Text name=\"other\" value=\"$other_text\"/>\n"
	}
	for _, f := range p.Fields(p.Items[0]) {
		switch f.Type {
		case project.Buttons, project.List:
			text += fmt.Sprintf("  <Header value=\"%s\"/>\n  <Choices name=\"%s\" toName=\"text\">\n",
				html.EscapeString(f.Name), html.EscapeString(f.ID))
			for _, o := range f.Options {
				text += fmt.Sprintf("    <Choice value=\"%s\"/>\n", html.EscapeString(o.Value))
			}
			text += "  </Choices>\n"
		case project.Number:
			text += fmt.Sprintf("  <Number name=\"%s\" toName=\"text\" min=\"%v\" max=\"%v\"/>\n", html.EscapeString(f.ID), f.Low, f.High)
		case project.Text:
			text += fmt.Sprintf("  <TextArea name=\"%s\" toName=\"text\"/>\n", html.EscapeString(f.ID))
		}
	}
	return text + "  <TextArea name=\"remark\" toName=\"text\"/>\n</View>\n"
}

// argilla are records with the responses of people, in the form of Record.to_dict of Argilla 2: each question has the values of all people.
// Argilla knows people by UUIDs; these are made of the names of judges, and metadata has the names.
func argilla(p *project.Project, rows []sheetRow) (records []any) {
	for _, of := range byItem(rows) {
		it := of[0].item
		responses := map[string][]any{}
		metadata := map[string]any{"kind": it.Kind, "cluster": it.Cluster}
		for _, r := range of {
			values := maps.Clone(r.Values)
			if r.Remark != "" {
				values["remark"] = r.Remark
			}
			for _, id := range slices.Sorted(maps.Keys(values)) {
				responses[id] = append(responses[id], map[string]any{"value": values[id],
					"user_id": uuid.NewSHA1(uuid.NameSpaceURL, []byte(r.Judge)), "status": "submitted"})
			}
			metadata["at_"+strings.TrimPrefix(r.Judge, Judge(""))] = r.At
			if r.Order != "" {
				metadata["order_"+strings.TrimPrefix(r.Judge, Judge(""))] = r.Order
			}
			if r.ActiveMS != nil {
				metadata["active_ms_"+strings.TrimPrefix(r.Judge, Judge(""))] = *r.ActiveMS
			}
		}
		fields := map[string]any{"question": it.Content.Question, "text": it.Content.A}
		if it.Content.B != "" {
			fields["other_text"] = it.Content.B
		}
		records = append(records, map[string]any{"id": it.Source, "fields": fields, "metadata": metadata,
			"responses": responses, "suggestions": map[string]any{}})
	}
	return records
}
