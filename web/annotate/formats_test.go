package annotate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data"
	"compqa/web/annotate/project"
)

// A choice of somebody who saw the pair the other way round is exported with the sides mapped back, with order, remark, time and version,
// in each of the forms; nobody is named.
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
		"hf":           {`"preference":"b"`, `"order":"ba"`, `"remark":"clearer"`, `"active_ms":5000`, `"version":1`, `"value_choice":"second"`, `"judge":"human:p1"`},
		"label-studio": {`"from_name":"choice"`, `"choices":["second"]`, `"lead_time":5`, `"text":["clearer"]`, `"id":"x/1"`},
		"argilla":      {`"choice":[{"status":"submitted","user_id":"`, `"value":"second"`, `"order_p1":"ba"`, `"fields":{"other_text":"the b"`},
	} {
		path, n, err := ExportAs(p, format, filepath.Join(dir, format), false)
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
	}
}
