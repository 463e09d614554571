package annotate

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"compqa/data"
	"compqa/web/annotate/project"
)

// TestFormats: a person saw a pair in order ba. Every format has the choice with the sides mapped back, the order, the remark, the time
// and the version. No format names the person.
func TestFormats(t *testing.T) {
	dir := t.TempDir()
	p := createIn(t, dir, project.Settings{}, []project.Item{{Kind: project.Pair, Source: "x/1", Cluster: "q", Role: project.Overlap,
		Content: project.Content{Question: "Which?", A: "the a", B: "the b"}, Shown: data.OrderBA}})
	invite(t, p, "secretanna")
	a := annotatorNamed(t, p, "secretanna")
	next, err := p.Next(a)
	if err != nil {
		t.Fatal(err)
	}
	sheet := chosen(project.First)
	sheet.Reason = "clearer"
	if _, err := p.Append(a.ID, project.Event{Item: next, Kind: project.Submit, Sheet: sheet, Nonce: "n", ActiveMS: 5000}); err != nil {
		t.Fatal(err)
	}
	for format, wants := range map[string][]string{
		"hf": {`"preference":"b"`, `"order":"ba"`, `"remark":"clearer"`, `"active_ms":5000`, `"version":1`, `"value_choice":"second"`, `"judge":"human:p1"`},
		"label-studio": {`"from_name":"choice"`, `"choices":["second"]`, `"lead_time":5`, `"text":["clearer"]`, `"id":"x/1"`,
			`"from_name":"annotator","to_name":"text","type":"textarea","value":{"text":["human:p1"]}`},
		"argilla": {`"choice":[{"status":"submitted","user_id":"`, `"value":"second"`, `"order_p1":"ba"`, `"fields":{"other_text":"the b"`},
	} {
		path, n, _, err := ExportAs(p, format, filepath.Join(dir, format), false)
		if err != nil || n != 1 {
			t.Fatalf("%s: %d sheets, %v", format, n, err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		compact, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(compact), want) {
				t.Errorf("%s has no %s:\n%s", format, want, compact)
			}
		}
		if strings.Contains(string(text), "secretanna") {
			t.Errorf("%s names a person", format)
		}
		if strings.Contains(string(text), "completed_by") {
			t.Errorf("%s has numbers of people, which Label Studio refuses if it has no such users", format)
		}
	}
}

// TestControlNames: the built-in criteria, whose ids are numbers, get control names that Label Studio accepts.
func TestControlNames(t *testing.T) {
	p, _ := newProject(t, 1, project.Settings{})
	config := labelStudioConfig(p)
	for _, control := range regexp.MustCompile(` name="([^"]+)"`).FindAllStringSubmatch(config, -1) {
		if !controlName.MatchString(control[1]) {
			t.Errorf("Label Studio refuses the name %q", control[1])
		}
	}
	if !strings.Contains(config, ` name="c15"`) {
		t.Error(config)
	}
}

// TestFormatsOfTables: a table is exported as text, and its Label Studio configuration has a control for each field of every table.
func TestFormatsOfTables(t *testing.T) {
	dir := t.TempDir()
	other := tableItem()
	other.Source = "s2"
	other.Content.Rows = append(other.Content.Rows, data.ContrastRow{Attribute: "speed"})
	p := createIn(t, dir, project.Settings{}, []project.Item{tableItem(), other})
	invite(t, p, "anna")
	a := annotatorNamed(t, p, "anna")
	for range 2 {
		next, err := p.Next(a)
		if err != nil {
			t.Fatal(err)
		}
		assigned, err := p.Assignment(a.ID, next)
		if err != nil {
			t.Fatal(err)
		}
		sheet := project.Sheet{Values: map[string]string{"same": "none", "against": "marked", "against-2-1-2": "1"}}
		for i := range assigned.About.Content.Rows {
			sheet.Values[fmt.Sprint("row-", i+1)] = data.RowYes
		}
		if _, err := p.Append(a.ID, project.Event{Item: next, Kind: project.Submit, Sheet: sheet, Nonce: next}); err != nil {
			t.Fatal(err)
		}
	}
	if _, n, _, err := ExportAs(p, "label-studio", dir, false); err != nil || n != 2 {
		t.Fatal(n, err)
	}
	tasks, err := os.ReadFile(filepath.Join(dir, "label-studio.json"))
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(filepath.Join(dir, "label-studio.xml"))
	if err != nil {
		t.Fatal(err)
	}
	if want := `2 cost\n  tram: high; not high\n  bus: \n`; !strings.Contains(string(tasks), want) {
		t.Errorf("the table has no text %s:\n%s", want, tasks)
	}
	for _, used := range regexp.MustCompile(`"from_name": "([^"]+)"`).FindAllStringSubmatch(string(tasks), -1) {
		if !strings.Contains(string(config), ` name="`+used[1]+`"`) {
			t.Errorf("the configuration has no control %s:\n%s", used[1], config)
		}
	}
}
