package sources

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
)

// TestLeftOver checks known formats whose column of values is renamed: they are refused, or the reading is assumed. With the usual name, it
// is declared.
func TestLeftOver(t *testing.T) {
	table := func(header string, row func(i int) string) string {
		text := header + "\n"
		for i := range 24 {
			text += row(i) + "\n"
		}
		return text
	}
	label := func(i int) string { return []string{"good", "poor"}[(i*7/3)%2] }
	phoenix := table("span_id,annotation_name,annotator_kind,user_id,label,score,explanation", func(i int) string {
		return fmt.Sprintf("s%d,clear,%s,u,%s,%d,", i/2, []string{"LLM", "HUMAN"}[i%2], label(i), (i*7/3)%2)
	})
	langfuse := table("traceId,name,source,dataType,stringValue,value,comment", func(i int) string {
		return fmt.Sprintf("t%d,clear,%s,CATEGORICAL,%s,%d,", i/2, []string{"EVAL", "ANNOTATION"}[i%2], label(i), (i*7/3)%2)
	})
	vertex := table("instance_id,prompt,response,clear/score,clear/human_rating", func(i int) string {
		return fmt.Sprintf("v%d,Why is item %d so?,Because of reason %d.,%d,%d", i, i, i, 1+i%5, 1+(i*7/3)%5)
	})
	appen := table("_unit_id,_worker_id,_golden,clear,clear_gold", func(i int) string { return fmt.Sprintf("%d,w%d,false,%s,", i/2, i%2, label(i)) })
	for _, c := range []struct{ text, column string }{{phoenix, ""}, {phoenix, "label"}, {phoenix, "score"}, {langfuse, ""}, {langfuse, "stringValue"},
		{langfuse, "value"}, {vertex, ""}, {vertex, "clear/score"}, {vertex, "clear/human_rating"}, {appen, ""}, {appen, "clear"}} {
		file := write(t, "a.csv", c.text)
		known := FormatOf(file)
		if c.column != "" {
			header, rows, _ := strings.Cut(c.text, "\n")
			renamed := strings.Replace(header+",", ","+c.column+",", ",outcome,", 1)
			file = write(t, "a.csv", strings.TrimSuffix(renamed, ",")+"\n"+rows)
		}
		judged, err := Read(file, Options{Other: []string{file}})
		people, fault := Read(file, Options{People: true, Other: []string{file}})
		declared := err == nil && fault == nil && len(Assumed(append(judged.Readings, people.Readings...))) == 0 &&
			(judged.Values.Len() > 0 || known == "appen") && people.Values.Len() > 0
		if known == "" || declared != (c.column == "") {
			t.Errorf("%s without %q: declared %v (%v, %v)", known, c.column, declared, err, fault)
		}
	}
}

// TestWhoseScore checks a record without the member that says which scores are people's. Labels beside its place make the reading assumed,
// even in a member whose name is usually that of an attribute.
func TestWhoseScore(t *testing.T) {
	const trace = `{"info": {"trace_id": "t%d", "trace_metadata": {}, "request_preview": "Why?", "response_preview": "So.", "assessments": [` +
		`{"name": "clear", %[2]s: {"type": "HUMAN", "source_type": "HUMAN", "source_id": "ann"}, "feedback": {"value": %[3]d}},` +
		`{"name": "clear", %[2]s: {"type": "LLM_JUDGE", "source_type": "LLM_JUDGE", "source_id": "j"}, "feedback": {"value": %[3]d}}]}}`
	for _, c := range []struct {
		member string
		want   string
	}{{`"source"`, ""}, {`"by"`, "by.type"}} {
		text := ""
		for i := range 12 {
			text += fmt.Sprintf(trace, i, c.member, 1+i%5) + "\n"
		}
		log, err := Read(write(t, "a.jsonl", text), Options{})
		if err != nil || log.Format != "mlflow" {
			t.Fatal(log, err)
		}
		assumed := strings.Join(data.Each(Assumed(log.Readings), func(c ColumnRead) string { return c.Column }), " ")
		if (assumed == "") != (c.want == "") || !strings.Contains(assumed, c.want) {
			t.Errorf("%s: %q is assumed, not %q", c.member, assumed, c.want)
		}
	}
}

// TestManualRatingWithoutType checks promptfoo's rows in which no component of the result has a type: the result may then be a manual
// rating, and is not read.
func TestManualRatingWithoutType(t *testing.T) {
	const row = `{"promptIdx": 0, "success": true, "prompt": {"label": "p"}, "vars": {"question": "Why %d?"}, ` +
		`"response": {"output": "So."}, "gradingResult": {"pass": true, "componentResults": %s}}` + "\n"
	for parts, want := range map[string]int{`[]`: 6, `null`: 6, `[{"pass": true}]`: 0, `[{"pass": true, "assertion": {"type": "equals"}}]`: 18,
		`[{"pass": true, "assertion": null}]`: 0} {
		text := ""
		for i := range 6 {
			text += fmt.Sprintf(row, i, parts)
		}
		log, err := Read(write(t, "a.jsonl", text), Options{})
		if err != nil || log.Format != "promptfoo" || log.Values.Len() != want {
			t.Errorf("%s: %d scores, not %d: %v", parts, log.Values.Len(), want, err)
		}
	}
}

// TestNothingLeftOver checks that no column is unknown in the fixtures of known formats and in real logs of other programs.
func TestNothingLeftOver(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "formats", "*.[cj]s*"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d fixtures, %v", len(files), err)
	}
	err = filepath.WalkDir(sharedtest.Path(t, "data", "harness-logs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, file := range files {
		for _, people := range []bool{false, true} {
			log, err := Read(file, Options{People: people})
			if err != nil || log.Format == "" {
				continue // see TestFormats
			}
			read++
			for _, c := range Assumed(log.Readings) {
				t.Errorf("%s: %s is %s (%s)", file, c.Column, c.Role, c.Why)
			}
		}
	}
	if read < 80 {
		t.Errorf("%d readings", read)
	}
}
