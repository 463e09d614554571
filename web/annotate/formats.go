package annotate

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"compqa/data"
	"compqa/results/table"
	"compqa/web/annotate/project"
)

// Formats are the names of the export formats: compqa's own files, and formats that other tools import.
var Formats = []string{"compqa", "hf", "label-studio", "argilla"}

// A sheetRow is a submitted sheet with its item. It is a line of sheets.jsonl for the datasets library, and the source of the other
// formats.
type sheetRow struct {
	ID         string            `json:"id"`
	Kind       string            `json:"kind"`
	Question   string            `json:"question"`
	A          string            `json:"text"`
	B          string            `json:"other_text"` // the second answer of a pair
	Judge      string            `json:"judge"`
	Assignment string            `json:"assignment"`
	Values     map[string]string `json:"values"` // by field; choices of a side as the file has the sides
	Total      *float64          `json:"total"`
	Preference data.Choice       `json:"preference"` // a, b or tie
	Order      string            `json:"order"`      // in which the person saw the sides of a pair: ab or ba
	Remark     string            `json:"remark"`
	ActiveMS   *float64          `json:"active_ms"` // nil: unknown
	Revisions  int               `json:"revisions"`
	At         string            `json:"at"`
	Version    int               `json:"version"`

	item project.Item
}

// ExportAs writes the sheets that count in the format of another tool. It returns the file, the number n of sheets in it, and the number
// left of sheets left out because their people are excluded.
func ExportAs(p *project.Project, format, dir string, names bool) (path string, n, left int, err error) {
	rows, left, err := sheetRows(p, names)
	if err != nil {
		return "", 0, 0, err
	}
	name := map[string]string{"hf": "sheets.jsonl", "label-studio": "label-studio.json", "argilla": "argilla.json"}[format]
	files := map[string]func(io.Writer) error{}
	switch format {
	case "hf":
		// One field per criterion, because datasets needs the same fields in each row.
		names := criteriaNames(p)
		lines := data.Each(rows, func(r sheetRow) any { return r.flat(p, names) })
		files[name], files["README.md"] = table.Lines(lines), table.Text(hfCard)
	case "label-studio":
		files[name] = jsonFile(labelStudio(p, rows))
		files["label-studio.xml"] = table.Text(labelStudioConfig(p))
	case "argilla":
		files[name] = jsonFile(argilla(p, rows))
	default:
		return "", 0, 0, fmt.Errorf("the format is %q%s", format, data.Suggest(format, "formats", Formats))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", 0, 0, err
	}
	return filepath.Join(dir, name), len(rows), left, table.WriteFiles(dir, files)
}

const hfCard = "---\nconfigs:\n- config_name: default\n  data_files: sheets.jsonl\n---\n\n" +
	"One row for each sheet of a person: the item, the values (value_…), the " +
	"total or the preference with the order in which the person saw the pair, the remark, the active time and when it was submitted.\n"

// sheetRows returns the submitted sheets of the study that count, and the number of those left out because their people are excluded.
func sheetRows(p *project.Project, names bool) (rows []sheetRow, left int, err error) {
	work, err := Selection{}.work(p)
	if err != nil {
		return nil, 0, err
	}
	for _, w := range work {
		study := w.Kind == project.Main || w.Kind == project.Overlap || w.Kind == project.Adjudicate
		if !w.Done() || !study {
			continue
		}
		if w.Out {
			left++
			continue
		}
		it := w.About
		sheet := w.Last.Sheet.In(w.Shown)
		r := sheetRow{ID: it.Source, Kind: it.Kind, Question: it.Content.Question, A: it.Content.A, B: it.Content.B,
			Judge:      Judge(w.Published(names)),
			Assignment: w.Kind, Values: sheet.Values, Remark: sheet.Reason, Revisions: w.Last.Revision, At: w.Last.At, Version: w.Last.Version,
			Preference: project.ChoiceOf(sheet.Values["choice"], data.OrderAB), item: it}
		if it.Content.B != "" {
			r.Order = w.Shown
		}
		if form := project.FormOf(it.Kind); form.Rows {
			r.A = tableText(it.Content)
		} else if form.Total != nil {
			r.Total = new(form.Total(p, sheet))
		}
		if w.Active > 0 {
			r.ActiveMS = new(float64(w.Active))
		}
		rows = append(rows, r)
	}
	return rows, left, nil
}

// tableText returns a contrastive table as plain text, for tools without tables. Rows are numbered as in the ids of fields.
func tableText(c project.Content) (text string) {
	for i, row := range c.Rows {
		text += fmt.Sprintf("%d %s\n", i+1, row.Attribute)
		for side, cell := range row.Cells() {
			values := data.Each(cell, func(v data.ContrastValue) string { return v.Value })
			text += fmt.Sprintf("  %s: %s\n", []string{c.Object1, c.Object2}[side], strings.Join(values, "; "))
		}
	}
	return text
}

// flat returns the row as a map with one key, "value_NAME", for each field.
func (r sheetRow) flat(p *project.Project, names map[string]string) map[string]any {
	row := map[string]any{"id": r.ID, "kind": r.Kind, "question": r.Question, "text": r.A, "other_text": r.B, "judge": r.Judge,
		"origin": data.OriginPerson, "assignment": r.Assignment,
		"total": r.Total, "preference": r.Preference, "order": r.Order, "remark": r.Remark, "active_ms": r.ActiveMS,
		"revisions": r.Revisions, "at": r.At, "version": r.Version}
	for _, f := range allFields(p) {
		row["value_"+cmp.Or(names[f.ID], f.ID)] = r.Values[f.ID]
	}
	return row
}

// criteriaNames returns, by id, the names of criteria whose id is only a number, which means nothing in another tool. It is empty for the
// built-in rubric, whose numbers are known, and where two criteria have the same name.
func criteriaNames(p *project.Project) map[string]string {
	names := map[string]string{}
	if p.Form().Total == nil || p.Rubric.BuiltIn() {
		return names
	}
	for _, c := range p.Rubric.Criteria {
		if _, err := strconv.Atoi(c.ID); err == nil {
			names[c.ID] = c.Name
		}
	}
	if distinct := data.Among(slices.Collect(maps.Values(names))); len(distinct) < len(names) {
		return nil
	}
	return names
}

// controlName matches the control names that Label Studio accepts. A name must not begin with a digit.
var controlName = regexp.MustCompile(`^[\pL_][\pL\pN_.-]*$`)

// controlNames returns, by field id, the control names for Label Studio: the criterion's name, or "c" and the id if Label Studio refuses
// the name.
func controlNames(p *project.Project) map[string]string {
	controls := map[string]string{}
	names := criteriaNames(p)
	for _, f := range allFields(p) {
		name := cmp.Or(names[f.ID], f.ID)
		if !controlName.MatchString(name) {
			name = "c" + f.ID
		}
		controls[f.ID] = name
	}
	return controls
}

// allFields returns the distinct fields of all items.
func allFields(p *project.Project) (fields []project.Field) {
	known := map[string]bool{}
	for _, it := range p.Items {
		for _, f := range p.Fields(it) {
			if !known[f.ID] {
				known[f.ID] = true
				fields = append(fields, f)
			}
		}
	}
	return fields
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

// labelStudio returns tasks with annotations, in Label Studio's import format. Values become choices or numbers, with the control names of
// controlNames; a control named annotator has the person. completed_by is left out, because Label Studio refuses a file with the number of
// an unknown user (tasks/serializers.py, _insert_valid_completed_by).
func labelStudio(p *project.Project, rows []sheetRow) (tasks []any) {
	controls := controlNames(p)
	for _, sheets := range byItem(rows) {
		it := sheets[0].item
		var annotations []any
		for _, r := range sheets {
			var result []any
			written := func(name, text string) {
				result = append(result, map[string]any{"from_name": name, "to_name": "text", "type": "textarea",
					"value": map[string]any{"text": []string{text}}})
			}
			written("annotator", r.Judge)
			for _, f := range p.Fields(it) {
				value, given := r.Values[f.ID]
				if !given {
					continue
				}
				if f.Type == project.Text {
					written(controls[f.ID], value)
					continue
				}
				kind := "choices"
				content := any(map[string]any{"choices": f.OptionsOf(value)})
				if x, err := strconv.ParseFloat(value, 64); err == nil && f.Type == project.Number {
					kind = "number"
					content = map[string]any{"number": x}
				}
				result = append(result, map[string]any{"from_name": controls[f.ID], "to_name": "text", "type": kind, "value": content})
			}
			if r.Remark != "" {
				written("remark", r.Remark)
			}
			a := map[string]any{"created_at": r.At, "result": result}
			if r.ActiveMS != nil {
				a["lead_time"] = *r.ActiveMS / 1000 // seconds
			}
			annotations = append(annotations, a)
		}
		tasks = append(tasks, map[string]any{"data": map[string]any{"id": it.Source, "question": it.Content.Question, "text": sheets[0].A,
			"other_text": it.Content.B}, "annotations": annotations})
	}
	return tasks
}

// labelStudioConfig returns the labelling configuration (XML) that Label Studio needs to show the tasks.
func labelStudioConfig(p *project.Project) string {
	text := "<View>\n  <Header value=\"$question\"/>\n  <Text name=\"text\" value=\"$text\"/>\n"
	if p.Items[0].Content.B != "" {
		text += "  <Text name=\"other\" value=\"$other_text\"/>\n"
	}
	controls := controlNames(p)
	for _, f := range allFields(p) {
		name := html.EscapeString(controls[f.ID])
		header := f.Name
		options := f.Options
		if p.Form().Rows {
			header = f.ID // rows have other names in each table
		}
		if f.Type == project.Mark {
			options = []project.Option{{Value: "1"}}
		}
		switch f.Type {
		case project.Buttons, project.List, project.Mark, project.Several:
			text += fmt.Sprintf("  <Header value=\"%s\"/>\n  <Choices name=\"%s\" toName=\"text\">\n",
				html.EscapeString(header), name)
			if f.Type == project.Several {
				text = strings.TrimSuffix(text, ">\n") + " choice=\"multiple\">\n"
			}
			for _, o := range options {
				text += fmt.Sprintf("    <Choice value=\"%s\"/>\n", html.EscapeString(o.Value))
			}
			text += "  </Choices>\n"
		case project.Number:
			text += fmt.Sprintf("  <Number name=\"%s\" toName=\"text\" min=\"%v\" max=\"%v\"/>\n", name, f.Low, f.High)
		case project.Text:
			text += fmt.Sprintf("  <TextArea name=\"%s\" toName=\"text\"/>\n", name)
		}
	}
	for _, name := range []string{"remark", "annotator"} {
		text += fmt.Sprintf("  <TextArea name=\"%s\" toName=\"text\"/>\n", name)
	}
	return text + "</View>\n"
}

// argilla returns records with people's responses, in the form of Record.to_dict of Argilla 2: each question has the values of all people.
// Argilla identifies people by UUIDs, which are made from the names of judges; metadata has the names. The owner's decisions are
// suggestions.
func argilla(p *project.Project, rows []sheetRow) (records []any) {
	names := criteriaNames(p)
	for _, sheets := range byItem(rows) {
		it := sheets[0].item
		responses := map[string][]any{}
		suggestions := map[string]any{}
		metadata := map[string]any{"kind": it.Kind, "cluster": it.Cluster}
		for _, r := range sheets {
			values := maps.Clone(r.Values)
			if r.Remark != "" {
				values["remark"] = r.Remark
			}
			for _, id := range slices.Sorted(maps.Keys(values)) {
				if r.Assignment == project.Adjudicate { // the owner's decision is not a response
					suggestions[cmp.Or(names[id], id)] = map[string]any{"value": values[id], "agent": r.Judge}
					continue
				}
				name := cmp.Or(names[id], id)
				responses[name] = append(responses[name], map[string]any{"value": values[id],
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
		fields := map[string]any{"question": it.Content.Question, "text": sheets[0].A}
		if it.Content.B != "" {
			fields["other_text"] = it.Content.B
		}
		records = append(records, map[string]any{"id": it.Source, "fields": fields, "metadata": metadata,
			"responses": responses, "suggestions": suggestions})
	}
	return records
}
